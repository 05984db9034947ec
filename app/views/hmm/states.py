"""StatesView: the state path of a hidden Markov model over its sequence, as heat map, trellis and features."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QTimer

from antidiag.app import theme
from antidiag.app.kit.canvas.letter_canvas import LetterCanvas
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.flow_layouts import go_to_width
from antidiag.app.kit.controls.widgets import UndoLineEdit, tool_button
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.focus import mark_search_field
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.hmm import states_drawing
from antidiag.app.views.hmm.states_drawing import DrawnStates
from antidiag.kernels.hmm import state_columns
from antidiag.kernels.hmm.state_columns import StateColumns
from antidiag.kernels.model import Result
from antidiag.kernels.text import format_count

REST_MS = 40
MOST_LETTERS = 20  # most letters of the trellis after Go to letter
MOST_DIGITS = 18  # of a position


class StatesView(PaintedView):
    """Rows are states, columns are letters: shades when zoomed out, the trellis with its winners when zoomed in."""

    id = "states"
    title = "States"
    hint = "Wheel to zoom down to the trellis, drag to move; arrow keys and +, - do the same, F shows everything"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.states: DrawnStates | None = None
        self.plane = LetterCanvas(self.draw, states_drawing.NAMES)
        self._feature: int | None = None
        self._computing = LatestTask(self, self._show_stretch)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._letter_field = UndoLineEdit(placeholderText="Go to letter")
        mark_search_field(self._letter_field)
        self._letter_field.setAccessibleName("Go to letter")
        self._letter_field.setFixedWidth(go_to_width(self._letter_field))
        fit = tool_button("Fit", "Show everything (F)", self.plane.show_all)
        self.previous_button = tool_button("Previous", "Go to the previous feature", lambda: self.step_feature(-1))
        self.next_button = tool_button("Next", "Go to the next feature", lambda: self.step_feature(1))
        for tool in (self._letter_field, fit, self.previous_button, self.next_button):
            self.tools.addWidget(tool)
        self.build_layout(self.plane)
        self.view_state.keep_place("span", self.plane.list_span, self.plane.restore_span)
        self._letter_field.returnPressed.connect(lambda: self.go_to(self._letter_field.text()))
        self._rest.timeout.connect(self._compute_visible)
        self.plane.moved.connect(self._on_moved)
        self.plane.pointed.connect(self._on_pointed)
        self.plane.clicked.connect(self._on_clicked)
        self._computing.failed.connect(
            lambda error: self.show_status(f"The visible part could not be computed: {error}")
        )

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return state_columns.shows_states(result)

    @property
    def sharp(self) -> bool:
        """Whether the picture on the screen was computed for the visible part."""
        return not self._rest.isActive() and not self._computing.busy

    def show_result(self, result: Result | None) -> None:
        """Show the states of a result, or nothing."""
        result = result if result is not None and self.shows(result) else None
        self.result, self._feature = result, None
        self._computing.cancel()
        self.states = DrawnStates(result, state_columns.find_features(result)) if result else None
        self._tools.setEnabled(result is not None)
        for button in (self.previous_button, self.next_button):
            button.setEnabled(bool(self.states and self.states.features))
        self.plane.show_sequence(result.problem.sequence if result else None)
        self._update_legend()
        self.show_status("")

    def draw(self, painter, area) -> None:
        """Draw the visible states."""
        if self.states is not None:
            states_drawing.draw_states(painter, area, self.plane, self.states, theme.active())

    def go_to(self, text: str) -> bool:
        """Show the trellis around a letter, counted from 1. Return False if there is no such letter."""
        word = text.replace(",", "").strip()
        good = word.isdecimal() and len(word) < MOST_DIGITS and 1 <= int(word) <= self.plane.letter_count
        self._letter_field.setProperty("wrong", not good)
        self._letter_field.style().polish(self._letter_field)
        if good:
            self._show_trellis(int(word) - 1)
        else:
            self.show_status(f"Type a letter from 1 to {self.plane.letter_count:,}")
        return good

    def step_feature(self, by: int) -> None:
        """Go to the next or previous feature, seen from the last feature shown, else from the visible part."""
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
            self.show_status(self._feature_text(feature))
        else:
            self.show_status("There is no " + ("next" if by > 0 else "previous") + " feature")

    def _show_trellis(self, letter: int) -> None:
        room = (self.plane.width() - states_drawing.NAMES) / states_drawing.READABLE_WIDTH - 1
        half = min(int(room), MOST_LETTERS) // 2
        self.plane.show_span(letter - half, letter + half + 1)

    def _on_moved(self) -> None:
        if self.states is not None:
            self._rest.start()

    def _compute_visible(self) -> None:
        result, first, last = self.result, *self.plane.visible_range
        if result is None or last <= first or result.answer.states is None:
            return
        most = round(self.plane.width())
        self._computing.request(lambda monitor: state_columns.compute_columns(result, (first, last), most, monitor))

    def _show_stretch(self, found: StateColumns) -> None:
        self.states.columns = found
        self.states.shades = states_drawing.shade_image(found)
        self._update_legend()
        self.plane.update()

    def _on_clicked(self, place: QPointF) -> None:
        letter = self.plane.letter_at(place.x())
        if letter is not None and not states_drawing.shows_trellis(self.plane, self.states):
            self._show_trellis(letter)

    def _on_pointed(self, place: QPointF | None) -> None:
        if self.states is None:
            return
        letter = self.plane.letter_at(place.x()) if place is not None else None
        self.states.pointed = letter, states_drawing.state_at(place.y(), self.plane, self.states) if place else None
        self.show_status(self._letter_text(letter, self.states.pointed[1]) if letter is not None else "")
        self.plane.update()

    def _letter_text(self, letter: int, state: int | None) -> str:
        hmm, path = self.result.problem.hmm, self.result.answer.states
        parts = [f"letter {letter + 1:,}: {chr(self.result.problem.sequence.letters[letter])}"]
        if path is not None:
            parts.append(f"in state {hmm.states[path[letter]]}")
        number = self.states.feature_at(letter)
        if number is not None:
            parts.append(self._feature_text(self.states.features[number]))
        stretch = self.states.columns
        column = stretch.column_of(letter) if stretch and state is not None else None
        if column is not None and stretch.by_letter:
            parts.append(self._state_text(stretch, column, state))
        return "   ".join(parts)

    def _state_text(self, stretch: StateColumns, column: int, state: int) -> str:
        hmm, value = self.result.problem.hmm, float(stretch.values[state, column])
        if state_columns.posterior_of(self.result) is not None:
            return f"{hmm.states[state]} has probability {value:.4g}"
        if not np.isfinite(value):
            return f"{hmm.states[state]} is impossible here"
        won = int(stretch.winners[column, state]) if stretch.winners is not None else -1
        before = f", best predecessor {hmm.states[won]}" if won >= 0 else ""
        return f"{hmm.states[state]} costs {result_text.format_number(round(value, 3))} nats{before}"

    def _feature_text(self, feature: state_columns.Feature) -> str:
        letters = format_count(feature.end - feature.start, "letter")
        return f"{feature.label}: {feature.start + 1:,}\u2013{feature.end:,} ({letters})"

    def _update_legend(self) -> None:
        self.legend.show_items(tuple(self._legend_items()) if self.states is not None else ())

    def _legend_items(self) -> list[LegendItem]:
        colours, posterior = theme.active(), state_columns.posterior_of(self.result)
        if self.result.answer.states is None:
            return []
        near = states_drawing.shows_trellis(self.plane, self.states)
        worst = f"cost {state_columns.FADED_NATS:g} nats above the best state of the letter, to the best"
        words = "probability 0 to 1" if posterior is not None else worst
        found = [] if near else [LegendItem("gradient", words, heat_map.legend_colours(states_drawing.MAP))]
        path = "most probable state" if posterior is not None else "path"
        found.append(LegendItem("line", path, (colours.path,)))
        if near:
            found.append(LegendItem("line", "best predecessor", (colours.boundary,)))
            above = " minus that of the best state" if states_drawing.shows_differences(self.states.columns) else ""
            found.append(LegendItem("text", f"numbers: \u2212ln p of the best path to the state{above}"))
        for label, colour in self.states.label_colours(colours).items():
            found.append(LegendItem("fill", label, (colour,)))
        return found

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        super().apply_theme()
        self._update_legend()
