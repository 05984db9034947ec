import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTransform

from antidiag.app.kit.plane.layers import visible_boxes
from antidiag.app.kit.plane.matrix_picture import MatrixFrame
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment
from antidiag.kernels.pairwise.path_index import BLOCK, PathIndex, simplify_line


def random_path(length: int, seed: int = 1) -> Alignment:
    operations = np.random.default_rng(seed).choice([DIAGONAL, UP, LEFT], length, p=[0.6, 0.2, 0.2]).astype(np.uint8)
    start = (7, 3)
    end = (7 + int((operations != LEFT).sum()), 3 + int((operations != UP).sum()))
    return Alignment(start, end, operations)


@pytest.mark.parametrize("length", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 17])
def test_cells_equal_the_alignment(length):
    path = random_path(length)
    index, cells = PathIndex(path), path.list_cells()
    assert np.array_equal(index.cells(0, length), cells)
    for point in {0, length // 2, max(length - 1, 0), length}:
        assert index.cell(point) == tuple(cells[point])
        assert index.point_at(tuple(cells[point])) == point


@pytest.mark.parametrize("length", [1, BLOCK, 5 * BLOCK + 17])
def test_first_at_is_the_first_point(length):
    path = random_path(length)
    index, cells = PathIndex(path), path.list_cells()
    for axis in (0, 1):
        for value in (0, int(cells[length // 2, axis]), path.end[axis], path.end[axis] + 1):
            assert index.first_point_at(axis, value) == np.searchsorted(cells[:, axis], value)


def test_cells_beside_the_path_are_not_on_it():
    path = random_path(1000)
    index = PathIndex(path)
    on_path = {tuple(cell) for cell in path.list_cells()}
    for i, j in path.list_cells()[::50]:
        assert index.point_at((int(i), int(j) + 40)) is None or (i, j + 40) in on_path
    assert index.point_at((0, 0)) is None
    assert index.point_at((10**6, 10**6)) is None


def test_sample_keeps_ends_and_stays_small():
    path = random_path(100_000)
    index = PathIndex(path)
    everything = (0, 10**6), (0, 10**6)
    few = index.sample_cells(*everything, most=200)
    assert len(few) <= 600
    assert tuple(few[0]) == path.start
    assert tuple(few[-1]) == path.end
    all_cells = {tuple(cell) for cell in path.list_cells()}
    assert all(tuple(cell) in all_cells for cell in few)


def test_sample_of_a_window_is_every_cell_when_it_is_small():
    path = random_path(2000)
    cells = path.list_cells()
    i, j = cells[900]
    rows, columns = (int(i), int(i) + 20), (int(j), int(j) + 20)
    inside = [tuple(c) for c in cells if rows[0] <= c[0] < rows[1] and columns[0] <= c[1] < columns[1]]
    found = [tuple(c) for c in PathIndex(path).sample_cells(rows, columns)]
    assert found[1:-1] == inside


def test_no_path_in_the_window():
    assert len(PathIndex(random_path(100)).sample_cells((0, 2), (50, 60))) == 0


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), min_size=1, max_size=60), st.sampled_from([0.2, 1.0]))
def test_a_thinned_line_goes_where_the_line_goes(points, tolerance):
    line = np.array(points)
    found = simplify_line(line, tolerance)
    assert (found[0] == line[0]).all() and (found[-1] == line[-1]).all() and len(found) <= max(len(line), 2)
    starts, along = found[:-1], np.diff(found, axis=0)
    if len(found) == 1:
        starts, along = found, np.zeros((1, 2))
    for point in line:
        share = ((point - starts) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-12)
        nearest = starts + np.clip(share, 0, 1)[:, None] * along
        assert np.hypot(*(nearest - point).T).min() <= tolerance * (1 + 2 * 2**0.5) + 1e-9


def test_a_straight_line_needs_its_ends_only():
    line = np.linspace((0, 0), (900, 700), 5000)
    assert simplify_line(line, 0.4).tolist() == [[0, 0], [900, 700]]


AREAS = st.lists(st.tuples(*[st.integers(0, 80), st.integers(1, 40)] * 2), max_size=30)


@given(AREAS)
def test_areas_are_cut_to_the_visible_part(areas):
    frame = MatrixFrame(QTransform(2, 0, 0, 3, 10, 20), (20, 50), (5, 60))
    found = np.array([(i, i + m, j, j + n) for i, m, j, n in areas], np.int64).reshape(-1, 4)
    expected = [frame.visible_rect((a, b), (c, d)) for a, b, c, d in found.tolist()]
    expected = [[box.left(), box.top(), box.right(), box.bottom()] for box in expected if not box.isEmpty()]
    assert frame.visible_rects(found).tolist() == expected == visible_boxes(frame, found)


def test_of_many_areas_every_pixel_that_they_cover_is_drawn():
    frame = MatrixFrame(QTransform(0.01, 0, 0, 0.01, 0, 0), (0, 50_000), (0, 50_000))
    places = np.arange(0, 50_000, 10)
    found = visible_boxes(frame, np.stack((places, places + 10, places, places + 10), axis=1))
    assert len(found) < 1500 < places.size
    assert {round(left) for left, *_ in found} == set(range(501))
