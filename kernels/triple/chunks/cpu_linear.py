"""One line of a box on the CPU, linear gaps: 16 cells of one plane at a time (axes and layouts: cpu_boxes.py).

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

from antidiag.kernels.cpu.jit import called, inlined
from antidiag.kernels.cpu.simd import (
    add,
    greater,
    lane_count,
    lanes_after,
    load,
    maximum,
    select,
    shift_from,
    splat_like,
    store,
    store_last,
)


class Line(NamedTuple):
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


@inlined
def begin(memory, first, at):
    """The four vectors that a step needs of those before it: own cells, left lane, line above, left lane above."""
    kept, own = at.kept, load(memory, at.plane)
    lanes = lane_count(own)
    if first == 0:
        north = load(memory, at.plane_above)
        return own, shift_from(own, memory, at.west + 1), north, shift_from(north, memory, at.west_above + 1)
    return (
        load(memory, kept),
        load(memory, kept + lanes),
        load(memory, kept + 2 * lanes),
        load(memory, kept + 3 * lanes),
    )


@inlined
def keep(memory, kept, own, left, north, corner):
    """Keep the vectors of ``begin`` for the next window."""
    lanes = lane_count(own)
    store(memory, kept, own)
    store(memory, kept + lanes, left)
    store(memory, kept + 2 * lanes, north)
    store(memory, kept + 3 * lanes, corner)


@called
def line(values, scores, at, first, last):
    """Steps first .. last - 1 of a line, values only; ``at`` is its ``Line``."""
    state = begin(values, first, at)
    later = _later(state[0], first, last)
    state = _steps(True, values, scores, at, state, first, later)
    keep(values, at.kept, *_steps(False, values, scores, at, state, later, last))


@inlined
def _later(own, first, last):
    """The first of some steps at which no lane lies before t = 0: the steps before it are computed by a loop of their
    own, which looks."""
    return min(max(first, lane_count(own)), last)


@inlined
def _steps(early, values, scores, at, state, first, last):
    """Steps of ``line``; ``early``: lanes before t = 0 keep what the plane holds."""
    own, left, north, corner = state
    before = load(values, at.plane)
    ol, lanes = load(scores, at.ol), lane_count(own)
    diagonal = add(corner, ol)
    for t in range(first, last):
        ot, lt = load(scores, at.ot - t), load(scores, at.lt + lanes * t)
        above, beside = load(values, at.rows + lanes * t), shift_from(north, values, at.west_above - t)
        beside_own, c7 = shift_from(own, values, at.west - t), add(diagonal, lt)
        diagonal = add(beside, ol)
        own = _cell(c7, diagonal, north, add(left, lt), above, beside_own, own, ot)
        if early:
            own = select(lanes_after(own, t), before, own)
        store(values, at.rows + lanes * t, own)
        store_last(values, at.east - t, own)
        left, north, corner = beside_own, above, beside
    return own, left, north, corner


@called
def two_lines(values, scores, at, below, ends, first, last):
    """Two lines together, which share what they load; ``at`` and ``below`` say where the first and the second are.

    What is left of the second line's upper neighbours is what is left of the first line's own cells. The first line's
    vectors from step ``ends[1]`` on are kept from ``ends[0]`` on, since rows keep the second line.
    """
    own, left, north, corner = begin(values, first, at)
    own_2, left_2, _, _ = begin(values, first, below)
    state = own, left, north, corner, own_2, left_2
    later = _later(own, first, last)
    state = _two_steps(True, values, scores, at, below, ends, state, first, later)
    own, left, north, corner, own_2, left_2 = _two_steps(False, values, scores, at, below, ends, state, later, last)
    keep(values, at.kept, own, left, north, corner)
    keep(values, below.kept, own_2, left_2, own, left)


@inlined
def _two_steps(early, values, scores, at, below, ends, state, first, last):
    """Steps of ``two_lines``."""
    own, left, north, corner, own_2, left_2 = state
    before, before_2 = load(values, at.plane), load(values, below.plane)
    ol, ol_2, lanes = load(scores, at.ol), load(scores, below.ol), lane_count(own)
    diagonal = add(corner, ol)
    for t in range(first, last):
        ot, ot_2 = load(scores, at.ot - t), load(scores, below.ot - t)
        lt, above = load(scores, at.lt + lanes * t), load(values, at.rows + lanes * t)
        beside = shift_from(north, values, at.west_above - t)
        beside_own = shift_from(own, values, at.west - t)
        beside_2 = shift_from(own_2, values, below.west - t)
        side, c7 = add(left, lt), add(diagonal, lt)
        diagonal = add(beside, ol)
        now = _cell(c7, diagonal, north, side, above, beside_own, own, ot)
        if early:
            now = select(lanes_after(now, t), before, now)
        side_2, c6_2 = add(left_2, lt), add(beside_own, ol_2)
        own_2 = _cell(add(side, ol_2), c6_2, own, side_2, now, beside_2, own_2, ot_2)
        if early:
            own_2 = select(lanes_after(own_2, t), before_2, own_2)
        store(values, at.rows + lanes * t, own_2)
        store_last(values, at.east - t, now)
        store_last(values, below.east - t, own_2)
        if t >= ends[1]:
            store(values, ends[0] + lanes * (t - ends[1]), now)
        own, left, left_2, north, corner = now, beside_own, beside_2, above, beside
    return own, left, north, corner, own_2, left_2


@inlined
def _cell(c7, c6, c5, c3, c4, c2, c1, ot):
    """The greatest candidate. c7, c6 and c3 have the scores of o and l, and of l and t, already: c6 with its score is
    what c7 begins with a step later, and c3 what the next line's c7 begins with. The slowest to arrive come last."""
    best = maximum(add(maximum(c7, c5), ot), maximum(c6, c3))
    return maximum(maximum(maximum(best, c4), c1), c2)


