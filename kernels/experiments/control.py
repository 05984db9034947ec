"""Control: how a sweep is cancelled and paused."""

from __future__ import annotations

import threading
from collections.abc import Callable

from antidiag.kernels.monitor import Monitor

POLL_S = 0.05


class Control(Monitor):
    """Cancels a sweep and pauses it, from any thread; a pause begins when the call that runs has ended."""

    def __init__(self, listener: Callable[[int, int, str], None] | None = None) -> None:
        super().__init__(listener)
        self._going = threading.Event()
        self._going.set()

    def pause(self) -> None:
        self._going.clear()

    def go_on(self) -> None:
        self._going.set()

    @property
    def paused(self) -> bool:
        return not self._going.is_set()

    def wait(self) -> None:
        """Return when not paused; raise Cancelled when asked to stop."""
        while not self._going.wait(POLL_S):
            self.check()
        self.check()
