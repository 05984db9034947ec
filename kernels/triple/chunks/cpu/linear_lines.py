"""One line of a box on the CPU, linear gaps: 16 cells of one plane at a time (axes and layouts: boxes.py).

Lane l of step t has the cell (o, l, t - l). Its sources are in the line above (o - 1), in the lane to the left, and in
the step before:

    move in (o, l, t)        source
    1 1 1                    left lane of the line above, two steps back: what was shifted a step ago
    1 1 0                    left lane of the line above, a step back: shifted now
    1 0 1                    line above, a step back
    0 1 1                    left lane, two steps back
    1 0 0 | 0 1 0 | 0 0 1    line above | left lane, shifted now | a step back

What is left of lane 0 comes from the line's row of ``columns``; the last lane leaves its values for the next strip by a
store of some lanes more, which the stores of later steps overwrite. These stay inside the row; what simd.shift_from
reads before its number reaches one number out of ``columns``, the last of ``rows``.
"""

from __future__ import annotations

from typing import NamedTuple

from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.cpu.lane_moves import shift_in_element, store_last_lane
from antidiag.kernels.cpu.simd import (
    add,
    flag_lanes_after,
    greater_lanes,
    lane_count,
    load,
    maximum,
    select_lanes,
    splat_like,
    store,
)


class LineOffsets(NamedTuple):
    """Where a line finds what it needs, as offsets into a thread's memory.

    ``plane``, ``west`` and ``kept``: the cells at t = -1, the row of columns at t = 0, and what the line kept at the
    end of the last window; ``plane_above`` and ``west_above`` are those of the upper line. ``rows`` and ``east``: the
    strip's rows, and the row of columns that the last lane writes, at t = 0.

    In the scores: ``ol`` of the lanes with the line's letter; ``ot`` of the line's letter with t - l at step 0, from
    where steps go down; ``lt`` of lanes with t - l at step 0, from where they go up by vectors.
    """

    plane: int
    west: int
    kept: int
    plane_above: int
    west_above: int
    rows: int
    east: int
    ol: int
    ot: int
    lt: int


@inline_njit
def load_state(memory, first, at):
    """Load the four vectors before a step: own cells, left lane, line above, left lane above."""
    kept, own = at.kept, load(memory, at.plane)
    lanes = lane_count(own)
    if first == 0:
        north = load(memory, at.plane_above)
        return (
            own,
            shift_in_element(own, memory, at.west + 1),
            north,
            shift_in_element(north, memory, at.west_above + 1),
        )
    return (
        load(memory, kept),
        load(memory, kept + lanes),
        load(memory, kept + 2 * lanes),
        load(memory, kept + 3 * lanes),
    )


@inline_njit
def store_state(memory, kept, own, left, north, corner):
    """Store the vectors of `load_state` for the next window."""
    lanes = lane_count(own)
    store(memory, kept, own)
    store(memory, kept + lanes, left)
    store(memory, kept + 2 * lanes, north)
    store(memory, kept + 3 * lanes, corner)


@inner_njit
def compute_line(values, scores, at, first, last):
    """Compute steps first .. last - 1 of a line, values only; ``at`` is its `LineOffsets`."""
    state = load_state(values, first, at)
    later = _find_late_step(state[0], first, last)
    state = _compute_steps(True, values, scores, at, state, first, later)
    store_state(values, at.kept, *_compute_steps(False, values, scores, at, state, later, last))


@inline_njit
def _find_late_step(own, first, last):
    """Return the first step at which no lane lies before t = 0; steps before it are computed by a loop of their own."""
    return min(max(first, lane_count(own)), last)


@inline_njit
def _compute_steps(early, values, scores, at, state, first, last):
    """Compute steps of `compute_line`; ``early``: lanes before t = 0 keep what the plane holds."""
    own, left, north, corner = state
    before = load(values, at.plane)
    ol, lanes = load(scores, at.ol), lane_count(own)
    diagonal = add(corner, ol)
    for t in range(first, last):
        ot, lt = load(scores, at.ot - t), load(scores, at.lt + lanes * t)
        above, beside = load(values, at.rows + lanes * t), shift_in_element(north, values, at.west_above - t)
        beside_own, c7 = shift_in_element(own, values, at.west - t), add(diagonal, lt)
        diagonal = add(beside, ol)
        own = _compute_cell(c7, diagonal, north, add(left, lt), above, beside_own, own, ot)
        if early:
            own = select_lanes(flag_lanes_after(own, t), before, own)
        store(values, at.rows + lanes * t, own)
        store_last_lane(values, at.east - t, own)
        left, north, corner = beside_own, above, beside
    return own, left, north, corner


