"""Baum-Welch step by step: forward, backward, what is expected to have happened, and the model that fits it best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.hmm.sums.problem import (
    LearningAnswer,
    LearningProblem,
    build_learning_problem,
    estimate_model,
    impossible_sequence_error,
)
from antidiag.kernels.hmm.walkthroughs import inputs
from antidiag.kernels.hmm.walkthroughs.inputs import INPUTS, TABLES, THREADS
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.trials import TrialChooser
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
    format_number,
)
from antidiag.kernels.walkthroughs.typed_inputs import parse_table
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

ROUNDS = Parameter(
    name="iterations",
    kind="int",
    label="Rounds",
    help="Largest number of iterations.",
    default=2,
    minimum=1,
    maximum=20,
)
F, B, PAIRS, LETTERS, T, E, START = range(7)
FORMULAS = (
    "f(k, j) = sum over i of f(k-1, i) x t(i, j) x e(j, letter k)",
    "b(k, i) = sum over j of t(i, j) x e(j, letter k+1) x b(k+1, j)",
    "expected i, then j = sum over k of f(k, i) x t(i, j) x e(j, letter k+1) x b(k+1, j) / p",
    "expected letter in j = sum over its places k of f(k, j) x b(k, j) / p",
    "t(i, j) = expected i, then j / all that leave i",
    "e(j, x) = expected x in j / all letters in j",
    "i(j) = f(1, j) x b(1, j) / p",
)
TITLES = ("f", "b", "transitions counted", "letters counted", "t", "e", "i")


class BaumWelchRounds:
    """Tables whose layers are rounds; the tables of the model begin with the one that was given."""

    def __init__(self, problem: LearningProblem, threads: int) -> None:
        self.threads, self.model = threads, problem.hmm
        self.letters = problem.sequences[0].letters.decode("ascii")
        self.symbols = [self.model.alphabet.index(letter) for letter in self.letters]
        n, l, m = len(self.letters), len(self.model), len(self.model.alphabet)  # noqa: E741 - the paper's names
        self.n, self.state_count, self.symbol_count = n, l, m
        shapes = ((n, l), (n, l), (l, l), (l, m), (l, l), (l, m), (1, l))
        self.arrays = [plays.blank_table((*shape, problem.iterations + 1)) for shape in shapes]
        self.cases: dict[Cell, tuple[FormulaCase, ...]] = {}
        self.steps: list[AnimationStep] = []
        given = {T: self.model.transitions, E: self.model.emissions, START: self.model.initial[None]}
        for table, numbers in given.items():
            values, step_of, _ = self.arrays[table]
            values[:, :, 0], step_of[:, :, 0] = numbers, GIVEN_STEP

    def cell_value(self, cell: Cell) -> float:
        """Return the value of a cell."""
        return float(self.arrays[cell[0]][0][cell[1:]])

    def layer(self, table: int, r: int) -> np.ndarray:
        """Return the values of a table in a round."""
        return self.arrays[table][0][:, :, r]

    def write_cell(self, cell: Cell, cases: list[FormulaCase], value: float | None = None) -> None:
        """Write a cell, by default the sum of its cases."""
        values, step_of, worker_of = self.arrays[cell[0]]
        values[cell[1:]] = sum(case.value for case in cases) if value is None else value
        step_of[cell[1:]], worker_of[cell[1:]] = len(self.steps), cell[2] % self.threads
        self.cases[cell] = tuple(cases)

    def multiply_cells(self, *cells: Cell, divisor: float = 1.0) -> FormulaCase:
        """Return the product of cells, divided by the probability p where it is given."""
        values = [self.cell_value(cell) for cell in cells]
        text, filled = " x ".join(map(self.name_cell, cells)), " x ".join(map(format_number, values))
        if divisor != 1:
            text, filled = f"{text} / p", f"{filled} / {format_number(divisor)}"
        return FormulaCase(text, filled, float(np.prod(values)) / divisor, cells)

    def name_cell(self, cell: Cell) -> str:
        """Return the name of a cell in formulas."""
        table, i, j, _ = cell
        states, alphabet = self.model.states, self.model.alphabet
        row = "" if table == START else f"{i + 1}, " if table in (F, B) else f"{states[i]}, "
        return f"{TITLES[table]}({row}{alphabet[j] if table in (LETTERS, E) else states[j]})"

    def compute_forward(self, r: int) -> float:
        """Compute forward probabilities in a round, and return the probability of all letters."""
        states = range(self.state_count)
        for k, symbol in enumerate(self.symbols):
            for j in states:
                emission = (E, j, symbol, r)
                sources = [((F, k - 1, i, r), (T, i, j, r)) for i in states] if k else [((START, 0, j, r),)]
                self.write_cell((F, k, j, r), [self.multiply_cells(*source, emission) for source in sources])
            self.add_step(f"Forward, letter {k + 1}, {self.letters[k]}.", r)
        return float(self.layer(F, r)[-1].sum())

    def compute_backward(self, r: int) -> None:
        """Compute backward probabilities in a round."""
        for k in range(self.n - 1, -1, -1):
            for i in range(self.state_count):
                cases = [FormulaCase("1, for no letter follows", "", 1.0)]
                if k < self.n - 1:
                    cases = [self.multiply_cells(*self.step_cells(k, i, j, r)) for j in range(self.state_count)]
                self.write_cell((B, k, i, r), cases)
            self.add_step(f"Backward, letter {k + 1}, {self.letters[k]}.", r)

    def step_cells(self, k: int, i: int, j: int, r: int) -> tuple[Cell, Cell, Cell]:
        """Return what a transition from i to j behind letter k is worth, as cells to multiply."""
        return (T, i, j, r), (E, j, self.symbols[k + 1], r), (B, k + 1, j, r)

    def count_expected(self, r: int, total: float) -> None:
        """Compute the expected numbers of transitions, and of letters in states."""
        for i in range(self.state_count):
            for j in range(self.state_count):
                cases = [
                    self.multiply_cells((F, k, i, r), *self.step_cells(k, i, j, r), divisor=total)
                    for k in range(self.n - 1)
                ]
                self.write_cell((PAIRS, i, j, r), cases or [FormulaCase("0, for there is one letter", "0", 0.0)])
        for j in range(self.state_count):
            for x in range(self.symbol_count):
                places = [k for k, symbol in enumerate(self.symbols) if symbol == x]
                cases = [self.multiply_cells((F, k, j, r), (B, k, j, r), divisor=total) for k in places]
                self.write_cell((LETTERS, j, x, r), cases or [FormulaCase("0, for it is nowhere", "0", 0.0)])
        self.add_step("What is expected to have happened, over all paths: transitions, and letters in states.", r)

    def estimate_next_model(self, r: int, total: float) -> None:
        """Compute the next model: shares of what was counted."""
        first = self.layer(F, r)[0] * self.layer(B, r)[0] / total
        self.model = estimate_model(self.model, first, self.layer(PAIRS, r), self.layer(LETTERS, r))
        for table, counts, made in ((T, PAIRS, self.model.transitions), (E, LETTERS, self.model.emissions)):
            for i, row in enumerate(made.tolist()):
                whole = float(self.layer(counts, r)[i].sum())
                for j, value in enumerate(row):
                    source = (counts if whole > 0 else table, i, j, r)
                    text, filled = "as it was: it was never there", format_number(value)
                    if whole > 0:
                        text = f"{self.name_cell(source)} / {format_number(whole)}"
                        filled = f"{format_number(self.cell_value(source))} / {format_number(whole)}"
                    self.write_cell((table, i, j, r + 1), [FormulaCase(text, filled, value, (source,))])
        for j in range(self.state_count):
            case = self.multiply_cells((F, 0, j, r), (B, 0, j, r), divisor=total)
            self.write_cell((START, 0, j, r + 1), [case], float(self.model.initial[j]))
        self.add_step("The next model: the shares of what was counted make the letters most probable.", r)

    def add_step(self, text: str, r: int) -> None:
        """Add a step of a round."""
        row_bytes = 8 * self.state_count
        model_bytes = row_bytes * (self.state_count + self.symbol_count)
        held = HeldData("shared memory", "two rows", 2 * row_bytes)
        read = DataCrossing("the model, read", "global memory", model_bytes)
        self.steps.append(AnimationStep(text, f"round {r + 1}", (held,), (read,), barrier=True))

    def make_tables(self, rounds: int) -> tuple[AnimationTable, ...]:
        """Return the tables of the first rounds."""
        states, letters, alphabet = self.model.states, tuple(self.letters), tuple(self.model.alphabet)
        rows = (letters, letters, states, states, states, states, ())
        columns = (states, states, states, alphabet, states, alphabet, states)
        return tuple(
            AnimationTable(
                title,
                values[:, :, :rounds],
                steps[:, :, :rounds],
                workers[:, :, :rounds],
                rows=rows[table],
                columns=columns[table],
                layers=plays.numbered_names(rounds, "round"),
                versions=True,
                formula=FORMULAS[table],
                counts_cells=table in (F, B),
            )
            for table, (title, (values, steps, workers)) in enumerate(zip(TITLES, self.arrays, strict=True))
        )


def play_learning(problem: LearningProblem, values: Mapping[str, Any]) -> Animation:
    """Play rounds until the probability rises by less than the tolerance, or no round is left."""
    found, history = BaumWelchRounds(problem, values["threads"]), list[float]()
    for r in range(problem.iterations + 1):
        total = found.compute_forward(r)
        if not total:
            raise impossible_sequence_error(problem.parts[0])
        history.append(float(np.log(total)))
        if r == problem.iterations or (r and history[-1] - history[-2] < problem.tolerance):
            break
        found.compute_backward(r)
        found.count_expected(r, total)
        found.estimate_next_model(r, total)

    def explain(cell: Cell) -> CellFormula:
        cases = found.cases[cell]
        return CellFormula(found.name_cell(cell), "sum" if len(cases) > 1 else "value", cases, found.cell_value(cell))

    return Animation(
        "Baum-Welch",
        found.make_tables(len(history)),
        tuple(found.steps),
        plays.numbered_names(values["threads"], "thread"),
        explain,
        answer=LearningAnswer(found.model, tuple(history)),
        answer_text="\n".join(f"before round {r}: log p {value:.6g}" for r, value in enumerate(history, 1)),
    )


def build_typed_problem(values: Mapping[str, Any]) -> LearningProblem:
    """Build the problem of the first model and the letters that were typed."""
    typed = inputs.build_typed_problem(values)
    problem = build_learning_problem([typed.hmm, typed.sequence], {"iterations": values["iterations"]})
    if not problem.letters:
        raise InputError("letters: none; type some, such as ABBA")
    return problem


def draw_inputs(choose: TrialChooser) -> dict[str, Any]:
    """Draw a model without zeros, so that it can emit everything."""
    drawn = inputs.draw_inputs(choose)
    for name in TABLES:
        table = parse_table(drawn[name], name) + 0.125
        shares = (table / table.sum(axis=1, keepdims=True)).tolist()
        drawn[name] = "; ".join(" ".join(map(repr, row)) for row in shares)
    return {**drawn, "iterations": choose.draw_integer(1, 3)}


def assert_learned(play: Animation, answer: LearningAnswer) -> None:
    """Check how probable the letters became, and the model."""
    assert len(play.answer.log_probabilities) == len(answer.log_probabilities)
    assert np.allclose(play.answer.log_probabilities, answer.log_probabilities)
    for name in TABLES:
        assert np.allclose(getattr(play.answer.hmm, name), getattr(answer.hmm, name), atol=1e-9), name


LEARNING = Walkthrough(
    inputs=(*INPUTS, ROUNDS),
    parameters=(THREADS,),
    build_problem=build_typed_problem,
    animate=play_learning,
    draw_inputs=draw_inputs,
    assert_agrees=assert_learned,
    estimate_cells=lambda problem: problem.cells * (problem.iterations + 1) * 3,
)
