"""The 6-mers of many sequences: each k-mer of a sequence once, with its count, in one array for all.

As in `kernels.trees.distances.kmers`, whose groups of letters and whose distance these are, but made for 10^5 sequences
and more: letters and words lie in a few large arrays, that device code reads as they are.
"""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.model import Sequence, joined, lengths_of
from antidiag.kernels.trees.distances.kmers import BASES, GROUPS, LENGTH_FACTOR, K, letter_codes


class Letters(NamedTuple):
    """Sequences one after another: ``letters`` uint8, those of sequence i at offsets[i]..offsets[i + 1] (int64).

    ``codes`` int8 (256,) is the group of every byte, -1 where it is dropped; ``base`` groups there are.
    """

    letters: np.ndarray
    offsets: np.ndarray
    codes: np.ndarray
    base: int

    @property
    def sequences(self) -> int:
        return self.offsets.size - 1

    @property
    def bins(self) -> int:
        """K-mers that are possible."""
        return self.base**K


class Words(NamedTuple):
    """The 6-mers: ``kmers`` uint16 and ``counts`` int32, those of sequence i at begins[i]..ends[i] (int64).

    ``totals`` int64 are the 6-mers of each sequence, ``kept`` int64 its letters that are in a group. ``b`` is that of
    the length factor.
    """

    kmers: np.ndarray
    counts: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    totals: np.ndarray
    kept: np.ndarray
    b: float


def letters_of(sequences: Sequences[Sequence], protein: bool) -> Letters:
    """The letters of sequences in one array."""
    groups = GROUPS if protein else BASES
    offsets = np.zeros(len(sequences) + 1, np.int64)
    np.cumsum(lengths_of(sequences), out=offsets[1:])
    return Letters(joined(sequences), offsets, letter_codes(groups).astype(np.int8), len(groups))


def empty_words(letters: Letters, protein: bool) -> Words:
    """Room for the words of these letters."""
    size, count = letters.letters.size, letters.sequences
    ends, totals, kept = (np.zeros(count, np.int64) for _ in range(3))
    return Words(
        np.empty(size, np.uint16), np.empty(size, np.int32), letters.offsets[:-1], ends, totals, kept,
        LENGTH_FACTOR[protein],
    )  # fmt: skip
