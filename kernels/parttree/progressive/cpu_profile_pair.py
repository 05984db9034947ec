"""The best alignment of two profiles, compiled: a diagonal of the matrix at a time, 16 cells side by side.

Cells of a diagonal do not depend on each other, so their order changes nothing. Arrays of B are reversed: on diagonal
d, where j = d - i, they run along with i. What lanes beyond the ends of a diagonal hold is never read; border cells,
which those lanes may overwrite, are set after each diagonal.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.float_lanes import (
    add,
    greater,
    greater_equal,
    load,
    maximum,
    multiply,
    splat,
    store,
    subtract,
)
from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.cpu.simd import bit_or, load_acquire, select_lanes
from antidiag.kernels.cpu.simd import splat as splat_whole
from antidiag.kernels.cpu.simd import store as store_whole
from antidiag.kernels.parttree.symbols import ENDS, EXTENDS, OPENS, SYMBOLS

DIAGONAL, UP, LEFT = 0, 1, 2
FROM_UP, FROM_LEFT, UP_OPENS, LEFT_OPENS = np.int32(1), np.int32(2), np.int32(4), np.int32(8)
NEVER = np.float32(-1e30)
LANES = 16
PAD = 2 * LANES


@inline_njit
def count_letters(planes, start, size, column, rows):
    """Return the rows of a profile that have a letter in a column."""
    gaps = (
        planes[start + OPENS * size + column]
        + planes[start + EXTENDS * size + column]
        + planes[start + ENDS * size + column]
    )
    return rows - gaps


@inline_njit
def count_ending_rows(planes, start, size, place):
    """Return the rows of a profile that end just before a place, less those that begin there."""
    ends = start + ENDS * size + place
    return planes[ends] - planes[ends - 1]


@inline_njit
def count_outside_rows(planes, start, size, place):
    """Return the rows of a profile that have ended before a place or begin at it or later: a gap there is at an end."""
    ends = start + ENDS * size + place
    return max(planes[ends - 1], planes[ends])


@inner_njit
def _gap_costs(planes, start, size, rows, rules, letters, opening, extending):
    """Write the share of rows with a letter in each column of a profile, and the costs of a gap in it.

    ``opening`` and ``extending`` float32 (size + 1,) are the costs per letter of the first and of a further column of a
    gap after so many columns.
    """
    slope, opens = rules.opening - rules.extension, start + OPENS * size
    less = rules.extension - rules.end
    for column in range(size):
        letters[column] = count_letters(planes, start, size, column, rows) / rows
    for place in range(1, size):
        ending = max(count_ending_rows(planes, start, size, place), np.float32(0)) + planes[opens + place]
        both = max(letters[place - 1] - ending / rows, np.float32(0))
        extending[place] = rules.extension - count_outside_rows(planes, start, size, place) / rows * less
        opening[place] = extending[place] + both * slope
    opening[0] = opening[size] = extending[0] = extending[size] = rules.end


@inner_njit
def _score_columns(planes, a, m, present, wanted, table, scores, pitch):
    """Write what each column of A scores against each wanted symbol: a plane of ``pitch`` numbers per symbol."""
    for number in range(wanted.size):
        to = number * pitch
        for column in range(m):
            scores[to + column] = 0
        for symbol in range(SYMBOLS):
            value = table[symbol, wanted[number]]
            if present >> symbol & 1 == 0 or value == 0:
                continue
            plane = a + symbol * m
            for column in range(m):
                scores[to + column] += planes[plane + column] * value


@inner_njit
def _list_symbols(present):
    """Return the symbols whose bits are set."""
    found, count = np.empty(SYMBOLS, np.int64), 0
    for symbol in range(SYMBOLS):
        if present >> symbol & 1:
            found[count] = symbol
            count += 1
    return found[:count]


@inline_njit
def _score_pairs(scores, start, pitch, counts, other_start, step, symbols):
    """Return S of 16 cells of a diagonal, before the division."""
    value = splat(np.float32(0))
    for number in range(symbols):
        value = add(value, multiply(load(scores, start + number * pitch), load(counts, other_start + number * step)))
    return value


@inner_njit
def align_profiles(planes, a, m, rows_a, present_a, b, n, rows_b, present_b, rules, directions, stop):
    """Write the directions of the best alignment of the profiles at ``a`` and ``b``, of m and n columns.

    ``directions`` uint8 takes those of one diagonal after another, `diagonal_width` bytes each.
    """
    wanted = _list_symbols(present_b)
    pitch, step = m + PAD, n + PAD
    scores, reverse = np.empty(wanted.size * pitch, np.float32), np.empty(wanted.size * step, np.float32)
    _score_columns(planes, a, m, present_a, wanted, rules.table, scores, pitch)
    for number in range(wanted.size):
        plane = b + wanted[number] * n
        for j in range(n):
            reverse[number * step + n - 1 - j] = planes[plane + j]
    of_a, of_b = np.empty(3 * pitch, np.float32), np.empty(3 * step, np.float32)
    top, left_side = np.empty(n + 1, np.float32), np.empty(m + 1, np.float32)
    _border_costs(planes, a, m, rows_a, rules, of_a, pitch, left_side)
    _border_costs(planes, b, n, rows_b, rules, of_b, step, top)
    for number in range(3):
        plane = of_b[number * step : number * step + n]
        for j in range(n // 2):
            plane[j], plane[n - 1 - j] = plane[n - 1 - j], plane[j]
    cells = np.empty(4 * pitch, np.float32)
    e_at, f_at = 2 * pitch, 3 * pitch
    cells[e_at:] = NEVER
    new, old = np.int64(0), np.int64(pitch)
    cells[new], cells[old], cells[old + 1] = 0, top[1], left_side[1]
    pairs = splat(np.float32(1 / (np.float64(rows_a) * np.float64(rows_b))))
    wide = diagonal_width(m, n)
    none = splat_whole(np.int32(0))
    from_up, from_left = splat_whole(FROM_UP), splat_whole(FROM_LEFT)
    up_opens, left_opens = splat_whole(UP_OPENS), splat_whole(LEFT_OPENS)
    for d in range(m + n - 1):
        if load_acquire(stop, 0) != 0:
            return
        lo, hi = max(0, d - n + 1), min(m - 1, d)
        for part in range((hi - lo) // LANES, -1, -1):
            i = lo + part * LANES
            r = n - 1 - d + i
            own = multiply(_score_pairs(scores, i, pitch, reverse, r, step, wanted.size), pairs)
            letter, letter_b = load(of_a, i), load(of_b, r)
            up, left = load(cells, old + i), load(cells, old + i + 1)
            opened = subtract(up, multiply(letter, load(of_b, r + step)))
            further = subtract(load(cells, e_at + i), multiply(letter, load(of_b, r + 2 * step)))
            way = select_lanes(greater_equal(opened, further), up_opens, none)
            e = maximum(opened, further)
            opened = subtract(left, multiply(letter_b, load(of_a, i + pitch)))
            further = subtract(load(cells, f_at + i + 1), multiply(letter_b, load(of_a, i + 2 * pitch)))
            way = bit_or(way, select_lanes(greater_equal(opened, further), left_opens, none))
            f = maximum(opened, further)
            best = add(load(cells, new + i), own)
            taken = select_lanes(greater(e, best), from_up, none)
            best = maximum(e, best)
            taken = select_lanes(greater(f, best), from_left, taken)
            best = maximum(f, best)
            store(cells, new + i + 1, best)
            store(cells, e_at + i + 1, e)
            store(cells, f_at + i + 1, f)
            store_whole(directions, d * wide + i - lo, bit_or(way, taken))
        if d + 1 < n:
            cells[new] = top[d + 2]
        if d + 1 < m:
            cells[new + d + 2], cells[f_at + d + 2] = left_side[d + 2], NEVER
        new, old = old, new


@inner_njit
def _border_costs(planes, start, size, rows, rules, border_planes, pitch, side):
    """Write letter shares and gap costs of a profile, and the border of the matrix along it.

    In planes of ``pitch``: shares of letters, costs of opening a gap of the other profile after each column, and of
    extending one. The border is where the other profile has not begun.
    """
    opening, extending = np.empty(size + 1, np.float32), np.empty(size + 1, np.float32)
    _gap_costs(planes, start, size, rows, rules, border_planes[:size], opening, extending)
    side[0] = 0
    for column in range(size):
        border_planes[pitch + column] = opening[column + 1]
        border_planes[2 * pitch + column] = extending[column + 1]
        side[column + 1] = side[column] - border_planes[column] * rules.end


@inline_njit
def diagonal_width(m, n):
    """Return the bytes of the directions of a diagonal."""
    return (min(m, n) + LANES - 1) // LANES * LANES


@inner_njit
def trace_path(directions, m, n, runs):
    """Write the best path as runs of one operation, and return how many there are.

    ``runs`` int64 (m + n, 2) becomes operation and length of each, the first one first.
    """
    i, j, state, count, wide = m, n, DIAGONAL, 0, diagonal_width(m, n)
    while i > 0 or j > 0:
        if i == 0:
            operation, steps = LEFT, j
        elif j == 0:
            operation, steps = UP, i
        else:
            d = i + j - 2
            way = directions[d * wide + i - 1 - max(0, d - n + 1)]
            if state == DIAGONAL:
                state = way & 3
            operation, steps = state, 1
            if (state == UP and way & UP_OPENS) or (state == LEFT and way & LEFT_OPENS):
                state = DIAGONAL
        if count and runs[count - 1, 0] == operation:
            runs[count - 1, 1] += steps
        else:
            runs[count, 0], runs[count, 1] = operation, steps
            count += 1
        i -= 0 if operation == LEFT else steps
        j -= 0 if operation == UP else steps
    runs[:count] = runs[:count][::-1].copy()
    return count
