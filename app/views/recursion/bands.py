"""The map of the recursion: a band for each level, in which every reference is as wide as the group that joined it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit import heat
from antidiag.app.views.recursion.canvas import Window
from antidiag.kernels.parttree.recursion_map import RecursionMap

MAP = "viridis"
TOP = 18.0
"""Pixels of the line above the bands, where chosen sequences are marked."""
GAP, LEFT = 1.0, 76.0
HIGHEST = 44.0
NAMED = 54.0
"""Pixels of a reference from which on its name is written."""
EDGED = 4
"""Pixels of a reference from which on its border is drawn."""


class Bands:
    """What is drawn of a map, and where. ``chosen`` is a split, ``pointed`` a reference, ``marked`` places."""

    def __init__(self, found: RecursionMap, names: tuple[str, ...]) -> None:
        self.map, self.names = found, names
        self.window = Window(found.size)
        self.chosen = 0
        self.pointed: int | None = None
        self.marked = np.zeros(0, np.int64)
        self._starts = [found.starts[band] for band in found.bands]

    def row_height(self, area: QRectF) -> float:
        return max(min((area.height() - TOP) / len(self.map.bands), HIGHEST), 2.0)

    def plot(self, area: QRectF) -> QRectF:
        """Where the bands are."""
        height = min(self.row_height(area) * len(self.map.bands), area.height() - TOP)
        return QRectF(area.left() + LEFT, area.top() + TOP, max(area.width() - LEFT - 8, 10), height)

    def share(self, area: QRectF, place: QPointF) -> float:
        """How far across the bands a place is, 0 to 1."""
        plot = self.plot(area)
        return min(max((place.x() - plot.left()) / plot.width(), 0.0), 1.0)

    def reference_at(self, area: QRectF, place: QPointF) -> int | None:
        plot = self.plot(area)
        if not plot.contains(place):
            return None
        level = int((place.y() - plot.top()) / self.row_height(area))
        return self.map.reference_at(level, self.window.low + self.share(area, place) * self.window.width)

    def draw(self, painter: QPainter, area: QRectF) -> None:
        plot, row = self.plot(area), self.row_height(area)
        self._draw_bands(painter, plot, row)
        self._draw_levels(painter, plot, row)
        self._draw_marks(painter, plot)
        if row >= 13:
            self._draw_names(painter, plot, row)
        self._draw_frames(painter, plot, row)

    def shade(self, joined: np.ndarray) -> np.ndarray:
        """Places in the colour map: the logarithm of how many joined."""
        return heat.shades(np.log(np.maximum(joined, 1)), 0.0, float(np.log(max(self.map.size, 2))))

    def box(self, reference: int, plot: QRectF, row: float) -> QRectF:
        """Where a reference is."""
        split, _, joined, _ = self.map.references[reference].tolist()
        start = int(self.map.starts[reference])
        return self._box(int(self.map.splits[split, 0]), start, start + joined, plot, row)

    def _box(self, level: int, low: int, high: int, plot: QRectF, row: float) -> QRectF:
        scale = plot.width() / self.window.width
        left = plot.left() + (low - self.window.low) * scale
        return QRectF(left, plot.top() + level * row, (high - low) * scale, row - GAP)

    def _seen(self, level: int, plot: QRectF) -> np.ndarray:
        """The reference of a level at every pixel, -1 where there is none."""
        pixels = max(int(plot.width()), 1)
        borders = self.window.low + np.arange(2 * pixels + 1) / (2 * pixels) * self.window.width
        places, borders = borders[1::2], borders[::2]
        band, starts = self.map.bands[level], self._starts[level]
        at = np.searchsorted(starts, places, "right") - 1
        found = band[np.maximum(at, 0)]
        inside = (at >= 0) & (places < self.map.starts[found] + self.map.references[found, 2])
        before = np.searchsorted(starts, borders, "left")
        thin = (before[1:] > before[:-1]) & ~inside  # what lies between two pixels is seen all the same
        return np.where(thin, band[np.maximum(before[1:] - 1, 0)], np.where(inside, found, -1))

    def _draw_bands(self, painter: QPainter, plot: QRectF, row: float) -> None:
        for level in range(len(self.map.bands)):
            seen = self._seen(level, plot)
            values = np.where(seen >= 0, self.shade(self.map.references[seen, 2]), np.nan)
            edges = np.flatnonzero(np.diff(seen)) + 1
            wide = np.diff(np.concatenate([edges, [seen.size]])) >= EDGED
            values[edges[wide]] = np.nan
            box = QRectF(plot.left(), plot.top() + level * row, plot.width(), row - GAP)
            heat.draw_image(painter, box, heat.image(values[None, :], MAP, theme.active().panel))

    def _draw_levels(self, painter: QPainter, plot: QRectF, row: float) -> None:
        painter.setPen(QColor(theme.active().muted))
        step = max(int(np.ceil(13 / row)), 1)
        for level in range(0, len(self.map.bands), step):
            box = QRectF(plot.left() - LEFT, plot.top() + level * row, LEFT - 6, max(row, 13) - GAP)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"level {level + 1}")

    def _draw_names(self, painter: QPainter, plot: QRectF, row: float) -> None:
        metrics = painter.fontMetrics()
        for level in range(len(self.map.bands)):
            seen = self._seen(level, plot)
            numbers, widths = np.unique(seen[seen >= 0], return_counts=True)
            for number in numbers[widths >= NAMED].tolist():
                joined = self.map.references[number, 2]
                box = self.box(number, plot, row).intersected(plot)
                painter.setPen(heat.text_on(float(self.shade(joined)), MAP))
                text = f"{self.names[self.map.references[number, 1]]} \u00b7 {joined:,}"
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()) - 6)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)

    def _draw_marks(self, painter: QPainter, plot: QRectF) -> None:
        """Ticks above the places of chosen sequences."""
        if not self.marked.size:
            return
        pixels = max(int(plot.width()), 1)
        at = (self.marked + 0.5 - self.window.low) / self.window.width * pixels
        painter.setPen(QPen(QColor(theme.active().accent), 1))
        for pixel in np.unique(at[(at >= 0) & (at < pixels)].astype(np.int64)).tolist():
            x = plot.left() + pixel + 0.5
            painter.drawLine(QPointF(x, plot.top() - 8), QPointF(x, plot.top() - 2))

    def _draw_frames(self, painter: QPainter, plot: QRectF, row: float) -> None:
        painter.save()
        painter.setClipRect(plot.adjusted(-2, -2, 2, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        level = int(self.map.splits[self.chosen, 0])
        frames = [(self._box(level, *self.map.span(self.chosen), plot, row), theme.active().path)]
        if self.pointed is not None:
            frames.append((self.box(self.pointed, plot, row), theme.active().accent))
        for box, colour in frames:
            for pen in (QPen(QColor(theme.active().panel), 4), QPen(QColor(colour), 2)):
                painter.setPen(pen)
                painter.drawRect(box)
        painter.restore()
