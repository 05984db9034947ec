"""A player for the time of replayed runs: slider, keys, and playback."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSlider, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import tool_button

TICKS = 1000  # positions of the slider
TICK_MS = 40
SECONDS = (5.0, 10.0, 20.0, 60.0)  # choices for the duration of the whole playback


class ReplayPlayer(QWidget):
    """Plays a ``share`` of the whole, 0 to 1; ``moved`` follows a change of time or speed."""

    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.slider, self.length = QSlider(Qt.Orientation.Horizontal), QComboBox()
        self._timer = QTimer(self, interval=TICK_MS)
        self._passed = 0.0
        self._timer.timeout.connect(self.advance_time)
        self.slider.setRange(0, TICKS)
        self.slider.setAccessibleName("Time")
        self.slider.setMinimumWidth(240)
        self.length.setAccessibleName("Length")
        for seconds in SECONDS:
            self.length.addItem(f"in {seconds:g} s", seconds)
        self.length.setCurrentIndex(1)
        self._play = tool_button("Play", "Play the run, or pause (Space)", self.toggle_playing)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.SPACING)
        for widget, stretch in ((self._play, 0), (self.slider, 1), (self.length, 0)):
            box.addWidget(widget, stretch)
        self.slider.valueChanged.connect(self.moved)
        self.length.currentIndexChanged.connect(self.moved)

    @property
    def share(self) -> float:
        """The position of the slider, from 0 to 1."""
        return self.slider.value() / TICKS

    @property
    def playing(self) -> bool:
        """Whether the replay is playing."""
        return self._timer.isActive()

    def speed_text(self, span_ns: float) -> str:
        """Return "Played 5,000 times slower than it ran." for a whole of this duration."""
        times = self.length.currentData() * 1e9 / max(span_ns, 1)
        words = f"{times:,.0f} times slower" if times >= 1 else f"{1 / times:,.1f} times faster"
        return f"Played {words} than it ran."

    def start_playing(self) -> None:
        """Play from here; from the start if at the end."""
        if self.slider.value() >= TICKS:
            self.slider.setValue(0)
        self._passed = float(self.slider.value())
        self._timer.start()
        self._play.setText("Pause")

    def pause_playing(self) -> None:
        """Pause the replay."""
        self._timer.stop()
        self._play.setText("Play")

    def toggle_playing(self) -> None:
        """Start or pause the replay."""
        if self.playing:
            self.pause_playing()
        else:
            self.start_playing()

    def go_to_end(self) -> None:
        """Stop at the end."""
        self.pause_playing()
        self.slider.setValue(TICKS)

    def go_to_start(self) -> None:
        """Stop at the start."""
        self.pause_playing()
        self.slider.setValue(0)

    def advance_time(self) -> None:
        """Advance by one timer tick."""
        self._passed += TICKS * TICK_MS / 1000 / self.length.currentData()
        self.slider.setValue(min(math.floor(self._passed), TICKS))
        if self.slider.value() >= TICKS:
            self.pause_playing()

    def handle_key(self, key: Qt.Key) -> bool:
        """Handle Space, arrow keys, Home and End; return whether the key was used."""
        moves = {Qt.Key.Key_Left: -10, Qt.Key.Key_Right: 10, Qt.Key.Key_Home: -TICKS, Qt.Key.Key_End: TICKS}
        if key == Qt.Key.Key_Space:
            self.toggle_playing()
        elif key in moves:
            self.slider.setValue(self.slider.value() + moves[key])
        else:
            return False
        return True

    def hideEvent(self, event) -> None:
        super().hideEvent(event)
        self.pause_playing()
