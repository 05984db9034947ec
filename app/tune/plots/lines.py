"""LinePlot: a quantity over an axis, a line for each of whatever else differs, with its spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Signal
from PySide6.QtGui import QBrush, QColor

from antidiag.app import texts, theme
from antidiag.app.kit.axis import PlainPlot
from antidiag.app.kit.legend import PENS, Kind, LegendItem
from antidiag.app.tune.plots import series
from antidiag.app.tune.plots.series import Level, Series
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.experiments.points import Point

SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "p")
SIZE, BEAM = 8, 0.0
MOST_MARKS = 12
"""Places that are marked one by one on the horizontal axis."""
LABEL_GROUND, LABEL_GAP = 170, 16
"""How far the ground behind the name of a level line covers what is there, of 255, and pixels beside the name."""
MOST_ITEMS = 12
"""Lines that the legend names one by one."""
CUT_AT = 3.0
"""A bar of a spread is cut beyond so many times the usual one, and the range of the medians."""
TIMES, RATES = ("wall_ms", "compute_ms"), ("gcups", "wall_gcups", series.SPEEDUP)
"""Quantities that a model of the time foretells, up to a factor, and those that one over it does."""
MODEL_PENS: tuple[Kind, ...] = ("dashes", "dots", "dash-dots", "dash-dot-dots")


class Curve(NamedTuple):
    """A model's name, its places and values, and the shade of the line over which it is laid."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    shade: int = 0


