"""The whole tree in a corner of a window that shows a part of it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from antidiag.app import theme
from antidiag.app.kit.tree.frame import Frame, branches
from antidiag.app.kit.tree.layout import Layout

WIDTH, HEIGHT, EDGE, INNER = 140.0, 100.0, 8.0, 5.0
"""Pixels of the small picture, from it to the edge of the window, and inside it."""
LEAST_ROOM = 2.5
"""How many times as wide and high the window must be."""


class Minimap:
    """A small picture of a layout, kept until another layout or theme is shown."""

    def __init__(self) -> None:
        self._of: tuple[Layout, str, float] | None = None
        self._picture = QPixmap()

    def place(self, width: float, height: float) -> QRectF | None:
        """Where it is in a window of this size; None where there is no room."""
        if width < LEAST_ROOM * WIDTH or height < LEAST_ROOM * HEIGHT:
            return None
        return QRectF(width - WIDTH - EDGE, height - HEIGHT - EDGE, WIDTH, HEIGHT)

    def draw(self, painter: QPainter, layout: Layout, frame: Frame, ratio: float) -> None:
        """Draw it, with a frame around what the window shows."""
        place = self.place(frame.width, frame.height)
        if place is None:
            return
        colours, small = theme.active(), _small(layout)
        if self._of is None or self._of[0] is not layout or self._of[1:] != (colours.name, ratio):
            self._of, self._picture = (layout, colours.name, ratio), _picture(layout, small, ratio)
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

    def under(self, layout: Layout, frame: Frame, at: QPointF) -> tuple[float, float] | None:
        """The place of the layout under a point of the window that is in the small picture; None beside it."""
        place = self.place(frame.width, frame.height)
        if place is None or not place.contains(at):
            return None
        small, inside = _small(layout), at - place.topLeft()
        return small.x(inside.x()), small.y(inside.y())


def _small(layout: Layout) -> Frame:
    """The window that shows the whole tree in the small picture."""
    left, top, right, bottom = layout.bounds
    across = (WIDTH - 2 * INNER) / ((right - left) or 1)
    down = (HEIGHT - 2 * INNER) / ((bottom - top) or 1)
    if not layout.straight:
        across = down = min(across, down)
    middle = WIDTH / 2 - (left + right) / 2 * across, HEIGHT / 2 - (top + bottom) / 2 * down
    return Frame(across, down, middle[0], middle[1], WIDTH, HEIGHT)


def _picture(layout: Layout, small: Frame, ratio: float) -> QPixmap:
    made = QPixmap(round(WIDTH * ratio), round(HEIGHT * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setPen(QPen(QColor(theme.active().muted), 0.8))
    for x, y, x2, y2 in branches(layout, small).lines.tolist():
        painter.drawLine(QPointF(x, y), QPointF(x2, y2))
    painter.end()
    return made
