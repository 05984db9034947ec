"""Sizes of the striped methods on a GPU: strip width, slices of the sweep, bytes of every buffer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.step_events import EVENT
from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import PairStripParameters
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes
from antidiag.kernels.pairwise.strips.cuda_sources import RANGE_FIELDS, REACH, LaneRegisters, sweep_registers
from antidiag.kernels.pairwise.strips.cuda_step_costs import (
    LANES,
    PACKED_STEP,
    SCORE_STEP,
    StepCost,
    choose_columns_per_lane,
    expected_ns,
    most_warps_per_scheduler,
    strip_lag,
    strips_at_work,
)
from antidiag.kernels.scoring import Mode, Scoring

WARP_BYTES = LANES * 4  # one 32-bit register of a warp
EVENT_BYTES = EVENT.dtype.itemsize
MOST_EVENTS = 2**18
STEP_BYTES = 170
"""Host bytes of an event while it is converted: the event twice, its place, its ranges, and the step."""
SLICE_CELLS = 25_000_000_000
"""Cells of a launch: about 20 ms on an H200, and below 250 ms on a card with a tenth of its speed."""
LEAST_STEPS = 1024
"""Steps of a launch at least."""
MOST_BLOCKS, MOST_BLOCK_BYTES = 1024, 2**24
"""Blocks of a strip whose skipping is recorded, at most, and the bytes of these records for all strips, one a block."""
DIRECTION_BYTES = 2**30
"""Bytes of directions in phase 3 at a time, unless a single strip needs more."""

BATCH = 32
"""Boundary cells of a batch: smaller batches cost more than the earlier start gains."""
PRUNED_SLACK = LANES
"""Steps by which a strip of a sweep with pruning begins a slice later than it must. Few strips are at work then, all at
the same time: without a batch in reserve, each waits in every slice until the one on its left has stored a batch."""
MOST_LAUNCHES = 2**16 - 2
"""Launches of a sweep with pruning: boundary cells hold the number of a launch in 16 bits; all ones are unused."""
LONG_LAUNCHES = 2**15
"""Launches with pruning, beside one for each group of strips: where there would be more, each takes more steps."""
GROUPS_AT_WORK = 4
"""Groups of strips on each of several GPUs that compute at a time with pruning: more share the work more evenly where
the path is not straight, but each begins a slice later than the one before."""
LEAST_GAIN = 0.05
"""Share of the time that another GPU must save."""


@dataclass(frozen=True, slots=True)
class SweepSlice:
    """One launch of the sweep (sweep.cuh): steps [start, end) of strip 0, later strips shifted by skew.

    Each ``group`` of strips is shifted by a whole slice, too, behind the group on its left.
    """

    first_strip: int
    end_strip: int
    steps: int
    skew: int
    start: int
    end: int
    steps_done: int
    group: int

    def shift_of(self, strip: Any) -> Any:
        """Return the steps by which a strip, or each of an array of strips, begins behind strip 0."""
        return strip * self.skew + strip // self.group * (self.end - self.start)


def packs_two_cells(problem: PairProblem, parameters: PairStripParameters) -> bool:
    """Return whether StripedScore's sweep holds two cells in a register: 16 bits were chosen and values fit."""
    return parameters.precision == "16" and _can_pack(problem.scoring, parameters.s)


def _can_pack(scoring: Scoring, s: int) -> bool:
    """Return whether two values of strips of ``s`` columns fit a register."""
    return s // LANES % 2 == 0 and fits_16_bits(scoring, s)


def fits_16_bits(scoring: Scoring, s: int) -> bool:
    """Return whether no value can overflow 16 bits in a warp that works on strips of ``s`` columns.

    A path that ends d columns (or rows) further on can be cut there and continued by a gap, so it scores at most
    d (best score + extend) + open more than the best one that ends here; and at most d extend + open less, because
    this one can be continued by a gap. The cells that a warp holds are less than s columns and 64 rows apart;
    twice 32 rows pass until the base is updated, and a few steps more are within G, K, and what is added to them. Of
    two pieces of gap costs the greater costs of either bound both.
    """
    if np.abs(scoring.scores).max(initial=0) > 127:
        return False
    opening, extend = (max(costs) for costs in zip(*scoring.gap_pieces, strict=True))
    step = max(int(scoring.scores.max(initial=0)), 0) + extend
    return REACH + (s + 160) * step + 8 * (opening + step) + 256 < 2**15


