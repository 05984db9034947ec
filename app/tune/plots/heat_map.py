"""HeatMap: a quantity over two axes, one cell per point, with values in the cells and a colour bar."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.painting import fonts_and_colours
from antidiag.app.tune.plots import colour_bar
from antidiag.app.tune.plots.colour_bar import ColourScale
from antidiag.app.tune.plots.point_plot import PointPlot
from antidiag.kernels.experiments.point_data import points as point_text
from antidiag.kernels.experiments.point_data.plot_data import HeatGrid, PlotSettings, higher_is_better
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.point_data.tables import Column, Kind, format_cell

MARGIN, CELL_PADDING = 10, 8


class HeatMap(PointPlot):
    """A grid of cells; the best cell and the chosen one have a frame."""

    def __init__(self) -> None:
        super().__init__("Heat map over two axes")
        self.grid = HeatGrid((), (), {})
        self.settings = PlotSettings()
        self._labels = ("", "")
        self._scale, self._best = ColourScale(0.0, 0.0, False), 0.0

    def show_grid(
        self,
        grid: HeatGrid,
        settings: PlotSettings,
        labels: tuple[str, str],
        value_range: tuple[float, float] | None = None,
    ) -> None:
        """Draw a grid; ``labels`` name its columns and rows, ``value_range`` is the range of a shared scale."""
        self.grid, self.settings, self._labels = grid, settings, labels
        values = [value for _, value in grid.cells.values()] or [0.0]
        low, high = value_range or (min(values), max(values))
        self._scale = ColourScale(low, high, higher_is_better(settings.quantity))
        self._best = (max if higher_is_better(settings.quantity) else min)(values)
        self.update()

    def point_at(self, place: QPointF) -> MeasuredPoint | None:
        """Return the point of the cell at a place of the widget, or None."""
        frame = self._cell_area(QRectF(self.rect()))
        for at, (point, _) in self.grid.cells.items():
            if self._cell_box(frame, at).contains(place):
                return point
        return None

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw into an area, on a screen or in a file."""
        colours, metrics = theme.active(), painter.fontMetrics()
        painter.fillRect(area, QColor(colours.panel))
        if not self.grid.cells:
            return
        scale, frame = self._scale, self._cell_area(area)
        words = self._cell_texts(metrics, frame)
        for at, (point, value) in self.grid.cells.items():
            box = self._cell_box(frame, at).adjusted(1, 1, -1, -1)
            colour = scale.colour_of(value)
            painter.fillRect(box, colour)
            if at in words:
                painter.setPen(fonts_and_colours.text_colour_on(colour))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words[at])
            if value == self._best or point is self.chosen:
                painter.setPen(QPen(QColor(colours.path if value == self._best else colours.accent), 3))
                painter.drawRect(box.adjusted(1, 1, -1, -1))
        self._draw_axes(painter, area, frame)
        beside = QRectF(frame.right(), frame.top(), area.right() - frame.right(), frame.height())
        colour_bar.draw_bar(painter, beside, scale, self._value_text, self.settings.quantity_label)

    def _cell_texts(self, metrics: QFontMetrics, frame: QRectF) -> dict[tuple[int, int], str]:
        """Return the texts of the cells: values with units if all fit, else without, else none."""
        room = self._cell_box(frame, (0, 0)).size() - QSizeF(CELL_PADDING, 0)
        whole = {at: self._value_text(value) for at, (_, value) in self.grid.cells.items()}
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

    def _cell_area(self, area: QRectF) -> QRectF:
        """Return the area of the cells, inside the labels of rows and columns."""
        metrics = self.fontMetrics()
        widest = max((metrics.horizontalAdvance(point_text.format_value(row)) for row in self.grid.rows), default=0)
        line = metrics.height()
        bar = colour_bar.bar_width(metrics, self._scale, self._value_text)
        return area.adjusted(widest + line + 2 * MARGIN, MARGIN, -bar, -(2 * line + 2 * MARGIN))

    def _value_text(self, value: float) -> str:
        return format_quantity(self.settings.quantity, value)

    def _cell_box(self, frame: QRectF, at: tuple[int, int]) -> QRectF:
        width, height = frame.width() / len(self.grid.columns), frame.height() / len(self.grid.rows)
        row = len(self.grid.rows) - 1 - at[0]
        return QRectF(frame.left() + at[1] * width, frame.top() + row * height, width, height)

    def _draw_axes(self, painter: QPainter, area: QRectF, frame: QRectF) -> None:
        metrics, line = painter.fontMetrics(), painter.fontMetrics().height()
        painter.setPen(QColor(theme.active().muted))
        width = frame.width() / len(self.grid.columns)
        widest = max(metrics.horizontalAdvance(point_text.format_value(value)) for value in self.grid.columns) + 8
        every = max(1, math.ceil(widest / width))
        for number_of, value in enumerate(self.grid.columns):
            if number_of % every == 0:
                middle = frame.left() + (number_of + 0.5) * width
                box = QRectF(middle - widest / 2, frame.bottom() + 4, widest, line)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, point_text.format_value(value))
        for number_of, value in enumerate(self.grid.rows):
            box = self._cell_box(frame, (number_of, 0))
            words = QRectF(area.left() + line + MARGIN, box.top(), 0, box.height())
            words.setRight(frame.left() - 6)
            painter.drawText(
                words, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, point_text.format_value(value)
            )
        bottom = QRectF(frame.left(), area.bottom() - line - 4, frame.width(), line)
        painter.drawText(bottom, Qt.AlignmentFlag.AlignCenter, self._labels[0])
        painter.save()
        painter.translate(area.left() + MARGIN / 2, frame.center().y())
        painter.rotate(-90)
        side = QRectF(-frame.height() / 2, 0, frame.height(), line)
        painter.drawText(side, Qt.AlignmentFlag.AlignCenter, self._labels[1])
        painter.restore()


def format_quantity(quantity: str, value: float) -> str:
    """Format a value of a quantity in few characters."""
    kinds: dict[str, Kind] = {"ms": "ms", "bytes": "bytes", "speedup": "ratio", "limit": "share"}
    return format_cell(Column("", "", kinds.get(quantity.rpartition("_")[2], "number")), value)
