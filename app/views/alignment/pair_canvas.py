"""Painting an alignment: only the columns that are visible, wrapped into blocks or on one long line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import QAbstractScrollArea

from app import theme
from app.views.alignment.pair_text import AlignmentText, Stretch
from kernels.model import SequenceType

SMALLEST, LARGEST, USUAL = 7, 40, 14
LINES = 5
"""Lines of a block: ruler, first sequence, match line, second sequence, space."""
NAME_LETTERS = 16
TENTH = 10


@dataclass(frozen=True)
class Line:
    """A visible row of columns: its first and last column (half-open) and where its first letter stands."""

    first: int
    last: int
    x: float
    y: float


class AlignmentCanvas(QAbstractScrollArea):
    """Shows an AlignmentText. Columns count from 0; ``selection`` is half-open or None."""

    hovered = Signal(object)
    clicked = Signal(object)
    selected = Signal(object)
    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.text: AlignmentText | None = None
        self.wrapped = True
        self.colouring = "all"
        self.pixels = USUAL
        self.marked: int | None = None
        self.selection: tuple[int, int] | None = None
        self._anchor: int | None = None
        self._cache: dict[tuple[int, int], Stretch] = {}
        self._measure()
        self.setFrameShape(self.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.valueChanged.connect(self._on_scroll)

    def show_text(self, text: AlignmentText | None) -> None:
        """Show another alignment from its start."""
        self.text, self.marked, self.selection = text, None, None
        self._cache.clear()
        self._measure()
        self.verticalScrollBar().setValue(0)
        self.horizontalScrollBar().setValue(0)
        self._arrange()

    def set_wrapped(self, wrapped: bool) -> None:
        """Break lines at the width of the view, or show one line; the first visible column stays."""
        first = self.visible()[0]
        self.wrapped = wrapped
        self._arrange()
        self.scroll_to(first, centre=False)

    def set_pixels(self, pixels: int) -> None:
        """Height of the letters in pixels."""
        first = self.visible()[0]
        self.pixels = min(max(pixels, SMALLEST), LARGEST)
        self._measure()
        self._arrange()
        self.scroll_to(first, centre=False)

    def set_colouring(self, colouring: str) -> None:
        """Colour behind letters: "all", only where the two "differ", or "none"."""
        self.colouring = colouring
        self.viewport().update()

    def mark(self, column: int | None) -> None:
        """Frame a column, such as the one that another view points at."""
        if column != self.marked:
            self.marked = column
            self.viewport().update()

    def select(self, span: tuple[int, int] | None) -> None:
        self.selection = span
        self.selected.emit(span)
        self.viewport().update()

    @property
    def per_line(self) -> int:
        """Columns of a full line."""
        room = self.viewport().width() - self._left - self._right
        fitting = max(int(room // self._advance), 1)
        return fitting // TENTH * TENTH if self.wrapped and fitting >= 2 * TENTH else fitting

    def visible(self) -> tuple[int, int]:
        """First and last visible column, half-open."""
        lines = self.lines()
        return (lines[0].first, lines[-1].last) if lines else (0, 0)

    def lines(self) -> list[Line]:
        """The lines that are visible, from above."""
        if self.text is None or not self.text.columns:
            return []
        if not self.wrapped:
            first = self.horizontalScrollBar().value()
            return [Line(first, min(first + self.per_line + 1, self.text.columns), self._left, self._height)]
        lines, width = [], self.per_line
        top = self.verticalScrollBar().value()
        block, skipped = divmod(top, LINES)
        y = -skipped * self._height
        while y < self.viewport().height() and block * width < self.text.columns:
            lines.append(Line(block * width, min((block + 1) * width, self.text.columns), self._left, y))
            block, y = block + 1, y + LINES * self._height
        return lines

    def scroll_to(self, column: int, centre: bool = True) -> None:
        """Bring a column into view."""
        if self.text is None:
            return
        column = min(max(column, 0), max(self.text.columns - 1, 0))
        if self.wrapped:
            block = column // self.per_line
            visible = self.viewport().height() / self._height
            shift = max(int((visible - LINES) / 2), 0) if centre else 0
            self.verticalScrollBar().setValue(block * LINES - shift)
        else:
            self.horizontalScrollBar().setValue(column - (self.per_line // 2 if centre else 0))
        self.viewport().update()

    def column_at(self, position: QPointF, clamp: bool = False) -> int | None:
        """The column under a place of the viewport; with ``clamp`` the nearest one of the line."""
        for line in self.lines():
            if line.y <= position.y() < line.y + LINES * self._height or not self.wrapped:
                column = line.first + int((position.x() - line.x) // self._advance)
                if clamp:
                    return min(max(column, line.first), line.last - 1)
                inside = line.y + self._height <= position.y() < line.y + 4 * self._height
                return column if inside and line.first <= column < line.last else None
        return None

    def paintEvent(self, event) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), QColor(theme.active().panel))
        if self.text is None:
            return
        for line in self.lines():
            self._paint_line(painter, line)

    def resizeEvent(self, event) -> None:
        first = self.visible()[0] if self.text else 0
        super().resizeEvent(event)
        self._arrange()
        if self.wrapped and first:
            self.scroll_to(first, centre=False)

    def mouseMoveEvent(self, event) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._anchor is not None:
            column = self.column_at(event.position(), clamp=True)
            if column is not None:
                self.select((min(self._anchor, column), max(self._anchor, column) + 1))
            return
        self.hovered.emit(self.column_at(event.position()))

    def mousePressEvent(self, event) -> None:
        column = self.column_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._anchor is not None and column is not None:
            self.select((min(self._anchor, column), max(self._anchor, column) + 1))
            return
        self._anchor = column
        self.select(None)
        if column is not None:
            self.clicked.emit(column)

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def wheelEvent(self, event) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_pixels(self.pixels + (1 if event.angleDelta().y() > 0 else -1))
        elif not self.wrapped:
            delta = event.angleDelta()
            turn = delta.x() or delta.y()
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - round(turn / 120 * TENTH))
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event) -> None:
        bar = self.verticalScrollBar() if self.wrapped else self.horizontalScrollBar()
        if event.matches(QKeySequence.StandardKey.SelectAll) and self.text is not None:
            self.select((0, self.text.columns))
        elif event.key() == Qt.Key.Key_Home:
            bar.setValue(0)
        elif event.key() == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        elif event.key() == Qt.Key.Key_Escape and self.selection is not None:
            self.select(None)
        else:
            super().keyPressEvent(event)

    def _measure(self) -> None:
        self._font = QFont(theme.fixed_font())
        self._font.setPixelSize(self.pixels)
        metrics = QFontMetricsF(self._font)
        natural = metrics.horizontalAdvance("M")
        self._advance = float(np.ceil(natural) + 1)
        self._font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, self._advance - natural)
        self._height = float(np.ceil(metrics.height()))
        self._small = QFont(theme.fixed_font())
        self._small.setPixelSize(max(round(self.pixels * 0.8), SMALLEST))
        digits = len(f"{max(self.text.alignment.end):,}") if self.text else 1
        names = [sequence.name for sequence in self.text.problem.sequences] if self.text else [""]
        self._name_letters = min(max(map(len, names)), NAME_LETTERS)
        self._left = natural * (self._name_letters + digits + 2) + 8
        self._right = natural * (digits + 1) + 8

    def _arrange(self) -> None:
        """Ranges of the scroll bars."""
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        columns = self.text.columns if self.text else 0
        if self.wrapped:
            total = -(-columns // self.per_line) * LINES
            page = int(self.viewport().height() // self._height)
            vertical.setRange(0, max(total - page, 0))
            vertical.setPageStep(max(page // LINES * LINES, 1))
            vertical.setSingleStep(1)
            horizontal.setRange(0, 0)
        else:
            horizontal.setRange(0, max(columns - self.per_line, 0))
            horizontal.setPageStep(self.per_line)
            horizontal.setSingleStep(1)
            vertical.setRange(0, 0)
        self.viewport().update()
        self.moved.emit()

    def _on_scroll(self) -> None:
        self.viewport().update()
        self.moved.emit()

    def _paint_line(self, painter: QPainter, line: Line) -> None:
        stretch, colours = self._stretch(line.first, line.last), theme.active()
        columns = line.last - line.first
        rows = [QRectF(line.x, line.y + n * self._height, columns * self._advance, self._height) for n in range(LINES)]
        painter.save()
        if not self.wrapped:
            painter.setClipRect(QRectF(line.x, 0, self.per_line * self._advance, self.viewport().height()))
        self._paint_ruler(painter, line, rows[0])
        for letters, box in ((stretch.top, rows[1]), (stretch.bottom, rows[3])):
            self._paint_letters(painter, letters, stretch.match, box)
        painter.setFont(self._font)
        painter.setPen(QColor(colours.muted))
        painter.drawText(rows[2], Qt.AlignmentFlag.AlignVCenter, stretch.match)
        self._paint_columns(painter, line)
        painter.restore()
        self._paint_ends(painter, stretch, rows)

    def _paint_ruler(self, painter: QPainter, line: Line, box: QRectF) -> None:
        painter.setFont(self._small)
        painter.setPen(QColor(theme.active().muted))
        metrics = QFontMetricsF(self._small)
        step = TENTH if metrics.horizontalAdvance(f" {line.last:,} ") < TENTH * self._advance else 2 * TENTH
        for column in range((line.first // step + 1) * step, line.last + 1, step):
            x = box.left() + (column - line.first - 0.5) * self._advance
            label = f"{column:,}"
            width = metrics.horizontalAdvance(label)
            if x + width / 2 > box.left() + self.per_line * self._advance + self._right:
                continue
            painter.drawText(QPointF(x - width / 2, box.bottom() - 4), label)

    def _paint_letters(self, painter: QPainter, letters: str, match: str, box: QRectF) -> None:
        if self.colouring != "none":
            codes = np.frombuffer(letters.encode(), np.uint8)
            colours = self._palette()[codes]
            if self.colouring == "differ":
                colours[np.frombuffer(match.encode(), np.uint8) == ord("|")] = 0
            image = QImage(colours.data, len(letters), 1, 4 * len(letters), QImage.Format.Format_ARGB32)
            painter.drawImage(box, image)
        painter.setFont(self._font)
        painter.setPen(QColor(theme.active().text))
        painter.drawText(box.translated(0.5, 0), Qt.AlignmentFlag.AlignVCenter, letters)

    def _palette(self) -> np.ndarray:
        """Colour (ARGB) behind each byte, shape (256,), uint32; 0 is transparent."""
        types = {sequence.type for sequence in self.text.problem.sequences}
        table = np.zeros(256, np.uint32)
        for letter, colour in theme.active().residues(SequenceType.PROTEIN in types).items():
            table[ord(letter)] = QColor(colour).rgba()
        return table

    def _paint_columns(self, painter: QPainter, line: Line) -> None:
        """The selected columns, and the marked one."""
        colours = theme.active()
        if self.selection is not None:
            box = self._columns_box(line, *self.selection)
            if not box.isEmpty():
                shade = QColor(colours.accent)
                shade.setAlpha(70)
                painter.fillRect(box, shade)
        if self.marked is not None:
            box = self._columns_box(line, self.marked, self.marked + 1)
            if not box.isEmpty():
                painter.setPen(QPen(QColor(colours.accent), 2))
                painter.drawRect(box)

    def _columns_box(self, line: Line, first: int, last: int) -> QRectF:
        first, last = max(first, line.first), min(last, line.last)
        if first >= last:
            return QRectF()
        left = line.x + (first - line.first) * self._advance
        return QRectF(left, line.y + self._height, (last - first) * self._advance, 3 * self._height)

    def _paint_ends(self, painter: QPainter, stretch: Stretch, rows: list[QRectF]) -> None:
        """Name and first position at the left, last position at the right."""
        colours, metrics = theme.active(), QFontMetricsF(self._font)
        shown = (
            stretch
            if self.wrapped
            else self._stretch(stretch.first, min(stretch.first + self.per_line, self.text.columns))
        )
        right = self._left + (len(shown.top) if self.wrapped else self.per_line) * self._advance
        plain = QFont(self._font)
        plain.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0)
        painter.setFont(plain)
        for axis, row in ((0, rows[1]), (1, rows[3])):
            name = self.text.problem.sequences[axis].name
            if len(name) > self._name_letters:
                name = name[: self._name_letters - 1] + "\u2026"
            start, end = shown.cell[axis], shown.end_cell[axis]
            box = QRectF(4, row.top(), self._left - 8 - metrics.averageCharWidth() / 2, self._height)
            painter.setPen(QColor(colours.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
            painter.setPen(QColor(colours.muted))
            first = f"{start + 1:,}" if end > start else f"{start:,}"
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, first)
            place = QRectF(right + 6, row.top(), self._right, self._height)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, f"{end:,}")

    def _stretch(self, first: int, last: int) -> Stretch:
        """Letters of a line, kept while the mouse moves over them."""
        if (first, last) not in self._cache:
            if len(self._cache) > 500:
                self._cache.clear()
            self._cache[first, last] = self.text.stretch(first, last)
        return self._cache[first, last]
