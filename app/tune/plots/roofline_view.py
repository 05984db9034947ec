"""RooflineView: operations per second against operations per byte, under the limits of the devices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.widgets import create_label, create_row
from antidiag.app.kit.figures.legend import LINE_STYLES, Kind, LegendItem
from antidiag.app.kit.plots.axis import FastPlot
from antidiag.app.tune.plots.line_plot import choose_symbol, line_legend
from antidiag.app.tune.plots.point_plot import connect_hover, style_plot
from antidiag.kernels.cost_models import OPERATIONS, TRAFFIC
from antidiag.kernels.experiments.point_data.plot_data import PointSeries
from antidiag.kernels.experiments.point_data.points import MeasuredPoint
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline

SYMBOL_SIZE = 8
FEW_POWERS = 3
MARGIN_FACTOR = 4.0
"""Factor by which the plot extends beyond the points and the ridge."""
ROOF_PENS: tuple[Kind, ...] = ("line", "dashes", "dots", "dash-dots", "dash-dot-dots")
MEASURE_LABEL, MEASURING_TIP = "Measure device limits", "The limits of this device are being measured."
MEASURE_TIP = "Measure the most operations and bytes per second of this device; takes some seconds, the result is saved"
UNDECLARED_TEXT = "Nothing to draw: no method of these points declares its operations (peers never do)."
NO_TRAFFIC_INTENSITY = 1e4
"""Operations per byte at which methods without memory traffic are drawn, below the flat roof."""
NO_TRAFFIC_TEXT = "Methods with no or unknown memory traffic are drawn at 10,000 operations per byte."
UNKNOWN_LIMITS_TEXT = "The limits of {} were not measured yet."


@dataclass(frozen=True)
class RooflinePoint:
    """A point under a roofline: operations per byte, and operations per second of its phases."""

    point: MeasuredPoint
    intensity: float
    rate: float


class RooflineView(QWidget):
    """The points of methods that declare operations and traffic. ``measure_wanted``: measure the device limits."""

    clicked = Signal(object)
    hovered = Signal(object)
    measure_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.drawn_points: tuple[RooflinePoint, ...] = ()
        self.roofs: tuple[Roofline, ...] = ()
        self.legend_items: tuple[LegendItem, ...] = ()
        self.plot = FastPlot()
        self.plot.setLogMode(True, True)
        self.plot.showGrid(x=True, y=True, alpha=0.2)
        self.plot.getPlotItem().hideButtons()
        self.plot.setAccessibleName("Operations per second against operations per byte")
        self._roofs: list[pg.PlotCurveItem] = []
        self._dots = pg.ScatterPlotItem(size=SYMBOL_SIZE, pen=None, hoverable=True, hoverSize=SYMBOL_SIZE + 4, tip=None)
        self._dots.sigClicked.connect(lambda _, found, *rest: self.clicked.emit(found[0].data()))
        connect_hover(self._dots, self.hovered.emit)
        self._chosen = pg.ScatterPlotItem(size=SYMBOL_SIZE + 8, brush=None)
        self.plot.addItem(self._dots)
        self.plot.addItem(self._chosen, ignoreBounds=True)
        self.limits_label, self.measure_button = create_label(kind="muted", wrap=True), QPushButton(MEASURE_LABEL)
        self.measure_button.setToolTip(MEASURE_TIP)
        self.measure_button.clicked.connect(self.measure_wanted)
        box = column_of(create_row(self.limits_label, self.measure_button, stretch=0), (self.plot, 1), parent=self)
        box.setContentsMargins(0, theme.SPACING, 0, 0)

    def set_measuring(self, measuring: bool) -> None:
        """Disable the button while the limits are being measured."""
        self.measure_button.setEnabled(not measuring)
        self.measure_button.setToolTip(MEASURING_TIP if measuring else MEASURE_TIP)

    def show_points(self, points: Sequence[MeasuredPoint], lines: Sequence[PointSeries]) -> None:
        """Draw the points in the colours and symbols of their ``lines``, and the roofs of their devices."""
        colours = theme.active()
        brushes = [pg.mkBrush(colour) for colour in colours.series]
        shades = {id(point): line.shade for line in lines for point in line.points}
        self.drawn_points = tuple(place for place in map(roofline_point, points) if place is not None)
        devices = dict.fromkeys((place.point.backend, place.point.device) for place in self.drawn_points)
        roofs = {device: roofline.stored_roofline(*device) for device in devices}
        self.roofs = tuple(roof for roof in roofs.values() if roof is not None)
        style_plot(self.plot, "operations / byte", "operations / s")
        self._chosen.setPen(pg.mkPen(colours.accent, width=2))
        self._dots.setData(
            x=[np.log10(place.intensity) for place in self.drawn_points],
            y=[np.log10(place.rate) for place in self.drawn_points],
            data=[place.point for place in self.drawn_points],
            brush=[brushes[shades.get(id(place.point), 0) % len(brushes)] for place in self.drawn_points],
            symbol=[choose_symbol(shades.get(id(place.point), 0)) for place in self.drawn_points],
        )
        drawn = {id(place.point) for place in self.drawn_points}
        there = [line for line in lines if any(id(point) in drawn for point in line.points)]
        self.legend_items = (*line_legend(there, "mark"), *self._draw_roofs(colours))
        unknown = [name for (_, name), roof in roofs.items() if roof is None]
        self.limits_label.setText(_limits_text(points, self.drawn_points, self.roofs, unknown))
        self.plot.setVisible(bool(self.drawn_points))
        self.plot.autoRange()
        for side, (low, high) in zip(("bottom", "left"), self.plot.viewRange(), strict=True):
            self.plot.getAxis(side).setTicks(axis_ticks(low, high))

    def show_chosen(self, point: MeasuredPoint | None) -> None:
        """Draw a ring around the chosen point."""
        there = [place for place in self.drawn_points if place.point is point]
        self._chosen.setData([np.log10(place.intensity) for place in there], [np.log10(place.rate) for place in there])

    def _draw_roofs(self, colours: theme.Theme) -> list[LegendItem]:
        for item in self._roofs:
            self.plot.removeItem(item)
        ends = _roof_range(self.drawn_points, self.roofs)
        kinds = [ROOF_PENS[number % len(ROOF_PENS)] for number in range(len(self.roofs))]
        self._roofs = []
        for roof, kind in zip(self.roofs, kinds, strict=True):
            pen = pg.mkPen(colours.text, width=2, style=LINE_STYLES[kind])
            self._roofs.append(pg.PlotCurveItem(*np.log10(roof_outline(roof, *ends)), pen=pen, antialias=True))
            self.plot.addItem(self._roofs[-1])
        return [
            LegendItem(kind, f"limits of {roof.device}", (colours.text,))
            for roof, kind in zip(self.roofs, kinds, strict=True)
        ]


def roofline_point(point: MeasuredPoint) -> RooflinePoint | None:
    """Return the place of a point, or None if its method does not declare operations."""
    operations, moved, time_ms = (
        point.models.get(OPERATIONS),
        point.models.get(TRAFFIC),
        point.median_value("compute_ms"),
    )
    if not operations or not time_ms:
        return None
    return RooflinePoint(point, operations / moved if moved else NO_TRAFFIC_INTENSITY, operations / time_ms * 1e3)


def roof_outline(roof: Roofline, low: float, high: float) -> np.ndarray:
    """Return the roof between two numbers of operations per byte: float (2, 3), the ridge in the middle."""
    ridge = roof.operations_per_s / roof.bytes_per_s
    x = np.array([min(low, ridge), ridge, max(high, ridge)])
    return np.stack([x, np.minimum(x * roof.bytes_per_s, roof.operations_per_s)])


def axis_ticks(low: float, high: float) -> list[list[tuple[float, str]]]:
    """Return the labelled and the unlabelled ticks between two powers of ten, with the same span on both sides.

    Axes of few powers have labels at 2 and 5 too; on longer axes these would overlap.
    """
    span = math.ceil(high - low)
    named = (1, 2, 5) if span <= FEW_POWERS else (1,)
    found: list[list[tuple[float, str]]] = [[], []]
    for power in range(math.floor(low) - span, math.ceil(high) + span):
        for digit in range(1, 10):
            value = digit * 10.0**power
            words = (texts.format_number(value) if power >= 0 else f"{value:.{-power}f}") if digit in named else ""
            found[0 if words else 1].append((math.log10(value), words))
    return found


def _roof_range(places: Sequence[RooflinePoint], roofs: Sequence[Roofline]) -> tuple[float, float]:
    """Return the operations per byte between which roofs are drawn; all ridges and points lie inside."""
    there = [place.intensity for place in places] + [roof.operations_per_s / roof.bytes_per_s for roof in roofs]
    return min(there, default=1.0) / MARGIN_FACTOR, max(there, default=1.0) * MARGIN_FACTOR


def _limits_text(
    points: Sequence[MeasuredPoint], places: Sequence[RooflinePoint], roofs: Sequence[Roofline], unknown: Sequence[str]
) -> str:
    declared = [point for point in points if OPERATIONS in point.models]
    if not declared:
        return UNDECLARED_TEXT
    found = [
        f"{roof.device}: at most {texts.format_number(roof.operations_per_s)} operations/s and "
        f"{texts.format_number(roof.bytes_per_s)} bytes/s on {roof.workers} "
        f"{'multiprocessors' if roof.backend == 'cuda' else 'threads'}, measured {roof.measured[:10]}."
        for roof in roofs
    ]
    found += [UNKNOWN_LIMITS_TEXT.format(name) for name in unknown]
    return " ".join(
        [*found, *([NO_TRAFFIC_TEXT] if any(place.intensity == NO_TRAFFIC_INTENSITY for place in places) else [])]
    )
