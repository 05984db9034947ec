"""Output of shortest paths: report rows, JSON fields, and distances as CSV and NPY files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.io.number_tables import write_array
from antidiag.kernels.method import FileFormat, LabelledRows
from antidiag.kernels.model import Result
from antidiag.kernels.text import format_count

LISTED = 200
"""Most vertices of a graph whose JSON lists all distances."""

ROWS = 256
"""Rows that are examined or written at a time."""


def summarise_answer(result: Result) -> str:
    """Return the answer in a few words: 'a to e: 7', '1,200 vertices' or 'negative cycle'."""
    problem, found = result.problem, result.answer
    if found.cycle:
        return "negative cycle"
    if not problem.start:
        return format_count(problem.n, "vertex", "vertices")
    distance = found.distance(problem, *problem.ends)
    return f"{problem.start} to {problem.end}: {format_weight(distance) if np.isfinite(distance) else 'no path'}"


def report_rows(result: Result) -> LabelledRows:
    """Return the rows of the report."""
    problem, found = result.problem, result.answer
    if found.cycle:
        return [
            ("Negative cycle", _join_vertices(problem, (*found.cycle, found.cycle[0]))),
            ("Its weight", format_weight(_cycle_weight(result))),
        ]
    reached, farthest = _count_reached(result)
    table = [
        ("Pairs with a path", f"{reached:,} of {problem.n * (problem.n - 1):,}"),
        ("Largest distance", format_weight(farthest)),
    ]
    if problem.start:
        table += [("Distance", summarise_answer(result)), ("Path", _describe_path(result))]
    return table


def _describe_path(result: Result) -> str:
    problem = result.problem
    path = result.answer.path(problem, *problem.ends)
    return _join_vertices(problem, path) or f"no path from {problem.start} to {problem.end}"


def json_fields(result: Result) -> dict[str, Any]:
    """Return the fields of the JSON: infinite distances are null, vertices are given by name."""
    problem, found = result.problem, result.answer
    graph = problem.graph
    fields: dict[str, Any] = {"graph": graph.name, "vertices": len(graph), "edges": graph.edges}
    if found.cycle:
        names = [graph.names[vertex] for vertex in found.cycle]
        return {**fields, "negative_cycle": names, "negative_cycle_weight": _cycle_weight(result)}
    reached, farthest = _count_reached(result)
    fields |= {"pairs_with_a_path": reached, "largest_distance": farthest, "numbers": problem.precision}
    if problem.start:
        distance = found.distance(problem, *problem.ends)
        fields["distance"] = distance if np.isfinite(distance) else None
        fields["path"] = [graph.names[vertex] for vertex in found.path(problem, *problem.ends)]
    if len(graph) <= LISTED:
        values = found.as_floats(problem).tolist()
        fields["names"] = list(graph.names)
        fields["distances"] = [[value if np.isfinite(value) else None for value in row] for row in values]
        if found.predecessors is not None:
            fields["predecessors"] = found.predecessors.tolist()
    return fields


def format_weight(value: float) -> str:
    """Format a finite weight with at most six significant digits."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def setting_rows(problem: PathsProblem) -> LabelledRows:
    """Return the settings as rows of the report."""
    return [("Numbers", problem.precision), ("Graph", problem.graph.summary)]


def option_values(problem: PathsProblem) -> Mapping[str, Any]:
    """Return the options that make this problem."""
    return {
        "numbers": problem.precision,
        "predecessors": problem.predecessors,
        "start": problem.start,
        "end": problem.end,
    }


def _count_reached(result: Result) -> tuple[int, float]:
    """Return the number of ordered pairs of different vertices with a path, and the largest distance."""
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


def _join_vertices(problem: PathsProblem, vertices: tuple[int, ...]) -> str:
    shown = vertices if len(vertices) <= 20 else (*vertices[:10], -1, *vertices[-9:])
    return " -> ".join(problem.graph.names[vertex] if vertex >= 0 else "..." for vertex in shown)


def _distances_to_save(result: Result) -> np.ndarray:
    if result.answer.cycle:
        raise InputError(
            f"{result.problem.title}: there are no distances to save, because of a negative cycle; save it as .json"
        )
    return result.answer.as_floats(result.problem)


def _write_csv(result: Result) -> Iterator[str]:
    """Yield the lines of a CSV file with names in the first row and column; inf where there is no path."""
    distances, names = _distances_to_save(result), result.problem.graph.names
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["", *names])
    for name, row in zip(names, distances, strict=True):
        values = row.tolist()
        writer.writerow([name, *(int(value) if value.is_integer() else value for value in values)])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _write_npy(path: Path, result: Result) -> None:
    write_array(path, _distances_to_save(result))


FORMATS = (
    FileFormat(".csv", "Distances as CSV", "distances", iterate_lines=_write_csv),
    FileFormat(".npy", "Distances as a NumPy array", "distances", write_file=_write_npy),
)
