"""HeatMap: a quantity over two axes, a cell a point, with its value where there is room and a bar of colours."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit import ink
from antidiag.app.tune.plots import colour_bar
from antidiag.app.tune.plots.colour_bar import Scale
from antidiag.app.tune.plots.series import Grid, grows
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.experiments import points as point_text
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.tables import Column, cell

MARGIN, IN_CELL = 10, 8
"""Pixels around the cells, and around what is written into one."""


class HeatMap(QWidget):
    """The grid; a click chooses a point. The best cell has a frame."""

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.grid = Grid((), (), {})
        self.settings = PlotSettings()
        self.chosen: Point | None = None
        self._labels = ("", "")
        self._scale, self._best = Scale(0.0, 0.0, False), 0.0
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Heat map over two axes")

    def sizeHint(self) -> QSize:
        return QSize(500, 400)

    @staticmethod
    def text(settings: PlotSettings, value: float) -> str:
        """A value of the quantity that is shown, in few characters."""
        return number(settings.quantity, value)

    def show_grid(
        self, grid: Grid, settings: PlotSettings, labels: tuple[str, str], ends: tuple[float, float] | None = None
    ) -> None:
        """Draw this grid; ``labels`` name its columns and rows, ``ends`` are those of a scale that several share."""
        self.grid, self.settings, self._labels = grid, settings, labels
        values = [value for _, value in grid.cells.values()] or [0.0]
        low, high = ends or (min(values), max(values))
        self._scale = Scale(low, high, grows(settings.quantity))
        self._best = (max if grows(settings.quantity) else min)(values)
        self.update()

    def show_chosen(self, point: Point | None) -> None:
        self.chosen = point
        self.update()

    def point_at(self, place: QPointF) -> Point | None:
        """The point of the cell under a place of the widget."""
        frame = self._frame(QRectF(self.rect()))
        for at, (point, _) in self.grid.cells.items():
            if self._box(frame, at).contains(place):
                return point
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        self.draw(QPainter(self), QRectF(self.rect()))

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw into an area, on a screen or in a file."""
        colours, metrics = theme.active(), painter.fontMetrics()
        painter.fillRect(area, QColor(colours.panel))
        if not self.grid.cells:
            return
        scale, frame = self._scale, self._frame(area)
        words = self._words(metrics, frame)
        for at, (point, value) in self.grid.cells.items():
            box = self._box(frame, at).adjusted(1, 1, -1, -1)
            colour = scale.colour(value)
            painter.fillRect(box, colour)
            if at in words:
                painter.setPen(ink.on(colour))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words[at])
            if value == self._best or point is self.chosen:
                painter.setPen(QPen(QColor(colours.path if value == self._best else colours.accent), 3))
                painter.drawRect(box.adjusted(1, 1, -1, -1))
        self._draw_axes(painter, area, frame)
        beside = QRectF(frame.right(), frame.top(), area.right() - frame.right(), frame.height())
        colour_bar.draw(painter, beside, scale, self._text, self.settings.label)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if found := self.point_at(event.position()):
            self.clicked.emit(found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self.point_at(event.position()))

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)

    def _words(self, metrics: QFontMetrics, frame: QRectF) -> dict[tuple[int, int], str]:
        """What is written into the cells: all values, without their unit where that has no room, or none."""
        room = self._box(frame, (0, 0)).size() - QSizeF(IN_CELL, 0)
        whole = {at: self._text(value) for at, (_, value) in self.grid.cells.items()}
        units = {text.partition(" ")[2] for text in whole.values()}
        bare = {at: text.partition(" ")[0] for at, text in whole.items()} if len(units) == 1 else {}
        if metrics.height() > room.height():
            return {}
        fitting = (
            words
            for words in (whole, bare)
            if words and all(metrics.horizontalAdvance(text) <= room.width() for text in words.values())
        )
        return next(fitting, {})

    def _frame(self, area: QRectF) -> QRectF:
        """Where the cells are: what the words of the rows and the columns leave."""
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(point_text.text(row)) for row in self.grid.rows), default=0)
        line = metrics.height()
        bar = colour_bar.width(metrics, self._scale, self._text)
        return area.adjusted(widest + line + 2 * MARGIN, MARGIN, -bar, -(2 * line + 2 * MARGIN))

    def _text(self, value: float) -> str:
        return number(self.settings.quantity, value)

    def _box(self, frame: QRectF, at: tuple[int, int]) -> QRectF:
        width, height = frame.width() / len(self.grid.columns), frame.height() / len(self.grid.rows)
        row = len(self.grid.rows) - 1 - at[0]
        return QRectF(frame.left() + at[1] * width, frame.top() + row * height, width, height)

    def _draw_axes(self, painter: QPainter, area: QRectF, frame: QRectF) -> None:
        metrics, line = painter.fontMetrics(), painter.fontMetrics().height()
        painter.setPen(QColor(theme.active().muted))
        width = frame.width() / len(self.grid.columns)
        widest = max(metrics.horizontalAdvance(point_text.text(value)) for value in self.grid.columns) + 8
        every = max(1, math.ceil(widest / width))
        for number_of, value in enumerate(self.grid.columns):
            if number_of % every == 0:
                middle = frame.left() + (number_of + 0.5) * width
                box = QRectF(middle - widest / 2, frame.bottom() + 4, widest, line)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, point_text.text(value))
        for number_of, value in enumerate(self.grid.rows):
            box = self._box(frame, (number_of, 0))
            words = QRectF(
                area.left() + line + MARGIN, box.top(), frame.left() - area.left() - line - MARGIN - 6, box.height()
            )
            painter.drawText(words, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, point_text.text(value))
        bottom = QRectF(frame.left(), area.bottom() - line - 4, frame.width(), line)
        painter.drawText(bottom, Qt.AlignmentFlag.AlignCenter, self._labels[0])
        painter.save()
        painter.translate(area.left() + MARGIN / 2, frame.center().y())
        painter.rotate(-90)
        painter.drawText(
            QRectF(-frame.height() / 2, 0, frame.height(), line), Qt.AlignmentFlag.AlignCenter, self._labels[1]
        )
        painter.restore()


def number(quantity: str, value: float) -> str:
    """A value in few characters."""
    if quantity.endswith("_ms"):
        return cell(Column("", "", "ms"), value)
    if quantity.endswith("_bytes"):
        return cell(Column("", "", "bytes"), value)
    return cell(
        Column("", "", "ratio" if quantity == "speedup" else "share" if quantity == "of_limit" else "number"), value
    )
