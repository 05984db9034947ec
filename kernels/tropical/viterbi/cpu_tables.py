"""The numbers of a model as compiled functions take them: flat, padded to whole vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernels.tropical.viterbi.problem import HmmProblem
from kernels.tropical.viterbi.sizes import padded


class Tables(NamedTuple):
    """Costs of a model over ``width`` states, of which ``states`` are real and the others cannot be reached.

    float64: ``initial`` (width,); flat, rows ``width`` apart: ``transitions`` and their transpose ``columns``
    (width x width), ``emissions`` (a row a symbol). ``seen`` is the symbol of each letter, int64.
    """

    states: int
    width: int
    initial: np.ndarray
    transitions: np.ndarray
    columns: np.ndarray
    emissions: np.ndarray
    seen: np.ndarray


def tables(problem: HmmProblem) -> Tables:
    """The costs of a problem, padded."""
    costs, states = problem.costs, problem.states
    width = padded(states)
    initial = np.full(width, np.inf)
    initial[:states] = costs.initial
    transitions = np.full((width, width), np.inf)
    transitions[:states, :states] = costs.transitions
    emissions = np.full((len(costs.emissions), width), np.inf)
    emissions[:, :states] = costs.emissions
    return Tables(states, width, initial, transitions.ravel(), transitions.T.ravel(), emissions.ravel(),
                  problem.observations.astype(np.int64))  # fmt: skip
