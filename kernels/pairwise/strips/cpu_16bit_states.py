"""Compiled kernels of a strip in 16 bits with start states: `compute_state_tile` with 32 lanes in a register.

Values are stored as cpu_16bit_kernels.py says, one row at a step: relative to a base, and plus beta for each row. A
state has 16 bits as well: a kind (start_states.py), and a place that is local to the tile: the row within it, counted
from the row above it, or a column in that row. What leaves the tile gets 32-bit states; for a place in the row above
that is the state of that row.

Every choice is the one that 32 bits make. Where the floor is raised to what no H is below, it is raised to one less, so
that a value that it hides is never as good as another.

    letters with a table, int16: where the letters of rows begin in it, from the last row to the first, ending with 31
            places more and one for row 1 before them: lane 0 on row r has place L - 31 - r of L
    room    int16, STATE_ROOM_ROWS rows and a block of scores; all else as in cpu_16bit_kernels.py
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.cpu.lane_moves import last_lane, shift_in, transpose_block
from antidiag.kernels.cpu.simd import (
    SHORT_LANES,
    add,
    any_lane,
    equal_lanes,
    flag_lanes_after,
    greater_lanes,
    load,
    maximum,
    select_lanes,
    splat_like,
    store,
    subtract,
)
from antidiag.kernels.cpu.table_lookup import look_up_lanes
from antidiag.kernels.pairwise.strips.cpu_16bit_kernels import (
    GREATEST,
    LEAST,
    ROW_MARGIN,
    best_of_working,
    copy_short_lane,
    find_lowest,
    lane_ramp,
    narrow_values,
    widen_values,
)
from antidiag.kernels.pairwise.strips.cpu_sizes import SHORT_PLACES
from antidiag.kernels.pairwise.strips.cpu_tile_kernels import find_first_column
from antidiag.kernels.pairwise.strips.start_states import (
    KIND_H,
    KIND_K,
    KIND_K2,
    KIND_NEW,
    KIND_TOP_G,
    KIND_TOP_G2,
    KIND_TOP_H,
    PLACE_BITS,
)

STATE_ROOM_ROWS, SECOND_STATE_ROOM_ROWS = 9, 4
"""Rows of a tile that fit in ``room``: H and E and their states, the same of the edge, scores of a step; and with
two-piece gap costs E2 and its states, and the same of the edge."""


@inline_njit
def pack_state(kind, place):
    """Return a 16-bit state."""
    return np.int16(kind * SHORT_PLACES + place)


@inline_njit
def unpack_state(code, first, above):
    """Return the 32-bit state of a 16-bit one; ``above`` int32 (2 or 3, s): the states of H, G, G2 above the tile."""
    code = np.int64(code) & 0xFFFF
    kind, place = code // SHORT_PLACES, code % SHORT_PLACES
    if kind == KIND_TOP_G2:
        return np.int64(above[2, place])
    if KIND_TOP_H <= kind <= KIND_TOP_G:
        return np.int64(above[kind - KIND_TOP_H, place])
    return kind << PLACE_BITS | (first + place)


@inline_njit
def load_row_scores(letters, row, profile, columns, offsets, scores):
    """Load the scores of a step, lane 0 at ``row``, in lane order."""
    for lane in range(SHORT_LANES):
        letter = np.int64(letters[row - lane + ROW_MARGIN])
        offsets[lane] = letter * (columns + 1) * SHORT_LANES + lane * columns
    for c in range(0, columns, SHORT_LANES):
        transpose_block(profile, offsets, c, scores, c * SHORT_LANES)


@inline_njit
def pick_column(inside, column, columns):
    """Return in each lane the number in its ``column``."""
    found = column
    for c in range(columns):
        found = select_lanes(equal_lanes(splat_like(column, c), column), load(inside, c * SHORT_LANES), found)
    return found


@inline_njit
def merge_best_states(best, first, lanes_best, columns, base, rise, above):
    """Merge the best cells of the lanes (score, step, column, state) into ``best`` by the tie rule.

    The value of lane 0 lies ``base`` above its number, those of the other lanes ``rise`` more each.
    """
    kept = np.empty((4, SHORT_LANES), np.int16)
    for part in range(4):
        store(kept[part], 0, lanes_best[part])
    start = best[0]
    for lane in range(SHORT_LANES):
        found, row = base + lane * rise + kept[0, lane], first + 1 + kept[1, lane] - lane
        if found > start and (found > best[0] or (found == best[0] and row < best[1])):
            best[0] = found
            best[1] = row
            best[2] = lane * columns + kept[2, lane] + 1
            best[3] = unpack_state(kept[3, lane], first, above)


@inner_njit
def compute_state_tile_16(problem, table, borders, states, first, rows, best, ends, second=None):
    """Compute rows of a strip as `compute_state_tile` does, in 16 bits.

    ``table``, int16 (32), is None where scores come from a profile.
    """
    letters, profile, costs, room, margin, _ = problem
    edge, left, right = borders
    width, last = edge.shape[1], first + rows
    columns, beta = width // SHORT_LANES, np.int64(costs.extend)
    alpha = costs.open_extend - beta
    parts = edge.shape[0]
    values = parts // 2
    inside = room[: parts * width].reshape(parts, width)
    outside = room[parts * width : 2 * parts * width].reshape(parts, width)
    H, E, H_states, E_states = inside[0], inside[1], inside[values], inside[values + 1]
    scores, offsets = room[2 * parts * width :], np.empty(SHORT_LANES, np.int64)
    above = edge[values:].copy()
    floor_at = max(find_lowest(edge[0], left[0, first : last + 1]) - alpha - beta * width, costs.floor + 1) - 1
    base = floor_at - margin - LEAST
    narrow_values(edge[0], np.int32(base), outside[0])
    narrow_values(edge[1], np.int32(base + alpha), outside[1])
    for place in range(width):
        outside[values, place] = pack_state(KIND_TOP_H, place)
        outside[values + 1, place] = pack_state(KIND_TOP_G, place)
    least = splat_like(load(outside[0], 0), LEAST)
    if second is not None:
        beta2 = np.int64(second.extend)
        alpha2 = second.open_extend - beta2
        E2, E2_states, F2, F2_state = inside[2], inside[5], least, least
        narrow_values(edge[2], np.int32(base + alpha2), outside[2])
        for place in range(width):
            outside[5, place] = pack_state(KIND_TOP_G2, place)
        opening2, extend2, rise2 = splat_like(least, alpha2), splat_like(least, beta2), splat_like(least, beta - beta2)
    opening, extend, one = splat_like(least, alpha), splat_like(least, beta), splat_like(least, 1)
    floor, new_state = lane_ramp(LEAST + margin, beta), lane_ramp(pack_state(KIND_NEW, 0), 1)
    highest = GREATEST - beta * (rows + 2 * SHORT_LANES)
    best_score = lane_ramp(min(max(best[0] - base, LEAST), highest), beta)
    start = shift_in(load(outside[0], width - SHORT_LANES), np.int16(left[0, first] - base))
    start_states = shift_in(load(outside[values], width - SHORT_LANES), pack_state(KIND_H, 0))
    diagonal_in, diagonal_in_state, h, F, h_state, F_state = start, start_states, least, least, least, least
    best_step, best_column, best_state = least, least, least
    for t in range(rows + SHORT_LANES - 1):
        row = first + 1 + t
        if t < SHORT_LANES:
            for part in range(parts):
                copy_short_lane(outside[part], t, inside[part])
            begun = flag_lanes_after(least, t - 1)
            diagonal_in = select_lanes(begun, start, diagonal_in)
            diagonal_in_state = select_lanes(begun, start_states, diagonal_in_state)
        if table is None:
            load_row_scores(letters, row, profile, columns, offsets, scores)
        else:
            places, entries = load(letters, letters.size - SHORT_LANES + 1 - row), load(table, 0)
        beside, less = min(row, last), base - beta * (t + 1)
        h = shift_in(h, np.int16(left[0, beside] - less))
        F = shift_in(F, np.int16(left[1, beside] - alpha - less))
        h_state = shift_in(h_state, pack_state(KIND_H, t + 1))
        F_state = shift_in(F_state, pack_state(KIND_K, t + 1))
        if second is not None:
            F2 = shift_in(F2, np.int16(left[2, beside] - alpha2 - less))
            F2_state = shift_in(F2_state, pack_state(KIND_K2, t + 1))
        diagonal, diagonal_state, diagonal_in, diagonal_in_state = diagonal_in, diagonal_in_state, h, h_state
        floor, best_score, new_state, row_best = add(floor, extend), add(best_score, extend), add(new_state, one), least
        for at in range(0, width, SHORT_LANES):
            upper, gap, upper_state, gap_state = load(H, at), load(E, at), load(H_states, at), load(E_states, at)
            score = load(scores, at) if table is None else look_up_lanes(entries, add(places, load(profile, at)))
            T, f = add(diagonal, score), subtract(F, extend)
            T_state = select_lanes(greater_lanes(gap, T), gap_state, diagonal_state)
            T = maximum(T, gap)
            if second is not None:
                gap2, gap2_state, f2 = add(load(E2, at), rise2), load(E2_states, at), subtract(F2, extend2)
                T_state = select_lanes(greater_lanes(gap2, T), gap2_state, T_state)
                T = maximum(T, gap2)
            T_state = select_lanes(greater_lanes(T, floor), T_state, new_state)
            T = maximum(T, floor)
            h_state = select_lanes(greater_lanes(f, T), F_state, T_state)
            h = maximum(T, f)
            if second is not None:
                h_state = select_lanes(greater_lanes(f2, h), F2_state, h_state)
                h = maximum(h, f2)
                opened = subtract(T, opening2)
                F2_state = select_lanes(greater_lanes(f2, opened), F2_state, T_state)
                F2 = maximum(f2, opened)
                opened = subtract(h, opening2)
                store(E2, at, maximum(gap2, opened))
                store(E2_states, at, select_lanes(greater_lanes(gap2, opened), gap2_state, h_state))
            opened = subtract(T, opening)
            F_state = select_lanes(greater_lanes(f, opened), F_state, T_state)
            F = maximum(f, opened)
            opened = subtract(h, opening)
            store(H, at, h)
            store(H_states, at, h_state)
            store(E, at, maximum(gap, opened))
            store(E_states, at, select_lanes(greater_lanes(gap, opened), gap_state, h_state))
            diagonal, diagonal_state, row_best = upper, upper_state, maximum(row_best, h)
        if any_lane(greater_lanes(row_best, best_score)):
            reached = best_of_working(row_best, best_score, t, rows)
            improved = greater_lanes(reached, best_score)
            best_score = maximum(reached, best_score)
            column = find_first_column(H, row_best, columns)
            best_step = select_lanes(improved, splat_like(least, t), best_step)
            best_column = select_lanes(improved, column, best_column)
            best_state = select_lanes(improved, pick_column(H_states, column, columns), best_state)
        if ends.place >= 0 and 0 <= t - ends.place % SHORT_LANES < rows:
            below = t - ends.place % SHORT_LANES + 1
            ends.last_column[0, first + below] = base - beta * below + H[ends.place]
            ends.last_column[1, first + below] = unpack_state(H_states[ends.place], first, above)
        if t >= SHORT_LANES - 1:
            done, more = row - (SHORT_LANES - 1), base - beta * (t + 2 - SHORT_LANES)
            right[0, done] = more + last_lane(h)
            right[1, done] = more + alpha + last_lane(F)
            states[0, done] = unpack_state(last_lane(h_state), first, above)
            states[1, done] = unpack_state(last_lane(F_state), first, above)
            if second is not None:
                right[2, done] = more + alpha2 + last_lane(F2)
                states[2, done] = unpack_state(last_lane(F2_state), first, above)
        if t >= rows - 1:
            for part in range(parts):
                copy_short_lane(inside[part], t - rows + 1, outside[part])
    widen_values(outside[0], base - beta * rows, edge[0])
    widen_values(outside[1], base - beta * rows + alpha, edge[1])
    if second is not None:
        widen_values(outside[2], base - beta * rows + alpha2, edge[2])
    for part in range(values, parts):
        for place in range(width):
            edge[part, place] = unpack_state(outside[part, place], first, above)
    of_lane_0 = base - beta * (rows + SHORT_LANES - 1)
    lanes_best = best_score, best_step, best_column, best_state
    merge_best_states(best, first, lanes_best, columns, of_lane_0, beta, above)
