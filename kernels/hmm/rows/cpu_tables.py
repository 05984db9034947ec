"""The numbers of a model as compiled functions take them: flat, padded to whole vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.sizes import pad_states


class HmmTables(NamedTuple):
    """Costs or probabilities of a model over ``width`` states, of which ``states`` are real and the others unreachable.

    float64: ``initial`` (width,); flat with rows of ``width``: ``transitions`` and their transpose ``columns``
    (width x width), ``emissions`` (a row per symbol). ``seen`` is the symbol of each letter, int64.
    """

    states: int
    width: int
    initial: np.ndarray
    transitions: np.ndarray
    columns: np.ndarray
    emissions: np.ndarray
    seen: np.ndarray


def build_cost_tables(problem: HmmProblem) -> HmmTables:
    """Return the padded costs of a problem."""
    costs = problem.step_costs
    return _build_tables(problem, costs.initial, costs.transitions, costs.emissions, np.inf)


def build_probability_tables(problem: HmmProblem) -> HmmTables:
    """Return the probabilities of a problem, padded with zeros."""
    hmm = problem.hmm
    emissions = np.vstack([hmm.emissions.T, np.ones(problem.states)])
    return _build_tables(problem, hmm.initial, hmm.transitions, emissions, 0.0)


def _build_tables(
    problem: HmmProblem, first: np.ndarray, square: np.ndarray, by_symbol: np.ndarray, padding: float
) -> HmmTables:
    """Pad the parts of a model with ``padding``."""
    states = problem.states
    width = pad_states(states)
    initial = np.full(width, padding)
    initial[:states] = first
    transitions = np.full((width, width), padding)
    transitions[:states, :states] = square
    emissions = np.full((len(by_symbol), width), padding)
    emissions[:, :states] = by_symbol
    flat = transitions.ravel(), transitions.T.ravel(), emissions.ravel()
    return HmmTables(states, width, initial, *flat, problem.observations.astype(np.int64))


def build_tiny_tables(padding: float, initial: np.ndarray, matrix: np.ndarray, emission: float) -> HmmTables:
    """Return a model of two states that emit one symbol, and a sequence of four letters, to compile with."""
    width = pad_states(2)
    first, square, letters = np.full(width, padding), np.full((width, width), padding), np.full(width, padding)
    first[:2], square[:2, :2], letters[:2] = initial, matrix, emission
    return HmmTables(2, width, first, square.ravel(), square.T.ravel(), letters, np.zeros(4, np.int64))
