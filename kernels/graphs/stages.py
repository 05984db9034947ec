"""Floyd-Warshall step by step, as a view shows it."""

from __future__ import annotations

import numpy as np

from kernels.cpu import workers
from kernels.errors import InputError
from kernels.graphs import cpu_floyd
from kernels.graphs.problem import PathsProblem

LARGEST = 1024
"""Vertices of a graph whose steps can be asked for one by one."""


def after(problem: PathsProblem, step: int) -> np.ndarray:
    """The least weights of paths over the first ``step`` vertices alone, 0 to n; float64, (n, n), infinite for none.

    InputError for a graph of more than `LARGEST` vertices.
    """
    if problem.n > LARGEST:
        raise InputError(f"{problem.title}: {problem.n:,} vertices; steps are shown for {LARGEST:,} at most")
    distances = problem.graph.weights.copy()
    cpu_floyd.serial_steps(distances, np.empty(problem.n), 0, step, workers.stop_word())
    return distances


def improved(problem: PathsProblem, step: int) -> np.ndarray:
    """Which pairs became nearer when vertex number ``step`` (1 to n) was let in; bool, (n, n)."""
    before = after(problem, step - 1)
    distances = before.copy()
    cpu_floyd.serial_steps(distances, np.empty(problem.n), step - 1, step, workers.stop_word())
    return distances < before
