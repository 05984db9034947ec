"""The progressive stage over a guide tree of very many sequences, compiled: profiles on a stack, gaps in lists.

A profile has for every column how many rows hold each symbol: LETTERS letters, then the gaps, as those that open one,
those that go on with one, and those outside of a row's letters. They are whole numbers, and all else is made of them
in single precision and in one order, so that any device finds the same. Costs of gaps are scores with these symbols; two
gaps score nothing. So the score of an alignment is a sum over all pairs of rows, over their number.

    scores_A[i, b] = sum over symbols c of counts_A[i, c] table[c, b]
    S(i, j) = sum over symbols b of scores_A[i, b] counts_B[j, b] / (rows_A rows_B)

A gap of B opposite column i of A costs, for the letters of A there, an opening for those rows of B that have letters on
both sides, and an extension for the others; before and after B all rows pay the cost of ends.
"""

from __future__ import annotations

import numpy as np

from kernels.cpu.jit import compiled, inlined
from kernels.parttree.symbols import ENDS, EXTENDS, LETTERS, OPENS, SYMBOLS, UNKNOWN

DIAGONAL, UP, LEFT = 0, 1, 2
FROM_UP, FROM_LEFT, UP_OPENS, LEFT_OPENS = 1, 2, 4, 8
NEVER = np.float32(-1e30)


@compiled
def _push_leaf(codes, first, last, counts, at):
    """The profile of one sequence on the stack, from column ``at`` on."""
    for place in range(first, last):
        column = at + place - first
        code = np.int64(codes[place])
        counts[column] = 0
        counts[column, code if code < LETTERS else UNKNOWN] = 1


@inlined
def _occupied(counts, column, rows):
    return rows - counts[column, OPENS] - counts[column, EXTENDS] - counts[column, ENDS]


@compiled
def _gap_costs(counts, at, size, rows, rules, letters, opening):
    """Of a profile: the share of rows that have a letter in each column; and what opening a gap in it costs a letter,
    for a gap after so many columns. ``opening`` float32 (size + 1,)."""
    of_rows = np.float32(rows)
    for column in range(size):
        letters[column] = np.float32(_occupied(counts, at + column, rows)) / of_rows
    for place in range(1, size):
        both = max(letters[place - 1] - np.float32(counts[at + place, OPENS]) / of_rows, np.float32(0))
        opening[place] = rules.extension + both * (rules.opening - rules.extension)
    opening[0] = opening[size] = rules.end


@compiled
def _scores(counts, at, size, table, scores):
    """What each column of a profile scores against each symbol: float32 (size, SYMBOLS)."""
    for column in range(size):
        scores[column] = 0
        for symbol in range(SYMBOLS):
            count = np.float32(counts[at + column, symbol])
            if count != 0:
                for other in range(SYMBOLS):
                    scores[column, other] += count * table[symbol, other]


@compiled
def _align(counts, a, m, rows_a, b, n, rows_b, rules, room, ways, stop):
    """The best way to align two profiles of the stack: ``ways`` uint8 has directions, m x n."""
    letters_a, letters_b, open_a, open_b, h, e, own = room
    _gap_costs(counts, a, m, rows_a, rules, letters_a, open_a)
    _gap_costs(counts, b, n, rows_b, rules, letters_b, open_b)
    scores = np.empty((m, SYMBOLS), np.float32)
    _scores(counts, a, m, rules.table, scores)
    pairs = np.float32(1 / (np.float64(rows_a) * rows_b))
    symbols, shares, starts = _sparse(counts, b, n)
    h[0] = 0
    for j in range(n):
        h[j + 1] = h[j] - letters_b[j] * rules.end
        e[j + 1] = NEVER
    extension, end = rules.extension, rules.end
    for i in range(m):
        if stop[0] != 0:
            return
        for j in range(n):
            value = np.float32(0)
            for at in range(starts[j], starts[j + 1]):
                value += scores[i, symbols[at]] * shares[at]
            own[j] = value * pairs
        letter, opens = letters_a[i], open_a[i + 1]
        corner = h[0]
        h[0] = corner - letter * end
        f, left = NEVER, h[0]
        up_end = letter * end
        up_extends = letter * extension
        left_extends = extension if i + 1 < m else end
        row = ways[i * n : (i + 1) * n]
        for j in range(n):
            up = h[j + 1]
            way = 0
            opened = up - letter * open_b[j + 1]
            extended = e[j + 1] - (up_extends if j + 1 < n else up_end)
            if opened >= extended:
                extended, way = opened, UP_OPENS
            e[j + 1] = extended
            opened = left - letters_b[j] * opens
            f -= letters_b[j] * left_extends
            if opened >= f:
                f, way = opened, way | LEFT_OPENS
            best = corner + own[j]
            if extended > best:
                best, way = extended, way | FROM_UP
            if f > best:
                best, way = f, (way & 12) | FROM_LEFT
            row[j] = way
            corner, left = up, best
            h[j + 1] = best


