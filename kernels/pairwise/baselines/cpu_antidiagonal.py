"""Antidiagonal on the CPU (001, section III): threads share an antidiagonal, and wait for each other after it.

Memory. A cell (i, j) of antidiagonal d = i + j stands at place i of its antidiagonal: place i of an array is element
16 + i. Three antidiagonals of H are kept, two of E and of F, used in turn, so that

    H(i-1, j-1) is H[d - 2][i - 1]      E(i, j) comes from H and E[d - 1][i - 1]      F(i, j) from H and F[d - 1][i]

The second sequence is stored backwards, so that letters are read forwards as rows are.
Whole vectors of 16 rows are computed; cells outside the matrix are never read from inside, except for the border
cells (0, d) and (d, 0), which are set after their vector.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.cpu.phases import PhaseClock, time_ms
from antidiag.kernels.cpu.simd import (
    LANES,
    add,
    any_lane,
    greater,
    lane_numbers,
    load,
    maximum,
    release,
    select,
    splat,
    store,
    subtract,
)
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines.cpu_levels import Levels, all_reach, border, compute, share_of
from antidiag.kernels.pairwise.baselines.sizes import Grid, Span, antidiagonal_length, extent_of
from antidiag.kernels.pairwise.encoding import NEGATIVE, Encoded, encode, tiny_pair
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import LevelParameters
from antidiag.kernels.pairwise.records import Costs, costs_of
from antidiag.kernels.pairwise.strips.cpu_sizes import WORD
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps


class Letters(NamedTuple):
    """What is aligned: letters of the rows by place, as offsets into ``table`` (flat); those of the columns backwards.

    There are ``m`` rows and ``n`` columns.
    """

    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    costs: Costs
    m: int
    n: int


class Values(NamedTuple):
    """The antidiagonals that are kept, int32: three of H, two of E and of F, that of number d in row d mod 3 or 2."""

    H: np.ndarray
    E: np.ndarray
    F: np.ndarray


class Recent(NamedTuple):
    """An antidiagonal that is computed, the one before it (1) and the one before that (2)."""

    H: np.ndarray
    H1: np.ndarray
    H2: np.ndarray
    E: np.ndarray
    E1: np.ndarray
    F: np.ndarray
    F1: np.ndarray


def antidiagonal(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best score and the cell where it ends, one antidiagonal after another."""
    pair = encode(problem)
    times_ms = {"compilation": time_ms(_compiled), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    score, end, nbytes = _compute(pair, typed(LevelParameters, parameters).threads, monitor, steps, clock.started_ns)
    clock.phase("phase 1")
    return Outcome(pair.answer(score, end), times_ms, nbytes)


def _compute(pair: Encoded, workers: int, monitor: Monitor, steps: Steps, started_ns: int) -> tuple[int, Span, int]:
    """Score, end cell, and the bytes that were used."""
    m, n = pair.rows.size, pair.columns.size
    grid, length = Grid(m + 1, n + 1), antidiagonal_length(m)
    levels = Levels(pair, grid.levels, workers)
    row_letters, column_letters = np.zeros(length, np.uint16), np.zeros(n + 2 * LANES, np.uint8)
    row_letters[LANES + 1 : LANES + 1 + m] = pair.rows * np.uint16(pair.letters)
    column_letters[LANES : LANES + n] = pair.columns[::-1]
    values = Values(*(np.zeros((kept, length), np.int32) for kept in (3, 2, 2)))
    letters = Letters(row_letters, column_letters, pair.table.ravel(), costs_of(pair), m, n)

    def advance(worker: int, level: int) -> None:
        advance_antidiagonals(letters, values, levels.best[worker], levels.progress_of(worker), level)

    def extent(numbers: np.ndarray, worker: int) -> tuple[Span, Span]:
        first, end = grid.span(numbers)
        begin, stop = share_of.py_func(first // LANES, (end - 1) // LANES + 1, worker, workers)
        low = np.maximum(np.maximum(begin * LANES, first), 1)
        high = np.minimum(np.minimum(stop * LANES, end), numbers)
        return extent_of(numbers - 2, low - 1, high - 1, 1, (m, n))

    compute(levels, advance, extent, grid.before, monitor, steps, started_ns)
    arrays = pair.rows, pair.columns, row_letters, column_letters, *values
    nbytes = sum(array.nbytes for array in arrays) + levels.nbytes
    return (*levels.best_cell(), nbytes) if pair.local else (int(values.H[(m + n) % 3, LANES + m]), (m, n), nbytes)


@inlined
def keep_best(best, H, place, row, low, high, antidiagonal):
    """Bring the rows low .. high of a vector of H into ``best`` by the tie rule."""
    for lane in range(LANES):
        score = np.int64(H[place + lane])
        better = score > best[0] or (score == best[0] and row + lane < best[1])
        if better and low <= row + lane <= high:
            best[0] = score
            best[1] = row + lane
            best[2] = antidiagonal - row - lane


@inlined
def vector_of_cells(recent, scores, place, costs):
    """16 cells of an antidiagonal, written to H, E and F; their H."""
    H, H1, H2, E, E1, F, F1 = recent
    open_extend, extend = splat(costs.open_extend), splat(costs.extend)
    e = maximum(subtract(load(E1, place - 1), extend), subtract(load(H1, place - 1), open_extend))
    f = maximum(subtract(load(F1, place), extend), subtract(load(H1, place), open_extend))
    h = maximum(maximum(add(load(H2, place - 1), load(scores, 0)), splat(costs.floor)), maximum(e, f))
    store(E, place, e)
    store(F, place, f)
    store(H, place, h)
    return h


@compiled
def advance_antidiagonals(letters, values, best, progress, until):
    """Compute a worker's part of the antidiagonals before ``until``, or until told to stop."""
    row_letters, column_letters, table, costs, m, n = letters
    H, E, F = values
    words, worker, stop = progress
    workers, scores = words.size // WORD, np.empty(LANES, np.int32)
    d = words[worker * WORD]
    while d < until and all_reach(words, d, stop):
        low, high = max(0, d - n), min(m, d)
        begin, end = share_of(low // LANES, high // LANES + 1, worker, workers)
        H0, E0, F0 = H[d % 3], E[d % 2], F[d % 2]
        recent = Recent(H0, H[(d - 1) % 3], H[(d - 2) % 3], E0, E[1 - d % 2], F0, F[1 - d % 2])
        for vector in range(begin, end):
            row = vector * LANES
            place, letter = row + LANES, row + LANES + n - d
            for lane in range(LANES):
                scores[lane] = table[row_letters[place + lane] + column_letters[letter + lane]]
            h = vector_of_cells(recent, scores, place, costs)
            above = greater(splat(np.int32(best[1])), add(splat(np.int32(row)), lane_numbers()))
            beaten = select(above, splat(np.int32(max(best[0] - 1, 0))), splat(np.int32(best[0])))
            if any_lane(greater(h, beaten)):
                keep_best(best, H0, place, row, max(low, 1), min(high, d - 1), d)
            if vector == 0 and d <= n:
                H0[LANES], E0[LANES] = border(d, costs), NEGATIVE
            if vector == d // LANES:
                H0[LANES + d], F0[LANES + d] = border(d, costs), NEGATIVE
        d += 1
        release(words, worker * WORD, d)


@cache
def _compiled() -> None:
    """Compile, or load from the cache folder, by running on a tiny pair."""
    _compute(tiny_pair(), 1, Monitor(), Steps(), 0)
