"""Consistency step by step: posteriors of all pairs, consistency rounds, joins along the tree, and refinement.

The numbers are those of the method, run stage by stage on one thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem
from antidiag.kernels.msa.walkthroughs.progressive_alignment import draw_inputs
from antidiag.kernels.text import format_count
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

if TYPE_CHECKING:
    from antidiag.kernels.msa.consistency.solver import ConsistencyStages

SEQUENCES = rows_input("sequences", "Sequences", "Separated by commas.", "GATTACA, GATCA, GCTTACA")
WORKERS = count_input("workers", "Workers", "Workers that take pairs at the same time.", 2, "workers")


@dataclass
class _RecordedStages:
    """The stages of the method, which record their results."""

    stages: ConsistencyStages
    rounds: list[Any] = field(default_factory=list)
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0))
    own: float = 0.0

    def compute_posteriors(self, sequences: Any, models: Any) -> Any:
        self.rounds.append(self.stages.compute_posteriors(sequences, models))
        return self.rounds[-1]

    def apply_consistency(
        self, posteriors: Any, chosen: Any, weights: np.ndarray, own_weight: float, round_number: tuple[int, int]
    ) -> Any:
        self.weights, self.own = weights, own_weight
        self.rounds.append(self.stages.apply_consistency(posteriors, chosen, weights, own_weight, round_number))
        return self.rounds[-1]

    def compute_accuracies(self, posteriors: Any) -> np.ndarray:
        accuracies: np.ndarray = self.stages.compute_accuracies(posteriors)
        return accuracies

    def make_scorer(self, posteriors: Any, weights: np.ndarray) -> Any:
        return self.stages.make_scorer(posteriors, weights)

    def lay_out_pairs(self, lengths: np.ndarray, parts: Any) -> Any:
        return self.stages.lay_out_pairs(lengths, parts)

    def with_monitor(self, monitor: Monitor) -> _RecordedStages:
        return replace(self, stages=self.stages.with_monitor(monitor))


class _ConsistencyAnimation:
    """The run of a problem as tables: one for each pair of sequences, then the rows."""

    def __init__(self, problem: MsaProblem, workers: int) -> None:
        from antidiag.kernels.cpu.cpu_run import CpuRun
        from antidiag.kernels.msa.consistency import (  # loads Numba, which a declaration does not need
            method_run,
            solver,
        )
        from antidiag.kernels.msa.consistency.posteriors import cpu_stages
        from antidiag.kernels.msa.consistency.recipe import make_recipe
        from antidiag.kernels.msa.consistency.stage_observer import StageObserver

        self.made, self.workers = problem, workers
        own, run = make_recipe(problem), CpuRun()
        self.recorded = _RecordedStages(cpu_stages.CpuStages(run, own.cut))
        self.ready = solver.prepare_alignment(
            method_run.encode_sequences(problem), own, self.recorded, run, StageObserver()
        )
        self.aligner = self.ready.make_aligner(run)
        self.letters = [problem.sequences[at].letters.decode("ascii") for at in problem.filled]
        self.n = len(self.letters)
        self.pairs = list(combinations(range(self.n), 2))
        self.versions = [(np.array(self.aligner.places), max(map(len, self.letters)))]
        self.members = [[x] for x in range(self.n)]
        columns = [len(word) for word in self.letters]
        for first, second in self.ready.joins.tolist():
            both = [np.array(self.members[at]) for at in (first, second)]
            columns.append(self.aligner.join_groups(both[0], both[1], (columns[first], columns[second])))
            self.members.append(self.members[first] + self.members[second])
            self.versions.append((np.array(self.aligner.places), max(columns[-1], self.versions[-1][1])))
        width = self.aligner.refine_alignment(columns[-1], own.refinements, own.seed)
        self.versions.append((np.array(self.aligner.places), width))
        self.answer: MsaAnswer = method_run.make_consistency_answer(
            problem, self.ready.finish_alignment(self.aligner, width)
        )
        self.steps: list[AnimationStep] = []
        self.branches: list[AnimationBranch] = []
        self.dense = [
            {(x, y): one.dense(x, y) for x in range(self.n) for y in range(self.n) if x != y}
            for one in self.recorded.rounds
        ]

    def sequence_name(self, x: int) -> str:
        return self.made.sequences[self.made.filled[x]].name

    # Posteriors

    def posterior_tables(self) -> list[AnimationTable]:
        """Return the posteriors of every pair in each round."""
        rounds, found = len(self.recorded.rounds), []
        for x, y in self.pairs:
            shape = len(self.letters[x]), len(self.letters[y]), rounds
            values, at, who = blank_table(shape)
            for layer, one in enumerate(self.dense):
                values[:, :, layer] = one[x, y]
            found.append((values, at, who))
        for layer in range(rounds):
            for first in range(0, len(self.pairs), self.workers):
                here = range(first, min(first + self.workers, len(self.pairs)))
                for worker, pair in enumerate(here):
                    found[pair][1][:, :, layer], found[pair][2][:, :, layer] = len(self.steps), worker
                self.describe_pairs(layer, list(here))
        return [
            AnimationTable(
                f"P({self.sequence_name(x)}, {self.sequence_name(y)})",
                values,
                at,
                who,
                tuple(self.letters[x]),
                tuple(self.letters[y]),
                ("posteriors", *numbered_names(rounds, "round")[1:]),
                versions=True,
                formula="the share of all alignments, by how probable they are, that pair two letters",
            )
            for (x, y), (values, at, who) in zip(self.pairs, found, strict=True)
        ]

    def describe_pairs(self, layer: int, here: list[int]) -> None:
        cells = sum(len(self.letters[x]) * len(self.letters[y]) for x, y in (self.pairs[at] for at in here))
        several = format_count(len(here), "pair")
        if not layer:
            text = f"Posteriors of {several} at once, forward and backward over all alignments: {cells} cells."
        else:
            text = f"Round {layer} of consistency, {several} at once: each by way of all others."
        self.steps.append(
            AnimationStep(
                text,
                f"round {layer}" if layer else "posteriors",
                (HeldData("global memory", "posteriors that are not too small, a letter and a share each", 4 * cells),),
                (DataCrossing("posteriors, written", "global memory", 4 * cells),),
                barrier=here[-1] == len(self.pairs) - 1,
            )
        )

    def explain_posterior(self, cell: Cell) -> CellFormula:
        (x, y), i, j, layer = self.pairs[cell[0]], cell[1], cell[2], cell[3]
        value = float(self.dense[layer][x, y][i, j])
        left = (
            f"P({self.letters[x][i]}{i + 1} of {self.sequence_name(x)}, {self.letters[y][j]}{j + 1} of "
            f"{self.sequence_name(y)})"
        )
        if not layer:
            text = "forward up to here x backward from here / all alignments, over the models; very small ones are 0"
            return CellFormula(left, "value", (FormulaCase(text, "", value),), value)
        before, weights = self.dense[layer - 1], self.recorded.weights
        own = self.recorded.own * float(weights[x] + weights[y])
        parts, sources, total = [f"{format_number(round(own, 3))} x {format_number(before[x, y][i, j])}"], [], own
        sources.append((cell[0], i, j, layer - 1))
        for z in (z for z in range(self.n) if z not in (x, y)):
            total += float(weights[z])
            for k in range(len(self.letters[z])):
                one, other = before[x, z][i, k], before[z, y][k, j]
                if one and other:
                    parts.append(
                        f"{format_number(round(float(weights[z]), 3))} x {format_number(one)} x {format_number(other)}"
                    )
                    sources += [self.pair_cell(x, z, i, k, layer - 1), self.pair_cell(z, y, k, j, layer - 1)]
        text = (
            f"( own weight x P + the sum over letters of others of weight x P x P ) / {format_number(round(total, 3))}"
        )
        filled = f"( {' + '.join(parts)} ) / {format_number(round(total, 3))}"
        return CellFormula(
            left, "value", (FormulaCase(text, filled, value, tuple(sources), "in whole parts of 65,536"),), value
        )

    def pair_cell(self, x: int, y: int, i: int, j: int, layer: int) -> Cell:
        """Return the cell of two letters, in either order of the sequences."""
        return (self.pairs.index((x, y)), i, j, layer) if x < y else (self.pairs.index((y, x)), j, i, layer)

    # Rows

    def row_table(self) -> AnimationTable:
        """Return the letters of all sequences after each join and after refinement."""
        width = max(columns for _, columns in self.versions)
        shape = self.n, width, len(self.versions)
        values, at, who = blank_table(shape)
        heights = dict.fromkeys(range(self.n), 0)
        nodes = list(range(self.n))
        for x, word in enumerate(self.letters):
            values[x, : len(word), 0], at[x, : len(word), 0] = [ord(letter) for letter in word], GIVEN_STEP
        for layer, (first, second) in enumerate(self.ready.joins.tolist(), 1):
            node = self.n + layer - 1
            heights[node] = 1 + max(heights[first], heights[second])
            nodes.append(node)
            self.branches.append(AnimationBranch(node, (first, second), heights[node], len(self.steps)))
            self.fill_rows(values, at, who, layer, self.members[node])
            sides = [" ".join(map(self.sequence_name, self.members[child])) for child in (first, second)]
            self.describe_join(
                f"({sides[0]}) with ({sides[1]}): the columns whose posteriors add up to the most; gaps cost nothing.",
                "joins",
            )
        self.fill_rows(values, at, who, len(self.versions) - 1, list(range(self.n)))
        self.describe_join(
            "The rows are parted at columns by chance and merged again, where that gains; the alignment.", "refinement"
        )
        layers = ("letters", *(f"join {at}" for at in range(1, len(self.versions) - 1)), "refined")
        return AnimationTable(
            "rows",
            values,
            at,
            who,
            tuple(map(self.sequence_name, range(self.n))),
            (),
            layers,
            versions=True,
            letters=True,
            formula="the columns whose posteriors add up to the most",
        )

    def fill_rows(
        self, values: np.ndarray, step_numbers: np.ndarray, worker_numbers: np.ndarray, layer: int, members: list[int]
    ) -> None:
        """Enter the rows of some sequences after a join."""
        width = max(self.letter_columns(layer, x)[-1] for x in members) + 1
        for x in members:
            values[x, :width, layer] = GAP
            values[x, self.letter_columns(layer, x), layer] = [ord(letter) for letter in self.letters[x]]
            step_numbers[x, :width, layer], worker_numbers[x, :width, layer] = len(self.steps), 0

    def letter_columns(self, layer: int, x: int) -> np.ndarray:
        """Return the columns of a sequence's letters."""
        start = self.aligner.starts[x]
        found: np.ndarray = self.versions[layer][0][start : start + len(self.letters[x])]
        return found

    def describe_join(self, text: str, phase: str) -> None:
        letters = sum(map(len, self.letters))
        held = HeldData("host memory", "the columns of all letters", 4 * letters)
        crossing = DataCrossing("columns, written", "global memory", 4 * letters)
        self.steps.append(AnimationStep(text, phase, (held,), (crossing,), barrier=True))

    def explain_row_cell(self, cell: Cell, step_numbers: np.ndarray) -> CellFormula:
        table, x, column, layer = cell
        left, columns = f"row {self.sequence_name(x)}, column {column + 1}", self.letter_columns(layer, x).tolist()
        if column not in columns:
            return CellFormula(left, "value", (FormulaCase("a gap", "-", float(GAP)),), float(GAP))
        letter, before = columns.index(column), layer - 1
        while step_numbers[x, self.letter_columns(before, x)[letter], before] > len(
            self.steps
        ):  # a join of other sequences
            before -= 1
        then = int(self.letter_columns(before, x)[letter])
        value = float(ord(self.letters[x][letter]))
        case = FormulaCase(
            f"letter {letter + 1} of {self.sequence_name(x)}",
            self.letters[x][letter],
            value,
            ((table, x, then, before),),
        )
        return CellFormula(left, "value", (case,), value)


