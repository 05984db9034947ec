"""The compiled kernel of a strip on the CPU that keeps how each cell was reached; terms as in cpu_tile_kernels.py."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.lane_moves import shift_in
from antidiag.kernels.cpu.simd import (
    LANES,
    add,
    equal_lanes,
    greater_lanes,
    lane_numbers,
    load,
    maximum,
    select_lanes,
    shift_left,
    splat,
    store,
    subtract,
)
from antidiag.kernels.pairwise.strips.cpu_tile_kernels import copy_lane, corner_values, load_step_scores
from antidiag.kernels.pairwise.strips.start_states import (
    FROM_DIAGONAL,
    FROM_E,
    FROM_E2,
    FROM_F,
    FROM_F2,
    OPENS_E,
    OPENS_E2,
    OPENS_E_BY_TWO,
    OPENS_F,
    OPENS_F2,
    OPENS_F_BY_TWO,
    STOP,
)


@cached_njit
def compute_direction_tile(problem, edge, left, first, rows, directions, second=None):
    """Compute rows of a strip, and keep for each cell how it was reached; no best cell, no right boundary.

    ``directions`` is uint8, (rows + 15) s / 2 bytes. At step t, lane l writes one byte for columns c and c + 1 (low and
    high half) at (t R / 2 + c / 2) 16 + l. The bits are those of start_states.py; STOP is 0. With a ``second`` piece
    there is a byte for each cell, at (t R + c) 16 + l.
    """
    letters, profile, costs = problem
    columns = edge.shape[1] // LANES
    H, G = np.empty(columns * LANES, np.int32), np.empty(columns * LANES, np.int32)
    scores, offsets = np.empty((columns + LANES) * LANES, profile.dtype), np.empty(LANES, np.int64)
    open_extend, extend, floor = splat(costs.open_extend), splat(costs.extend), splat(costs.floor)
    nothing = splat(np.int32(STOP))
    start = corner_values(edge[0], left[0, first])
    diagonal_in, h, K = start, floor, floor
    opens_below, opens_beside = OPENS_E, OPENS_F
    if second is not None:
        opens_below, opens_beside = OPENS_E_BY_TWO, OPENS_F_BY_TWO
        G2, K2 = np.empty(columns * LANES, np.int32), floor
        open_extend2, extend2 = splat(second.open_extend), splat(second.extend)
    for t in range(rows + LANES - 1):
        row = first + 1 + t
        if t < LANES:
            copy_lane(edge[0], t, H)
            copy_lane(edge[1], t, G)
            if second is not None:
                copy_lane(edge[2], t, G2)
            diagonal_in = select_lanes(equal_lanes(lane_numbers(), splat(np.int32(t))), start, diagonal_in)
        load_step_scores(letters, row, profile, columns, offsets, scores)
        h = shift_in(h, left[0, row])
        K = shift_in(K, left[1, row])
        if second is not None:
            K2 = shift_in(K2, left[2, row])
        diagonal, diagonal_in, low_half = diagonal_in, h, nothing
        for c in range(columns):
            above, G_above = load(H, c * LANES), load(G, c * LANES)
            T, E, F = add(diagonal, load(scores, c * LANES)), subtract(G_above, open_extend), subtract(K, open_extend)
            came = select_lanes(greater_lanes(E, T), splat(np.int32(FROM_E)), splat(np.int32(FROM_DIAGONAL)))
            T = maximum(T, E)
            if second is not None:
                G2_above = load(G2, c * LANES)
                E2, F2 = subtract(G2_above, open_extend2), subtract(K2, open_extend2)
                came = select_lanes(greater_lanes(E2, T), splat(np.int32(FROM_E2)), came)
                T = maximum(T, E2)
            came = select_lanes(greater_lanes(T, floor), came, nothing)
            T = maximum(T, floor)
            came = select_lanes(greater_lanes(F, T), splat(np.int32(FROM_F)), came)
            h = maximum(T, F)
            if second is not None:
                came = select_lanes(greater_lanes(F2, h), splat(np.int32(FROM_F2)), came)
                h = maximum(h, F2)
                K2, G2_above = subtract(K2, extend2), subtract(G2_above, extend2)
                came = add(came, select_lanes(greater_lanes(G2_above, h), nothing, splat(np.int32(OPENS_E2))))
                came = add(came, select_lanes(greater_lanes(K2, T), nothing, splat(np.int32(OPENS_F2))))
                K2 = maximum(K2, T)
                store(G2, c * LANES, maximum(G2_above, h))
            K, G_above = subtract(K, extend), subtract(G_above, extend)
            opens_E = select_lanes(greater_lanes(G_above, h), nothing, splat(np.int32(opens_below)))
            opens_F = select_lanes(greater_lanes(K, T), nothing, splat(np.int32(opens_beside)))
            code = add(came, add(opens_E, opens_F))
            K = maximum(K, T)
            store(H, c * LANES, h)
            store(G, c * LANES, maximum(G_above, h))
            diagonal = above
            if second is not None:
                store(directions, (t * columns + c) * LANES, code)
            elif c % 2:
                both_halves = add(low_half, shift_left(code, splat(np.int32(4))))
                store(directions, (t * columns + c - 1) // 2 * LANES, both_halves)
            low_half = code
        if t >= rows - 1:
            copy_lane(H, t - rows + 1, edge[0])
            copy_lane(G, t - rows + 1, edge[1])
            if second is not None:
                copy_lane(G2, t - rows + 1, edge[2])
