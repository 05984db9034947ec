"""UPGMA, compiled: every cluster knows the nearest of those before it, so that few rows are read again."""

from __future__ import annotations

import numpy as np

from kernels.cpu.jit import compiled


@compiled
def nearest_before(D, valid, j):
    """The first of the nearest clusters before j; -1 where none is."""
    found, least = -1, np.inf
    for i in range(j):
        if valid[i] and D[j, i] < least:
            found, least = i, D[j, i]
    return found


@compiled
def _nearest_pair(D, valid, nearest):
    """The pair with the smallest distance; of several the one with the smallest j, then the smallest i."""
    best, least = -1, np.inf
    for j in range(1, valid.size):
        if valid[j] and nearest[j] >= 0 and D[j, nearest[j]] < least:
            best, least = j, D[j, nearest[j]]
    return best


@compiled
def _unite(D, valid, sizes, i, j):
    """Put the cluster of i and j in the place of i: mean distances, each taxon counting the same."""
    both = sizes[i] + sizes[j]
    for k in range(valid.size):
        if valid[k] and k != i and k != j:
            mean = (sizes[i] * np.float64(D[i, k]) + sizes[j] * np.float64(D[j, k])) / both
            D[i, k] = D[k, i] = D.dtype.type(mean)
    sizes[i] = both


@compiled
def join(D, valid, sizes, nearest, nodes, done, most, joins, heights, stop):
    """Up to ``most`` joins after the first ``done``; returns the joins done.

    ``sizes`` float64 are the taxa in each cluster, ``nearest`` int64 is from `nearest_before`, ``nodes`` int32 the node
    in each place; ``joins`` int32 (n - 1, 2) and ``heights`` float64 (n - 1,) take the joins. ``stop`` ends them early.
    """
    last = min(done + most, valid.size - 1)
    for step in range(done, last):
        j = _nearest_pair(D, valid, nearest)
        i = nearest[j]
        joins[step, 0], joins[step, 1], heights[step] = nodes[i], nodes[j], np.float64(D[j, i]) / 2
        valid[j] = 0
        _unite(D, valid, sizes, i, j)
        nodes[i] = valid.size + step
        nearest[i] = nearest_before(D, valid, i)
        for k in range(i + 1, valid.size):
            if stop[0]:
                return step
            if not valid[k]:
                continue
            if nearest[k] == i or nearest[k] == j:
                nearest[k] = nearest_before(D, valid, k)
            elif D[k, i] < D[k, nearest[k]] or (D[k, i] == D[k, nearest[k]] and i < nearest[k]):
                nearest[k] = i
    return last
