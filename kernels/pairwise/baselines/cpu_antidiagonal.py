"""Antidiagonal on the CPU (Li et al. 2012, section III): threads share each antidiagonal.

Memory. A cell (i, j) of antidiagonal d = i + j has place i in its antidiagonal; place i of an array is element 16 + i.
Three antidiagonals of H, two of E and two of F are kept and used in turn, so that

    H(i-1, j-1) is H[d - 2][i - 1]      E(i, j) comes from H and E[d - 1][i - 1]      F(i, j) from H and F[d - 1][i]

With two-piece gap costs there are an E and an F of the second piece as well (`SecondGaps`).

The second sequence is stored backwards, so that its letters are read forwards, as rows are.
Whole vectors of 16 rows are computed. Cells outside the matrix are never read from inside, except the border cells
(0, d) and (d, 0), which are set after their vector.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cpu.progress_words import wait_until_all_reached
from antidiag.kernels.cpu.simd import (
    LANES,
    add,
    any_lane,
    greater_lanes,
    lane_numbers,
    load,
    maximum,
    select_lanes,
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
from antidiag.kernels.pairwise.baselines.sizes import LevelGrid, Span, antidiagonal_length, matrix_extent
from antidiag.kernels.pairwise.encoding import NEGATIVE, EncodedPair, encode_pair, make_tiny_pair
from antidiag.kernels.pairwise.kernel_records import PairCosts, pair_costs, second_piece
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import LevelThreads
from antidiag.kernels.steps import StepLog


class AntidiagonalInputs(NamedTuple):
    """The encoded sequences: row letters as offsets into ``table`` (flat), column letters backwards, m and n."""

    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    costs: PairCosts
    m: int
    n: int


class AntidiagonalValues(NamedTuple):
    """The antidiagonals that are kept, int32: three of H, two of E and of F; number d is in row d mod 3 or 2.

    ``last_row`` (n + 1) and ``last_column`` (m + 1) get H of these.
    """

    H: np.ndarray
    E: np.ndarray
    F: np.ndarray
    last_row: np.ndarray
    last_column: np.ndarray


class SecondGaps(NamedTuple):
    """E and F of the second piece of gap costs, as `AntidiagonalValues` has those of the first."""

    E: np.ndarray
    F: np.ndarray


class RecentAntidiagonals(NamedTuple):
    """The antidiagonal that is computed, the one before it (1) and the one before that (2)."""

    H: np.ndarray
    H1: np.ndarray
    H2: np.ndarray
    E: np.ndarray
    E1: np.ndarray
    F: np.ndarray
    F1: np.ndarray


def antidiagonal(problem: PairProblem, parameters: LevelThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Return the best score and its end cell by Antidiagonal."""
    pair = encode_pair(problem)
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_kernels, pair.second is not None)
    score, end, nbytes = _run_antidiagonals(run, pair)
    return Outcome(pair.make_answer(score, end), run.times_ms, nbytes)


