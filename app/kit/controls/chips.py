"""Small labelled numbers in one line; the last ones are hidden in a narrow window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from antidiag.app import theme

Chip = tuple[str, str]  # a label, which may be empty, and a value

PADDING, GAP, ROUND = 7, 5, 5
LONGEST = 260  # pixels of a chip; what is longer ends in an ellipsis


class ChipRow(QWidget):
    """Labelled numbers side by side, as many as fit; the tool tip has all."""

    def __init__(self) -> None:
        super().__init__()
        self.chips: tuple[Chip, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_chips(self, chips: Sequence[Chip]) -> None:
        """Show these numbers, the most important first."""
        self.chips = tuple((label, value) for label, value in chips if value)
        self.setAccessibleName(", ".join(f"{label} {value}".strip() for label, value in self.chips))
        self.setVisible(bool(self.chips))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, self.fontMetrics().height() + 8)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for box, (label, value) in zip(self._boxes(), self.chips, strict=False):
            self._draw_chip(painter, box, label, value)

    def _boxes(self) -> list[QRectF]:
        """Return the boxes of the chips that fit."""
        boxes, left = list[QRectF](), 0.0
        for label, value in self.chips:
            width = self._chip_width(label, value)
            if left and left + width > self.width():
                break
            boxes.append(QRectF(left, 0.5, min(width, self.width() - left - 1), self.height() - 1))
            left += width + GAP
        return boxes

    def _draw_chip(self, painter: QPainter, box: QRectF, label: str, value: str) -> None:
        colours = theme.active()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.hover))
        painter.drawRoundedRect(box, ROUND, ROUND)
        inner = box.adjusted(PADDING, 0, -PADDING, 0)
        if label:
            painter.setFont(theme.small_font(self.font()))
            painter.setPen(QColor(colours.muted))
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, label)
            inner.setLeft(inner.left() + self._text_width(painter.font(), label) + 5)
        painter.setFont(_bold_font(self.font()))
        painter.setPen(QColor(colours.text))
        text = QFontMetricsF(painter.font()).elidedText(value, Qt.TextElideMode.ElideRight, inner.width() + 1)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _chip_width(self, label: str, value: str) -> float:
        wide = self._text_width(_bold_font(self.font()), value) + 2 * PADDING
        if label:
            wide += self._text_width(theme.small_font(self.font()), label) + 5
        return min(wide, LONGEST)

    def _text_width(self, font: QFont, text: str) -> float:
        return QFontMetricsF(font).horizontalAdvance(text)


def _bold_font(font: QFont) -> QFont:
    made = QFont(font)
    made.setBold(True)
    return made
