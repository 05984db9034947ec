"""Longest common subsequences of references and members, compiled: all distances, or the nearest reference of each."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.parttree.lcs.cpu_spanning_tree import LANES, NO_COMMON_DISTANCE, lcs_lengths

TASK = 64
"""Members that a thread takes at a time."""


@cached_njit
def measure_references(reference_masks, sequences, reference_numbers, members, matrix, nearest, first, last, stop):
    """Measure distances of members ``first`` to ``last`` - 1 of ``members`` int64 to references.

    ``reference_masks`` are `SymbolMasks` of the references by ascending length, ``sequences`` has the codes of all
    sequences; ``reference_numbers`` int64 is the number of each of these references. Where ``matrix`` float32 (members,
    references) is not empty it takes all distances; else ``nearest`` int64 becomes the number of the nearest reference,
    the first of equal ones.
    """
    count, with_all = reference_numbers.size, matrix.size > 0
    row, common = np.empty(reference_masks.words[-1] * LANES, np.int32), np.empty(LANES, np.int32)
    for at in range(first, last):
        least, best = np.float32(np.inf), np.int64(-1)
        length = sequences.offsets[members[at] + 1] - sequences.offsets[members[at]]
        if stop[0] != 0:
            return
        for group in range(reference_masks.words.size):
            lcs_lengths(reference_masks, sequences, members[at], group, row, common)
            for lane in range(min(LANES, count - group * LANES)):
                reference = group * LANES + lane
                shared = np.int64(common[lane])
                away = NO_COMMON_DISTANCE
                if shared > 0:
                    away = np.float32(length + reference_masks.lengths[reference] - 2 * shared) / np.float32(shared)
                if with_all:
                    matrix[at, reference_numbers[reference]] = away
                elif away < least or (away == least and reference_numbers[reference] < best):
                    least, best = away, reference_numbers[reference]
        if not with_all:
            nearest[at] = best
