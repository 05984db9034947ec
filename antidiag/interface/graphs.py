"""Shortest paths in graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.interface.answers import Answer, ShortestPaths
from antidiag.interface.run_by_id import run
from antidiag.kernels.graphs.graph import Graph, from_edges, from_weights


def shortest_paths(graph: Any, *, method: str = "floyd-blocked", **settings: Any) -> ShortestPaths:
    """Return the shortest paths between all vertices of a graph.

    Parameters
    ----------
    graph : path, array_like, networkx graph, or iterable of (start, end, weight)
        A square array holds the weight of each edge, infinite where there is none. Edges of a networkx graph without
        a weight have 1.

    Examples
    --------
    >>> import antidiag as ad
    >>> paths = ad.shortest_paths([("a", "b", 2), ("b", "c", 3), ("a", "c", 9)])
    >>> paths.path("a", "c"), float(paths.distances[0, 2])
    (['a', 'b', 'c'], 5.0)
    """
    return run(method, _as_graph(graph), **settings)


def _as_graph(given: Any) -> Any:
    """Return a graph of edges, of an array of weights or of networkx; a path unchanged."""
    if isinstance(given, (str, Path, Graph, Answer)):
        return given
    if hasattr(given, "adjacency"):  # a networkx graph
        edges = list(given.edges(data="weight", default=1))
        if not given.is_directed():
            edges += [(v, u, weight) for u, v, weight in edges]
        return _graph_of_edges(edges, given.nodes)
    if hasattr(given, "shape"):
        return from_weights(np.array(given, np.float64))  # a copy, because a graph's weights become read-only
    return _graph_of_edges(list(given), ())


def _graph_of_edges(edges: Sequence[tuple[Any, Any, Any]], vertices: Iterable[Any]) -> Graph:
    """Return a graph of (start, end, weight), its vertices in the order in which they are named."""
    numbers: dict[Any, int] = {vertex: number for number, vertex in enumerate(vertices)}
    for start, end, _ in edges:
        numbers.setdefault(start, len(numbers))
        numbers.setdefault(end, len(numbers))
    ends = np.array([(numbers[start], numbers[end]) for start, end, _ in edges], np.int64).reshape(-1, 2)
    weights = np.array([weight for _, _, weight in edges], np.float64)
    return from_edges(len(numbers), ends[:, 0], ends[:, 1], weights, map(str, numbers))
