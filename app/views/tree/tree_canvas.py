"""The tree on the screen: pan, zoom, and the node under the mouse."""

from __future__ import annotations

import dataclasses

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from antidiag.app import theme
from antidiag.app.kit.tree.visible_branches import HIT_DISTANCE, TreeFrame, line_distances, node_pixels
from antidiag.app.views.tree import tree_painter
from antidiag.app.views.tree.fit_to_window import BOTTOM, HIGHEST_ROW, TOP, fit_tree
from antidiag.app.views.tree.key_names import key_name
from antidiag.app.views.tree.minimap import Minimap
from antidiag.app.views.tree.tip_labels import GAP, tip_text
from antidiag.app.views.tree.tree_painter import PaintedTree, TreePicture

ZOOM = 1.2
CLOSEST_ROW = 240.0  # pixels of the highest row after zooming
NODE_REACH = 5.0  # pixels around the mouse within which a node is hit
# Pixels of the smallest clade that is drawn while a straight, or a round tree moves.
MOVING_DETAIL = {True: 2.0, False: 3.0}
SETTLE_MS = 140
LARGEST_TREE = 3e6  # largest width and height of a zoomed tree in pixels


class TreeCanvas(QWidget):
    """Draws a picture; signals carry node numbers, or None."""

    hovered = Signal(object)
    clicked = Signal(object, object)
    entered = Signal(object)
    menu_wanted = Signal(object, object)
    key = Signal(str)
    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.picture: TreePicture | None = None
        self.frame = TreeFrame(1, 1, 0, 0, 1, 1)
        self.painted: PaintedTree | None = None
        self.fitted = True
        self.minimap, self.overview = Minimap(), True
        self._on_minimap = False
        self._pressed: QPointF | None = None
        self._drag: tuple[QPointF, TreeFrame] | None = None
        self._moving = False
        self._rest = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._rest.timeout.connect(self._draw_sharp)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(theme.LEAST_PICTURE)
        self.setAccessibleName("Tree")

    @property
    def is_coarse(self) -> bool:
        """Whether the picture is still coarse because it just moved."""
        return self._moving

    def show_picture(self, picture: TreePicture | None, keep: bool = False) -> None:
        """Show another picture; ``keep`` preserves the window."""
        self.picture, self.painted = picture, None
        if picture is not None and (self.fitted or not keep):
            self.show_all()
        self.update()

    def show_all(self) -> None:
        """Show the whole tree."""
        if self.picture is not None:
            self.frame = fit_tree(self.picture, self.width(), self.height(), self.font())
        self.fitted = True
        self.update()
        self.moved.emit()

    def list_window(self) -> list[float] | None:
        """Return scale and position of the tree in pixels; None where all of it is shown."""
        frame = self.frame
        return None if self.fitted else [float(x) for x in (frame.across, frame.down, frame.left, frame.top)]

    def restore_window(self, window: list[float] | None) -> None:
        """Show the part that `list_window` returned."""
        if window is not None and self.picture is not None:
            across, down, left, top = window
            self._set_frame(dataclasses.replace(self.frame, across=across, down=down, left=left, top=top))

    def show_clade(self, node: int | None) -> None:
        """Fill the window with a clade, or with the whole tree."""
        if self.picture is None:
            return
        shown = self.picture.layout
        if not node:
            self.show_all()
        elif shown.is_straight:
            self.show_rows(shown.first[node] - 0.5, shown.last[node] + 0.5)
        else:
            inside = slice(node, int(shown.tree.ends[node]))
            x, y = shown.x[inside][shown.shown[inside]], shown.y[inside][shown.shown[inside]]
            self.show_box(float(x.min()), float(y.min()), float(x.max()), float(y.max()))

    def show_rows(self, low: float, high: float) -> None:
        """Fill the window with these rows, and keep the horizontal scale."""
        room = self.height() - TOP - BOTTOM
        down = min(room / max(high - low, 1), HIGHEST_ROW)
        spare = (room - down * (high - low)) / 2
        self._set_frame(dataclasses.replace(self.frame, down=down, top=TOP + spare - low * down))

    def show_box(self, left: float, top: float, right: float, bottom: float) -> None:
        """Zoom to a part of the drawing, in its own units."""
        across = 0.8 * min(self.width() / max(right - left, 1e-12), self.height() / max(bottom - top, 1e-12))
        across = min(across, self._largest_scale())
        x, y = (left + right) / 2, (top + bottom) / 2
        middle = self.width() / 2 - x * across, self.height() / 2 - y * across
        self._set_frame(dataclasses.replace(self.frame, across=across, down=across, left=middle[0], top=middle[1]))

    def scroll_to_node(self, node: int) -> None:
        """Move the window, and zoom into narrow rows, until a node is readable."""
        layout, frame = self.picture.layout, self.frame
        if layout.is_straight:
            down = max(frame.down, 14.0)
            top = self.height() / 2 - float(layout.row[node]) * down
            top = max(min(top, TOP), min(TOP, self.height() - BOTTOM - layout.rows * down))
            if down != frame.down or not TOP <= frame.py(layout.row[node]) <= self.height() - TOP:
                self._set_frame(dataclasses.replace(frame, down=down, top=top))
        else:
            x, y = float(layout.x[node]), float(layout.y[node])
            if not (20 <= frame.px(x) <= self.width() - 20 and 20 <= frame.py(y) <= self.height() - 20):
                place = self.width() / 2 - x * frame.across, self.height() / 2 - y * frame.across
                self._set_frame(dataclasses.replace(frame, left=place[0], top=place[1]))

    def zoom_about(self, factor: float, at: QPointF | None = None, horizontal: bool = False) -> None:
        """Zoom around a place: rows, or with ``along`` distances from the root; both in round shapes."""
        if self.picture is None:
            return
        frame, at = self.frame, at or QPointF(self.width() / 2, self.height() / 2)
        straight = self.picture.layout.is_straight
        by_x = factor if horizontal or not straight else 1.0
        by_y = factor if not horizontal or not straight else 1.0
        whole = fit_tree(self.picture, self.width(), self.height(), self.font())
        across = min(max(frame.across * by_x, whole.across / 4), self._largest_scale())
        down = across if not straight else min(max(frame.down * by_y, whole.down / 2), self._largest_row_height(whole))
        left = at.x() - frame.x(at.x()) * across if horizontal or not straight else frame.left
        top = at.y() - frame.y(at.y()) * down
        self._set_frame(dataclasses.replace(frame, across=across, down=down, left=left, top=top))

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the tree by so many pixels."""
        self._set_frame(dataclasses.replace(self.frame, left=self.frame.left + dx, top=self.frame.top + dy))

    def node_at(self, place: QPointF) -> int | None:
        """Return the node whose name or branch is at or near a place."""
        if self.painted is None:
            return None
        named = self._name_at(place)
        return named if named is not None else self._branch_at(place)

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.active().panel))
        if self.picture is None:
            return
        straight = self.picture.layout.is_straight
        detail, before = (MOVING_DETAIL[straight], self.painted) if self._moving else (1.0, None)
        self.painted = tree_painter.paint_tree(painter, self.picture, self.frame, theme.active(), detail, before)
        if self.overview and not self.fitted:
            self.minimap.draw_map(painter, self.picture.layout, self.frame, self.devicePixelRatioF())
        if self.hasFocus():
            painter.setPen(QColor(theme.active().accent))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if self.fitted:
            self.show_all()
        else:
            self.frame = dataclasses.replace(self.frame, width=self.width(), height=self.height())

    def wheelEvent(self, event) -> None:
        turn = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan_by(0, turn / 120 * 60)
        else:
            along = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self.zoom_about(ZOOM ** (turn / 120), event.position(), along)
        event.accept()

    def mousePressEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._on_minimap = self._move_by_minimap(event.position())
            if not self._on_minimap:
                self._pressed, self._drag = event.position(), (event.position(), self.frame)

    def mouseMoveEvent(self, event) -> None:
        if self._on_minimap:
            self._move_by_minimap(event.position())
            return
        if self._drag is None:
            self.hovered.emit(self.node_at(event.position()))
            return
        start, frame = self._drag
        by = event.position() - start
        if self._pressed is None or by.manhattanLength() > 4:
            self._pressed = None
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._set_frame(dataclasses.replace(frame, left=frame.left + by.x(), top=frame.top + by.y()))

    def mouseReleaseEvent(self, event) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._on_minimap = False
        if self._pressed is not None:
            self.clicked.emit(self.node_at(event.position()), event.modifiers())
        self._pressed = self._drag = None
        self.unsetCursor()

    def mouseDoubleClickEvent(self, event) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.entered.emit(self.node_at(event.position()))

    def contextMenuEvent(self, event) -> None:
        place = QPointF(event.pos())
        self.menu_wanted.emit(self.node_at(place), event.globalPos())

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    def event(self, event: QEvent) -> bool:
        # While the tree has the focus, undo belongs to it and not to the window.
        if event.type() == QEvent.Type.ShortcutOverride and key_name(event) in ("undo", "redo", "escape"):
            event.accept()
            return True
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.cut_name_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def cut_name_at(self, place: QPointF) -> str:
        """Return the whole name of a shortened name at a place, or ""."""
        labels = self.painted.labels
        node = self._name_at(place) if self.picture is not None else None
        if node is None or labels is None:
            return ""
        name = tip_text(self.picture.layout, node)
        written = self.painted.widths[int(np.flatnonzero(labels.tips == node)[0])]
        return name if QFontMetricsF(labels.font).horizontalAdvance(name) > written + 0.5 else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        name = key_name(event)
        steps = {"pageup": 0.8 * self.height(), "pagedown": -0.8 * self.height()}
        if name in ("plus", "minus"):
            self.zoom_about(ZOOM if name == "plus" else 1 / ZOOM)
        elif name in steps:
            self.pan_by(0, steps[name])
        elif name:
            self.key.emit(name)
        else:
            event.ignore()

    def _set_frame(self, frame: TreeFrame) -> None:
        """Show another window, limited so that some of the tree stays visible."""
        left, top, right, bottom = self.picture.layout.bounds
        frame = dataclasses.replace(
            frame,
            left=_limit_shift(frame.left, left * frame.across, right * frame.across, self.width()),
            top=_limit_shift(frame.top, top * frame.down, bottom * frame.down, self.height()),
        )
        if frame != self.frame:
            self.frame, self.fitted, self._moving = frame, False, True
            self._rest.start()
            self.update()
            self.moved.emit()

    def _move_by_minimap(self, at: QPointF) -> bool:
        """Move the window to a place of the minimap; return whether the mouse is on it."""
        if self.picture is None or self.fitted or not self.overview:
            return False
        place = self.minimap.place_at(self.picture.layout, self.frame, at)
        if place is not None:
            left = self.width() / 2 - place[0] * self.frame.across
            self._set_frame(
                dataclasses.replace(self.frame, left=left, top=self.height() / 2 - place[1] * self.frame.down)
            )
        return place is not None

    def _draw_sharp(self) -> None:
        self._moving = False
        self.update()

    def _largest_scale(self) -> float:
        left, _, right, _ = self.picture.layout.bounds
        return LARGEST_TREE / ((right - left) or 1)

    def _largest_row_height(self, whole: TreeFrame) -> float:
        return max(min(CLOSEST_ROW, LARGEST_TREE / max(self.picture.layout.rows, 1)), whole.down)

    def _name_at(self, place: QPointF) -> int | None:
        """Return the tip whose name is at a place."""
        labels = self.painted.labels
        if labels is None or not labels.tips.size:
            return None
        dx, dy = place.x() - labels.x, place.y() - labels.y
        along = dx * np.cos(labels.angle) + dy * np.sin(labels.angle)
        aside = np.abs(dy * np.cos(labels.angle) - dx * np.sin(labels.angle))
        height = QFontMetricsF(labels.font).height() / 2
        under = (along >= -GAP / 2) & (along <= np.array(self.painted.widths)) & (aside <= height)
        return int(labels.tips[np.flatnonzero(under)[0]]) if under.any() else None

    def _branch_at(self, place: QPointF) -> int | None:
        """Return the node whose wedge is at a place, or whose branch is nearest."""
        for node in np.flatnonzero(self.picture.layout.collapsed).tolist():
            if tree_painter.clade_outline(self.picture.layout, self.frame, node).containsPoint(
                place, Qt.FillRule.OddEvenFill
            ):
                return node
        lines = self.painted.branches.lines
        if not len(lines):
            return None
        away = line_distances(lines, place.x(), place.y())
        near = np.flatnonzero(away <= HIT_DISTANCE)
        if not near.size:
            return None
        # Where branches meet, their common node is hit.
        owners = self.painted.branches.owners[near]
        x, y = node_pixels(self.picture.layout, self.frame, owners)
        apart = np.hypot(x - place.x(), y - place.y())
        return int(owners[np.argmin(apart if apart.min() <= NODE_REACH else away[near])])


def _limit_shift(shift: float, low: float, high: float, room: float) -> float:
    """Limit a shift so that some of low..high stays inside 0..room."""
    margin = min(80.0, room / 3)
    return min(max(shift, margin - high), room - margin - low)
