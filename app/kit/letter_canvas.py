"""A canvas over the letters of one sequence: wheel and keys zoom, drags move, a ruler with the letters above."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit.ink import font
from antidiag.kernels.model import Sequence, SequenceType

RULER, LETTERS = 20, 18
"""Pixels of the positions, and of the row of letters where they are wide enough."""
READABLE = 9
"""Pixels of a letter from which on it is written."""
LEAST = 8
"""Fewest letters that are shown."""
ZOOM, PAN = 0.6, 0.15
RIGHT = 8


class LetterCanvas(QWidget):
    """Shows letters ``span`` (floats, from 0) between ``left`` pixels and the right edge.

    ``moved`` follows a change of what is visible; ``pointed(QPointF or None)`` and ``clicked(QPointF)`` the mouse.
    """

    moved = Signal()
    pointed = Signal(object)
    clicked = Signal(object)

    def __init__(self, draw: Callable[[QPainter, QRectF], None], left: int) -> None:
        super().__init__()
        self._draw, self.left = draw, left
        self.sequence: Sequence | None = None
        self.span = (0.0, 1.0)
        self._grip: tuple[float, float] | None = None
        self._dragged = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(600, 400)

    def show_sequence(self, sequence: Sequence | None) -> None:
        """Another sequence, all of it."""
        self.sequence = sequence
        self.fit()

    @property
    def length(self) -> int:
        return len(self.sequence) if self.sequence else 0

    @property
    def letter_width(self) -> float:
        return self._room / (self.span[1] - self.span[0])

    @property
    def shows_letters(self) -> bool:
        return self.letter_width >= READABLE

    @property
    def top(self) -> float:
        """Where the ruler and the letters end."""
        return RULER + (LETTERS if self.shows_letters else 0)

    @property
    def visible(self) -> tuple[int, int]:
        """The letters that are seen, half-open."""
        return max(int(self.span[0]), 0), min(int(self.span[1]) + 1, self.length)

    def x_of(self, letter: float) -> float:
        """Where a letter begins."""
        return self.left + (letter - self.span[0]) * self.letter_width

    def letter_at(self, x: float) -> int | None:
        """The letter under a pixel."""
        letter = int(self.span[0] + (x - self.left) / self.letter_width) if x >= self.left else -1
        return letter if 0 <= letter < self.length else None

    def fit(self) -> None:
        """Show all letters."""
        self.show_span(0, self.length)

    def show_span(self, first: float, last: float) -> None:
        """Show these letters, at least LEAST, as far as there are any."""
        length = max(self.length, 1)
        size = min(max(last - first, LEAST), length)
        first = min(max((first + last - size) / 2, 0), length - size)
        self.span = (first, first + size)
        self.update()
        self.moved.emit()

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Show ``factor`` times as many letters, with the one under a pixel where it is."""
        x = self.left + self._room / 2 if x is None else x
        share = min(max((x - self.left) / self._room, 0), 1)
        low, high = self.span
        size = min(max((high - low) * factor, LEAST), max(self.length, 1))
        low += share * (high - low - size)
        low = min(max(low, 0), max(self.length, 1) - size)
        self.show_span(low, low + size)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(ZOOM if event.angleDelta().y() > 0 else 1 / ZOOM, event.position().x())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._grip, self._dragged = (event.position().x(), self.span[0]), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None and event.buttons() & Qt.MouseButton.LeftButton:
            moved = self._grip[0] - event.position().x()
            if abs(moved) > 3 or self._dragged:
                self._dragged, size = True, self.span[1] - self.span[0]
                first = min(max(self._grip[1] + moved / self.letter_width, 0), max(self.length, 1) - size)
                self.show_span(first, first + size)
        self.pointed.emit(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None and not self._dragged:
            self.clicked.emit(event.position())
        self._grip = None

    def leaveEvent(self, event) -> None:
        self.pointed.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        size = self.span[1] - self.span[0]
        steps = {Qt.Key.Key_Left: -PAN * size, Qt.Key.Key_Right: PAN * size}
        zooms = {Qt.Key.Key_Plus: ZOOM, Qt.Key.Key_Equal: ZOOM, Qt.Key.Key_Minus: 1 / ZOOM}
        key = Qt.Key(event.key())
        if key in steps:
            first = min(max(self.span[0] + steps[key], 0), max(self.length, 1) - size)
            self.show_span(first, first + size)
        elif key in zooms:
            self.zoom(zooms[key])
        elif event.text().lower() == "f":
            self.fit()
        else:
            event.ignore()

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.moved.emit()

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        self._draw(painter, QRectF(self.rect()))

    def draw_ruler(self, painter: QPainter, base: float) -> None:
        """Round positions, counted from 1, and the letters below them; ``base`` is the top of the ruler."""
        if self.sequence is None or not self.length:
            return
        colours, metrics = theme.active(), painter.fontMetrics()
        first, last = self.visible
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
        painter.setFont(font(min(int(self.letter_width * 1.1), 13), bold=True))
        for letter in range(*self.visible):
            box = QRectF(self.x_of(letter), top, self.letter_width, LETTERS - 2)
            text = chr(self.sequence.letters[letter])
            if text in colours:
                painter.fillRect(box.adjusted(0.5, 0, -0.5, 0), QColor(colours[text]))
            painter.setPen(QColor(theme.active().text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    @property
    def _room(self) -> float:
        return max(self.width() - self.left - RIGHT, 1)


def _round_step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, ... that is not below ``least``."""
    step, factors = 1, (2, 2.5, 2)
    number = 0
    while step < least:
        step, number = round(step * factors[number % 3]), number + 1
    return step
