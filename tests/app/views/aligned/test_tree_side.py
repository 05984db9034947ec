"""A tree beside the rows: in step, chosen, collapsed, computed; with the mouse and with keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from antidiag.app.kit.figures import export
from antidiag.app.views.aligned.export import figures
from antidiag.app.views.aligned.side_panels import tree_controller
from antidiag.app.views.aligned.side_panels.tree_panel import MIN_WIDTH
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tree_files
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import alignment_trees
from antidiag.kernels.trees.tree_layout import lay_out_at_rows
from tests.app.views.aligned.viewer import alignment, chosen, image, press, text

NEWICK = "((row4:1,row1:2):1,(row0:1,other:1):2,row3:3);"


@pytest.fixture
def tree(view: AlignmentViewer) -> Tree:
    view.tree.show_tree(tree_files.parse_trees(NEWICK)[0])
    image(view)
    view.tree.panel.grab()
    return view.tree.tree


def clade(tree: Tree, *names: str) -> int:
    """The node of exactly these leaves."""
    found = [node for node in range(len(tree))
             if {name for name in tree.names[node : tree.ends[node]] if name} == set(names)]  # fmt: skip
    return found[-1]


def names(view: AlignmentViewer) -> list[str]:
    return [view.picture.line_name(place) for place in range(view.picture.shape[0])]


def test_rows_stand_in_the_order_of_the_leaves(view: AlignmentViewer, tree: Tree) -> None:
    assert names(view) == ["row4", "row1", "row0", "row3", "row2"] and tree.taxa == ("row4", "row1", "row0", "row3")
    assert view.tree.panel.isVisible() and "1 of 5 rows" in view.status.text()
    rows = view.tree.panel._layout.row[tree.leaves]
    assert rows.tolist() == [0.5, 1.5, 2.5, 3.5]
    with pytest.raises(InputError, match="none of its taxa"):
        view.tree.show_tree(tree_files.parse_trees("(a,b);")[0])
    assert view.tree.tree is tree
    view.tree.show_tree(None)
    assert not view.tree.panel.isVisible()


def test_one_undo_takes_the_tree_away_with_its_order_of_rows(view: AlignmentViewer) -> None:
    view.show()
    given, sent = names(view), []
    view.edited.connect(sent.append)
    first, second = (tree_files.parse_trees(text)[0] for text in (NEWICK, "((row2:1,row0:1):1,row4:1);"))
    view.tree.show_tree(first)
    by_first = names(view)
    view.tree.show_tree(second)
    assert view.undo_text == "adding the tree" and names(view)[:3] == ["row2", "row0", "row4"]
    view.undo()
    assert (view.tree.original_tree, names(view)) == (first, by_first) and sent[-1]["tree"] is first
    view.undo()
    assert names(view) == given and view.tree.original_tree is None and not view.tree.panel.isVisible()
    assert not view.undo_text and sent[-1] is None
    view.redo()
    assert (view.tree.original_tree, names(view)) == (first, by_first) and view.tree.panel.isVisible()
    view.tree.show_tree(None)
    assert view.undo_text == "removing the tree" and names(view) == by_first
    view.undo()
    assert view.tree.original_tree is first and view.tree.panel.isVisible()


def test_the_tree_leaves_room_for_columns_in_a_narrow_view(view: AlignmentViewer, tree: Tree) -> None:
    view.resize(900, 500)
    QApplication.processEvents()
    wide = view.tree.panel.width()
    view.resize(330, 500)
    QApplication.processEvents()
    assert MIN_WIDTH <= view.tree.panel.width() < wide
    view.tree.show_tree(None)
    view.tree.show_tree(tree)
    QApplication.processEvents()
    assert view.tree.panel.width() < wide
    view.resize(900, 500)
    QApplication.processEvents()
    assert view.tree.panel.width() == wide


def test_a_clade_is_chosen_with_the_mouse(view: AlignmentViewer, tree: Tree) -> None:
    panel, node = view.tree.panel, clade(tree, "row4", "row1")
    frame = panel.drawing.tree_frame(view.canvas.frame_)
    place = QPointF((frame.px(panel._layout.along[node]) + frame.px(0)) / 2, frame.py(panel._layout.row[node]))
    assert panel.node_at(place) == node
    QTest.mouseClick(panel, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert chosen(view)[0] == [1, 4] and view.selection.taxa == {"row4", "row1"}
    QTest.mouseDClick(panel, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert names(view) == ["row4 + 1", "row0", "row3", "row2"]


def test_keys_go_along_the_tree_and_collapse(view: AlignmentViewer, tree: Tree) -> None:
    panel = view.tree.panel
    panel.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(panel, key)
    assert names(view)[0] == "row4 + 1"
    QTest.keyClick(panel, Qt.Key.Key_Return)
    assert names(view)[:2] == ["row4", "row1"]
    QTest.keyClick(panel, Qt.Key.Key_Down)
    assert panel.current == clade(tree, "row0") or chosen(view)[0] == [0]
    QTest.keyClick(panel, Qt.Key.Key_Left)
    assert panel.current == 0
    QTest.keyClick(panel, Qt.Key.Key_End)
    assert view.picture.cursor[1] == view.picture.shape[1] - 1, "other keys are those of the alignment"


def test_a_collapsed_clade_is_its_consensus_and_all_of_its_rows(view: AlignmentViewer, tree: Tree) -> None:
    node = clade(tree, "row4", "row1")
    view.tree.toggle_clade(node)
    both = view.alignment.letters[[1, 4]]
    # The first in the alphabet of the most frequent letters; of a letter and a gap the letter.
    wanted = np.where(both.min(axis=0) == ord("-"), both.max(axis=0), both.min(axis=0))
    assert view.picture.line_letters(0).tolist() == wanted.tolist()
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    assert [row[2:5] for row in text(view)] == ["VA-", "V-A", "IA-", "IAA", "V-G"]
    assert names(view)[0] == "row4 + 1"
    image(view)
    view.tree.select_clade(node)
    view.commands.delete_selected()
    assert view.alignment.names == ("row0", "row2", "row3")
    view.editor.undo()
    assert len(view.alignment.names) == 5 and "row4" in view.alignment.names


def test_collapsed_rows_are_copied_and_sorted_with_the_others(view: AlignmentViewer, tree: Tree) -> None:
    view.tree.set_collapsed([clade(tree, "row4", "row1"), 0])
    assert names(view) == ["row4 + 3", "row2"]
    view.exporter.copy_text("names")
    assert QApplication.clipboard().text().split() == ["row4", "row1", "row0", "row3", "row2"]
    view.commands.sort_rows("name")
    assert names(view) == ["row0 + 3", "row2"]
    view.tree.collapse_within(0.7)
    assert view.tree.collapsed == {clade(tree, "row4", "row1")}


def test_clades_of_many_rows_are_counted_on_a_thread(
    view: AlignmentViewer, tree: Tree, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(tree_controller, "MAX_LETTERS_AT_ONCE", 1)
    node = clade(tree, "row4", "row1")
    view.tree.toggle_clade(node)
    assert node not in view.tree._consensus
    qtbot.waitUntil(lambda: node in view.tree._consensus and not view.tree.busy)
    assert view.picture.line_letters(0).tolist() == view.tree._consensus[node].tolist()


def test_of_many_clades_at_a_time_a_thread_counts_most(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    side = view.tree
    side.show_tree(tree_files.parse_trees("((row4:1,row1:2):1,(row0:1,row3:1):2,row2:1);")[0])
    pairs = [clade(side.tree, "row4", "row1"), clade(side.tree, "row0", "row3")]
    monkeypatch.setattr(tree_controller, "MAX_LETTERS_AT_ONCE", 2 * 15 + 1)
    monkeypatch.setattr(tree_controller, "CLADE_COST", 1)  # there is room for one of them
    side.set_collapsed([0, *pairs])
    assert names(view) == ["row4 + 4"]
    side.set_collapsed(pairs)
    assert list(side._consensus) == [pairs[0]] and names(view) == ["row4 + 1", "row0 + 1", "row2"]
    qtbot.waitUntil(lambda: pairs[1] in side._consensus and not side.busy)
    assert view.picture.line_letters(1).tolist() == side._consensus[pairs[1]].tolist()


@pytest.mark.parametrize("criterion", alignment_trees.tree_criteria())
def test_the_tree_of_the_rows_is_computed(view: AlignmentViewer, qtbot: Any, criterion: str) -> None:
    kept: list[Any] = []
    view.datum_offered.connect(kept.append)
    view.tree.compute_tree(criterion)
    qtbot.waitUntil(lambda: view.tree.tree is not None)
    assert sorted(view.tree.tree.taxa) == sorted(view.alignment.names) and kept[0] is view.tree.original_tree
    assert names(view) == list(view.tree.tree.taxa)


def test_trees_that_are_open_are_offered(view: AlignmentViewer) -> None:
    fitting, strange = tree_files.parse_trees(NEWICK)[0], tree_files.parse_trees("(a,b,c);")[0]
    view.offer([fitting, strange, alignment()])
    assert view.tree.list_trees() == [fitting]


def drawn(view: AlignmentViewer) -> set[str]:
    """Names of leaves, and of the clades, that have a line in the panel."""
    panel, found = view.tree.panel, view.tree.tree
    panel.grab()
    owners = np.unique(panel._drawn.owners).tolist()
    return {"".join(name[-1] for name in found.names[node : found.ends[node]] if name) for node in owners}


def test_clades_whose_rows_stand_apart_are_not_drawn(view: AlignmentViewer) -> None:
    side, notice = view.tree, view.tree.panel.notice
    side.show_tree(tree_files.parse_trees("(((row4:1,row1:2):1,row0:1):1,row2:1,row3:3);")[0])
    assert drawn(view) == {"4", "1", "41", "0", "410", "2", "3", "41023"} and not notice.isVisible()
    view.commands.sort_rows("name")
    assert drawn(view) == set() and notice.isVisible() and "3 of 3 clades" in notice._text.text()
    view.canvas.select_cells(np.isin(np.arange(5), [1, 4]), None)
    view.commands.group_selected()  # 1 4 0 2 3: every clade stands together
    assert drawn(view) == {"4", "1", "41", "0", "410", "2", "3", "41023"} and not notice.isVisible()
    view.canvas.select_cells(np.arange(5) == 2, None)
    view.commands.group_selected()  # 2 1 4 0 3: of no clade of two or three
    assert not notice.isVisible()
    view.canvas.select_cells(np.isin(np.arange(5), [0, 3]), None)
    view.commands.group_selected()  # 0 3 2 1 4
    assert drawn(view) == {"41", "4", "1"} and "2 of 3 clades" in notice._text.text()
    QTest.mouseClick(notice.button, Qt.MouseButton.LeftButton)
    assert names(view) == ["row4", "row1", "row0", "row2", "row3"] and not notice.isVisible()
    view.undo()
    assert notice.isVisible()


def test_hidden_and_foreign_rows_do_not_stand_between_those_of_a_clade(view: AlignmentViewer, tree: Tree) -> None:
    notice = view.tree.panel.notice
    view.canvas.select_cells(np.arange(5) == 2, None)  # the tree lacks it
    view.commands.group_selected()
    view.canvas.select_cells(np.arange(5) == 4, None)
    view.commands.group_selected()
    assert names(view) == ["row4", "row2", "row1", "row0", "row3"] and not notice.isVisible()
    view.canvas.select_cells(np.isin(np.arange(5), [0, 2]), None)
    view.commands.group_selected()
    view.canvas.select_cells(np.arange(5) == 4, None)
    view.commands.group_selected()
    assert names(view)[:3] == ["row4", "row2", "row0"] and notice.isVisible()
    view.canvas.select_cells(np.arange(5) == 1, None)
    view.commands.hide_selected()
    assert not notice.isVisible()
    row = view.tree.panel._layout.row
    assert row[clade(view.tree.tree, "row1")] == row[clade(view.tree.tree, "row4")]  # where its sister is
    view.canvas.select_cells(np.isin(np.arange(5), [0, 3, 4]), None)
    view.commands.hide_selected()
    assert names(view) == ["row2"] and drawn_lines(view) == 0


def drawn_lines(view: AlignmentViewer) -> int:
    view.tree.panel.grab()
    return 0 if view.tree.panel.drawing is None else len(view.tree.panel._drawn.lines)


def test_the_line_of_a_node_reaches_all_of_its_children_in_any_order() -> None:
    (tree,) = tree_files.parse_trees("(a,b,c);")
    places = np.full(len(tree), np.nan)
    places[tree.leaves] = [1, 2, 0]
    found = lay_out_at_rows(tree, places, 3)
    assert (found.firsts[0], found.lasts[0]) == (3, 2) and found.row[0] == 1 and not found.apart.any()


def test_another_alignment_has_no_tree(view: AlignmentViewer, tree: Tree) -> None:
    view.show_datum(alignment("AC", "A-"))
    assert view.tree.tree is None and not view.tree.panel.isVisible()
    assert names(view) == ["row0", "row1"]


def test_inner_nodes_stand_between_their_children() -> None:
    (tree,) = tree_files.parse_trees("((a,b),(c,d));")
    places = np.full(len(tree), np.nan)
    places[tree.leaves] = [3, 1, 0, 2]
    found = lay_out_at_rows(tree, places, 4)
    assert found.row[0] == 1.5 and found.first[0] == 0 and found.last[0] == 3
    assert lay_out_at_rows(tree, places, 4, [1]).shown.tolist() == [True, True, False, False, True, True, True]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_tree_is_in_figures(view: AlignmentViewer, tree: Tree, tmp_path: Path, suffix: str) -> None:
    panel, there = view.tree.panel, view.exporter.figure_source
    panel.set_current(0)
    for make in (figures.view_figure, figures.wrapped_figure):
        without, made = make(replace(there, tree_drawing=None)), make(there)
        assert made.size.width() == without.size.width() + panel.width()
        export.save_figure(tmp_path / f"figure{suffix}", made.size, made.drawing_with(Monitor()), "some")
        drawn = export.render_image(made.size, made.drawing_with(Monitor()), 1)
        inked = [any(drawn.pixelColor(x, y) != drawn.pixelColor(0, 0) for x in range(10, panel.width() - 5))
                 for y in range(45, drawn.height() - 30)]  # fmt: skip
        assert any(inked)
    view.canvas.select_cells(np.arange(5) < 2, None)  # the tree is that of all rows
    there = view.exporter.figure_source
    assert figures.wrapped_figure(there).size == figures.wrapped_figure(replace(there, tree_drawing=None)).size


def test_the_tree_is_kept_with_what_was_done(view: AlignmentViewer, tree: Tree) -> None:
    told: list[Any] = []
    view.edited.connect(told.append)
    node = clade(view.tree.tree, "row4", "row1")
    view.tree.set_collapsed([node])
    assert told[-1]["tree"] is view.tree.original_tree and told[-1]["collapsed"] == (node,)
    first = view.alignment
    view.show_datum(alignment("ACGT", "AC-T"))
    assert view.tree.tree is None and told[-1]["tree"] is not None
    view.show_datum(alignment())
    view.show_edits(told[-1])
    assert names(view) == ["row4 + 1", "row0", "row3", "row2"] and view.alignment == first
    view.tree.set_collapsed([])
    view.tree.show_tree(None)
    assert "tree" not in (told[-1] or {})


def test_a_tree_stays_with_edited_letters_through_several_starts(view: AlignmentViewer, tree: Tree) -> None:
    kept: dict[str, Any] = {}
    view.edited.connect(lambda edits: kept.update(now=edits))
    press(view, Qt.Key.Key_Space)
    edited = text(view)
    for _ in range(2):
        stored = kept["now"]
        assert stored["tree"] is not None
        view.show_datum(alignment("ACGT", "AC-T"))
        view.show_datum(alignment())
        view.show_edits(stored)
        assert view.tree.tree is not None and text(view) == edited


def test_names_of_collapsed_clades_have_room(view: AlignmentViewer) -> None:
    found = alignment()
    view.show_datum(replace(found, names=tuple(f"quite_long_name_{row}" for row in range(5))))
    view.tree.show_tree(
        tree_files.parse_trees("((quite_long_name_4,quite_long_name_1),(quite_long_name_0,quite_long_name_3));")[0]
    )
    view.tree.set_collapsed([clade(view.tree.tree, "quite_long_name_4", "quite_long_name_1")])
    wide = view.canvas.fontMetrics().horizontalAdvance(names(view)[0])
    assert names(view)[0] == "quite_long_name_4 + 1" and view.canvas.names_width >= wide + 14


def test_what_is_in_a_collapsed_clade_is_found_on_its_line(view: AlignmentViewer, tree: Tree) -> None:
    view.tree.set_collapsed([clade(view.tree.tree, "row4", "row1")])
    assert names(view)[0] == "row4 + 1"
    view.canvas.go_to(2, 5)
    assert view.finder.go_to("row1") and view.picture.cursor == (0, 5)  # the column stays
    assert view.finder.go_to("NEST") and view.picture.cursor == (0, 6)  # a motif of row1 alone
    assert "1 of 1" in view.status.text()
    view.finder.select_matching_rows()
    assert chosen(view)[0] == [1]
