"""Compiled alignment of two groups of aligned sequences by maximum expected accuracy.

Two columns score the sum, over their letters, of posteriors times the weights of both sequences, a whole number. An
alignment scores the sum over its pairs of columns; gaps cost nothing. Of equal alignments, read from the end, pairs
come first, then single columns of the first group, then of the second.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.simd import load_acquire

PAIR, FIRST, SECOND = 0, 1, 2
"""Operations: a pair of columns, a column of the first group alone, a column of the second group alone."""


@inner_njit
def add_pair_scores(posteriors, x, y, x_places, y_places, weight, scores):
    """Add the posteriors of two sequences times ``weight`` to ``scores`` at the columns of their letters."""
    lengths, rows, entries, pointers, columns, units = posteriors
    pair = x * lengths.size + y
    row, entry = rows[pair], entries[pair]
    for i in range(lengths[x]):
        row_scores = scores[x_places[i]]
        for e in range(entry + pointers[row + i], entry + pointers[row + i + 1]):
            row_scores[y_places[columns[e]]] += weight * np.int64(units[e])


@cached_njit
def score_column_pairs(posteriors, first, second, letter_columns, starts, weights, shape, stop):
    """Return the scores of all pairs of columns, int64 of ``shape``; incomplete if ``stop`` is set.

    ``first`` and ``second`` are sequence numbers. ``places`` int32 are columns of letters; those of sequence x begin at
    ``starts[x]``. ``weights`` are int64.
    """
    scores = np.zeros(shape, np.int64)
    for x in first:
        if load_acquire(stop, 0) != 0:
            break
        for y in second:
            weight = weights[x] * weights[y]
            add_pair_scores(posteriors, x, y, letter_columns[starts[x] :], letter_columns[starts[y] :], weight, scores)
    return scores


@cached_njit
def align_groups(scores, stop):
    """Return the operations of the best alignment (uint8) and its score; no operations if ``stop`` is set."""
    m, n = scores.shape
    back = np.empty((m, n), np.uint8)
    row = np.zeros(n + 1, np.int64)
    for i in range(m):
        if load_acquire(stop, 0) != 0:
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


@cached_njit
def place_columns(path, first_columns, second_columns):
    """Return the columns of both groups in the alignment that ``path`` makes, int32."""
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


@cached_njit
def move_letters(members, letter_columns, starts, lengths, columns):
    """Move the letters of members from column c to ``columns[c]``."""
    for x in members:
        for i in range(starts[x], starts[x] + lengths[x]):
            letter_columns[i] = columns[letter_columns[i]]


@cached_njit
def remove_empty_columns(members, letter_columns, starts, lengths, columns):
    """Remove columns in which no member has a letter; return the number of columns that remain."""
    new = np.zeros(columns + 1, np.int32)
    for x in members:
        for i in range(starts[x], starts[x] + lengths[x]):
            new[letter_columns[i] + 1] = 1
    for column in range(columns):
        new[column + 1] += new[column]
    for x in members:
        for i in range(starts[x], starts[x] + lengths[x]):
            letter_columns[i] = new[letter_columns[i]]
    return np.int64(new[columns])


@cached_njit
def find_filled_columns(members, letter_columns, starts, lengths, columns):
    """Return for each column whether any member has a letter there, bool."""
    found = np.zeros(columns, np.bool_)
    for x in members:
        for i in range(starts[x], starts[x] + lengths[x]):
            found[letter_columns[i]] = True
    return found


@cached_njit
def find_letters_in_column(members, letter_columns, starts, lengths, column):
    """Return for each member whether it has a letter in a column, uint8."""
    found = np.zeros(members.size, np.uint8)
    for number in range(members.size):
        x = members[number]
        own = letter_columns[starts[x] : starts[x] + lengths[x]]
        place = np.searchsorted(own, column)
        found[number] = place < own.size and own[place] == column
    return found


@cached_njit
def add_column_support(posteriors, letter_columns, starts, weights, supported, possible, x):
    """Add the support of pairs of sequence x and later ones to the sums of each column.

    ``supported`` and ``possible`` int64 (columns,): sums over pairs of letters of weights times units, and of weights.
    """
    lengths, rows, entries, pointers, entry_columns, units = posteriors
    n = lengths.size
    own = letter_columns[starts[x] : starts[x] + lengths[x]]
    for y in range(x + 1, n):
        weight, pair = weights[x] * weights[y], x * n + y
        other, j = letter_columns[starts[y] : starts[y] + lengths[y]], 0
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


@cached_njit
def add_third_products(posteriors, sums):
    """Add P(x, z) P(z, y) of all z to ``sums`` float32 (m, n); x and y are sequences 0 and 1."""
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


@cached_njit
def score_third_support(posteriors, first, second, supports):
    """Score the support of each third sequence z for pairs of letters.

    ``found[z - 2, p]`` (float32) becomes row ``first[p]`` of P(0, z) times column ``second[p]`` of P(z, 1).
    """
    lengths, rows, entries, pointers, columns, units = posteriors
    n = lengths.size
    scale = np.float32(1) / (np.float32(65536) * np.float32(65536))
    for z in range(2, n):
        row, entry, other_row, other_entry = rows[z], entries[z], rows[n + z], entries[n + z]
        for p in range(first.size):
            e, end = entry + pointers[row + first[p]], entry + pointers[row + first[p] + 1]
            f = other_entry + pointers[other_row + second[p]]
            other_end = other_entry + pointers[other_row + second[p] + 1]
            while e < end and f < other_end:
                if columns[e] == columns[f]:
                    supports[z - 2, p] += np.float32(units[e]) * np.float32(units[f]) * scale
                    e, f = e + 1, f + 1
                elif columns[e] < columns[f]:
                    e += 1
                else:
                    f += 1
