"""The table of the most pairs, with the way back through it that gives the structure on the screen."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit import heat
from antidiag.app.kit.heat_canvas import COLOURS, HeatCanvas
from antidiag.app.kit.ink import font
from antidiag.app.views.structure.shown import Shown
from antidiag.kernels.folding import cooptimal

LETTER = 9.0
"""Pixels of a cell from which on its letters stand at the edges of the table."""


class TablePane(HeatCanvas):
    """N[i, j], the most pairs of the letters i..j; the half below the diagonal is empty.

    ``letter_pointed(i)`` and ``part_pointed((i, j))`` follow the mouse; the latter is None beside the table.
    """

    letter_pointed = Signal(object)
    part_pointed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Table of the most pairs")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.shown: Shown | None = None
        self.note = ""
        self._lit: int | None = None
        self._of: object = None
        self._walk = np.empty((0, 3), np.int64)
        self.over = self._paint_over
        self.pointed.connect(self._on_pointed)

    def show_structure(self, shown: Shown | None) -> None:
        """The table of another structure; of the same table another way back."""
        self.shown = shown
        found = shown.found if shown else None
        if found is not self._of:
            self._of = found
            if found is not None and found.table.size:
                self.show_values(found.drawn, (0.0, float(found.table[0, -1])))
            else:
                self.show_values(np.empty((0, 0), np.float32))
        walk = cooptimal.walk(found.table, shown.partners) if found is not None and shown is not None else []
        self._walk = np.array(walk, np.int64).reshape(-1, 3)
        self.update()

    def light(self, letter: int | None) -> None:
        """Point out the cell of the pair of a letter."""
        self._lit = letter
        self.update()

    def draw(self, painter: QPainter, width: float, height: float) -> None:
        super().draw(painter, width, height)
        if not self.values.size:
            painter.setPen(QColor(theme.active().muted))
            area = QRectF(12, 12, width - 24, height - 24)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.note)

    def _paint_over(self, painter: QPainter) -> None:
        """The way back, the pair that is pointed at, and numbers and letters where there is room."""
        wide, high = self.across(1) - self.across(0), self.down(1) - self.down(0)
        rows, columns = self.in_sight()
        painter.save()
        if heat.has_room_for_numbers(wide, high):
            painter.setFont(heat.number_font(painter.font()))
            for i in range(rows.start, rows.stop):
                for j in range(max(columns.start, i), columns.stop):
                    value = float(self.values[i, j])
                    place = float(heat.shades(np.array(value), *self.levels))
                    heat.draw_number(painter, self._cell(i, j), value, place, COLOURS)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_walk(painter, min(wide, high))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        partner = self.shown.partner(self._lit) if self.shown else None
        if partner is not None:
            painter.setPen(QPen(QColor(theme.active().special), 2))
            cell = self._cell(min(self._lit, partner), max(self._lit, partner))
            painter.drawRect(cell.adjusted(-2, -2, 2, 2))
        if min(wide, high) >= LETTER and self.shown:
            self._paint_letters(painter, rows, columns, wide, high)
        painter.restore()

    def _paint_walk(self, painter: QPainter, size: float) -> None:
        """From the whole (at the corner) to the diagonal: a line along letters left single, a mark at each pair, from
        which the way goes on inside the pair and right of it."""
        if not len(self._walk):
            return
        there = {(i, j) for i, j, _ in self._walk.tolist()}
        lines, pairs = [], []
        for i, j, partner in self._walk.tolist():
            after = [(i + 1, j)] if partner < 0 else [(i + 1, partner - 1), (partner + 1, j)]
            lines += [QLineF(self._middle(i, j), self._middle(*part)) for part in after if part in there]
            pairs += [(i, j)] if partner >= 0 else []
        painter.setPen(QPen(QColor(theme.active().path), max(min(size / 6, 2.5), 1.2)))
        for line in lines:
            painter.drawLine(line)
        painter.setBrush(QColor(theme.active().path))
        painter.setPen(Qt.PenStyle.NoPen)
        radius = max(min(size / 5, 5), 2)
        for part in pairs:
            painter.drawEllipse(self._middle(*part), radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_letters(self, painter: QPainter, rows: slice, columns: slice, wide: float, high: float) -> None:
        """The letters of rows at the left edge and of columns at the upper one."""
        colours, letters = theme.active(), self.shown.sequence.array
        painter.setFont(font(max(min(int(min(wide, high) * 0.8), 12), 7), bold=True))
        band = 14.0
        for at, strip in ((rows, QRectF(0, 0, band, self._size[1])), (columns, QRectF(0, 0, self._size[0], band))):
            painter.fillRect(strip, QColor(colours.panel))
            painter.setPen(QColor(colours.text))
            for number in range(at.start, at.stop):
                cell = self._cell(number, number)
                box = QRectF(0, cell.y(), band, cell.height()) if at is rows else QRectF(
                    cell.x(), 0, cell.width(), band
                )  # fmt: skip
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, chr(letters[number]))

    def _cell(self, i: int, j: int) -> QRectF:
        return QRectF(QPointF(self.across(j), self.down(i)), QPointF(self.across(j + 1), self.down(i + 1)))

    def _middle(self, i: int, j: int) -> QPointF:
        return QPointF(self.across(j + 0.5), self.down(i + 0.5))

    def _on_pointed(self, cell: tuple[int, int] | None) -> None:
        inside = cell is not None and cell[0] <= cell[1]
        self.letter_pointed.emit(cell[0] if inside else None)
        self.part_pointed.emit(cell if inside else None)
