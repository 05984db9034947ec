"""Compiled kernels of a strip on the CPU: 16 lanes compute a tile of rows.

The recurrence (Li et al. 2012, section III), with alpha = open, beta = extend, oe = alpha + beta. The gap states are
kept shifted by the opening cost, G = max(E + alpha, H) and K = max(F + alpha, H), so that each is one subtraction and
one maximum. One cell, given the diagonal neighbour's H, G from above and K from the left:

    T = max(diagonal + score, G - oe, floor)        floor = 0 (local) or minus infinity (global)
    H = max(T, K - oe)
    K = max(K - beta, T)                            T in place of H is the same, because alpha >= 0
    G = max(G - beta, H)

With two-piece gap costs there are a G2 and a K2 of the second piece, and

    T = max(diagonal + score, G - oe, G2 - oe2, floor)
    U = max(T, K2 - oe2)                            H = max(U, K - oe)
    K = max(K - beta, U)                            K2 = max(K2 - beta2, T)
    G = max(G - beta, H)                            G2 = max(G2 - beta2, H)

K and K2 are the same as with H in place of U and T: a gap never gains by changing its piece. The second piece is an
argument of its own, ``second``; where it is None, Numba drops all that belongs to it before it compiles.

Lanes. A tile has s = 16 R columns. Lane l owns columns l R .. l R + R - 1 and works on row t - l at step t, so
that the cells of a step lie on a steep antidiagonal. H and K leave a lane at its last column and enter the next
one at the next step, by a shift; lane 0 takes them from the left boundary, lane 15 gives them to the right one.
Lanes whose row lies outside the tile compute numbers that nobody reads: a lane loads its part of the top row just
before its first row, and stores its part of the bottom row just after its last.

Memory. Rows of a tile are in lane order: column c of lane l is element 16 c + l, so that a column of all lanes is one
vector (``to_lane_order``). The substitution scores of a step come from the strip's profile (a row of s scores for each
letter): lane l needs R neighbouring scores of the row of its own letter, and blocks of 16 x 16 are transposed into
vectors.

    edge    int32 (2, s) in lane order: H and G of the row above the tile, then of its last row; (3, s) with G2
    left    int32 (2, rows + 16): H and K of the boundary column, indexed by row; row 0 is that of the edge; (3, ...)
            with K2
    right   the same, written
    letters uint8: letters[row + 15] is the letter of a row; 15 more at each end
    profile int8 or int32 (letters, s + 16), flat; columns beyond the end of the sequence score 0

Ties (the same rule for recurrence and path): diagonal before E before F, opening before extending. Columns beyond the
end of the sequence never win: nothing flows from them to the left, and their H is at most that of a cell to the left
in the same row or of one further up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.lane_moves import last_lane, shift_in, transpose_block
from antidiag.kernels.cpu.simd import (
    LANES,
    add,
    any_lane,
    bit_and,
    equal_lanes,
    greater_lanes,
    lane_count,
    lane_numbers,
    load,
    maximum,
    select_lanes,
    splat,
    splat_like,
    store,
    subtract,
)
from antidiag.kernels.pairwise.kernel_records import PairCosts
from antidiag.kernels.pairwise.strips.cpu_sizes import MARGIN
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

NEW_STATE = KIND_NEW << PLACE_BITS
"""A new path at row 0."""


class StripProblem(NamedTuple):
    """Letters, profile and costs of a strip, as in Memory above."""

    letters: np.ndarray
    profile: np.ndarray
    costs: PairCosts


class StripBorders(NamedTuple):
    """The values around a strip, as in Memory above; ``edge`` moves down with the tiles."""

    edge: np.ndarray
    left: np.ndarray
    right: np.ndarray


class StripEnds(NamedTuple):
    """Where paths may end on the lower and the right border of the matrix.

    ``last_row`` is the number of the last row, or -1 where they do not end there; ``columns`` are those of the strip.
    ``place`` is that of the last column of the matrix in lane order, or -1 where the strip has none where they end;
    ``last_column``, int32 (2, m + 16), gets H of it and its start states, where there are any.
    """

    last_row: int
    columns: int
    place: int
    last_column: np.ndarray


NO_ENDS = StripEnds(-1, 0, -1, np.zeros((2, 0), np.int32))
"""The ends of a strip where none is kept."""


def find_lane_place(column: int, width: int, lanes: int) -> int:
    """Return the place of a column, counted from 0, of a tile of ``width`` columns in lane order."""
    return column % (width // lanes) * lanes + column // (width // lanes)


def to_lane_order(row: np.ndarray, lanes: int = LANES) -> np.ndarray:
    """Return a row of s columns in lane order."""
    return np.ascontiguousarray(row.reshape(lanes, -1).T).ravel()


def from_lane_order(row: np.ndarray, lanes: int = LANES) -> np.ndarray:
    """Return a row in lane order in the order of the matrix."""
    return np.ascontiguousarray(row.reshape(-1, lanes).T).ravel()


@inline_njit
def copy_lane(source, lane, target):
    """Copy the columns of one lane."""
    chosen = equal_lanes(lane_numbers(), splat(np.int32(lane)))
    for at in range(0, target.size, LANES):
        store(target, at, select_lanes(chosen, load(source, at), load(target, at)))


@inline_njit
def fill_lane(value, lane, target):
    """Set the columns of one lane."""
    chosen = equal_lanes(lane_numbers(), splat(np.int32(lane)))
    for at in range(0, target.size, LANES):
        store(target, at, select_lanes(chosen, value, load(target, at)))


@inline_njit
def corner_values(top, corner):
    """Return the value diagonally above each lane's first column; lane 0 has the boundary on its left."""
    return shift_in(load(top, top.size - LANES), corner)


