"""Pairs in whole numbers: many at once are what each is by itself, to the last number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antidiag.kernels.errors import InputError, ScoreOverflow
from antidiag.kernels.profiles.column_scores import encoding
from antidiag.kernels.profiles.column_scores.encoding import encode_pair, round_frequencies
from antidiag.kernels.profiles.column_scores.scoring import ColumnScore, ColumnScoring, ProfileGaps, ProfileSpan
from antidiag.kernels.profiles.profile import NUCLEOTIDES, generate_profile


@pytest.mark.parametrize("seed", range(4))
def test_many_columns_are_rounded_as_few_are(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """What is compiled says the same; with shares that are equal, and with sums a little off 1."""
    random = np.random.default_rng(seed)
    frequencies = random.gamma(0.2, size=(21 if seed % 2 else 5, 3000))
    frequencies[:, ::3] = random.integers(1, 4, frequencies[:, ::3].shape)
    frequencies /= frequencies.sum(axis=0) * random.choice([1, 1 + 1e-12, 0.9, 1.01], 3000)
    frequencies[:, 0], frequencies[-1, 0] = 0, 1
    found = []
    for least in (1, 10**9):
        monkeypatch.setattr(encoding, "COMPILED", least)
        found.append(round_frequencies(frequencies))
    np.testing.assert_array_equal(*found)


def test_the_pair_that_cannot_be_scored_is_named() -> None:
    random = np.random.default_rng(1)
    good, other = generate_profile(5, random), generate_profile(5, random, NUCLEOTIDES)
    long = replace(generate_profile(50_000, random), name="the long one")
    scoring = ColumnScoring(ColumnScore.EUCLIDEAN, ProfileGaps.AFFINE, gap_extend=9)
    empty = replace(good, frequencies=np.zeros((len(good.alphabet), 0)), name="the empty one")
    with pytest.raises(InputError, match="the empty one has no columns"):
        encode_pair(good, empty, scoring, ProfileSpan.GLOBAL)
    with pytest.raises(InputError, match="has the alphabet"):
        encode_pair(good, other, scoring, ProfileSpan.GLOBAL)
    with pytest.raises(ScoreOverflow, match="the long one"):
        encode_pair(good, long, scoring, ProfileSpan.GLOBAL)
