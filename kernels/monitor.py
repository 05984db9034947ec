"""Monitors: they report the progress of a run to a listener and carry the wish to cancel into the run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

import numpy as np

from antidiag.kernels.errors import Cancelled

Listener = Callable[[int, int, str], None]


class CheckpointStore(Protocol):
    """The store of checkpoint parts that a resumable run writes to (see kernels.recovery.checkpoint_store)."""

    @property
    def failure(self) -> str:
        """Why nothing more can be written, or an empty text."""

    @property
    def fraction(self) -> float:
        """How much of the run is saved, from 0 to 1."""

    @property
    def is_save_due(self) -> bool:
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
    """Reports the progress of a run and stops the run when the user cancels it. Reports nothing by default.

    ``listener(done, total, phase)`` is called on the run's thread and must return at once. ``store`` keeps finished
    parts of a resumable run (kernels/recovery/checkpoint_store.py). ``shown`` is a partial result that can be
    displayed during the run, such as a guide tree whose nodes are being aligned; None if there is none.
    ``is_attended`` is False for a run of milliseconds that nobody follows or cancels; it may keep the calling thread.
    """

    store: CheckpointStore | None = None
    partial_result: Any = None

    def __init__(self, listener: Listener | None = None, is_attended: bool = True) -> None:
        self._listener, self.is_attended = listener, is_attended
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Ask the run to stop; it raises Cancelled at its next update or check."""
        self._cancelled.set()

    @property
    def is_cancelled(self) -> bool:
        """Return whether the run was asked to stop."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raise Cancelled if the run was asked to stop."""
        if self.is_cancelled:
            raise Cancelled

    def update(self, done: int, total: int, phase: str = "") -> None:
        """Report ``done`` of ``total`` units of work; raise Cancelled if the run was asked to stop."""
        self.check()
        if self._listener is not None:
            self._listener(done, total, phase)


PART_STEPS = 1000
"""Steps in which a `PartMonitor` reports a unit."""


class CancelOnlyMonitor(Monitor):
    """Is cancelled when another monitor is, and reports no progress to it."""

    def __init__(self, source: Monitor) -> None:
        super().__init__(is_attended=source.is_attended)
        self._source = source

    @property
    def is_cancelled(self) -> bool:
        """Return whether this run or the other monitor's run was asked to stop."""
        return super().is_cancelled or self._source.is_cancelled


class PartMonitor(CancelOnlyMonitor):
    """Reports a part of a phase to the monitor of the whole phase: ``size`` of ``total`` units, from ``first`` on.

    A part may have phases of its own that each start at 0; the progress of the whole never goes back. The owner of the
    whole reports its end. Each unit is reported in some ``steps``.
    """

    def __init__(
        self, whole: Monitor, first: int, total: int, phase: str, size: int = 1, steps: int = PART_STEPS
    ) -> None:
        super().__init__(whole)
        self._first, self._total, self._size, self._phase = steps * first, steps * total, steps * size, phase
        self._highest = 0
        self.update(0, 1)

    def update(self, done: int, total: int, phase: str = "") -> None:
        """Report ``done`` of ``total`` units of this part; raise Cancelled if either run was asked to stop."""
        self.check()
        self._highest = max(self._highest, self._size * done // max(total, 1))
        self._source.update(self._first + self._highest, self._total, self._phase)
