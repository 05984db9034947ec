"""One line of a box on the CPU, affine gaps: seven values per cell (page.md; axes and layouts: `cpu_boxes`).

With V(m) the best value of a cell whose last move is m, a successor by move m takes from it

    G(m) = max( V(m), max(V(a), V(b)) - open, max over all V - 2 open )      G(7) = max over all V

where a and b are the moves after which m opens one gap instead of two: for two letters each of them alone, for one
letter both pairs that it is in. Moves are numbered by the bits o, l and t here. A face passes on four values per cell,
of the moves that cross it: upwards in o 4, 5, 6, 7; in l 2, 3, 6, 7; in t 1, 3, 5, 7.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import int32

from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.cpu.lane_moves import shift_in
from antidiag.kernels.cpu.simd import (
    add,
    greater_lanes,
    lane_numbers,
    load,
    maximum,
    select_lanes,
    shift_left,
    splat,
    store,
)
from antidiag.kernels.triple.chunks.cpu.layouts import LANES
from antidiag.kernels.triple.chunks.cpu.linear_lines import choose_best


class PartDistances(NamedTuple):
    """Distances between the four values of a cell: in rows, in planes, in columns."""

    row: int
    plane: int
    column: int


@inline_njit
def _load_state(memory, first, at, parts):
    """Load the state before a step: own 1, 2, 3 and the shifted 3; of the line above 5, 6, 7 and the shifted 7."""
    kept = at.kept
    if first == 0:
        own3 = load(memory, at.plane + parts.plane)
        north7 = load(memory, at.plane_above + 3 * parts.plane)
        north5 = load(memory, at.plane_above + 2 * parts.plane)
        left3 = shift_in(own3, memory[at.west + parts.column + 1])
        corner7 = shift_in(north7, memory[at.west_above + 3 * parts.column + 1])
        return load(memory, at.plane), own3, own3, left3, north5, north5, north7, corner7
    return (
        load(memory, kept),
        load(memory, kept + LANES),
        load(memory, kept + 2 * LANES),
        load(memory, kept + 3 * LANES),
        load(memory, kept + 4 * LANES),
        load(memory, kept + 5 * LANES),
        load(memory, kept + 6 * LANES),
        load(memory, kept + 7 * LANES),
    )


@inline_njit
def _store_state(memory, kept, vectors):
    """Store the state for the next window."""
    a, b, c, d, e, f, g, h = vectors
    store(memory, kept, a)
    store(memory, kept + LANES, b)
    store(memory, kept + 2 * LANES, c)
    store(memory, kept + 3 * LANES, d)
    store(memory, kept + 4 * LANES, e)
    store(memory, kept + 5 * LANES, f)
    store(memory, kept + 6 * LANES, g)
    store(memory, kept + 7 * LANES, h)


@inline_njit
def _store_passed_values(memory, rows, east, parts, g2, g3, g4, g5, g6, g7):
    """Store what the next line and the next strip take."""
    store(memory, rows, g4)
    store(memory, rows + parts.row, g5)
    store(memory, rows + 2 * parts.row, g6)
    store(memory, rows + 3 * parts.row, g7)
    store(memory, east, g2)
    store(memory, east + parts.column, g3)
    store(memory, east + 2 * parts.column, g6)
    store(memory, east + 3 * parts.column, g7)


@inner_njit
def compute_line(values, costs, scores, at, parts, ends, first, last):
    """Compute steps first .. last - 1 of a line; arguments as of `cpu_linear.line`.

    ``ends`` is where a line's values 1, 3, 5, 7 of step t are stored, 64 per step from ``ends[0] + 64 (t - ends[1])``
    on, for t >= ends[1].
    """
    own1, own2, own3, left3, north5, north6, north7, corner7 = _load_state(values, first, at, parts)
    opening, twice = splat(costs[0]), splat(costs[1])
    ol, lanes = load(scores, at.ol), lane_numbers()
    for t in range(first, last):
        ot, lt = load(scores, at.ot - t), load(scores, at.lt + LANES * t)
        here, left, above = at.rows + LANES * t, at.west - t, at.west_above - t
        v7 = add(add(add(corner7, ot), lt), ol)
        v6 = add(shift_in(north6, values[above + 2 * parts.column]), ol)
        v5, v3 = add(north5, ot), add(left3, lt)
        v4, v2, v1 = load(values, here), shift_in(own2, values[left]), own1
        corner7 = shift_in(north7, values[above + 3 * parts.column])
        left3 = shift_in(own3, values[left + parts.column])
        north5, north6 = load(values, here + parts.row), load(values, here + 2 * parts.row)
        north7 = load(values, here + 3 * parts.row)
        g7 = maximum(maximum(maximum(v7, v6), maximum(v5, v3)), maximum(maximum(v4, v2), v1))
        most = add(g7, twice)
        g6 = maximum(maximum(v6, most), add(maximum(v4, v2), opening))
        g5 = maximum(maximum(v5, most), add(maximum(v4, v1), opening))
        g3 = maximum(maximum(v3, most), add(maximum(v2, v1), opening))
        g4 = maximum(maximum(v4, most), add(maximum(v6, v5), opening))
        own2 = maximum(maximum(v2, most), add(maximum(v6, v3), opening))
        own1 = maximum(maximum(v1, most), add(maximum(v5, v3), opening))
        if t < LANES:
            early = greater_lanes(lanes, splat(int32(t)))
            own1, g3, g5, g7 = _restore_early_lanes(early, values, at.plane, parts.plane, own1, g3, g5, g7)
        own3 = g3
        _store_passed_values(values, here, at.east - t, parts, own2, g3, g4, g5, g6, g7)
        if t >= ends[1]:
            _store_ends(values, ends[0] + 4 * LANES * (t - ends[1]), own1, g3, g5, g7)
    _store_state(values, at.kept, (own1, own2, own3, left3, north5, north6, north7, corner7))


@inline_njit
def _store_ends(memory, at, g1, g3, g5, g7):
    """Store the four values of a step at the end of a line."""
    store(memory, at, g1)
    store(memory, at + LANES, g3)
    store(memory, at + 2 * LANES, g5)
    store(memory, at + 3 * LANES, g7)


@inline_njit
def _choose_for_successors(order, costs, candidates, starts):
    """Return what each successor's move takes: G(7), G(6), G(5), G(3), G(4), G(2), G(1), each as value, move and start.

    ``candidates`` and ``starts`` are in this order, as `cpu_linear.best_of` takes them.
    """
    o, oo = splat(costs[0]), splat(costs[1])
    v7, v6, v5, v3, v4, v2, v1 = candidates
    # Each move's value after it has paid for one gap, and for two.
    p6, p5, p3, p4, p2, p1 = add(v6, o), add(v5, o), add(v3, o), add(v4, o), add(v2, o), add(v1, o)
    q7, q6, q5, q3 = add(v7, oo), add(v6, oo), add(v5, oo), add(v3, oo)
    q4, q2, q1 = add(v4, oo), add(v2, oo), add(v1, oo)
    return (
        choose_best(order, candidates, starts),
        choose_best(order, (q7, v6, q5, q3, p4, p2, q1), starts),
        choose_best(order, (q7, q6, v5, q3, p4, q2, p1), starts),
        choose_best(order, (q7, q6, q5, v3, q4, p2, p1), starts),
        choose_best(order, (q7, p6, p5, q3, v4, q2, q1), starts),
        choose_best(order, (q7, p6, q5, p3, q4, v2, q1), starts),
        choose_best(order, (q7, q6, p5, p3, q4, q2, v1), starts),
    )


@inline_njit
def _restore_early_lanes(early, memory, plane, part, g1, g3, g5, g7):
    """Restore what the plane holds in lanes before t = 0."""
    return (
        select_lanes(early, load(memory, plane), g1),
        select_lanes(early, load(memory, plane + part), g3),
        select_lanes(early, load(memory, plane + 2 * part), g5),
        select_lanes(early, load(memory, plane + 3 * part), g7),
    )


@inner_njit
def compute_line_with_starts(values, starts, order, costs, scores, at, parts, ends, first, last):
    """Compute a line as `compute_line` does, and the local start of every value, laid out as the values are."""
    own1, own2, own3, left3, north5, north6, north7, corner7 = _load_state(values, first, at, parts)
    own1_s, own2_s, own3_s, left3_s, north5_s, north6_s, north7_s, corner7_s = _load_state(starts, first, at, parts)
    ol, lanes = load(scores, at.ol), lane_numbers()
    for t in range(first, last):
        ot, lt = load(scores, at.ot - t), load(scores, at.lt + LANES * t)
        here, left, above = at.rows + LANES * t, at.west - t, at.west_above - t
        above2, above3 = above + 2 * parts.column, above + 3 * parts.column
        v7, v5, v3 = add(add(add(corner7, ot), lt), ol), add(north5, ot), add(left3, lt)
        v6, v6_s = add(shift_in(north6, values[above2]), ol), shift_in(north6_s, starts[above2])
        v2, v2_s = shift_in(own2, values[left]), shift_in(own2_s, starts[left])
        candidates = v7, v6, v5, v3, load(values, here), v2, own1
        sources = corner7_s, v6_s, north5_s, left3_s, load(starts, here), v2_s, own1_s
        G7, G6, G5, G3, G4, G2, G1 = _choose_for_successors(order, costs, candidates, sources)
        corner7, corner7_s = shift_in(north7, values[above3]), shift_in(north7_s, starts[above3])
        left3, left3_s = shift_in(own3, values[left + parts.column]), shift_in(own3_s, starts[left + parts.column])
        north5, north5_s = load(values, here + parts.row), load(starts, here + parts.row)
        north6, north6_s = load(values, here + 2 * parts.row), load(starts, here + 2 * parts.row)
        north7, north7_s = load(values, here + 3 * parts.row), load(starts, here + 3 * parts.row)
        g1, g3, g5, g7, s1, s3, s5, s7 = G1[0], G3[0], G5[0], G7[0], G1[2], G3[2], G5[2], G7[2]
        if t < LANES:
            early = greater_lanes(lanes, splat(int32(t)))
            g1, g3, g5, g7 = _restore_early_lanes(early, values, at.plane, parts.plane, g1, g3, g5, g7)
            s1, s3, s5, s7 = _restore_early_lanes(early, starts, at.plane, parts.plane, s1, s3, s5, s7)
        _store_passed_values(values, here, at.east - t, parts, G2[0], g3, G4[0], g5, G6[0], g7)
        _store_passed_values(starts, here, at.east - t, parts, G2[2], s3, G4[2], s5, G6[2], s7)
        if t >= ends[1]:
            _store_ends(values, ends[0] + 4 * LANES * (t - ends[1]), g1, g3, g5, g7)
            _store_ends(starts, ends[0] + 4 * LANES * (t - ends[1]), s1, s3, s5, s7)
        own1, own2, own3, own1_s, own2_s, own3_s = g1, G2[0], g3, s1, G2[2], s3
    _store_state(values, at.kept, (own1, own2, own3, left3, north5, north6, north7, corner7))
    _store_state(starts, at.kept, (own1_s, own2_s, own3_s, left3_s, north5_s, north6_s, north7_s, corner7_s))


@inner_njit
def compute_line_with_moves(values, moves, order, costs, scores, at, parts, steps, move_at):
    """Compute a whole line, and for every cell the best move before each successor: int32, from ``move_at`` on, 16 per
    step.

    Bits 3 m .. 3 m + 2 belong to the successor's move m, numbered by o, l and t; they hold a move of i, j and k.
    """
    own1, own2, own3, left3, north5, north6, north7, corner7 = _load_state(values, 0, at, parts)
    ol, lanes = load(scores, at.ol), lane_numbers()
    for t in range(steps):
        ot, lt = load(scores, at.ot - t), load(scores, at.lt + LANES * t)
        here, left, above = at.rows + LANES * t, at.west - t, at.west_above - t
        v7, v5, v3 = add(add(add(corner7, ot), lt), ol), add(north5, ot), add(left3, lt)
        v6, v2 = add(shift_in(north6, values[above + 2 * parts.column]), ol), shift_in(own2, values[left])
        candidates, sources = (v7, v6, v5, v3, load(values, here), v2, own1), (v7, v7, v7, v7, v7, v7, v7)
        G7, G6, G5, G3, G4, G2, G1 = _choose_for_successors(order, costs, candidates, sources)
        corner7 = shift_in(north7, values[above + 3 * parts.column])
        left3 = shift_in(own3, values[left + parts.column])
        north5, north6 = load(values, here + parts.row), load(values, here + 2 * parts.row)
        north7 = load(values, here + 3 * parts.row)
        g1, g3, g5, g7 = G1[0], G3[0], G5[0], G7[0]
        if t < LANES:
            early = greater_lanes(lanes, splat(int32(t)))
            g1, g3, g5, g7 = _restore_early_lanes(early, values, at.plane, parts.plane, g1, g3, g5, g7)
        _store_passed_values(values, here, at.east - t, parts, G2[0], g3, G4[0], g5, G6[0], g7)
        own1, own2, own3 = g1, G2[0], g3
        store(moves, move_at + LANES * t, _pack_moves(G7[1], G6[1], G5[1], G4[1], G3[1], G2[1], G1[1]))


@inline_njit
def _pack_moves(m7, m6, m5, m4, m3, m2, m1):
    """Pack seven moves into a number."""
    three, word = splat(int32(3)), shift_left(m7, splat(int32(3)))
    for_6 = shift_left(add(word, m6), three)
    for_5 = shift_left(add(for_6, m5), three)
    for_4 = shift_left(add(for_5, m4), three)
    for_3 = shift_left(add(for_4, m3), three)
    for_2 = shift_left(add(for_3, m2), three)
    return shift_left(add(for_2, m1), three)
