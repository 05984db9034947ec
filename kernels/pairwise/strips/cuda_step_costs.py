"""Expected times of sweeps on a GPU: what a step costs, how many strips are at work, and which strip width is best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

LANES = 32
LAG = 70
"""Steps that a strip runs behind its left neighbour: its lanes, a batch, and the way through the cache."""


@dataclass(frozen=True, slots=True)
class StepCost:
    """Nanoseconds of a step with R columns a lane, measured on an H200; only their ratios matter.

    A lone warp needs ``latency + column * R``; each of several on a scheduler ``busy + busy_column * R``. A column
    takes ``registers`` registers. R is a multiple of ``parts``; lanes follow each other ``parts`` rows apart.
    """

    latency: float
    column: float
    busy: float
    busy_column: float
    most_columns: int
    registers: float = 4.0
    parts: int = 1


SCORE_STEP = StepCost(37, 6.1, 22, 5.4, 32)
PACKED_STEP = StepCost(58, 4.25, 28, 3.9, 32, registers=4.3, parts=2)
STATES_STEP = StepCost(35, 18.7, 22, 16.5, 16)


@lru_cache(maxsize=1024)
def choose_columns_per_lane(rows: int, columns: int, schedulers: int, cost: StepCost, share: float) -> int:
    """Return the columns of a lane with the least expected time."""
    # Odd numbers beyond 3 load their scores in more pieces than even ones.
    choices = [count for count in range(cost.parts, cost.most_columns + 1, cost.parts) if count <= 3 or count % 2 == 0]
    return min(choices, key=lambda count: expected_ns(rows, columns, count, schedulers, cost, share))


def expected_ns(rows: int, columns: int, per_lane: int, schedulers: int, cost: StepCost, share: float = 1.0) -> float:
    """Return the time of a sweep: strips advance together, as fast as the busiest scheduler allows.

    Where there are more than fit at a time, each launch takes them in rounds, of which the last one may be small.
    """
    strips = -(-columns // (per_lane * LANES))
    busy, lag = cost.busy + cost.busy_column * per_lane, strip_lag(cost)
    alone, most = cost.latency + cost.column * per_lane, most_warps_per_scheduler(per_lane, cost)
    if share < 1:
        at_work = strips_at_work(rows, columns, per_lane, cost, share)
        return (rows + lag * strips) * max(alone, at_work / schedulers * busy)
    together = -(-strips // schedulers)
    if together <= most:
        return (rows + lag * strips) * max(alone, together * busy)
    rounds, rest = divmod(strips, most * schedulers)
    last = max(alone, -(-rest // schedulers) * busy) if rest else 0
    return rows * (rounds * most * busy + last) + lag * schedulers * busy


def strip_lag(cost: StepCost) -> int:
    """Return the steps that a strip runs behind its left neighbour."""
    return LAG + (cost.parts - 1) * LANES


def strips_at_work(rows: int, columns: int, per_lane: int, cost: StepCost, share: float) -> float:
    """Return how many strips compute at a time: all, or with pruning those around the path.

    A strip computes its part of the share, and one begins for each strip that the path passes.
    """
    s = per_lane * LANES
    strips = -(-columns // s)
    if share >= 1:
        return strips
    return min(strips, (share * rows + s) / (rows / strips + strip_lag(cost)))


def most_warps_per_scheduler(per_lane: int, cost: StepCost) -> int:
    """Return the warps of a scheduler whose registers fit: a lane has 512, uses some 30 and a few a column."""
    return min(8, int(512 // (30 + cost.registers * per_lane)))
