"""Pictures of a matrix by the GPU's device code equal the CPU's: emulated, and on a real GPU with sizes of its own."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.pairwise.encoding import NEGATIVE
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pictures import matrix_view
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from tests.kernels.pairwise.test_matrix import AFFINE, related
from tests.problems import pair

WIDE = Scoring(match_mismatch(200, -300), 500, 20)
"""Scores beyond a byte."""
SMALL = [
    ((40, 61), (20, 9), Mode.LOCAL, AFFINE),
    ((131, 70), (132, 71), Mode.GLOBAL, AFFINE),
    ((90, 150), (13, 17), Mode.LOCAL, WIDE),
]
EMULATED = pytest.mark.parametrize(("lengths", "pixels", "mode", "scoring"), SMALL)
LARGE = pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL])


def assert_equal(problem: PairProblem, pixels: tuple[int, int], windows: int, seed: int) -> None:
    """All that is seen of a matrix is the same on both."""
    ours, expected = (
        matrix_view.scan_matrix(problem, pixels=pixels, device=0),
        matrix_view.scan_matrix(problem, pixels=pixels),
    )
    np.testing.assert_array_equal(ours.overview, expected.overview)
    random = np.random.default_rng(seed)
    m, n = len(problem.first) + 1, len(problem.second) + 1
    for _ in range(windows):
        rows, columns = (tuple(np.sort(random.choice(size, 2, False)).tolist()) for size in (m, n))
        shape = tuple(int(random.integers(1, stop - start + 1)) for start, stop in (rows, columns))
        shape = min(shape[0], 900), min(shape[1], 900)
        shown = [matrix_view.compute_window(one, rows, columns, shape) for one in (ours, expected)]
        np.testing.assert_array_equal(*shown)
        near = (rows[0], min(rows[1], rows[0] + 30)), (columns[0], min(columns[1], columns[0] + 30))
        for of_ours, of_expected in zip(
            matrix_view.compute_cells(ours, *near), matrix_view.compute_cells(expected, *near), strict=True
        ):
            np.testing.assert_array_equal(np.maximum(of_ours, NEGATIVE), np.maximum(of_expected, NEGATIVE))


@EMULATED
@pytest.mark.usefixtures("emulated")
def test_emulated(
    lengths: tuple[int, int], pixels: tuple[int, int], mode: Mode, scoring: Scoring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix_view, "STEP_ON_GPU", 32)
    monkeypatch.setattr(matrix_view, "SHARE_ON_GPU", 1)
    first, second = related(*sorted(lengths))
    letters = (first, second) if lengths[0] <= lengths[1] else (second, first)
    assert_equal(pair(*letters, scoring, mode), pixels, 3, lengths[0])


@pytest.mark.gpu
@LARGE
def test_on_a_gpu(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_view, "SHARE_ON_GPU", 1)
    monkeypatch.setattr(matrix_view, "SHARE", 1)
    assert_equal(pair(*related(30_000, 41_000), AFFINE, mode), (1000, 700), 6, 1)
