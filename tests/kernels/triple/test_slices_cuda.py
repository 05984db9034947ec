"""Slices and cubes by the GPU's device code equal the CPU's: emulated, and on a real GPU with sizes of its own."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.scoring import Scoring, named_matrix
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.pictures import slices
from antidiag.kernels.triple.trials import make_problem as triple
from tests.kernels.triple.problems import related

GAPS = pytest.mark.parametrize("gap_open", [0, 3])


def problem(length: int, gap_open: int) -> TripleProblem:
    """Three related proteins, no two of the same length."""
    rows = (related(length + 3 * seed, seed) for seed in range(3))
    return triple(*rows, Scoring(named_matrix("BLOSUM62"), gap_open, 2), SequenceType.PROTEIN)


def assert_equal(given: TripleProblem, cell: tuple[int, int, int], kept: bool) -> None:
    """All that is seen of a cube is the same on both."""
    for axes in (frozenset((0, 1, 2)), *(frozenset((axis,)) for axis in range(3))):
        ours, expected = (slices.compute_slices(given, cell, axes, Monitor(), device) for device in (0, None))
        assert ours.keys() == expected.keys()
        for axis, plane in expected.items():
            np.testing.assert_array_equal(ours[axis], plane)
    if kept:
        ours, expected = (slices.compute_cube(given, Monitor(), device) for device in (0, None))
        values = np.s_[..., 1:] if given.has_affine_gaps else np.s_[...]
        np.testing.assert_array_equal(ours.array[values], expected.array[values])


@GAPS
@pytest.mark.usefixtures("emulated")
def test_emulated(gap_open: int) -> None:
    assert_equal(problem(17, gap_open), (7, 11, 3), kept=True)


@pytest.mark.usefixtures("emulated")
def test_computing_on_a_gpu_can_be_cancelled() -> None:
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        slices.compute_slices(problem(17, 0), (3, 3, 3), frozenset((0,)), monitor, 0)


@pytest.mark.gpu
@GAPS
def test_on_a_gpu(gap_open: int) -> None:
    assert_equal(problem(150, gap_open), (70, 120, 31), kept=True)
    assert_equal(problem(330, gap_open), (300, 160, 11), kept=False)
