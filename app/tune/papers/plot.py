"""PaperPlot: a figure of a paper drawn as Tune draws lines, the published values hollow and dashed beneath ours."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QResizeEvent

from antidiag.app import theme
from antidiag.app.kit.legend import LegendItem
from antidiag.app.tune.papers.lines import Figure
from antidiag.app.tune.plots.lines import SIZE, SYMBOLS, LinePlot
from antidiag.app.tune.plots.series import Series
from antidiag.app.tune.plots.settings import PlotSettings

PUBLISHED, HERE = "published (hollow, dashed)", "here (filled, solid)"
APART = 14
"""Pixels between the words below two places."""


class PaperPlot(LinePlot):
    """Two series of one colour for each line: the paper's and ours."""

    def __init__(self) -> None:
        super().__init__()
        self._published: list[pg.PlotDataItem] = []
        self._figure: Figure | None = None

    def show_figure(self, figure: Figure) -> None:
        """Draw the lines of a figure."""
        self._figure = figure
        settings = PlotSettings(log_x=figure.log_x, log_y=figure.log_y, quantity=figure.y_label)
        for item in self._published:
            self.removeItem(item)
        self.show_lines([line.ours for line in figure.lines], settings, figure.x_label)
        if not figure.connected:
            for item in self._curves:
                item.setData([], [])
        self._published = [self._item(number, line.published) for number, line in enumerate(figure.lines)]
        for item in self._published:
            self.addItem(item)
        items = [
            LegendItem("line", line.name, (theme.active().series[number % len(theme.active().series)],))
            for number, line in enumerate(figure.lines)
        ]
        words = theme.active().text
        halves = (
            (LegendItem("dots", PUBLISHED, (words,)), [line.published for line in figure.lines]),
            (LegendItem("line", HERE, (words,)), [line.ours for line in figure.lines]),
        )
        self.items = (*items, *(item for item, drawn in halves if any(series.points for series in drawn)))
        self.autoRange()
        self._word_places()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if getattr(self, "_figure", None):  # Qt resizes it while it is made
            self._word_places()

    def _item(self, number: int, line: Series) -> pg.PlotDataItem:
        colours = theme.active()
        colour, connected = colours.series[number % len(colours.series)], self._figure.connected
        pen = pg.mkPen(colour, style=Qt.PenStyle.DashLine) if connected else None
        item = pg.PlotDataItem(
            line.x, [spread.median for spread in line.spreads], data=line.points, antialias=True,
            pen=pen, symbol=SYMBOLS[number % len(SYMBOLS)],
            symbolSize=SIZE + 1, symbolPen=pg.mkPen(colour, width=1.5), symbolBrush=pg.mkBrush(colours.panel),
        )  # fmt: skip
        item.scatter.opts.update(hoverable=True, hoverSize=SIZE + 4, tip=None)
        item.scatter.sigHovered.connect(
            lambda _, found, *rest: self.hovered.emit(found[0].data() if len(found) else None)
        )
        item.setZValue(-1)
        return item

    def _word_places(self) -> None:
        """Words below the places, but for those that would run into others."""
        metrics = QFontMetricsF(self.font())
        widest = max((metrics.horizontalAdvance(words) for _, words in self._figure.marks), default=0.0)
        self.getPlotItem().layout.setContentsMargins(theme.SPACING, theme.MARGIN, widest / 2, theme.SPACING)
        self.getAxis("bottom").setStyle(hideOverlappingLabels=math.ceil(widest / 2) + 1)  # pixels beyond the ends
        marks = [(_scaled(place, self._figure.log_x), words) for place, words in self._figure.marks]
        low, high = self.getViewBox().viewRange()[0]
        per_unit = self.getViewBox().width() / ((high - low) or 1.0)
        kept: list[tuple[float, float]] = []
        shown = []
        for place, words in marks:
            half = metrics.horizontalAdvance(words) / 2 + APART / 2
            left, right = place * per_unit - half, place * per_unit + half
            if all(right <= other_left or left >= other_right for other_left, other_right in kept):
                kept.append((left, right))
                shown.append((place, words))
        ticks = [(place, "") for place, _ in marks]
        self.getAxis("bottom").setTicks([shown, ticks] if marks else None)


def _scaled(place: float, logarithmic: bool) -> float:
    return math.log10(max(place, 1e-12)) if logarithmic else place
