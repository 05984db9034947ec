"""A walkthrough of single linkage: a tree grows by the nearest sequence; its edges become joins, shortest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.parttree import reference
from antidiag.kernels.parttree.lcs.linkage import SATURATED_HEIGHT
from antidiag.kernels.parttree.problem import SINGLE, PartTreeProblem
from antidiag.kernels.text import format_count
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import (
    GIVEN_STEP,
    Animation,
    AnimationBranch,
    AnimationStep,
    AnimationTable,
    Cell,
    CellFormula,
    DataCrossing,
    FormulaCase,
    HeldData,
    blank_table,
    format_number,
    numbered_names,
)
from antidiag.kernels.walkthroughs.typed_inputs import count_input, parse_sequences, rows_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

SEQUENCES = rows_input(
    "sequences", "Sequences", "Separated by commas.", "GATTACA, GATTCA, GCATACA, TTGCATG, TTGCAG, TGCATGG"
)
WORKERS = count_input("workers", "Thread blocks", "Blocks that compare pairs at the same time.", 3, "blocks", most=64)
D, NEAREST, LEAST = range(3)


class _GrowingTree:
    """Prim's tree: the distance of every sequence outside to the nearest inside; each new one is compared with all
    others."""

    def __init__(self, shown_problem: PartTreeProblem, workers: int) -> None:
        self.made, self.workers, self.n = shown_problem, workers, len(shown_problem.sequences)
        self.apart = reference.lcs_distances(shown_problem)
        rounds = max(self.n - 1, 1)
        self.found = [blank_table((self.n, self.n, 1)), blank_table((self.n, 1, rounds)), blank_table((1, 1, rounds))]
        self.cases: dict[Cell, tuple[FormulaCase, ...]] = {}
        self.steps: list[AnimationStep] = []
        self.branches: list[AnimationBranch] = []
        self.gone = np.full((self.n, 1), np.iinfo(np.int32).max, np.int32)
        self.newest = np.zeros(self.n, int)
        order = sorted(range(self.n), key=lambda one: (len(shown_problem.sequences[one]), one))
        self.outside, self.edges = order[1:], list[tuple[float, int, int]]()
        self.inside, self.near = order[:1], dict.fromkeys(order[1:], order[0])
        self.gone[order[0]] = 0
        for number_of in range(self.n - 1):
            self.add_measurements(number_of, self.inside[-1])
            self.add_nearest(number_of)
        self.add_joins()

    def cell_value(self, cell: Cell) -> float:
        """Return the value of a cell."""
        return float(self.found[cell[0]][0][cell[1:]])

    def write_cell(self, cell: Cell, value: float, worker: int, cases: tuple[FormulaCase, ...]) -> None:
        """Write a cell and how its value comes about."""
        values, at, who = self.found[cell[0]]
        values[cell[1:]], at[cell[1:]], who[cell[1:]] = value, len(self.steps), worker
        self.cases[cell] = cases

    def add_step(self, text: str, phase: str, **details: Any) -> None:
        """Append a step; ``details`` are fields of `AnimationStep`."""
        self.steps.append(AnimationStep(text, phase, **details))

    def name(self, number_of_sequence: int) -> str:
        """Return the name of a sequence."""
        return f"s{number_of_sequence + 1}"

    def add_measurements(self, round_of: int, newest: int) -> None:
        """Compare the newest sequence of the tree with all that are outside; each keeps its nearest."""
        lengths = [len(one) for one in self.made.sequences]
        for place, other in enumerate(self.outside):
            high, low = max(newest, other), min(newest, other)
            value = self.apart[low, high]
            common = round((lengths[low] + lengths[high]) / (value + 2)) if value < 1e6 else 0
            text = f"({lengths[low]} + {lengths[high]} \u2212 2 x {common} common letters, in order) / {common}"
            if value in (0.0, 1e6):
                text = "equal sequences" if value == 0 else "nothing in common: farther than all others; joined at 10"
            cell = (D, high, low, 0)
            self.write_cell(cell, value, place % self.workers, (FormulaCase(text, format_number(value), value),))
            cases = [
                FormulaCase(
                    f"d({self.name(high)}, {self.name(low)})", format_number(value), value, (cell,), "the newest"
                )
            ]
            if round_of:
                before = (NEAREST, other, 0, int(self.newest[other]))
                cases.insert(
                    0,
                    FormulaCase(
                        f"nearest so far, {self.name(self.near[other])}",
                        format_number(self.cell_value(before)),
                        self.cell_value(before),
                        (before,),
                        "as before",
                    ),
                )
                if value < self.cell_value(before):
                    self.near[other] = newest
            self.write_cell(
                (NEAREST, other, 0, round_of), min(case.value for case in cases), place % self.workers, tuple(cases)
            )
        for other in self.outside:
            self.newest[other] = round_of
        letters = sum(lengths[other] for other in self.outside) + lengths[newest]
        self.add_step(
            f"{self.name(newest)} is in the tree: {format_count(len(self.outside), 'pair')} at once; each sequence "
            "outside "
            "keeps its nearest.",
            f"edge {round_of + 1}",
            held=(HeldData("registers", "a row of each table of common letters, a bit per cell", -(-letters // 8)),),
            crossings=(
                DataCrossing("letters, read", "global memory", letters),
                DataCrossing("nearest so far, written", "global memory", 8 * len(self.outside)),
            ),
            barrier=True,
        )

    def add_nearest(self, round_of: int) -> None:
        """Add the nearest sequence of all to the tree."""
        cells = {other: (NEAREST, other, 0, round_of) for other in self.outside}
        chosen = min(self.outside, key=lambda other: (self.cell_value(cells[other]), self.outside.index(other)))
        cases = tuple(
            FormulaCase(
                f"nearest of {self.name(other)}",
                format_number(self.cell_value(cell)),
                self.cell_value(cell),
                (cell,),
                f"{self.name(other)} to {self.name(self.near[other])}",
            )
            for other, cell in cells.items()
        )
        value = self.cell_value(cells[chosen])
        self.write_cell((LEAST, 0, 0, round_of), value, 0, cases)
        self.edges.append((value, self.near[chosen], chosen))
        self.gone[chosen] = len(self.steps) + 1
        self.add_step(
            f"{self.name(chosen)} is the nearest of all, {format_number(value)} from "
            f"{self.name(self.near[chosen])}: an "
            "edge of the tree.",
            f"edge {round_of + 1}",
            crossings=(DataCrossing("the least of each block", "global memory", 8 * self.workers),),
            marked=(cells[chosen],),
            barrier=True,
        )
        self.outside.remove(chosen)
        self.inside.append(chosen)

    def add_joins(self) -> None:
        """Make the edges, shortest first, the joins of single linkage."""
        root = list(range(self.n))
        heights = dict.fromkeys(range(self.n), 0.0)
        for at, (value, one, other) in enumerate(sorted(self.edges)):
            left, right = root[one], root[other]
            node = self.n + at
            heights[node] = min(max(value, 0.0), SATURATED_HEIGHT)
            lengths = tuple(heights[node] - heights[child] for child in (left, right))
            self.branches.append(AnimationBranch(node, (left, right), heights[node], len(self.steps), lengths))
            root = [node if above in (left, right) else above for above in root]
            self.add_step(
                f"Edge {at + 1} by length: {self.name(one)} and {self.name(other)}, {format_number(value)}; their "
                "clusters "
                "are joined.",
                "joins",
                marked=((D, max(one, other), min(one, other), 0),),
            )


def play_linkage(shown_problem: PartTreeProblem, values: Mapping[str, Any]) -> Animation:
    """Play n - 1 rounds, each of one sequence against all others; then the joins."""
    grown = _GrowingTree(shown_problem, values["workers"])
    if not grown.steps:
        grown.steps.append(AnimationStep("One sequence: nothing to join.", marked=((D, 0, 0, 0),)))
        grown.found[D][0][0, 0, 0], grown.found[D][1][0, 0, 0] = 0, GIVEN_STEP
    labels = tuple(grown.name(one) for one in range(grown.n))
    tables = (
        AnimationTable("distances", *grown.found[D], labels, labels, formula="(m + n \u2212 2 x common) / common"),
        AnimationTable(
            "nearest",
            *grown.found[NEAREST],
            labels,
            ("d",),
            versions=True,
            unused_from=grown.gone,
            counts_cells=False,
            formula="the distance to the nearest that is in the tree",
        ),
        AnimationTable(
            "least",
            *grown.found[LEAST],
            ("",),
            ("",),
            versions=True,
            counts_cells=False,
            formula="the least of all that are outside",
        ),
    )

    def explain(cell: Cell) -> CellFormula:
        left = (f"d({labels[cell[1]]}, {labels[cell[2]]})", f"nearest({labels[cell[1]]})", "least")[cell[0]]
        return CellFormula(left, "value" if cell[0] == D else "min", grown.cases[cell], grown.cell_value(cell))

    answer = reference.single_linkage(shown_problem)
    answer_text = "\n".join(
        f"{grown.name(one)} and {grown.name(other)}: {format_number(value)}"
        for value, one, other in sorted(grown.edges)
    )
    return Animation(
        "Single linkage",
        tables,
        tuple(grown.steps),
        numbered_names(values["workers"], "block"),
        explain,
        answer,
        answer_text or "one sequence",
        leaves=labels,
        branches=tuple(grown.branches),
        unit="pairs",
    )


def parse_problem(values: Mapping[str, Any]) -> PartTreeProblem:
    """Return the problem of typed sequences."""
    return PartTreeProblem(tuple(parse_sequences(values["sequences"], "s")))


def draw_sequences(choose: TrialChooser) -> dict[str, Any]:
    """Draw a few sequences, some of which are nearly equal."""
    root = [choose.choose_one("ACGT") for _ in range(choose.draw_integer(4, 8))]
    found = []
    for _ in range(choose.draw_integer(2, 6)):
        letters = [letter if choose.draw_integer(0, 3) else choose.choose_one("ACGT") for letter in root]
        del letters[choose.draw_integer(0, len(letters) - 1)]
        found.append("".join(letters))
    return {"sequences": ", ".join(found)}


def check_answer(shown: Animation, answer: Any) -> None:
    """Check that every pair meets at the height of the right tree; ties may be joined in another order."""
    right: Tree = (answer(SINGLE) if callable(answer) else answer).tree
    n = len(shown.leaves)
    below: dict[int, list[int]] = {leaf: [leaf] for leaf in range(n)}
    met = np.zeros((n, n))
    for branch in shown.branches:
        one, other = (below[child] for child in branch.children)
        for i in one:
            met[i, other] = met[other, i] = branch.height
        below[branch.node] = one + other
    places = dict(zip(right.taxa, right.leaves.tolist(), strict=True))
    paths = [right.path(places[f"s{i + 1}"]) for i in range(n)]
    for i in range(n):
        for j in range(i):
            apart = set(paths[i]) ^ set(paths[j])
            assert abs(sum(right.lengths[node] for node in apart) - 2 * met[i, j]) < 1e-5, (i, j)


LINKAGE = Walkthrough(
    (SEQUENCES,),
    (WORKERS,),
    parse_problem,
    play_linkage,
    draw_sequences,
    check_answer,
    lambda made: len(made.sequences) ** 2,
)
