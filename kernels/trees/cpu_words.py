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
def _mark_diagonals(row_words, starts, places, rows, columns, top, window, marked, counts):
    """Mark the ``top`` diagonals with the most words, and ``window`` beside each; of equals the later diagonals.

    Diagonal d has the words with row - column = d - (columns - 1).
    """
    counts[: rows + columns] = 0
    for i in range(row_words.size):
        word = row_words[i]
        if word >= 0:
            for at in range(starts[word], starts[word + 1]):
                counts[i - places[at] + columns - 1] += 1
    diagonals = rows + columns - 1
    marked[: rows + columns] = 0
    for _ in range(top):
        best = diagonals - 1
        for d in range(diagonals - 1, -1, -1):
            if counts[d] > counts[best]:
                best = d
        if counts[best] <= 0:
            break
        counts[best] = -counts[best] - 1
        for d in range(max(best - window, 0), min(best + window, diagonals - 1) + 1):
            marked[d] = 1


@compiled
def ktuple_score(row_words, starts, places, columns, k, top, window, gap, marked, counts, fragments):
    """Letters matched by the best chain of words on the marked diagonals, less ``gap`` for each change of diagonal.

    ``row_words`` int32 are the words of the first sequence, -1 where there is none; those of the second, which has
    ``columns`` letters, are at places[starts[w]]..places[starts[w + 1]], int32. ``marked`` and ``counts`` are room for
    diagonals, int32; ``fragments`` int64 (5, words): score, row, column, before (unused), next worse, of a chain's end.
    A word goes on from the best chain whose last word lies wholly before it, or on its own diagonal; of equals, from
    the latest. -1 where there are more fragments than room.
    """
    rows = row_words.size + k - 1
    _mark_diagonals(row_words, starts, places, rows, columns, top, window, marked, counts)
    latest = counts
    latest[: rows + columns] = 0
    used, best = 0, 0
    for i in range(row_words.size):
        word = row_words[i]
        if word < 0:
            continue
        for at in range(starts[word + 1] - 1, starts[word] - 1, -1):
            j = places[at]
            d = i - j + columns - 1
            if not marked[d]:
                continue
            score, before = k, best
            while before:
                row, column = fragments[1, before], fragments[2, before]
                if i - j == row - column and row < i:
                    score = fragments[0, before] + min(i - row, k)
                    break
                if row + k - 1 < i and column + k - 1 < j:
                    own = latest[d]
                    alone = fragments[0, own] + min(i - fragments[1, own], k) if own else k
                    score = max(fragments[0, before] - gap + k, alone)
                    break
                before = fragments[4, before]
            used += 1
            if used >= fragments.shape[1]:
                return -1
            latest[d] = used
            fragments[0, used], fragments[1, used], fragments[2, used] = score, i, j
            if best == 0 or score >= fragments[0, best]:
                fragments[4, used], best = best, used
                continue
            worse = best
            while fragments[4, worse] and score < fragments[0, fragments[4, worse]]:
                worse = fragments[4, worse]
            fragments[4, used], fragments[4, worse] = fragments[4, worse], used
    return fragments[0, best] if best else 0
