"""The frame that shows where dragged files will be opened."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from antidiag.app import theme

INSET, LINE = 6, 3
"""Pixels from the edge of the window to the frame, and of its line."""


class DropFrame(QWidget):
    """A dashed frame over a whole window, with a word; the mouse does not meet it."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.words = "Drop to open"
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def appear(self) -> None:
        """Cover the window."""
        self.setGeometry(self.parentWidget().rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, colours = QPainter(self), theme.active()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wash = QColor(colours.accent)
        wash.setAlphaF(0.12)
        box = QRectF(self.rect()).adjusted(INSET, INSET, -INSET, -INSET)
        painter.setBrush(wash)
        painter.setPen(QPen(QColor(colours.accent), LINE, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(box, theme.RADIUS, theme.RADIUS)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * theme.TITLE)
        painter.setFont(font)
        metrics = painter.fontMetrics()
        words = QRectF(0, 0, metrics.horizontalAdvance(self.words) + 40, 2.2 * metrics.height())
        words.moveCenter(box.center())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.accent))
        painter.drawRoundedRect(words, theme.RADIUS, theme.RADIUS)
        painter.setPen(QColor(colours.accent_text))
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, self.words)
