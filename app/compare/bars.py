"""Times of results: phases as bars on one scale, and timelines on one axis."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app import texts, theme
from app.kit import ink
from app.kit.lanes import Lanes, lanes
from app.kit.phase_times import colour_of
from kernels.model import Result
from kernels.monitor import Monitor
from kernels.text import counted

BAR, SPACE = 34, 30
"""Pixels of a bar, and of the line of words above it."""
MOST_NAMES = 0.94
LEAST_LANE, MOST_LANES = 10, 220
"""Pixels of a lane of a timeline at least, and of all lanes of one at most."""
TICKS = 6


class PhaseBars(QWidget):
    """A bar a result, as long as its phases took, on one scale."""

    def __init__(self) -> None:
        super().__init__()
        self._results: tuple[Result, ...] = ()
        self._names: tuple[str, ...] = ()
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.notifier.changed.connect(self.update)

    def show_results(self, results: tuple[Result, ...], names: tuple[str, ...]) -> None:
        self._results, self._names = results, names
        self.setFixedHeight(len(results) * (BAR + SPACE) + theme.MARGIN)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, self.minimumHeight())

    def segments(self) -> list[tuple[Result, str, float, QRectF]]:
        """Each phase of each result: its name, milliseconds, and where it is drawn."""
        longest = max((sum(result.times_ms.values()) for result in self._results), default=0.0) or 1.0
        found = []
        for number, result in enumerate(self._results):
            x, y = 0.0, number * (BAR + SPACE) + SPACE - 6.0
            for name, time in _ordered(result):
                width = time / longest * (self.width() - 2)
                found.append((result, name, time, QRectF(x, y, width, BAR)))
                x += width
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, active = QPainter(self), theme.active()
        phases = tuple(dict.fromkeys(name for result in self._results for name, _ in _ordered(result)))
        for number, (result, name) in enumerate(zip(self._results, self._names, strict=True)):
            painter.setPen(QColor(active.text))
            line = f"{name} \N{MIDDLE DOT} {texts.duration(sum(result.times_ms.values()))}"
            painter.drawText(QPointF(0, number * (BAR + SPACE) + SPACE - 12), line)
        for _, name, time, box in self.segments():
            colour = QColor(colour_of(name, phases, active.phases))
            painter.fillRect(box.adjusted(0, 0, -1 if box.width() > 3 else 0, 0), colour)
            words = f"{name} {texts.duration(time)}"
            if painter.fontMetrics().horizontalAdvance(words) + 8 <= box.width():
                painter.setPen(ink.on(colour))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        for _, name, time, box in self.segments():
            if box.contains(event.position()):
                QToolTip.showText(event.globalPosition().toPoint(), f"{name}: {texts.duration(time)}", self)


class Timelines(QWidget):
    """Timelines of results under each other on one axis, each from its first event; the wheel zooms, dragging moves."""

    def __init__(self) -> None:
        super().__init__()
        self._lanes: list[tuple[str, Lanes]] = []
        self._span = (0.0, 1.0)
        self._dragged: tuple[float, tuple[float, float]] | None = None
        theme.notifier.changed.connect(self.update)

    @staticmethod
    def lay_out(results: tuple[Result, ...], names: tuple[str, ...], monitor: Monitor) -> list[tuple[str, Lanes]]:
        """The lanes of each result that has a log, for `show_lanes`; takes a while for a long log."""
        found = []
        for name, result in zip(names, results, strict=True):
            if result.steps.count:
                found.append((name, lanes(result.steps)))
            monitor.update(len(found), len(results))
        return found

    def show_lanes(self, found: list[tuple[str, Lanes]]) -> None:
        self._lanes = found
        self.fit()
        self.setMinimumHeight(int(sum(SPACE + self._height(each) for _, each in found)) + 2 * SPACE)

    @property
    def span_ms(self) -> tuple[float, float]:
        """The times that are seen, in milliseconds since the first event of each result."""
        return self._span[0] / 1e6, self._span[1] / 1e6

    def fit(self) -> None:
        """Show all of the longest one."""
        longest = max((each.end_ns - each.start_ns for _, each in self._lanes), default=1)
        self._span = (0.0, max(longest, 1) * 1.02)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, active, top = QPainter(self), theme.active(), 0.0
        painter.fillRect(self.rect(), QColor(active.panel))
        palette = np.array([QColor(colour).rgba() for colour in active.phases], np.uint32)
        ratio = self.devicePixelRatioF()
        for name, each in self._lanes:
            busy = f"{name} \N{MIDDLE DOT} {counted(len(each.workers), 'worker')}, busy {100 * each.busy():.0f} % of "
            painter.setPen(QColor(active.text))
            painter.drawText(QPointF(0, top + SPACE - 9), busy + texts.duration((each.end_ns - each.start_ns) / 1e6))
            colours = palette[(each.events["phase"].astype(np.int64) - 1) % len(palette)]
            width = max(round(self.width() * ratio), 1)
            start, end = (edge + each.start_ns for edge in self._span)
            pixels = each.pixels(colours, start, end, width)
            image = QImage(pixels.data, width, each.rows, 4 * width, QImage.Format.Format_ARGB32)
            height = self._height(each)
            painter.drawImage(QRectF(0, top + SPACE, self.width(), height), image)
            top += SPACE + height
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

    def _height(self, each: Lanes) -> float:
        return float(min(max(LEAST_LANE * each.rows, 2 * LEAST_LANE), MOST_LANES))

    def _draw_axis(self, painter: QPainter, top: float) -> None:
        painter.setPen(QColor(theme.active().muted))
        low, high = self.span_ms
        step = _round_step((high - low) / TICKS)
        for number in range(int(np.ceil(low / step)), int(high / step) + 1):
            x = (number * step - low) / (high - low) * self.width()
            painter.drawLine(QPointF(x, top), QPointF(x, top + 5))
            painter.drawText(QPointF(x + 3, top + 5 + painter.fontMetrics().ascent()), f"{number * step:g} ms")


def _ordered(result: Result) -> list[tuple[str, float]]:
    """Phases in the order of the run, what is beside them before: compilation, transfer."""
    apart = ("compilation", "transfer")
    times = result.times_ms
    return [(name, times[name]) for name in apart if name in times] + [it for it in times.items() if it[0] not in apart]


def _round_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, no less than this."""
    power = 10.0 ** np.floor(np.log10(max(least, 1e-9)))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least))
