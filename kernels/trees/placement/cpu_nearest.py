"""The nearest of the rows before each row, on the CPU: all pairs are compared, and none is kept."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.trees.distances.alignment_columns.cpu_columns import GROUP, compare_groups, make_buffers


@cached_njit
def find_nearest(packed, group, model, nearest, stop):
    """Find for each row of a group the nearest of the rows before it, the first of equally near ones.

    ``packed`` is int32 (groups, words, planes, 16), ``nearest`` int32 (groups x 16,); the first row has itself.
    """
    flat, sizes = packed.ravel(), (packed.shape[1], packed.shape[2])
    buffers = make_buffers()
    found = buffers[0]
    least, places = np.full(GROUP, np.inf), np.zeros(GROUP, np.int32)
    for other in range(group + 1):
        if stop[0]:
            return
        compare_groups(flat, sizes, group, other, model, buffers)
        for lane in range(GROUP):
            beyond = lane if other == group else GROUP
            for beside in range(beyond):
                distance = found[lane * GROUP + beside]
                if distance < least[lane]:
                    least[lane], places[lane] = distance, other * GROUP + beside
    nearest[group * GROUP : (group + 1) * GROUP] = places
