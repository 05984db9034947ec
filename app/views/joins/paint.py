"""Painting a moment of the joins: the tree as far as it has grown, and beside its rows the matrix that shrinks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from antidiag.app.kit import heat
from antidiag.app.theme import Theme
from antidiag.app.views.joins.scene import Scene

MARGIN, GAP, STEM = 14.0, 8.0, 10.0
TREE_SHARE, NAMES_SHARE = 0.34, 0.22
"""Parts of the width that the tree and the names may take."""
LARGEST_ROW = 44.0
CHANGE = 0.35
"""The part of a join in which rows merge; before it, the pair is marked."""
MARK = 2.5
DOT = 3.5


@dataclass
class Moment:
    """What is seen: ``time`` counts joins, and between two of them the rows of a pair merge."""

    scene: Scene
    time: float = 0.0
    criterion: bool = False
    map_name: str = "viridis"
    chosen: frozenset[str] = frozenset()
    hovered: tuple[int, int] | None = None

    @property
    def at(self) -> int:
        """Joins that are made."""
        return min(int(self.time), self.scene.end)

    @property
    def change(self) -> float:
        """How far the rows of the next pair have merged, 0 to 1."""
        return max((self.time - self.at - 1 + CHANGE) / CHANGE, 0.0)

    def values(self, at: int) -> np.ndarray:
        """The matrix of a picture, NaN on the diagonal."""
        step = self.scene.step(at)
        if self.criterion and not self.scene.average:
            return step.criterion
        values = step.values.copy()
        np.fill_diagonal(values, np.nan)
        return values

    def levels(self, at: int) -> tuple[float, float]:
        """The values at both ends of the colours: of all distances in all pictures, or of Q in this one."""
        return heat.levels(self.values(at)) if self.criterion and not self.scene.average else self.scene.levels


@dataclass(frozen=True)
class Places:
    """Where things are, in pixels: rows of this height from ``top``, the tree from ``left`` to ``tips``, the matrix."""

    row: float
    top: float
    left: float
    tips: float
    matrix: QRectF

    def y(self, row: float) -> float:
        return self.top + row * self.row

    def row_at(self, y: float) -> int:
        return int((y - self.top) // self.row)


def places(scene: Scene, width: float, height: float, font: QFont) -> Places:
    """The largest rows for which tree, names and a square matrix have room; no names where rows are too low."""
    named = _places(scene, width, height, _names_width(scene, width, font))
    return named if named.row >= heat.NAME_ROW else _places(scene, width, height, 0.0)


def _places(scene: Scene, width: float, height: float, names: float) -> Places:
    taxa = len(scene.names)
    room = width - 2 * MARGIN - names - 2 * GAP
    side = max(min(height - 2 * MARGIN - names, room * (1 - TREE_SHARE), LARGEST_ROW * taxa), 20.0)
    row = side / taxa
    top = MARGIN + max(height - 2 * MARGIN - names - side, 0) / 2
    tree = min(room - side, 1.2 * width * TREE_SHARE)
    left = MARGIN + max(room - side - tree, 0) / 2
    tips = left + tree
    return Places(row, top, left, tips, QRectF(tips + 2 * GAP + names, top, side, side))


def paint(painter: QPainter, moment: Moment, width: float, height: float, theme: Theme) -> Places:
    """Draw a moment into a window; returns where things are."""
    base = QFont(painter.font())
    found = places(moment.scene, width, height, base)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _chosen(painter, moment, found, theme)
    _tree(painter, moment, found, theme)
    _names(painter, moment, found, base, theme)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    _matrix(painter, moment, found, base, theme)
    painter.restore()
    return found


def node_x(scene: Scene, place: Places, node: int) -> float:
    """Taxa stand at the tips, every join one step further to the left."""
    return place.tips - float(scene.level[node]) / max(scene.end, 1) * (place.tips - place.left - STEM)


def _names_width(scene: Scene, width: float, font: QFont) -> float:
    largest = heat.name_font(font, LARGEST_ROW)
    largest.setBold(True)
    metrics = QFontMetricsF(largest)
    widest = max(metrics.horizontalAdvance(name) for name in scene.names)
    return min(widest + 4, NAMES_SHARE * width)


def _chosen(painter: QPainter, moment: Moment, place: Places, theme: Theme) -> None:
    """Shade the names of selected taxa."""
    names_left = place.tips + GAP / 2
    for row, taxon in enumerate(moment.scene.order.tolist()):
        if moment.scene.names[taxon] in moment.chosen:
            band = QRectF(names_left, place.y(row), place.matrix.left() - GAP / 2 - names_left, place.row)
            painter.fillRect(band, QColor(theme.selection))


def _tree(painter: QPainter, moment: Moment, place: Places, theme: Theme) -> None:
    """The joins that are made, and the next one, which grows while its rows merge."""
    scene, at = moment.scene, moment.at
    taxa = len(scene.names)
    coming = scene.coming(at)
    for node in range(taxa, taxa + at):
        _join(painter, scene, place, node, QPen(QColor(theme.text), 1.3), 1.0)
    painter.setBrush(QColor(theme.accent))
    if coming:
        _join(painter, scene, place, taxa + at, QPen(QColor(theme.accent), MARK), moment.change)
    for node in scene.step(at).nodes if at < scene.end else (len(scene.parents) - 1,):
        x, y = node_x(scene, place, node), place.y(scene.middle[node])
        marked = node in coming
        painter.setPen(QPen(QColor(theme.accent if marked else theme.muted), 1))
        painter.setBrush(QColor(theme.accent if marked else theme.panel))
        painter.drawEllipse(QPointF(x, y), DOT, DOT)


def _join(painter: QPainter, scene: Scene, place: Places, node: int, pen: QPen, grown: float) -> None:
    """The branches from the children of a node, grown so far, and the line between them at the end."""
    painter.setPen(pen)
    x = node_x(scene, place, node)
    children = np.flatnonzero(scene.parents == node).tolist()
    for child in children:
        start, y = node_x(scene, place, child), place.y(scene.middle[child])
        painter.drawLine(QLineF(start, y, start + grown * (x - start), y))
    if grown >= 1:
        ends = [place.y(scene.middle[child]) for child in children]
        painter.drawLine(QLineF(x, min(ends), x, max(ends)))


def _names(painter: QPainter, moment: Moment, place: Places, base: QFont, theme: Theme) -> None:
    """Names beside the rows and under the columns, as far as they can be read."""
    room = place.matrix.left() - place.tips - 2 * GAP
    if room <= 0:
        return
    scene, painted = moment.scene, set(moment.scene.coming(moment.at))
    font = heat.name_font(base, place.row)
    bold = QFont(font)
    bold.setBold(True)
    rows = [row for node in painted for row in range(scene.first[node], scene.last[node])]
    for row, taxon in enumerate(scene.order.tolist()):
        joined = row in rows and len(painted) == 2
        painter.setFont(bold if joined else font)
        painter.setPen(QColor(theme.accent if joined else theme.text))
        name, middle = scene.names[taxon], row + 0.5
        heat.draw_row_name(painter, place.tips + GAP, place.y(middle), room, name)
        x = place.matrix.left() + middle * place.row
        heat.draw_column_name(painter, x, place.matrix.bottom() + 4, room, name)


def _matrix(painter: QPainter, moment: Moment, place: Places, base: QFont, theme: Theme) -> None:
    scene, at, change = moment.scene, moment.at, moment.change
    clusters = scene.clusters(at)
    spread = _spread(moment, at)
    if change and at + 1 <= scene.end and scene.step(at).pair:
        after = _spread(moment, at + 1)
        spread = np.where(np.isnan(after), spread, (1 - change) * spread + change * after)
    heat.draw_image(painter, place.matrix, heat.image(spread, moment.map_name, theme.border))
    coming = scene.coming(at)
    painter.setPen(QPen(QColor(theme.panel), 1 if place.row < 12 else 2))
    for border in (np.flatnonzero(np.diff(clusters)) + 1).tolist():
        y, x = place.y(border), place.matrix.left() + border * place.row
        painter.drawLine(QLineF(place.matrix.left(), y, place.matrix.right(), y))
        painter.drawLine(QLineF(x, place.matrix.top(), x, place.matrix.bottom()))
    if not change:
        _numbers(painter, moment, place, base)
    if len(coming) == 2:
        _pair(painter, scene, place, coming, theme)
    if moment.hovered is not None:
        painter.setPen(QPen(QColor(theme.text), 1))
        painter.drawRect(_cell(scene, place, *moment.hovered))


def _spread(moment: Moment, at: int) -> np.ndarray:
    """Places in the colour map of the matrix of a picture, a number for each pair of rows."""
    clusters = moment.scene.clusters(at)
    return heat.shades(moment.values(at)[np.ix_(clusters, clusters)], *moment.levels(at))


def _numbers(painter: QPainter, moment: Moment, place: Places, base: QFont) -> None:
    """The values, where every cell has room for one."""
    scene, nodes = moment.scene, moment.scene.step(moment.at).nodes
    if not heat.has_room_for_numbers(place.row, place.row) or moment.at >= scene.end:
        return
    painter.setFont(heat.number_font(base))
    values, levels = moment.values(moment.at), moment.levels(moment.at)
    colours = heat.shades(values, *levels)
    for i, first in enumerate(nodes):
        for j, second in enumerate(nodes):
            if i != j:
                box = _cell(scene, place, first, second)
                heat.draw_number(painter, box, float(values[i, j]), float(colours[i, j]), moment.map_name)


def _pair(painter: QPainter, scene: Scene, place: Places, pair: tuple[int, ...], theme: Theme) -> None:
    """Frames around the two cells of the pair, and marks at its rows and columns."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for first, second in (pair, pair[::-1]):
        box = _cell(scene, place, first, second)
        for pen in (QPen(QColor(theme.panel), MARK + 3), QPen(QColor(theme.path), MARK)):
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.drawRect(box)


def _cell(scene: Scene, place: Places, first: int, second: int) -> QRectF:
    """The cell of two clusters: the rows of the one, the columns of the other."""
    top, bottom = place.y(scene.first[first]), place.y(scene.last[first])
    left = place.matrix.left() + float(scene.first[second]) * place.row
    right = place.matrix.left() + float(scene.last[second]) * place.row
    return QRectF(left, top, right - left, bottom - top)
