"""LinePlot: a quantity over an axis, a line for each of whatever else differs, with its spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPen

from app import theme
from app.tune import series
from app.tune.series import Series
from app.tune.settings import PlotSettings
from app.views.axis import Axis
from app.views.pieces import LegendItem
from kernels.experiments.points import Point

SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "p")
SIZE, BEAM = 8, 0.0
MOST_MARKS = 12
"""Places that are marked one by one on the horizontal axis."""
Curve = tuple[str, Sequence[float], Sequence[float]]
"""A model's name, its places and its values."""


class LinePlot(pg.PlotWidget):
    """Lines with error bars; a click on a point chooses it, hovering tells its values."""

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__(axisItems={side: Axis(side) for side in ("bottom", "left")})
        self.lines: tuple[Series, ...] = ()
        self.items: tuple[LegendItem, ...] = ()
        self._chosen = pg.ScatterPlotItem(size=SIZE + 8, pen=None, brush=None)
        self._chosen.setZValue(10)
        self.showGrid(x=True, y=True, alpha=0.2)
        self.getPlotItem().setMenuEnabled(False)
        self.getPlotItem().hideButtons()
        self.setAccessibleName("Plot of a quantity over an axis")

    def show_lines(
        self, lines: Sequence[Series], settings: PlotSettings, x_label: str, curves: Sequence[Curve] = ()
    ) -> None:
        """Draw these lines; ``curves`` are models, scaled to what was measured."""
        self.lines = tuple(lines)
        colours = theme.active()
        self.setBackground(colours.panel)
        self.clear()
        for axis in ("bottom", "left"):
            self.getAxis(axis).setPen(colours.border)
            self.getAxis(axis).setTextPen(colours.muted)
            self.getAxis(axis).enableAutoSIPrefix(False)
        self.setLabel("bottom", x_label, color=colours.muted)
        self.setLabel("left", settings.label, color=colours.muted)
        self.setLogMode(settings.log_x, settings.log_y)
        drawn = [(line.x, [spread.median for spread in line.spreads]) for line in self.lines]
        for number, colour in enumerate(colours.series[: len(drawn)]):
            self._draw_lines(drawn[number :: len(colours.series)], pg.mkPen(colour), settings)
        dashes = pg.mkPen(colours.muted, style=Qt.PenStyle.DashLine)
        self._draw_lines([(x, y) for _, x, y in curves], dashes, settings)
        items = [
            LegendItem("line", line.name or "measured", (colours.series[number % len(colours.series)],))
            for number, line in enumerate(self.lines)
        ]
        items += [LegendItem("dots", name, (colours.muted,)) for name, _, _ in curves]
        self._draw_points(settings)
        self._mark_places(settings)
        self._chosen.setPen(pg.mkPen(colours.accent, width=2))
        self.addItem(self._chosen)
        self.items = tuple(items)
        self.autoRange()

    def show_chosen(self, point: Point | None, settings: PlotSettings) -> None:
        """A ring around the chosen point."""
        for line in self.lines:
            for place, spread, member in zip(line.x, line.spreads, line.points, strict=True):
                if member is point:
                    at = _scaled(place, settings.log_x), _scaled(spread.median, settings.log_y)
                    self._chosen.setData([at[0]], [at[1]])
                    return
        self._chosen.setData([], [])

    def _draw_lines(
        self, lines: Sequence[tuple[Sequence[float], Sequence[float]]], pen: QPen, settings: PlotSettings
    ) -> None:
        """Lines of one pen as one item: an item costs more than what it draws; one pixel wide, as Qt draws fast."""
        if lines:
            x = np.array([_scaled(value, settings.log_x) for places, _ in lines for value in places])
            y = np.array([_scaled(value, settings.log_y) for _, values in lines for value in values])
            goes_on = np.ones(x.size, np.int32)
            goes_on[np.cumsum([len(places) for places, _ in lines]) - 1] = 0
            self.addItem(pg.PlotCurveItem(x, y, connect=goes_on, pen=pen, antialias=True))

    def _mark_places(self, settings: PlotSettings) -> None:
        """Ticks at the places that were measured, where they are few: 64, 128, 256 say more than powers of ten."""
        places = sorted({place for line in self.lines for place in line.x})
        marks = [(_scaled(place, settings.log_x), f"{place:,.6g}") for place in places]
        self.getAxis("bottom").setTicks([marks] if 0 < len(marks) <= MOST_MARKS else None)

    def _draw_points(self, settings: PlotSettings) -> None:
        """The points of all lines as one item, and their spreads as another: an item costs more than its points."""
        colours = theme.active()
        of_all = [
            (number, place, spread, point)
            for number, line in enumerate(self.lines)
            for place, spread, point in zip(line.x, line.spreads, line.points, strict=True)
        ]
        if not of_all:
            return
        numbers, places, spreads, points = zip(*of_all, strict=True)
        x = np.array([_scaled(place, settings.log_x) for place in places])
        y, low, high = (
            np.array([_scaled(getattr(spread, part), settings.log_y) for spread in spreads])
            for part in ("median", "low", "high")
        )
        pen = pg.mkPen(colours.muted)
        self.addItem(pg.ErrorBarItem(x=x, y=y, top=high - y, bottom=y - low, beam=BEAM, pen=pen))
        brushes = [pg.mkBrush(colour) for colour in colours.series]
        dots = pg.ScatterPlotItem(
            x=x, y=y, data=list(points), symbol=[SYMBOLS[number % len(SYMBOLS)] for number in numbers], size=SIZE,
            pen=None, brush=[brushes[number % len(brushes)] for number in numbers], hoverable=True, hoverSize=SIZE + 4,
            tip=None,
        )  # fmt: skip
        dots.sigClicked.connect(lambda _, found, *rest: self.clicked.emit(found[0].data()))
        dots.sigHovered.connect(lambda _, found, *rest: self.hovered.emit(found[0].data() if len(found) else None))
        self.addItem(dots)


