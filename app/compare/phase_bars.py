"""Draws the phases of each result as bars on one scale; other times, such as compilation, are text."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.painting import fonts_and_colours
from antidiag.app.kit.results.phase_times import NOT_COMPUTING, phase_colour
from antidiag.kernels.model import Result

BAR_HEIGHT, TEXT_HEIGHT = 34, 30
"""Pixels of a bar, and of the text line above it."""
MIN_SHOWN_MS = 0.05
"""Least milliseconds of a time beside the phases that is shown."""


class ResultPhaseBars(QWidget):
    """A bar per result, as long as its phases took, on one scale."""

    def __init__(self) -> None:
        super().__init__()
        self._results: tuple[Result, ...] = ()
        self._names: tuple[str, ...] = ()
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.notifier.changed.connect(self.update)

    def show_results(self, results: tuple[Result, ...], names: tuple[str, ...]) -> None:
        """Show these results under these names."""
        self._results, self._names = results, names
        self.setFixedHeight(len(results) * (BAR_HEIGHT + TEXT_HEIGHT) + theme.MARGIN)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, self.minimumHeight())

    def phase_segments(self) -> list[tuple[Result, str, float, QRectF]]:
        """Return each phase of each result: result, name, milliseconds and rectangle."""
        longest = max((result.compute_ms for result in self._results), default=0.0) or 1.0
        found = []
        for number, result in enumerate(self._results):
            x, y = 0.0, number * (BAR_HEIGHT + TEXT_HEIGHT) + TEXT_HEIGHT - 6.0
            for name, time in _phase_times(result):
                width = time / longest * (self.width() - 2)
                found.append((result, name, time, QRectF(x, y, width, BAR_HEIGHT)))
                x += width
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, active = QPainter(self), theme.active()
        phases = tuple(dict.fromkeys(name for result in self._results for name, _ in _phase_times(result)))
        for number, (result, name) in enumerate(zip(self._results, self._names, strict=True)):
            painter.setPen(QColor(active.text))
            painter.drawText(
                QPointF(0, number * (BAR_HEIGHT + TEXT_HEIGHT) + TEXT_HEIGHT - 12), describe_times(name, result)
            )
        for _, name, time, box in self.phase_segments():
            colour = QColor(phase_colour(name, phases, active.phases))
            painter.fillRect(box.adjusted(0, 0, -1 if box.width() > 3 else 0, 0), colour)
            words = f"{name} {texts.format_duration(time)}"
            if painter.fontMetrics().horizontalAdvance(words) + 8 <= box.width():
                painter.setPen(fonts_and_colours.text_colour_on(colour))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        for _, name, time, box in self.phase_segments():
            if box.contains(event.position()):
                QToolTip.showText(event.globalPosition().toPoint(), f"{name}: {texts.format_duration(time)}", self)


def describe_times(name: str, result: Result) -> str:
    """Return a text such as 'StripedScore: 15 ms in phases; compilation 57 ms, transfer 2.1 ms'."""
    times = {part: result.times_ms.get(part, 0.0) for part in NOT_COMPUTING}
    beside = [f"{part} {texts.format_duration(time)}" for part, time in times.items() if time >= MIN_SHOWN_MS]
    return f"{name}: {texts.format_duration(result.compute_ms)} in phases" + (
        f"; {', '.join(beside)}" if beside else ""
    )


def _phase_times(result: Result) -> list[tuple[str, float]]:
    return [(name, time) for name, time in result.times_ms.items() if name not in NOT_COMPUTING]
