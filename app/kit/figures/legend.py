"""Legends: colour swatches with words, in a view and in a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import is_in_low_window
from antidiag.app.kit.painting.saved_painter import saved_painter_state

GAP, SWATCH = 16, 16
SYMBOL_SIZE = 9
LONG_SWATCH = 32  # pixels that make the pattern of a dashed line visible
# The kinds of items that are lines.
LINE_STYLES: Mapping[str, Qt.PenStyle] = {
    "line": Qt.PenStyle.SolidLine,
    "dots": Qt.PenStyle.DotLine,
    "dashes": Qt.PenStyle.DashLine,
    "dash-dots": Qt.PenStyle.DashDotLine,
    "dash-dot-dots": Qt.PenStyle.DashDotDotLine,
}
Kind = Literal["line", "dots", "dashes", "dash-dots", "dash-dot-dots", "fill", "outline", "gradient", "mark", "text"]


@dataclass(frozen=True)
class LegendItem:
    """A swatch and its words; ``colours`` holds one colour, a line and its background, or those of a gradient.

    ``symbol`` is the marker of a plot on a line, or in place of the circle of a mark.
    """

    kind: Kind
    text: str
    colours: tuple[str, ...] = ()
    symbol: str = ""


class Legend(QWidget):
    """Swatches with words in as many lines as the width needs."""

    def __init__(self) -> None:
        super().__init__()
        self.items: tuple[LegendItem, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_items(self, items: tuple[LegendItem, ...]) -> None:
        """Show these entries."""
        if items != self.items:
            self.items = items
            self.setToolTip("\n".join(item.text for item in items))
            self.updateGeometry()
            self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        whole = legend_height(self.fontMetrics(), self.items, width)
        if not is_in_low_window(self):
            return whole
        return min(whole, legend_height(self.fontMetrics(), self.items[:1], width))  # the tooltip has the rest

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()  # the layout caches the hint as the largest height

    def paintEvent(self, event) -> None:
        draw_legend(QPainter(self), QRectF(self.rect()), self.items)


def legend_height(metrics: QFontMetrics, items: tuple[LegendItem, ...], width: float) -> int:
    """Return the height of a legend of this width in pixels."""
    places = _item_boxes(metrics, items, width)
    return round(places[-1].bottom()) if places else 0


def draw_legend(painter: QPainter, area: QRectF, items: tuple[LegendItem, ...]) -> None:
    """Draw a legend from the upper left of ``area``."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for item, place in zip(items, _item_boxes(painter.fontMetrics(), items, area.width()), strict=True):
        box = place.translated(area.topLeft())
        size = _swatch_width(item)
        middle = box.center().y()
        _draw_swatch(painter, item, QRectF(box.left(), middle - 5, size, 10))
        painter.setPen(QColor(theme.active().muted))
        words = box.adjusted(size + 6 if size else 0, 0, GAP, 0)
        room = int(area.right() - words.left())  # longer texts end in an ellipsis
        text = painter.fontMetrics().elidedText(item.text, Qt.TextElideMode.ElideRight, max(room, 0))
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def _swatch_width(item: LegendItem) -> int:
    if item.kind.startswith("dash"):
        return LONG_SWATCH
    return {"text": 0, "gradient": 6 * SWATCH}.get(item.kind, SWATCH)


def _item_boxes(metrics: QFontMetrics, items: tuple[LegendItem, ...], width: float) -> list[QRectF]:
    places, x, y, line = [], 0.0, 0.0, metrics.height() + 4
    for item in items:
        needed = _swatch_width(item) + 6 + metrics.horizontalAdvance(item.text)
        if x and x + needed > width:
            x, y = 0.0, y + line
        places.append(QRectF(x, y, needed, line))
        x += needed + GAP
    return places


def _draw_swatch(painter: QPainter, item: LegendItem, box: QRectF) -> None:
    if item.kind == "text":
        return
    colour = QColor(item.colours[0] if item.colours else "#ffffff")
    painter.setPen(Qt.PenStyle.NoPen)
    if item.kind in LINE_STYLES:
        if len(item.colours) > 1:
            painter.fillRect(box.adjusted(-1, -1, 1, 1), QColor(item.colours[1]))
        painter.setPen(QPen(colour, 2.5 if item.kind == "line" else 1.5, LINE_STYLES[item.kind]))
        painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()))
        if item.symbol:
            _draw_symbol(painter, item.symbol, box.center(), colour)
    elif item.kind == "mark" and item.symbol:
        _draw_symbol(painter, item.symbol, box.center(), colour)
    elif item.kind == "mark":
        painter.setPen(QPen(QColor("#10141a"), 1))
        painter.setBrush(colour)
        painter.drawEllipse(QRectF(box.center().x() - 5, box.center().y() - 5, 10, 10))
    elif item.kind == "outline":
        painter.setPen(QPen(colour, 2))
        shade = QColor(colour)
        shade.setAlpha(60)
        painter.setBrush(shade)
        painter.drawRect(box.adjusted(2, 0, -2, 0))
    elif item.kind == "gradient":
        gradient = QLinearGradient(box.topLeft(), box.topRight())
        for place, name in enumerate(item.colours):
            gradient.setColorAt(place / (len(item.colours) - 1), QColor(name))
        painter.fillRect(box, gradient)
    else:
        painter.fillRect(box.adjusted(2, 0, -2, 0), colour)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _draw_symbol(painter: QPainter, symbol: str, centre: QPointF, colour: QColor) -> None:
    """Draw the marker of a plot."""
    from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols  # loaded by the first plot

    with saved_painter_state(painter):
        painter.translate(centre)
        painter.scale(SYMBOL_SIZE, SYMBOL_SIZE)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPath(Symbols[symbol])
