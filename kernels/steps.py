"""Step log of a run: which worker computed which chunk, and when."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

STEP = np.dtype(
    [
        ("phase", "u1"),
        ("strip", "i4"),
        ("row_start", "i8"),
        ("row_end", "i8"),
        ("column_start", "i8"),
        ("column_end", "i8"),
        ("layer_start", "i8"),
        ("layer_end", "i8"),
        ("worker", "i4"),
        ("start_ns", "i8"),
        ("end_ns", "i8"),
        ("waited_ns", "i8"),
    ]
)
"""One event: the cells that ``worker`` (a CPU thread or a multiprocessor) computed, and when.

A range ``a..b`` of letters is half-open. Its cells are a + 1..b, both included, because cell i is reached after i
letters. Ranges are in the orientation of the strips (rows belong to the shorter sequence). Layers belong to a third
sequence and are 0..0 if there is none. Times are nanoseconds since the start of the run; ``waited_ns`` is the part
spent waiting for a neighbour, where it is known.
"""


BLOCK = 4096
"""Events that are converted to an array at a time; converting a hundred thousand would hold the GIL too long."""


class StepLog:
    """An append-only log of chunk events; several threads may append.

    ``share`` is the fraction of the run's events in the log, less than 1 if only a sample was kept. With
    ``keeps=False`` the log discards all events.
    """

    def __init__(self, keeps: bool = True, share: float = 1.0) -> None:
        self.keeps_events, self.share = keeps, share
        self._events: list[tuple[int, ...]] = []
        self._blocks: list[np.ndarray] = []
        self._ordered: np.ndarray | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what copies and pickles are made of: the events, without the lock."""
        return _restore_log, (self.keeps_events, self.share, self.ordered_events())

    def add(
        self,
        phase: int,
        strip: int,
        rows: tuple[int, int],
        columns: tuple[int, int],
        worker: int,
        start_ns: int,
        end_ns: int,
        layers: tuple[int, int] = (0, 0),
        waited_ns: int = 0,
    ) -> None:
        """Append one event."""
        if not self.keeps_events:
            return
        with self._lock:
            self._events.append((phase, strip, *rows, *columns, *layers, worker, start_ns, end_ns, waited_ns))
            self._ordered = None
            if len(self._events) >= BLOCK:
                self._blocks.append(np.array(self._events, STEP))
                self._events = []

    def add_array(self, events: np.ndarray) -> None:
        """Append an array of dtype STEP; the last fields may be missing, as in files of earlier versions."""
        if not self.keeps_events:
            return
        if events.dtype != STEP:
            events = _add_missing_fields(events)
        with self._lock:
            self._blocks.append(events)
            self._ordered = None

    @property
    def count(self) -> int:
        """Number of events."""
        with self._lock:
            return sum(block.size for block in self._blocks) + len(self._events)

    def ordered_events(self) -> np.ndarray:
        """Return all events ordered by start; dtype STEP, read-only."""
        with self._lock:
            if self._ordered is None:
                events = np.concatenate([*self._blocks, np.array(self._events, STEP)])
                self._ordered = events[np.argsort(events["start_ns"], kind="stable")]
                self._ordered.flags.writeable = False
                self._events, self._blocks = [], [self._ordered]
            return self._ordered


def _restore_log(keeps: bool, share: float, events: np.ndarray) -> StepLog:
    """Return a log with these events."""
    log = StepLog(keeps, share)
    log.add_array(events)
    return log


def _add_missing_fields(events: np.ndarray) -> np.ndarray:
    """Return events with all fields of STEP, missing ones as 0; raise TypeError if the array holds no events."""
    names = events.dtype.names or ()
    if events.ndim != 1 or not names or np.dtype(STEP.descr[: len(names)]) != events.dtype or len(names) < 11:
        raise TypeError("this array is not the step log of a run")
    found = np.zeros(events.size, STEP)
    for name in names:
        found[name] = events[name]
    return found


def count_range_cells(events: np.ndarray) -> np.ndarray:
    """Return the number of cells of each event: rows x columns (x layers); float64."""
    found = (events["row_end"] - events["row_start"]) * (events["column_end"] - events["column_start"])
    return np.asarray(found * np.maximum(events["layer_end"] - events["layer_start"], 1), np.float64)


ALL_WORK = math.inf
"""Total of a `WorkShare`: all work of the run."""


@dataclass(frozen=True)
class WorkShare:
    """Work of the events of some phases: ``total`` units, distributed in proportion to ``weights``.

    ``phases`` are names of phases; none means all phases that no other share names. Without a total, the weights are
    the units of work.
    """

    phases: tuple[str, ...] = ()
    total: float | None = None
    weights: Callable[[np.ndarray], np.ndarray] = count_range_cells


@dataclass(frozen=True)
class LoggedWork:
    """Work of the events of a step log, and its unit if it differs from the unit of the problem."""

    shares: tuple[WorkShare, ...]
    unit: str = ""
