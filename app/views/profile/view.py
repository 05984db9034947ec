"""ProfileView: how often each symbol stands in each column, as a logo, as a heat map, and as a table."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QMenu, QMessageBox, QStackedWidget, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit import export, figure, heat
from antidiag.app.kit.background import Latest
from antidiag.app.kit.flow import ToolRow
from antidiag.app.kit.legend import Legend, LegendItem
from antidiag.app.kit.letter_canvas import LetterCanvas
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Elided, check_action, choice_actions, menu_button, tool_button
from antidiag.app.views.profile import paint
from antidiag.app.views.profile.paint import Shown
from antidiag.app.views.profile.table import FrequencyTable
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.profiles import columns, files
from antidiag.kernels.profiles.problem import ProfileProblem, ProfileSequenceProblem
from antidiag.kernels.profiles.profile import Profile

PARTS = {"logo": "Logo", "heat": "Heat map", "numbers": "Numbers in cells"}
SAVED = {".json": "Whole profile (*.json)", ".csv": "Frequencies as a table (*.csv)"}
HINT = "Wheel to zoom, drag to move, F to show all; a click goes to the column in the table"
SMALL = 1 << 20
"""Letters of an alignment from which its profile is made on a thread."""
Problem = ProfileProblem | ProfileSequenceProblem


class ProfileView(QWidget):
    """The profile that was opened, that of an alignment, or those that a result has aligned."""

    id = "profile"
    title = "Profile"
    profile_wanted = Signal(object)

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.shown: Shown | None = None
        self.alignment: AlignedSequences | None = None
        self._parts, self._map = set(PARTS), "viridis"
        self.canvas, self.table = LetterCanvas(self._draw, paint.LEFT), FrequencyTable()
        self.pages, self.which = QStackedWidget(), QComboBox()
        self._legend, self._status = Legend(), Elided()
        self._making = Latest(self)
        self._build()
        self._making.finished.connect(self.show_profile)
        self._making.failed.connect(lambda error: self._status.setText(str(error)))
        self.canvas.pointed.connect(self._on_point)
        self.canvas.clicked.connect(self._on_click)
        self.which.activated.connect(lambda: self._choose())
        theme.notifier.changed.connect(self._restyle)
        self.show_profile(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        return isinstance(result.problem, Problem)

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        return files.PROFILE.takes(datum)

    @property
    def sharp(self) -> bool:
        """Whether the profile is there."""
        return not self._making.busy

    def show_result(self, result: Result | None) -> None:
        """Show the profiles of a result, one at a time, or nothing."""
        there = result if result is not None and self.shows(result) else None
        if there is self.result and there is not None:
            return
        self._making.cancel()
        self.result, self.alignment = there, None
        self._offer(there.problem.profiles if there else ())
        self.show_profile(there.problem.profiles[0] if there else None)

    def show_datum(self, datum: Profile | AlignedSequences) -> None:
        """Show a profile that no run made, or that of an alignment."""
        self._making.cancel()
        self.result = None
        self.alignment = datum if isinstance(datum, AlignedSequences) else None
        self._offer(())
        if self.alignment is None or self.alignment.letters.size <= SMALL:
            self.show_profile(files.PROFILE.taken(datum))
        else:
            self.show_profile(None)
            self._count()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._count()

    def _count(self) -> None:
        """Count the columns of a large alignment on a thread, once somebody looks."""
        alignment = self.alignment
        if alignment is not None and self.shown is None and self.isVisible() and not self._making.busy:
            self._status.setText("Counting the columns\u2026")
            self._making.request(lambda monitor: files.PROFILE.taken(alignment))

    def show_profile(self, profile: Profile | None) -> None:
        """Show a profile, or nothing."""
        self.shown = Shown(profile, self._parts, self._map) if profile is not None else None
        self._tools.setEnabled(profile is not None)
        self.make_action.setVisible(self.alignment is not None)
        self.table.model_.show(profile)
        consensus = profile.consensus.encode("ascii") if profile is not None else b""
        self.canvas.show_sequence(Sequence(profile.name, consensus, profile.type) if profile is not None else None)
        self._describe()
        self._say(None)

    def turn_to_table(self, on: bool) -> None:
        """Show the table, or the picture."""
        self.pages.setCurrentIndex(int(on))
        self.table_button.setChecked(on)
        self._describe()
        self._say(None)

    def set_part(self, name: str, on: bool) -> None:
        """Draw the logo, the heat map, the numbers in it, or leave them out; one of the first two stays."""
        (self._parts.add if on else self._parts.discard)(name)
        if not self._parts & {"logo", "heat"}:
            other = "heat" if name == "logo" else "logo"
            self._actions[other].setChecked(True)
        self._describe()
        self.canvas.update()

    def set_map(self, name: str) -> None:
        self._map = name
        if self.shown is not None:
            self.shown.map_name = name
        self._describe()
        self.canvas.update()

    def draw_figure(self, painter: QPainter, area: QRectF) -> None:
        """What is seen, with title and legend, for a file."""
        figure.draw(painter, area, self._title(), self._legend.items, self._draw_body)

    def figure_size(self) -> QSize:
        return figure.size(self.canvas.width(), self.canvas.height(), self._legend.items)

    def copy(self) -> None:
        """Put the figure on the clipboard; of the table the chosen cells, or all."""
        if self.pages.currentIndex():
            self.table.copy()
            self._status.setText("Copied the table.")
        else:
            export.copy(self.figure_size(), self.draw_figure)
            self._status.setText("Copied the figure.")

    def copy_table(self) -> None:
        """Put all frequencies on the clipboard, for a spreadsheet."""
        self.table.clearSelection()
        self.table.copy()
        self._status.setText("Copied the table.")

    def save_figure(self) -> None:
        """Ask for a file and write the figure as PNG, SVG or PDF."""
        export.ask_and_save(self, "profile", self.figure_size(), self.draw_figure, self._title())

    def save_profile(self) -> None:
        """Ask for a file and write the profile; what goes wrong is shown."""
        name, kind = QFileDialog.getSaveFileName(self, "Save profile", "profile.json", ";;".join(SAVED.values()))
        if not name:
            return
        path = export.with_suffix(name, kind, list(SAVED))
        try:
            files.write(path, self.shown.profile)
            self._status.setText(f"Saved {path}")
        except InputError as error:
            QMessageBox.warning(self, "Save profile", str(error))

    def sizeHint(self) -> QSize:
        return QSize(800, 600)

    def _build(self) -> None:
        self.show_menu, self.map_menu, self.save_menu = (QMenu(self) for _ in range(3))
        self._actions = {
            name: check_action(self.show_menu, text, True, partial(self.set_part, name)) for name, text in PARTS.items()
        }
        choice_actions(self.map_menu, "Colour map", heat.MAPS, self._map, self.set_map)
        self.save_menu.addAction("Figure\u2026", self.save_figure)
        self.save_menu.addAction("Profile as JSON or CSV\u2026", self.save_profile)
        self.save_menu.addSeparator()
        self.make_action = self.save_menu.addAction(
            "Make a profile with weights\u2026", lambda: self.profile_wanted.emit(self.alignment)
        )
        self.which.setAccessibleName("Profile")
        self.table_button = tool_button("Table", "The frequencies as numbers")
        self.table_button.setCheckable(True)
        self.table_button.toggled.connect(self.turn_to_table)
        self._tools = QWidget()
        row = ToolRow(self._tools)
        row.addWidget(self.which)
        for button in (
            self.table_button,
            tool_button("Fit", "Show all columns (F)", self.canvas.fit),
            menu_button("Show", "What is drawn", self.show_menu),
            menu_button("Colours", "The colour map", self.map_menu),
            tool_button("Copy", "Copy the figure, or the chosen cells of the table", self.copy),
            tool_button("Copy table", "Copy all frequencies, for a spreadsheet", self.copy_table),
            menu_button("Save", "Save the figure or the profile", self.save_menu),
        ):
            row.addWidget(button)
        self.pages.addWidget(self.canvas)
        self.pages.addWidget(self.table)
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        for widget in (self._tools, self.pages, self._legend, self._status):
            box.addWidget(widget, int(widget is self.pages))

    def _offer(self, profiles: tuple[Profile, ...]) -> None:
        """A list of the profiles of a result; hidden where there is one only."""
        self.which.clear()
        for place, profile in zip(("first", "second"), profiles, strict=False):
            self.which.addItem(f"{texts.shortened(profile.name)} ({place})", profile)
        self.which.setVisible(self.which.count() > 1)

    def _choose(self) -> None:
        if self.result is not None:
            self.show_profile(self.result.problem.profiles[self.which.currentIndex()])

    def _title(self) -> str:
        profile = self.shown.profile
        return f"{profile.name} \N{MIDDLE DOT} {profile.summary}"

    def _draw(self, painter: QPainter, area: QRectF) -> None:
        if self.shown is not None:
            self.canvas.draw_ruler(painter, area.top())
            paint.paint(painter, self.canvas, self.shown, area.height(), True)

    def _draw_body(self, painter: QPainter, width: float, height: float) -> None:
        self.canvas.draw_ruler(painter, 0)
        paint.paint(painter, self.canvas, self.shown, height, False)

    def _describe(self) -> None:
        """Legend: what the colours and the heights mean."""
        if self.shown is None:
            self._legend.show_items(())
            return
        items = [LegendItem("text", self.shown.profile.summary)]
        if not self.pages.currentIndex():
            if "logo" in self._parts:
                items.append(LegendItem("text", "height of letters: bits that the column tells"))
            if "heat" in self._parts:
                items.append(LegendItem("gradient", "frequency 0 to 1", heat.swatches(self._map)))
        self._legend.show_items(tuple(items))

    def _on_point(self, place: QPointF | None) -> None:
        if self.shown is None:
            return
        column = self.canvas.letter_at(place.x()) if place is not None else None
        self.shown.hovered = None
        if column is not None:
            where = paint.areas(self.canvas, self.shown, self.canvas.height())
            self.shown.hovered = column, where.symbol_at(place.y(), len(self.shown.profile.alphabet))
        if self.result is None:
            self.selection.hover_column(column)
        self._say(column)
        self.canvas.update()

    def _on_click(self, place: QPointF) -> None:
        column = self.canvas.letter_at(place.x())
        if self.shown is not None and column is not None:
            self.table.go_to(column)
            self.turn_to_table(True)

    def _say(self, column: int | None) -> None:
        """What is known of the column under the mouse, else what can be done."""
        if self.shown is None or column is None:
            self._status.setText("" if self.shown is None else "" if self.pages.currentIndex() else HINT)
        else:
            symbol = self.shown.hovered[1] if self.shown.hovered else None
            self._status.setText(column_text(self.shown.profile, column, symbol))

    def _restyle(self) -> None:
        self._describe()
        self.canvas.update()


def column_text(profile: Profile, column: int, symbol: int | None = None) -> str:
    """A column in one line: 'column 12   G 0.64, A 0.21   3.1 bits   blanks 0.15'."""
    parts = [f"column {column + 1:,}"]
    if symbol is not None:
        parts.append(f"{profile.alphabet[symbol]}: {profile.frequencies[symbol, column]:.3g}")
    parts.append(", ".join(f"{letter} {share:.2f}" for letter, share in columns.leading(profile, column)))
    parts.append(f"{columns.logo(profile, column, column + 1).sum():.2f} bits")
    parts += [
        f"{words} {float(values[column]):.3g}"
        for words, values in (("opening a gap times", profile.open_factors), ("extending it", profile.extend_factors))
        if values is not None
    ]
    return "   ".join(parts)
