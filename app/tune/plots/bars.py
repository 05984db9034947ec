"""PhaseBars: the phases of every point as stacked bars, with transfer and compilation apart."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.phase_times import colour_of
from antidiag.app.tune.plots.series import label
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.tables import milliseconds

BAR, GAP, NAMES = 20, 6, 220
NAMES_SHARE = 0.4
"""Names take no more of the width than this."""
OUTSIDE = {"transfer": "transfer", "other": "outside phases"}
Part = tuple[str, float]


class PhaseBars(QWidget):
    """A bar for every point, longest time at full width; a click chooses a point."""

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.points: tuple[Point, ...] = ()
        self.chosen: Point | None = None
        self._parts: tuple[tuple[Part, ...], ...] = ()
        self._names: tuple[str, ...] = ()
        self._moving: tuple[str, ...] = ()
        self.setMouseTracking(True)
        self.setAccessibleName("Phases of every point")

    def show_points(self, points: Sequence[Point], moving: Sequence[str]) -> None:
        """Draw these; ``moving`` are the names that tell them apart."""
        self.points, self._moving = tuple(points), tuple(moving)
        self._parts = tuple(parts(point) for point in self.points)
        self._names = tuple(dict.fromkeys(name for found in self._parts for name, _ in found))
        self.setMinimumHeight(len(self.points) * (BAR + GAP) + 2 * GAP)
        self.updateGeometry()
        self.update()

    def show_chosen(self, point: Point | None) -> None:
        self.chosen = point
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(500, max(200, self.minimumHeight()))

    @property
    def items(self) -> tuple[LegendItem, ...]:
        """The legend: every phase that some point has."""
        palette = theme.active().phases
        return tuple(LegendItem("fill", name, (colour_of(name, self._names, palette),)) for name in self._names)

    def paintEvent(self, event: QPaintEvent) -> None:
        self.draw(QPainter(self), QRectF(self.rect()), QRectF(event.rect()))

    def draw(self, painter: QPainter, area: QRectF, wanted: QRectF | None = None) -> None:
        """Draw into an area, on a screen or in a file; ``wanted``: the bars in this part of it alone."""
        colours, metrics, names = theme.active(), painter.fontMetrics(), self._names
        painter.fillRect(area, QColor(colours.panel))
        names_width = min(NAMES, NAMES_SHARE * area.width())
        longest = max((sum(time for _, time in found) for found in self._parts), default=0.0)
        for number, (point, found) in enumerate(zip(self.points, self._parts, strict=True)):
            line = QRectF(area.left(), area.top() + GAP + number * (BAR + GAP), area.width(), BAR)
            if wanted and not wanted.intersects(line.adjusted(0, -GAP, 0, GAP)):
                continue
            painter.setPen(QColor(colours.text))
            words = metrics.elidedText(label(point, self._moving), Qt.TextElideMode.ElideRight, int(names_width) - GAP)
            painter.drawText(
                QRectF(line.left() + GAP, line.top(), names_width - GAP, BAR), Qt.AlignmentFlag.AlignVCenter, words
            )
            total = milliseconds(sum(time for _, time in found))
            room = line.width() - names_width - metrics.horizontalAdvance("000,000 ms") - 2 * GAP
            x = line.left() + names_width
            for name, time in found:
                width = room * time / longest if longest else 0.0
                painter.fillRect(QRectF(x, line.top(), width, BAR), QColor(colour_of(name, names, colours.phases)))
                x += width
            painter.drawText(QRectF(x + GAP, line.top(), 200, BAR), Qt.AlignmentFlag.AlignVCenter, total)
            if point is self.chosen:
                painter.setPen(QPen(QColor(colours.accent), 2))
                painter.drawRect(
                    QRectF(line.left() + names_width, line.top() - 1, x - line.left() - names_width, BAR + 2)
                )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if found := self._at(event.position()):
            self.clicked.emit(found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self._at(event.position()))

    def leaveEvent(self, event) -> None:
        self.hovered.emit(None)

    def _at(self, place: QPointF) -> Point | None:
        number = int((place.y() - GAP) // (BAR + GAP))
        return self.points[number] if 0 <= number < len(self.points) else None


def parts(point: Point) -> tuple[Part, ...]:
    """Phases, transfer and what lies outside phases of the run of median length; what took no time is left out.

    Medians of every phase by itself need not add up to that of the whole call.
    """
    runs = sorted(point.runs, key=lambda run: run.wall_ms)
    if not runs:
        return ()
    run = runs[(len(runs) - 1) // 2]
    found = [*run.phases.items(), *((text, getattr(run, f"{name}_ms")) for name, text in OUTSIDE.items())]
    return tuple((name, time) for name, time in found if time > 0)
