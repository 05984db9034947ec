"""PlaybackControls: step, play and jump over the ticks of a clock."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QSlider, QWidget

from antidiag.app.kit.boxes import row_of
from antidiag.app.kit.controls.widgets import tool_button

SPEEDS = (0.5, 1.0, 2.0, 4.0, 10.0, 25.0)
"""Steps per second."""
START_SPEED_INDEX = 2


class PlaybackControls(QWidget):
    """Buttons, slider and keys of a clock. ``tick_changed(tick)``: show another tick."""

    tick_changed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.slider, self.position_label, self.speed_box = QSlider(Qt.Orientation.Horizontal), QLabel(), QComboBox()
        self.slider.setAccessibleName("Step")
        self.speed_box.setAccessibleName("Speed")
        self.speed_box.setToolTip("Steps per second")
        for speed in SPEEDS:
            self.speed_box.addItem(f"{speed:g} / s", speed)
        self.timer = QTimer(self)
        self.timer.timeout.connect(self._advance_tick)
        self._play_button = tool_button("Play", "Play or pause (Space)", self.toggle_playing)
        row_of(
            tool_button("|\u25c0", "Go to the start (Home)", lambda: self.go_to(0)),
            tool_button("\u25c0", "One step back (Left)", lambda: self.move_by(-1)),
            self._play_button,
            tool_button("\u25b6", "One step forward (Right)", lambda: self.move_by(1)),
            tool_button("\u25b6|", "Go to the end (End)", lambda: self.go_to(self.slider.maximum())),
            (self.slider, 1),
            self.position_label,
            self.speed_box,
            parent=self,
        )
        self.speed_box.currentIndexChanged.connect(self._set_speed)
        self.slider.valueChanged.connect(self.tick_changed)
        self.speed_box.setCurrentIndex(START_SPEED_INDEX)
        self._set_speed()

    @property
    def tick(self) -> int:
        """The present tick."""
        return self.slider.value()

    @property
    def playing(self) -> bool:
        """Whether the clock runs."""
        return self.timer.isActive()

    def set_last(self, last: int, tick: int) -> None:
        """Set the last and the present tick without a signal."""
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, last)
            self.slider.setPageStep(max(last // 12, 1))
            self.slider.setValue(tick)

    def go_to(self, tick: int) -> None:
        """Go to a tick."""
        self.slider.setValue(tick)

    def move_by(self, ticks: int) -> None:
        """Pause, and move by so many ticks."""
        self.pause()
        self.go_to(self.tick + ticks)

    def toggle_playing(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def play(self) -> None:
        """Start playing, from the start again after the end."""
        if self.tick >= self.slider.maximum():
            self.go_to(0)
        self.timer.start()
        self._play_button.setText("Pause")

    def pause(self) -> None:
        """Stop playing."""
        self.timer.stop()
        self._play_button.setText("Play")

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.pause()

    def handle_key(self, key: Qt.Key) -> bool:
        """Handle a key, and return whether it has a meaning."""
        moves = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Period: 1, Qt.Key.Key_Comma: -1}
        if key == Qt.Key.Key_Space:
            self.toggle_playing()
        elif key in moves:
            self.move_by(moves[key])
        elif key == Qt.Key.Key_Home:
            self.go_to(0)
        elif key == Qt.Key.Key_End:
            self.go_to(self.slider.maximum())
        else:
            return False
        return True

    def _set_speed(self) -> None:
        self.timer.setInterval(round(1000 / self.speed_box.currentData()))

    def _advance_tick(self) -> None:
        if self.tick >= self.slider.maximum():
            self.pause()
        else:
            self.go_to(self.tick + 1)
