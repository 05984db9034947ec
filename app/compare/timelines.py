"""Timelines of results under each other on one axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.breaks import paint_break
from antidiag.app.kit.fold import Fold, fold, folded
from antidiag.app.kit.lanes import Lanes, lanes
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import counted

SPACE = 30
"""Pixels of the line of words above a timeline."""
LEAST_LANE, MOST_LANES = 10, 220
"""Pixels of a lane of a timeline at least, and of all lanes of one at most."""
TICKS = 6


@dataclass(frozen=True, eq=False)
class Log:
    """The lanes of a result, its long gaps, and the lanes with these drawn narrow."""

    name: str
    lanes: Lanes
    fold: Fold
    folded: Lanes


class Timelines(QWidget):
    """Timelines, each from its first event; long gaps are folded; the wheel zooms, dragging moves."""

    def __init__(self) -> None:
        super().__init__()
        self._logs: list[Log] = []
        self.folds = True
        self._span = (0.0, 1.0)
        self._dragged: tuple[float, tuple[float, float]] | None = None
        theme.notifier.changed.connect(self.update)

    @staticmethod
    def lay_out(results: tuple[Result, ...], names: tuple[str, ...], monitor: Monitor) -> list[Log]:
        """The lanes of each result that has a log, for `show_logs`; takes a while for a long log."""
        found = []
        for name, result in zip(names, results, strict=True):
            if result.steps.count:
                laid = lanes(result.steps)
                by = fold(laid)
                found.append(Log(name, laid, by, folded(laid, by)))
            monitor.update(len(found), len(results))
        return found

    def show_logs(self, found: list[Log]) -> None:
        self._logs = found
        self.fit()
        self.setMinimumHeight(int(sum(SPACE + _height(log.lanes) for log in found)) + 2 * SPACE)

    def set_folds(self, on: bool) -> None:
        """Draw long times narrow in which nobody did anything, or as long as they were."""
        self.folds = on
        self.fit()

    @property
    def span_ms(self) -> tuple[float, float]:
        """The times that are seen, in milliseconds since the first event of each result, without what is folded."""
        return self._span[0] / 1e6, self._span[1] / 1e6

    def fit(self) -> None:
        """Show all of the longest one."""
        drawn = [self._drawn(log) for log in self._logs]
        longest = max((each.end_ns - each.start_ns for each in drawn), default=1)
        self._span = (0.0, max(longest, 1) * 1.02)
        self.update()

    def breaks(self, log: Log) -> list[tuple[float, float, str]]:
        """The folded gaps of a log: from when to when they are drawn, since its first event, and how long they are."""
        by, start = log.fold, self._drawn(log).start_ns
        if not self.folds:
            return []
        return [
            (float(by.drawn(at)) - start, float(by.drawn(at + length)) - start, texts.duration(length / 1e6))
            for at, length in zip(by.starts_ns.tolist(), by.lengths_ns.tolist(), strict=True)
            if at > 0
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, active, top = QPainter(self), theme.active(), 0.0
        painter.fillRect(self.rect(), QColor(active.panel))
        palette = np.array([QColor(colour).rgba() for colour in active.phases], np.uint32)
        width = max(round(self.width() * self.devicePixelRatioF()), 1)
        for log in self._logs:
            each, drawn = log.lanes, self._drawn(log)
            painter.setPen(QColor(active.text))
            painter.drawText(QPointF(0, top + SPACE - 9), self._words(log))
            area = QRectF(0, top + SPACE, self.width(), _height(each))
            for left, right, words in self.breaks(log):
                ground = QRectF(self._x(left), area.top(), self._x(right) - self._x(left), area.height())
                paint_break(painter, ground.intersected(area), words)
            colours = palette[(each.events["phase"].astype(np.int64) - 1) % len(palette)]
            start, end = (edge + drawn.start_ns for edge in self._span)
            pixels = drawn.pixels(colours, start, end, width)
            image = QImage(pixels.data, width, each.rows, 4 * width, QImage.Format.Format_ARGB32)
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
        self.fit()

    def _drawn(self, log: Log) -> Lanes:
        return log.folded if self.folds else log.lanes

    def _x(self, time_ns: float) -> float:
        """Where a time since the first event is drawn."""
        low, high = self._span
        return (time_ns - low) / (high - low) * self.width()

    def _words(self, log: Log) -> str:
        gaps = log.fold.inside_ns if self.folds else 0
        each = log.lanes
        beside = f", and {texts.duration(gaps / 1e6)} folded" if gaps else ""
        return (
            f"{log.name} \N{MIDDLE DOT} {counted(len(each.workers), 'worker')}, busy {100 * each.busy(gaps):.0f} % of "
            f"{texts.duration((each.end_ns - each.start_ns - gaps) / 1e6)}{beside}"
        )

    def _draw_axis(self, painter: QPainter, top: float) -> None:
        painter.setPen(QColor(theme.active().muted))
        low, high = self.span_ms
        step = _round_step((high - low) / TICKS)
        for number in range(int(np.ceil(low / step)), int(high / step) + 1):
            x = self._x(1e6 * number * step)
            painter.drawLine(QPointF(x, top), QPointF(x, top + 5))
            painter.drawText(QPointF(x + 3, top + 5 + painter.fontMetrics().ascent()), f"{number * step:g} ms")
        if any(self.breaks(log) for log in self._logs):
            below = QRectF(0, top + 5 + painter.fontMetrics().height(), self.width(), painter.fontMetrics().height())
            painter.drawText(below, Qt.AlignmentFlag.AlignRight, "without the times that are folded")


def _height(each: Lanes) -> float:
    return float(min(max(LEAST_LANE * each.rows, 2 * LEAST_LANE), MOST_LANES))


def _round_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, no less than this."""
    power = 10.0 ** np.floor(np.log10(max(least, 1e-9)))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least))
