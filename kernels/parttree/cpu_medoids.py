"""Longest common subsequences of references and members, compiled: all distances, or the nearest reference of each."""

from __future__ import annotations

import numpy as np

from kernels.cpu.jit import compiled
from kernels.cpu.simd import take_ticket
from kernels.parttree.cpu_lcs import FAR, LANES, lengths_of

TASK = 64
"""Members that a thread takes at a time."""


@compiled
def measure(own, places, lengths, members, matrix, nearest, ticket, done, stop):
    """Distances of members, int64, to references, shared by threads.

    ``own`` is Masks whose bits, words and lengths are those of the references by ascending length, and whose codes and
    offsets are those of all sequences; ``places`` int64 is the number of each of these references, ``lengths`` int64
    are those of all sequences. Where ``matrix`` float32 (members, references) is not empty it takes all distances;
    else ``nearest`` int64 becomes the number of the nearest reference, of equal ones the first.
    """
    count, every = places.size, matrix.size > 0
    row, carry = np.empty(own.words[-1] * LANES, np.uint32), np.empty(LANES, np.uint32)
    common = np.empty(LANES, np.uint32)
    while stop[0] == 0:
        first = take_ticket(ticket, 0) * TASK
        if first >= members.size:
            return
        for at in range(first, min(first + TASK, members.size)):
            least, best = np.float32(np.inf), np.int64(-1)
            for group in range((count - 1) // LANES + 1):
                lengths_of(own, members[at], group, row, carry, common, stop)
                if stop[0] != 0:
                    return
                for lane in range(min(LANES, count - group * LANES)):
                    reference = group * LANES + lane
                    shared = np.int64(common[lane])
                    away = FAR
                    if shared > 0:
                        letters = lengths[members[at]] + own.lengths[reference] - 2 * shared
                        away = np.float32(letters) / np.float32(shared)
                    if every:
                        matrix[at, places[reference]] = away
                    elif away < least or (away == least and places[reference] < best):
                        least, best = away, places[reference]
            if not every:
                nearest[at] = best
        done[0] += min(first + TASK, members.size) - first
