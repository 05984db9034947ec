"""A timer that looks now and then for what came from the thread that measures."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

SHARE = 8
"""The next look comes at the earliest after so many times what the last one took."""


def polling_timer(parent: QObject, least_ms: int, look: Callable[[], None]) -> QTimer:
    """A timer that calls ``look`` while it runs, every ``least_ms``, or later where a look takes long."""
    timer = QTimer(parent, interval=least_ms)

    def measured_look() -> None:
        began = time.perf_counter()
        look()
        timer.setInterval(max(least_ms, round(SHARE * (time.perf_counter() - began) * 1e3)))

    timer.timeout.connect(measured_look)
    return timer
