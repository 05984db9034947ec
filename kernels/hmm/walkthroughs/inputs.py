"""What can be typed for a walkthrough over a hidden Markov model, and the problem that it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.hmm.model import problem as problems
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.trials import TrialChooser
from antidiag.kernels.walkthroughs.animation import Animation
from antidiag.kernels.walkthroughs.typed_inputs import (
    count_input,
    format_table,
    parse_sequence,
    parse_table,
    sequence_input,
    table_input,
)
from antidiag.kernels.walkthroughs.walkthrough import Walkthrough

TABLES = ("transitions", "emissions", "initial")
INPUTS = (
    sequence_input("letters", "Observed letters", "ABBABBBA"),
    Parameter("alphabet", "text", "Alphabet", "The letters that states emit.", default="AB"),
    table_input(
        "transitions", "Transitions", "One row per state, separated by ; each row sums to one.", "0.75 0.25; 0.5 0.5"
    ),
    table_input(
        "emissions", "Emissions", "One row per state, separated by ; one number per letter.", "0.5 0.5; 0.125 0.875"
    ),
    table_input("initial", "Initial", "One probability per state.", "0.5 0.5"),
)
THREADS = count_input("threads", "Threads", "Threads that compute at the same time.", 2, "threads", most=64)


def build_typed_problem(values: Mapping[str, Any]) -> HmmProblem:
    """Build the problem of the model and the letters that were typed."""
    transitions, emissions, initial = (parse_table(values[name], name) for name in TABLES)
    count = len(transitions)
    states = ("F", "L") if count == 2 else tuple(f"s{number}" for number in range(1, count + 1))
    model = hmm.make_hmm("typed", states, values["alphabet"].strip(), transitions, emissions, initial[0])
    return problems.build_problem([model, parse_sequence(values["letters"], "letters")], {})


def draw_inputs(choose: TrialChooser) -> dict[str, Any]:
    """Draw two or three states with probabilities in eighths, some of them zero."""
    size = choose.draw_integer(2, 3)

    def draw_shares(parts: int) -> list[float]:
        cuts = sorted(choose.draw_integer(0, 8) for _ in range(parts - 1))
        return [(b - a) / 8 for a, b in zip([0, *cuts], [*cuts, 8], strict=True)]

    return {
        "letters": "".join(choose.choose_one("AB") for _ in range(choose.draw_integer(1, 7))),
        "transitions": format_table(np.array([draw_shares(size) for _ in range(size)])),
        "emissions": format_table(np.array([draw_shares(2) for _ in range(size)])),
        "initial": format_table(np.array([draw_shares(size)])),
    }


def count_cells(problem: HmmProblem) -> int:
    """Return the number of sums in all rows of Viterbi: n l^2."""
    return problem.n * problem.states**2


def declare_walkthrough(
    play: Callable[..., Animation], agrees: Callable[[Animation, Any], None], *parameters: Parameter
) -> Walkthrough:
    """Declare how a method over a typed model is played."""
    return Walkthrough(INPUTS, parameters, build_typed_problem, play, draw_inputs, agrees, count_cells)
