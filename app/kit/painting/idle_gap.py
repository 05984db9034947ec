"""Drawing of times in which no worker was busy."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from antidiag.app import theme


def paint_idle_gap(painter: QPainter, area: QRectF, reason: str) -> None:
    """Fill a gap and write the reason into it, upright where it is narrow."""
    if area.width() < 1:
        return
    colours = theme.active()
    painter.fillRect(area, QColor(colours.hover))
    upright = area.width() < area.height() / 2
    room = QRectF(0, 0, area.height(), area.width()) if upright else QRectF(0, 0, area.width(), area.height())
    if room.height() < painter.fontMetrics().height():
        return
    painter.save()
    painter.translate(area.bottomLeft() if upright else area.topLeft())
    painter.rotate(-90 if upright else 0)
    painter.setPen(QColor(colours.muted))
    text = painter.fontMetrics().elidedText(reason, Qt.TextElideMode.ElideRight, int(room.width()) - 12)
    place = Qt.AlignmentFlag.AlignVCenter if upright else Qt.AlignmentFlag.AlignTop
    painter.drawText(room.adjusted(6, 0 if upright else 6, -6, 0), Qt.AlignmentFlag.AlignLeft | place, text)
    painter.restore()
