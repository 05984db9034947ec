"""The axes of a heat map of two rows: names, places, letters, and the values of wide cells."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from antidiag.app import theme
from antidiag.app.kit.canvas.heat_canvas import COLOURS, HeatCanvas
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.fonts_and_colours import text_colour_on
from antidiag.app.kit.painting.saved_painter import saved_painter_state

GAP = 4
LEAST_LETTER, LEAST_VALUE = 9.0, 26.0
"""Pixels of a cell from which its letter, and its value, is written."""
CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True)
class PairAxes:
    """What stands along the axes: the name and the letters of the row that runs down, and of the one across."""

    down_name: str
    across_name: str
    down_letters: str
    across_letters: str

    def margins(self, metrics: QFontMetrics) -> tuple[float, float]:
        """Return the pixels at the left and above that names, places and letters take."""
        places = metrics.horizontalAdvance(f"{len(self.down_letters):,}")
        return metrics.height() + places + metrics.maxWidth() / 2 + 3 * GAP, 3.0 * metrics.height()


def label_step(count: int, pixels: float, needed: float) -> int:
    """Return every which place is labelled, so that labels of ``needed`` pixels do not touch."""
    steps = (first * 10**power for power in range(12) for first in (1, 2, 5))
    return next(step for step in steps if step * pixels >= needed or step > count)


def draw_axes(painter: QPainter, canvas: HeatCanvas, axes: PairAxes) -> None:
    """Draw names, places and letters of both rows into the margins of a canvas."""
    with saved_painter_state(painter):
        painter.setPen(QColor(theme.active().muted))
        _draw_across(painter, canvas, axes)
        _draw_down(painter, canvas, axes)


def _draw_across(painter: QPainter, canvas: HeatCanvas, axes: PairAxes) -> None:
    metrics, box = painter.fontMetrics(), canvas.picture_box()
    line, wide = float(metrics.height()), canvas.x_of_column(1) - canvas.x_of_column(0)
    name = metrics.elidedText(axes.across_name, Qt.TextElideMode.ElideRight, int(box.width()))
    painter.drawText(QRectF(box.left(), 0, box.width(), line), CENTRE, name)
    count = len(axes.across_letters)
    step = label_step(count, wide, metrics.horizontalAdvance(f"{count:,}") + 2 * GAP)
    columns = canvas.visible_ranges()[1]
    for column in range(columns.start, columns.stop):
        middle = canvas.x_of_column(column + 0.5)
        if not box.left() <= middle <= box.right():
            continue
        if (column + 1) % step == 0:
            _draw_inside(painter, box, middle, line, f"{column + 1:,}")
        if wide >= LEAST_LETTER:
            _draw_inside(painter, box, middle, 2 * line, axes.across_letters[column])


def _draw_inside(painter: QPainter, box: QRectF, middle: float, top: float, text: str) -> None:
    """Draw a line of text around a place above a box, moved so far that neither end of the box cuts it."""
    metrics = painter.fontMetrics()
    width = metrics.horizontalAdvance(text) + 1.0
    left = max(min(middle - width / 2, box.right() - width), box.left())
    painter.drawText(QRectF(left, top, width, metrics.height()), CENTRE, text)


def _draw_down(painter: QPainter, canvas: HeatCanvas, axes: PairAxes) -> None:
    metrics, box = painter.fontMetrics(), canvas.picture_box()
    line, high = float(metrics.height()), canvas.y_of_row(1) - canvas.y_of_row(0)
    with saved_painter_state(painter):
        painter.translate(0, box.bottom())
        painter.rotate(-90)
        name = metrics.elidedText(axes.down_name, Qt.TextElideMode.ElideRight, int(box.height()))
        painter.drawText(QRectF(0, 0, box.height(), line), CENTRE, name)
    letter = metrics.maxWidth() / 2
    numbers = box.left() - letter - 2 * GAP
    step = label_step(len(axes.down_letters), high, line)
    rows = canvas.visible_ranges()[0]
    for row in range(rows.start, rows.stop):
        middle = canvas.y_of_row(row + 0.5)
        if not box.top() <= middle <= box.bottom():
            continue
        middle = max(min(middle, box.bottom() - line / 2), box.top() + line / 2)
        if (row + 1) % step == 0:
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, middle - line / 2, numbers, line), right, f"{row + 1:,}")
        if high >= LEAST_LETTER:
            painter.drawText(QRectF(numbers + GAP, middle - line / 2, letter, line), CENTRE, axes.down_letters[row])


def format_posterior(value: float) -> str:
    """Return a posterior in three characters: '.98', '1.0'."""
    return f"{value:.2f}"[1:] if value < 0.995 else "1.0"


def draw_values(painter: QPainter, canvas: HeatCanvas) -> None:
    """Write the value into every visible cell where cells are wide enough.

    A cell that is cut at the edge has its value in the middle of what is visible of it, or none if that is too small.
    """
    wide, high = canvas.x_of_column(1) - canvas.x_of_column(0), canvas.y_of_row(1) - canvas.y_of_row(0)
    line = painter.fontMetrics().height()
    if wide < LEAST_VALUE or high < line:
        return
    rows, columns = canvas.visible_ranges()
    ends = [QColor(name) for name in heat_map.legend_colours(COLOURS)]
    least = painter.fontMetrics().horizontalAdvance(format_posterior(1.0))
    with saved_painter_state(painter):
        for row in range(rows.start, rows.stop):
            for column in range(columns.start, columns.stop):
                value = float(canvas.values[row, column])
                painter.setPen(text_colour_on(ends[min(int(value * len(ends)), len(ends) - 1)]))
                cell = QRectF(canvas.x_of_column(column), canvas.y_of_row(row), wide, high)
                visible = cell.intersected(canvas.picture_box())
                if visible.width() >= least and visible.height() >= line:
                    painter.drawText(visible, CENTRE, format_posterior(value))
