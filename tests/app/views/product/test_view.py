"""A product of matrices as a heat map."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QGuiApplication

from antidiag.app.kit.figures import export
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.selection import Selection
from antidiag.app.views.product.view import COLOURS, ProductView
from antidiag.kernels import engine, registry
from antidiag.kernels.products.matrix import check_matrix
from tests.app.views import tree_examples

METHOD = registry.find_method("minplus-product")


def product(*data):
    made = METHOD.problem_type.make_problem([check_matrix(np.array(values)) for values in data], {})
    return engine.execute(engine.plan_run(METHOD, made, {}, "cpu"), keep_rate=False)


@pytest.fixture
def view(qtbot) -> ProductView:
    view = ProductView(Selection())
    qtbot.addWidget(view)
    view.resize(400, 460)
    view.show()
    return view


def colour(view: ProductView, row: int, column: int) -> QColor:
    """What is painted in the middle of a cell."""
    window, canvas = view.canvas.area, view.canvas
    x = (column + 0.5 - window.x()) / window.width() * canvas.width()
    y = (row + 0.5 - window.y()) / window.height() * canvas.height()
    return canvas.grab().toImage().pixelColor(int(x), int(y))


def test_every_number_has_its_colour(view) -> None:
    view.show_result(product([[0, 1], [5, np.inf]], [[1.0, 9], [2, 4]]))
    assert view.shown_matrix().tolist() == [[1, 5], [6, 14]]
    for (row, column), value in np.ndenumerate(view.shown_matrix()):
        shade = int(heat_map.map_positions(np.array(float(value)), 1.0, 14.0))
        assert colour(view, row, column).rgb() == int(heat_map.map_colours(COLOURS)[shade])


def test_factors_members_and_numbers_are_told(view) -> None:
    first, second = np.arange(24.0).reshape(3, 2, 4), np.arange(36.0).reshape(3, 4, 3)
    first[1, 1, 2] = np.inf
    view.show_result(product(first, second))
    assert view.member_number.isVisible() and view.member_number.maximum() == 3
    view.member_number.setValue(2)
    view.matrix_choice.setCurrentText("First matrix")
    np.testing.assert_array_equal(view.shown_matrix(), first[1])
    canvas = view.canvas
    canvas.pointed.emit(canvas.target_at(QPointF(canvas.width() * 0.6, canvas.height() * 0.9)))
    assert view.status.text() == "row 2, column 3: no path"
    canvas.pointed.emit(canvas.target_at(QPointF(1, 1)))
    assert view.status.text() == "row 1, column 1: 8"


def test_a_part_is_seen_nearer_and_all_again(view) -> None:
    view.show_result(product(np.ones((40, 3)), np.ones((3, 50))))
    canvas = view.canvas
    before = canvas.target_at(QPointF(30, 40))
    canvas.zoom(4, QPointF(30, 40))
    assert canvas.target_at(QPointF(30, 40)) == before and canvas.area.width() == 12.5
    canvas.zoom(0.01, QPointF(0, 0))
    assert (canvas.area.width(), canvas.area.height()) == (50, 40)
    canvas.zoom(10, QPointF(0, 0))
    canvas.show_all()
    assert canvas.area.width() == 50


def test_nothing_and_other_results(view) -> None:
    assert not ProductView.shows(tree_examples.result())
    view.show_result(product([[np.inf]], [[1.0]]))
    assert colour(view, 0, 0).isValid()
    view.show_result(None)
    assert view.shown_matrix().size == 0 and not view.isEnabled()


def test_the_numbers_in_sight_are_copied(view) -> None:
    view.show_result(product([[0, 1], [5, np.inf]], [[1.0, 9], [2, 4]]))
    view.matrix_choice.setCurrentText("First matrix")
    view.copy_table()
    assert QGuiApplication.clipboard().text() == "0\t1\n5\tinf\n"
    view.show_result(product(np.arange(400.0).reshape(20, 20), np.ones((20, 20))))
    view.canvas.zoom(100, QPointF(0, 0))
    view.copy_table()
    assert QGuiApplication.clipboard().text() == "0\t1\t2\t3\n20\t21\t22\t23\n40\t41\t42\t43\n60\t61\t62\t63\n"


def test_a_figure_has_legend_and_title(view, tmp_path) -> None:
    view.show_result(product([[0, np.inf]], [[1.0, np.inf], [2, np.inf]]))
    assert [item.text for item in view.legend.items] == ["1 x 2 numbers", "1 to 1", "no path (infinite)"]
    size = view.figure_size()
    assert size.height() > view.canvas.height()
    for suffix, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        export.save_figure(tmp_path / f"product{suffix}", size, view.draw_figure, "product")
        assert (tmp_path / f"product{suffix}").read_bytes().startswith(start)
    view.copy()
    assert QGuiApplication.clipboard().image().deviceIndependentSize().toSize() == size
