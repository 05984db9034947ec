"""RooflineView: operations a second over operations a byte, under the limits of the devices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.axis import PlainPlot
from antidiag.app.kit.legend import PENS, Kind, LegendItem
from antidiag.app.kit.widgets import label, row
from antidiag.app.tune.plots.lines import line_items
from antidiag.app.tune.plots.series import Series
from antidiag.kernels.analysis import OPERATIONS, TRAFFIC
from antidiag.kernels.experiments.points import Point
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline

SIZE = 8
FEW_POWERS = 3
BEYOND = 4.0
"""How many times further than the points and the ridge the plot reaches."""
ROOF_PENS: tuple[Kind, ...] = ("line", "dashes", "dots", "dash-dots", "dash-dot-dots")
MEASURE, MEASURING = "Measure the limits of this device", "The limits of this device are being measured."
ABOUT = "Operations and bytes a second that it reaches at most; takes some seconds, and is kept"
UNDECLARED = "Nothing to draw: no method of these points declares its operations, as peers do not."
UNMOVED = 1e4
"""Operations a byte at which methods are drawn that need not move anything: only the flat roof is above them."""
NO_TRAFFIC = "Methods whose memory traffic is none, or not known, stand at 10,000 operations a byte."
UNKNOWN = "The limits of {} are not known yet."


@dataclass(frozen=True)
class Place:
    """A point under a roofline: operations a byte, and operations a second of its phases."""

    point: Point
    intensity: float
    rate: float


class RooflineView(QWidget):
    """The points of methods that declare operations and traffic; a click chooses one.

    ``measure_wanted``: the user asks for the limits of the device that the form has chosen.
    """

    clicked = Signal(object)
    hovered = Signal(object)
    measure_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.places: tuple[Place, ...] = ()
        self.roofs: tuple[Roofline, ...] = ()
        self.items: tuple[LegendItem, ...] = ()
        self.plot = PlainPlot()
        self.plot.setLogMode(True, True)
        self.plot.showGrid(x=True, y=True, alpha=0.2)
        for side in ("bottom", "left"):
            self.plot.getAxis(side).setZValue(self.plot.getViewBox().zValue() - 1)
            self.plot.getAxis(side).enableAutoSIPrefix(False)
        self.plot.getPlotItem().hideButtons()
        self.plot.setAccessibleName("Operations a second over operations a byte")
        self._roofs: list[pg.PlotCurveItem] = []
        self._dots = pg.ScatterPlotItem(size=SIZE, pen=None, hoverable=True, hoverSize=SIZE + 4, tip=None)
        self._dots.sigClicked.connect(lambda _, found, *rest: self.clicked.emit(found[0].data()))
        self._dots.sigHovered.connect(
            lambda _, found, *rest: self.hovered.emit(found[0].data() if len(found) else None)
        )
        self._chosen = pg.ScatterPlotItem(size=SIZE + 8, brush=None)
        self.plot.addItem(self._dots)
        self.plot.addItem(self._chosen, ignoreBounds=True)
        self.words, self.button = label(kind="muted", wrap=True), QPushButton(MEASURE)
        self.button.setToolTip(ABOUT)
        self.button.clicked.connect(self.measure_wanted)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, theme.SPACING, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addLayout(row(self.words, self.button, stretch=0))
        box.addWidget(self.plot, 1)

    def set_measuring(self, measuring: bool) -> None:
        """Whether the limits are being measured just now."""
        self.button.setEnabled(not measuring)
        self.button.setToolTip(MEASURING if measuring else ABOUT)

    def show_points(self, points: Sequence[Point], lines: Sequence[Series]) -> None:
        """Draw the points, those of ``lines`` in the colours of these, and the roofs of their devices."""
        colours = theme.active()
        brushes = [pg.mkBrush(colour) for colour in colours.series]
        shades = {id(point): line.shade for line in lines for point in line.points}
        self.places = tuple(place for place in map(place_of, points) if place is not None)
        devices = dict.fromkeys((place.point.backend, place.point.device) for place in self.places)
        roofs = {device: roofline.kept(*device) for device in devices}
        self.roofs = tuple(roof for roof in roofs.values() if roof is not None)
        self._put_on(colours)
        self._dots.setData(
            x=[np.log10(place.intensity) for place in self.places],
            y=[np.log10(place.rate) for place in self.places],
            data=[place.point for place in self.places],
            brush=[brushes[shades.get(id(place.point), 0) % len(brushes)] for place in self.places],
        )
        drawn = {id(place.point) for place in self.places}
        there = [line for line in lines if any(id(point) in drawn for point in line.points)]
        self.items = (*line_items(there, "mark"), *self._draw_roofs(colours))
        unknown = [name for (_, name), roof in roofs.items() if roof is None]
        self.words.setText(_told(points, self.places, self.roofs, unknown))
        self.plot.setVisible(bool(self.places))
        self.plot.autoRange()
        for side, (low, high) in zip(("bottom", "left"), self.plot.viewRange(), strict=True):
            self.plot.getAxis(side).setTicks(ticks(low, high))

    def show_chosen(self, point: Point | None) -> None:
        """A ring around the chosen point."""
        there = [place for place in self.places if place.point is point]
        self._chosen.setData([np.log10(place.intensity) for place in there], [np.log10(place.rate) for place in there])

    def _put_on(self, colours: theme.Theme) -> None:
        self.plot.setBackground(colours.panel)
        for side, words in (("bottom", "operations / byte"), ("left", "operations / s")):
            self.plot.getAxis(side).setPen(colours.border)
            self.plot.getAxis(side).setTextPen(colours.muted)
            self.plot.setLabel(side, words, color=colours.muted)
        self._chosen.setPen(pg.mkPen(colours.accent, width=2))

    def _draw_roofs(self, colours: theme.Theme) -> list[LegendItem]:
        """Draw the roofs anew; gives what explains them."""
        for item in self._roofs:
            self.plot.removeItem(item)
        ends = _ends(self.places, self.roofs)
        kinds = [ROOF_PENS[number % len(ROOF_PENS)] for number in range(len(self.roofs))]
        self._roofs = []
        for roof, kind in zip(self.roofs, kinds, strict=True):
            pen = pg.mkPen(colours.text, width=2, style=PENS[kind])
            self._roofs.append(pg.PlotCurveItem(*np.log10(outline(roof, *ends)), pen=pen, antialias=True))
            self.plot.addItem(self._roofs[-1])
        return [
            LegendItem(kind, f"limits of {roof.device}", (colours.text,))
            for roof, kind in zip(self.roofs, kinds, strict=True)
        ]


def place_of(point: Point) -> Place | None:
    """Where a point is; None where its method does not declare operations; at UNMOVED where nothing is moved."""
    operations, moved, time_ms = point.models.get(OPERATIONS), point.models.get(TRAFFIC), point.value("compute_ms")
    if not operations or not time_ms:
        return None
    return Place(point, operations / moved if moved else UNMOVED, operations / time_ms * 1e3)


def outline(roof: Roofline, low: float, high: float) -> np.ndarray:
    """The roof from one number of operations a byte to another: float (2, 3), the ridge in the middle."""
    ridge = roof.operations_per_s / roof.bytes_per_s
    x = np.array([min(low, ridge), ridge, max(high, ridge)])
    return np.stack([x, np.minimum(x * roof.bytes_per_s, roof.operations_per_s)])


def ticks(low: float, high: float) -> list[list[tuple[float, str]]]:
    """Marks of an axis from one power of ten to another, and of as much again around it: with and without words.

    Of few powers 2 and 5 have words too; with all of them the words of a wide axis would run into each other.
    """
    span = math.ceil(high - low)
    named = (1, 2, 5) if span <= FEW_POWERS else (1,)
    found: list[list[tuple[float, str]]] = [[], []]
    for power in range(math.floor(low) - span, math.ceil(high) + span):
        for digit in range(1, 10):
            value = digit * 10.0**power
            words = (texts.count(value) if power >= 0 else f"{value:.{-power}f}") if digit in named else ""
            found[0 if words else 1].append((math.log10(value), words))
    return found


def _ends(places: Sequence[Place], roofs: Sequence[Roofline]) -> tuple[float, float]:
    """Operations a byte between which roofs are drawn: all ridges and points are there."""
    there = [place.intensity for place in places] + [roof.operations_per_s / roof.bytes_per_s for roof in roofs]
    return min(there, default=1.0) / BEYOND, max(there, default=1.0) * BEYOND


def _told(points: Sequence[Point], places: Sequence[Place], roofs: Sequence[Roofline], unknown: Sequence[str]) -> str:
    """Every limit in words, and what is not drawn."""
    declared = [point for point in points if OPERATIONS in point.models]
    if not declared:
        return UNDECLARED
    found = [
        f"{roof.device}: at most {texts.count(roof.operations_per_s)} operations/s and "
        f"{texts.count(roof.bytes_per_s)} bytes/s on {roof.workers} "
        f"{'multiprocessors' if roof.backend == 'cuda' else 'threads'}, measured {roof.measured[:10]}."
        for roof in roofs
    ]
    found += [UNKNOWN.format(name) for name in unknown]
    return " ".join([*found, *([NO_TRAFFIC] if any(place.intensity == UNMOVED for place in places) else [])])
