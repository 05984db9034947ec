"""MovedCanvas: a canvas that is zoomed by the wheel and moved by dragging. Window: the visible part of a line."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter

from antidiag.app.kit.canvas.painted_view import PictureCanvas

ZOOM = 1.25
STILL = 4  # pixels that the mouse may move during a click


class MovedCanvas(PictureCanvas):
    """A canvas with the signals ``zoomed((factor, place))``, ``dragged(by)``, and ``fitted()`` for F and Home."""

    zoomed = Signal(object)
    dragged = Signal(object)
    fitted = Signal()

    def __init__(self, draw: Callable[[QPainter, QRectF], None], name: str) -> None:
        super().__init__(draw)
        self.setAccessibleName(name)
        self.setMinimumHeight(90)
        self._pressed: QPointF | None = None
        self._at = QPointF()
        self._moving = False

    def wheelEvent(self, event) -> None:
        turn = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.dragged.emit(QPointF(turn / 2, 0))
        else:
            self.zoomed.emit((ZOOM ** (turn / 120), event.position()))
        event.accept()

    def mousePressEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self._at = event.position()
            self._moving = False

    def mouseMoveEvent(self, event) -> None:
        if self._pressed is None:
            self.pointed.emit(event.position())
            return
        if self._moving or (event.position() - self._pressed).manhattanLength() > STILL:
            self._moving = True
            self.dragged.emit(event.position() - self._at)
            self._at = event.position()

    def mouseReleaseEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._pressed is not None:
            if not self._moving:
                self.clicked.emit(event.position())
            self._pressed = None

    def keyPressEvent(self, event) -> None:
        middle = QPointF(self.rect().center())
        if event.key() in (Qt.Key.Key_F, Qt.Key.Key_Home):
            self.fitted.emit()
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoomed.emit((ZOOM, middle))
        elif event.key() == Qt.Key.Key_Minus:
            self.zoomed.emit((1 / ZOOM, middle))
        else:
            super().keyPressEvent(event)


class LineWindow:
    """The visible part, from ``low`` to ``high``, of a line of ``size`` positions."""

    def __init__(self, size: float) -> None:
        self.size, self.low, self.high = size, 0.0, float(size)

    @property
    def width(self) -> float:
        """The length of the visible range."""
        return self.high - self.low

    def fit(self) -> None:
        """Show the whole line."""
        self.low, self.high = 0.0, float(self.size)

    def zoom_at(self, factor: float, share: float, least: float) -> None:
        """Zoom around the position at a share of the visible part, which keeps at least ``least`` positions."""
        centre = self.low + share * self.width
        width = min(max(self.width / factor, min(least, self.size)), self.size)
        self._set_span(centre - share * width, width)

    def move_by(self, share: float) -> None:
        """Move by a share of the visible part."""
        self._set_span(self.low + share * self.width, self.width)

    def show_span(self, low: float, high: float) -> None:
        """Show a range of the line."""
        self._set_span(low, min(max(high - low, 1e-9), self.size))

    def _set_span(self, low: float, width: float) -> None:
        low = min(max(low, 0.0), self.size - width)
        self.low, self.high = low, low + width
