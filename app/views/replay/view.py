"""ReplayView: a run of any size played again over its table, as it was measured, slowed down."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QComboBox, QSlider, QVBoxLayout, QWidget

from app import texts, theme
from app.kit import export
from app.kit.background import Latest
from app.kit.flow import Flow, together
from app.kit.painted_view import Canvas
from app.kit.selection import Selection
from app.kit.widgets import Elided, tool_button
from app.views.replay import data
from app.views.replay.data import Replay
from kernels.model import Result

TICKS = 1000
"""Positions of the slider."""
TICK_MS = 40
SECONDS = (5.0, 10.0, 20.0, 60.0)
"""How long the whole run is played."""
CURVE = 0.16
FIGURE = QSize(1200, 800)
HINT = "Space plays; the curve below counts parts under way. All times are those that were measured."


class ReplayView(QWidget):
    """A table that fills as it was computed: lit where somebody is at work, in the colour of the worker where done."""

    id = "replay"
    title = "Replay"

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.replay: Replay | None = None
        self.slider, self.length = QSlider(Qt.Orientation.Horizontal), QComboBox()
        self.status, self.canvas = Elided(), Canvas(lambda painter, area: self.draw(painter, area))
        self._timer = QTimer(self, interval=TICK_MS)
        self._passed = 0.0
        self._work = Latest(self)
        self._lay_out()
        self._timer.timeout.connect(self._advance)
        self._work.finished.connect(self._take)
        self.slider.valueChanged.connect(self._tell)
        self.length.currentIndexChanged.connect(self._tell)
        theme.notifier.changed.connect(self.canvas.update)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return result.steps.count > 0

    @property
    def time_ns(self) -> float:
        """The time that is shown, since the start of the run."""
        if self.replay is None:
            return 0.0
        share = self.slider.value() / TICKS
        return self.replay.start_ns + share * (self.replay.end_ns - self.replay.start_ns)

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def show_result(self, result: Result | None) -> None:
        """Take the step log of a result; it is laid out on a thread."""
        self.pause()
        self.result = result if result is not None and self.shows(result) else None
        self.replay = None
        self.slider.setValue(0)
        self.canvas.update()
        if self.result is not None:
            steps = self.result.steps
            self.status.setText("Laying out the step log \u2026")
            self._work.request(lambda monitor: data.replay(steps))

    def play(self) -> None:
        """From here on, from the start again after the end."""
        if self.slider.value() >= TICKS:
            self.slider.setValue(0)
        self._passed = float(self.slider.value())
        self._timer.start()
        self._play.setText("Pause")

    def pause(self) -> None:
        self._timer.stop()
        self._play.setText("Play")

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """The table at the time that is shown, and the curve."""
        if self.replay is None:
            return
        line = painter.fontMetrics().height()
        curve = QRectF(area.left(), area.bottom() - CURVE * area.height(), area.width(), CURVE * area.height())
        room = area.adjusted(0, line + 4, 0, -CURVE * area.height() - 8)
        sheet = self.replay.sheet(self.time_ns)
        painter.setPen(QColor(theme.active().text))
        painter.drawText(QRectF(area.left(), area.top(), area.width(), line), Qt.AlignmentFlag.AlignVCenter,
                         self._told(sheet.phase))  # fmt: skip
        pixels = self._pixels(sheet)
        high, wide = pixels.shape
        image = QImage(pixels.data, wide, high, 4 * wide, QImage.Format.Format_RGB32)
        scale = min(room.width() / wide, room.height() / high)
        target = QRectF(0, 0, wide * scale, high * scale)
        target.moveCenter(room.center())
        painter.drawImage(target, image)
        painter.setPen(QColor(theme.active().border))
        painter.drawRect(target)
        self._draw_curve(painter, curve)

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """Title and picture, for a file."""
        line = painter.fontMetrics().height()
        painter.setPen(QColor(theme.active().text))
        painter.drawText(QRectF(8, 4, area.width() - 16, line), texts.stamp(self.result) if self.result else "")
        self.draw(painter, area.adjusted(8, line + 10, -8, -8))

    def save(self) -> None:
        """Ask for a file and write the picture of this moment."""
        export.ask_and_save(self, self.id, FIGURE, self.draw_figure, texts.stamp(self.result) if self.result else "")

    def copy(self) -> None:
        export.copy(FIGURE, self.draw_figure)

    def keyPressEvent(self, event) -> None:
        keys = {Qt.Key.Key_Left: -10, Qt.Key.Key_Right: 10}
        if event.key() == Qt.Key.Key_Space:
            self._toggle()
        elif Qt.Key(event.key()) in keys:
            self.slider.setValue(self.slider.value() + keys[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.pause()

    def _pixels(self, sheet: data.Sheet) -> np.ndarray:
        """Colours (ARGB) of all places, uint32."""
        active = theme.active()
        palette = np.array([QColor(colour).rgba() for colour in active.series], np.uint32)
        states = sheet.states(self.time_ns)
        found = np.full(states.shape, QColor(active.hover).rgba(), np.uint32)
        done = states == 2
        found[done] = palette[sheet.worker[done] % len(palette)]
        found[states == 1] = QColor(active.recomputed).rgba()
        return np.ascontiguousarray(found)

    def _told(self, phase: int) -> str:
        assert self.replay is not None
        span = self.replay.end_ns - self.replay.start_ns
        now = self.time_ns
        passed = (now - self.replay.start_ns) / 1e6
        return (
            f"Phase {phase}, {passed:,.3f} of {span / 1e6:,.3f} ms: {self.replay.busy(now):,} of "
            f"{self.replay.workers.size:,} workers at work, {self.replay.done(now):,} of "
            f"{self.replay.events.size:,} parts done"
        )

    def _draw_curve(self, painter: QPainter, area: QRectF) -> None:
        assert self.replay is not None
        counts = self.replay.curve(max(int(area.width() / 2), 10))
        top = max(float(counts.max()), 1.0)
        outline = QPolygonF([area.bottomLeft()])
        for at, count in enumerate(counts.tolist()):
            for edge in (at, at + 1):
                x = area.left() + edge * area.width() / counts.size
                outline.append(QPointF(x, area.bottom() - count / top * area.height()))
        outline.append(area.bottomRight())
        painter.fillRect(area, QColor(theme.active().hover))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.active().boundary))
        painter.drawPolygon(outline)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        x = area.left() + self.slider.value() / TICKS * area.width()
        painter.setPen(QPen(QColor(theme.active().recomputed), 3))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _take(self, found: Replay | None) -> None:
        self.replay = found
        self._tell()

    def _tell(self) -> None:
        if self.replay is None:
            self.status.setText("" if self.result is None else "This log has no parts of a table to show")
        else:
            span = max(self.replay.end_ns - self.replay.start_ns, 1)
            slower = self.length.currentData() * 1e9 / span
            words = f"{slower:,.0f} times slower" if slower >= 1 else f"{1 / slower:,.1f} times faster"
            self.status.setText(f"Played {words} than it ran. {HINT}")
        self.canvas.update()

    def _toggle(self) -> None:
        if self.playing:
            self.pause()
        else:
            self.play()

    def _advance(self) -> None:
        self._passed += TICKS * TICK_MS / 1000 / self.length.currentData()
        self.slider.setValue(min(math.floor(self._passed), TICKS))
        if self.slider.value() >= TICKS:
            self.pause()

    def _lay_out(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.slider.setRange(0, TICKS)
        self.slider.setAccessibleName("Time")
        self.length.setAccessibleName("Length")
        for seconds in SECONDS:
            self.length.addItem(f"in {seconds:g} s", seconds)
        self.length.setCurrentIndex(1)
        self.slider.setMinimumWidth(240)
        self._play = tool_button("Play", "Play the run, or pause (Space)", self._toggle)
        holder = QWidget()
        tools = Flow(holder)
        tools.addWidget(together(self._play, self.slider, self.length))
        tools.addWidget(tool_button("Copy", "Copy the picture", self.copy))
        tools.addWidget(tool_button("Save\u2026", "Save the picture of this moment as PNG, SVG or PDF", self.save))
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        for widget, stretch in ((holder, 0), (self.canvas, 1), (self.status, 0)):
            box.addWidget(widget, stretch)
