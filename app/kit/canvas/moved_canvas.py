"""A canvas that is zoomed by the wheel and moved by dragging."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, Qt, Signal

from antidiag.app.kit.canvas.painted_view import PictureCanvas

STILL = 4  # pixels that the mouse may move during a click
ZOOM_KEYS = {Qt.Key.Key_Plus: 1, Qt.Key.Key_Equal: 1, Qt.Key.Key_Minus: -1}


class MovedCanvas(PictureCanvas):
    """A canvas that the wheel, + and - zoom, drags move, and F and Home show whole.

    A subclass overrides `zoom`, `move_by` and `show_all`; else the signals ``zoomed((factor, place))``,
    ``dragged(by)`` and ``fit_wanted()`` ask for it. ``clicked`` is a press without a move.
    """

    zoomed = Signal(object)
    dragged = Signal(object)
    fit_wanted = Signal()
    zoom_step = 1.25
    """Factor of one step of the wheel."""

    _pressed: QPointF | None = None
    _dragging = False

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Enlarge the picture around a position, by default the middle."""
        self.zoomed.emit((factor, QPointF(self.rect().center()) if about is None else about))

    def move_by(self, right: float, down: float) -> None:
        """Move the picture by so many pixels."""
        self.dragged.emit(QPointF(right, down))

    def show_all(self) -> None:
        """Show the whole picture."""
        self.fit_wanted.emit()

    def target_at(self, place: QPointF) -> Any:
        """Return what ``pointed`` and ``clicked`` send for a position."""
        return place

    def on_click(self, event) -> None:
        """Handle a click."""
        self.clicked.emit(self.target_at(event.position()))

    def wheelEvent(self, event) -> None:
        turn = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.move_by(turn / 2, 0)
        else:
            self.zoom(self.zoom_step ** (turn / 120), event.position())
        event.accept()

    def mousePressEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragging = event.position(), False

    def mouseMoveEvent(self, event) -> None:
        if self._pressed is None:
            self.pointed.emit(self.target_at(event.position()))
            return
        by = event.position() - self._pressed
        if self._dragging or by.manhattanLength() > STILL:
            self._dragging, self._pressed = True, event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.move_by(by.x(), by.y())

    def mouseReleaseEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._pressed is not None:
            if not self._dragging:
                self.on_click(event)
            self._pressed = None
            self.unsetCursor()

    def keyPressEvent(self, event) -> None:
        if event.key() in (Qt.Key.Key_F, Qt.Key.Key_Home):
            self.show_all()
        elif event.key() in ZOOM_KEYS:
            self.zoom(self.zoom_step ** ZOOM_KEYS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)
