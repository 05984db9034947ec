"""Graph: a weighted directed graph, kept as the matrix of its weights (003, equation 6.5)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import InputError
from antidiag.kernels.memory import Footprint, host_bytes_free, refusal, refuse
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import counted

LARGEST = 50_000
"""Vertices that a graph may have: distances between all pairs are n x n numbers."""

ROWS, CELLS = 256, 1 << 16
"""Most rows of weights, and most weights, that are looked at together: they fit the cache of a core."""

DIGITS = (24, 53)
"""Binary digits of a number of 32 and of 64 bits."""

LEAST_EXPONENT = -1074
"""The smallest number of 64 bits is 2 to this power."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Of weights, how many are finite; of these the least (at most 0), the largest size, and whether all are whole."""

    finite: int
    lightest: float
    heaviest: float
    whole: bool

    @classmethod
    def of(cls, weights: np.ndarray) -> Survey:
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
    Make one with `from_edges` or `from_weights`; ``source`` is the file, ``note`` tells what reading changed.
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
        """How many directed edges there are, loops apart."""
        return self.survey.finite - len(self)

    @property
    def lightest(self) -> float:
        """The least weight; 0 where no edge is negative."""
        return self.survey.lightest

    @property
    def heaviest(self) -> float:
        """The largest size of a weight; 0 where there is no edge."""
        return self.survey.heaviest

    @property
    def whole(self) -> bool:
        """Whether every weight is a whole number."""
        return self.survey.whole

    @cached_property
    def survey(self) -> Survey:
        """What all weights have in common, in one go over them, by all cores."""
        found = workers.each(Survey.of, list(self.slices()))
        return Survey(
            sum(part.finite for part in found), min(part.lightest for part in found),
            max(part.heaviest for part in found), all(part.whole for part in found),
        )  # fmt: skip

    def slices(self) -> Iterator[np.ndarray]:
        """The weights, a few rows at a time."""
        rows = max(1, min(ROWS, CELLS // len(self)))
        return (self.weights[first : first + rows] for first in range(0, len(self), rows))

    @cached_property
    def digits(self) -> float:
        """Binary digits in which no sum of up to n weights is rounded: those of float32 or float64, else infinite."""
        return next((digits for digits in DIGITS if self._sums_are_exact(digits)), math.inf)

    def _sums_are_exact(self, digits: int) -> bool:
        if not math.isfinite(len(self) * self.heaviest):
            return False
        _, exponent = math.frexp(len(self) * self.heaviest)
        place = math.ldexp(1.0, max(exponent - digits, LEAST_EXPONENT))
        parts = list(self.slices())
        return not any(workers.each(lambda rows: bool(np.fmod(rows[np.isfinite(rows)], place).any()), parts))

    @property
    def summary(self) -> str:
        """The size in a few words."""
        return f"{counted(len(self), 'vertex', 'vertices')}, {counted(self.edges, 'edge')}"

    def vertex(self, name: str) -> int:
        """The vertex of this name; InputError where there is none."""
        try:
            return self.names.index(name)
        except ValueError:
            some = ", ".join(self.names[:5]) + (", ..." if len(self) > 5 else "")
            raise InputError(f"{self.name}: no vertex is called {name!r}; there are {some}") from None


def from_weights(
    weights: np.ndarray, names: Iterable[str] = (), name: str = "graph", source: str = "", note: str = ""
) -> Graph:
    """A graph of a square matrix of weights; infinite is no edge; vertices without names are numbered from 1.

    Takes ``weights`` over and makes it read-only. Raises InputError for a matrix that is not square, weights that
    are not numbers or infinitely negative, names that are missing or given twice.
    """
    place = source or name
    weights = np.ascontiguousarray(weights, np.float64)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise InputError(f"{place}: the weights of a graph are a square matrix, and these have shape {weights.shape}")
    n = len(weights)
    if n == 0:
        raise InputError(f"{place}: the graph has no vertices; give one edge at least")
    heights = range(0, n, ROWS)
    fine = workers.each(lambda first: bool((weights[first : first + ROWS] > -np.inf).all()), heights)
    labels = tuple(names) or tuple(str(number) for number in range(1, n + 1))
    if len(labels) != n:
        raise InputError(f"{place}: {len(labels):,} names for {n:,} vertices; give one name for each")
    if len(set(labels)) != n:
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(f"{place}: two vertices are called {twice!r}; give every vertex its own name")
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
    n: int, sources: np.ndarray, targets: np.ndarray, weights: np.ndarray, names: Iterable[str] = (),
    name: str = "graph", source: str = "", note: str = "",
) -> Graph:  # fmt: skip
    """A graph of directed edges between vertices 0 .. n - 1; of parallel edges the lightest stays."""
    if n > LARGEST:
        raise InputError(
            f"{source or name}: {n:,} vertices; distances between all pairs are kept for {LARGEST:,} at most"
        )
    refuse(_too_large(n), f"{source or name} cannot be opened here; give a graph of fewer vertices.")
    matrix = np.full((n, n), np.inf)
    np.minimum.at(matrix, (sources, targets), weights)
    return from_weights(matrix, names, name, source, note)


def _too_large(n: int) -> str | None:
    """Why the weights of n vertices, checks of them, and the distances of any run do not fit; None where they do."""
    needed = {"weights": 8 * n * n, "checks": 2 * n * n, "distances": 8 * n * n}
    return refusal(Footprint(host=needed), host_bytes_free(), None)


def random_graph(n: int, random: np.random.Generator) -> Graph:
    """A random graph of n vertices with whole weights from 1 to 1,000; every fourth edge is there."""
    weights = random.integers(1, 1001, (n, n)).astype(float)
    weights[random.random((n, n)) < 0.75] = np.inf
    return from_weights(weights, name=f"random graph of {n:,}")


def random_bipartite(n: int, random: np.random.Generator) -> Graph:
    """A random graph of n vertices on two sides, with whole weights from 1 to 1,000 from each vertex to all others."""
    side = np.arange(n) < n // 2
    weights = random.integers(1, 1001, (n, n)).astype(float)
    weights[side[:, None] == side] = np.inf
    np.fill_diagonal(weights, 0)
    return from_weights(weights, name=f"random bipartite graph of {n:,}")


def bipartition(graph: Graph) -> np.ndarray:
    """The side of every vertex, bool; the smaller side is False, so that its matrix is the small one.

    A part of the graph that hangs together is coloured from its first vertex. Raises InputError that names an odd
    cycle where the graph is not bipartite.
    """
    joined = np.isfinite(graph.weights)
    joined |= joined.T
    looped = np.flatnonzero(np.einsum("ii->i", graph.weights) < 0)
    if looped.size:
        raise _odd(graph, [int(looped[0])])
    np.fill_diagonal(joined, False)
    side, parent = np.full(len(graph), -1), np.full(len(graph), -1)
    for start in range(len(graph)):
        if side[start] < 0:
            _colour(graph, joined, start, side, parent)
    first = side == 0
    return side == 1 if first.sum() <= (~first).sum() else first


def _colour(graph: Graph, joined: np.ndarray, start: int, side: np.ndarray, parent: np.ndarray) -> None:
    """Give a connected part its sides, breadth first."""
    side[start], waiting = 0, [start]
    for u in waiting:
        near = np.flatnonzero(joined[u])
        same = near[side[near] == side[u]]
        if same.size:
            raise _odd(graph, _cycle(u, int(same[0]), parent))
        new = near[side[near] < 0]
        side[new], parent[new] = 1 - side[u], u
        waiting.extend(new.tolist())


def _cycle(u: int, v: int, parent: np.ndarray) -> list[int]:
    """The cycle that the edge u - v closes in a tree."""
    ways = []
    for vertex in (u, v):
        way = [vertex]
        while parent[way[-1]] >= 0:
            way.append(int(parent[way[-1]]))
        ways.append(way)
    while len(ways[0]) > 1 and len(ways[1]) > 1 and ways[0][-2] == ways[1][-2]:
        ways[0].pop()
        ways[1].pop()
    return ways[0] + ways[1][-2::-1]


def _odd(graph: Graph, cycle: list[int]) -> InputError:
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
        f"{counted(len(cycle), 'edge')}, an odd number. Choose floyd-blocked, which takes any graph"
    )