def model_curves(
    lines: Sequence[Series], quantity: str, curve_of: Callable[[Point], Mapping[str, Sequence[tuple[float, float]]]]
) -> list[Curve]:
    """The curves of the models of each line's method, laid over the measured points of the line.

    ``curve_of(point)`` gives places and values of every model that grows with the time, by label.
    """
    found: list[Curve] = []
    for line in lines:
        for name, pairs in curve_of(line.points[0]).items():
            there = dict(pairs)
            ratios = [
                spread.median / there[place]
                for place, spread in zip(line.x, line.spreads, strict=True)
                if there.get(place)
            ]
            if ratios:
                factor = float(np.median(ratios))
                found.append((f"{name} (scaled)", [x for x, _ in pairs], [factor * y for _, y in pairs]))
    return found


def _scaled(value: float, logarithmic: bool) -> float:
    return float(np.log10(max(value, 1e-12))) if logarithmic else value


def default_settings(points: Sequence[Point], before: PlotSettings, moving: Sequence[str]) -> PlotSettings:
    """What to show of these points where the user has not said: the first axis of numbers, the rest by colour.

    ``moving`` are the names that differ between them (series.names).
    """
    if not points:
        return before
    numbers = [name for name in moving if series.numeric([p for p in points if p.measured], name)]
    known = {name for point in points for name in point.coordinates}
    x = before.x if before.x in known.union(moving) else next(iter(numbers), "")
    others = [name for name in moving if name != x and any(name in point.coordinates for point in points)]
    suited = [name for name in others if name not in ("method", "backend")]
    y = before.y if before.y in known and before.y != x else next(iter(suited), "")
    split = tuple(name for name in others if name != "cells")
    return PlotSettings(x, y, before.quantity, split, before.baseline, before.log_x, before.log_y, before.models)
