"""LinePlot: a quantity over an axis as lines with error bars, one line per combination of the other names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QColor

from antidiag.app import texts, theme
from antidiag.app.kit.figures.legend import LINE_STYLES, Kind, LegendItem
from antidiag.app.kit.plots.axis import FastPlot
from antidiag.app.tune.plots.point_plot import connect_hover, style_plot
from antidiag.kernels.experiments.point_data import plot_data
from antidiag.kernels.experiments.point_data.plot_data import LevelLine, PlotSettings, PointSeries
from antidiag.kernels.experiments.point_data.points import MeasuredPoint

SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "p")
SYMBOL_SIZE, BEAM = 8, 0.0
MAX_MARKS = 12
"""Most measured places that get a tick of their own on the horizontal axis."""
LABEL_OPACITY, LABEL_GAP = 170, 16
"""Opacity (of 255) of the background of a level line's name, and pixels beside the name."""
MAX_LEGEND_ITEMS = 16
MAX_NAMED_LINES, NAME_WIDTH, NAME_MARGIN = 20, 180, 1
"""Most lines that get their names at their ends, most pixels of a name, and pixels around it."""
LOG_RATIO = 30
"""Ratio of the largest to the smallest value from which a logarithmic scale is the default."""
CLOSE_SHARE, MANY_CLOSE = 0.02, 0.25
"""Share of the axis below which points of one place hide each other, and share of such neighbours that is too many."""
CLIP_FACTOR = 3.0
"""Error bars are clipped at so many times their median length, or the range of the medians if that is more."""
TIME_QUANTITIES, RATE_QUANTITIES = ("wall_ms", "compute_ms"), ("gcups", "wall_gcups", plot_data.SPEEDUP)
"""Quantities proportional to a model of the time, and to its inverse."""
MODEL_PENS: tuple[Kind, ...] = ("dashes", "dots", "dash-dots", "dash-dot-dots")


