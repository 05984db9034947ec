"""PointPlot: a painted plot whose points are chosen by a click."""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit.plots.axis import FastPlot
from antidiag.kernels.experiments.point_data.points import MeasuredPoint

LAYOUTS = 2
"""Times that a hidden plot is laid out: its labels follow its size, and its axes follow their labels."""


class PointPlot(QWidget):
    """A plot that is painted on the screen and into files. ``clicked``, ``hovered``: a point, or None."""

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self, accessible_name: str) -> None:
        super().__init__()
        self.chosen: MeasuredPoint | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(accessible_name)

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw into an area, on a screen or in a file."""
        raise NotImplementedError

    def point_at(self, place: QPointF) -> MeasuredPoint | None:
        """Return the point at a place of the widget, or None."""
        raise NotImplementedError

    def show_chosen(self, point: MeasuredPoint | None) -> None:
        """Mark the chosen point."""
        self.chosen = point
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(500, 400)

    def paintEvent(self, event: QPaintEvent) -> None:
        self.draw(QPainter(self), QRectF(self.rect()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if found := self.point_at(event.position()):
            self.clicked.emit(found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self.point_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)


def style_plot(plot: FastPlot, x_label: str, y_label: str) -> None:
    """Apply the colours of the theme and the labels of both axes."""
    colours = theme.active()
    plot.setBackground(colours.panel)
    for side, words in (("bottom", x_label), ("left", y_label)):
        axis = plot.getAxis(side)
        axis.setZValue(plot.getViewBox().zValue() - 1)  # an axis draws the grid, which belongs behind the lines
        axis.enableAutoSIPrefix(False)
        axis.setPen(colours.border)
        axis.setTextPen(colours.muted)
        plot.setLabel(side, words, color=colours.muted)


def settle_axes(widget: QWidget, plot: FastPlot) -> None:
    """Paint a widget that is not shown, and give the axes of a plot in it the room that their labels then need."""
    widget.grab()
    plot.getPlotItem().layout.activate()


def connect_hover(dots: pg.ScatterPlotItem, emit: Callable[[MeasuredPoint | None], None]) -> None:
    """Emit the point under the mouse, or None when the mouse leaves it."""
    dots.sigHovered.connect(lambda _, found, *rest: emit(found[0].data() if len(found) else None))
