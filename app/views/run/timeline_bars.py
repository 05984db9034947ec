"""Bars of the timeline: lanes of events, with labelled gaps between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QTransform

from antidiag.app import texts, theme
from antidiag.app.kit.painting.idle_gap import paint_idle_gap
from antidiag.app.kit.painting.saved_painter import saved_painter_state
from antidiag.kernels.experiments.point_data.timeline_lanes import TimelineLanes
from antidiag.kernels.model import Result
from antidiag.kernels.table_cuts import no_cuts

FILL = 0.8
SEPARATED, LABELLED = 5, 34
STRIP_COLOURS = 5  # coprime to most cards' multiprocessor counts, so strips of one lane differ, too


@dataclass(frozen=True)
class PieceNames:
    """``pieces`` maps each phase, in order, to the name of its events; ``usual`` is the name for other phases."""

    usual: str = "strip"
    pieces: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def for_result(cls, result: Result | None, layers: bool) -> PieceNames:
        """Return the names for a result; with ``layers``, an event is a chunk of a cube."""
        method = texts.result_method(result) if result is not None else None
        has_strips = method is None or method.picture.table_cuts is not no_cuts
        usual = "chunk" if layers else "strip" if has_strips else "step"
        return cls(usual, method.picture.event_nouns if method is not None else {})

    def phase_name(self, number: int) -> str:
        """Return the name of a phase, such as 'phase 1'."""
        names = tuple(self.pieces)
        return names[number - 1] if number <= len(names) else f"phase {number}"

    def piece_name(self, number: int) -> str:
        """Return the name of an event of a phase."""
        return self.pieces.get(self.phase_name(number), self.usual)

    def common_piece_name(self, phases: Iterable[int]) -> str:
        """Return the common name of events of several phases, or "piece"."""
        words = {self.piece_name(number) for number in phases}
        return words.pop() if len(words) == 1 else "piece"


class TimelineBars(pg.GraphicsObject):
    """Draws ``lanes``; ``drawn`` are the same lanes with folded gaps."""

    def __init__(self) -> None:
        super().__init__()
        self.lanes: TimelineLanes | None = None
        self.drawn: TimelineLanes | None = None
        self.breaks: tuple[tuple[float, float, str], ...] = ()
        self.words = PieceNames()
        self.by_strip = False
        self.strip: int | None = None
        self.shows_pointer = True
        self.first_gap_text = ""

    def boundingRect(self) -> QRectF:
        return self.viewRect() or QRectF()

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()
        super().viewTransformChanged()

    def event_colours(self) -> np.ndarray:
        """Return the ARGB colour of every event, uint32."""
        palette = np.array([QColor(colour).rgba() for colour in theme.active().phases], np.uint32)
        events = self.lanes.events
        if self.by_strip:
            return palette[events["strip"] % STRIP_COLOURS]
        return palette[(events["phase"].astype(np.int64) - 1) % len(palette)]

    def paint(self, painter: QPainter, *_) -> None:
        if self.lanes is None or not self.lanes.events.size:
            return
        transform, view = painter.worldTransform(), self.boundingRect()
        with saved_painter_state(painter):
            painter.setWorldTransform(QTransform())
            area = transform.mapRect(view)
            painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
            start, end = view.left() * 1e6, view.right() * 1e6
            for left, right, words in self.breaks or ((0.0, float(self.drawn.start_ns), self.first_gap_text),):
                self._paint_break(painter, transform, area, (left, right), words)
            self._paint_image(painter, transform, area, start, end)
            self._paint_wide(painter, transform, area, start, end)

    def event_box(self, transform: QTransform, number: int) -> QRectF:
        """Return the rectangle of an event."""
        event = self.drawn.events[number]
        lane, slot = divmod(int(self.lanes.row[number]), self.lanes.depth)
        left, right = float(event["start_ns"]) / 1e6, float(event["end_ns"]) / 1e6
        height = FILL / self.lanes.depth
        return transform.mapRect(QRectF(left, lane - FILL / 2 + slot * height, right - left, height))

    def _paint_break(
        self, painter: QPainter, transform: QTransform, area: QRectF, span_ns: tuple[float, float], words: str
    ) -> None:
        left, right = (transform.map(QPointF(ns / 1e6, 0)).x() for ns in span_ns)
        paint_idle_gap(
            painter, QRectF(QPointF(left, area.top()), QPointF(right, area.bottom())).intersected(area), words
        )

    def _paint_image(self, painter: QPainter, transform: QTransform, area: QRectF, start: float, end: float) -> None:
        width = max(round(area.width() * painter.device().devicePixelRatioF()), 1)
        waiting = QColor(theme.active().border).rgba()
        pixels = self.drawn.render_rows(self.event_colours(), start, end, width, SEPARATED, waiting)
        depth = self.lanes.depth
        for lane in range(len(self.lanes.workers)):
            rows = pixels[lane * depth : (lane + 1) * depth]
            top = transform.map(QPointF(0, lane - FILL / 2)).y()
            bottom = transform.map(QPointF(0, lane + FILL / 2)).y()
            if bottom >= area.top() and top <= area.bottom():
                image = QImage(rows.data, width, depth, 4 * width, QImage.Format.Format_ARGB32)
                painter.drawImage(QRectF(area.left(), top, area.width(), max(bottom - top, 1)), image)

    def _paint_wide(self, painter: QPainter, transform: QTransform, area: QRectF, start: float, end: float) -> None:
        """Draw numbers in bars that have space for them, and outline the highlighted strip."""
        ns_per_pixel = (end - start) / max(area.width(), 1)
        height = abs(transform.m22()) * FILL / self.lanes.depth
        for number in self.drawn.long_events(start, end, LABELLED * ns_per_pixel).tolist():
            box = self.event_box(transform, number)
            inside = box.intersected(area)
            if height >= painter.fontMetrics().height() and inside.width() >= LABELLED:
                painter.setPen(QColor("#10141a"))
                event = self.lanes.events[number]
                words = f"{self.words.piece_name(event['phase'])} {event['strip']:,}"
                if painter.fontMetrics().horizontalAdvance(words) + 6 > inside.width():
                    words = f"{self.lanes.events['strip'][number]:,}"
                painter.drawText(inside, Qt.AlignmentFlag.AlignCenter, words)
        if self.strip is not None and self.shows_pointer:
            painter.setPen(QPen(QColor(theme.active().text), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for number in np.flatnonzero(self.lanes.events["strip"] == self.strip).tolist():
                box = self.event_box(transform, number)
                painter.drawRect(box.adjusted(-max(4 - box.width(), 0) / 2, 0, max(4 - box.width(), 0) / 2, 0))