def animate_consistency(problem: MsaProblem, values: Mapping[str, Any]) -> Animation:
    """Animate the stages of the method."""
    animated = _ConsistencyAnimation(problem, values["workers"])
    tables = animated.posterior_tables()
    rows = animated.row_table()
    final = "\n".join(row.tobytes().decode("ascii") for row in animated.answer.alignment.letters)

    def explain(cell: Cell) -> CellFormula:
        return (
            animated.explain_posterior(cell) if cell[0] < len(tables) else animated.explain_row_cell(cell, rows.step_of)
        )

    return Animation(
        "Consistency",
        (*tables, rows),
        tuple(animated.steps),
        numbered_names(animated.workers, "worker"),
        explain,
        (problem, animated.answer),
        final,
        leaves=tuple(map(animated.sequence_name, range(animated.n))),
        branches=tuple(animated.branches),
    )


def build_problem(values: Mapping[str, Any]) -> MsaProblem:
    """Build the problem of the typed sequences."""
    from antidiag.kernels.msa import CONSISTENCY_PROBLEM  # it names these plays

    return CONSISTENCY_PROBLEM.make_problem(parse_sequences(values["sequences"], "s"), {})


def check_answer(shown: Animation, answer: None) -> None:
    """Check that the rows equal those of a whole run; there is no textbook method."""
    from antidiag.kernels.msa.consistency.cpu import align_sequences
    from antidiag.kernels.msa.parameters import PosteriorParameters
    from antidiag.kernels.steps import StepLog

    made, found = shown.answer
    right = align_sequences(made, PosteriorParameters(threads=1, warps=1), Monitor(), StepLog()).answer
    assert np.array_equal(found.alignment.letters, right.alignment.letters)


CONSISTENCY = Walkthrough(
    (SEQUENCES,), (WORKERS,), build_problem, animate_consistency, draw_inputs, check_answer, lambda made: 3 * made.cells
)
