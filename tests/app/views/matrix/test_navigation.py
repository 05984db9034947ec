"""Moving about in the matrix of a pair: places, keys, clicks, alignment columns, the wheel."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest

from tests.app.views import examples
from tests.app.views.matrix.steps import FIRST, SECOND, settled, shown


def test_go_to_start_end_window_and_nonsense(qtbot, view):
    result = shown(qtbot, view)
    assert view.go_to("end")
    frame = view.plot.visible_frame()
    assert frame.rows[0] <= result.answer.end[0] < frame.rows[1]
    assert view.go_to("10:30, 20:40")
    frame = view.plot.visible_frame()
    assert frame.rows[0] <= 10
    assert frame.rows[1] >= 31
    assert not view.go_to("900, 1")
    assert "must be between" in view.status.text()


def test_fit_path_and_one_to_one(qtbot, view):
    result = shown(qtbot, view)
    view.show_path()
    frame = view.plot.visible_frame()
    assert frame.rows[0] <= result.answer.alignment.start[0]
    assert frame.rows[1] > result.answer.end[0]
    view.show_one_to_one()
    assert view.plot.visible_frame().column_width == pytest.approx(1, abs=0.01)
    view.show_all()
    assert view.plot.visible_frame().rows == (0, 91)
    assert view.plot.visible_frame().columns == (0, 92)


def test_keys_move_and_zoom(qtbot, view):
    shown(qtbot, view)
    view.go_to("40, 40")
    before = view.plot.visible_frame()
    qtbot.keyClick(view.plot, Qt.Key.Key_Right)
    assert view.plot.visible_frame().columns[0] > before.columns[0]
    qtbot.keyClick(view.plot, Qt.Key.Key_Minus)
    assert view.plot.visible_frame().column_width < before.column_width
    qtbot.keyClick(view.plot, Qt.Key.Key_F)
    assert view.plot.visible_frame().rows == (0, 91)


def test_a_click_beside_the_path_chooses_it(qtbot, view, selection):
    result = shown(qtbot, view)
    chosen = []
    selection.cell_chosen.connect(chosen.append)
    i, j = (int(x) for x in result.answer.alignment.list_cells()[50])
    if view.picture.path.point_at((i, j + 1)) is None:
        view.plot.clicked.emit((i, j + 1))
        assert view.picture.path.point_at(chosen[-1]) is not None
    view.plot.clicked.emit((5, 80))
    assert chosen[-1] == (5, 80)


def test_a_hovered_alignment_column_marks_its_cell(qtbot, view, selection):
    result = shown(qtbot, view)
    selection.hover_column(12)
    assert view.picture.hovered == tuple(result.answer.alignment.list_cells()[13])
    selection.hover_column(None)
    assert view.picture.hovered is None


def test_a_chosen_alignment_column_comes_into_view(qtbot, view, selection):
    result = shown(qtbot, view)
    view.go_to("start")
    selection.choose_column(len(result.answer.alignment.operations) - 1)
    frame = view.plot.visible_frame()
    assert frame.rows[0] <= result.answer.end[0] < frame.rows[1]


def test_a_column_chosen_before_the_view_had_the_result_is_found(qtbot, view, selection):
    result = examples.result(examples.problem(FIRST * 4, SECOND * 4, mode="global"))
    view.show_result(result)
    view.go_to("start")
    selection.choose_column(300, result)
    view.show_result(result)
    i, j = (int(x) for x in result.answer.alignment.list_cells()[301])
    frame = view.plot.visible_frame()
    assert frame.rows[0] <= i < frame.rows[1]
    assert frame.columns[0] <= j < frame.columns[1]


def turn_wheel(view, cell, notches):
    """Turn the wheel over a cell."""
    plot = view.plot
    place = plot.mapFromScene(plot.box.mapViewToScene(QPointF(cell[1], cell[0])))
    at = QPointF(place), QPointF(plot.viewport().mapToGlobal(place))
    keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False
    QGuiApplication.sendEvent(plot.viewport(), QWheelEvent(*at, QPoint(), QPoint(0, 120 * notches), *keys))


def double_click(view, cell):
    place = view.plot.mapFromScene(view.plot.box.mapViewToScene(QPointF(cell[1], cell[0])))
    for act in (QTest.mouseClick, QTest.mouseDClick, QTest.mouseRelease):
        act(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QGuiApplication.processEvents()


def test_the_wheel_keeps_the_path_near_the_pointer(qtbot, view):
    first, second = examples.related(1000)
    shown(qtbot, view, first=first, second=second)
    on_path = view.picture.path.cell(500)
    beside = on_path[0] + 10, on_path[1] - 8  # a few pixels away
    before = view.plot.box.mapViewToScene(QPointF(on_path[1], on_path[0]))
    turn_wheel(view, beside, 1)
    after = view.plot.box.mapViewToScene(QPointF(on_path[1], on_path[0]))
    assert (after - before).manhattanLength() < 16
    frame = view.plot.visible_frame()
    assert frame.rows[1] - frame.rows[0] < 900 and not view._fitted
    turn_wheel(view, beside, 14)
    frame = view.plot.visible_frame()
    assert frame.shows_cells and len(view.picture.path.sample_cells(frame.rows, frame.columns)), "the path is seen"


def test_the_wheel_keeps_the_cell_below_the_pointer_where_no_path_is_near(qtbot, view):
    shown(qtbot, view)
    before = view.plot.box.mapViewToScene(QPointF(80, 10))
    turn_wheel(view, (10, 80), 3)
    assert (view.plot.box.mapViewToScene(QPointF(80, 10)) - before).manhattanLength() < 3


def test_the_wheel_does_not_go_beyond_the_whole_matrix(qtbot, view):
    shown(qtbot, view)
    whole = view.plot.box.viewRange()
    turn_wheel(view, (20, 20), -10)
    assert view.plot.box.viewRange() == whole and view._fitted
    turn_wheel(view, (20, 20), 6)
    turn_wheel(view, (25, 25), -12)
    assert np.allclose(view.plot.box.viewRange(), whole) and view._fitted


def test_a_double_click_shows_single_cells_and_the_next_one_everything(qtbot, view):
    shown(qtbot, view)
    whole = view.plot.box.viewRange()
    double_click(view, (40, 60))
    settled(qtbot, view)
    frame = view.plot.visible_frame()
    assert frame.shows_cells and frame.rows[0] <= 40 < frame.rows[1] and frame.columns[0] <= 60 < frame.columns[1]
    double_click(view, (40, 60))
    assert np.allclose(view.plot.box.viewRange()[1], whole[1]) and view._fitted
