"""Shortest paths between all pairs of vertices: the problem, its answer, and how ways are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.graphs.digits import DIGITS
from antidiag.kernels.graphs.graph import Graph, bipartition
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.semiring import FINITE_LIMIT, MIN_PLUS
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import counted

PRECISIONS = ("int32", "float32", "float64")

OPTIONS = (
    Parameter("numbers", "choice", "Numbers",
              "The type of the distances. Whole numbers are exact; fractions are float64 unless speed matters more.",
              default=None, choices=PRECISIONS),
    Parameter("predecessors", "bool", "Predecessors",
              "Also find, for every pair, the vertex before the last on the shortest path. A single path can be asked "
              "for without them.", default=False),
    Parameter("start", "text", "Path from", "A vertex by name: the shortest path from it is shown; empty for none.",
              default=""),
    Parameter("end", "text", "Path to", "A vertex by name: the shortest path to it is shown; empty for none.",
              default=""),
)  # fmt: skip


@stored("paths-problem")
@dataclass(frozen=True)
class PathsProblem:
    """A graph, the type of its numbers, and what is asked besides the distances.

    ``start`` and ``end`` name the vertices of one path to show, or are empty.
    """

    graph: Graph
    precision: str = "float64"
    predecessors: bool = False
    start: str = ""
    end: str = ""

    @property
    def data(self) -> tuple[Graph]:
        return (self.graph,)

    @property
    def n(self) -> int:
        return len(self.graph)

    @property
    def ends(self) -> tuple[int, int]:
        """The vertices of the one path to show; InputError where none was asked for."""
        return self.graph.vertex(self.start), self.graph.vertex(self.end)

    @property
    def cells(self) -> int:
        return self.n**3

    @property
    def title(self) -> str:
        return self.graph.name

    @property
    def size(self) -> str:
        return f"{self.graph.summary}, {self.precision}"

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.precision)

    @property
    def limit(self) -> int | float:
        """Distances from here on are infinite."""
        return FINITE_LIMIT if self.precision == "int32" else np.inf

    @cached_property
    def matrix(self) -> np.ndarray:
        """The weights in the problem's type, shape (n, n), the semiring's zero where there is no edge."""
        weights = self.graph.weights
        if self.precision == "float64":
            return weights
        if self.precision == "float32":
            return weights.astype(np.float32)
        matrix = np.full(weights.shape, MIN_PLUS.zero(np.int32), np.int32)
        np.copyto(matrix, weights, casting="unsafe", where=np.isfinite(weights))
        return matrix

    @cached_property
    def lifts(self) -> bool:
        """Whether a run takes weights without negative edges (heights.py): there are such, and sums are rounded."""
        return self.graph.lightest < 0 and self.graph.digits > DIGITS[self.precision]

    @cached_property
    def sides(self) -> np.ndarray:
        """The side of every vertex, bool; InputError where the graph is not bipartite."""
        return bipartition(self.graph)


@stored("paths-answer")
@dataclass(frozen=True, eq=False)
class PathsAnswer:
    """Distances (n x n, in the problem's type) and predecessors (int32, -1 for none) where they were asked for.

    Where ``cycle`` has vertices, going round them again and again costs less and less: there are no distances.
    """

    distances: np.ndarray | None
    predecessors: np.ndarray | None = None
    cycle: tuple[int, ...] = field(default=())

    def distance(self, problem: PathsProblem, start: int, end: int) -> float:
        """The distance between two vertices; infinite where no path leads."""
        assert self.distances is not None, "a graph with a negative cycle has no distances"
        value = self.distances[start, end]
        return float(value) if value < problem.limit else np.inf

    def path(self, problem: PathsProblem, start: int, end: int) -> tuple[int, ...]:
        """The vertices of the shortest path, both ends included; empty where no path leads.

        Takes O(n^2) steps without predecessors, and as many steps as the path has edges with them.
        """
        if self.distance(problem, start, end) == np.inf:
            return ()
        from antidiag.kernels.graphs import ways  # compiled code: not for those who only declare

        assert self.distances is not None
        row = (
            ways.predecessors_from(start, self.distances, problem.matrix, problem.limit)
            if self.predecessors is None
            else self.predecessors[start]
        )
        return ways.way(end, row)

    def floats(self, problem: PathsProblem) -> np.ndarray:
        """The distances with NumPy's infinity; float32 where they are, else float64."""
        assert self.distances is not None, "a graph with a negative cycle has no distances"
        if problem.precision != "int32":
            return self.distances
        return np.where(self.distances < problem.limit, self.distances, np.inf)

    def check(self, problem: PathsProblem) -> None:
        """AssertionError where an edge shortens a distance, a path weighs another, or a cycle is not negative."""
        from antidiag.kernels.graphs import ways

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
            assert ways.end(before), "predecessors run in a circle"
        found = self.floats(problem)
        tolerance = float(ways.rounding(found, np.inf)) * problem.n
        random = np.random.default_rng(0)
        for vertex in random.choice(problem.n, min(problem.n, 16), replace=False):
            through = found[:, vertex, None] + weights[vertex]
            assert (found <= through + tolerance).all(), f"an edge of vertex {vertex} shortens a distance"
        for start, end in random.integers(0, problem.n, (16, 2)).tolist():
            path = self.path(problem, start, end)
            total = sum(weights[u, v] for u, v in pairwise(path)) if path else np.inf
            distance = self.distance(problem, start, end)
            close = total == distance or abs(total - distance) <= tolerance
            assert close, f"the path {start} -> {end} weighs {total}, not {distance}"


def build(data: Sequence[Any], options: Mapping[str, Any]) -> PathsProblem:
    """The problem of one graph; ParameterError where whole numbers were asked for and the weights have none."""
    (graph,) = data
    values = resolve(OPTIONS, {**options}, defaults(data))
    if values["numbers"] == "int32" and not whole(graph):
        raise ParameterError(
            f"numbers='int32': {graph.name} has weights with fractions, or too large ones; choose float64"
        )
    _refuse_overflow(graph, values["numbers"])
    for name in ("start", "end"):
        if values[name]:
            graph.vertex(values[name])
    if bool(values["start"]) != bool(values["end"]):
        raise ParameterError("a path has two ends: give both --start and --end, or neither")
    return PathsProblem(graph, values["numbers"], values["predecessors"], values["start"], values["end"])


def _refuse_overflow(graph: Graph, precision: str) -> None:
    """A path that weighs more than a number can be would pass for no path."""
    if precision == "int32" or len(graph) * graph.heaviest < float(np.finfo(precision).max):
        return
    remedy = "choose float64, or divide all weights" if precision == "float32" else "divide all weights"
    raise ParameterError(
        f"numbers={precision!r}: the heaviest edge of {graph.name} weighs {graph.heaviest:g}, and a path of "
        f"{counted(len(graph), 'vertex', 'vertices')} may weigh more than such a number can be; {remedy}"
    )


def build_bipartite(data: Sequence[Any], options: Mapping[str, Any]) -> PathsProblem:
    """As `build`; InputError that shows an odd cycle where the graph is not bipartite."""
    problem = build(data, options)
    problem.sides  # noqa: B018 - a graph that is not bipartite is an error now, not in the middle of a run
    return problem


def defaults(data: Sequence[Any]) -> Mapping[str, Any]:
    """Whole numbers where all weights are whole and no sum of them can leave 32 bits; else float64."""
    return {"numbers": "int32" if data and whole(data[0]) else "float64"}


def whole(graph: Graph) -> bool:
    """Whether every path weighs a whole number of less than 2**29 in size."""
    return graph.whole and len(graph) * graph.heaviest < FINITE_LIMIT
