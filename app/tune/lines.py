"""LinePlot: a quantity over an axis, a line for each of whatever else differs, with its spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor

from app import theme
from app.tune import series
from app.tune.series import Series
from app.tune.settings import PlotSettings
from app.views.pieces import LegendItem
from kernels.experiments.points import Point

SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "p")
SIZE, BEAM = 8, 0.0
Curve = tuple[str, Sequence[float], Sequence[float]]
"""A model's name, its places and its values."""


class LinePlot(pg.PlotWidget):
    """Lines with error bars; a click on a point chooses it, hovering tells its values."""

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[Series, ...] = ()
        self.items: tuple[LegendItem, ...] = ()
        self._dots: list[pg.ScatterPlotItem] = []
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
        self._dots = []
        for axis in ("bottom", "left"):
            self.getAxis(axis).setPen(colours.border)
            self.getAxis(axis).setTextPen(colours.muted)
            self.getAxis(axis).enableAutoSIPrefix(False)
        self.setLabel("bottom", x_label, color=colours.muted)
        self.setLabel("left", settings.label, color=colours.muted)
        self.setLogMode(settings.log_x, settings.log_y)
        items = []
        for number, line in enumerate(self.lines):
            colour = colours.series[number % len(colours.series)]
            self._draw(line, colour, SYMBOLS[number % len(SYMBOLS)], settings)
            items.append(LegendItem("line", line.name or "measured", (colour,)))
        for name, x, y in curves:
            self.plot(np.array(x, float), np.array(y, float), pen=pg.mkPen(colours.muted, style=Qt.PenStyle.DashLine))
            items.append(LegendItem("dots", name, (colours.muted,)))
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

    def _draw(self, line: Series, colour: str, symbol: str, settings: PlotSettings) -> None:
        medians = [spread.median for spread in line.spreads]
        self.plot(line.x, medians, pen=pg.mkPen(colour, width=1.5))
        x = np.array([_scaled(place, settings.log_x) for place in line.x])
        y, low, high = (
            np.array([_scaled(getattr(spread, part), settings.log_y) for spread in line.spreads])
            for part in ("median", "low", "high")
        )
        self.addItem(pg.ErrorBarItem(x=x, y=y, top=high - y, bottom=y - low, beam=BEAM, pen=pg.mkPen(colour)))
        dots = pg.ScatterPlotItem(x=x, y=y, data=list(line.points), symbol=symbol, size=SIZE, pen=None,
                                  brush=QColor(colour), hoverable=True, hoverSize=SIZE + 4, tip=None)  # fmt: skip
        dots.sigClicked.connect(lambda _, found, *rest: self.clicked.emit(found[0].data()))
        dots.sigHovered.connect(lambda _, found, *rest: self.hovered.emit(found[0].data() if len(found) else None))
        self.addItem(dots)
        self._dots.append(dots)


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


def default_settings(points: Sequence[Point], before: PlotSettings) -> PlotSettings:
    """What to show of these points where the user has not said: the first axis of numbers, the rest by colour."""
    if not points:
        return before
    moving = series.names(points)
    numbers = [name for name in moving if series.numeric([p for p in points if p.measured], name)]
    known = {name for point in points for name in point.coordinates}
    x = before.x if before.x in known.union(moving) else next(iter(numbers), "")
    others = [name for name in moving if name != x and any(name in point.coordinates for point in points)]
    suited = [name for name in others if name not in ("method", "backend")]
    y = before.y if before.y in known and before.y != x else next(iter(suited), "")
    split = tuple(name for name in others if name != "cells")
    return PlotSettings(x, y, before.quantity, split, before.baseline, before.log_x, before.log_y, before.models)
