"""The title above a figure in a file, and the caption below it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter

from antidiag.app import theme

WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
TALLEST = 10_000


def title_height(metrics: QFontMetrics) -> int:
    """Return the height of a title of one line."""
    return metrics.height() + theme.MARGIN


def caption_height(metrics: QFontMetrics, caption: str, width: float) -> int:
    """Return the height of a wrapped caption of a figure of this width."""
    inner = int(width) - 2 * theme.MARGIN
    return metrics.boundingRect(0, 0, inner, TALLEST, WRAPPED, caption).height() + theme.MARGIN


def draw_title(painter: QPainter, area: QRectF, title: str) -> None:
    """Draw a title in bold at the top of a figure; one that is too long ends in an ellipsis."""
    plain, words = painter.font(), area.adjusted(theme.MARGIN, theme.MARGIN / 2, -theme.MARGIN, 0)
    bold = QFont(plain)
    bold.setBold(True)
    painter.setFont(bold)
    painter.setPen(QColor(theme.active().text))
    shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, int(words.width()))
    line = QRectF(words.left(), words.top(), words.width(), painter.fontMetrics().height())
    painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, shown)
    painter.setFont(plain)


def draw_caption(painter: QPainter, area: QRectF, caption: str) -> None:
    """Draw a caption at the bottom of a figure."""
    height = caption_height(painter.fontMetrics(), caption, area.width())
    painter.setPen(QColor(theme.active().muted))
    inner = QRectF(area.left() + theme.MARGIN, 0, area.width() - 2 * theme.MARGIN, height)
    inner.moveTop(area.bottom() - height + theme.MARGIN / 2)
    painter.drawText(inner, WRAPPED, caption)
