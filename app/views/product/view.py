"""ProductView: both factors of a product of matrices, and the product, as heat maps."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from app import theme
from app.kit import export, figure, heat
from app.kit.legend import Legend, LegendItem
from app.kit.selection import Selection
from app.kit.widgets import Elided, tool_button
from kernels.model import Result
from kernels.products.problem import ProductAnswer

PARTS = ("Product", "First matrix", "Second matrix")
COLOURS = "viridis"
STEP = 1.25
"""How much nearer a step of the wheel goes."""
LEAST = 4.0
"""Rows and columns that are always in sight, if there are so many."""

MOST_COPIED = 1_000_000
"""Numbers that a clipboard takes."""


class Canvas(QWidget):
    """A window of a matrix, a pixel of the screen for each number, or some of them."""

    pointed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.setMinimumSize(120, 120)
        self._held: QPointF | None = None
        self.show_values(np.empty((0, 0)))

    def show_values(self, values: np.ndarray) -> None:
        """Show all of a matrix, float; what is infinite leads nowhere."""
        self.values = values
        known = values[np.isfinite(values)]
        self.levels = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
        self.fit()

    def fit(self) -> None:
        """Show the whole matrix."""
        rows, columns = self.values.shape
        self.area = QRectF(0, 0, max(columns, 1), max(rows, 1))
        self.update()

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """Row and column below a point of the widget."""
        column = int(self.area.x() + point.x() / max(self.width(), 1) * self.area.width())
        row = int(self.area.y() + point.y() / max(self.height(), 1) * self.area.height())
        inside = 0 <= row < self.values.shape[0] and 0 <= column < self.values.shape[1]
        return (row, column) if inside else None

    def in_sight(self) -> tuple[slice, slice]:
        """Rows and columns of which something is seen."""
        area, (rows, columns) = self.area, self.values.shape
        return (
            slice(int(area.top()), min(ceil(area.top() + area.height()), rows)),
            slice(int(area.left()), min(ceil(area.left() + area.width()), columns)),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        self.draw(painter, self.width(), self.height())
        painter.end()

    def draw(self, painter: QPainter, width: float, height: float) -> None:
        """Draw what is in sight into an area of so many pixels from (0, 0) on."""
        if not self.values.size:
            return
        down, across = self.values.shape
        rows = self._places(self.area.y(), self.area.height(), round(height), down)
        columns = self._places(self.area.x(), self.area.width(), round(width), across)
        seen = self.values[np.ix_(rows, columns)].astype(float)
        seen[~np.isfinite(seen)] = np.nan
        shades = heat.shades(seen, *self.levels)
        picture = heat.image(shades, COLOURS, theme.active().background)
        heat.draw_image(painter, QRectF(0, 0, width, height), picture)

    @staticmethod
    def _places(first: float, length: float, pixels: int, count: int) -> np.ndarray:
        """The row, or column, that each pixel shows."""
        places = first + (np.arange(max(pixels, 1)) + 0.5) / max(pixels, 1) * length
        return np.clip(places.astype(np.int64), 0, count - 1)

    def wheelEvent(self, event: QWheelEvent) -> None:
        factor = STEP ** (-event.angleDelta().y() / 120)
        self.zoom(factor, event.position())
        event.accept()

    def zoom(self, factor: float, about: QPointF) -> None:
        """Show ``factor`` times as many rows and columns; what is below a point stays there."""
        rows, columns = self.values.shape
        x, y = about.x() / max(self.width(), 1), about.y() / max(self.height(), 1)
        width = float(np.clip(self.area.width() * factor, min(LEAST, columns), columns))
        height = float(np.clip(self.area.height() * factor, min(LEAST, rows), rows))
        left, top = self.area.x() + x * self.area.width(), self.area.y() + y * self.area.height()
        self._move(QRectF(left - x * width, top - y * height, width, height))

    def _move(self, area: QRectF) -> None:
        rows, columns = self.values.shape
        area.moveLeft(min(max(area.x(), 0.0), max(columns - area.width(), 0.0)))
        area.moveTop(min(max(area.y(), 0.0), max(rows - area.height(), 0.0)))
        self.area = area
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            moved, self._held = event.position() - self._held, event.position()
            across, down = self.area.width() / max(self.width(), 1), self.area.height() / max(self.height(), 1)
            self._move(self.area.translated(-moved.x() * across, -moved.y() * down))
        self.pointed.emit(self.cell_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()


class ProductView(QWidget):
    """The product of two matrices, and what it was made of; of a batch, one of its members."""

    id = "product"
    title = "Product"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.result: Result | None = None
        self.canvas, self.part, self.member, self._status = Canvas(), QComboBox(), QSpinBox(), Elided()
        self.part.addItems(PARTS)
        self.member.setMinimum(1)
        self._of, self._legend = QLabel("Member"), Legend()
        tools = QHBoxLayout()
        for tool in (
            self.part,
            self._of,
            self.member,
            tool_button("Fit", "Show the whole matrix (double click)", self.canvas.fit),
            tool_button("Copy", "Copy the figure", self.copy),
            tool_button("Copy table", "Copy the numbers in sight, for a spreadsheet", self.copy_table),
            tool_button("Save figure", "Save the figure as PNG, SVG or PDF", self.save_figure),
        ):
            tools.addWidget(tool)
        tools.addStretch()
        layout = QVBoxLayout(self)
        layout.addLayout(tools)
        layout.addWidget(self.canvas, 1)
        layout.addWidget(self._legend)
        layout.addWidget(self._status)
        self.part.currentIndexChanged.connect(lambda _: self._anew())
        self.member.valueChanged.connect(lambda _: self._anew())
        self.canvas.pointed.connect(self._say)
        theme.notifier.changed.connect(self._restyle)
        self.show_result(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(result.answer, ProductAnswer)

    def show_result(self, result: Result | None) -> None:
        """Show the product of a result, or nothing."""
        self.result = result if result is not None and self.shows(result) else None
        batch = self.result.problem.batch if self.result is not None else 1
        self.member.setMaximum(batch)
        for widget in (self._of, self.member):
            widget.setVisible(batch > 1)
        self.setEnabled(self.result is not None)
        self._anew()

    def shown(self) -> np.ndarray:
        """The matrix that is shown, with NumPy's infinity."""
        if self.result is None:
            return np.empty((0, 0))
        problem = self.result.problem
        parts = (self.result.answer.floats(problem), problem.first.values, problem.second.values)
        values = parts[self.part.currentIndex()]
        return values[self.member.value() - 1] if values.ndim == 3 else values

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """What is seen, with title and legend, for a file."""
        figure.draw(painter, area, self._title(), self._legend.items, self.canvas.draw)

    def figure_size(self) -> QSize:
        return figure.size(self.canvas.width(), self.canvas.height(), self._legend.items)

    def copy(self) -> None:
        """Put the figure on the clipboard."""
        export.copy(self.figure_size(), self.draw_figure)
        self._status.setText("Copied the figure.")

    def copy_table(self) -> None:
        """Put the numbers in sight on the clipboard, for a spreadsheet."""
        rows, columns = self.canvas.in_sight()
        values = self.canvas.values[rows, columns]
        if values.size > MOST_COPIED:
            self._status.setText(f"{values.size:,} numbers in sight, and {MOST_COPIED:,} can be copied; zoom in first")
            return
        QGuiApplication.clipboard().setText("".join(table_lines(values)))
        self._status.setText("Copied {:,} x {:,} numbers.".format(*values.shape))

    def save_figure(self) -> None:
        """Ask for a file and write the figure as PNG, SVG or PDF."""
        export.ask_and_save(self, "product", self.figure_size(), self.draw_figure, self._title())

    def _title(self) -> str:
        batch = self.member.maximum()
        member = f", member {self.member.value():,} of {batch:,}" if batch > 1 else ""
        return f"{self.result.problem.title} \N{MIDDLE DOT} {self.part.currentText().lower()}{member}"

    def _restyle(self) -> None:
        self._describe()
        self.canvas.update()

    def _anew(self) -> None:
        self.canvas.show_values(self.shown())
        self._describe()
        self._say(None)

    def _describe(self) -> None:
        """Legend: the colours, and what is no number."""
        values = self.canvas.values
        if not values.size:
            self._legend.show_items(())
            return
        low, high = (heat.short(level) for level in self.canvas.levels)
        items = [
            LegendItem("text", f"{values.shape[0]:,} x {values.shape[1]:,} numbers"),
            LegendItem("gradient", f"{low} to {high}", heat.swatches(COLOURS)),
        ]
        if not np.isfinite(values).all():
            items.append(LegendItem("fill", "no way (infinite)", (theme.active().background,)))
        self._legend.show_items(tuple(items))

    def _say(self, cell: tuple[int, int] | None) -> None:
        """The number below the pointer, or what is shown."""
        values = self.canvas.values
        if cell is not None:
            value = values[cell]
            told = f"{value:,.9g}" if np.isfinite(value) else "no way"
            self._status.setText(f"row {cell[0] + 1:,}, column {cell[1] + 1:,}: {told}")
        elif values.size:
            low, high = self.canvas.levels
            rows, columns = values.shape
            extent = f"{rows:,} x {columns:,} numbers from {low:,.6g} to {high:,.6g}"
            self._status.setText(f"{extent}; wheel to zoom, drag to move, double click to see all")
        else:
            self._status.setText("")


def table_lines(values: np.ndarray) -> Iterator[str]:
    """Rows of numbers between tabs; what is infinite is inf."""
    return ("\t".join(f"{value:.9g}" for value in row) + "\n" for row in values.tolist())
