"""PerotRecurrence on the CPU (Li et al. 2012, section III, after Khajeh-Saeed, Poole and Perot).

Rows are computed one after another. The gap along a row is a chain through the whole row. It is taken out of the
recurrence and put back by a prefix maximum, so that all cells of a row can be computed together, in three steps:

    1.  H'(i, j) = max(H(i-1, j-1) + c(i, j), E(i, j), floor)       everything but the gap along the row
    2.  P(j) = max over k < j of H'(i, k) + k beta                  a scan; H'(i, 0) is the border
    3.  H(i, j) = max(H'(i, j), P(j) - j beta - alpha)              a gap from k to j costs alpha + (j - k) beta

A gap may start at H' instead of H: where H came from a gap itself, opening another one gains nothing. With two-piece
gap costs, E, the scan and step 3 occur once for each piece (`SecondRow`).

Threads share the columns. Step 1 and the scan within a part are one level; the maxima of the parts on the left and
step 3 are the next one. Column j is element 15 + j of every row, so that vectors start at columns 1, 17, ...
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cpu.lane_moves import last_lane, prefix_maximum, shift_in
from antidiag.kernels.cpu.progress_words import wait_until_all_reached
from antidiag.kernels.cpu.simd import (
    LANES,
    add,
    any_lane,
    greater_lanes,
    load,
    maximum,
    splat,
    store,
    store_release,
    subtract,
)
from antidiag.kernels.cpu.workers import WORD_STRIDE
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines.cpu_level_barrier import (
    LevelRun,
    border_score,
    run_levels,
    update_best_cell,
    worker_range,
)
from antidiag.kernels.pairwise.baselines.sizes import Span, row_length
from antidiag.kernels.pairwise.encoding import NEGATIVE, EncodedPair, encode_pair, make_tiny_pair
from antidiag.kernels.pairwise.kernel_records import PairCosts, pair_costs, second_piece
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import LevelThreads
from antidiag.kernels.pairwise.strips.cpu_sizes import score_type
from antidiag.kernels.steps import StepLog

FIRST = LANES - 1
"""Element of column 0."""
TOTAL, SECOND_TOTAL = 1, 2
"""Indices of a worker's words, after its progress, with the greatest value of its part of the scan of each piece."""


class PerotInputs(NamedTuple):
    """The encoded sequences: row letters, the scores of each letter with all columns, and ``n`` columns."""

    rows: np.ndarray
    scores: np.ndarray
    costs: PairCosts
    n: int


class PerotRow(NamedTuple):
    """The row that is computed, int32: H, H' and E, the scan P, and k beta for every column k.

    ``last_column`` (m) gets H of the last column.
    """

    H: np.ndarray
    intermediate: np.ndarray
    E: np.ndarray
    scan: np.ndarray
    slope: np.ndarray
    last_column: np.ndarray


class SecondRow(NamedTuple):
    """E, the scan and k beta of the second piece of gap costs, as `PerotRow` has those of the first."""

    E: np.ndarray
    scan: np.ndarray
    slope: np.ndarray


class RowPart(NamedTuple):
    """The places begin .. end - 1 of a row that a worker computes; the row number, and its columns."""

    begin: int
    end: int
    row: int
    n: int


