"""UPGMA, compiled: every cluster knows its nearest earlier one, so that few rows are read again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit


class NearestClusters(NamedTuple):
    """The nearest earlier cluster of every cluster, the first of equal ones.

    ``who`` int64, -1 for none; ``distance`` float64, infinite for none and for dead clusters.
    """

    who: np.ndarray
    distance: np.ndarray


@inner_njit
def find_nearest(D, valid, j, nearest):
    """Find the nearest cluster before j."""
    row, found, least = D[j], -1, np.inf
    for i in range(j):
        if row[i] < least and valid[i]:
            found, least = i, np.float64(row[i])
    nearest.who[j], nearest.distance[j] = found, least


@cached_njit
def find_all(D, valid, first, last, nearest):
    """Find the nearest earlier cluster for clusters ``first``..``last``."""
    for j in range(first, last):
        find_nearest(D, valid, j, nearest)


@inner_njit
def _find_nearest_pair(alive, nearest):
    """Return the pair with the smallest distance, the first of equal ones by j, then by i."""
    best, least = -1, np.inf
    for j in alive:
        if nearest.distance[j] < least:
            best, least = j, nearest.distance[j]
    return best


@inner_njit
def _join_clusters(D, alive, sizes, i, j):
    """Put the cluster of i and j in the place of i: mean distances, each taxon counting the same."""
    first, second, both, new, old = sizes[i], sizes[j], sizes[i] + sizes[j], D[i], D[j]
    for k in alive:
        if k != i:
            new[k] = D[k, i] = D.dtype.type((first * np.float64(new[k]) + second * np.float64(old[k])) / both)
    sizes[i] = both


@cached_njit
def make_joins(D, valid, sizes, nearest, nodes, done, join_limit, joins, heights, stop):
    """Make up to ``join_limit`` joins after the first ``done``; return the joins done.

    ``sizes`` float64 are the taxa in each cluster, ``nearest`` is a `NearestClusters` filled by `find_nearest`,
    ``nodes`` int32 the node in each place; ``joins`` int32 (n - 1, 2) and ``heights`` float64 (n - 1,) take the joins.
    ``stop`` ends them early.
    """
    who, distance = nearest
    last, clusters = min(done + join_limit, valid.size - 1), np.flatnonzero(valid)
    for step in range(done, last):
        j = _find_nearest_pair(clusters[: valid.size - step], nearest)
        i = who[j]
        joins[step, 0], joins[step, 1], heights[step] = nodes[i], nodes[j], distance[j] / 2
        valid[j], distance[j] = 0, np.inf
        place = np.searchsorted(clusters[: valid.size - step], j)
        clusters[place : valid.size - step - 1] = clusters[place + 1 : valid.size - step]
        alive = clusters[: valid.size - step - 1]
        _join_clusters(D, alive, sizes, i, j)
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
