"""Shared 6-mers of pairs of sequences as MAFFT counts them, and the distances that follow, compiled.

Most pairs share few of their words. So a word of a sequence leads to the sequences that have it too, instead of every
pair of sequences being looked at word by word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.trees.distances.kmers import FARTHEST, LENGTH_FACTOR, Kmers

ROWS = 16
"""Rows of the matrix that are computed at a time: what is written below the diagonal then fills lines of the cache."""


class Owners(NamedTuple):
    """The words of all sequences twice: sequence after sequence, and word after word.

    ``words`` int32 are the words of sequence i at starts[i]..starts[i + 1] (int64), each once; ``places`` int32 where
    each stands in the other order. There ``owners`` int32 have word w, ascending, at ends[w - 1]..ends[w] (int64), and
    ``counts`` int32 say how often.
    """

    words: np.ndarray
    starts: np.ndarray
    places: np.ndarray
    owners: np.ndarray
    counts: np.ndarray
    ends: np.ndarray


class Sizes(NamedTuple):
    """6-mers and letters of each sequence, float64, and b of the length factor."""

    totals: np.ndarray
    letters: np.ndarray
    b: float


def owners_of(kmers: Kmers) -> Owners:
    """Who has which word."""
    size, taxa = kmers.kmers.size, kmers.starts.size - 1
    order = np.argsort(kmers.kmers, kind="stable")
    places = np.empty(size, np.int32)
    places[order] = np.arange(size, dtype=np.int32)
    owners = np.repeat(np.arange(taxa, dtype=np.int32), np.diff(kmers.starts))[order]
    ends = np.cumsum(np.bincount(kmers.kmers, minlength=kmers.bins))
    return Owners(kmers.kmers, kmers.starts, places, owners, kmers.counts[order], ends)


def sizes_of(kmers: Kmers) -> Sizes:
    return Sizes(kmers.totals, kmers.letters, LENGTH_FACTOR[kmers.protein])


@called
def _count_common(all_words, row, common):
    """6-mers that sequence ``row`` shares with each that comes after it, into ``common`` int32 (n,)."""
    words, starts, places, owners, counts, ends = all_words
    common[row:] = 0
    for at in range(starts[row], starts[row + 1]):
        place = places[at]
        count = counts[place]
        for other in range(place + 1, ends[words[at]]):
            common[owners[other]] += min(count, counts[other])


@called
def _distances(sizes, row, common, values):
    """`kmers.distances_of_kmers` of a row with those after it, in the same steps."""
    totals, letters, b = sizes
    total, length = totals[row], letters[row]
    for other in range(row + 1, common.size):
        fewer = min(total, totals[other])
        unlike = 1 - common[other] / max(fewer, 1.0) if fewer > 0 else 1.0
        long, short = max(length, letters[other]), min(length, letters[other])
        factor = 1 / (0.1 * short / max(long, 1.0) + b / (long + b) + 0.01)
        values[other] = min(unlike * factor, FARTHEST)


@called
def _mirror(first, last, values):
    """What is above the diagonal in these rows is below it too."""
    for other in range(first + 1, len(values)):
        for row in range(first, min(last, other)):
            values[other, row] = values[row, other]


@compiled
def distances_of_counts(sizes, counts, first, last, values, stop):
    """Distances of sequences ``first``..``last`` to all that come after each, and to themselves, on both sides of the
    diagonal of ``values``, as `distances_of_rows`; ``counts`` int32 (n, n) are above the diagonal what they share."""
    for row in range(first, last):
        if stop[0]:
            return
        values[row, row] = 0.0
        _distances(sizes, row, counts[row], values[row])
    _mirror(first, last, values)


@compiled
def distances_of_rows(all_words, sizes, first, last, common, values, stop):
    """Distances of sequences ``first``..``last`` to all that come after each, on both sides of the diagonal.

    ``all_words`` and ``sizes`` are Owners and Sizes; ``common`` int32 (n,) is scratch; ``values`` float64 (n, n) has
    zeros on the diagonal. ``stop`` ends it early.
    """
    for row in range(first, last):
        if stop[0]:
            return
        _count_common(all_words, row, common)
        _distances(sizes, row, common, values[row])
    _mirror(first, last, values)
