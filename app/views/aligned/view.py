"""AlignmentViewer: shows, searches, edits and exports an alignment of any number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QSplitter, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.flow_layouts import ToolRow, group_widgets
from antidiag.app.kit.controls.widgets import is_in_low_window, tool_button
from antidiag.app.kit.results import result_text
from antidiag.app.kit.selection import Selection
from antidiag.app.views.aligned.base_view import BaseAlignmentView
from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing.wrapped_blocks import CellMark
from antidiag.app.views.aligned.editing.cell_commands import CellCommands
from antidiag.app.views.aligned.editing.cell_selection import CellSelection
from antidiag.app.views.aligned.editing.realign_commands import RealignCommands
from antidiag.app.views.aligned.export import alignment_text
from antidiag.app.views.aligned.menus import LETTERS, AlignmentMenus
from antidiag.app.views.aligned.searching.search_controller import SearchController
from antidiag.app.views.aligned.side_panels.comparison import ComparisonPanel
from antidiag.app.views.aligned.side_panels.pair_summary import PairSummary
from antidiag.app.views.aligned.side_panels.posterior_panel import PosteriorPanel
from antidiag.app.views.aligned.side_panels.row_splitter import RowSplitter
from antidiag.app.views.aligned.side_panels.tree_controller import TreeController
from antidiag.kernels.alignments.genetic_code import CODON_TAG
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.frames import codon_text

VIEW_FORMS = {
    "pair": (("match",), True),
    "frames": (("match", *(tracks.NOTE_PREFIX + tag for tag in (codon_text.SHIFT_TAG, *codon_text.BASE_TAGS))), True),
    "codons": (("codons", tracks.NOTE_PREFIX + CODON_TAG, "frame 1", "consensus"), False),
    "triple": (("identity",), True),
    "many": (("logo", "consensus", "confidence", "conservation", "occupancy"), False),
}
"""First tracks, and whether columns are wrapped, for results of two and three sequences and for others."""
MOST_RANGES = 20_000
"""Ranges of rows and columns of a selection that are kept with the view at most."""
STEP_KEYS = {Qt.Key.Key_M: "mismatch", Qt.Key.Key_G: "gap"}
"""Keys that step along a pair while letters cannot be typed."""


def _choose_form(alignment: AlignedSequences, result: Result | None) -> str:
    """Return the form, one of VIEW_FORMS, in which an alignment is shown first."""
    if any(tag == codon_text.SHIFT_TAG for tag, _ in alignment.annotations.of_columns):
        return "frames"
    if any(tag == CODON_TAG for tag, _ in alignment.annotations.of_columns):
        return "codons"
    return {2: "pair", 3: "triple"}.get(len(alignment.names), "many") if result else "many"


class AlignmentViewer(BaseAlignmentView):
    """The alignment view with its commands, search, side panels and menus."""

    id = "aligned"
    title = "Alignment"

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection)
        self.commands, self.finder = CellCommands(self), SearchController(self)
        self.tree, self.comparison, self.realign = TreeController(self), ComparisonPanel(self), RealignCommands(self)
        self.pair_summary, self.posteriors = PairSummary(self), PosteriorPanel(self)
        self.menus = AlignmentMenus(self)
        self._forms, self._form = {name: (list(shown), wrap) for name, (shown, wrap) in VIEW_FORMS.items()}, "many"
        self._tools = self._tool_row()
        self._build_layout()
        self._connect_signals()
        self._keep_state()
        self.show_alignment(None)

    @classmethod
    def shows(cls, result: Result) -> bool:
        """Return whether the view can show a result."""
        return result_text.is_pair(result) or alignment_text.holds_alignment(result)

    @classmethod
    def shows_datum(cls, datum: Any) -> bool:
        """Return whether the view can show data."""
        return isinstance(datum, AlignedSequences)

    def _tool_row(self) -> QWidget:
        tools = QWidget()
        row = ToolRow(tools)
        row.addWidget(self.finder.box)
        for button in self.menus.buttons.values():
            row.addWidget(button)
        row.essential = self.menus.buttons["copy"], self.menus.buttons["save"]
        row.addWidget(group_widgets(self.undo_button, self.redo_button))  # the window has both above
        row.addWidget(tool_button("Fit", "Show the whole alignment (Ctrl+0)", self.canvas.fit_all))
        row.addWidget(
            tool_button("Letters", "Zoom to letters at the cursor (Ctrl+Shift+0)", self.canvas.zoom_to_letters)
        )
        for word, across, down in (("Columns", 1.25, 1.0), ("Rows", 1.0, 1.25)):
            smaller = partial(self.canvas.zoom_cells, 1 / across, 1 / down)
            less = tool_button("\N{MINUS SIGN}", f"Smaller {word.lower()}", smaller)
            more = tool_button("+", f"Larger {word.lower()}", partial(self.canvas.zoom_cells, across, down))
            row.addWidget(group_widgets(less, QLabel(f" {word} "), more))
        return tools

    def _build_layout(self) -> None:
        box = QVBoxLayout(self)
        box.setSpacing(theme.SPACING)
        box.addWidget(self._tools)
        self._head = QWidget()
        column_of(self.pair_summary.numbers, self.overview, parent=self._head)
        box.addWidget(self._head)
        self._row_splitter = RowSplitter(self.tree.panel, self.canvas)
        self._panel_splitter = QSplitter(Qt.Orientation.Vertical)
        self._panel_splitter.addWidget(self._row_splitter)
        self._panel_splitter.addWidget(self.comparison.panel)
        self._panel_splitter.addWidget(self.posteriors.panel)
        self._panel_splitter.setChildrenCollapsible(False)
        self._panel_splitter.setStretchFactor(0, 3)
        self._panel_splitter.setStretchFactor(1, 2)
        box.addWidget(self._panel_splitter, 1)
        box.addWidget(self.pair_summary.explanation, 1)
        box.addWidget(self._legend)
        box.addWidget(self.status)
        self.canvas.wanted_tracks = list(VIEW_FORMS["many"][0])
        self.canvas.cell_marks = self._cell_marks
        self.canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def _connect_signals(self) -> None:
        self.canvas.customContextMenuRequested.connect(self._open_menu)
        self.canvas.cells_dragged.connect(self.commands.move_cells)
        self.canvas.edit_key_pressed.connect(self._handle_edit_key)
        self.canvas.search_requested.connect(self.finder.focus_box)
        self.finder.box.escaped.connect(self.canvas.setFocus)
        self.alignment_changed.connect(self._on_alignment_changed)
        self.cells_changed.connect(self.finder.forget_matches)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out numbers and overview in a low window, so that rows are seen; the summary has the numbers."""
        super().resizeEvent(event)
        self._head.setVisible(not is_in_low_window(self))

    def show_alignment(self, alignment: AlignedSequences | None, of: Any = None) -> None:
        """Show an alignment ``of`` a result, an alignment by itself, or nothing; say why a result has none."""
        result = of if isinstance(of, Result) else None
        if alignment is not None:
            self._use_form(_choose_form(alignment, result))
        super().show_alignment(alignment, of)
        self.pair_summary.show_result(result)
        explained = bool(self.pair_summary.explanation.text())
        self.pair_summary.explanation.setVisible(explained)
        for shown in (self.overview, self._panel_splitter):
            shown.setVisible(not explained)

    @property
    def edits(self) -> dict[str, Any] | None:
        """The edits of the alignment and the tree beside it, as `show_edits` takes them; None for none."""
        return {**(super().edits or {}), **self.tree.edits} or None

    def show_edits(self, edits: Mapping[str, Any]) -> None:
        """Continue from stored edits and show their tree."""
        super().show_edits(edits)
        if self.editor is not None:
            self.tree.restore_tree(edits)

    def _keep_state(self) -> None:
        canvas, state = self.canvas, self.view_state
        state.keep("colours", self.colours.list_choice, self._restore_colours)
        state.keep("forms", self._list_form, self._restore_forms)
        state.keep("letters", lambda: canvas.letters, self._restore_letters)
        state.keep("letter_sizes", canvas.list_letter_sizes, canvas.restore_letter_sizes)
        state.keep_place("notes", lambda: list(self.notes), self._restore_notes)
        state.keep_place("splitter", self._row_splitter.sizes, self._restore_sizes)
        state.keep_place("place", canvas.list_place, canvas.restore_place)
        state.keep_place("cursor", self._list_cursor, self._restore_cursor)
        state.keep_place("selection", self._list_selection, self._restore_selection)
        state.keep_place("posteriors", self.posteriors.list_rows, self.posteriors.restore_rows)

    def _restore_colours(self, choice: Mapping[str, Any]) -> None:
        self.colours.restore_choice(choice, self.alignment, self._reference is not None)

    def _list_form(self) -> dict[str, list[Any]]:
        """Return the tracks, and whether columns are wrapped, of the kind of alignment that is shown."""
        shown = [track for track in self.canvas.wanted_tracks if track != "agreement"]
        return {self._form: [shown, self.canvas.wrapped]}

    def _restore_forms(self, forms: Mapping[str, list[Any]]) -> None:
        for name, (shown, wrapped) in forms.items():
            if name in self._forms:
                self._forms[name] = [str(track) for track in shown], bool(wrapped)
                if name == self._form:
                    self.canvas.wanted_tracks, self.canvas.wrapped = self._forms[name]
        self.canvas.repaint_all()
        self._count_in_thread()

    def _restore_letters(self, which: str) -> None:
        if which in LETTERS and which != self.canvas.letters:
            self.set_letters(which)

    def _restore_notes(self, tags: list[str]) -> None:
        if tags != self.notes:
            self.notes = list(map(str, tags))
            self.lay_out_again()

    def _restore_sizes(self, sizes: list[int]) -> None:
        if all(sizes):
            self._row_splitter.setSizes(sizes)

    def _list_cursor(self) -> list[int]:
        """Return row and column at the cursor; rows are counted as in the alignment."""
        line, column = self.picture.cursor
        return [int(self.picture.order[line]), int(column)]

    def _restore_cursor(self, cursor: list[int]) -> None:
        row, column = cursor
        lines = np.flatnonzero(self.picture.order == row)
        if lines.size and 0 <= column < self.picture.shape[1]:
            self.picture.cursor = self.canvas.anchor = int(lines[0]), column
            self.colours.recolour()
            self.show_status("")

    def _list_selection(self) -> list[Any] | None:
        """Return the selected cells; None for a selection of very many ranges, which is not kept."""
        blocks = self.picture.cell_selection.list_blocks()
        return blocks if sum(len(ranges) for block in blocks for ranges in block) <= MOST_RANGES else None

    def _restore_selection(self, blocks: list[Any] | None) -> None:
        if blocks:
            shape = self.picture.alignment.letters.shape
            self.picture.cell_selection = CellSelection.from_blocks(shape, blocks)
            self.canvas.repaint_all()
            self.show_status("")

    def _use_form(self, form: str) -> None:
        self._forms[self._form] = self.canvas.wanted_tracks, self.canvas.wrapped
        self._form = form
        self.canvas.wanted_tracks, self.canvas.wrapped = self._forms[form]

    def _cell_marks(self) -> tuple[CellMark, ...]:
        return *self.comparison.cell_marks(), *self.pair_summary.cell_marks(), *self.posteriors.cell_marks()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.picture is not None:
            self._take_focus()

    def compare_with(self, other: AlignedSequences) -> None:
        """Compare with another alignment by SP and TC; InputError if they cannot be compared."""
        self.comparison.compare_with(other)

    @property
    def background_parts(self) -> tuple[Any, ...]:
        """What may run threads."""
        return self.commands, self.finder, self.comparison, self.tree, self.realign, self.pair_summary, self.posteriors

    @property
    def sharp(self) -> bool:
        """Whether the final picture is on the screen and nothing is computed."""
        return super().sharp and not any(part.busy for part in self.background_parts)

    def _handle_edit_key(self, event: QKeyEvent) -> None:
        """Run what a key other than a movement does."""
        back, key = event.modifiers() & Qt.KeyboardModifier.ShiftModifier, Qt.Key(event.key())
        if key in STEP_KEYS and not self.commands.typing and self.picture.shape[0] == 2:
            self.pair_summary.step_to(STEP_KEYS[key], not back)
        elif key == Qt.Key.Key_F10 and back:
            self._open_menu(self.canvas.cursor_corner())
        elif key == Qt.Key.Key_F4:
            self.comparison.next_difference(-1 if back else 1)
        else:
            self.commands.type_key(event)

    def _on_alignment_changed(self) -> None:
        self._tools.setEnabled(self.editor is not None)
        self.finder.forget_search()
        self._take_focus()

    def _open_menu(self, place: QPoint) -> None:
        if self.picture is not None:
            self.menus.fill_context().exec(self.canvas.viewport().mapToGlobal(place))
            self.canvas.setFocus()

    def _take_focus(self) -> None:
        if self.isVisible() and QApplication.focusWidget() in (None, self.window(), _central_widget(self)):
            self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)


def _central_widget(view: QWidget) -> QWidget | None:
    window = view.window()
    return window.centralWidget() if isinstance(window, QMainWindow) else None
