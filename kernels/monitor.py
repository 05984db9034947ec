"""Progress and cancellation, shared by a job and whoever watches it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

import numpy as np

from antidiag.kernels.errors import Cancelled

Listener = Callable[[int, int, str], None]


class Store(Protocol):
    """What a run that can be continued sees of its store (see kernels.recovery.store)."""

    failure: str
    fraction: float

    @property
    def due(self) -> bool:
        """Whether it is time to save what has been finished."""

    def parts(self, check: Callable[[], None] = ...) -> Iterator[Any]:
        """The parts of the interrupted run that is continued, in order."""

    def save(
        self,
        facts: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
        fraction: float,
        ready: Callable[[], None] = ...,
    ) -> Future[None]:
        """Begin to write a part, after which ``fraction`` is done."""

    def saved(self, number: int) -> Any:
        """A part that has been taken over, or written."""

    def wait(self, check: Callable[[], None], future: Future[None]) -> None:
        """Wait for a part to be written."""


class Monitor:
    """Carries progress out of a job and the wish to cancel into it. Silent by default.

    ``listener(done, total, phase)`` is called on the job's thread; it must return at once. ``store`` takes what a long
    run has finished (kernels/recovery/store.py), where the run is one that can be continued. ``shown`` is what can be
    looked at before the run is over, such as a tree whose nodes are aligned; None where there is nothing.
    """

    store: Store | None = None
    shown: Any = None

    def __init__(self, listener: Listener | None = None) -> None:
        self._listener = listener
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Ask the job to stop; it raises Cancelled at its next update or check."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether the job was asked to stop."""
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


class Silent(Monitor):
    """Hears another's wish to cancel, and tells nothing."""

    def __init__(self, heard: Monitor) -> None:
        super().__init__()
        self._heard = heard

    def check(self) -> None:
        self._heard.check()


class Part(Monitor):
    """One of equal parts of a phase: whatever it is told, in whatever phases of its own, the whole phase never falls.

    The phase ends when its owner says so.
    """

    def __init__(self, whole: Monitor, number: int, parts: int, phase: str) -> None:
        super().__init__()
        self._whole, self._number, self._parts, self._phase = whole, number, parts, phase
        self._most = 0
        self.update(0, 1)

    def check(self) -> None:
        self._whole.check()

    def update(self, done: int, total: int, phase: str = "") -> None:
        self._most = max(self._most, PARTED * done // max(total, 1))
        self._whole.update(PARTED * self._number + self._most, PARTED * self._parts, self._phase)


PARTED = 1000
"""Steps in which the progress of a part is told."""
