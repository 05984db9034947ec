"""DistancesCanvas: the distance matrix on the screen, with panning, zooming and the pair under the mouse."""

from __future__ import annotations

import dataclasses

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QSizePolicy

from antidiag.app import theme
from antidiag.app.kit.canvas.moved_canvas import ZOOM_KEYS, MovedCanvas
from antidiag.app.kit.tree.visible_branches import VisibleBranches
from antidiag.app.views.distances import matrix_drawing
from antidiag.app.views.distances.matrix_drawing import CLOSEST_CELL, GAP, DistanceHeatMap, MatrixViewport, fit_viewport

Key = Qt.Key
STEPS = {Key.Key_Left: (0, -1), Key.Key_Right: (0, 1), Key.Key_Up: (-1, 0), Key.Key_Down: (1, 0)}
FIT_KEYS, SELECT_KEYS = (Key.Key_F, Key.Key_Home), (Key.Key_Return, Key.Key_Enter)
ALL_KEYS = {*STEPS, *ZOOM_KEYS, *FIT_KEYS, *SELECT_KEYS, Key.Key_Escape}


class DistancesCanvas(MovedCanvas):
    """A heat map. ``pointed`` sends the cell (row, column) or None; ``clicked`` sends the rows of taxa to select."""

    clicked = Signal(object, object)
    zoom_step = 1.2

    def __init__(self) -> None:
        super().__init__(self._draw_picture)
        self.picture: DistanceHeatMap | None = None
        self.view = MatrixViewport(1, 0, 0, QRectF(0, 0, 1, 1))
        self.fitted = True
        self._branches: VisibleBranches | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(theme.LEAST_PICTURE)
        self.setAccessibleName("Distance matrix")

    def show_picture(self, picture: DistanceHeatMap | None) -> None:
        """Show a heat map."""
        self.picture, self._branches = picture, None
        self.show_all()

    def show_all(self) -> None:
        """Show the whole matrix."""
        if self.picture is not None:
            self.view = fit_viewport(self.picture, self.width(), self.height(), self.font())
        self.fitted = True
        self.update()

    def list_window(self) -> list[float] | None:
        """Return the pixels of a cell, and the first visible column and row; None where the whole matrix is shown."""
        view = self.view
        if self.fitted:
            return None
        return [view.cell, (view.area.left() - view.left) / view.cell, (view.area.top() - view.top) / view.cell]

    def restore_window(self, window: list[float] | None) -> None:
        """Show the part that `list_window` returned."""
        if window is not None and self.picture is not None:
            cell, column, row = window
            whole = fit_viewport(self.picture, self.width(), self.height(), self.font()).cell
            cell = max(cell, whole)
            self._set_view(cell, self.view.area.left() - column * cell, self.view.area.top() - row * cell)

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Zoom around a position, at most out to the whole matrix."""
        if self.picture is None:
            return
        whole = fit_viewport(self.picture, self.width(), self.height(), self.font()).cell
        at = self.view.area.center() if about is None else about
        cell = min(max(self.view.cell * factor, whole), max(CLOSEST_CELL, whole))
        if cell == whole:
            self.show_all()
            return
        share = cell / self.view.cell
        self._set_view(cell, at.x() - (at.x() - self.view.left) * share, at.y() - (at.y() - self.view.top) * share)

    def move_by(self, right: float, down: float) -> None:
        """Move the visible part by so many pixels."""
        self._set_view(self.view.cell, self.view.left + right, self.view.top + down)

    def scroll_to(self, cell: tuple[int, int]) -> None:
        """Scroll so that a cell is visible."""
        box, area = self.view.cell_box(*cell), self.view.area
        self.move_by(
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

    def _draw_picture(self, painter: QPainter, area: QRectF) -> None:
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
            self.show_all()
            return
        before, whole = self.view, fit_viewport(self.picture, self.width(), self.height(), self.font())
        by = whole.area.topLeft() - before.area.topLeft()
        self.view = dataclasses.replace(before, area=whole.area, names=whole.names)
        self._set_view(max(before.cell, whole.cell), before.left + by.x(), before.top + by.y())

    def mouseMoveEvent(self, event) -> None:
        if self._pressed is None and self.picture is not None:
            self._set_current(self.view.cell_at(event.position(), self.picture.row_count))
        elif self.picture is not None:
            super().mouseMoveEvent(event)

    def on_click(self, event) -> None:
        """Handle a click at a point of the picture."""
        self.clicked.emit(self.rows_at(event.position()), event.modifiers())

    def leaveEvent(self, event) -> None:
        self._set_current(None)

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
        elif key == Key.Key_Escape:
            self._set_current(None)
            self.clicked.emit((), no_modifier)
        elif key not in SELECT_KEYS:
            super().keyPressEvent(event)
        elif self.picture.current is not None:
            self.clicked.emit(tuple(dict.fromkeys(self.picture.current)), no_modifier)

    def _set_current(self, cell: tuple[int, int] | None) -> None:
        if self.picture is not None and self.picture.current != cell:
            self.picture.current = cell
            self.pointed.emit(cell)
            self.update()

    def _clade_at(self, place: QPointF) -> tuple[int, ...]:
        if self._branches is None or place.x() > self.view.area.left():
            return ()
        if (node := self._branches.node_at(place.x(), place.y())) is None:
            return ()
        tree = self.picture.layout.tree
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
