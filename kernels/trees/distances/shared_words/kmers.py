"""K-mers of sequences: MAFFT's 6-mers over groups of letters, and packed k-mers of any alphabet."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from antidiag.kernels import model
from antidiag.kernels.cpu import workers
from antidiag.kernels.model import Sequence, sequence_lengths

K = 6
GROUPS = ("AGPST", "ILMVJ", "NDQEBZ", "RHKO", "FWY", "CU")
"""MAFFT's groups of amino acids, with U beside C and O beside K; a letter in none of them is dropped."""

BASES = ("A", "C", "G", "TU")
LENGTH_FACTOR = {True: 10_000.0, False: 2_500.0}
"""The constant b of the length factor, for proteins (True) and for nucleotides."""

FARTHEST = 10.0

BATCH_LETTERS, BATCH_SEQUENCES = 1 << 15, 1 << 12
"""Letters, and sequences, whose words are counted together."""


@dataclass(frozen=True, eq=False)
class KmerCounts:
    """The 6-mers of sequences: each k-mer once with its count, sequence after sequence.

    ``kmers`` and ``counts`` are int32; those of sequence i are at starts[i]..starts[i + 1]. ``totals`` float64 are the
    6-mers, ``letters`` float64 the letters of each sequence; ``bins`` k-mers are possible.
    """

    kmers: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    totals: np.ndarray
    letters: np.ndarray
    bins: int
    is_protein: bool


def count_sixmers(
    sequences: Sequences[Sequence], protein: bool, check: Callable[[], None] = lambda: None
) -> KmerCounts:
    """Count the 6-mers of each sequence over GROUPS, or BASES; ``check()`` is called meanwhile."""
    groups = GROUPS if protein else BASES
    codes, bins = letter_codes(groups), len(groups) ** K
    parts = workers.map_on_threads(
        lambda part: _count_batch(part, codes, len(groups)), split_batches(sequences), poll=check
    )
    kmers, counts, different, totals, letters = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    starts = np.concatenate([[0], np.cumsum(different)])
    return KmerCounts(kmers, counts, starts, totals.astype(float), letters.astype(float), bins, protein)


def split_batches(sequences: Sequences[Sequence]) -> list[Sequences[Sequence]]:
    """Return sequences in batches of few letters, whose arrays stay in a cache, and few sequences."""
    until = np.cumsum(sequence_lengths(sequences))
    found, first = [], 0
    while first < len(sequences):
        before = int(until[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(until, before + BATCH_LETTERS, "right")))
        found.append(sequences[first : min(last, first + BATCH_SEQUENCES)])
        first += len(found[-1])
    return found


def concatenate_letters(sequences: Sequences[Sequence]) -> tuple[np.ndarray, np.ndarray]:
    """Return the letters of sequences, one after another, uint8, and whose they are, int32."""
    numbers = np.arange(len(sequences), dtype=np.int32)
    return model.concatenate_letters(sequences), np.repeat(numbers, sequence_lengths(sequences))


def _count_batch(sequences: Sequences[Sequence], codes: np.ndarray, base: int) -> tuple[np.ndarray, ...]:
    """Return the distinct 6-mers of each sequence of a batch, ascending, their counts, and sizes of each sequence.

    The sizes are distinct 6-mers, all 6-mers, and letters.
    """
    letters, owners = concatenate_letters(sequences)
    groups, count = codes[letters], len(sequences)
    kept = groups >= 0
    groups, owners = groups[kept], owners[kept]
    words, last, ranges = pack_kmers(groups, K, base), owners[K - 1 :], np.arange(count + 1) * base**K
    words = (words + ranges[last])[owners[: words.size] == last]
    words.sort()
    first = np.flatnonzero(np.diff(words, prepend=-1))
    found, times = words[first], np.diff(first, append=words.size)
    different, totals = (np.diff(np.searchsorted(sorted_words, ranges)) for sorted_words in (found, words))
    kmers = found - np.repeat(ranges[:-1], different)
    return kmers.astype(np.int32), times.astype(np.int32), different, totals, np.bincount(owners, minlength=count)


def letter_codes(groups: Sequences[str]) -> np.ndarray:
    """Return the group of every byte, -1 where there is none; int64, shape (256,)."""
    codes = np.full(256, -1, np.int64)
    for code, group in enumerate(groups):
        codes[list(group.encode())] = code
    return codes


def pack_kmers(codes: np.ndarray, k: int, base: int) -> np.ndarray:
    """Return the k-mers of k letters that begin at each position, as numbers; int64."""
    count = codes.size - k + 1
    kmers = np.zeros(max(count, 0), np.int64)
    for offset in range(k if count > 0 else 0):
        kmers = kmers * base + codes[offset : offset + count]
    return kmers
