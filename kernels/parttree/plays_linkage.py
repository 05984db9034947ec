"""Single linkage step by step: a tree grows by the nearest sequence, and its edges become joins, shortest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.parttree import reference
from antidiag.kernels.parttree.problem import SINGLE, PartTreeProblem
from antidiag.kernels.plays.inputs import sequences_of
from antidiag.kernels.plays.model import (
    GIVEN,
    Branch,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Step,
    Table,
    blank,
    names,
    number,
)
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import counted
from antidiag.kernels.trials import Choose

SEQUENCES = Parameter("sequences", "text", "Sequences", "Parted by commas.",
                      default="GATTACA, GATTCA, GCATACA, TTGCATG, TTGCAG, TGCATGG")  # fmt: skip
WORKERS = Parameter("workers", "int", "Thread blocks", "Those that compare pairs at the same time.", default=3,
                    minimum=1, maximum=64, unit="blocks")  # fmt: skip
D, NEAREST, LEAST = range(3)


class _Grown:
    """Prim's tree: of every sequence outside how far it is from the nearest inside; each that joins is held against
    all others once."""

    def __init__(self, made: PartTreeProblem, workers: int) -> None:
        self.made, self.workers, self.n = made, workers, len(made.sequences)
        self.apart = reference.apart_by_lcs(made)
        rounds = max(self.n - 1, 1)
        self.found = [blank((self.n, self.n, 1)), blank((self.n, 1, rounds)), blank((1, 1, rounds))]
        self.cases: dict[Cell, tuple[Case, ...]] = {}
        self.steps: list[Step] = []
        self.branches: list[Branch] = []
        self.gone = np.full((self.n, 1), np.iinfo(np.int32).max, np.int32)
        self.newest = np.zeros(self.n, int)
        order = sorted(range(self.n), key=lambda one: (len(made.sequences[one]), one))
        self.outside, self.edges = order[1:], list[tuple[float, int, int]]()
        self.inside, self.near = order[:1], dict.fromkeys(order[1:], order[0])
        self.gone[order[0]] = 0
        for number_of in range(self.n - 1):
            self.measure(number_of, self.inside[-1])
            self.pick(number_of)
        self.join()

    def value(self, cell: Cell) -> float:
        return float(self.found[cell[0]][0][cell[1:]])

    def write(self, cell: Cell, value: float, worker: int, cases: tuple[Case, ...]) -> None:
        values, at, who = self.found[cell[0]]
        values[cell[1:]], at[cell[1:]], who[cell[1:]] = value, len(self.steps), worker
        self.cases[cell] = cases

    def name(self, one: int) -> str:
        return f"s{one + 1}"

    def measure(self, round_of: int, newest: int) -> None:
        """The newest of the tree against all that are outside; of each the nearest is kept."""
        lengths = [len(one) for one in self.made.sequences]
        for place, other in enumerate(self.outside):
            high, low = max(newest, other), min(newest, other)
            value = self.apart[low, high]
            common = round((lengths[low] + lengths[high]) / (value + 2)) if value < 1e6 else 0
            text = (
                f"({lengths[low]} + {lengths[high]} \u2212 2 x {common} letters in common, in their order) / {common}"
            )
            if value in (0.0, 1e6):
                text = "equal sequences" if value == 0 else "nothing in common: beyond all others"
            cell = (D, high, low, 0)
            self.write(cell, value, place % self.workers, (Case(text, number(value), value),))
            cases = [Case(f"d({self.name(high)}, {self.name(low)})", number(value), value, (cell,), "the newest")]
            if round_of:
                before = (NEAREST, other, 0, int(self.newest[other]))
                cases.insert(0, Case(f"nearest so far, {self.name(self.near[other])}", number(self.value(before)),
                                     self.value(before), (before,), "as before"))  # fmt: skip
                if value < self.value(before):
                    self.near[other] = newest
            self.write((NEAREST, other, 0, round_of), min(case.value for case in cases), place % self.workers,
                       tuple(cases))  # fmt: skip
        for other in self.outside:
            self.newest[other] = round_of
        letters = sum(lengths[other] for other in self.outside) + lengths[newest]
        self.steps.append(Step(
            f"{self.name(newest)} is in the tree: {counted(len(self.outside), 'pair')} at once, and each outside keeps "
            "the nearest that it has met.", f"edge {round_of + 1}",
            (Held("registers", "a row of each table of letters in common, a bit a cell", -(-letters // 8)),),
            (Crossing("letters, read", "global memory", letters),
             Crossing("nearest so far, written", "global memory", 8 * len(self.outside))), barrier=True,
        ))  # fmt: skip

    def pick(self, round_of: int) -> None:
        """The nearest of all comes in."""
        cells = {other: (NEAREST, other, 0, round_of) for other in self.outside}
        chosen = min(self.outside, key=lambda other: (self.value(cells[other]), self.outside.index(other)))
        cases = tuple(Case(f"nearest of {self.name(other)}", number(self.value(cell)), self.value(cell), (cell,),
                           f"{self.name(other)} to {self.name(self.near[other])}")
                      for other, cell in cells.items())  # fmt: skip
        value = self.value(cells[chosen])
        self.write((LEAST, 0, 0, round_of), value, 0, cases)
        self.edges.append((value, self.near[chosen], chosen))
        self.gone[chosen] = len(self.steps) + 1
        self.steps.append(Step(
            f"{self.name(chosen)} is the nearest of all, {number(value)} from {self.name(self.near[chosen])}: an edge "
            "of the tree.", f"edge {round_of + 1}",
            crossings=(Crossing("the least of each block", "global memory", 8 * self.workers),),
            marked=(cells[chosen],), barrier=True,
        ))  # fmt: skip
        self.outside.remove(chosen)
        self.inside.append(chosen)

    def join(self) -> None:
        """The edges, shortest first, are the joins of single linkage."""
        root = list(range(self.n))
        heights = dict.fromkeys(range(self.n), 0.0)
        for at, (value, one, other) in enumerate(sorted(self.edges)):
            left, right = root[one], root[other]
            node = self.n + at
            heights[node] = max(value, 0.0)
            lengths = tuple(heights[node] - heights[child] for child in (left, right))
            self.branches.append(Branch(node, (left, right), heights[node], len(self.steps), lengths))
            root = [node if above in (left, right) else above for above in root]
            self.steps.append(Step(
                f"Edges by length, number {at + 1}: {self.name(one)} and {self.name(other)}, {number(value)}; what "
                "belongs to them is joined.", "joins", marked=((D, max(one, other), min(one, other), 0),),
            ))  # fmt: skip


def play(made: PartTreeProblem, values: Mapping[str, Any]) -> Play:
    """n - 1 rounds, each of one sequence against all others; then the joins."""
    grown = _Grown(made, values["workers"])
    if not grown.steps:
        grown.steps.append(Step("One sequence: nothing is joined.", marked=((D, 0, 0, 0),)))
        grown.found[D][0][0, 0, 0], grown.found[D][1][0, 0, 0] = 0, GIVEN
    labels = tuple(grown.name(one) for one in range(grown.n))
    tables = (
        Table("distances", *grown.found[D], labels, labels, formula="(m + n \u2212 2 x common) / common"),
        Table("nearest", *grown.found[NEAREST], labels, ("d",), versions=True, gone=grown.gone, counts=False,
              formula="the distance to the nearest that is in the tree"),
        Table("least", *grown.found[LEAST], ("",), ("",), versions=True, counts=False,
              formula="the least of all that are outside"),
    )  # fmt: skip

    def explain(cell: Cell) -> Formula:
        left = (f"d({labels[cell[1]]}, {labels[cell[2]]})", f"nearest({labels[cell[1]]})", "least")[cell[0]]
        return Formula(left, "value" if cell[0] == D else "min", grown.cases[cell], grown.value(cell))

    answer = reference.single_linkage(made)
    told = "\n".join(f"{grown.name(one)} and {grown.name(other)}: {number(value)}"
                     for value, one, other in sorted(grown.edges))  # fmt: skip
    return Play("Single linkage", tables, tuple(grown.steps), names(values["workers"], "block"), explain, answer,
                told or "one sequence", leaves=labels, branches=tuple(grown.branches), unit="pairs")  # fmt: skip


def problem(values: Mapping[str, Any]) -> PartTreeProblem:
    """The sequences that were typed."""
    return PartTreeProblem(tuple(sequences_of(values["sequences"], "s")))


def draw(choose: Choose) -> dict[str, Any]:
    """A few sequences, some of which are nearly equal."""
    root = [choose.of("ACGT") for _ in range(choose.integer(4, 8))]
    found = []
    for _ in range(choose.integer(2, 6)):
        letters = [letter if choose.integer(0, 3) else choose.of("ACGT") for letter in root]
        del letters[choose.integer(0, len(letters) - 1)]
        found.append("".join(letters))
    return {"sequences": ", ".join(found)}


def agrees(shown: Play, answer: Any) -> None:
    """Every pair meets at the height at which it meets in the right tree; ties may be joined in another order."""
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


LINKAGE = Staging((SEQUENCES,), (WORKERS,), problem, play, draw, agrees, lambda made: len(made.sequences) ** 2)
