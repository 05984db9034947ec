"""Shared words of pairs of sequences, compiled: 6-mers as MAFFT counts them, k-tuples as ClustalW chains them."""

from __future__ import annotations

import numpy as np

from kernels.jit import compiled


@compiled
def common_words(words, counts, starts, bins, first, others, common):
    """Words that sequence ``first`` shares with each of ``others[0]``..``others[1]``: sums of the smaller counts.

    Arrays as in `words.Words`; ``common`` is float64 (others[1] - others[0],).
    """
    table = np.zeros(bins, np.int32)
    for at in range(starts[first], starts[first + 1]):
        table[words[at]] = counts[at]
    for other in range(others[0], others[1]):
        total = 0
        for at in range(starts[other], starts[other + 1]):
            total += min(counts[at], table[words[at]])
        common[other - others[0]] = total


@compiled
def _select(counts, order, first):
    """Bring the greatest ``counts`` to the places from ``first`` on, and what is in ``order`` with them.

    The last place is left alone. Which of equals are chosen follows from the steps of a quicksort (Kernighan and
    Plauger, Software Tools) whose pivot is the last of its part; of its parts only those are sorted that decide this.
    """
    low, high = 0, counts.size - 2
    while low < first <= high:
        i, j, pivot = low - 1, high, counts[high]
        while i < j:
            i += 1
            while counts[i] < pivot:
                i += 1
            j -= 1
            while j > i and counts[j] > pivot:
                j -= 1
            other = j if i < j else high
            counts[i], counts[other] = counts[other], counts[i]
            order[i], order[other] = order[other], order[i]
        if i < first:
            low = i + 1
        else:
            high = i - 1


@compiled
def _mark_diagonals(row_words, starts, places, rows, columns, top, window, marked, counts):
    """Mark the diagonals with the most words, and ``window`` beside each, as ClustalW chooses them.

    Diagonal d has the words with row - column = d - (columns - 1). One of the ``top`` is always the last diagonal, if
    it has a word; the others are chosen by `_select`, one at least.
    """
    counts[: rows + columns] = 0
    for i in range(row_words.size):
        word = row_words[i]
        if word >= 0:
            for at in range(starts[word], starts[word + 1]):
                counts[i - places[at] + columns - 1] += 1
    diagonals = rows + columns - 1
    marked[: rows + columns] = 0
    words, order = counts[:diagonals], counts[rows + columns : rows + columns + diagonals]
    for d in range(diagonals):
        order[d] = d
    first = max(diagonals - max(top, 2), 0)
    _select(words, order, first)
    for at in range(first, diagonals):
        if words[at]:
            for d in range(max(order[at] - window, 0), min(order[at] + window, diagonals - 1) + 1):
                marked[d] = 1


@compiled
def _chained(chains, used, i, j, k, gap, own_score, own_row):
    """The score of a word at (i, j), which goes on from the best chain that it fits, or begins one.

    It fits behind a chain on its own diagonal, and behind one whose last word lies wholly before it; there it may as
    well go on from the latest word of its own diagonal, of ``own_score`` (0: none) in row ``own_row``.
    """
    for at in range(used - 1, -1, -1):
        row, column = chains[1, at], chains[2, at]
        if i - j == row - column and row < i:
            return chains[0, at] + min(i - row, k)
        if row + k - 1 < i and column + k - 1 < j:
            alone = own_score + min(i - own_row, k) if own_score else k
            return max(chains[0, at] - gap + k, alone)
    return k


@compiled
def _insert(chains, used, score, row, column):
    """Put a chain behind those that do not score more; all by ascending score."""
    low, high = 0, used
    while low < high:
        middle = (low + high) // 2
        if chains[0, middle] <= score:
            low = middle + 1
        else:
            high = middle
    for at in range(used, low, -1):
        chains[0, at], chains[1, at], chains[2, at] = chains[0, at - 1], chains[1, at - 1], chains[2, at - 1]
    chains[0, low], chains[1, low], chains[2, low] = score, row, column


@compiled
def ktuple_score(row_words, starts, places, columns, k, top, window, gap, marked, counts, chains):
    """Letters matched by the best chain of words on the marked diagonals, less ``gap`` for each change of diagonal.

    ``row_words`` int32 are the words of the first sequence, -1 where there is none; those of the second, which has
    ``columns`` letters, are at places[starts[w]]..places[starts[w + 1]], int32. ``marked`` and ``counts`` are room for
    diagonals, int32 (the latter twice); ``chains`` int32 (3, words): score, row and column of the ends of chains, by
    ascending score, of equals the latest last. -1 where there are more than there is room for.
    """
    rows = row_words.size + k - 1
    _mark_diagonals(row_words, starts, places, rows, columns, top, window, marked, counts)
    latest_score, latest_row = counts[: rows + columns], counts[rows + columns : 2 * (rows + columns)]
    latest_score[:] = 0
    used = 0
    for i in range(row_words.size):
        word = row_words[i]
        if word < 0:
            continue
        for at in range(starts[word + 1] - 1, starts[word] - 1, -1):
            j = places[at]
            d = i - j + columns - 1
            if marked[d]:
                if used >= chains.shape[1]:
                    return -1
                score = _chained(chains, used, i, j, k, gap, latest_score[d], latest_row[d])
                latest_score[d], latest_row[d] = score, i
                _insert(chains, used, score, i, j)
                used += 1
    return chains[0, used - 1] if used else 0
