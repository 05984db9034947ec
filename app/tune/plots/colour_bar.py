"""The colours of the heat map: by the logarithm, bright for the best values, and a bar that says which is which."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPainter

from antidiag.app import theme

STOPS = ("#fde725", "#7ad151", "#22a884", "#2a788e", "#414487", "#440154")
"""Viridis from its bright end, for the best values, to its dark one; safe for colour-blind eyes."""
BAR, GAP, TICK = 14, 8, 4
"""Pixels of the bar, of the room around it, and of a tick."""
MOST_TICKS = 7


@dataclass(frozen=True)
class Scale:
    """Values from ``low`` to ``high``, of which the highest are the best where they ``grow``."""

    low: float
    high: float
    grow: bool

    @property
    def logarithmic(self) -> bool:
        """Times and rates spread over decades."""
        return self.low > 0

    def place(self, value: float) -> float:
        """Where a value is between the lowest (0) and the highest (1)."""
        if self.high <= self.low:
            return 1.0 if self.grow else 0.0
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, place: float) -> float:
        """The value at a place from 0 to 1."""
        if self.logarithmic:
            return self.low * (self.high / self.low) ** place
        return self.low + place * (self.high - self.low)

    def colour(self, value: float) -> QColor:
        place = self.place(value)
        return _colour(1 - place if self.grow else place)

    def ticks(self, most: int) -> list[tuple[float, float]]:
        """Places and values of at most so many marks, evenly spread, both ends among them."""
        if self.high <= self.low:
            return [(0.0, self.low)]
        count = max(2, min(most, MOST_TICKS))
        places = [number / (count - 1) for number in range(count)]
        return [(place, self.value(place)) for place in places]


def width(metrics: QFontMetrics, scale: Scale, words: Callable[[float], str]) -> int:
    """Pixels that the bar takes with its numbers and its name."""
    widest = max(metrics.horizontalAdvance(words(value)) for _, value in scale.ticks(MOST_TICKS))
    return 2 * GAP + BAR + TICK + 4 + widest + metrics.height()


def draw(painter: QPainter, area: QRectF, scale: Scale, words: Callable[[float], str], name: str) -> None:
    """Draw the bar at the left of an area of this `width`, the highest value above; ``name`` is that of the values."""
    metrics, bar = painter.fontMetrics(), QRectF(area.left() + GAP, area.top(), BAR, area.height())
    gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
    for number in range(len(STOPS)):
        place = number / (len(STOPS) - 1)
        gradient.setColorAt(place, _colour(1 - place if scale.grow else place))
    painter.fillRect(bar, gradient)
    painter.setPen(QColor(theme.active().muted))
    for place, value in scale.ticks(int(bar.height() / (2 * metrics.height()))):
        y = bar.bottom() - place * bar.height()
        painter.drawLine(int(bar.right()), int(y), int(bar.right()) + TICK, int(y))
        top = min(max(y - metrics.height() / 2, bar.top()), bar.bottom() - metrics.height())
        room = QRectF(bar.right() + TICK + 4, top, area.right() - bar.right(), metrics.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words(value))
    painter.save()
    painter.translate(area.right() - metrics.height(), area.center().y())
    painter.rotate(-90)
    shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(area.height()))
    painter.drawText(
        QRectF(-area.height() / 2, 0, area.height(), metrics.height()), Qt.AlignmentFlag.AlignCenter, shown
    )
    painter.restore()


def _colour(place: float) -> QColor:
    """Between the stops; 0 is bright."""
    at = min(max(place, 0.0), 1.0) * (len(STOPS) - 1)
    index = min(int(at), len(STOPS) - 2)
    one, other, part = QColor(STOPS[index]), QColor(STOPS[index + 1]), at - index
    channels = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return QColor(*(round((1 - part) * a + part * b) for a, b in channels))
