"""Shared k-mers of pairs of sequences, compiled: 6-mers as MAFFT counts them, k-tuples as ClustalW chains them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernels.cpu.jit import compiled

ROWS_A_LOOK = 64
"""K-mers between two looks at the wish to stop."""


class Counts(NamedTuple):
    """The k-mers of all sequences, their counts, and where those of each begin, as in `kmers.Kmers`."""

    kmers: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    bins: int


class Others(NamedTuple):
    """The k-mers of all sequences, int32, -1 where there is none, and where those of each begin, int64."""

    kmers: np.ndarray
    starts: np.ndarray


class Places(NamedTuple):
    """A sequence of so many letters: k-mer w is at places[starts[w]]..places[starts[w + 1]], int32."""

    starts: np.ndarray
    places: np.ndarray
    letters: int


class Rule(NamedTuple):
    """ClustalW's options: letters of a k-tuple, diagonals that are taken, those beside each, and the cost of a gap."""

    k: int
    top: int
    window: int
    gap: int


class Room(NamedTuple):
    """Scratch, int32: ``marked`` and, twice as long, ``counts`` for diagonals; ``chains`` (3, k-mers): score, row and
    column of the ends of chains, by ascending score, of equals the latest last."""

    marked: np.ndarray
    counts: np.ndarray
    chains: np.ndarray


@compiled
def common_kmers(all_counts, first, others, common):
    """K-mers that sequence ``first`` shares with each of ``others[0]``..``others[1]``: sums of the smaller counts.

    ``common`` is float64 (others[1] - others[0],).
    """
    kmers, counts, starts, bins = all_counts
    table = np.zeros(bins, np.int32)
    for at in range(starts[first], starts[first + 1]):
        table[kmers[at]] = counts[at]
    for other in range(others[0], others[1]):
        total = 0
        for at in range(starts[other], starts[other + 1]):
            total += min(counts[at], table[kmers[at]])
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
def _mark_diagonals(row_kmers, column, rows, rule, room):
    """Mark the diagonals with the most k-mers, and a window beside each, as ClustalW chooses them.

    Diagonal d has the k-mers with row - column = d - (columns - 1). One of the ``top`` is always the last diagonal, if
    it has a k-mer; the others are chosen by `_select`, one at least.
    """
    starts, places, columns = column
    top, window, marked, counts = rule.top, rule.window, room.marked, room.counts
    counts[: rows + columns] = 0
    for i in range(row_kmers.size):
        kmer = row_kmers[i]
        if kmer >= 0:
            for at in range(starts[kmer], starts[kmer + 1]):
                counts[i - places[at] + columns - 1] += 1
    diagonals = rows + columns - 1
    marked[: rows + columns] = 0
    shared, order = counts[:diagonals], counts[rows + columns : rows + columns + diagonals]
    for d in range(diagonals):
        order[d] = d
    first = max(diagonals - max(top, 2), 0)
    _select(shared, order, first)
    for at in range(first, diagonals):
        if shared[at]:
            for d in range(max(order[at] - window, 0), min(order[at] + window, diagonals - 1) + 1):
                marked[d] = 1


@compiled
def _chained(chains, used, i, j, k, gap, own_score, own_row):
    """The score of a k-mer at (i, j), which goes on from the best chain that it fits, or begins one.

    It fits behind a chain on its own diagonal, and behind one whose last k-mer lies wholly before it; there it may as
    well go on from the latest k-mer of its own diagonal, of ``own_score`` (0: none) in row ``own_row``.
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
def ktuple_score(row_kmers, column, rule, room, stop):
    """Letters matched by the best chain of k-mers on the marked diagonals, less the cost of each change of diagonal.

    ``row_kmers`` int32 are those of the first sequence, -1 where there is none; ``column`` (Places) has those of the
    second; ``rule`` and ``room`` are Rule and Room. -1 where there are more chains than there is room for, or ``stop``
    was set.
    """
    starts, places, columns = column
    marked, counts, chains = room
    k, gap = rule.k, rule.gap
    rows = row_kmers.size + k - 1
    _mark_diagonals(row_kmers, column, rows, rule, room)
    latest_score, latest_row = counts[: rows + columns], counts[rows + columns : 2 * (rows + columns)]
    latest_score[:] = 0
    used = 0
    for i in range(row_kmers.size):
        if i % ROWS_A_LOOK == 0 and stop[0]:
            return -1
        kmer = row_kmers[i]
        if kmer < 0:
            continue
        for at in range(starts[kmer + 1] - 1, starts[kmer] - 1, -1):
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


@compiled
def ktuple_scores(others, row, number, column, rule, room, scores, stop):
    """`ktuple_score` of sequences ``row`` to ``number`` (half-open) of Others with sequence ``number``.

    ``column`` are the Places of that one; ``scores`` float64 (n, n) takes them, in column ``number``.
    Returns the first row that is not done: there is no more room for chains, or ``stop`` was set.
    """
    kmers, starts = others
    for other in range(row, number):
        if stop[0]:
            return other
        score = ktuple_score(kmers[starts[other] : starts[other + 1]], column, rule, room, stop)
        if score < 0:
            return other
        scores[other, number] = score
    return number
