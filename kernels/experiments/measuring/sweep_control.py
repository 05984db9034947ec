"""Cancelling and pausing a sweep."""

from __future__ import annotations

import threading
from collections.abc import Callable

from antidiag.kernels.monitor import Monitor

POLL_S = 0.05


class SweepControl(Monitor):
    """Cancels and pauses a sweep from any thread; a pause begins after the current call."""

    def __init__(self, listener: Callable[[int, int, str], None] | None = None) -> None:
        super().__init__(listener)
        self._going = threading.Event()
        self._going.set()

    def pause(self) -> None:
        """Pause after the current call."""
        self._going.clear()

    def resume(self) -> None:
        """End a pause."""
        self._going.set()

    @property
    def is_paused(self) -> bool:
        """Return whether the sweep is asked to pause."""
        return not self._going.is_set()

    def wait_while_paused(self) -> None:
        """Wait until the pause ends; raise Cancelled if the sweep is cancelled."""
        while not self._going.wait(POLL_S):
            self.check()
        self.check()
