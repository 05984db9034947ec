"""Figures of views that draw themselves: a title above, and a legend below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QPainter

from antidiag.app import theme
from antidiag.app.kit.legend import LegendItem, draw_legend, legend_height
from antidiag.app.kit.saved_painter import saved

Body = Callable[[QPainter, float, float], None]
"""Draws what is between title and legend, of this width and height, from (0, 0)."""


def size(width: float, height: float, items: tuple[LegendItem, ...]) -> QSize:
    """Size of a figure whose body has this width and height."""
    above, below = _heights(QFontMetrics(QGuiApplication.font()), items, width)
    return QSize(round(width), round(height + above + below))


def draw(painter: QPainter, area: QRectF, title: str, items: tuple[LegendItem, ...], body: Body) -> None:
    """Draw a figure into ``area``, which begins at (0, 0).

    Not every reader of SVG clips, so what reaches over the edge of the body is covered before title and legend are
    drawn.
    """
    metrics, room = painter.fontMetrics(), area.width() - 2 * theme.MARGIN
    above, below = _heights(metrics, items, area.width())
    height = area.height() - above - below
    with saved(painter):
        painter.translate(0, above)
        painter.setClipRect(QRectF(0, 0, area.width(), height))
        body(painter, area.width(), height)
    for top, high in ((0.0, above), (above + height, below)):
        painter.fillRect(QRectF(0, top, area.width(), high), QColor(theme.active().panel))
    painter.setPen(QColor(theme.active().text))
    shown = metrics.elidedText(title, Qt.TextElideMode.ElideRight, int(room))
    painter.drawText(QRectF(theme.MARGIN, 0, room, above), Qt.AlignmentFlag.AlignVCenter, shown)
    draw_legend(painter, QRectF(theme.MARGIN, above + height, room, below), items)


def _heights(metrics: QFontMetrics, items: tuple[LegendItem, ...], width: float) -> tuple[int, int]:
    """Pixels of the title, and of the legend."""
    below = legend_height(metrics, items, width - 2 * theme.MARGIN)
    return metrics.height() + theme.MARGIN, below + theme.MARGIN
