"""The colour scale of heat maps, bright for the best values, and the bar that explains it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPainter

from antidiag.app import theme

STOPS = ("#fde725", "#7ad151", "#22a884", "#2a788e", "#414487", "#440154")
"""Viridis from its bright end, for the best values, to its dark end; safe for colour-blind eyes."""
BAR, GAP, TICK = 14, 8, 4
MAX_TICKS = 7


@dataclass(frozen=True)
class ColourScale:
    """Values from ``low`` to ``high``; the highest are the best if they ``higher_is_better``, else the lowest."""

    low: float
    high: float
    higher_is_better: bool

    @property
    def logarithmic(self) -> bool:
        """Whether places follow the logarithm, as times and rates spread over decades."""
        return self.low > 0

    def relative_place(self, value: float) -> float:
        """Return the place of a value between the lowest (0) and the highest (1)."""
        if self.high <= self.low:
            return 1.0 if self.higher_is_better else 0.0
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value_at(self, place: float) -> float:
        """Return the value at a place from 0 to 1."""
        if self.logarithmic:
            return self.low * (self.high / self.low) ** place
        return self.low + place * (self.high - self.low)

    def colour_of(self, value: float) -> QColor:
        """Return the colour of a value."""
        place = self.relative_place(value)
        return _gradient_colour(1 - place if self.higher_is_better else place)

    def tick_marks(self, limit: int) -> list[tuple[float, float]]:
        """Return the places and values of at most so many evenly spaced marks, both ends among them."""
        if self.high <= self.low:
            return [(0.0, self.low)]
        count = max(2, min(limit, MAX_TICKS))
        places = [number / (count - 1) for number in range(count)]
        return [(place, self.value_at(place)) for place in places]


def bar_width(metrics: QFontMetrics, scale: ColourScale, format_value: Callable[[float], str]) -> int:
    """Return the pixels that the bar takes with its numbers and its name."""
    widest = max(metrics.horizontalAdvance(format_value(value)) for _, value in scale.tick_marks(MAX_TICKS))
    return 2 * GAP + BAR + TICK + 4 + widest + metrics.height()


def draw_bar(
    painter: QPainter, area: QRectF, scale: ColourScale, format_value: Callable[[float], str], name: str
) -> None:
    """Draw the bar at the left of an area of this `bar_width`, its highest value at the top and its name beside it."""
    metrics, bar = painter.fontMetrics(), QRectF(area.left() + GAP, area.top(), BAR, area.height())
    gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
    for number in range(len(STOPS)):
        place = number / (len(STOPS) - 1)
        gradient.setColorAt(place, _gradient_colour(1 - place if scale.higher_is_better else place))
    painter.fillRect(bar, gradient)
    painter.setPen(QColor(theme.active().muted))
    for place, value in scale.tick_marks(int(bar.height() / (2 * metrics.height()))):
        y = bar.bottom() - place * bar.height()
        painter.drawLine(int(bar.right()), int(y), int(bar.right()) + TICK, int(y))
        top = min(max(y - metrics.height() / 2, bar.top()), bar.bottom() - metrics.height())
        room = QRectF(bar.right() + TICK + 4, top, area.right() - bar.right(), metrics.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, format_value(value))
    painter.save()
    painter.translate(area.right() - metrics.height(), area.center().y())
    painter.rotate(-90)
    shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(area.height()))
    line = QRectF(-area.height() / 2, 0, area.height(), metrics.height())
    painter.drawText(line, Qt.AlignmentFlag.AlignCenter, shown)
    painter.restore()


def _gradient_colour(place: float) -> QColor:
    """Interpolate between the stops; 0 is bright."""
    at = min(max(place, 0.0), 1.0) * (len(STOPS) - 1)
    index = min(int(at), len(STOPS) - 2)
    one, other, part = QColor(STOPS[index]), QColor(STOPS[index + 1]), at - index
    channels = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return QColor(*(round((1 - part) * a + part * b) for a, b in channels))
