"""PaperPlot: the line plot of a paper's figure, published values hollow and dashed below the measured ones."""

from __future__ import annotations

import math
from itertools import cycle

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QResizeEvent

from antidiag.app import theme
from antidiag.app.kit.figures.legend import Kind, LegendItem
from antidiag.app.tune.plots.line_plot import SYMBOL_SIZE, SYMBOLS, LinePlot, plot_coordinate
from antidiag.app.tune.plots.point_plot import connect_hover
from antidiag.kernels.experiments.papers.figure_data import FigureData
from antidiag.kernels.experiments.point_data.plot_data import PlotSettings, PointSeries

LABELS: dict[bool, tuple[tuple[Kind, Kind], tuple[str, str]]] = {
    True: (("dots", "line"), ("published (hollow, dashed)", "here (filled, solid)")),
    False: (("text", "text"), ("published (hollow)", "here (filled)")),
}
"""Swatches and words of the legend for published and measured values, of lines (True) and of dots alone."""
LABEL_GAP = 14


class PaperPlot(LinePlot):
    """Two series of one colour for each line: published and measured."""

    def __init__(self) -> None:
        super().__init__()
        self._published: list[pg.PlotDataItem] = []
        self._figure: FigureData | None = None

    def show_figure(self, figure: FigureData) -> None:
        """Draw the lines of a figure."""
        self._figure = figure
        settings = PlotSettings(log_x=figure.log_x, log_y=figure.log_y, quantity=figure.y_label)
        for item in self._published:
            self.removeItem(item)
        self.show_lines([line.measured for line in figure.lines], settings, figure.x_label)
        if not figure.connected:
            for item in self._curves:
                item.setData([], [])
        self._published = [self._make_item(number, line.published) for number, line in enumerate(figure.lines)]
        for item in self._published:
            self.addItem(item)
        colours = cycle(theme.active().series)
        kind: Kind = "line" if figure.connected else "mark"
        items = [LegendItem(kind, line.name, (colour,)) for line, colour in zip(figure.lines, colours, strict=False)]
        halves = [line.published for line in figure.lines], [line.measured for line in figure.lines]
        items += [
            LegendItem(swatch, words, (theme.active().text,))
            for swatch, words, drawn in zip(*LABELS[figure.connected], halves, strict=True)
            if any(series.points for series in drawn)
        ]
        self.legend_items = tuple(items)
        self.autoRange()
        self._label_marks()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if getattr(self, "_figure", None):  # Qt resizes the widget during __init__
            self._label_marks()

    def _make_item(self, number: int, line: PointSeries) -> pg.PlotDataItem:
        colours = theme.active()
        colour, connected = colours.series[number % len(colours.series)], self._figure.connected
        pen = pg.mkPen(colour, style=Qt.PenStyle.DashLine) if connected else None
        item = pg.PlotDataItem(
            line.x,
            [spread.median for spread in line.spreads],
            data=line.points,
            antialias=True,
            pen=pen,
            symbol=SYMBOLS[number % len(SYMBOLS)],
            symbolSize=SYMBOL_SIZE + 1,
            symbolPen=pg.mkPen(colour, width=1.5),
            symbolBrush=pg.mkBrush(colours.panel),
        )
        item.scatter.opts.update(hoverable=True, hoverSize=SYMBOL_SIZE + 4, tip=None)
        connect_hover(item.scatter, self.hovered.emit)
        item.setZValue(-1)
        return item

    def _label_marks(self) -> None:
        """Label the ticks, except where labels would overlap."""
        metrics, marks = QFontMetricsF(self.font()), list(self._figure.marks)
        if not self._figure.connected:
            room = self.getViewBox().width() / max(len(marks), 1) - LABEL_GAP
            marks = [(place, wrap_label(words, metrics, room)) for place, words in marks]
        widest = max((_label_width(words, metrics) for _, words in marks), default=0.0)
        wrapped = any("\n" in words for _, words in marks)
        self.getAxis("bottom").setHeight(2 * metrics.lineSpacing() + LABEL_GAP if wrapped else None)
        self.getPlotItem().layout.setContentsMargins(theme.SPACING, theme.MARGIN, widest / 2, theme.SPACING)
        self.getAxis("bottom").setStyle(hideOverlappingLabels=math.ceil(widest / 2) + 1)  # pixels beyond the ends
        marks = [(plot_coordinate(place, self._figure.log_x), words) for place, words in marks]
        low, high = self.getViewBox().viewRange()[0]
        per_unit = self.getViewBox().width() / ((high - low) or 1.0)
        kept: list[tuple[float, float]] = []
        shown = []
        for place, words in marks:
            half = _label_width(words, metrics) / 2 + LABEL_GAP / 2
            left, right = place * per_unit - half, place * per_unit + half
            if all(right <= other_left or left >= other_right for other_left, other_right in kept):
                kept.append((left, right))
                shown.append((place, words))
        ticks = [(place, "") for place, _ in marks]
        self.getAxis("bottom").setTicks([shown, ticks] if marks else None)


def wrap_label(words: str, metrics: QFontMetricsF, room: float) -> str:
    """Return a label with a line break at its first blank if it is wider than the room."""
    return words.replace(" ", "\n", 1) if metrics.horizontalAdvance(words) > room else words


def _label_width(words: str, metrics: QFontMetricsF) -> float:
    return max(map(metrics.horizontalAdvance, words.splitlines()), default=0.0)
