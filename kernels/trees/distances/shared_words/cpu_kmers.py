"""Shared 6-mers of pairs of sequences and MAFFT's distances, compiled.

Most pairs share few of their words. So each word of a sequence leads to the other sequences that have it, instead of
every pair of sequences being compared word by word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.trees.distances.shared_words.kmers import FARTHEST, LENGTH_FACTOR, KmerCounts

ROWS = 16
"""Rows of the matrix that are computed at a time, so that writes below the diagonal fill cache lines."""


class WordOwners(NamedTuple):
    """The words of all sequences twice: sequence after sequence, and word after word.

    ``words`` int32 are the words of sequence i at starts[i]..starts[i + 1] (int64), each once; ``places`` int32 where
    each stands in the other order. There ``owners`` int32 are the sequences with word w, ascending, at ends[w -
    1]..ends[w] (int64), and ``counts`` int32 how often they have it.
    """

    words: np.ndarray
    starts: np.ndarray
    places: np.ndarray
    owners: np.ndarray
    counts: np.ndarray
    ends: np.ndarray


class KmerTotals(NamedTuple):
    """6-mers and letters of each sequence, float64, and the constant b of the length factor."""

    totals: np.ndarray
    letters: np.ndarray
    b: float


def find_owners(kmers: KmerCounts) -> WordOwners:
    """Return which sequences have each word."""
    size, taxa = kmers.kmers.size, kmers.starts.size - 1
    order = np.argsort(kmers.kmers, kind="stable")
    places = np.empty(size, np.int32)
    places[order] = np.arange(size, dtype=np.int32)
    owners = np.repeat(np.arange(taxa, dtype=np.int32), np.diff(kmers.starts))[order]
    ends = np.cumsum(np.bincount(kmers.kmers, minlength=kmers.bins))
    return WordOwners(kmers.kmers, kmers.starts, places, owners, kmers.counts[order], ends)


def kmer_totals(kmers: KmerCounts) -> KmerTotals:
    """Return the totals of the 6-mers of all sequences."""
    return KmerTotals(kmers.totals, kmers.letters, LENGTH_FACTOR[kmers.is_protein])


@inner_njit
def _count_common(all_words, row, common):
    """Count 6-mers that sequence ``row`` shares with each after it, into ``common`` int32 (n,)."""
    words, starts, places, owners, counts, ends = all_words
    common[row:] = 0
    for at in range(starts[row], starts[row + 1]):
        place = places[at]
        count = counts[place]
        for other in range(place + 1, ends[words[at]]):
            common[owners[other]] += min(count, counts[other])


@inline_njit
def length_factor(letters, other, b):
    """Factor of MAFFT's distance for two sequences with so many letters; ``b`` is a `LENGTH_FACTOR`."""
    long, short = np.float64(max(letters, other)), np.float64(min(letters, other))
    return 1 / (0.1 * short / max(long, 1.0) + b / (long + b) + 0.01)


@inline_njit
def kmer_distance(common, total, other_total, factor):
    """MAFFT's distance of two sequences that share ``common`` of their 6-mers (Katoh and Toh 2007).

    (1 - common / the smaller number of 6-mers) x `length_factor`, at most 10; common is 0 where one has no 6-mer.
    """
    fewer = min(total, other_total)
    unlike = 1 - np.float64(common) / np.float64(fewer) if fewer > 0 else 1.0
    return min(unlike * factor, FARTHEST)


@inner_njit
def _row_distances(sizes, row, common, values):
    """Write the distances of a row to those after it."""
    totals, letters, b = sizes
    total, length = totals[row], letters[row]
    for other in range(row + 1, common.size):
        factor = length_factor(length, letters[other], b)
        values[other] = kmer_distance(common[other], total, totals[other], factor)


@inner_njit
def _mirror_rows(first, last, values):
    """Copy these rows from above the diagonal to below it."""
    for other in range(first + 1, len(values)):
        for row in range(first, min(last, other)):
            values[other, row] = values[row, other]


@cached_njit
def distances_of_counts(sizes, counts, first, last, values):
    """Write distances of sequences ``first``..``last`` from shared words, on both sides of the diagonal of ``values``.

    ``counts`` int32 (n, n) has the shared words above the diagonal.
    """
    for row in range(first, last):
        values[row, row] = 0.0
        _row_distances(sizes, row, counts[row], values[row])
    _mirror_rows(first, last, values)


@cached_njit
def distances_of_rows(all_words, sizes, first, last, common, values, stop):
    """Count shared words and write distances of sequences ``first``..``last``, on both sides of the diagonal.

    ``all_words`` and ``sizes`` are `WordOwners` and `KmerTotals`; ``common`` int32 (n,) is a buffer; ``values`` float64
    (n, n) has zeros on the diagonal. ``stop`` ends it early.
    """
    for row in range(first, last):
        if stop[0]:
            return
        _count_common(all_words, row, common)
        _row_distances(sizes, row, common, values[row])
    _mirror_rows(first, last, values)
