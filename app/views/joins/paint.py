"""Paints a moment of the joins: the tree so far, and beside its rows the shrinking matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from antidiag.app.kit.painting import heat_map
from antidiag.app.theme import Theme
from antidiag.app.views.joins.scene import JoinScene

MARGIN, GAP, STEM = 14.0, 8.0, 10.0
TREE_SHARE, NAMES_SHARE = 0.34, 0.22
"""Most shares of the width for the tree and the names."""
LARGEST_ROW = 44.0
"""Most pixels of a row."""
CHANGE = 0.35
"""The last part of a join, in which rows merge; before it, the pair is marked."""
MARK = 2.5
DOT = 3.5


@dataclass
class JoinsMoment:
    """What is shown; ``time`` counts joins, and a fraction is a join in progress."""

    scene: JoinScene
    time: float = 0.0
    criterion: bool = False
    map_name: str = "viridis"
    selected_taxa: frozenset[str] = frozenset()
    hovered: tuple[int, int] | None = None

    @property
    def finished_joins(self) -> int:
        """Finished joins."""
        return min(int(self.time), self.scene.last_step)

    @property
    def merge_progress(self) -> float:
        """How far the rows of the next pair have merged, from 0 to 1."""
        return max((self.time - self.finished_joins - 1 + CHANGE) / CHANGE, 0.0)

    def matrix_values(self, at: int) -> np.ndarray:
        """Return the matrix at a step, NaN on the diagonal."""
        step = self.scene.step_at(at)
        if self.criterion and not self.scene.average:
            return step.criterion
        values = step.values.copy()
        np.fill_diagonal(values, np.nan)
        return values

    def colour_levels(self, at: int) -> tuple[float, float]:
        """Return the values at both ends of the colours: of all distances at all steps, or of Q at this step."""
        return (
            heat_map.value_range(self.matrix_values(at))
            if self.criterion and not self.scene.average
            else self.scene.levels
        )


@dataclass(frozen=True)
class JoinsLayout:
    """Layout in pixels: row height, top of the rows, left side and tips of the tree, and the matrix."""

    row: float
    top: float
    left: float
    tips: float
    matrix: QRectF

    def y(self, row: float) -> float:
        """Return the height of a row."""
        return self.top + row * self.row

    def row_at(self, y: float) -> int:
        """Return the row at a height."""
        return int((y - self.top) // self.row)


def find_layout(scene: JoinScene, width: float, height: float, font: QFont) -> JoinsLayout:
    """Return the layout with the largest rows; without names if rows are too low for them."""
    named = _compute_layout(scene, width, height, _names_width(scene, width, font))
    return named if named.row >= heat_map.NAME_ROW else _compute_layout(scene, width, height, 0.0)


def _compute_layout(scene: JoinScene, width: float, height: float, names: float) -> JoinsLayout:
    taxa = len(scene.names)
    room = width - 2 * MARGIN - names - 2 * GAP
    side = max(min(height - 2 * MARGIN - names, room * (1 - TREE_SHARE), LARGEST_ROW * taxa), 20.0)
    row = side / taxa
    top = MARGIN + max(height - 2 * MARGIN - names - side, 0) / 2
    tree = min(room - side, 1.2 * width * TREE_SHARE)
    left = MARGIN + max(room - side - tree, 0) / 2
    tips = left + tree
    return JoinsLayout(row, top, left, tips, QRectF(tips + 2 * GAP + names, top, side, side))


def paint_moment(painter: QPainter, moment: JoinsMoment, width: float, height: float, theme: Theme) -> JoinsLayout:
    """Draw a moment and return its layout."""
    base = QFont(painter.font())
    found = find_layout(moment.scene, width, height, base)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _shade_selected(painter, moment, found, theme)
    _draw_tree(painter, moment, found, theme)
    _draw_names(painter, moment, found, base, theme)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    _draw_matrix(painter, moment, found, base, theme)
    painter.restore()
    return found


def node_x(scene: JoinScene, place: JoinsLayout, node: int) -> float:
    """Return where a node is drawn: taxa at the tips, each join one step further to the left."""
    return place.tips - float(scene.level[node]) / max(scene.last_step, 1) * (place.tips - place.left - STEM)


def _names_width(scene: JoinScene, width: float, font: QFont) -> float:
    largest = heat_map.name_font(font, LARGEST_ROW)
    largest.setBold(True)
    metrics = QFontMetricsF(largest)
    widest = max(metrics.horizontalAdvance(name) for name in scene.names)
    return min(widest + 4, NAMES_SHARE * width)


def _shade_selected(painter: QPainter, moment: JoinsMoment, place: JoinsLayout, theme: Theme) -> None:
    """Shade the names of selected taxa."""
    names_left = place.tips + GAP / 2
    for row, taxon in enumerate(moment.scene.order.tolist()):
        if moment.scene.names[taxon] in moment.selected_taxa:
            band = QRectF(names_left, place.y(row), place.matrix.left() - GAP / 2 - names_left, place.row)
            painter.fillRect(band, QColor(theme.selection))


def _draw_tree(painter: QPainter, moment: JoinsMoment, place: JoinsLayout, theme: Theme) -> None:
    """Draw the finished joins, and the next one, which grows while its rows merge."""
    scene, at = moment.scene, moment.finished_joins
    taxa = len(scene.names)
    coming = scene.next_clusters(at)
    for node in range(taxa, taxa + at):
        _draw_join(painter, scene, place, node, QPen(QColor(theme.text), 1.3), 1.0)
    painter.setBrush(QColor(theme.accent))
    if coming:
        _draw_join(painter, scene, place, taxa + at, QPen(QColor(theme.accent), MARK), moment.merge_progress)
    for node in scene.step_at(at).nodes if at < scene.last_step else (len(scene.parents) - 1,):
        x, y = node_x(scene, place, node), place.y(scene.middle[node])
        marked = node in coming
        painter.setPen(QPen(QColor(theme.accent if marked else theme.muted), 1))
        painter.setBrush(QColor(theme.accent if marked else theme.panel))
        painter.drawEllipse(QPointF(x, y), DOT, DOT)


def _draw_join(painter: QPainter, scene: JoinScene, place: JoinsLayout, node: int, pen: QPen, grown: float) -> None:
    """Draw the branches to the children of a node, grown to this share, and at the end the line between them."""
    painter.setPen(pen)
    x = node_x(scene, place, node)
    children = np.flatnonzero(scene.parents == node).tolist()
    for child in children:
        start, y = node_x(scene, place, child), place.y(scene.middle[child])
        painter.drawLine(QLineF(start, y, start + grown * (x - start), y))
    if grown >= 1:
        ends = [place.y(scene.middle[child]) for child in children]
        painter.drawLine(QLineF(x, min(ends), x, max(ends)))


def _draw_names(painter: QPainter, moment: JoinsMoment, place: JoinsLayout, base: QFont, theme: Theme) -> None:
    """Write names beside the rows and under the columns if they are readable."""
    room = place.matrix.left() - place.tips - 2 * GAP
    if room <= 0:
        return
    scene, painted = moment.scene, set(moment.scene.next_clusters(moment.finished_joins))
    font = heat_map.name_font(base, place.row)
    bold = QFont(font)
    bold.setBold(True)
    rows = [row for node in painted for row in range(scene.first[node], scene.last[node])]
    for row, taxon in enumerate(scene.order.tolist()):
        joined = row in rows and len(painted) == 2
        painter.setFont(bold if joined else font)
        painter.setPen(QColor(theme.accent if joined else theme.text))
        name, middle = scene.names[taxon], row + 0.5
        heat_map.draw_row_name(painter, place.tips + GAP, place.y(middle), room, name)
        x = place.matrix.left() + middle * place.row
        heat_map.draw_column_name(painter, x, place.matrix.bottom() + 4, room, name)


def _draw_matrix(painter: QPainter, moment: JoinsMoment, place: JoinsLayout, base: QFont, theme: Theme) -> None:
    scene, at, change = moment.scene, moment.finished_joins, moment.merge_progress
    clusters = scene.cluster_indices(at)
    spread = _matrix_shades(moment, at)
    if change and at + 1 <= scene.last_step and scene.step_at(at).pair:
        after = _matrix_shades(moment, at + 1)
        spread = np.where(np.isnan(after), spread, (1 - change) * spread + change * after)
    heat_map.draw_sharp_image(painter, place.matrix, heat_map.render_image(spread, moment.map_name, theme.border))
    coming = scene.next_clusters(at)
    painter.setPen(QPen(QColor(theme.panel), 1 if place.row < 12 else 2))
    for border in (np.flatnonzero(np.diff(clusters)) + 1).tolist():
        y, x = place.y(border), place.matrix.left() + border * place.row
        painter.drawLine(QLineF(place.matrix.left(), y, place.matrix.right(), y))
        painter.drawLine(QLineF(x, place.matrix.top(), x, place.matrix.bottom()))
    if not change:
        _draw_values(painter, moment, place, base)
    if len(coming) == 2:
        _frame_pair(painter, scene, place, coming, theme)
    if moment.hovered is not None:
        painter.setPen(QPen(QColor(theme.text), 1))
        painter.drawRect(_cell_box(scene, place, *moment.hovered))


def _matrix_shades(moment: JoinsMoment, at: int) -> np.ndarray:
    clusters = moment.scene.cluster_indices(at)
    return heat_map.map_positions(moment.matrix_values(at)[np.ix_(clusters, clusters)], *moment.colour_levels(at))


def _draw_values(painter: QPainter, moment: JoinsMoment, place: JoinsLayout, base: QFont) -> None:
    """Write the values if every cell has room for one."""
    scene, nodes = moment.scene, moment.scene.step_at(moment.finished_joins).nodes
    if not heat_map.fits_numbers(place.row, place.row) or moment.finished_joins >= scene.last_step:
        return
    painter.setFont(heat_map.number_font(base))
    values, levels = moment.matrix_values(moment.finished_joins), moment.colour_levels(moment.finished_joins)
    colours = heat_map.map_positions(values, *levels)
    for i, first in enumerate(nodes):
        for j, second in enumerate(nodes):
            if i != j:
                box = _cell_box(scene, place, first, second)
                heat_map.draw_number(painter, box, float(values[i, j]), float(colours[i, j]), moment.map_name)


def _frame_pair(painter: QPainter, scene: JoinScene, place: JoinsLayout, pair: tuple[int, ...], theme: Theme) -> None:
    """Frame the two cells of the pair."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for first, second in (pair, pair[::-1]):
        box = _cell_box(scene, place, first, second)
        for pen in (QPen(QColor(theme.panel), MARK + 3), QPen(QColor(theme.path), MARK)):
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.drawRect(box)


def _cell_box(scene: JoinScene, place: JoinsLayout, first: int, second: int) -> QRectF:
    top, bottom = place.y(scene.first[first]), place.y(scene.last[first])
    left = place.matrix.left() + float(scene.first[second]) * place.row
    right = place.matrix.left() + float(scene.last[second]) * place.row
    return QRectF(left, top, right - left, bottom - top)
