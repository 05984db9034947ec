"""Arrays of the letters and 6-mers of very many sequences: each 6-mer of a sequence once, with its count.

The groups of letters and the distance are those of `kernels.trees.distances.shared_words.kmers`; here letters and words
of 10^5 sequences and more lie in a few large arrays, which device code reads as they are.
"""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.model import Sequence, sequence_lengths
from antidiag.kernels.model import concatenate_letters as joined
from antidiag.kernels.trees.distances.shared_words.kmers import BASES, GROUPS, LENGTH_FACTOR, K, letter_codes


class LetterArrays(NamedTuple):
    """Sequences one after another: ``letters`` uint8, those of sequence i at offsets[i]..offsets[i + 1] (int64).

    ``codes`` int8 (256,) is the group of every byte, -1 where it is dropped; ``base`` is the number of groups.
    """

    letters: np.ndarray
    offsets: np.ndarray
    codes: np.ndarray
    base: int

    @property
    def sequences(self) -> int:
        """The number of sequences."""
        return self.offsets.size - 1

    @property
    def possible_words(self) -> int:
        """The number of possible 6-mers."""
        return self.base**K


class WordArrays(NamedTuple):
    """6-mers: ``kmers`` uint16 and ``counts`` int32, those of sequence i at begins[i]..ends[i] (int64).

    ``totals`` int64 is the number of 6-mers of each sequence, ``kept`` int64 the number of its letters that are in a
    group; ``b`` is the constant of the length factor.
    """

    kmers: np.ndarray
    counts: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    totals: np.ndarray
    kept: np.ndarray
    b: float


def concatenate_letters(sequences: Sequences[Sequence], protein: bool) -> LetterArrays:
    """Return the letters of sequences in one array."""
    groups = GROUPS if protein else BASES
    offsets = np.zeros(len(sequences) + 1, np.int64)
    np.cumsum(sequence_lengths(sequences), out=offsets[1:])
    return LetterArrays(joined(sequences), offsets, letter_codes(groups).astype(np.int8), len(groups))


def empty_words(letters: LetterArrays, protein: bool) -> WordArrays:
    """Return arrays for the words of these letters, not yet filled."""
    size, count = letters.letters.size, letters.sequences
    ends, totals, kept = (np.zeros(count, np.int64) for _ in range(3))
    return WordArrays(
        np.empty(size, np.uint16),
        np.empty(size, np.int32),
        letters.offsets[:-1],
        ends,
        totals,
        kept,
        LENGTH_FACTOR[protein],
    )
