"""PartTree step by step: the pivot, the picks, the filter, who joins which pick, and the recursion into the groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.parttree.problem import FILTER, PartTreeProblem
from antidiag.kernels.parttree.problem import PARTTREE as CRITERION
from antidiag.kernels.parttree.reference import Node, Textbook, even, ordered, part_tree
from antidiag.kernels.plays.inputs import sequences_of
from antidiag.kernels.plays.model import (
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

SEQUENCES = Parameter(
    "sequences", "text", "Sequences", "Parted by commas; different ones, of some ten letters or more.",
    default="GATTACAGATTACAGA, GATTACAGATTACCGA, GATTACAGATTTCAGA, CCGGATTACAGATTAC, TTGCATGCATGGCAAT, "
    "TTGCATGCATGGCTAT, TTGCATCCATGGCAAT, ACGTTGCATGCATGGC",
)  # fmt: skip
REFERENCES = Parameter("references", "int", "References", "Sequences that are picked at every level.", default=4,
                       minimum=2, maximum=50, unit="sequences")  # fmt: skip
SEED = Parameter("pick_seed", "int", "Seed", "What decides which sequences are picked.", default=1, minimum=0,
                 maximum=1000)  # fmt: skip
WORKERS = Parameter("workers", "int", "Thread blocks", "Those that compare pairs at the same time.", default=4,
                    minimum=1, maximum=64, unit="blocks")  # fmt: skip


class _Shown(Textbook):
    """The textbook, which tells every comparison, in the order in which the method makes them."""

    def __init__(self, problem: PartTreeProblem, workers: int) -> None:
        super().__init__(problem)
        self.workers, self.count = workers, len(problem.sequences)
        self.numbers, self.at, self.who = blank((self.count, self.count, 1))
        self.steps: list[Step] = []
        self.branches: list[Branch] = []
        self.number_of: dict[int, int] = {}

    def compare(self, pairs: list[tuple[int, int]], text: str, phase: str) -> None:
        """A step: these pairs, those apart that were compared before."""
        fresh = [pair for pair in dict.fromkeys(ordered(*pair) for pair in pairs if pair[0] != pair[1])
                 if self.at[(*pair, 0)] > len(self.steps)]  # fmt: skip
        for place, pair in enumerate(fresh):
            self.numbers[(*pair, 0)] = super().distance(*pair)
            self.at[(*pair, 0)], self.who[(*pair, 0)] = len(self.steps), place % self.workers
        if fresh:
            words = sum(self.totals[j] for _, j in fresh)
            crossings = (Crossing("6-mers and their counts, read", "global memory", 8 * max(words, 1)),
                         Crossing("distances, written", "global memory", 4 * len(fresh)))  # fmt: skip
            held = Held("shared memory", "6-mer counts of the references", 4 * sum({i: self.totals[i] for i, _ in fresh}
                                                                                  .values()))  # fmt: skip
            self.steps.append(Step(f"{text}: {counted(len(fresh), 'pair')} at once.", phase, (held,), crossings))

    def mark(self, text: str, phase: str, pairs: list[tuple[int, int]]) -> None:
        """A step that decides: these comparisons are looked at."""
        marked = tuple((0, *ordered(*pair), 0) for pair in pairs if pair[0] != pair[1])
        if marked:
            self.steps.append(Step(text, phase, marked=marked))

    def tree(self, members: list[int], level: int = 0) -> Node:
        if len(members) == 1:
            return self.leaf(members[0])
        phase = f"level {level + 1}"
        pivot = max(members, key=lambda one: (self.totals[one], -one))
        self.compare([(pivot, one) for one in members],
                     f"{counted(len(members), 'sequence')}: all are held against the pivot, {self.name(pivot)}, which "
                     "has the most 6-mers", phase)  # fmt: skip
        away = {one: -1.0 if one == pivot else self.distance(pivot, one) for one in members}
        most = max(away.values())
        if self.totals[pivot] == 0 or most <= 0:
            self.splits.append((level, pivot, len(members), 0, 0))
            return even([self.leaf(one) for one in members])
        ranked = sorted(members, key=lambda one: (away[one], one))
        picks = self.picks(ranked, level)
        self.mark(f"Picked are {self.named(picks)}: the pivot, the farthest, the one in the middle, others by chance.",
                  phase, [(pivot, one) for one in picks])  # fmt: skip
        self.compare(
            [(one, other) for one in picks for other in picks], "The picks are compared with each other", phase
        )
        kept = self.filtered(picks, most)
        self.splits.append((level, pivot, len(members), len(picks), len(kept)))
        dropped = [one for one in picks if one not in kept]
        if dropped:
            self.mark(f"Dropped for being too near to another pick: {self.named(dropped)}.", phase,
                      [(one, other) for one in dropped for other in kept
                       if self.distance(other, one) < FILTER * most])  # fmt: skip
        others = [one for one in members if one not in kept]
        self.compare([(other, one) for one in others for other in kept],
                     f"All others are held against {counted(len(kept), 'reference')}", phase)  # fmt: skip
        groups: dict[int, list[int]] = {one: [] for one in kept}
        for one in members:
            nearest = one if one in groups else min(kept, key=lambda other: self.distance(one, other))
            groups[nearest].append(one)
        told = "; ".join(self.named(group) for group in groups.values())
        self.mark(f"Each joins its nearest reference. Groups: {told}.", phase,
                  [(one, home) for home, group in groups.items() for one in group])  # fmt: skip
        return self.joined(kept, [self.tree(group, level + 1) for group in groups.values()])

    def name(self, one: int) -> str:
        return f"s{one + 1}"

    def named(self, several: list[int]) -> str:
        return ", ".join(map(self.name, sorted(several)))

    def grow(self, root: Node) -> None:
        """Steps for the nodes of the tree, from the leaves up."""
        if root.sequence >= 0:
            self.number_of[id(root)] = root.sequence
            return
        for child in root.children:
            self.grow(child)
        node = self.count + len(self.branches)
        self.number_of[id(root)] = node
        lengths = tuple(max(root.height - child.height, 0.0) for child in root.children)
        self.branches.append(Branch(node, tuple(self.number_of[id(child)] for child in root.children), root.height,
                                    len(self.steps) - 1, lengths))  # fmt: skip


def play(made: PartTreeProblem, values: Mapping[str, Any], title: str = "CUDA-Parttree") -> Play:
    """The recursion, and the tree of each level put together."""
    shown = _Shown(made, values["workers"])
    first = [at for at, one in enumerate(made.sequences)
             if all(other.letters != one.letters for other in made.sequences[:at])]  # fmt: skip
    root = shown.tree(first)
    if not shown.steps:
        shown.steps.append(Step("Nothing is compared: all sequences are equal, or there is one alone."))
    shown.grow(root)
    labels = names(len(made.sequences) + 1, "s")[1:]
    labels = tuple(label.replace(" ", "") for label in labels)
    table = Table(
        "distances",
        shown.numbers,
        shown.at,
        shown.who,
        labels,
        labels,
        formula="1 \u2212 shared 6-mers / 6-mers of the one with fewer, times a factor of the lengths",
    )

    def explain(cell: Cell) -> Formula:
        _, i, j, _ = cell
        fewer = min(shown.totals[i], shown.totals[j])
        value = float(shown.numbers[i, j, 0])
        case = Case(f"(1 \u2212 {shown.common(i, j)} shared 6-mers / {fewer}) x a factor of the lengths", number(value),
                    value)  # fmt: skip
        return Formula(f"d(s{i + 1}, s{j + 1})", "value", (case,), value)

    answer = part_tree(made)
    return Play(title, (table,), tuple(shown.steps), names(values["workers"], "block"), explain, answer,
                "\n".join(f"level {level + 1}: {size} sequences, {picks} picked, {kept} kept"
                          for level, _, size, picks, kept in answer.splits.tolist()),
                leaves=labels, branches=tuple(shown.branches), unit="pairs")  # fmt: skip


def problem(values: Mapping[str, Any]) -> PartTreeProblem:
    """The sequences that were typed."""
    sequences = sequences_of(values["sequences"], "s")
    return PartTreeProblem(tuple(sequences), values["references"], values["pick_seed"])


def draw(choose: Choose) -> dict[str, Any]:
    """Families of sequences that differ by a few letters."""
    roots = ["".join(choose.of("ACGT") for _ in range(14)) for _ in range(2)]
    found = []
    for _ in range(choose.integer(2, 9)):
        letters = list(choose.of(roots))
        for _ in range(choose.integer(0, 3)):
            letters[choose.integer(0, 13)] = choose.of("ACGT")
        found.append("".join(letters))
    return {"sequences": ", ".join(found), "references": choose.integer(2, 6)}


def agrees(shown: Play, answer: Any) -> None:
    """The recursion, level by level, and the tree."""
    right = answer(CRITERION) if callable(answer) else answer
    tree: Tree = right.tree
    assert np.array_equal(shown.answer.splits, right.splits)
    assert shown.answer.tree == tree
    assert len(shown.branches) == len(shown.leaves) - 1


def serial(made: PartTreeProblem, values: Mapping[str, Any]) -> Play:
    """One thread: every sequence against a map of the 6-mers of each reference."""
    found = play(made, {**values, "workers": 1}, "PartTree-serial")
    steps = [replace(step, crossings=(), text=step.text.replace(" at once", ", one after another"),
                     held=tuple(replace(held, place="host memory", what="maps of the 6-mers of the references")
                                for held in step.held)) for step in found.steps]  # fmt: skip
    return replace(found, steps=tuple(steps), workers=("thread",))


PARTTREE = Staging((SEQUENCES, REFERENCES, SEED), (WORKERS,), problem, play, draw, agrees,
                   lambda made: len(made.sequences) ** 2)  # fmt: skip
WARPS = replace(PARTTREE, play=partial(play, title="PartTree"))
SERIAL = replace(PARTTREE, parameters=(), play=serial)