def perot_recurrence(problem: PairProblem, parameters: LevelThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best score and its end cell by PerotRecurrence."""
    pair = encode_pair(problem)
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_kernels, score_type(pair.table), pair.second is not None)
    score, end, nbytes = _run_rows(run, pair)
    return Outcome(pair.make_answer(score, end), run.times_ms, nbytes)


def _run_rows(run: CpuRun, pair: EncodedPair) -> tuple[int, Span, int]:
    """Return the score, its end cell, and the bytes that were used."""
    m, n = pair.rows.size, pair.columns.size
    length = row_length(n)
    levels = LevelRun(run, pair, 2 * m)
    scores: np.ndarray = np.zeros((pair.letter_count, length), score_type(pair.table))
    scores[:, LANES : LANES + n] = pair.table[:, pair.columns]
    H, intermediate, scan = (np.zeros(length, np.int32) for _ in range(3))
    E, slope = np.full(length, NEGATIVE, np.int32), np.zeros(length, np.int32)
    H[FIRST : FIRST + n + 1] = pair.top_scores(0, n + 1)
    slope[FIRST:] = np.arange(length - FIRST, dtype=np.int32) * pair.extend
    second, second_row = second_piece(pair), None
    if second:
        second_slope = np.zeros(length, np.int32)
        second_slope[FIRST:] = np.arange(length - FIRST, dtype=np.int32) * second.extend
        second_row = SecondRow(E.copy(), np.zeros(length, np.int32), second_slope)
    letters = PerotInputs(pair.rows, scores, pair_costs(pair), n)
    values = PerotRow(H, intermediate, E, scan, slope, np.zeros(m, np.int32))

    def extent(numbers: np.ndarray, worker: int) -> tuple[Span, Span]:
        begin, end = worker_range(0, length // LANES - 1, worker, run.threads)
        return (int(numbers[0]) // 2, int(numbers[-1]) // 2 + 1), (begin * LANES, min(end * LANES, n))

    run_levels(levels, partial(advance_rows, letters, values, second, second_row), extent, lambda level: level // 2 * n)
    arrays = pair.rows, pair.columns, scores, *values, *(second_row or ())
    nbytes = sum(array.nbytes for array in arrays) + levels.nbytes
    return *levels.best_end(H[FIRST + 1 : FIRST + n + 1], values.last_column), nbytes


@inline_njit
def compute_intermediate_row(scores, H, intermediate, E, costs, begin, end, second, second_row):
    """Compute E and H' of a part of a row (step 1)."""
    open_extend, extend, floor = splat(costs.open_extend), splat(costs.extend), splat(costs.floor)
    for place in range(begin, end, LANES):
        e = maximum(subtract(load(E, place), extend), subtract(load(H, place), open_extend))
        diagonal = add(load(H, place - 1), load(scores, place))
        store(E, place, e)
        if second is not None:
            opened = subtract(load(H, place), splat(second.open_extend))
            e_second = maximum(subtract(load(second_row.E, place), splat(second.extend)), opened)
            store(second_row.E, place, e_second)
            e = maximum(e, e_second)
        store(intermediate, place, maximum(maximum(diagonal, e), floor))


@inline_njit
def scan_row(intermediate, slope, scan, before, begin, end):
    """Scan a part of a row (step 2): ``scan`` gets the maximum before each place; return the maximum of all."""
    for place in range(begin, end, LANES):
        opened = add(load(intermediate, place), load(slope, place))
        greatest = maximum(prefix_maximum(opened), splat(before))
        store(scan, place, shift_in(greatest, before))
        before = last_lane(greatest)
    return before


@inline_njit
def finish_row(H, intermediate, scan, slope, costs, before, part, best, second, second_row, second_before):
    """Compute H of a part (step 3), given the maximum ``before`` of all parts on the left; keep the best cell.

    ``second_before`` is that maximum of the second piece.
    """
    begin, end, row, n = part
    open_cost, earlier = splat(np.int32(costs.open_extend - costs.extend)), splat(np.int32(before))
    for place in range(begin, end, LANES):
        gap = subtract(subtract(maximum(load(scan, place), earlier), load(slope, place)), open_cost)
        h = maximum(load(intermediate, place), gap)
        if second is not None:
            greatest = maximum(load(second_row.scan, place), splat(np.int32(second_before)))
            second_open = splat(np.int32(second.open_extend - second.extend))
            h = maximum(h, subtract(subtract(greatest, load(second_row.slope, place)), second_open))
        store(H, place, h)
        if any_lane(greater_lanes(h, splat(np.int32(best[0])))):
            for column in range(place - FIRST, min(place - FIRST + LANES - 1, n) + 1):
                update_best_cell(best, np.int64(H[FIRST + column]), row, column)


@cached_njit
def advance_rows(letters, values, second, second_row, best, progress, until):
    """Compute a worker's part of the levels before ``until``, two levels a row; return early on stop."""
    rows, scores, costs, n = letters
    H, intermediate, E, scan, slope, last_column = values
    words, worker, stop = progress
    workers = words.size // WORD_STRIDE
    first, last = worker_range(1, H.size // LANES, worker, workers)
    begin, end = first * LANES, last * LANES
    level = words[worker * WORD_STRIDE]
    while level < until and wait_until_all_reached(words, level, stop):
        row = level // 2 + 1
        if level % 2 == 0:
            line = scores[rows[row - 1]]
            compute_intermediate_row(line, H, intermediate, E, costs, begin, end, second, second_row)
            before = np.int32(border_score(row, 0, costs, second) if worker == 0 else NEGATIVE)
            words[worker * WORD_STRIDE + TOTAL] = scan_row(intermediate, slope, scan, before, begin, end)
            if second_row is not None:
                found = scan_row(intermediate, second_row.slope, second_row.scan, before, begin, end)
                words[worker * WORD_STRIDE + SECOND_TOTAL] = found
        else:
            earlier = np.int64(NEGATIVE)
            for other in range(worker):
                earlier = max(earlier, words[other * WORD_STRIDE + TOTAL])
            second_earlier = np.int64(NEGATIVE)
            if second_row is not None:
                for other in range(worker):
                    second_earlier = max(second_earlier, words[other * WORD_STRIDE + SECOND_TOTAL])
            part = RowPart(begin, end, row, n)
            finish_row(H, intermediate, scan, slope, costs, earlier, part, best, second, second_row, second_earlier)
            if worker == 0:
                H[FIRST] = border_score(row, 0, costs, second)
            if begin <= FIRST + n < end:
                last_column[row - 1] = H[FIRST + n]
        level += 1
        store_release(words, worker * WORD_STRIDE, level)


def _compile_kernels(kind: type, two_pieces: bool) -> None:
    """Compile the kernels, or load them from the cache folder, by running a tiny pair."""
    _run_rows(CpuRun(), make_tiny_pair(np.iinfo(kind).max >> 2, two_pieces=two_pieces))
