"""Consistency step by step: posteriors of all pairs, each pair by way of all others, joins along the tree, refinement.

Numbers are those of the method itself, which is asked stage by stage on one thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from antidiag.kernels.io.aligned import GAP
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.plays import draw
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.parameters import Parameter
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

SEQUENCES = Parameter("sequences", "text", "Sequences", "Parted by commas.", default="GATTACA, GATCA, GCTTACA")
WORKERS = Parameter("workers", "int", "Workers", "Those that take pairs at the same time.", default=2, minimum=1,
                    maximum=16, unit="workers")  # fmt: skip


@dataclass
class _Heard:
    """The stages of the method, which remember what came out of each."""

    stages: Any
    rounds: list[Any] = field(default_factory=list)
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0))
    own: float = 0.0

    def posteriors(self, sequences: Any, models: Any) -> Any:
        self.rounds.append(self.stages.posteriors(sequences, models))
        return self.rounds[-1]

    def consistent(self, found: Any, chosen: Any, weights: np.ndarray, own: float, part: tuple[int, int]) -> Any:
        self.weights, self.own = weights, own
        self.rounds.append(self.stages.consistent(found, chosen, weights, own, part))
        return self.rounds[-1]

    def accuracies(self, found: Any) -> np.ndarray:
        accuracies: np.ndarray = self.stages.accuracies(found)
        return accuracies

    def scorer(self, found: Any, weights: np.ndarray) -> Any:
        return self.stages.scorer(found, weights)

    def laid_out(self, lengths: np.ndarray, parts: Any) -> Any:
        return self.stages.laid_out(lengths, parts)

    def told(self, monitor: Monitor) -> _Heard:
        return replace(self, stages=self.stages.told(monitor))


class _Told:
    """The run of a problem, as tables: one for each pair of sequences, then the rows."""

    def __init__(self, made: MsaProblem, workers: int) -> None:
        from antidiag.kernels.msa.consistency import engine, running  # loads Numba, which declaring does not need
        from antidiag.kernels.msa.consistency.recipe import recipe
        from antidiag.kernels.msa.consistency.telling import Told

        self.made, self.workers, self.monitor = made, workers, Monitor()
        own = recipe(made)
        self.heard = _Heard(engine.CpuStages(1, self.monitor, own.cut))
        self.ready = engine.prepared(running.codes(made), own, self.heard, 1, self.monitor, Told())
        self.aligner = self.ready.aligner(1)
        self.letters = [made.sequences[at].letters.decode("ascii") for at in made.filled]
        self.n = len(self.letters)
        self.pairs = list(combinations(range(self.n), 2))
        self.versions = [(np.array(self.aligner.places), max(map(len, self.letters)))]
        self.members = [[x] for x in range(self.n)]
        columns = [len(word) for word in self.letters]
        for first, second in self.ready.joins.tolist():
            both = [np.array(self.members[at]) for at in (first, second)]
            columns.append(self.aligner.joined(both[0], both[1], (columns[first], columns[second]), self.monitor))
            self.members.append(self.members[first] + self.members[second])
            self.versions.append((np.array(self.aligner.places), max(columns[-1], self.versions[-1][1])))
        width = self.aligner.refined(columns[-1], own.refinements, own.seed, self.monitor)
        self.versions.append((np.array(self.aligner.places), width))
        self.answer: MsaAnswer = running.told(made, self.ready.aligned(self.aligner, width, self.monitor))
        self.steps: list[Step] = []
        self.branches: list[Branch] = []
        self.dense = [{(x, y): one.dense(x, y) for x in range(self.n) for y in range(self.n) if x != y}
                      for one in self.heard.rounds]  # fmt: skip

    def name(self, x: int) -> str:
        return self.made.sequences[self.made.filled[x]].name

    # Posteriors

    def tables(self) -> list[Table]:
        """Of every pair the posteriors of each round."""
        rounds, found = len(self.heard.rounds), []
        for x, y in self.pairs:
            shape = len(self.letters[x]), len(self.letters[y]), rounds
            values, at, who = blank(shape)
            for layer, one in enumerate(self.dense):
                values[:, :, layer] = one[x, y]
            found.append((values, at, who))
        for layer in range(rounds):
            for first in range(0, len(self.pairs), self.workers):
                here = range(first, min(first + self.workers, len(self.pairs)))
                for worker, pair in enumerate(here):
                    found[pair][1][:, :, layer], found[pair][2][:, :, layer] = len(self.steps), worker
                self.tell_pairs(layer, list(here))
        return [
            Table(f"P({self.name(x)}, {self.name(y)})", values, at, who, tuple(self.letters[x]), tuple(self.letters[y]),
                  ("posteriors", *names(rounds, "round")[1:]), versions=True,
                  formula="the share of all alignments, by how probable they are, that pair two letters")
            for (x, y), (values, at, who) in zip(self.pairs, found, strict=True)
        ]  # fmt: skip

    def tell_pairs(self, layer: int, here: list[int]) -> None:
        cells = sum(len(self.letters[x]) * len(self.letters[y]) for x, y in (self.pairs[at] for at in here))
        several = counted(len(here), "pair")
        if not layer:
            text = f"Posteriors of {several} at once, forward and backward over all alignments: {cells} cells."
        else:
            text = f"Round {layer} of consistency, {several} at once: each by way of all others."
        self.steps.append(Step(
            text, f"round {layer}" if layer else "posteriors",
            (Held("global memory", "posteriors that are not too small, a letter and a share each", 4 * cells),),
            (Crossing("posteriors, written", "global memory", 4 * cells),),
            barrier=here[-1] == len(self.pairs) - 1,
        ))  # fmt: skip

    def posterior(self, cell: Cell) -> Formula:
        (x, y), i, j, layer = self.pairs[cell[0]], cell[1], cell[2], cell[3]
        value = float(self.dense[layer][x, y][i, j])
        left = f"P({self.letters[x][i]}{i + 1} of {self.name(x)}, {self.letters[y][j]}{j + 1} of {self.name(y)})"
        if not layer:
            text = "forward up to here x backward from here / all alignments, over the models; very small ones are 0"
            return Formula(left, "value", (Case(text, "", value),), value)
        before, weights = self.dense[layer - 1], self.heard.weights
        own = self.heard.own * float(weights[x] + weights[y])
        parts, sources, total = [f"{number(round(own, 3))} x {number(before[x, y][i, j])}"], [], own
        sources.append((cell[0], i, j, layer - 1))
        for z in (z for z in range(self.n) if z not in (x, y)):
            total += float(weights[z])
            for k in range(len(self.letters[z])):
                one, other = before[x, z][i, k], before[z, y][k, j]
                if one and other:
                    parts.append(f"{number(round(float(weights[z]), 3))} x {number(one)} x {number(other)}")
                    sources += [self.place(x, z, i, k, layer - 1), self.place(z, y, k, j, layer - 1)]
        text = f"( own weight x P + the sum over letters of others of weight x P x P ) / {number(round(total, 3))}"
        filled = f"( {' + '.join(parts)} ) / {number(round(total, 3))}"
        return Formula(left, "value", (Case(text, filled, value, tuple(sources), "in whole parts of 65,536"),), value)

    def place(self, x: int, y: int, i: int, j: int, layer: int) -> Cell:
        """The cell of two letters, whichever sequence is the first."""
        return (self.pairs.index((x, y)), i, j, layer) if x < y else (self.pairs.index((y, x)), j, i, layer)

    # Rows

    def rows(self) -> Table:
        """The letters of all sequences, join by join, then refined."""
        width = max(columns for _, columns in self.versions)
        shape = self.n, width, len(self.versions)
        values, at, who = blank(shape)
        heights = dict.fromkeys(range(self.n), 0)
        nodes = list(range(self.n))
        for x, word in enumerate(self.letters):
            values[x, : len(word), 0], at[x, : len(word), 0] = [ord(letter) for letter in word], GIVEN
        for layer, (first, second) in enumerate(self.ready.joins.tolist(), 1):
            node = self.n + layer - 1
            heights[node] = 1 + max(heights[first], heights[second])
            nodes.append(node)
            self.branches.append(Branch(node, (first, second), heights[node], len(self.steps)))
            self.put(values, at, who, layer, self.members[node])
            sides = [" ".join(map(self.name, self.members[child])) for child in (first, second)]
            self.tell_rows(f"({sides[0]}) with ({sides[1]}): the columns whose posteriors add up to the most; gaps "
                           "cost nothing.", "joins")  # fmt: skip
        self.put(values, at, who, len(self.versions) - 1, list(range(self.n)))
        self.tell_rows("The rows are parted at columns by chance and merged again, where that gains; the alignment.",
                       "refinement")  # fmt: skip
        layers = ("letters", *(f"join {at}" for at in range(1, len(self.versions) - 1)), "refined")
        return Table("rows", values, at, who, tuple(map(self.name, range(self.n))), (), layers, versions=True,
                     letters=True, formula="the columns whose posteriors add up to the most")  # fmt: skip

    def put(self, values: np.ndarray, at: np.ndarray, who: np.ndarray, layer: int, members: list[int]) -> None:
        """The rows of some sequences after a join."""
        width = max(self.columns_of(layer, x)[-1] for x in members) + 1
        for x in members:
            values[x, :width, layer] = GAP
            values[x, self.columns_of(layer, x), layer] = [ord(letter) for letter in self.letters[x]]
            at[x, :width, layer], who[x, :width, layer] = len(self.steps), 0

    def columns_of(self, layer: int, x: int) -> np.ndarray:
        """The columns in which the letters of a sequence stand."""
        start = self.aligner.starts[x]
        found: np.ndarray = self.versions[layer][0][start : start + len(self.letters[x])]
        return found

    def tell_rows(self, text: str, phase: str) -> None:
        letters = sum(map(len, self.letters))
        held = Held("host memory", "the columns of all letters", 4 * letters)
        crossing = Crossing("columns, written", "global memory", 4 * letters)
        self.steps.append(Step(text, phase, (held,), (crossing,), barrier=True))

    def row_cell(self, cell: Cell, at: np.ndarray) -> Formula:
        table, x, column, layer = cell
        left, columns = f"row {self.name(x)}, column {column + 1}", self.columns_of(layer, x).tolist()
        if column not in columns:
            return Formula(left, "value", (Case("a gap", "-", float(GAP)),), float(GAP))
        letter, before = columns.index(column), layer - 1
        while at[x, self.columns_of(before, x)[letter], before] > len(self.steps):  # that join was of others
            before -= 1
        then = int(self.columns_of(before, x)[letter])
        value = float(ord(self.letters[x][letter]))
        case = Case(f"letter {letter + 1} of {self.name(x)}", self.letters[x][letter], value,
                    ((table, x, then, before),))  # fmt: skip
        return Formula(left, "value", (case,), value)


def play(made: MsaProblem, values: Mapping[str, Any]) -> Play:
    """Stage by stage."""
    told = _Told(made, values["workers"])
    tables = told.tables()
    rows = told.rows()
    final = "\n".join(row.tobytes().decode("ascii") for row in told.answer.alignment.letters)

    def explain(cell: Cell) -> Formula:
        return told.posterior(cell) if cell[0] < len(tables) else told.row_cell(cell, rows.step_of)

    return Play("Consistency", (*tables, rows), tuple(told.steps), names(told.workers, "worker"), explain,
                (made, told.answer), final, leaves=tuple(map(told.name, range(told.n))),
                branches=tuple(told.branches))  # fmt: skip


def problem(values: Mapping[str, Any]) -> MsaProblem:
    """The sequences that were typed."""
    from antidiag.kernels.msa import CONSISTENCY_PROBLEM  # it names these plays

    return CONSISTENCY_PROBLEM.make(sequences_of(values["sequences"], "s"), {})


def agrees(shown: Play, answer: None) -> None:
    """There is no textbook of the whole: the rows are those of the method, run as a whole."""
    from antidiag.kernels.msa.consistency.cpu import msa
    from antidiag.kernels.steps import Steps

    made, found = shown.answer
    right = msa(made, {"threads": 1}, Monitor(), Steps()).answer
    assert np.array_equal(found.alignment.letters, right.alignment.letters)


CONSISTENCY = Staging((SEQUENCES,), (WORKERS,), problem, play, draw, agrees,
                      lambda made: 3 * made.cells)  # fmt: skip
