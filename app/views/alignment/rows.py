"""RowsView: the alignment of three or more sequences, with the conservation of its columns."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QMessageBox, QVBoxLayout, QWidget

from app import theme
from app.kit import export, result_text
from app.kit.background import Latest
from app.kit.selection import Selection
from app.kit.widgets import Elided, row, tool_button
from app.views.alignment.rows_text import GAP, RowsText, rows_text, shows
from kernels.model import Result

SMALLEST, LARGEST, USUAL = 7, 40, 14
NAME_LETTERS, TENTH, RULER_WIDTH = 16, 10, 80
BAR_LINES = 1.6
"""Height of the conservation bars, in lines."""


class RowsCanvas(QAbstractScrollArea):
    """Paints the visible blocks of a RowsText: ruler, rows, conservation. Wheel scrolls, Ctrl+wheel zooms."""

    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.text: RowsText | None = None
        self.chosen = frozenset[str]()
        self.pixels = USUAL
        self.setFrameShape(self.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Alignment")
        self.viewport().setMouseTracking(True)
        self._measure()

    def show_text(self, text: RowsText | None) -> None:
        self.text = text
        self._measure()
        self.verticalScrollBar().setValue(0)
        self._arrange()

    def set_pixels(self, pixels: int) -> None:
        """Height of the letters; the first visible column stays."""
        first = self.first_column()
        self.pixels = min(max(pixels, SMALLEST), LARGEST)
        self._measure()
        self._arrange()
        self.scroll_to(first)

    @property
    def per_line(self) -> int:
        """Columns of a block, whole tens where there is room for two."""
        fitting = max(int((self.viewport().width() - self._left - self._right) // self._advance), 1)
        return fitting // TENTH * TENTH if fitting >= 2 * TENTH else fitting

    def first_column(self) -> int:
        return int(self.verticalScrollBar().value() / self._block) * self.per_line if self.text else 0

    def scroll_to(self, column: int) -> None:
        """Bring the block of a column to the top."""
        self.verticalScrollBar().setValue(int(column // self.per_line * self._block))

    def column_at(self, place: QPointF) -> int | None:
        """The column under a place of the viewport."""
        if self.text is None or not self._left <= place.x() < self._left + self.per_line * self._advance:
            return None
        block = int((place.y() + self.verticalScrollBar().value()) // self._block)
        column = block * self.per_line + int((place.x() - self._left) // self._advance)
        return column if 0 <= column < self.text.columns else None

    def ruler(self, first: int, last: int) -> list[tuple[int, float]]:
        """Every tenth column of the block of columns first..last (half-open), from 1, and its right edge in pixels."""
        numbers = range(first - first % TENTH + TENTH, last + 1, TENTH)
        return [(number, self._left + (number - first) * self._advance) for number in numbers]

    def paintEvent(self, event) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), QColor(theme.active().panel))
        if self.text is None:
            return
        top, width = self.verticalScrollBar().value(), self.per_line
        block = int(top // self._block)
        y = block * self._block - top
        while y < self.viewport().height() and block * width < self.text.columns:
            self._draw_block(painter, block * width, min((block + 1) * width, self.text.columns), y)
            block, y = block + 1, y + self._block

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._arrange()

    def wheelEvent(self, event) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_pixels(self.pixels + (1 if event.angleDelta().y() > 0 else -1))
        else:
            super().wheelEvent(event)

    def mouseMoveEvent(self, event) -> None:
        self.hovered.emit(self.column_at(event.position()))

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)

    def _measure(self) -> None:
        font = theme.fixed_font()
        font.setPixelSize(self.pixels)
        self.viewport().setFont(font)
        metrics = QFontMetricsF(font)
        self._font, self._advance, self._height = font, metrics.horizontalAdvance("M"), metrics.height()
        names = self.text.names if self.text else ("",)
        widest = max(len(result_text.shortened(name, NAME_LETTERS)) for name in names)
        digits = len(f"{self.text.columns + max(self.text.starts, default=0):,}") if self.text else 1
        self._left = (widest + digits + 3) * self._advance
        self._right = (digits + 2) * self._advance
        self._block = (len(names) + 2 + BAR_LINES) * self._height

    def _arrange(self) -> None:
        blocks = -(-self.text.columns // self.per_line) if self.text else 0
        bar, height = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(height)
        bar.setSingleStep(round(self._height))
        bar.setRange(0, max(round(blocks * self._block) - height, 0))
        self.viewport().update()

    def _draw_block(self, painter: QPainter, first: int, last: int, y: float) -> None:
        colours, line = theme.active(), self._height
        painter.setFont(self._font)
        painter.setPen(QColor(colours.muted))
        for number, right in self.ruler(first, last):
            box = QRectF(right - RULER_WIDTH, y, RULER_WIDTH, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{number:,}")
        before, after = self.text.positions(first), self.text.positions(last)
        for number, name in enumerate(self.text.names):
            self._draw_row(
                painter, number, name, (first, last), (before[number], after[number]), y + (1 + number) * line
            )
        self._draw_bars(painter, first, last, y + (1 + len(self.text.names)) * line)

    def _draw_row(
        self, painter: QPainter, number: int, name: str, span: tuple[int, int], positions: tuple[int, int], y: float
    ) -> None:
        colours, line = theme.active(), self._height
        residues, middle = colours.residues(self.text.protein), Qt.AlignmentFlag.AlignVCenter
        if name in self.chosen:
            painter.fillRect(QRectF(0, y, self._left - self._advance, line), QColor(colours.selection))
        painter.setPen(QColor(colours.text))
        painter.drawText(QRectF(0, y, self._left, line), middle, result_text.shortened(name, NAME_LETTERS))
        painter.setPen(QColor(colours.muted))
        place = QRectF(0, y, self._left - self._advance, line)
        painter.drawText(
            place, middle | Qt.AlignmentFlag.AlignRight, f"{positions[0] + (positions[1] > positions[0]):,}"
        )
        letters = self.text.letters[number, span[0] : span[1]]
        for column, code in enumerate(letters.tolist()):
            box = QRectF(self._left + column * self._advance, y, self._advance, line)
            if code != GAP and (colour := residues.get(chr(code))):
                painter.fillRect(box, QColor(colour))
            painter.setPen(QColor(colours.muted if code == GAP else colours.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, chr(code))
        painter.setPen(QColor(colours.muted))
        right = QRectF(self._left + (len(letters) + 1) * self._advance, y, self._right, line)
        painter.drawText(right, middle, f"{positions[1]:,}")

    def _draw_bars(self, painter: QPainter, first: int, last: int, y: float) -> None:
        """The conservation of each column: a full bar where all rows agree."""
        height = (BAR_LINES - 0.4) * self._height
        full, part = QColor(theme.active().accent), QColor(theme.active().boundary)
        for column, share in enumerate(self.text.conservation[first:last].tolist()):
            box = QRectF(self._left + column * self._advance + 1, y + 2, self._advance - 2, height)
            painter.fillRect(box.adjusted(0, (1 - share) * height, 0, 0), full if share == 1 else part)


class RowsView(QWidget):
    """The rows, what the mouse points at, and ways to take them elsewhere."""

    id = "rows"
    title = "Alignment"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.canvas, self.told = RowsCanvas(), Elided()
        self.told.setObjectName("muted")
        self.canvas.hovered.connect(self._tell)
        self.canvas.hovered.connect(selection.hover_column)
        tools = row(
            self.told,
            tool_button("\N{MINUS SIGN}", "Smaller letters", lambda: self.canvas.set_pixels(self.canvas.pixels - 1)),
            tool_button("+", "Larger letters", lambda: self.canvas.set_pixels(self.canvas.pixels + 1)),
            tool_button("Copy FASTA", "Copy the aligned rows as FASTA", self.copy),
            tool_button("Save...", "Save the alignment in the format of the suffix", self.save),
            stretch=0,
        )
        self._saving = Latest(self)
        self._saving.finished.connect(lambda target: self.told.setText(f"Saved {target}"))
        self._saving.failed.connect(self._fail_to_save)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addLayout(tools)
        box.addWidget(self.canvas, 1)
        theme.notifier.changed.connect(self.canvas.viewport().update)
        selection.taxa_changed.connect(self._mark)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return shows(result)

    def show_result(self, result: Result | None) -> None:
        """Show the rows of a result, or nothing."""
        self.result = result if result is not None and shows(result) else None
        self.canvas.show_text(rows_text(self.result) if self.result else None)
        self._tell(None)

    def copy(self) -> None:
        if self.canvas.text:
            QGuiApplication.clipboard().setText(self.canvas.text.fasta())
            self.told.setText("Copied as FASTA.")

    def save(self) -> None:
        """Ask for a file and write the alignment in the format of its suffix."""
        export.save_alignment(self, self.result, self._saving, self.told.setText)

    def _fail_to_save(self, error: Exception) -> None:
        self.told.setText("")
        QMessageBox.warning(self, "Save alignment", str(error))

    def _mark(self, names: frozenset[str]) -> None:
        """Mark the rows of selected taxa."""
        self.canvas.chosen = names
        self.canvas.viewport().update()

    def _tell(self, column: int | None) -> None:
        """The column under the mouse, or the whole alignment."""
        text = self.canvas.text
        if text is None:
            self.told.setText("")
            return
        if column is None:
            same = int(np.count_nonzero(text.conservation == 1))
            self.told.setText(
                f"{len(text.names)} rows, {text.columns:,} columns, {same:,} of them the same in all rows"
            )
            return
        letters = [chr(code) for code in text.letters[:, column].tolist()]
        places = [
            f"{name} {letter}{position + 1:,}" if letter != "-" else f"{name} gap"
            for name, letter, position in zip(text.names, letters, text.positions(column), strict=True)
        ]
        share = f"{100 * text.conservation[column]:.0f} %"
        self.told.setText(f"Column {column + 1:,}: {', '.join(places)}; conservation {share}")