@compiled
def _sparse(counts, b, n):
    """The symbols of each column of a profile that are there, and how often."""
    starts = np.empty(n + 1, np.int32)
    total = 0
    for j in range(n):
        for symbol in range(SYMBOLS):
            total += counts[b + j, symbol] != 0
    symbols, shares = np.empty(total, np.int32), np.empty(total, np.float32)
    at = 0
    for j in range(n):
        starts[j] = at
        for symbol in range(SYMBOLS):
            if counts[b + j, symbol] != 0:
                symbols[at], shares[at] = symbol, counts[b + j, symbol]
                at += 1
    starts[n] = at
    return symbols, shares, starts


@compiled
def _path(ways, m, n, operations):
    """The operations of the best way, the first at the end of those returned; how many."""
    i, j, state, count = m, n, DIAGONAL, 0
    while i > 0 or j > 0:
        if i == 0:
            operation = LEFT
        elif j == 0:
            operation = UP
        else:
            way = ways[(i - 1) * n + j - 1]
            if state == DIAGONAL:
                state = way & 3
            operation = state
            if (state == UP and way & UP_OPENS) or (state == LEFT and way & LEFT_OPENS):
                state = DIAGONAL
        operations[count] = operation
        count += 1
        i -= operation != LEFT
        j -= operation != UP
    return count


@compiled
def _gap_column(counts, target, rows, taken, size, opened, before, counts_to):
    """Add a column of gaps of a profile: of rows that end here or have not begun; of rows that go on with a gap, and
    of those that open one."""
    if taken == 0 or taken == size:
        counts_to[target, ENDS] += rows
        return
    ends = min(counts[before, ENDS], counts[before + 1, ENDS])
    opening = 0 if opened else _occupied(counts, before, rows)
    counts_to[target, OPENS] += opening
    counts_to[target, EXTENDS] += rows - ends - opening
    counts_to[target, ENDS] += ends


@compiled
def _merge_side(counts, at, size, rows, operations, length, absent, counts_to):
    """Add one of two aligned profiles to the columns of both; ``absent`` is the operation that leaves it out."""
    taken, opened = 0, False
    for column in range(length):
        operation = operations[length - 1 - column]
        if operation == absent:
            _gap_column(counts, column, rows, taken, size, opened, at + taken - 1, counts_to)
            opened = True
            continue
        for symbol in range(SYMBOLS):
            counts_to[column, symbol] += counts[at + taken, symbol]
        if opened and taken > 0:
            # What opened a gap here goes on with the new one.
            moved = counts[at + taken, OPENS]
            counts_to[column, OPENS] -= moved
            counts_to[column, EXTENDS] += moved
        taken += 1
        opened = False


@compiled
def _note_gaps(operations, length, absent, gaps, used):
    """The gaps of one side as (columns of it before, length), from gaps[used] on; how many are there then."""
    taken, run = 0, 0
    for column in range(length):
        if operations[length - 1 - column] == absent:
            run += 1
            continue
        if run:
            gaps[used, 0], gaps[used, 1] = taken, run
            used, run = used + 1, 0
        taken += 1
    if run:
        gaps[used, 0], gaps[used, 1] = taken, run
        used += 1
    return used


