"""ParallelPlot: parallel coordinates, one line per point, one axis per varying name and one for the measured value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen, QPolygonF

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
VALUE_AXIS = ""
"""The name of the last axis, that of the measured value."""
BRUSH_WIDTH, LEAST_BRUSH = 12, 3.0
"""Pixels of the width of a chosen range, and the least height of a dragged one; less is a click."""
LEFT_OUT_OPACITY = 0.18
NO_VALUE = "\N{EN DASH}"


@dataclass(frozen=True)
class _ParallelLine:
    point: MeasuredPoint
    value: float
    places: tuple[float, ...]
    """The place on each axis, from 0 (bottom) to 1."""


class ParallelPlot(PointPlot):
    """Lines in the colours of their values, the best ones on top. A drag along an axis chooses a range of it; lines
    outside of a range are pale. ``brushed``: how many points are chosen, as text."""

    brushed = Signal(str)

    def __init__(self) -> None:
        super().__init__("Parallel coordinates: one line per point")
        self._axes: list[tuple[str, list[Any]]] = []
        self._lines: list[_ParallelLine] = []
        self._settings, self._scale = PlotSettings(), ColourScale(0.0, 0.0, False)
        self.brushes: dict[str, tuple[float, float]] = {}
        """Chosen ranges of axes by their names, as places from 0 to 1."""
        self._drag: tuple[str, float] | None = None
        self.setToolTip("Drag along an axis to choose a range; click on an axis to choose all again")

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
        known = {name for name, _ in self._axes} | {VALUE_AXIS}
        self.brushes = {name: brush for name, brush in self.brushes.items() if name in known}
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
        left_out = QColor(theme.active().muted)
        left_out.setAlphaF(LEFT_OUT_OPACITY)
        for line in sorted(self._lines, key=self._is_chosen):
            colour = self._scale.colour_of(line.value) if self._is_chosen(line) else left_out
            painter.setPen(QPen(colour, 1.6))
            painter.drawPolyline(QPolygonF(self._line_points(line, area)))
        for line in self._lines:
            if line.point is self.chosen:
                painter.setPen(QPen(QColor(theme.active().accent), 3.5))
                painter.drawPolyline(QPolygonF(self._line_points(line, area)))
        self._draw_axes(painter, area)
        self._draw_brushes(painter, area)

    def point_at(self, place: QPointF) -> MeasuredPoint | None:
        """Return the point whose line is nearest within CLICK_DISTANCE pixels, or None."""
        best, found = CLICK_DISTANCE, None
        for line in filter(self._is_chosen, self._lines):
            at = np.array([(point.x(), point.y()) for point in self._line_points(line, QRectF(self.rect()))])
            away = line_distances(np.hstack([at[:-1], at[1:]]), place.x(), place.y()).min(initial=np.inf)
            if away <= best:
                best, found = float(away), line.point
        return found

    @property
    def chosen_points(self) -> list[MeasuredPoint]:
        """The points within the chosen ranges of all axes."""
        return [line.point for line in self._lines if self._is_chosen(line)]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a range where an axis is pressed; elsewhere choose the nearest point."""
        axis = self._axis_at(event.position())
        if axis is None:
            super().mousePressEvent(event)
            return
        self._drag = axis, self._place_at(event.position())
        self.brushes.pop(axis, None)
        self._on_brush()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            self.setCursor(
                Qt.CursorShape.SplitVCursor if self._axis_at(event.position()) else Qt.CursorShape.ArrowCursor
            )
            super().mouseMoveEvent(event)
            return
        axis, begun = self._drag
        low, high = sorted((begun, self._place_at(event.position())))
        if (high - low) * self._plot_area(QRectF(self.rect())).height() >= LEAST_BRUSH:
            self.brushes[axis] = low, high
        self._on_brush()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag = None

    def _on_brush(self) -> None:
        """Show what is chosen, and say how many points that are."""
        self.update()
        count = f"{len(self.chosen_points):,} of {len(self._lines):,} points are chosen"
        self.setAccessibleDescription(count if self.brushes else "")
        self.brushed.emit(count if self.brushes else "")

    def _is_chosen(self, line: _ParallelLine) -> bool:
        """Return whether a line passes through the chosen range of every axis."""
        places = dict(zip([name for name, _ in self._axes], line.places, strict=True))
        places[VALUE_AXIS] = self._scale.relative_place(line.value)
        return all(low <= places[name] <= high for name, (low, high) in self.brushes.items())

    def _axis_names(self) -> list[str]:
        """Return the axes from left to right."""
        return [*(name for name, _ in self._axes), VALUE_AXIS]

    def _axis_at(self, place: QPointF) -> str | None:
        """Return the axis at a place of the widget, or None."""
        inner = self._plot_area(QRectF(self.rect()))
        if not self._lines or not inner.top() - CLICK_DISTANCE <= place.y() <= inner.bottom() + CLICK_DISTANCE:
            return None
        step = inner.width() / max(len(self._axes), 1)
        away = {name: abs(place.x() - inner.left() - number * step) for number, name in enumerate(self._axis_names())}
        nearest = min(away, key=away.__getitem__)
        return nearest if away[nearest] <= CLICK_DISTANCE else None

    def _place_at(self, place: QPointF) -> float:
        """Return the height of a place on the axes, from 0 (bottom) to 1."""
        inner = self._plot_area(QRectF(self.rect()))
        return min(max((inner.bottom() - place.y()) / max(inner.height(), 1), 0.0), 1.0)

    def _draw_brushes(self, painter: QPainter, area: QRectF) -> None:
        """Draw the chosen ranges over their axes."""
        inner, colour = self._plot_area(area), QColor(theme.active().accent)
        step = inner.width() / max(len(self._axes), 1)
        fill = QColor(colour)
        fill.setAlphaF(0.3)
        for number, name in enumerate(self._axis_names()):
            if name in self.brushes:
                low, high = (inner.bottom() - place * inner.height() for place in self.brushes[name])
                box = QRectF(inner.left() + number * step - BRUSH_WIDTH / 2, high, BRUSH_WIDTH, low - high)
                painter.setPen(QPen(colour, 1.5))
                painter.setBrush(fill)
                painter.drawRect(box)
        painter.setBrush(Qt.BrushStyle.NoBrush)

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
