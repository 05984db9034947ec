"""Predecessors on shortest paths, and cycles of negative weight, for all methods."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import cache
from itertools import count, pairwise

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, LoggedCells
from antidiag.kernels.graphs import cpu_predecessors
from antidiag.kernels.graphs.graph import Graph, from_weights
from antidiag.kernels.graphs.problem import DIGITS, TOLERANCE
from antidiag.kernels.monitor import Monitor

ROWS = 256
"""Rows between two checks for Cancel."""
REPAIRED = 1 << 26
"""Edges between two such checks where predecessors are repaired, which is rare."""
CYCLES = "negative cycles"

SLACK = 1e-12
"""A negative cycle weighs less than minus this share of the heaviest edge per edge: the rest is rounding. Where sums
are exact, it weighs less than zero."""

TINY_GRAPH = from_weights(np.array([[0.0, 1.0, np.inf], [-1.0, 0.0, np.inf], [np.inf, np.inf, 0.0]]))
"""The graph with which functions are compiled: three vertices, the fewest whose matrix is squared."""

Found = tuple[tuple[int, ...], np.ndarray]
"""The vertices of a negative cycle, or none; then the potentials, float64, shape (n,)."""


def search_negative_cycle(graph: Graph, monitor: Monitor, phase: CpuPhase | None = None) -> Found:
    """Return a cycle of negative weight, from its smallest vertex on, or potentials that make no edge negative.

    Bellman and Ford from all vertices at once: it ends when the parents close a cycle, or when no edge improves a
    distance. A round is a strip in the log of ``phase``.
    """
    if graph.least_weight >= 0:
        return (), np.zeros(len(graph))
    slack = 0.0 if graph.exact_digits <= DIGITS["float64"] else SLACK * graph.largest_size
    found = _relax_until_stable(graph.weights, slack, monitor, phase)
    monitor.update(1, 1, CYCLES)
    return found


@cache
def compile_search() -> None:
    """Compile the search for a negative cycle, or load it from the cache folder."""
    find_negative_cycle(TINY_GRAPH, Monitor())


@cache
def compile_repair(dtype: np.dtype) -> None:
    """Compile the repair of predecessors, or load it from the cache folder."""
    number = np.zeros((1, 1), dtype)
    repair_all(np.zeros((1, 1), np.int32), number, number, dtype.type(1), lambda done, total: None)


def find_negative_cycle(graph: Graph, monitor: Monitor) -> tuple[int, ...]:
    """Return the vertices of a negative cycle; empty where there is none."""
    return search_negative_cycle(graph, monitor)[0]


def _relax_until_stable(weights: np.ndarray, slack: float, monitor: Monitor, phase: CpuPhase | None) -> Found:
    """Relax all edges in rounds. After a cycle that is negative only by rounding, a larger slack counts as rounding."""
    n, negligible = len(weights), slack
    distances, parents = np.zeros(n), np.full(n, cpu_predecessors.NO_VERTEX)
    for round_ in count():
        improved, begun_ns = False, time.perf_counter_ns()
        for first in range(0, n, ROWS):
            monitor.update(min(round_ * n + first, n * n), n * n + 1, CYCLES)
            improved |= cpu_predecessors.relax_edges(weights, distances, parents, slack, first, min(first + ROWS, n))
        if phase is not None:
            phase.log(LoggedCells((0, n), (0, n), round_), 0, begun_ns)
        if not improved:
            return (), distances
        vertex = cpu_predecessors.find_parent_cycle(parents)
        if vertex != cpu_predecessors.NO_VERTEX:
            cycle = _follow_cycle(vertex, parents)
            if weigh_cycle(weights, cycle) < -negligible * len(cycle):
                return cycle, distances
        if vertex != cpu_predecessors.NO_VERTEX or (round_ + 1) % (2 * n) == 0:
            slack *= 2
            parents[:] = cpu_predecessors.NO_VERTEX
    raise AssertionError("rounds end when nothing improves")


def weigh_cycle(weights: np.ndarray, cycle: tuple[int, ...]) -> float:
    """Return the weight of a cycle, rounded once."""
    return math.fsum(weights[u, v] for u, v in pairwise((*cycle, cycle[0])))


def _follow_cycle(vertex: int, parents: np.ndarray) -> tuple[int, ...]:
    cycle = [int(vertex)]
    while (before := int(parents[cycle[-1]])) != vertex:
        cycle.append(before)
    cycle.reverse()
    smallest = cycle.index(min(cycle))
    return tuple(cycle[smallest:] + cycle[:smallest])


def repair_all(
    predecessors: np.ndarray,
    distances: np.ndarray,
    weights: np.ndarray,
    limit: float,
    report: Callable[[int, int], None],
) -> None:
    """Change predecessors (int32, n x n) of a product in place, so that every chain ends at its source.

    ``report(done, n)`` gets the number of finished rows.
    """
    n = len(weights)
    tolerance, height = rounding_tolerance(distances, limit), min(ROWS, max(1, REPAIRED // n**2))
    for first in range(0, n, height):
        report(first, n)
        last = min(first + height, n)
        cpu_predecessors.repair_predecessors(
            distances[first:last], weights, first, last, limit, tolerance, predecessors[first:last]
        )
    report(n, n)


def predecessors_from(source: int, distances: np.ndarray, weights: np.ndarray, limit: float) -> np.ndarray:
    """Return the vertex before each on the shortest path from ``source``, int32, shape (n,); -1 for none."""
    row = np.ascontiguousarray(distances[source])
    found = np.empty(row.size, np.int32)
    cpu_predecessors.find_source_predecessors(row, weights, source, row.dtype.type(limit), found)
    tolerance = rounding_tolerance(distances, limit)
    cpu_predecessors.repair_predecessors(
        row[None], weights, source, source + 1, row.dtype.type(limit), tolerance, found[None]
    )
    return found


def rounding_tolerance(distances: np.ndarray, limit: float) -> np.generic:
    """Return how much two sums over the same path may differ, in the type of the distances."""
    largest = max((float(np.abs(row[row < limit]).max(initial=0)) for row in distances), default=0.0)
    return distances.dtype.type(TOLERANCE[distances.dtype.name] * largest)


def all_chains_end(predecessors: np.ndarray) -> bool:
    """Return whether every chain of predecessors (int32, n x n, from -1 to n - 1) ends."""
    return bool(cpu_predecessors.all_predecessors_end(np.ascontiguousarray(predecessors)))


def trace_path(target: int, predecessors: np.ndarray) -> tuple[int, ...]:
    """Return the vertices of the path from a source to ``target``, from the source's row of predecessors."""
    vertices = [target]
    while (before := int(predecessors[vertices[-1]])) != cpu_predecessors.NO_VERTEX:
        vertices.append(before)
    return tuple(reversed(vertices))