@inlined
def _offer(best, move, start, value, number, from_start):
    """The greater of the best candidate so far and another, with its move and its start; the former where equal."""
    wins = greater(value, best)
    return maximum(best, value), select(wins, splat_like(value, number), move), select(wins, from_start, start)


@inlined
def best_of(order, candidates, starts):
    """Value, move (as bits of i, j and k) and start of the first best candidate by the rule for ties.

    Candidates, and the starts that they come with, are those of moves 7, 6, 5, 3, 4, 2, 1, numbered by the bits o, l
    and t. ``order`` None: o, l and t are i, j and k; else they are k, i and j.
    """
    c7, c6, c5, c3, c4, c2, c1 = candidates
    s7, s6, s5, s3, s4, s2, s1 = starts
    found = c7, splat_like(c7, 7), s7
    if order is None:
        found = _offer(*found, c6, 6, s6)
        found = _offer(*found, c5, 5, s5)
        found = _offer(*found, c3, 3, s3)
        found = _offer(*found, c4, 4, s4)
        found = _offer(*found, c2, 2, s2)
        return _offer(*found, c1, 1, s1)
    found = _offer(*found, c3, 6, s3)
    found = _offer(*found, c6, 5, s6)
    found = _offer(*found, c5, 3, s5)
    found = _offer(*found, c2, 4, s2)
    found = _offer(*found, c1, 2, s1)
    return _offer(*found, c4, 1, s4)


@called
def line_with_starts(values, starts, order, scores, at, first, last):
    """As ``line``, and the local start of every value, laid out as the values are."""
    own, left, north, corner = begin(values, first, at)
    own_s, left_s, north_s, corner_s = begin(starts, first, at)
    before, before_s = load(values, at.plane), load(starts, at.plane)
    ol = load(scores, at.ol)
    lanes = lane_count(own)
    for t in range(first, last):
        ot, lt = load(scores, at.ot - t), load(scores, at.lt + lanes * t)
        above, beside = load(values, at.rows + lanes * t), shift_from(north, values, at.west_above - t)
        above_s, beside_s = load(starts, at.rows + lanes * t), shift_from(north_s, starts, at.west_above - t)
        c7, c6, c5, c3 = add(add(add(corner, ot), lt), ol), add(beside, ol), add(north, ot), add(left, lt)
        s3 = left_s
        left, left_s = shift_from(own, values, at.west - t), shift_from(own_s, starts, at.west - t)
        candidates = c7, c6, c5, c3, above, left, own
        own, _, own_s = best_of(order, candidates, (corner_s, beside_s, north_s, s3, above_s, left_s, own_s))
        if t < lanes:
            early = lanes_after(own, t)
            own, own_s = select(early, before, own), select(early, before_s, own_s)
        store(values, at.rows + lanes * t, own)
        store(starts, at.rows + lanes * t, own_s)
        store_last(values, at.east - t, own)
        store(starts, at.east - t, own_s)
        north, north_s, corner, corner_s = above, above_s, beside, beside_s
    keep(values, at.kept, own, left, north, corner)
    keep(starts, at.kept, own_s, left_s, north_s, corner_s)


@called
def line_with_moves(values, moves, order, scores, at, steps, move_at):
    """A whole line, and the move of every cell: uint8, from ``move_at`` on, 16 a step."""
    own, left, north, corner = begin(values, 0, at)
    before, ol = own, load(scores, at.ol)
    lanes = lane_count(own)
    for t in range(steps):
        ot, lt = load(scores, at.ot - t), load(scores, at.lt + lanes * t)
        above, beside = load(values, at.rows + lanes * t), shift_from(north, values, at.west_above - t)
        c7, c6, c5, c3 = add(add(add(corner, ot), lt), ol), add(beside, ol), add(north, ot), add(left, lt)
        left = shift_from(own, values, at.west - t)
        own, move, _ = best_of(order, (c7, c6, c5, c3, above, left, own), (c7, c7, c7, c7, c7, c7, c7))
        if t < lanes:
            own = select(lanes_after(own, t), before, own)
        store(values, at.rows + lanes * t, own)
        store_last(values, at.east - t, own)
        store(moves, move_at + lanes * t, move)
        north, corner = above, beside
