"""Two cells in a register of 16-bit halves: the device code of StripedScore and of CheckpointedAlignment's phase 1."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from antidiag.kernels import registry
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.trials import BORDERS
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch, named_matrix
from tests import oracle
from tests.example_counts import try_examples
from tests.problems import assert_same_path, pair, pairs, shifted

SCORE, ALIGNMENT = registry.find_method("striped-score"), registry.find_method("checkpointed-alignment")
SCORINGS = (
    Scoring(match_mismatch(2, -3), 5, 2),
    Scoring(match_mismatch(1, 1), 0, 0),
    Scoring(match_mismatch(0, -1), 1, 0),
    Scoring(match_mismatch(60, -127), 200, 1),
    Scoring(match_mismatch(-3, -2), 0, 1),
)
"""The fourth reaches 16 bits after some 500 letters, and has gaps that cost more than a strip can gain."""
LETTERS = st.sampled_from(("ACGT", "A", "AC"))


@st.composite
def problems(draw: st.DrawFn) -> PairProblem:
    """Related, unrelated and uniform pairs; a part of the first is missing in the second."""
    random, letters = np.random.default_rng(draw(st.integers(0, 1000))), list(draw(LETTERS))
    first = random.choice(letters, draw(st.one_of(st.sampled_from(BORDERS), st.integers(1, 450))))
    changed = random.random(first.size) < draw(st.sampled_from((0, 0.1, 0.5, 1)))
    second = np.where(changed, random.choice(letters, first.size), first)
    at = draw(st.integers(0, first.size - 1))
    second = np.delete(second, slice(at, min(at + draw(st.integers(0, 200)), first.size - (at == 0))))
    pieces = ["".join(first), "".join(second)]
    if draw(st.booleans()):
        pieces.reverse()
    return pair(*pieces, draw(st.sampled_from(SCORINGS)), draw(st.sampled_from(Mode)))


@try_examples(20, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=problems(), s=st.sampled_from((64, 192)), T=st.sampled_from((16, 48)), order=st.integers(0, 2))
def test_the_score_is_the_oracles(emulated, problem: PairProblem, s: int, T: int, order: int) -> None:
    found = emulated(SCORE, problem, seed=order, s=s, T=T, precision="16")
    expected = oracle.best_alignment(problem)
    assert (found.answer.score, found.answer.end) == (expected.score, expected.end)


@try_examples(8, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=problems(), short=st.booleans())
def test_the_path_is_the_oracles(emulated, problem: PairProblem, short: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if short:  # many launches, between which registers are kept
            sizes = import_module("antidiag.kernels.pairwise.strips.cuda_sizes")
            patch.setattr(sizes, "SLICE_CELLS", 1)
            patch.setattr(sizes, "LEAST_STEPS", 64)
        found = emulated(ALIGNMENT, problem, s=128, T=16, tile=128, precision="16").answer
    expected = oracle.best_alignment(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    assert_same_path(found, expected)


@pytest.mark.parametrize("seed", [0, 1])
def test_scores_far_beyond_16_bits(emulated, seed: int) -> None:
    """Base follows the values up, and down again beside them."""
    scoring, random = Scoring(match_mismatch(60, -100), 200, 1), np.random.default_rng(3)
    assert cuda_sizes.fits_16_bits(scoring, 64)
    first = "".join(random.choice(list("ACGT"), 1500))
    problem = pair(first + "ACGT" * 50, first + "TTTT" * 50, scoring)
    found = emulated(SCORE, problem, seed=seed, s=64, T=16, precision="16").answer
    assert (found.score, found.end) == (90_000, (1500, 1500)) or found.score > 90_000
    other = emulated(SCORE, problem, seed=seed, s=64, T=16, precision="32").answer
    assert (found.score, found.end) == (other.score, other.end)


def test_boundaries_go_round_their_rings(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = import_module("antidiag.kernels.pairwise.strips.cuda_sizes")
    monkeypatch.setattr(sizes, "SLICE_CELLS", 1)
    problem = shifted(1400, 16)
    assert sizes.boundary_rows(problem.rows, problem.columns, 64, 16, whole=False, spread=64) < problem.rows
    assert emulated(SCORE, problem, s=64, T=16, precision="16").answer.score == 2 * 1384


@try_examples(25, deadline=None)
@given(problem=pairs())
def test_cells_differ_by_no_more_than_their_distance_allows(problem: PairProblem) -> None:
    """What fits_16_bits counts on: d (best score + extend) + 2 open, for cells d rows and columns apart."""
    first, second = (replace(sequence, letters=sequence.letters[:18]) for sequence in problem.sequences)
    H, scoring = reference.compute_matrices(replace(problem, first=first, second=second)).H, problem.scoring
    step = max(int(scoring.scores.max()), 0) + scoring.extend
    rows, columns = (places.ravel() for places in np.indices(H.shape))
    distance = np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns)
    assert (np.abs(H.ravel()[:, None] - H.ravel()) <= distance * step + 2 * scoring.open).all()


def test_only_scores_that_cannot_overflow_are_packed() -> None:
    blosum = Scoring(named_matrix("BLOSUM62"), 10, 1)
    assert cuda_sizes.fits_16_bits(blosum, 1024)
    assert not cuda_sizes.fits_16_bits(Scoring(match_mismatch(128, -1), 5, 2), 64)
    assert not cuda_sizes.fits_16_bits(Scoring(match_mismatch(40, -40), 5, 2), 1024)
    assert cuda_sizes.fits_16_bits(Scoring(match_mismatch(40, -40), 5, 2), 256)
    assert not cuda_sizes.fits_16_bits(Scoring(match_mismatch(2, -3), 5000, 2), 64)


def test_bytes_are_as_promised(emulated) -> None:
    problem = shifted(1200, 5)
    for method in (SCORE, ALIGNMENT):
        for precision in ("16", "32"):
            found = emulated(method, problem, s=64, T=16, precision=precision)
            promised = method.cost.estimate_memory(problem, method.restore_parameters(found), "cuda").device_bytes
            assert 0 < found.device_bytes < promised + 40 * 512
