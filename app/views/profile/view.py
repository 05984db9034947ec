"""ProfileView: the frequency of each symbol in each column as a logo, a heat map, and a table."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QComboBox, QMenu, QStackedWidget

from antidiag.app import texts
from antidiag.app.kit import ask
from antidiag.app.kit.canvas.letter_canvas import LetterCanvas
from antidiag.app.kit.canvas.painted_view import PaintedView
from antidiag.app.kit.controls.widgets import add_check_action, add_choice_section, menu_button, tool_button
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.painting import heat_map
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.profile import profile_drawing
from antidiag.app.views.profile.profile_drawing import DrawnProfile
from antidiag.app.views.profile.table import FrequencyTable
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.profiles import profile_files
from antidiag.kernels.profiles.column_scores import sequence_logo
from antidiag.kernels.profiles.problem import ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.profiles.profile import Profile

PARTS = {"logo": "Logo", "heat": "Heat map", "numbers": "Numbers in cells"}
FILE_FILTERS = {".json": "Whole profile (*.json)", ".csv": "Frequencies as a table (*.csv)"}
HINT = "Wheel to zoom, drag to move, F to show all; click a column to see it in the table"
MOST_IMMEDIATE = 1 << 20  # letters; the profile of a larger alignment is computed on a thread
Problem = ProfileProblem | ProfileSequenceProblem


class ProfileView(PaintedView):
    """A profile from a file, the profile of an alignment, or the profiles that a run aligned."""

    id = "profile"
    title = "Profile"
    profile_wanted = Signal(object)

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.shown: DrawnProfile | None = None
        self.alignment: AlignedSequences | None = None
        self._parts, self._map = set(PARTS), "viridis"
        self.columns, self.table = LetterCanvas(self._draw_page, profile_drawing.LEFT), FrequencyTable()
        self.pages, self.profile_choice = QStackedWidget(), QComboBox()
        self._making = LatestTask(self, self.show_profile, lambda error: self.status.setText(str(error)))
        self._build()
        self.columns.pointed.connect(self._on_point)
        self.columns.clicked.connect(self._on_click)
        self.profile_choice.activated.connect(lambda: self._show_chosen())
        self.show_profile(None)
        self._keep_state()

    @property
    def has_content(self) -> bool:
        """Whether a profile is shown."""
        return self.shown is not None

    def _keep_state(self) -> None:
        state = self.view_state
        for name, action in self._actions.items():
            state.keep_check(name, action)
        state.keep_attribute("_map", self, self.set_map, self.map_menu)
        state.keep_check("table", self.table_button)
        state.keep_place("profile", self.profile_choice.currentIndex, self._restore_profile)
        state.keep_place("span", self.columns.list_span, self.columns.restore_span)
        state.keep_scrolling(self.table)

    def _restore_profile(self, number: int) -> None:
        if 0 <= number < self.profile_choice.count() and number != self.profile_choice.currentIndex():
            self.profile_choice.setCurrentIndex(number)
            self._show_chosen()

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return isinstance(result.problem, Problem)

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        """Return whether the view can show data."""
        return profile_files.PROFILE.accepts(datum)

    @property
    def sharp(self) -> bool:
        """Whether the profile is computed."""
        return not self._making.busy

    def show_result(self, result: Result | None) -> None:
        """Show the profiles of a result, one at a time, or nothing."""
        shown = result if result is not None and self.shows(result) else None
        if shown is self.result and shown is not None:
            return
        self._making.cancel()
        self.result, self.alignment = shown, None
        self._list_profiles(shown.problem.profiles if shown else ())
        self.show_profile(shown.problem.profiles[0] if shown else None)

    def show_datum(self, datum: Profile | AlignedSequences) -> None:
        """Show a profile that no run made, or the profile of an alignment."""
        self._making.cancel()
        self.result = None
        self.alignment = datum if isinstance(datum, AlignedSequences) else None
        self._list_profiles(())
        if self.alignment is None or self.alignment.letters.size <= MOST_IMMEDIATE:
            self.show_profile(profile_files.PROFILE.convert_datum(datum))
        else:
            self.show_profile(None)
            self._count_columns()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._count_columns()

    def _count_columns(self) -> None:
        """Compute the profile of a large alignment on a thread, once the view is visible."""
        alignment = self.alignment
        if alignment is not None and self.shown is None and self.isVisible() and not self._making.busy:
            self.status.setText("Computing the profile\u2026")
            self._making.request(lambda monitor: profile_files.PROFILE.convert_datum(alignment))

    def show_profile(self, profile: Profile | None) -> None:
        """Show a profile, or nothing."""
        self.shown = DrawnProfile(profile, self._parts, self._map) if profile is not None else None
        self._tools.setEnabled(profile is not None)
        self.make_action.setVisible(self.alignment is not None)
        self.table.frequency_model.show_profile(profile)
        consensus = profile.consensus.encode("ascii") if profile is not None else b""
        self.columns.show_sequence(Sequence(profile.name, consensus, profile.type) if profile is not None else None)
        self._update_legend()
        self._show_status(None)
        self.view_state.resume()

    def turn_to_table(self, on: bool) -> None:
        """Show the table, or the picture."""
        self.pages.setCurrentIndex(int(on))
        self.table_button.setChecked(on)
        self._update_legend()
        self._show_status(None)

    def set_part(self, name: str, on: bool) -> None:
        """Show or hide the logo, the heat map or its numbers; logo or heat map is always shown."""
        (self._parts.add if on else self._parts.discard)(name)
        if not self._parts & {"logo", "heat"}:
            other = "heat" if name == "logo" else "logo"
            self._actions[other].setChecked(True)
        self.apply_theme()

    def set_map(self, name: str) -> None:
        """Use another colour map."""
        self._map = name
        if self.shown is not None:
            self.shown.map_name = name
        self.apply_theme()

    def draw(self, painter: QPainter, area: QRectF) -> None:
        """Draw the visible columns, for a figure."""
        self._draw_columns(painter, area, pointer=False)

    def copy(self) -> None:
        """Copy the figure to the clipboard, or the selected cells of the table, or all of it."""
        if self.pages.currentIndex():
            self.table.copy_cells()
            self.status.setText("Copied the table.")
        else:
            super().copy()
            self.status.setText("Copied the figure.")

    def copy_table(self) -> None:
        """Copy all frequencies to the clipboard, for a spreadsheet."""
        self.table.clearSelection()
        self.table.copy_cells()
        self.status.setText("Copied the table.")

    @property
    def named_subject(self) -> Any:
        """The result, the alignment or the profile that files are named after."""
        return self.result or self.alignment or (self.shown.profile if self.shown is not None else None)

    def save_profile(self) -> None:
        """Ask for a file and write the profile; show the error on failure."""
        name = ask.suggest_name(self.shown.profile, "profile") + ".json"
        path = ask.save_path(self, "Save profile", name, ";;".join(FILE_FILTERS.values()), FILE_FILTERS)
        if path is not None and ask.run_with_warning(
            self, "Save profile", lambda: profile_files.write_profile(path, self.shown.profile)
        ):
            self.status.setText(f"Saved {path}")

    def sizeHint(self) -> QSize:
        return QSize(800, 600)

    def _build(self) -> None:
        self.show_menu, self.map_menu, self.save_menu = (QMenu(self) for _ in range(3))
        self._actions = {
            name: add_check_action(self.show_menu, text, True, partial(self.set_part, name))
            for name, text in PARTS.items()
        }
        add_choice_section(self.map_menu, "Colour map", heat_map.COLOUR_MAPS, self._map, self.set_map)
        self.save_menu.addAction("Profile as JSON or CSV\u2026", self.save_profile)
        self.save_menu.addSeparator()
        self.make_action = self.save_menu.addAction(
            "Make a profile with weights\u2026", lambda: self.profile_wanted.emit(self.alignment)
        )
        self.profile_choice.setAccessibleName("Profile")
        self.table_button = tool_button("Table", "Frequencies as numbers")
        self.table_button.setCheckable(True)
        self.table_button.toggled.connect(self.turn_to_table)
        for tool in (
            self.profile_choice,
            self.table_button,
            tool_button("Fit", "Show all columns (F)", self.columns.show_all),
            menu_button("Show", "Show or hide logo, heat map and numbers", self.show_menu),
            menu_button("Colours", "Colour map", self.map_menu),
            tool_button("Copy table", "Copy all frequencies for a spreadsheet", self.copy_table),
            menu_button("Save profile", "Save the profile, or compute one with row weights", self.save_menu),
        ):
            self.tools.addWidget(tool)
        self.pages.addWidget(self.columns)
        self.pages.addWidget(self.table)
        self.build_layout(self.pages)

    def _list_profiles(self, profiles: tuple[Profile, ...]) -> None:
        """List the profiles of a result; hide the list where there is only one."""
        self.profile_choice.clear()
        for place, profile in zip(("first", "second"), profiles, strict=False):
            self.profile_choice.addItem(f"{texts.shorten_name(profile.name)} ({place})", profile)
        self.profile_choice.setVisible(self.profile_choice.count() > 1)

    def _show_chosen(self) -> None:
        if self.result is not None:
            self.show_profile(self.result.problem.profiles[self.profile_choice.currentIndex()])

    def figure_title(self) -> str:
        """Return the title of an exported figure."""
        return f"{self.shown.profile.name} \N{MIDDLE DOT} {self.shown.profile.summary}" if self.shown else ""

    def _draw_page(self, painter: QPainter, area: QRectF) -> None:
        self._draw_columns(painter, area, pointer=True)

    def _draw_columns(self, painter: QPainter, area: QRectF, pointer: bool) -> None:
        if self.shown is not None:
            self.columns.draw_ruler(painter, area.top())
            profile_drawing.draw_profile(painter, self.columns, self.shown, area.height(), pointer)

    def _update_legend(self) -> None:
        if self.shown is None:
            self.legend.show_items(())
            return
        items = [LegendItem("text", self.shown.profile.summary)]
        if not self.pages.currentIndex():
            if "logo" in self._parts:
                items.append(LegendItem("text", "height of letters: information in bits"))
            if "heat" in self._parts:
                items.append(LegendItem("gradient", "frequency 0 to 1", heat_map.legend_colours(self._map)))
        self.legend.show_items(tuple(items))

    def _on_point(self, place: QPointF | None) -> None:
        if self.shown is None:
            return
        column = self.columns.letter_at(place.x()) if place is not None else None
        self.shown.hovered = None
        if column is not None:
            where = profile_drawing.split_area(self.columns, self.shown, self.columns.height())
            self.shown.hovered = column, where.symbol_at(place.y(), len(self.shown.profile.alphabet))
        if self.result is None:
            self.selection.hover_column(column)
        self._show_status(column)
        self.columns.update()

    def _on_click(self, place: QPointF) -> None:
        column = self.columns.letter_at(place.x())
        if self.shown is not None and column is not None:
            self.table.go_to(column)
            self.turn_to_table(True)

    def _show_status(self, column: int | None) -> None:
        """Describe the column under the mouse in the status line, else show a hint."""
        if self.shown is None or column is None:
            self.status.setText("" if self.shown is None or self.pages.currentIndex() else HINT)
        else:
            symbol = self.shown.hovered[1] if self.shown.hovered else None
            self.status.setText(column_text(self.shown.profile, column, symbol))

    def apply_theme(self) -> None:
        """Redraw in the colours of the current theme."""
        self._update_legend()
        self.columns.update()


def column_text(profile: Profile, column: int, symbol: int | None = None) -> str:
    """Describe a column, such as 'column 12   G 0.64, A 0.21   3.1 bits   opening a gap times 0.8'."""
    parts = [f"column {column + 1:,}"]
    if symbol is not None:
        parts.append(f"{profile.alphabet[symbol]}: {profile.frequencies[symbol, column]:.3g}")
    parts.append(
        ", ".join(f"{letter} {share:.2f}" for letter, share in sequence_logo.frequent_symbols(profile, column))
    )
    parts.append(f"{sequence_logo.logo_heights(profile, column, column + 1).sum():.2f} bits")
    parts += [
        f"{words} {float(values[column]):.3g}"
        for words, values in (("opening a gap times", profile.open_factors), ("extending it", profile.extend_factors))
        if values is not None
    ]
    return "   ".join(parts)