@inner_njit
def compute_two_lines(values, scores, at, below, ends, first, last):
    """Compute two lines together, which share what they load; ``at`` and ``below`` locate the first and the second.

    What is left of the second line's upper neighbours is what is left of the first line's own cells. The first line's
    vectors from step ``ends[1]`` on are kept from ``ends[0]`` on, since rows keep the second line.
    """
    own, left, north, corner = load_state(values, first, at)
    own_2, left_2, _, _ = load_state(values, first, below)
    state = own, left, north, corner, own_2, left_2
    later = _find_late_step(own, first, last)
    state = _compute_two_line_steps(True, values, scores, at, below, ends, state, first, later)
    own, left, north, corner, own_2, left_2 = _compute_two_line_steps(
        False, values, scores, at, below, ends, state, later, last
    )
    store_state(values, at.kept, own, left, north, corner)
    store_state(values, below.kept, own_2, left_2, own, left)


@inline_njit
def _compute_two_line_steps(early, values, scores, at, below, ends, state, first, last):
    """Compute steps of `compute_two_lines`."""
    own, left, north, corner, own_2, left_2 = state
    before, before_2 = load(values, at.plane), load(values, below.plane)
    ol, ol_2, lanes = load(scores, at.ol), load(scores, below.ol), lane_count(own)
    diagonal = add(corner, ol)
    for t in range(first, last):
        ot, ot_2 = load(scores, at.ot - t), load(scores, below.ot - t)
        lt, above = load(scores, at.lt + lanes * t), load(values, at.rows + lanes * t)
        beside = shift_in_element(north, values, at.west_above - t)
        beside_own = shift_in_element(own, values, at.west - t)
        beside_2 = shift_in_element(own_2, values, below.west - t)
        side, c7 = add(left, lt), add(diagonal, lt)
        diagonal = add(beside, ol)
        now = _compute_cell(c7, diagonal, north, side, above, beside_own, own, ot)
        if early:
            now = select_lanes(flag_lanes_after(now, t), before, now)
        side_2, c6_2 = add(left_2, lt), add(beside_own, ol_2)
        own_2 = _compute_cell(add(side, ol_2), c6_2, own, side_2, now, beside_2, own_2, ot_2)
        if early:
            own_2 = select_lanes(flag_lanes_after(own_2, t), before_2, own_2)
        store(values, at.rows + lanes * t, own_2)
        store_last_lane(values, at.east - t, now)
        store_last_lane(values, below.east - t, own_2)
        if t >= ends[1]:
            store(values, ends[0] + lanes * (t - ends[1]), now)
        own, left, left_2, north, corner = now, beside_own, beside_2, above, beside
    return own, left, north, corner, own_2, left_2


@inline_njit
def _compute_cell(c7, c6, c5, c3, c4, c2, c1, ot):
    """Return the greatest candidate; the slowest to arrive come last.

    c7, c6 and c3 have the scores of o and l, and of l and t, already: c6 with its score is what c7 begins with a step
    later, and c3 what the next line's c7 begins with.
    """
    best = maximum(add(maximum(c7, c5), ot), maximum(c6, c3))
    return maximum(maximum(maximum(best, c4), c1), c2)


@inline_njit
def _offer_candidate(best, move, start, value, number, from_start):
    """Return the greater of the best candidate and another, with move and start; the former where equal."""
    wins = greater_lanes(value, best)
    return (
        maximum(best, value),
        select_lanes(wins, splat_like(value, number), move),
        select_lanes(wins, from_start, start),
    )


