"""Weights without negative edges: heights of the vertices, over which every method is right to rounding.

Where a cycle weighs nothing but for rounding, Floyd-Warshall goes round it at every step and doubles what was rounded
away, without end. Heights h, found by Bellman and Ford, lift the edge u -> v to w + h[u] - h[v], which is not negative
(D. B. Johnson, 1977): all paths from u to v are lifted alike, and what is lost to rounding stays as small as it was.
Whole numbers, and all others whose sums are exact, need no lifting.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antidiag.kernels.graphs.problem import PathsProblem

ROWS = 256
"""Rows that are lifted at a time."""

SLIGHT = 4
"""So many units in the last place of the highest height are rounding."""


def lifted(problem: PathsProblem, heights: np.ndarray) -> PathsProblem:
    """The problem over weights that are not negative; ``heights`` (float64, n) are those of ``ways.search``.

    A problem whose sums are exact is given back as it is.
    """
    if not problem.lifts:
        return problem
    weights = np.empty_like(problem.graph.weights)
    for first in range(0, problem.n, ROWS):
        rows = slice(first, first + ROWS)
        np.add(problem.graph.weights[rows], heights[rows, None], out=weights[rows])
        weights[rows] -= heights
        np.maximum(weights[rows], 0.0, out=weights[rows])
    weights.setflags(write=False)
    return replace(problem, graph=replace(problem.graph, weights=weights))


def lower(problem: PathsProblem, over: PathsProblem, heights: np.ndarray, distances: np.ndarray) -> None:
    """Distances of a lifted problem ``over`` become those of the problem, in place.

    An edge that is as short as any way, but for rounding, keeps its very weight.
    """
    if over is problem:
        return
    rounded = SLIGHT * np.finfo(problem.dtype).eps * float(np.abs(heights).max(initial=0.0))
    for first in range(0, problem.n, ROWS):
        rows = slice(first, first + ROWS)
        direct = over.matrix[rows] <= distances[rows] + rounded
        distances[rows] = distances[rows] + (heights - heights[rows, None])
        np.copyto(distances[rows], problem.matrix[rows], where=direct)
