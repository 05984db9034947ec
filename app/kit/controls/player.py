"""The player of all that is stepped through or played: animations, joins, orders, growing trees, recorded runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QSlider, QWidget

from antidiag.app.kit.boxes import row_of
from antidiag.app.kit.controls.widgets import tool_button

FRAME_MS = 33
SPEEDS = (0.5, 1.0, 2.0, 4.0, 10.0, 25.0)  # positions per second
STEP_KEYS = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Period: 1, Qt.Key.Key_Comma: -1}


class Player(QWidget):
    """A slider over positions from 0, playback, and keys. ``moved``: the position or the speed changed.

    A ``fluid`` player also stops between whole positions, and skips some where the computer is slow; another one shows
    every position. ``stride``: positions that an arrow key moves. While ``is_ready()`` is false, playing waits.
    """

    moved = Signal()

    def __init__(self, name: str, step_buttons: bool = True, fluid: bool = False, stride: int = 1) -> None:
        super().__init__()
        self.position, self._fluid, self._stride = 0.0, fluid, stride
        self.is_ready: Callable[[], bool] = lambda: True
        self.slider, self.label, self.speed_box = QSlider(Qt.Orientation.Horizontal), QLabel(), QComboBox()
        self.slider.setAccessibleName(name)
        self.speed_box.setAccessibleName("Speed")
        self._clock, self._shown_s = QTimer(self, interval=FRAME_MS), 0.0
        self.play_button = tool_button("Play", "Play or pause (Space)", self.toggle_playing)
        before = (
            tool_button("|\u25c0", "Go to the start (Home)", self.go_to_start),
            tool_button("\u25c0", "One step back (Left)", lambda: self.move_by(-1)),
        )
        after = (
            tool_button("\u25b6", "One step forward (Right)", lambda: self.move_by(1)),
            tool_button("\u25b6|", "Go to the end (End)", self.go_to_end),
        )
        buttons = (*before, self.play_button, *after) if step_buttons else (self.play_button,)
        row_of(*buttons, (self.slider, 1), self.label, self.speed_box, parent=self)
        self.offer_speeds({f"{speed:g} / s": speed for speed in SPEEDS}, SPEEDS.index(2.0))
        self._clock.timeout.connect(self._show_next_frame)
        self.slider.valueChanged.connect(self.go_to)
        self.speed_box.currentIndexChanged.connect(self.moved)

    @property
    def step(self) -> int:
        """The whole position that is shown."""
        return int(self.position)

    @property
    def last(self) -> int:
        """The last position."""
        return self.slider.maximum()

    @property
    def is_playing(self) -> bool:
        """Whether the position moves on by itself."""
        return self._clock.isActive()

    @property
    def speed(self) -> float:
        """Positions per second."""
        return self.speed_box.currentData()

    def offer_speeds(self, speeds: Mapping[str, float], chosen: int = 0) -> None:
        """Offer speeds in positions per second by label; a single one needs no list."""
        with QSignalBlocker(self.speed_box):
            self.speed_box.clear()
            for label, speed in speeds.items():
                self.speed_box.addItem(label, speed)
            self.speed_box.setCurrentIndex(chosen)
        self.speed_box.setVisible(len(speeds) > 1)

    def set_last(self, last: int, position: float) -> None:
        """Set the last and the present position without a signal."""
        with QSignalBlocker(self.slider), QSignalBlocker(self):
            self.slider.setRange(0, last)
            self.slider.setPageStep(max(last // 12, 1))
            self.go_to(position)

    def go_to(self, position: float) -> None:
        """Go to a position."""
        before, self.position = self.position, min(max(float(position), 0.0), float(self.last))
        with QSignalBlocker(self.slider):
            self.slider.setValue(self.step)
        if self.position != before and (self._fluid or self.step != int(before)):
            self.moved.emit()

    def go_to_start(self) -> None:
        """Stop at the start."""
        self.pause()
        self.go_to(0)

    def go_to_end(self) -> None:
        """Stop at the end."""
        self.pause()
        self.go_to(self.last)

    def move_by(self, steps: int) -> None:
        """Pause, and go so many whole positions on or back."""
        self.pause()
        self.go_to(self.step + steps)

    def play(self) -> None:
        """Play from here, or from the start if the end is reached."""
        if self.position >= self.last:
            self.go_to(0)
        self._shown_s = time.monotonic()
        self._clock.start()
        self.play_button.setText("Pause")

    def pause(self) -> None:
        """Stop playing."""
        self._clock.stop()
        self.play_button.setText("Play")

    def toggle_playing(self) -> None:
        """Play or pause."""
        if self.is_playing:
            self.pause()
        else:
            self.play()

    def advance(self, seconds: float) -> None:
        """Play for a time."""
        steps = seconds * self.speed
        self.go_to(self.position + (steps if self._fluid else min(steps, 1.0)))
        if self.position >= self.last:
            self.pause()

    def handle_key(self, key: Qt.Key) -> bool:
        """Handle Space, arrow keys, Home and End; return whether the key was used."""
        if key == Qt.Key.Key_Space:
            self.toggle_playing()
        elif key in STEP_KEYS:
            self.move_by(STEP_KEYS[key] * self._stride)
        elif key == Qt.Key.Key_Home:
            self.go_to_start()
        elif key == Qt.Key.Key_End:
            self.go_to_end()
        else:
            return False
        return True

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.pause()

    def _show_next_frame(self) -> None:
        now = time.monotonic()
        passed, self._shown_s = now - self._shown_s, now
        if self.is_ready():
            self.advance(passed)
