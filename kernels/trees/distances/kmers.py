"""K-mers of sequences: MAFFT's 6-mers over groups of letters, and ClustalW's k-tuples."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from kernels.model import Sequence
from kernels.trees.distances.pairing import mirrored

K = 6
GROUPS = ("AGPST", "ILMVJ", "NDQEBZ", "RHK", "FWY", "C")
"""MAFFT's groups of amino acids; a letter in none of them is dropped, as if it were not there."""

BASES = ("A", "C", "G", "TU")
LENGTH_FACTOR = {True: 10_000.0, False: 2_500.0}
"""b of the length factor, for proteins and for nucleotides."""

FARTHEST = 10.0


@dataclass(frozen=True, eq=False)
class Kmers:
    """The 6-mers of sequences: each k-mer once with its count, sequence after sequence.

    ``kmers`` and ``counts`` are int32; those of sequence i are starts[i]..starts[i + 1]. ``totals`` float64 are the
    6-mers, ``letters`` float64 the letters of each sequence; ``bins`` k-mers are possible.
    """

    kmers: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    totals: np.ndarray
    letters: np.ndarray
    bins: int
    protein: bool


def sixmers(sequences: Sequences[Sequence], protein: bool, check: Callable[[], None] = lambda: None) -> Kmers:
    """The 6-mers of each sequence over GROUPS, or BASES; ``check()`` is called before each."""
    groups = GROUPS if protein else BASES
    codes = letter_codes(groups)
    kmers, counts, starts, totals, letters = [], [], [0], [], []
    for sequence in sequences:
        check()
        kept = codes[sequence.array]
        kept = kept[kept >= 0]
        found, times = np.unique(packed(kept, K, len(groups)), return_counts=True)
        kmers.append(found.astype(np.int32))
        counts.append(times.astype(np.int32))
        starts.append(starts[-1] + found.size)
        totals.append(times.sum())
        letters.append(kept.size)
    return Kmers(
        kmers=np.concatenate(kmers),
        counts=np.concatenate(counts),
        starts=np.array(starts, np.int64),
        totals=np.array(totals, float),
        letters=np.array(letters, float),
        bins=len(groups) ** K,
        protein=protein,
    )


def letter_codes(groups: Sequences[str]) -> np.ndarray:
    """The group of every byte, -1 where there is none; int64, shape (256,)."""
    codes = np.full(256, -1, np.int64)
    for code, group in enumerate(groups):
        codes[list(group.encode())] = code
    return codes


def packed(codes: np.ndarray, k: int, base: int) -> np.ndarray:
    """The k-mers of k letters that begin at each place, as numbers; int64."""
    count = codes.size - k + 1
    kmers = np.zeros(max(count, 0), np.int64)
    for offset in range(k if count > 0 else 0):
        kmers = kmers * base + codes[offset : offset + count]
    return kmers


def all_distances(kmers: Kmers, common: np.ndarray, check: Callable[[], None] = lambda: None) -> np.ndarray:
    """`distances_of_kmers` of all pairs; ``common`` and ``check`` as in `mirrored`, which makes them the distances."""
    return mirrored(common, lambda block, rows, columns: distances_of_kmers(kmers, block, rows, columns), check)


def distances_of_kmers(kmers: Kmers, common: np.ndarray, first: slice, second: slice) -> np.ndarray:
    """MAFFT's distance from the shared 6-mers of two ranges of sequences.

    (1 - common / the smaller number of 6-mers) x 1 / (0.1 short / long + b / (long + b) + 0.01), at most 10; common
    is 0 where one has no 6-mer, two sequences without any included.
    """
    fewer = np.minimum(kmers.totals[first, None], kmers.totals[second])
    unlike = np.where(fewer > 0, 1 - common / np.maximum(fewer, 1), 1.0)
    long = np.maximum(kmers.letters[first, None], kmers.letters[second])
    short = np.minimum(kmers.letters[first, None], kmers.letters[second])
    b = LENGTH_FACTOR[kmers.protein]
    factor = 1 / (0.1 * short / np.maximum(long, 1) + b / (long + b) + 0.01)
    return np.minimum(unlike * factor, FARTHEST)
