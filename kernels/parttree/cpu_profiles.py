"""The progressive stage over a guide tree of very many sequences, compiled: profiles on a stack, gaps in lists.

A profile has for every column how many rows hold each symbol: LETTERS letters, then the gaps, as those that open one,
those that go on with one, and those outside of a row's letters. They are whole numbers, and all else is made of them
in single precision and in one order, so that any device finds the same. Costs of gaps are scores with these symbols;
two gaps score nothing. So the score of an alignment is a sum over all pairs of rows, over their number.

    scores_A[i, b] = sum over symbols c of counts_A[i, c] table[c, b]
    S(i, j) = sum over symbols b of scores_A[i, b] counts_B[j, b] / (rows_A rows_B)

A gap of B opposite column i of A costs, for the letters of A there, an opening for those rows of B that have letters on
both sides, and an extension for the others; before and after B all rows pay the cost of ends.

On the stack the counts of a symbol lie side by side, in float32, which holds them exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.simd import acquire
from antidiag.kernels.parttree.cpu_align import LANES, LEFT, UP, align, occupied, path, width
from antidiag.kernels.parttree.symbols import ENDS, EXTENDS, LETTERS, OPENS, SYMBOLS, UNKNOWN

GAPS = 1 << OPENS | 1 << EXTENDS | 1 << ENDS
MOST_ROWS = 65_535
"""Rows whose counts 16 bits hold."""
MERGED = -1
"""A step that aligns the two profiles on top of the stack; those below it take a profile that is ready."""


class Ready(NamedTuple):
    """Profiles that were left on a stack: ``planes`` uint16 from begins[number] on, with so many columns and rows
    (int64), and which symbols are there, a bit each (int64). There are none where one has more than MOST_ROWS rows."""

    planes: np.ndarray
    begins: np.ndarray
    sizes: np.ndarray
    rows: np.ndarray
    present: np.ndarray


def nothing_ready() -> Ready:
    """No profile."""
    return Ready(np.empty(0, np.uint16), *(np.zeros(0, np.int64) for _ in range(4)))


def together(found: list[Ready]) -> Ready:
    """All profiles of several, in their order."""
    if not found:
        return nothing_ready()
    starts = np.concatenate([[0], np.cumsum([one.planes.size for one in found])])[:-1]
    begins = np.concatenate([one.begins + start for one, start in zip(found, starts, strict=True)])
    fields = (np.concatenate([getattr(one, name) for one in found]) for name in ("planes", *Ready._fields[2:]))
    planes, *others = fields
    return Ready(planes, begins, *others)


@called
def push_leaf(codes, planes, at):
    """The profile of one sequence; which symbols it has."""
    size, present = codes.size, np.int64(0)
    planes[at : at + SYMBOLS * size] = 0
    for column in range(size):
        code = np.int64(codes[column])
        symbol = code if code < LETTERS else UNKNOWN
        planes[at + symbol * size + column] = 1
        present |= np.int64(1) << symbol
    return present


@called
def _add_gap(planes, at, size, rows, taken, length, target, to, columns):
    """Add a gap of a profile behind so many of its columns: of rows that end here or have not begun; of rows that go on
    with a gap, and of those that open one."""
    opens, extends, ends = to + OPENS * columns, to + EXTENDS * columns, to + ENDS * columns
    if taken == 0 or taken == size:
        for column in range(length):
            target[ends + column] += rows
        return
    before = at + ENDS * size + taken - 1
    outside = min(planes[before], planes[before + 1])
    opening = occupied(planes, at, size, taken - 1, rows)
    for column in range(length):
        target[extends + column] += rows - outside
        target[ends + column] += outside
    target[opens] += opening
    target[extends] -= opening


@called
def _add_side(planes, at, size, rows, present, runs, absent, target, columns):
    """Add one of two aligned profiles to the columns of both; ``absent`` is the operation that leaves it out."""
    taken, column, opened = 0, 0, False
    for number in range(runs.shape[0]):
        length = runs[number, 1]
        if runs[number, 0] == absent:
            _add_gap(planes, at, size, rows, taken, length, target, column, columns)
            column += length
            opened = True
            continue
        for symbol in range(SYMBOLS):
            if present >> symbol & 1:
                source, to = at + symbol * size + taken, symbol * columns + column
                for place in range(length):
                    target[to + place] += planes[source + place]
        if opened and taken > 0:
            # What opened a gap here goes on with the new one.
            moved = planes[at + OPENS * size + taken]
            target[OPENS * columns + column] -= moved
            target[EXTENDS * columns + column] += moved
        taken += length
        column += length
        opened = False


@called
def _note_gaps(runs, absent, gaps, used):
    """The gaps of one side as (columns of it before, length), from gaps[used] on; how many are there then."""
    taken = 0
    for number in range(runs.shape[0]):
        if runs[number, 0] == absent:
            gaps[used, 0], gaps[used, 1] = taken, runs[number, 1]
            used += 1
        else:
            taken += runs[number, 1]
    return used


@compiled
def progressive(codes, offsets, nodes, ready, rules, columns, places, done, stop):
    """Steps in their order; what is left on the stack (Ready), and the gaps of both sides of every join, int32 (k, 2).

    ``columns`` int64 (nodes,) becomes how many each node has; the gaps of the sides of a node are those from its
    ``places`` int64 (nodes, 3) on: of the first, of the second, and where they end. ``done`` counts joins.
    """
    planes, merged, ways = np.empty(1 << 16, np.float32), np.empty(1 << 14, np.float32), np.empty(1 << 16, np.uint8)
    gaps, used, top, filled = np.empty((4096, 2), np.int32), 0, 0, 0
    begins, sizes, rows, present = (np.empty(128, np.int64), np.empty(128, np.int64), np.empty(128, np.int64),
                                    np.empty(128, np.int64))  # fmt: skip
    for step in range(nodes.leaf.size):
        if acquire(stop, 0) != 0:
            break
        leaf, node = nodes.leaf[step], nodes.node[step]
        if leaf != MERGED:
            number = -2 - leaf
            size = offsets[leaf + 1] - offsets[leaf] if leaf >= 0 else ready.sizes[number]
            planes = _with_room(planes, filled, filled + SYMBOLS * size)
            if top == begins.size:
                begins, sizes = np.append(begins, begins), np.append(sizes, sizes)
                rows, present = np.append(rows, rows), np.append(present, present)
            begins[top], sizes[top] = filled, size
            if leaf >= 0:
                rows[top] = 1
                present[top] = push_leaf(codes[offsets[leaf] : offsets[leaf + 1]], planes, filled)
                columns[node] = size
            else:
                rows[top], present[top] = ready.rows[number], ready.present[number]
                begin = ready.begins[number]
                for at in range(SYMBOLS * size):
                    planes[filled + at] = ready.planes[begin + at]
            filled += SYMBOLS * size
            top += 1
            continue
        a, m, rows_a, b, n, rows_b = (begins[top - 2], sizes[top - 2], np.float32(rows[top - 2]),
                                      begins[top - 1], sizes[top - 1], np.float32(rows[top - 1]))  # fmt: skip
        if ways.size < (m + n) * width(m, n) + LANES:
            ways = np.empty(2 * (m + n) * width(m, n) + LANES, np.uint8)
        align(planes, a, m, rows_a, present[top - 2], b, n, rows_b, present[top - 1], rules, ways, stop)
        if acquire(stop, 0) != 0:
            break
        runs = np.empty((m + n, 2), np.int64)
        runs = runs[: path(ways, m, n, runs)]
        while gaps.shape[0] < used + 2 * runs.shape[0]:
            more = np.empty((2 * gaps.shape[0], 2), np.int32)
            more[:used] = gaps[:used]
            gaps = more
        places[node, 0] = used
        used = _note_gaps(runs, LEFT, gaps, used)
        places[node, 1] = used
        used = _note_gaps(runs, UP, gaps, used)
        places[node, 2] = used
        size = runs[:, 1].sum()
        merged = _with_room(merged, 0, SYMBOLS * size)
        merged[: SYMBOLS * size] = 0
        _add_side(planes, a, m, rows_a, present[top - 2], runs, LEFT, merged, size)
        _add_side(planes, b, n, rows_b, present[top - 1], runs, UP, merged, size)
        filled = a + SYMBOLS * size
        planes = _with_room(planes, a, filled)
        planes[a:filled] = merged[: SYMBOLS * size]
        top -= 1
        sizes[top - 1], rows[top - 1] = size, rows[top - 1] + rows[top]
        present[top - 1] |= present[top] | (GAPS if runs.shape[0] > 1 or runs[0, 0] != 0 else 0)
        columns[node] = size
        done[0] += 1
    if rows[:top].max() > MOST_ROWS:
        filled = top = 0
    left = Ready(
        planes[:filled].astype(np.uint16), begins[:top].copy(), sizes[:top].copy(), rows[:top].copy(),
        present[:top].copy(),
    )  # fmt: skip
    return left, gaps[:used].copy()


@called
def _with_room(planes, filled, size):
    """An array of at least so many numbers, with what is in it."""
    if planes.size >= size:
        return planes
    more = np.empty(2 * size, np.float32)
    more[:filled] = planes[:filled]
    return more
