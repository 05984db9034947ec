"""Forward, and forward with backward, step by step: sums over all paths."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.walkthroughs.inputs import THREADS, declare_walkthrough
from antidiag.kernels.text import format_count
from antidiag.kernels.walkthroughs import animation as plays
from antidiag.kernels.walkthroughs.animation import (
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

F, B, POSTERIOR_TABLE = range(3)
FORMULAS = (
    "f(k, j) = sum over i of f(k-1, i) x p(i, then j) x p(letter k in j)",
    "b(k, i) = sum over j of p(i, then j) x p(letter k+1 in j) b(k+1, j)",
    "p(k, j) = f(k, j) x b(k, j) / p(all letters)",
)


class SumPlay:
    """Forward and backward probabilities of a typed model, and the recurrence of each cell."""

    def __init__(self, problem: HmmProblem) -> None:
        self.model, self.n, self.size = problem.hmm, problem.n, problem.states
        self.letters = problem.sequence.letters.decode("ascii")
        self.symbols = problem.observations.tolist()
        model, emitted = self.model, self.model.emissions[:, self.symbols].T
        self.forward, self.backward = np.zeros((self.n, self.size)), np.ones((self.n, self.size))
        self.forward[0] = model.initial * emitted[0]
        for k in range(1, self.n):
            self.forward[k] = self.forward[k - 1] @ model.transitions * emitted[k]
        for k in range(self.n - 2, -1, -1):
            self.backward[k] = model.transitions @ (emitted[k + 1] * self.backward[k + 1])
        self.total = float(self.forward[-1].sum())
        self.joint = self.forward * self.backward
        self.posterior = self.joint / self.total if self.total else self.forward

    def explain(self, cell: Cell) -> CellFormula:
        """Return the recurrence of a cell with its numbers."""
        table, k, j, _ = cell
        name = f"{'fbp'[table]}({k + 1}, {self.model.states[j]})"
        cases = (self.list_forward_cases, self.list_backward_cases, self.list_posterior_cases)[table](k, j)
        value = float((self.forward, self.backward, self.posterior)[table][k, j])
        is_sum = table == F or (table == B and k < self.n - 1)
        return CellFormula(name, "sum" if is_sum else "value", cases, value)

    def list_forward_cases(self, k: int, j: int) -> tuple[FormulaCase, ...]:
        """Return what a forward probability is the sum of."""
        model, states, letter = self.model, self.model.states, self.letters[k]
        emitted = float(model.emissions[j, self.symbols[k]])
        if k == 0:
            start = float(model.initial[j])
            text = f"p({states[j]} at the start) x p({letter} in {states[j]})"
            return (FormulaCase(text, f"{format_number(start)} x {format_number(emitted)}", start * emitted),)
        return tuple(
            make_product_case(
                f"f({k}, {states[i]}) x p({states[i]}, then {states[j]}) x p({letter} in {states[j]})",
                (self.forward[k - 1, i], model.transitions[i, j], emitted),
                (F, k - 1, i, 0),
            )
            for i in range(self.size)
        )

    def list_backward_cases(self, k: int, j: int) -> tuple[FormulaCase, ...]:
        """Return what a backward probability is the sum of."""
        model, states = self.model, self.model.states
        if k == self.n - 1:
            return (FormulaCase("1, for no letter follows", "", 1.0),)
        letter, symbol = self.letters[k + 1], self.symbols[k + 1]
        return tuple(
            make_product_case(
                f"p({states[j]}, then {states[i]}) x p({letter} in {states[i]}) x b({k + 2}, {states[i]})",
                (model.transitions[j, i], model.emissions[i, symbol], self.backward[k + 1, i]),
                (B, k + 1, i, 0),
            )
            for i in range(self.size)
        )

    def list_posterior_cases(self, k: int, j: int) -> tuple[FormulaCase, ...]:
        """Return the quotient that a posterior probability is."""
        state = self.model.states[j]
        text = f"f({k + 1}, {state}) x b({k + 1}, {state}) / p"
        filled = (
            f"{format_number(self.forward[k, j])} x {format_number(self.backward[k, j])} / {format_number(self.total)}"
        )
        return (FormulaCase(text, filled, float(self.posterior[k, j]), ((F, k, j, 0), (B, k, j, 0))),)


def make_product_case(text: str, factors: tuple[float, ...], source: Cell) -> FormulaCase:
    """Return a candidate that is the product of some numbers."""
    return FormulaCase(text, " x ".join(map(format_number, factors)), float(np.prod(factors)), (source,))


def play_sums(problem: HmmProblem, values: Mapping[str, Any], title: str, backward: bool) -> Animation:
    """Play forward probabilities letter by letter; with ``backward`` also those from the end, and the posterior."""
    found, threads = SumPlay(problem), values["threads"]
    n, size, letters = found.n, found.size, found.letters
    shape = (n, size, 1)
    worker_of = np.broadcast_to((np.arange(size, dtype=np.int32) % threads)[None, :, None], shape).copy()
    order = np.broadcast_to(np.arange(n, dtype=np.int32)[:, None, None], shape)

    def make_table(name: str, numbers: np.ndarray, step_of: np.ndarray, formula: str) -> AnimationTable:
        columns = found.model.states
        return AnimationTable(name, numbers[..., None], step_of, worker_of, tuple(letters), columns, formula=formula)

    def make_step(k: int, phase: str, text: str) -> AnimationStep:
        held = HeldData("shared memory", "two rows", 16 * size)
        read = DataCrossing("transitions and emissions", "global memory", 8 * (size * size + size))
        return AnimationStep(
            f"{phase.capitalize()}, letter {k + 1}, {letters[k]}: {text}", phase, (held,), (read,), barrier=True
        )

    sums = f"the sums of {format_count(size, 'state')} at once."
    tables = [make_table("f", found.forward, order.copy(), FORMULAS[F])]
    steps = [make_step(k, "forward", sums) for k in range(n)]
    if backward:
        text = "what the letters after it are worth from each state."
        tables.append(make_table("b", found.backward, 2 * n - 1 - order, FORMULAS[B]))
        tables.append(
            make_table("posterior", found.posterior, np.full(shape, 2 * n, np.int32), FORMULAS[POSTERIOR_TABLE])
        )
        steps += [make_step(k, "backward", text) for k in range(n - 1, -1, -1)]
        read = DataCrossing("both tables, read", "global memory", 16 * n * size)
        both = "Both together: how probable each state is at each letter, all at once."
        steps.append(AnimationStep(both, "posterior", crossings=(read,)))
    return Animation(
        title,
        tuple(tables),
        tuple(steps),
        plays.numbered_names(threads, "thread"),
        found.explain,
        answer=(found.total, found.joint),
        answer_text=f"probability of {letters}: {found.total:.6g}",
        ends=tuple((F, n - 1, j, 0) for j in range(size)),
    )


def assert_sums(play: Animation, answer: Any) -> None:
    """Check the probability of all letters, and of the states where the method gives them."""
    total, joint = play.answer
    found = answer if isinstance(answer, float) else answer.log_probability
    assert np.isclose(np.log(total) if total else -np.inf, found, rtol=1e-9, atol=1e-9), (total, found)
    posterior = getattr(answer, "posterior", None)
    if posterior is not None and total:
        assert np.allclose(joint / total, posterior, atol=1e-6)


FORWARD = declare_walkthrough(partial(play_sums, title="Forward", backward=False), assert_sums, THREADS)
POSTERIOR = declare_walkthrough(partial(play_sums, title="Forward and backward", backward=True), assert_sums, THREADS)
