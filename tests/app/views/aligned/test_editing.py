"""Edits of the alignment on show, by keys, mouse and commands, and the way back."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from antidiag.app.kit.selection import Selection
from antidiag.app.views.aligned.editing import row_commands
from antidiag.app.views.aligned.editing.edit_history import AlignmentEditor
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.alignments import block_edits, cpu_blocks
from antidiag.kernels.model import SequenceType
from tests.app.answers import Answers
from tests.app.views.aligned.viewer import ROWS, Control, Shift, alignment, cell, chosen, drag, press, text
from tests.patience import PATIENCE_MS


def test_gaps_by_keys_are_undone_in_one_step(view: AlignmentViewer) -> None:
    view.canvas.go_to(0, 3)
    press(view, Qt.Key.Key_Space)
    press(view, Qt.Key.Key_Space)
    assert text(view)[0] == "MKV--A-LNDSTCCGHW" and text(view)[1] == ROWS[1] + "--"
    assert view.picture.cursor == (0, 5) and view.editor.undo_text == "inserting gaps"
    press(view, Qt.Key.Key_Backspace)
    assert text(view)[0] == "MKV-A-LNDSTCCGHW-"
    press(view, Qt.Key.Key_Z, Control)
    press(view, Qt.Key.Key_Z, Control)
    assert text(view) == list(ROWS) and view.editor.edits is None
    press(view, Qt.Key.Key_Z, Control | Shift)
    assert text(view)[0].startswith("MKV--A")


def test_edits_at_other_places_are_undone_one_by_one(view: AlignmentViewer) -> None:
    def undone(between: Any) -> list[str]:
        view.show_datum(alignment("ACDEF--", "ACDEF--"))
        view.canvas.go_to(0, 2)
        press(view, Qt.Key.Key_Space)
        press(view, Qt.Key.Key_Space)
        between()
        press(view, Qt.Key.Key_Space)
        press(view, Qt.Key.Key_Z, Control)
        return text(view)

    assert undone(lambda: None) == ["ACDEF--", "ACDEF--"]
    for between in (
        lambda: press(view, Qt.Key.Key_Down),
        lambda: press(view, Qt.Key.Key_End),
        lambda: drag(view, cell(view, 1, 1), cell(view, 1, 1)),
        lambda: view.canvas.go_to(1, 0),
        lambda: (view.editor.undo(), view.editor.redo()),
    ):
        assert undone(between) == ["AC--DEF", "ACDEF--"]


def test_gaps_go_into_the_chosen_rows_however_wide_the_alignment_becomes(view: AlignmentViewer) -> None:
    view.show_datum(alignment("ACDEF", "ACDEF", "ACDEF"))
    view.canvas.select_cells(np.arange(3) > 0, np.arange(5) == 2)
    press(view, Qt.Key.Key_Space)
    press(view, Qt.Key.Key_Space)
    assert text(view) == ["ACDEF--", "AC--DEF", "AC--DEF"] and chosen(view) == ([1, 2], [4])
    view.canvas.select_cells(np.arange(3) > 0, None)
    press(view, Qt.Key.Key_Space)
    assert chosen(view) == ([1, 2], list(range(8)))
    view.canvas.select_cells(None, np.arange(8) == 3)
    view.commands.insert_column()
    assert chosen(view) == ([0, 1, 2], [4])


def test_a_chosen_block_is_dragged_over_gaps(view: AlignmentViewer) -> None:
    view.canvas.select_cells(np.arange(5) == 2, (np.arange(15) >= 2) & (np.arange(15) < 4))
    drag(view, cell(view, 2, 3), cell(view, 2, 5))
    assert text(view)[2] == "MR--IANDSTC-GHF" and chosen(view) == ([2], [4, 5])
    press(view, Qt.Key.Key_Left, Control)
    assert text(view)[2] == "MR-IA-NDSTC-GHF"
    view.editor.undo()
    assert text(view) == list(ROWS)


def test_rows_and_columns_go_and_come_back(view: AlignmentViewer) -> None:
    view.canvas.select_cells(np.arange(5) == 0, None)
    press(view, Qt.Key.Key_Delete)
    assert view.alignment.names == ("row1", "row2", "row3", "row4")
    view.canvas.select_cells(None, np.arange(15) < 3)
    view.commands.cut_selected()
    assert text(view)[0] == ROWS[1][3:] and QApplication.clipboard().text().startswith(">row1\nMKV\n")
    view.editor.undo()
    view.editor.undo()
    assert text(view) == list(ROWS)
    view.commands.trim_columns(1.0)
    assert text(view)[0] == "VANDSTCGHW"
    view.canvas.select_cells(np.arange(5) > 2, np.arange(10) > 7)
    view.commands.keep_only()
    assert text(view) == ["HW", "YW"]
    view.commands.remove_gap_columns()
    assert "0 columns of gaps" in view.status.text()


def test_letters_are_typed_only_when_that_was_meant(view: AlignmentViewer, answers: Answers) -> None:
    press(view, Qt.Key.Key_W)
    assert text(view) == list(ROWS) and "Type over letters" in view.status.text()
    answers.agrees = True
    view.commands.set_typing(True)
    press(view, Qt.Key.Key_W)
    press(view, Qt.Key.Key_W)
    assert text(view)[0].startswith("WWVA")


def test_nucleotides_are_turned_and_translated(view: AlignmentViewer) -> None:
    view.show_datum(alignment("ATGAAATAA", "ATG---TAA", kind=SequenceType.DNA))
    view.commands.reverse_complement()
    assert text(view) == ["TTATTTCAT", "TTA---CAT"]
    view.editor.undo()
    view.commands.translate_codons(0)
    assert text(view) == ["MK*", "M-*"] and view.alignment.type == SequenceType.PROTEIN
    view.editor.undo()
    view.canvas.go_to(1, 7)
    view.commands.reverse_complement()
    assert view.picture.cursor == (1, 1)  # with its letter
    view.commands.translate_codons(1)
    assert view.picture.cursor == (1, 0)


def test_an_alignment_of_gaps_alone_stays(view: AlignmentViewer) -> None:
    view.show_datum(alignment("---", "---"))
    view.commands.remove_gap_columns()
    assert text(view) == ["---", "---"] and "keep at least one" in view.status.text()


def test_edits_are_kept_and_put_back(view: AlignmentViewer, qtbot: Any) -> None:
    told: list[Any] = []
    view.edited.connect(told.append)
    view.canvas.go_to(0, 1)
    press(view, Qt.Key.Key_Space)
    view.commands.sort_rows("start")
    other = AlignmentViewer(Selection())
    qtbot.addWidget(other)
    other.show_datum(alignment())
    other.show_edits(told[-1])
    assert text(other) == text(view) and other.picture.order.tolist() == view.picture.order.tolist()
    other.editor.undo()
    assert text(other) == list(ROWS)


def test_a_long_edit_tells_how_far_it_is_and_is_stopped(
    view: AlignmentViewer, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_commands, "MAX_LETTERS_AT_ONCE", 0)
    monkeypatch.setattr(block_edits, "BATCH_LETTERS", 1)
    view.show_datum(alignment("ACG-T", "A-GCT", "ACGCT", kind=SequenceType.DNA))
    before, at_work, go_on = text(view), threading.Event(), threading.Event()
    turned = cpu_blocks.reverse_rows

    def slow(letters: Any, table: Any, out: Any) -> None:
        at_work.set()
        assert go_on.wait(PATIENCE_MS / 1000)
        turned(letters, table, out)

    monkeypatch.setattr(cpu_blocks, "reverse_rows", slow)
    view.commands.reverse_complement()
    assert at_work.wait(PATIENCE_MS / 1000)
    qtbot.waitUntil(lambda: "0 % (Esc stops it)" in view.status.text())
    press(view, Qt.Key.Key_Escape)
    go_on.set()
    qtbot.wait(50)
    assert text(view) == before and not view.commands.busy and view.status.text() == "Stopped: the reverse complement."
    view.commands.reverse_complement()
    qtbot.waitUntil(lambda: not view.commands.busy)
    assert text(view)[0] == "A-CGT" and view.editor.undo_text == "the reverse complement"


def test_what_is_chosen_after_an_edit_begins_at_the_cursor(view: AlignmentViewer) -> None:
    view.canvas.go_to(0, 2)
    for _ in range(3):
        press(view, Qt.Key.Key_Right, Shift)
    press(view, Qt.Key.Key_Space, Shift)
    press(view, Qt.Key.Key_Delete)
    view.undo()
    assert chosen(view) == ([0], list(range(15))) and view.picture.cursor == (0, 5)
    press(view, Qt.Key.Key_Escape)
    press(view, Qt.Key.Key_Space, Control)
    press(view, Qt.Key.Key_Right, Shift)
    assert chosen(view)[1] == [5, 6]
    view.canvas.clear_selection()
    view.canvas.go_to(0, 2)
    press(view, Qt.Key.Key_Right, Shift)
    press(view, Qt.Key.Key_Space, Shift)
    press(view, Qt.Key.Key_Delete)
    press(view, Qt.Key.Key_Right, Shift)
    assert chosen(view)[1] == [3, 4]


def test_undo_and_redo_of_a_moved_block_bring_back_what_was_chosen(view: AlignmentViewer) -> None:
    view.canvas.go_to(2, 2)
    press(view, Qt.Key.Key_Right, Shift)
    for _ in range(2):
        press(view, Qt.Key.Key_Right, Control)
    assert text(view)[2] == "MR--IANDSTC-GHF" and chosen(view) == ([2], [4, 5])
    press(view, Qt.Key.Key_Right, Shift)  # from where the block is now
    assert chosen(view) == ([2], [4, 5, 6])
    view.canvas.clear_selection()
    view.canvas.go_to(0, 9)
    view.undo()
    assert text(view) == list(ROWS) and chosen(view) == ([2], [2, 3]) and view.picture.cursor == (2, 3)
    press(view, Qt.Key.Key_Right, Shift)
    assert chosen(view) == ([2], [2, 3, 4])
    view.redo()
    assert text(view)[2] == "MR--IANDSTC-GHF" and chosen(view) == ([], []) and view.picture.cursor == (0, 9)
    view.undo()
    assert chosen(view) == ([2], [2, 3, 4])


def test_whole_rows_and_columns_are_chosen_by_keys(view: AlignmentViewer) -> None:
    view.canvas.go_to(1, 4)
    press(view, Qt.Key.Key_Space, Shift)
    press(view, Qt.Key.Key_Down, Shift)
    assert chosen(view) == ([1, 2], list(range(15)))
    press(view, Qt.Key.Key_Escape)
    press(view, Qt.Key.Key_Space, Control)
    press(view, Qt.Key.Key_Left, Shift)
    assert chosen(view)[0] == list(range(5)) and chosen(view)[1][-1] == 4 and len(chosen(view)[1]) == 2
    press(view, Qt.Key.Key_Escape)
    press(view, Qt.Key.Key_Right, Shift)
    assert len(chosen(view)[0]) == 1 and text(view) == list(ROWS)


def test_the_type_of_the_letters_is_set_and_taken_back(view: AlignmentViewer) -> None:
    view.show_datum(alignment("ACGT-A", "ACGTCA", kind=SequenceType.DNA))
    menu = view.menus.fill_context()
    types = next(action.menu() for action in menu.actions() if action.text() == "Type of the letters")
    assert [(action.text(), action.isChecked()) for action in types.actions()] == [
        ("DNA", True),
        ("RNA", False),
        ("Protein", False),
    ]
    types.actions()[2].trigger()
    assert view.alignment.type == SequenceType.PROTEIN and view.editor.undo_text == "the type protein"
    again = AlignmentEditor(view.editor.original)
    again.restore_edits(view.edits)
    assert again.state.alignment.type == SequenceType.PROTEIN
    press(view, Qt.Key.Key_Z, Control)
    assert view.alignment.type == SequenceType.DNA and view.editor.edits is None
    view.show_datum(alignment("MKLV-A", "MKLVCA"))
    view.commands.set_type(SequenceType.RNA)
    assert view.alignment.type == SequenceType.PROTEIN and "'L' in column 3 is not a RNA letter" in view.status.text()
