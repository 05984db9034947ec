"""ParallelPlot: a line a point through upright axes, one for each thing that varies and one for what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit.tree.frame import line_distances
from antidiag.app.tune.plots import series
from antidiag.app.tune.plots.colour_bar import Scale
from antidiag.app.tune.plots.heat_map import HeatMap
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.experiments import points as point_text
from antidiag.kernels.experiments.points import Point

MARGIN, REACH, MOST_WORDS = 34, 8.0, 12
FIRST_SHARE = 0.28
"""Words of the first axis stand at its left and take no more of the width than this; of longer ones the middle goes."""
NONE = "\N{EN DASH}"
"""What stands on an axis for what has no value there."""


@dataclass(frozen=True)
class _Line:
    point: Point
    value: float
    places: tuple[float, ...]
    """On each axis, from 0 (below) to 1."""


class ParallelPlot(QWidget):
    """Lines in the colours of their values, the best ones on top; a click chooses a point."""

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._axes: list[tuple[str, list[Any]]] = []
        self._lines: list[_Line] = []
        self._settings, self._scale = PlotSettings(), Scale(0.0, 0.0, False)
        self._chosen: Point | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Parallel coordinates: a line a point")

    def sizeHint(self) -> QSize:
        return QSize(500, 400)

    def show_points(self, found: Sequence[Point], names: Sequence[str], settings: PlotSettings) -> None:
        """Draw these points over the names that differ between them."""
        values = series.values(found, settings.quantity, settings.over)
        there = [point for point in found if id(point) in values]
        self._settings = settings
        self._axes = [(name, series.ordered({series.coordinate(point, name) for point in there})) for name in names]
        medians = [values[id(point)].median for point in there] or [0.0]
        self._scale = Scale(min(medians), max(medians), series.grows(settings.quantity))
        self._lines = [
            _Line(point, value, tuple(_place(ordered, series.coordinate(point, name)) for name, ordered in self._axes))
            for point, value in zip(there, medians, strict=False)
        ]
        self._lines.sort(key=lambda line: line.value, reverse=not self._scale.grow)  # the best is drawn last
        self.update()

    def show_chosen(self, point: Point | None) -> None:
        self._chosen = point
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self.draw(QPainter(self), QRectF(self.rect()))

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw into an area, on a screen or in a file."""
        painter.fillRect(area, QColor(theme.active().panel))
        if not self._lines:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line in self._lines:
            painter.setPen(QPen(self._scale.colour(line.value), 1.6))
            painter.drawPolyline(QPolygonF(self._points(line, area)))
        for line in self._lines:
            if line.point is self._chosen:
                painter.setPen(QPen(QColor(theme.active().accent), 3.5))
                painter.drawPolyline(QPolygonF(self._points(line, area)))
        self._draw_axes(painter, area)

    def point_at(self, place: QPointF) -> Point | None:
        """The point whose line is nearest, within some pixels."""
        best, found = REACH, None
        for line in self._lines:
            at = np.array([(point.x(), point.y()) for point in self._points(line, QRectF(self.rect()))])
            away = line_distances(np.hstack([at[:-1], at[1:]]), place.x(), place.y()).min(initial=np.inf)
            if away <= best:
                best, found = float(away), line.point
        return found

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if found := self.point_at(event.position()):
            self.clicked.emit(found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self.point_at(event.position()))

    def leaveEvent(self, event: Any) -> None:
        self.hovered.emit(None)

    def _points(self, line: _Line, area: QRectF) -> list[QPointF]:
        inner, places = self._inner(area), (*line.places, self._scale.place(line.value))
        step = inner.width() / max(len(places) - 1, 1)
        return [QPointF(inner.left() + n * step, inner.bottom() - p * inner.height()) for n, p in enumerate(places)]

    def _inner(self, area: QRectF) -> QRectF:
        return area.adjusted(self._first_width(area) + MARGIN / 2, MARGIN, -3 * MARGIN, -MARGIN)

    def _first_width(self, area: QRectF) -> float:
        """Pixels of the words of the first axis, or of half its name where that is more."""
        metrics = self.fontMetrics()
        first, known = self._axes[0] if self._axes else ("", [])
        widest = max((metrics.horizontalAdvance(_words(value)) for value in known), default=0)
        return min(max(widest, metrics.horizontalAdvance(first) / 2) + 8, FIRST_SHARE * area.width())

    def _draw_axes(self, painter: QPainter, area: QRectF) -> None:
        inner, active, metrics = self._inner(area), theme.active(), painter.fontMetrics()
        step = inner.width() / max(len(self._axes), 1)
        ends = [(place, HeatMap.text(self._settings, value)) for place, value in self._scale.ticks(6)]
        marks = [[(_place(known, value), _words(value)) for value in known] for _, known in self._axes]
        names = [*(name for name, _ in self._axes), self._settings.label]
        for number, (name, words) in enumerate(zip(names, [*marks, ends], strict=True)):
            x = inner.left() + number * step
            painter.setPen(QPen(QColor(active.muted), 1))
            painter.drawLine(QPointF(x, inner.top()), QPointF(x, inner.bottom()))
            every = max(1, -(-len(words) // MOST_WORDS))
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


def _words(value: Any) -> str:
    return NONE if value is None else point_text.text(value)


def _place(known: Sequence[Any], value: Any) -> float:
    """Values are evenly spread, whatever they are."""
    return known.index(value) / (len(known) - 1) if len(known) > 1 else 0.5
