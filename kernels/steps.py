"""The step log: which chunk ran where, and when."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass

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

A range ``a..b`` is of letters, half-open: the letters after the first a, up to and with the b-th. Its cells are
a + 1..b, both included, because cell i is reached after i letters. Ranges are in the strip's own orientation
(rows belong to the shorter sequence). Layers are those of a third sequence, 0..0 where there is none. Times are
nanoseconds since the start of the run; for ``waited_ns`` of them it waited for a neighbour, where that is known.
"""


BLOCK = 4096
"""Events of one call each that become an array at once: to make one of a hundred thousand would stop other threads."""


class Steps:
    """An append-only log of chunk events; safe to append from several threads.

    ``share`` of the run's events are in it: less than 1 where there were so many that only some were kept. One that
    ``keeps`` nothing takes events and forgets them.
    """

    def __init__(self, keeps: bool = True, share: float = 1.0) -> None:
        self.keeps, self.share = keeps, share
        self._events: list[tuple[int, ...]] = []
        self._blocks: list[np.ndarray] = []
        self._ordered: np.ndarray | None = None
        self._lock = threading.Lock()

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
        if not self.keeps:
            return
        with self._lock:
            self._events.append((phase, strip, *rows, *columns, *layers, worker, start_ns, end_ns, waited_ns))
            self._ordered = None
            if len(self._events) >= BLOCK:
                self._blocks.append(np.array(self._events, STEP))
                self._events = []

    def extend(self, events: np.ndarray) -> None:
        """Append an array of dtype STEP, or of such events without their last fields, as they were saved once."""
        if not self.keeps:
            return
        if events.dtype != STEP:
            events = _completed(events)
        with self._lock:
            self._blocks.append(events)
            self._ordered = None

    @property
    def count(self) -> int:
        """Number of events so far."""
        with self._lock:
            return sum(block.size for block in self._blocks) + len(self._events)

    def array(self) -> np.ndarray:
        """All events so far, in order of their start; dtype STEP, read-only."""
        with self._lock:
            if self._ordered is None:
                events = np.concatenate([*self._blocks, np.array(self._events, STEP)])
                self._ordered = events[np.argsort(events["start_ns"], kind="stable")]
                self._ordered.flags.writeable = False
                self._events, self._blocks = [], [self._ordered]
            return self._ordered


def _completed(events: np.ndarray) -> np.ndarray:
    """Events with all fields of STEP, 0 where theirs end; TypeError where they are no events."""
    names = events.dtype.names or ()
    if events.ndim != 1 or not names or np.dtype(STEP.descr[: len(names)]) != events.dtype or len(names) < 11:
        raise TypeError("the log of a run is none")
    found = np.zeros(events.size, STEP)
    for name in names:
        found[name] = events[name]
    return found


def ranges(events: np.ndarray) -> np.ndarray:
    """Cells of the ranges of each event: rows x columns, and x layers where there are any; float64."""
    found = (events["row_end"] - events["row_start"]) * (events["column_end"] - events["column_start"])
    return np.asarray(found * np.maximum(events["layer_end"] - events["layer_start"], 1), np.float64)


WHOLE = math.inf
"""All that a run did."""


@dataclass(frozen=True)
class Share:
    """What the events of some phases did: ``total`` units of work, shared out by their ``weights``.

    ``phases`` are their names; none for all that no other share names. Without a total, the weights are the units.
    """

    phases: tuple[str, ...] = ()
    total: float | None = None
    weights: Callable[[np.ndarray], np.ndarray] = ranges


@dataclass(frozen=True)
class Logged:
    """What a step log counts: its shares, and the unit, where it is not that of the problem."""

    shares: tuple[Share, ...]
    unit: str = ""
