"""The cells of a strip on the CPU in 16 bits: as cpu_cells.py, with 32 lanes in a register. Compiled code only.

Values of a tile are kept less a base, so that the least number, -32768, stands for a floor C that no H of the tile is
below. Additions stop at that number, so the floor costs nothing:

    H = max(diagonal + score, E, F)         E = max(E - beta, H - oe)         F = max(F - beta, H - oe)

Here E and F are the gap states that a cell takes from above and from the left: those of cpu_cells.py less oe. What
would lie below C becomes C, in E and F alone, and never wins: where C is above the floor of the matrix, it is below
every H - oe; where it is the floor, the floor takes its place. So H is that of 32 bits, and so are G and K, but for
some that lie below oe in a local matrix, from which nothing comes.

That no H lies above the greatest number follows from how much values of neighbouring cells differ (cpu_sizes.py).

Scores are looked up in a register where the letters are few: a table of up to 32 numbers by row and column letter.
Otherwise they come from a profile, as in cpu_cells.py.

    edge    int32 (2, s) in lane order of 32 lanes; ``left`` and ``right`` as in cpu_cells.py
    letters int16, from the last row to the first: letters[size - 32 - row] is the first place in the table of the letter
            of a row; or, with a profile, uint8: letters[row + 31] is its number; 31 or more beyond each end
    profile int16 (s) in lane order: what the letter of a column adds to that place; or int16 (letters, s + 32), flat
    room    int16, ROOM_ROWS rows and a block of scores, at whose beginning a cache line begins
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernels.cpu.jit import compiled, inlined
from kernels.cpu.lookup import look_up
from kernels.cpu.simd import (
    LANES,
    SHORT_LANES,
    add,
    add_saturated,
    any_lane,
    greater,
    lanes_after,
    last_lane,
    load,
    maximum,
    minimum,
    select,
    shift_in,
    splat,
    splat_like,
    store,
    subtract,
    subtract_saturated,
)
from kernels.pairwise.records import Costs
from kernels.pairwise.strips.cpu_cells import first_column, step_scores

LEAST, GREATEST = -(2**15), 2**15 - 1
ROOM_ROWS = 5
"""Rows of a tile that fit in ``room``: H and E, those of the edge, the scores of a step."""


class ShortProblem(NamedTuple):
    """What the cells of a strip are computed from in 16 bits, and the room for it; tiles have at most so many rows."""

    letters: np.ndarray
    profile: np.ndarray
    costs: Costs
    room: np.ndarray
    most_rows: int


@inlined
def lowest(row, column):
    """The least number of two arrays."""
    least = row[0]
    for value in row:
        least = min(least, value)
    for value in column:
        least = min(least, value)
    return least


@inlined
def shortened(source, less, target):
    """Numbers of 32 bits less one, in 16; those below the least become that."""
    less, least, greatest = splat(less), splat(np.int32(LEAST)), splat(np.int32(GREATEST))
    for at in range(0, target.size, LANES):
        store(target, at, minimum(maximum(subtract(load(source, at), less), least), greatest))


@inlined
def lengthened(H, E, base, open_extend, edge):
    """H and E of a row as those of the edge; where E is the least number, G is H."""
    for at in range(H.size):
        gap = E[at]
        edge[0, at] = base + H[at]
        edge[1, at] = base + (gap + open_extend if gap > LEAST else H[at])


@inlined
def copy_short_lane(source, lane, target):
    """Copy the columns of one lane."""
    for at in range(lane, target.size, SHORT_LANES):
        target[at] = source[at]


@inlined
def keep_best_short(best, base, first, score, step, column, columns):
    """As keep_best, of lanes that found their best cell at a step of the tile."""
    kept = np.empty((3, SHORT_LANES), np.int16)
    store(kept[0], 0, score)
    store(kept[1], 0, step)
    store(kept[2], 0, column)
    start = best[0]
    for lane in range(SHORT_LANES):
        found, row = base + np.int32(kept[0, lane]), first + 1 + kept[1, lane] - lane
        if found > start and (found > best[0] or (found == best[0] and row < best[1])):
            best[0] = found
            best[1] = row
            best[2] = lane * columns + kept[2, lane] + 1


@compiled
def short_tile(problem, table, borders, first, rows, best):
    """As score_tile, in 16 bits; ``table``, int16 (32), is None where scores come from a profile."""
    letters, profile, costs, room, _ = problem
    edge, left, right = borders
    width, last = edge.shape[1], first + rows
    columns = width // SHORT_LANES
    H, E = room[:width], room[width : 2 * width]
    edge_H, edge_E = room[2 * width : 3 * width], room[3 * width : 4 * width]
    scores, offsets = room[4 * width :], np.empty(SHORT_LANES, np.int64)
    below = costs.open_extend * 2 + costs.extend * (width + 1) + 1
    base = np.int32(max(lowest(edge[0], left[0, first : last + 1]) - below, costs.floor) - LEAST)
    shortened(edge[0], base, edge_H)
    shortened(edge[1], np.int32(base + costs.open_extend), edge_E)
    least = splat_like(load(edge_H, 0), LEAST)
    open_extend, extend = splat_like(least, costs.open_extend), splat_like(least, costs.extend)
    start = shift_in(load(edge_H, width - SHORT_LANES), np.int16(left[0, first] - base))
    diagonal_in, h, F = start, least, least
    best_score = splat_like(least, min(max(best[0] - base, LEAST), GREATEST))
    best_step, best_column = least, least
    for t in range(rows + SHORT_LANES - 1):
        row = first + 1 + t
        if t < SHORT_LANES:
            copy_short_lane(edge_H, t, H)
            copy_short_lane(edge_E, t, E)
            diagonal_in = select(lanes_after(least, t - 1), start, diagonal_in)
        if table is None:
            step_scores(letters, row, profile, columns, offsets, scores, SHORT_LANES)
        else:
            places = load(letters, letters.size - SHORT_LANES - row)
            entries = load(table, 0)
        beside = min(row, last)
        h = shift_in(h, np.int16(left[0, beside] - base))
        F = shift_in(F, np.int16(max(left[1, beside] - costs.open_extend - base, LEAST)))
        diagonal, diagonal_in, row_best = diagonal_in, h, least
        for at in range(0, width, SHORT_LANES):
            above, E_here = load(H, at), load(E, at)
            if table is None:
                score = load(scores, at)
            else:
                score = look_up(entries, add(places, load(profile, at)))
            h = maximum(maximum(add_saturated(diagonal, score), E_here), F)
            opened = subtract_saturated(h, open_extend)
            F = maximum(subtract_saturated(F, extend), opened)
            store(H, at, h)
            store(E, at, maximum(subtract_saturated(E_here, extend), opened))
            diagonal, row_best = above, maximum(row_best, h)
        if any_lane(greater(row_best, best_score)):
            row_best = select(lanes_after(least, t), best_score, row_best)
            row_best = select(lanes_after(least, t - rows), row_best, best_score)
            improved = greater(row_best, best_score)
            best_score = maximum(row_best, best_score)
            best_step = select(improved, splat_like(least, t), best_step)
            best_column = select(improved, first_column(H, row_best, columns), best_column)
        if t >= SHORT_LANES - 1:
            right[0, row - SHORT_LANES + 1] = base + last_lane(h)
            gap = last_lane(F)
            right[1, row - SHORT_LANES + 1] = base + (gap + costs.open_extend if gap > LEAST else last_lane(h))
        if t >= rows - 1:
            copy_short_lane(H, t - rows + 1, edge_H)
            copy_short_lane(E, t - rows + 1, edge_E)
    lengthened(edge_H, edge_E, base, costs.open_extend, edge)
    keep_best_short(best, base, first, best_score, best_step, best_column, columns)
