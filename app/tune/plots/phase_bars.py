"""PointPhaseBars: the phase times of every point as stacked bars, with transfer and compilation apart."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen

from antidiag.app import theme
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.results.phase_times import phase_colour
from antidiag.app.tune.plots.point_plot import PointPlot
from antidiag.kernels.experiments.point_data.plot_data import point_label
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.point_data.tables import format_milliseconds

BAR, GAP, NAMES = 20, 6, 220
MAX_NAMES_SHARE = 0.4
OUTSIDE = {"transfer": "transfer", "other": "outside phases"}
PhaseMilliseconds = tuple[str, float]


class PointPhaseBars(PointPlot):
    """A bar for every point; the longest time has the full width."""

    def __init__(self) -> None:
        super().__init__("Phases of every point")
        self.points: tuple[MeasuredPoint, ...] = ()
        self._phase_times: tuple[tuple[PhaseMilliseconds, ...], ...] = ()
        self._names: tuple[str, ...] = ()
        self._varying: tuple[str, ...] = ()

    def show_points(self, points: Sequence[MeasuredPoint], varying: Sequence[str]) -> None:
        """Draw these points; ``varying`` are the names that differ between them."""
        self.points, self._varying = tuple(points), tuple(varying)
        self._phase_times = tuple(phase_times(point) for point in self.points)
        self._names = tuple(dict.fromkeys(name for found in self._phase_times for name, _ in found))
        self.setMinimumHeight(len(self.points) * (BAR + GAP) + 2 * GAP)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(500, max(200, self.minimumHeight()))

    @property
    def legend_items(self) -> tuple[LegendItem, ...]:
        """The legend items of all phases."""
        palette = theme.active().phases
        return tuple(LegendItem("fill", name, (phase_colour(name, self._names, palette),)) for name in self._names)

    def paintEvent(self, event: QPaintEvent) -> None:
        self.draw(QPainter(self), QRectF(self.rect()), QRectF(event.rect()))

    def draw(self, painter: QPainter, area: QRectF, exposed: QRectF | None = None) -> None:
        """Draw into an area, on a screen or in a file; with ``exposed`` only the bars in this part of it."""
        colours, metrics, names = theme.active(), painter.fontMetrics(), self._names
        painter.fillRect(area, QColor(colours.panel))
        names_width = min(NAMES, MAX_NAMES_SHARE * area.width())
        longest = max((sum(time for _, time in found) for found in self._phase_times), default=0.0)
        for number, (point, found) in enumerate(zip(self.points, self._phase_times, strict=True)):
            line = QRectF(area.left(), area.top() + GAP + number * (BAR + GAP), area.width(), BAR)
            if exposed and not exposed.intersects(line.adjusted(0, -GAP, 0, GAP)):
                continue
            painter.setPen(QColor(colours.text))
            words = metrics.elidedText(
                point_label(point, self._varying), Qt.TextElideMode.ElideRight, int(names_width) - GAP
            )
            painter.drawText(
                QRectF(line.left() + GAP, line.top(), names_width - GAP, BAR), Qt.AlignmentFlag.AlignVCenter, words
            )
            total = format_milliseconds(sum(time for _, time in found))
            room = line.width() - names_width - metrics.horizontalAdvance("000,000 ms") - 2 * GAP
            x = line.left() + names_width
            for name, time in found:
                width = room * time / longest if longest else 0.0
                painter.fillRect(QRectF(x, line.top(), width, BAR), QColor(phase_colour(name, names, colours.phases)))
                x += width
            painter.drawText(QRectF(x + GAP, line.top(), 200, BAR), Qt.AlignmentFlag.AlignVCenter, total)
            if point is self.chosen:
                painter.setPen(QPen(QColor(colours.accent), 2))
                painter.drawRect(
                    QRectF(line.left() + names_width, line.top() - 1, x - line.left() - names_width, BAR + 2)
                )

    def point_at(self, place: QPointF) -> MeasuredPoint | None:
        """Return the point of the bar at a place of the widget, or None."""
        number = int((place.y() - GAP) // (BAR + GAP))
        return self.points[number] if 0 <= number < len(self.points) else None


def phase_times(point: MeasuredPoint) -> tuple[PhaseMilliseconds, ...]:
    """Return the times of the phases, of transfer and of the remainder in the run of median length, zeros left out.

    One run is taken because the medians of single phases need not add up to that of the whole call.
    """
    runs = sorted(point.runs, key=lambda run: run.wall_ms)
    if not runs:
        return ()
    run = runs[(len(runs) - 1) // 2]
    found = [*run.phase_times.items(), *((text, getattr(run, f"{name}_ms")) for name, text in OUTSIDE.items())]
    return tuple((name, time) for name, time in found if time > 0)
