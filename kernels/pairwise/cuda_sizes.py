"""Sizes of the striped methods on a GPU: strip width, slices of the sweep, bytes of every buffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernels.memory import Footprint
from kernels.model import PairProblem

LANES = 32
WARP_BYTES = LANES * 4  # one 32-bit register of a warp
EVENT_BYTES = 24
MOST_EVENTS = 2**18
SLICE_CELLS = 25_000_000_000
"""Cells of a launch: about 20 ms on an H200, and below 250 ms on a card with a tenth of its speed."""
LEAST_STEPS = 1024
"""Steps of a launch at least."""
DIRECTION_BYTES = 2**30
"""Directions of phase 3 kept at a time, unless a single strip needs more."""

BATCH = 16
"""Boundary cells handed over at a time: fewer cost more than the earlier start gains."""
LAG = 70
"""Steps that a strip runs behind its left neighbour: its lanes, a batch, and the way through the cache."""


@dataclass(frozen=True, slots=True)
class StepCost:
    """Nanoseconds of a step with R columns a lane, measured on an H200; only their ratios matter.

    A lone warp needs ``latency + column * R``; each of several on a scheduler ``busy + busy_column * R``.
    """

    latency: float
    column: float
    busy: float
    busy_column: float
    most_columns: int


SCORE_STEP = StepCost(35, 5.6, 22, 5.2, 32)
STATES_STEP = StepCost(35, 18.7, 22, 16.5, 16)


@dataclass(frozen=True, slots=True)
class Slice:
    """One launch of the sweep (sweep.cuh): steps [start, end) of strip 0, later strips shifted by skew."""

    first_strip: int
    end_strip: int
    steps: int
    skew: int
    start: int
    end: int
    steps_done: int


def automatic(problem: PairProblem, multiprocessors: int, cost: StepCost) -> dict[str, int]:
    """Strip width, batch and threads of a block of least expected time.

    Wide strips compute more a step, narrow ones fill the GPU. A block holds as many warps as a
    multiprocessor needs, because only within a block are warps dealt evenly to its four schedulers.
    """
    rows, columns, schedulers = problem.rows, problem.columns, 4 * multiprocessors
    choices = range(1, cost.most_columns + 1)
    per_lane = min(choices, key=lambda count: _expected_ns(rows, columns, count, schedulers, cost))
    strips = -(-columns // (per_lane * LANES))
    together = min(-(-strips // schedulers), _most_together(per_lane))
    return {"s": per_lane * LANES, "T": BATCH, "threads": 4 * LANES * together}


def slices(rows: int, columns: int, s: int, batch: int) -> list[Slice]:
    """The launches of a sweep, in order."""
    strips, steps, lag = -(-columns // s), _round_up(rows + LANES - 1), skew(batch)
    length = min(slice_steps(columns), steps + (strips - 1) * lag)
    found = []
    for start in range(0, steps + (strips - 1) * lag, length):
        end = start + length
        first = max(0, (start - steps) // lag + 1)
        last = min(strips, -(-end // lag))
        begun = np.arange(first, last, dtype=np.int64) * lag
        done = np.minimum(end - begun, steps) - np.maximum(start - begun, 0)
        found.append(Slice(first, last, steps, lag, start, end, int(done.sum())))
    return found


def boundary_rows(rows: int, columns: int, s: int, batch: int, whole: bool) -> int:
    """Rows of a strip's boundary that are kept: all of them, or a ring that spans what is in flight.

    The left neighbour is at most a slice and a skew ahead of its reader, and two batches are in flight.
    """
    every = _round_up(rows + LANES)
    return every if whole else min(every, slice_steps(columns) + skew(batch) + 2 * LANES)


def direction_words(rows: np.ndarray, s: int) -> np.ndarray:
    """32-bit words of the directions of sub-paths that span these numbers of rows."""
    return (rows.astype(np.int64) + LANES) * -(-s // (8 * LANES)) * LANES


def score_footprint(problem: PairProblem, parameters: Mapping[str, Any]) -> Footprint:
    """Bytes of StripedScore."""
    return Footprint(host_bytes(problem), sweep_bytes(problem, parameters, 2, 7, whole=False))


def alignment_footprint(problem: PairProblem, parameters: Mapping[str, Any], chunks: int = 0) -> Footprint:
    """Bytes of StripedAlignment, or of ChunkedAlignment1 or 2 where ``chunks`` is 1 or 2."""
    s, strips = parameters["s"], -(-problem.columns // parameters["s"])
    bottoms = (problem.rows - 1) // parameters["h"] if chunks else 0
    parts = strips + (bottoms if chunks == 2 else 0)
    one = int(direction_words(np.array(problem.rows + 1), s)) * 4
    every = int(direction_words(np.array(problem.rows + parts), s)) * 4 + parts * LANES * s
    return Footprint(
        {**host_bytes(problem), "path": 2 * (problem.rows + problem.columns)},
        {
            **sweep_bytes(problem, parameters, 4, 11, chunks > 0 or parameters["recompute"] == "first-row"),
            "start states": strips * problem.rows * 8,
            **({"chunk rows": bottoms * strips * s * 8 * chunks} if chunks else {}),
            "directions": min(every, max(DIRECTION_BYTES, one)),
            "path": problem.rows + problem.columns + (s + 2) * parts,
        },
    )


def sweep_bytes(
    problem: PairProblem, parameters: Mapping[str, Any], values_a_column: int, values_a_lane: int, whole: bool
) -> dict[str, int]:
    """Bytes of the sweep, whose lanes keep so many registers for each column and beside them between launches."""
    s, batch = parameters["s"], parameters["T"]
    strips = -(-problem.columns // s)
    launches = len(slices(problem.rows, problem.columns, s, batch))
    return {
        "sequences": problem.rows + problem.columns + 4 * 256 * 4,
        "registers between launches": strips * (values_a_column * s // LANES + values_a_lane) * WARP_BYTES,
        "strip boundaries": strips * boundary_rows(problem.rows, problem.columns, s, batch, whole) * 8,
        "step log": strips * log_rows(launches, strips) * EVENT_BYTES,
    }


def log_rows(launches: int, strips: int) -> int:
    """Events a strip: one for each launch, or a single one where that would be too many."""
    return launches if launches * strips <= MOST_EVENTS else 1


def host_bytes(problem: PairProblem) -> dict[str, int]:
    """Bytes of the encoded sequences on the host."""
    return {"sequences": 2 * (problem.rows + problem.columns)}


def slice_steps(columns: int) -> int:
    """Steps of a launch."""
    return max(_round_up(SLICE_CELLS // columns), LEAST_STEPS)


def skew(batch: int) -> int:
    """Steps by which a strip starts a slice behind its left neighbour: the lanes, and a batch in flight."""
    return _round_up(batch + LANES)


def _round_up(rows: int) -> int:
    return -(-rows // LANES) * LANES


def _expected_ns(rows: int, columns: int, per_lane: int, schedulers: int, cost: StepCost) -> float:
    """Time of a sweep: strips advance together, each as fast as the busiest scheduler lets it."""
    strips = -(-columns // (per_lane * LANES))
    together, busy = -(-strips // schedulers), cost.busy + cost.busy_column * per_lane
    if together > _most_together(per_lane):
        return (rows * strips / schedulers + LAG * schedulers) * busy
    step = max(cost.latency + cost.column * per_lane, together * busy)
    return (rows + LAG * strips) * step


def _most_together(per_lane: int) -> int:
    """Warps of one scheduler whose registers fit: 512 of a lane, some 30 and four a column are used."""
    return min(8, 512 // (30 + 4 * per_lane))
