"""Hidden Markov models as one reads them: the oracle of the area."""

from __future__ import annotations

import numpy as np

from kernels.tropical.viterbi.problem import HmmProblem


def viterbi(problem: HmmProblem) -> np.ndarray | None:
    """TROPVITERBI (003, algorithm 2.6) and the path: states, int64; None where no path is possible.

    Of equally good paths, the one whose last state has the smallest number, and so on backwards.
    """
    costs, seen = problem.costs, problem.observations
    if not problem.n:
        return np.empty(0, np.int64)
    rows = [costs.initial]
    for symbol in seen[:-1]:
        rows.append((rows[-1][:, None] + costs.emissions[symbol][:, None] + costs.transitions).min(axis=0))
    last = rows[-1] + costs.emissions[seen[-1]]
    if np.isinf(last).all():
        return None
    states = [int(last.argmin())]
    for row, symbol in zip(rows[-2::-1], seen[-2::-1], strict=True):
        states.append(int((row + costs.emissions[symbol] + costs.transitions[:, states[-1]]).argmin()))
    return np.array(states[::-1])


def log_likelihood(problem: HmmProblem) -> float:
    """The logarithm of the probability that the model emits the sequence: the sum over all paths."""
    if not problem.n:
        return 0.0
    initial, transitions, emissions = problem.logs
    alpha = initial + emissions[problem.observations[0]]
    for symbol in problem.observations[1:]:
        alpha = np.logaddexp.reduce(alpha[:, None] + transitions, axis=0) + emissions[symbol]
    return float(np.logaddexp.reduce(alpha))


def posterior(problem: HmmProblem) -> np.ndarray:
    """The probability of each state at each letter, given the whole sequence; shape (n, l)."""
    initial, transitions, emissions = problem.logs
    seen = emissions[problem.observations]
    alphas, betas = [initial + seen[0]], [np.zeros(problem.states)]
    for k in range(1, problem.n):
        alphas.append(np.logaddexp.reduce(alphas[-1][:, None] + transitions, axis=0) + seen[k])
        betas.append(np.logaddexp.reduce(transitions + (seen[problem.n - k] + betas[-1]), axis=1))
    joint = np.array(alphas) + np.array(betas[::-1])
    return np.exp(joint - np.logaddexp.reduce(alphas[-1]))
