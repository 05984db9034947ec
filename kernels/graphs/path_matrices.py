"""Data of the view of shortest paths: matrices as pixels, positions of vertices, paths. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import intermediate_distances
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.model import Result

MOST_PIXELS = 1000
MOST_POINTED = 1024  # up to so many vertices, the path of the pair under the mouse is found
MOST_DRAWN = 48  # most vertices of a graph that is drawn
ON_CIRCLE = 10  # most vertices that are placed on a circle; more are placed by forces
ROUNDS, PULL = 300, 0.08

Edge = tuple[int, int]


@dataclass(frozen=True, eq=False)
class PathMatrix:
    """The matrix after ``step`` intermediate vertices (n: the answer), infinite where there is no path.

    ``pixels`` is the matrix reduced to few rows; ``improved`` (bool) the pairs whose distance this step reduced.
    """

    step: int
    values: np.ndarray
    pixels: np.ndarray
    improved: np.ndarray | None = None

    @classmethod
    def of_answer(cls, result: Result) -> PathMatrix:
        """Return the distances of an answer, or the weights of the graph where it has none."""
        problem, answer = result.problem, result.answer
        values = problem.graph.weights if answer.distances is None else answer.as_floats(problem)
        return cls(problem.n, values, reduce_matrix(values))


def shows_paths(result: Result) -> bool:
    """Return whether a result is about shortest paths."""
    return isinstance(result.problem, PathsProblem)


def has_stages(problem: PathsProblem) -> bool:
    """Whether the steps can be shown one after another."""
    return 0 < problem.n <= intermediate_distances.MAX_VERTICES


def matrix_after(problem: PathsProblem, step: int) -> PathMatrix:
    """Return the matrix after a step, and the pairs that the step improved."""
    after = intermediate_distances.distances_after(problem, step)
    return PathMatrix(
        step,
        after,
        reduce_matrix(after),
        after < intermediate_distances.distances_after(problem, step - 1) if step else None,
    )


def reduce_matrix(values: np.ndarray, most: int = MOST_PIXELS) -> np.ndarray:
    """Reduce a matrix to at most ``most`` rows and columns by the least of neighbouring entries."""
    n = len(values)
    if n <= most:
        return values
    borders = np.arange(most) * n // most
    return np.minimum.reduceat(np.minimum.reduceat(values, borders, axis=0), borders, axis=1)


def shade_values(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return shades, uint8: 255 for the least value, 1 for the greatest, 0 for infinity."""
    share = np.clip((np.where(np.isfinite(values), values, high) - low) / max(high - low, 1e-300), 0, 1)
    return np.where(np.isfinite(values), 255 - np.rint(254 * share), 0).astype(np.uint8)


def finite_range(values: np.ndarray) -> tuple[float, float]:
    """Return the least and the greatest finite value, or 0 and 0."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def shortest_path(result: Result, start: int, end: int) -> tuple[int, ...]:
    """Return the shortest path, empty where there is none or where a negative cycle prevents it."""
    if result.answer.distances is None:
        return ()
    return tuple(result.answer.path(result.problem, start, end))


def path_edges(vertices: tuple[int, ...], closed: bool = False) -> set[Edge]:
    """Return the edges along a path, or around a cycle."""
    walk = (*vertices, vertices[0]) if closed and vertices else vertices
    return {(int(u), int(v)) for u, v in pairwise(walk)}


def total_weight(problem: PathsProblem, edges: set[Edge]) -> float:
    """Return the total weight of edges."""
    return float(sum(problem.graph.weights[edge] for edge in edges))


def bipartite_sides(problem: PathsProblem) -> np.ndarray | None:
    """Return the side of each vertex of a bipartite graph; None for other graphs."""
    try:
        return problem.sides
    except InputError:
        return None


def place_vertices(problem: PathsProblem) -> np.ndarray:
    """Return the positions of the vertices, from 0 to 1; float64, (n, 2).

    A bipartite graph has two columns, another small graph a circle, and a larger one is placed by forces: edges pull
    and all vertices push (Fruchterman and Reingold 1991).
    """
    n, both = problem.n, bipartite_sides(problem) if problem.graph.edges else None
    if both is not None and n > 2:
        found = np.empty((n, 2))
        for side in (False, True):
            own = np.flatnonzero(both == side)
            found[own] = np.stack((np.full(own.size, 0.1 + 0.8 * side), (np.arange(own.size) + 0.5) / own.size), axis=1)
        return found
    angles = 2 * math.pi * np.arange(n) / max(n, 1) - math.pi / 2
    circle = 0.5 + 0.45 * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    return circle if n <= ON_CIRCLE else _place_by_forces(problem, circle)


def _place_by_forces(problem: PathsProblem, start: np.ndarray) -> np.ndarray:
    n, found = problem.n, start.copy()
    joined = np.isfinite(problem.graph.weights)
    joined |= joined.T
    np.fill_diagonal(joined, False)
    wanted = 1 / math.sqrt(n)
    for number in range(ROUNDS):
        apart = found[:, None] - found[None]
        distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-3)
        force = wanted**2 / distance**2 - joined * distance / wanted
        np.fill_diagonal(force, 0)
        move = (apart * force[..., None]).sum(axis=1)
        length = np.maximum(np.hypot(*move.T), 1e-12)
        found += move / length[:, None] * np.minimum(length, PULL * (1 - number / ROUNDS))[:, None]
    low, high = found.min(axis=0), found.max(axis=0)
    return 0.04 + 0.92 * (found - low) / np.maximum(high - low, 1e-9)
