"""The best alignment of two profiles, compiled: a diagonal of the matrix at a time, 16 cells side by side.

Cells of a diagonal do not depend on each other; each is computed as the recurrence says, so that the order changes
nothing. Arrays of B are reversed: on diagonal d, where j = d - i, they go along with i. What lanes beyond the ends of a
diagonal hold is never read; the cells of the borders, which those lanes may write on, are set behind each diagonal.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.float_lanes import add, greater, load, maximum, multiply, no_less, splat, store, subtract
from antidiag.kernels.cpu.jit import called, inlined
from antidiag.kernels.cpu.simd import acquire, either, select
from antidiag.kernels.cpu.simd import splat as splat_whole
from antidiag.kernels.cpu.simd import store as store_whole
from antidiag.kernels.parttree.symbols import ENDS, EXTENDS, OPENS, SYMBOLS

DIAGONAL, UP, LEFT = 0, 1, 2
FROM_UP, FROM_LEFT, UP_OPENS, LEFT_OPENS = np.int32(1), np.int32(2), np.int32(4), np.int32(8)
NEVER = np.float32(-1e30)
LANES = 16
PAD = 2 * LANES


@inlined
def occupied(planes, at, size, column, rows):
    """Rows of a profile that have a letter in a column."""
    gaps = planes[at + OPENS * size + column] + planes[at + EXTENDS * size + column] + planes[at + ENDS * size + column]
    return rows - gaps


@called
def _gap_costs(planes, at, size, rows, rules, letters, opening):
    """Of a profile: the share of rows that have a letter in each column; and what opening a gap in it costs a letter,
    for a gap after so many columns. ``opening`` float32 (size + 1,)."""
    slope, opens = rules.opening - rules.extension, at + OPENS * size
    for column in range(size):
        letters[column] = occupied(planes, at, size, column, rows) / rows
    for place in range(1, size):
        both = max(letters[place - 1] - planes[opens + place] / rows, np.float32(0))
        opening[place] = rules.extension + both * slope
    opening[0] = opening[size] = rules.end


@called
def _scores(planes, a, m, present, wanted, table, scores, pitch):
    """What each column of A scores against each wanted symbol: a plane of ``pitch`` numbers a symbol."""
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


@called
def _symbols_of(present):
    found, count = np.empty(SYMBOLS, np.int64), 0
    for symbol in range(SYMBOLS):
        if present >> symbol & 1:
            found[count] = symbol
            count += 1
    return found[:count]


@inlined
def _dot(scores, at, pitch, counts, other, step, symbols):
    """S of 16 cells of a diagonal, before it is divided."""
    value = splat(np.float32(0))
    for number in range(symbols):
        value = add(value, multiply(load(scores, at + number * pitch), load(counts, other + number * step)))
    return value


@called
def align(planes, a, m, rows_a, present_a, b, n, rows_b, present_b, rules, ways, stop):
    """Directions of the best way to align the profiles at ``a`` and ``b``, of m and n columns, into ``ways`` uint8:
    those of a diagonal after those of another, `width` bytes each."""
    wanted = _symbols_of(present_b)
    pitch, step = m + PAD, n + PAD
    scores, reverse = np.empty(wanted.size * pitch, np.float32), np.empty(wanted.size * step, np.float32)
    _scores(planes, a, m, present_a, wanted, rules.table, scores, pitch)
    for number in range(wanted.size):
        plane = b + wanted[number] * n
        for j in range(n):
            reverse[number * step + n - 1 - j] = planes[plane + j]
    of_a, of_b = np.empty(3 * pitch, np.float32), np.empty(3 * step, np.float32)
    top, left_side = np.empty(n + 1, np.float32), np.empty(m + 1, np.float32)
    _borders(planes, a, m, rows_a, rules, of_a, pitch, left_side)
    _borders(planes, b, n, rows_b, rules, of_b, step, top)
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
    wide = width(m, n)
    none = splat_whole(np.int32(0))
    from_up, from_left = splat_whole(FROM_UP), splat_whole(FROM_LEFT)
    up_opens, left_opens = splat_whole(UP_OPENS), splat_whole(LEFT_OPENS)
    for d in range(m + n - 1):
        if acquire(stop, 0) != 0:
            return
        lo, hi = max(0, d - n + 1), min(m - 1, d)
        for part in range((hi - lo) // LANES, -1, -1):
            i = lo + part * LANES
            r = n - 1 - d + i
            own = multiply(_dot(scores, i, pitch, reverse, r, step, wanted.size), pairs)
            letter, letter_b = load(of_a, i), load(of_b, r)
            up, left = load(cells, old + i), load(cells, old + i + 1)
            opened = subtract(up, multiply(letter, load(of_b, r + step)))
            further = subtract(load(cells, e_at + i), multiply(letter, load(of_b, r + 2 * step)))
            way = select(no_less(opened, further), up_opens, none)
            e = maximum(opened, further)
            opened = subtract(left, multiply(letter_b, load(of_a, i + pitch)))
            further = subtract(load(cells, f_at + i + 1), multiply(letter_b, load(of_a, i + 2 * pitch)))
            way = either(way, select(no_less(opened, further), left_opens, none))
            f = maximum(opened, further)
            best = add(load(cells, new + i), own)
            taken = select(greater(e, best), from_up, none)
            best = maximum(e, best)
            taken = select(greater(f, best), from_left, taken)
            best = maximum(f, best)
            store(cells, new + i + 1, best)
            store(cells, e_at + i + 1, e)
            store(cells, f_at + i + 1, f)
            store_whole(ways, d * wide + i - lo, either(way, taken))
        if d + 1 < n:
            cells[new] = top[d + 2]
        if d + 1 < m:
            cells[new + d + 2], cells[f_at + d + 2] = left_side[d + 2], NEVER
        new, old = old, new


@called
def _borders(planes, at, size, rows, rules, of, pitch, side):
    """Of a profile, in planes of ``pitch``: shares of letters, costs of opening a gap of the other profile behind each
    column, and of going on with one; and the border of the matrix along it, where the other one has not begun."""
    opening = np.empty(size + 1, np.float32)
    _gap_costs(planes, at, size, rows, rules, of[:size], opening)
    side[0] = 0
    for column in range(size):
        of[pitch + column] = opening[column + 1]
        of[2 * pitch + column] = rules.extension if column + 1 < size else rules.end
        side[column + 1] = side[column] - of[column] * rules.end


@inlined
def width(m, n):
    """Bytes of the directions of a diagonal."""
    return (min(m, n) + LANES - 1) // LANES * LANES


@called
def path(ways, m, n, runs):
    """The best way as runs of one operation, the first one first: ``runs`` int64 (m + n, 2) becomes operation and
    length of each. Returns how many."""
    i, j, state, count, wide = m, n, DIAGONAL, 0, width(m, n)
    while i > 0 or j > 0:
        if i == 0:
            operation, steps = LEFT, j
        elif j == 0:
            operation, steps = UP, i
        else:
            d = i + j - 2
            way = ways[d * wide + i - 1 - max(0, d - n + 1)]
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