class LinePlot(PlainPlot):
    """Lines with error bars; a click on a point chooses it, hovering tells its values."""

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[Series, ...] = ()
        self.items: tuple[LegendItem, ...] = ()
        self._dress: tuple[object, ...] = ()
        self._marks: list[tuple[float, str]] | None = None
        self._brushes: list[QBrush] = []
        # To clip what is drawn to many rectangles takes longer than to draw all of it.
        self.setViewportUpdateMode(self.ViewportUpdateMode.BoundingRectViewportUpdate)
        # Items stay and get other data: to make and to place one takes longer than to draw it.
        self._curves = [pg.PlotCurveItem(antialias=True) for _ in theme.active().series]
        self._models: dict[tuple[int, int], pg.PlotCurveItem] = {}
        self._levels: list[pg.InfiniteLine] = []
        self._spreads = pg.ErrorBarItem(beam=BEAM)
        self._dots = pg.ScatterPlotItem(size=SIZE, pen=None, brush=None, hoverable=True, hoverSize=SIZE + 4, tip=None)
        self._dots.sigClicked.connect(lambda _, found, *rest: self.clicked.emit(found[0].data()))
        self._dots.sigHovered.connect(
            lambda _, found, *rest: self.hovered.emit(found[0].data() if len(found) else None)
        )
        self._cuts = pg.ScatterPlotItem(size=SIZE, pen=None)
        self._best = pg.ScatterPlotItem(size=SIZE + 8, symbol="star", pen=None)
        self._chosen = pg.ScatterPlotItem(size=SIZE + 8, pen=None, brush=None)
        for item in (*self._curves, self._spreads, self._dots, self._cuts):
            self.addItem(item)
        for item in (self._best, self._chosen):
            self.addItem(item, ignoreBounds=True)
        self.showGrid(x=True, y=True, alpha=0.2)
        for side in ("bottom", "left"):  # the grid is an axis' own, and is not to cut the lines
            self.getAxis(side).setZValue(self.getViewBox().zValue() - 1)
        self.getPlotItem().hideButtons()
        self.setAccessibleName("Plot of a quantity over an axis")

    def show_lines(
        self,
        lines: Sequence[Series],
        settings: PlotSettings,
        x_label: str,
        curves: Sequence[Curve] = (),
        best: Point | None = None,
        levels: Sequence[Level] = (),
    ) -> None:
        """Draw these lines; ``curves`` are models, scaled to what was measured; ``best`` is marked; ``levels`` are of
        what has no place on the axis."""
        self.lines = tuple(lines)
        colours = theme.active()
        self._put_on(colours, settings, x_label)
        joined = () if settings.scatter else self.lines
        for number, item in enumerate(self._curves):
            of_colour = [line for line in joined if line.shade % len(self._curves) == number]
            _draw_lines(item, [(line.x, [spread.median for spread in line.spreads]) for line in of_colour], settings)
        models = self._draw_models(curves, colours, settings)
        self._draw_points(settings)
        self._mark(self._best, best, settings)
        self._mark_places(settings)
        self._draw_levels(levels, settings)
        told = [LegendItem("mark", f"fastest candidate: {_told(best, settings)}", (colours.path,))] if best else []
        if len(self._cuts.data):
            told.append(LegendItem("mark", "values beyond the end of a bar", (colours.muted,)))
        self.items = (*line_items(self.lines, "mark" if settings.scatter else "line"), *models, *told)
        self.autoRange()

    def show_chosen(self, point: Point | None, settings: PlotSettings) -> None:
        """A ring around the chosen point."""
        self._mark(self._chosen, point, settings)

    def _draw_levels(self, levels: Sequence[Level], settings: PlotSettings) -> None:
        """A line all across for each, with its name on it."""
        for item in self._levels:
            self.removeItem(item)
        active, metrics = theme.active(), self.fontMetrics()
        ground = QColor(active.panel)
        ground.setAlpha(LABEL_GROUND)
        width = max(self.getViewBox().width(), 1)
        levels = sorted(levels, key=lambda level: -level.value)
        rooms = [(metrics.horizontalAdvance(level.name) + LABEL_GAP) / width for level in levels]
        self._levels = [
            pg.InfiniteLine(
                _scaled(level.value, settings.log_y), angle=0, pen=pg.mkPen(active.muted, style=PENS["dashes"]),
                label=level.name, labelOpts={"position": right, "color": active.text, "fill": ground,
                                             "anchors": [(1, 1), (1, 1)] if above else [(1, 0), (1, 0)]},
            )
            for level, (right, above) in zip(levels, label_places(rooms), strict=True)
        ]  # fmt: skip
        for item in self._levels:
            self.addItem(item)

    def _mark(self, item: pg.ScatterPlotItem, point: Point | None, settings: PlotSettings) -> None:
        """Put a mark where a point is, or nowhere."""
        for line in self.lines:
            for place, spread, member in zip(line.x, line.spreads, line.points, strict=True):
                if member is point:
                    at = _scaled(place, settings.log_x), _scaled(spread.median, settings.log_y)
                    item.setData([at[0]], [at[1]])
                    return
        item.setData([], [])

    def _draw_models(self, curves: Sequence[Curve], colours: theme.Theme, settings: PlotSettings) -> list[LegendItem]:
        """Curves in the colours of their lines, each model in a pattern of its own; gives what explains these."""
        names = list(dict.fromkeys(curve.name for curve in curves))
        drawn: dict[tuple[int, int], list[Curve]] = {key: [] for key in self._models}
        for curve in curves:
            key = curve.shade % len(self._curves), names.index(curve.name) % len(MODEL_PENS)
            drawn.setdefault(key, []).append(curve)
        for key, members in drawn.items():
            if key not in self._models:
                self._models[key] = pg.PlotCurveItem(antialias=True)
                self.addItem(self._models[key])
            colour, style = colours.series[key[0]], PENS[MODEL_PENS[key[1]]]
            self._models[key].setPen(pg.mkPen(colour, style=style))
            _draw_lines(self._models[key], [(curve.x, curve.y) for curve in members], settings)
        kinds = [MODEL_PENS[number % len(MODEL_PENS)] for number in range(len(names))]
        return [LegendItem(kind, name, (colours.muted,)) for kind, name in zip(kinds, names, strict=True)]

    def _put_on(self, colours: theme.Theme, settings: PlotSettings, x_label: str) -> None:
        """Colours, words and scales: where they are others than before, because all of it is laid out anew then."""
        dress = colours, x_label, settings.label, settings.log_x, settings.log_y
        if dress == self._dress:
            return
        self._dress = dress
        self.setBackground(colours.panel)
        for side, words in (("bottom", x_label), ("left", settings.label)):
            self.getAxis(side).setPen(colours.border)
            self.getAxis(side).setTextPen(colours.muted)
            self.getAxis(side).enableAutoSIPrefix(False)
            self.setLabel(side, words, color=colours.muted)
        self.setLogMode(settings.log_x, settings.log_y)
        for item, colour in zip(self._curves, colours.series, strict=True):
            item.setPen(pg.mkPen(colour))
        self._spreads.setData(pen=pg.mkPen(colours.muted))
        self._brushes = [
            pg.mkBrush(colour) for colour in colours.series
        ]  # kept: pyqtgraph draws a symbol once for each
        self._best.setBrush(pg.mkBrush(colours.path))
        self._chosen.setPen(pg.mkPen(colours.accent, width=2))

    def _mark_places(self, settings: PlotSettings) -> None:
        """Ticks at the places that were measured, where they are few: 64, 128, 256 say more than powers of ten."""
        places = sorted({place for line in self.lines for place in line.x})
        marks = [(_scaled(place, settings.log_x), _number(place)) for place in places]
        few = marks if 0 < len(marks) <= MOST_MARKS else None
        if few != self._marks:
            self._marks = few
            self.getAxis("bottom").setTicks([few] if few else None)

    def _draw_points(self, settings: PlotSettings) -> None:
        """The points of all lines as one item, and their spreads as another: an item costs more than its points."""
        of_all = [
            (line.shade, place, spread, point)
            for line in self.lines
            for place, spread, point in zip(line.x, line.spreads, line.points, strict=True)
        ]
        if not of_all:
            self._spreads.setData(x=None, y=None)
            self._dots.setData([], [])
            self._cuts.setData([], [])
            return
        shades, places, spreads, points = zip(*of_all, strict=True)
        x = np.array([_scaled(place, settings.log_x) for place in places])
        y, low, high = (
            np.array([_scaled(getattr(spread, part), settings.log_y) for spread in spreads])
            for part in ("median", "low", "high")
        )
        (low, high), beyond = _cut(y, low, high)
        self._spreads.setData(x=x, y=y, top=high - y, bottom=y - low)
        down, up = beyond
        self._cuts.setData(
            x=np.concatenate((x[down], x[up])), y=np.concatenate((low[down], high[up])),
            symbol=["t"] * int(down.sum()) + ["t1"] * int(up.sum()),  # of which the first points down
            brush=pg.mkBrush(theme.active().muted),
        )  # fmt: skip
        self._dots.setData(
            x=x, y=y, data=list(points), symbol=[_symbol(shade) for shade in shades],
            brush=[self._brushes[shade % len(self._brushes)] for shade in shades],
        )  # fmt: skip


