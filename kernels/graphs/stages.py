"""Floyd-Warshall step by step, as a view shows it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import cpu_floyd, heights, ways
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.monitor import Monitor

LARGEST = 1024
"""Vertices of a graph whose steps can be asked for one by one."""


def after(problem: PathsProblem, step: int) -> np.ndarray:
    """The least weights of paths over the first ``step`` vertices alone, 0 to n; float64, (n, n), infinite for none.

    InputError for a graph of more than `LARGEST` vertices.
    """
    if problem.n > LARGEST:
        raise InputError(f"{problem.title}: {problem.n:,} vertices; steps are shown for {LARGEST:,} at most")
    precise, over, high = _lifted(problem)
    distances = over.graph.weights.copy()
    cpu_floyd.serial_steps(distances, np.empty(problem.n), 0, step, workers.stop_word())
    heights.lower(precise, over, high, distances)
    return distances


def improved(problem: PathsProblem, step: int) -> np.ndarray:
    """Which pairs became nearer when vertex number ``step`` (1 to n) was let in; bool, (n, n)."""
    return after(problem, step) < after(problem, step - 1)


@lru_cache(maxsize=2)
def _lifted(problem: PathsProblem) -> tuple[PathsProblem, PathsProblem, np.ndarray]:
    """The problem in float64, the one whose steps are taken, and heights; a negative cycle is taken as it is."""
    precise = replace(problem, precision="float64")
    cycle, high = ways.search(problem.graph, Monitor())
    return precise, precise if cycle else heights.lifted(precise, high), high
