"""The step log as lanes, one per worker, reduced to visible pixels. No Qt here."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.steps import StepLog


@dataclass(frozen=True, eq=False)
class TimelineLanes:
    """Events in rows; a worker that computes several strips at once has several rows, ``depth`` for every worker.

    ``events`` (dtype STEP) are ordered by row and start. Rows ``k * depth`` to ``(k + 1) * depth`` are the lane of
    ``workers[k]``, row r holds events ``borders[r]`` to ``borders[r + 1]``, and ``row`` is that of each event.
    ``share`` of the run's events are in the log.
    """

    events: np.ndarray
    workers: np.ndarray
    depth: int
    row: np.ndarray
    borders: np.ndarray
    share: float = 1.0

    @property
    def row_count(self) -> int:
        """Rows of all lanes."""
        return len(self.workers) * self.depth

    @property
    def end_ns(self) -> int:
        """End of the last event in nanoseconds."""
        return int(self.events["end_ns"].max()) if self.events.size else 0

    @property
    def start_ns(self) -> int:
        """Start of the first event in nanoseconds."""
        return int(self.events["start_ns"].min()) if self.events.size else 0

    def busy_share(self, idle_ns: int = 0) -> float:
        """Return the share of all rows' time, from first start to last end less ``idle_ns``, that was computed in."""
        events = self.events
        return self._share_of_time(events["end_ns"] - events["start_ns"] - events["waited_ns"], idle_ns)

    def waiting_share(self, idle_ns: int = 0) -> float:
        """Return the share of that time in which a worker waited for a neighbour, as far as known."""
        return self._share_of_time(self.events["waited_ns"], idle_ns)

    def _share_of_time(self, spent_ns: np.ndarray, idle_ns: int) -> float:
        """Return a share of the time of all rows; missing events count as average."""
        span = self.end_ns - self.start_ns - idle_ns
        return min(int(spent_ns.sum()) / (span * self.row_count * self.share), 1.0) if span else 0.0

    def event_at(self, row: int, time_ns: float, reach_ns: float = 0) -> int | None:
        """Return the index of the event of a row at a time, or of the nearest within ``reach_ns``."""
        if not 0 <= row < self.row_count:
            return None
        low, high = int(self.borders[row]), int(self.borders[row + 1])
        place = low + int(np.searchsorted(self.events["start_ns"][low:high], time_ns, "right"))
        near = [n for n in (place - 1, place) if low <= n < high]
        gaps = [max(self.events["start_ns"][n] - time_ns, time_ns - self.events["end_ns"][n], 0) for n in near]
        best = min(range(len(near)), key=gaps.__getitem__, default=None)
        return near[best] if best is not None and gaps[best] <= reach_ns else None

    def render_rows(
        self,
        colours: np.ndarray,
        start_ns: float,
        end_ns: float,
        width: int,
        separated: int = 2**31,
        waiting: int | None = None,
    ) -> np.ndarray:
        """Return rows as an image, uint32 (rows, width), 0 where nothing ran. ``colours`` has a colour for every event,
        which gets at least one pixel; one of ``separated`` pixels or more leaves its last pixel free. ``waiting``
        colours as many first pixels as the event waited."""
        image = np.zeros((self.row_count, width), np.uint32)
        events, seen = self.events, self._visible_events(start_ns, end_ns)
        scale = width / max(end_ns - start_ns, 1)
        first = np.clip(np.floor((events["start_ns"][seen] - start_ns) * scale), 0, width - 1).astype(np.int64)
        last = np.clip(np.ceil((events["end_ns"][seen] - start_ns) * scale), first + 1, width).astype(np.int64)
        whole = np.clip(np.floor((events["end_ns"][seen] - start_ns) * scale), 0, width).astype(np.int64)
        # The next event may begin in the pixel in which this one ends, so the pixel before that one is free.
        last = np.where(last - first >= separated, whole - 1, last)
        lengths = last - first
        skipped = np.repeat(np.cumsum(lengths) - lengths, lengths)
        columns = np.repeat(first, lengths) + np.arange(lengths.sum()) - skipped
        shades = np.repeat(colours[seen], lengths)
        if waiting is not None:
            until = np.floor((events["start_ns"][seen] + events["waited_ns"][seen] - start_ns) * scale)
            shades[columns < np.repeat(until, lengths)] = waiting
        image[np.repeat(self.row[seen], lengths), columns] = shades
        return image

    def long_events(self, start_ns: float, end_ns: float, least_ns: float) -> np.ndarray:
        """Return the indices of visible events that last at least ``least_ns``."""
        events = self.events
        return np.flatnonzero(
            self._visible_events(start_ns, end_ns) & (events["end_ns"] - events["start_ns"] >= least_ns)
        )

    def _visible_events(self, start_ns: float, end_ns: float) -> np.ndarray:
        return (self.events["end_ns"] >= start_ns) & (self.events["start_ns"] < end_ns)


def lay_out_lanes(steps: StepLog) -> TimelineLanes:
    """Arrange the events of a log by worker."""
    events = steps.ordered_events()
    events = events[np.lexsort((events["start_ns"], events["worker"]))]
    workers, lane = np.unique(events["worker"], return_inverse=True)
    slots = _assign_slots(lane, events["start_ns"], events["end_ns"])
    depth = int(slots.max(initial=0)) + 1
    row = lane * depth + slots
    order = np.lexsort((events["start_ns"], row))
    borders = np.searchsorted(row[order], np.arange(len(workers) * depth + 1))
    return TimelineLanes(events[order], workers, depth, row[order], borders, steps.share)


def _assign_slots(lane: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the first free slot of its lane for each event; int64. Events are ordered by lane and start."""
    slots = np.zeros(len(lane), np.int64)
    if not ((lane[1:] == lane[:-1]) & (starts[1:] < ends[:-1])).any():
        return slots
    running: list[tuple[int, int]] = []
    free: list[int] = []
    current, used = -1, 0
    for number, (where, start, end) in enumerate(zip(lane.tolist(), starts.tolist(), ends.tolist(), strict=True)):
        if where != current:
            current, running, free, used = where, [], [], 0
        while running and running[0][0] <= start:
            heapq.heappush(free, heapq.heappop(running)[1])
        if free:
            slots[number] = heapq.heappop(free)
        else:
            slots[number], used = used, used + 1
        heapq.heappush(running, (end, int(slots[number])))
    return slots
