"""Viterbi letter by letter, step by step, and what all walkthroughs of Viterbi share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.hmm import reference
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
    format_sum,
)

RECURRENCE = "d(k, j) = min over i of d(k-1, i) + cost of letter k-1 in i, then j"


class ViterbiCosts:
    """Costs of single steps of a path, as negative natural logarithms."""

    def __init__(self, problem: HmmProblem) -> None:
        self.costs, self.symbols = problem.step_costs, problem.observations
        self.letters = problem.sequence.letters.decode("ascii")
        self.scale = problem.step_costs.scale

    def initial_cost(self, state: int) -> float:
        """Return what it costs to begin in a state."""
        return float(self.costs.initial[state]) / self.scale

    def emission_cost(self, letter: int, state: int) -> float:
        """Return what it costs to emit a letter, by its number in the sequence, in a state."""
        return float(self.costs.emissions[self.symbols[letter], state]) / self.scale

    def transition_cost(self, source: int, target: int) -> float:
        """Return what it costs to go from one state to another."""
        return float(self.costs.transitions[source, target]) / self.scale

    def step_cost(self, letter: int, source: int, target: int) -> float:
        """Return what it costs to emit a letter in one state and go on to another."""
        emission = self.costs.emissions[self.symbols[letter], source]
        return float(emission + self.costs.transitions[source, target]) / self.scale

    def last_cost(self, state: int) -> float:
        """Return what it costs to emit the last letter in a state."""
        return self.emission_cost(-1, state)


def make_sum_case(text: str, start: float, cost: float, sources: tuple[Cell, ...], label: str = "") -> FormulaCase:
    """Return a candidate that is the sum of two numbers."""
    return FormulaCase(text, format_sum(start, cost), float(start + cost), sources, label)


def describe_row(k: int, letters: str) -> str:
    """Return what row k of Viterbi stands for."""
    if k in (0, len(letters)):
        return "the last emission" if k else "the start"
    return f"letter {k}, {letters[k - 1]}"


def name_rows(letters: str) -> tuple[str, ...]:
    """Return the names of the n + 1 rows of Viterbi."""
    return ("start", *letters[:-1], "end")


def list_path_cells(path: np.ndarray | None, table: int = 0) -> tuple[Cell, ...]:
    """Return the cells of a path in a table of n + 1 rows; the last state stands in the last two rows."""
    return () if path is None else tuple((table, k, int(j), 0) for k, j in enumerate([*path, path[-1]]))


def list_ends(costs: np.ndarray, table: int, row: int) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Return the cells of a row in which a best path ends, and those in which any path ends."""
    exits = tuple((table, row, j, 0) for j, cost in enumerate(costs) if np.isfinite(cost))
    return tuple(cell for cell in exits if costs[cell[2]] == costs.min()), exits


