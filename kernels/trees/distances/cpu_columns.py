"""Columns of pairs of rows of an alignment, compiled: 64 columns are a word, and what is counted are bits of words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.simd import ones
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.trees.distances.columns import CLASS_SHIFT, LETTER_BITS, classed

ROWS = 16
"""Rows of the matrix that are computed at a time: what is written below the diagonal then fills lines of the cache."""
WORD = 64
PLANES = 1 + LETTER_BITS + 2
"""Bits of a column: whether there is a letter, which one, and its class."""


def bits_of(alignment: AlignedSequences, check: Callable[[], None] = lambda: None) -> np.ndarray:
    """The columns of all rows as bits: uint64 (rows, PLANES, words); a bit is 0 behind the last column.

    ``check`` raises where the run was cancelled.
    """
    rows, columns = alignment.letters.shape
    found = np.zeros((rows, PLANES, -(-columns // WORD) * WORD // 8), np.uint8)
    for first in range(0, rows, ROWS):
        check()
        classes = classed(alignment, slice(first, first + ROWS))
        planes = [classes > 0, *(classes >> bit & 1 for bit in (*range(LETTER_BITS), CLASS_SHIFT, CLASS_SHIFT + 1))]
        for number, plane in enumerate(planes):
            packed = np.packbits(plane, axis=1)
            found[first : first + ROWS, number, : packed.shape[1]] = packed
    return found.view(np.uint64)


@compiled
def count(bits, first, last, counts, stop):
    """The columns of rows ``first``..``last`` with each row after them, into ``counts`` int32 (3, rows, n).

    These are columns where both have a letter, where these differ, and where by a transition, as `columns.Columns`.
    ``stop`` ends it early.
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
                common += ones(both)
                differ += ones(unlike)
                transitions += ones(unlike & ((own[6, word] & one[6, word]) | (own[7, word] & one[7, word])))
            counts[0, row - first, other] = common
            counts[1, row - first, other] = differ
            counts[2, row - first, other] = transitions
