"""Who computes what when: workers that go through their queues, each waiting for what others have not yet handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Item = tuple[int, ...]
"""A cell of one table, without the table."""


@dataclass
class Schedule:
    """``step_of`` and ``worker_of`` of every item; ``waiting`` of every step the workers that could not go on."""

    step_of: dict[Item, int] = field(default_factory=dict)
    worker_of: dict[Item, int] = field(default_factory=dict)
    waiting: list[tuple[int, ...]] = field(default_factory=list)

    @property
    def steps(self) -> int:
        return len(self.waiting)


def simulate(
    queues: Sequence[Sequence[Sequence[Item]]], needs: Callable[[Item], Iterable[Item]], first: int = 0
) -> Schedule:
    """Workers go through their queues, an element in a step, as soon as what it needs is there from the step before.

    An element of a queue are the items that its worker computes at once; ``needs(item)`` are items of any worker that
    must be there first. Raises RuntimeError where all wait for each other, which no method may do.
    """
    found, place = Schedule(), [0] * len(queues)
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


def antidiagonals(rows: range, columns: range) -> list[list[Item]]:
    """The cells of a rectangle, antidiagonal by antidiagonal, from the top left; each from its lowest column."""
    return [
        [(i, total - i) for i in reversed(rows) if total - i in columns]
        for total in range(rows.start + columns.start, rows.stop + columns.stop - 1)
    ]


def pieces(size: int, width: int) -> list[range]:
    """1 .. size in pieces of ``width``."""
    return [range(at, min(at + width, size + 1)) for at in range(1, size + 1, width)]