def label_places(rooms: Sequence[float]) -> list[tuple[float, bool]]:
    """Where names of level lines end, as a share of the width, and whether they stand above their lines.

    ``rooms`` are the widths of the names as shares, of the highest line first. Lines may lie on each other: names of
    the upper half stand above them and those of the lower half below, and go from the right to the left as long as
    there is room, so that none hides another.
    """
    found: list[tuple[float, bool]] = []
    for above, row in ((True, rooms[: -(-len(rooms) // 2)]), (False, rooms[-(-len(rooms) // 2) :])):
        end = 1.0
        for room in row:
            end = end if end >= min(room, 1.0) else 1.0
            found.append((end, above))
            end -= room
    return found


def _cut(y: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Ends of the bars, none so far out that the medians could no longer be told apart; and which were cut."""
    usual = float(np.median(np.concatenate((high - y, y - low))))
    reach = max(float(np.ptp(y)), CUT_AT * usual) or np.inf
    least, most = y.min() - reach, y.max() + reach
    return (np.maximum(low, least), np.minimum(high, most)), (low < least, high > most)


def _number(place: float) -> str:
    """'1,024', '0.25', '16 M'."""
    text = f"{place:,.6g}"
    return texts.count(place) if "e+" in text else text


def _symbol(shade: int) -> str:
    """Another one for every shade, and for those of one colour too, as long as there are some."""
    return SYMBOLS[(shade + shade // len(SYMBOLS)) % len(SYMBOLS)]


def _told(point: Point, settings: PlotSettings) -> str:
    return series.label(point, [name for name in (settings.x, *settings.split) if name])


def line_items(lines: Sequence[Series], kind: Kind) -> list[LegendItem]:
    """What a legend says of lines: an item a shade, of too many only how many there are."""
    palette = theme.active().series
    groups = {line.shade: line.group or "measured" for line in lines}
    items = [LegendItem(kind, text, (palette[shade % len(palette)],)) for shade, text in groups.items()]
    rest = len(items) - MOST_ITEMS
    return [*items[:MOST_ITEMS], LegendItem("text", f"and {rest:,} more")] if rest > 0 else items


def _draw_lines(
    item: pg.PlotCurveItem, lines: Sequence[tuple[Sequence[float], Sequence[float]]], settings: PlotSettings
) -> None:
    """Lines of one pen as one item: an item costs more than what it draws; one pixel wide, as Qt draws fast."""
    lines = [(places, values) for places, values in lines if len(places)]
    if not lines:
        item.setData([], [])
        return
    x = np.array([_scaled(value, settings.log_x) for places, _ in lines for value in places])
    y = np.array([_scaled(value, settings.log_y) for _, values in lines for value in values])
    goes_on = np.ones(x.size, np.int32)
    goes_on[np.cumsum([len(places) for places, _ in lines]) - 1] = 0
    item.setData(x, y, connect=goes_on)


def model_curves(
    lines: Sequence[Series], quantity: str, curve_of: Callable[[Point], Mapping[str, Sequence[tuple[float, float]]]]
) -> list[Curve]:
    """The curves of the models of each line's method, laid over the measured points of the line.

    ``curve_of(point)`` gives places and values of every model that grows with the time, by label. Rates and speedups
    shrink as the time grows, so that their curves are of one over the model; of other quantities there are none.
    """
    power = 1 if quantity in TIMES else -1 if quantity in RATES else 0
    found: list[Curve] = []
    for line in lines if power else ():
        for name, foretold in curve_of(line.points[0]).items():
            pairs = [(place, value**power) for place, value in foretold if value]
            there = dict(pairs)
            ratios = [
                spread.median / there[place]
                for place, spread in zip(line.x, line.spreads, strict=True)
                if there.get(place)
            ]
            if ratios:
                factor = float(np.median(ratios))
                x, y = [x for x, _ in pairs], [factor * y for _, y in pairs]
                found.append(Curve(f"{name} (scaled)", x, y, line.shade))
    return found


def _scaled(value: float, logarithmic: bool) -> float:
    return float(np.log10(max(value, 1e-12))) if logarithmic else value


def _follows_cells(points: Sequence[Point], name: str) -> bool:
    """Whether problems of one size have one value of a name, as lengths have, so that it tells no lines apart."""
    pairs = {(point.cells, str(series.coordinate(point, name))) for point in points}
    return len(pairs) == len({cells for cells, _ in pairs})


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
    split = tuple(name for name in others if name != "cells" and not (x == "cells" and _follows_cells(points, name)))
    coloured = known.union(series.OF_POINTS, *(point.parameters for point in points))
    colour = before.colour if before.colour in coloured and before.colour != x else ""
    return replace(before, x=x, y=y, split=split, colour=colour)
