"""A run played again from its measured step log: which part of the table was computed when, and by whom. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.experiments.counters import Counters
from antidiag.kernels.steps import Steps

PIXELS = 400
"""Places along the longer side of a table."""
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Sheet:
    """One phase on its table, in places: when each was begun and done (ns, NEVER for not at all), and by which worker.

    Where a log has layers, a part of the table fills from its top as its layers are computed.
    """

    phase: int
    begun: np.ndarray
    done: np.ndarray
    worker: np.ndarray

    def share(self, time_ns: float) -> float:
        """How much of what the phase computes is done at a time, 0 to 1."""
        meant = self.done < NEVER
        return float((self.done[meant] <= time_ns).mean()) if meant.any() else 0.0

    def states(self, time_ns: float) -> np.ndarray:
        """0 where nothing was begun at this time, 1 where somebody is at work, 2 where it is done; uint8."""
        return (self.begun <= time_ns).astype(np.uint8) + (self.done <= time_ns)


@dataclass(frozen=True, eq=False)
class Replay:
    """All events of a run, in order of their start, its phases as sheets, and what each event counts, where known."""

    events: np.ndarray
    sheets: tuple[Sheet, ...]
    counters: Counters | None = None

    @property
    def start_ns(self) -> int:
        return int(self.events["start_ns"].min())

    @property
    def end_ns(self) -> int:
        return int(self.events["end_ns"].max())

    @cached_property
    def workers(self) -> np.ndarray:
        return np.unique(self.events["worker"])

    @cached_property
    def _ends(self) -> np.ndarray:
        return np.sort(self.events["end_ns"])

    def busy(self, time_ns: float) -> int:
        """Workers that are at work at a time."""
        now = (self.events["start_ns"] <= time_ns) & (self.events["end_ns"] > time_ns)
        return int(np.unique(self.events["worker"][now]).size)

    def done(self, time_ns: float) -> int:
        """Events that have ended."""
        return int(np.searchsorted(self._ends, time_ns, side="right"))

    @cached_property
    def _sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Cells and bytes of the first events to end, of so many events; float64."""
        order = np.argsort(self.events["end_ns"], kind="stable")
        none = np.zeros(self.events.size)
        counted = (none, none) if self.counters is None else (self.counters.cells, self.counters.bytes)
        cells, moved = (np.concatenate([[0.0], np.cumsum(values[order])]) for values in counted)
        return cells, moved

    def cells(self, time_ns: float) -> float:
        """Cells of the events that have ended."""
        return float(self._sums[0][self.done(time_ns)])

    def bytes(self, time_ns: float) -> float:
        """Bytes that the events which have ended moved."""
        return float(self._sums[1][self.done(time_ns)])

    def curve(self, width: int) -> np.ndarray:
        """Events under way on average in each of ``width`` parts of the time, float64."""
        edges = np.linspace(self.start_ns, self.end_ns, width + 1)
        starts, ends = np.sort(self.events["start_ns"]).astype(float), self._ends.astype(float)
        spent = _before(starts, edges) - _before(ends, edges)
        return np.diff(spent) / max((edges[-1] - edges[0]) / width, 1e-9)

    def sheet(self, time_ns: float) -> Sheet:
        """The phase that was begun last at a time."""
        begun = [one for one in self.sheets if one.begun.min(initial=NEVER) <= time_ns]
        return begun[-1] if begun else self.sheets[0]


def span_ns(runs: Sequence[tuple[str, Replay]]) -> int:
    """How long the slowest of some runs, by name, took."""
    return max((replay.end_ns - replay.start_ns for _, replay in runs), default=0)


def _before(times: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """For each edge, the time that all of these lie before it, summed."""
    sums = np.concatenate([[0.0], np.cumsum(times)])
    count = np.searchsorted(times, edges)
    return count * edges - sums[count]


def replay(steps: Steps, counters: Counters | None = None) -> Replay | None:
    """The log of a run as sheets; None where it has no parts of a table. ``counters`` are those of the whole log."""
    events = steps.array()
    areas = (events["row_end"] - events["row_start"]) * (events["column_end"] - events["column_start"])
    shown = areas > 0
    events = events[shown]
    if not events.size:
        return None
    counters = counters and counters.of(shown)
    rows, columns = int(events["row_end"].max()), int(events["column_end"].max())
    layers = int(events["layer_end"].max())
    scale = PIXELS / max(rows, columns)
    shape = max(round(rows * scale), 1), max(round(columns * scale), 1)
    sheets = [
        _sheet(int(phase), events[events["phase"] == phase], (rows, columns, layers), shape)
        for phase in np.unique(events["phase"])
    ]
    sheets.sort(key=lambda one: int(one.begun.min(initial=NEVER)))
    return Replay(events, tuple(sheets), counters)


def _sheet(phase: int, events: np.ndarray, sizes: tuple[int, int, int], shape: tuple[int, int]) -> Sheet:
    rows, columns, layers = sizes
    begun, done = (np.full(shape, NEVER, np.int64) for _ in range(2))
    worker = np.full(shape, -1, np.int32)
    top, bottom = events["row_start"].astype(float), events["row_end"].astype(float)
    if layers:
        high = bottom - top
        top, bottom = top + high * events["layer_start"] / layers, top + high * events["layer_end"] / layers
    y = _places(top, bottom, shape[0] / rows, shape[0])
    x = _places(events["column_start"], events["column_end"], shape[1] / columns, shape[1])
    for at in range(events.size):
        here = slice(y[0][at], y[1][at]), slice(x[0][at], x[1][at])
        begun[here] = np.minimum(begun[here], events["start_ns"][at])
        worker[here] = events["worker"][at]
        # A place smaller than an event is done when the last of the events that share it is.
        before = done[here]
        done[here] = np.where(before == NEVER, events["end_ns"][at], np.maximum(before, events["end_ns"][at]))
    return Sheet(phase, begun, done, worker)


def _places(low: np.ndarray, high: np.ndarray, scale: float, size: int) -> tuple[np.ndarray, np.ndarray]:
    """First place and the one after the last, at least one."""
    first = np.clip(np.round(low * scale).astype(int), 0, size - 1)
    return first, np.clip(np.round(high * scale).astype(int), first + 1, size)
