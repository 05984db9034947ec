"""The player of recorded runs: the whole run is played in a chosen number of seconds."""

from __future__ import annotations

from collections.abc import Sequence

from antidiag.app.kit.controls.player import Player

TICKS = 1000  # positions of the slider
SECONDS = (5.0, 10.0, 20.0, 60.0)  # choices for the duration of the whole playback


class ReplayPlayer(Player):
    """Plays a ``share`` of the whole, 0 to 1."""

    def __init__(self, seconds: Sequence[float] = SECONDS) -> None:
        super().__init__("Time", step_buttons=False, fluid=True, stride=10)
        self.slider.setMinimumWidth(240)
        self.speed_box.setAccessibleName("Length")
        self.set_last(TICKS, 0)
        self.offer_speeds({f"in {length:g} s": TICKS / length for length in seconds}, chosen=1)

    @property
    def share(self) -> float:
        """The share of the run that has been played."""
        return self.position / TICKS

    def speed_text(self, span_ns: float) -> str:
        """Return "Played 5,000 times slower than it ran." for a run of this duration."""
        times = TICKS / self.speed * 1e9 / max(span_ns, 1)
        words = f"{times:,.0f} times slower" if times >= 1 else f"{1 / times:,.1f} times faster"
        return f"Played {words} than it ran."
