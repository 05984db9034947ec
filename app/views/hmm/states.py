"""StatesView: the path of a hidden Markov model over its sequence: heat map, trellis, and what the states stand for."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QTimer

from antidiag.app import theme
from antidiag.app.kit import result_text
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import where_width
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.letter_canvas import LetterCanvas
from antidiag.app.kit.painted_view import PaintedView
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Line, tool_button
from antidiag.app.views.hmm import states_data, states_paint
from antidiag.app.views.hmm.states_data import Stretch
from antidiag.app.views.hmm.states_paint import States
from antidiag.kernels.model import Result
from antidiag.kernels.text import counted

REST_MS = 40
SHADES = 9
MOST_LETTERS = 20
"""Letters around a place that one goes to."""
MOST_DIGITS = 18
"""Digits of a place that one goes to."""


class StatesView(PaintedView):
    """Rows are states, columns letters; far away shades, near by the trellis with its winners."""

    id = "states"
    title = "States"
    hint = "Wheel to zoom down to the trellis, drag to move; arrow keys and +, - do the same, F shows everything"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.states: States | None = None
        self.plane = LetterCanvas(self.draw, states_paint.NAMES)
        self._feature: int | None = None
        self._computing = Latest(self)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._where = Line(placeholderText="Go to letter")
        self._where.setAccessibleName("Go to letter")
        self._where.setFixedWidth(where_width(self._where))
        self.tools.addWidget(self._where)
        self.tools.addWidget(tool_button("Fit", "Show everything (F)", self.plane.fit))
        self.before = tool_button("Previous", "Go to the feature before", lambda: self.step(-1))
        self.after = tool_button("Next", "Go to the next feature", lambda: self.step(1))
        self.tools.addWidget(self.before)
        self.tools.addWidget(self.after)
        self.lay_out(self.plane)
        self._where.returnPressed.connect(lambda: self.go_to(self._where.text()))
        self._rest.timeout.connect(self._look)
        self.plane.moved.connect(self._on_moved)
        self.plane.pointed.connect(self._on_pointed)
        self.plane.clicked.connect(self._on_clicked)
        self._computing.finished.connect(self._take)
        self._computing.failed.connect(lambda error: self.say(f"This part could not be computed: {error}"))

    @classmethod
    def shows(cls, result: Result) -> bool:
        return states_data.shows(result)

    @property
    def sharp(self) -> bool:
        """Whether what is on the screen is computed for exactly what is visible."""
        return not self._rest.isActive() and not self._computing.busy

    def show_result(self, result: Result | None) -> None:
        """Show the states of a result, or nothing."""
        if result is not None and not self.shows(result):
            result = None
        self.result, self._feature = result, None
        self._computing.cancel()
        self.states = States(result, states_data.features_of(result)) if result else None
        self._tools.setEnabled(result is not None)
        for button in (self.before, self.after):
            button.setEnabled(bool(self.states and self.states.features))
        self.plane.show_sequence(result.problem.sequence if result else None)
        self._describe()
        self.say("")

    def draw(self, painter, area) -> None:
        if self.states is not None:
            states_paint.draw(painter, area, self.plane, self.states, theme.active())

    def go_to(self, text: str) -> bool:
        """Show the trellis around a letter, counted from 1; False where there is none."""
        word = text.replace(",", "").strip()
        good = word.isdecimal() and len(word) < MOST_DIGITS and 1 <= int(word) <= self.plane.length
        self._where.setProperty("wrong", not good)
        self._where.style().polish(self._where)
        if good:
            self._show_trellis(int(word) - 1)
        else:
            self.say(f"Type a letter from 1 to {self.plane.length:,}")
        return good

    def step(self, by: int) -> None:
        """Go to the next feature, or the one before: of the one shown by this last, or else of what is visible."""
        features, (low, high) = self.states.features, self.plane.span
        now = self._feature
        if now is not None and low <= features[now].start and features[now].end <= high:
            number = now + by
        elif by > 0:
            number = next((k for k, feature in enumerate(features) if feature.start >= low), len(features))
        else:
            number = next((k for k in reversed(range(len(features))) if features[k].end <= high), -1)
        if 0 <= number < len(features):
            self._feature, feature = number, features[number]
            margin = max((feature.end - feature.start) / 2, 5)
            self.plane.show_span(feature.start - margin, feature.end + margin)
            self.say(self._feature_text(feature))
        else:
            self.say("There is no feature " + ("after" if by > 0 else "before") + " this one")

    def _show_trellis(self, letter: int) -> None:
        """Show as many letters around this one as there is room for in the trellis, and not too many."""
        room = (self.plane.width() - states_paint.NAMES) / states_paint.ROOMY - 1
        half = min(int(room), MOST_LETTERS) // 2
        self.plane.show_span(letter - half, letter + half + 1)

    def _on_moved(self) -> None:
        if self.states is not None:
            self._rest.start()

    def _look(self) -> None:
        result, first, last = self.result, *self.plane.visible
        if result is None or last <= first or result.answer.states is None:
            return
        most = round(self.plane.width())
        self._computing.request(lambda monitor: states_data.stretch(result, (first, last), most, monitor))

    def _take(self, found: Stretch) -> None:
        self.states.stretch = found
        self.states.shades = states_paint.image(found, self.states)
        self._describe()
        self.plane.update()

    def _on_clicked(self, place: QPointF) -> None:
        letter = self.plane.letter_at(place.x())
        if letter is not None and not states_paint.shows_trellis(self.plane, self.states):
            self._show_trellis(letter)

    def _on_pointed(self, place: QPointF | None) -> None:
        if self.states is None:
            return
        letter = self.plane.letter_at(place.x()) if place is not None else None
        self.states.pointed = letter, states_paint.state_at(place.y(), self.plane, self.states) if place else None
        self.say(self._text(letter, self.states.pointed[1]) if letter is not None else "")
        self.plane.update()

    def _text(self, letter: int, state: int | None) -> str:
        """What is known of a letter and a state."""
        hmm, path = self.result.problem.hmm, self.result.answer.states
        parts = [f"letter {letter + 1:,}: {chr(self.result.problem.sequence.letters[letter])}"]
        if path is not None:
            parts.append(f"in state {hmm.states[path[letter]]}")
        number = self.states.feature_at(letter)
        if number is not None:
            parts.append(self._feature_text(self.states.features[number]))
        stretch = self.states.stretch
        column = stretch.column_of(letter) if stretch and state is not None else None
        if column is not None and stretch.by_letter:
            parts.append(self._state_text(stretch, column, state))
        return "   ".join(parts)

    def _state_text(self, stretch: Stretch, column: int, state: int) -> str:
        hmm, value = self.result.problem.hmm, float(stretch.values[state, column])
        if states_data.posterior_of(self.result) is not None:
            return f"{hmm.states[state]} has probability {value:.4g}"
        if not np.isfinite(value):
            return f"{hmm.states[state]} is impossible here"
        won = int(stretch.winners[column, state]) if stretch.winners is not None else -1
        before = f", reached best from {hmm.states[won]}" if won >= 0 else ""
        return f"{hmm.states[state]} costs {result_text.number(round(value, 3))} nats{before}"

    def _feature_text(self, feature: states_data.Feature) -> str:
        letters = counted(feature.end - feature.start, "letter")
        return f"{feature.label}: {feature.start + 1:,}\u2013{feature.end:,} ({letters})"

    def _describe(self) -> None:
        self.legend.show_items(tuple(self._items()) if self.states is not None else ())

    def _items(self) -> list[LegendItem]:
        colours, posterior = theme.active(), states_data.posterior_of(self.result)
        if self.result.answer.states is None:
            return []
        near = states_paint.shows_trellis(self.plane, self.states)
        shades = pg.colormap.get(states_paint.MAP).map(np.linspace(0, 1, SHADES), mode="qcolor")
        words = "probability 0 to 1" if posterior is not None else (
            f"a state that costs {states_data.FADED_NATS:g} nats more than the best of its letter, to the best"
        )  # fmt: skip
        found = [] if near else [LegendItem("gradient", words, tuple(shade.name() for shade in shades))]
        path = "most probable state" if posterior is not None else "path"
        found.append(LegendItem("line", path, (colours.path,)))
        if near:
            found.append(LegendItem("line", "best way to a state", (colours.boundary,)))
            above = " above that of the best state" if states_paint.shows_differences(self.states.stretch) else ""
            found.append(LegendItem("text", f"numbers: \u2212ln p of the best path to the state{above}"))
        for label, colour in self.states.label_colours(colours).items():
            found.append(LegendItem("fill", label, (colour,)))
        return found

    def restyle(self) -> None:
        super().restyle()
        self._describe()