@inline_njit
def load_step_scores(letters, row, profile, columns, offsets, scores):
    """Load the substitution scores of one step, lane 0 at ``row``, in lane order."""
    for lane in range(LANES):
        offsets[lane] = np.int64(letters[row - lane + MARGIN]) * (columns + 1) * LANES + lane * columns
    for c in range(0, columns, LANES):
        transpose_block(profile, offsets, c, scores, c * LANES)


@inline_njit
def working_lanes(t, rows):
    """Return a mask of the lanes whose row lies inside the tile at step ``t``."""
    lanes = lane_numbers()
    return bit_and(greater_lanes(splat(np.int32(t + 1)), lanes), greater_lanes(lanes, splat(np.int32(t - rows))))


@inline_njit
def find_first_column(inside, value, columns):
    """Return in each lane the first column that holds ``value``."""
    found = splat_like(value, 0)
    for c in range(columns - 1, -1, -1):
        found = select_lanes(equal_lanes(load(inside, c * lane_count(value)), value), splat_like(value, c), found)
    return found


@inline_njit
def pick_column(inside, column, columns):
    """Return in each lane the number in its ``column``."""
    found = splat(np.int32(0))
    for c in range(columns):
        found = select_lanes(equal_lanes(splat(np.int32(c)), column), load(inside, c * LANES), found)
    return found


@inline_njit
def merge_best_cells(best, score, row, column, state, columns):
    """Merge the best cells of the lanes into ``best`` (score, row, column, state; int32) by the tie rule.

    Lanes start with the score already in ``best`` and improve only beyond it, so that earlier rows win ties.
    """
    kept = np.empty((4, LANES), np.int32)
    store(kept[0], 0, score)
    store(kept[1], 0, row)
    store(kept[2], 0, column)
    store(kept[3], 0, state)
    start = best[0]
    for lane in range(LANES):
        score, row = kept[0, lane], kept[1, lane]
        if score > start and (score > best[0] or (score == best[0] and row < best[1])):
            best[0] = score
            best[1] = row
            best[2] = lane * columns + kept[2, lane] + 1
            best[3] = kept[3, lane]


