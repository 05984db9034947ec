"""The distances between references and sequences of a group in three areas, as tiles computed when visible."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.views.recursion.line_window import LineWindow
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.splitting.recursion_map import RecursionMap, measure_distances

MAP = "viridis"
TILE = 128  # samples per side of a tile
MOST_TILES = 512
LEFT, TOP, RIGHT = 76.0, 22.0, 8.0
NAMES = 150.0
BUDGET_S = 0.15  # computed tiles are shown at least so often
HIGHEST = 26.0  # largest height of a row in pixels


@dataclass(frozen=True)
class Tile:
    """The tile at ``place``, with samples of every ``step[0]``-th row and every ``step[1]``-th column."""

    step: tuple[int, int]
    place: tuple[int, int]


class DistanceAreas:
    """Drawing of the distances of one group of the recursion."""

    def __init__(self, problem: PartTreeProblem, found: RecursionMap, split: int) -> None:
        self.problem, self.split = problem, split
        self.is_even = int(found.splits[split, 4]) == 0
        self.references, self.members = found.own_references(split), found.members(split)
        self.counts = found.distance_counts(split)
        self.rows, self.columns = LineWindow(self.references.size), LineWindow(self.members.size)
        self.largest_distance = 0.0
        self.pointed: tuple[int, int] | None = None
        self._tiles: OrderedDict[Tile, np.ndarray] = OrderedDict()

    @property
    def whole_tile(self) -> Tile:
        """The tile that samples the whole group."""
        return Tile((_sample_step(self.references.size / TILE), _sample_step(self.members.size / TILE)), (0, 0))

    def plot_area(self, area: QRectF) -> QRectF:
        """Return the rectangle of the distances."""
        height = min(max(area.height() - TOP - 6, 10), HIGHEST * self.rows.width)
        return QRectF(
            area.left() + LEFT, area.top() + TOP, max(area.width() - LEFT - RIGHT - self._names_width(area), 10), height
        )

    def cell_at(self, area: QRectF, place: QPointF) -> tuple[int, int] | None:
        """Return row and column at a position, or None."""
        plot = self.plot_area(area)
        if self.is_even or not plot.contains(place):
            return None
        row = self.rows.low + (place.y() - plot.top()) / plot.height() * self.rows.width
        column = self.columns.low + (place.x() - plot.left()) / plot.width() * self.columns.width
        return min(int(row), self.references.size - 1), min(int(column), self.members.size - 1)

    def zoom_at(self, area: QRectF, factor: float, place: QPointF) -> None:
        """Zoom by a factor around a point."""
        plot = self.plot_area(area)
        across = min(max((place.x() - plot.left()) / plot.width(), 0.0), 1.0)
        down = min(max((place.y() - plot.top()) / plot.height(), 0.0), 1.0)
        self.columns.zoom_at(factor, across, 8)
        self.rows.zoom_at(factor, down, 4)

    def move_by(self, area: QRectF, by: QPointF) -> None:
        """Move by so many pixels."""
        plot = self.plot_area(area)
        self.columns.move_by(-by.x() / plot.width())
        self.rows.move_by(-by.y() / plot.height())

    def missing_tiles(self, area: QRectF) -> list[Tile]:
        """Return the visible tiles that are not computed yet, the whole group first."""
        found = [self.whole_tile, *self._visible_tiles(self.plot_area(area))]
        return [tile for tile in dict.fromkeys(found) if tile not in self._tiles]

    def compute_tiles(self, tiles: list[Tile], monitor: Monitor) -> dict[Tile, np.ndarray]:
        """Compute as many of these tiles as there is time for, on any thread."""
        found, until = {}, time.perf_counter() + BUDGET_S
        for tile in tiles:
            monitor.check()
            rows, columns = self._sample_indices(tile)
            found[tile] = measure_distances(self.problem, self.references[rows], self.members[columns]).astype(
                np.float32
            )
            if time.perf_counter() > until:
                break
        return found

    def store_tiles(self, tiles: dict[Tile, np.ndarray]) -> None:
        """Store computed tiles and drop the least recently used ones."""
        for tile, values in tiles.items():
            self._tiles[tile] = values
            if tile == self.whole_tile:
                self.largest_distance = float(values.max(initial=0.0))
        while len(self._tiles) > MOST_TILES:
            self._tiles.popitem(last=False)

    def draw_areas(self, painter: QPainter, area: QRectF) -> None:
        """Draw the distances with title and axes."""
        plot = self.plot_area(area)
        painter.setPen(QColor(theme.active().text))
        title = QRectF(area.left() + LEFT, area.top(), area.width() - LEFT, TOP)
        shown = painter.fontMetrics().elidedText(self._title_text(), Qt.TextElideMode.ElideRight, int(title.width()))
        painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, shown)
        if self.is_even:
            return
        with saved_painter_state(painter):
            painter.setClipRect(plot)
            for tile in (self.whole_tile, *self._visible_tiles(plot)):
                if tile in self._tiles:
                    self._tiles.move_to_end(tile)
                    self._draw_tile(painter, plot, tile)
            self._draw_areas(painter, plot)
        self._draw_axis(painter, plot)
        self._draw_names(painter, plot)

    def _title_text(self) -> str:
        one, two, three = self.counts
        if self.is_even:
            return f"{self.members.size:,} sequences with all words in common or none: split evenly, no distances"
        areas = f"area 1 {one:,}, area 2 {two:,}, area 3 {three:,}"
        return f"{self.references.size:,} references \u00d7 {self.members.size:,} sequences \u00b7 distances: {areas}"

    def _names_width(self, area: QRectF) -> float:
        room = area.height() - TOP - 6
        return NAMES if room / max(self.rows.width, 1) >= heat_map.NAME_ROW and area.width() > 4 * NAMES else 0.0

    def _visible_tiles(self, plot: QRectF) -> list[Tile]:
        steps = (
            _sample_step(self.rows.width / max(plot.height(), 1)),
            _sample_step(self.columns.width / max(plot.width(), 1)),
        )
        spans = []
        for step, window in zip(steps, (self.rows, self.columns), strict=True):
            low, high = int(window.low) // (step * TILE), int(np.ceil(window.high)) - 1
            spans.append(range(low, max(high, 0) // (step * TILE) + 1))
        return [Tile(steps, (down, across)) for down in spans[0] for across in spans[1]]

    def _sample_indices(self, tile: Tile) -> tuple[np.ndarray, np.ndarray]:
        sizes = self.references.size, self.members.size
        found = []
        for step, place, size in zip(tile.step, tile.place, sizes, strict=True):
            starts = (place * TILE + np.arange(TILE)) * step
            found.append(np.minimum(starts[starts < size] + step // 2, size - 1))
        return found[0], found[1]

    def _draw_tile(self, painter: QPainter, plot: QRectF, tile: Tile) -> None:
        values = self._tiles[tile]
        top, left = (place * TILE * step for place, step in zip(tile.place, tile.step, strict=True))
        high = min(values.shape[0] * tile.step[0], self.references.size - top)
        wide = min(values.shape[1] * tile.step[1], self.members.size - left)
        box = self._cell_box(plot, top, left, top + high, left + wide)
        picture = heat_map.render_image(
            heat_map.map_positions(values.astype(float), 0.0, self.largest_distance), MAP, theme.active().border
        )
        heat_map.draw_sharp_image(painter, box, picture)

    def _draw_areas(self, painter: QPainter, plot: QRectF) -> None:
        count, size = self.references.size, self.members.size
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for number, (top, left, bottom, right) in enumerate(
            ((0, 0, 1, size), (0, 0, count, count), (0, count, count, size)), 1
        ):
            if right <= left:
                continue
            box = self._cell_box(plot, top, left, bottom, right)
            for pen in (QPen(QColor(theme.active().panel), 3), QPen(QColor(area_colour(number)), 1.6)):
                painter.setPen(pen)
                painter.drawRect(box.adjusted(1, 1, -1, -1))
            seen = box.intersected(plot)
            if seen.width() > 22 and seen.height() > 22:
                _draw_number(painter, seen.center(), number)
        if self.pointed is not None:
            row, column = self.pointed
            painter.setPen(QPen(QColor(theme.active().path), 2))
            painter.drawRect(self._cell_box(plot, row, column, row + 1, column + 1).adjusted(-1, -1, 1, 1))

    def _cell_box(self, plot: QRectF, top: int, left: int, bottom: int, right: int) -> QRectF:
        across, down = plot.width() / self.columns.width, plot.height() / self.rows.width
        x, y = plot.left() + (left - self.columns.low) * across, plot.top() + (top - self.rows.low) * down
        return QRectF(x, y, (right - left) * across, (bottom - top) * down)

    def _draw_axis(self, painter: QPainter, plot: QRectF) -> None:
        painter.setPen(QColor(theme.active().muted))
        box = QRectF(plot.left() - LEFT, plot.top(), LEFT - 6, max(plot.height(), 14))
        text = "references" if plot.height() > 30 else "refs"
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_names(self, painter: QPainter, plot: QRectF) -> None:
        row = plot.height() / self.rows.width
        if row < heat_map.NAME_ROW:
            return
        base = painter.font()
        painter.setFont(heat_map.name_font(base, row))
        painter.setPen(QColor(theme.active().text))
        for number in range(int(self.rows.low), min(int(np.ceil(self.rows.high)), self.references.size)):
            middle, name = (
                plot.top() + (number + 0.5 - self.rows.low) * row,
                self.problem.names[self.references[number]],
            )
            if plot.top() <= middle <= plot.bottom():
                heat_map.draw_row_name(painter, plot.right() + 6, middle, NAMES - 10, name)
        painter.setFont(base)


def area_colour(area: int) -> str:
    """Return the colour of the frame of area 1, 2 or 3."""
    colours = theme.active()
    return {1: colours.accent, 2: colours.special, 3: colours.recomputed}[area]


def _draw_number(painter: QPainter, middle: QPointF, number: int) -> None:
    disc = QRectF(middle.x() - 10, middle.y() - 10, 20, 20)
    with saved_painter_state(painter):
        painter.setPen(QPen(QColor(area_colour(number)), 2))
        painter.setBrush(QColor(theme.active().panel))
        painter.drawEllipse(disc)
        painter.setPen(QColor(theme.active().text))
        painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, str(number))


def _sample_step(places: float) -> int:
    """Return the power of two that is at least this number."""
    return 1 << max(int(np.ceil(np.log2(max(places, 1.0)))), 0)