@compiled
def progressive(codes, offsets, nodes, rules, columns, places, done, stop):
    """All alignments of a tree, one after another; the gaps of every node's two sides.

    ``columns`` int64 (nodes,) becomes how many each node has; the gaps of the sides of a node are those from its
    ``places`` int64 (nodes, 3) on: of the first, of the second, and where they end. Returns the gaps, int32 (k, 2).
    """
    room = 4096
    counts = np.empty((room, SYMBOLS), np.int32)
    gaps, used = np.empty((4096, 2), np.int32), 0
    ways = np.empty(1 << 16, np.uint8)
    top, begins, sizes, rows = 0, np.empty(128, np.int64), np.empty(128, np.int64), np.empty(128, np.int64)
    filled = 0
    for step in range(nodes.leaf.size):
        if stop[0] != 0:
            break
        leaf = nodes.leaf[step]
        if leaf >= 0:
            size = offsets[leaf + 1] - offsets[leaf]
            counts = _with_room(counts, filled, filled + size)
            _push_leaf(codes, offsets[leaf], offsets[leaf + 1], counts, filled)
            begins, sizes, rows = _with_places(begins, sizes, rows, top + 1)
            begins[top], sizes[top], rows[top] = filled, size, 1
            columns[nodes.node[step]] = size
            filled += size
            top += 1
            continue
        node = nodes.node[step]
        a, m, rows_a = begins[top - 2], sizes[top - 2], rows[top - 2]
        b, n, rows_b = begins[top - 1], sizes[top - 1], rows[top - 1]
        if ways.size < m * n:
            ways = np.empty(2 * m * n, np.uint8)
        work = (
            np.empty(m, np.float32), np.empty(n, np.float32), np.empty(m + 1, np.float32), np.empty(n + 1, np.float32),
            np.empty(n + 1, np.float32), np.empty(n + 1, np.float32), np.empty(n, np.float32),
        )  # fmt: skip
        _align(counts, a, m, rows_a, b, n, rows_b, rules, work, ways, stop)
        if stop[0] != 0:
            break
        operations = np.empty(m + n, np.uint8)
        length = _path(ways, m, n, operations)
        while gaps.shape[0] < used + 2 * length + 2:
            more = np.empty((2 * gaps.shape[0], 2), np.int32)
            more[: gaps.shape[0]] = gaps
            gaps = more
        places[node, 0] = used
        used = _note_gaps(operations, length, LEFT, gaps, used)
        places[node, 1] = used
        used = _note_gaps(operations, length, UP, gaps, used)
        places[node, 2] = used
        merged = np.zeros((length, SYMBOLS), np.int32)
        _merge_side(counts, a, m, rows_a, operations, length, LEFT, merged)
        _merge_side(counts, b, n, rows_b, operations, length, UP, merged)
        counts = _with_room(counts, a, a + length)
        counts[a : a + length] = merged
        filled = a + length
        top -= 1
        sizes[top - 1], rows[top - 1] = length, rows_a + rows_b
        columns[node] = length
        done[0] = step + 1
    return gaps[:used].copy()


@compiled
def _with_room(counts, filled, size):
    """An array of at least so many columns, with what is in it."""
    if counts.shape[0] >= size:
        return counts
    more = np.empty((2 * size, SYMBOLS), np.int32)
    more[:filled] = counts[:filled]
    return more


@compiled
def _with_places(begins, sizes, rows, size):
    if begins.size >= size:
        return begins, sizes, rows
    return np.append(begins, begins), np.append(sizes, sizes), np.append(rows, rows)


@compiled
def written(letters, letter_offsets, copies, copy_starts, nodes, gaps, places, columns, target):
    """The rows of all sequences, from the gaps of all nodes, into ``target`` uint8 (rows, columns), which holds gaps.

    ``copies`` int64 are the rows that have the letters of a leaf, from copy_starts[leaf] on. Steps are gone through
    from the last one on: where the columns of a node stand in the alignment is known before its children.
    """
    steps = nodes.leaf.size
    depth = 128
    standing, begins = np.empty(1 << 16, np.int32), np.empty(depth, np.int64)
    total = columns[nodes.node[steps - 1]]
    if standing.size < total:
        standing = np.empty(2 * total, np.int32)
    standing[:total] = np.arange(total)
    top, begins[0] = 1, 0
    for back in range(steps):
        step = steps - 1 - back
        start = begins[top - 1]
        size = columns[nodes.node[step]]
        leaf = nodes.leaf[step]
        if leaf >= 0:
            for number in range(copy_starts[leaf], copy_starts[leaf + 1]):
                row = copies[number]
                first = letter_offsets[row]
                for column in range(size):
                    target[row, standing[start + column]] = letters[first + column]
            top -= 1
            continue
        own = standing[start : start + size].copy()
        first, second, last = places[nodes.node[step]]
        size_a = size - _summed(gaps, first, second)
        size_b = size - _summed(gaps, second, last)
        if standing.size < start + size_a + size_b:
            more = np.empty(2 * (start + size_a + size_b), np.int32)
            more[:start] = standing[:start]
            standing = more
        _kept(own, gaps, first, second, standing, start, size_a)
        _kept(own, gaps, second, last, standing, start + size_a, size_b)
        if top + 1 > begins.size:
            begins = np.append(begins, begins)
        begins[top] = start + size_a
        top += 1


@inlined
def _summed(gaps, first, last):
    total = 0
    for at in range(first, last):
        total += gaps[at, 1]
    return total


@compiled
def _kept(own, gaps, first, last, standing, start, size):
    """The columns of a node that one side has: all but its gaps."""
    source, gap = 0, first
    for column in range(size):
        while gap < last and gaps[gap, 0] == column:
            source += gaps[gap, 1]
            gap += 1
        standing[start + column] = own[source]
        source += 1
