"""The progressive stage over a guide tree of very many sequences, compiled: profiles on a stack, gaps in lists.

A profile has for every column the number of rows with each symbol: LETTERS letters, then gaps that open, gaps that
extend, and gaps outside of a row's letters. They are integers, and all else is made of them in single precision and in
one order, so that every device finds the same. Gap costs are scores with these symbols; two gaps score nothing. So the
score of an alignment is a sum over all pairs of rows, over their number.

    scores_A[i, b] = sum over symbols c of counts_A[i, c] table[c, b]
    S(i, j) = sum over symbols b of scores_A[i, b] counts_B[j, b] / (rows_A rows_B)

A gap of B opposite column i of A costs, for the letters of A there, an opening for those rows of B that have letters on
both sides, the cost of ends for those that have ended or not begun, and an extension for the others; before and after B
all rows pay the cost of ends.

Columns where hardly any of the rows that are between their ends has a letter are left out of an alignment, and stand
between the same columns after it. Beside each of them nearly all rows would only extend a gap, so that new ones cost
next to nothing, the more so the more rows there are.

On the stack the counts of a symbol lie side by side, in float32, which holds them exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.simd import load_acquire
from antidiag.kernels.parttree.progressive.cpu_profile_pair import (
    DIAGONAL,
    LANES,
    LEFT,
    UP,
    align_profiles,
    count_ending_rows,
    count_letters,
    count_outside_rows,
    diagonal_width,
    trace_path,
)
from antidiag.kernels.parttree.symbols import ENDS, EXTENDS, LETTERS, OPENS, SYMBOLS, UNKNOWN

GAPS = 1 << OPENS | 1 << EXTENDS | 1 << ENDS
MOST_ROWS = 65_535
"""Rows whose counts fit 16 bits."""
ROWS_PER_LETTER = np.float32(20)
"""Rows between their ends for each letter from which on a column is left out of alignments."""
MERGED = -1
"""The leaf of a step that aligns the two profiles on top of the stack; smaller numbers are ready profiles."""


class ReadyProfiles(NamedTuple):
    """Profiles that were left on a stack.

    ``planes`` uint16 from begins[number] on, with their columns and rows (int64), and a bit for each symbol that they
    have (int64). There are none where one has more than MOST_ROWS rows.
    """

    planes: np.ndarray
    begins: np.ndarray
    sizes: np.ndarray
    rows: np.ndarray
    present: np.ndarray


def no_profiles() -> ReadyProfiles:
    """Return no profiles."""
    return ReadyProfiles(np.empty(0, np.uint16), *(np.zeros(0, np.int64) for _ in range(4)))


def concatenate_profiles(profile_lists: list[ReadyProfiles]) -> ReadyProfiles:
    """Concatenate the profiles of several lists, in their order."""
    if not profile_lists:
        return no_profiles()
    starts = np.concatenate([[0], np.cumsum([one.planes.size for one in profile_lists])])[:-1]
    begins = np.concatenate([one.begins + start for one, start in zip(profile_lists, starts, strict=True)])
    fields = (
        np.concatenate([getattr(one, name) for one in profile_lists]) for name in ("planes", *ReadyProfiles._fields[2:])
    )
    planes, *others = fields
    return ReadyProfiles(planes, begins, *others)


@inner_njit
def grow_array(numbers, filled, size):
    """Return the array if it holds ``size`` numbers, else one of twice that size with the first ``filled`` copied."""
    if numbers.size >= size:
        return numbers
    larger = np.empty(2 * size, numbers.dtype)
    larger[:filled] = numbers[:filled]
    return larger


@inner_njit
def push_leaf(codes, planes, start):
    """Write the profile of one sequence, and return the bits of its symbols."""
    size, present = codes.size, np.int64(0)
    planes[start : start + SYMBOLS * size] = 0
    for column in range(size):
        code = np.int64(codes[column])
        symbol = code if code < LETTERS else UNKNOWN
        planes[start + symbol * size + column] = 1
        present |= np.int64(1) << symbol
    return present


@inner_njit
def pack_profile(planes, start, size, rows, present, kept, target, target_start):
    """Write the columns of a profile that take part in alignments, and return how many there are.

    ``kept`` int64 (size + 1,) becomes their numbers and then ``size``. A gap after columns that are left out opens in
    the rows that have more of it than the column before; all columns are kept where none would be left.
    """
    count = 0
    for column in range(size):
        inside = rows - planes[start + ENDS * size + column]
        if count_letters(planes, start, size, column, rows) * ROWS_PER_LETTER > inside:
            kept[count] = column
            count += 1
    if count == 0:
        kept[:size] = np.arange(size)
        count = size
    kept[count] = size
    for symbol in range(SYMBOLS):
        if (present | GAPS) >> symbol & 1:
            source, to = start + symbol * size, target_start + symbol * count
            for number in range(count):
                target[to + number] = planes[source + kept[number]]
    opens, extends = target_start + OPENS * count, target_start + EXTENDS * count
    for number in range(1, count):
        if kept[number] > kept[number - 1] + 1:
            gaps = target[opens + number] + target[extends + number]
            before = target[opens + number - 1] + target[extends + number - 1]
            target[opens + number] = max(gaps - before, np.float32(0))
            target[extends + number] = min(gaps, before)
    return count


@inline_njit
def _append_run(runs, count, operation, length):
    """Append columns of one operation to runs, and return how many runs there are."""
    if length > 0 and count > 0 and runs[count - 1, 0] == operation:
        runs[count - 1, 1] += length
    elif length > 0:
        runs[count, 0], runs[count, 1] = operation, length
        count += 1
    return count


@inline_njit
def _append_beside(runs, count, steps_a, steps_b):
    """Append columns of both profiles side by side, then what is more of one, and return how many runs there are."""
    count = _append_run(runs, count, DIAGONAL, min(steps_a, steps_b))
    count = _append_run(runs, count, UP, max(steps_a - steps_b, 0))
    return _append_run(runs, count, LEFT, max(steps_b - steps_a, 0))


@inner_njit
def unpack_runs(packed, kept_a, kept_b, runs):
    """Write the path through all columns as runs, and return how many there are.

    ``packed`` are the runs of the columns that `pack_profile` kept. Those left out stand before the next column kept,
    beside columns of the other profile that have no partner there, so that columns do not multiply.
    """
    count, i, j, at_a, at_b = 0, 0, 0, 0, 0
    for number in range(packed.shape[0]):
        operation = packed[number, 0]
        for _ in range(packed[number, 1]):
            steps_a, steps_b = kept_a[i] - at_a, kept_b[j] - at_b
            if operation == UP:
                steps_a, steps_b = steps_a + 1, min(steps_a + 1, steps_b)
            elif operation == LEFT:
                steps_a, steps_b = min(steps_a, steps_b + 1), steps_b + 1
            count = _append_beside(runs, count, steps_a, steps_b)
            at_a, at_b = at_a + steps_a, at_b + steps_b
            i, j = i + (operation == UP), j + (operation == LEFT)
            if operation != UP and operation != LEFT:
                count = _append_run(runs, count, operation, 1)
                at_a, at_b, i, j = at_a + 1, at_b + 1, i + 1, j + 1
    return _append_beside(runs, count, kept_a[i] - at_a, kept_b[j] - at_b)


@inner_njit
def find_path(planes, a, m, rows_a, present_a, b, n, rows_b, present_b, rules, packed, directions, stop):
    """Return the best alignment of the profiles at ``a`` and ``b``, of m and n columns, as runs int64 (k, 2).

    There are none where ``stop`` was set. The buffers ``packed`` float32 and ``directions`` uint8 are returned, too,
    larger ones where they were too small.
    """
    packed = grow_array(packed, 0, SYMBOLS * (m + n))
    kept_a, kept_b = np.empty(m + 1, np.int64), np.empty(n + 1, np.int64)
    width_a = pack_profile(planes, a, m, rows_a, present_a, kept_a, packed, 0)
    second = SYMBOLS * width_a
    width_b = pack_profile(planes, b, n, rows_b, present_b, kept_b, packed, second)
    both = width_a + width_b
    directions = grow_array(directions, 0, both * diagonal_width(width_a, width_b) + LANES)
    short, runs = np.empty((both, 2), np.int64), np.empty((m + n, 2), np.int64)
    align_profiles(packed, 0, width_a, rows_a, present_a, second, width_b, rows_b, present_b, rules, directions, stop)
    if load_acquire(stop, 0) != 0:
        return runs[:0], packed, directions
    short = short[: trace_path(directions, width_a, width_b, short)]
    return runs[: unpack_runs(short, kept_a, kept_b, runs)], packed, directions


@inner_njit
def _add_gap(planes, start, size, rows, columns_before, length, target, target_start, columns):
    """Add a gap of a profile after ``columns_before`` of its columns.

    Rows that have ended here or not begun have an end gap; the others extend a gap or open one.
    """
    opens = target_start + OPENS * columns
    extends = target_start + EXTENDS * columns
    ends = target_start + ENDS * columns
    if columns_before == 0 or columns_before == size:
        for column in range(length):
            target[ends + column] += rows
        return
    outside = count_outside_rows(planes, start, size, columns_before)
    ending = max(count_ending_rows(planes, start, size, columns_before), np.float32(0))
    opening = count_letters(planes, start, size, columns_before - 1, rows) - ending
    for column in range(length):
        target[extends + column] += rows - outside
        target[ends + column] += outside
    target[opens] += opening
    target[extends] -= opening


@inner_njit
def _add_side(planes, start, size, rows, present, runs, absent, target, columns):
    """Add one of two aligned profiles to the columns of both; ``absent`` is the operation that leaves it out."""
    taken, column, opened = 0, 0, False
    for number in range(runs.shape[0]):
        length = runs[number, 1]
        if runs[number, 0] == absent:
            _add_gap(planes, start, size, rows, taken, length, target, column, columns)
            column += length
            opened = True
            continue
        for symbol in range(SYMBOLS):
            if present >> symbol & 1:
                source, to = start + symbol * size + taken, symbol * columns + column
                for place in range(length):
                    target[to + place] += planes[source + place]
        if opened and taken > 0:
            # Gaps that opened here extend the new one.
            moved = planes[start + OPENS * size + taken]
            target[OPENS * columns + column] -= moved
            target[EXTENDS * columns + column] += moved
        taken += length
        column += length
        opened = False


@inner_njit
def _append_gaps(runs, absent, gaps, used):
    """Append the gaps of one side as (columns of it before, length) at gaps[used], and return how many there are
    then."""
    taken = 0
    for number in range(runs.shape[0]):
        if runs[number, 0] == absent:
            gaps[used, 0], gaps[used, 1] = taken, runs[number, 1]
            used += 1
        else:
            taken += runs[number, 1]
    return used


@cached_njit
def align_steps(codes, offsets, nodes, ready, rules, columns, gap_ranges, done, stop):
    """Run steps in their order; return the profiles left on the stack, and the gaps of all joins, int32 (k, 2).

    ``columns`` int64 (nodes,) becomes the number of columns of each node; the gaps of the sides of a node are those
    from its ``gap_ranges`` int64 (nodes, 3) on: of the first, of the second, and where they end. ``done`` counts joins.
    """
    planes, merged, ways = np.empty(1 << 16, np.float32), np.empty(1 << 14, np.float32), np.empty(1 << 16, np.uint8)
    packed = np.empty(1 << 14, np.float32)
    gaps, used, top, filled = np.empty((4096, 2), np.int32), 0, 0, 0
    begins, sizes = np.empty(128, np.int64), np.empty(128, np.int64)
    rows, present = np.empty(128, np.int64), np.empty(128, np.int64)
    for step in range(nodes.leaf.size):
        if load_acquire(stop, 0) != 0:
            break
        leaf, node = nodes.leaf[step], nodes.node[step]
        if leaf != MERGED:
            number = -2 - leaf
            size = offsets[leaf + 1] - offsets[leaf] if leaf >= 0 else ready.sizes[number]
            planes = grow_array(planes, filled, filled + SYMBOLS * size)
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
        a, m, rows_a = begins[top - 2], sizes[top - 2], np.float32(rows[top - 2])
        b, n, rows_b = begins[top - 1], sizes[top - 1], np.float32(rows[top - 1])
        runs, packed, ways = find_path(
            planes, a, m, rows_a, present[top - 2], b, n, rows_b, present[top - 1], rules, packed, ways, stop
        )
        if load_acquire(stop, 0) != 0:
            break
        while gaps.shape[0] < used + 2 * runs.shape[0]:
            more = np.empty((2 * gaps.shape[0], 2), np.int32)
            more[:used] = gaps[:used]
            gaps = more
        gap_ranges[node, 0] = used
        used = _append_gaps(runs, LEFT, gaps, used)
        gap_ranges[node, 1] = used
        used = _append_gaps(runs, UP, gaps, used)
        gap_ranges[node, 2] = used
        size = runs[:, 1].sum()
        merged = grow_array(merged, 0, SYMBOLS * size)
        merged[: SYMBOLS * size] = 0
        _add_side(planes, a, m, rows_a, present[top - 2], runs, LEFT, merged, size)
        _add_side(planes, b, n, rows_b, present[top - 1], runs, UP, merged, size)
        filled = a + SYMBOLS * size
        planes = grow_array(planes, a, filled)
        planes[a:filled] = merged[: SYMBOLS * size]
        top -= 1
        sizes[top - 1], rows[top - 1] = size, rows[top - 1] + rows[top]
        present[top - 1] |= present[top] | (GAPS if runs.shape[0] > 1 or runs[0, 0] != 0 else 0)
        columns[node] = size
        done[0] += 1
    if rows[:top].max() > MOST_ROWS:
        filled = top = 0
    counts = planes[:filled].astype(np.uint16)
    left = ReadyProfiles(counts, begins[:top].copy(), sizes[:top].copy(), rows[:top].copy(), present[:top].copy())
    return left, gaps[:used].copy()
