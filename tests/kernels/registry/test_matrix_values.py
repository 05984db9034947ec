import numpy as np
import pytest

from antidiag.kernels.alignments.cell_origins import FROM_ABOVE, FROM_DIAGONAL, FROM_LEFT, NONE
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP
from antidiag.kernels.pairwise.pictures import matrix_view
from antidiag.kernels.registry import matrix_values
from tests.app.views import examples

FIRST, SECOND = examples.related(90)
PROBLEMS = [
    examples.problem(FIRST, SECOND),
    examples.problem(SECOND, FIRST),
    examples.problem(FIRST, SECOND, mode="global"),
    examples.problem(SECOND[:50], FIRST, mode="global", gap_open=0),
    examples.problem(FIRST, SECOND[:50], mode="global", gap_open=0),
    examples.problem("CCA", "AC", mode="global", mismatch=-6, gap_open=0, gap_extend=1),
]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_origins_lead_along_the_path(problem):
    full = reference.compute_matrices(problem)
    origins = matrix_view.find_origins(problem, (full.H, full.E, full.F), (0, 0))
    path = reference.align_pair(problem).alignment
    expected = {DIAGONAL: FROM_DIAGONAL, UP: FROM_ABOVE, LEFT: FROM_LEFT}
    cells, operations = path.list_cells(), path.operations
    for k, operation in enumerate(operations):
        last_of_gap = operation == DIAGONAL or k + 1 == len(operations) or operations[k + 1] != operation
        if last_of_gap:
            assert origins[tuple(cells[k + 1])] == expected[operation], f"cell {cells[k + 1]}"
    assert origins[0, 0] == NONE


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_block_equals_the_whole_matrix(problem):
    full = reference.compute_matrices(problem)
    origins = matrix_view.find_origins(problem, (full.H, full.E, full.F), (0, 0))
    scanned = matrix_values.scan_matrix(problem, Monitor())
    m, n = len(problem.first), len(problem.second)
    for rows, columns in (((0, 3), (0, 2)), ((m // 4, m // 2), (n // 3, n // 2)), ((m - 2, m + 1), (n - 2, n + 1))):
        block = matrix_values.compute_cell_block(problem, scanned, rows, columns)
        window = np.s_[rows[0] : rows[1], columns[0] : columns[1]]
        assert np.array_equal(block.h, full.H[window])
        finite = full.E[window] > -(2**29)
        assert np.array_equal(block.e[finite], full.E[window][finite])
        assert np.array_equal(block.origin, origins[window])
        assert block.values_at((rows[0], columns[0]))[0] == full.H[rows[0], columns[0]]
        assert block.contains(rows, columns)
        assert not block.contains((rows[0], rows[1] + 1), columns)


def test_a_raster_never_has_more_pixels_than_cells():
    problem = PROBLEMS[0]
    scanned = matrix_values.scan_matrix(problem, Monitor())
    raster = matrix_values.compute_raster(scanned, (10, 30), (0, 91), (500, 40), Monitor())
    full = reference.compute_matrices(problem).H[10:30, 0:91]
    assert raster.values.shape == (20, 40)
    assert raster.values.max() == full.max()


def test_tones_span_the_levels():
    values = np.array([-5, 0, 50, 100, 200], np.int32)
    assert matrix_values.scale_to_bytes(values, 0, 100).tolist() == [0, 0, 128, 255, 255]
    assert matrix_values.scale_to_bytes(values, 0, 100, root=True)[2] > 170
    assert matrix_values.scale_to_bytes(values, 7, 7).tolist() == [0, 0, 255, 255, 255]


def test_levels_follow_the_contrast():
    whole = matrix_values.MatrixRaster((0, 9), (0, 9), np.array([[-500, 1000]], np.int32))
    flat = matrix_values.MatrixRaster((0, 2), (0, 2), np.array([[20, 60]], np.int32))
    steep = matrix_values.MatrixRaster((0, 2), (0, 2), np.array([[20, 900]], np.int32))
    assert matrix_values.colour_levels("whole", whole, flat, False, False) == (-500, 1000, False)
    assert matrix_values.colour_levels("root", whole, flat, True, False) == (0, 1000, True)
    assert matrix_values.colour_levels("visible", whole, flat, True, False) == (20, 60, False)
    assert matrix_values.colour_levels("visible", whole, None, True, False) == (0, 1000, False)
    assert matrix_values.colour_levels("automatic", whole, flat, True, False) == (20, 60, False)
    assert matrix_values.colour_levels("automatic", whole, steep, True, False) == (0, 1000, False)
    assert matrix_values.colour_levels("automatic", whole, steep, True, True) == (20, 900, False)
