"""Transport: forward, back, play at a speed, and jump, over the ticks of a clock."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSlider, QWidget

from antidiag.app import theme
from antidiag.app.kit.widgets import tool_button

SPEEDS = (0.5, 1.0, 2.0, 4.0, 10.0, 25.0)
"""Steps a second."""
START_SPEED = 2


class Transport(QWidget):
    """``ticked(tick)``: another tick is to be shown."""

    ticked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.slider, self.place, self.speed = QSlider(Qt.Orientation.Horizontal), QLabel(), QComboBox()
        self.slider.setAccessibleName("Step")
        self.speed.setAccessibleName("Speed")
        self.speed.setToolTip("How many steps a second are played")
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g} a second", speed)
        self.timer = QTimer(self)
        self.timer.timeout.connect(self._advance)
        self._play = tool_button("Play", "Play, or pause (Space)", self.toggle)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.SPACING)
        for text, tip, to in (
            ("|\u25c0", "To the beginning (Home)", lambda: self.go(0)),
            ("\u25c0", "A step back (Left)", lambda: self.move_by(-1)),
        ):
            row.addWidget(tool_button(text, tip, to))
        row.addWidget(self._play)
        for text, tip, to in (
            ("\u25b6", "A step on (Right)", lambda: self.move_by(1)),
            ("\u25b6|", "To the end (End)", lambda: self.go(self.slider.maximum())),
        ):
            row.addWidget(tool_button(text, tip, to))
        row.addWidget(self.slider, 1)
        row.addWidget(self.place)
        row.addWidget(self.speed)
        self.speed.currentIndexChanged.connect(self._set_speed)
        self.slider.valueChanged.connect(self.ticked)
        self.speed.setCurrentIndex(START_SPEED)
        self._set_speed()

    @property
    def tick(self) -> int:
        return self.slider.value()

    @property
    def playing(self) -> bool:
        return self.timer.isActive()

    def set_last(self, last: int, tick: int) -> None:
        """There are so many ticks; show this one, without saying so."""
        self.slider.blockSignals(True)
        self.slider.setRange(0, last)
        self.slider.setPageStep(max(last // 12, 1))
        self.slider.setValue(tick)
        self.slider.blockSignals(False)

    def go(self, tick: int) -> None:
        self.slider.setValue(tick)

    def move_by(self, ticks: int) -> None:
        self.pause()
        self.go(self.tick + ticks)

    def toggle(self) -> None:
        if self.playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Step on by itself, from the beginning again after the end."""
        if self.tick >= self.slider.maximum():
            self.go(0)
        self.timer.start()
        self._play.setText("Pause")

    def pause(self) -> None:
        self.timer.stop()
        self._play.setText("Play")

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.pause()

    def key(self, key: Qt.Key) -> bool:
        """Do what a key asks for; whether it asks for anything."""
        moves = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Period: 1, Qt.Key.Key_Comma: -1}
        if key == Qt.Key.Key_Space:
            self.toggle()
        elif key in moves:
            self.move_by(moves[key])
        elif key == Qt.Key.Key_Home:
            self.go(0)
        elif key == Qt.Key.Key_End:
            self.go(self.slider.maximum())
        else:
            return False
        return True

    def _set_speed(self) -> None:
        self.timer.setInterval(round(1000 / self.speed.currentData()))

    def _advance(self) -> None:
        if self.tick >= self.slider.maximum():
            self.pause()
        else:
            self.go(self.tick + 1)
