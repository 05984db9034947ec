"""Distances after every step of Floyd-Warshall, for the window."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import cpu_floyd, potentials, predecessors
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.monitor import Monitor

MAX_VERTICES = 1024
"""Most vertices of a graph whose steps can be shown."""


def distances_after(problem: PathsProblem, step: int) -> np.ndarray:
    """Return the distances over paths through the first ``step`` vertices (0 to n) only.

    float64, shape (n, n), infinite where there is no path. Raises InputError for too many vertices.
    """
    if problem.n > MAX_VERTICES:
        raise InputError(f"{problem.title}: {problem.n:,} vertices; steps can be shown for at most {MAX_VERTICES:,}")
    precise, over, vertex_potentials = _lift_problem(problem)
    distances = over.graph.weights.copy()
    cpu_floyd.run_serial_steps(distances, np.empty(problem.n), 0, step, workers.make_stop_word())
    potentials.lower_distances(precise, over, vertex_potentials, distances)
    return distances


@lru_cache(maxsize=2)
def _lift_problem(problem: PathsProblem) -> tuple[PathsProblem, PathsProblem, np.ndarray]:
    """Return the problem in float64, the lifted one, and the potentials; with a negative cycle nothing is lifted."""
    precise = replace(problem, precision="float64")
    cycle, vertex_potentials = predecessors.search_negative_cycle(problem.graph, Monitor())
    return precise, precise if cycle else potentials.lift_weights(precise, vertex_potentials), vertex_potentials
