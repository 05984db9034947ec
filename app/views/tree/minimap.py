"""The whole tree in a corner of a window that shows a part of it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from antidiag.app import theme
from antidiag.app.kit.tree.visible_branches import TreeFrame, find_visible_branches
from antidiag.kernels.trees.tree_layout import TreeLayout

# Pixels of the minimap, from it to the window's edge, and inside it.
WIDTH, HEIGHT, EDGE, INNER = 140.0, 100.0, 8.0, 5.0
LEAST_ROOM = 2.5  # least ratio of the window's size to the minimap's


class Minimap:
    """A small picture of a layout, cached until layout or theme change."""

    def __init__(self) -> None:
        self._of: tuple[TreeLayout, str, float] | None = None
        self._picture = QPixmap()

    def map_box(self, width: float, height: float) -> QRectF | None:
        """Return its box in a window of this size; None without room."""
        if width < LEAST_ROOM * WIDTH or height < LEAST_ROOM * HEIGHT:
            return None
        return QRectF(width - WIDTH - EDGE, height - HEIGHT - EDGE, WIDTH, HEIGHT)

    def draw_map(self, painter: QPainter, layout: TreeLayout, frame: TreeFrame, ratio: float) -> None:
        """Draw it, with a frame around the visible part."""
        place = self.map_box(frame.width, frame.height)
        if place is None:
            return
        colours, small = theme.active(), _map_frame(layout)
        if self._of is None or self._of[0] is not layout or self._of[1:] != (colours.name, ratio):
            self._of, self._picture = (layout, colours.name, ratio), _render_map(layout, small, ratio)
        painter.save()
        painter.fillRect(place, QColor(colours.panel))
        painter.drawPixmap(place.topLeft(), self._picture)
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawRect(place)
        left, top = small.px(frame.x(0)), small.py(frame.y(0))
        right, bottom = small.px(frame.x(frame.width)), small.py(frame.y(frame.height))
        window = QRectF(left, top, right - left, bottom - top).translated(place.topLeft())
        painter.setClipRect(place)
        painter.setPen(QPen(QColor(colours.accent), 1.5))
        fill = QColor(colours.accent)
        fill.setAlphaF(0.12)
        painter.setBrush(fill)
        painter.drawRect(window)
        painter.restore()

    def place_at(self, layout: TreeLayout, frame: TreeFrame, at: QPointF) -> tuple[float, float] | None:
        """Return the place of the layout at a point of the minimap; None beside it."""
        place = self.map_box(frame.width, frame.height)
        if place is None or not place.contains(at):
            return None
        small, inside = _map_frame(layout), at - place.topLeft()
        return small.x(inside.x()), small.y(inside.y())


def _map_frame(layout: TreeLayout) -> TreeFrame:
    """Return the window that shows the whole tree in the minimap."""
    left, top, right, bottom = layout.bounds
    across = (WIDTH - 2 * INNER) / ((right - left) or 1)
    down = (HEIGHT - 2 * INNER) / ((bottom - top) or 1)
    if not layout.is_straight:
        across = down = min(across, down)
    middle = WIDTH / 2 - (left + right) / 2 * across, HEIGHT / 2 - (top + bottom) / 2 * down
    return TreeFrame(across, down, middle[0], middle[1], WIDTH, HEIGHT)


def _render_map(layout: TreeLayout, small: TreeFrame, ratio: float) -> QPixmap:
    made = QPixmap(round(WIDTH * ratio), round(HEIGHT * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setPen(QPen(QColor(theme.active().muted), 0.8))
    for x, y, x2, y2 in find_visible_branches(layout, small).lines.tolist():
        painter.drawLine(QPointF(x, y), QPointF(x2, y2))
    painter.end()
    return made
