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

from antidiag.app.views.aligned import counting
from antidiag.app.views.aligned.canvas import LEAST_NAMES
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.io import aligned_compare, aligned_edits, tree_files
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.alignment_files.rows import NOTHING
from tests.app.views.aligned.viewer import ROWS, Shift, alignment, cell, image, press


def test_a_reference_is_a_track_until_an_edit_makes_it_none(view: AlignmentViewer) -> None:
    view.compare_with(alignment())
    assert "SP 1.000, TC 1.000" in view._status.text() and view.picture.tracks["agreement"].tolist() == [1] * 15
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    assert 0 < view.picture.tracks["agreement"][4] < 1
    view.canvas.choose(np.arange(5) == 0, None)
    view.commands.delete()
    assert "agreement" in view.canvas.tracks  # fewer rows than the reference has are still compared
    view.commands.typing = True
    view.canvas.go_to(0, 4)
    press(view, Qt.Key.Key_Delete)
    view.show_datum(alignment("AC", "A-"))
    assert "agreement" not in view.canvas.tracks


def test_a_reference_may_have_fewer_rows(view: AlignmentViewer) -> None:
    view.compare_with(replace(alignment(*ROWS[:3]), name="three"))
    assert "Against three: SP 1.000" in view._status.text() and "agreement" in view.canvas.tracks
    assert view.picture.tracks["agreement"].tolist() == [1] * 15


@pytest.mark.parametrize("at_side", [False, True])
def test_rows_that_the_other_alignment_lacks_are_shown_alone(view: AlignmentViewer, at_side: bool) -> None:
    view.comparison.compare_with(replace(alignment(*ROWS[:3]), name="three"), beside=True)
    view.comparison.show_at_side(at_side)
    other, title = view.comparison.canvas, view.comparison._title
    view.canvas.choose(np.arange(5) >= 3, None)
    view.commands.show_only()
    assert view.picture.shape[0] == 2 and other.picture is None
    assert title.text() == "three has none of the rows that are shown"
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
    found = aligned_edits.insert_gaps(alignment(), np.array([0]), 3)
    return replace(aligned_edits.insert_gaps(found, np.array([1]), 10), name="other")


def test_the_other_alignment_stands_below_in_step(view: AlignmentViewer) -> None:
    view.comparison.compare_with(moved(), beside=True)
    other = view.comparison.canvas
    assert view.comparison.panel.isVisible() and "SP" in view._status.text()
    view.commands.sort("start")
    assert [other.picture.name_at(place) for place in range(5)] == [view.picture.name_at(place) for place in range(5)]
    view.canvas.zoom(1.5, 1.2)
    assert (other.frame_.cell_width, other.frame_.cell_height) == (
        view.canvas.frame_.cell_width, view.canvas.frame_.cell_height
    )  # fmt: skip
    image(view)
    view.comparison.show_beside(False)
    assert not view.comparison.panel.isVisible() and other.picture is None


def test_names_keep_their_room_above_and_below_beside_a_tree(view: AlignmentViewer) -> None:
    view.tree_side.show_tree(tree_files.parse("((row4:1,row1:2):1,(row0:1,row2:1):2,row3:3);")[0])
    QApplication.processEvents()
    width, cell = view.canvas.names_width, view.canvas.frame_.cell_width
    view.comparison.compare_with(moved(), beside=True)
    QApplication.processEvents()
    other, beside = view.comparison.canvas, view.canvas.x()
    assert beside > 0 and view.canvas.names_width == width and view.canvas.frame_.cell_width == cell
    assert other.frame_.left == view.canvas.frame_.left + beside
    other.names_width = beside  # dragged, so that nothing would be left of the names above
    other.refresh()
    assert view.canvas.names_width == LEAST_NAMES and other.frame_.left == view.canvas.frame_.left + beside


