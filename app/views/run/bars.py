"""The bars of the timeline: lanes of events, and between them what nobody did."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QTransform

from antidiag.app import theme
from antidiag.app.kit.breaks import paint_break
from antidiag.app.kit.lanes import Lanes
from antidiag.app.views.run.words import Words

FILL = 0.8
SEPARATED, LABELLED = 5, 34
STRIP_COLOURS = 5
"""Prime to the number of multiprocessors of most cards, so that strips of one lane differ too."""


class Bars(pg.GraphicsObject):
    """Draws the lanes, in pixels: ``drawn`` are they at the times at which they are drawn, gaps being folded."""

    def __init__(self) -> None:
        super().__init__()
        self.lanes: Lanes | None = None
        self.drawn: Lanes | None = None
        self.breaks: tuple[tuple[float, float, str], ...] = ()
        self.words = Words()
        self.by_strip = False
        self.strip: int | None = None
        self.shows_pointer = True
        self.before = ""

    def boundingRect(self) -> QRectF:
        return self.viewRect() or QRectF()

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()
        super().viewTransformChanged()

    def colours(self) -> np.ndarray:
        """Colour (ARGB) of every event, uint32."""
        palette = np.array([QColor(colour).rgba() for colour in theme.active().phases], np.uint32)
        events = self.lanes.events
        if self.by_strip:
            return palette[events["strip"] % STRIP_COLOURS]
        return palette[(events["phase"].astype(np.int64) - 1) % len(palette)]

    def paint(self, painter: QPainter, *_) -> None:
        if self.lanes is None or not self.lanes.events.size:
            return
        transform, view = painter.worldTransform(), self.boundingRect()
        painter.save()
        painter.setWorldTransform(QTransform())
        area = transform.mapRect(view)
        painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
        start, end = view.left() * 1e6, view.right() * 1e6
        for left, right, words in self.breaks or ((0.0, float(self.drawn.start_ns), self.before),):
            self._paint_break(painter, transform, area, (left, right), words)
        self._paint_image(painter, transform, area, start, end)
        self._paint_wide(painter, transform, area, start, end)
        painter.restore()

    def box(self, transform: QTransform, number: int) -> QRectF:
        """Where an event is drawn."""
        event = self.drawn.events[number]
        lane, slot = divmod(int(self.lanes.row[number]), self.lanes.depth)
        left, right = float(event["start_ns"]) / 1e6, float(event["end_ns"]) / 1e6
        height = FILL / self.lanes.depth
        return transform.mapRect(QRectF(left, lane - FILL / 2 + slot * height, right - left, height))

    def _paint_break(
        self, painter: QPainter, transform: QTransform, area: QRectF, span_ns: tuple[float, float], words: str
    ) -> None:
        left, right = (transform.map(QPointF(ns / 1e6, 0)).x() for ns in span_ns)
        paint_break(painter, QRectF(QPointF(left, area.top()), QPointF(right, area.bottom())).intersected(area), words)

    def _paint_image(self, painter: QPainter, transform: QTransform, area: QRectF, start: float, end: float) -> None:
        width = max(round(area.width() * painter.device().devicePixelRatioF()), 1)
        waiting = QColor(theme.active().border).rgba()
        pixels = self.drawn.pixels(self.colours(), start, end, width, SEPARATED, waiting)
        depth = self.lanes.depth
        for lane in range(len(self.lanes.workers)):
            rows = pixels[lane * depth : (lane + 1) * depth]
            top = transform.map(QPointF(0, lane - FILL / 2)).y()
            bottom = transform.map(QPointF(0, lane + FILL / 2)).y()
            if bottom >= area.top() and top <= area.bottom():
                image = QImage(rows.data, width, depth, 4 * width, QImage.Format.Format_ARGB32)
                painter.drawImage(QRectF(area.left(), top, area.width(), max(bottom - top, 1)), image)

    def _paint_wide(self, painter: QPainter, transform: QTransform, area: QRectF, start: float, end: float) -> None:
        """Numbers of the bars that have room for them, and the lit strip."""
        ns_per_pixel = (end - start) / max(area.width(), 1)
        height = abs(transform.m22()) * FILL / self.lanes.depth
        for number in self.drawn.wide(start, end, LABELLED * ns_per_pixel).tolist():
            box = self.box(transform, number)
            inside = box.intersected(area)
            if height >= painter.fontMetrics().height() and inside.width() >= LABELLED:
                painter.setPen(QColor("#10141a"))
                event = self.lanes.events[number]
                words = f"{self.words.piece(event['phase'])} {event['strip']:,}"
                if painter.fontMetrics().horizontalAdvance(words) + 6 > inside.width():
                    words = f"{self.lanes.events['strip'][number]:,}"
                painter.drawText(inside, Qt.AlignmentFlag.AlignCenter, words)
        if self.strip is not None and self.shows_pointer:
            painter.setPen(QPen(QColor(theme.active().text), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for number in np.flatnonzero(self.lanes.events["strip"] == self.strip).tolist():
                box = self.box(transform, number)
                painter.drawRect(box.adjusted(-max(4 - box.width(), 0) / 2, 0, max(4 - box.width(), 0) / 2, 0))
