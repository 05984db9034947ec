"""Numbers of 16 bits on the CPU: which problems they hold, and why the answer is the same.

With linear gaps, H' (encoding.py) of a cell of the cube is the greatest sum of scores c' of aligned pairs of letters on
a path to it. It is at least 0, for gaps alone cost nothing. And it is at most ``bound_values``: a letter of x is
aligned with at most one letter of y, and so gives a pair of sequences at most its best score with a letter of y, or 0.

A cell takes from its sources values of the cube, to which it adds up to three scores, one after another. So nothing in
between is above ``bound_values`` + 2 x the highest score; after the last addition there is no more than the cell's
value. Sources outside the cube are NEGATIVE, and scores at least BARRED: NEGATIVE + 3 BARRED does not wrap around, and
NEGATIVE + 3 x the highest score is below 0, so that such a source never wins, whatever is added to it. Front letters
are the first ones: a move into one comes from outside the cube. Only the 0 from which all begins adds their score with
each other, which is 0. Lanes beyond the last cell may wrap around: nothing of theirs reaches a cell of the cube.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from antidiag.kernels.triple import encoding
from antidiag.kernels.triple.chunks.cpu.layouts import INT16_LANES
from antidiag.kernels.triple.encoding import EncodedTriple
from antidiag.kernels.triple.grid import ChunkGrid, ChunkKind

LARGEST = 2**15 - 1
NEGATIVE, BARRED = -(2**14), -(2**12)
HIGHEST = 2**12
"""All scores must be below this."""


class NumberRange(NamedTuple):
    """The type of values and scores, minus infinity, and the score of a front letter."""

    dtype: np.dtype
    negative: int
    barred: int


_INT32 = NumberRange(np.dtype(np.int32), encoding.NEGATIVE, encoding.FRONT_SCORE)
_INT16 = NumberRange(np.dtype(np.int16), NEGATIVE, BARRED)


def choose_numbers(narrow: bool) -> NumberRange:
    """Return the range of 16-bit numbers (``narrow``) or of 32-bit ones."""
    return _INT16 if narrow else _INT32


def fits_int16(encoded: EncodedTriple, kind: ChunkKind, chunks: ChunkGrid) -> bool:
    """Return whether a run can use numbers of 16 bits.

    It can where gaps are linear, no local starts (of 32 bits) are kept, chunks end where a vector does, and every value
    fits.
    """
    if encoded.has_affine_gaps or kind.has_local_starts or (chunks.chunks > 1 and chunks.s % INT16_LANES):
        return False
    scores = encoded.table[:-1, :-1]
    highest, lowest = int(scores.max(initial=0)), int(scores.min(initial=0))
    if highest >= HIGHEST or lowest < BARRED:
        return False
    # Most problems are small enough by a coarser bound, which is soon found.
    aligned, room = sum(map(min, combinations(encoded.end_cell, 2))), LARGEST - 2 * highest
    return aligned * highest <= room or bound_values(encoded) <= room


def bound_values(encoded: EncodedTriple) -> int:
    """Return a bound of all H'; linear gaps."""
    counts = [np.bincount(codes[1:], minlength=encoded.letter_count) for codes in encoded.codes]
    total = 0
    for x, y in combinations(counts, 2):
        scores = np.where((x > 0)[:, None] & (y > 0), np.maximum(encoded.table, 0), 0).astype(np.int64)
        total += min(int(x @ scores.max(axis=1)), int(y @ scores.max(axis=0)))
    return total
