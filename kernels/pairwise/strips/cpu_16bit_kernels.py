"""Compiled kernels of a strip on the CPU in 16 bits: as cpu_tile_kernels.py, with 32 lanes in a register.

Values of row r of a tile, counted from the row above it, are stored relative to a base and plus r beta, so that
extending a gap downwards costs nothing. With E and F before they are extended into a cell, and floor = C + r beta:

    f = F - beta
    H = max(diagonal + score + beta, E, floor, f)
    E = max(E, H - alpha)         F = max(f, H - alpha)

With two-piece gap costs, E2 and F2 of the second piece are

    H = max(..., E2 + beta - beta2, F2 - beta2)
    E2 = max(E2 + beta - beta2, H - alpha2)         F2 = max(F2 - beta2, H - alpha2)

C is the floor of the matrix or a number that no H of the tile is below, whichever is greater. That no value leaves 16
bits follows from how much values of neighbouring cells differ (most_16bit_rows in cpu_sizes.py): all values equal
those of 32 bits. In terms of cpu_tile_kernels.py, E = G - alpha and F = K - alpha, but for the offsets.

Scores are looked up in a register where the letters are few: a table of up to 32 numbers by row and column letter.
Otherwise they come from a profile, as in cpu_tile_kernels.py. Both hold the scores plus beta.

    edge    int32 (2, s) in lane order of 32 lanes; ``left`` and ``right`` as in cpu_tile_kernels.py
    letters int16: where the letters of rows begin in the table, from the last odd row to the first, then from the last
            even one, each half ending with 31 places more and one for row 1, or 2, before them: lane 0 on row r has
            place half - 32 - r / 2 of a half; or, with a profile, uint8: letters[row + 63] is that of a row
    profile int16 (s) in lane order: what the letter of a column adds to that place; or int16 (letters, s + 32), flat
    room    int16, ROOM_ROWS rows and two blocks of scores; it and a profile in lane order begin where a cache line does
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.cpu.lane_moves import last_lane, shift_in, transpose_block
from antidiag.kernels.cpu.simd import (
    LANES,
    SHORT_LANES,
    add,
    any_lane,
    flag_lanes_after,
    greater_lanes,
    load,
    maximum,
    select_lanes,
    splat,
    splat_like,
    store,
    subtract,
)
from antidiag.kernels.cpu.table_lookup import look_up_lanes
from antidiag.kernels.pairwise.kernel_records import PairCosts
from antidiag.kernels.pairwise.strips.cpu_tile_kernels import find_first_column

LEAST, GREATEST = -(2**15), 2**15 - 1
ROW_MARGIN = 2 * SHORT_LANES - 1
ROOM_ROWS, SECOND_ROOM_ROWS = 7, 2
"""Rows of a tile that fit in ``room``: H and E, H of the upper row of a pair, H and E of the edge, scores of a step;
and with two-piece gap costs, before the scores, E2 and that of the edge."""


class StripProblem16(NamedTuple):
    """Inputs of 16-bit tiles of a strip, and their work space.

    Numbers of a cell lie at most ``margin`` below the floor; tiles have at most ``most_rows`` rows.
    """

    letters: np.ndarray
    profile: np.ndarray
    costs: PairCosts
    room: np.ndarray
    margin: int
    most_rows: int


@inline_njit
def find_lowest(row, column):
    """Return the least number of two arrays."""
    least = row[0]
    for value in row:
        least = min(least, value)
    for value in column:
        least = min(least, value)
    return least


@inline_njit
def narrow_values(source, less, target):
    """Store 32-bit numbers minus ``less`` as 16-bit numbers."""
    less = splat(less)
    for at in range(0, target.size, LANES):
        store(target, at, subtract(load(source, at), less))


@inline_njit
def widen_values(source, more, target):
    """Store 16-bit numbers plus ``more`` as 32-bit numbers."""
    for at in range(target.size):
        target[at] = source[at] + more


@inline_njit
def lane_ramp(first, step):
    """Return first, first - step, first - 2 step, ..., one number for each lane."""
    numbers = np.empty(SHORT_LANES, np.int16)
    for lane in range(SHORT_LANES):
        numbers[lane] = first - lane * step
    return load(numbers, 0)


@inline_njit
def load_row_pair_scores(letters, row, profile, columns, offsets, scores, block):
    """Load the scores of two rows, lane 0 at ``row``, in lane order; those of the second begin at ``block``."""
    for below in range(2):
        for lane in range(SHORT_LANES):
            letter = np.int64(letters[row + below - 2 * lane + ROW_MARGIN])
            offsets[lane] = letter * (columns + 1) * SHORT_LANES + lane * columns
        for c in range(0, columns, SHORT_LANES):
            transpose_block(profile, offsets, c, scores, below * block + c * SHORT_LANES)


@inline_njit
def copy_short_lane(source, lane, target):
    """Copy the columns of one lane."""
    for at in range(lane, target.size, SHORT_LANES):
        target[at] = source[at]


@inline_njit
def merge_best_cells_16(best, first, score, step, column, columns, base, rise):
    """Merge the best cells of the lanes of a 16-bit tile into ``best`` by the tie rule.

    The value of lane 0 lies ``base`` above its number, those of the other lanes ``rise`` more each.
    """
    kept = np.empty((3, SHORT_LANES), np.int16)
    store(kept[0], 0, score)
    store(kept[1], 0, step)
    store(kept[2], 0, column)
    start = best[0]
    for lane in range(SHORT_LANES):
        found, row = base + lane * rise + kept[0, lane], first + 1 + kept[1, lane] - 2 * lane
        if found > start and (found > best[0] or (found == best[0] and row < best[1])):
            best[0] = found
            best[1] = row
            best[2] = lane * columns + kept[2, lane] + 1


@inline_njit
def best_of_working(row_best, best_score, t, pairs):
    """Return the best of a row in the lanes that work on rows of the tile, and the former best in the others."""
    begun = select_lanes(flag_lanes_after(row_best, t), best_score, row_best)
    return select_lanes(flag_lanes_after(row_best, t - pairs), begun, best_score)


@inner_njit
def compute_tile_16(problem, table, borders, first, rows, best, ends, second=None):
    """Compute rows of a strip as `compute_score_tile` does, in 16 bits.

    ``table``, int16 (32), is None where scores come from a profile. Lanes work on two rows at a step, so that the
    values of a column are loaded and stored once for both: lane l on rows 2 (t - l) + 1 and 2 (t - l) + 2. ``first`` is
    even. A last row without a second one is computed cell by cell.
    """
    pairs = rows // 2
    if pairs > 0:
        compute_row_pairs(problem, table, borders, first, pairs, best, ends, second)
    if rows % 2 > 0:
        compute_single_row(problem, table, borders, first + rows, best, ends, second)


@inner_njit
def compute_row_pairs(problem, table, borders, first, pairs, best, ends, second):
    """Compute ``pairs`` pairs of rows below row ``first``; names as in `compute_tile_16`."""
    letters, profile, costs, room, margin, _ = problem
    edge, left, right = borders
    width, last = edge.shape[1], first + 2 * pairs
    columns, beta = width // SHORT_LANES, np.int64(costs.extend)
    alpha = costs.open_extend - beta
    H, E, upper = room[:width], room[width : 2 * width], room[2 * width : 3 * width]
    edge_H, edge_E = room[3 * width : 4 * width], room[4 * width : 5 * width]
    before_scores = 5
    if second is not None:
        before_scores = 7
        E2, edge_E2 = room[5 * width : 6 * width], room[6 * width : 7 * width]
        beta2 = np.int64(second.extend)
        alpha2 = second.open_extend - beta2
    scores, offsets = room[before_scores * width :], np.empty(SHORT_LANES, np.int64)
    floor_at = max(find_lowest(edge[0], left[0, first : last + 1]) - alpha - beta * width, costs.floor)
    base = floor_at - margin - LEAST
    narrow_values(edge[0], np.int32(base), edge_H)
    narrow_values(edge[1], np.int32(base + alpha), edge_E)
    least = splat_like(load(edge_H, 0), LEAST)
    opening, extend, twice = splat_like(least, alpha), splat_like(least, beta), splat_like(least, 2 * beta)
    if second is not None:
        narrow_values(edge[2], np.int32(base + alpha2), edge_E2)
        opening2, extend2 = splat_like(least, alpha2), splat_like(least, beta2)
        rise2, F2, F2_below = splat_like(least, beta - beta2), least, least
    floor = lane_ramp(LEAST + margin - beta, 2 * beta)
    highest = GREATEST - beta * (last - first + 2 * SHORT_LANES)
    best_score = lane_ramp(min(max(best[0] - base, LEAST), highest) - beta, 2 * beta)
    start = shift_in(load(edge_H, width - SHORT_LANES), np.int16(left[0, first] - base))
    diagonal_in, h, F, h_below, F_below = start, least, least, least, least
    best_step, best_column = least, least
    block = (columns + SHORT_LANES) * SHORT_LANES
    for t in range(pairs + SHORT_LANES - 1):
        row = first + 1 + 2 * t
        if t < SHORT_LANES:
            copy_short_lane(edge_H, t, H)
            copy_short_lane(edge_E, t, E)
            if second is not None:
                copy_short_lane(edge_E2, t, E2)
            diagonal_in = select_lanes(flag_lanes_after(least, t - 1), start, diagonal_in)
        if table is None:
            load_row_pair_scores(letters, row, profile, columns, offsets, scores, block)
        else:
            at = letters.size // 2 - SHORT_LANES - row // 2
            places, places_below, entries = load(letters, at), load(letters, letters.size // 2 + at), load(table, 0)
        beside, less = min(row, last - 1), base - beta * (2 * t + 1)
        h = shift_in(h, np.int16(left[0, beside] - less))
        F = shift_in(F, np.int16(left[1, beside] - alpha - less))
        if second is not None:
            F2 = shift_in(F2, np.int16(left[2, beside] - alpha2 - less))
        diagonal, diagonal_below = diagonal_in, h
        less -= beta
        h_below = shift_in(h_below, np.int16(left[0, beside + 1] - less))
        F_below = shift_in(F_below, np.int16(left[1, beside + 1] - alpha - less))
        if second is not None:
            F2_below = shift_in(F2_below, np.int16(left[2, beside + 1] - alpha2 - less))
        diagonal_in = h_below
        floor, best_score = add(floor, twice), add(best_score, twice)
        floor_below, row_best, row_best_below = add(floor, extend), least, least
        for at in range(0, width, SHORT_LANES):
            above, gap = load(H, at), load(E, at)
            if table is None:
                score, score_below = load(scores, at), load(scores, block + at)
            else:
                place = load(profile, at)
                score, score_below = (
                    look_up_lanes(entries, add(places, place)),
                    look_up_lanes(entries, add(places_below, place)),
                )
            f = subtract(F, extend)
            h = maximum(maximum(maximum(add(diagonal, score), gap), floor), f)
            if second is not None:
                gap2, f2 = add(load(E2, at), rise2), subtract(F2, extend2)
                h = maximum(h, maximum(gap2, f2))
                opened = subtract(h, opening2)
                F2, gap2 = maximum(f2, opened), add(maximum(gap2, opened), rise2)
            opened = subtract(h, opening)
            F, gap = maximum(f, opened), maximum(gap, opened)
            f = subtract(F_below, extend)
            h_below = maximum(maximum(maximum(add(diagonal_below, score_below), gap), floor_below), f)
            if second is not None:
                f2 = subtract(F2_below, extend2)
                h_below = maximum(h_below, maximum(gap2, f2))
                opened = subtract(h_below, opening2)
                F2_below = maximum(f2, opened)
                store(E2, at, maximum(gap2, opened))
            opened = subtract(h_below, opening)
            F_below = maximum(f, opened)
            store(upper, at, h)
            store(H, at, h_below)
            store(E, at, maximum(gap, opened))
            diagonal, diagonal_below = above, h
            row_best, row_best_below = maximum(row_best, h), maximum(row_best_below, h_below)
        if any_lane(greater_lanes(maximum(row_best, subtract(row_best_below, extend)), best_score)):
            for below in range(2):
                found = row_best_below if below else row_best
                inside = H if below else upper
                reached = best_of_working(subtract(found, extend) if below else found, best_score, t, pairs)
                improved = greater_lanes(reached, best_score)
                best_score = maximum(reached, best_score)
                best_step = select_lanes(improved, splat_like(least, 2 * t + below), best_step)
                best_column = select_lanes(improved, find_first_column(inside, found, columns), best_column)
        if ends.place >= 0 and 0 <= t - ends.place % SHORT_LANES < pairs:
            pair = t - ends.place % SHORT_LANES
            done, more = first + 1 + 2 * pair, base - 2 * beta * (pair + 1)
            ends.last_column[0, done] = more + beta + upper[ends.place]
            ends.last_column[0, done + 1] = more + H[ends.place]
        if t >= SHORT_LANES - 1:
            done, more = row - 2 * (SHORT_LANES - 1), less + 2 * beta * (SHORT_LANES - 1)
            right[0, done + 1] = more + last_lane(h_below)
            right[1, done + 1] = more + alpha + last_lane(F_below)
            right[0, done] = more + beta + last_lane(h)
            right[1, done] = more + beta + alpha + last_lane(F)
            if second is not None:
                right[2, done + 1] = more + alpha2 + last_lane(F2_below)
                right[2, done] = more + beta + alpha2 + last_lane(F2)
        if t >= pairs - 1:
            copy_short_lane(H, t - pairs + 1, edge_H)
            copy_short_lane(E, t - pairs + 1, edge_E)
            if second is not None:
                copy_short_lane(E2, t - pairs + 1, edge_E2)
    widen_values(edge_H, base - 2 * beta * pairs, edge[0])
    widen_values(edge_E, base - 2 * beta * pairs + alpha, edge[1])
    if second is not None:
        widen_values(edge_E2, base - 2 * beta * pairs + alpha2, edge[2])
    of_lane_0 = base - beta * (2 * (pairs + SHORT_LANES - 2) + 1)
    merge_best_cells_16(best, first, best_score, best_step, best_column, columns, of_lane_0, 2 * beta)


@inner_njit
def compute_single_row(problem, table, borders, row, best, ends, second):
    """Compute one row, cell by cell, by the recurrence of cpu_tile_kernels.py."""
    letters, profile, costs, _, _, _ = problem
    edge, left, right = borders
    width = edge.shape[1]
    columns = width // SHORT_LANES
    diagonal, h, K = left[0, row - 1], left[0, row], left[1, row]
    if second is not None:
        K2 = left[2, row]
    for column in range(width):
        at = column % columns * SHORT_LANES + column // columns
        if table is None:
            score = profile[np.int64(letters[row + ROW_MARGIN]) * (width + SHORT_LANES) + column]
        else:
            score = table[letters[letters.size // 2 * (2 - row % 2) - SHORT_LANES - (row - 1) // 2] + profile[at]]
        G = edge[1, at]
        T = max(diagonal + score - costs.extend, G - costs.open_extend, costs.floor)
        U = T
        if second is not None:
            G2 = edge[2, at]
            T = max(T, G2 - second.open_extend)
            U = max(T, K2 - second.open_extend)
            K2 = max(K2 - second.extend, T)
        h = max(U, K - costs.open_extend)
        K = max(K - costs.extend, U)
        if second is not None:
            edge[2, at] = max(G2 - second.extend, h)
        diagonal = edge[0, at]
        edge[0, at] = h
        edge[1, at] = max(G - costs.extend, h)
        if h > best[0]:
            best[0], best[1], best[2] = h, row, column + 1
    right[0, row] = h
    right[1, row] = K
    if second is not None:
        right[2, row] = K2
    if ends.place >= 0:
        ends.last_column[0, row] = edge[0, ends.place]
