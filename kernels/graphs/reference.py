"""Shortest paths by the definition, against which tests compare."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.graphs.graph import Graph


def floyd_warshall(graph: Graph) -> np.ndarray:
    """Return all distances by FLOYDWARSHALL (Hanif 2014, algorithm 6.1), float64, shape (n, n).

    With a negative cycle they mean nothing.
    """
    d = graph.weights.copy()
    for k in range(len(graph)):
        d = np.minimum(d, d[:, k, None] + d[k])
    return d


def find_predecessors(graph: Graph, distances: np.ndarray) -> np.ndarray:
    """Return the vertex before the last on every shortest path, int32, shape (n, n); -1 where there is none.

    Of several vertices the smallest; where the paths of a source would then run in circles (cycles of weight zero), the
    smallest on a path of the fewest edges.
    """
    n = len(graph)
    found = np.full((n, n), -1, np.int32)
    for source in range(n):
        tight = distances[source][:, None] + graph.weights == distances[source]
        tight &= np.isfinite(distances[source]) & ~np.eye(n, dtype=bool)
        tight[:, source] = False
        found[source] = np.where(tight.any(0), tight.argmax(0), -1)
        if _has_cycle(found[source]):
            found[source] = _fewest_edges(tight, source)
    return found


def _has_cycle(before: np.ndarray) -> bool:
    """Return whether a chain never reaches a vertex without a predecessor; each round follows twice as many."""
    here = before
    for _ in range(before.size.bit_length()):
        here = np.where(here >= 0, here[here], -1)
    return bool((here >= 0).any())


def _fewest_edges(tight: np.ndarray, source: int) -> np.ndarray:
    before = np.full(len(tight), -1, np.int32)
    reached, level = {source}, [source]
    while level:
        following: list[int] = []
        for k in sorted(level):
            for j in np.flatnonzero(tight[k]).tolist():
                if j not in reached:
                    reached.add(j)
                    following.append(j)
                    before[j] = k
        level = following
    return before
