"""Cells realigned, sequences added, alignments merged, appended and split; blocks of cells; text beside the names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from antidiag.app.views.aligned.editing import row_commands
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import realignment
from tests.app.views.aligned.viewer import ROWS, Control, Shift, alignment, cell, drag, image, press, text


def ungapped(view: AlignmentViewer) -> list[str]:
    return [row.replace("-", "") for row in text(view)]


def rows(*chosen: int, of: int = 5) -> np.ndarray:
    return np.isin(np.arange(of), chosen)


def columns(first: int, last: int, of: int = 15) -> np.ndarray:
    return (np.arange(of) >= first) & (np.arange(of) < last)


@pytest.mark.parametrize("count", [2, 3])
def test_chosen_cells_are_realigned_by_any_method_that_aligns_so_many(
    view: AlignmentViewer, qtbot: Any, count: int
) -> None:
    view.canvas.select_cells(np.arange(5) < count, columns(2, 12))
    offered = view.realign.find_methods()
    assert offered == realignment.realigning_methods(count) and offered
    view.realign.realign_cells(offered[0])
    qtbot.waitUntil(lambda: not view.realign.busy)
    assert ungapped(view) == [row.replace("-", "") for row in ROWS]
    assert [row[:2] for row in text(view)] == [row[:2] for row in ROWS]
    assert [row[-3:] for row in text(view)] == [row[-3:] for row in ROWS]
    view.editor.undo()
    assert text(view) == list(ROWS)


def test_chosen_cells_are_refined_by_a_method_that_takes_an_alignment(view: AlignmentViewer, qtbot: Any) -> None:
    view.show_datum(alignment("MKVALNDSTCC--WW", "--MKVALNDSTCCWW", "MKVALN--DSTCCWW"))
    view.canvas.select_cells(None, columns(0, 13))
    (method,) = [method for method in view.realign.find_methods() if realignment.refines_alignment(method)]
    view.realign.realign_cells(method)
    qtbot.waitUntil(lambda: not view.realign.busy)
    assert text(view) == 3 * ["MKVALNDSTCCWW"]


def test_what_cannot_be_realigned_says_why(view: AlignmentViewer) -> None:
    view.realign.realign_cells(realignment.realigning_methods(2)[0])
    assert "Select one block" in view.status.text() and view.realign.find_methods() == []


def test_chosen_rows_are_realigned_to_the_others(view: AlignmentViewer, qtbot: Any) -> None:
    view.canvas.select_cells(rows(1), None)
    view.commands.remove_gaps()
    view.realign.realign_rows()
    qtbot.waitUntil(lambda: not view.realign.busy)
    assert ungapped(view) == [row.replace("-", "") for row in ROWS] and text(view)[1] == ROWS[1]


def test_sequences_are_added_aligned_and_undone(view: AlignmentViewer, qtbot: Any) -> None:
    QApplication.clipboard().setText(">new\nMKVALNDSTCCGHW\n")
    view.realign.add_from_clipboard()
    qtbot.waitUntil(lambda: not view.realign.busy)
    assert view.alignment.names[-1] == "new" and text(view)[5] == "MKVA-LNDSTCCGHW" and text(view)[:5] == list(ROWS)
    assert view.picture.order.tolist() == [0, 1, 2, 3, 4, 5]
    assert view.status.text() == "Done: adding 1 sequence."
    view.editor.undo()
    assert len(text(view)) == 5


def test_alignments_are_merged_column_by_column(view: AlignmentViewer, qtbot: Any) -> None:
    other = replace(alignment("KVALNESTC", "KIALNESTC"), names=("a", "b"), name="other")
    view.realign.merge_with(other)
    qtbot.waitUntil(lambda: not view.realign.busy)
    assert view.alignment.names[5:] == ("a", "b") and ungapped(view)[5] == "KVALNESTC"
    assert {len(row) for row in text(view)} == {len(text(view)[0])}
    with pytest.raises(InputError, match="both must be of one kind"):
        realignment.merge_alignments(view.alignment, alignment("ACGT", "ACGT", kind=SequenceType.DNA))


def test_columns_of_another_alignment_are_appended_by_name(view: AlignmentViewer) -> None:
    view.realign.append_columns(replace(alignment("WW", "YY"), names=("row3", "new")))
    assert [row[15:] for row in text(view)] == ["--", "--", "--", "WW", "--", "YY"]
    assert text(view)[5][:15] == "-" * 15 and view.alignment.names[5] == "new"
    with pytest.raises(InputError, match="no row of some"):
        view.realign.append_columns(replace(alignment("WW"), names=("strange",)))


def test_rows_and_columns_are_split_off(view: AlignmentViewer) -> None:
    parts: list[Any] = []
    view.datum_offered.connect(parts.append)
    view.canvas.select_cells(rows(0, 2), None)
    view.realign.split_off()
    assert parts[0].names == ("row0", "row2") and view.alignment.names == ("row1", "row3", "row4")
    view.canvas.select_cells(None, columns(0, 3))
    view.realign.split_off()
    assert parts[1].letters.shape == (3, 3) and view.alignment.letters.shape == (3, 12)
    view.canvas.select_cells(None, None)
    view.realign.split_off()
    assert len(parts) == 2 and "split off" in view.status.text()


def test_an_edit_in_the_meantime_goes_before(view: AlignmentViewer, qtbot: Any) -> None:
    view.realign.add_sequences([aligned_sequences.unaligned_sequences(alignment())[0]])
    view.canvas.go_to(0, 0)
    view.commands.insert_gap()
    after = text(view)
    qtbot.waitUntil(lambda: not view.realign.busy)
    assert text(view) == after and "edited meanwhile" in view.status.text()


def test_blocks_are_chosen_with_the_mouse_and_copied(view: AlignmentViewer) -> None:
    drag(view, cell(view, 0, 1), cell(view, 1, 2))
    drag(view, cell(view, 3, 8), cell(view, 3, 9), Control)
    assert len(view.picture.cell_selection.blocks) == 2 and "in 2 blocks" in view.status.text()
    image(view)
    view.exporter.copy_text("plain")
    assert QApplication.clipboard().text().split("\n") == ["KV--", "KV--", "--SP"]
    view.commands.mask_letters()
    assert text(view)[0] == "MXXA-LNDSTCCGHW" and text(view)[3] == "--IAALNDXXCCGHW" and text(view)[2] == ROWS[2]
    view.commands.keep_only()
    assert text(view) == ["XX--", "XX--", "--XX"]


def test_blocks_are_chosen_with_keys_and_moved(view: AlignmentViewer) -> None:
    view.show_datum(alignment("AC--D", "--ACD", "ACDE-"))
    view.canvas.go_to(0, 0)
    press(view, Qt.Key.Key_Right, Shift)
    view.canvas.go_to(2, 0)
    press(view, Qt.Key.Key_F8, Shift)
    for _ in range(3):
        press(view, Qt.Key.Key_Right, Shift)
    assert len(view.picture.cell_selection.blocks) == 2
    press(view, Qt.Key.Key_Right, Control)
    assert text(view) == ["-AC-D", "--ACD", "-ACDE"]
    press(view, Qt.Key.Key_Space)
    assert text(view) == ["--AC-D", "--ACD-", "--ACDE"] and len(view.picture.cell_selection.blocks) == 2
    press(view, Qt.Key.Key_Escape)
    assert view.picture.cell_selection.is_empty


def test_a_table_is_written_beside_the_names(view: AlignmentViewer, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("name,organism,number of it\nrow3,mouse,9\nrow0,human,10\nrow1,mouse,\nother,x,1\n")
    view.commands.add_table(path)
    assert view.notes == ["organism", "number_of_it"] and "3 of 5 rows; 1 line of the table" in view.status.text()
    image(view)
    view.commands.sort_by_note("number_of_it")
    assert view.picture.order.tolist() == [3, 0, 1, 2, 4]
    view.canvas.go_to(0, 0)
    view.commands.select_noted("organism")
    assert np.flatnonzero(view.picture.cell_selection.rows).tolist() == [1, 3]
    view.commands.tag_rows("good")
    view.commands.rename_row("other name")
    assert view.alignment.names[3] == "other name" and view.notes[-1] == "tag"
    view.commands.rename_row("row0")
    assert "the name of another row" in view.status.text()
    view.editor.undo()
    assert view.alignment.names[3] == "row3"
    view.show_note("organism", False)
    assert [tag for tag, _ in view.picture.notes] == ["number_of_it", "tag"]


@pytest.mark.parametrize(("written", "said"), [
    ("name\nrow0\n", "line 1: there is only one column"), ("name,a,a\nrow0,1,2\n", "column titles must be unique"),
    ("name,a\nrow0,1,2\n", "line 2: 3 columns"), ("name,a\nrow0,1\nrow0,2\n", "line 3: row0 occurs twice"),
    ("name,a\nx,1\n", "none of its 1 names"),
])  # fmt: skip
def test_a_table_that_cannot_be_used_says_why(view: AlignmentViewer, tmp_path: Path, written: str, said: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(written)
    with pytest.raises(InputError, match=said):
        view.commands.add_table(path)


def test_an_edit_of_a_large_alignment_is_made_on_a_thread(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(row_commands, "MAX_LETTERS_AT_ONCE", 1)
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    assert text(view) == list(ROWS)
    view.commands.insert_gap()
    assert "is running" in view.status.text()
    qtbot.waitUntil(lambda: not view.commands.busy)
    assert text(view)[0] == "MKV-A-LNDSTCCGHW" and view.picture.cursor == (0, 4)
    view.commands.delete_gap()
    qtbot.waitUntil(lambda: not view.commands.busy)
    view.canvas.go_to(0, 1)
    view.commands.delete_gap()
    qtbot.waitUntil(lambda: not view.commands.busy)
    assert "only gaps" in view.status.text() and text(view)[0] == "MKVA-LNDSTCCGHW-"


def test_every_menu_opens_with_what_can_be_done(view: AlignmentViewer) -> None:
    view.offer([replace(alignment(), name="other")])
    view.canvas.select_cells(rows(0, 1), columns(0, 5))
    for button in view.menus.buttons.values():
        button.menu().aboutToShow.emit()
        assert button.menu().actions()
    image(view)
    assert view.menus.fill_context().actions()
    place = QPointF(20, 5)
    assert view.canvas._part_at(place) == "none"
