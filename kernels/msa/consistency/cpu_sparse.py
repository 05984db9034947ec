"""Loops over sparse posteriors, compiled: laying them out, their expected accuracy, and consistency."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.simd import acquire

BLOCK = 64
"""Rows whose sums are kept at a time."""


@compiled
def sort_words(words, count, lanes, m, pointers, columns, units):
    """Compressed rows of each lane from the words of `cpu_pairs.posteriors`.

    ``pointers`` int32 (lanes, m + 1); ``columns`` and ``units`` uint16 (count,), lane after lane; returns where each
    lane begins, int64 (lanes + 1,).
    """
    starts = np.zeros(lanes + 1, np.int64)
    pointers[:] = 0
    for word in words[:count]:
        pointers[word >> 48, (word >> 32 & 0xFFFF) + 1] += 1
    for lane in range(lanes):
        for i in range(m):
            pointers[lane, i + 1] += pointers[lane, i]
        starts[lane + 1] = starts[lane] + pointers[lane, m]
    ends = pointers[:, 1:].copy()
    for word in words[:count]:
        lane, i = word >> 48, word >> 32 & 0xFFFF
        ends[lane, i] -= 1
        place = starts[lane] + ends[lane, i]
        columns[place], units[place] = word >> 16 & 0xFFFF, word & 0xFFFF
    return starts


@called
def put(posteriors, x, y, pointers, columns, units):
    """Take over compressed rows of pair (x, y), and as columns those of (y, x)."""
    lengths, rows, entries, all_pointers, all_columns, all_units = posteriors
    n, m, width = lengths.size, lengths[x], lengths[y]
    row, entry = rows[x * n + y], entries[x * n + y]
    for i in range(m + 1):
        all_pointers[row + i] = pointers[i]
    for e in range(pointers[m]):
        all_columns[entry + e], all_units[entry + e] = columns[e], units[e]
    row, entry = rows[y * n + x], entries[y * n + x]
    other = all_pointers[row : row + width + 1]
    other[:] = 0
    for e in range(pointers[m]):
        other[columns[e] + 1] += 1
    for j in range(width):
        other[j + 1] += other[j]
    places = other[:width].copy()
    for i in range(m):
        for e in range(pointers[i], pointers[i + 1]):
            place = entry + places[columns[e]]
            places[columns[e]] += 1
            all_columns[place], all_units[place] = i, units[e]


@compiled
def put_pairs(posteriors, part, first, end, stop):
    """Take over pairs ``first``..``end`` of a part (`sparse.Part`)."""
    lengths = posteriors[0]
    pairs, rows, begins, pointers, columns, units = part
    for number in range(first, end):
        if acquire(stop, 0) != 0:
            return
        x, y, begin = pairs[number, 0], pairs[number, 1], begins[number]
        own = pointers[rows[number] : rows[number] + lengths[x] + 1]
        put(posteriors, x, y, own, columns[begin : begin + own[-1]], units[begin : begin + own[-1]])


@called
def _highest(tree, j):
    """The largest of the first j numbers of a Fenwick tree of maxima."""
    best = 0
    while j > 0:
        best = max(best, tree[j])
        j &= j - 1
    return best


@compiled
def accuracies(posteriors, x, found, stop):
    """``found[y]`` for all y > x, float64: the expected accuracy of both."""
    lengths = posteriors[0]
    for y in range(x + 1, lengths.size):
        if acquire(stop, 0) != 0:
            return
        found[y] = accuracy(posteriors, x, y) / (65536.0 * max(min(lengths[x], lengths[y]), 1))


@called
def accuracy(posteriors, x, y):
    """The largest sum of units that an alignment of x and y can have, int64: expected accuracy, not yet divided."""
    lengths, rows, entries, pointers, columns, units = posteriors
    pair = x * lengths.size + y
    row, entry, width = rows[pair], entries[pair], lengths[y]
    tree, found = np.zeros(width + 1, np.int64), np.zeros(width + 1, np.int64)
    for i in range(lengths[x]):
        first, end = entry + pointers[row + i], entry + pointers[row + i + 1]
        for e in range(first, end):
            found[e - first] = _highest(tree, np.int64(columns[e])) + units[e]
        for e in range(first, end):
            j = np.int64(columns[e]) + 1
            while j <= width:
                tree[j] = max(tree[j], found[e - first])
                j += j & -j
    return _highest(tree, width)


@called
def _add_products(posteriors, first, second, begin, end, weight, sums):
    """Rows ``begin``..``end`` of the product of two pairs, times a weight, onto ``sums`` float32 (BLOCK, width)."""
    _, rows, entries, pointers, columns, units = posteriors
    row, entry = rows[first], entries[first]
    next_row, next_entry = rows[second], entries[second]
    for i in range(begin, end):
        row_sums = sums[i - begin]
        for e in range(entry + pointers[row + i], entry + pointers[row + i + 1]):
            k, value = np.int64(columns[e]), weight * np.float32(units[e])
            for other in range(next_entry + pointers[next_row + k], next_entry + pointers[next_row + k + 1]):
                row_sums[columns[other]] += value * np.float32(units[other])


@called
def _united(first, second):
    """Numbers of two rising lists, each once, rising."""
    both, count, i, j = np.empty(first.size + second.size, np.int64), 0, 0, 0
    while i < first.size or j < second.size:
        z = first[i] if j == second.size or (i < first.size and first[i] <= second[j]) else second[j]
        i += i < first.size and first[i] == z
        j += j < second.size and second[j] == z
        both[count] = z
        count += 1
    return both[:count]


@compiled
def consistent(
    posteriors, pairs, first, chosen, weights, own, limit, pointers, rows, begins, columns, units, begun, stop
):
    """Posteriors of pairs from number ``first`` on by way of the sequences in rows x and y of ``chosen`` (int32,
    rising): the weighted mean of P(x, z) P(z, y), cut at ``limit`` units.

    ``weights`` float32 (n,) are of the z; ``own`` float32 times those of x and y is that of P(x, y) itself. A pair's
    pointers go to ``pointers`` from ``rows`` on, its entries behind the ``begun`` that there are. Returns how many
    pairs are done when ``columns`` is full or ``stop`` is set, and how many entries there are then.
    """
    lengths = posteriors[0]
    sums = np.zeros((BLOCK, lengths[pairs[:, 1]].max()), np.float32)
    for number in range(first, len(pairs)):
        x, y = pairs[number, 0], pairs[number, 1]
        begins[number] = begun
        itself = own * (weights[x] + weights[y])
        count = _consistent(posteriors, x, y, _united(chosen[x], chosen[y]), weights, itself, limit, sums,
                            pointers[rows[number] :], columns[begun:], units[begun:], stop)  # fmt: skip
        if count < 0 or count > columns.size - begun:
            return number, begun
        begun += count
    return len(pairs), begun


@called
def _consistent(posteriors, x, y, others, weights, own, limit, sums, pointers, columns, units, stop):
    """Compressed rows of one pair, and how many entries it has, even if there is no room; -1 where ``stop`` is set."""
    lengths, rows, entries, all_pointers, all_columns, all_units = posteriors
    n, m, width, pair = lengths.size, lengths[x], lengths[y], x * lengths.size + y
    total = own
    for z in others:
        if z != x and z != y:
            total += weights[z]
    share, unit = np.float32(1) / (total * np.float32(65536)), np.float32(65536)
    count = 0
    least = np.float32(limit - 1) / share
    pointers[0] = 0
    for begin in range(0, m, BLOCK):
        if acquire(stop, 0) != 0:
            return -1
        end = min(begin + BLOCK, m)
        for i in range(begin, end):
            row, entry = rows[pair] + i, entries[pair]
            for e in range(entry + all_pointers[row], entry + all_pointers[row + 1]):
                sums[i - begin, all_columns[e]] = own * np.float32(all_units[e]) * unit
        for z in others:
            if z != x and z != y:
                _add_products(posteriors, x * n + z, z * n + y, begin, end, weights[z], sums)
        for i in range(begin, end):
            row_sums = sums[i - begin, :width]
            for j in range(width):
                if row_sums[j] >= least:
                    found = np.int64(row_sums[j] * share + np.float32(0.5))
                    if found >= limit:
                        if count < columns.size:
                            columns[count], units[count] = j, min(found, 65535)
                        count += 1
            row_sums[:] = 0
            pointers[i + 1] = count
    return count
