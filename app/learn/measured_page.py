"""The page of a measured guideline: its advice, a button to measure it on this GPU, and bars of the times."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QPushButton, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.canvas.painted_view import PictureCanvas
from antidiag.app.kit.controls.widgets import Card, create_label
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.kernels.cuda import guideline_timings
from antidiag.kernels.cuda.guideline_timings import GuidelineTimes, MeasuredGuideline

LINE_HEIGHT, BAR_HEIGHT = 22, 12
"""Pixels of a line of text, and of a bar."""
BAR_GAP = 8
NO_GPU = "No GPU found; these times were measured on another machine."
NOT_MEASURED = "No GPU found, and no recorded times."


class MeasuredPage(QWidget):
    """One guideline, at first with the recorded times of another machine."""

    def __init__(self, guideline: MeasuredGuideline) -> None:
        super().__init__()
        self.guideline = guideline
        self.measurement: GuidelineTimes | None = None
        self.device: int | None = None
        self.card = Card(guideline.title)
        recorded = guideline_timings.read_recorded_times(guideline.id)
        self.summary_label, self.status_label = (
            create_label(wrap=True),
            create_label(NO_GPU if recorded else NOT_MEASURED, "muted", wrap=True),
        )
        self.summary_label.setObjectName("heading")
        self.measure_button = QPushButton("Measure on this GPU")
        self.measure_button.setEnabled(False)
        self.measure_button.clicked.connect(self.measure_variants)
        self.canvas = PictureCanvas(self._draw_bars)
        self.canvas.setAccessibleName(guideline.title)
        self._work = LatestTask(self, self.show_measurement, self._show_failure)
        self.card.box.addWidget(create_label(guideline.advice, "muted", wrap=True))
        self.card.box.addLayout(row_of(self.measure_button, (self.status_label, 1)))
        self.card.box.addWidget(self.summary_label)
        column_of(self.card, (self.canvas, 1), parent=self)
        theme.notifier.changed.connect(self.canvas.update)
        if recorded:
            self.show_measurement(recorded)

    def set_device(self, device: int) -> None:
        """Allow measurements on the GPU of this number."""
        self.device = device
        self.measure_button.setEnabled(True)
        self.status_label.setText("")

    def measure_variants(self) -> None:
        """Run all variants on the GPU on a background thread."""
        if self.device is None or self._work.busy:
            return
        device = self.device
        self.measure_button.setEnabled(False)
        self.status_label.setText("Measuring\u2026")
        self._work.request(lambda monitor: guideline_timings.measure_guideline(self.guideline.id, device))

    def show_measurement(self, found: GuidelineTimes) -> None:
        """Show the measured times."""
        self.measurement = found
        self.summary_label.setText(_summarise(found))
        if self.device is not None:
            self.measure_button.setEnabled(True)
            self.status_label.setText("")
        self.canvas.update()

    def _show_failure(self, error: Exception) -> None:
        self.measure_button.setEnabled(True)
        self.status_label.setText(str(error))

    def _draw_bars(self, painter: QPainter, area: QRectF) -> None:
        if self.measurement is None:
            return
        active, margin = theme.active(), theme.MARGIN
        area = area.adjusted(margin, margin, -margin, -margin)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        slowest = max((row.milliseconds or 0.0 for row in self.measurement.rows), default=0.0)
        top = area.top()
        for row in self.measurement.rows:
            painter.setPen(QColor(active.text))
            line = QRectF(area.left(), top, area.width(), LINE_HEIGHT)
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(line, flags, _bar_text(row, self.measurement))
            if row.milliseconds is not None and slowest:
                width = max(2.0, area.width() * row.milliseconds / slowest)
                best = row.milliseconds == self.measurement.fastest_ms
                painter.fillRect(
                    QRectF(area.left(), top + LINE_HEIGHT, width, BAR_HEIGHT),
                    QColor(active.recomputed if best else active.boundary),
                )
            top += LINE_HEIGHT + BAR_HEIGHT + BAR_GAP


def _bar_text(row: guideline_timings.VariantTime, measurement: GuidelineTimes) -> str:
    """Return 'row by row: 1.23 ms, 8.0 x the fastest', or why there is no time."""
    if row.milliseconds is None:
        return f"{row.variant}: {row.remark}"
    times = f"{row.milliseconds / measurement.fastest_ms:.1f} \u00d7 the fastest"
    return f"{row.variant}: {_format_time(row.milliseconds)}, {times}{f'; {row.remark}' if row.remark else ''}"


def _format_time(milliseconds: float) -> str:
    """Format a time: '69.6 µs', '4.92 ms'."""
    return f"{milliseconds:.3g} ms" if milliseconds >= 1 else f"{1e3 * milliseconds:.3g} µs"


def _summarise(found: GuidelineTimes) -> str:
    """Return 'On an H200: row by row takes 8.0 times as long as antidiagonal by antidiagonal.'"""
    times = {row.milliseconds: row.variant for row in found.rows if row.milliseconds is not None}
    fastest, slowest = min(times), max(times)
    return f"On {found.device}: {times[slowest]} takes {slowest / fastest:.1f} times as long as {times[fastest]}."
