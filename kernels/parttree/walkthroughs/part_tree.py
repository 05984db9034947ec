"""A walkthrough of PartTree: the pivot, the picks, the filter, who joins which pick, and the recursion into groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.parttree.problem import FILTER_SHARE, PartTreeProblem
from antidiag.kernels.parttree.problem import PARTTREE as CRITERION
from antidiag.kernels.parttree.reference import (
    PartTreeTextbook,
    TextbookNode,
    build_part_tree,
    distinct_sequences,
    join_evenly,
    ordered_pair,
)
from antidiag.kernels.parttree.walkthroughs import linkage
from antidiag.kernels.text import format_count
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import (
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
from antidiag.kernels.walkthroughs.typed_inputs import parse_sequences, rows_input
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

SEQUENCES = rows_input(
    "sequences",
    "Sequences",
    "Separated by commas; different ones, of some ten letters or more.",
    "GATTACAGATTACAGA, GATTACAGATTACCGA, GATTACAGATTTCAGA, CCGGATTACAGATTAC, "
    "TTGCATGCATGGCAAT, TTGCATGCATGGCTAT, TTGCATCCATGGCAAT, ACGTTGCATGCATGGC",
)
REFERENCES = Parameter("references", "int", "References", "Sequences that are picked at every level.", default=4,
                       minimum=2, maximum=50, unit="sequences")  # fmt: skip
SEED = Parameter("pick_seed", "int", "Seed", "Seed of the random picks.", default=1, minimum=0, maximum=1000)
WORKERS = replace(linkage.WORKERS, default=4)


class _ShownTextbook(PartTreeTextbook):
    """The textbook, which records every comparison, in the order in which the method makes them."""

    def __init__(self, problem: PartTreeProblem, workers: int) -> None:
        super().__init__(problem)
        self.workers, self.count = workers, len(problem.sequences)
        self.numbers, self.at, self.who = blank_table((self.count, self.count, 1))
        self.steps: list[AnimationStep] = []
        self.branches: list[AnimationBranch] = []
        self.number_of: dict[int, int] = {}

    def add_comparisons(self, pairs: list[tuple[int, int]], text: str, phase: str) -> None:
        """Add a step that compares some pairs, except those compared before."""
        fresh = [
            pair
            for pair in dict.fromkeys(ordered_pair(*pair) for pair in pairs if pair[0] != pair[1])
            if self.at[(*pair, 0)] > len(self.steps)
        ]
        for place, pair in enumerate(fresh):
            self.numbers[(*pair, 0)] = super().distance(*pair)
            self.at[(*pair, 0)], self.who[(*pair, 0)] = len(self.steps), place % self.workers
        if fresh:
            words = sum(self.totals[j] for _, j in fresh)
            crossings = (
                DataCrossing("6-mers and their counts, read", "global memory", 8 * max(words, 1)),
                DataCrossing("distances, written", "global memory", 4 * len(fresh)),
            )
            held = HeldData(
                "shared memory",
                "6-mer counts of the references",
                4 * sum({i: self.totals[i] for i, _ in fresh}.values()),
            )
            self.steps.append(
                AnimationStep(f"{text}: {format_count(len(fresh), 'pair')} at once.", phase, (held,), crossings)
            )

    def add_decision(self, text: str, phase: str, pairs: list[tuple[int, int]]) -> None:
        """Add a step that decides by some comparisons, which are marked."""
        marked = tuple((0, *ordered_pair(*pair), 0) for pair in pairs if pair[0] != pair[1])
        if marked:
            self.steps.append(AnimationStep(text, phase, marked=marked))

    def tree(self, members: list[int], level: int = 0) -> TextbookNode:
        """Return the tree of some different sequences."""
        if len(members) == 1:
            return self.leaf(members[0])
        phase = f"level {level + 1}"
        pivot = max(members, key=lambda one: (self.totals[one], -one))
        self.add_comparisons(
            [(pivot, one) for one in members],
            f"{format_count(len(members), 'sequence')}: all are compared with the pivot, {self.name(pivot)}, which "
            "has the most 6-mers",
            phase,
        )
        away = {one: -1.0 if one == pivot else self.distance(pivot, one) for one in members}
        most = max(away.values())
        if self.totals[pivot] == 0 or most <= 0:
            self.splits.append((level, pivot, len(members), 0, 0))
            return join_evenly([self.leaf(one) for one in members])
        ranked = sorted(members, key=lambda one: (away[one], one))
        picks = self.pick_references(ranked, level)
        self.add_decision(
            f"Picks: {self.sequence_names(picks)}: the pivot, the farthest, the one in the middle, others at random.",
            phase,
            [(pivot, one) for one in picks],
        )
        self.add_comparisons(
            [(one, other) for one in picks for other in picks], "The picks are compared with each other", phase
        )
        kept = self.filter_picks(picks, most)
        self.splits.append((level, pivot, len(members), len(picks), len(kept)))
        dropped = [one for one in picks if one not in kept]
        if dropped:
            self.add_decision(
                f"Dropped for being too near to another pick: {self.sequence_names(dropped)}.",
                phase,
                [(one, other) for one in dropped for other in kept if self.distance(other, one) < FILTER_SHARE * most],
            )
        others = [one for one in members if one not in kept]
        self.add_comparisons(
            [(other, one) for one in others for other in kept],
            f"All others are compared with {format_count(len(kept), 'reference')}",
            phase,
        )
        groups: dict[int, list[int]] = {one: [] for one in kept}
        for one in members:
            nearest = one if one in groups else min(kept, key=lambda other: self.distance(one, other))
            groups[nearest].append(one)
        names_of_groups = "; ".join(self.sequence_names(group) for group in groups.values())
        self.add_decision(
            f"Each joins its nearest reference. Groups: {names_of_groups}.",
            phase,
            [(one, home) for home, group in groups.items() for one in group],
        )
        return self.join_references(kept, [self.tree(group, level + 1) for group in groups.values()])

    def name(self, number_of_sequence: int) -> str:
        """Return the name of a sequence."""
        return f"s{number_of_sequence + 1}"

    def sequence_names(self, numbers_of_sequences: list[int]) -> str:
        """Return the names of several sequences."""
        return ", ".join(map(self.name, sorted(numbers_of_sequences)))

    def add_branches(self, root: TextbookNode) -> None:
        """Add branches for the nodes of the tree, from the leaves up."""
        if root.sequence >= 0:
            self.number_of[id(root)] = root.sequence
            return
        for child in root.children:
            self.add_branches(child)
        node = self.count + len(self.branches)
        self.number_of[id(root)] = node
        lengths = tuple(max(root.height - child.height, 0.0) for child in root.children)
        self.branches.append(
            AnimationBranch(
                node,
                tuple(self.number_of[id(child)] for child in root.children),
                root.height,
                len(self.steps) - 1,
                lengths,
            )
        )


def play_part_tree(
    shown_problem: PartTreeProblem, values: Mapping[str, Any], title: str = "CUDA-Parttree"
) -> Animation:
    """Play the recursion, and the tree of each level put together."""
    shown = _ShownTextbook(shown_problem, values["workers"])
    root = shown.tree(distinct_sequences(shown_problem))
    if not shown.steps:
        shown.steps.append(AnimationStep("Nothing is compared: all sequences are equal, or there is only one."))
    shown.add_branches(root)
    labels = numbered_names(len(shown_problem.sequences) + 1, "s")[1:]
    labels = tuple(label.replace(" ", "") for label in labels)
    table = AnimationTable(
        "distances",
        shown.numbers,
        shown.at,
        shown.who,
        labels,
        labels,
        formula="1 \u2212 shared 6-mers / 6-mers of the one with fewer, times a factor of the lengths",
    )

    def explain(cell: Cell) -> CellFormula:
        _, i, j, _ = cell
        fewer = min(shown.totals[i], shown.totals[j])
        value = float(shown.numbers[i, j, 0])
        case = FormulaCase(
            f"(1 \u2212 {shown.count_common_words(i, j)} shared 6-mers / {fewer}) x a factor of the lengths",
            format_number(value),
            value,
        )
        return CellFormula(f"d(s{i + 1}, s{j + 1})", "value", (case,), value)

    answer = build_part_tree(shown_problem)
    return Animation(
        title,
        (table,),
        tuple(shown.steps),
        numbered_names(values["workers"], "block"),
        explain,
        answer,
        "\n".join(
            f"level {level + 1}: {size} sequences, {picks} picked, {kept} kept"
            for level, _, size, picks, kept in answer.splits.tolist()
        ),
        leaves=labels,
        branches=tuple(shown.branches),
        unit="pairs",
    )


def parse_problem(values: Mapping[str, Any]) -> PartTreeProblem:
    """Return the problem of typed sequences."""
    sequences = parse_sequences(values["sequences"], "s")
    return PartTreeProblem(tuple(sequences), values["references"], values["pick_seed"])


def draw_sequences(choose: TrialChooser) -> dict[str, Any]:
    """Draw families of sequences that differ by a few letters."""
    roots = ["".join(choose.choose_one("ACGT") for _ in range(14)) for _ in range(2)]
    found = []
    for _ in range(choose.draw_integer(2, 9)):
        letters = list(choose.choose_one(roots))
        for _ in range(choose.draw_integer(0, 3)):
            letters[choose.draw_integer(0, 13)] = choose.choose_one("ACGT")
        found.append("".join(letters))
    return {"sequences": ", ".join(found), "references": choose.draw_integer(2, 6)}


def check_answer(shown: Animation, answer: Any) -> None:
    """Check the recursion, level by level, and the tree."""
    right = answer(CRITERION) if callable(answer) else answer
    tree: Tree = right.tree
    assert np.array_equal(shown.answer.splits, right.splits)
    assert shown.answer.tree == tree
    assert len(shown.branches) == len(shown.leaves) - 1


def play_serial(shown_problem: PartTreeProblem, values: Mapping[str, Any]) -> Animation:
    """Play on one thread: every sequence is compared with a map of the 6-mers of each reference."""
    found = play_part_tree(shown_problem, {**values, "workers": 1}, "PartTree-serial")
    steps = [
        replace(
            step,
            crossings=(),
            text=step.text.replace(" at once", ", one after another"),
            held=tuple(
                replace(held, place="host memory", what="maps of the 6-mers of the references") for held in step.held
            ),
        )
        for step in found.steps
    ]
    return replace(found, steps=tuple(steps), workers=("thread",))


PARTTREE = Walkthrough(
    (SEQUENCES, REFERENCES, SEED),
    (WORKERS,),
    parse_problem,
    play_part_tree,
    draw_sequences,
    check_answer,
    lambda made: len(made.sequences) ** 2,
)
WARPS = replace(PARTTREE, animate=partial(play_part_tree, title="PartTree"))
SERIAL = replace(PARTTREE, parameters=(), animate=play_serial)
