"""Compiled loops for predecessors and for cycles of negative weight."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit

NO_VERTEX = -1


@cached_njit
def find_source_predecessors(distances, weights, source, limit, found):
    """Write to ``found`` (int32, n) the vertex before each on the path from ``source``; -1 for none.

    ``distances`` is the source's row, shape (n,); numbers from ``limit`` on are infinite. The smallest k that
    minimises distance(source, k) + weight(k, j) is before j.
    """
    n = distances.shape[0]
    least = np.full(n, limit, distances.dtype)
    found[:] = NO_VERTEX
    for k in range(n):
        if distances[k] < limit:
            before = distances[k]
            for j in range(n):
                length = before + weights[k, j]
                if length < least[j] and j != k:
                    least[j] = length
                    found[j] = k
    found[source] = NO_VERTEX


@cached_njit
def repair_predecessors(distances, weights, first, last, limit, tolerance, predecessors):
    """Make all paths from the sources ``first`` to ``last`` end; each matrix has a row per source.

    Unreachable vertices and the source have no predecessor. Where the predecessors of a source close a cycle of weight
    zero, they are replaced by those of the paths of the fewest edges.
    """
    n = weights.shape[0]
    seen = np.empty(n, np.int64)
    for source in range(first, last):
        row, before = distances[source - first], predecessors[source - first]
        for j in range(n):
            if j == source or row[j] >= limit:
                before[j] = NO_VERTEX
        if not _all_chains_end(before, source, seen):
            find_fewest_edges(row, weights, source, limit, tolerance, before)


@inner_njit
def _all_chains_end(before, source, seen):
    """Return whether every chain of predecessors ends."""
    seen[:] = -1
    for start in range(before.shape[0]):
        vertex = start
        while vertex != NO_VERTEX and seen[vertex] < 0:
            seen[vertex] = start
            vertex = before[vertex]
        if vertex != NO_VERTEX and seen[vertex] == start:
            return False
    return True


@cached_njit
def all_predecessors_end(predecessors):
    """Return whether every chain in every source's row (n x n) ends."""
    seen, endless = np.empty(predecessors.shape[1], np.int64), 0
    for source in range(predecessors.shape[0]):
        endless += not _all_chains_end(predecessors[source], source, seen)
    return endless == 0


@inner_njit
def find_fewest_edges(distances, weights, source, limit, tolerance, before):
    """Find predecessors on the shortest paths of the fewest edges, breadth first over edges of shortest paths."""
    n = distances.shape[0]
    before[:] = NO_VERTEX
    reached = np.zeros(n, np.bool_)
    reached[source] = True
    level = np.array([source])
    while level.shape[0] > 0:
        following = np.zeros(n, np.bool_)
        for k in level:
            for j in range(n):
                length = distances[k] + weights[k, j]
                if not reached[j] and not following[j] and length < limit and length <= distances[j] + tolerance:
                    before[j] = k
                    following[j] = True
        for j in range(n):
            reached[j] |= following[j]
        level = np.nonzero(following)[0]


@cached_njit
def relax_edges(weights, distances, parents, slack, first, last):
    """Relax the edges that leave ``first`` to ``last`` (Bellman and Ford); return whether one improved a distance."""
    n, improved = weights.shape[0], False
    for u in range(first, last):
        for v in range(n):
            length = distances[u] + weights[u, v]
            if length < distances[v] - slack:
                distances[v] = length
                parents[v] = u
                improved = True
    return improved


@cached_njit
def find_parent_cycle(parents):
    """Return a vertex on a cycle of parents, or -1."""
    n = parents.shape[0]
    seen = np.full(n, -1)
    for start in range(n):
        vertex = start
        while vertex != NO_VERTEX and seen[vertex] < 0:
            seen[vertex] = start
            vertex = parents[vertex]
        if vertex != NO_VERTEX and seen[vertex] == start:
            return vertex
    return NO_VERTEX
