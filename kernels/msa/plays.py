"""Progressive alignment step by step: joins of the guide tree, level by level, and rows as they get their gaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.msa import clustalw, delays, reference, thesis
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import score_inputs, sequences_of
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
                      default="GATTACA, GATTCA, GCATACA, GCTTACAA, TTACA")  # fmt: skip
INPUTS = (SEQUENCES, *score_inputs(match=2, mismatch=-1, gap_open=2, gap_extend=1))
GAPS = (
    Parameter("gap_open", "float", "Gap open", "Costs once for every gap, before it adapts.", default=15, minimum=0),
    Parameter("gap_extend", "float", "Gap extend", "Costs for every column of a gap.", default=6.66, minimum=0),
    Parameter("delay", "float", "Delay", "Sequences whose nearest other has so many per cent of equal letters or less "
              "wait until the others are aligned.", default=30.0, minimum=0, maximum=100, unit="%"),
)  # fmt: skip
LEFT, UP = 2, 1
"""Operations of a path that take no column of the first child, and of the second."""


@dataclass(frozen=True, eq=False)
class Join:
    """A node of the tree: leaves ``first`` on, the rows of its children, the path, and the rows that come of it."""

    node: int
    first: int
    parts: list[list[str]]
    operations: list[int]
    rows: list[str]

    @property
    def cells(self) -> int:
        return len(self.parts[0][0]) * len(self.parts[1][0])

    @property
    def split(self) -> int:
        """The first leaf of the second child."""
        return self.first + len(self.parts[0])


class _Rows:
    """Rows of leaves in the order of the tree; version v of a row is that after level v of the tree.

    ``serial``: a level has one join. ``order(tree)`` are the leaves in the order in which they are followed.
    """

    def __init__(
        self, made: MsaProblem, aligned: reference.Aligned, serial: bool, order: Callable[[Tree], tuple[str, ...]]
    ) -> None:
        self.joins: list[Join] = []
        self.answer: MsaAnswer = reference.answer(aligned, made, lambda *parts: self.joins.append(Join(*parts)))
        assert self.answer.tree is not None
        self.tree: Tree = self.answer.tree
        letters = {sequence.name: sequence.letters.decode("ascii") for sequence in made.sequences}
        self.taxa = order(self.tree)
        self.own = [letters[name] for name in self.taxa]
        self.level: dict[int, int] = {}
        for join in self.joins:  # children come before their parents
            inside = [self.level[other.node] for other in self.joins if other.node in self.level
                      and join.first <= other.first < join.first + len(join.rows)]  # fmt: skip
            self.level[join.node] = len(self.level) + 1 if serial else max(inside, default=0) + 1
        self.weights = leaf_weights(self.tree) if len(self.taxa) > 1 else np.ones(len(self.taxa))

    def play(self, title: str, weighted: bool = False) -> Play:
        """``weighted``: the weights of the sequences, from the tree, are told."""
        levels = max(self.level.values(), default=0)
        width = max([len(row) for join in self.joins for row in join.rows] + [len(row) for row in self.own])
        numbers, at, who = blank((len(self.taxa), width, levels + 1))
        for row, letters in enumerate(self.own):
            numbers[row, : len(letters), 0] = [ord(letter) for letter in letters]
            at[row, : len(letters), 0] = GIVEN
        steps: list[Step] = []
        branches: list[Branch] = []
        widest = 1
        nodes: dict[tuple[int, int], int] = {(leaf, leaf + 1): leaf for leaf in range(len(self.taxa))}
        heights = dict.fromkeys(range(len(self.taxa)), 0)
        for level in range(1, levels + 1):
            here = [join for join in self.joins if self.level[join.node] == level]
            widest = max(widest, len(here))
            for worker, join in enumerate(here):
                for row, letters in enumerate(join.rows, join.first):
                    numbers[row, : len(letters), level] = [ord(letter) for letter in letters]
                    at[row, : len(letters), level], who[row, : len(letters), level] = level - 1, worker
                last = join.first + len(join.rows)
                children = nodes[join.first, join.split], nodes[join.split, last]
                node = len(self.taxa) + len(branches)
                nodes[join.first, last] = node
                heights[node] = 1 + max(heights[child] for child in children)
                branches.append(Branch(node, children, heights[node], level - 1))
            steps.append(self._step(level, here))
        if not steps:
            steps = [Step("One sequence: nothing is aligned.", marked=((0, 0, 0, 0),))]
        table = Table("rows", numbers, at, who, self.taxa, (), names(levels + 1, "level"), versions=True, letters=True,
                      formula="a column of a node is one of its first child, one of its second, or both")  # fmt: skip
        rows = [row.tobytes().decode("ascii") for row in self.answer.alignment.letters]
        if weighted:
            shares = ", ".join(f"{name} {number(round(share, 3))}" for name, share in self._shares())
            steps[0] = replace(steps[0], text=f"Weights, from the guide tree: {shares}. {steps[0].text}")
        return Play(title, (table,), tuple(steps), names(widest, "worker"), self.explain, self.answer,
                    "\n".join(rows), leaves=self.taxa, branches=tuple(branches), unit="letters")  # fmt: skip

    def _shares(self) -> list[tuple[str, float]]:
        return list(zip(self.tree.taxa, self.weights.tolist(), strict=True))

    def _step(self, level: int, here: list[Join]) -> Step:
        told = []
        for join in here:
            sides = [" ".join(self.taxa[join.first : join.split]),
                     " ".join(self.taxa[join.split : join.first + len(join.rows)])]  # fmt: skip
            told.append(f"({sides[0]}) with ({sides[1]}), {len(join.parts[0][0])} x {len(join.parts[1][0])} cells")
        cells = sum(join.cells for join in here)
        columns = sum(len(join.parts[0][0]) + len(join.parts[1][0]) for join in here)
        return Step(
            f"{counted(len(here), 'join')} at once: {'; '.join(told)}.", f"level {level}",
            (Held("global memory", "directions of the matrices, a byte a cell", cells),),
            (Crossing("profiles of the children, read", "global memory", 4 * 5 * columns),
             Crossing("paths, written", "global memory", sum(len(join.operations) for join in here))), barrier=True,
        )  # fmt: skip

    def explain(self, cell: Cell) -> Formula:
        _, row, column, level = cell
        join = next(one for one in self.joins
                    if self.level[one.node] == level and one.first <= row < one.first + len(one.rows))  # fmt: skip
        missing = LEFT if row < join.split else UP
        value = float(ord(join.rows[row - join.first][column]))
        name = f"row {self.taxa[row]}, column {column + 1}"
        if join.operations[column] == missing:
            return Formula(name, "value", (Case("a new gap, opposite a column of the other child", "-", value),), value)
        before = sum(operation != missing for operation in join.operations[:column])
        earlier = max(self.level[one.node] if one is not join and self.level[one.node] < level
                      and one.first <= row < one.first + len(one.rows) else 0 for one in self.joins)  # fmt: skip
        letter = chr(int(value))
        case = Case(f"column {before + 1} of the row before this join", letter, value, ((0, row, before, earlier),))
        return Formula(name, "value", (case,), value)


def play(made: MsaProblem, values: Mapping[str, Any], title: str, serial: bool) -> Play:
    """Along the guide tree of neighbor joining, nearest first."""
    return _Rows(made, thesis.aligned, serial, lambda tree: tree.taxa).play(title)


def clustal(made: MsaProblem, values: Mapping[str, Any]) -> Play:
    """Along the guide tree, sequences that are like no other last."""

    def followed(tree: Tree) -> tuple[str, ...]:
        return delays.delayed(tree, made.rules.delay)[0].taxa

    return _Rows(made, clustalw.aligned, False, followed).play("ClustalW", weighted=True)


def problem(values: Mapping[str, Any]) -> MsaProblem:
    """The sequences that were typed."""
    from antidiag.kernels.msa import THESIS_PROBLEM  # it names these plays

    options = {name: values[name] for name in ("match", "mismatch", "gap_open", "gap_extend")}
    return THESIS_PROBLEM.make(sequences_of(values["sequences"], "s"), options)


def clustal_problem(values: Mapping[str, Any]) -> MsaProblem:
    """The sequences that were typed, by ClustalW's rules."""
    from antidiag.kernels.msa import CLUSTALW_PROBLEM  # it names these plays

    options = {name: values[name] for name in ("gap_open", "gap_extend", "delay")}
    return CLUSTALW_PROBLEM.make(sequences_of(values["sequences"], "s"), options)


