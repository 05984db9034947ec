"""The distance matrix as a heat map."""

from __future__ import annotations

import csv
import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication

from antidiag.app.kit.selection import Selection
from antidiag.app.views.distances import matrix_drawing
from antidiag.app.views.distances import view as module
from antidiag.app.views.distances.matrix_drawing import DistanceHeatMap, MatrixViewport
from antidiag.app.views.distances.view import DistancesView, row_order
from antidiag.kernels.io import distance_files, newick
from antidiag.kernels.io.distance_matrix import DistanceMatrix, make_distance_matrix
from antidiag.kernels.io.unique_names import make_names_unique
from tests.app.answers import Answers
from tests.app.views import tree_examples

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(qtbot) -> DistancesView:
    view = DistancesView(Selection())
    qtbot.addWidget(view)
    view.resize(760, 640)
    view.show()
    view.show_result(tree_examples.result())
    QApplication.processEvents()
    view.canvas.repaint()
    return view


def place(view: DistancesView, row: int, column: int) -> QPoint:
    return view.canvas.view.cell_box(row, column).center().toPoint()


def test_rows_are_in_the_order_of_the_tree(view) -> None:
    picture = view.canvas.picture
    assert tuple(picture.row_name(row) for row in range(picture.row_count)) == view.result.answer.tree.taxa
    view.order_rows("input")
    assert picture.order.tolist() != list(range(6)) and view.canvas.picture.order.tolist() == list(range(6))
    view.order_rows("name")
    assert [view.canvas.picture.row_name(row) for row in range(6)] == sorted(tree_examples.NAMES[:6])


def test_rows_made_different_are_found_in_a_tree_made_different() -> None:
    matrix = make_distance_matrix(make_names_unique("aba"), 1 - np.eye(3))
    assert row_order(matrix, "tree", newick.parse_newick("((a,b),a);")[0]).tolist() == [0, 1, 2]
    assert row_order(matrix, "tree", newick.parse_newick("((a,a),b);")[0]).tolist() == [0, 2, 1]
    assert row_order(matrix, "tree", None).tolist() == [0, 1, 2]


def test_a_matrix_without_a_tree_gets_one_for_its_order(qtbot) -> None:
    view = DistancesView(Selection())
    qtbot.addWidget(view)
    near = np.array([[0, 9, 1], [9, 0, 8], [1, 8, 0]], float)
    view.show_datum(make_distance_matrix(("a", "b", "c"), near, "three"))
    qtbot.waitUntil(lambda: view.sharp)
    assert [view.canvas.picture.row_name(row) for row in range(3)] in (
        ["a", "c", "b"],
        ["b", "a", "c"],
        ["b", "c", "a"],
    )
    assert any("UPGMA" in item.text for item in view.legend.items)


def test_the_pair_under_the_mouse(qtbot, view) -> None:
    picture = view.canvas.picture
    qtbot.mouseMove(view.canvas, place(view, 1, 4))
    first, second = picture.row_name(1), picture.row_name(4)
    names = view.matrix.names
    value = view.matrix.values[names.index(first), names.index(second)]
    assert view.status.text().startswith(f"{first} and {second}: {value:.6g}")
    qtbot.mouseMove(view.canvas, place(view, 2, 2))
    assert view.status.text().startswith(picture.row_name(2))


def test_clicks_select_taxa_everywhere(qtbot, view) -> None:
    picture, canvas = view.canvas.picture, view.canvas
    qtbot.mouseClick(canvas, LEFT, pos=place(view, 0, 3))
    assert view.selection.taxa == {picture.row_name(0), picture.row_name(3)}
    box = canvas.view.cell_box(5, 0)
    qtbot.mouseClick(
        canvas, LEFT, Qt.KeyboardModifier.ControlModifier,
        QPoint(round(canvas.view.area.right()) + 20, round(box.center().y())),
    )  # fmt: skip
    assert view.selection.taxa == {picture.row_name(row) for row in (0, 3, 5)}
    assert picture.chosen.tolist() == [row in (0, 3, 5) for row in range(6)]
    tree = picture.layout.tree
    inner = next(node for node in range(1, len(tree)) if tree.degrees[node])
    frame = matrix_drawing.tree_frame(picture, canvas.view)
    spot = QPoint(round(frame.px(picture.layout.x[inner])) - 1, round(frame.py(picture.layout.y[inner])))
    qtbot.mouseClick(canvas, LEFT, pos=spot)
    low, high = np.searchsorted(tree.leaves, (inner, tree.ends[inner]))
    assert view.selection.taxa == set(tree.taxa[low:high])
    canvas.repaint()


