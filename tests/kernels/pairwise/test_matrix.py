"""The matrix that people look at equals the textbook's, wherever they look."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.encoding import NEGATIVE
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pictures import matrix_view
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from tests.example_counts import try_examples
from tests.problems import pair, pairs

CHECKED = try_examples(40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
AFFINE = Scoring(match_mismatch(2, -3), 5, 2)


@st.composite
def spans(draw: st.DrawFn, size: int) -> tuple[int, int]:
    start = draw(st.integers(0, size - 1))
    return start, draw(st.integers(start + 1, size))


def pooled(values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The greatest value of each pixel; there are no more of them than values."""
    rows, columns = (np.arange(pixels) * size // pixels for size, pixels in zip(values.shape, shape, strict=True))
    return np.maximum.reduceat(np.maximum.reduceat(values, rows), columns, axis=1)


@CHECKED
@given(problem=pairs(), data=st.data())
def test_overview_windows_and_cells_are_the_textbooks(problem: PairProblem, data: st.DataObject) -> None:
    expected = reference.compute_matrices(problem)
    m, n = expected.H.shape
    pixels = data.draw(st.integers(1, m)), data.draw(st.integers(1, n))
    scanned = matrix_view.scan_matrix(problem, pixels=pixels)
    np.testing.assert_array_equal(scanned.overview, pooled(expected.H, pixels))
    for _ in range(4):
        rows, columns = data.draw(spans(m)), data.draw(spans(n))
        part = np.s_[slice(*rows), slice(*columns)]
        shape = data.draw(st.integers(1, rows[1] - rows[0])), data.draw(st.integers(1, columns[1] - columns[0]))
        np.testing.assert_array_equal(
            matrix_view.compute_window(scanned, rows, columns, shape), pooled(expected.H[part], shape)
        )
        found = matrix_view.compute_cells(scanned, rows, columns)
        for values, whole in zip(found, (expected.H, expected.E, expected.F), strict=True):
            np.testing.assert_array_equal(np.maximum(values, NEGATIVE), np.maximum(whole[part], NEGATIVE))


def related(m: int, n: int) -> tuple[str, str]:
    """Two DNA sequences with a common piece, off the diagonal."""
    random = np.random.default_rng(3)
    first, second = random.choice(list("ACGT"), m), random.choice(list("ACGT"), n)
    second[n // 2 : n // 2 + m // 2] = first[: m // 2]
    return "".join(first), "".join(second)


@pytest.fixture(scope="module", params=[(Mode.LOCAL, False), (Mode.GLOBAL, True)], ids=["local", "global-swapped"])
def large(request: pytest.FixtureRequest) -> tuple[matrix_view.MatrixScan, reference.AffineMatrices]:
    """A matrix of many strips, kept rows and kept columns."""
    mode, swapped = request.param
    letters = related(390, 610)
    problem = pair(*(letters[::-1] if swapped else letters), AFFINE, mode)
    return matrix_view.scan_matrix(problem, pixels=(300, 200)), reference.compute_matrices(problem)


def test_the_grid_is_kept(large: tuple[matrix_view.MatrixScan, reference.AffineMatrices]) -> None:
    scanned, _ = large
    assert scanned.row_numbers.size > 10
    assert scanned.column_numbers.size > 3
    assert scanned.overview.shape == (300, 200)


def test_windows_and_cells_far_from_the_corner(large: tuple[matrix_view.MatrixScan, reference.AffineMatrices]) -> None:
    scanned, expected = large
    random = np.random.default_rng(4)
    m, n = expected.H.shape
    for _ in range(40):
        rows, columns = np.sort(random.choice(m, 2, False)), np.sort(random.choice(n, 2, False))
        part = np.s_[slice(*rows), slice(*columns)]
        shape = tuple(int(random.integers(1, stop - start + 1)) for start, stop in (rows, columns))
        np.testing.assert_array_equal(
            matrix_view.compute_window(scanned, rows, columns, shape), pooled(expected.H[part], shape)
        )
        for values, whole in zip(
            matrix_view.compute_cells(scanned, rows, columns), (expected.H, expected.E, expected.F), strict=True
        ):
            np.testing.assert_array_equal(np.maximum(values, NEGATIVE), np.maximum(whole[part], NEGATIVE))


def test_a_large_window_comes_from_the_overview(
    large: tuple[matrix_view.MatrixScan, reference.AffineMatrices], monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned, expected = large
    monkeypatch.setattr(matrix_view, "CHEAP_CELLS", 0)
    monkeypatch.setattr(matrix_view, "_sweep_region", None)
    m, n = expected.H.shape
    np.testing.assert_array_equal(matrix_view.compute_window(scanned, (0, m), (0, n), (300, 200)), scanned.overview)
    shown = matrix_view.compute_window(scanned, (5, m), (0, n - 9), (50, 40))
    exact = pooled(expected.H[5:, : n - 9], (50, 40))
    assert (shown >= exact).all()
    rows, columns = (10 * m // 300, 290 * m // 300), (15 * n // 200, 190 * n // 200)  # where pixels begin
    assert matrix_view.compute_window(scanned, rows, columns, (1, 1)) == expected.H[slice(*rows), slice(*columns)].max()


def test_more_pixels_than_cells_repeat_them(large: tuple[matrix_view.MatrixScan, reference.AffineMatrices]) -> None:
    scanned, expected = large
    shown = matrix_view.compute_window(scanned, (100, 102), (200, 203), (4, 9))
    np.testing.assert_array_equal(shown, expected.H[100:102, 200:203].repeat(2, 0).repeat(3, 1))


def test_kept_rows_and_columns_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_view, "KEPT_BYTES", 100_000)
    scanned = matrix_view.scan_matrix(pair(*related(500, 900), AFFINE))
    assert scanned.kept_rows.nbytes + scanned.kept_columns.nbytes <= 2 * 100_000


def test_scan_reports_progress_and_can_be_cancelled() -> None:
    seen: list[tuple[int, int]] = []
    problem = pair(*related(500, 900), AFFINE)
    matrix_view.scan_matrix(problem, Monitor(lambda done, total, phase: seen.append((done, total))))
    assert seen[-1][0] == seen[-1][1]
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        matrix_view.scan_matrix(problem, monitor)
    with pytest.raises(Cancelled):
        matrix_view.compute_window(matrix_view.scan_matrix(problem), (100, 300), (100, 300), (10, 10), monitor)
