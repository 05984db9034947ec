"""Shortest paths in a bipartite graph step by step, for teaching: squaring closes one side, products give the rest."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import algorithms
from antidiag.kernels.graphs import problem as problems
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.graphs.walkthroughs.any_graph import THREADS, WEIGHTS, check_cycles, check_distances
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.text import format_count
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import (
    GIVEN_STEP,
    Animation,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_sum,
    numbered_names,
)
from antidiag.kernels.walkthroughs.typed_inputs import format_table, table_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

BETWEEN = table_input(
    WEIGHTS.name,
    WEIGHTS.label,
    f"{WEIGHTS.help} Every edge goes to the other side.",
    "0 - - 4 1; - 0 - 2 -; - - 0 3 5; 2 6 - 0 -; - 1 2 - 0",
)
THERE, BACK, CLOSED = range(3)


class _SideBlocks:
    """The blocks of the distances, one table each, in the order of computation."""

    def __init__(self, made: PathsProblem, threads: int) -> None:
        self.sides = [np.flatnonzero(made.sides == side) for side in (False, True)]
        self.vertices, self.threads = made.graph.names, threads
        self.tables: list[AnimationTable] = []
        self.cases: dict[Cell, tuple[FormulaCase, ...]] = {}
        self.steps: list[AnimationStep] = []
        weights = made.graph.weights
        for name, one, other in (("M1, there", 0, 1), ("M2, back", 1, 0)):
            values = weights[np.ix_(self.sides[one], self.sides[other])][:, :, None]
            given = np.full(values.shape, GIVEN_STEP, np.int32)
            self.tables.append(
                AnimationTable(name, values, given, np.full(values.shape, -1, np.int32), *self.side_names(one, other))
            )

    def side_names(self, one: int, other: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of the rows and columns of a block."""
        first, second = (tuple(self.vertices[at] for at in self.sides[side]) for side in (one, other))
        return first, second

    def add_product(
        self,
        name: str,
        factors: tuple[int, int],
        sides: tuple[int, int],
        text: str,
        itself: bool = False,
        keep: bool = False,
    ) -> int:
        """A table more, and the step that makes it; ``itself``: or nothing at all, from a vertex to itself; ``keep``:
        or what the factors have there, which are one table."""
        left, right = (self.tables[number] for number in factors)
        place, (m, depth, _), n = len(self.tables), left.table_shape, right.table_shape[1]
        values, at, who = blank_table((m, n, 1))
        at[:], who[:, :, 0] = len(self.steps), np.arange(m * n).reshape(m, n) % self.threads
        for i in range(m):
            for j in range(n):
                found = [] if not itself or i != j else [FormulaCase("no edge at all", "0", 0.0)]
                if keep:
                    found.append(
                        FormulaCase(
                            f"as before, {left.name}",
                            format_sum(left.values[i, j, 0]),
                            float(left.values[i, j, 0]),
                            ((factors[0], i, j, 0),),
                        )
                    )
                for k in range(depth):
                    if keep and k in (i, j):  # a path through its own end is the old path
                        continue
                    one, other = float(left.values[i, k, 0]), float(right.values[k, j, 0])
                    found.append(
                        FormulaCase(
                            f"{left.rows[i]} to {left.columns[k]} + {right.rows[k]} to {right.columns[j]}",
                            format_sum(one, other),
                            one + other,
                            ((factors[0], i, k, 0), (factors[1], k, j, 0)),
                            f"through {left.columns[k]}",
                        )
                    )
                self.cases[place, i, j, 0] = tuple(found)
                values[i, j, 0] = min(case.value for case in found)
        self.tables.append(
            AnimationTable(
                name,
                values,
                at,
                who,
                *self.side_names(*sides),
                formula="P(i, j) = min over k of left(i, k) + right(k, j)",
            )
        )
        self.steps.append(
            AnimationStep(
                f"{text}: {m} x {n} cells at the same time, each the minimum of {format_count(depth, 'sum')}.", name
            )
        )
        return place

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Return the formula of a cell."""
        table = self.tables[cell[0]]
        left = f"d({table.rows[cell[1]]}, {table.columns[cell[2]]})"
        return CellFormula(left, "min", self.cases[cell], float(table.values[cell[1:]]))


def play_bipartite(made: PathsProblem, values: Mapping[str, Any], title: str, textures: bool) -> Animation:
    """Return the walkthrough: paths of two edges, squared until the first side is closed, then the other blocks."""
    threads = values["threads"]
    found = _SideBlocks(made, threads)
    closed = found.add_product(
        "D", (THERE, BACK), (0, 0), "M1 x M2: paths of two edges between vertices of the smaller side", itself=True
    )
    for number in range(algorithms.closing_products(found.sides[0].size)):
        edges = 2 ** (number + 2)
        closed = found.add_product(
            "D" + "\u00b2" * (number + 1), (closed, closed), (0, 0), f"Squared: paths of up to {edges} edges", keep=True
        )
    out = found.add_product("D x M1", (closed, THERE), (0, 1), "From the first side to the second")
    home = found.add_product("M2 x D", (BACK, closed), (1, 0), "From the second side to the first")
    far = found.add_product(
        "second side", (home, THERE), (1, 1), "From the second side to itself, through the first", itself=True
    )
    distances = np.empty((made.n, made.n))
    for place, one, other in ((closed, 0, 0), (out, 0, 1), (home, 1, 0), (far, 1, 1)):
        distances[np.ix_(found.sides[one], found.sides[other])] = found.tables[place].values[:, :, 0]
    steps = tuple(
        _add_memory(step, table, textures, threads == 1)
        for step, table in zip(found.steps, found.tables[CLOSED:], strict=True)
    )
    return Animation(
        title,
        tuple(found.tables),
        steps,
        numbered_names(threads, "thread"),
        found.explain_cell,
        distances,
        "distances\n" + format_table(distances).replace("; ", "\n"),
    )


def _add_memory(step: AnimationStep, table: AnimationTable, textures: bool, serial: bool) -> AnimationStep:
    """Return the step with the memory that it holds, reads and writes."""
    m, n, _ = table.table_shape
    size = 4 * max(m * n, 1)
    held = (
        (HeldData("host memory", "factors and product", 3 * size),)
        if serial
        else (
            HeldData("shared memory", "a slab of each factor", 4 * max(m + n, 1)),
            HeldData("global memory", "all blocks", 3 * size),
        )
    )
    where = ", through textures" if textures else ""
    crossings = (
        ()
        if serial
        else (
            DataCrossing(f"read: factors, once per slab{where}", "global memory", 2 * size),
            DataCrossing("written: the product", "global memory", size),
        )
    )
    return AnimationStep(step.text, step.phase, held, crossings, barrier=not serial)


def play_serial(made: PathsProblem, values: Mapping[str, Any]) -> Animation:
    """Return the walkthrough on one thread."""
    return play_bipartite(made, {**values, "threads": 1}, "BipartiteAPSP", False)


def build_typed_problem(values: Mapping[str, Any]) -> PathsProblem:
    """Return the typed graph; raise InputError where it is not bipartite, has no edge, or a negative cycle."""
    made = check_cycles(values, problems.build_bipartite)
    if not (~made.sides).any():
        raise InputError("weights: the graph has no edge; give at least one")
    return made


def draw_weights(choose: TrialChooser) -> dict[str, Any]:
    """Return weights between a few vertices on two sides."""
    n = choose.draw_integer(2, 6)
    weights = np.array([[choose.choose_one((np.inf, 1, 2, 3, 5, 9)) for _ in range(n)] for _ in range(n)], float)
    first = np.arange(n) < choose.draw_integer(1, n - 1)
    weights[first[:, None] == first] = np.inf
    np.fill_diagonal(weights, 0)
    weights[0, -1] = choose.draw_integer(1, 9)
    return {"weights": format_table(weights)}


def _declare_walkthrough(made: Any, *parameters: Parameter) -> Walkthrough:
    return Walkthrough(
        (BETWEEN,), parameters, build_typed_problem, made, draw_weights, check_distances, lambda made: made.n**3
    )


SERIAL = _declare_walkthrough(play_serial)
SHARED = _declare_walkthrough(partial(play_bipartite, title="SMemBipartite", textures=False), THREADS)
TEXTURES = _declare_walkthrough(partial(play_bipartite, title="TMemBipartite", textures=True), THREADS)
