"""Shortest paths between all pairs of vertices: the problem and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.graphs.graph import Graph, find_sides
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.semiring import FINITE_LIMIT, MIN_PLUS
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count

PRECISIONS = ("int32", "float32", "float64")
DIGITS = {"int32": 53, "float32": 24, "float64": 53}
"""Binary digits of a type; weights for int32 were checked when the problem was built."""
TOLERANCE = {"int32": 0.0, "float32": 1e-5, "float64": 1e-12}
"""How much two equal paths may differ by rounding, relative to the largest distance."""

OPTIONS = (
    Parameter(
        name="numbers",
        kind="choice",
        label="Numbers",
        help="Type of the distances. int32 is exact for whole weights; float64 is more exact and slower than float32.",
        default=None,
        choices=PRECISIONS,
    ),
    Parameter(
        name="predecessors",
        kind="bool",
        label="Predecessors",
        help="Compute the predecessor matrix: the last vertex before the end of each shortest path. Showing a single "
        "path does not need it.",
        default=False,
    ),
    Parameter(
        name="start",
        kind="text",
        label="Path from",
        help="First vertex of the path to show.",
        default="",
    ),
    Parameter(
        name="end",
        kind="text",
        label="Path to",
        help="Last vertex of the path to show.",
        default="",
    ),
)


@stored("paths-problem")
@dataclass(frozen=True)
class PathsProblem:
    """A graph, the type of its distances, and whether predecessors are wanted.

    ``start`` and ``end`` name the vertices of one path to show, or are empty.
    """

    graph: Graph
    precision: str = "float64"
    predecessors: bool = False
    start: str = ""
    end: str = ""

    @property
    def data(self) -> tuple[Graph]:
        """The graph, as the only input."""
        return (self.graph,)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.graph)

    @property
    def ends(self) -> tuple[int, int]:
        """The start and the end of the path to show; InputError where a name is no vertex."""
        return self.graph.find_vertex(self.start), self.graph.find_vertex(self.end)

    @property
    def cells(self) -> int:
        """Number of sums that the definition computes."""
        return self.n**3

    @property
    def title(self) -> str:
        """Name of the graph."""
        return self.graph.name

    @property
    def size(self) -> str:
        """Size of the graph in words."""
        return f"{self.graph.summary}, {self.precision}"

    @property
    def dtype(self) -> np.dtype:
        """Type of the distances."""
        return np.dtype(self.precision)

    @property
    def limit(self) -> int | float:
        """Distances of at least this size are infinite."""
        return FINITE_LIMIT if self.precision == "int32" else np.inf

    @cached_property
    def matrix(self) -> np.ndarray:
        """The weights in the problem's type, shape (n, n), the semiring's zero where there is no edge."""
        weights = self.graph.weights
        if self.precision == "float64":
            return weights
        if self.precision == "float32":
            return weights.astype(np.float32)
        matrix = np.full(weights.shape, MIN_PLUS.zero_element(np.int32), np.int32)
        np.copyto(matrix, weights, casting="unsafe", where=np.isfinite(weights))
        return matrix

    @cached_property
    def needs_lifting(self) -> bool:
        """Whether a run needs weights without negative edges (`potentials`): there are such edges, and sums are
        rounded."""
        return self.graph.least_weight < 0 and self.graph.exact_digits > DIGITS[self.precision]

    @cached_property
    def sides(self) -> np.ndarray:
        """The side of every vertex, bool; InputError where the graph is not bipartite."""
        return find_sides(self.graph)


@stored("paths-answer")
@dataclass(frozen=True, eq=False)
class PathsAnswer:
    """Distances (n x n, in the problem's type), and predecessors (int32, -1 for none) if they were asked for.

    ``cycle`` has the vertices of a negative cycle; with one, there are no distances.
    """

    distances: np.ndarray | None
    predecessors: np.ndarray | None = None
    cycle: tuple[int, ...] = field(default=())

    def distance(self, problem: PathsProblem, start: int, end: int) -> float:
        """Return the distance between two vertices; infinite where there is no path."""
        assert self.distances is not None, "a graph with a negative cycle has no distances"
        value = self.distances[start, end]
        return float(value) if value < problem.limit else np.inf

    def path(self, problem: PathsProblem, start: int, end: int) -> tuple[int, ...]:
        """Return the vertices of the shortest path with both ends; empty where there is no path.

        This takes O(n^2) steps without predecessors, and one step per edge with them.
        """
        if self.distance(problem, start, end) == np.inf:
            return ()
        from antidiag.kernels.graphs.predecessors import (  # compiled code, which declarations do not need
            predecessors_from,
            trace_path,
        )

        assert self.distances is not None
        row = (
            predecessors_from(start, self.distances, problem.matrix, problem.limit)
            if self.predecessors is None
            else self.predecessors[start]
        )
        return trace_path(end, row)

    def as_floats(self, problem: PathsProblem) -> np.ndarray:
        """Return the distances with NumPy's infinity, float32 or float64."""
        assert self.distances is not None, "a graph with a negative cycle has no distances"
        if problem.precision != "int32":
            return self.distances
        return np.where(self.distances < problem.limit, self.distances, np.inf)

    def check(self, problem: PathsProblem) -> None:
        """Raise AssertionError where an edge shortens a distance, a path has another weight, or a cycle is not
        negative."""
        from antidiag.kernels.graphs.predecessors import all_chains_end, rounding_tolerance

        weights = problem.graph.weights
        assert all(type(vertex) is int and 0 <= vertex < problem.n for vertex in self.cycle), "a vertex is not there"
        if self.cycle:
            steps = [*self.cycle, self.cycle[0]]
            total = sum(weights[u, v] for u, v in pairwise(steps))
            assert total < 0, f"the cycle {self.cycle} weighs {total}"
            return
        assert self.distances is not None and self.distances.shape == (problem.n, problem.n), "distances are missing"
        assert self.distances.dtype == problem.dtype, f"distances of {self.distances.dtype}"
        before = self.predecessors
        if before is not None:
            assert before.shape == (problem.n, problem.n) and before.dtype == np.int32, "predecessors are missing"
            assert before.min() >= -1 and before.max() < problem.n, "a predecessor is not there"
            assert all_chains_end(before), "predecessors run in a circle"
        found = self.as_floats(problem)
        tolerance = float(rounding_tolerance(found, np.inf)) * problem.n
        random = np.random.default_rng(0)
        for vertex in random.choice(problem.n, min(problem.n, 16), replace=False):
            through = found[:, vertex, None] + weights[vertex]
            assert (found <= through + tolerance).all(), f"an edge of vertex {vertex} shortens a distance"
        for start, target in random.integers(0, problem.n, (16, 2)).tolist():
            path = self.path(problem, start, target)
            total = sum(weights[u, v] for u, v in pairwise(path)) if path else np.inf
            distance = self.distance(problem, start, target)
            close = total == distance or abs(total - distance) <= tolerance
            assert close, f"the path {start} -> {target} weighs {total}, not {distance}"


def build_problem(data: Sequence[Any], options: Mapping[str, Any]) -> PathsProblem:
    """Return the problem of one graph; raise ParameterError where the weights do not fit the chosen type."""
    (graph,) = data
    values = resolve_values(OPTIONS, {**options}, default_options(data))
    if values["numbers"] == "int32" and not fits_int32(graph):
        raise ParameterError(
            f"numbers must be float64 for {graph.name}: its weights have fractions, or are too large for int32"
        )
    _refuse_overflow(graph, values["numbers"])
    for name in ("start", "end"):
        if values[name]:
            graph.find_vertex(values[name])
    if bool(values["start"]) != bool(values["end"]):
        raise ParameterError("give both --start and --end, or neither")
    return PathsProblem(graph, values["numbers"], values["predecessors"], values["start"], values["end"])


def _refuse_overflow(graph: Graph, precision: str) -> None:
    """Refuse weights of which a path could overflow: its distance would look infinite."""
    if precision == "int32" or len(graph) * graph.largest_size < float(np.finfo(precision).max):
        return
    remedy = "choose float64, or divide all weights" if precision == "float32" else "divide all weights"
    raise ParameterError(
        f"a path of {format_count(len(graph), 'vertex', 'vertices')} may overflow {precision}: the heaviest edge of "
        f"{graph.name} weighs {graph.largest_size:g}; {remedy}"
    )


def build_bipartite(data: Sequence[Any], options: Mapping[str, Any]) -> PathsProblem:
    """Return the problem of a bipartite graph; raise InputError with an odd cycle where it is not bipartite."""
    problem = build_problem(data, options)
    problem.sides  # noqa: B018 - a graph that is not bipartite is an error now, not in the middle of a run
    return problem


def default_options(data: Sequence[Any]) -> Mapping[str, Any]:
    """Return the default options: int32 where all weights are whole and no path overflows, else float64."""
    return {"numbers": "int32" if data and fits_int32(data[0]) else "float64"}


def fits_int32(graph: Graph) -> bool:
    """Return whether every path weighs a whole number below 2**29 in size."""
    return graph.is_whole and len(graph) * graph.largest_size < FINITE_LIMIT
