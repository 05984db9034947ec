"""Figures with a title above and a legend below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QPainter

from antidiag.app import theme
from antidiag.app.kit.figures.legend import LegendItem, draw_legend, legend_height
from antidiag.app.kit.painting.fonts_and_colours import resized_font
from antidiag.app.kit.painting.saved_painter import saved_painter_state

SMALLEST_TITLE = 0.7
"""Share of the size of letters below which a title is elided."""

# Draws the part between title and legend, of a width and height, from (0, 0).
Body = Callable[[QPainter, float, float], None]


def figure_size(width: float, height: float, items: tuple[LegendItem, ...]) -> QSize:
    """Return the size of a figure whose body has this size."""
    above, below = _frame_heights(QFontMetrics(QGuiApplication.font()), items, width)
    return QSize(round(width), round(height + above + below))


def draw_figure(painter: QPainter, area: QRectF, title: str, items: tuple[LegendItem, ...], body: Body) -> None:
    """Draw a figure into ``area``, which begins at (0, 0). Some SVG readers do not clip, so what reaches beyond the
    body is covered before title and legend are drawn."""
    metrics, room = painter.fontMetrics(), area.width() - 2 * theme.MARGIN
    above, below = _frame_heights(metrics, items, area.width())
    height = area.height() - above - below
    with saved_painter_state(painter):
        painter.translate(0, above)
        painter.setClipRect(QRectF(0, 0, area.width(), height))
        body(painter, area.width(), height)
    for top, high in ((0.0, above), (above + height, below)):
        painter.fillRect(QRectF(0, top, area.width(), high), QColor(theme.active().panel))
    _draw_title(painter, QRectF(theme.MARGIN, 0, room, above), title)
    draw_legend(painter, QRectF(theme.MARGIN, above + height, room, below), items)


def _draw_title(painter: QPainter, area: QRectF, title: str) -> None:
    """Draw a title in one line, in smaller letters where it is too long, and elided where they would be too small."""
    with saved_painter_state(painter):
        usual = painter.fontInfo().pixelSize()
        for size in range(usual, round(SMALLEST_TITLE * usual) - 1, -1):
            if painter.fontMetrics().horizontalAdvance(title) > area.width():
                painter.setFont(resized_font(painter.font(), size))
        painter.setPen(QColor(theme.active().text))
        shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, shown)


def _frame_heights(metrics: QFontMetrics, items: tuple[LegendItem, ...], width: float) -> tuple[int, int]:
    """Return the heights of title and legend in pixels."""
    below = legend_height(metrics, items, width - 2 * theme.MARGIN)
    return metrics.height() + theme.MARGIN, below + theme.MARGIN
