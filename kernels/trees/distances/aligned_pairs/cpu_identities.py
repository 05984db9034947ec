"""Identities of the best alignments of one sequence with 16 others, compiled: a pair in each lane of a vector.

Rows belong to the one sequence, which is the shortest; columns to the others. H, E and F are those of
`kernels.pairwise`, and with each of them goes the number of identical letters on the path of the tie rule there: the
best cell with the smallest row, then the smallest column; going back from it diagonal before E before F, and opening a
gap before extending it. So a count belongs to that alignment, and no path is ever walked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import lane_moves, simd
from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.simd import LANES

NEGATIVE = -(2**30)
COLUMNS_A_LOOK = 32
"""Columns between two checks for cancellation."""


class LaneSequences(NamedTuple):
    """16 sequences: codes side by side, int32 (columns x 16,), and their lengths, int32 (16,).

    After their ends stands the code of no letter.
    """

    letters: np.ndarray
    lengths: np.ndarray


class IdentityRows(NamedTuple):
    """Sequences by ascending length: ``codes`` uint8 one after another, where each begins, and its number, int64."""

    codes: np.ndarray
    starts: np.ndarray
    order: np.ndarray


class LetterScores(NamedTuple):
    """Scores and gap costs: ``table`` int32 is flat, a row per code of the others, padded to whole vectors.

    ``costs`` int64 are opening and extending.
    """

    table: np.ndarray
    costs: np.ndarray
    local: bool


class IdentityBuffers(NamedTuple):
    """Buffers, int32: H, its count, F and its count of a column; and the scores of a column."""

    state: np.ndarray
    profile: np.ndarray


@inner_njit
def border_score(k, open_cost, extend, local):
    """Return H of a cell of the first row or column that is ``k`` cells from the corner."""
    return 0 if local or k == 0 else -(open_cost + extend * k)


@inner_njit
def count_identities(rows, others, scores, buffers, lane_results, stop):
    """Count identical letters on the best path of one sequence with each of 16 others, int32 (16,), into
    ``lane_results``.

    ``rows`` uint8 are codes of the sequence; ``others``, ``scores`` and ``buffers`` are `LaneSequences`, `LetterScores`
    and `IdentityBuffers`. ``stop`` ends it early.
    """
    letters, lengths = others
    table, costs, local = scores
    state, profile = buffers
    m, columns, width = rows.size, letters.size // LANES, profile.size // LANES
    opening, extension = simd.splat(np.int32(costs[0])), simd.splat(np.int32(costs[1]))
    zero, one, lowest = simd.splat(np.int32(0)), simd.splat(np.int32(1)), simd.splat(np.int32(NEGATIVE))
    floor = zero if local else lowest
    ends = simd.load(lengths, 0)
    offsets = np.empty(LANES, np.int64)
    best, best_row, best_count = zero, simd.splat(np.int32(-1)), zero
    for i in range(m):
        at = 4 * LANES * i
        simd.store(state, at, simd.splat(np.int32(border_score(i + 1, costs[0], costs[1], local))))
        simd.store(state, at + LANES, zero)
        simd.store(state, at + 2 * LANES, lowest)
        simd.store(state, at + 3 * LANES, zero)
    for j in range(columns):
        if j % COLUMNS_A_LOOK == 0 and stop[0]:
            return
        for lane in range(LANES):
            offsets[lane] = letters[LANES * j + lane] * width
        for x in range(0, width, LANES):
            lane_moves.transpose_block(table, offsets, x, profile, LANES * x)
        column_letters = simd.load(letters, LANES * j)
        diagonal = simd.splat(np.int32(border_score(j, costs[0], costs[1], local)))
        above = simd.splat(np.int32(border_score(j + 1, costs[0], costs[1], local)))
        diagonal_count, above_count, E, E_count = zero, zero, lowest, zero
        for i in range(m):
            at = 4 * LANES * i
            left, left_count = simd.load(state, at), simd.load(state, at + LANES)
            F, F_count = simd.load(state, at + 2 * LANES), simd.load(state, at + 3 * LANES)
            opened = simd.subtract(above, opening)
            E_count = simd.select_lanes(simd.greater_lanes(E, opened), E_count, above_count)
            E = simd.subtract(simd.maximum(E, opened), extension)
            opened = simd.subtract(left, opening)
            F_count = simd.select_lanes(simd.greater_lanes(F, opened), F_count, left_count)
            F = simd.subtract(simd.maximum(F, opened), extension)
            letter = np.int32(rows[i])
            paired = simd.add(diagonal, simd.load(profile, LANES * np.int64(rows[i])))
            same = simd.equal_lanes(column_letters, simd.splat(letter))
            count = simd.select_lanes(same, simd.add(diagonal_count, one), diagonal_count)
            H = simd.maximum(paired, simd.maximum(E, F))
            by_gap = simd.select_lanes(simd.equal_lanes(H, E), E_count, F_count)
            count = simd.select_lanes(simd.equal_lanes(H, paired), count, by_gap)
            if local:
                count = simd.select_lanes(simd.greater_lanes(H, zero), count, zero)
                H = simd.maximum(H, floor)
                row = simd.splat(np.int32(i))
                better = simd.greater_lanes(H, best)
                earlier = simd.bit_and(simd.equal_lanes(H, best), simd.greater_lanes(best_row, row))
                best_row = simd.select_lanes(better, row, simd.select_lanes(earlier, row, best_row))
                best_count = simd.select_lanes(better, count, simd.select_lanes(earlier, count, best_count))
                best = simd.maximum(H, best)
            simd.store(state, at, H)
            simd.store(state, at + LANES, count)
            simd.store(state, at + 2 * LANES, F)
            simd.store(state, at + 3 * LANES, F_count)
            diagonal, diagonal_count = left, left_count
            above, above_count = H, count
        if not local:
            here = simd.equal_lanes(ends, simd.splat(np.int32(j + 1)))
            best_count = simd.select_lanes(here, above_count, best_count)
    simd.store(lane_results, 0, best_count)


@cached_njit
def distances_of_rows(rows, first, last, group, others, scores, buffers, lane_results, values, stop):
    """Write 1 - identities / the shorter length of sequences ``first``..``last`` and those of a group after each.

    The group has the sequences from 16 x ``group`` on, which are ``others``; ``values`` float64 (n, n) takes both
    orders of a pair. ``stop`` ends it early.
    """
    codes, starts, order = rows
    for row in range(first, last):
        if max(LANES * group, row + 1) >= min(LANES * (group + 1), order.size):
            continue  # no sequence follows it; alone it would take as long as with 15 others
        own = codes[starts[row] : starts[row + 1]]
        count_identities(own, others, scores, buffers, lane_results, stop)
        if stop[0]:
            return
        for other in range(max(LANES * group, row + 1), min(LANES * (group + 1), order.size)):
            distance = 1 - lane_results[other - LANES * group] / own.size
            values[order[row], order[other]] = values[order[other], order[row]] = distance
