"""PerotRecurrence on the CPU (001, section III, after Khajeh-Saeed, Poole and Perot): rows one after another.

The gap along a row is a chain through the whole row. It is taken out of the recurrence and put back by a prefix
maximum, so that all cells of a row can be computed together, in three steps:

    1.  H'(i, j) = max(H(i-1, j-1) + c(i, j), E(i, j), floor)       everything but the gap along the row
    2.  P(j) = max over k < j of H'(i, k) + k beta                  a scan; H'(i, 0) is the border
    3.  H(i, j) = max(H'(i, j), P(j) - j beta - alpha)              a gap from k to j costs alpha + (j - k) beta

A gap may start at H' instead of H: where H came from a gap itself, opening another one gains nothing.

Threads share the columns. Step 1 and the scan within a part are one level, the maxima of the parts on the left and
step 3 the next one. Column j is element 15 + j of every row, so that vectors start at columns 1, 17, ...
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
    last_lane,
    load,
    maximum,
    prefix_maximum,
    release,
    shift_in,
    splat,
    store,
    subtract,
)
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.baselines.cpu_levels import Levels, all_reach, border, compute, share_of
from antidiag.kernels.pairwise.baselines.sizes import Span, row_length
from antidiag.kernels.pairwise.encoding import NEGATIVE, Encoded, encode, tiny_pair
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import LevelParameters
from antidiag.kernels.pairwise.records import Costs, costs_of
from antidiag.kernels.pairwise.strips.cpu_sizes import WORD, score_type
from antidiag.kernels.parameters import typed
from antidiag.kernels.steps import Steps

FIRST = LANES - 1
"""Element of column 0."""
TOTAL = 1
"""Word of a worker, behind its progress, that holds the greatest value of its part of the scan."""


class Letters(NamedTuple):
    """What is aligned: letters of the rows, and for each letter its scores with all columns; ``n`` columns."""

    rows: np.ndarray
    scores: np.ndarray
    costs: Costs
    n: int


class Row(NamedTuple):
    """The row that is computed, int32: H, H' and E, the scan P, and k beta for every column k."""

    H: np.ndarray
    intermediate: np.ndarray
    E: np.ndarray
    scan: np.ndarray
    slope: np.ndarray


class Part(NamedTuple):
    """A worker's places of a row, begin .. end - 1; its number, and how many columns it has."""

    begin: int
    end: int
    row: int
    n: int


