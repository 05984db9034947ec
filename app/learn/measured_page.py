"""A guideline that is measured: what it advises, a button that tries it on the GPU at hand, and bars of the times."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.painted_view import Canvas
from antidiag.app.kit.widgets import Card, label
from antidiag.kernels.cuda import measured
from antidiag.kernels.cuda.measured import Measured, Measurement

LINE, BAR = 22, 12
"""Pixels of a line of text, and of a bar."""
GAP = 8
NO_GPU = "No GPU is at hand; these times are of another one."
NOT_MEASURED = "No GPU is at hand, and no times of another one are there yet."


class MeasuredPage(QWidget):
    """One guideline, at first as it was measured elsewhere."""

    def __init__(self, guideline: Measured) -> None:
        super().__init__()
        self.guideline = guideline
        self.measurement: Measurement | None = None
        self.device: int | None = None
        self.card = Card(guideline.title)
        recorded = measured.recorded(guideline.id)
        self.words, self.status = label(wrap=True), label(NO_GPU if recorded else NOT_MEASURED, "muted", wrap=True)
        self.words.setObjectName("heading")
        self.button = QPushButton("Measure on this GPU")
        self.button.setEnabled(False)
        self.button.clicked.connect(self.measure)
        self.canvas = Canvas(self._draw)
        self.canvas.setAccessibleName(guideline.title)
        self._work = Latest(self)
        self._work.finished.connect(self.show_measurement)
        self._work.failed.connect(self._tell_failure)
        self.card.box.addWidget(label(guideline.advice, "muted", wrap=True))
        tools = QHBoxLayout()
        tools.addWidget(self.button)
        tools.addWidget(self.status, 1)
        self.card.box.addLayout(tools)
        self.card.box.addWidget(self.words)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        box.addWidget(self.card)
        box.addWidget(self.canvas, 1)
        theme.notifier.changed.connect(self.canvas.update)
        if recorded:
            self.show_measurement(recorded)

    def set_device(self, device: int) -> None:
        """A GPU of this number is at hand."""
        self.device = device
        self.button.setEnabled(True)
        self.status.setText("")

    def measure(self) -> None:
        """Run all variants on the GPU at hand, on a thread of their own."""
        if self.device is None or self._work.busy:
            return
        device = self.device
        self.button.setEnabled(False)
        self.status.setText("Measuring\u2026")
        self._work.request(lambda monitor: measured.measure(self.guideline.id, device))

    def show_measurement(self, found: Measurement) -> None:
        """Show what was measured."""
        self.measurement = found
        self.words.setText(_summary(found))
        if self.device is not None:
            self.button.setEnabled(True)
            self.status.setText("")
        self.canvas.update()

    def _tell_failure(self, error: Exception) -> None:
        self.button.setEnabled(True)
        self.status.setText(str(error))

    def _draw(self, painter: QPainter, area: QRectF) -> None:
        """A bar for each variant, as long as it took, and its time."""
        if self.measurement is None:
            return
        active, margin = theme.active(), theme.MARGIN
        area = area.adjusted(margin, margin, -margin, -margin)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        slowest = max((row.milliseconds or 0.0 for row in self.measurement.rows), default=0.0)
        top = area.top()
        for row in self.measurement.rows:
            painter.setPen(QColor(active.text))
            line = QRectF(area.left(), top, area.width(), LINE)
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(line, flags, _told(row, self.measurement))
            if row.milliseconds is not None and slowest:
                width = max(2.0, area.width() * row.milliseconds / slowest)
                best = row.milliseconds == self.measurement.fastest_ms
                painter.fillRect(
                    QRectF(area.left(), top + LINE, width, BAR), QColor(active.recomputed if best else active.boundary)
                )
            top += LINE + BAR + GAP


def _told(row: measured.Row, measurement: Measurement) -> str:
    """'row by row: 1.23 ms, 8.0 x the fastest', or why there is no time."""
    if row.milliseconds is None:
        return f"{row.variant}: {row.remark}"
    times = f"{row.milliseconds / measurement.fastest_ms:.1f} \u00d7 the fastest"
    return f"{row.variant}: {_time(row.milliseconds)}, {times}{f'; {row.remark}' if row.remark else ''}"


def _time(milliseconds: float) -> str:
    """'69.6 µs', '4.92 ms'."""
    return f"{milliseconds:.3g} ms" if milliseconds >= 1 else f"{1e3 * milliseconds:.3g} µs"


def _summary(found: Measurement) -> str:
    """'On an H200, row by row takes 8.0 times as long as antidiagonal by antidiagonal.'"""
    times = {row.milliseconds: row.variant for row in found.rows if row.milliseconds is not None}
    fastest, slowest = min(times), max(times)
    return f"On {found.device}: {times[slowest]} takes {slowest / fastest:.1f} times as long as {times[fastest]}."