@inline_njit
def find_best_in_row(edge, row, columns, lanes, best):
    """Set ``best`` to the first greatest H of a row in lane order, with its start state where there are any."""
    per = edge.shape[1] // lanes
    for column in range(columns):
        place = column % per * lanes + column // per
        if column == 0 or edge[0, place] > best[0]:
            best[0] = edge[0, place]
            best[1] = row
            best[2] = column + 1
            if edge.shape[0] > 3:
                best[3] = edge[edge.shape[0] // 2, place]


@inner_njit
def compute_score_tile(problem, borders, first, rows, best, peaks, ends, second=None):
    """Compute rows first + 1 .. first + rows of a strip; ``edge`` and ``right`` get their last row and column.

    ``best`` (score, row, column in the strip from 1, unused) improves by the tie rule; a score that no cell exceeds
    switches that off. ``peaks``, int32 (s) in lane order or None, gets the greatest H of every column. ``second`` is
    the second piece of gap costs (`GapPiece`), or None.
    """
    letters, profile, costs = problem
    edge, left, right = borders
    columns = edge.shape[1] // LANES
    H, G = np.empty(columns * LANES, np.int32), np.empty(columns * LANES, np.int32)
    highest = np.empty(columns * LANES, np.int32)
    scores, offsets = np.empty((columns + LANES) * LANES, profile.dtype), np.empty(LANES, np.int64)
    open_extend, extend, floor = splat(costs.open_extend), splat(costs.extend), splat(costs.floor)
    start = corner_values(edge[0], left[0, first])
    diagonal_in, h, K = start, floor, floor
    if second is not None:
        G2, K2 = np.empty(columns * LANES, np.int32), floor
        open_extend2, extend2 = splat(second.open_extend), splat(second.extend)
    best_score, best_row, best_column = splat(best[0]), start, start
    for t in range(rows + LANES - 1):
        row = first + 1 + t
        if t < LANES:
            copy_lane(edge[0], t, H)
            copy_lane(edge[1], t, G)
            if second is not None:
                copy_lane(edge[2], t, G2)
            if peaks is not None:
                fill_lane(floor, t, highest)
            diagonal_in = select_lanes(equal_lanes(lane_numbers(), splat(np.int32(t))), start, diagonal_in)
        load_step_scores(letters, row, profile, columns, offsets, scores)
        h = shift_in(h, left[0, row])
        K = shift_in(K, left[1, row])
        if second is not None:
            K2 = shift_in(K2, left[2, row])
        diagonal, diagonal_in, row_best = diagonal_in, h, floor
        for c in range(columns):
            above, G_above = load(H, c * LANES), load(G, c * LANES)
            T = maximum(maximum(add(diagonal, load(scores, c * LANES)), subtract(G_above, open_extend)), floor)
            U = T
            if second is not None:
                G2_above = load(G2, c * LANES)
                T = maximum(T, subtract(G2_above, open_extend2))
                U = maximum(T, subtract(K2, open_extend2))
                K2 = maximum(subtract(K2, extend2), T)
            h = maximum(U, subtract(K, open_extend))
            K = maximum(subtract(K, extend), U)
            if second is not None:
                store(G2, c * LANES, maximum(subtract(G2_above, extend2), h))
            store(H, c * LANES, h)
            store(G, c * LANES, maximum(subtract(G_above, extend), h))
            if peaks is not None:
                store(highest, c * LANES, maximum(load(highest, c * LANES), h))
            diagonal, row_best = above, maximum(row_best, h)
        improved = bit_and(greater_lanes(row_best, best_score), working_lanes(t, rows))
        if any_lane(improved):
            best_score = select_lanes(improved, row_best, best_score)
            best_row = select_lanes(improved, subtract(splat(np.int32(row)), lane_numbers()), best_row)
            best_column = select_lanes(improved, find_first_column(H, row_best, columns), best_column)
        if ends.place >= 0 and 0 <= t - ends.place % LANES < rows:
            ends.last_column[0, row - ends.place % LANES] = H[ends.place]
        if t >= LANES - 1:
            right[0, row - LANES + 1] = last_lane(h)
            right[1, row - LANES + 1] = last_lane(K)
            if second is not None:
                right[2, row - LANES + 1] = last_lane(K2)
        if t >= rows - 1:
            copy_lane(H, t - rows + 1, edge[0])
            copy_lane(G, t - rows + 1, edge[1])
            if second is not None:
                copy_lane(G2, t - rows + 1, edge[2])
            if peaks is not None:
                copy_lane(highest, t - rows + 1, peaks)
    merge_best_cells(best, best_score, best_row, best_column, best_column, columns)


call_compute_score_tile = cached_njit(compute_score_tile)
"""`compute_score_tile` for calls from Python."""


@inner_njit
def compute_state_tile(problem, borders, states, first, rows, best, ends, second=None):
    """Compute rows of a strip as `compute_score_tile` does, with the local start state of every value.

    States are those of start_states.py. ``edge`` is int32 (4, s): H, G and their states, or (6, s): H, G, G2 and their
    states. ``states`` (2 or 3, rows + 16) gets those of H, K and K2 in the last column; what enters from the left
    starts there: its state is its own row and kind.
    """
    letters, profile, costs = problem
    edge, left, right = borders
    columns = edge.shape[1] // LANES
    parts = edge.shape[0]
    inside = np.empty((parts, columns * LANES), np.int32)
    H, G, H_states, G_states = inside[0], inside[1], inside[parts // 2], inside[parts // 2 + 1]
    scores, offsets = np.empty((columns + LANES) * LANES, profile.dtype), np.empty(LANES, np.int64)
    open_extend, extend, floor = splat(costs.open_extend), splat(costs.extend), splat(costs.floor)
    start = corner_values(edge[0], left[0, first])
    start_states = corner_values(edge[parts // 2], np.int32(KIND_H << PLACE_BITS | first))
    diagonal_in, diagonal_in_state, h, K = start, start_states, floor, floor
    h_state, K_state = floor, floor
    if second is not None:
        G2, G2_states, K2, K2_state = inside[2], inside[5], floor, floor
        open_extend2, extend2 = splat(second.open_extend), splat(second.extend)
    best_score, best_row, best_column, best_state = splat(best[0]), start, start, start
    for t in range(rows + LANES - 1):
        row = first + 1 + t
        if t < LANES:
            for part in range(parts):
                copy_lane(edge[part], t, inside[part])
            entering = equal_lanes(lane_numbers(), splat(np.int32(t)))
            diagonal_in = select_lanes(entering, start, diagonal_in)
            diagonal_in_state = select_lanes(entering, start_states, diagonal_in_state)
        load_step_scores(letters, row, profile, columns, offsets, scores)
        h = shift_in(h, left[0, row])
        K = shift_in(K, left[1, row])
        h_state = shift_in(h_state, np.int32(KIND_H << PLACE_BITS | row))
        K_state = shift_in(K_state, np.int32(KIND_K << PLACE_BITS | row))
        if second is not None:
            K2 = shift_in(K2, left[2, row])
            K2_state = shift_in(K2_state, np.int32(KIND_K2 << PLACE_BITS | row))
        new_state = subtract(splat(np.int32(NEW_STATE + row)), lane_numbers())
        diagonal, diagonal_in, row_best = diagonal_in, h, floor
        diagonal_state, diagonal_in_state = diagonal_in_state, h_state
        for c in range(columns):
            above, above_state = load(H, c * LANES), load(H_states, c * LANES)
            G_above, G_state = load(G, c * LANES), load(G_states, c * LANES)
            T, E, F = add(diagonal, load(scores, c * LANES)), subtract(G_above, open_extend), subtract(K, open_extend)
            T_state = select_lanes(greater_lanes(E, T), G_state, diagonal_state)
            T = maximum(T, E)
            if second is not None:
                G2_above, G2_state = load(G2, c * LANES), load(G2_states, c * LANES)
                E2, F2 = subtract(G2_above, open_extend2), subtract(K2, open_extend2)
                T_state = select_lanes(greater_lanes(E2, T), G2_state, T_state)
                T = maximum(T, E2)
            T_state = select_lanes(greater_lanes(T, floor), T_state, new_state)
            T = maximum(T, floor)
            h_state = select_lanes(greater_lanes(F, T), K_state, T_state)
            h = maximum(T, F)
            if second is not None:
                h_state = select_lanes(greater_lanes(F2, h), K2_state, h_state)
                h = maximum(h, F2)
                K2, G2_above = subtract(K2, extend2), subtract(G2_above, extend2)
                K2_state = select_lanes(greater_lanes(K2, T), K2_state, T_state)
                K2 = maximum(K2, T)
                store(G2, c * LANES, maximum(G2_above, h))
                store(G2_states, c * LANES, select_lanes(greater_lanes(G2_above, h), G2_state, h_state))
            K, G_above = subtract(K, extend), subtract(G_above, extend)
            K_state = select_lanes(greater_lanes(K, T), K_state, T_state)
            K = maximum(K, T)
            store(H, c * LANES, h)
            store(H_states, c * LANES, h_state)
            store(G, c * LANES, maximum(G_above, h))
            store(G_states, c * LANES, select_lanes(greater_lanes(G_above, h), G_state, h_state))
            diagonal, diagonal_state, row_best = above, above_state, maximum(row_best, h)
        improved = bit_and(greater_lanes(row_best, best_score), working_lanes(t, rows))
        if any_lane(improved):
            best_score = select_lanes(improved, row_best, best_score)
            best_row = select_lanes(improved, subtract(splat(np.int32(row)), lane_numbers()), best_row)
            best_column = select_lanes(improved, find_first_column(H, row_best, columns), best_column)
            best_state = select_lanes(improved, pick_column(H_states, best_column, columns), best_state)
        if ends.place >= 0 and 0 <= t - ends.place % LANES < rows:
            ends.last_column[0, row - ends.place % LANES] = H[ends.place]
            ends.last_column[1, row - ends.place % LANES] = H_states[ends.place]
        if t >= LANES - 1:
            right[0, row - LANES + 1] = last_lane(h)
            right[1, row - LANES + 1] = last_lane(K)
            states[0, row - LANES + 1] = last_lane(h_state)
            states[1, row - LANES + 1] = last_lane(K_state)
            if second is not None:
                right[2, row - LANES + 1] = last_lane(K2)
                states[2, row - LANES + 1] = last_lane(K2_state)
        if t >= rows - 1:
            for part in range(parts):
                copy_lane(inside[part], t - rows + 1, edge[part])
    merge_best_cells(best, best_score, best_row, best_column, best_state, columns)


@inline_njit
def store_chunk_row(edge, bottom, lanes):
    """Keep the last row of a tile as that of a chunk: ``bottom`` int32 (2, 3, 4 or 6, s), in matrix order.

    It holds H, G and G2, and their start states where these are local to chunks; they then begin anew below.
    """
    parts, columns = bottom.shape[0], edge.shape[1] // lanes
    for column in range(edge.shape[1]):
        place = column % columns * lanes + column // columns
        for part in range(parts):
            bottom[part, column] = edge[part, place]
        if parts > 3:
            edge[parts // 2, place] = KIND_TOP_H << PLACE_BITS | (column + 1)
            edge[parts // 2 + 1, place] = KIND_TOP_G << PLACE_BITS | (column + 1)
        if parts == 6:
            edge[5, place] = KIND_TOP_G2 << PLACE_BITS | (column + 1)
