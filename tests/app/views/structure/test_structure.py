"""Arcs of a folded sequence, and the order of a product of matrices."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QGuiApplication

from antidiag.app import theme
from antidiag.app.kit.figures import export
from antidiag.app.kit.selection import Selection
from antidiag.app.views.structure import chain_order, displayed_structure
from antidiag.app.views.structure.chain_order import ChainOrderView
from antidiag.app.views.structure.view import StructureView
from antidiag.kernels.folding import best_structures, cooptimal_structures
from antidiag.kernels.folding.problem import ChainAnswer, ChainProblem, FoldingAnswer, FoldingProblem
from tests.app.views import made

LETTERS = "GGTAAAAGCC"
PARTNERS = np.array([9, 8, 7, -1, -1, -1, -1, 2, 1, 0], np.int32)
HAIRPIN = made.result(
    "nussinov", FoldingProblem(made.nucleotides(LETTERS.replace("U", "T"))), FoldingAnswer(3, PARTNERS)
)
AMBIGUOUS = made.result(
    "nussinov",
    FoldingProblem(made.nucleotides("GAAAACAAAACAAAC")),
    FoldingAnswer(1, np.array([5, *[-1] * 4, 0, *[-1] * 9], np.int32)),
)
CHAIN = made.result(
    "matrix-chain",
    ChainProblem((10, 30, 5, 60)),
    ChainAnswer(4500, np.array([[0, 1, 2], [0, 0, 1]], np.int32)),
)


def opened(qtbot, view, result):
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.show()
    view.show_result(result)
    QGuiApplication.processEvents()
    return view


def words(view):
    return " | ".join(item.text for item in view.legend.items)


def test_every_pair_is_an_arc_with_its_kind(qtbot):
    view = opened(qtbot, StructureView(Selection()), HAIRPIN)
    assert view.shown.pairs.tolist() == [[0, 9], [1, 8], [2, 7]]
    assert [list(displayed_structure.KINDS)[kind] for kind in view.shown.pair_kinds] == ["CG", "CG", "GU"]
    assert "3 pairs, loops of 3 letters or more" in words(view)
    assert view.structure_text() == f"{LETTERS}\n(((....)))"
    view.copy_structure()
    assert QGuiApplication.clipboard().text() == view.structure_text()


@pytest.mark.parametrize("pair", [(0, 9), (2, 7)])
def test_pointing_at_an_arc_or_a_letter_tells_its_pair(qtbot, pair):
    view = opened(qtbot, StructureView(Selection()), HAIRPIN)
    area, line = QRectF(view.line.rect()), view.line
    base = line.base_line(area)
    left, right = (line.x_of(letter + 0.5) for letter in pair)
    top = QPointF((left + right) / 2, base - (right - left) * line.height_scale(area, base))
    assert line.letter_of(top) == pair[0]
    image = line.grab().toImage()
    near = {QColor(image.pixel(round(top.x()), round(top.y()) + shift)).name() for shift in (-1, 0, 1)}
    assert near - {theme.active().panel}
    line.pointed.emit(QPointF(line.x_of(pair[1] + 0.5), base + 5))
    assert f"pairs with {pair[0] + 1}" in view.status.text()


def test_a_structure_without_pairs_and_none_at_all(qtbot):
    problem = FoldingProblem(made.nucleotides("AAAA"))
    view = opened(qtbot, StructureView(Selection()), made.result("nussinov", problem, FoldingAnswer(0, np.full(4, -1))))
    assert view.line.letter_of(QPointF(100, 50)) is None and not view.line.grab().isNull()
    view.show_result(CHAIN)
    assert view.result is None and view.structure_text() == ""


def test_all_best_structures_are_stepped_through_in_every_pane(qtbot):
    view = opened(qtbot, StructureView(Selection()), AMBIGUOUS)
    qtbot.waitUntil(lambda: view.shown.best_structures is not None)
    total = view.shown.best_structures.total
    assert total > 2 and view.of.text() == f"of {total} optimal" and view.field.text() == "1"
    seen = set()
    for _ in range(total):
        seen.add(view.structure_text())
        assert view.line.shown is view.drawing.shown is view.table.shown is view.shown
        view.next.click()
    assert len(seen) == total and view.number == 0
    view.back.click()
    assert view.number == total - 1
    view.field.setText("2")
    view.field.editingFinished.emit()
    assert view.number == 1
    view.field.setText(str(total + 1))
    view.field.editingFinished.emit()
    assert view.number == 1 and f"from 1 to {total}" in view.status.text() and view.field.text() == "2"


def test_a_letter_is_pointed_out_in_the_drawing_the_table_and_the_arcs(qtbot):
    view = opened(qtbot, StructureView(Selection()), HAIRPIN)
    qtbot.waitUntil(lambda: view.shown.best_structures is not None)
    places = view.drawing.letter_pixels()
    view.drawing.letter_pointed.emit(view.drawing.target_at(QPointF(*places[8])))
    assert "letter 9: C, pairs with 2: G, as in 100.0 %" in view.status.text()
    assert view.line._lit == view.table._lit == view.drawing._lit == 8
    view.table.pointed.emit((0, 9))
    assert view.status.text().startswith("letters 1 to 10: at most 3 pairs")
    view.table.pointed.emit((9, 0))
    assert view.line._lit is None


def test_panes_are_hidden_and_the_figure_has_those_that_are_there(qtbot, tmp_path):
    view = opened(qtbot, StructureView(Selection()), HAIRPIN)
    view.resize(900, 700)
    qtbot.waitUntil(lambda: view.shown.best_structures is not None)
    for name in ("drawing", "table", "arcs"):
        view.pane_buttons[name].click()
    assert not view.drawing.isHidden() and view.pane_buttons["drawing"].isChecked(), "one is always there"
    view.colour_by_share(True)
    view.drawing.zoom(3)
    assert view.drawing.target_at(QPointF(*view.drawing.letter_pixels()[4])) == 4
    view.show_pane("table", True)
    QGuiApplication.processEvents()
    for suffix in ("svg", "png"):
        export.save_figure(tmp_path / f"structure.{suffix}", view.figure_size(), view.draw_figure)
    text = (tmp_path / "structure.svg").read_text()
    assert text.count("<ellipse") + text.count("<circle") >= 10


def test_products_have_their_sizes_and_costs():
    found = chain_order.list_products(CHAIN)
    assert [(one.first, one.last, one.cost, one.total, one.shape) for one in found] == [
        (0, 2, 3000, 4500, (10, 60)), (0, 1, 1500, 1500, (10, 5)), (0, 0, 0, 0, (10, 30)), (1, 1, 0, 0, (30, 5)),
        (2, 2, 0, 0, (5, 60)),
    ]  # fmt: skip
    assert found[0].parts == (1, 4) and found[0].total == CHAIN.answer.cost


def test_a_product_says_what_it_multiplies(qtbot):
    view = opened(qtbot, ChainOrderView(Selection()), CHAIN)
    assert "4,500 multiplications in total" in words(view)
    boxes = view.product_boxes(QRectF(view.plane.rect()))
    view.plane.pointed.emit(boxes[1].center())
    assert view.status.text().startswith("A1..A2: (10 \u00d7 30) \u00b7 (30 \u00d7 5) needs 1,500 multiplications")
    assert not any(one.intersects(other) for k, one in enumerate(boxes) for other in boxes[:k])


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_one_matrix_and_very_many_are_painted(qtbot, colours, tmp_path):
    theme.switch(colours)
    try:
        one = made.result("matrix-chain", ChainProblem((2, 3)), ChainAnswer(0, np.empty((0, 3), np.int32)))
        view = opened(qtbot, ChainOrderView(Selection()), one)
        assert len(view.products) == 1 and not view.plane.grab().isNull()
        count = chain_order.MOST_DRAWN + 1
        splits = np.array([[0, k, k + 1] for k in reversed(range(count - 1))], np.int32)
        view.show_result(made.result("matrix-chain", ChainProblem((2,) * (count + 1)), ChainAnswer(8, splits)))
        assert not view.products and not view.plane.grab().isNull()
        view.copy()
        assert QGuiApplication.clipboard().image().width() == 2 * view.figure_size().width()
    finally:
        theme.switch("light")


def test_a_sequence_too_long_for_counting_has_its_table(qtbot, monkeypatch):
    monkeypatch.setattr(cooptimal_structures, "MOST", 9)
    view = opened(qtbot, StructureView(Selection()), HAIRPIN)
    qtbot.waitUntil(lambda: view.sharp)
    assert view.shown.best_structures is None and view.table.values[0, -1] == 3 and len(view.table._walk) == 3
    assert view.of.text() == "not counted: too long" and not view.next.isEnabled()
    view.table.part_pointed.emit((0, 9))
    assert "at most 3 pairs" in view.status.text()
    monkeypatch.setattr(best_structures, "MOST_LETTERS", 9)
    view.show_result(None)
    view.show_result(HAIRPIN)
    qtbot.waitUntil(lambda: view.sharp)
    assert "at most 9 letters" in view.table.note and view.of.text() == ""


def test_a_table_that_the_cpu_computes_after_a_run_of_a_gpu_says_so(qtbot):
    elsewhere = replace(HAIRPIN, backend="cuda", device="NVIDIA Nowhere")
    view = opened(qtbot, StructureView(Selection()), elsewhere)
    qtbot.waitUntil(lambda: view.shown.best_structures is not None)
    assert "table computed by the CPU: NVIDIA Nowhere is missing or lacks memory" in words(view)
