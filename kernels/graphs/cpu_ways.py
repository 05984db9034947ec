"""From distances to ways, compiled: predecessors, and cycles of negative weight."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled

NONE = -1


@compiled
def source_predecessors(distances, weights, source, limit, found):
    """Into ``found`` (int32, n): the vertex before each on the way from ``source``; -1 for none.

    ``distances`` is the source's row, shape (n,); numbers from ``limit`` on are infinite. The smallest k that
    minimises distance(source, k) + weight(k, j) goes before j.
    """
    n = distances.shape[0]
    least = np.full(n, limit, distances.dtype)
    found[:] = NONE
    for k in range(n):
        if distances[k] < limit:
            before = distances[k]
            for j in range(n):
                way = before + weights[k, j]
                if way < least[j] and j != k:
                    least[j] = way
                    found[j] = k
    found[source] = NONE


@compiled
def repair(distances, weights, first, last, limit, tolerance, predecessors):
    """Make the ways from the sources ``first`` to ``last`` end: matrices of n columns, a row a source.

    What cannot be reached, and the source itself, has no predecessor. Where a cycle of weight zero closes upon
    itself, the source's ways are replaced by those of the fewest edges.
    """
    n = weights.shape[0]
    seen = np.empty(n, np.int64)
    for source in range(first, last):
        row, before = distances[source - first], predecessors[source - first]
        for j in range(n):
            if j == source or row[j] >= limit:
                before[j] = NONE
        if not _ends(before, source, seen):
            fewest_edges(row, weights, source, limit, tolerance, before)


@called
def _ends(before, source, seen):
    """Whether every chain of predecessors ends."""
    seen[:] = -1
    for start in range(before.shape[0]):
        vertex = start
        while vertex != NONE and seen[vertex] < 0:
            seen[vertex] = start
            vertex = before[vertex]
        if vertex != NONE and seen[vertex] == start:
            return False
    return True


@compiled
def all_end(predecessors):
    """Whether every chain of every source's row (n x n) ends."""
    seen, endless = np.empty(predecessors.shape[1], np.int64), 0
    for source in range(predecessors.shape[0]):
        endless += not _ends(predecessors[source], source, seen)
    return endless == 0


@called
def fewest_edges(distances, weights, source, limit, tolerance, before):
    """Predecessors on the shortest ways of the fewest edges, breadth first over the edges that lie on such ways."""
    n = distances.shape[0]
    before[:] = NONE
    reached = np.zeros(n, np.bool_)
    reached[source] = True
    level = np.array([source])
    while level.shape[0] > 0:
        following = np.zeros(n, np.bool_)
        for k in level:
            for j in range(n):
                way = distances[k] + weights[k, j]
                if not reached[j] and not following[j] and way < limit and way <= distances[j] + tolerance:
                    before[j] = k
                    following[j] = True
        for j in range(n):
            reached[j] |= following[j]
        level = np.nonzero(following)[0]


@compiled
def relax_edges(weights, distances, parents, slack, first, last):
    """One round of Bellman and Ford over the edges that leave ``first`` to ``last``; whether one was of use."""
    n, improved = weights.shape[0], False
    for u in range(first, last):
        for v in range(n):
            way = distances[u] + weights[u, v]
            if way < distances[v] - slack:
                distances[v] = way
                parents[v] = u
                improved = True
    return improved


@compiled
def parent_cycle(parents):
    """A vertex on a cycle of parents, or -1."""
    n = parents.shape[0]
    seen = np.full(n, -1)
    for start in range(n):
        vertex = start
        while vertex != NONE and seen[vertex] < 0:
            seen[vertex] = start
            vertex = parents[vertex]
        if vertex != NONE and seen[vertex] == start:
            return vertex
    return NONE
