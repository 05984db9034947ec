"""TablePane: the Nussinov table, with the traceback of the structure on the screen."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.canvas.heat_canvas import COLOURS, HeatCanvas
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.views.structure.displayed_structure import DisplayedStructure
from antidiag.kernels.folding import cooptimal_structures

LETTER = 9.0  # smallest cell in pixels with letters at the edges of the table


class TablePane(HeatCanvas):
    """N[i, j], the largest number of pairs in the letters i..j, in the upper triangle.

    ``letter_pointed(i)`` and ``part_pointed((i, j))`` follow the mouse, and are None outside of the triangle.
    """

    letter_pointed = Signal(object)
    part_pointed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Nussinov table")
        self.shown: DisplayedStructure | None = None
        self.note = ""
        self._lit: int | None = None
        self._of: object = None
        self._walk = np.empty((0, 3), np.int64)
        self.over = self._paint_over
        self.pointed.connect(self._on_pointed)

    def show_structure(self, shown: DisplayedStructure | None) -> None:
        """Show the table and the traceback of another structure."""
        self.shown = shown
        found = shown.best if shown else None
        if found is not self._of:
            self._of = found
            if found is not None and found.table.size:
                self.show_values(found.drawn, (0.0, float(found.table[0, -1])))
            else:
                self.show_values(np.empty((0, 0), np.float32))
        walk = (
            cooptimal_structures.trace_structure(found.table, shown.partners)
            if found is not None and shown is not None
            else []
        )
        self._walk = np.array(walk, np.int64).reshape(-1, 3)
        self.update()

    def highlight_letter(self, letter: int | None) -> None:
        """Highlight the cell of the pair of a letter."""
        self._lit = letter
        self.update()

    def draw_visible(self, painter: QPainter, width: float, height: float) -> None:
        """Draw the visible cells, or the note without values."""
        super().draw_visible(painter, width, height)
        if not self.values.size:
            painter.setPen(QColor(theme.active().muted))
            area = QRectF(12, 12, width - 24, height - 24)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.note)

    def _paint_over(self, painter: QPainter) -> None:
        """Draw the traceback, the highlighted pair, and numbers and letters where they fit."""
        wide, high = self.x_of_column(1) - self.x_of_column(0), self.y_of_row(1) - self.y_of_row(0)
        rows, columns = self.visible_ranges()
        with saved_painter_state(painter):
            if heat_map.fits_numbers(wide, high):
                painter.setFont(heat_map.number_font(painter.font()))
                for i in range(rows.start, rows.stop):
                    for j in range(max(columns.start, i), columns.stop):
                        value = float(self.values[i, j])
                        place = float(heat_map.map_positions(np.array(value), *self.levels))
                        heat_map.draw_number(painter, self._cell_box(i, j), value, place, COLOURS)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_walk(painter, min(wide, high))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            partner = self.shown.partner_of(self._lit) if self.shown else None
            if partner is not None:
                painter.setPen(QPen(QColor(theme.active().special), 2))
                cell = self._cell_box(min(self._lit, partner), max(self._lit, partner))
                painter.drawRect(cell.adjusted(-2, -2, 2, 2))
            if min(wide, high) >= LETTER and self.shown:
                self._paint_letters(painter, rows, columns, wide, high)

    def _paint_walk(self, painter: QPainter, size: float) -> None:
        """Draw the traceback from the corner to the diagonal, with a dot at each pair, where it branches."""
        if not len(self._walk):
            return
        visited = {(i, j) for i, j, _ in self._walk.tolist()}
        lines, pairs = [], []
        for i, j, partner in self._walk.tolist():
            after = [(i + 1, j)] if partner < 0 else [(i + 1, partner - 1), (partner + 1, j)]
            lines += [QLineF(self._cell_centre(i, j), self._cell_centre(*part)) for part in after if part in visited]
            pairs += [(i, j)] if partner >= 0 else []
        painter.setPen(QPen(QColor(theme.active().path), max(min(size / 6, 2.5), 1.2)))
        for line in lines:
            painter.drawLine(line)
        painter.setBrush(QColor(theme.active().path))
        painter.setPen(Qt.PenStyle.NoPen)
        radius = max(min(size / 5, 5), 2)
        for part in pairs:
            painter.drawEllipse(self._cell_centre(*part), radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_letters(self, painter: QPainter, rows: slice, columns: slice, wide: float, high: float) -> None:
        colours, letters = theme.active(), self.shown.sequence.letter_array
        painter.setFont(cell_font(max(min(int(min(wide, high) * 0.8), 12), 7), bold=True))
        band = 14.0
        left, top = QRectF(0, 0, band, self._size[1]), QRectF(0, 0, self._size[0], band)
        for span, strip in ((rows, left), (columns, top)):
            painter.fillRect(strip, QColor(colours.panel))
            painter.setPen(QColor(colours.text))
            for number in range(span.start, span.stop):
                cell = self._cell_box(number, number)
                across, down = QRectF(cell.x(), 0, cell.width(), band), QRectF(0, cell.y(), band, cell.height())
                box = down if strip is left else across
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, chr(letters[number]))

    def _cell_box(self, i: int, j: int) -> QRectF:
        return QRectF(
            QPointF(self.x_of_column(j), self.y_of_row(i)), QPointF(self.x_of_column(j + 1), self.y_of_row(i + 1))
        )

    def _cell_centre(self, i: int, j: int) -> QPointF:
        return QPointF(self.x_of_column(j + 0.5), self.y_of_row(i + 0.5))

    def _on_pointed(self, cell: tuple[int, int] | None) -> None:
        inside = cell is not None and cell[0] <= cell[1]
        self.letter_pointed.emit(cell[0] if inside else None)
        self.part_pointed.emit(cell if inside else None)
