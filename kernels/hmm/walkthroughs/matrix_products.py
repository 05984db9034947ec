"""Viterbi as a product of matrices, step by step: from the left, or in a tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.hmm import reference
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.walkthroughs.inputs import THREADS, declare_walkthrough
from antidiag.kernels.hmm.walkthroughs.viterbi_rows import (
    ViterbiCosts,
    assert_path,
    describe_path,
    list_ends,
    make_sum_case,
)
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs import animation as plays
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
)

ELLIPSIS = "\u2026"


class ProductPlay:
    """Tables of the matrices of all letters, of their products, and of the total costs."""

    def __init__(self, problem: HmmProblem, threads: int, tree: bool, textures: bool) -> None:
        self.costs, self.size, self.states = ViterbiCosts(problem), problem.states, problem.hmm.states
        self.threads, self.tree, self.textures = threads, tree, textures
        self.tables: list[AnimationTable] = []
        self.steps: list[AnimationStep] = []
        self.cases: dict[Cell, tuple[FormulaCase, ...]] = {}
        for k in range(problem.n):
            self.add_letter_matrix(k, last=k == problem.n - 1)

    def add_letter_matrix(self, k: int, last: bool) -> None:
        """Add the matrix of a letter: entry (i, j) is what it costs to emit it in i and go on to j.

        The matrix of the last letter stays in i.
        """
        states = range(self.size)
        matrix = np.full((self.size, self.size, 1), np.inf)
        for i in states:
            for j in (i,) if last else states:
                matrix[i, j] = self.costs.last_cost(i) if last else self.costs.step_cost(k, i, j)
        given, nobody = np.full(matrix.shape, GIVEN_STEP, np.int32), np.full(matrix.shape, -1, np.int32)
        name = f"{self.costs.letters[k]}{k + 1}"
        self.tables.append(AnimationTable(name, matrix, given, nobody, self.states, self.states))

    def multiply_tables(self, left: int, right: int, worker: int) -> int:
        """Add the (min, +) product of two tables, and return its number."""
        number, states, size = len(self.tables), self.states, self.size
        first, second = self.tables[left], self.tables[right]
        values, step_of, worker_of = plays.blank_table((size, size, 1))
        for i in range(size):
            for j in range(size):
                self.cases[number, i, j, 0] = found = tuple(
                    make_sum_case(
                        f"{first.name}({states[i]}, {states[k]}) + {second.name}({states[k]}, {states[j]})",
                        first.values[i, k, 0],
                        second.values[k, j, 0],
                        ((left, i, k, 0), (right, k, j, 0)),
                        f"through {states[k]}",
                    )
                    for k in range(size)
                )
                values[i, j, 0] = min(case.value for case in found)
                step_of[i, j, 0] = len(self.steps)
                worker_of[i, j, 0] = (worker if self.tree else i * size + j) % self.threads
        name = first.name.split(ELLIPSIS)[0] + ELLIPSIS + second.name.split(ELLIPSIS)[-1]
        formula = "P(i, j) = min over k of left(i, k) + right(k, j)"
        self.tables.append(AnimationTable(name, values, step_of, worker_of, states, states, formula=formula))
        return number

    def multiply_all(self) -> int:
        """Multiply all matrices, two at a time or pairs of neighbours at once; return the number of the product."""
        here, size = list(range(len(self.tables))), self.size
        while len(here) > 1:
            count = len(here) // 2 if self.tree else 1
            made = [self.multiply_tables(here[2 * x], here[2 * x + 1], x) for x in range(count)]
            factor_bytes, product_bytes = 8 * size * size * count, 4 * size * size * count
            read = "factors, read" + ", the letter's from a texture" * self.textures
            self.steps.append(
                AnimationStep(
                    f"{format_count(count, 'product')} of two matrices at once, each {size} x {size} cells of "
                    f"{size} sums.",
                    held=(HeldData("shared memory", "the factors", factor_bytes),),
                    crossings=(
                        DataCrossing(read, "global memory", factor_bytes),
                        DataCrossing("products, written", "global memory", product_bytes),
                    ),
                    barrier=True,
                )
            )
            here = [*made, *here[2 * count :]]
        return here[0]

    def add_totals(self, product: int) -> np.ndarray:
        """Add the initial costs times the product, and return these costs of all last states."""
        number, states, table = len(self.tables), self.states, self.tables[product]
        values, step_of, worker_of = plays.blank_table((1, self.size, 1))
        for j in range(self.size):
            self.cases[number, 0, j, 0] = found = tuple(
                make_sum_case(
                    f"initial({states[i]}) + {table.name}({states[i]}, {states[j]})",
                    self.costs.initial_cost(i),
                    table.values[i, j, 0],
                    ((product, i, j, 0),),
                )
                for i in range(self.size)
            )
            values[0, j, 0] = min(case.value for case in found)
            step_of[0, j, 0], worker_of[0, j, 0] = len(self.steps), j % self.threads
        self.tables.append(AnimationTable("total", values, step_of, worker_of, ("",), states))
        read = DataCrossing("the product, read", "global memory", 4 * self.size * self.size)
        text = "The costs of the start times the product: the cost of the best path to each last state."
        self.steps.append(AnimationStep(text, crossings=(read,)))
        return values[0, :, 0]

    def explain(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell with its numbers."""
        table = self.tables[cell[0]]
        row = "start" if table is self.tables[-1] else self.states[cell[1]]
        name = f"{table.name}({row}, {self.states[cell[2]]})"
        return CellFormula(name, "min", self.cases[cell], float(table.values[cell[1:]]))


def play_products(
    problem: HmmProblem, values: Mapping[str, Any], title: str, tree: bool = False, textures: bool = False
) -> Animation:
    """Play the product over (min, +) of the matrices of all letters: from the left, or in a tree."""
    found = ProductPlay(problem, values["threads"], tree, textures)
    totals = found.add_totals(found.multiply_all())
    ends, exits = list_ends(totals, len(found.tables) - 1, 0)
    path = reference.find_best_path(problem)
    return Animation(
        title,
        tuple(found.tables),
        tuple(found.steps),
        plays.numbered_names(found.threads, "block" if tree else "thread"),
        found.explain,
        answer=path,
        answer_text=describe_path(problem, path, float(totals.min())),
        ends=ends,
        exits=exits,
    )


PRODUCTS = declare_walkthrough(partial(play_products, title="SMemViterbi"), assert_path, THREADS)
TEXTURES = declare_walkthrough(partial(play_products, title="TMemViterbi", textures=True), assert_path, THREADS)
TREE = declare_walkthrough(partial(play_products, title="TropMatProd in a tree", tree=True), assert_path, THREADS)
