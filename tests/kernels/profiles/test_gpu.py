"""Many pairs, and long paths, on a real device: equal to the CPU to the last gap."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cuda import devices
from antidiag.kernels.profiles import trials
from antidiag.kernels.profiles.column_scores.scoring import ColumnScore, ColumnScoring, ProfileGaps, ProfileSpan
from antidiag.kernels.profiles.problem import ProfileAnswer, ProfileProblem
from antidiag.kernels.profiles.profile import generate_profile
from antidiag.kernels.profiles.wavefront import many_alignments, table_picture
from antidiag.kernels.scoring import named_matrix
from antidiag.kernels.trials import RandomChooser

pytestmark = pytest.mark.gpu
SCORINGS = [
    ColumnScoring(ColumnScore.SUM_OF_PAIRS, ProfileGaps.AFFINE, named_matrix("BLOSUM62"), 10, 1),
    ColumnScoring(ColumnScore.EUCLIDEAN, ProfileGaps.COLUMN, offset=0.7),
    ColumnScoring(ColumnScore.LOG_AVERAGE, ProfileGaps.POSITION, named_matrix("BLOSUM62"), 3, 1),
]


def by(backend: str, problem: ProfileProblem) -> ProfileAnswer:
    method = registry.find_method("profile-wavefront")
    return engine.execute(engine.plan_run(method, problem, {}, backend), keep_rate=False).answer


def same(found: ProfileAnswer, expected: ProfileAnswer) -> None:
    assert (found.score, found.start, found.end) == (expected.score, expected.start, expected.end)
    np.testing.assert_array_equal(found.operations, expected.operations)


@pytest.mark.parametrize("span", list(ProfileSpan))
@pytest.mark.parametrize("scoring", SCORINGS, ids=lambda scoring: str(scoring.kind))
def test_long_paths(scoring: ColumnScoring, span: ProfileSpan) -> None:
    random = np.random.default_rng(4)
    for m, n in ((3000, 2900), (400, 5000), (5000, 300)):
        problem = ProfileProblem(generate_profile(m, random), generate_profile(n, random), scoring, span)
        same(by("cuda", problem), by("cpu", problem))


@pytest.mark.parametrize("seed", range(8))
def test_many_pairs(seed: int) -> None:
    choose = RandomChooser(seed)
    drawn = [trials.draw_profiles(choose, 500) for _ in range(40)]
    pairs, (scoring, span) = [one.profiles for one in drawn], (drawn[0].scoring, drawn[0].span)
    with devices.use_device(0):
        found = many_alignments.align_profile_pairs(pairs, scoring, span, backend="cuda")
    for pair, answer in zip(pairs, found, strict=True):
        same(answer, by("cpu", ProfileProblem(*pair, scoring, span)))


@pytest.mark.parametrize("scoring", SCORINGS[:2], ids=lambda scoring: str(scoring.kind))
def test_pictures(scoring: ColumnScoring) -> None:
    """The overview, a window and cells are those that the CPU computes."""
    random = np.random.default_rng(6)
    problem = ProfileProblem(generate_profile(1500, random), generate_profile(2100, random), scoring)
    found, expected = (
        table_picture.scan_table(problem, pixels=(300, 400), device=0),
        table_picture.scan_table(problem, pixels=(300, 400)),
    )
    np.testing.assert_array_equal(found.overview, expected.overview)
    for rows, columns, shape in (((900, 1501), (1000, 2101), (200, 300)), ((0, 5), (2000, 2010), (5, 10))):
        np.testing.assert_array_equal(
            table_picture.draw_window(found, rows, columns, shape),
            table_picture.draw_window(expected, rows, columns, shape),
        )
    for one, other in zip(
        table_picture.compute_cells(found, (700, 720), (600, 620)),
        table_picture.compute_cells(expected, (700, 720), (600, 620)),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
