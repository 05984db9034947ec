"""The table of two profiles for pictures: every cell is that of the textbook, wherever one looks."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.alignments import cell_origins
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import options, reference
from antidiag.kernels.profiles.problem import Problem
from antidiag.kernels.profiles.profile import generate_profile
from antidiag.kernels.profiles.wavefront import table_picture

SCORES = {"column_score": "sum-of-pairs", "gaps": "affine"}
CASES = [
    pytest.param("global", {}, id="global"),
    pytest.param("local", {**SCORES, "offset": 2.0}, id="local"),
    pytest.param("semi-global", {"column_score": "log-average", "gaps": "position"}, id="semi-global"),
]


def made(m: int, n: int, span: str, given: dict) -> Problem:
    random = np.random.default_rng(m + n)
    return options.build_profiles([generate_profile(m, random), generate_profile(n, random)], {"span": span, **given})


@pytest.mark.parametrize(("span", "given"), CASES)
@pytest.mark.parametrize("lengths", [(1, 1), (5, 70), (300, 40)])
def test_cells_are_those_of_the_textbook(span: str, given: dict, lengths: tuple[int, int]) -> None:
    problem = made(*lengths, span, given)
    H, E, F, _ = reference.fill_tables(problem.encoded)
    found = table_picture.compute_cells(table_picture.scan_table(problem), (0, lengths[0] + 1), (0, lengths[1] + 1))
    for one, expected in zip(found, (H, E, F), strict=True):
        assert np.array_equal(one[1:, 1:], np.array(expected)[1:, 1:])
    assert np.array_equal(found[0], H)


@pytest.mark.parametrize(("span", "given"), CASES)
def test_windows_are_parts_of_the_table(span: str, given: dict) -> None:
    problem = made(600, 1100, span, given)
    scanned = table_picture.scan_table(problem, pixels=(60, 50))
    whole = table_picture.compute_cells(scanned, (0, 601), (0, 1101))
    for rows, columns in (((3, 7), (510, 515)), ((250, 260), (0, 5)), ((600, 601), (1090, 1101))):
        part = table_picture.compute_cells(scanned, rows, columns)
        for one, all_of_it in zip(part, whole, strict=True):
            assert np.array_equal(one, all_of_it[slice(*rows), slice(*columns)])
    assert np.array_equal(table_picture.draw_window(scanned, (0, 601), (0, 1101), (601, 1101)), whole[0])
    edges = [np.arange(size) * length // size for size, length in ((60, 601), (50, 1101))]
    expected = np.maximum.reduceat(np.maximum.reduceat(whole[0], edges[0], axis=0), edges[1], axis=1)
    assert np.array_equal(scanned.overview, expected)


@pytest.mark.parametrize(("span", "given"), CASES)
def test_origins_lead_along_the_path(span: str, given: dict) -> None:
    problem = made(90, 80, span, given)
    found = table_picture.compute_cells(table_picture.scan_table(problem), (0, 91), (0, 81))
    origin = table_picture.find_origins(problem, found, (0, 0))
    answer = reference.align_profiles(problem)
    i, j = answer.start
    for operation in answer.operations.tolist():
        i, j = i + (operation != 2), j + (operation != 1)
        assert i == 0 or j == 0 or operation != 0 or origin[i, j] == cell_origins.FROM_DIAGONAL, (i, j)


def test_a_scan_can_be_cancelled() -> None:
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        table_picture.scan_table(made(40, 40, "global", {}), monitor)
