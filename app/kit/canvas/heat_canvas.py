"""A matrix as a heat map that can be moved and zoomed."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QMouseEvent, QPainter

from antidiag.app import theme
from antidiag.app.kit.canvas.moved_canvas import MovedCanvas
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.view_state import list_box

COLOURS = "viridis"
LEAST_VISIBLE = 4.0  # rows and columns that are always visible, if the matrix has as many


class HeatCanvas(MovedCanvas):
    """A window onto a matrix: each pixel shows one of its numbers, or the largest where ``largest`` is set.
    ``pointed((row, column) or None)`` follows the mouse, ``clicked((row, column))`` is a click on a cell. ``over``
    paints over the picture, using `x_of_column` and `y_of_row`; ``left`` and ``top`` are pixels of margins beside it,
    for axes."""

    def __init__(self) -> None:
        super().__init__(lambda painter, area: self.draw_visible(painter, area.width(), area.height()))
        self.setMinimumSize(120, theme.LEAST_PICTURE)
        self.largest = False
        self.left = self.top = 0.0
        self.over: Callable[[QPainter], None] = lambda painter: None
        self.show_values(np.empty((0, 0)))

    def show_values(self, values: np.ndarray, levels: tuple[float, float] | None = None) -> None:
        """Show a whole float matrix, coloured between ``levels``."""
        self.values = values
        self._size = 1.0, 1.0
        if levels is None:
            known = values[np.isfinite(values)]
            levels = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
        self.levels = levels
        self.show_all()

    def x_of_column(self, column: float) -> float:
        """Return where a column begins in the drawing."""
        return self.left + (column - self.area.x()) / self.area.width() * self._size[0]

    def y_of_row(self, row: float) -> float:
        """Return where a row begins in the drawing."""
        return self.top + (row - self.area.y()) / self.area.height() * self._size[1]

    def show_all(self) -> None:
        """Show the whole matrix."""
        rows, columns = self.values.shape
        self.area = QRectF(0, 0, max(columns, 1), max(rows, 1))
        self.update()

    def list_area(self) -> list[float] | None:
        """Return left, top, width and height of the visible part as plain numbers; None for the whole matrix."""
        rows, columns = self.values.shape
        whole = self.area.width() >= columns and self.area.height() >= rows
        return None if whole else list_box(self.area)

    def restore_area(self, area: list[float] | None) -> None:
        """Show the visible part that `list_area` returned, as far as the matrix has it."""
        if area is not None:
            rows, columns = self.values.shape
            left, top, width, height = area
            self._move_area(QRectF(left, top, min(max(width, 1.0), columns), min(max(height, 1.0), rows)))

    def target_at(self, point: QPointF) -> tuple[int, int] | None:
        """Row and column below a point of the widget."""
        across, along = self._shares_of(point)
        column = int(self.area.x() + across * self.area.width())
        row = int(self.area.y() + along * self.area.height())
        inside = across >= 0 and along >= 0 and 0 <= row < self.values.shape[0] and 0 <= column < self.values.shape[1]
        return (row, column) if inside else None

    def _shares_of(self, point: QPointF) -> tuple[float, float]:
        """Return where a point of the widget is in the picture, as shares of its width and height."""
        wide, high = max(self.width() - self.left, 1), max(self.height() - self.top, 1)
        return (point.x() - self.left) / wide, (point.y() - self.top) / high

    def picture_box(self) -> QRectF:
        """Return where the picture is in the drawing, beside its margins."""
        return QRectF(self.left, self.top, *self._size)

    def visible_ranges(self) -> tuple[slice, slice]:
        """Return the visible rows and columns."""
        area, (rows, columns) = self.area, self.values.shape
        return (
            slice(int(area.top()), min(ceil(area.top() + area.height()), rows)),
            slice(int(area.left()), min(ceil(area.left() + area.width()), columns)),
        )

    def draw_visible(self, painter: QPainter, width: float, height: float) -> None:
        """Draw the visible part into a width and height from (0, 0)."""
        if not self.values.size:
            return
        width, height = max(width - self.left, 1.0), max(height - self.top, 1.0)
        self._size = width, height
        seen = self._pixel_values(round(width), round(height)).astype(float)
        seen[~np.isfinite(seen)] = np.nan
        shades = heat_map.map_positions(seen, *self.levels)
        picture = heat_map.render_image(shades, COLOURS, theme.active().background)
        heat_map.draw_sharp_image(painter, QRectF(self.left, self.top, width, height), picture)
        self.over(painter)

    def _pixel_values(self, across: int, down: int) -> np.ndarray:
        """Return a number for each pixel."""
        rows = self._pixel_indices(self.area.y(), self.area.height(), down, self.values.shape[0])
        columns = self._pixel_indices(self.area.x(), self.area.width(), across, self.values.shape[1])
        if not self.largest or (self.area.width() <= across and self.area.height() <= down):
            return self.values[np.ix_(rows, columns)]
        # Where pixels begin; rows and columns between two of them belong to the first.
        some, same_rows = np.unique(rows, return_inverse=True)
        others, same_columns = np.unique(columns, return_inverse=True)
        top, left = slice(some[0], self.visible_ranges()[0].stop), slice(others[0], self.visible_ranges()[1].stop)
        found = np.maximum.reduceat(self.values[top, left], some - some[0], axis=0)
        return np.maximum.reduceat(found, others - others[0], axis=1)[np.ix_(same_rows, same_columns)]

    @staticmethod
    def _pixel_indices(first: float, length: float, pixels: int, count: int) -> np.ndarray:
        """Return the row or column that each pixel shows."""
        places = first + (np.arange(max(pixels, 1)) + 0.5) / max(pixels, 1) * length
        return np.clip(places.astype(np.int64), 0, count - 1)

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Enlarge cells around a fixed point."""
        about, (rows, columns) = QPointF(self.rect().center()) if about is None else about, self.values.shape
        x, y = self._shares_of(about)
        width = float(np.clip(self.area.width() / factor, min(LEAST_VISIBLE, columns), columns))
        height = float(np.clip(self.area.height() / factor, min(LEAST_VISIBLE, rows), rows))
        left, top = self.area.x() + x * self.area.width(), self.area.y() + y * self.area.height()
        self._move_area(QRectF(left - x * width, top - y * height, width, height))

    def _move_area(self, area: QRectF) -> None:
        rows, columns = self.values.shape
        area.moveLeft(min(max(area.x(), 0.0), max(columns - area.width(), 0.0)))
        area.moveTop(min(max(area.y(), 0.0), max(rows - area.height(), 0.0)))
        self.area = area
        self.update()

    def move_by(self, right: float, down: float) -> None:
        """Move the picture by so many pixels."""
        across = self.area.width() / max(self.width() - self.left, 1)
        along = self.area.height() / max(self.height() - self.top, 1)
        self._move_area(self.area.translated(-right * across, -down * along))

    def on_click(self, event) -> None:
        """Handle a click at a point of the picture."""
        if (cell := self.target_at(event.position())) is not None:
            self.clicked.emit(cell)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.show_all()
