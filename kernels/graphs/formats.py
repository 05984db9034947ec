"""Shortest paths told: for people, as JSON, and distances as CSV and NPY files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.method import FileFormat, Rows
from antidiag.kernels.model import Result
from antidiag.kernels.text import counted

LISTED = 200
"""The JSON of a graph of so many vertices at most lists all distances."""

ROWS = 256


def answer(result: Result) -> str:
    """What was asked for: the length of the one path ('a to e: 7'), else '1,200 vertices'; or a negative cycle."""
    problem, found = result.problem, result.answer
    if found.cycle:
        return "negative cycle"
    if not problem.start:
        return counted(problem.n, "vertex", "vertices")
    distance = found.distance(problem, *problem.ends)
    return f"{problem.start} to {problem.end}: {number(distance) if np.isfinite(distance) else 'no path'}"


def rows(result: Result) -> Rows:
    """The answer for people."""
    problem, found = result.problem, result.answer
    if found.cycle:
        return [("Negative cycle", _words(problem, (*found.cycle, found.cycle[0]))),
                ("Its weight", number(_cycle_weight(result)))]  # fmt: skip
    reached, farthest = _reached(result)
    told = [
        ("Pairs with a path", f"{reached:,} of {problem.n * (problem.n - 1):,}"),
        ("Largest distance", number(farthest)),
    ]
    if problem.start:
        told += [("Distance", answer(result)), ("Path", _path(result))]
    return told


def _path(result: Result) -> str:
    problem = result.problem
    way = result.answer.path(problem, *problem.ends)
    return _words(problem, way) or f"none: no edges lead from {problem.start} to {problem.end}"


def data(result: Result) -> dict[str, Any]:
    """The fields of the JSON: infinite distances are null, vertices are named."""
    problem, found = result.problem, result.answer
    graph = problem.graph
    fields: dict[str, Any] = {"graph": graph.name, "vertices": len(graph), "edges": graph.edges}
    if found.cycle:
        names = [graph.names[vertex] for vertex in found.cycle]
        return {**fields, "negative_cycle": names, "negative_cycle_weight": _cycle_weight(result)}
    reached, farthest = _reached(result)
    fields |= {"pairs_with_a_path": reached, "largest_distance": farthest, "numbers": problem.precision}
    if problem.start:
        distance = found.distance(problem, *problem.ends)
        fields["distance"] = distance if np.isfinite(distance) else None
        fields["path"] = [graph.names[vertex] for vertex in found.path(problem, *problem.ends)]
    if len(graph) <= LISTED:
        values = found.floats(problem).tolist()
        fields["names"] = list(graph.names)
        fields["distances"] = [[value if np.isfinite(value) else None for value in row] for row in values]
        if found.predecessors is not None:
            fields["predecessors"] = found.predecessors.tolist()
    return fields


def number(value: float) -> str:
    """A finite weight without digits that say nothing."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def settings(problem: PathsProblem) -> Rows:
    return [("Numbers", problem.precision), ("Graph", problem.graph.summary)]


def option_values(problem: PathsProblem) -> Mapping[str, Any]:
    return {
        "numbers": problem.precision,
        "predecessors": problem.predecessors,
        "start": problem.start,
        "end": problem.end,
    }


def _reached(result: Result) -> tuple[int, float]:
    """Ordered pairs of different vertices with a path, and the largest distance of one; a few rows at a time."""
    problem, distances = result.problem, result.answer.distances
    reached, farthest = -problem.n, 0.0
    for at in range(0, problem.n, ROWS):
        some = distances[at : at + ROWS]
        finite = some[some < problem.limit]
        reached += finite.size
        farthest = max(farthest, float(finite.max(initial=0)))
    return reached, farthest


def _cycle_weight(result: Result) -> float:
    cycle = result.answer.cycle
    return float(sum(result.problem.graph.weights[u, v] for u, v in zip(cycle, (*cycle[1:], cycle[0]), strict=True)))


def _words(problem: PathsProblem, vertices: tuple[int, ...]) -> str:
    shown = vertices if len(vertices) <= 20 else (*vertices[:10], -1, *vertices[-9:])
    return " -> ".join(problem.graph.names[vertex] if vertex >= 0 else "..." for vertex in shown)


def _distances(result: Result) -> np.ndarray:
    if result.answer.cycle:
        raise InputError(f"{result.problem.title}: a negative cycle leaves no distances to save; save it as .json")
    return result.answer.floats(result.problem)


def _csv(result: Result) -> Iterator[str]:
    """A row a vertex, names above and at the left, inf where no path leads."""
    distances, names = _distances(result), result.problem.graph.names
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["", *names])
    for name, row in zip(names, distances, strict=True):
        values = row.tolist()
        writer.writerow([name, *(int(value) if value.is_integer() else value for value in values)])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _npy(path: Path, result: Result) -> None:
    distances = np.ascontiguousarray(_distances(result))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(distances))
    pieces = (distances[at : at + ROWS].tobytes() for at in range(0, len(distances), ROWS))
    write_bytes(path, (piece for part in ((header.getvalue(),), pieces) for piece in part))


FORMATS = (
    FileFormat(".csv", "Distances as CSV", "distances", lines=_csv),
    FileFormat(".npy", "Distances as a NumPy array", "distances", write=_npy),
)
