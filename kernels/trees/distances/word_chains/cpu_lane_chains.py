"""Chains of k-tuples of one sequence with 32 others, compiled: a pair in each lane of a vector of 16-bit numbers.

Rows belong to the one sequence, columns to the others. Where a change of diagonal costs at least k - 1, a chain that
continues another of equal score never gains by it, so that scores alone decide (`cpu_single_chains` numbers its
chains):

    chain(i, j) = max(latest on the diagonal + letters that are new, best that ends before (i, j) - gap + k)

for equal k-mers on a marked diagonal. A pair and its mirror image then have the same score, and only the choice of
diagonals asks which of the two is the first. Every cell is visited: for sequences that `ktuples.find_short_sequences`
selects that costs less than to go from one common k-mer to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import simd
from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.simd import SHORT_LANES as LANES
from antidiag.kernels.trees.distances.word_chains.cpu_single_chains import select_diagonals

NO_KMER, PADDING = -1, -2
"""Marks that equal no k-mer: in a row, and in a column."""


class ChainRows(NamedTuple):
    """Sequences by ascending length: k-mers int16 one after another, where those of each begin, letters, and numbers.

    ``lengths`` and ``order`` int64 are the letters of each, and its number in the matrix. NO_KMER stands where there is
    none.
    """

    kmers: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    order: np.ndarray


class ChainBuffers(NamedTuple):
    """Buffers for sequences of at most L letters, int16 in vectors of 32.

    ``counts``, ``marked`` and ``latest`` of 2 L diagonals; ``best`` of L + 1 columns; ``chains`` of k rows of L
    columns. ``chosen`` int32 (4, 2 L).
    """

    counts: np.ndarray
    marked: np.ndarray
    latest: np.ndarray
    best: np.ndarray
    chains: np.ndarray
    chosen: np.ndarray


def make_buffers(longest: int, k: int) -> ChainBuffers:
    """Return buffers for sequences of at most ``longest`` letters."""
    counts, marked, latest = np.empty((3, 2 * longest * LANES), np.int16)
    best, chains = np.empty((longest + 1) * LANES, np.int16), np.empty(k * longest * LANES, np.int16)
    return ChainBuffers(counts, marked, latest, best, chains, np.empty((4, 2 * longest), np.int32))


@inner_njit
def _count_on_diagonals(row_kmers, letters, diagonals, columns, counts):
    """Count common k-mers on each diagonal, i - j + columns - 1, of a sequence with 32 others."""
    words = letters.size // LANES
    one = simd.splat_like(simd.load(letters, 0), 1)
    zero = simd.subtract(one, one)
    for e in range(diagonals):
        shift, found = e - (columns - 1), zero
        for j in range(max(-shift, 0), min(row_kmers.size - shift, words)):
            same = simd.equal_lanes(simd.load(letters, LANES * j), simd.splat_like(one, np.int64(row_kmers[j + shift])))
            found = simd.add(found, simd.select_lanes(same, one, zero))
        simd.store(counts, LANES * e, found)


@inner_njit
def _mark_diagonals(lane, rows, columns, lane_columns, mirrored, rule, buffers):
    """Mark the diagonals of the pair in a lane, of so many letters; ``mirrored`` where the row is its second."""
    counts, marked, chosen = buffers.counts, buffers.marked, buffers.chosen
    diagonals = rows + lane_columns - 1
    first, step = (rows + columns - 2, -1) if mirrored else (columns - lane_columns, 1)
    shared, order = chosen[0, :diagonals], chosen[1, :diagonals]
    e = first
    for d in range(diagonals):
        shared[d] = counts[LANES * e + lane]
        e += step
    for at in range(select_diagonals(shared, order, rule.top, chosen[2:]), diagonals):
        if shared[at]:
            for d in range(max(order[at] - rule.window, 0), min(order[at] + rule.window, diagonals - 1) + 1):
                marked[LANES * (first + step * d) + lane] = 1


@inner_njit
def _chain_words(row_kmers, letters, diagonals, columns, rule, buffers, lane_results):
    """Write scores of the best chains of a sequence with 32 others, int16 (32,), to ``lane_results``."""
    _, marked, latest, best, chains, _ = buffers
    latest_row, words, k = buffers.counts, letters.size // LANES, rule.k
    one = simd.splat_like(simd.load(letters, 0), 1)
    zero, new, change = simd.subtract(one, one), simd.splat_like(one, k), simd.splat_like(one, k - rule.gap)
    latest[: LANES * diagonals], latest_row[: LANES * diagonals] = 0, -k  # so that a chain that begins has k letters
    best[: LANES * (words + 1)], chains[: LANES * k * words] = 0, 0
    highest, slot = zero, 0
    for i in range(row_kmers.size):
        word, row = simd.splat_like(one, np.int64(row_kmers[i])), simd.splat_like(one, i)
        ended, before = zero, zero
        for j in range(words):
            at, here = LANES * (i - j + columns - 1), LANES * (slot + j)
            if k > 1:
                before = simd.load(best, LANES * max(j - k + 1, 0))
            ended = simd.maximum(ended, simd.load(chains, here))  # in row i - k
            behind = simd.maximum(simd.load(best, LANES * (j + 1)), ended)
            simd.store(best, LANES * (j + 1), behind)
            own_latest = simd.load(latest, at)
            if k > 1:
                rows_on = simd.subtract(row, simd.load(latest_row, at))
                gone_on = simd.add(own_latest, simd.select_lanes(simd.greater_lanes(new, rows_on), rows_on, new))
            else:
                gone_on = simd.add(own_latest, one)
            chain = simd.maximum(gone_on, simd.add(before, change))
            same = simd.equal_lanes(simd.load(letters, LANES * j), word)
            taken = simd.bit_and(same, simd.equal_lanes(simd.load(marked, at), one))
            simd.store(latest, at, simd.select_lanes(taken, chain, own_latest))
            if k > 1:
                simd.store(latest_row, at, simd.select_lanes(taken, row, simd.load(latest_row, at)))
            chain = simd.select_lanes(taken, chain, zero)
            simd.store(chains, here, chain)
            highest = simd.maximum(highest, chain)
            if k == 1:
                before = behind
        slot = slot + words if slot + words < k * words else 0
    simd.store(lane_results, 0, highest)


@cached_njit
def distances_of_rows(rows, first, last, group, letters, rule, buffers, lane_results, values, stop):
    """Write distances of sequences ``first``..``last`` of the rows to those of a group after each.

    The group has the sequences from 32 x ``group`` on, whose k-mers ``letters`` int16 has side by side. 1 - score / the
    shorter length, at least 0, goes to ``values`` float64 (n, n), for both orders of a pair. ``lane_results`` int16
    (32,) and ``buffers`` are buffers; ``stop`` ends it early.
    """
    kmers, starts, lengths, order = rows
    end = min(LANES * (group + 1), order.size)
    columns = lengths[end - 1]
    for row in range(first, last):
        if stop[0]:
            return
        own, behind = kmers[starts[row] : starts[row + 1]], max(LANES * group, row + 1)
        if not own.size or not letters.size:
            lane_results[:] = 0
        else:
            diagonals = lengths[row] + columns - 1
            _count_on_diagonals(own, letters, diagonals, columns, buffers.counts)
            buffers.marked[: LANES * diagonals] = 0
            for other in range(behind, end):
                mirrored = order[row] > order[other]
                _mark_diagonals(other - LANES * group, lengths[row], columns, lengths[other], mirrored, rule, buffers)
            _chain_words(own, letters, diagonals, columns, rule, buffers, lane_results)
        for other in range(behind, end):
            score = lane_results[other - LANES * group]
            distance = max(1.0 - np.float64(score) / np.float64(lengths[row]), 0.0)
            values[order[row], order[other]] = values[order[other], order[row]] = distance