def warp_range(scores: np.ndarray, open: int, extend: int, s: int) -> int:
    """Return how much values of H in a warp with strips of ``s`` columns differ at most (see `fits_16_bits`)."""
    return (s + 160) * (max(int(scores.max(initial=0)), 0) + extend) + open


def border_range(scores: np.ndarray, open: int, extend: int, s: int) -> int:
    """Return how far below a warp's base a boundary cell can lie, in 16 bits; `fits_16_bits` leaves as much room."""
    step = max(int(scores.max(initial=0)), 0) + extend
    return REACH + (s + 160) * step + 4 * (open + step)


def pruning_blocks(rows: int, strips: int) -> tuple[int, int]:
    """Return the rows of the blocks whose skipping is recorded, a multiple of 32, and how many a strip has."""
    most = max(min(MOST_BLOCKS, MOST_BLOCK_BYTES // strips), 1)
    height = _round_up(-(-rows // most))
    return height, -(-rows // height)


def pruning_bytes(problem: PairProblem, parameters: PairStripParameters) -> dict[str, int]:
    """Return the bytes of pruning on the device."""
    if not pruning_sizes.is_pruned(parameters):
        return {}
    strips = -(-problem.columns // parameters.s)
    spread = row_spread(packs_two_cells(problem, parameters))
    launches = len(_list_launches(problem, parameters, spread))
    blocks = pruning_blocks(problem.rows, strips)[1]
    gains = 4 * (problem.rows // LANES + 1 + strips * LANES + 1)
    return {"pruning": gains + 4 * RANGE_FIELDS * (launches + 3) + strips * (16 + 4 + 4 + blocks)}


def row_spread(packed: bool) -> int:
    """Return the rows that the lanes of a warp are at together (SPREAD in sweep.cuh)."""
    return 2 * LANES if packed else LANES


def choose_score_parameters(problem: PairProblem, multiprocessors: int, share: float = 1.0) -> dict[str, Any]:
    """Choose the parameters of StripedScore in 32 or in 16 bits, whichever is expected to be faster.

    16 bits only on GPUs that have instructions for two values in a register. Pruning leaves a ``share`` of the cells.
    """
    of_32 = {**choose_parameters(problem, multiprocessors, SCORE_STEP, share), "precision": "32"}
    of_16 = {**choose_parameters(problem, multiprocessors, PACKED_STEP, share), "precision": "16"}
    able = all(device.compute_capability >= (9, 0) for device in devices.discover_devices()[0])
    if not able or not _can_pack(problem.scoring, of_16["s"]):
        return of_32
    return min((of_16, of_32), key=lambda chosen: _score_ns(problem, multiprocessors, chosen, share))


def _score_ns(problem: PairProblem, multiprocessors: int, chosen: Mapping[str, Any], share: float) -> float:
    cost = PACKED_STEP if chosen["precision"] == "16" else SCORE_STEP
    return expected_ns(problem.rows, problem.columns, chosen["s"] // LANES, 4 * multiprocessors, cost, share)


def choose_parameters(problem: PairProblem, multiprocessors: int, cost: StepCost, share: float = 1.0) -> dict[str, Any]:
    """Choose strip width, batch and threads of a block with the least expected time.

    Wide strips compute more a step, narrow ones fill the GPU. A block holds as many warps as a
    multiprocessor needs, because only within a block are warps dealt evenly to its four schedulers. Pruning leaves a
    ``share`` of the cells.
    """
    columns, schedulers = problem.columns, 4 * multiprocessors
    per_lane = choose_columns_per_lane(problem.rows, columns, schedulers, cost, share)
    strips = math.ceil(strips_at_work(problem.rows, columns, per_lane, cost, share))
    together = min(-(-strips // schedulers), most_warps_per_scheduler(per_lane, cost))
    return {"s": per_lane * LANES, "T": BATCH, "threads": 4 * LANES * together}


def make_slices(
    rows: int,
    columns: int,
    s: int,
    batch: int,
    tiles: int = 1,
    spread: int = LANES,
    gpus: int = 1,
    slack: int = 0,
    group: int | None = None,
) -> list[SweepSlice]:
    """Return the launches of a sweep, in order; ``tiles`` parts of this size are swept side by side.

    Strips begin ``slack`` steps later than they must, and each ``group`` of them a slice later, if there are groups.
    """
    strips, steps, lag = -(-columns // s), _round_up(rows + spread - 1), strip_skew(batch, spread) + slack
    most = pruned_slice_steps(rows, columns, s, batch, spread) if slack else slice_steps(-(-columns * tiles // gpus))
    return cut_steps(strips, steps, lag, most, group)


def cut_steps(strips: int, steps: int, lag: int, most: int, group: int | None = None) -> list[SweepSlice]:
    """Return launches of at most so many steps, for strips of ``steps`` that begin ``lag`` steps one after another.

    The strips of a ``group`` begin a launch later, in addition, than those of the group before; None: all are in one.
    """
    length, group = min(most, steps + (strips - 1) * lag), group or strips
    shifts = np.arange(strips, dtype=np.int64) * lag + np.arange(strips, dtype=np.int64) // group * length
    starts = np.arange(0, int(shifts[-1]) + steps, length)
    sums = np.concatenate([[0], np.cumsum(shifts)])

    def count_done(at: np.ndarray) -> np.ndarray:
        """Return the steps that all strips have behind them, at steps of the first strip."""
        ended, begun = np.searchsorted(shifts, at - steps, "right"), np.searchsorted(shifts, at)
        return steps * ended + (begun - ended) * at - (sums[begun] - sums[ended])

    columns = (
        np.searchsorted(shifts, starts - steps, "right"),
        np.searchsorted(shifts, starts + length),
        starts,
        count_done(starts + length) - count_done(starts),
    )
    return [
        SweepSlice(first, end, steps, lag, start, start + length, done, group)
        for first, end, start, done in np.stack(columns, axis=1).tolist()
        if first < end  # else one strip has ended, and the next one has not begun
    ]


def boundary_rows(rows: int, columns: int, s: int, batch: int, whole: bool, spread: int = LANES, gpus: int = 1) -> int:
    """Return how many rows of a strip's boundary are kept: all, or a ring that spans what is in flight.

    The left neighbour is at most a slice and a skew ahead of its reader, and two batches are in flight. Where several
    GPUs share the columns, a slice is copied to the next one while the following slice is computed.
    """
    every, slices = _round_up(rows + spread), 1 + (gpus > 1)
    ring = slices * slice_steps(-(-columns // gpus)) + strip_skew(batch, spread) + 2 * LANES
    return every if whole else min(every, ring)


def dealt_boundary_rows(rows: int, columns: int, s: int, batch: int, spread: int, gpus: int) -> int:
    """Return how many rows of a strip's boundary a sweep with pruning keeps on each of several GPUs, or on one.

    A group of strips is a slice behind the one on its left, and reads that slice while the next one is stored.
    """
    slices = (1 + (gpus > 1)) * pruned_slice_steps(rows, columns, s, batch, spread)
    ring = slices + strip_skew(batch, spread) + PRUNED_SLACK + 2 * LANES
    return min(_round_up(rows + spread), ring)


def deal_strips(
    rows: int, columns: int, s: int, packed: bool, share: float, multiprocessors: Sequence[int]
) -> tuple[tuple[int, ...], int]:
    """Return the GPUs that pay in a sweep that computes a ``share`` of the cells, and the strips of a group.

    Strips are dealt to GPUs in groups, in turn: the GPUs are those of the groups of one turn, by their places among
    ``multiprocessors`` (`order_turn`). One GPU is as fast as several where it has a scheduler for each strip that is at
    work: then only the chain of steps counts, which is longer with groups.
    """
    strips, per_lane, cost = -(-columns // s), s // LANES, PACKED_STEP if packed else SCORE_STEP
    at_work, step_ns = strips_at_work(rows, columns, per_lane, cost, share), cost.latency + cost.column * per_lane
    busy_ns, chain = cost.busy + cost.busy_column * per_lane, rows + strip_lag(cost) * strips
    best_ns = math.inf
    best: tuple[tuple[int, ...], int] = (0,), strips
    for gpus in range(1, len(multiprocessors) + 1):
        turn = order_turn(multiprocessors[:gpus])
        if (count := len(turn)) > strips:
            break
        group = strips if count == 1 else min(max(round(at_work / (GROUPS_AT_WORK * count)), 1), -(-strips // count))
        warps = at_work / count * max(turn.count(place) / (4 * multiprocessors[place]) for place in turn)
        delay = (-(-strips // group) - 1) * pruned_slice_steps(rows, columns, s, BATCH, row_spread(packed))
        expected_ns = (chain + delay) * max(step_ns, math.ceil(warps) * busy_ns)
        if expected_ns < (1 - LEAST_GAIN) * best_ns:
            best_ns, best = expected_ns, (turn, group)
    return best


def order_turn(multiprocessors: Sequence[int]) -> tuple[int, ...]:
    """Return the places of GPUs in the order of one turn: each as often as it is times as fast as the slowest one."""
    counts = [round(own / min(multiprocessors)) for own in multiprocessors]
    return tuple(place for number in range(max(counts)) for place, count in enumerate(counts) if number < count)


def count_used_gpus(problem: PairProblem, parameters: PairStripParameters, multiprocessors: Sequence[int]) -> int:
    """Return how many of several GPUs share the sweep of a problem, of which each has so many multiprocessors."""
    prunes = pruning_sizes.is_pruned(parameters) and not problem.scoring.has_two_pieces
    share = pruning_sizes.expected_share(problem, 0) if prunes else 1.0
    if share == 1.0:  # nothing is skipped: every GPU has a band of strips
        return min(len(multiprocessors), -(-problem.columns // parameters.s))
    packed = packs_two_cells(problem, parameters)
    turn, _ = deal_strips(problem.rows, problem.columns, parameters.s, packed, share, multiprocessors)
    return len(set(turn))


def boundary_bytes(pieces: int) -> int:
    """Return the bytes of a boundary cell: a word for each piece of the gap costs (pack in strip.cuh)."""
    return 8 * pieces


def direction_words(rows: np.ndarray, s: int, pieces: int = 1) -> np.ndarray:
    """Return the 32-bit words of the directions of sub-paths that span these numbers of rows.

    A cell has four bits for each of the ``pieces`` of the gap costs.
    """
    return (rows.astype(np.int64) + LANES) * -(-s // (8 // pieces * LANES)) * LANES


def estimate_score_memory(problem: PairProblem, parameters: PairStripParameters) -> Footprint:
    """Return the bytes of StripedScore."""
    device = score_bytes(problem, parameters)
    log = log_bytes(problem, parameters, row_spread(packs_two_cells(problem, parameters)))
    bounds = pruning_host_bytes(problem, parameters)
    return Footprint({**host_bytes(problem), **log, **bounds, **best_bytes(problem, parameters, 8)}, device)


def pruning_host_bytes(problem: PairProblem, parameters: PairStripParameters) -> dict[str, int]:
    """Return the bytes of bounds, and of which blocks were skipped, on the host."""
    height = pruning_blocks(problem.rows, -(-problem.columns // parameters.s))[0]
    return pruning_sizes.footprint(problem, parameters, height)


def estimate_alignment_memory(problem: PairProblem, parameters: PairStripParameters, chunks: int = 0) -> Footprint:
    """Return the bytes of StripedAlignment, or of ChunkedAlignment1 or 2 where ``chunks`` is 1 or 2."""
    s, strips = parameters.s, -(-problem.columns // parameters.s)
    bottoms = (problem.rows - 1) // parameters.chunk_height if chunks else 0
    parts = strips + (bottoms if chunks == 2 else 0)
    pieces, cell = len(problem.scoring.gap_pieces), 4 * problem.value_count
    one = int(direction_words(np.array(problem.rows + 1), s, pieces)) * 4
    every = int(direction_words(np.array(problem.rows + parts), s, pieces)) * 4 + parts * LANES * s * pieces
    registers = sweep_registers(pieces == 2).states
    sweep = sweep_bytes(problem, parameters, registers, chunks > 0 or parameters.starts_at_first_row)
    return Footprint(
        {
            **host_bytes(problem),
            **log_bytes(problem, parameters),
            **best_bytes(problem, parameters, 7),
            "path": 2 * (problem.rows + problem.columns),
        },
        {
            **sweep,
            "start states": strips * problem.rows * cell,
            **({"chunk rows": bottoms * strips * s * cell * chunks} if chunks else {}),
            "directions": min(every, max(DIRECTION_BYTES, one)),
            "path": problem.rows + problem.columns + (s + 2) * parts,
        },
    )


def score_bytes(problem: PairProblem, parameters: PairStripParameters) -> dict[str, int]:
    """Return the bytes of StripedScore's sweep on the device."""
    two = packs_two_cells(problem, parameters)
    registers = sweep_registers(problem.scoring.has_two_pieces).choose_score(two)
    sweep = sweep_bytes(problem, parameters, registers, whole=False, spread=row_spread(two))
    return {**sweep, **pruning_bytes(problem, parameters)}


def sweep_bytes(
    problem: PairProblem,
    parameters: PairStripParameters,
    registers: LaneRegisters,
    whole: bool,
    spread: int = LANES,
) -> dict[str, int]:
    """Return the bytes of a sweep whose lanes keep these registers between launches."""
    s, batch = parameters.s, parameters.T
    strips = -(-problem.columns // s)
    launches = len(_list_launches(problem, parameters, spread))
    size = problem.rows, problem.columns, s, batch
    is_pruned = pruning_sizes.is_pruned(parameters)
    boundary = dealt_boundary_rows(*size, spread, 1) if is_pruned else boundary_rows(*size, whole, spread)
    return {
        "sequences": problem.rows + problem.columns + 4 * 256 * 4,
        "registers between launches": strips * registers.count_registers(s // LANES) * WARP_BYTES,
        "strip boundaries": strips * boundary * boundary_bytes(len(problem.scoring.gap_pieces)),
        "step log": strips * log_rows(launches, strips) * EVENT_BYTES,
    }


def _list_launches(problem: PairProblem, parameters: PairStripParameters, spread: int) -> list[SweepSlice]:
    """Return the launches of a run on one GPU."""
    slack = choose_slack(parameters)
    return make_slices(problem.rows, problem.columns, parameters.s, parameters.T, spread=spread, slack=slack)


def choose_slack(parameters: PairStripParameters) -> int:
    """Return the steps by which strips begin later than they must: PRUNED_SLACK where a run may prune, or 0."""
    return PRUNED_SLACK if pruning_sizes.is_pruned(parameters) else 0


def log_rows(launches: int, strips: int, merged: bool = False) -> int:
    """Return the events of a strip: one for each launch.

    Where these would be too many, one for each `log_apart`-th, and one more, which is ignored, for all others;
    ``merged``: a single one.
    """
    apart = log_apart(launches, strips)
    if apart == 1:
        return launches
    return 1 if merged else -(-launches // apart) + 1


def log_apart(launches: int, strips: int) -> int:
    """Return the launches from one that is logged to the next."""
    return -(-launches // max(MOST_EVENTS // strips, 1))


def host_bytes(problem: PairProblem) -> dict[str, int]:
    """Return the bytes of the encoded sequences on the host."""
    return {"sequences": 2 * (problem.rows + problem.columns)}


def log_bytes(problem: PairProblem, parameters: PairStripParameters, spread: int = LANES) -> dict[str, int]:
    """Return the bytes of the step log on the host: all of its places, and the steps of logged launches."""
    strips = -(-problem.columns // parameters.s)
    launches = _list_launches(problem, parameters, spread)
    events = sum(one.end_strip - one.first_strip for one in launches[:: log_apart(len(launches), strips)])
    places = strips * log_rows(len(launches), strips)
    return {"step log": EVENT_BYTES * (places - events) + STEP_BYTES * events}


def best_bytes(problem: PairProblem, parameters: PairStripParameters, numbers: int) -> dict[str, int]:
    """Return the host bytes of the best cells of all lanes, ``numbers`` numbers each."""
    strips = -(-problem.columns // parameters.s)
    return {"best cells": strips * numbers * 4 * LANES} if problem.mode == Mode.LOCAL else {}


def slice_steps(columns: int) -> int:
    """Return the steps of a launch."""
    return max(_round_up(SLICE_CELLS // columns), LEAST_STEPS)


def pruned_slice_steps(rows: int, columns: int, s: int, batch: int, spread: int) -> int:
    """Return the steps of a launch of a sweep with pruning, of which there are few enough to be numbered."""
    every = rows + spread + -(-columns // s) * (strip_skew(batch, spread) + PRUNED_SLACK)
    return max(slice_steps(columns), _round_up(-(-every // LONG_LAUNCHES)))


def strip_skew(batch: int, spread: int = LANES) -> int:
    """Return the steps by which a strip starts a slice behind its left neighbour: the lanes, and a batch in flight."""
    return _round_up(batch + spread)


def _round_up(rows: int) -> int:
    return -(-rows // LANES) * LANES
