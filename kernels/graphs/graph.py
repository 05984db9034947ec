"""A weighted directed graph, stored as the matrix of its weights (Hanif 2014, equation 6.5)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError
from antidiag.kernels.memory import Footprint, explain_refusal, host_bytes_free, raise_if_refused
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count

MAX_VERTICES = 50_000
"""Most vertices of a graph: the distances between all pairs are n x n numbers."""

ROWS, CELLS = 256, 1 << 16
"""Most rows, and most weights, that are examined at a time: they fit the cache of a core."""

DIGITS = (24, 53)
"""Binary digits of a number of 32 and of 64 bits."""

LEAST_EXPONENT = -1074
"""The smallest number of 64 bits is 2 to this power."""


@dataclass(frozen=True, slots=True)
class WeightSurvey:
    """Properties of weights: how many are finite, the least (at most 0), the largest size, and whether all are
    whole."""

    finite: int
    lightest: float
    heaviest: float
    whole: bool

    @classmethod
    def survey_weights(cls, weights: np.ndarray) -> WeightSurvey:
        """Survey an array of weights."""
        finite = np.isfinite(weights)
        numbers = np.where(finite, weights, 0.0)
        lightest, most = float(numbers.min(initial=0.0)), float(numbers.max(initial=0.0))
        whole = bool((numbers == np.rint(numbers)).all())
        return cls(int(np.count_nonzero(finite)), lightest, max(most, -lightest), whole)


@stored("graph")
@dataclass(frozen=True, eq=False)
class Graph:
    """``weights[u, v]`` is the weight of the edge from u to v, infinite where there is none; float64, read-only.

    The diagonal is 0, or the weight of a loop where that is negative. An undirected edge is two directed ones.
    Create one by `from_edges` or `from_weights`; ``source`` is the file, ``note`` says what reading changed.
    """

    names: tuple[str, ...]
    weights: np.ndarray = field(repr=False)
    name: str = "graph"
    source: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self.names == other.names and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((self.names[:16], self.weights[:1].tobytes()))

    @property
    def edges(self) -> int:
        """The number of directed edges without loops."""
        return self.weight_survey.finite - len(self)

    @property
    def least_weight(self) -> float:
        """The least weight, or 0 where no edge is negative."""
        return self.weight_survey.lightest

    @property
    def largest_size(self) -> float:
        """The largest size of a weight, or 0 where there is no edge."""
        return self.weight_survey.heaviest

    @property
    def is_whole(self) -> bool:
        """Whether every weight is a whole number."""
        return self.weight_survey.whole

    @cached_property
    def weight_survey(self) -> WeightSurvey:
        """The properties of all weights, found in one pass by all cores."""
        found = workers.map_on_threads(WeightSurvey.survey_weights, list(self.row_slices()))
        return WeightSurvey(
            sum(part.finite for part in found),
            min(part.lightest for part in found),
            max(part.heaviest for part in found),
            all(part.whole for part in found),
        )

    def row_slices(self) -> Iterator[np.ndarray]:
        """Return the weights, a few rows at a time."""
        rows = max(1, min(ROWS, CELLS // len(self)))
        return (self.weights[first : first + rows] for first in range(0, len(self), rows))

    @cached_property
    def exact_digits(self) -> float:
        """The binary digits that hold every sum of up to n weights exactly: those of float32, of float64, or
        infinity."""
        return next((digits for digits in DIGITS if self._sums_are_exact(digits)), math.inf)

    def _sums_are_exact(self, digits: int) -> bool:
        if not math.isfinite(len(self) * self.largest_size):
            return False
        _, exponent = math.frexp(len(self) * self.largest_size)
        place = math.ldexp(1.0, max(exponent - digits, LEAST_EXPONENT))
        parts = list(self.row_slices())
        return not any(workers.map_on_threads(lambda rows: bool(np.fmod(rows[np.isfinite(rows)], place).any()), parts))

    @property
    def summary(self) -> str:
        """The size in a few words."""
        return f"{format_count(len(self), 'vertex', 'vertices')}, {format_count(self.edges, 'edge')}"

    def find_vertex(self, name: str) -> int:
        """Return the number of a vertex by its name; raise InputError where it does not exist."""
        try:
            return self.names.index(name)
        except ValueError:
            some = ", ".join(self.names[:5]) + (", ..." if len(self) > 5 else "")
            raise InputError(f"{self.name}: no vertex is called {name!r}; choose one of {some}") from None


def from_weights(
    weights: np.ndarray, names: Iterable[str] = (), name: str = "graph", source: str = "", note: str = ""
) -> Graph:
    """Return a graph of a square matrix of weights; an infinite weight is no edge.

    Parameters
    ----------
    weights : np.ndarray
        Shape (n, n); float64 is not copied, and becomes read-only.
    names : iterable of str
        A name per vertex; without them vertices are numbered from 1.

    Raises
    ------
    InputError
        Where the matrix is not square, a weight is NaN or minus infinity, or names are missing or repeated.
    """
    place = source or name
    weights = np.ascontiguousarray(weights, np.float64)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise InputError(f"{place}: the weights of a graph need a square matrix; this one has shape {weights.shape}")
    n = len(weights)
    if n == 0:
        raise InputError(f"{place}: the graph has no vertices; give at least one edge")
    heights = range(0, n, ROWS)
    fine = workers.map_on_threads(lambda first: bool((weights[first : first + ROWS] > -np.inf).all()), heights)
    labels = tuple(names) or tuple(str(number) for number in range(1, n + 1))
    if len(labels) != n:
        raise InputError(f"{place}: {len(labels):,} names for {n:,} vertices; give each vertex one name")
    if len(set(labels)) != n:
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(f"{place}: two vertices are called {twice!r}; give each vertex its own name")
    if not all(fine):
        first = heights[fine.index(False)]
        u, v = np.argwhere(~(weights[first : first + ROWS] > -np.inf))[0] + (first, 0)
        raise InputError(
            f"{place}: the edge {labels[u]} -> {labels[v]} weighs {weights[u, v]}; give it a finite weight"
        )
    diagonal = np.einsum("ii->i", weights)
    np.minimum(diagonal, 0, out=diagonal)
    weights.setflags(write=False)
    return Graph(labels, weights, name, source, note)


def from_edges(
    n: int,
    sources: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
    names: Iterable[str] = (),
    name: str = "graph",
    source: str = "",
    note: str = "",
) -> Graph:
    """Return a graph of directed edges between vertices 0 to n - 1; of parallel edges the lightest is kept."""
    if n > MAX_VERTICES:
        raise InputError(f"{source or name}: {n:,} vertices; distances between all pairs need at most {MAX_VERTICES:,}")
    raise_if_refused(
        _refuse_size(n), f"{source or name} cannot be opened on this computer; choose a graph of fewer vertices."
    )
    matrix = np.full((n, n), np.inf)
    np.minimum.at(matrix, (sources, targets), weights)
    return from_weights(matrix, names, name, source, note)


def _refuse_size(n: int) -> str | None:
    """Return why weights, checks and distances of n vertices do not fit the memory; None where they do."""
    needed = {"weights": 8 * n * n, "checks": 2 * n * n, "distances": 8 * n * n}
    return explain_refusal(Footprint(host=needed), host_bytes_free(), None)


def random_graph(n: int, random: np.random.Generator) -> Graph:
    """Return a random graph of n vertices with a quarter of all edges, of whole weights from 1 to 1,000."""
    weights = random.integers(1, 1001, (n, n)).astype(float)
    weights[random.random((n, n)) < 0.75] = np.inf
    return from_weights(weights, name=f"random graph of {n:,}")


def random_bipartite(n: int, random: np.random.Generator) -> Graph:
    """Return a random bipartite graph of n vertices with all edges, of whole weights from 1 to 1,000."""
    side = np.arange(n) < n // 2
    weights = random.integers(1, 1001, (n, n)).astype(float)
    weights[side[:, None] == side] = np.inf
    np.fill_diagonal(weights, 0)
    return from_weights(weights, name=f"random bipartite graph of {n:,}")


def find_sides(graph: Graph) -> np.ndarray:
    """Return the side of every vertex, bool; False is the smaller side, whose matrix is squared.

    Each component is coloured from its first vertex. Raises InputError with an odd cycle where the graph is not
    bipartite.
    """
    joined = np.isfinite(graph.weights)
    joined |= joined.T
    looped = np.flatnonzero(np.einsum("ii->i", graph.weights) < 0)
    if looped.size:
        raise _odd_cycle_error(graph, [int(looped[0])])
    np.fill_diagonal(joined, False)
    side, parent = np.full(len(graph), -1), np.full(len(graph), -1)
    for start in range(len(graph)):
        if side[start] < 0:
            _colour_component(graph, joined, start, side, parent)
    first = side == 0
    return side == 1 if first.sum() <= (~first).sum() else first


def _colour_component(graph: Graph, joined: np.ndarray, start: int, side: np.ndarray, parent: np.ndarray) -> None:
    """Colour a component breadth first."""
    side[start], waiting = 0, [start]
    for u in waiting:
        near = np.flatnonzero(joined[u])
        same = near[side[near] == side[u]]
        if same.size:
            raise _odd_cycle_error(graph, _close_cycle(u, int(same[0]), parent))
        new = near[side[near] < 0]
        side[new], parent[new] = 1 - side[u], u
        waiting.extend(new.tolist())


def _close_cycle(u: int, v: int, parent: np.ndarray) -> list[int]:
    """Return the cycle that the edge u - v closes in a tree."""
    paths = []
    for vertex in (u, v):
        path = [vertex]
        while parent[path[-1]] >= 0:
            path.append(int(parent[path[-1]]))
        paths.append(path)
    while len(paths[0]) > 1 and len(paths[1]) > 1 and paths[0][-2] == paths[1][-2]:
        paths[0].pop()
        paths[1].pop()
    return paths[0] + paths[1][-2::-1]


def _odd_cycle_error(graph: Graph, cycle: list[int]) -> InputError:
    at = cycle.index(min(cycle))
    cycle = cycle[at:] + cycle[:at]
    if cycle[-1] < cycle[len(cycle) > 1]:
        cycle[1:] = cycle[:0:-1]
    shown = cycle if len(cycle) <= 9 else [*cycle[:8], cycle[-1]]
    words = [graph.names[vertex] for vertex in (*shown, cycle[0])]
    if len(shown) < len(cycle):
        words.insert(8, "...")
    return InputError(
        f"{graph.source or graph.name}: the graph is not bipartite: {' - '.join(words)} is a cycle of "
        f"{format_count(len(cycle), 'edge')}, an odd number. Choose floyd-blocked, which takes any graph"
    )
