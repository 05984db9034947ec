"""Textbook posteriors, consistency and expected accuracy: float64, logarithms, dense; slow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from antidiag.kernels.msa.consistency.posteriors.pair_models import PairModel


def compute_posteriors(x: np.ndarray, y: np.ndarray, models: Sequence[PairModel]) -> np.ndarray:
    """Return the root mean square of the models' posteriors, float64 (letters of x, letters of y)."""
    return np.sqrt(np.mean([_model_posteriors(x, y, model) ** 2 for model in models], axis=0))


def apply_consistency(
    P: dict[tuple[int, int], np.ndarray], x: int, y: int, chosen: Sequence[int], weights: np.ndarray, own_weight: float
) -> np.ndarray:
    """Return the weighted mean over z of P(x, z) P(z, y); P(x, y) weighs ``own`` times both weights."""
    others = sorted({z for z in chosen if z not in (x, y)})
    itself = own_weight * (weights[x] + weights[y])
    total = itself * P[x, y] + sum((weights[z] * P[x, z] @ P[z, y] for z in others), np.zeros_like(P[x, y]))
    return total / (itself + sum(weights[z] for z in others))


def score_two_groups(scores: np.ndarray) -> float:
    """Return the largest sum of pair scores of an alignment; gaps cost nothing."""
    best = np.zeros(np.add(scores.shape, 1), scores.dtype)
    for i, row in enumerate(scores, 1):
        for j, score in enumerate(row, 1):
            best[i, j] = max(best[i - 1, j - 1] + score, best[i - 1, j], best[i, j - 1])
    return best[-1, -1]


def score_three_groups(first_second: np.ndarray, first_third: np.ndarray, second_third: np.ndarray) -> float:
    """Return the largest sum of pair scores of an alignment of three; gaps cost nothing."""
    shape = *first_second.shape, first_third.shape[1]
    best = np.zeros(np.add(shape, 1), first_second.dtype)
    for i, j, k in np.ndindex(*best.shape):
        ways = [best[max(i - 1, 0), j, k], best[i, max(j - 1, 0), k], best[i, j, max(k - 1, 0)]]
        xy, xz, yz = i and j, i and k, j and k
        if xy:
            ways.append(best[i - 1, j - 1, k] + first_second[i - 1, j - 1])
        if xz:
            ways.append(best[i - 1, j, k - 1] + first_third[i - 1, k - 1])
        if yz:
            ways.append(best[i, j - 1, k - 1] + second_third[j - 1, k - 1])
        if xy and k:
            three = first_second[i - 1, j - 1] + first_third[i - 1, k - 1] + second_third[j - 1, k - 1]
            ways.append(best[i - 1, j - 1, k - 1] + three)
        best[i, j, k] = max(ways)
    return best[-1, -1, -1]


def _model_posteriors(x: np.ndarray, y: np.ndarray, model: PairModel) -> np.ndarray:
    """Return posteriors of one model."""
    with np.errstate(divide="ignore"):
        D, M, _ = _forward_sums(x, y, model)
        _, back, tails = _forward_sums(x[::-1], y[::-1], model.reverse_model())
        last_row = M[-1, 1:] + tails[: len(y)][::-1]
        last_column = M[1:-1, -1] + tails[1 : len(x)][::-1]
        total = np.logaddexp.reduce(np.concatenate([last_row, last_column]))
        return np.exp(D[:-1, :-1] + back[1:, 1:][::-1, ::-1] - total)


def _forward_sums(x: np.ndarray, y: np.ndarray, model: PairModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the logarithms of D and M (cpu_strips.py), and of the end weights."""
    factors, exponents = model.end_weights(max(len(x), len(y)))
    ends = np.log(factors.astype(np.float64)) + exponents * np.log(2)
    odds, into, extend, leave = (
        np.log(np.array(one, np.float64)) for one in (model.odds, model.into, model.extend, model.leave)
    )
    shape = len(x) + 1, len(y) + 1
    D, M = np.full(shape, -np.inf), np.full(shape, -np.inf)
    X, Y = np.full((2, *shape), -np.inf), np.full((2, *shape), -np.inf)
    D[:, 0], D[0] = ends[: shape[0]], ends[: shape[1]]
    for i in range(1, shape[0]):
        for j in range(1, shape[1]):
            M[i, j] = odds[x[i - 1], y[j - 1]] + D[i - 1, j - 1]
            X[:, i, j] = np.logaddexp(M[i - 1, j] + into, X[:, i - 1, j] + extend)
            Y[:, i, j] = np.logaddexp(M[i, j - 1] + into, Y[:, i, j - 1] + extend)
            gaps = np.logaddexp.reduce(leave + np.logaddexp(X[:, i, j], Y[:, i, j]))
            D[i, j] = np.logaddexp(np.log(model.match) + M[i, j], gaps)
    return D, M, ends
