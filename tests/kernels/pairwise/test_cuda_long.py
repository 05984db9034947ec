"""Pairs of many strips, slices and rounds of a boundary's ring, on a GPU: the CPU's answer, path included."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from tests.problems import assert_same_path, shifted

pytestmark = pytest.mark.gpu

STRIPED = ("striped-score", "striped-alignment", "chunked-alignment-1", "chunked-alignment-2", "checkpointed-alignment")


def solved(method: str, problem: PairProblem, backend: str, **parameters: int):
    return engine.execute(engine.plan_run(registry.find_method(method), problem, parameters, backend)).answer


def related(length: int, mode: Mode, seed: int = 1) -> PairProblem:
    data = Generated(length=(length, length - length // 50), seed=seed).make_data(
        registry.find_method("striped-score").problem_type
    )
    return PairProblem(*data, Scoring(match_mismatch(2, -3), 5, 2), mode)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("method", STRIPED)
def test_many_short_slices(method, mode, monkeypatch):
    problem = related(20_000, mode)
    expected = solved(method, problem, "cpu")
    monkeypatch.setattr(cuda_sizes, "SLICE_CELLS", 1)
    for s, batch in ((32, 16), (96, 8), (192, 32)):
        found = solved(method, problem, "cuda", s=s, T=batch)
        assert (found.score, found.end) == (expected.score, expected.end), (s, batch)
        if expected.alignment:
            assert_same_path(found, expected)


@pytest.mark.parametrize("s", [32, 96, 192, 384])
def test_paths_beside_the_main_diagonal(s, monkeypatch):
    monkeypatch.setattr(cuda_sizes, "SLICE_CELLS", 1)
    for shift in range(0, 64, 4):
        assert solved("striped-score", shifted(9_000, shift), "cuda", s=s).score == 2 * (9_000 - shift), shift


def test_long_pairs_have_one_score_at_every_width():
    problem = related(300_000, Mode.LOCAL)
    widths = np.array([32, 64, 96, 160, 192, 384, 1024] * 3)
    scores = [solved("striped-score", problem, "cuda", s=int(s)).score for s in widths]
    assert len(set(scores)) == 1, dict(zip(widths.tolist(), scores, strict=True))
