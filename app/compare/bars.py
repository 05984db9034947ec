"""Times of results: phases as bars on one scale."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app import texts, theme
from app.kit import ink
from app.kit.phase_times import colour_of
from kernels.model import Result

BAR, SPACE = 34, 30
"""Pixels of a bar, and of the line of words above it."""
MOST_NAMES = 0.94


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


def _ordered(result: Result) -> list[tuple[str, float]]:
    """Phases in the order of the run, what is beside them before: compilation, transfer."""
    apart = ("compilation", "transfer")
    times = result.times_ms
    return [(name, times[name]) for name in apart if name in times] + [it for it in times.items() if it[0] not in apart]
