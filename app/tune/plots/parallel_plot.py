"""ParallelPlot: parallel coordinates, one line per point, one axis per varying name and one for the measured value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from antidiag.app import theme
from antidiag.app.kit.tree.visible_branches import line_distances
from antidiag.app.tune.plots.colour_bar import ColourScale
from antidiag.app.tune.plots.heat_map import format_quantity as format_value
from antidiag.app.tune.plots.point_plot import PointPlot
from antidiag.kernels.experiments.point_data import plot_data
from antidiag.kernels.experiments.point_data import points as point_text
from antidiag.kernels.experiments.point_data.plot_data import PlotSettings
from antidiag.kernels.experiments.point_data.points import MeasuredPoint

MARGIN, CLICK_DISTANCE, MAX_LABELS = 34, 8.0, 12
MAX_FIRST_SHARE = 0.28
"""Largest share of the width that the labels at the left of the first axis take; longer ones are elided."""
NO_VALUE = "\N{EN DASH}"


@dataclass(frozen=True)
class _ParallelLine:
    point: MeasuredPoint
    value: float
    places: tuple[float, ...]
    """The place on each axis, from 0 (bottom) to 1."""


class ParallelPlot(PointPlot):
    """Lines in the colours of their values, the best ones on top."""

    def __init__(self) -> None:
        super().__init__("Parallel coordinates: one line per point")
        self._axes: list[tuple[str, list[Any]]] = []
        self._lines: list[_ParallelLine] = []
        self._settings, self._scale = PlotSettings(), ColourScale(0.0, 0.0, False)

    def show_points(self, found: Sequence[MeasuredPoint], names: Sequence[str], settings: PlotSettings) -> None:
        """Draw these points over the names that differ between them."""
        values = plot_data.point_spreads(found, settings.quantity, settings.baseline_query)
        there = [point for point in found if id(point) in values]
        self._settings = settings
        self._axes = [
            (name, plot_data.sort_values({plot_data.axis_value(point, name) for point in there})) for name in names
        ]
        medians = [values[id(point)].median for point in there] or [0.0]
        self._scale = ColourScale(min(medians), max(medians), plot_data.higher_is_better(settings.quantity))
        self._lines = [
            _ParallelLine(
                point,
                value,
                tuple(_axis_place(ordered, plot_data.axis_value(point, name)) for name, ordered in self._axes),
            )
            for point, value in zip(there, medians, strict=False)
        ]
        self._lines.sort(
            key=lambda line: line.value, reverse=not self._scale.higher_is_better
        )  # the best is drawn last
        self.update()

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw into an area, on a screen or in a file."""
        painter.fillRect(area, QColor(theme.active().panel))
        if not self._lines:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line in self._lines:
            painter.setPen(QPen(self._scale.colour_of(line.value), 1.6))
            painter.drawPolyline(QPolygonF(self._line_points(line, area)))
        for line in self._lines:
            if line.point is self.chosen:
                painter.setPen(QPen(QColor(theme.active().accent), 3.5))
                painter.drawPolyline(QPolygonF(self._line_points(line, area)))
        self._draw_axes(painter, area)

    def point_at(self, place: QPointF) -> MeasuredPoint | None:
        """Return the point whose line is nearest within CLICK_DISTANCE pixels, or None."""
        best, found = CLICK_DISTANCE, None
        for line in self._lines:
            at = np.array([(point.x(), point.y()) for point in self._line_points(line, QRectF(self.rect()))])
            away = line_distances(np.hstack([at[:-1], at[1:]]), place.x(), place.y()).min(initial=np.inf)
            if away <= best:
                best, found = float(away), line.point
        return found

    def _line_points(self, line: _ParallelLine, area: QRectF) -> list[QPointF]:
        inner, places = self._plot_area(area), (*line.places, self._scale.relative_place(line.value))
        step = inner.width() / max(len(places) - 1, 1)
        return [QPointF(inner.left() + n * step, inner.bottom() - p * inner.height()) for n, p in enumerate(places)]

    def _plot_area(self, area: QRectF) -> QRectF:
        return area.adjusted(self._first_width(area) + MARGIN / 2, MARGIN, -3 * MARGIN, -MARGIN)

    def _first_width(self, area: QRectF) -> float:
        """Return the pixels of the labels of the first axis, or of half its name where that is more."""
        metrics = self.fontMetrics()
        first, known = self._axes[0] if self._axes else ("", [])
        widest = max((metrics.horizontalAdvance(_value_text(value)) for value in known), default=0)
        return min(max(widest, metrics.horizontalAdvance(first) / 2) + 8, MAX_FIRST_SHARE * area.width())

    def _draw_axes(self, painter: QPainter, area: QRectF) -> None:
        inner, active, metrics = self._plot_area(area), theme.active(), painter.fontMetrics()
        step = inner.width() / max(len(self._axes), 1)
        ends = [(place, format_value(self._settings.quantity, value)) for place, value in self._scale.tick_marks(6)]
        marks = [[(_axis_place(known, value), _value_text(value)) for value in known] for _, known in self._axes]
        names = [*(name for name, _ in self._axes), self._settings.quantity_label]
        for number, (name, words) in enumerate(zip(names, [*marks, ends], strict=True)):
            x = inner.left() + number * step
            painter.setPen(QPen(QColor(active.muted), 1))
            painter.drawLine(QPointF(x, inner.top()), QPointF(x, inner.bottom()))
            every = max(1, -(-len(words) // MAX_LABELS))
            for place, text in words[::every]:
                y = inner.bottom() - place * inner.height() - metrics.height() / 2
                box = QRectF(x + 5, y, step - 8 if number < len(names) - 1 else 3 * MARGIN, metrics.height())
                if number == 0 and self._axes:
                    width = self._first_width(area)
                    text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, int(width) - 4)
                    box = QRectF(x - 5 - metrics.horizontalAdvance(text), y, width, metrics.height())
                back = QRectF(box.topLeft(), metrics.size(0, text).toSizeF()).adjusted(-2, 0, 2, 0)
                ground = QColor(active.panel)
                ground.setAlpha(200)
                painter.fillRect(back, ground)
                painter.setPen(QColor(active.text))
                painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, text)
            painter.setPen(QColor(active.muted))
            head = QRectF(x - step / 2, area.top() + 4, step, MARGIN - 8)
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(step) - 6)
            painter.drawText(head, Qt.AlignmentFlag.AlignCenter, shown)


def _value_text(value: Any) -> str:
    return NO_VALUE if value is None else point_text.format_value(value)


def _axis_place(known: Sequence[Any], value: Any) -> float:
    """Return the place of a value; the values of an axis are evenly spaced."""
    return known.index(value) / (len(known) - 1) if len(known) > 1 else 0.5