class ModelCurve(NamedTuple):
    """The curve of a model: its name, places and values, and the shade of the line that it belongs to."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    shade: int = 0


class LinePlot(FastPlot):
    """Lines with error bars. ``clicked``, ``hovered``: a point, or None."""

    clicked = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[PointSeries, ...] = ()
        self.settings = PlotSettings()
        self.legend_items: tuple[LegendItem, ...] = ()
        self._applied_style: tuple[object, ...] = ()
        self._marks: list[tuple[float, str]] | None = None
        self._brushes: list[QBrush] = []
        # Clipping to many rectangles takes longer than drawing everything.
        self.setViewportUpdateMode(self.ViewportUpdateMode.BoundingRectViewportUpdate)
        # Items are kept and get new data: creating one takes longer than drawing it.
        self._curves = [pg.PlotCurveItem(antialias=True) for _ in theme.active().series]
        self._models: dict[tuple[int, int], pg.PlotCurveItem] = {}
        self._levels: list[pg.InfiniteLine] = []
        self._names: list[pg.TextItem] = []
        self._ends: list[tuple[float, float]] = []
        self._spreads = pg.ErrorBarItem(beam=BEAM)
        self._dots = pg.ScatterPlotItem(
            size=SYMBOL_SIZE, pen=None, brush=None, hoverable=True, hoverSize=SYMBOL_SIZE + 4, tip=None
        )
        self._dots.sigClicked.connect(lambda _, found, *rest: self.clicked.emit(found[0].data()))
        connect_hover(self._dots, self.hovered.emit)
        self._clipped_marks = pg.ScatterPlotItem(size=SYMBOL_SIZE, pen=None)
        self._best = pg.ScatterPlotItem(size=SYMBOL_SIZE + 8, symbol="star", pen=None)
        self._chosen = pg.ScatterPlotItem(size=SYMBOL_SIZE + 8, pen=None, brush=None)
        for item in (*self._curves, self._spreads, self._dots, self._clipped_marks):
            self.addItem(item)
        for item in (self._best, self._chosen):
            self.addItem(item, ignoreBounds=True)
        self.showGrid(x=True, y=True, alpha=0.2)
        self.getPlotItem().hideButtons()
        self.setAccessibleName("Plot of a quantity over an axis")
        self.getViewBox().sigRangeChanged.connect(self._place_names)
        self.getViewBox().sigResized.connect(self._place_names)

    def show_lines(
        self,
        lines: Sequence[PointSeries],
        settings: PlotSettings,
        x_label: str,
        curves: Sequence[ModelCurve] = (),
        best: MeasuredPoint | None = None,
        levels: Sequence[LevelLine] = (),
    ) -> None:
        """Draw lines, scaled model ``curves``, a mark at the ``best`` point, and horizontal ``levels``."""
        self.lines, self.settings = tuple(lines), settings
        colours = theme.active()
        self._apply_style(colours, x_label)
        joined = () if settings.scatter else self.lines
        for number, item in enumerate(self._curves):
            of_colour = [line for line in joined if line.shade % len(self._curves) == number]
            _draw_lines(item, [(line.x, [spread.median for spread in line.spreads]) for line in of_colour], settings)
        models = self._draw_models(curves, colours)
        self._draw_points()
        self._place_mark(self._best, best)
        self._label_places()
        self._draw_levels(levels)
        marks = []
        if best:
            words = plot_data.point_label(best, [name for name in (settings.x, *settings.split) if name])
            marks.append(LegendItem("mark", f"fastest candidate: {words}", (colours.path,)))
        if len(self._clipped_marks.data):
            marks.append(LegendItem("mark", "clipped error bar", (colours.muted,)))
        self.legend_items = (*line_legend(self.lines, "mark" if settings.scatter else "line"), *models, *marks)
        self._name_lines(joined)

    def _name_lines(self, joined: Sequence[PointSeries]) -> None:
        """Write the name of every line behind its last point, and show all points with room for the names."""
        colours, metrics = theme.active(), self.fontMetrics()
        named = [line for line in joined if line.x]
        named = named if 1 < len(named) <= MAX_NAMED_LINES else []
        while len(self._names) < len(named):
            self._names.append(pg.TextItem(anchor=(0, 0.5)))
            self._names[-1].textItem.document().setDocumentMargin(NAME_MARGIN)
            self.addItem(self._names[-1], ignoreBounds=True)
        self._ends = []
        for item, line in zip(self._names, named, strict=False):
            text = metrics.elidedText(line.name or line.group, Qt.TextElideMode.ElideRight, NAME_WIDTH)
            item.setText(text, colours.series[line.shade % len(colours.series)])
            x, y = line.x[-1], line.spreads[-1].median
            self._ends.append((plot_coordinate(x, self.settings.log_x), plot_coordinate(y, self.settings.log_y)))
        for number, item in enumerate(self._names):
            item.setVisible(number < len(named))
        self.autoRange()
        shown = self._names[: len(self._ends)]
        widest = max((metrics.horizontalAdvance(item.toPlainText()) for item in shown), default=0) + LABEL_GAP
        box, ((left, right), _) = self.getViewBox(), self.viewRange()
        room = box.width() - widest
        if shown and room > widest / 2:
            self.setXRange(left, left + (right - left) * box.width() / room, padding=0)
        self._place_names()

    def _place_names(self) -> None:
        """Put the names beside the ends of their lines, apart from each other."""
        if not self._ends:
            return
        box, (_, (low, high)) = self.getViewBox(), self.viewRange()
        pixel = (high - low) / max(box.height(), 1)
        height = max(item.textItem.boundingRect().height() for item in self._names[: len(self._ends)])
        inside = low / pixel + height / 2, high / pixel - height / 2
        places = spread_labels([y / pixel for _, y in self._ends], height, *inside)
        for item, (x, _), y in zip(self._names, self._ends, places, strict=False):
            item.setPos(x + box.viewPixelSize()[0] * LABEL_GAP / 2, y * pixel)

    def show_chosen(self, point: MeasuredPoint | None) -> None:
        """Draw a ring around the chosen point."""
        self._place_mark(self._chosen, point)

    def _draw_levels(self, levels: Sequence[LevelLine]) -> None:
        for item in self._levels:
            self.removeItem(item)
        active, metrics = theme.active(), self.fontMetrics()
        ground = QColor(active.panel)
        ground.setAlpha(LABEL_OPACITY)
        width = max(self.getViewBox().width(), 1)
        levels = sorted(levels, key=lambda level: -level.value)
        rooms = [(metrics.horizontalAdvance(level.name) + LABEL_GAP) / width for level in levels]
        pen, text = pg.mkPen(active.muted, style=LINE_STYLES["dashes"]), {"color": active.text, "fill": ground}
        self._levels = []
        for level, (right, above) in zip(levels, label_places(rooms), strict=True):
            options = {**text, "position": right, "anchors": [(1, int(above))] * 2}
            place = plot_coordinate(level.value, self.settings.log_y)
            self._levels.append(pg.InfiniteLine(place, angle=0, pen=pen, label=level.name, labelOpts=options))
            self.addItem(self._levels[-1])

    def _place_mark(self, item: pg.ScatterPlotItem, point: MeasuredPoint | None) -> None:
        for line in self.lines:
            for place, spread, member in zip(line.x, line.spreads, line.points, strict=True):
                if member is point:
                    at = (
                        plot_coordinate(place, self.settings.log_x),
                        plot_coordinate(spread.median, self.settings.log_y),
                    )
                    item.setData([at[0]], [at[1]])
                    return
        item.setData([], [])

    def _draw_models(self, curves: Sequence[ModelCurve], colours: theme.Theme) -> list[LegendItem]:
        """Draw curves in the colours of their lines with one pen style per model, and return their legend items."""
        names = list(dict.fromkeys(curve.name for curve in curves))
        drawn: dict[tuple[int, int], list[ModelCurve]] = {key: [] for key in self._models}
        for curve in curves:
            key = curve.shade % len(self._curves), names.index(curve.name) % len(MODEL_PENS)
            drawn.setdefault(key, []).append(curve)
        for key, members in drawn.items():
            if key not in self._models:
                self._models[key] = pg.PlotCurveItem(antialias=True)
                self.addItem(self._models[key])
            colour, style = colours.series[key[0]], LINE_STYLES[MODEL_PENS[key[1]]]
            self._models[key].setPen(pg.mkPen(colour, style=style))
            _draw_lines(self._models[key], [(curve.x, curve.y) for curve in members], self.settings)
        kinds = [MODEL_PENS[number % len(MODEL_PENS)] for number in range(len(names))]
        return [LegendItem(kind, name, (colours.muted,)) for kind, name in zip(kinds, names, strict=True)]

    def _apply_style(self, colours: theme.Theme, x_label: str) -> None:
        """Apply colours, labels and scales if they differ from the present ones, as this lays everything out again."""
        dress = colours, x_label, self.settings.quantity_label, self.settings.log_x, self.settings.log_y
        if dress == self._applied_style:
            return
        self._applied_style = dress
        style_plot(self, x_label, self.settings.quantity_label)
        self.setLogMode(self.settings.log_x, self.settings.log_y)
        for item, colour in zip(self._curves, colours.series, strict=True):
            item.setPen(pg.mkPen(colour))
        self._spreads.setData(pen=pg.mkPen(colours.muted))
        # Brushes are kept, as pyqtgraph draws a symbol once for each brush.
        self._brushes = [pg.mkBrush(colour) for colour in colours.series]
        self._best.setBrush(pg.mkBrush(colours.path))
        self._chosen.setPen(pg.mkPen(colours.accent, width=2))

    def _label_places(self) -> None:
        """Put ticks at the measured places if they are few: 64, 128, 256 say more than powers of ten."""
        places = sorted({place for line in self.lines for place in line.x})
        marks = [(plot_coordinate(place, self.settings.log_x), _place_text(place)) for place in places]
        few = marks if 0 < len(marks) <= MAX_MARKS else None
        if few != self._marks:
            self._marks = few
            self.getAxis("bottom").setTicks([few] if few else None)

    def _draw_points(self) -> None:
        """Draw the points of all lines as one item and their spreads as another: an item costs more than its points."""
        of_all = [
            (line.shade, place, spread, point)
            for line in self.lines
            for place, spread, point in zip(line.x, line.spreads, line.points, strict=True)
        ]
        if not of_all:
            self._spreads.setData(x=None, y=None)
            self._dots.setData([], [])
            self._clipped_marks.setData([], [])
            return
        shades, places, spreads, points = zip(*of_all, strict=True)
        x = np.array([plot_coordinate(place, self.settings.log_x) for place in places])
        y, low, high = (
            np.array([plot_coordinate(getattr(spread, part), self.settings.log_y) for spread in spreads])
            for part in ("median", "low", "high")
        )
        (low, high), beyond = _clip_spreads(y, low, high)
        self._spreads.setData(x=x, y=y, top=high - y, bottom=y - low)
        down, up = beyond
        self._clipped_marks.setData(
            x=np.concatenate((x[down], x[up])),
            y=np.concatenate((low[down], high[up])),
            symbol=["t"] * int(down.sum()) + ["t1"] * int(up.sum()),  # "t" points down
            brush=pg.mkBrush(theme.active().muted),
        )
        brushes = [self._brushes[shade % len(self._brushes)] for shade in shades]
        self._dots.setData(
            x=x, y=y, data=list(points), symbol=[choose_symbol(shade) for shade in shades], brush=brushes
        )


def spread_labels(places: Sequence[float], height: float, lowest: float = -inf, highest: float = inf) -> list[float]:
    """Return the places of labels that are at least ``height`` apart, each as near to its own place as can be.

    No label is above ``highest``, and none below ``lowest`` where all fit between both.
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    groups: list[tuple[list[int], float]] = []  # labels that touch, and their lowest place
    for number in order:
        members, low = [number], places[number]
        while groups and groups[-1][1] + len(groups[-1][0]) * height > low:
            members = groups.pop()[0] + members
            low = sum(places[one] for one in members) / len(members) - (len(members) - 1) * height / 2
        groups.append((members, low))
    found = dict[int, float]()
    for members, low in groups:
        found |= {one: low + rank * height for rank, one in enumerate(members)}
    upwards = sorted(found, key=found.__getitem__)
    for number in upwards:
        found[number] = max(found[number], lowest)
        lowest = found[number] + height
    for number in reversed(upwards):
        found[number] = min(found[number], highest)
        highest = found[number] - height
    return [found[number] for number in range(len(places))]


