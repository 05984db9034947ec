"""Johnson's potentials: weights without negative edges, over which every method is exact up to rounding.

Where a cycle weighs zero up to rounding, Floyd-Warshall follows it at every step and doubles the rounding error.
Potentials h, found by Bellman and Ford, change the edge u -> v to w + h[u] - h[v], which is not negative (D. B.
Johnson, 1977). All paths from u to v change alike, and the rounding error stays small. Weights whose sums are exact
need no potentials.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antidiag.kernels.graphs.problem import PathsProblem

ROWS = 256
"""Rows that are changed at a time."""

SLIGHT = 4
"""Units in the last place of the largest potential that count as rounding."""


def lift_weights(problem: PathsProblem, vertex_potentials: np.ndarray) -> PathsProblem:
    """Return the problem over weights that are not negative; itself where its sums are exact.

    ``vertex_potentials`` (float64, shape (n,)) are those from `search_negative_cycle`.
    """
    if not problem.needs_lifting:
        return problem
    weights = np.empty_like(problem.graph.weights)
    for first in range(0, problem.n, ROWS):
        rows = slice(first, first + ROWS)
        np.add(problem.graph.weights[rows], vertex_potentials[rows, None], out=weights[rows])
        weights[rows] -= vertex_potentials
        np.maximum(weights[rows], 0.0, out=weights[rows])
    weights.setflags(write=False)
    return replace(problem, graph=replace(problem.graph, weights=weights))


def lower_distances(
    problem: PathsProblem, over: PathsProblem, vertex_potentials: np.ndarray, distances: np.ndarray
) -> None:
    """Change the distances of a lifted problem ``over`` to those of the problem, in place.

    An edge that is as short as any path, up to rounding, keeps its exact weight.
    """
    if over is problem:
        return
    rounded = SLIGHT * np.finfo(problem.dtype).eps * float(np.abs(vertex_potentials).max(initial=0.0))
    for first in range(0, problem.n, ROWS):
        rows = slice(first, first + ROWS)
        direct = over.matrix[rows] <= distances[rows] + rounded
        distances[rows] = distances[rows] + (vertex_potentials - vertex_potentials[rows, None])
        np.copyto(distances[rows], problem.matrix[rows], where=direct)
