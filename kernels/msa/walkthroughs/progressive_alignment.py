"""Progressive alignment step by step: joins of the guide tree by level, and rows as they get their gaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.msa import reference
from antidiag.kernels.msa.pipelines import clustalw, divergent_sequences, thesis
from antidiag.kernels.msa.pipelines.clustalw import row_weights
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.parameters import Parameter
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
from antidiag.kernels.walkthroughs.typed_inputs import parse_sequences, rows_input, score_inputs
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

SEQUENCES = rows_input("sequences", "Sequences", "Separated by commas.", "GATTACA, GATTCA, GCATACA, GCTTACAA, TTACA")
INPUTS = (SEQUENCES, *score_inputs(match=2, mismatch=-1, gap_open=2, gap_extend=1))
GAPS = (
    Parameter("gap_open", "float", "Gap open", clustalw.GAP_OPEN_HELP, default=15, minimum=0),
    Parameter("gap_extend", "float", "Gap extend", clustalw.GAP_EXTEND_HELP, default=6.66, minimum=0),
    clustalw.DELAY,
)
LEFT, UP = 2, 1
"""Operations of a path that take no column of the first child, or of the second."""


@dataclass(frozen=True, eq=False)
class TreeJoin:
    """A node of the tree: its first leaf, the rows of its children, the path, and the resulting rows."""

    node: int
    first: int
    parts: list[list[str]]
    operations: list[int]
    rows: list[str]

    @property
    def cells(self) -> int:
        """Return the number of cells of its matrix."""
        return len(self.parts[0][0]) * len(self.parts[1][0])

    @property
    def split(self) -> int:
        """Return the first leaf of the second child."""
        return self.first + len(self.parts[0])


class _RowHistory:
    """Rows of leaves in the order of the tree; version v is the state after level v.

    If ``serial``, a level has one join. ``order(tree)`` returns the leaves in alignment order.
    """

    def __init__(
        self,
        posed_problem: MsaProblem,
        aligned: reference.Aligned,
        serial: bool,
        order: Callable[[Tree], tuple[str, ...]],
    ) -> None:
        self.joins: list[TreeJoin] = []
        self.answer: MsaAnswer = reference.align_reference(
            aligned, posed_problem, lambda *parts: self.joins.append(TreeJoin(*parts))
        )
        assert self.answer.tree is not None
        self.tree: Tree = self.answer.tree
        letters = {sequence.name: sequence.letters.decode("ascii") for sequence in posed_problem.sequences}
        self.taxa = order(self.tree)
        self.own = [letters[name] for name in self.taxa]
        self.level: dict[int, int] = {}
        for join in self.joins:  # children come before their parents
            inside = [
                self.level[other.node]
                for other in self.joins
                if other.node in self.level and join.first <= other.first < join.first + len(join.rows)
            ]
            self.level[join.node] = len(self.level) + 1 if serial else max(inside, default=0) + 1
        self.weights = row_weights(self.tree) if len(self.taxa) > 1 else np.ones(len(self.taxa))

    def make_animation(self, title: str, weighted: bool = False) -> Animation:
        """Build the animation; ``weighted`` adds the sequence weights to the first step."""
        levels = max(self.level.values(), default=0)
        width = max([len(row) for join in self.joins for row in join.rows] + [len(row) for row in self.own])
        numbers, at, who = blank_table((len(self.taxa), width, levels + 1))
        for row, letters in enumerate(self.own):
            numbers[row, : len(letters), 0] = [ord(letter) for letter in letters]
            at[row, : len(letters), 0] = GIVEN_STEP
        steps: list[AnimationStep] = []
        branches: list[AnimationBranch] = []
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
                branches.append(AnimationBranch(node, children, heights[node], level - 1))
            steps.append(self._describe_level(level, here))
        if not steps:
            steps = [AnimationStep("One sequence: nothing is aligned.", marked=((0, 0, 0, 0),))]
        table = AnimationTable(
            "rows",
            numbers,
            at,
            who,
            self.taxa,
            (),
            numbered_names(levels + 1, "level"),
            versions=True,
            letters=True,
            formula="a column of a node is one of its first child, one of its second, or both",
        )
        rows = [row.tobytes().decode("ascii") for row in self.answer.alignment.letters]
        if weighted:
            shares = ", ".join(f"{name} {format_number(round(share, 3))}" for name, share in self._weight_shares())
            steps[0] = replace(steps[0], text=f"Weights, from the guide tree: {shares}. {steps[0].text}")
        return Animation(
            title,
            (table,),
            tuple(steps),
            numbered_names(widest, "worker"),
            self.explain_cell,
            self.answer,
            "\n".join(rows),
            leaves=self.taxa,
            branches=tuple(branches),
            unit="letters",
        )

    def _weight_shares(self) -> list[tuple[str, float]]:
        return list(zip(self.tree.taxa, self.weights.tolist(), strict=True))

    def _describe_level(self, level: int, here: list[TreeJoin]) -> AnimationStep:
        joins = []
        for join in here:
            sides = [
                " ".join(self.taxa[join.first : join.split]),
                " ".join(self.taxa[join.split : join.first + len(join.rows)]),
            ]
            joins.append(f"({sides[0]}) with ({sides[1]}), {len(join.parts[0][0])} x {len(join.parts[1][0])} cells")
        cells = sum(join.cells for join in here)
        columns = sum(len(join.parts[0][0]) + len(join.parts[1][0]) for join in here)
        return AnimationStep(
            f"{format_count(len(here), 'join')} at once: {'; '.join(joins)}.",
            f"level {level}",
            (HeldData("global memory", "directions of the matrices, a byte a cell", cells),),
            (
                DataCrossing("profiles of the children, read", "global memory", 4 * 5 * columns),
                DataCrossing("paths, written", "global memory", sum(len(join.operations) for join in here)),
            ),
            barrier=True,
        )

    def explain_cell(self, cell: Cell) -> CellFormula:
        """Explain one cell of the rows."""
        _, row, column, level = cell
        join = next(
            one for one in self.joins if self.level[one.node] == level and one.first <= row < one.first + len(one.rows)
        )
        missing = LEFT if row < join.split else UP
        value = float(ord(join.rows[row - join.first][column]))
        name = f"row {self.taxa[row]}, column {column + 1}"
        if join.operations[column] == missing:
            return CellFormula(
                name, "value", (FormulaCase("a new gap, opposite a column of the other child", "-", value),), value
            )
        before = sum(operation != missing for operation in join.operations[:column])
        earlier = max(
            self.level[one.node]
            if one is not join and self.level[one.node] < level and one.first <= row < one.first + len(one.rows)
            else 0
            for one in self.joins
        )
        letter = chr(int(value))
        case = FormulaCase(
            f"column {before + 1} of the row before this join", letter, value, ((0, row, before, earlier),)
        )
        return CellFormula(name, "value", (case,), value)


def animate_thesis(posed_problem: MsaProblem, values: Mapping[str, Any], title: str, serial: bool) -> Animation:
    """Animate the pipeline of the thesis."""
    return _RowHistory(posed_problem, thesis.align_thesis, serial, lambda tree: tree.taxa).make_animation(title)


def animate_clustalw(posed_problem: MsaProblem, values: Mapping[str, Any]) -> Animation:
    """Animate ClustalW's pipeline."""

    def followed(tree: Tree) -> tuple[str, ...]:
        return divergent_sequences.delay_divergent(tree, posed_problem.rules.delay)[0].taxa

    return _RowHistory(posed_problem, clustalw.align_clustalw, False, followed).make_animation(
        "ClustalW", weighted=True
    )


