"""Progress and cancellation, shared by a job and whoever watches it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kernels.errors import Cancelled
from kernels.store import Store

Listener = Callable[[int, int, str], None]


class Monitor:
    """Carries progress out of a job and the wish to cancel into it. Silent by default.

    ``listener(done, total, phase)`` is called on the job's thread; it must return at once. ``store`` takes what a long
    run has finished (kernels/store.py), where the run is one that can be continued.
    """

    store: Store | None = None

    def __init__(self, listener: Listener | None = None) -> None:
        self._listener = listener
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Ask the job to stop; it raises Cancelled at its next update or check."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise Cancelled when the user asked to stop."""
        if self.cancelled:
            raise Cancelled

    def update(self, done: int, total: int, phase: str = "") -> None:
        """Report ``done`` of ``total`` units of work; raise Cancelled when asked to stop."""
        self.check()
        if self._listener is not None:
            self._listener(done, total, phase)
