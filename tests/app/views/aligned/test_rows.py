"""Rows sorted, hidden and searched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from antidiag.app.views.aligned.searching import search_controller
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.alignments import motif_search
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tree_files
from antidiag.kernels.model import SequenceType
from tests.app.views.aligned.viewer import alignment, cell, chosen, drag


def test_rows_are_sorted_hidden_and_shown(view: AlignmentViewer) -> None:
    view.commands.sort_rows("start")
    assert view.picture.order.tolist() == [0, 1, 2, 4, 3]
    view.canvas.select_cells(np.isin(np.arange(5), [3, 2]), None)
    view.commands.group_selected()
    assert view.picture.order.tolist() == [2, 3, 0, 1, 4]
    view.commands.hide_selected()
    assert view.picture.order.tolist() == [0, 1, 4] and view.picture.shape == (3, 15)
    kept = []
    view.datum_offered.connect(kept.append)
    view.exporter.add_to_data()
    assert kept[0].names == ("row0", "row1", "row4")
    view.commands.show_all()
    view.commands.sort_rows("file")
    assert view.picture.order.tolist() == [0, 1, 2, 3, 4]


def test_rows_that_were_put_on_top_are_seen(view: AlignmentViewer) -> None:
    view.show_datum(alignment(*["ACDE"] * 200))
    view.canvas.go_to(150, 2)
    view.canvas.select_cells(np.isin(np.arange(200), [120, 150]), None)
    assert view.canvas.frame_.first_row > 100
    view.commands.group_selected()
    assert view.canvas.frame_.first_row == 0 and view.picture.cursor == (0, 2)
    assert view.picture.order[:3].tolist() == [120, 150, 0] and chosen(view)[0] == [120, 150]


def test_all_rows_are_not_hidden_and_it_is_said_why(view: AlignmentViewer) -> None:
    view.canvas.select_cells(None, None)
    view.commands.hide_selected()
    assert view.picture.shape[0] == 5 and "one must stay" in view.status.text()


def test_rows_follow_a_tree_and_what_is_selected_elsewhere(view: AlignmentViewer) -> None:
    (tree,) = tree_files.parse_trees("((row4,row1),(row0,other),row3);")
    view.commands.sort_by_tree(tree)
    assert view.picture.order.tolist() == [4, 1, 0, 3, 2] and "1 of 5 rows" in view.status.text()
    view.selection.choose_taxa(["row1", "row3"])
    view.select_taxa()
    assert chosen(view)[0] == [1, 3]
    with pytest.raises(InputError, match="no leaf has the name"):
        view.commands.sort_by_tree(tree_files.parse_trees("(a,b);")[0])


def test_a_match_at_the_edge_is_seen_whole_with_a_margin(view: AlignmentViewer) -> None:
    view.show_datum(alignment("A" * 196 + "WWWW" + "A" * 196, "A" * 396))
    frame = view.canvas.frame_
    across = frame.width / frame.cell_width
    for first in (0, 198 - across, 190):  # the match begins beyond, at, or inside the right edge
        frame.first_column = first
        assert view.finder.go_to("=WWWW")
        assert frame.first_column <= 193 + 1e-6 and frame.first_column + across >= 203 - 1e-6
    view.show_datum(alignment("WWWW" + "A" * 392, "A" * 396))
    assert view.finder.go_to("=WWWW") and frame.first_column == 0, "nothing is before the first column"


def test_search_goes_to_columns_letters_names_and_motifs(view: AlignmentViewer) -> None:
    assert view.finder.go_to("12") and view.picture.cursor == (0, 11)
    assert view.finder.go_to("#5") and view.picture.cursor == (0, 5)
    assert view.finder.go_to("ROW3") and view.picture.cursor[0] == 3
    assert view.finder.go_to("NDS") and [hit[0] for hit in view.picture.matches] == [0, 2, 3]
    view.finder.go_to_match()
    assert view.picture.cursor == (2, 6)
    view.finder.go_to_match(-1)
    assert view.picture.cursor == (0, 6)
    view.finder.select_matching_rows()
    assert chosen(view)[0] == [0, 2, 3]
    for wrong, said in (("99", "1 to 15"), ("#99", "1 to 14"), ("QQQQ", "No name and no row")):
        assert not view.finder.go_to(wrong) and said in view.status.text()


def test_what_was_found_is_sought_anew_after_an_edit(view: AlignmentViewer) -> None:
    view.finder.box.setText("NDS")
    QTest.keyClick(view.finder.box, Qt.Key.Key_Return)
    view.commands.sort_rows("name")
    assert [hit[0] for hit in view.picture.matches] == [0, 2, 3]
    view.canvas.select_cells(np.arange(5) == 0, None)
    view.commands.delete_selected()
    assert not len(view.picture.matches)
    QTest.keyClick(view.finder.box, Qt.Key.Key_Return)
    assert view.picture.cursor == (1, 6) and view.picture.matches.tolist() == [[1, 6, 9], [2, 6, 9]]
    view.show_datum(alignment("ACDEF", "ANDSF"))
    QTest.keyClick(view.finder.box, Qt.Key.Key_Return)
    assert view.picture.cursor == (1, 1)
    view.show_datum(alignment("ACDEF"))
    assert not view.finder.go_to_match() and not len(view.picture.matches)


def test_too_many_places_are_not_told_as_all(view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(motif_search, "MAX_HITS", 2)
    view.finder.go_to("NDS")
    assert "the first 2 matches" in view.status.text()


def test_a_large_alignment_is_searched_on_a_thread(
    view: AlignmentViewer, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_controller, "MAX_LETTERS_AT_ONCE", 0)
    assert not view.finder.go_to("NDS")
    qtbot.waitUntil(lambda: not view.finder.busy)
    assert [hit[0] for hit in view.picture.matches] == [0, 2, 3] and "of 3" in view.status.text()
    view.finder.go_to("/[/")
    qtbot.waitUntil(lambda: "is not a regular expression" in view.status.text())
    view.finder.go_to("12")
    qtbot.waitUntil(lambda: view.picture.cursor[1] == 11)


def test_the_chosen_letters_are_found_elsewhere(view: AlignmentViewer) -> None:
    drag(view, cell(view, 0, 7), cell(view, 0, 9))
    menu = view.menus.fill_context()
    rows = next(action.menu() for action in menu.actions() if action.text() == "Rows")
    rows.aboutToShow.emit()
    next(action for action in rows.actions() if action.text().startswith("Find the selected")).trigger()
    assert view.finder.box.text() == "=DST" and view.picture.cursor == (2, 7) and "2 of 3" in view.status.text()
    rows.aboutToShow.emit()
    next(action for action in rows.actions() if action.text().startswith("Next")).trigger()
    assert view.picture.cursor == (4, 7)
    view.canvas.select_cells(np.arange(5) == 0, np.arange(15) == 4)
    view.finder.find_selected_letters()
    assert "Select 1 to" in view.status.text()


def test_the_cursor_stays_on_its_row(view: AlignmentViewer) -> None:
    view.canvas.go_to(3, 4)
    name = view.picture.line_name(3)
    view.commands.sort_rows("identity")
    assert view.picture.line_name(view.picture.cursor[0]) == name and view.picture.cursor[0] == 0
    view.editor.undo()
    assert view.picture.cursor == (3, 4)
    view.canvas.select_cells(np.arange(5) == 3, None)
    view.commands.hide_selected()
    assert view.picture.cursor == (3, 4)  # its row went, and another one is there


def type_search(view: AlignmentViewer, text: str) -> None:
    view.finder.box.setText(text)
    QTest.keyClick(view.finder.box, Qt.Key.Key_Return)


def test_a_search_of_names_keeps_the_column(view: AlignmentViewer) -> None:
    view.show_datum(alignment(*["ACDEFGHIKLMNPQRSTVWY" * 20] * 60))
    view.canvas.go_to(0, 300)
    first = view.canvas.frame_.first_column
    assert first > 0
    type_search(view, "row55")
    assert view.picture.cursor == (55, 300) and view.canvas.frame_.first_column == first
    type_search(view, "row5")
    QTest.keyClick(view.finder.box, Qt.Key.Key_Return)
    assert view.picture.cursor == (50, 300) and "of 11" in view.status.text()
    view.canvas.frame_.first_column = 20.0  # scrolled without the cursor
    view.canvas.repaint_all()
    type_search(view, "row7")
    assert view.picture.cursor[0] == 7 and view.canvas.frame_.first_column == 20


def test_matches_go_with_the_next_search_and_are_not_in_figures(view: AlignmentViewer) -> None:
    type_search(view, "NDS")
    assert len(view.picture.matches) == 3
    assert not len(view.canvas.visible_part.freeze().picture.matches)
    type_search(view, "QQQQ")
    assert not len(view.picture.matches) and "No name and no row" in view.status.text()
    type_search(view, "NDS")
    type_search(view, "12")
    assert not len(view.picture.matches) and view.picture.cursor[1] == 11


def test_enter_repeats_the_typed_search_and_not_the_one_before(view: AlignmentViewer) -> None:
    type_search(view, "NDS")
    for text, status in (("QQQQ", "No name and no row"), ("12", "column 12")):
        type_search(view, text)
        QTest.keyClick(view.finder.box, Qt.Key.Key_Return)
        assert not len(view.picture.matches) and status in view.status.text()


def test_matches_go_when_the_search_box_is_emptied(view: AlignmentViewer) -> None:
    type_search(view, "NDS")
    QTest.keyClick(view.finder.box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view.finder.box, Qt.Key.Key_Delete)
    assert not len(view.picture.matches)
    assert not view.finder.go_to_match()


def test_prosite_patterns_and_reverse_complements_are_typed(view: AlignmentViewer) -> None:
    type_search(view, "N-x(1)-[ST]")
    assert view.picture.matches.tolist() == [[0, 6, 9], [1, 6, 9], [2, 6, 9], [3, 6, 9]]
    view.show_datum(alignment("AAGGTACC--", "TTGATATCAA", kind=SequenceType.DNA))
    type_search(view, "rc:TTGATATC")
    assert view.picture.matches.tolist() == [[1, 2, 10]]