def build_thesis_problem(values: Mapping[str, Any]) -> MsaProblem:
    """Build the problem of the typed sequences."""
    from antidiag.kernels.msa import THESIS_PROBLEM  # it names these plays

    options = {name: values[name] for name in ("match", "mismatch", "gap_open", "gap_extend")}
    return THESIS_PROBLEM.make_problem(parse_sequences(values["sequences"], "s"), options)


def build_clustalw_problem(values: Mapping[str, Any]) -> MsaProblem:
    """Build the problem of the typed sequences by ClustalW's rules."""
    from antidiag.kernels.msa import CLUSTALW_PROBLEM  # it names these plays

    options = {name: values[name] for name in ("gap_open", "gap_extend", "delay")}
    return CLUSTALW_PROBLEM.make_problem(parse_sequences(values["sequences"], "s"), options)


def draw_inputs(choose: TrialChooser) -> dict[str, Any]:
    """Draw related sequences."""
    root = [choose.choose_one("ACGT") for _ in range(choose.draw_integer(3, 8))]
    found = []
    for _ in range(choose.draw_integer(2, 5)):
        letters = [letter if choose.draw_integer(0, 4) else choose.choose_one("ACGT") for letter in root]
        del letters[choose.draw_integer(0, len(letters) - 1)]
        found.append("".join(letters))
    return {"sequences": ", ".join(found)}


def check_answer(shown: Animation, answer: MsaAnswer) -> None:
    """Check that all rows equal those of the method."""
    assert np.array_equal(shown.answer.alignment.letters, answer.alignment.letters)
    assert len(shown.branches) == len(shown.leaves) - 1


def draw_divergent(choose: TrialChooser) -> dict[str, Any]:
    """Draw related sequences and a threshold of divergence."""
    return {**draw_inputs(choose), "delay": choose.choose_one((0.0, 30.0, 60.0, 90.0))}


THESIS = Walkthrough(
    INPUTS,
    (),
    build_thesis_problem,
    partial(animate_thesis, title="Progressive alignment", serial=False),
    draw_inputs,
    check_answer,
    lambda made: made.cells,
)
SERIAL = replace(THESIS, animate=partial(animate_thesis, title="Progressive alignment, serial", serial=True))
CLUSTAL = Walkthrough(
    (SEQUENCES, *GAPS),
    (),
    build_clustalw_problem,
    animate_clustalw,
    draw_divergent,
    check_answer,
    lambda made: made.cells,
)
