"""Plot axes that are drawn fast."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QPainter, QPen

from antidiag.app import theme
from antidiag.app.kit.painting.fonts_and_colours import mix_colours

theme.set_plot_colours()  # this may be the first plot

LABEL_HEIGHT, WIDE = 18, 48  # pixels of a label along a vertical and along a horizontal axis
LABEL_GAP = 8
"""Least pixels between two labels of a horizontal axis."""
Label = tuple[QRectF, Any, str]
"""A label as pyqtgraph draws it: its box, flags and text."""


class PlotAxis(pg.AxisItem):
    """A pyqtgraph axis that paints its lines and labels itself: recording them in a QPicture takes most of the time."""

    picture: Any
    _drawn: Any = None

    def boundingRect(self) -> QRectF:
        """Add the room for labels that reach beyond the ends; pyqtgraph forgets it where there is a grid."""
        found, beyond = super().boundingRect(), self.style["hideOverlappingLabels"]
        if type(beyond) is not int or self.orientation in ("left", "right"):
            return found
        return found.adjusted(-beyond, 0, beyond, 0)

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        upright = self.orientation in ("left", "right")
        low, high = sorted(self.range)
        of_a_power = (self.height() if upright else self.width()) / max(high - low, 1e-9)
        named = _labelled_digits(of_a_power / (LABEL_HEIGHT if upright else WIDE))
        words = super().logTickStrings(values, scale, spacing)
        return [text if _leading_digit(value) in named else "" for value, text in zip(values, words, strict=True)]

    def generateDrawSpecs(self, painter: QPainter) -> Any:
        found = super().generateDrawSpecs(painter)
        if found is None:
            return None
        line, ticks, words = found
        words = leave_out_colliding(words)
        of_one_pen = [list(group) for _, group in groupby(ticks, lambda tick: id(tick[0]))]
        lines = [(_opaque_pen(group[0][0]), [QLineF(start, end) for _, start, end in group]) for group in of_one_pen]
        return line, lines, words

    def drawPicture(self, painter: QPainter, line: Any, ticks: Any, words: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for pen, lines in ticks:
            painter.setPen(pen)
            painter.drawLines(lines)
        super().drawPicture(painter, line, (), words)

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
        if self.picture is None:  # pyqtgraph clears it when ticks, range, colours or size change
            self._drawn = self.picture = self.generateDrawSpecs(painter)
        if self._drawn is not None:
            painter.save()
            self.drawPicture(painter, *self._drawn)
            painter.restore()


def leave_out_colliding(words: Sequence[Label]) -> list[Label]:
    """Return the labels without those that would touch one before them; major ones come first."""
    kept: list[Label] = []
    boxes: list[QRectF] = []
    for label in words:
        box = label[0].adjusted(-LABEL_GAP / 2, 0, LABEL_GAP / 2, 0)
        if not label[2].strip() or not any(box.intersects(other) for other in boxes):
            kept.append(label)
            if label[2].strip():
                boxes.append(box)
    return kept


def label_width(axis: pg.AxisItem, texts: Iterable[str]) -> float:
    """Return the pixels that each of these labels needs along a horizontal axis."""
    metrics = QFontMetricsF(axis.style["tickFont"] or QGuiApplication.font())
    return max(map(metrics.horizontalAdvance, texts), default=0.0) + LABEL_GAP


def _labelled_digits(label_count: float) -> range | tuple[int, ...]:
    """Return the leading digits that get a label where a power of ten has room for so many labels."""
    for digits, closest in ((range(1, 10), 10 / 9), ((1, 2, 5), 2.0)):
        if label_count * math.log10(closest) >= 1:
            return digits
    return (1,)


def _leading_digit(value: float) -> int:
    """Return the leading digit of the number with this logarithm: 3 for log10(300)."""
    return round(10 ** (value - math.floor(value + 1e-9)))


def _opaque_pen(pen: QPen) -> QPen:
    """Return an opaque pen of the colour that a pen has on a panel: Qt blends colours pixel by pixel."""
    solid = QPen(pen)
    solid.setColor(mix_colours(theme.active().panel, pen.color(), pen.color().alphaF()))
    return solid


def create_plot(axes: Mapping[str, pg.AxisItem] | None = None, box: pg.ViewBox | None = None) -> pg.PlotItem:
    """Create a plot with fast axes and without menus, which take as long to make as the rest."""
    axes = axes or {side: PlotAxis(side) for side in ("bottom", "left")}
    return pg.PlotItem(axisItems=dict(axes), viewBox=box or pg.ViewBox(enableMenu=False), enableMenu=False)


class FastPlot(pg.PlotWidget):
    """A plot widget without menus. It deletes the menu widget that pyqtgraph makes without a parent."""

    def __init__(self, plot_item: pg.PlotItem | None = None) -> None:
        super().__init__(plotItem=plot_item or create_plot())
        self.destroyed.connect(self.getPlotItem().ctrlMenu.deleteLater)
