"""ClustalW's chains of k-tuples of pairs of sequences, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit

ROWS_A_LOOK = 64
"""K-mers between two checks for cancellation."""
SCORE = 33
"""Bits of a chain below its score: its number, in the order in which chains are made."""


class KmerSequences(NamedTuple):
    """All sequences: their k-mers, int32, -1 where there is none; where those of each begin, and its letters, int64."""

    kmers: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray


class KmerPlaces(NamedTuple):
    """Positions of the k-mers of a sequence: k-mer w is at places[starts[w]]..places[starts[w + 1]], int32."""

    starts: np.ndarray
    places: np.ndarray
    letters: int


class ChainRule(NamedTuple):
    """ClustalW's options: letters of a k-tuple, diagonals that are taken, those beside each, and the cost of a gap."""

    k: int
    top: int
    window: int
    gap: int


class TupleBuffers(NamedTuple):
    """Buffers for pairs of at most L letters.

    ``marked`` int32, ``counts`` int32 and ``latest`` int64 of 2 L, 4 L and 2 L diagonals, ``places`` int32 (2, 2 L);
    ``best`` int64 of L + 1 columns; ``waiting`` int64 (2, k L): chains and their columns, in a ring.
    """

    marked: np.ndarray
    counts: np.ndarray
    places: np.ndarray
    best: np.ndarray
    latest: np.ndarray
    waiting: np.ndarray


def make_buffers(longest: int, k: int) -> TupleBuffers:
    """Return buffers for pairs of at most ``longest`` letters."""
    diagonals = 2 * longest + 2
    return TupleBuffers(
        np.empty(diagonals, np.int32),
        np.empty(2 * diagonals, np.int32),
        np.empty((2, diagonals), np.int32),
        np.empty(longest + 1, np.int64),
        np.empty(diagonals, np.int64),
        np.empty((2, max(k * longest, 1)), np.int64),
    )


@inner_njit
def _select_greatest(counts, order, first, scratch):
    """Move the greatest ``counts`` to the places from ``first`` on, and what is in ``order`` with them.

    The last place is left alone. Which of equals are chosen follows from the steps of a quicksort (Kernighan and
    Plauger, Software Tools) whose pivot is the last of its part; only the parts that decide this are sorted. Where its
    two scans stop, ``scratch`` int32 (2, n), is found beforehand without unpredictable branches: from the left at what
    is not less than the pivot, from the right at what is not greater.
    """
    low, high = 0, counts.size - 2
    while low < first <= high:
        pivot, from_left, from_right = counts[high], 0, 0
        for at in range(low, high):
            scratch[0, from_left] = scratch[1, from_right] = at
            from_left += counts[at] >= pivot
            from_right += counts[at] <= pivot
        scratch[0, from_left] = high
        swaps, j = 0, high
        while True:
            i = min(scratch[0, swaps], j)  # what was moved to j is not less than the pivot
            if swaps == from_right or scratch[1, from_right - 1 - swaps] <= i:
                break
            j = scratch[1, from_right - 1 - swaps]
            _swap_places(counts, order, i, j)
            swaps += 1
        _swap_places(counts, order, i, high)
        if i < first:
            low = i + 1
        else:
            high = i - 1


@inline_njit
def _swap_places(counts, order, i, j):
    counts[i], counts[j] = counts[j], counts[i]
    order[i], order[j] = order[j], order[i]


@inner_njit
def select_diagonals(counts, order, top, scratch):
    """Move the ``top`` diagonals, two at least, with the most k-mers to the last places of ``counts`` and ``order``.

    ``order``, int32, gets the number of each, ``scratch`` int32 (2, n) is a buffer. Returns the first of the places.
    The last diagonal is always one of those.
    """
    for d in range(counts.size):
        order[d] = d
    first = max(counts.size - max(top, 2), 0)
    _select_greatest(counts, order, first, scratch)
    return first


