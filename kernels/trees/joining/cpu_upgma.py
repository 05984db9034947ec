"""UPGMA, compiled: every cluster knows its nearest earlier one, so that few rows are read again."""

from __future__ import annotations

from collections.abc import Callable
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
def _join_clusters(D, alive, sizes, i, j, least_share):
    """Put the cluster of i and j in the place of i: mean distances, each taxon counting the same.

    With a ``least_share``, that share of a new distance is the lesser of the two, and the rest is the mean of the two.
    """
    first, second, both, new, old = sizes[i], sizes[j], sizes[i] + sizes[j], D[i], D[j]
    for k in alive:
        if k != i:
            one, two = np.float64(new[k]), np.float64(old[k])
            if least_share > 0:
                joined = least_share * min(one, two) + (1 - least_share) / 2 * (one + two)
            else:
                joined = (first * one + second * two) / both
            new[k] = D[k, i] = D.dtype.type(joined)
    sizes[i] = both


@cached_njit
def make_joins(D, valid, sizes, nearest, nodes, done, join_limit, joins, heights, least_share, stop):
    """Make up to ``join_limit`` joins after the first ``done``; return the joins done.

    ``sizes`` float64 are the taxa in each cluster, ``nearest`` is a `NearestClusters` filled by `find_nearest`,
    ``nodes`` int32 the node in each place; ``joins`` int32 (n - 1, 2) and ``heights`` float64 (n - 1,) take the joins.
    ``least_share`` is 0 for UPGMA (`_join_clusters`). ``stop`` ends them early.
    """
    who, distance = nearest
    last, clusters = min(done + join_limit, valid.size - 1), np.flatnonzero(valid)
    for step in range(done, last):
        j = _find_nearest_pair(clusters[: valid.size - step], nearest)
        i = who[j]
        joins[step, 0], joins[step, 1], heights[step] = nodes[i], nodes[j], distance[j] / 2
        valid[j], distance[j] = 0, np.inf
        place = np.searchsorted(clusters[: valid.size - step], j)
        for later in range(place, valid.size - step - 1):  # assigning a slice takes a second longer to compile
            clusters[later] = clusters[later + 1]
        alive = clusters[: valid.size - step - 1]
        _join_clusters(D, alive, sizes, i, j, least_share)
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


JOINS_AT_ONCE = 64
"""Joins between two calls of ``check``."""


def join_all(
    distances: np.ndarray, check: Callable[[], object], least_share: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return the joins of UPGMA, int32 (n - 1, 2), and their heights, float64.

    With a ``least_share`` the linkage is MAFFT's (`_join_clusters`), else that of UPGMA.
    ``distances`` float32 or float64 (n, n) are overwritten. ``check`` is called from time to time; what it raises ends
    the work.
    """
    n = len(distances)
    valid, nearest = np.ones(n, np.uint8), NearestClusters(np.full(n, -1, np.int64), np.full(n, np.inf))
    find_all(distances, valid, 0, n, nearest)
    joins, heights = np.zeros((max(n - 1, 0), 2), np.int32), np.zeros(max(n - 1, 0))
    sizes, nodes, stop = np.ones(n), np.arange(n, dtype=np.int32), np.zeros(1, np.int64)
    for done in range(0, n - 1, JOINS_AT_ONCE):
        check()
        make_joins(distances, valid, sizes, nearest, nodes, done, JOINS_AT_ONCE, joins, heights, least_share, stop)
    return joins, heights
