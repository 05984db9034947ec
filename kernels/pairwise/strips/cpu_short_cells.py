"""The cells of a strip on the CPU in 16 bits: as cpu_cells.py, with 32 lanes in a register. Compiled code only.

Values of row r of a tile, counted from the row above it, are kept less a base and plus r beta, so that to extend a gap
downwards costs nothing. With E and F as they are before they are extended into a cell, and floor = C + r beta:

    f = F - beta
    H = max(diagonal + score + beta, E, floor, f)
    E = max(E, H - alpha)         F = max(f, H - alpha)

C is the floor of the matrix or a number that no H of the tile is below, whichever is greater. That no value leaves 16
bits follows from how much values of neighbouring cells differ (short_rows in cpu_sizes.py): all of them are those of
32 bits. In terms of cpu_cells.py, E = G - alpha and F = K - alpha, but for what is added.

Scores are looked up in a register where the letters are few: a table of up to 32 numbers by row and column letter.
Otherwise they come from a profile, as in cpu_cells.py. Both hold the scores plus beta.

    edge    int32 (2, s) in lane order of 32 lanes; ``left`` and ``right`` as in cpu_cells.py
    letters int16, from the last row to the first: letters[size - 32 - row] is where the letter of a row begins in the
            table; or, with a profile, uint8: letters[row + 31] is its number; 31 or more beyond each end
    profile int16 (s) in lane order: what the letter of a column adds to that place; or int16 (letters, s + 32), flat
    room    int16, ROOM_ROWS rows and a block of scores; it and a profile in lane order begin where a cache line does
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
    any_lane,
    greater,
    lanes_after,
    last_lane,
    load,
    maximum,
    select,
    shift_in,
    splat,
    splat_like,
    store,
    subtract,
)
from kernels.pairwise.records import Costs
from kernels.pairwise.strips.cpu_cells import first_column, step_scores

LEAST, GREATEST = -(2**15), 2**15 - 1
ROOM_ROWS = 5
"""Rows of a tile that fit in ``room``: H and E, those of the edge, the scores of a step."""


class ShortProblem(NamedTuple):
    """What the cells of a strip are computed from in 16 bits, and the room for it. Numbers of a cell lie at most
    ``margin`` below the floor; tiles have at most ``most_rows``."""

    letters: np.ndarray
    profile: np.ndarray
    costs: Costs
    room: np.ndarray
    margin: int
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
    """Numbers of 32 bits less one, in 16."""
    less = splat(less)
    for at in range(0, target.size, LANES):
        store(target, at, subtract(load(source, at), less))


@inlined
def lengthened(source, more, target):
    """Numbers of 16 bits and one, in 32."""
    for at in range(target.size):
        target[at] = source[at] + more


@inlined
def rising(first, step):
    """first, first - step, first - 2 step ..., a number for each lane."""
    numbers = np.empty(SHORT_LANES, np.int16)
    for lane in range(SHORT_LANES):
        numbers[lane] = first - lane * step
    return load(numbers, 0)


@inlined
def copy_short_lane(source, lane, target):
    """Copy the columns of one lane."""
    for at in range(lane, target.size, SHORT_LANES):
        target[at] = source[at]


@inlined
def keep_best_short(best, first, score, step, column, columns, base, rise):
    """As keep_best, of lanes that found their best cell at a step of the tile; that of lane 0 lies ``base`` above its
    number, those of the others ``rise`` more each."""
    kept = np.empty((3, SHORT_LANES), np.int16)
    store(kept[0], 0, score)
    store(kept[1], 0, step)
    store(kept[2], 0, column)
    start = best[0]
    for lane in range(SHORT_LANES):
        found, row = base + lane * rise + kept[0, lane], first + 1 + kept[1, lane] - lane
        if found > start and (found > best[0] or (found == best[0] and row < best[1])):
            best[0] = found
            best[1] = row
            best[2] = lane * columns + kept[2, lane] + 1


@compiled
def short_tile(problem, table, borders, first, rows, best):
    """As score_tile, in 16 bits; ``table``, int16 (32), is None where scores come from a profile."""
    letters, profile, costs, room, margin, _ = problem
    edge, left, right = borders
    width, last = edge.shape[1], first + rows
    columns, beta = width // SHORT_LANES, np.int64(costs.extend)
    alpha = costs.open_extend - beta
    H, E = room[:width], room[width : 2 * width]
    edge_H, edge_E = room[2 * width : 3 * width], room[3 * width : 4 * width]
    scores, offsets = room[4 * width :], np.empty(SHORT_LANES, np.int64)
    floor_at = max(lowest(edge[0], left[0, first : last + 1]) - alpha - beta * width, costs.floor)
    base = floor_at - margin - LEAST
    shortened(edge[0], np.int32(base), edge_H)
    shortened(edge[1], np.int32(base + alpha), edge_E)
    least = splat_like(load(edge_H, 0), LEAST)
    opening, extend = splat_like(least, alpha), splat_like(least, beta)
    floor = rising(LEAST + margin, beta)
    best_score = rising(min(max(best[0] - base, LEAST), GREATEST - beta * (rows + SHORT_LANES)), beta)
    start = shift_in(load(edge_H, width - SHORT_LANES), np.int16(left[0, first] - base))
    diagonal_in, h, F = start, least, least
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
        beside, less = min(row, last), base - beta * (t + 1)
        h = shift_in(h, np.int16(left[0, beside] - less))
        F = shift_in(F, np.int16(left[1, beside] - alpha - less))
        floor, best_score = add(floor, extend), add(best_score, extend)
        diagonal, diagonal_in, row_best = diagonal_in, h, least
        for at in range(0, width, SHORT_LANES):
            above, gap = load(H, at), load(E, at)
            score = load(scores, at) if table is None else look_up(entries, add(places, load(profile, at)))
            f = subtract(F, extend)
            h = maximum(maximum(maximum(add(diagonal, score), gap), floor), f)
            opened = subtract(h, opening)
            F = maximum(f, opened)
            store(H, at, h)
            store(E, at, maximum(gap, opened))
            diagonal, row_best = above, maximum(row_best, h)
        if any_lane(greater(row_best, best_score)):
            row_best = select(lanes_after(least, t), best_score, row_best)
            row_best = select(lanes_after(least, t - rows), row_best, best_score)
            improved = greater(row_best, best_score)
            best_score = maximum(row_best, best_score)
            best_step = select(improved, splat_like(least, t), best_step)
            best_column = select(improved, first_column(H, row_best, columns), best_column)
        if t >= SHORT_LANES - 1:
            more = less + beta * (SHORT_LANES - 1)
            right[0, row - SHORT_LANES + 1] = more + last_lane(h)
            right[1, row - SHORT_LANES + 1] = more + alpha + last_lane(F)
        if t >= rows - 1:
            copy_short_lane(H, t - rows + 1, edge_H)
            copy_short_lane(E, t - rows + 1, edge_E)
    lengthened(edge_H, base - beta * rows, edge[0])
    lengthened(edge_E, base - beta * rows + alpha, edge[1])
    keep_best_short(
        best, first, best_score, best_step, best_column, columns, base - beta * (rows + SHORT_LANES - 1), beta
    )
