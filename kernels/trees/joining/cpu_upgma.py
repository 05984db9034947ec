"""UPGMA, compiled: every cluster knows the nearest of those before it, so that few rows are read again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled


class Nearest(NamedTuple):
    """Of every cluster the first of the nearest of those before it, int64, -1 for none; and how far that is, float64,
    infinite for none and for what is no cluster any more."""

    who: np.ndarray
    distance: np.ndarray


@called
def find_nearest(D, valid, j, nearest):
    """Look for the nearest cluster before j."""
    row, found, least = D[j], -1, np.inf
    for i in range(j):
        if row[i] < least and valid[i]:
            found, least = i, np.float64(row[i])
    nearest.who[j], nearest.distance[j] = found, least


@compiled
def find_all(D, valid, first, last, nearest):
    """`find_nearest` for clusters ``first``..``last``."""
    for j in range(first, last):
        find_nearest(D, valid, j, nearest)


@called
def _nearest_pair(alive, nearest):
    """The pair with the smallest distance; of several the one with the smallest j, then the smallest i."""
    best, least = -1, np.inf
    for j in alive:
        if nearest.distance[j] < least:
            best, least = j, nearest.distance[j]
    return best


@called
def _unite(D, alive, sizes, i, j):
    """Put the cluster of i and j in the place of i: mean distances, each taxon counting the same."""
    first, second, both, new, old = sizes[i], sizes[j], sizes[i] + sizes[j], D[i], D[j]
    for k in alive:
        if k != i:
            new[k] = D[k, i] = D.dtype.type((first * np.float64(new[k]) + second * np.float64(old[k])) / both)
    sizes[i] = both


@compiled
def join(D, valid, sizes, nearest, nodes, done, most, joins, heights, stop):
    """Up to ``most`` joins after the first ``done``; returns the joins done.

    ``sizes`` float64 are the taxa in each cluster, ``nearest`` is a Nearest that `find_nearest` has filled, ``nodes``
    int32 the node in each place; ``joins`` int32 (n - 1, 2) and ``heights`` float64 (n - 1,) take the joins. ``stop``
    ends them early.
    """
    who, distance = nearest
    last, clusters = min(done + most, valid.size - 1), np.flatnonzero(valid)
    for step in range(done, last):
        j = _nearest_pair(clusters[: valid.size - step], nearest)
        i = who[j]
        joins[step, 0], joins[step, 1], heights[step] = nodes[i], nodes[j], distance[j] / 2
        valid[j], distance[j] = 0, np.inf
        place = np.searchsorted(clusters[: valid.size - step], j)
        clusters[place : valid.size - step - 1] = clusters[place + 1 : valid.size - step]
        alive = clusters[: valid.size - step - 1]
        _unite(D, alive, sizes, i, j)
        nodes[i] = valid.size + step
        find_nearest(D, valid, i, nearest)
        new = D[i]
        for k in alive[np.searchsorted(alive, i) + 1 :]:
            if stop[0]:
                return step
            if who[k] == i or who[k] == j:
                find_nearest(D, valid, k, nearest)
            elif new[k] < distance[k] or (new[k] == distance[k] and i < who[k]):
                who[k], distance[k] = i, new[k]
    return last