def play_rows(problem: HmmProblem, values: Mapping[str, Any], title: str) -> Animation:
    """Play a row of costs per letter; the states of a row do not need each other."""
    costs, n, size, states = ViterbiCosts(problem), problem.n, problem.states, problem.hmm.states
    letters, threads = costs.letters, values["threads"]
    numbers, step_of, worker_of = plays.blank_table((n + 1, size, 1))
    cases: dict[Cell, tuple[FormulaCase, ...]] = {}
    steps: list[AnimationStep] = []

    def list_cases(k: int, j: int) -> tuple[FormulaCase, ...]:
        if k == 0:
            return (FormulaCase(f"\u2212ln p({states[j]} at the start)", "", costs.initial_cost(j)),)
        before = numbers[k - 1, :, 0]
        if k == n:
            text = f"d({k}, {states[j]}) + cost of {letters[-1]} in {states[j]}"
            return (make_sum_case(text, before[j], costs.last_cost(j), ((0, k - 1, j, 0),)),)
        return tuple(
            make_sum_case(
                f"d({k}, {states[i]}) + cost of {letters[k - 1]} in {states[i]}, then {states[j]}",
                before[i],
                costs.step_cost(k - 1, i, j),
                ((0, k - 1, i, 0),),
                f"from {states[i]}",
            )
            for i in range(size)
        )

    for k in range(n + 1):
        for j in range(size):
            cases[0, k, j, 0] = found = list_cases(k, j)
            numbers[k, j, 0] = min(case.value for case in found)
            step_of[k, j, 0], worker_of[k, j, 0] = k, j % threads
        minimum = f", each the least of {format_count(size, 'sum')}" if 0 < k < n else ""
        bytes_read = 4 * size + (4 * size**2 if 0 < k < n else 0)
        two_rows = tuple((0, row, j, 0) for row in range(max(k - 1, 0), k + 1) for j in range(size))
        steps.append(
            AnimationStep(
                f"Row {k + 1}, {describe_row(k, letters)}: {format_count(size, 'state')} at once{minimum}.",
                held=(
                    HeldData("shared memory", "two rows of costs", 8 * size, two_rows),
                    HeldData("global memory", "directions, for the way back", 2 * size * k),
                ),
                crossings=(DataCrossing("transitions and emissions of the letter", "global memory", bytes_read),),
                barrier=True,
            )
        )

    def explain(cell: Cell) -> CellFormula:
        name = f"d({cell[1] + 1}, {states[cell[2]]})" if cell[1] < n else f"total({states[cell[2]]})"
        return CellFormula(name, "min", cases[cell], float(numbers[cell[1:]]))

    path = reference.find_best_path(problem)
    ends, exits = list_ends(numbers[n, :, 0], 0, n)
    return Animation(
        title,
        (AnimationTable("d", numbers, step_of, worker_of, name_rows(letters), states, formula=RECURRENCE),),
        tuple(steps),
        plays.numbered_names(threads, "thread"),
        explain,
        answer=path,
        answer_text=describe_path(problem, path, float(numbers[n].min())),
        ends=ends,
        path=list_path_cells(path),
        exits=exits,
    )


def play_serial_rows(problem: HmmProblem, values: Mapping[str, Any]) -> Animation:
    """Play the same rows on one thread, state by state."""
    found = play_rows(problem, {**values, "threads": 1}, "TropViterbi")
    steps = [
        replace(
            step,
            text=step.text.replace(" at once", ", one after another"),
            held=tuple(replace(held, place="host memory") for held in step.held),
            crossings=(),
            barrier=False,
        )
        for step in found.steps
    ]
    return replace(found, steps=tuple(steps))


def describe_path(problem: HmmProblem, path: np.ndarray | None, cost: float | None = None) -> str:
    """Describe a path to people, with its cost; the cost is computed where it is not given."""
    letters = problem.sequence.letters.decode("ascii")
    if path is None:
        return f"no path can emit {letters}"
    if cost is None:
        initial, transitions, emissions = problem.log_probabilities
        steps = transitions[path[:-1], path[1:]].sum() + emissions[problem.observations, path].sum()
        cost = -float(initial[path[0]] + steps)
    states = "".join(problem.hmm.states[state][-1] for state in path)
    return f"cost {plays.format_number(cost)} (\u2212ln of the probability)\n{letters}\n{states}"


def assert_states(play: Animation, answer: Any) -> None:
    """Check that the states are equal, or that neither has a path."""
    assert (answer.states is None) == (play.answer is None)
    if answer.states is not None:
        assert play.answer.tolist() == answer.states.tolist()


def assert_path(play: Animation, answer: Any) -> None:
    """Check the states and the cost of the path."""
    assert_states(play, answer)
    if answer.states is None:
        assert not play.ends
        return
    best = play.cell_value(play.ends[0])
    assert abs(best + answer.log_probability) < 1e-4 * max(best, 1), f"a cost of {best}, not {-answer.log_probability}"


SERIAL = declare_walkthrough(play_serial_rows, assert_path)
ROWS = declare_walkthrough(partial(play_rows, title="TropMatVecProd"), assert_path, THREADS)
