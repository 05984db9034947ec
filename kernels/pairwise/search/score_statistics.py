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
import math
import re
from collections.abc import Callable, Mapping, Sequence
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
LETTERS_OF_FIT = (200, 400, 1000)
"""Lengths of the shuffled sequences: long ones give lambda and K, short ones alpha and beta, which the ends cost."""
PAIRS_OF_FIT = 8100
"""Pairs of shuffled sequences of each length; lambda has a standard error of about 1 %."""
LINEAR_GROWTH = 2.5
"""Scores of sequences that are five times as long grow by a few units; in a linear phase they grow fivefold."""
SMALLEST_STEP, MOST_ROUNDS = 1e-4, 500
"""Smallest step of the fit as a share of its first steps, and most rounds of steps along all axes."""
EULER = 0.5772156649015329


@stored("score-parameters")
@dataclass(frozen=True)
class ScoreParameters:
    """Parameters of the distribution of scores, in engine units (lambda is that of the matrix over its scale).

    ``alpha_v``, ``sigma`` and the ``ungapped`` alpha and alpha_v belong to the finite-size correction; it is used where
    ``alpha_v`` is positive, else the length adjustment with ``alpha`` and ``beta``. ``gap`` is the cost of a gap of one
    letter. In E-values odd scores count as the next lower even one where ``even_only``. ``origin`` says where the
    numbers are from.
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
        return (self.lambda_ * np.asarray(scores, float) - np.log(self.K)) / np.log(2)

    def evalues(
        self, scores: np.ndarray, query_length: int | np.ndarray, lengths: np.ndarray, letter_count: int, count: int
    ) -> np.ndarray:
        """Return the E-values of scores, float64.

        Parameters
        ----------
        scores : ndarray
            Scores in engine units.
        query_length : int or ndarray
            Letters of the query, or of the query of each score.
        lengths : ndarray
            Letters of the sequence of each score. The three arrays have one shape, or are broadcast to that of the
            scores.
        letter_count, count : int
            Letters and sequences of the database.
        """
        scores = self._rounded(scores)
        if self.alpha_v > 0:
            area = self._finite_area(scores, query_length, lengths) * (letter_count / lengths)
        else:
            different, places = np.unique(query_length, return_inverse=True)
            spaces = np.array([self.search_space(length, letter_count, count) for length in different.tolist()])
            area = np.broadcast_to(spaces[places.reshape(np.shape(query_length))], scores.shape)
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

    def _finite_area(self, scores: np.ndarray, query_length: int | np.ndarray, lengths: np.ndarray) -> np.ndarray:
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
    ratio = rest / deviation
    fits = _normal_probability(ratio)
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
    side = math.isqrt(PAIRS_OF_FIT)
    return tuple(random.choice(codes, (side, length)) for _ in range(2))  # type: ignore[return-value]


def fit_parameters(scores_of_lengths: Mapping[int, np.ndarray], origin: str) -> ScoreParameters:
    """Return parameters fitted to the scores of shuffled sequences.

    The chance that two sequences of L letters score less than x is exp(-K (L - l)^2 exp(-lambda x)) with l = alpha x +
    beta, but not below 0: an alignment that scores x is about l letters long, and has to end before the sequences do
    (Altschul and others 2001). lambda, K, alpha and beta make the scores of all lengths most likely; a score x stands
    for x to x + 1, because scores are whole numbers.

    Parameters
    ----------
    scores_of_lengths : mapping
        Scores in engine units, ndarray of int32, by the length of both sequences; of two lengths or more.
    origin : str
        What the result says about where the parameters are from.
    """
    scores = np.concatenate(list(scores_of_lengths.values())).astype(np.int64)
    step = max(int(np.gcd.reduce(scores)), 1)
    short, long = min(scores_of_lengths), max(scores_of_lengths)
    counted = [(length, *np.unique(found, return_counts=True)) for length, found in scores_of_lengths.items()]
    values, counts = (np.concatenate([one[part] for one in counted]) for part in (1, 2))
    lengths = np.repeat([one[0] for one in counted], [one[1].size for one in counted])
    at = np.array([values, values + step], float)
    longest, mean = scores_of_lengths[long], float(scores_of_lengths[long].mean())
    rate = np.pi / (max(float(longest.std()), 0.5 * step) * np.sqrt(6))
    start = [float(np.log(rate)), mean + step / 2 - EULER / rate, float(np.log(1.3 / step)), -10.0]
    log_rate, location, log_alpha, beta = _find_minimum(
        lambda point: _negative_likelihood(point, at, lengths, counts), start, [0.05, 1.0 * step, 0.3, 5.0]
    )
    lambda_, alpha = float(np.exp(log_rate)), float(np.exp(log_alpha))
    K = float(np.exp(min(lambda_ * location, 700.0)) / long**2)
    grows = mean > LINEAR_GROWTH * max(float(scores_of_lengths[short].mean()), step)
    doubt = "; scores grow with the length of unrelated sequences, so that E-values mean little" if grows else ""
    return ScoreParameters(lambda_, K, lambda_ / alpha, alpha, beta, origin=origin + doubt, is_fitted=True)


def _negative_likelihood(point: Sequence[float], at: np.ndarray, lengths: np.ndarray, counts: np.ndarray) -> float:
    """Return the negative logarithm of the likelihood of scores.

    ``point`` are ln lambda, the location of the scores of the longest sequences, ln alpha and beta: they depend on each
    other less than lambda and K do. ``at`` (2, values) are the ends of the interval of each score.
    """
    lambda_, location, alpha, beta = float(np.exp(point[0])), point[1], float(np.exp(point[2])), point[3]
    share = np.maximum(lengths - np.maximum(alpha * at + beta, 0.0), 1.0) / lengths.max()
    exponent = np.minimum(np.maximum(lambda_ * (location - at), -700.0), 700.0)
    below = np.exp(-(share * share) * np.exp(exponent))
    return -float(counts @ np.log(np.maximum(below[1] - below[0], 1e-300)))


def _find_minimum(
    loss: Callable[[Sequence[float]], float], start: Sequence[float], steps: Sequence[float]
) -> list[float]:
    """Return where a function is least, by a compass search: steps along each axis, longer after a success."""
    point, best, lengths = list(start), loss(start), list(steps)
    least = [length * SMALLEST_STEP for length in lengths]
    for _ in range(MOST_ROUNDS):
        for axis, length in enumerate(lengths):
            for change in (length, -length):
                tried = [*point[:axis], point[axis] + change, *point[axis + 1 :]]
                if (found := loss(tried)) < best:
                    point, best, lengths[axis] = tried, found, 1.5 * length
                    break
            else:
                lengths[axis] = length / 2
        if all(length < small for length, small in zip(lengths, least, strict=True)):
            break
    return point


def _normal_probability(values: np.ndarray) -> np.ndarray:
    """Return the probability that a standard normal variable is below each value, float64."""
    halves = (-values / np.sqrt(2)).ravel().tolist()
    return 0.5 * np.fromiter(map(math.erfc, halves), float, len(halves)).reshape(values.shape)