def test_keys_and_zoom(qtbot, view) -> None:
    canvas = view.canvas
    whole = canvas.view
    canvas.zoom(1.5, QPointF(place(view, 0, 0)))
    assert canvas.view.cell == pytest.approx(1.5 * whole.cell) and not canvas.fitted
    for _ in range(6):
        qtbot.keyClick(canvas, Qt.Key.Key_Right)
        qtbot.keyClick(canvas, Qt.Key.Key_Down)
    assert canvas.picture.current == (5, 5)
    assert canvas.view.area.adjusted(-1, -1, 1, 1).contains(canvas.view.cell_box(5, 5)), "the current cell is in sight"
    qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert view.selection.taxa == {canvas.picture.row_name(5)}
    qtbot.keyClick(canvas, Qt.Key.Key_F)
    assert canvas.view == whole
    qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    assert canvas.view == whole, "never farther than the whole"


@pytest.mark.parametrize("count", [1, 3, 500])
@pytest.mark.parametrize("cell", [0.3, 1.0, 7.0])
def test_samples_are_cells_of_the_matrix(count: int, cell: float) -> None:
    values = np.add.outer(1000.0 * np.arange(count), np.arange(count))
    from PySide6.QtCore import QRectF

    picture = DistanceHeatMap(values, ("x",) * count, np.arange(count)[::-1], (0, 1))
    window = MatrixViewport(cell, -20.0, -10.0, QRectF(0, 0, 60, 60))
    found, box = matrix_drawing.sample_values(picture, window, 1.0)
    rows, columns = window.visible_rows(count), window.visible_columns(count)
    assert found.shape[0] <= 60 / min(cell, 1) + 2 and box.height() == pytest.approx((rows[1] - rows[0]) * cell)
    for i, j in np.ndindex(found.shape):
        row = rows[0] + int((i + 0.5) * (rows[1] - rows[0]) / found.shape[0])
        column = columns[0] + int((j + 0.5) * (columns[1] - columns[0]) / found.shape[1])
        if row != column:
            assert found[i, j] == 1000 * (count - 1 - row) + count - 1 - column
        else:
            assert np.isnan(found[i, j])


def test_the_table_goes_to_files_and_to_the_clipboard(view, answers: Answers, tmp_path: Path) -> None:
    for name in ("out.csv", "out.phy"):
        answers.path = tmp_path / name
        view.save_matrix()
    with open(tmp_path / "out.csv", newline="") as handle:
        rows = list(csv.reader(handle))
    shown = view.ordered_matrix()
    assert rows[0] == ["", *shown.names] and [row[0] for row in rows[1:]] == list(shown.names)
    assert np.array([row[1:] for row in rows[1:]], float) == pytest.approx(np.asarray(shown.values))
    (again,) = distance_files.read_distances(tmp_path / "out.phy")
    assert again.names == shown.names and again.values == pytest.approx(np.asarray(shown.values))
    view.copy_table()
    assert QGuiApplication.clipboard().text() == "".join(distance_files.csv_lines(shown, "\t"))


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_figures(view, answers: Answers, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"heat{suffix}"
    answers.path = path
    view.save()
    assert path.stat().st_size > 1000
    if suffix == ".png":
        assert QImage(str(path)).width() == 2 * view.figure_size().width()


def test_options_and_maps(view) -> None:
    wide = view.canvas.view.cell
    view.set_option("labelled", False)
    assert view.canvas.view.cell >= wide
    for name in ("cividis", "magma"):
        view.set_map(name)
        assert view.canvas.picture.map_name == name
        view.canvas.repaint()


@pytest.mark.parametrize("taxa", [1, 2])
def test_the_smallest_matrices_are_drawn(view, taxa: int) -> None:
    view.show_datum(make_distance_matrix(tree_examples.NAMES[:taxa], 1 - np.eye(taxa), "small"))
    view.canvas.zoom(2)
    view.canvas.repaint()
    assert view.canvas.picture.row_count == taxa


def test_what_can_be_shown(view) -> None:
    assert DistancesView.shows_datum(tree_examples.matrix()) and not DistancesView.shows_datum(tree_examples.tree())
    assert isinstance(view.matrix, DistanceMatrix)
    view.show_result(None)
    assert view.matrix is None and view.canvas.picture is None and not view._tools.isEnabled()
    view.canvas.repaint()


def test_many_distances_are_looked_through_on_a_thread(qtbot, view, monkeypatch):
    threads = []
    ranges = module.find_ranges
    monkeypatch.setattr(module, "MOST_IMMEDIATE", 2)
    monkeypatch.setattr(
        module, "find_ranges", lambda matrix: threads.append(threading.current_thread()) or ranges(matrix)
    )
    before = view.canvas.picture
    view.show_result(None)
    view.show_result(tree_examples.result())
    assert view.canvas.picture is None and not view.sharp and not view._tools.isEnabled()
    qtbot.waitUntil(lambda: view.sharp)
    assert threading.main_thread() not in threads[1:] and len(threads) == 2
    assert view.canvas.picture.levels == before.levels and view._tools.isEnabled()
