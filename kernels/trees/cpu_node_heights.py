"""Heights of the nodes of a tree, compiled."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit


@cached_njit
def node_heights(parents):
    """Return the most edges between each node and a leaf below it, int64; ``parents`` are those of a tree in
    preorder."""
    found = np.zeros(parents.size, np.int64)
    for node in range(parents.size - 1, 0, -1):
        found[parents[node]] = max(found[parents[node]], found[node] + 1)
    return found
