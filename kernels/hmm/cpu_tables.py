"""The numbers of a model as compiled functions take them: flat, padded to whole vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.hmm.sizes import padded


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
    costs = problem.costs
    return _padded(problem, costs.initial, costs.transitions, costs.emissions, np.inf)


def probabilities(problem: HmmProblem) -> Tables:
    """The probabilities of a problem, laid out as its costs are, padded with zeros."""
    hmm = problem.hmm
    emissions = np.vstack([hmm.emissions.T, np.ones(problem.states)])
    return _padded(problem, hmm.initial, hmm.transitions, emissions, 0.0)


def _padded(
    problem: HmmProblem, first: np.ndarray, square: np.ndarray, by_symbol: np.ndarray, padding: float
) -> Tables:
    states = problem.states
    width = padded(states)
    initial = np.full(width, padding)
    initial[:states] = first
    transitions = np.full((width, width), padding)
    transitions[:states, :states] = square
    emissions = np.full((len(by_symbol), width), padding)
    emissions[:, :states] = by_symbol
    return Tables(states, width, initial, transitions.ravel(), transitions.T.ravel(), emissions.ravel(),
                  problem.observations.astype(np.int64))  # fmt: skip


def tiny(padding: float, initial: np.ndarray, matrix: np.ndarray, emission: float) -> Tables:
    """A model of two states that emit one symbol, and a sequence of four letters; to compile with."""
    width = padded(2)
    first, square, letters = np.full(width, padding), np.full((width, width), padding), np.full(width, padding)
    first[:2], square[:2, :2], letters[:2] = initial, matrix, emission
    return Tables(2, width, first, square.ravel(), square.T.ravel(), letters, np.zeros(4, np.int64))