def _run_antidiagonals(run: CpuRun, pair: EncodedPair) -> tuple[int, Span, int]:
    """Return the score, its end cell, and the bytes that were used."""
    m, n = pair.rows.size, pair.columns.size
    grid, length = LevelGrid(m + 1, n + 1), antidiagonal_length(m)
    levels = LevelRun(run, pair, grid.level_count)
    row_letters, column_letters = np.zeros(length, np.uint16), np.zeros(n + 2 * LANES, np.uint8)
    row_letters[LANES + 1 : LANES + 1 + m] = pair.rows * np.uint16(pair.letter_count)
    column_letters[LANES : LANES + n] = pair.columns[::-1]
    shapes = (3, length), (2, length), (2, length), n + 1, m + 1
    values = AntidiagonalValues(*(np.zeros(shape, np.int32) for shape in shapes))
    second = second_piece(pair)
    second_gaps = SecondGaps(*np.zeros((2, 2, length), np.int32)) if second else None
    letters = AntidiagonalInputs(row_letters, column_letters, pair.table.ravel(), pair_costs(pair), m, n)

    def extent(numbers: np.ndarray, worker: int) -> tuple[Span, Span]:
        first, end = grid.row_span(numbers)
        begin, stop = worker_range(first // LANES, (end - 1) // LANES + 1, worker, run.threads)
        low = np.maximum(np.maximum(begin * LANES, first), 1)
        high = np.minimum(np.minimum(stop * LANES, end), numbers)
        return matrix_extent(numbers - 2, low - 1, high - 1, 1, (m, n))

    run_levels(levels, partial(advance_antidiagonals, letters, values, second, second_gaps), extent, grid.count_before)
    arrays = pair.rows, pair.columns, row_letters, column_letters, *values, *(second_gaps or ())
    nbytes = sum(array.nbytes for array in arrays) + levels.nbytes
    return *levels.best_end(values.last_row[1:], values.last_column[1:]), nbytes


@inline_njit
def compute_vector(recent, scores, place, costs, second, second_recent):
    """Compute 16 cells of an antidiagonal, write them to H, E and F, and return their H.

    ``second_recent`` are E and F of the second piece: those that are computed, and those before them; or None.
    """
    H, H1, H2, E, E1, F, F1 = recent
    open_extend, extend = splat(costs.open_extend), splat(costs.extend)
    e = maximum(subtract(load(E1, place - 1), extend), subtract(load(H1, place - 1), open_extend))
    f = maximum(subtract(load(F1, place), extend), subtract(load(H1, place), open_extend))
    h = maximum(maximum(add(load(H2, place - 1), load(scores, 0)), splat(costs.floor)), maximum(e, f))
    if second is not None:
        E_second, E1_second, F_second, F1_second = second_recent
        opening, extend = splat(second.open_extend), splat(second.extend)
        e_second = maximum(subtract(load(E1_second, place - 1), extend), subtract(load(H1, place - 1), opening))
        f_second = maximum(subtract(load(F1_second, place), extend), subtract(load(H1, place), opening))
        h = maximum(h, maximum(e_second, f_second))
        store(E_second, place, e_second)
        store(F_second, place, f_second)
    store(E, place, e)
    store(F, place, f)
    store(H, place, h)
    return h


@cached_njit
def advance_antidiagonals(letters, values, second, second_gaps, best, progress, until):
    """Compute a worker's part of the antidiagonals before ``until``; return early on stop."""
    row_letters, column_letters, table, costs, m, n = letters
    H, E, F, last_row, last_column = values
    words, worker, stop = progress
    workers, scores = words.size // WORD_STRIDE, np.empty(LANES, np.int32)
    d = words[worker * WORD_STRIDE]
    while d < until and wait_until_all_reached(words, d, stop):
        low, high = max(0, d - n), min(m, d)
        begin, end = worker_range(low // LANES, high // LANES + 1, worker, workers)
        H0, E0, F0 = H[d % 3], E[d % 2], F[d % 2]
        recent = RecentAntidiagonals(H0, H[(d - 1) % 3], H[(d - 2) % 3], E0, E[1 - d % 2], F0, F[1 - d % 2])
        second_recent = None
        if second_gaps is not None:
            E2, F2 = second_gaps
            second_recent = E2[d % 2], E2[1 - d % 2], F2[d % 2], F2[1 - d % 2]
        for vector in range(begin, end):
            row = vector * LANES
            place, letter = row + LANES, row + LANES + n - d
            for lane in range(LANES):
                scores[lane] = table[row_letters[place + lane] + column_letters[letter + lane]]
            h = compute_vector(recent, scores, place, costs, second, second_recent)
            above = greater_lanes(splat(np.int32(best[1])), add(splat(np.int32(row)), lane_numbers()))
            beaten = select_lanes(above, splat(np.int32(max(best[0] - 1, 0))), splat(np.int32(best[0])))
            if any_lane(greater_lanes(h, beaten)):
                for lane in range(LANES):
                    if max(low, 1) <= row + lane <= min(high, d - 1):
                        update_best_cell(best, np.int64(H0[place + lane]), row + lane, d - row - lane)
            if vector == 0 and d <= n:
                H0[LANES], E0[LANES] = border_score(0, d, costs, second), NEGATIVE
                if second_gaps is not None:
                    second_gaps.E[d % 2, LANES] = NEGATIVE
            if vector == d // LANES:
                H0[LANES + d], F0[LANES + d] = border_score(d, 0, costs, second), NEGATIVE
                if second_gaps is not None:
                    second_gaps.F[d % 2, LANES + d] = NEGATIVE
            if vector == m // LANES and d >= m:
                last_row[d - m] = H0[LANES + m]
            if d >= n and vector == (d - n) // LANES:
                last_column[d - n] = H0[LANES + d - n]
        d += 1
        store_release(words, worker * WORD_STRIDE, d)


def _compile_kernels(two_pieces: bool) -> None:
    """Compile the kernels, or load them from the cache folder, by running a tiny pair."""
    _run_antidiagonals(CpuRun(), make_tiny_pair(two_pieces=two_pieces))