@inline_njit
def choose_best(order, candidates, starts):
    """Return value, move (as bits of i, j and k) and start of the first best candidate by the tie rule.

    Candidates, and the starts that they come with, are those of moves 7, 6, 5, 3, 4, 2, 1, numbered by the bits o, l
    and t. ``order`` None: o, l and t are i, j and k; otherwise they are k, i and j.
    """
    c7, c6, c5, c3, c4, c2, c1 = candidates
    s7, s6, s5, s3, s4, s2, s1 = starts
    found = c7, splat_like(c7, 7), s7
    if order is None:
        found = _offer_candidate(*found, c6, 6, s6)
        found = _offer_candidate(*found, c5, 5, s5)
        found = _offer_candidate(*found, c3, 3, s3)
        found = _offer_candidate(*found, c4, 4, s4)
        found = _offer_candidate(*found, c2, 2, s2)
        return _offer_candidate(*found, c1, 1, s1)
    found = _offer_candidate(*found, c3, 6, s3)
    found = _offer_candidate(*found, c6, 5, s6)
    found = _offer_candidate(*found, c5, 3, s5)
    found = _offer_candidate(*found, c2, 4, s2)
    found = _offer_candidate(*found, c1, 2, s1)
    return _offer_candidate(*found, c4, 1, s4)


@inner_njit
def compute_line_with_starts(values, starts, order, scores, at, first, last):
    """Compute a line as `compute_line` does, and the local start of every value, laid out as the values are."""
    own, left, north, corner = load_state(values, first, at)
    own_s, left_s, north_s, corner_s = load_state(starts, first, at)
    before, before_s = load(values, at.plane), load(starts, at.plane)
    ol = load(scores, at.ol)
    lanes = lane_count(own)
    for t in range(first, last):
        ot, lt = load(scores, at.ot - t), load(scores, at.lt + lanes * t)
        above, beside = load(values, at.rows + lanes * t), shift_in_element(north, values, at.west_above - t)
        above_s, beside_s = load(starts, at.rows + lanes * t), shift_in_element(north_s, starts, at.west_above - t)
        c7, c6, c5, c3 = add(add(add(corner, ot), lt), ol), add(beside, ol), add(north, ot), add(left, lt)
        s3 = left_s
        left, left_s = shift_in_element(own, values, at.west - t), shift_in_element(own_s, starts, at.west - t)
        candidates = c7, c6, c5, c3, above, left, own
        own, _, own_s = choose_best(order, candidates, (corner_s, beside_s, north_s, s3, above_s, left_s, own_s))
        if t < lanes:
            early = flag_lanes_after(own, t)
            own, own_s = select_lanes(early, before, own), select_lanes(early, before_s, own_s)
        store(values, at.rows + lanes * t, own)
        store(starts, at.rows + lanes * t, own_s)
        store_last_lane(values, at.east - t, own)
        store(starts, at.east - t, own_s)
        north, north_s, corner, corner_s = above, above_s, beside, beside_s
    store_state(values, at.kept, own, left, north, corner)
    store_state(starts, at.kept, own_s, left_s, north_s, corner_s)


@inner_njit
def compute_line_with_moves(values, moves, order, scores, at, steps, move_at):
    """Compute a whole line, and the move of every cell: uint8, from ``move_at`` on, 16 per step."""
    own, left, north, corner = load_state(values, 0, at)
    before, ol = own, load(scores, at.ol)
    lanes = lane_count(own)
    for t in range(steps):
        ot, lt = load(scores, at.ot - t), load(scores, at.lt + lanes * t)
        above, beside = load(values, at.rows + lanes * t), shift_in_element(north, values, at.west_above - t)
        c7, c6, c5, c3 = add(add(add(corner, ot), lt), ol), add(beside, ol), add(north, ot), add(left, lt)
        left = shift_in_element(own, values, at.west - t)
        own, move, _ = choose_best(order, (c7, c6, c5, c3, above, left, own), (c7, c7, c7, c7, c7, c7, c7))
        if t < lanes:
            own = select_lanes(flag_lanes_after(own, t), before, own)
        store(values, at.rows + lanes * t, own)
        store_last_lane(values, at.east - t, own)
        store(moves, move_at + lanes * t, move)
        north, corner = above, beside
