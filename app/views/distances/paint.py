"""Painting a distance matrix through a window: cells, names, and the tree whose order the rows are in."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from antidiag.app.kit import heat
from antidiag.app.kit.tree.frame import STEM, Branches, Frame, branches
from antidiag.app.kit.tree.layout import Layout
from antidiag.app.theme import Theme

MARGIN, GAP = 14.0, 6.0
TREE_SHARE, WIDEST_TREE = 0.2, 180.0
NAMES_SHARE, SAMPLE = 0.2, 400
LARGEST_CELL = 44.0
CLOSEST_CELL = 90.0
FINEST = 2
"""Samples a pixel at most, on screens of high density and in files."""


@dataclass
class Heat:
    """What there is to draw. ``order`` is the taxon of each row; ``layout`` a tree with its leaves in this order."""

    values: np.ndarray
    names: tuple[str, ...]
    order: np.ndarray
    levels: tuple[float, float]
    layout: Layout | None = None
    map_name: str = "viridis"
    labelled: bool = True
    numbers: bool = True
    chosen: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    """Of each row, whether its taxon is selected."""
    current: tuple[int, int] | None = None

    @property
    def count(self) -> int:
        return len(self.order)

    def value(self, row: int, column: int) -> float:
        return float(self.values[self.order[row], self.order[column]])

    def name(self, row: int) -> str:
        return self.names[int(self.order[row])]


@dataclass(frozen=True)
class View:
    """A window: cell (0, 0) begins at (left, top), cells have ``cell`` pixels, and what is outside ``area`` is cut.

    Beside and below the area are ``names`` pixels for names.
    """

    cell: float
    left: float
    top: float
    area: QRectF
    names: float = 0.0

    def rows(self, count: int) -> tuple[int, int]:
        """The rows that can be seen, half-open."""
        return _span(self.area.top() - self.top, self.area.bottom() - self.top, self.cell, count)

    def columns(self, count: int) -> tuple[int, int]:
        return _span(self.area.left() - self.left, self.area.right() - self.left, self.cell, count)

    def cell_at(self, place: QPointF, count: int) -> tuple[int, int] | None:
        """Row and column under a place of the area."""
        row, column = int((place.y() - self.top) // self.cell), int((place.x() - self.left) // self.cell)
        inside = 0 <= row < count and 0 <= column < count and self.area.contains(place)
        return (row, column) if inside else None

    def box(self, row: int, column: int) -> QRectF:
        return QRectF(self.left + column * self.cell, self.top + row * self.cell, self.cell, self.cell)


def fitting(picture: Heat, width: float, height: float, font: QFont) -> View:
    """The window that shows the whole matrix, with room for tree and names."""
    tree = min(TREE_SHARE * width, WIDEST_TREE) if picture.layout is not None else 0.0
    names = _names_width(picture, min(width, height), font) if picture.labelled else 0.0
    beside = tree + (GAP if tree else 0) + names + 2 * MARGIN
    side = max(min(width - beside, height - names - 2 * MARGIN, LARGEST_CELL * picture.count), 20.0)
    left = MARGIN + tree + (GAP if tree else 0) + max(width - beside - side, 0) / 2
    top = MARGIN + max(height - names - 2 * MARGIN - side, 0) / 2
    return View(side / picture.count, left, top, QRectF(left, top, side, side), names)


def tree_frame(picture: Heat, view: View) -> Frame:
    """The window of the tree, whose rows are those of the matrix."""
    left, _, right, _ = picture.layout.bounds
    width = max(min(WIDEST_TREE, view.area.left() - MARGIN - GAP) - STEM - 2, 10.0)
    across = width / ((right - left) or 1)
    start = view.area.left() - GAP - width
    return Frame(across, view.cell, start - left * across, view.top, view.area.left(), view.area.bottom())


def paint(painter: QPainter, picture: Heat, view: View, theme: Theme, density: float = 1.0) -> Branches | None:
    """Draw a matrix; ``density`` are samples a pixel. Returns the branches of the tree, where there is one."""
    base = QFont(painter.font())
    painter.save()
    _cells(painter, picture, view, theme, min(density, FINEST))
    _numbers(painter, picture, view, base)
    _cover(painter, view, theme)
    drawn = _tree(painter, picture, view, theme) if picture.layout is not None else None
    _marks(painter, picture, view, theme)
    if picture.labelled:
        _names(painter, picture, view, base, theme)
    painter.restore()
    return drawn


def sampled(picture: Heat, view: View, density: float) -> tuple[np.ndarray, QRectF]:
    """Values to draw and where: every cell that is seen, or where cells are less than a sample, one cell of each.

    The diagonal is NaN.
    """
    rows, columns = view.rows(picture.count), view.columns(picture.count)
    down, across = (_picked(low, high, view.cell * density) for low, high in (rows, columns))
    values = picture.values[np.ix_(picture.order[down], picture.order[across])].astype(np.float64)
    values[down[:, None] == across[None, :]] = np.nan
    box = QRectF(
        view.left + columns[0] * view.cell,
        view.top + rows[0] * view.cell,
        (columns[1] - columns[0]) * view.cell,
        (rows[1] - rows[0]) * view.cell,
    )
    return values, box


def _picked(low: int, high: int, samples: float) -> np.ndarray:
    """All places low .. high, or where there are fewer ``samples`` a place than one, some at equal distances."""
    most = max(int((high - low) * samples), 1)
    if high - low <= most:
        return np.arange(low, high)
    return (low + (np.arange(most) + 0.5) * (high - low) / most).astype(np.int64)


def _cells(painter: QPainter, picture: Heat, view: View, theme: Theme, density: float) -> None:
    values, box = sampled(picture, view, density)
    if not values.size:
        return
    painter.save()
    painter.setClipRect(view.area)
    drawn = heat.image(heat.shades(values, *picture.levels), picture.map_name, theme.border)
    heat.draw_image(painter, box, drawn)
    if view.cell >= 8:
        painter.setPen(QPen(QColor(theme.panel), 1))
        ys = view.top + np.arange(*view.rows(picture.count)) * view.cell
        xs = view.left + np.arange(*view.columns(picture.count)) * view.cell
        lines = [QLineF(box.left(), y, box.right(), y) for y in ys.tolist()]
        lines += [QLineF(x, box.top(), x, box.bottom()) for x in xs.tolist()]
        painter.drawLines(lines)
    painter.restore()


def _numbers(painter: QPainter, picture: Heat, view: View, base: QFont) -> None:
    if not picture.numbers or not heat.has_room_for_numbers(view.cell, view.cell):
        return
    painter.save()
    painter.setClipRect(view.area)
    painter.setFont(heat.number_font(base))
    for row in range(*view.rows(picture.count)):
        for column in range(*view.columns(picture.count)):
            if row != column:
                value = picture.value(row, column)
                place = float(heat.shades(np.array(value), *picture.levels))
                heat.draw_number(painter, view.box(row, column), value, place, picture.map_name)
    painter.restore()


def _cover(painter: QPainter, view: View, theme: Theme) -> None:
    """Cover the parts of cells outside the area, because SVG knows no clipping."""
    area, over = view.area, view.cell + 1
    outside = area.adjusted(-over, -over, over, over)
    for part in (
        QRectF(outside.topLeft(), area.topRight() + QPointF(over, 0)),
        QRectF(area.bottomLeft() - QPointF(over, 0), outside.bottomRight()),
        QRectF(outside.topLeft(), area.bottomLeft()),
        QRectF(area.topRight(), outside.bottomRight()),
    ):
        painter.fillRect(part, QColor(theme.panel))


def _marks(painter: QPainter, picture: Heat, view: View, theme: Theme) -> None:
    """Bars beside the rows and under the columns of selected taxa, and a frame around the current cell."""
    area, thick = view.area, max(GAP - 2, 3.0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], picture.chosen, [False]])))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent))
    for low, high in edges.reshape(-1, 2).tolist():
        length = max((high - low) * view.cell, 1.5)
        beside = QRectF(area.right() + 1, view.top + low * view.cell, thick, length)
        below = QRectF(view.left + low * view.cell, area.bottom() + 1, length, thick)
        painter.drawRect(beside.intersected(QRectF(0, area.top(), beside.right(), area.height())))
        painter.drawRect(below.intersected(QRectF(area.left(), 0, area.width(), below.bottom())))
    if picture.current is not None and view.area.intersects(box := view.box(*picture.current)):
        painter.setBrush(Qt.BrushStyle.NoBrush)
        box = box.adjusted(-1, -1, 1, 1) if view.cell < 4 else box
        for pen in (QPen(QColor(theme.panel), 4), QPen(QColor(theme.path), 2)):
            painter.setPen(pen)
            painter.drawRect(box)


def _names(painter: QPainter, picture: Heat, view: View, base: QFont, theme: Theme) -> None:
    """Names to the right of rows and under columns: all that have room, else one of every so many."""
    painter.setFont(heat.name_font(base, view.cell))
    step = max(int(np.ceil(heat.NAME_ROW / view.cell)), 1)
    metrics, room = QFontMetricsF(painter.font()), view.names - GAP - 4
    height = metrics.height()
    spans = (view.rows(picture.count), view.top, view.area.top(), view.area.bottom()), (
        view.columns(picture.count), view.left, view.area.left(), view.area.right())  # fmt: skip
    for upright, ((low, high), start, first, last) in enumerate(spans):
        for at in range(low + -low % step, high, step):
            middle = start + (at + 0.5) * view.cell
            if not first <= middle <= last:
                continue
            if picture.chosen.size and picture.chosen[at] and step == 1:
                length = min(metrics.horizontalAdvance(picture.name(at)), room) + 4
                shade = QRectF(view.area.right() + GAP, middle - height / 2, length, height)
                if upright:
                    shade = QRectF(middle - height / 2, view.area.bottom() + GAP, height, length)
                painter.fillRect(shade, QColor(theme.selection))
            painter.setPen(QColor(theme.muted if step > 1 else theme.text))
            if upright:
                heat.draw_column_name(painter, middle, view.area.bottom() + GAP + 2, room, picture.name(at))
            else:
                heat.draw_row_name(painter, view.area.right() + GAP + 2, middle, room, picture.name(at))


def _tree(painter: QPainter, picture: Heat, view: View, theme: Theme) -> Branches:
    frame = tree_frame(picture, view)
    found = branches(picture.layout, frame)
    painter.save()
    painter.setClipRect(QRectF(0, view.area.top(), view.area.left(), view.area.height()))
    marked = np.zeros(len(found.lines), bool)
    if picture.chosen.any():
        tree = picture.layout.tree
        leaves = np.zeros(len(tree), np.int64)
        leaves[tree.leaves] = picture.chosen
        marked = (tree.below(leaves) == tree.leaf_counts)[found.owners]
    for chosen, colour, width in ((~marked, theme.muted, 1.0), (marked, theme.accent, 2.0)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawLines([QLineF(*line) for line in found.lines[chosen].tolist()])
    painter.restore()
    painter.fillRect(QRectF(0, -6, view.area.left() - 1, view.area.top() + 5), QColor(theme.panel))
    return found


def _names_width(picture: Heat, width: float, font: QFont) -> float:
    metrics = QFontMetricsF(heat.name_font(font, LARGEST_CELL))
    sample = picture.order[:: max(picture.count // SAMPLE, 1)].tolist()
    widest = max(metrics.horizontalAdvance(picture.names[taxon]) for taxon in sample)
    return min(widest + 2 * GAP + 6, NAMES_SHARE * width)


def _span(start: float, end: float, cell: float, count: int) -> tuple[int, int]:
    low, high = int(max(start, 0) // cell), int(-(-max(end, 0) // cell))
    return min(low, count), min(max(high, 0), count)
