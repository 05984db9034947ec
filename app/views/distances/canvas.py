"""The distance matrix on the screen: pan and zoom by mouse and keys, and which pair is under the mouse."""

from __future__ import annotations

import dataclasses

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit.tree.frame import REACH, Branches, line_distances
from antidiag.app.views.distances import paint
from antidiag.app.views.distances.paint import CLOSEST_CELL, GAP, Heat, View, fitting

ZOOM = 1.2
STEPS = {
    Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0),
}  # fmt: skip
OTHERS = {
    Qt.Key.Key_F: "fit", Qt.Key.Key_Home: "fit", Qt.Key.Key_Plus: "closer", Qt.Key.Key_Equal: "closer",
    Qt.Key.Key_Minus: "farther", Qt.Key.Key_Return: "choose", Qt.Key.Key_Enter: "choose", Qt.Key.Key_Escape: "forget",
}  # fmt: skip


class DistancesCanvas(QWidget):
    """Draws a heat map. ``pointed`` is a cell (row, column) or None; ``clicked`` are the rows of taxa to choose."""

    pointed = Signal(object)
    clicked = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.picture: Heat | None = None
        self.view = View(1, 0, 0, QRectF(0, 0, 1, 1))
        self.fitted = True
        self._branches: Branches | None = None
        self._drag: tuple[QPointF, View] | None = None
        self._moved = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(120)
        self.setAccessibleName("Distance matrix")

    def show_picture(self, picture: Heat | None) -> None:
        self.picture, self._branches = picture, None
        self.fit()

    def fit(self) -> None:
        """Show the whole matrix."""
        if self.picture is not None:
            self.view = fitting(self.picture, self.width(), self.height(), self.font())
        self.fitted = True
        self.update()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom around a place, never farther than the whole matrix."""
        if self.picture is None:
            return
        whole = fitting(self.picture, self.width(), self.height(), self.font()).cell
        at = at or self.view.area.center()
        cell = min(max(self.view.cell * factor, whole), max(CLOSEST_CELL, whole))
        if cell == whole:
            self.fit()
            return
        share = cell / self.view.cell
        self._place(cell, at.x() - (at.x() - self.view.left) * share, at.y() - (at.y() - self.view.top) * share)

    def pan(self, dx: float, dy: float) -> None:
        self._place(self.view.cell, self.view.left + dx, self.view.top + dy)

    def bring(self, cell: tuple[int, int]) -> None:
        """Move the window so that a cell is in it."""
        box, area = self.view.box(*cell), self.view.area
        self.pan(
            max(area.left() - box.left(), 0) + min(area.right() - box.right(), 0),
            max(area.top() - box.top(), 0) + min(area.bottom() - box.bottom(), 0),
        )

    def rows_at(self, place: QPointF) -> tuple[int, ...]:
        """The rows of the taxa under a place: of a cell, of a name, or below a branch of the tree."""
        picture, view = self.picture, self.view
        if picture is None:
            return ()
        if found := view.cell_at(place, picture.count):
            return tuple(dict.fromkeys(found))
        row, column = int((place.y() - view.top) // view.cell), int((place.x() - view.left) // view.cell)
        if place.x() > view.area.right() + GAP and view.area.top() <= place.y() <= view.area.bottom():
            return (row,) if 0 <= row < picture.count else ()
        if place.y() > view.area.bottom() + GAP and view.area.left() <= place.x() <= view.area.right():
            return (column,) if 0 <= column < picture.count else ()
        return self._clade_at(place)

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        if self.picture is None:
            return
        density = self.devicePixelRatioF()
        self._branches = paint.paint(painter, self.picture, self.view, theme.active(), density)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(theme.active().accent))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if self.fitted or self.picture is None:
            self.fit()
            return
        before, whole = self.view, fitting(self.picture, self.width(), self.height(), self.font())
        by = whole.area.topLeft() - before.area.topLeft()
        self.view = dataclasses.replace(before, area=whole.area, names=whole.names)
        self._place(max(before.cell, whole.cell), before.left + by.x(), before.top + by.y())

    def wheelEvent(self, event) -> None:
        turn = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(turn / 2, 0)
        else:
            self.zoom(ZOOM ** (turn / 120), event.position())
        event.accept()

    def mousePressEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._drag, self._moved = (event.position(), self.view), False

    def mouseMoveEvent(self, event) -> None:
        if self._drag is None:
            self._point(event.position())
            return
        start, view = self._drag
        by = event.position() - start
        if self._moved or by.manhattanLength() > 4:
            self._moved = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._place(view.cell, view.left + by.x(), view.top + by.y())

    def mouseReleaseEvent(self, event) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._drag is not None and not self._moved:
            self.clicked.emit(self.rows_at(event.position()), event.modifiers())
        self._drag = None
        self.unsetCursor()

    def leaveEvent(self, event) -> None:
        self._set_current(None)
        super().leaveEvent(event)

    def event(self, event: QEvent) -> bool:
        # Arrows and letters are of the matrix while it has the focus, not of the window.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            if plain and event.key() in (STEPS | OTHERS):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.picture is None or event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        ):
            event.ignore()
        elif event.key() in STEPS:
            (row, column), most = self.picture.current or (0, -1), self.picture.count - 1
            down, across = STEPS[Qt.Key(event.key())]
            cell = min(max(row + down, 0), most), min(max(column + across, 0), most)
            self._set_current(cell)
            self.bring(cell)
        elif event.key() in OTHERS:
            self._do(OTHERS[Qt.Key(event.key())])
        else:
            event.ignore()

    def _do(self, name: str) -> None:
        if name == "fit":
            self.fit()
        elif name in ("closer", "farther"):
            self.zoom(ZOOM if name == "closer" else 1 / ZOOM)
        elif name == "forget":
            self._set_current(None)
            self.clicked.emit((), Qt.KeyboardModifier.NoModifier)
        elif self.picture.current is not None:
            self.clicked.emit(tuple(dict.fromkeys(self.picture.current)), Qt.KeyboardModifier.NoModifier)

    def _point(self, place: QPointF) -> None:
        if self.picture is not None:
            self._set_current(self.view.cell_at(place, self.picture.count))

    def _set_current(self, cell: tuple[int, int] | None) -> None:
        if self.picture is not None and self.picture.current != cell:
            self.picture.current = cell
            self.pointed.emit(cell)
            self.update()

    def _clade_at(self, place: QPointF) -> tuple[int, ...]:
        """The rows below the branch of the tree that is nearest to a place, and near."""
        if self._branches is None or not len(self._branches.lines) or place.x() > self.view.area.left():
            return ()
        away = line_distances(self._branches.lines, place.x(), place.y())
        nearest = int(np.argmin(away))
        if away[nearest] > REACH:
            return ()
        tree, node = self.picture.layout.tree, int(self._branches.owners[nearest])
        low, high = np.searchsorted(tree.leaves, (node, tree.ends[node]))
        return tuple(range(int(low), int(high)))

    def _place(self, cell: float, left: float, top: float) -> None:
        """Take a new window; the matrix covers the area always."""
        area, side = self.view.area, cell * self.picture.count
        left = min(max(left, area.right() - side), area.left())
        top = min(max(top, area.bottom() - side), area.top())
        self.view = dataclasses.replace(self.view, cell=cell, left=left, top=top)
        self.fitted = False
        self.update()