def suits_log(values: Sequence[float], columns: Iterable[Sequence[float]] = ()) -> bool:
    """Return whether a logarithmic scale shows values better.

    That is where they spread far, or where many of those at one place (``columns``) hide each other on a linear scale,
    and at most half as many on a logarithmic one.
    """
    if len(values) < 2 or min(values) <= 0:
        return False
    if max(values) >= LOG_RATIO * min(values):
        return True
    ordered = [np.sort(column) for column in columns]
    linear = _hidden_share(ordered, max(values) - min(values))
    return linear >= MANY_CLOSE and 2 * _hidden_share(map(np.log, ordered), np.log(max(values) / min(values))) <= linear


def values_by_place(lines: Sequence[PointSeries]) -> list[list[float]]:
    """Return the medians of all lines at each place of the horizontal axis."""
    found: dict[float, list[float]] = {}
    for line in lines:
        for place, spread in zip(line.x, line.spreads, strict=True):
            found.setdefault(place, []).append(spread.median)
    return list(found.values())


def _hidden_share(columns: Iterable[np.ndarray], span: float) -> float:
    """Return the share of neighbours of sorted columns that are closer than CLOSE_SHARE of the span of an axis."""
    gaps = np.concatenate([np.zeros(0), *map(np.diff, columns)])
    return float((gaps < CLOSE_SHARE * span).mean()) if gaps.size else 0.0


