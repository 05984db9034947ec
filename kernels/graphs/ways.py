"""Ways between vertices, and cycles of negative weight: what every method of the area uses around its distances."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import count, pairwise

import numpy as np

from antidiag.kernels.cpu.phases import PhaseLog
from antidiag.kernels.graphs import cpu_ways
from antidiag.kernels.graphs.digits import DIGITS, TOLERANCE
from antidiag.kernels.graphs.graph import Graph
from antidiag.kernels.monitor import Monitor

ROWS = 256
"""Rows between two looks at whether the user cancelled."""
REPAIRED = 1 << 26
"""Edges between two such looks where predecessors are repaired, which is seldom needed."""
CYCLES = "negative cycles"

SLACK = 1e-12
"""A cycle must weigh less than minus this part of the heaviest edge, per edge: less is rounding. Where no sum is
rounded, it must weigh less than nothing."""

Found = tuple[tuple[int, ...], np.ndarray]
"""The vertices of a negative cycle, or none; heights of the vertices, float64, (n,), where there is none."""


def search(graph: Graph, monitor: Monitor, log: PhaseLog | None = None) -> Found:
    """A cycle of negative weight, from its smallest vertex on; or heights that leave no edge negative (heights.py).

    Bellman and Ford from all vertices at once; it ends as soon as the parents close a cycle, or when no edge
    improves anything more. A round is a strip of the log.
    """
    if graph.lightest >= 0:
        return (), np.zeros(len(graph))
    slack = 0.0 if graph.digits <= DIGITS["float64"] else SLACK * graph.heaviest
    found = _searched(graph.weights, slack, monitor, log)
    monitor.update(1, 1, CYCLES)
    return found


def negative_cycle(graph: Graph, monitor: Monitor, log: PhaseLog | None = None) -> tuple[int, ...]:
    """The vertices of a cycle of negative weight alone; empty where there is none."""
    return search(graph, monitor, log)[0]


def _searched(weights: np.ndarray, slack: float, monitor: Monitor, log: PhaseLog | None) -> Found:
    """Rounds over all edges. A cycle that is one by rounding alone does not count: from then on, more is rounding."""
    n, negligible = len(weights), slack
    distances, parents = np.zeros(n), np.full(n, cpu_ways.NONE)
    for round_ in count():
        improved, begun_ns = False, time.perf_counter_ns()
        for first in range(0, n, ROWS):
            monitor.update(min(round_ * n + first, n * n), n * n + 1, CYCLES)
            improved |= cpu_ways.relax_edges(weights, distances, parents, slack, first, min(first + ROWS, n))
        if log is not None:
            log.add(round_, (0, n), (0, n), 0, begun_ns)
        if not improved:
            return (), distances
        vertex = cpu_ways.parent_cycle(parents)
        if vertex != cpu_ways.NONE:
            cycle = _followed(vertex, parents)
            if weight(weights, cycle) < -negligible * len(cycle):
                return cycle, distances
        if vertex != cpu_ways.NONE or (round_ + 1) % (2 * n) == 0:
            slack *= 2
            parents[:] = cpu_ways.NONE
    raise AssertionError("rounds end when nothing improves")


def weight(weights: np.ndarray, cycle: tuple[int, ...]) -> float:
    """What a cycle weighs, rounded once."""
    return math.fsum(weights[u, v] for u, v in pairwise((*cycle, cycle[0])))


def _followed(vertex: int, parents: np.ndarray) -> tuple[int, ...]:
    cycle = [int(vertex)]
    while (before := int(parents[cycle[-1]])) != vertex:
        cycle.append(before)
    cycle.reverse()
    smallest = cycle.index(min(cycle))
    return tuple(cycle[smallest:] + cycle[:smallest])


def repaired(
    predecessors: np.ndarray,
    distances: np.ndarray,
    weights: np.ndarray,
    limit: float,
    report: Callable[[int, int], None],
) -> np.ndarray:
    """``predecessors`` (int32, n x n) of a product with indices, in place: every chain ends at its source.

    ``report(done, n)`` is told the rows that are done.
    """
    n = len(weights)
    tolerance, height = rounding(distances, limit), min(ROWS, max(1, REPAIRED // n**2))
    for first in range(0, n, height):
        report(first, n)
        last = min(first + height, n)
        cpu_ways.repair(distances[first:last], weights, first, last, limit, tolerance, predecessors[first:last])
    report(n, n)
    return predecessors


def predecessors_from(source: int, distances: np.ndarray, weights: np.ndarray, limit: float) -> np.ndarray:
    """The vertex before each on the shortest way from ``source``, int32, shape (n,); -1 for none."""
    row = np.ascontiguousarray(distances[source])
    found = np.empty(row.size, np.int32)
    cpu_ways.source_predecessors(row, weights, source, row.dtype.type(limit), found)
    tolerance = rounding(distances, limit)
    cpu_ways.repair(row[None], weights, source, source + 1, row.dtype.type(limit), tolerance, found[None])
    return found


def rounding(distances: np.ndarray, limit: float) -> np.generic:
    """How much two sums of the same way may differ, in the distances' own type."""
    largest = max((float(np.abs(row[row < limit]).max(initial=0)) for row in distances), default=0.0)
    return distances.dtype.type(TOLERANCE[distances.dtype.name] * largest)


def end(predecessors: np.ndarray) -> bool:
    """Whether every chain of predecessors (int32, n x n, within -1 .. n - 1) ends."""
    return bool(cpu_ways.all_end(np.ascontiguousarray(predecessors)))


def way(target: int, predecessors: np.ndarray) -> tuple[int, ...]:
    """The vertices of a way, from its source to ``target``, out of the source's row of predecessors."""
    vertices = [target]
    while (before := int(predecessors[vertices[-1]])) != cpu_ways.NONE:
        vertices.append(before)
    return tuple(reversed(vertices))
