"""The map of the recursion: a band for each level, in which a reference is as wide as the group that joined it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.app.views.recursion.line_window import LineWindow
from antidiag.kernels.parttree.splitting.recursion_map import RecursionMap

MAP = "viridis"
TOP = 18.0  # pixels above the bands for marks of selected sequences
GAP, LEFT = 1.0, 76.0
HIGHEST = 44.0
NAMED = 54.0  # width in pixels of the smallest reference with its name
EDGED = 4  # width in pixels of the smallest reference with a border


class LevelBands:
    """Drawing of the map. ``chosen`` is a split, ``pointed`` a reference, ``marked`` are positions of sequences."""

    def __init__(self, found: RecursionMap, names: tuple[str, ...]) -> None:
        self.map, self.names = found, names
        self.window = LineWindow(found.size)
        self.chosen = 0
        self.pointed: int | None = None
        self.marked = np.zeros(0, np.int64)
        self._starts = [found.starts[band] for band in found.bands]

    def row_height(self, area: QRectF) -> float:
        """Return the pixels of a level."""
        return max(min((area.height() - TOP) / len(self.map.bands), HIGHEST), 2.0)

    def plot_area(self, area: QRectF) -> QRectF:
        """Return the rectangle of the bands."""
        height = min(self.row_height(area) * len(self.map.bands), area.height() - TOP)
        return QRectF(area.left() + LEFT, area.top() + TOP, max(area.width() - LEFT - 8, 10), height)

    def horizontal_share(self, area: QRectF, place: QPointF) -> float:
        """Return the horizontal position within the bands, from 0 to 1."""
        plot = self.plot_area(area)
        return min(max((place.x() - plot.left()) / plot.width(), 0.0), 1.0)

    def zoom_at(self, area: QRectF, factor: float, place: QPointF) -> None:
        """Zoom by a factor around a point."""
        self.window.zoom_at(factor, self.horizontal_share(area, place), 4)

    def move_by(self, area: QRectF, by: QPointF) -> None:
        """Move by so many pixels."""
        self.window.move_by(-by.x() / self.plot_area(area).width())

    def reference_at(self, area: QRectF, place: QPointF) -> int | None:
        """Return the reference at a point, or None."""
        plot = self.plot_area(area)
        if not plot.contains(place):
            return None
        level = int((place.y() - plot.top()) / self.row_height(area))
        return self.map.reference_at(level, self.window.low + self.horizontal_share(area, place) * self.window.width)

    def draw_bands(self, painter: QPainter, area: QRectF) -> None:
        """Draw the levels with marks and names."""
        plot, row = self.plot_area(area), self.row_height(area)
        self._draw_bands(painter, plot, row)
        self._draw_levels(painter, plot, row)
        self._draw_marks(painter, plot)
        if row >= 13:
            self._draw_names(painter, plot, row)
        self._draw_frames(painter, plot, row)

    def shade_counts(self, joined: np.ndarray) -> np.ndarray:
        """Return positions in the colour map by the logarithm of the group size."""
        return heat_map.map_positions(np.log(np.maximum(joined, 1)), 0.0, float(np.log(max(self.map.size, 2))))

    def reference_box(self, reference: int, plot: QRectF, row: float) -> QRectF:
        """Return the rectangle of a reference."""
        split, _, joined, _ = self.map.references[reference].tolist()
        start = int(self.map.starts[reference])
        return self._band_box(int(self.map.splits[split, 0]), start, start + joined, plot, row)

    def _band_box(self, level: int, low: int, high: int, plot: QRectF, row: float) -> QRectF:
        scale = plot.width() / self.window.width
        left = plot.left() + (low - self.window.low) * scale
        return QRectF(left, plot.top() + level * row, (high - low) * scale, row - GAP)

    def _visible_references(self, level: int, plot: QRectF) -> np.ndarray:
        """Return the reference of a level at every pixel, -1 where there is none."""
        pixels = max(int(plot.width()), 1)
        borders = self.window.low + np.arange(2 * pixels + 1) / (2 * pixels) * self.window.width
        places, borders = borders[1::2], borders[::2]
        band, starts = self.map.bands[level], self._starts[level]
        last = np.searchsorted(starts, places, "right") - 1
        found = band[np.maximum(last, 0)]
        inside = (last >= 0) & (places < self.map.starts[found] + self.map.references[found, 2])
        before = np.searchsorted(starts, borders, "left")
        thin = (before[1:] > before[:-1]) & ~inside  # references between two pixels are visible, too
        return np.where(thin, band[np.maximum(before[1:] - 1, 0)], np.where(inside, found, -1))

    def _draw_bands(self, painter: QPainter, plot: QRectF, row: float) -> None:
        for level in range(len(self.map.bands)):
            seen = self._visible_references(level, plot)
            values = np.where(seen >= 0, self.shade_counts(self.map.references[seen, 2]), np.nan)
            edges = np.flatnonzero(np.diff(seen)) + 1
            wide = np.diff(np.concatenate([edges, [seen.size]])) >= EDGED
            values[edges[wide]] = np.nan
            box = QRectF(plot.left(), plot.top() + level * row, plot.width(), row - GAP)
            heat_map.draw_sharp_image(painter, box, heat_map.render_image(values[None, :], MAP, theme.active().panel))

    def _draw_levels(self, painter: QPainter, plot: QRectF, row: float) -> None:
        painter.setPen(QColor(theme.active().muted))
        step = max(int(np.ceil(13 / row)), 1)
        for level in range(0, len(self.map.bands), step):
            box = QRectF(plot.left() - LEFT, plot.top() + level * row, LEFT - 6, max(row, 13) - GAP)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"level {level + 1}")

    def _draw_names(self, painter: QPainter, plot: QRectF, row: float) -> None:
        metrics = painter.fontMetrics()
        for level in range(len(self.map.bands)):
            seen = self._visible_references(level, plot)
            numbers, widths = np.unique(seen[seen >= 0], return_counts=True)
            for number in numbers[widths >= NAMED].tolist():
                joined = self.map.references[number, 2]
                box = self.reference_box(number, plot, row).intersected(plot)
                painter.setPen(heat_map.text_colour(float(self.shade_counts(joined)), MAP))
                text = f"{self.names[self.map.references[number, 1]]} \u00b7 {joined:,}"
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()) - 6)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)

    def _draw_marks(self, painter: QPainter, plot: QRectF) -> None:
        if not self.marked.size:
            return
        pixels = max(int(plot.width()), 1)
        ticks = (self.marked + 0.5 - self.window.low) / self.window.width * pixels
        painter.setPen(QPen(QColor(theme.active().accent), 1))
        for pixel in np.unique(ticks[(ticks >= 0) & (ticks < pixels)].astype(np.int64)).tolist():
            x = plot.left() + pixel + 0.5
            painter.drawLine(QPointF(x, plot.top() - 8), QPointF(x, plot.top() - 2))

    def _draw_frames(self, painter: QPainter, plot: QRectF, row: float) -> None:
        with saved_painter_state(painter):
            painter.setClipRect(plot.adjusted(-2, -2, 2, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            level = int(self.map.splits[self.chosen, 0])
            frames = [(self._band_box(level, *self.map.place_range(self.chosen), plot, row), theme.active().path)]
            if self.pointed is not None:
                frames.append((self.reference_box(self.pointed, plot, row), theme.active().accent))
            for box, colour in frames:
                for pen in (QPen(QColor(theme.active().panel), 4), QPen(QColor(colour), 2)):
                    painter.setPen(pen)
                    painter.drawRect(box)