def label_places(rooms: Sequence[float]) -> list[tuple[float, bool]]:
    """Return where the names of level lines end, as a share of the width, and whether they are above their lines.

    ``rooms`` are the widths of the names as shares, highest line first. So that coinciding lines hide no name, the
    names of the upper half are above, those of the lower half below, from right to left as long as they fit.
    """
    found: list[tuple[float, bool]] = []
    for above, row in ((True, rooms[: -(-len(rooms) // 2)]), (False, rooms[-(-len(rooms) // 2) :])):
        end = 1.0
        for room in row:
            end = end if end >= min(room, 1.0) else 1.0
            found.append((end, above))
            end -= room
    return found


def _clip_spreads(
    y: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Clip error bars that would make the medians indistinguishable; return their ends, and which were clipped."""
    usual = float(np.median(np.concatenate((high - y, y - low))))
    reach = max(float(np.ptp(y)), CLIP_FACTOR * usual) or np.inf
    least, most = y.min() - reach, y.max() + reach
    return (np.maximum(low, least), np.minimum(high, most)), (low < least, high > most)


def _place_text(place: float) -> str:
    """Format a place on an axis: '1,024', '0.25', '16 M'."""
    text = f"{place:,.6g}"
    return texts.format_number(place) if "e+" in text else text


def choose_symbol(shade: int) -> str:
    """Return the symbol of a shade; shades of one colour get different symbols while there are some."""
    return SYMBOLS[(shade + shade // len(SYMBOLS)) % len(SYMBOLS)]


def line_legend(lines: Sequence[PointSeries], kind: Kind) -> list[LegendItem]:
    """Return the legend items of lines, one per shade, and the number of those that are left out."""
    palette = theme.active().series
    groups = {line.shade: line.group or "measured" for line in lines}
    items = [
        LegendItem(kind, text, (palette[shade % len(palette)],), choose_symbol(shade)) for shade, text in groups.items()
    ]
    more = len(items) - MAX_LEGEND_ITEMS
    return [*items[:MAX_LEGEND_ITEMS], LegendItem("text", f"and {more:,} more")] if more > 0 else items


def _draw_lines(
    item: pg.PlotCurveItem, lines: Sequence[tuple[Sequence[float], Sequence[float]]], settings: PlotSettings
) -> None:
    """Draw all lines of one pen as one item, as an item costs more than what it draws."""
    lines = [(places, values) for places, values in lines if len(places)]
    if not lines:
        item.setData([], [])
        return
    x = np.array([plot_coordinate(value, settings.log_x) for places, _ in lines for value in places])
    y = np.array([plot_coordinate(value, settings.log_y) for _, values in lines for value in values])
    goes_on = np.ones(x.size, np.int32)
    goes_on[np.cumsum([len(places) for places, _ in lines]) - 1] = 0
    item.setData(x, y, connect=goes_on)


def model_curves(
    lines: Sequence[PointSeries],
    quantity: str,
    curve_of: Callable[[MeasuredPoint], Mapping[str, Sequence[tuple[float, float]]]],
) -> list[ModelCurve]:
    """Return the curves of the models of each line's method, scaled to the measured points of the line.

    ``curve_of(point)`` gives places and values of every model that grows with time, by label. Rates and speedups take
    the inverse of the model; other quantities have no curves.
    """
    power = 1 if quantity in TIME_QUANTITIES else -1 if quantity in RATE_QUANTITIES else 0
    found: list[ModelCurve] = []
    for line in lines if power else ():
        for name, predicted in curve_of(line.points[0]).items():
            pairs = [(place, value**power) for place, value in predicted if value]
            known, measured = dict(pairs), zip(line.x, line.spreads, strict=True)
            ratios = [spread.median / known[place] for place, spread in measured if known.get(place)]
            if ratios:
                factor = float(np.median(ratios))
                x, y = [x for x, _ in pairs], [factor * y for _, y in pairs]
                found.append(ModelCurve(f"{name} (scaled)", x, y, line.shade))
    return found


def plot_coordinate(value: float, logarithmic: bool) -> float:
    """Return the coordinate of a value on a linear or a logarithmic axis."""
    return float(np.log10(max(value, 1e-12))) if logarithmic else value


def _follows_cells(points: Sequence[MeasuredPoint], name: str) -> bool:
    """Whether problems of one size share the value of a name, as they do for lengths, so that it splits no line."""
    pairs = {(point.cells, str(plot_data.axis_value(point, name))) for point in points}
    return len(pairs) == len({cells for cells, _ in pairs})


def default_settings(points: Sequence[MeasuredPoint], previous: PlotSettings, varying: Sequence[str]) -> PlotSettings:
    """Return what to show by default: the first axis of numbers, and by colour the other names that are ``varying``."""
    if not points:
        return previous
    numbers = [name for name in varying if plot_data.has_numbers([p for p in points if p.has_times], name)]
    known = {name for point in points for name in point.coordinates}
    x = previous.x if previous.x in known.union(varying) else next(iter(numbers), "")
    others = [name for name in varying if name != x and any(name in point.coordinates for point in points)]
    suited = [name for name in others if name not in ("method", "backend")]
    y = previous.y if previous.y in known and previous.y != x else next(iter(suited), "")
    split = tuple(name for name in others if name != "cells" and not (x == "cells" and _follows_cells(points, name)))
    coloured = known.union(plot_data.POINT_FIELDS, *(point.parameters for point in points))
    colour = previous.colour if previous.colour in coloured and previous.colour != x else ""
    return replace(previous, x=x, y=y, split=split, colour=colour)