def draw(choose: Choose) -> dict[str, Any]:
    """Some sequences that come of one."""
    root = [choose.of("ACGT") for _ in range(choose.integer(3, 8))]
    found = []
    for _ in range(choose.integer(2, 5)):
        letters = [letter if choose.integer(0, 4) else choose.of("ACGT") for letter in root]
        del letters[choose.integer(0, len(letters) - 1)]
        found.append("".join(letters))
    return {"sequences": ", ".join(found)}


def agrees(shown: Play, answer: MsaAnswer) -> None:
    """All rows."""
    assert np.array_equal(shown.answer.alignment.letters, answer.alignment.letters)
    assert len(shown.branches) == len(shown.leaves) - 1


def draw_divergent(choose: Choose) -> dict[str, Any]:
    """The same, of which more or fewer wait."""
    return {**draw(choose), "delay": choose.of((0.0, 30.0, 60.0, 90.0))}


THESIS = Staging(INPUTS, (), problem, partial(play, title="Progressive alignment", serial=False), draw, agrees,
                 lambda made: made.cells)  # fmt: skip
SERIAL = replace(THESIS, play=partial(play, title="Progressive alignment, serial", serial=True))
CLUSTAL = Staging((SEQUENCES, *GAPS), (), clustal_problem, clustal, draw_divergent, agrees, lambda made: made.cells)
