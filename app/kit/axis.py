"""Axis: a plot's axis that is drawn fast."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import groupby
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from antidiag.app import theme

theme.dress_plots()  # whose first axis this may be

HIGH, WIDE = 18, 48
"""Pixels that a word takes along an upright axis and along a level one."""


class Axis(pg.AxisItem):
    """As pyqtgraph's, but for what takes most of its time: it draws its lines and words itself and not through a
    QPicture, lines of one pen together, and lines of the grid are opaque. Qt mixes colours pixel by pixel, a
    millisecond a line."""

    picture: Any
    _drawn: Any = None

    def boundingRect(self) -> QRectF:
        """Pyqtgraph forgets, where there is a grid, how far words may reach beyond the ends of the axis."""
        found, beyond = super().boundingRect(), self.style["hideOverlappingLabels"]
        if type(beyond) is not int or self.orientation in ("left", "right"):
            return found
        return found.adjusted(-beyond, 0, beyond, 0)

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Words of those digits of a power of ten that have room beside each other."""
        upright = self.orientation in ("left", "right")
        low, high = sorted(self.range)
        of_a_power = (self.height() if upright else self.width()) / max(high - low, 1e-9)
        named = _digits(of_a_power / (HIGH if upright else WIDE))
        words = super().logTickStrings(values, scale, spacing)
        return [text if _digit(value) in named else "" for value, text in zip(values, words, strict=True)]

    def generateDrawSpecs(self, painter: QPainter) -> Any:
        found = super().generateDrawSpecs(painter)
        if found is None:
            return None
        line, ticks, words = found
        of_one_pen = [list(group) for _, group in groupby(ticks, lambda tick: id(tick[0]))]  # one object a level
        lines = [(_opaque(group[0][0]), [QLineF(start, end) for _, start, end in group]) for group in of_one_pen]
        return line, lines, words

    def drawPicture(self, painter: QPainter, line: Any, ticks: Any, words: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for pen, lines in ticks:
            painter.setPen(pen)
            painter.drawLines(lines)
        super().drawPicture(painter, line, (), words)

    def paint(self, painter: QPainter, option: Any, widget: Any) -> None:
        if self.picture is None:  # set so by pyqtgraph whenever ticks, range, colours or size are others
            self._drawn = self.picture = self.generateDrawSpecs(painter)
        if self._drawn is not None:
            painter.save()
            self.drawPicture(painter, *self._drawn)
            painter.restore()


def _digits(words: float) -> range | tuple[int, ...]:
    """The digits that are named where a power of ten has room for so many words."""
    for digits, closest in ((range(1, 10), 10 / 9), ((1, 2, 5), 2.0)):
        if words * math.log10(closest) >= 1:
            return digits
    return (1,)


def _digit(value: float) -> int:
    """The digit before the zeros of a number whose logarithm this is: 3 of log10(300)."""
    return round(10 ** (value - math.floor(value + 1e-9)))


def _opaque(pen: QPen) -> QPen:
    """A pen of the colour that this one shows on a panel."""
    over, under = pen.color(), QColor(theme.active().panel)
    share = over.alphaF()
    channels = ((over.red(), under.red()), (over.green(), under.green()), (over.blue(), under.blue()))
    solid = QPen(pen)
    solid.setColor(QColor(*(round(share * a + (1 - share) * b) for a, b in channels)))
    return solid


def plain_plot(axes: Mapping[str, pg.AxisItem] | None = None, box: pg.ViewBox | None = None) -> pg.PlotItem:
    """A plot with such axes, or those of others where they are given, and without menus, which take as long to be made
    as all else of it."""
    axes = axes or {side: Axis(side) for side in ("bottom", "left")}
    return pg.PlotItem(axisItems=dict(axes), viewBox=box or pg.ViewBox(enableMenu=False), enableMenu=False)


class PlainPlot(pg.PlotWidget):
    """A plot, around such an inner part, that takes with it what pyqtgraph makes for a menu: that is nobody's child,
    and would be dressed with every theme after the plot is gone. It is not made a child, as that dresses it at once,
    which takes longer than to make the plot."""

    def __init__(self, inner: pg.PlotItem | None = None) -> None:
        super().__init__(plotItem=inner or plain_plot())
        self.destroyed.connect(self.getPlotItem().ctrlMenu.deleteLater)
