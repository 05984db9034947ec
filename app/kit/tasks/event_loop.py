"""Scheduling in the event loop of the window."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

PAUSE_MS, CALM_MS, TRIES = 15, 5, 20


def run_after_painting(owner: QObject, callback: Callable[[], object]) -> None:
    """Call ``do`` after painting, in a turn of the event loop that did little else; never if ``owner`` is gone."""
    QTimer.singleShot(PAUSE_MS, owner, lambda: _run_when_idle(owner, callback, TRIES))


def _run_when_idle(owner: QObject, callback: Callable[[], object], tries: int) -> None:
    """Call back in a turn that did little before; give up waiting after ``tries`` turns."""
    begun = time.perf_counter()

    def look() -> None:
        if tries and 1000 * (time.perf_counter() - begun) > CALM_MS:
            _run_when_idle(owner, callback, tries - 1)
        else:
            callback()

    QTimer.singleShot(0, owner, look)
