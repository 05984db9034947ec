"""E-values and bit scores of local alignments by Karlin and Altschul, as BLAST computes them.

The number of alignments of score S or more that are expected by chance is

    E = K A exp(-lambda S),     bits = (lambda S - ln K) / ln 2,

where A is the search space, corrected for the ends of the sequences:

- **finite size** (proteins with published alpha_v and sigma; Park and others 2012, BLAST since 2.2.27): the lengths of
  an alignment that scores S are normal with mean alpha S + b and variance alpha_v S + beta_v; A is the expected area in
  which it may start in one sequence, times the letters of the database over those of the sequence.
- **length adjustment** (otherwise; Altschul and Gish 1996, BLAST's ``BLAST_ComputeLengthAdjustment``):
  A = (m - l)(n - N l) for a query of m letters and a database of N sequences with n letters, where l = alpha / lambda
  ln(K A) + beta.

lambda, K and the others come from NCBI's tables (`karlin_altschul.json`) for the usual matrices and gap costs. For all
other scores they are fitted to the scores of shuffled sequences, see `fit_parameters`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.scoring import Scoring
from antidiag.kernels.serialization import stored

TABLES = Path(__file__).with_name("karlin_altschul.json")
MATCH_NAME = re.compile(r"match \+(?P<match>\d+), mismatch (?P<mismatch>-\d+)")
MOST_ITERATIONS = 20
"""Iterations of the length adjustment, as in BLAST."""
LETTERS_OF_FIT = (1000, 200)
"""Lengths of the shuffled sequences: long ones give lambda and K, short ones how much the ends cost."""
PAIRS_OF_FIT = 8000
"""Pairs of shuffled sequences of each length; lambda has a standard error of about 1 %."""
EULER = 0.5772156649015329


@stored("score-parameters")
@dataclass(frozen=True)
class ScoreParameters:
    """Parameters of the distribution of scores, in engine units (lambda is that of the matrix over its scale).

    ``alpha_v``, ``sigma`` and the ``ungapped`` alpha and alpha_v belong to the finite-size correction; it is used where
    ``alpha_v`` is positive, else the length adjustment with ``alpha`` and ``beta``. ``gap`` is the cost of a gap of one
    letter. Odd scores count as the next lower even one where ``even_only``. ``origin`` says where the numbers are from.
    """

    lambda_: float
    K: float
    H: float
    alpha: float
    beta: float
    alpha_v: float = 0.0
    sigma: float = 0.0
    ungapped: tuple[float, float] = (0.0, 0.0)
    gap: float = 0.0
    even_only: bool = False
    origin: str = ""
    is_fitted: bool = False

    def bits(self, scores: np.ndarray) -> np.ndarray:
        """Return the bit scores of scores in engine units, float64."""
        return (self.lambda_ * self._rounded(scores) - np.log(self.K)) / np.log(2)

    def evalues(
        self, scores: np.ndarray, query_length: int, lengths: np.ndarray, letter_count: int, count: int
    ) -> np.ndarray:
        """Return the E-values of scores, float64.

        Parameters
        ----------
        scores : ndarray
            Scores in engine units.
        query_length : int
            Letters of the query.
        lengths : ndarray
            Letters of the sequence of each score, in the shape of the scores.
        letter_count, count : int
            Letters and sequences of the database.
        """
        scores = self._rounded(scores)
        if self.alpha_v > 0:
            area = self._finite_area(scores, query_length, lengths) * (letter_count / lengths)
        else:
            area = np.full(scores.shape, self.search_space(query_length, letter_count, count))
        return np.maximum(area, 0.0) * self.K * np.exp(-self.lambda_ * scores)

    def search_space(self, query_length: int, letter_count: int, count: int) -> float:
        """Return the letters of query times database, both less the length adjustment."""
        adjustment = adjust_length(
            self.K, self.alpha / self.lambda_, self.beta, query_length, letter_count, max(count, 1)
        )
        return float(max(query_length - adjustment, 1)) * max(letter_count - count * adjustment, 1)

    def _rounded(self, scores: np.ndarray) -> np.ndarray:
        scores = np.asarray(scores, float)
        return np.floor(scores / 2) * 2 if self.even_only else scores

    def _finite_area(self, scores: np.ndarray, query_length: int, lengths: np.ndarray) -> np.ndarray:
        """Return the expected area where an alignment of each score may start (BLAST's ``BLAST_SpougeStoE``)."""
        alpha_un, alpha_v_un = self.ungapped
        b, beta_v, tau = (
            2 * self.gap * (none - full)
            for none, full in ((alpha_un, self.alpha), (alpha_v_un, self.alpha_v), (alpha_v_un, self.sigma))
        )
        mean = self.alpha * scores + b
        deviation = np.sqrt(np.maximum(2 * self.alpha_v / self.lambda_, self.alpha_v * scores + beta_v))
        covariance = np.maximum(2 * self.sigma / self.lambda_, self.sigma * scores + tau)
        left, fits = _expected_rest(query_length - mean, deviation)
        right, fits_too = _expected_rest(lengths - mean, deviation)
        return left * right + covariance * fits * fits_too


def _expected_rest(rest: np.ndarray, deviation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of the positive part of a normal variable, and the probability that it is positive."""
    from scipy.special import ndtr

    ratio = rest / deviation
    fits = ndtr(ratio)
    return rest * fits + deviation * np.exp(-0.5 * ratio * ratio) / np.sqrt(2 * np.pi), fits


def adjust_length(K: float, alpha_per_lambda: float, beta: float, m: int, n: int, count: int) -> int:
    """Return BLAST's length adjustment l: the greatest whole number with l <= alpha / lambda ln(K (m-l)(n-N l)) + beta.

    It is 0 where query or database are too short for an adjustment.
    """
    c = n * m - max(m, n) / K
    if c < 0:
        return 0
    b = m * count + n
    greatest = 2 * c / (b + np.sqrt(b * b - 4 * count * c))

    def proposed(length: float) -> float:
        space = max((m - length) * (n - count * length), 1e-300)
        return float(alpha_per_lambda * (np.log(K) + np.log(space)) + beta)

    low, high, length, converged = 0.0, greatest, 0.0, False
    for iteration in range(MOST_ITERATIONS):
        found = proposed(length)
        if found >= length:
            low = length
            if found - low <= 1:
                converged = True
                break
            if low == high:
                break
        else:
            high = length
        length = found if low <= found <= high else high if iteration == 0 else (low + high) / 2
    above = np.ceil(low)
    if converged and above <= high and proposed(above) >= above:
        return int(above)
    return int(low)


@cache
def read_tables() -> Mapping[str, Any]:
    """Return NCBI's parameters: by matrix ("proteins") or by match and mismatch ("nucleotides"), then by gap costs."""
    return json.loads(TABLES.read_text(encoding="utf-8"))


def find_published(scoring: Scoring) -> ScoreParameters | None:
    """Return NCBI's parameters of these scores, or None where it publishes none."""
    tables, name = read_tables(), scoring.matrix.name
    costs = f"{scoring.gap_open:g}/{scoring.gap_extend:g}"
    if (match := MATCH_NAME.fullmatch(name)) is not None:
        name = f"{match['match']}/{match['mismatch']}"
        row = tables["nucleotides"].get(name, {}).get(costs)
    else:
        row = None if scoring.matrix.source else tables["proteins"].get(name, {}).get(costs)
    if row is None:
        return None
    lambda_, K, H, alpha, beta, *spread = row
    scale = scoring.scale
    origin = f"NCBI's table of {name}, {costs.replace('/', ' + ')} k"
    if not spread:
        even = name in tables["even_scores_only"]
        return ScoreParameters(lambda_ / scale, K, H, alpha / scale, beta, even_only=even, origin=origin)
    ungapped = tables["proteins"][name]["ungapped"]
    return ScoreParameters(
        lambda_ / scale,
        K,
        H,
        alpha / scale,
        beta,
        spread[0] / scale,
        spread[1] / scale,
        (ungapped[3] / scale, ungapped[5] / scale),
        (scoring.gap_open + scoring.gap_extend) * scale,
        origin=origin,
    )


def shuffle_letters(codes: np.ndarray, length: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return shuffled letters for `PAIRS_OF_FIT` pairs: queries and subjects, uint8, each of shape (sequences, length).

    Every query meets every subject. Letters are drawn from ``codes``, so that they have its composition.
    """
    side = int(np.ceil(np.sqrt(PAIRS_OF_FIT)))
    return tuple(random.choice(codes, (side, length)) for _ in range(2))  # type: ignore[return-value]


def fit_parameters(scores_of_lengths: Mapping[int, np.ndarray], scoring: Scoring, origin: str) -> ScoreParameters:
    """Return parameters fitted to the scores of shuffled sequences.

    The scores of the longer sequences give lambda and K by maximum likelihood for whole numbers: P(S >= x) = 1 -
    exp(-K A exp(-lambda x)). A is the product of both lengths less l, where l = alpha / lambda ln(K A) follows from the
    scores of the shorter sequences (Altschul and others 2001); both are repeated until they agree.

    Parameters
    ----------
    scores_of_lengths : mapping
        Scores in engine units, ndarray of int32, by the length of both sequences; of two lengths.
    scoring : Scoring
    origin : str
        What the result says about where the parameters are from.
    """
    step = _score_step(scores_of_lengths)
    (short, few), (long, many) = sorted(scores_of_lengths.items())
    lambda_, log_area = _fit_gumbel(many, step)
    adjustment = 0.0
    for _ in range(MOST_ITERATIONS):
        log_K = log_area - 2 * np.log(long - adjustment)
        area_of_short = np.exp((_fit_location(few, step, lambda_) - log_K) / 2)
        alpha = max(short - area_of_short, 0.0) / max(log_K + 2 * np.log(area_of_short), 1.0)
        adjustment = min(alpha * log_area, long / 2)
    alpha = float(alpha * lambda_)
    H = lambda_ / alpha if alpha > 0 else 0.0
    return ScoreParameters(float(lambda_), float(np.exp(log_K)), float(H), alpha, 0.0, origin=origin, is_fitted=True)


def _score_step(scores_of_lengths: Mapping[int, np.ndarray]) -> int:
    """Return the greatest number that divides all scores: whole-number scores times the scale of the matrix."""
    found = np.gcd.reduce(np.concatenate(list(scores_of_lengths.values())).astype(np.int64))
    return max(int(found), 1)


def _fit_gumbel(scores: np.ndarray, step: int) -> tuple[float, float]:
    """Return lambda and ln(K A) by maximum likelihood; a score x stands for the interval from x to x + step."""
    from scipy.optimize import minimize

    values, counts = np.unique(scores, return_counts=True)
    spread = max(float(scores.std()), 0.5 * step)
    start = np.pi / (spread * np.sqrt(6))

    def loss(point: np.ndarray) -> float:
        rate, location = np.exp(point[0]), point[1]
        upper, lower = (np.exp(-np.exp(np.clip(location - rate * at, -700, 700))) for at in (values + step, values))
        return -float((counts * np.log(np.maximum(upper - lower, 1e-300))).sum())

    found = minimize(loss, [np.log(start), start * scores.mean() - EULER], method="Nelder-Mead", tol=1e-8)
    return float(np.exp(found.x[0])), float(found.x[1])


def _fit_location(scores: np.ndarray, step: int, lambda_: float) -> float:
    """Return ln(K A) of scores with a known lambda, from their mean; scores are rounded down by half a step."""
    return float(lambda_ * (scores.mean() + step / 2) - EULER)
