"""Rows that are hidden: no edit of others changes them unseen, and none leaves them out of step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from antidiag.app.views.aligned.view import AlignmentViewer
from tests.app.views.aligned.viewer import ROWS, alignment, cell, chosen, drag, press, text


def hide(view: AlignmentViewer, *rows: int) -> None:
    view.canvas.select_cells(np.isin(np.arange(5), rows), None)
    view.commands.hide_selected()


def choose_columns(view: AlignmentViewer, first: int, last: int) -> None:
    """In the ruler."""
    drag(view, QPointF(cell(view, 0, first).x(), 8), QPointF(cell(view, 0, last).x(), 8))


def test_hidden_rows_are_no_longer_chosen(view: AlignmentViewer) -> None:
    hide(view, 0, 2)
    assert view.picture.cell_selection.is_empty
    press(view, Qt.Key.Key_Down)
    press(view, Qt.Key.Key_Space)
    press(view, Qt.Key.Key_Delete)
    assert len(text(view)) == 5 and [text(view)[row] for row in (0, 2)] == [ROWS[0] + "-", ROWS[2] + "-"]
    view.commands.keep_only()
    assert len(text(view)) == 5 and "Select cells" in view.status.text()


def test_all_that_can_be_chosen_is_what_is_shown(view: AlignmentViewer) -> None:
    hide(view, 0, 2)
    press(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert chosen(view)[0] == [1, 3, 4]
    view.commands.mask_letters()
    view.commands.remove_gaps()
    assert [text(view)[row] for row in (0, 2)] == [ROWS[0], ROWS[2]] and text(view)[1].startswith("XXXX")
    view.selection.choose_taxa(["row0", "row1"])
    view.select_taxa()
    assert chosen(view)[0] == [1]


def test_columns_go_from_hidden_rows_too(view: AlignmentViewer) -> None:
    hide(view, 1, 3, 4)
    choose_columns(view, 4, 4)  # a gap in both rows that are shown
    press(view, Qt.Key.Key_Delete)
    assert text(view) == [row[:4] + row[5:] for row in ROWS] and "3 hidden rows" in view.status.text()
    view.editor.undo()
    choose_columns(view, 5, 5)
    press(view, Qt.Key.Key_Delete)
    assert text(view) == [row[:5] + row[6:] for row in ROWS]


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Backspace])
def test_gaps_before_columns_move_hidden_rows_too(view: AlignmentViewer, key: Any) -> None:
    view.show_datum(alignment("A-CD", "A-CD", "AGCD", "A-CD", "A-CD"))
    hide(view, 2)
    choose_columns(view, 2, 2)
    press(view, key)
    if key == Qt.Key.Key_Space:
        assert text(view) == ["A--CD", "A--CD", "AG-CD", "A--CD", "A--CD"]
    else:
        assert text(view) == ["A-CD", "A-CD", "AGCD", "A-CD", "A-CD"] and "letter" in view.status.text()


def test_one_column_and_one_hidden_row_are_told_as_one(view: AlignmentViewer) -> None:
    view.commands.insert_column()
    view.commands.remove_gap_columns()
    assert view.status.text() == "1 column of gaps removed."
    view.commands.trim_columns(0.5)
    assert view.status.text() == "1 column removed."
    hide(view, 1)
    choose_columns(view, 2, 2)
    press(view, Qt.Key.Key_Delete)
    assert view.status.text() == "1 column deleted, also in 1 hidden row."
    view.commands.keep_only()
    choose_columns(view, 0, 0)
    view.commands.keep_only()
    assert view.alignment.summary == "4 rows of 1 column"
