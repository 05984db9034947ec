"""Column counts of pairs of rows of an alignment, compiled: 64 columns are a word, whose bits are counted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.simd import popcount
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.trees.distances.alignment_columns.column_distances import (
    CLASS_SHIFT,
    LETTER_BITS,
    classify_letters,
)

ROWS = 16
"""Rows of the matrix that are computed at a time, so that writes below the diagonal fill cache lines."""
WORD = 64
PLANES = 1 + LETTER_BITS + 2
"""Bits of a column: whether there is a letter, which one, and its class."""


def pack_columns(alignment: AlignedSequences, check: Callable[[], None] = lambda: None) -> np.ndarray:
    """Return the columns of all rows as bits: uint64 (rows, PLANES, words); bits after the last column are 0.

    ``check`` raises where the run was cancelled.
    """
    rows, columns = alignment.letters.shape
    found = np.zeros((rows, PLANES, -(-columns // WORD) * WORD // 8), np.uint8)
    for first in range(0, rows, ROWS):
        check()
        classes = classify_letters(alignment, slice(first, first + ROWS))
        planes = [classes > 0, *(classes >> bit & 1 for bit in (*range(LETTER_BITS), CLASS_SHIFT, CLASS_SHIFT + 1))]
        for number, plane in enumerate(planes):
            packed = np.packbits(plane, axis=1)
            found[first : first + ROWS, number, : packed.shape[1]] = packed
    return found.view(np.uint64)


@cached_njit
def count_columns(bits, first, last, counts, stop):
    """Count the columns of rows ``first``..``last`` with each row after them, into ``counts`` int32 (3, rows, n).

    They are those of `column_distances.PairColumnCounts`. ``stop`` ends it early.
    """
    for row in range(first, last):
        own = bits[row]
        for other in range(row + 1, bits.shape[0]):
            if stop[0]:
                return
            one, all_words = bits[other], bits.shape[2]
            common, differ, transitions = 0, 0, 0
            for word in range(all_words):
                both = own[0, word] & one[0, word]
                unlike = own[1, word] ^ one[1, word]
                unlike |= own[2, word] ^ one[2, word]
                unlike |= own[3, word] ^ one[3, word]
                unlike |= own[4, word] ^ one[4, word]
                unlike |= own[5, word] ^ one[5, word]
                unlike &= both
                common += popcount(both)
                differ += popcount(unlike)
                transitions += popcount(unlike & ((own[6, word] & one[6, word]) | (own[7, word] & one[7, word])))
            counts[0, row - first, other] = common
            counts[1, row - first, other] = differ
            counts[2, row - first, other] = transitions
