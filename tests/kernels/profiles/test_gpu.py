"""Many pairs, and long paths, on a real device: equal to the CPU to the last gap."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.profiles import batch, pictures, trials
from antidiag.kernels.profiles.problem import ProfileAnswer, ProfileProblem
from antidiag.kernels.profiles.profile import random_profile
from antidiag.kernels.profiles.scoring import ColumnScore, ColumnScoring, Gaps, Span
from antidiag.kernels.scoring import named_matrix
from antidiag.kernels.trials import Chance

pytestmark = pytest.mark.gpu
SCORINGS = [
    ColumnScoring(ColumnScore.SUM_OF_PAIRS, Gaps.AFFINE, named_matrix("BLOSUM62"), 10, 1),
    ColumnScoring(ColumnScore.EUCLIDEAN, Gaps.COLUMN, offset=0.7),
    ColumnScoring(ColumnScore.LOG_AVERAGE, Gaps.POSITION, named_matrix("BLOSUM62"), 3, 1),
]


def by(backend: str, problem: ProfileProblem) -> ProfileAnswer:
    method = registry.method("profile-wavefront")
    return engine.execute(engine.plan(method, problem, {}, backend), keep_rate=False).answer


def same(found: ProfileAnswer, expected: ProfileAnswer) -> None:
    assert (found.score, found.start, found.end) == (expected.score, expected.start, expected.end)
    np.testing.assert_array_equal(found.operations, expected.operations)


@pytest.mark.parametrize("span", list(Span))
@pytest.mark.parametrize("scoring", SCORINGS, ids=lambda scoring: str(scoring.kind))
def test_long_paths(scoring: ColumnScoring, span: Span) -> None:
    random = np.random.default_rng(4)
    for m, n in ((3000, 2900), (400, 5000), (5000, 300)):
        problem = ProfileProblem(random_profile(m, random), random_profile(n, random), scoring, span)
        same(by("cuda", problem), by("cpu", problem))


@pytest.mark.parametrize("seed", range(8))
def test_many_pairs(seed: int) -> None:
    choose = Chance(seed)
    drawn = [trials.draw(choose, 500) for _ in range(40)]
    pairs, (scoring, span) = [one.profiles for one in drawn], (drawn[0].scoring, drawn[0].span)
    with devices.use(0):
        found = batch.align(pairs, scoring, span, backend="cuda")
    for pair, answer in zip(pairs, found, strict=True):
        same(answer, by("cpu", ProfileProblem(*pair, scoring, span)))


@pytest.mark.parametrize("scoring", SCORINGS[:2], ids=lambda scoring: str(scoring.kind))
def test_pictures(scoring: ColumnScoring) -> None:
    """The overview, a window and cells are those that the CPU computes."""
    random = np.random.default_rng(6)
    problem = ProfileProblem(random_profile(1500, random), random_profile(2100, random), scoring)
    found, expected = pictures.scan(problem, pixels=(300, 400), device=0), pictures.scan(problem, pixels=(300, 400))
    np.testing.assert_array_equal(found.overview, expected.overview)
    for rows, columns, shape in (((900, 1501), (1000, 2101), (200, 300)), ((0, 5), (2000, 2010), (5, 10))):
        np.testing.assert_array_equal(
            pictures.window(found, rows, columns, shape), pictures.window(expected, rows, columns, shape)
        )
    for one, other in zip(
        pictures.cells(found, (700, 720), (600, 620)), pictures.cells(expected, (700, 720), (600, 620)), strict=True
    ):
        np.testing.assert_array_equal(one, other)
