"""Painting of the visible part of a distance matrix: cells, names, and the tree that orders the rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.kit.tree.visible_branches import STEM, TreeFrame, VisibleBranches, find_visible_branches
from antidiag.app.theme import Theme
from antidiag.kernels.trees.tree_layout import TreeLayout

MARGIN, GAP = 14.0, 6.0
TREE_SHARE, WIDEST_TREE = 0.2, 180.0
NAMES_SHARE, SAMPLE = 0.2, 400
LARGEST_CELL = 44.0
CLOSEST_CELL = 90.0
FINEST = 2  # most samples per pixel, for high-density screens and files


@dataclass
class DistanceHeatMap:
    """A matrix to draw. ``order`` is the taxon of each row; ``layout`` a tree with its leaves in this order."""

    values: np.ndarray
    names: tuple[str, ...]
    order: np.ndarray
    levels: tuple[float, float]
    layout: TreeLayout | None = None
    map_name: str = "viridis"
    labelled: bool = True
    numbers: bool = True
    chosen: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    """For each row, whether its taxon is selected."""
    current: tuple[int, int] | None = None

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return len(self.order)

    def value_at(self, row: int, column: int) -> float:
        """Return the distance of a displayed cell."""
        return float(self.values[self.order[row], self.order[column]])

    def row_name(self, row: int) -> str:
        """Return the name of a displayed row."""
        return self.names[int(self.order[row])]


@dataclass(frozen=True)
class MatrixViewport:
    """The visible part: cell (0, 0) is at (left, top), cells are ``cell`` pixels wide, and drawing is cut to ``area``.

    To the right of the area and below it are ``names`` pixels for names.
    """

    cell: float
    left: float
    top: float
    area: QRectF
    names: float = 0.0

    def visible_rows(self, count: int) -> tuple[int, int]:
        """Return the visible rows as a half-open range."""
        return _visible_span(self.area.top() - self.top, self.area.bottom() - self.top, self.cell, count)

    def visible_columns(self, count: int) -> tuple[int, int]:
        """Return the first and last visible column."""
        return _visible_span(self.area.left() - self.left, self.area.right() - self.left, self.cell, count)

    def cell_at(self, place: QPointF, count: int) -> tuple[int, int] | None:
        """Return row and column at a position, or None."""
        row, column = int((place.y() - self.top) // self.cell), int((place.x() - self.left) // self.cell)
        inside = 0 <= row < count and 0 <= column < count and self.area.contains(place)
        return (row, column) if inside else None

    def cell_box(self, row: int, column: int) -> QRectF:
        """Return the rectangle of a cell."""
        return QRectF(self.left + column * self.cell, self.top + row * self.cell, self.cell, self.cell)


def fit_viewport(picture: DistanceHeatMap, width: float, height: float, font: QFont) -> MatrixViewport:
    """Return the view that shows the whole matrix, with room for tree and names."""
    tree = min(TREE_SHARE * width, WIDEST_TREE) if picture.layout is not None else 0.0
    names = _names_width(picture, min(width, height), font) if picture.labelled else 0.0
    beside = tree + (GAP if tree else 0) + names + 2 * MARGIN
    side = max(min(width - beside, height - names - 2 * MARGIN, LARGEST_CELL * picture.row_count), 20.0)
    left = MARGIN + tree + (GAP if tree else 0) + max(width - beside - side, 0) / 2
    top = MARGIN + max(height - names - 2 * MARGIN - side, 0) / 2
    return MatrixViewport(side / picture.row_count, left, top, QRectF(left, top, side, side), names)


def tree_frame(picture: DistanceHeatMap, view: MatrixViewport) -> TreeFrame:
    """Return the frame in which the leaves of the tree are aligned with the rows."""
    left, _, right, _ = picture.layout.bounds
    width = max(min(WIDEST_TREE, view.area.left() - MARGIN - GAP) - STEM - 2, 10.0)
    across = width / ((right - left) or 1)
    start = view.area.left() - GAP - width
    return TreeFrame(across, view.cell, start - left * across, view.top, view.area.left(), view.area.bottom())


def draw_matrix(
    painter: QPainter, picture: DistanceHeatMap, view: MatrixViewport, theme: Theme, density: float = 1.0
) -> VisibleBranches | None:
    """Draw a matrix with ``density`` samples per pixel. Return the branches of its tree, or None."""
    base = QFont(painter.font())
    with saved_painter_state(painter):
        _draw_cells(painter, picture, view, theme, min(density, FINEST))
        _draw_numbers(painter, picture, view, base)
        _cover_outside(painter, view, theme)
        drawn = _draw_tree(painter, picture, view, theme) if picture.layout is not None else None
        _draw_marks(painter, picture, view, theme)
        if picture.labelled:
            _draw_names(painter, picture, view, base, theme)
    return drawn


def sample_values(picture: DistanceHeatMap, view: MatrixViewport, density: float) -> tuple[np.ndarray, QRectF]:
    """Return the values to draw and their rectangle: all visible cells, or one per sample where cells are smaller.

    The diagonal is NaN.
    """
    rows, columns = view.visible_rows(picture.row_count), view.visible_columns(picture.row_count)
    down, across = (_sample_indices(low, high, view.cell * density) for low, high in (rows, columns))
    values = picture.values[np.ix_(picture.order[down], picture.order[across])].astype(np.float64)
    values[down[:, None] == across[None, :]] = np.nan
    box = QRectF(
        view.left + columns[0] * view.cell,
        view.top + rows[0] * view.cell,
        (columns[1] - columns[0]) * view.cell,
        (rows[1] - rows[0]) * view.cell,
    )
    return values, box


def _sample_indices(low: int, high: int, samples: float) -> np.ndarray:
    """Return all indices low .. high, or evenly spaced ones where there is less than one sample per index."""
    most = max(int((high - low) * samples), 1)
    if high - low <= most:
        return np.arange(low, high)
    return (low + (np.arange(most) + 0.5) * (high - low) / most).astype(np.int64)


def _draw_cells(
    painter: QPainter, picture: DistanceHeatMap, view: MatrixViewport, theme: Theme, density: float
) -> None:
    values, box = sample_values(picture, view, density)
    if not values.size:
        return
    with saved_painter_state(painter):
        painter.setClipRect(view.area)
        drawn = heat_map.render_image(heat_map.map_positions(values, *picture.levels), picture.map_name, theme.border)
        heat_map.draw_sharp_image(painter, box, drawn)
        if view.cell >= 8:
            painter.setPen(QPen(QColor(theme.panel), 1))
            ys = view.top + np.arange(*view.visible_rows(picture.row_count)) * view.cell
            xs = view.left + np.arange(*view.visible_columns(picture.row_count)) * view.cell
            lines = [QLineF(box.left(), y, box.right(), y) for y in ys.tolist()]
            lines += [QLineF(x, box.top(), x, box.bottom()) for x in xs.tolist()]
            painter.drawLines(lines)


def _draw_numbers(painter: QPainter, picture: DistanceHeatMap, view: MatrixViewport, base: QFont) -> None:
    if not picture.numbers or not heat_map.fits_numbers(view.cell, view.cell):
        return
    with saved_painter_state(painter):
        painter.setClipRect(view.area)
        painter.setFont(heat_map.number_font(base))
        for row in range(*view.visible_rows(picture.row_count)):
            for column in range(*view.visible_columns(picture.row_count)):
                if row != column:
                    value = picture.value_at(row, column)
                    place = float(heat_map.map_positions(np.array(value), *picture.levels))
                    heat_map.draw_number(painter, view.cell_box(row, column), value, place, picture.map_name)


def _cover_outside(painter: QPainter, view: MatrixViewport, theme: Theme) -> None:
    """Cover the parts of cells outside the area, because SVG has no clipping."""
    area, over = view.area, view.cell + 1
    outside = area.adjusted(-over, -over, over, over)
    for part in (
        QRectF(outside.topLeft(), area.topRight() + QPointF(over, 0)),
        QRectF(area.bottomLeft() - QPointF(over, 0), outside.bottomRight()),
        QRectF(outside.topLeft(), area.bottomLeft()),
        QRectF(area.topRight(), outside.bottomRight()),
    ):
        painter.fillRect(part, QColor(theme.panel))


def _draw_marks(painter: QPainter, picture: DistanceHeatMap, view: MatrixViewport, theme: Theme) -> None:
    """Draw bars beside rows and under columns of selected taxa, and a frame around the current cell."""
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
    if picture.current is not None and view.area.intersects(box := view.cell_box(*picture.current)):
        painter.setBrush(Qt.BrushStyle.NoBrush)
        box = box.adjusted(-1, -1, 1, 1) if view.cell < 4 else box
        for pen in (QPen(QColor(theme.panel), 4), QPen(QColor(theme.path), 2)):
            painter.setPen(pen)
            painter.drawRect(box)


def _draw_names(painter: QPainter, picture: DistanceHeatMap, view: MatrixViewport, base: QFont, theme: Theme) -> None:
    """Draw names to the right of rows and under columns; where they do not fit, only every n-th."""
    painter.setFont(heat_map.name_font(base, view.cell))
    step = max(int(np.ceil(heat_map.NAME_ROW / view.cell)), 1)
    metrics, room = QFontMetricsF(painter.font()), view.names - GAP - 4
    height = metrics.height()
    area = view.area
    spans = (
        (view.visible_rows(picture.row_count), view.top, area.top(), area.bottom()),
        (view.visible_columns(picture.row_count), view.left, area.left(), area.right()),
    )
    for upright, ((low, high), start, first, last) in enumerate(spans):
        for at in range(low + -low % step, high, step):
            middle = start + (at + 0.5) * view.cell
            if not first <= middle <= last:
                continue
            if picture.chosen.size and picture.chosen[at] and step == 1:
                length = min(metrics.horizontalAdvance(picture.row_name(at)), room) + 4
                shade = QRectF(area.right() + GAP, middle - height / 2, length, height)
                if upright:
                    shade = QRectF(middle - height / 2, area.bottom() + GAP, height, length)
                painter.fillRect(shade, QColor(theme.selection))
            painter.setPen(QColor(theme.muted if step > 1 else theme.text))
            if upright:
                heat_map.draw_column_name(painter, middle, area.bottom() + GAP + 2, room, picture.row_name(at))
            else:
                heat_map.draw_row_name(painter, area.right() + GAP + 2, middle, room, picture.row_name(at))


def _draw_tree(painter: QPainter, picture: DistanceHeatMap, view: MatrixViewport, theme: Theme) -> VisibleBranches:
    frame = tree_frame(picture, view)
    found = find_visible_branches(picture.layout, frame)
    with saved_painter_state(painter):
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
    painter.fillRect(QRectF(0, -6, view.area.left() - 1, view.area.top() + 5), QColor(theme.panel))
    return found


def _names_width(picture: DistanceHeatMap, width: float, font: QFont) -> float:
    metrics = QFontMetricsF(heat_map.name_font(font, LARGEST_CELL))
    sample = picture.order[:: max(picture.row_count // SAMPLE, 1)].tolist()
    widest = max(metrics.horizontalAdvance(picture.names[taxon]) for taxon in sample)
    return min(widest + 2 * GAP + 6, NAMES_SHARE * width)


def _visible_span(start: float, end: float, cell: float, count: int) -> tuple[int, int]:
    low, high = int(max(start, 0) // cell), int(-(-max(end, 0) // cell))
    return min(low, count), min(max(high, 0), count)
