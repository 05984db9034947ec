"""In how many of some alignments two letters stand in one column; compiled."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.simd import acquire


@compiled
def agreed(pairs, stand, beside, starts, lengths, pointers, rows, begins, columns, units, stop):
    """Compressed rows of some pairs, as `sparse.Part` has them; returns how many entries there are.

    ``stand`` int32 (alignments, letters) are the columns of letters, those of sequence x from ``starts[x]`` on;
    ``beside`` int32 (alignments, sequences, columns) the letters in columns, -1 where there is none.
    """
    alignments, count = len(stand), 0
    letters, times = np.zeros(alignments, np.int64), np.zeros(alignments, np.int64)
    for number in range(len(pairs)):
        if acquire(stop, 0) != 0:
            break
        x, y = pairs[number, 0], pairs[number, 1]
        begins[number] = count
        own = pointers[rows[number] : rows[number] + lengths[x] + 1]
        for i in range(lengths[x]):
            different = 0
            for k in range(alignments):
                j = np.int64(beside[k, y, stand[k, starts[x] + i]])
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