def test_differences_are_marked_and_gone_to(view: AlignmentViewer) -> None:
    before = image(view)
    view.comparison.compare_with(moved())
    view.canvas.set_tracks(view.canvas.tracks[:-1])
    differing = np.flatnonzero(~view.comparison.found.here.whole & (view.comparison.found.here.pairs > 0))
    press(view, Qt.Key.Key_F4)
    assert view.picture.cursor[1] == differing[0]
    press(view, Qt.Key.Key_F4)
    press(view, Qt.Key.Key_F4, Shift)
    assert view.picture.cursor[1] == differing[0]
    after, place = image(view), cell(view, 0, int(differing[0]))
    frame = view.canvas.frame_
    bottom = QPointF(place.x(), frame.y(1) - 1)
    assert before.pixelColor(bottom.toPoint()) != after.pixelColor(bottom.toPoint())
    view.colour("agreement")
    shares = view.picture.tracks["agreement"]
    codes = view.picture.colouring.codes[:, 1]
    assert codes[np.argmin(shares)] < codes[np.argmax(shares)]


def test_the_next_difference_is_shown_at_a_letter_that_stands_elsewhere(view: AlignmentViewer) -> None:
    rows = [*ROWS[:4], "MKVGL-QDSTCCGYW"]
    view.comparison.compare_with(replace(alignment(*rows), name="moved"))
    found = view.comparison.found
    press(view, Qt.Key.Key_F4)
    line, column = view.picture.cursor
    one, other = (each.letters[4] for each in (found.alignment, found.other))
    assert one[column] != GAP and aligned_compare.partners(one, other)[column] != found.here.partner[column]
    assert line == 4 and column == np.flatnonzero(~found.here.whole & (found.here.pairs > 0))[0]


def test_a_large_comparison_is_made_on_a_thread(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(counting, "SMALL", 1)
    threads: list[bool] = []
    meeting = aligned_compare.meeting
    monkeypatch.setattr(aligned_compare, "meeting", lambda *given: threads.append(
        threading.current_thread() is threading.main_thread()) or meeting(*given))  # fmt: skip
    view.show_datum(alignment())
    view.comparison.compare_with(moved(), beside=True)
    qtbot.waitUntil(lambda: view.comparison.found is not None)
    view.canvas.go_to(0, 3)
    view.commands.insert_gap()
    qtbot.waitUntil(lambda: view.comparison.found is not None and view.sharp)
    assert view.comparison.found.alignment is view.alignment and threads and not any(threads)
    view.canvas.choose(None, np.arange(16) < 2)
    view.commands.delete()  # now it has other letters than the reference
    qtbot.waitUntil(lambda: "agreement" not in view.canvas.tracks)
    assert view.comparison.found is None and not any(threads)


def test_open_alignments_of_the_same_rows_are_offered(view: AlignmentViewer) -> None:
    strange = replace(alignment("AC", "AC"), names=("x", "y"))
    view.offer([moved(), strange])
    assert [other.name for other in view.comparison.offered()] == ["other"]
    assert len(view.comparison.others()) == 2
    view.offer([replace(view.editor.original, name="some by ClustalW")])  # a result that was added to the data
    assert not view.comparison.others()


def test_the_other_alignment_stands_at_the_side_row_beside_row(view: AlignmentViewer) -> None:
    view.set_track("note:SS", True)
    view.comparison.compare_with(replace(moved(), annotations=NOTHING))  # which has no such line
    view.comparison.place(True, True)
    other, this = view.comparison.canvas, view.canvas
    image(view)
    assert other.mapTo(view, QPoint()).x() > this.mapTo(view, QPoint()).x() + this.width() // 2
    for row in (0, 3):
        here, there = (canvas.mapTo(view, QPoint(0, round(canvas.frame_.y(row)))).y() for canvas in (this, other))
        assert here == there
    this.zoom(1.0, 2.0)
    assert other.frame_.cell_height == this.frame_.cell_height and other.frame_.first_row == this.frame_.first_row
    view.set_track("gaps", True)
    assert other.tracks == this.tracks
    view.comparison.place(False, True)
    image(view)
    assert other.mapTo(view, QPoint()).y() > this.mapTo(view, QPoint()).y() + this.height() // 2
    view.comparison.place(False, False)
    assert not view.comparison.panel.isVisible()
