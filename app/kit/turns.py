"""Turns of the event loop: what the window does without a look at keys, the mouse and its painting."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

PAUSE_MS, CALM_MS, TRIES = 15, 5, 20


def when_painted(owner: QObject, do: Callable[[], object]) -> None:
    """Do something after what was just changed is painted, and in a turn that has done nothing long before, so that no
    turn is longer than it need be; never where ``owner`` is gone by then.

    A pause alone would not do: it may well end in the turn that paints.
    """
    QTimer.singleShot(PAUSE_MS, owner, lambda: _when_calm(owner, do, TRIES))


def _when_calm(owner: QObject, do: Callable[[], object], tries: int) -> None:
    """Look once in every turn whether it has done much so far; not for ever, as others may keep the window busy."""
    begun = time.perf_counter()

    def look() -> None:
        if tries and 1000 * (time.perf_counter() - begun) > CALM_MS:
            _when_calm(owner, do, tries - 1)
        else:
            do()

    QTimer.singleShot(0, owner, look)
