"""Shortest paths in a bipartite graph step by step: one side is closed by squaring, four products give the rest."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import problem as problems
from antidiag.kernels.graphs import sizes
from antidiag.kernels.graphs.plays import THREADS, WEIGHTS, agrees, checked
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import table_text
from antidiag.kernels.plays.model import (
    GIVEN,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Step,
    Table,
    added,
    blank,
    names,
)
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import counted
from antidiag.kernels.trials import Choose

BETWEEN = Parameter(WEIGHTS.name, "text", WEIGHTS.label, f"{WEIGHTS.help} Every edge leads to the other side.",
                    default="0 - - 4 1; - 0 - 2 -; - - 0 3 5; 2 6 - 0 -; - 1 2 - 0")  # fmt: skip
THERE, BACK, CLOSED = range(3)


class _Blocks:
    """The blocks of the distances, a table each, in the order in which they are made."""

    def __init__(self, made: PathsProblem, threads: int) -> None:
        self.sides = [np.flatnonzero(made.sides == side) for side in (False, True)]
        self.vertices, self.threads = made.graph.names, threads
        self.tables: list[Table] = []
        self.cases: dict[Cell, tuple[Case, ...]] = {}
        self.steps: list[Step] = []
        weights = made.graph.weights
        for name, one, other in (("M1, there", 0, 1), ("M2, back", 1, 0)):
            values = weights[np.ix_(self.sides[one], self.sides[other])][:, :, None]
            given = np.full(values.shape, GIVEN, np.int32)
            self.tables.append(Table(name, values, given, np.full(values.shape, -1, np.int32), *self.lines(one, other)))

    def lines(self, one: int, other: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of rows and columns."""
        first, second = (tuple(self.vertices[at] for at in self.sides[side]) for side in (one, other))
        return first, second

    def product(self, name: str, factors: tuple[int, int], sides: tuple[int, int], text: str, itself: bool = False,
                keep: bool = False) -> int:  # fmt: skip
        """A table more, and the step that makes it; ``itself``: or nothing at all, from a vertex to itself; ``keep``:
        or what the factors have there, which are one table."""
        left, right = (self.tables[number] for number in factors)
        place, (m, depth, _), n = len(self.tables), left.shape, right.shape[1]
        values, at, who = blank((m, n, 1))
        at[:], who[:, :, 0] = len(self.steps), np.arange(m * n).reshape(m, n) % self.threads
        for i in range(m):
            for j in range(n):
                found = [] if not itself or i != j else [Case("no edge at all", "0", 0.0)]
                if keep:
                    found.append(Case(f"as before, {left.name}", added(left.values[i, j, 0]),
                                      float(left.values[i, j, 0]), ((factors[0], i, j, 0),)))  # fmt: skip
                for k in range(depth):
                    if keep and k in (i, j):  # a way through one of its own ends is that from before
                        continue
                    one, other = float(left.values[i, k, 0]), float(right.values[k, j, 0])
                    found.append(Case(f"{left.rows[i]} to {left.columns[k]} + {right.rows[k]} to {right.columns[j]}",
                                      added(one, other), one + other, ((factors[0], i, k, 0), (factors[1], k, j, 0)),
                                      f"through {left.columns[k]}"))  # fmt: skip
                self.cases[place, i, j, 0] = tuple(found)
                values[i, j, 0] = min(case.value for case in found)
        self.tables.append(Table(name, values, at, who, *self.lines(*sides),
                                 formula="P(i, j) = min over k of left(i, k) + right(k, j)"))  # fmt: skip
        self.steps.append(Step(f"{text}: {m} x {n} cells at once, each the least of {counted(depth, 'sum')}.", name))
        return place

    def explain(self, cell: Cell) -> Formula:
        table = self.tables[cell[0]]
        left = f"d({table.rows[cell[1]]}, {table.columns[cell[2]]})"
        return Formula(left, "min", self.cases[cell], float(table.values[cell[1:]]))


