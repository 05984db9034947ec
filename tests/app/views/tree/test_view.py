"""The tree view as a person uses it: mouse, keys, menus, files."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QDialog

from antidiag.app.kit.selection import Selection
from antidiag.app.views.tree import layout_task, tree_menus
from antidiag.app.views.tree.tree_view import TreeView
from antidiag.kernels.io import newick
from antidiag.kernels.io.tree_splits import tree_splits
from antidiag.kernels.trees import rooting
from antidiag.kernels.trees.tree_layout import TreeShape
from tests.app.views import tree_examples
from tests.app.views.tree_examples import action, node, pixel

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def click(qtbot, view: TreeView, number: int, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    view.canvas.repaint()
    qtbot.mouseClick(view.canvas, LEFT, modifiers, pixel(view, number))
    view.canvas.repaint()


def wheel(view: TreeView, at: QPoint, turn: int, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    event = QWheelEvent(
        QPointF(at),
        QPointF(view.canvas.mapToGlobal(at)),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.canvas, event)


@pytest.mark.parametrize("shape", list(TreeShape))
@pytest.mark.parametrize("lengths", [True, False])
def test_a_click_on_a_branch_selects_its_taxa_everywhere(qtbot, view, shape, lengths) -> None:
    view.set_shape(shape)
    view.set_lengths(lengths)
    view.canvas.repaint()
    click(qtbot, view, node(view, "newt", "frog"))
    assert view.selection.taxa == {"newt", "frog"}
    click(qtbot, view, node(view, "cat"), CONTROL)
    assert view.selection.taxa == {"newt", "frog", "cat"}
    assert any(item.text == "3 selected" for item in view.create_figure().items)
    qtbot.mouseClick(view.canvas, LEFT, pos=QPoint(view.canvas.width() - 3, 3))
    assert view.selection.taxa == set()


def test_what_is_selected_elsewhere_is_marked(view) -> None:
    view.selection.choose_taxa(["cat", "dog", "hen"])
    marked = view.canvas.picture.marked
    assert marked[node(view, "cat", "dog")] and marked[node(view, "hen")]
    assert not marked[node(view, "cat", "dog", "cow", "sea lion")]


def test_a_click_on_a_name_selects_it(qtbot, view) -> None:
    labels = view.canvas.painted.labels
    at = labels.tips.tolist().index(node(view, "sea lion"))
    qtbot.mouseClick(view.canvas, LEFT, pos=QPoint(int(labels.x[at]) + 8, int(labels.y[at])))
    assert view.selection.taxa == {"sea lion"}


def test_the_node_under_the_mouse_is_described(qtbot, view) -> None:
    qtbot.mouseMove(view.canvas, pixel(view, node(view, "cat", "dog")))
    assert "node of 2 taxa" in view.status.text() and "branch 1" in view.status.text()
    QApplication.sendEvent(view.canvas, QEvent(QEvent.Type.Leave))
    assert "Drag to move" in view.status.text()


def test_wheel_and_drag_move_the_tree(qtbot, view) -> None:
    place = pixel(view, node(view, "hen"))
    before = view.canvas.frame
    wheel(view, place, 240)
    assert view.canvas.frame.down > before.down and view.canvas.frame.across == before.across
    assert abs(pixel(view, node(view, "hen")).y() - place.y()) <= 1
    wheel(view, place, 240, CONTROL)
    assert view.canvas.frame.across > before.across
    moved = view.canvas.frame
    qtbot.mousePress(view.canvas, LEFT, pos=QPoint(300, 200))
    qtbot.mouseMove(view.canvas, QPoint(290, 180))
    qtbot.mouseRelease(view.canvas, LEFT, pos=QPoint(290, 180))
    assert (view.canvas.frame.left, view.canvas.frame.top) == (moved.left - 10, moved.top - 20)
    assert view.selection.taxa == set()
    qtbot.waitUntil(lambda: view.sharp)
    qtbot.keyClick(view.canvas, Qt.Key.Key_F)
    assert view.canvas.frame == before


def test_keys_edit_the_tree_and_undo_takes_it_back(qtbot, view) -> None:
    original = view.tree
    click(qtbot, view, node(view, "hen"))
    qtbot.keyClick(view.canvas, Qt.Key.Key_R)
    assert view.tree.children(0).size == 2 and "hen" in {view.tree.names[at] for at in view.tree.children(0).tolist()}
    assert tree_splits(view.tree) == tree_splits(original)
    assert view.current_node == node(view, "hen"), "the node that was chosen stays chosen"
    qtbot.keyClick(view.canvas, Qt.Key.Key_Z, CONTROL)
    assert view.tree == original
    qtbot.keyClick(view.canvas, Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert view.tree != original
    view.undo_button.click()
    assert view.tree == original and not view.undo_button.isEnabled() and view.redo_button.isEnabled()
    click(qtbot, view, node(view, "cat", "dog"))
    qtbot.keyClick(view.canvas, Qt.Key.Key_S)
    assert view.tree.taxa[:2] == ("dog", "cat")
    qtbot.keyClick(view.canvas, Qt.Key.Key_L)
    assert view.tree.taxa[0] == "hen"
    qtbot.keyClick(view.canvas, Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    assert view.tree.taxa[-1] == "hen"


def test_a_collapsed_clade_is_one_tip_until_a_search_opens_it(qtbot, view) -> None:
    click(qtbot, view, node(view, "cat", "dog"))
    qtbot.keyClick(view.canvas, Qt.Key.Key_C)
    assert view.canvas.picture.layout.tips.size == 6
    tip = node(view, "cat", "dog")
    assert view.canvas.picture.layout.collapsed[tip]
    inside = pixel(view, tip) + QPoint(12, 0)
    view.canvas.repaint()
    assert view.canvas.node_at(QPointF(inside)) == tip
    qtbot.keyClicks(view.search_box, "dog")
    qtbot.keyClick(view.search_box, Qt.Key.Key_Return)
    assert view.canvas.picture.layout.tips.size == 7
    assert view.current_node == node(view, "dog") and view.selection.taxa == {"dog"}
    assert view.status.text().startswith("1 of 1: dog")


def test_search_goes_round_in_both_directions(qtbot, view) -> None:
    qtbot.keyClicks(view.search_box, "O")
    qtbot.keyClick(view.search_box, Qt.Key.Key_Return)
    seen = [view.tree.names[view.current_node]]
    for _ in range(4):
        qtbot.keyClick(view.search_box, Qt.Key.Key_Return)
        seen.append(view.tree.names[view.current_node])
    assert seen == ["dog", "cow", "sea lion", "frog", "dog"]
    qtbot.keyClick(view.search_box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert view.tree.names[view.current_node] == "frog"
    assert view.search_names("nothing") == 0 and "0 names" in view.status.text()


def test_arrows_walk_over_the_nodes(qtbot, view) -> None:
    for key, names in (
        (Qt.Key.Key_Right, None),
        (Qt.Key.Key_Right, {"cat", "dog", "cow", "sea lion"}),
        (Qt.Key.Key_Down, {"hen", "newt", "frog"}),
        (Qt.Key.Key_Right, {"hen"}),
        (Qt.Key.Key_Left, {"hen", "newt", "frog"}),
    ):
        qtbot.keyClick(view.canvas, key)
        assert names is None or view.selection.taxa == names
    qtbot.keyClick(view.canvas, Qt.Key.Key_Return)
    assert not view.canvas.fitted
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert view.current_node is None and not view.selection.taxa


def test_the_menu_of_a_node_removes_and_copies(view) -> None:
    menu = view.menus.create_node_menu(node(view, "newt", "frog"))
    action(menu, "Copy names").trigger()
    assert QGuiApplication.clipboard().text() == "newt\nfrog"
    action(menu, "Remove clade").trigger()
    assert view.tree.taxa == ("cat", "dog", "cow", "sea lion", "hen")
    kept = []
    view.datum_offered.connect(kept.append)
    action(view.menus.create_node_menu(None), "Use for other methods").trigger()
    assert kept == [view.tree]
    assert not action(view.menus.create_node_menu(0), "Root on this branch").isEnabled()


def test_menus_change_shape_and_what_is_drawn(view) -> None:
    for text, shape in (
        ("Slanted", TreeShape.SLANTED),
        ("Circular", TreeShape.CIRCULAR),
        ("Unrooted", TreeShape.UNROOTED),
    ):
        action(view.menus.shape_menu, text).trigger()
        assert view.canvas.picture.layout.shape == shape
    for text in ("Names", "Support values", "Scale bar"):
        action(view.menus.show_menu, text).trigger()
    action(view.menus.shape_menu, "Branch lengths").trigger()
    picture = view.canvas.picture
    assert not picture.layout.lengths and not action(view.menus.show_menu, "Scale bar").isEnabled()
    assert not picture.names and not picture.supports and not picture.scale
    assert view.canvas.grab().width() > 0 and view.canvas.painted.labels is None


@pytest.mark.parametrize(
    ("by", "words"), [("length", "branch length 0.5 to 3"), ("support", "support 70 to 95"), ("weight", "weight")]
)
def test_colours_of_numbers(view, by, words) -> None:
    view.set_colouring(by)
    assert any(item.text.startswith(words) for item in view.create_figure().items)
    codes = view.canvas.picture.colouring.codes
    if by == "length":
        assert codes[node(view, "hen")] == codes.max() and codes[node(view, "newt", "frog")] == 0
    if by == "weight":
        assert codes[node(view, "hen")] == codes.max(), "alone on a long branch"


def test_colours_of_patterns_come_from_a_dialog(qtbot, view, monkeypatch) -> None:
    dialog = tree_menus.PatternsDialog(view, ())
    qtbot.addWidget(dialog)
    dialog.text.setPlainText("c(")
    dialog.accept()
    assert dialog.result() != QDialog.DialogCode.Accepted and "regular expression" in dialog.error.text()
    monkeypatch.setattr(tree_menus, "ask_patterns", lambda parent, before: ("^c", "frog|newt"))
    view.ask_patterns()
    colouring = view.canvas.picture.colouring
    assert [item.text for item in colouring.items] == ["^c (2)", "frog|newt (2)"]
    assert colouring.node_colour(node(view, "newt", "frog")) == colouring.node_colour(node(view, "frog"))
    assert colouring.node_colour(node(view, "cat", "dog")) is None
    view.editor.ladderize_below()
    assert view.canvas.picture.colouring.node_colour(node(view, "newt", "frog")) is not None


@pytest.mark.parametrize("text", ["a;", "(a,b);", "((a));", "(,);", "(a:0,b:0,c:0);", "(a:-1,b:2);"])
@pytest.mark.parametrize("shape", list(TreeShape))
def test_odd_trees_are_drawn(view, text: str, shape: TreeShape) -> None:
    view.show_datum(newick.parse_newick(text)[0])
    view.set_shape(shape)
    view.set_option("aligned", True)
    assert view.canvas.grab().height() > 0 and view.canvas.painted is not None
    view.choose(0)
    view.editor.ladderize_below()
    view.canvas.repaint()


def test_a_result_shows_its_tree_and_keeps_what_was_done_to_it(view) -> None:
    result = tree_examples.result()
    assert TreeView.shows(result)
    view.show_result(result)
    assert view.tree is result.answer.tree
    view.editor.swap_children(0)
    view.show_result(result)
    assert view.tree is not result.answer.tree
    view.show_result(None)
    assert view.tree is None and not view._tools.isEnabled()
    view.canvas.repaint()


def test_a_large_tree_is_laid_out_on_a_thread(qtbot, monkeypatch):
    monkeypatch.setattr(layout_task, "IMMEDIATE_NODES", 3)
    view = TreeView(Selection())
    qtbot.addWidget(view)
    view.show()
    view.show_datum(newick.parse_newick("((a:1,b:2):1,(c:1,d:1):1);")[0])
    assert view.canvas.picture is None and not view.sharp
    qtbot.waitUntil(lambda: view.sharp)
    assert view.canvas.picture.layout.tree.taxa == ("a", "b", "c", "d")
    view.set_shape("circular")
    view.set_shape("slanted")
    qtbot.waitUntil(lambda: view.sharp)
    assert view.canvas.picture.layout.shape == "slanted"
    view.show_tree(None)
    assert view.canvas.picture is None and view.sharp


def test_the_root_goes_to_the_midpoint_and_back(view) -> None:
    before = view.tree
    action(view.menus.create_node_menu(None), "Root at the midpoint").trigger()
    assert view.tree == rooting.root_at_midpoint(before) != before
    view.editor.undo()
    assert view.tree == before


def test_names_have_the_size_that_is_chosen(view) -> None:
    sizes = []
    for text in ("Small", "Very large"):
        action(view.menus.show_menu, text).trigger()
        view.grab()
        sizes.append(view.canvas.picture.label_size)
    assert sizes == [9.0, 24.0] and view.canvas.painted.labels.font.pixelSize() > 9


def test_the_whole_tree_stands_in_the_corner_while_a_part_is_seen(qtbot, view) -> None:
    canvas = view.canvas
    place = canvas.minimap.map_box(canvas.width(), canvas.height())
    assert place is not None and not canvas._move_by_minimap(place.center()), "all of it is seen"
    canvas.zoom_about(8.0)
    canvas.zoom_about(8.0, horizontal=True)
    canvas.repaint()
    before = canvas.frame
    qtbot.mouseClick(canvas, LEFT, pos=(place.topLeft() + QPointF(20, 20)).toPoint())
    assert canvas.frame.top > before.top and canvas.frame.down == before.down
    assert view.current_node is None, "a click there is none on a branch"
    view.set_overview(False)
    assert not canvas._move_by_minimap(place.center())


def test_another_root_shows_the_whole_tree_again(view) -> None:
    view.canvas.zoom_about(6.0)
    assert not view.canvas.fitted
    view.editor.swap_children(0)
    assert not view.canvas.fitted, "what is seen stays where it is"
    view.editor.root_at_midpoint()
    assert view.canvas.fitted


def test_a_name_that_is_cut_is_whole_in_its_tip(qtbot, view: TreeView) -> None:
    view.resize(400, 360)
    long = "a_very_long_name_of_a_sequence_from_a_strain/461-540"
    view.show_datum(newick.parse_newick(f"(({long}:1,b:2):1,(c:1,d:1):1);")[0])
    qtbot.waitUntil(lambda: view.sharp)
    for shape in ("rectangular", "circular"):
        view.set_shape(shape)
        qtbot.waitUntil(lambda: view.sharp)
        view.canvas.repaint()
        labels, told = view.canvas.painted.labels, []
        for x, y, angle in zip(labels.x.tolist(), labels.y.tolist(), labels.angle.tolist(), strict=True):
            told.append(view.canvas.cut_name_at(QPointF(x + 5 * np.cos(angle), y + 5 * np.sin(angle))))
        assert sorted(told) == ["", "", "", long], shape
    assert view.canvas.cut_name_at(QPointF(-5, -5)) == ""
