"""Two groups of aligned sequences into one, of maximum expected accuracy; compiled.

The score of a column of the one and a column of the other is the sum, over their letters, of the posteriors times the
weights of both sequences, a whole number; an alignment scores the sum over its pairs of columns, and gaps cost nothing.
Of alignments that score the same the one is taken that, read from the end, pairs columns rather than not, and then
leaves a column of the first alone rather than one of the second.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.simd import acquire

PAIR, FIRST, SECOND = 0, 1, 2
"""Steps: a pair of columns, a column of the first alone, a column of the second alone."""


@called
def add_pair(posteriors, x, y, x_places, y_places, weight, scores):
    """Posteriors of two sequences times ``weight`` onto ``scores``, at the columns where their letters stand."""
    lengths, rows, entries, pointers, columns, units = posteriors
    pair = x * lengths.size + y
    row, entry = rows[pair], entries[pair]
    for i in range(lengths[x]):
        row_scores = scores[x_places[i]]
        for e in range(entry + pointers[row + i], entry + pointers[row + i + 1]):
            row_scores[y_places[columns[e]]] += weight * np.int64(units[e])


@compiled
def column_scores(posteriors, first, second, places, starts, weights, shape, stop):
    """Scores of all pairs of columns, int64 ``shape``.

    ``first`` and ``second`` are sequences, ``places`` int32 the columns of the letters of all, those of sequence x from
    ``starts[x]`` on; ``weights`` int64. What is returned is not complete where ``stop`` is set.
    """
    scores = np.zeros(shape, np.int64)
    for x in first:
        if acquire(stop, 0) != 0:
            break
        for y in second:
            weight = weights[x] * weights[y]
            add_pair(posteriors, x, y, places[starts[x] :], places[starts[y] :], weight, scores)
    return scores


@compiled
def steps(scores, stop):
    """Steps of the best alignment from the beginning on, uint8; and its score. None where ``stop`` is set."""
    m, n = scores.shape
    back = np.empty((m, n), np.uint8)
    row = np.zeros(n + 1, np.int64)
    for i in range(m):
        if acquire(stop, 0) != 0:
            return np.empty(0, np.uint8), np.int64(-1)
        diagonal, before = np.int64(0), np.int64(0)
        row_scores, row_back = scores[i], back[i]
        for j in range(n):
            above = row[j + 1]
            paired = diagonal + row_scores[j]
            best, step = max(above, before), FIRST if above >= before else SECOND
            if paired >= best:
                best, step = paired, PAIR
            row_back[j] = step
            diagonal, before, row[j + 1] = above, best, best
    path, at, i, j = np.empty(m + n, np.uint8), m + n, m, n
    while i > 0 or j > 0:
        step = SECOND if i == 0 else FIRST if j == 0 else back[i - 1, j - 1]
        at -= 1
        path[at] = step
        i -= step != SECOND
        j -= step != FIRST
    return path[at:].copy(), row[n]


@compiled
def follow(path, first_columns, second_columns):
    """Columns of both groups in the alignment that ``path`` makes, int32."""
    first, second = np.empty(first_columns, np.int32), np.empty(second_columns, np.int32)
    i = j = 0
    for column in range(path.size):
        if path[column] != SECOND:
            first[i] = column
            i += 1
        if path[column] != FIRST:
            second[j] = column
            j += 1
    return first, second


@compiled
def move(members, places, starts, lengths, columns):
    """Let letters of the members stand in ``columns[...]`` of the columns where they stood."""
    for x in members:
        for i in range(starts[x], starts[x] + lengths[x]):
            places[i] = columns[places[i]]


@compiled
def close(members, places, starts, lengths, columns):
    """Take columns without a letter of the members out of ``columns`` columns; returns how many there are then."""
    new = np.zeros(columns + 1, np.int32)
    for x in members:
        for i in range(starts[x], starts[x] + lengths[x]):
            new[places[i] + 1] = 1
    for column in range(columns):
        new[column + 1] += new[column]
    for x in members:
        for i in range(starts[x], starts[x] + lengths[x]):
            places[i] = new[places[i]]
    return np.int64(new[columns])


@compiled
def filled(members, places, starts, lengths, columns):
    """Whether each of so many columns has a letter of the members, bool."""
    found = np.zeros(columns, np.bool_)
    for x in members:
        for i in range(starts[x], starts[x] + lengths[x]):
            found[places[i]] = True
    return found


@compiled
def standing(members, places, starts, lengths, column):
    """Whether each member has a letter in a column, uint8."""
    found = np.zeros(members.size, np.uint8)
    for number in range(members.size):
        x = members[number]
        own = places[starts[x] : starts[x] + lengths[x]]
        place = np.searchsorted(own, column)
        found[number] = place < own.size and own[place] == column
    return found


@compiled
def support(posteriors, places, starts, weights, supported, possible, x):
    """Add what sequence x and those after it give to the confidence of columns.

    ``supported`` and ``possible`` int64 (columns,): sums over pairs of letters in a column of weights times units, and
    of weights.
    """
    lengths, rows, entries, pointers, entry_columns, units = posteriors
    n = lengths.size
    own = places[starts[x] : starts[x] + lengths[x]]
    for y in range(x + 1, n):
        weight, pair = weights[x] * weights[y], x * n + y
        other, j = places[starts[y] : starts[y] + lengths[y]], 0
        for i in range(own.size):
            while j < other.size and other[j] < own[i]:
                j += 1
            if j == other.size:
                break
            if other[j] == own[i]:
                possible[own[i]] += weight
                begin = entries[pair] + pointers[rows[pair] + i]
                for e in range(begin, entries[pair] + pointers[rows[pair] + i + 1]):
                    if entry_columns[e] == j:
                        supported[own[i]] += weight * np.int64(units[e])


@compiled
def products(posteriors, sums):
    """Add P(x, z) P(z, y) of all z to ``sums`` float32 (m, n); x and y are the sequences 0 and 1."""
    lengths, rows, entries, pointers, columns, units = posteriors
    n = lengths.size
    scale = np.float32(1) / (np.float32(65536) * np.float32(65536))
    for z in range(2, n):
        row, entry, next_row, next_entry = rows[z], entries[z], rows[z * n + 1], entries[z * n + 1]
        for i in range(lengths[0]):
            for e in range(entry + pointers[row + i], entry + pointers[row + i + 1]):
                k, value = np.int64(columns[e]), np.float32(units[e]) * scale
                for f in range(next_entry + pointers[next_row + k], next_entry + pointers[next_row + k + 1]):
                    sums[i, columns[f]] += value * np.float32(units[f])
    return sums


@compiled
def support_of_pairs(posteriors, first, second, found):
    """``found[z - 2, p]``, float32: row ``first[p]`` of P(0, z) times column ``second[p]`` of P(z, 1), for all z."""
    lengths, rows, entries, pointers, columns, units = posteriors
    n = lengths.size
    scale = np.float32(1) / (np.float32(65536) * np.float32(65536))
    for z in range(2, n):
        row, entry, other_row, other_entry = rows[z], entries[z], rows[n + z], entries[n + z]
        for p in range(first.size):
            e, end = entry + pointers[row + first[p]], entry + pointers[row + first[p] + 1]
            f, other_end = (
                other_entry + pointers[other_row + second[p]],
                other_entry + pointers[other_row + second[p] + 1],
            )
            while e < end and f < other_end:
                if columns[e] == columns[f]:
                    found[z - 2, p] += np.float32(units[e]) * np.float32(units[f]) * scale
                    e, f = e + 1, f + 1
                elif columns[e] < columns[f]:
                    e += 1
                else:
                    f += 1
