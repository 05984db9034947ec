"""Simulated schedules: workers process queues and wait for values of other workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Item = tuple[int, ...]
"""A cell without the number of its table."""


@dataclass
class WorkerSchedule:
    """Step and worker of every item, and the waiting workers of every step."""

    step_of: dict[Item, int] = field(default_factory=dict)
    worker_of: dict[Item, int] = field(default_factory=dict)
    waiting: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def step_count(self) -> int:
        """Number of steps."""
        return len(self.waiting)


def simulate_workers(
    queues: Sequence[Sequence[Sequence[Item]]], needs: Callable[[Item], Iterable[Item]], first: int = 0
) -> WorkerSchedule:
    """Simulate workers that process one element of their queue per step, once its dependencies are computed.

    An element is the list of items that a worker computes at once; ``needs(item)`` are the items of any worker on which
    an item depends. Raises RuntimeError on a deadlock.
    """
    found, place = WorkerSchedule(), [0] * len(queues)
    step = first
    while any(at < len(queue) for at, queue in zip(place, queues, strict=True)):
        going = [
            worker
            for worker, queue in enumerate(queues)
            if place[worker] < len(queue)
            and all(found.step_of.get(need, step) < step for item in queue[place[worker]] for need in needs(item))
        ]
        if not going:
            raise RuntimeError(f"in step {step} every worker waits for another")
        for worker in going:
            for item in queues[worker][place[worker]]:
                found.step_of[item], found.worker_of[item] = step, worker
            place[worker] += 1
        found.waiting.append(
            tuple(worker for worker, queue in enumerate(queues) if worker not in going and place[worker] < len(queue))
        )
        step += 1
    return found


def rectangle_antidiagonals(rows: range, columns: range) -> list[list[Item]]:
    """Return the cells of a rectangle by antidiagonals from the top left, each from its lowest column."""
    return [
        [(i, total - i) for i in reversed(rows) if total - i in columns]
        for total in range(rows.start + columns.start, rows.stop + columns.stop - 1)
    ]


def split_range(size: int, width: int) -> list[range]:
    """Split 1 .. size into ranges of ``width``."""
    return [range(at, min(at + width, size + 1)) for at in range(1, size + 1, width)]
