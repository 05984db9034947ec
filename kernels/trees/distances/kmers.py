"""K-mers of sequences: MAFFT's 6-mers over groups of letters, and ClustalW's k-tuples."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.model import Sequence

K = 6
GROUPS = ("AGPST", "ILMVJ", "NDQEBZ", "RHK", "FWY", "C")
"""MAFFT's groups of amino acids; a letter in none of them is dropped, as if it were not there."""

BASES = ("A", "C", "G", "TU")
LENGTH_FACTOR = {True: 10_000.0, False: 2_500.0}
"""b of the length factor, for proteins and for nucleotides."""

FARTHEST = 10.0

BATCH_LETTERS, BATCH_SEQUENCES = 1 << 15, 1 << 12
"""Letters, and sequences, whose words are looked for together."""


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
    """The 6-mers of each sequence over GROUPS, or BASES; ``check()`` is called meanwhile."""
    groups = GROUPS if protein else BASES
    codes, bins = letter_codes(groups), len(groups) ** K
    parts = workers.each(lambda part: _sixmers(part, codes, len(groups)), in_batches(sequences), poll=check)
    kmers, counts, different, totals, letters = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    starts = np.concatenate([[0], np.cumsum(different)])
    return Kmers(kmers, counts, starts, totals.astype(float), letters.astype(float), bins, protein)


def in_batches(sequences: Sequences[Sequence]) -> list[Sequences[Sequence]]:
    """Sequences, some at a time: few letters, so that what is made of these stays in a cache, and few sequences."""
    until = np.cumsum([len(sequence) for sequence in sequences])
    found, first = [], 0
    while first < len(sequences):
        before = int(until[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(until, before + BATCH_LETTERS, "right")))
        found.append(sequences[first : min(last, first + BATCH_SEQUENCES)])
        first += len(found[-1])
    return found


def joined(sequences: Sequences[Sequence]) -> tuple[np.ndarray, np.ndarray]:
    """The letters of sequences, one after another, uint8, and whose they are, int32."""
    letters = np.frombuffer(b"".join(sequence.letters for sequence in sequences), np.uint8)
    numbers = np.arange(len(sequences), dtype=np.int32)
    return letters, np.repeat(numbers, [len(sequence) for sequence in sequences])


def _sixmers(sequences: Sequences[Sequence], codes: np.ndarray, base: int) -> tuple[np.ndarray, ...]:
    """Of some sequences: the different 6-mers of each, ascending, and how often; how many of these there are of each
    sequence, how many in all, and how many letters."""
    letters, owners = joined(sequences)
    groups, count = codes[letters], len(sequences)
    kept = groups >= 0
    groups, owners = groups[kept], owners[kept]
    words, last, ranges = packed(groups, K, base), owners[K - 1 :], np.arange(count + 1) * base**K
    words = (words + ranges[last])[owners[: words.size] == last]
    words.sort()
    first = np.flatnonzero(np.diff(words, prepend=-1))
    found, times = words[first], np.diff(first, append=words.size)
    different, totals = (np.diff(np.searchsorted(sorted_words, ranges)) for sorted_words in (found, words))
    kmers = found - np.repeat(ranges[:-1], different)
    return kmers.astype(np.int32), times.astype(np.int32), different, totals, np.bincount(owners, minlength=count)


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
