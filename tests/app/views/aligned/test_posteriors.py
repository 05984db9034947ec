"""Posteriors of two rows below the alignment, linked with it both ways."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPaintDevice, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from antidiag.app.kit.figures.svg_device import SvgDevice
from antidiag.app.kit.selection import Selection
from antidiag.app.views.aligned.side_panels.pair_axes import label_step
from antidiag.app.views.aligned.view import AlignmentViewer
from tests.app.views.aligned.viewer import image


@pytest.fixture
def shown(view: AlignmentViewer, qtbot: Any) -> AlignmentViewer:
    """Rows 0 and 2, which were chosen."""
    view.canvas.select_cells(np.array([True, False, True, False, False]), None)
    view.posteriors.show_panel(True)
    qtbot.waitUntil(lambda: view.posteriors.found is not None)
    qtbot.waitUntil(lambda: view.sharp)
    return view


def test_the_chosen_rows_are_shown_and_third_rows_named(shown: AlignmentViewer) -> None:
    side = shown.posteriors
    assert side.is_open and side.found.rows == (0, 2)
    assert side.canvas.values.shape == (14, 12) and side.canvas.values[0, 0] > 0.5
    assert "row0" in side.legend.items[2].text and side.thirds.count() == 3
    assert {side.thirds.item(place).text().split()[1] for place in range(3)} == {"row1", "row3", "row4"}
    before = side.canvas.values.copy()
    side.consistent.setChecked(True)
    assert not np.array_equal(before, side.canvas.values)


def test_a_pair_that_is_pointed_at_is_framed_in_the_alignment(shown: AlignmentViewer) -> None:
    side, plain = shown.posteriors, image(shown)
    box = side.canvas.x_of_column(4), side.canvas.x_of_column(5), side.canvas.y_of_row(4), side.canvas.y_of_row(5)
    place = QPointF((box[0] + box[1]) / 2, (box[2] + box[3]) / 2)
    QTest.mouseMove(side.canvas, place.toPoint())
    side.canvas.pointed.emit((4, 3))
    assert shown.selection.column == 5 and "L5" in side.summary.text() and "support L5" in side._listed.text()
    assert image(shown) != plain
    QTest.mouseClick(side.canvas, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert shown.picture.cursor == (0, 5)
    side.canvas.pointed.emit(None)
    assert shown.selection.column is None and "aligned pairs" in side.summary.text()


def test_the_cursor_of_the_alignment_is_a_cross(shown: AlignmentViewer) -> None:
    side, plain = shown.posteriors, shown.posteriors.canvas.grab().toImage()
    shown.canvas.go_to(0, 13)
    assert side._place == (12, 10) and "H13" in side.summary.text()
    assert side.canvas.grab().toImage() != plain


def test_an_edit_computes_anew_and_another_alignment_closes(shown: AlignmentViewer, qtbot: Any) -> None:
    side = shown.posteriors
    shown.canvas.go_to(0, 0)
    shown.commands.insert_gap()
    qtbot.waitUntil(lambda: side.found is not None and side._of is shown.alignment)
    assert int(side.found.columns[0][0]) == 1
    shown.show_alignment(None)
    assert not side.is_open and side.found is None


def test_one_row_twice_is_refused_in_words(shown: AlignmentViewer, qtbot: Any) -> None:
    side = shown.posteriors
    side.rows[1].setCurrentIndex(0)
    side.rows[1].activated.emit(0)
    qtbot.waitUntil(lambda: "two different rows" in side.summary.text())
    assert side.found is None and not side.canvas.values.size


def test_the_panel_is_laid_out_when_it_is_first_opened(view: AlignmentViewer) -> None:
    side = view.posteriors
    assert side.panel.layout() is None and side.panel.isHidden() and not side.is_open
    side.show_panel(True)
    first = side.panel.layout()
    assert first is not None and side.is_open
    side.show_panel(False)
    side.show_panel(True)
    assert side.panel.layout() is first


def test_a_panel_that_was_never_opened_goes_with_its_view(qapp: Any) -> None:
    """Else each closed view leaves widgets that every change of the theme dresses again."""
    viewer = AlignmentViewer(Selection())
    side = viewer.posteriors
    kept = [side.panel, *side.rows, *(found for found in vars(side).values() if isinstance(found, QWidget))]
    kept.remove(viewer)
    assert side.canvas in kept and all(map(shiboken6.isValid, kept))
    viewer.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not any(map(shiboken6.isValid, kept))


def test_axes_have_places_and_letters_and_wide_cells_their_values(shown: AlignmentViewer, qtbot: Any) -> None:
    side = shown.posteriors
    side.canvas.resize(900, 700)
    side.canvas.show_all()
    device = SvgDevice(QSize(900, 700), 96)
    painter = QPainter(device)
    side.canvas.draw_visible(painter, 900, 700)
    painter.end()
    said = re.findall(r'aria-label="([^"]*)"', device.svg_bytes().decode())
    letters = [shown.alignment.letters[row] for row in (0, 2)]
    first, second = (row[row != 45].tobytes().decode() for row in letters)
    assert {"row0", "row2", "10"} <= set(said)
    assert sum(word in set(first + second) for word in said) == len(first) + len(second)
    values = [word for word in said if re.fullmatch(r"\.\d\d|1\.0", word)]
    assert len(values) == side.canvas.values.size
    assert side.canvas.target_at(QPointF(3, 300)) is None, "an axis is no cell"
    place = QPointF(side.canvas.x_of_column(3.5), side.canvas.y_of_row(4.5))
    assert side.canvas.target_at(place) == (4, 3)


class TextRecorder(QPainter):
    """Keeps the boxes and words of what is written without a rotation."""

    def __init__(self, device: QPaintDevice) -> None:
        super().__init__(device)
        self.written: list[tuple[QRectF, str]] = []

    def drawText(self, box: QRectF, flags: int, text: str) -> None:
        if not self.transform().isRotating():
            self.written.append((box, text))


def test_nothing_is_cut_at_the_edges_of_the_posteriors(shown: AlignmentViewer) -> None:
    """A cell that is half visible has its number in that half, and one of which little is visible has none."""
    canvas, image, counts = shown.posteriors.canvas, QImage(900, 700, QImage.Format.Format_RGB32), []
    canvas.resize(900, 700)
    for share in (0.0, 0.05, 0.5, 0.95):
        canvas.area = QRectF(2 + share, 3 + share, 8, 9)
        painter = TextRecorder(image)
        canvas.draw_visible(painter, 900, 700)
        painter.end()
        inner, whole = canvas.picture_box(), QRectF(0, 0, 900, 700)
        numbers = [(box, text) for box, text in painter.written if re.fullmatch(r"\.\d\d|1\.0", text)]
        advance = QFontMetrics(painter.font()).horizontalAdvance
        assert all(inner.contains(box) and advance(text) <= box.width() for box, text in numbers)
        assert all(whole.contains(box) for box, _ in painter.written)
        counts.append(len(numbers))
    assert counts == [8 * 9, 8 * 9, 9 * 10, 8 * 9]


def test_the_posteriors_follow_the_rows(shown: AlignmentViewer, qtbot: Any) -> None:
    side = shown.posteriors
    shown.canvas.clear_selection()
    shown.canvas.go_to(3, 5)
    qtbot.waitUntil(lambda: side.found is not None and side.found.rows == (3, 2))
    shown.canvas.select_cells(np.array([False, True, False, False, True]), None)
    qtbot.waitUntil(lambda: side.found is not None and side.found.rows == (1, 4))
    assert [box.currentIndex() for box in side.rows] == [1, 4]
    side.follows.setChecked(False)
    shown.canvas.clear_selection()
    shown.canvas.go_to(0, 5)
    assert not side.busy and side.found.rows == (1, 4)


def test_labels_of_places_do_not_touch() -> None:
    assert [label_step(count, pixels, 30) for count, pixels in ((10, 40), (100, 10), (1000, 1), (100_000, 0.01))] == [
        1, 5, 50, 5000,
    ]  # fmt: skip
