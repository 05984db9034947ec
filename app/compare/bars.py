"""Times of results: phases as bars on one scale; what is beside them, such as compilation, in words."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit import ink
from antidiag.app.kit.phase_times import APART, colour_of
from antidiag.kernels.model import Result

BAR, SPACE = 34, 30
"""Pixels of a bar, and of the line of words above it."""
LEAST_MS = 0.05
"""Times beside phases that are told."""


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
        longest = max((result.compute_ms for result in self._results), default=0.0) or 1.0
        found = []
        for number, result in enumerate(self._results):
            x, y = 0.0, number * (BAR + SPACE) + SPACE - 6.0
            for name, time in _phases(result):
                width = time / longest * (self.width() - 2)
                found.append((result, name, time, QRectF(x, y, width, BAR)))
                x += width
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, active = QPainter(self), theme.active()
        phases = tuple(dict.fromkeys(name for result in self._results for name, _ in _phases(result)))
        for number, (result, name) in enumerate(zip(self._results, self._names, strict=True)):
            painter.setPen(QColor(active.text))
            painter.drawText(QPointF(0, number * (BAR + SPACE) + SPACE - 12), told(name, result))
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


def told(name: str, result: Result) -> str:
    """'StripedScore: 15 ms in phases; compilation 57 ms, transfer 2.1 ms'."""
    times = {part: result.times_ms.get(part, 0.0) for part in APART}
    beside = [f"{part} {texts.duration(time)}" for part, time in times.items() if time >= LEAST_MS]
    return f"{name}: {texts.duration(result.compute_ms)} in phases" + (f"; {', '.join(beside)}" if beside else "")


def _phases(result: Result) -> list[tuple[str, float]]:
    """Phases in the order of the run. Compiling takes a thousand times as long, but only once."""
    return [(name, time) for name, time in result.times_ms.items() if name not in APART]
