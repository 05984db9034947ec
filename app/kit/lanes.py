"""The step log as lanes, one a worker, reduced to the pixels that can be seen. No Qt here."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.steps import Steps


@dataclass(frozen=True, eq=False)
class Lanes:
    """Events in rows: a worker that computes several strips at once has several rows, the same number for all.

    ``events`` has dtype STEP, ordered by row and start; rows ``k * depth`` to ``(k + 1) * depth`` are the
    lane of ``workers[k]``. Row r holds events ``borders[r]`` to ``borders[r + 1]``; ``row`` is that of each event.
    ``share`` of the run's events are there.
    """

    events: np.ndarray
    workers: np.ndarray
    depth: int
    row: np.ndarray
    borders: np.ndarray
    share: float = 1.0

    @property
    def rows(self) -> int:
        return len(self.workers) * self.depth

    @property
    def end_ns(self) -> int:
        return int(self.events["end_ns"].max()) if self.events.size else 0

    @property
    def start_ns(self) -> int:
        return int(self.events["start_ns"].min()) if self.events.size else 0

    def busy(self, idle_ns: int = 0) -> float:
        """Share of the time of all rows, from the first start to the last end, in which something was computed.

        ``idle_ns`` of that time do not count, such as those of a compiler between two phases.
        """
        events = self.events
        return self._of_time(events["end_ns"] - events["start_ns"] - events["waited_ns"], idle_ns)

    def waiting(self, idle_ns: int = 0) -> float:
        """The same in which one waited for a neighbour, as far as that is known."""
        return self._of_time(self.events["waited_ns"], idle_ns)

    def _of_time(self, spent_ns: np.ndarray, idle_ns: int) -> float:
        """Share of the time of all rows; where not all events are there, the others are taken to be like them."""
        span = self.end_ns - self.start_ns - idle_ns
        return min(int(spent_ns.sum()) / (span * self.rows * self.share), 1.0) if span else 0.0

    def at(self, row: int, time_ns: float, reach_ns: float = 0) -> int | None:
        """The event of a row at a time, or the nearest one within ``reach_ns``; its number in ``events``."""
        if not 0 <= row < self.rows:
            return None
        low, high = int(self.borders[row]), int(self.borders[row + 1])
        place = low + int(np.searchsorted(self.events["start_ns"][low:high], time_ns, "right"))
        near = [n for n in (place - 1, place) if low <= n < high]
        gaps = [max(self.events["start_ns"][n] - time_ns, time_ns - self.events["end_ns"][n], 0) for n in near]
        best = min(range(len(near)), key=gaps.__getitem__, default=None)
        return near[best] if best is not None and gaps[best] <= reach_ns else None

    def pixels(
        self,
        colours: np.ndarray,
        start_ns: float,
        end_ns: float,
        width: int,
        separated: int = 2**31,
        waiting: int | None = None,
    ) -> np.ndarray:
        """Rows as an image, uint32 of shape (rows, width), 0 where nothing ran.

        ``colours`` gives a colour for every event; each visible event has at least one pixel, and one
        of ``separated`` pixels or more leaves its last one free. With a colour for ``waiting``, as much of an event's
        first pixels have it as the event waited; when that was inside it is not known.
        """
        image = np.zeros((self.rows, width), np.uint32)
        events, seen = self.events, self._seen(start_ns, end_ns)
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

    def wide(self, start_ns: float, end_ns: float, least_ns: float) -> np.ndarray:
        """Numbers of the visible events that last at least ``least_ns``."""
        events = self.events
        return np.flatnonzero(self._seen(start_ns, end_ns) & (events["end_ns"] - events["start_ns"] >= least_ns))

    def _seen(self, start_ns: float, end_ns: float) -> np.ndarray:
        return (self.events["end_ns"] >= start_ns) & (self.events["start_ns"] < end_ns)


def lanes(steps: Steps) -> Lanes:
    """The events of a log, by worker."""
    events = steps.array()
    events = events[np.lexsort((events["start_ns"], events["worker"]))]
    workers, lane = np.unique(events["worker"], return_inverse=True)
    slots = _slots(lane, events["start_ns"], events["end_ns"])
    depth = int(slots.max(initial=0)) + 1
    row = lane * depth + slots
    order = np.lexsort((events["start_ns"], row))
    borders = np.searchsorted(row[order], np.arange(len(workers) * depth + 1))
    return Lanes(events[order], workers, depth, row[order], borders, steps.share)


def _slots(lane: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """For each event the first place of its lane that is free; int64. Events are ordered by lane and start."""
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
