"""A run played again from its step log: what was computed when, and by which worker. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.experiments.point_data.step_counters import StepCounters
from antidiag.kernels.steps import StepLog

LONG_SIDE_PIXELS = 400  # pixels along the longer side of a table
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class PhaseSheet:
    """One phase on its table in pixels: start and end of each (ns, NEVER if it has none), and its worker. In a log with
    layers, a part fills from its top as its layers are computed."""

    phase: int
    begun: np.ndarray
    done: np.ndarray
    worker: np.ndarray

    def done_share(self, time_ns: float) -> float:
        """Return the finished share of the phase at a time, 0 to 1."""
        meant = self.done < NEVER
        return float((self.done[meant] <= time_ns).mean()) if meant.any() else 0.0

    def pixel_states(self, time_ns: float) -> np.ndarray:
        """Return 0 before the start, 1 during computation, 2 after the end of each pixel; uint8."""
        return (self.begun <= time_ns).astype(np.uint8) + (self.done <= time_ns)


@dataclass(frozen=True, eq=False)
class RunReplay:
    """All events of a run by start, its phases as sheets, and what each event counts, if known."""

    events: np.ndarray
    sheets: tuple[PhaseSheet, ...]
    counters: StepCounters | None = None

    @property
    def start_ns(self) -> int:
        """Start of the first event in nanoseconds."""
        return int(self.events["start_ns"].min())

    @property
    def end_ns(self) -> int:
        """End of the last event in nanoseconds."""
        return int(self.events["end_ns"].max())

    @cached_property
    def workers(self) -> np.ndarray:
        """The numbers of the workers."""
        return np.unique(self.events["worker"])

    @cached_property
    def _ends(self) -> np.ndarray:
        return np.sort(self.events["end_ns"])

    def busy_workers(self, time_ns: float) -> int:
        """Return how many workers are busy at a time."""
        now = (self.events["start_ns"] <= time_ns) & (self.events["end_ns"] > time_ns)
        return int(np.unique(self.events["worker"][now]).size)

    def done(self, time_ns: float) -> int:
        """Return how many events have ended."""
        return int(np.searchsorted(self._ends, time_ns, side="right"))

    @cached_property
    def _cumulative_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Cells and bytes of the first events to end; float64."""
        order = np.argsort(self.events["end_ns"], kind="stable")
        none = np.zeros(self.events.size)
        counted = (none, none) if self.counters is None else (self.counters.cells, self.counters.bytes)
        cells, moved = (np.concatenate([[0.0], np.cumsum(values[order])]) for values in counted)
        return cells, moved

    def cells(self, time_ns: float) -> float:
        """Return the cells of ended events."""
        return float(self._cumulative_counts[0][self.done(time_ns)])

    def bytes(self, time_ns: float) -> float:
        """Return the bytes that ended events moved."""
        return float(self._cumulative_counts[1][self.done(time_ns)])

    def parallelism_curve(self, width: int) -> np.ndarray:
        """Return the average number of running events in ``width`` equal intervals, float64."""
        edges = np.linspace(self.start_ns, self.end_ns, width + 1)
        starts, ends = np.sort(self.events["start_ns"]).astype(float), self._ends.astype(float)
        spent = _summed_time_before(starts, edges) - _summed_time_before(ends, edges)
        return np.diff(spent) / max((edges[-1] - edges[0]) / width, 1e-9)

    def current_sheet(self, time_ns: float) -> PhaseSheet:
        """Return the phase that started last."""
        begun = [one for one in self.sheets if one.begun.min(initial=NEVER) <= time_ns]
        return begun[-1] if begun else self.sheets[0]


def longest_run_ns(runs: Sequence[tuple[str, RunReplay]]) -> int:
    """Return the duration of the slowest run."""
    return max((replay.end_ns - replay.start_ns for _, replay in runs), default=0)


def _summed_time_before(times: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return for each edge the summed time since all earlier ``times``."""
    sums = np.concatenate([[0.0], np.cumsum(times)])
    count = np.searchsorted(times, edges)
    return count * edges - sums[count]


def create_replay(steps: StepLog, counters: StepCounters | None = None) -> RunReplay | None:
    """Return the log of a run as sheets; None without parts of a table. ``counters`` belong to the whole log."""
    events = steps.ordered_events()
    areas = (events["row_end"] - events["row_start"]) * (events["column_end"] - events["column_start"])
    shown = areas > 0
    events = events[shown]
    if not events.size:
        return None
    counters = counters and counters.select_events(shown)
    rows, columns = int(events["row_end"].max()), int(events["column_end"].max())
    layers = int(events["layer_end"].max())
    scale = LONG_SIDE_PIXELS / max(rows, columns)
    shape = max(round(rows * scale), 1), max(round(columns * scale), 1)
    sheets = [
        _create_sheet(int(phase), events[events["phase"] == phase], (rows, columns, layers), shape)
        for phase in np.unique(events["phase"])
    ]
    sheets.sort(key=lambda one: int(one.begun.min(initial=NEVER)))
    return RunReplay(events, tuple(sheets), counters)


def _create_sheet(phase: int, events: np.ndarray, sizes: tuple[int, int, int], shape: tuple[int, int]) -> PhaseSheet:
    rows, columns, layers = sizes
    begun, done = (np.full(shape, NEVER, np.int64) for _ in range(2))
    worker = np.full(shape, -1, np.int32)
    top, bottom = events["row_start"].astype(float), events["row_end"].astype(float)
    if layers:
        high = bottom - top
        top, bottom = top + high * events["layer_start"] / layers, top + high * events["layer_end"] / layers
    y = _pixel_ranges(top, bottom, shape[0] / rows, shape[0])
    x = _pixel_ranges(events["column_start"], events["column_end"], shape[1] / columns, shape[1])
    for at in range(events.size):
        here = slice(y[0][at], y[1][at]), slice(x[0][at], x[1][at])
        begun[here] = np.minimum(begun[here], events["start_ns"][at])
        worker[here] = events["worker"][at]
        # A pixel that several events share is done when the last of them is.
        before = done[here]
        done[here] = np.where(before == NEVER, events["end_ns"][at], np.maximum(before, events["end_ns"][at]))
    return PhaseSheet(phase, begun, done, worker)


def _pixel_ranges(low: np.ndarray, high: np.ndarray, scale: float, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first pixel and the one after the last, at least one."""
    first = np.clip(np.round(low * scale).astype(int), 0, size - 1)
    return first, np.clip(np.round(high * scale).astype(int), first + 1, size)
