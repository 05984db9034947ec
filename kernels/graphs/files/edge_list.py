"""Writing of graphs as lists of edges."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.graph import Graph
from antidiag.kernels.io.files import write_lines


def write_edges(path: str | Path, graph: Graph) -> None:
    """Write a graph as CSV with an edge a line: source, target, weight.

    Raises InputError for a vertex without edges, which such a list cannot hold, and for a file that cannot be written.
    """
    there = np.isfinite(graph.weights) & ~(np.eye(len(graph), dtype=bool) & (graph.weights == 0))
    alone = np.flatnonzero(~(there.any(axis=0) | there.any(axis=1)))
    if alone.size:
        raise InputError(f"{path}: {graph.names[alone[0]]} has no edges, and a list of edges cannot hold such a vertex")
    write_lines(path, _edge_lines(graph, there))


def _edge_lines(graph: Graph, there: np.ndarray) -> Iterator[str]:
    """Yield the lines of the edges of each vertex, after a line of headings."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["source", "target", "weight"])
    for source, name in enumerate(graph.names):
        for target in np.flatnonzero(there[source]).tolist():
            writer.writerow([name, graph.names[target], f"{graph.weights[source, target]:.17g}"])
        yield text.getvalue()
        text.seek(0)
        text.truncate()
