"""Another alignment of the same sequences: scores, track, the canvas below, in step."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.app.views.aligned.widgets.alignment_canvas import MIN_NAMES_WIDTH
from antidiag.kernels.alignments import alignment_edits, column_counter, comparison
from antidiag.kernels.io import tree_files
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.alignment_formats.raw_alignment import NO_ANNOTATIONS
from tests.app.views.aligned.viewer import ROWS, Shift, alignment, cell, image, press


def test_a_reference_is_a_track_until_an_edit_makes_it_none(view: AlignmentViewer) -> None:
    view.compare_with(alignment())
    assert "SP 1.000, TC 1.000" in view.status.text() and view.picture.tracks["agreement"].tolist() == [1] * 15
    assert view.status.text().endswith("15 of 15 columns of this alignment are in it")
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    assert 0 < view.picture.tracks["agreement"][4] < 1
    view.canvas.select_cells(np.arange(5) == 0, None)
    view.commands.delete_selected()
    assert "agreement" in view.canvas.shown_tracks  # fewer rows than the reference has are still compared
    view.commands.typing = True
    view.canvas.go_to(0, 4)
    press(view, Qt.Key.Key_Delete)
    view.show_datum(alignment("AC", "A-"))
    assert "agreement" not in view.canvas.shown_tracks


def test_a_reference_may_have_fewer_rows(view: AlignmentViewer) -> None:
    view.compare_with(replace(alignment(*ROWS[:3]), name="three"))
    assert "Against the reference three: SP 1.000" in view.status.text() and "agreement" in view.canvas.shown_tracks
    assert view.picture.tracks["agreement"].tolist() == [1] * 15


@pytest.mark.parametrize("at_side", [False, True])
def test_rows_that_the_other_alignment_lacks_are_shown_alone(view: AlignmentViewer, at_side: bool) -> None:
    view.comparison.compare_with(replace(alignment(*ROWS[:3]), name="three"), visible=True)
    view.comparison.show_at_side(at_side)
    other, title = view.comparison.canvas, view.comparison._title
    view.canvas.select_cells(np.arange(5) >= 3, None)
    view.commands.show_only_selected()
    assert view.picture.shape[0] == 2 and other.picture is None
    assert title.text() == "Reference three: has none of the shown rows"
    image(view)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Space, Qt.Key.Key_Escape):
        QTest.keyClick(other, key)
    for act in (QTest.mouseMove, QTest.mouseClick):
        act(other.viewport(), *[Qt.MouseButton.LeftButton] * (act is QTest.mouseClick), pos=QPoint(90, 40))
    other.grab()
    view.commands.show_all()
    assert other.picture.shape[0] == 3 and "SP 1.000" in title.text()


def moved() -> AlignedSequences:
    """The small alignment, with two rows aligned otherwise in the middle."""
    found = alignment_edits.insert_gaps(alignment(), np.array([0]), 3)
    return replace(alignment_edits.insert_gaps(found, np.array([1]), 10), name="other")


def test_the_other_alignment_stands_below_in_step(view: AlignmentViewer) -> None:
    view.comparison.compare_with(moved(), visible=True)
    other = view.comparison.canvas
    assert view.comparison.panel.isVisible() and "SP" in view.status.text()
    view.commands.sort_rows("start")
    assert [other.picture.line_name(place) for place in range(5)] == [
        view.picture.line_name(place) for place in range(5)
    ]
    view.canvas.zoom_cells(1.5, 1.2)
    assert (other.frame_.cell_width, other.frame_.cell_height) == (
        view.canvas.frame_.cell_width, view.canvas.frame_.cell_height
    )  # fmt: skip
    image(view)
    view.comparison.show_panel(False)
    assert not view.comparison.panel.isVisible() and other.picture is None


def test_names_keep_their_room_above_and_below_beside_a_tree(view: AlignmentViewer) -> None:
    view.tree.show_tree(tree_files.parse_trees("((row4:1,row1:2):1,(row0:1,row2:1):2,row3:3);")[0])
    QApplication.processEvents()
    width, cell = view.canvas.names_width, view.canvas.frame_.cell_width
    view.comparison.compare_with(moved(), visible=True)
    QApplication.processEvents()
    other, beside = view.comparison.canvas, view.canvas.x()
    assert beside > 0 and view.canvas.names_width == width and view.canvas.frame_.cell_width == cell
    assert other.frame_.left == view.canvas.frame_.left + beside
    other.names_width = beside  # dragged, so that nothing would be left of the names above
    other.repaint_all()
    assert view.canvas.names_width == MIN_NAMES_WIDTH and other.frame_.left == view.canvas.frame_.left + beside


def test_differences_are_marked_and_gone_to(view: AlignmentViewer) -> None:
    before = image(view)
    view.comparison.compare_with(moved())
    view.canvas.set_tracks(view.canvas.shown_tracks[:-1])
    differing = np.flatnonzero(
        ~view.comparison.result.own_agreement.whole & (view.comparison.result.own_agreement.pairs > 0)
    )
    press(view, Qt.Key.Key_F4)
    assert view.picture.cursor[1] == differing[0]
    press(view, Qt.Key.Key_F4)
    press(view, Qt.Key.Key_F4, Shift)
    assert view.picture.cursor[1] == differing[0]
    after, place = image(view), cell(view, 0, int(differing[0]))
    frame = view.canvas.frame_
    bottom = QPointF(place.x(), frame.row_y(1) - 1)
    assert before.pixelColor(bottom.toPoint()) != after.pixelColor(bottom.toPoint())
    view.set_scheme("agreement")
    shares = view.picture.tracks["agreement"]
    codes = view.picture.colouring.codes[:, 1]
    assert codes[np.argmin(shares)] < codes[np.argmax(shares)]


def test_the_next_difference_is_shown_at_a_letter_that_stands_elsewhere(view: AlignmentViewer) -> None:
    rows = [*ROWS[:4], "MKVGL-QDSTCCGYW"]
    view.comparison.compare_with(replace(alignment(*rows), name="moved"))
    found = view.comparison.result
    press(view, Qt.Key.Key_F4)
    line, column = view.picture.cursor
    one, other = (each.letters[4] for each in (found.alignment, found.other))
    assert one[column] != GAP and comparison.matching_columns(one, other)[column] != found.own_agreement.partner[column]
    assert line == 4 and column == np.flatnonzero(~found.own_agreement.whole & (found.own_agreement.pairs > 0))[0]


def test_a_large_comparison_is_made_on_a_thread(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(column_counter, "MAX_LETTERS_AT_ONCE", 1)
    threads: list[bool] = []
    meeting = comparison.compare_test_columns
    monkeypatch.setattr(comparison, "compare_test_columns", lambda *given: threads.append(
        threading.current_thread() is threading.main_thread()) or meeting(*given))  # fmt: skip
    view.show_datum(alignment())
    view.comparison.compare_with(moved(), visible=True)
    qtbot.waitUntil(lambda: view.comparison.result is not None)
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    qtbot.waitUntil(lambda: view.comparison.result is not None and view.sharp)
    assert view.comparison.result.alignment is view.alignment and threads and not any(threads)
    view.canvas.select_cells(None, np.arange(16) < 2)
    view.commands.delete_selected()  # now it has other letters than the reference
    qtbot.waitUntil(lambda: "agreement" not in view.canvas.shown_tracks)
    assert view.comparison.result is None and not any(threads)


def test_open_alignments_of_the_same_rows_are_offered(view: AlignmentViewer) -> None:
    strange = replace(alignment("AC", "AC"), names=("x", "y"))
    view.offer([moved(), strange])
    assert [other.name for other in view.comparison.list_comparable()] == ["other"]
    assert len(view.comparison.list_alignments()) == 2
    view.offer([replace(view.editor.original, name="some by ClustalW")])  # a result that was added to the data
    assert not view.comparison.list_alignments()


def test_the_other_alignment_stands_at_the_side_row_beside_row(view: AlignmentViewer) -> None:
    view.set_track("note:SS", True)
    view.comparison.compare_with(replace(moved(), annotations=NO_ANNOTATIONS))  # which has no such line
    view.comparison.place_panel(True, True)
    other, this = view.comparison.canvas, view.canvas
    image(view)
    assert other.mapTo(view, QPoint()).x() > this.mapTo(view, QPoint()).x() + this.width() // 2
    for row in (0, 3):
        here, there = (canvas.mapTo(view, QPoint(0, round(canvas.frame_.row_y(row)))).y() for canvas in (this, other))
        assert here == there
    this.zoom_cells(1.0, 2.0)
    assert other.frame_.cell_height == this.frame_.cell_height and other.frame_.first_row == this.frame_.first_row
    view.set_track("gaps", True)
    assert other.shown_tracks == this.shown_tracks
    view.comparison.place_panel(False, True)
    image(view)
    assert other.mapTo(view, QPoint()).y() > this.mapTo(view, QPoint()).y() + this.height() // 2
    view.comparison.place_panel(False, False)
    assert not view.comparison.panel.isVisible()
