"""Timelines of results, one below the other, on one axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.painting.idle_gap import paint_idle_gap
from antidiag.kernels.experiments.point_data.idle_gaps import IdleFold, find_idle_gaps, fold_lanes
from antidiag.kernels.experiments.point_data.timeline_lanes import TimelineLanes, lay_out_lanes
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import format_count

TEXT_HEIGHT = 30
"""Pixels of the text line above a timeline."""
MIN_LANE_HEIGHT, MAX_LANES_HEIGHT = 10, 220
"""Least pixels of a lane, and most pixels of all lanes of a timeline."""
TICK_COUNT = 6
"""Intervals between ticks of the axis."""


@dataclass(frozen=True, eq=False)
class TimelineLog:
    """The lanes of a result, its long gaps, and its lanes with these gaps folded."""

    name: str
    lanes: TimelineLanes
    fold: IdleFold
    folded: TimelineLanes


class Timelines(QWidget):
    """Timelines, each from its first event, with long gaps folded; the wheel zooms, dragging scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self._logs: list[TimelineLog] = []
        self.folds = True
        self._span = (0.0, 1.0)
        self._dragged: tuple[float, tuple[float, float]] | None = None
        theme.notifier.changed.connect(self.update)

    @staticmethod
    def compute_logs(results: tuple[Result, ...], names: tuple[str, ...], monitor: Monitor) -> list[TimelineLog]:
        """Return the lanes of each result with a log, for `show_logs`; slow for a long log."""
        found = []
        for name, result in zip(names, results, strict=True):
            if result.steps.count:
                laid = lay_out_lanes(result.steps)
                by = find_idle_gaps(laid)
                found.append(TimelineLog(name, laid, by, fold_lanes(laid, by)))
            monitor.update(len(found), len(results))
        return found

    def show_logs(self, found: list[TimelineLog]) -> None:
        """Show these timelines."""
        self._logs = found
        self.fit_all()
        self.setMinimumHeight(int(sum(TEXT_HEIGHT + _timeline_height(log.lanes) for log in found)) + 2 * TEXT_HEIGHT)

    def set_folds(self, on: bool) -> None:
        """Fold long gaps in which no worker ran, or draw them to scale."""
        self.folds = on
        self.fit_all()

    @property
    def span_ms(self) -> tuple[float, float]:
        """The visible times in milliseconds since the first event, without folded gaps."""
        return self._span[0] / 1e6, self._span[1] / 1e6

    def fit_all(self) -> None:
        """Zoom to all of the longest timeline."""
        drawn = [self._drawn_lanes(log) for log in self._logs]
        longest = max((each.end_ns - each.start_ns for each in drawn), default=1)
        self._span = (0.0, max(longest, 1) * 1.02)
        self.update()

    def folded_gaps(self, log: TimelineLog) -> list[tuple[float, float, str]]:
        """Return the folded gaps of a log: drawn start, drawn end (since the first event) and duration in words."""
        by, start = log.fold, self._drawn_lanes(log).start_ns
        if not self.folds:
            return []
        return [
            (
                float(by.fold_times(at)) - start,
                float(by.fold_times(at + length)) - start,
                texts.format_duration(length / 1e6),
            )
            for at, length in zip(by.starts_ns.tolist(), by.lengths_ns.tolist(), strict=True)
            if at > 0
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, active, top = QPainter(self), theme.active(), 0.0
        painter.fillRect(self.rect(), QColor(active.panel))
        palette = np.array([QColor(colour).rgba() for colour in active.phases], np.uint32)
        width = max(round(self.width() * self.devicePixelRatioF()), 1)
        for log in self._logs:
            each, drawn = log.lanes, self._drawn_lanes(log)
            painter.setPen(QColor(active.text))
            painter.drawText(QPointF(0, top + TEXT_HEIGHT - 9), self._log_text(log))
            area = QRectF(0, top + TEXT_HEIGHT, self.width(), _timeline_height(each))
            for left, right, words in self.folded_gaps(log):
                ground = QRectF(self._time_x(left), area.top(), self._time_x(right) - self._time_x(left), area.height())
                paint_idle_gap(painter, ground.intersected(area), words)
            colours = palette[(each.events["phase"].astype(np.int64) - 1) % len(palette)]
            start, end = (edge + drawn.start_ns for edge in self._span)
            pixels = drawn.render_rows(colours, start, end, width)
            image = QImage(pixels.data, width, each.row_count, 4 * width, QImage.Format.Format_ARGB32)
            painter.drawImage(area, image)
            top = area.bottom()
        self._draw_axis(painter, top)

    def wheelEvent(self, event: QWheelEvent) -> None:
        low, high = self._span
        at = low + (high - low) * event.position().x() / max(self.width(), 1)
        factor = 0.8 if event.angleDelta().y() > 0 else 1.25
        self._span = (at - (at - low) * factor, at + (high - at) * factor)
        self.update()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._dragged = event.position().x(), self._span

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is not None:
            start, (low, high) = self._dragged
            moved = (start - event.position().x()) * (high - low) / max(self.width(), 1)
            self._span = low + moved, high + moved
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit_all()

    def _drawn_lanes(self, log: TimelineLog) -> TimelineLanes:
        return log.folded if self.folds else log.lanes

    def _time_x(self, time_ns: float) -> float:
        low, high = self._span
        return (time_ns - low) / (high - low) * self.width()

    def _log_text(self, log: TimelineLog) -> str:
        gaps = log.fold.gaps_after_start_ns if self.folds else 0
        each = log.lanes
        beside = f", and {texts.format_duration(gaps / 1e6)} folded" if gaps else ""
        return (
            f"{log.name} \N{MIDDLE DOT} {format_count(len(each.workers), 'worker')}, busy "
            f"{100 * each.busy_share(gaps):.0f} % of "
            f"{texts.format_duration((each.end_ns - each.start_ns - gaps) / 1e6)}{beside}"
        )

    def _draw_axis(self, painter: QPainter, top: float) -> None:
        painter.setPen(QColor(theme.active().muted))
        low, high = self.span_ms
        step = _round_step((high - low) / TICK_COUNT)
        for number in range(int(np.ceil(low / step)), int(high / step) + 1):
            x = self._time_x(1e6 * number * step)
            painter.drawLine(QPointF(x, top), QPointF(x, top + 5))
            painter.drawText(QPointF(x + 3, top + 5 + painter.fontMetrics().ascent()), f"{number * step:g} ms")
        if any(self.folded_gaps(log) for log in self._logs):
            below = QRectF(0, top + 5 + painter.fontMetrics().height(), self.width(), painter.fontMetrics().height())
            painter.drawText(below, Qt.AlignmentFlag.AlignRight, "folded gaps left out")


def _timeline_height(each: TimelineLanes) -> float:
    return float(min(max(MIN_LANE_HEIGHT * each.row_count, 2 * MIN_LANE_HEIGHT), MAX_LANES_HEIGHT))


def _round_step(least: float) -> float:
    power = 10.0 ** np.floor(np.log10(max(least, 1e-9)))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least))
