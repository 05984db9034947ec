"""Painting a tree with a QPainter: the same on the screen, in SVG, PDF and PNG."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPaintEngine, QPainter, QPen, QPolygonF

from antidiag.app.kit.tree.frame import Branches, Frame, branches, points, starts_of
from antidiag.app.kit.tree.layout import TURN, Layout, Shape
from antidiag.app.theme import Theme
from antidiag.app.views.tree import metadata
from antidiag.app.views.tree.colours import Colouring
from antidiag.app.views.tree.labels import GAP, LARGEST, Labels, labels, room, text_of
from antidiag.app.views.tree.metadata import Columns

WIDTH, COLOURED, MARKED = 1.0, 2.0, 3.0
"""Pixels of a branch, of one with a colour, and of one whose clade is selected."""
PLAIN, COARSE = 0.8, 0.4
"""How much of the colour of text is in branches, and in lines that stand for a whole clade."""
SMOOTH = 2000
"""Lines that are drawn smoothly even while they move."""
SUPPORT_ROOM = 13
MOST_SUPPORTS = 400
BAR = 60, 150
"""Pixels of the scale bar, at least and at most."""
DOT = 4.0


@dataclass
class Picture:
    """What there is to draw. ``marked`` are nodes whose taxa are selected, ``found`` those that a search found."""

    layout: Layout
    colouring: Colouring
    marked: np.ndarray
    found: np.ndarray
    current: int | None = None
    hovered: int | None = None
    names: bool = True
    aligned: bool = False
    supports: bool = True
    scale: bool = True
    metadata: Columns | None = None
    label_size: float = LARGEST
    """Pixels of the font of names, where rows are wide."""

    @property
    def beside(self) -> Columns | None:
        """The columns that are drawn between tips and names: none in the unrooted shape, which has no side for them."""
        return self.metadata if self.layout.shape != Shape.UNROOTED else None

    @property
    def in_column(self) -> bool:
        """Whether names stand in a column, or a ring."""
        return self.aligned or self.beside is not None

    @property
    def offset(self) -> float:
        """Pixels between tips and names, beside the usual gap."""
        return self.beside.width if self.beside else 0.0


@dataclass(frozen=True, eq=False)
class Painted:
    """What was drawn where, in pixels, so that the mouse finds it again."""

    branches: Branches
    labels: Labels | None
    widths: list[float] = field(default_factory=list)


def paint(
    painter: QPainter,
    picture: Picture,
    frame: Frame,
    theme: Theme,
    detail: float = 1.0,
    before: Painted | None = None,
) -> Painted:
    """Draw a tree into the window of ``frame``; returns what was drawn.

    Clades of less than ``detail`` pixels are one line. With what was painted ``before``, names are not chosen anew.
    """
    layout = picture.layout
    found = branches(layout, frame, detail)
    written = None
    if picture.names:
        same = before.labels if before is not None else None
        written = labels(
            layout, frame, found.lines, painter.font(), picture.in_column, same, picture.label_size, picture.offset
        )
    painter.save()
    hurried = before is not None and len(found.lines) > SMOOTH
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, layout.shape != Shape.RECTANGULAR and not hurried)
    if written is not None and picture.in_column and layout.shape != Shape.UNROOTED:
        _leaders(painter, picture, frame, written, theme)
    _lines(painter, picture, found, theme)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _clades(painter, picture, frame, theme)
    _dots(painter, picture, frame, theme)
    if picture.supports:
        _supports(painter, picture, frame, found, theme)
    if picture.beside:
        metadata.paint(painter, layout, picture.beside, frame, theme)
    widths = _names(painter, picture, frame, written, theme) if written is not None else []
    if picture.scale and layout.lengths:
        _scale_bar(painter, frame, theme)
    painter.restore()
    return Painted(found, written, widths)


def _lines(painter: QPainter, picture: Picture, found: Branches, theme: Theme) -> None:
    """All branches of a colour at a time; those of selected clades last, and wider."""
    marked = picture.marked[found.owners]
    codes = picture.colouring.codes[found.owners]
    for code in np.unique(codes[~marked]).tolist():
        for coarse in (True, False):
            chosen = (codes == code) & ~marked & (found.coarse == coarse)
            if code < 0:
                colour = _mixed(theme.text, theme.panel, COARSE if coarse else PLAIN)
            else:
                colour = QColor(picture.colouring.colours[code])
            _draw(painter, found.lines[chosen], colour, WIDTH if code < 0 or coarse else COLOURED)
    for code in np.unique(codes[marked]).tolist():
        colour = QColor(theme.accent if code < 0 else picture.colouring.colours[code])
        _draw(painter, found.lines[marked & (codes == code)], colour, MARKED)


def _mixed(over: str, under: str, share: float) -> QColor:
    """The colour of which ``share`` is ``over``: opaque, because lines that shine through are slow to draw."""
    first, second = QColor(over), QColor(under)
    parts = ((first.redF(), second.redF()), (first.greenF(), second.greenF()), (first.blueF(), second.blueF()))
    return QColor.fromRgbF(*(share * top + (1 - share) * bottom for top, bottom in parts))


def _draw(painter: QPainter, lines: np.ndarray, colour: QColor, width: float) -> None:
    """Draw lines: one by one into an image, which takes a tenth of the time of a path, and as a path into a file."""
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.SquareCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if painter.paintEngine().type() == QPaintEngine.Type.Raster:
        painter.drawLines([QLineF(*line) for line in lines.tolist()])
        return
    painter.drawPath(pg.arrayToQPath(lines[:, 0::2].ravel(), lines[:, 1::2].ravel(), connect="pairs"))


def _leaders(painter: QPainter, picture: Picture, frame: Frame, written: Labels, theme: Theme) -> None:
    """Dotted lines from the tips to names that stand in a column."""
    x, y = points(picture.layout, frame, written.tips)
    pen = QPen(QColor(theme.border), 1, Qt.PenStyle.DotLine)
    painter.setPen(pen)
    back = GAP * 0.6 + picture.offset
    ends_x, ends_y = written.x - back * np.cos(written.angle), written.y - back * np.sin(written.angle)
    lines = np.stack([x, y, ends_x, ends_y], axis=1)
    lines = lines[np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]) > 2 * GAP]
    painter.drawPath(pg.arrayToQPath(lines[:, 0::2].ravel(), lines[:, 1::2].ravel(), connect="pairs"))


def _clades(painter: QPainter, picture: Picture, frame: Frame, theme: Theme) -> None:
    """Collapsed clades as wedges."""
    for node in np.flatnonzero(picture.layout.collapsed).tolist():
        wedge = clade_outline(picture.layout, frame, node)
        if not wedge.boundingRect().intersects(QRectF(0, 0, frame.width, frame.height)):
            continue
        colour = QColor(picture.colouring.of(node) or (theme.accent if picture.marked[node] else theme.muted))
        painter.setPen(QPen(colour, MARKED if picture.marked[node] else WIDTH))
        fill = QColor(colour)
        fill.setAlphaF(0.25)
        painter.setBrush(fill)
        painter.drawPolygon(wedge)


def clade_outline(layout: Layout, frame: Frame, node: int) -> QPolygonF:
    """The wedge of a collapsed clade in pixels."""
    tip = QPointF(*(float(value) for value in (frame.px(layout.x[node]), frame.py(layout.y[node]))))
    if layout.straight:
        edge, inset = frame.px(layout.far[node]), min(0.12 * frame.down, 2.0)
        sides = ((edge, frame.py(layout.first[node]) + inset), (edge, frame.py(layout.last[node]) - inset))
        return QPolygonF([tip, *(QPointF(float(x), float(y)) for x, y in sides)])
    rows = np.linspace(layout.first[node], layout.last[node], 12)
    angles = layout.theta(rows)
    if layout.shape == Shape.CIRCULAR:
        x, y = layout.far[node] * np.cos(angles), layout.far[node] * np.sin(angles)
    else:
        x = layout.x[node] + layout.reach[node] * np.cos(angles)
        y = layout.y[node] + layout.reach[node] * np.sin(angles)
    arc = [QPointF(a, b) for a, b in zip(frame.px(x).tolist(), frame.py(y).tolist(), strict=True)]
    return QPolygonF([tip, *arc])


def _dots(painter: QPainter, picture: Picture, frame: Frame, theme: Theme) -> None:
    """Marks at what a search found, at the hovered and at the current node."""
    if picture.found.size:
        seen = np.unique(picture.layout.covers[picture.found])
        x, y = points(picture.layout, frame, seen)
        inside = (x >= -DOT) & (x <= frame.width + DOT) & (y >= -DOT) & (y <= frame.height + DOT)
        places = np.unique(np.round(np.stack([x[inside], y[inside]], axis=1)), axis=0)
        painter.setPen(QPen(QColor(theme.panel), 1))
        painter.setBrush(QColor(theme.recomputed))
        for px, py in places.tolist():
            painter.drawEllipse(QPointF(px, py), DOT, DOT)
    for node, filled in ((picture.hovered, False), (picture.current, True)):
        if node is None or not picture.layout.shown[node]:
            continue
        place = QPointF(*(float(v) for v in (frame.px(picture.layout.x[node]), frame.py(picture.layout.y[node]))))
        if node == picture.hovered:
            start = starts_of(picture.layout, frame, node)
            painter.setPen(QPen(QColor(theme.accent), MARKED))
            painter.drawLine(QPointF(*start), place)
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.setBrush(QColor(theme.accent if filled else theme.panel))
        painter.drawEllipse(place, DOT, DOT)


def _supports(painter: QPainter, picture: Picture, frame: Frame, found: Branches, theme: Theme) -> None:
    """Names of inner nodes, which mostly are support values, over their branches where there is room."""
    layout = picture.layout
    nodes = np.unique(found.owners)
    nodes = nodes[layout.inner[nodes] & _roomy(layout, frame, nodes)]
    nodes = np.array([node for node in nodes.tolist() if layout.tree.names[node]][:MOST_SUPPORTS], np.int64)
    font = QFont(painter.font())
    font.setPixelSize(10)
    painter.setFont(font)
    painter.setPen(QColor(theme.muted))
    metrics = QFontMetricsF(font)
    for node in nodes.tolist():
        (x0, y0), text = starts_of(layout, frame, node), layout.tree.names[node]
        x1, y1 = float(frame.px(layout.x[node])), float(frame.py(layout.y[node]))
        width = metrics.horizontalAdvance(text)
        if np.hypot(x1 - x0, y1 - y0) < width + 4 or not (0 <= x1 <= frame.width and 0 <= y1 <= frame.height):
            continue
        if layout.straight:
            below = y1 > y0 + 1
            painter.drawText(QPointF(x1 - width - 3, y1 + metrics.ascent() + 1 if below else y1 - 3), text)
        else:
            _turned(painter, x1, y1, float(np.arctan2(y1 - y0, x1 - x0)), text, -width - 4, -3)


def _roomy(layout: Layout, frame: Frame, nodes: np.ndarray) -> np.ndarray:
    """Whether the clades of these nodes are high enough for a text in the branch above them, bool."""
    rows = layout.last[nodes] - layout.first[nodes]
    if layout.shape == Shape.UNROOTED:
        return layout.reach[nodes] * frame.across >= SUPPORT_ROOM
    if layout.shape == Shape.CIRCULAR:
        return rows / max(layout.rows, 1) * TURN * layout.along[nodes] * frame.across >= SUPPORT_ROOM
    return rows * frame.down >= SUPPORT_ROOM


def _names(painter: QPainter, picture: Picture, frame: Frame, written: Labels, theme: Theme) -> list[float]:
    """Write the names; returns the pixels that each takes."""
    layout, metrics = picture.layout, QFontMetricsF(written.font)
    painter.setFont(written.font)
    found = np.zeros(len(layout.tree), bool)
    found[picture.found] = True
    rise = (metrics.ascent() - metrics.descent()) / 2
    plain = QColor(theme.muted if written.thinned else theme.text)
    shade = QColor(theme.recomputed)
    shade.setAlphaF(0.35)
    widths = []
    for node, x, y, angle in zip(
        written.tips.tolist(), written.x.tolist(), written.y.tolist(), written.angle.tolist(), strict=True
    ):
        text = text_of(layout, node)
        width, most = metrics.horizontalAdvance(text), room(frame, x, y, angle)
        if width > most:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, most)
            width = metrics.horizontalAdvance(text)
        widths.append(width)
        back = shade if found[node] else QColor(theme.selection) if picture.marked[node] else None
        colour = picture.colouring.of(node)
        painter.setPen(QColor(colour) if colour else plain)
        if not angle:
            if back:
                painter.fillRect(QRectF(x - 2, y - metrics.height() / 2, width + 4, metrics.height()), back)
            painter.drawText(QPointF(x, y + rise), text)
        else:
            _turned(painter, x, y, angle, text, 0, rise, back)
    return widths


def _turned(
    painter: QPainter,
    x: float,
    y: float,
    angle: float,
    text: str,
    along: float,
    rise: float,
    back: QColor | None = None,
) -> None:
    """Write along a direction, turned round in the left half so that nothing stands on its head."""
    metrics = QFontMetricsF(painter.font())
    width, over = metrics.horizontalAdvance(text), np.cos(angle) < -1e-9
    painter.save()
    painter.translate(x, y)
    painter.rotate(np.degrees(angle) + (180 if over else 0))
    start = -width - along if over else along
    if back:
        painter.fillRect(QRectF(start - 2, -metrics.height() / 2, width + 4, metrics.height()), back)
    painter.drawText(QPointF(start, rise), text)
    painter.restore()


def bar_length(across: float) -> tuple[float, float]:
    """A round branch length for the scale bar, and its pixels."""
    largest = BAR[1] / across
    power = 10.0 ** np.floor(np.log10(largest))
    length = next(step * power for step in (5, 2, 1) if step * power <= largest)
    return float(length), float(length * across)


def _scale_bar(painter: QPainter, frame: Frame, theme: Theme) -> None:
    length, pixels = bar_length(frame.across)
    left, y = 14.0, frame.height - 10.0
    font = QFont(painter.font())
    font.setPixelSize(11)
    painter.setFont(font)
    text = f"{length:g}"
    box = QRectF(left - 6, y - 20, max(pixels, QFontMetricsF(font).horizontalAdvance(text)) + 12, 26)
    back = QColor(theme.panel)
    back.setAlphaF(0.85)
    painter.fillRect(box, back)
    painter.setPen(QPen(QColor(theme.text), 1.4))
    painter.drawLine(QPointF(left, y), QPointF(left + pixels, y))
    for x in (left, left + pixels):
        painter.drawLine(QPointF(x, y - 3), QPointF(x, y + 3))
    painter.drawText(QRectF(left, y - 18, pixels, 14), Qt.AlignmentFlag.AlignCenter, text)
