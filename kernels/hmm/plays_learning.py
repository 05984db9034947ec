"""Baum-Welch step by step: forward, backward, what is expected to have happened, and the model that fits it best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.hmm.plays import INPUTS, THREADS
from antidiag.kernels.hmm.plays import draw as draw_model
from antidiag.kernels.hmm.plays import problem as one_problem
from antidiag.kernels.hmm.sums.problem import LearningAnswer, LearningProblem, build_learning, cannot_emit, estimated
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import table_of
from antidiag.kernels.plays.model import (
    GIVEN,
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
from antidiag.kernels.trials import Choose

ROUNDS = Parameter("iterations", "int", "Rounds", "Rounds of counting and estimating at most.", default=2, minimum=1,
                   maximum=20)  # fmt: skip
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


class _Rounds:
    """Tables whose layers are rounds; those of the model begin with the one that was given."""

    def __init__(self, made: LearningProblem, threads: int) -> None:
        self.made, self.threads, self.model = made, threads, made.hmm
        self.letters = made.sequences[0].letters.decode("ascii")
        self.seen = [made.hmm.alphabet.index(letter) for letter in self.letters]
        self.n, self.l, self.m = len(self.seen), len(made.hmm), len(made.hmm.alphabet)
        rounds, size, n, m = made.iterations + 1, self.l, self.n, self.m
        shapes = ((n, size), (n, size), (size, size), (size, m), (size, size), (size, m), (1, size))
        self.found = [blank((*shape, rounds)) for shape in shapes]
        self.cases: dict[Cell, tuple[Case, ...]] = {}
        self.steps: list[Step] = []
        self.history: list[float] = []
        model = self.model
        for place, values in ((T, model.transitions), (E, model.emissions), (START, model.initial[None])):
            self.found[place][0][:, :, 0], self.found[place][1][:, :, 0] = values, GIVEN

    def value(self, cell: Cell) -> float:
        return float(self.found[cell[0]][0][cell[1:]])

    def write(self, cell: Cell, cases: list[Case], value: float | None = None) -> None:
        values, at, who = self.found[cell[0]]
        values[cell[1:]] = sum(case.value for case in cases) if value is None else value
        at[cell[1:]], who[cell[1:]] = len(self.steps), cell[2] % self.threads
        self.cases[cell] = tuple(cases)

    def factors(self, *cells: Cell, divided: float = 1.0) -> Case:
        """A product of cells, divided by a number that is known."""
        values = [self.value(cell) for cell in cells]
        over = f" / {number(divided)}" if divided != 1 else ""
        text = " x ".join(map(self.name, cells)) + (" / p" if over else "")
        return Case(text, " x ".join(map(number, values)) + over,
                    float(np.prod(values)) / divided, cells)  # fmt: skip

    def name(self, cell: Cell) -> str:
        table, i, j, _ = cell
        states, alphabet = self.model.states, self.model.alphabet
        row = "" if table == START else f"{i + 1}, " if table in (F, B) else f"{states[i]}, "
        return f"{TITLES[table]}({row}{alphabet[j] if table in (LETTERS, E) else states[j]})"

    def forward(self, r: int) -> float:
        for k in range(self.n):
            for j in range(self.l):
                emission = (E, j, self.seen[k], r)
                self.write((F, k, j, r), [self.factors((START, 0, j, r), emission)] if not k else [
                    self.factors((F, k - 1, i, r), (T, i, j, r), emission) for i in range(self.l)])  # fmt: skip
            self.tell(f"Forward, letter {k + 1}, {self.letters[k]}.", r)
        return float(self.found[F][0][-1, :, r].sum())

    def backward(self, r: int) -> None:
        for k in range(self.n - 1, -1, -1):
            for i in range(self.l):
                self.write((B, k, i, r), [Case("1, for no letter follows", "", 1.0)] if k == self.n - 1 else [
                    self.factors((T, i, j, r), (E, j, self.seen[k + 1], r), (B, k + 1, j, r))
                    for j in range(self.l)])  # fmt: skip
            self.tell(f"Backward, letter {k + 1}, {self.letters[k]}.", r)

    def count(self, r: int, total: float) -> None:
        """What is expected of this model: transitions, and letters in states."""
        for i in range(self.l):
            for j in range(self.l):
                self.write((PAIRS, i, j, r), [
                    self.factors((F, k, i, r), (T, i, j, r), (E, j, self.seen[k + 1], r), (B, k + 1, j, r),
                                 divided=total)
                    for k in range(self.n - 1)] or [Case("0, for there is one letter", "0", 0.0)])  # fmt: skip
        for j in range(self.l):
            for x in range(self.m):
                self.write((LETTERS, j, x, r), [
                    self.factors((F, k, j, r), (B, k, j, r), divided=total)
                    for k in range(self.n) if self.seen[k] == x
                ] or [Case("0, for it is nowhere", "0", 0.0)])  # fmt: skip
        self.tell("What is expected to have happened, over all paths: transitions, and letters in states.", r)

    def estimate(self, r: int, total: float) -> None:
        """The next model: shares of what was counted."""
        pairs, letters = (self.found[place][0][:, :, r] for place in (PAIRS, LETTERS))
        first = self.found[F][0][0, :, r] * self.found[B][0][0, :, r] / total
        self.model = estimated(self.model, first, pairs, letters)
        for place, counts, made in ((T, PAIRS, self.model.transitions), (E, LETTERS, self.model.emissions)):
            for i, row in enumerate(made):
                whole = float(self.found[counts][0][i, :, r].sum())
                for j, value in enumerate(row.tolist()):
                    source = (counts, i, j, r) if whole > 0 else (place, i, j, r)
                    text = f"{self.name(source)} / {number(whole)}" if whole > 0 else "as it was: it was never there"
                    filled = f"{number(self.value(source))} / {number(whole)}" if whole > 0 else number(value)
                    self.write((place, i, j, r + 1), [Case(text, filled, value, (source,))])
        for j in range(self.l):
            case = self.factors((F, 0, j, r), (B, 0, j, r), divided=total)
            self.write((START, 0, j, r + 1), [case], float(self.model.initial[j]))
        self.tell("The next model: the shares of what was counted make the letters most probable.", r)

    def tell(self, text: str, r: int) -> None:
        row = 8 * self.l
        self.steps.append(Step(text, f"round {r + 1}", (Held("shared memory", "two rows", 2 * row),),
                               (Crossing("the model, read", "global memory", row * (self.l + self.m)),),
                               barrier=True))  # fmt: skip


def play(made: LearningProblem, values: Mapping[str, Any]) -> Play:
    """Rounds, until the letters become more probable by less than the tolerance, or no round is left."""
    found = _Rounds(made, values["threads"])
    rounds = 0
    for rounds in range(made.iterations + 1):
        total = found.forward(rounds)
        if not total:
            raise cannot_emit(made.parts[0])
        found.history.append(float(np.log(total)))
        if rounds == made.iterations or (rounds and found.history[-1] - found.history[-2] < made.tolerance):
            break
        found.backward(rounds)
        found.count(rounds, total)
        found.estimate(rounds, total)
    states, letters, alphabet = made.hmm.states, tuple(found.letters), tuple(made.hmm.alphabet)
    lines = ((letters, states), (letters, states), (states, states), (states, alphabet), (states, states),
             (states, alphabet), ((), states))  # fmt: skip
    tables, shown = [], slice(rounds + 1)
    for place, title in enumerate(TITLES):
        values_of, at, who = found.found[place]
        tables.append(Table(title, values_of[:, :, shown], at[:, :, shown], who[:, :, shown], *lines[place],
                            names(rounds + 1, "round"), versions=True, formula=FORMULAS[place],
                            counts=place in (F, B)))  # fmt: skip

    def explain(cell: Cell) -> Formula:
        cases = found.cases[cell]
        return Formula(found.name(cell), "sum" if len(cases) > 1 else "value", cases, found.value(cell))

    told = "\n".join(f"before round {at + 1}: log p {value:.6g}" for at, value in enumerate(found.history))
    return Play("Baum-Welch", tuple(tables), tuple(found.steps), names(values["threads"], "thread"), explain,
                LearningAnswer(found.model, tuple(found.history)), told)  # fmt: skip


def problem(values: Mapping[str, Any]) -> LearningProblem:
    """The first model and the letters that were typed; InputError where the model cannot emit them."""
    one = one_problem(values)
    made = build_learning([one.hmm, one.sequence], {"iterations": values["iterations"]})
    if not made.letters:
        raise InputError("letters: none; type some, such as ABBA")
    return made


def draw(choose: Choose) -> dict[str, Any]:
    """A model without zeros, so that it can emit everything."""
    drawn = draw_model(choose)
    for name in ("transitions", "emissions", "initial"):
        table = table_of(drawn[name], name) + 0.125
        drawn[name] = "; ".join(" ".join(repr(value) for value in row) for row in (
            table / table.sum(axis=1, keepdims=True)).tolist())  # fmt: skip
    return {**drawn, "iterations": choose.integer(1, 3)}


def agrees(shown: Play, answer: LearningAnswer) -> None:
    """How probable the letters became, and the model."""
    assert len(shown.answer.log_probabilities) == len(answer.log_probabilities)
    assert np.allclose(shown.answer.log_probabilities, answer.log_probabilities)
    for name in ("initial", "transitions", "emissions"):
        assert np.allclose(getattr(shown.answer.hmm, name), getattr(answer.hmm, name), atol=1e-9), name


LEARNING = Staging((*INPUTS, ROUNDS), (THREADS,), problem, play, draw, agrees,
                   lambda made: made.cells * (made.iterations + 1) * 3)  # fmt: skip
