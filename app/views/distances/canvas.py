"""DistancesCanvas: the distance matrix on the screen, with panning, zooming and the pair under the mouse."""

from __future__ import annotations

import dataclasses

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit.tree.visible_branches import HIT_DISTANCE, VisibleBranches, line_distances
from antidiag.app.views.distances import matrix_drawing
from antidiag.app.views.distances.matrix_drawing import CLOSEST_CELL, GAP, DistanceHeatMap, MatrixViewport, fit_viewport

ZOOM = 1.2
Key = Qt.Key
STEPS = {Key.Key_Left: (0, -1), Key.Key_Right: (0, 1), Key.Key_Up: (-1, 0), Key.Key_Down: (1, 0)}
ZOOMS = {Key.Key_Plus: ZOOM, Key.Key_Equal: ZOOM, Key.Key_Minus: 1 / ZOOM}
FIT_KEYS, SELECT_KEYS = (Key.Key_F, Key.Key_Home), (Key.Key_Return, Key.Key_Enter)
ALL_KEYS = {*STEPS, *ZOOMS, *FIT_KEYS, *SELECT_KEYS, Key.Key_Escape}


class DistancesCanvas(QWidget):
    """A heat map. ``pointed`` sends the cell (row, column) or None; ``clicked`` sends the rows of taxa to select."""

    pointed = Signal(object)
    clicked = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.picture: DistanceHeatMap | None = None
        self.view = MatrixViewport(1, 0, 0, QRectF(0, 0, 1, 1))
        self.fitted = True
        self._branches: VisibleBranches | None = None
        self._drag: tuple[QPointF, MatrixViewport] | None = None
        self._moved = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(120)
        self.setAccessibleName("Distance matrix")

    def show_picture(self, picture: DistanceHeatMap | None) -> None:
        """Show a heat map."""
        self.picture, self._branches = picture, None
        self.fit()

    def fit(self) -> None:
        """Show the whole matrix."""
        if self.picture is not None:
            self.view = fit_viewport(self.picture, self.width(), self.height(), self.font())
        self.fitted = True
        self.update()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom around a position, at most out to the whole matrix."""
        if self.picture is None:
            return
        whole = fit_viewport(self.picture, self.width(), self.height(), self.font()).cell
        at = at or self.view.area.center()
        cell = min(max(self.view.cell * factor, whole), max(CLOSEST_CELL, whole))
        if cell == whole:
            self.fit()
            return
        share = cell / self.view.cell
        self._set_view(cell, at.x() - (at.x() - self.view.left) * share, at.y() - (at.y() - self.view.top) * share)

    def pan(self, dx: float, dy: float) -> None:
        """Move the heat map by so many pixels."""
        self._set_view(self.view.cell, self.view.left + dx, self.view.top + dy)

    def scroll_to(self, cell: tuple[int, int]) -> None:
        """Scroll so that a cell is visible."""
        box, area = self.view.cell_box(*cell), self.view.area
        self.pan(
            max(area.left() - box.left(), 0) + min(area.right() - box.right(), 0),
            max(area.top() - box.top(), 0) + min(area.bottom() - box.bottom(), 0),
        )

    def rows_at(self, place: QPointF) -> tuple[int, ...]:
        """Return the rows of the taxa at a position: of a cell, of a name, or below a branch of the tree."""
        picture, view = self.picture, self.view
        if picture is None:
            return ()
        if found := view.cell_at(place, picture.row_count):
            return tuple(dict.fromkeys(found))
        row, column = int((place.y() - view.top) // view.cell), int((place.x() - view.left) // view.cell)
        if place.x() > view.area.right() + GAP and view.area.top() <= place.y() <= view.area.bottom():
            return (row,) if 0 <= row < picture.row_count else ()
        if place.y() > view.area.bottom() + GAP and view.area.left() <= place.x() <= view.area.right():
            return (column,) if 0 <= column < picture.row_count else ()
        return self._clade_at(place)

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        if self.picture is None:
            return
        density = self.devicePixelRatioF()
        self._branches = matrix_drawing.draw_matrix(painter, self.picture, self.view, theme.active(), density)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(theme.active().accent))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if self.fitted or self.picture is None:
            self.fit()
            return
        before, whole = self.view, fit_viewport(self.picture, self.width(), self.height(), self.font())
        by = whole.area.topLeft() - before.area.topLeft()
        self.view = dataclasses.replace(before, area=whole.area, names=whole.names)
        self._set_view(max(before.cell, whole.cell), before.left + by.x(), before.top + by.y())

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
            self._point_at(event.position())
            return
        start, view = self._drag
        by = event.position() - start
        if self._moved or by.manhattanLength() > 4:
            self._moved = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._set_view(view.cell, view.left + by.x(), view.top + by.y())

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
        # While the matrix has the focus, arrows and letters are not shortcuts of the window.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            if plain and event.key() in ALL_KEYS:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, no_modifier = Key(event.key()), Qt.KeyboardModifier.NoModifier
        modified = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
        if self.picture is None or modified or key not in ALL_KEYS:
            event.ignore()
        elif key in STEPS:
            (row, column), most = self.picture.current or (0, -1), self.picture.row_count - 1
            down, across = STEPS[key]
            cell = min(max(row + down, 0), most), min(max(column + across, 0), most)
            self._set_current(cell)
            self.scroll_to(cell)
        elif key in FIT_KEYS:
            self.fit()
        elif key in ZOOMS:
            self.zoom(ZOOMS[key])
        elif key == Key.Key_Escape:
            self._set_current(None)
            self.clicked.emit((), no_modifier)
        elif self.picture.current is not None:
            self.clicked.emit(tuple(dict.fromkeys(self.picture.current)), no_modifier)

    def _point_at(self, place: QPointF) -> None:
        if self.picture is not None:
            self._set_current(self.view.cell_at(place, self.picture.row_count))

    def _set_current(self, cell: tuple[int, int] | None) -> None:
        if self.picture is not None and self.picture.current != cell:
            self.picture.current = cell
            self.pointed.emit(cell)
            self.update()

    def _clade_at(self, place: QPointF) -> tuple[int, ...]:
        if self._branches is None or not len(self._branches.lines) or place.x() > self.view.area.left():
            return ()
        away = line_distances(self._branches.lines, place.x(), place.y())
        nearest = int(np.argmin(away))
        if away[nearest] > HIT_DISTANCE:
            return ()
        tree, node = self.picture.layout.tree, int(self._branches.owners[nearest])
        low, high = np.searchsorted(tree.leaves, (node, tree.ends[node]))
        return tuple(range(int(low), int(high)))

    def _set_view(self, cell: float, left: float, top: float) -> None:
        """Set the visible part of the matrix, which always covers the area."""
        area, side = self.view.area, cell * self.picture.row_count
        left = min(max(left, area.right() - side), area.left())
        top = min(max(top, area.bottom() - side), area.top())
        self.view = dataclasses.replace(self.view, cell=cell, left=left, top=top)
        self.fitted = False
        self.update()