def perot_recurrence(problem: PairProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The best score and the cell where it ends, one row after another."""
    pair = encode(problem)
    times_ms = {"compilation": time_ms(lambda: _compiled(score_type(pair.table))), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    score, end, nbytes = _compute(pair, typed(LevelParameters, parameters).threads, monitor, steps, clock.started_ns)
    clock.phase("phase 1")
    return Outcome(pair.answer(score, end), times_ms, nbytes)


def _compute(pair: Encoded, workers: int, monitor: Monitor, steps: Steps, started_ns: int) -> tuple[int, Span, int]:
    """Score, end cell, and the bytes that were used."""
    m, n = pair.rows.size, pair.columns.size
    length = row_length(n)
    levels = Levels(pair, 2 * m, workers)
    scores: np.ndarray = np.zeros((pair.letters, length), score_type(pair.table))
    scores[:, LANES : LANES + n] = pair.table[:, pair.columns]
    H, intermediate, scan = (np.zeros(length, np.int32) for _ in range(3))
    E, slope = np.full(length, NEGATIVE, np.int32), np.zeros(length, np.int32)
    H[FIRST : FIRST + n + 1] = pair.border(0, n + 1)
    slope[FIRST:] = np.arange(length - FIRST, dtype=np.int32) * pair.extend
    letters, values = Letters(pair.rows, scores, costs_of(pair), n), Row(H, intermediate, E, scan, slope)

    def advance(worker: int, level: int) -> None:
        advance_rows(letters, values, levels.best[worker], levels.progress_of(worker), level)

    def extent(numbers: np.ndarray, worker: int) -> tuple[Span, Span]:
        begin, end = share_of.py_func(0, length // LANES - 1, worker, workers)
        return (int(numbers[0]) // 2, int(numbers[-1]) // 2 + 1), (begin * LANES, min(end * LANES, n))

    compute(levels, advance, extent, lambda level: level // 2 * n, monitor, steps, started_ns)
    arrays = pair.rows, pair.columns, scores, *values
    nbytes = sum(array.nbytes for array in arrays) + levels.nbytes
    return (*levels.best_cell(), nbytes) if pair.local else (int(H[FIRST + n]), (m, n), nbytes)


@inlined
def intermediate_row(scores, H, intermediate, E, costs, begin, end):
    """Step 1."""
    open_extend, extend, floor = splat(costs.open_extend), splat(costs.extend), splat(costs.floor)
    for place in range(begin, end, LANES):
        e = maximum(subtract(load(E, place), extend), subtract(load(H, place), open_extend))
        diagonal = add(load(H, place - 1), load(scores, place))
        store(E, place, e)
        store(intermediate, place, maximum(maximum(diagonal, e), floor))


@inlined
def scan_row(intermediate, slope, scan, before, begin, end):
    """Step 2 inside a part: ``scan`` receives the maximum of what lies before each place; the maximum of all."""
    for place in range(begin, end, LANES):
        opened = add(load(intermediate, place), load(slope, place))
        greatest = maximum(prefix_maximum(opened), splat(before))
        store(scan, place, shift_in(greatest, before))
        before = last_lane(greatest)
    return before


@inlined
def finish_row(H, intermediate, scan, slope, costs, before, part, best):
    """Step 3, with the maximum ``before`` of all parts on the left; keeps the best cell."""
    begin, end, row, n = part
    open_cost, earlier = splat(np.int32(costs.open_extend - costs.extend)), splat(np.int32(before))
    for place in range(begin, end, LANES):
        gap = subtract(subtract(maximum(load(scan, place), earlier), load(slope, place)), open_cost)
        h = maximum(load(intermediate, place), gap)
        store(H, place, h)
        if any_lane(greater(h, splat(np.int32(best[0])))):
            for lane in range(LANES):
                column = place + lane - FIRST
                if H[place + lane] > best[0] and column <= n:
                    best[0] = H[place + lane]
                    best[1] = row
                    best[2] = column


@compiled
def advance_rows(letters, values, best, progress, until):
    """Compute a worker's part of the levels before ``until``, or until told to stop; two levels a row."""
    rows, scores, costs, n = letters
    H, intermediate, E, scan, slope = values
    words, worker, stop = progress
    workers = words.size // WORD
    first, last = share_of(1, H.size // LANES, worker, workers)
    begin, end = first * LANES, last * LANES
    level = words[worker * WORD]
    while level < until and all_reach(words, level, stop):
        row = level // 2 + 1
        if level % 2 == 0:
            intermediate_row(scores[rows[row - 1]], H, intermediate, E, costs, begin, end)
            before = np.int32(border(row, costs) if worker == 0 else NEGATIVE)
            words[worker * WORD + TOTAL] = scan_row(intermediate, slope, scan, before, begin, end)
        else:
            earlier = np.int64(NEGATIVE)
            for other in range(worker):
                earlier = max(earlier, words[other * WORD + TOTAL])
            finish_row(H, intermediate, scan, slope, costs, earlier, Part(begin, end, row, n), best)
            if worker == 0:
                H[FIRST] = border(row, costs)
        level += 1
        release(words, worker * WORD, level)


@cache
def _compiled(kind: type) -> None:
    """Compile, or load from the cache folder, by running on a tiny pair."""
    _compute(tiny_pair(np.iinfo(kind).max >> 2), 1, Monitor(), Steps(), 0)
