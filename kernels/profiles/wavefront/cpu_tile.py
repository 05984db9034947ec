"""A compiled tile of the table: scores by matrix product into a buffer that stays in the cache, cells right after.

Four rows of scores at a time come from products of 16-bit whole numbers, two symbols in a 32-bit lane. The cells of a
row are computed sixteen at a time:

    t[j] = max(H[i-1, j-1] + s(i, j),  E[i, j])                           (and 0)
    F[j] = max over k < j of (t[k] - open[k + 1] + C[k]) - C[j]            C[j]: cost of the gap over columns 1..j
    H[j] = max(t[j], F[j])

because a gap that opens right behind another one is never better than extending it. The running maximum over a vector
takes four steps; its last number is handed from vector to vector in registers. If gaps cost nothing to open, H
suffices:

    t[j] = max(H[i-1, j-1] + s(i, j),  H[i-1, j] - extend[i])             (and 0)
    H[j] = max over k <= j of (t[k] + C[k]) - C[j]

Rows of H, E, F and scores lie in rings: of four rows if only borders are wanted, of all rows of the tile if the path
crosses it. A row has 16 numbers in front; the last of them belongs to the column on the left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import lane_moves, simd
from antidiag.kernels.cpu.jit import inner_njit
from antidiag.kernels.cpu.simd import LANES, load_acquire
from antidiag.kernels.profiles.column_scores.scoring import FIRST_END, LINEAR, LOCAL, LOG_BITS, ROOT, SECOND_END
from antidiag.kernels.profiles.whole_table.cpu_cells import NEVER

GROUP = 4
"""Rows whose scores are computed together."""
RING = 3
"""Mask of row numbers if only the borders of a tile are needed."""
ALL = -1
"""Mask of row numbers if all rows are kept."""


class TileFactors(NamedTuple):
    """Both factors of products, two symbols in the halves of an int32, padded with zeros.

    Rows in fours (groups, pairs of symbols, 4), flat; columns (pairs, width), flat; sums of their squares, int32.
    """

    rows: np.ndarray
    columns: np.ndarray
    pairs: int
    width: int
    row_bias: np.ndarray
    column_bias: np.ndarray


class TileGapCosts(NamedTuple):
    """Gap costs, int32.

    One for each row; for the columns of the strip C, and ``source`` C[k] - open[k + 1], both after 16 numbers for the
    column on the left. ``linear``: no gap costs anything to open.
    """

    row_open: np.ndarray
    row_extend: np.ndarray
    source: np.ndarray
    column_sum: np.ndarray
    has_linear_gaps: bool


class TileRings(NamedTuple):
    """Rings of rows of H, E, F and scores, int32, flat, each row ``width`` + 16 long; products of four rows."""

    h: np.ndarray
    e: np.ndarray
    f: np.ndarray
    products: np.ndarray
    scores: np.ndarray


@inner_njit
def _multiply_four_rows(factors, group, half, shift, added, target, start, apart):
    """Store four rows of (products + half) / 2^places + added, the first at ``start``, ``apart`` numbers apart."""
    rows, columns, pairs, width = factors.rows, factors.columns, factors.pairs, factors.width
    first, by, more = simd.splat(half), simd.splat(shift), simd.splat(added)
    for j in range(0, width, 2 * LANES):
        a0, a1, b0, b1, c0, c1, d0, d1 = first, first, first, first, first, first, first, first
        for x in range(pairs):
            left, right = simd.load(columns, x * width + j), simd.load(columns, x * width + j + LANES)
            four = (group * pairs + x) * GROUP
            a, b = simd.splat(rows[four]), simd.splat(rows[four + 1])
            c, d = simd.splat(rows[four + 2]), simd.splat(rows[four + 3])
            a0, a1 = simd.multiply_add_pairs(a0, a, left), simd.multiply_add_pairs(a1, a, right)
            b0, b1 = simd.multiply_add_pairs(b0, b, left), simd.multiply_add_pairs(b1, b, right)
            c0, c1 = simd.multiply_add_pairs(c0, c, left), simd.multiply_add_pairs(c1, c, right)
            d0, d1 = simd.multiply_add_pairs(d0, d, left), simd.multiply_add_pairs(d1, d, right)
        at = start + j
        simd.store(target, at, simd.add(simd.shift_right(a0, by), more))
        simd.store(target, at + LANES, simd.add(simd.shift_right(a1, by), more))
        simd.store(target, at + apart, simd.add(simd.shift_right(b0, by), more))
        simd.store(target, at + apart + LANES, simd.add(simd.shift_right(b1, by), more))
        simd.store(target, at + 2 * apart, simd.add(simd.shift_right(c0, by), more))
        simd.store(target, at + 2 * apart + LANES, simd.add(simd.shift_right(c1, by), more))
        simd.store(target, at + 3 * apart, simd.add(simd.shift_right(d0, by), more))
        simd.store(target, at + 3 * apart + LANES, simd.add(simd.shift_right(d1, by), more))


@inner_njit
def _score_four_rows(factors, finish, rings, i, bottom, begin, mask):
    """Store the scores of four rows from row i on, or of those before ``bottom``, in the rings.

    Scores that are scaled products are stored there directly.
    """
    width, zero = factors.width, np.int32(0)
    length, place = width + LANES, (i - begin) & mask
    together = i + GROUP <= bottom and place + GROUP - 1 == (i + GROUP - 1 - begin) & mask
    if finish.kind == LINEAR and together:
        half, places = np.int32((1 << finish.shift) >> 1), np.int32(finish.shift)
        start = place * length + LANES
        _multiply_four_rows(factors, i // GROUP, half, places, np.int32(finish.offset), rings.scores, start, length)
        return
    _multiply_four_rows(factors, i // GROUP, zero, zero, zero, rings.products, np.int64(0), width)
    for row in range(i, min(i + GROUP, bottom)):
        at, start = ((row - begin) & mask) * length + LANES, (row - i) * width
        _finish_row_scores(
            rings.products[start : start + width],
            rings.scores[at : at + width],
            factors.row_bias[row],
            factors.column_bias,
            finish,
        )


@inner_njit
def _finish_row_scores(products, scores, bias, column_bias, finish):
    """Turn products of a row into scores; each kind has its own loop, so that each is vectorised."""
    kind, shift, factor, origin = finish.kind, finish.shift, finish.factor, finish.origin
    offset, table = finish.offset, finish.table
    added = np.int32(offset)
    if kind == LINEAR:
        half, places = np.int32((1 << shift) >> 1), np.int32(shift)
        for j in range(scores.size):
            scores[j] = ((products[j] + half) >> places) + added
    elif kind == ROOT:
        below, two = np.float32(0.5), np.int32(2)
        for j in range(scores.size):
            square = np.float32(bias + column_bias[j] - two * products[j])
            scores[j] = added - np.int32(np.ceil(np.sqrt(square) - below))
    else:
        values, parts = np.empty(scores.size, np.float32), np.empty(scores.size, np.int32)
        _clamp_to_one(products, scores)
        _convert_to_floats(scores, values)
        _look_up_logarithms(values.view(np.int32), table, scores, parts)
        _score_logarithms(values.view(np.int32), parts, scores, np.int32(factor), np.int32(origin), added)


# The steps of logarithms are functions of few arrays each: in one loop, or in one function, none of them is made of
# vectors. Numbers stay of 32 bits.
@inner_njit
def _clamp_to_one(products, scores):
    """Clamp products to 1 or more."""
    for j in range(scores.size):
        scores[j] = products[j] if products[j] > np.int32(1) else np.int32(1)


@inner_njit
def _convert_to_floats(numbers, values):
    """Convert whole numbers to float32."""
    for j in range(values.size):
        values[j] = np.float32(numbers[j])


@inner_njit
def _look_up_logarithms(bits, table, lows, steps):
    """Look up the lower end and the step of each logarithm."""
    for j in range(bits.size):
        at = (bits[j] >> np.int32(15)) & np.int32(255)
        low = table[at]
        lows[j], steps[j] = low, table[at + 1] - low


@inner_njit
def _score_logarithms(bits, steps, scores, times, begin, added):
    """Turn table values, which stand in ``scores``, into scores."""
    places, one = np.int32(LOG_BITS), np.int32((1 << LOG_BITS) >> 1)
    for j in range(bits.size):
        word = bits[j]
        part = np.int32(steps[j] * np.int32(word & np.int32(0x7FFF))) >> np.int32(15)
        power = np.int32((word >> np.int32(23)) - np.int32(127)) << places
        logarithm = np.int32(np.int32(power + scores[j]) + part)
        scores[j] = np.int32((np.int32(np.int32(logarithm - begin) * times) + one) >> places) + added


@inner_njit
def _compute_row(rings, above, here, width, left_h, left_f, row_open, row_extend, gaps, floor):
    """Compute the cells of a row; ``above`` and ``here`` are rows in the rings. Returns the greatest H."""
    h, e, f, scores = rings.h, rings.e, rings.f, rings.scores
    source, column_sum = gaps.source, gaps.column_sum
    opens, extends, least = simd.splat(row_open), simd.splat(row_extend), simd.splat(floor)
    most = least
    carry = simd.splat(np.int32(max(left_h + source[LANES - 1], left_f)))
    h[here + LANES - 1], f[here + LANES - 1] = left_h, left_f
    for j in range(LANES, width + LANES, LANES):
        up = simd.subtract(simd.load(h, above + j), opens)
        gap = simd.subtract(simd.maximum(up, simd.load(e, above + j)), extends)
        diagonal = simd.add(simd.load(h, above + j - 1), simd.load(scores, above + j))
        best = simd.maximum(simd.maximum(diagonal, gap), least)
        ways = simd.maximum(lane_moves.prefix_maximum(simd.add(best, simd.load(source, j))), carry)
        across = simd.subtract(lane_moves.shift_in_last(carry, ways), simd.load(column_sum, j))
        carry = lane_moves.splat_last(ways)
        best = simd.maximum(best, across)
        simd.store(h, here + j, best)
        simd.store(e, here + j, gap)
        simd.store(f, here + j, across)
        most = simd.maximum(most, best)
    return lane_moves.last_lane(lane_moves.prefix_maximum(most))


@inner_njit
def _compute_linear_row(rings, above, here, width, left_h, row_extend, gaps, floor):
    """Compute H of a row when gaps cost nothing to open. Returns the greatest H."""
    h, scores, column_sum = rings.h, rings.scores, gaps.column_sum
    extends, least = simd.splat(row_extend), simd.splat(floor)
    most = least
    carry = simd.splat(np.int32(left_h + column_sum[LANES - 1]))
    h[here + LANES - 1] = left_h
    for j in range(LANES, width + LANES, LANES):
        gap = simd.subtract(simd.load(h, above + j), extends)
        diagonal = simd.add(simd.load(h, above + j - 1), simd.load(scores, above + j))
        best = simd.maximum(simd.maximum(diagonal, gap), least)
        sums = simd.load(column_sum, j)
        ways = simd.maximum(lane_moves.prefix_maximum(simd.add(best, sums)), carry)
        carry = lane_moves.splat_last(ways)
        best = simd.subtract(ways, sums)
        simd.store(h, here + j, best)
        most = simd.maximum(most, best)
    return lane_moves.last_lane(lane_moves.prefix_maximum(most))


@inner_njit
def compute_tile(factors, finish, gaps, rings, row_range, left, right, best, end, stop):
    """Compute the cells of a tile; return False if it was stopped.

    ``place`` is (first row, end row, row at which the rings begin, mask of their row numbers): the row above the tile
    stands in the rings, and row i goes to place (i + 1 - begin) & mask. ``left`` and ``right`` are borders (h, f),
    int32, m + 1 each. ``end`` is (mode, m, columns of the strip without padding, 1 for the last strip). ``best``
    (int64: score, row, column in the strip) becomes the first best cell that may end a local path, or one with free
    ends.
    """
    top, bottom, begin, mask = row_range
    mode, m, real, is_last = end
    width = factors.width
    length = width + LANES
    floor = np.int32(0 if mode == LOCAL else NEVER)
    step = gaps.column_sum[LANES - 1 + real] - gaps.column_sum[LANES - 2 + real]
    for i in range(top, bottom):
        if i % GROUP == 0:
            if load_acquire(stop, 0) != 0:
                return False
            _score_four_rows(factors, finish, rings, i, bottom, begin, mask)
        above, here = ((i - begin) & mask) * length, ((i + 1 - begin) & mask) * length
        last = here + LANES + real - 1
        if gaps.has_linear_gaps and mask != ALL:
            most = _compute_linear_row(rings, above, here, width, left.h[i + 1], gaps.row_extend[i], gaps, floor)
            right.f[i + 1] = rings.h[last - 1] - step
        else:
            most = _compute_row(
                rings,
                above,
                here,
                width,
                left.h[i + 1],
                left.f[i + 1],
                gaps.row_open[i],
                gaps.row_extend[i],
                gaps,
                floor,
            )
            right.f[i + 1] = rings.f[last]
        right.h[i + 1] = rings.h[last]
        if (mode == LOCAL and most > best[0]) or (mode & SECOND_END != 0 and i + 1 == m):
            for j in range(real):
                if rings.h[here + LANES + j] > best[0]:
                    best[0], best[1], best[2] = rings.h[here + LANES + j], i + 1, j + 1
        elif mode & FIRST_END != 0 and is_last == 1 and rings.h[last] > best[0]:
            best[0], best[1], best[2] = rings.h[last], i + 1, real
    return True
