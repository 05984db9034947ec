"""Paints a tree with QPainter: on the screen, in SVG, PDF and PNG."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPaintEngine, QPainter, QPen, QPolygonF

from antidiag.app.kit.painting.fonts_and_colours import mix_colours, resized_font
from antidiag.app.kit.tree.visible_branches import (
    TreeFrame,
    VisibleBranches,
    branch_start,
    find_visible_branches,
    node_pixels,
)
from antidiag.app.theme import Theme
from antidiag.app.views.tree import tip_columns
from antidiag.app.views.tree.tip_columns import TipColumns
from antidiag.app.views.tree.tip_labels import GAP, LARGEST, TipLabels, select_labels, tip_text, width_to_edge
from antidiag.app.views.tree.tree_colours import TreeColouring
from antidiag.kernels.trees.tree_layout import TURN, TreeLayout, TreeShape

PLAIN_WIDTH, COLOURED, MARKED = 1.0, 2.0, 3.0  # pixels of a branch: plain, coloured, and of a selected clade
PLAIN_SHARE, COARSE = 0.8, 0.4  # share of the text colour in branches, and in lines that stand for a clade
MOST_SMOOTH_LINES = 2000  # lines that are drawn smoothly even while they move
SUPPORT_ROOM = 13
MOST_SUPPORTS = 400
BAR_LENGTHS = 60, 150  # least and largest pixels of the scale bar
DOT_RADIUS = 4.0


@dataclass
class TreePicture:
    """What is drawn. ``marked`` are nodes with selected taxa, ``found`` those of a search."""

    layout: TreeLayout
    colouring: TreeColouring
    marked: np.ndarray
    found: np.ndarray
    current: int | None = None
    hovered: int | None = None
    names: bool = True
    aligned: bool = False
    supports: bool = True
    scale: bool = True
    metadata: TipColumns | None = None
    label_size: float = LARGEST  # font size of names in pixels, where rows are wide

    @property
    def shown_columns(self) -> TipColumns | None:
        """The columns between tips and names; None in the unrooted shape, which has no room."""
        return self.metadata if self.layout.shape != TreeShape.UNROOTED else None

    @property
    def aligns_names(self) -> bool:
        """Whether names stand in a column or a ring."""
        return self.aligned or self.shown_columns is not None

    @property
    def names_offset(self) -> float:
        """Extra pixels between tips and names."""
        return self.shown_columns.total_width if self.shown_columns else 0.0


@dataclass(frozen=True, eq=False)
class PaintedTree:
    """What was drawn where, in pixels, for the mouse."""

    branches: VisibleBranches
    labels: TipLabels | None
    widths: list[float] = field(default_factory=list)


def paint_tree(
    painter: QPainter,
    picture: TreePicture,
    frame: TreeFrame,
    theme: Theme,
    detail: float = 1.0,
    before: PaintedTree | None = None,
) -> PaintedTree:
    """Draw a tree into the window of ``frame``; return what was drawn. Clades of less than ``detail`` pixels are one
    line. ``before`` is the last result, whose names are reused."""
    layout = picture.layout
    found = find_visible_branches(layout, frame, detail)
    written = None
    if picture.names:
        same = before.labels if before is not None else None
        written = select_labels(picture, frame, found.lines, painter.font(), same)
    painter.save()
    hurried = before is not None and len(found.lines) > MOST_SMOOTH_LINES
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, layout.shape != TreeShape.RECTANGULAR and not hurried)
    if written is not None and picture.aligns_names and layout.shape != TreeShape.UNROOTED:
        _paint_leaders(painter, picture, frame, written, theme)
    _paint_branches(painter, picture, found, theme)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_clades(painter, picture, frame, theme)
    _paint_dots(painter, picture, frame, theme)
    if picture.supports:
        _paint_supports(painter, picture, frame, found, theme)
    if picture.shown_columns:
        tip_columns.paint_columns(painter, layout, picture.shown_columns, frame, theme)
    widths = _paint_names(painter, picture, frame, written, theme) if written is not None else []
    if picture.scale and layout.lengths:
        _paint_scale_bar(painter, frame, theme)
    painter.restore()
    return PaintedTree(found, written, widths)


def _paint_branches(painter: QPainter, picture: TreePicture, found: VisibleBranches, theme: Theme) -> None:
    """Draw branches colour by colour; selected clades last, and wider."""
    marked = picture.marked[found.owners]
    codes = picture.colouring.codes[found.owners]
    for code in np.unique(codes[~marked]).tolist():
        for coarse in (True, False):
            chosen = (codes == code) & ~marked & (found.coarse == coarse)
            if code < 0:
                colour = mix_colours(
                    theme.panel, theme.text, COARSE if coarse else PLAIN_SHARE
                )  # opaque lines are fast
            else:
                colour = QColor(picture.colouring.colours[code])
            _paint_lines(painter, found.lines[chosen], colour, PLAIN_WIDTH if code < 0 or coarse else COLOURED)
    for code in np.unique(codes[marked]).tolist():
        colour = QColor(theme.accent if code < 0 else picture.colouring.colours[code])
        _paint_lines(painter, found.lines[marked & (codes == code)], colour, MARKED)


def _paint_lines(painter: QPainter, lines: np.ndarray, colour: QColor, width: float) -> None:
    """Draw lines one by one into an image, which is ten times faster than a path, and as a path into a file."""
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.SquareCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if painter.paintEngine().type() == QPaintEngine.Type.Raster:
        painter.drawLines([QLineF(*line) for line in lines.tolist()])
        return
    painter.drawPath(pg.arrayToQPath(lines[:, 0::2].ravel(), lines[:, 1::2].ravel(), connect="pairs"))


def _paint_leaders(painter: QPainter, picture: TreePicture, frame: TreeFrame, written: TipLabels, theme: Theme) -> None:
    """Draw dotted lines from tips to aligned names."""
    x, y = node_pixels(picture.layout, frame, written.tips)
    pen = QPen(QColor(theme.border), 1, Qt.PenStyle.DotLine)
    painter.setPen(pen)
    back = GAP * 0.6 + picture.names_offset
    ends_x, ends_y = written.x - back * np.cos(written.angle), written.y - back * np.sin(written.angle)
    lines = np.stack([x, y, ends_x, ends_y], axis=1)
    lines = lines[np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]) > 2 * GAP]
    painter.drawPath(pg.arrayToQPath(lines[:, 0::2].ravel(), lines[:, 1::2].ravel(), connect="pairs"))


def _paint_clades(painter: QPainter, picture: TreePicture, frame: TreeFrame, theme: Theme) -> None:
    """Draw collapsed clades as wedges."""
    for node in np.flatnonzero(picture.layout.collapsed).tolist():
        wedge = clade_outline(picture.layout, frame, node)
        if not wedge.boundingRect().intersects(QRectF(0, 0, frame.width, frame.height)):
            continue
        colour = QColor(picture.colouring.node_colour(node) or (theme.accent if picture.marked[node] else theme.muted))
        painter.setPen(QPen(colour, MARKED if picture.marked[node] else PLAIN_WIDTH))
        fill = QColor(colour)
        fill.setAlphaF(0.25)
        painter.setBrush(fill)
        painter.drawPolygon(wedge)


def clade_outline(layout: TreeLayout, frame: TreeFrame, node: int) -> QPolygonF:
    """Return the wedge of a collapsed clade in pixels."""
    tip = QPointF(*(float(value) for value in (frame.px(layout.x[node]), frame.py(layout.y[node]))))
    if layout.is_straight:
        edge, inset = frame.px(layout.far[node]), min(0.12 * frame.down, 2.0)
        sides = ((edge, frame.py(layout.first[node]) + inset), (edge, frame.py(layout.last[node]) - inset))
        return QPolygonF([tip, *(QPointF(float(x), float(y)) for x, y in sides)])
    rows = np.linspace(layout.first[node], layout.last[node], 12)
    angles = layout.row_angles(rows)
    if layout.shape == TreeShape.CIRCULAR:
        x, y = layout.far[node] * np.cos(angles), layout.far[node] * np.sin(angles)
    else:
        x = layout.x[node] + layout.reach[node] * np.cos(angles)
        y = layout.y[node] + layout.reach[node] * np.sin(angles)
    arc = [QPointF(a, b) for a, b in zip(frame.px(x).tolist(), frame.py(y).tolist(), strict=True)]
    return QPolygonF([tip, *arc])


def _paint_dots(painter: QPainter, picture: TreePicture, frame: TreeFrame, theme: Theme) -> None:
    """Mark found nodes, the hovered and the current node."""
    if picture.found.size:
        seen = np.unique(picture.layout.visible_node[picture.found])
        x, y = node_pixels(picture.layout, frame, seen)
        inside = (
            (x >= -DOT_RADIUS) & (x <= frame.width + DOT_RADIUS) & (y >= -DOT_RADIUS) & (y <= frame.height + DOT_RADIUS)
        )
        places = np.unique(np.round(np.stack([x[inside], y[inside]], axis=1)), axis=0)
        painter.setPen(QPen(QColor(theme.panel), 1))
        painter.setBrush(QColor(theme.recomputed))
        for px, py in places.tolist():
            painter.drawEllipse(QPointF(px, py), DOT_RADIUS, DOT_RADIUS)
    for node, filled in ((picture.hovered, False), (picture.current, True)):
        if node is None or not picture.layout.shown[node]:
            continue
        place = QPointF(*(float(v) for v in (frame.px(picture.layout.x[node]), frame.py(picture.layout.y[node]))))
        if node == picture.hovered:
            start = branch_start(picture.layout, frame, node)
            painter.setPen(QPen(QColor(theme.accent), MARKED))
            painter.drawLine(QPointF(*start), place)
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.setBrush(QColor(theme.accent if filled else theme.panel))
        painter.drawEllipse(place, DOT_RADIUS, DOT_RADIUS)


def _paint_supports(
    painter: QPainter, picture: TreePicture, frame: TreeFrame, found: VisibleBranches, theme: Theme
) -> None:
    """Write names of inner nodes, mostly support values, above their branches where they fit."""
    layout = picture.layout
    nodes = np.unique(found.owners)
    nodes = nodes[layout.has_visible_children[nodes] & _fits_support(layout, frame, nodes)]
    nodes = np.array([node for node in nodes.tolist() if layout.tree.names[node]][:MOST_SUPPORTS], np.int64)
    painter.setFont(resized_font(painter.font(), 10))
    painter.setPen(QColor(theme.muted))
    metrics = QFontMetricsF(painter.font())
    for node in nodes.tolist():
        (x0, y0), text = branch_start(layout, frame, node), layout.tree.names[node]
        x1, y1 = float(frame.px(layout.x[node])), float(frame.py(layout.y[node]))
        width = metrics.horizontalAdvance(text)
        if np.hypot(x1 - x0, y1 - y0) < width + 4 or not (0 <= x1 <= frame.width and 0 <= y1 <= frame.height):
            continue
        if layout.is_straight:
            below = y1 > y0 + 1
            painter.drawText(QPointF(x1 - width - 3, y1 + metrics.ascent() + 1 if below else y1 - 3), text)
        else:
            _paint_turned_text(painter, QPointF(x1, y1), float(np.arctan2(y1 - y0, x1 - x0)), text, -width - 4, -3)


def _fits_support(layout: TreeLayout, frame: TreeFrame, nodes: np.ndarray) -> np.ndarray:
    """Return whether these clades have room for a support value, bool."""
    rows = layout.last[nodes] - layout.first[nodes]
    if layout.shape == TreeShape.UNROOTED:
        return layout.reach[nodes] * frame.across >= SUPPORT_ROOM
    if layout.shape == TreeShape.CIRCULAR:
        return rows / max(layout.rows, 1) * TURN * layout.along[nodes] * frame.across >= SUPPORT_ROOM
    return rows * frame.down >= SUPPORT_ROOM


def _paint_names(
    painter: QPainter, picture: TreePicture, frame: TreeFrame, written: TipLabels, theme: Theme
) -> list[float]:
    """Write the names; return the pixels of each."""
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
        text = tip_text(layout, node)
        width, most = metrics.horizontalAdvance(text), width_to_edge(frame, x, y, angle)
        if width > most:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, most)
            width = metrics.horizontalAdvance(text)
        widths.append(width)
        back = shade if found[node] else QColor(theme.selection) if picture.marked[node] else None
        colour = picture.colouring.node_colour(node)
        painter.setPen(QColor(colour) if colour else plain)
        if not angle:
            if back:
                painter.fillRect(QRectF(x - 2, y - metrics.height() / 2, width + 4, metrics.height()), back)
            painter.drawText(QPointF(x, y + rise), text)
        else:
            _paint_turned_text(painter, QPointF(x, y), angle, text, 0, rise, back)
    return widths


def _paint_turned_text(
    painter: QPainter, place: QPointF, angle: float, text: str, along: float, rise: float, back: QColor | None = None
) -> None:
    """Write text along a direction, and upside down in the left half so that it stays readable."""
    metrics = QFontMetricsF(painter.font())
    width, over = metrics.horizontalAdvance(text), np.cos(angle) < -1e-9
    painter.save()
    painter.translate(place)
    painter.rotate(np.degrees(angle) + (180 if over else 0))
    start = -width - along if over else along
    if back:
        painter.fillRect(QRectF(start - 2, -metrics.height() / 2, width + 4, metrics.height()), back)
    painter.drawText(QPointF(start, rise), text)
    painter.restore()


def scale_bar_length(across: float) -> tuple[float, float]:
    """Return a round branch length for the scale bar, and its pixels."""
    largest = BAR_LENGTHS[1] / across
    power = 10.0 ** np.floor(np.log10(largest))
    length = next(step * power for step in (5, 2, 1) if step * power <= largest)
    return float(length), float(length * across)


def _paint_scale_bar(painter: QPainter, frame: TreeFrame, theme: Theme) -> None:
    length, pixels = scale_bar_length(frame.across)
    left, y = 14.0, frame.height - 10.0
    painter.setFont(resized_font(painter.font(), 11))
    text = f"{length:g}"
    box = QRectF(left - 6, y - 20, max(pixels, QFontMetricsF(painter.font()).horizontalAdvance(text)) + 12, 26)
    back = QColor(theme.panel)
    back.setAlphaF(0.85)
    painter.fillRect(box, back)
    painter.setPen(QPen(QColor(theme.text), 1.4))
    painter.drawLine(QPointF(left, y), QPointF(left + pixels, y))
    for x in (left, left + pixels):
        painter.drawLine(QPointF(x, y - 3), QPointF(x, y + 3))
    painter.drawText(QRectF(left, y - 18, pixels, 14), Qt.AlignmentFlag.AlignCenter, text)