def play(made: PathsProblem, values: Mapping[str, Any], title: str, textures: bool) -> Play:
    """M1 x M2 is every way of two edges; squared until all ways are there; then the blocks between the sides."""
    threads = values["threads"]
    found = _Blocks(made, threads)
    closed = found.product("D", (THERE, BACK), (0, 0), "M1 x M2, there and back: ways of two edges on the smaller side",
                           itself=True)  # fmt: skip
    for number in range(sizes.closing_products(found.sides[0].size)):
        edges = 2 ** (number + 2)
        closed = found.product("D" + "\u00b2" * (number + 1), (closed, closed), (0, 0),
                               f"Squared: ways of up to {edges} edges", keep=True)  # fmt: skip
    out = found.product("D x M1", (closed, THERE), (0, 1), "From the first side to the second")
    home = found.product("M2 x D", (BACK, closed), (1, 0), "From the second side to the first")
    far = found.product("second side", (home, THERE), (1, 1), "From the second side to itself, by way of the first",
                        itself=True)  # fmt: skip
    distances = np.empty((made.n, made.n))
    for place, one, other in ((closed, 0, 0), (out, 0, 1), (home, 1, 0), (far, 1, 1)):
        distances[np.ix_(found.sides[one], found.sides[other])] = found.tables[place].values[:, :, 0]
    steps = tuple(_told(step, table, textures, threads == 1)
                  for step, table in zip(found.steps, found.tables[CLOSED:], strict=True))  # fmt: skip
    return Play(title, tuple(found.tables), steps, names(threads, "thread"), found.explain, distances,
                "distances\n" + table_text(distances).replace("; ", "\n"))  # fmt: skip


def _told(step: Step, table: Table, textures: bool, serial: bool) -> Step:
    """The step with what it holds and reads."""
    m, n, _ = table.shape
    size = 4 * max(m * n, 1)
    held = (Held("host memory", "factors and product", 3 * size),) if serial else (
        Held("shared memory", "a slab of each factor", 4 * max(m + n, 1)), Held("global memory", "all blocks", 3 * size)
    )  # fmt: skip
    where = ", through the texture path" if textures else ""
    crossings = () if serial else (
        Crossing(f"factors, read once for every slab{where}", "global memory", 2 * size),
        Crossing("the product: written", "global memory", size),
    )  # fmt: skip
    return Step(step.text, step.phase, held, crossings, barrier=not serial)


def serial(made: PathsProblem, values: Mapping[str, Any]) -> Play:
    """The same on one thread."""
    return play(made, {**values, "threads": 1}, "BipartiteAPSP", False)


def problem(values: Mapping[str, Any]) -> PathsProblem:
    """The graph that was typed; InputError where it is not bipartite, has no edge, or a cycle of less than nothing."""
    made = checked(values, problems.build_bipartite)
    if not (~made.sides).any():
        raise InputError("weights: no vertex has an edge to another; give one at least")
    return made


def draw(choose: Choose) -> dict[str, Any]:
    """A few vertices on two sides."""
    n = choose.integer(2, 6)
    weights = np.array([[choose.of((np.inf, 1, 2, 3, 5, 9)) for _ in range(n)] for _ in range(n)], float)
    first = np.arange(n) < choose.integer(1, n - 1)
    weights[first[:, None] == first] = np.inf
    np.fill_diagonal(weights, 0)
    weights[0, -1] = choose.integer(1, 9)
    return {"weights": table_text(weights)}


def _staging(made: Any, *parameters: Parameter) -> Staging:
    return Staging((BETWEEN,), parameters, problem, made, draw, agrees, lambda made: made.n**3)


SERIAL = _staging(serial)
SHARED = _staging(partial(play, title="SMemBipartite", textures=False), THREADS)
TEXTURES = _staging(partial(play, title="TMemBipartite", textures=True), THREADS)
