"""What the view of shortest paths shows: matrices in pixels, places of vertices, paths. No Qt here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import stages
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.model import Result

MOST_PIXELS = 1000
QUICK = 1024
"""Vertices up to which the path of a pair that is only pointed at is looked for."""
MOST_DRAWN = 48
"""Vertices of a graph that is drawn."""
ON_CIRCLE = 10
"""So many vertices stand on a circle; more are pulled together by their edges."""
ROUNDS, PULL = 300, 0.08

Edge = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Stage:
    """The matrix after ``step`` vertices were let in (n: the answer), infinite for no path; ``pixels`` as `reduced`.

    ``improved`` (bool) are the pairs that the last of them brought nearer.
    """

    step: int
    values: np.ndarray
    pixels: np.ndarray
    improved: np.ndarray | None = None

    @classmethod
    def whole(cls, result: Result) -> Stage:
        """The distances of an answer, or the weights of a graph that has none."""
        problem, answer = result.problem, result.answer
        values = problem.graph.weights if answer.distances is None else answer.floats(problem)
        return cls(problem.n, values, reduced(values))


def shows(result: Result) -> bool:
    return isinstance(result.problem, PathsProblem)


def has_stages(problem: PathsProblem) -> bool:
    """Whether the steps can be shown one by one."""
    return 0 < problem.n <= stages.LARGEST


def stage(problem: PathsProblem, step: int) -> Stage:
    """The matrix after a step, and what the step improved."""
    after = stages.after(problem, step)
    return Stage(step, after, reduced(after), after < stages.after(problem, step - 1) if step else None)


def reduced(values: np.ndarray, most: int = MOST_PIXELS) -> np.ndarray:
    """A matrix in at most ``most`` rows and columns; of several entries the least is kept."""
    n = len(values)
    if n <= most:
        return values
    borders = np.arange(most) * n // most
    return np.minimum.reduceat(np.minimum.reduceat(values, borders, axis=0), borders, axis=1)


def shades(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """255 for the least value, 1 for the greatest, 0 for infinite ones; uint8."""
    share = np.clip((np.where(np.isfinite(values), values, high) - low) / max(high - low, 1e-300), 0, 1)
    return np.where(np.isfinite(values), 255 - np.rint(254 * share), 0).astype(np.uint8)


def ends(values: np.ndarray) -> tuple[float, float]:
    """The least and the greatest finite value; 0 and 0 where there is none."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def path(result: Result, start: int, end: int) -> tuple[int, ...]:
    """The shortest path; empty where there is none, and where a negative cycle leaves none."""
    if result.answer.distances is None:
        return ()
    return tuple(result.answer.path(result.problem, start, end))


def edges_of(vertices: tuple[int, ...], closed: bool = False) -> set[Edge]:
    """The edges along some vertices."""
    way = (*vertices, vertices[0]) if closed and vertices else vertices
    return {(int(u), int(v)) for u, v in pairwise(way)}


def weight(problem: PathsProblem, edges: set[Edge]) -> float:
    return float(sum(problem.graph.weights[edge] for edge in edges))


def sides(problem: PathsProblem) -> np.ndarray | None:
    """On which side each vertex of a bipartite graph is; None of another."""
    try:
        return problem.sides
    except InputError:
        return None


def places(problem: PathsProblem) -> np.ndarray:
    """Where vertices are drawn, from 0 to 1; float64, (n, 2).

    Those of a bipartite graph stand in two columns, few others on a circle, and more where edges pull and all vertices
    push (Fruchterman and Reingold 1991).
    """
    n, both = problem.n, sides(problem) if problem.graph.edges else None
    if both is not None and n > 2:
        found = np.empty((n, 2))
        for side in (False, True):
            own = np.flatnonzero(both == side)
            found[own] = np.stack((np.full(own.size, 0.1 + 0.8 * side), (np.arange(own.size) + 0.5) / own.size), axis=1)
        return found
    angles = 2 * math.pi * np.arange(n) / max(n, 1) - math.pi / 2
    circle = 0.5 + 0.45 * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    return circle if n <= ON_CIRCLE else _pulled(problem, circle)


def _pulled(problem: PathsProblem, start: np.ndarray) -> np.ndarray:
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
