"""The distances of a group, references by sequences, with the three areas of figure 1 (002): as tiles, computed when
they are seen."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit import heat
from antidiag.app.views.recursion.canvas import Window
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.recursion_map import RecursionMap, distances

MAP = "viridis"
TILE = 128
"""Samples of a side of a tile."""
MOST_TILES = 512
LEFT, TOP, RIGHT = 76.0, 22.0, 8.0
NAMES = 150.0
BUDGET_S = 0.15
"""Seconds after which the tiles that are there are shown."""
HIGHEST = 26.0
"""Pixels of a row at most."""


@dataclass(frozen=True)
class Tile:
    """Samples of rows and columns ``step[0]`` and ``step[1]`` apart; the tile is the one at ``place``."""

    step: tuple[int, int]
    place: tuple[int, int]


class Areas:
    """What is drawn of the distances of one group of the recursion, and where."""

    def __init__(self, problem: PartTreeProblem, found: RecursionMap, split: int) -> None:
        self.problem, self.split = problem, split
        self.even = int(found.splits[split, 4]) == 0
        self.references, self.members = found.own_references(split), found.members(split)
        self.counts = found.areas(split)
        self.rows, self.columns = Window(self.references.size), Window(self.members.size)
        self.most = 0.0
        self.pointed: tuple[int, int] | None = None
        self._tiles: OrderedDict[Tile, np.ndarray] = OrderedDict()

    @property
    def whole(self) -> Tile:
        """The tile that has all of it, in samples."""
        return Tile((_step(self.references.size / TILE), _step(self.members.size / TILE)), (0, 0))

    def plot(self, area: QRectF) -> QRectF:
        """Where the distances are."""
        height = min(max(area.height() - TOP - 6, 10), HIGHEST * self.rows.width)
        return QRectF(
            area.left() + LEFT, area.top() + TOP, max(area.width() - LEFT - RIGHT - self._names(area), 10), height
        )

    def cell_at(self, area: QRectF, place: QPointF) -> tuple[int, int] | None:
        """The row and the column under a place."""
        plot = self.plot(area)
        if self.even or not plot.contains(place):
            return None
        row = self.rows.low + (place.y() - plot.top()) / plot.height() * self.rows.width
        column = self.columns.low + (place.x() - plot.left()) / plot.width() * self.columns.width
        return min(int(row), self.references.size - 1), min(int(column), self.members.size - 1)

    def zoom(self, area: QRectF, factor: float, place: QPointF) -> None:
        plot = self.plot(area)
        across = min(max((place.x() - plot.left()) / plot.width(), 0.0), 1.0)
        down = min(max((place.y() - plot.top()) / plot.height(), 0.0), 1.0)
        self.columns.zoom(factor, across, 8)
        self.rows.zoom(factor, down, 4)

    def move(self, area: QRectF, by: QPointF) -> None:
        plot = self.plot(area)
        self.columns.move(-by.x() / plot.width())
        self.rows.move(-by.y() / plot.height())

    def wanted(self, area: QRectF) -> list[Tile]:
        """The tiles that are seen and not there yet; the whole first."""
        found = [self.whole, *self._seen(self.plot(area))]
        return [tile for tile in dict.fromkeys(found) if tile not in self._tiles]

    def computed(self, tiles: list[Tile], monitor: Monitor) -> dict[Tile, np.ndarray]:
        """Some of these tiles, as many as there is time for; on any thread."""
        found, until = {}, time.perf_counter() + BUDGET_S
        for tile in tiles:
            monitor.check()
            rows, columns = self._samples(tile)
            found[tile] = distances(self.problem, self.references[rows], self.members[columns]).astype(np.float32)
            if time.perf_counter() > until:
                break
        return found

    def take(self, tiles: dict[Tile, np.ndarray]) -> None:
        """Keep tiles, and forget those that were not seen for long."""
        for tile, values in tiles.items():
            self._tiles[tile] = values
            if tile == self.whole:
                self.most = float(values.max(initial=0.0))
        while len(self._tiles) > MOST_TILES:
            self._tiles.popitem(last=False)

    def draw(self, painter: QPainter, area: QRectF) -> None:
        plot = self.plot(area)
        painter.setPen(QColor(theme.active().text))
        title = QRectF(area.left() + LEFT, area.top(), area.width() - LEFT, TOP)
        shown = painter.fontMetrics().elidedText(self._title(), Qt.TextElideMode.ElideRight, int(title.width()))
        painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, shown)
        if self.even:
            return
        painter.save()
        painter.setClipRect(plot)
        for tile in (self.whole, *self._seen(plot)):
            if tile in self._tiles:
                self._tiles.move_to_end(tile)
                self._draw_tile(painter, plot, tile)
        self._draw_areas(painter, plot)
        painter.restore()
        self._draw_axis(painter, plot)
        self._draw_names(painter, plot)

    def _title(self) -> str:
        one, two, three = self.counts
        if self.even:
            return f"{self.members.size:,} sequences that share all words, or none: joined evenly, no distances"
        return (f"{self.references.size:,} references \u00d7 {self.members.size:,} sequences \u00b7 distances: "
                f"area 1 {one:,}, area 2 {two:,}, area 3 {three:,}")  # fmt: skip

    def _names(self, area: QRectF) -> float:
        room = area.height() - TOP - 6
        return NAMES if room / max(self.rows.width, 1) >= heat.NAME_ROW and area.width() > 4 * NAMES else 0.0

    def _seen(self, plot: QRectF) -> list[Tile]:
        steps = (_step(self.rows.width / max(plot.height(), 1)), _step(self.columns.width / max(plot.width(), 1)))
        spans = []
        for step, window in zip(steps, (self.rows, self.columns), strict=True):
            low, high = int(window.low) // (step * TILE), int(np.ceil(window.high)) - 1
            spans.append(range(low, max(high, 0) // (step * TILE) + 1))
        return [Tile(steps, (down, across)) for down in spans[0] for across in spans[1]]

    def _samples(self, tile: Tile) -> tuple[np.ndarray, np.ndarray]:
        """The rows and columns of the samples of a tile."""
        sizes = self.references.size, self.members.size
        found = []
        for step, place, size in zip(tile.step, tile.place, sizes, strict=True):
            at = (place * TILE + np.arange(TILE)) * step
            found.append(np.minimum(at[at < size] + step // 2, size - 1))
        return found[0], found[1]

    def _draw_tile(self, painter: QPainter, plot: QRectF, tile: Tile) -> None:
        values = self._tiles[tile]
        across, down = plot.width() / self.columns.width, plot.height() / self.rows.width
        top, left = (place * TILE * step for place, step in zip(tile.place, tile.step, strict=True))
        high = min(values.shape[0] * tile.step[0], self.references.size - top)
        wide = min(values.shape[1] * tile.step[1], self.members.size - left)
        box = QRectF(plot.left() + (left - self.columns.low) * across, plot.top() + (top - self.rows.low) * down,
                     wide * across, high * down)  # fmt: skip
        picture = heat.image(heat.shades(values.astype(float), 0.0, self.most), MAP, theme.active().border)
        heat.draw_image(painter, box, picture)

    def _draw_areas(self, painter: QPainter, plot: QRectF) -> None:
        """Frames around the three areas, with their numbers."""
        count, size = self.references.size, self.members.size
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for number, (top, left, bottom, right) in enumerate(
            ((0, 0, 1, size), (0, 0, count, count), (0, count, count, size)), 1
        ):
            if right <= left:
                continue
            box = self._box(plot, top, left, bottom, right)
            for pen in (QPen(QColor(theme.active().panel), 3), QPen(QColor(colour_of(number)), 1.6)):
                painter.setPen(pen)
                painter.drawRect(box.adjusted(1, 1, -1, -1))
            seen = box.intersected(plot)
            if seen.width() > 22 and seen.height() > 22:
                _draw_number(painter, seen.center(), number)
        if self.pointed is not None:
            row, column = self.pointed
            painter.setPen(QPen(QColor(theme.active().path), 2))
            painter.drawRect(self._box(plot, row, column, row + 1, column + 1).adjusted(-1, -1, 1, 1))

    def _box(self, plot: QRectF, top: int, left: int, bottom: int, right: int) -> QRectF:
        across, down = plot.width() / self.columns.width, plot.height() / self.rows.width
        return QRectF(plot.left() + (left - self.columns.low) * across, plot.top() + (top - self.rows.low) * down,
                      (right - left) * across, (bottom - top) * down)  # fmt: skip

    def _draw_axis(self, painter: QPainter, plot: QRectF) -> None:
        painter.setPen(QColor(theme.active().muted))
        box = QRectF(plot.left() - LEFT, plot.top(), LEFT - 6, max(plot.height(), 14))
        text = "references" if plot.height() > 30 else "refs"
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_names(self, painter: QPainter, plot: QRectF) -> None:
        row = plot.height() / self.rows.width
        if row < heat.NAME_ROW:
            return
        base = painter.font()
        painter.setFont(heat.name_font(base, row))
        painter.setPen(QColor(theme.active().text))
        for at in range(int(self.rows.low), min(int(np.ceil(self.rows.high)), self.references.size)):
            middle = plot.top() + (at + 0.5 - self.rows.low) * row
            if plot.top() <= middle <= plot.bottom():
                heat.draw_row_name(
                    painter, plot.right() + 6, middle, NAMES - 10, self.problem.names[self.references[at]]
                )
        painter.setFont(base)


def colour_of(area: int) -> str:
    """The colour of the frame of area 1, 2 or 3."""
    colours = theme.active()
    return {1: colours.accent, 2: colours.special, 3: colours.recomputed}[area]


def _draw_number(painter: QPainter, middle: QPointF, number: int) -> None:
    disc = QRectF(middle.x() - 10, middle.y() - 10, 20, 20)
    painter.save()
    painter.setPen(QPen(QColor(colour_of(number)), 2))
    painter.setBrush(QColor(theme.active().panel))
    painter.drawEllipse(disc)
    painter.setPen(QColor(theme.active().text))
    painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, str(number))
    painter.restore()


def _step(places: float) -> int:
    """The power of two that so many places of a sample need."""
    return 1 << max(int(np.ceil(np.log2(max(places, 1.0)))), 0)
