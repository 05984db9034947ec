"""The textbook recurrences of hidden Markov models: short, slow, and the oracle of the tests."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.hmm.model.hmm import Hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.sums.problem import ExpectedCounts, LearningAnswer, LearningProblem, estimate_model


def find_best_path(problem: HmmProblem) -> np.ndarray | None:
    """Find the most probable path by TROPVITERBI (Hanif 2014, algorithm 2.6): states, int64; None where none is
    possible.

    Of equally good paths, the one whose last state has the smallest number is taken, and so on backwards.
    """
    costs, seen = problem.step_costs, problem.observations
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


def compute_log_likelihood(problem: HmmProblem) -> float:
    """Return the logarithm of the probability that the model emits the sequence: the sum over all paths."""
    if not problem.n:
        return 0.0
    initial, transitions, emissions = problem.log_probabilities
    alpha = initial + emissions[problem.observations[0]]
    for symbol in problem.observations[1:]:
        alpha = np.logaddexp.reduce(alpha[:, None] + transitions, axis=0) + emissions[symbol]
    return float(np.logaddexp.reduce(alpha))


def compute_posterior(problem: HmmProblem) -> np.ndarray:
    """Return the probability of each state at each letter, given the whole sequence; shape (n, l)."""
    alphas, betas = _compute_forward_backward(problem)
    return np.exp(alphas + betas - np.logaddexp.reduce(alphas[-1])) if problem.n else np.empty((0, problem.states))


def _compute_forward_backward(problem: HmmProblem) -> tuple[np.ndarray, np.ndarray]:
    """Return logarithms of the probabilities of the letters up to each one, and after it, by state; shape (n, l)."""
    initial, transitions, emissions = problem.log_probabilities
    seen = emissions[problem.observations]
    if not problem.n:
        return seen, seen
    alphas, betas = [initial + seen[0]], [np.zeros(problem.states)]
    for k in range(1, problem.n):
        alphas.append(np.logaddexp.reduce(alphas[-1][:, None] + transitions, axis=0) + seen[k])
        betas.append(np.logaddexp.reduce(transitions + (seen[problem.n - k] + betas[-1]), axis=1))
    return np.array(alphas), np.array(betas[::-1])


def learn_baum_welch(problem: LearningProblem) -> LearningAnswer:
    """Learn a model: count what is expected, take the shares of the counts as the next model, and repeat."""
    model, history = problem.hmm, list[float]()
    for iteration in range(problem.iterations + 1):
        total, *counts = _count_expected(model, problem)
        history.append(total)
        if len(history) > 1 and total - history[-2] < problem.tolerance:
            break
        if iteration < problem.iterations:
            model = estimate_model(model, *counts)
    return LearningAnswer(model, tuple(history))


def _count_expected(model: Hmm, problem: LearningProblem) -> ExpectedCounts:
    """Count what is expected of every letter, and of every pair of states at two letters."""
    states, symbols = model.emissions.shape
    first, pairs, letters = np.zeros(states), np.zeros((states, states)), np.zeros((states, symbols + 1))
    total = 0.0
    for part in problem.parts:
        made = HmmProblem(model, part.sequence, part.unknown)
        alphas, betas = _compute_forward_backward(made)
        found = float(np.logaddexp.reduce(alphas[-1]))
        shares = np.exp(alphas + betas - found)
        after = made.log_probabilities[2][made.observations[1:]] + betas[1:]
        pairs += np.exp(alphas[:-1, :, None] + made.log_probabilities[1] + after[:, None, :] - found).sum(axis=0)
        np.add.at(letters.T, made.observations, shares)
        first, total = first + shares[0], total + found
    return total, first, pairs, letters[:, :symbols]
