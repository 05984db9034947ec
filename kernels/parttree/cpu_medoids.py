"""Longest common subsequences of references and members, compiled: all distances, or the nearest reference of each."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.simd import take_ticket
from antidiag.kernels.parttree.cpu_lcs import FAR, LANES, common_of

TASK = 64
"""Members that a thread takes at a time."""


@compiled
def measure(own, every, places, members, matrix, nearest, ticket, done, stop):
    """Distances of members, int64, to references, shared by threads.

    ``own`` are Masks of the references by ascending length, ``every`` has the codes of all sequences; ``places`` int64
    is the number of each of these references. Where ``matrix`` float32 (members, references) is not empty it takes all
    distances; else ``nearest`` int64 becomes the number of the nearest reference, of equal ones the first.
    """
    count, with_all = places.size, matrix.size > 0
    row, common = np.empty(own.words[-1] * LANES, np.int32), np.empty(LANES, np.int32)
    while stop[0] == 0:
        first = take_ticket(ticket, 0) * TASK
        if first >= members.size:
            return
        for at in range(first, min(first + TASK, members.size)):
            least, best = np.float32(np.inf), np.int64(-1)
            length = every.offsets[members[at] + 1] - every.offsets[members[at]]
            if stop[0] != 0:
                return
            for group in range(own.words.size):
                common_of(own, every, members[at], group, row, common)
                for lane in range(min(LANES, count - group * LANES)):
                    reference = group * LANES + lane
                    shared = np.int64(common[lane])
                    away = FAR
                    if shared > 0:
                        away = np.float32(length + own.lengths[reference] - 2 * shared) / np.float32(shared)
                    if with_all:
                        matrix[at, places[reference]] = away
                    elif away < least or (away == least and places[reference] < best):
                        least, best = away, places[reference]
            if not with_all:
                nearest[at] = best
        done[0] += min(first + TASK, members.size) - first
