"""A canvas over the letters of one sequence: wheel and keys zoom, drags move, a ruler shows positions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.canvas.moved_canvas import MovedCanvas
from antidiag.app.kit.painting.fonts_and_colours import cell_font
from antidiag.kernels.model import Sequence, SequenceType

RULER, LETTERS = 20, 18  # pixels of the positions, and of the row of letters where they are wide enough
READABLE = 9  # pixels of a letter from which it is written
LEAST_LETTERS = 8  # fewest letters that are shown
PAN = 0.15  # share of the visible part that an arrow key moves
RIGHT = 8


class LetterCanvas(MovedCanvas):
    """Shows letters ``span`` (floats, from 0) between ``left`` pixels and the right edge. ``moved`` follows the visible
    part; ``pointed(QPointF or None)`` and ``clicked(QPointF)`` the mouse."""

    moved = Signal()
    zoom_step = 1.6

    def __init__(self, draw: Callable[[QPainter, QRectF], None], left: int) -> None:
        super().__init__(draw)
        self.left = left
        self.sequence: Sequence | None = None
        self.span = (0.0, 1.0)

    def sizeHint(self) -> QSize:
        return QSize(600, 400)

    def show_sequence(self, sequence: Sequence | None) -> None:
        """Show all of another sequence."""
        self.sequence = sequence
        self.show_all()

    @property
    def letter_count(self) -> int:
        """The number of letters; 0 without a sequence."""
        return len(self.sequence) if self.sequence else 0

    @property
    def letter_width(self) -> float:
        """Pixels of a letter."""
        return self._content_width / (self.span[1] - self.span[0])

    @property
    def shows_letters(self) -> bool:
        """Whether letters are large enough to be read."""
        return self.letter_width >= READABLE

    @property
    def content_top(self) -> float:
        """Where the ruler and the letters end."""
        return RULER + (LETTERS if self.shows_letters else 0)

    @property
    def visible_range(self) -> tuple[int, int]:
        """The visible letters, half-open."""
        return max(int(self.span[0]), 0), min(int(self.span[1]) + 1, self.letter_count)

    def x_of(self, letter: float) -> float:
        """Return where a letter begins."""
        return self.left + (letter - self.span[0]) * self.letter_width

    def letter_at(self, x: float) -> int | None:
        """Return the letter under a pixel."""
        letter = int(self.span[0] + (x - self.left) / self.letter_width) if x >= self.left else -1
        return letter if 0 <= letter < self.letter_count else None

    def show_all(self) -> None:
        """Show all letters."""
        self.show_span(0, self.letter_count)

    def show_span(self, first: float, last: float) -> None:
        """Show at least LEAST_LETTERS letters around these, within the sequence."""
        length = max(self.letter_count, 1)
        size = min(max(last - first, LEAST_LETTERS), length)
        first = min(max((first + last - size) / 2, 0), length - size)
        self.span = (first, first + size)
        self.update()
        self.moved.emit()

    def list_span(self) -> list[float] | None:
        """Return the first and the last visible letter as plain numbers; None for the whole sequence."""
        low, high = self.span
        return None if high - low >= self.letter_count else [float(low), float(high)]

    def restore_span(self, span: list[float] | None) -> None:
        """Show the letters that `list_span` returned."""
        if span is not None:
            self.show_span(*span)

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Enlarge letters around a fixed place."""
        x = self.left + self._content_width / 2 if about is None else about.x()
        share = min(max((x - self.left) / self._content_width, 0), 1)
        low, high = self.span
        size = min(max((high - low) / factor, LEAST_LETTERS), max(self.letter_count, 1))
        low += share * (high - low - size)
        self.show_span(low, low + size)

    def move_by(self, right: float, down: float) -> None:
        """Move the letters by so many pixels."""
        first = self.span[0] - right / self.letter_width
        self.show_span(first, first + self.span[1] - self.span[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = PAN * self._content_width
        steps = {Qt.Key.Key_Left: step, Qt.Key.Key_Right: -step}
        if event.key() in steps:
            self.move_by(steps[Qt.Key(event.key())], 0)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.moved.emit()

    def draw_ruler(self, painter: QPainter, base: float) -> None:
        """Draw positions, counted from 1, and the letters below; ``base`` is the top of the ruler."""
        if self.sequence is None or not self.letter_count:
            return
        colours, metrics = theme.active(), painter.fontMetrics()
        first, last = self.visible_range
        step = _round_step((metrics.horizontalAdvance(f"{last:,}") + 24) / self.letter_width)
        for position in range(max(-(-(first + 1) // step) * step, 1), last + 1, step):
            x = self.x_of(position - 0.5)
            if x > self.width() - RIGHT + 0.5:
                continue
            painter.setPen(QPen(QColor(colours.muted), 1))
            painter.drawLine(QPointF(x, base + RULER - 4), QPointF(x, base + RULER))
            painter.setPen(QColor(colours.text))
            half = metrics.horizontalAdvance(f"{position:,}") / 2 + 1
            x = max(min(x, self.width() - half), self.left + half)
            box = QRectF(x - 60, base, 120, RULER - 4)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter, f"{position:,}")
        if self.shows_letters:
            self._draw_letters(painter, base + RULER)

    def _draw_letters(self, painter: QPainter, top: float) -> None:
        colours = theme.active().residues(self.sequence.type == SequenceType.PROTEIN)
        painter.save()
        painter.setFont(cell_font(min(int(self.letter_width * 1.1), 13), bold=True))
        for letter in range(*self.visible_range):
            box = QRectF(self.x_of(letter), top, self.letter_width, LETTERS - 2)
            text = chr(self.sequence.letters[letter])
            if text in colours:
                painter.fillRect(box.adjusted(0.5, 0, -0.5, 0), QColor(colours[text]))
            painter.setPen(QColor(theme.active().text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    @property
    def _content_width(self) -> float:
        return max(self.width() - self.left - RIGHT, 1)


def _round_step(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, ... that is not below ``least``."""
    step, factors = 1, (2, 2.5, 2)
    number = 0
    while step < least:
        step, number = round(step * factors[number % 3]), number + 1
    return step
