"""A canvas that is zoomed by the wheel and moved by dragging; a click is a press and a release in one place."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter

from antidiag.app.kit.painted_view import Canvas

ZOOM = 1.25
STILL = 4
"""Pixels that the mouse may move in a click."""


class MovedCanvas(Canvas):
    """``zoomed((factor, place))``, ``dragged(by)``, ``fitted()`` for F and Home, ``clicked(place)`` as of Canvas."""

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


class Window:
    """The part of a line of ``size`` places that is seen: from ``low`` to ``high``."""

    def __init__(self, size: float) -> None:
        self.size, self.low, self.high = size, 0.0, float(size)

    @property
    def width(self) -> float:
        return self.high - self.low

    def fit(self) -> None:
        self.low, self.high = 0.0, float(self.size)

    def zoom(self, factor: float, share: float, least: float) -> None:
        """Zoom around the place at a share of the window; ``least`` places stay."""
        at = self.low + share * self.width
        width = min(max(self.width / factor, min(least, self.size)), self.size)
        self._place(at - share * width, width)

    def move(self, share: float) -> None:
        """Move by a share of the window."""
        self._place(self.low + share * self.width, self.width)

    def show(self, low: float, high: float) -> None:
        self._place(low, min(max(high - low, 1e-9), self.size))

    def _place(self, low: float, width: float) -> None:
        low = min(max(low, 0.0), self.size - width)
        self.low, self.high = low, low + width