@inner_njit
def _mark_diagonals(row_kmers, column, rows, rule, buffers):
    """Mark the diagonals with the most k-mers, and a window beside each, as ClustalW chooses them.

    Diagonal d has the k-mers with row - column = d - (columns - 1). One of the ``top`` is always the last diagonal, if
    it has a k-mer; the others are chosen by `_select_greatest`, one at least.
    """
    starts, places, columns = column
    top, window, marked, counts = rule.top, rule.window, buffers.marked, buffers.counts
    counts[: rows + columns] = 0
    for i in range(row_kmers.size):
        kmer = row_kmers[i]
        if kmer >= 0:
            for at in range(starts[kmer], starts[kmer + 1]):
                counts[i - places[at] + columns - 1] += 1
    diagonals = rows + columns - 1
    marked[: rows + columns] = 0
    shared, order = counts[:diagonals], counts[rows + columns : rows + columns + diagonals]
    for at in range(select_diagonals(shared, order, top, buffers.places), diagonals):
        if shared[at]:
            for d in range(max(order[at] - window, 0), min(order[at] + window, diagonals - 1) + 1):
                marked[d] = 1


@inline_njit
def _offer_chain(best, column, columns, chain):
    """Let later k-mers continue a chain that ends in ``column`` (from 0).

    ``best[c]``, the best that ends in one of the first c columns, never falls with c: those that change are side by
    side. Mostly there are none.
    """
    if best[column + 1] < chain:
        low, high = column + 2, columns + 1
        while low < high:
            middle = (low + high) // 2
            if best[middle] < chain:
                low = middle + 1
            else:
                high = middle
        best[column + 1 : low] = chain


@inner_njit
def ktuple_score(row_kmers, column, rule, buffers, stop):
    """Return letters matched by the best chain of k-mers on the marked diagonals, minus the cost of each change of
    diagonal.

    ``row_kmers`` int32 are those of the first sequence, -1 where there is none; ``column`` (`KmerPlaces`) has those of
    the second; ``rule`` and ``buffers`` are `ChainRule` and `TupleBuffers`. -1 where ``stop`` was set.

    A k-mer continues the best chain that it fits behind, of equal ones the latest: one whose last k-mer is wholly
    before it, or the latest on its own diagonal, which is the best there. A chain is one number, score above number, so
    that a maximum decides by both.
    """
    starts, places, columns = column
    marked, counts, _, best, latest, waiting = buffers
    k, gap = rule.k, rule.gap
    rows = row_kmers.size + k - 1
    _mark_diagonals(row_kmers, column, rows, rule, buffers)
    latest_row = counts[: rows + columns]
    latest[: rows + columns], latest_row[:] = 0, -k  # so that a chain that begins has k letters
    best[: columns + 1] = 0
    made, highest, ring, put, taken = 0, np.int64(0), waiting.shape[1], 0, 0
    of_rows, oldest = counts[rows + columns : rows + columns + k], 0
    of_rows[:] = 0
    for i in range(row_kmers.size):
        if i % ROWS_A_LOOK == 0 and stop[0]:
            return -1
        for _ in range(of_rows[oldest]):  # the k-mers of row i - k end before this row
            _offer_chain(best, waiting[1, taken], columns, waiting[0, taken])
            taken = taken + 1 if taken + 1 < ring else 0
        before_row, kmer = made, row_kmers[i]
        if kmer >= 0:
            for at in range(starts[kmer + 1] - 1, starts[kmer] - 1, -1):
                j = places[at]
                d = i - j + columns - 1
                if marked[d]:
                    own, before = latest[d], best[max(j - k + 1, 0)]
                    changed = (before >> SCORE) - gap + k if before > own else 0
                    score = max((own >> SCORE) + min(i - latest_row[d], k), changed)
                    made += 1
                    chain = (score << SCORE) | made
                    latest[d], latest_row[d] = chain, i
                    waiting[0, put], waiting[1, put] = chain, j
                    put = put + 1 if put + 1 < ring else 0
                    highest = max(highest, score)
        of_rows[oldest] = made - before_row
        oldest = oldest + 1 if oldest + 1 < k else 0
    return highest


@cached_njit
def ktuple_distances(others, number, column, short, rule, buffers, values, stop):
    """Write distances of the sequences before ``number`` to that one, whose k-mers are in ``column``.

    Pairs of two that are ``short``, bool (n,), are skipped. 1 - `ktuple_score` / the shorter length, at least 0, go to
    ``values`` float64 (n, n), on both sides of the diagonal. ``stop`` ends it early.
    """
    kmers, starts, lengths = others
    for other in range(number):
        if short[other] and short[number]:
            continue
        score = ktuple_score(kmers[starts[other] : starts[other + 1]], column, rule, buffers, stop)
        if score < 0:
            return
        shorter = min(lengths[other], lengths[number])
        distance = max(1.0 - np.float64(score) / np.float64(shorter), 0.0)
        values[other, number] = values[number, other] = distance
