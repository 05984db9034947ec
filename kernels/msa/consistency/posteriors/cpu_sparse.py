"""Compiled loops over sparse posteriors: layout, expected accuracy, and the consistency transformation."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.simd import load_acquire

BLOCK = 64
"""Rows whose sums are in memory at a time."""


@cached_njit
def sort_words(words, count, lanes, m, pointers, columns, units):
    """Sort entries of `cpu_pairs.compute_posteriors` into compressed rows of each lane.

    ``pointers`` int32 (lanes, m + 1); ``columns`` and ``units`` uint16 (count,), lane after lane. Returns where each
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


@inner_njit
def store_pair(posteriors, x, y, pointers, columns, units):
    """Store compressed rows of pair (x, y), and their transpose as those of (y, x)."""
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


@cached_njit
def store_pairs(posteriors, part, first, end, stop):
    """Store pairs ``first`` to ``end`` - 1 of a `CompressedPairs`."""
    lengths = posteriors[0]
    pairs, rows, begins, pointers, columns, units = part
    for number in range(first, end):
        if load_acquire(stop, 0) != 0:
            return
        x, y, begin = pairs[number, 0], pairs[number, 1], begins[number]
        own = pointers[rows[number] : rows[number] + lengths[x] + 1]
        store_pair(posteriors, x, y, own, columns[begin : begin + own[-1]], units[begin : begin + own[-1]])


@inner_njit
def _prefix_maximum(tree, j):
    """Return the largest of the first j numbers of a Fenwick tree of maxima."""
    best = 0
    while j > 0:
        best = max(best, tree[j])
        j &= j - 1
    return best


@cached_njit
def score_accuracies(posteriors, x, results, stop):
    """Compute the expected accuracy of x and each later y into ``found[y]``, float64."""
    lengths = posteriors[0]
    for y in range(x + 1, lengths.size):
        if load_acquire(stop, 0) != 0:
            return
        results[y] = expected_accuracy(posteriors, x, y) / (65536.0 * max(min(lengths[x], lengths[y]), 1))


@inner_njit
def expected_accuracy(posteriors, x, y):
    """Return the largest sum of units of an alignment of x and y, int64: their expected accuracy before division."""
    lengths, rows, entries, pointers, columns, units = posteriors
    pair = x * lengths.size + y
    row, entry, width = rows[pair], entries[pair], lengths[y]
    tree, found = np.zeros(width + 1, np.int64), np.zeros(width + 1, np.int64)
    for i in range(lengths[x]):
        first, end = entry + pointers[row + i], entry + pointers[row + i + 1]
        for e in range(first, end):
            found[e - first] = _prefix_maximum(tree, np.int64(columns[e])) + units[e]
        for e in range(first, end):
            j = np.int64(columns[e]) + 1
            while j <= width:
                tree[j] = max(tree[j], found[e - first])
                j += j & -j
    return _prefix_maximum(tree, width)


@inner_njit
def _add_products(posteriors, first, second, begin, end, weight, sums):
    """Add rows ``begin`` to ``end`` - 1 of the product of two pairs, times a weight, to ``sums`` float32 (BLOCK,
    width).
    """
    _, rows, entries, pointers, columns, units = posteriors
    row, entry = rows[first], entries[first]
    next_row, next_entry = rows[second], entries[second]
    for i in range(begin, end):
        row_sums = sums[i - begin]
        for e in range(entry + pointers[row + i], entry + pointers[row + i + 1]):
            k, value = np.int64(columns[e]), weight * np.float32(units[e])
            for other in range(next_entry + pointers[next_row + k], next_entry + pointers[next_row + k + 1]):
                row_sums[columns[other]] += value * np.float32(units[other])


@inner_njit
def _merge_sorted(first, second):
    """Merge two rising lists; numbers in both occur once."""
    both, count, i, j = np.empty(first.size + second.size, np.int64), 0, 0, 0
    while i < first.size or j < second.size:
        z = first[i] if j == second.size or (i < first.size and first[i] <= second[j]) else second[j]
        i += i < first.size and first[i] == z
        j += j < second.size and second[j] == z
        both[count] = z
        count += 1
    return both[:count]


@cached_njit
def transform_pairs(
    posteriors, pairs, first, chosen, weights, own_weight, limit, pointers, rows, begins, columns, units, begun, stop
):
    """Apply consistency to pairs from number ``first`` on: the weighted mean of P(x, z) P(z, y), cut at ``limit``
    units.

    The sequences z are those in rows x and y of ``chosen`` (int32, rising), with ``weights`` float32 (n,); P(x, y)
    itself weighs ``own`` times the weights of x and y. Pointers of a pair go to ``pointers`` from ``rows`` on, entries
    behind the ``begun`` existing ones. Returns how many pairs are done when ``columns`` is full or ``stop`` is set, and
    the number of entries.
    """
    lengths = posteriors[0]
    sums = np.zeros((BLOCK, lengths[pairs[:, 1]].max()), np.float32)
    for number in range(first, len(pairs)):
        x, y = pairs[number, 0], pairs[number, 1]
        begins[number] = begun
        itself = own_weight * (weights[x] + weights[y])
        count = _transform_pair(
            posteriors,
            x,
            y,
            _merge_sorted(chosen[x], chosen[y]),
            weights,
            itself,
            limit,
            sums,
            pointers[rows[number] :],
            columns[begun:],
            units[begun:],
            stop,
        )
        if count < 0 or count > columns.size - begun:
            return number, begun
        begun += count
    return len(pairs), begun


@inner_njit
def _transform_pair(posteriors, x, y, intermediates, weights, own_weight, limit, sums, pointers, columns, units, stop):
    """Compute compressed rows of one pair; return its number of entries, even without space for them, or -1 to stop."""
    lengths, rows, entries, all_pointers, all_columns, all_units = posteriors
    n, m, width, pair = lengths.size, lengths[x], lengths[y], x * lengths.size + y
    total = own_weight
    for z in intermediates:
        if z != x and z != y:
            total += weights[z]
    share, unit = np.float32(1) / (total * np.float32(65536)), np.float32(65536)
    count = 0
    least = np.float32(limit - 1) / share
    pointers[0] = 0
    for begin in range(0, m, BLOCK):
        if load_acquire(stop, 0) != 0:
            return -1
        end = min(begin + BLOCK, m)
        for i in range(begin, end):
            row, entry = rows[pair] + i, entries[pair]
            for e in range(entry + all_pointers[row], entry + all_pointers[row + 1]):
                sums[i - begin, all_columns[e]] = own_weight * np.float32(all_units[e]) * unit
        for z in intermediates:
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
