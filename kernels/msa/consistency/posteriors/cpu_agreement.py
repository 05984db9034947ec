"""Compiled counts of the alignments that put two letters into one column."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.simd import load_acquire


@cached_njit
def count_agreements(
    pairs, letter_columns, column_letters, starts, lengths, pointers, rows, begins, columns, units, stop
):
    """Count in how many alignments two letters share a column; return the number of entries.

    The output arrays are those of `CompressedPairs`.
    ``stand`` int32 (alignments, letters): column of each letter; letters of sequence x begin at ``starts[x]``.
    ``beside`` int32 (alignments, sequences, columns): letter in each column, or -1.
    """
    alignments, count = len(letter_columns), 0
    letters, times = np.zeros(alignments, np.int64), np.zeros(alignments, np.int64)
    for number in range(len(pairs)):
        if load_acquire(stop, 0) != 0:
            break
        x, y = pairs[number, 0], pairs[number, 1]
        begins[number] = count
        own = pointers[rows[number] : rows[number] + lengths[x] + 1]
        for i in range(lengths[x]):
            different = 0
            for k in range(alignments):
                j = np.int64(column_letters[k, y, letter_columns[k, starts[x] + i]])
                if j < 0:
                    continue
                at = different
                while at > 0 and letters[at - 1] > j:
                    at -= 1
                if at > 0 and letters[at - 1] == j:
                    times[at - 1] += 1
                    continue
                for later in range(different, at, -1):
                    letters[later], times[later] = letters[later - 1], times[later - 1]
                letters[at], times[at] = j, 1
                different += 1
            for at in range(different):
                columns[count], units[count] = letters[at], times[at] * 65535 // alignments
                count += 1
            own[i + 1] = count - begins[number]
    return count
