"""How a time is drawn in which nobody did anything."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from antidiag.app import theme


def paint_break(painter: QPainter, ground: QRectF, words: str) -> None:
    """A time on a ground of its own, with the words that say what it was, upright where it is narrow."""
    if ground.width() < 1:
        return
    colours = theme.active()
    painter.fillRect(ground, QColor(colours.hover))
    upright = ground.width() < ground.height() / 2
    room = QRectF(0, 0, ground.height(), ground.width()) if upright else QRectF(0, 0, ground.width(), ground.height())
    if room.height() < painter.fontMetrics().height():
        return
    painter.save()
    painter.translate(ground.bottomLeft() if upright else ground.topLeft())
    painter.rotate(-90 if upright else 0)
    painter.setPen(QColor(colours.muted))
    text = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(room.width()) - 12)
    place = Qt.AlignmentFlag.AlignVCenter if upright else Qt.AlignmentFlag.AlignTop
    painter.drawText(room.adjusted(6, 0 if upright else 6, -6, 0), Qt.AlignmentFlag.AlignLeft | place, text)
    painter.restore()
