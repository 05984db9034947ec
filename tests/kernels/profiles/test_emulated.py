"""The device code of the family, run by the emulator: the textbook's alignment, to the last gap."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.profiles import reference, trials
from kernels.profiles.problem import ProfileProblem
from kernels.profiles.profile import NUCLEOTIDES, random_profile
from kernels.profiles.scoring import ColumnScore, ColumnScoring, Gaps, Span
from kernels.scoring import match_mismatch, named_matrix
from tests.choosing import Drawn

SEEDS = st.sampled_from((0, 1, 2))


def agree(emulated, problem: ProfileProblem, seed: int, batch: int) -> None:
    found = emulated("profile-wavefront", problem, seed=seed, T=batch).answer
    expected = reference.align(problem)
    assert (found.score, found.start, found.end) == (expected.score, expected.start, expected.end)
    np.testing.assert_array_equal(found.operations, expected.operations)


@settings(max_examples=20)
@given(data=st.data(), seed=SEEDS, batch=st.sampled_from((16, 20, 256)))
def test_small_profiles(emulated, data: st.DataObject, seed: int, batch: int) -> None:
    agree(emulated, trials.draw(Drawn(data.draw)), seed, batch)


@pytest.mark.parametrize(
    ("span", "m", "n"), [(Span.GLOBAL, 70, 129), (Span.LOCAL, 33, 260), (Span.SEMI_GLOBAL, 40, 256)]
)
def test_several_strips(emulated, span: Span, m: int, n: int) -> None:
    random = np.random.default_rng(1)
    first, second = random_profile(m, random), random_profile(n, random)
    scoring = ColumnScoring(ColumnScore.SUM_OF_PAIRS, Gaps.AFFINE, named_matrix("BLOSUM62"), 3, 1)
    agree(emulated, ProfileProblem(first, second, scoring, span), 1, 16)


@pytest.mark.parametrize("span", [Span.GLOBAL, Span.LOCAL, Span.SEMI_GLOBAL])
def test_several_launches(emulated, monkeypatch: pytest.MonkeyPatch, span: Span) -> None:
    """Every launch goes on where the one before stopped: here after each batch of 20 rows."""
    cuda_wavefront = importlib.import_module("kernels.profiles.cuda_wavefront")
    monkeypatch.setattr(cuda_wavefront, "SLICE_CELLS", 1)
    assert cuda_wavefront.slices(70, 300, 20) == [(0, 20), (20, 40), (40, 60), (60, 70)]
    random = np.random.default_rng(3)
    first, second = random_profile(70, random), random_profile(300, random)
    scoring = ColumnScoring(ColumnScore.SUM_OF_PAIRS, Gaps.AFFINE, named_matrix("BLOSUM62"), 3, 1)
    for seed in (0, 1):
        agree(emulated, ProfileProblem(first, second, scoring, span), seed, 20)


def test_nucleotides(emulated) -> None:
    random = np.random.default_rng(2)
    first, second = (random_profile(length, random, NUCLEOTIDES) for length in (50, 140))
    scoring = ColumnScoring(ColumnScore.LOG_AVERAGE, Gaps.POSITION, match_mismatch(2, -3), 5, 2)
    agree(emulated, ProfileProblem(first, second, scoring), 2, 32)
