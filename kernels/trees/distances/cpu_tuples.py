"""ClustalW's chains of k-tuples of pairs of sequences, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernels.cpu.jit import compiled, inlined

ROWS_A_LOOK = 64
"""K-mers between two looks at the wish to stop."""
SCORE = 33
"""Bits of a chain below its score: its number, in the order in which chains are made."""


class Others(NamedTuple):
    """All sequences: their k-mers, int32, -1 where there is none; where those of each begin, and how many letters it
    has, int64."""

    kmers: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray


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
    """Scratch for pairs of at most L letters each: ``marked`` int32 and ``counts`` int32, 2 L and 4 L of diagonals;
    ``best`` int64, L + 1 of columns; ``waiting`` int64 (2, k L): chains and their columns, in a ring."""

    marked: np.ndarray
    counts: np.ndarray
    best: np.ndarray
    latest: np.ndarray
    waiting: np.ndarray


def room(longest: int, k: int) -> Room:
    """Scratch for pairs of at most ``longest`` letters."""
    diagonals = 2 * longest + 2
    return Room(
        np.empty(diagonals, np.int32), np.empty(2 * diagonals, np.int32), np.empty(longest + 1, np.int64),
        np.empty(diagonals, np.int64), np.empty((2, max(k * longest, 1)), np.int64),
    )  # fmt: skip


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


@inlined
def _best_before(best, column):
    """The best chain that ends in one of the first ``column`` columns; 0 for none. ``best`` is a tree of maxima
    (Fenwick 1994): place p has those of the columns p - (p & -p) + 1 .. p."""
    found = np.int64(0)
    while column > 0:
        found = max(found, best[column])
        column &= column - 1
    return found


@inlined
def _offer(best, column, columns, chain):
    """A chain that ends in ``column`` (from 0) may be gone on from now on."""
    at = column + 1
    while at <= columns and best[at] < chain:
        best[at] = chain
        at += at & -at


@compiled
def ktuple_score(row_kmers, column, rule, room, stop):
    """Letters matched by the best chain of k-mers on the marked diagonals, less the cost of each change of diagonal.

    ``row_kmers`` int32 are those of the first sequence, -1 where there is none; ``column`` (Places) has those of the
    second; ``rule`` and ``room`` are Rule and Room. -1 where ``stop`` was set.

    A k-mer goes on from the best chain that it fits behind, of equal ones the latest: one whose last k-mer is wholly
    before it, or the latest on its own diagonal, which is the best there. Where it changes the diagonal it may as well
    go on from that one. A chain is one number, score above number, so that a maximum decides by both.
    """
    starts, places, columns = column
    marked, counts, best, latest, waiting = room
    k, gap = rule.k, rule.gap
    rows = row_kmers.size + k - 1
    _mark_diagonals(row_kmers, column, rows, rule, room)
    latest_row = counts[: rows + columns]
    latest[: rows + columns] = 0
    best[: columns + 1] = 0
    made, offered, highest, ring = 0, 0, np.int64(0), waiting.shape[1]
    ends = counts[rows + columns : rows + columns + k]
    for i in range(row_kmers.size):
        if i % ROWS_A_LOOK == 0 and stop[0]:
            return -1
        if i >= k:  # the k-mers of row i - k end before this row
            while offered < ends[i % k]:
                _offer(best, waiting[1, offered % ring], columns, waiting[0, offered % ring])
                offered += 1
        kmer = row_kmers[i]
        if kmer >= 0:
            for at in range(starts[kmer + 1] - 1, starts[kmer] - 1, -1):
                j = places[at]
                d = i - j + columns - 1
                if marked[d]:
                    own, before = latest[d], _best_before(best, j - k + 1)
                    score = (own >> SCORE) + min(i - latest_row[d], k) if own else np.int64(k)
                    if before > own:
                        score = max((before >> SCORE) - gap + k, score)
                    made += 1
                    chain = (score << SCORE) | made
                    latest[d], latest_row[d] = chain, i
                    waiting[0, (made - 1) % ring], waiting[1, (made - 1) % ring] = chain, j
                    highest = max(highest, score)
        ends[i % k] = made
    return highest


@compiled
def ktuple_distances(others, number, column, rule, room, values, stop):
    """Distances of the sequences before ``number``, of Others, to that one, whose Places are ``column``.

    1 - `ktuple_score` / the shorter length, at least 0, go to ``values`` float64 (n, n), on both sides of the diagonal.
    ``stop`` ends it early.
    """
    kmers, starts, lengths = others
    for other in range(number):
        score = ktuple_score(kmers[starts[other] : starts[other + 1]], column, rule, room, stop)
        if score < 0:
            return
        shorter = min(lengths[other], lengths[number])
        distance = max(1.0 - np.float64(score) / np.float64(shorter), 0.0)
        values[other, number] = values[number, other] = distance
