"""Hidden Markov models as one reads them: the oracle of the area."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.hmm.hmm import Hmm
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.hmm.sums.problem import Counts, LearningAnswer, LearningProblem, estimated


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
    alphas, betas = _both_ways(problem)
    return np.exp(alphas + betas - np.logaddexp.reduce(alphas[-1])) if problem.n else np.empty((0, problem.states))


def _both_ways(problem: HmmProblem) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of the probabilities of the letters up to each one, and of those after it, by state; shape (n, l)."""
    initial, transitions, emissions = problem.logs
    seen = emissions[problem.observations]
    if not problem.n:
        return seen, seen
    alphas, betas = [initial + seen[0]], [np.zeros(problem.states)]
    for k in range(1, problem.n):
        alphas.append(np.logaddexp.reduce(alphas[-1][:, None] + transitions, axis=0) + seen[k])
        betas.append(np.logaddexp.reduce(transitions + (seen[problem.n - k] + betas[-1]), axis=1))
    return np.array(alphas), np.array(betas[::-1])


def baum_welch(problem: LearningProblem) -> LearningAnswer:
    """Rounds of counting what is expected, and taking the shares of the counts as the next model."""
    model, history = problem.hmm, list[float]()
    for iteration in range(problem.iterations + 1):
        total, *counts = _expected(model, problem)
        history.append(total)
        if len(history) > 1 and total - history[-2] < problem.tolerance:
            break
        if iteration < problem.iterations:
            model = estimated(model, *counts)
    return LearningAnswer(model, tuple(history))


def _expected(model: Hmm, problem: LearningProblem) -> Counts:
    """For every letter, and for every pair of states at two letters, from the probabilities of both sides."""
    states, symbols = model.emissions.shape
    first, pairs, letters = np.zeros(states), np.zeros((states, states)), np.zeros((states, symbols + 1))
    total = 0.0
    for part in problem.parts:
        made = HmmProblem(model, part.sequence, part.unknown)
        alphas, betas = _both_ways(made)
        found = float(np.logaddexp.reduce(alphas[-1]))
        shares = np.exp(alphas + betas - found)
        after = made.logs[2][made.observations[1:]] + betas[1:]
        pairs += np.exp(alphas[:-1, :, None] + made.logs[1] + after[:, None, :] - found).sum(axis=0)
        np.add.at(letters.T, made.observations, shares)
        first, total = first + shares[0], total + found
    return total, first, pairs, letters[:, :symbols]
