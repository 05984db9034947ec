"""The base of the viewer: one alignment with its canvas, map, undo history, colours and counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import ElidedLabel, icon_button
from antidiag.app.kit.figures.legend import Legend, LegendItem
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.kit.view_state import ViewState
from antidiag.app.views.aligned import status_text
from antidiag.app.views.aligned.colouring import schemes
from antidiag.app.views.aligned.colouring.colour_controller import ColourController
from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CollapsedRows, keep_all_lines
from antidiag.app.views.aligned.editing.cell_selection import CellSelection
from antidiag.app.views.aligned.editing.cursor_history import CursorHistory
from antidiag.app.views.aligned.editing.edit_history import AlignmentEditor
from antidiag.app.views.aligned.export import alignment_text
from antidiag.app.views.aligned.export.export_commands import AlignmentExporter
from antidiag.app.views.aligned.widgets.alignment_canvas import AlignmentCanvas
from antidiag.app.views.aligned.widgets.overview_map import OverviewMap
from antidiag.kernels.alignments import column_counter, row_notes
from antidiag.kernels.alignments.column_counter import ColumnCounter
from antidiag.kernels.alignments.column_statistics import ColumnCounts
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor

if TYPE_CHECKING:
    from antidiag.app.views.aligned.side_panels.tree_panel import TreePanel

MAX_EDITORS = 4
"""Alignments whose undo history is kept while others are shown."""
REST_MS = 150
"""Milliseconds after an edit before the columns of a wide alignment are counted again."""


class BaseAlignmentView(QWidget):
    """One shown alignment; `AlignmentViewer` adds layout, menus and search. ``fold_rows`` maps a row order to lines and
    folds; ``notes`` are the tags shown beside the names; ``data`` is what else is open. Signals: ``datum_offered``
    gives a datum to the session, ``edited`` the edits, ``alignment_changed`` a newly shown alignment, ``cells_changed``
    changed rows or columns, ``lines_changed`` changed lines or colours."""

    datum_offered = Signal(object)
    profile_wanted = Signal(object)
    edited = Signal(object)
    alignment_changed = Signal()
    cells_changed = Signal()
    lines_changed = Signal()

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.editor: AlignmentEditor | None = None
        self.canvas, self.overview = AlignmentCanvas(), OverviewMap()
        self.undo_button = icon_button("undo", "Undo", self.undo)
        self.redo_button = icon_button("redo", "Redo", self.redo)
        self._legend, self.status = Legend(), ElidedLabel()
        self.colours, self._counts = ColourController(self, lambda: self.picture), ColumnCounter()
        self._reference: AlignedSequences | None = None
        self.fold_rows: Callable[[AlignedSequences, np.ndarray], tuple[np.ndarray, dict[int, CollapsedRows]]] = (
            keep_all_lines
        )
        self.notes: list[str] = []
        self.tree_panel: TreePanel | None = None
        self.data: tuple[Any, ...] = ()
        self._sending_taxa, self._places = False, CursorHistory()
        self._counting = LatestTask(
            self, self._take_counts, lambda error: self.show_status(f"The columns could not be counted: {error}")
        )
        self._reading, self._stored_edits = LatestTask(self, self._take_reading), dict[str, Any]()
        self._is_restoring = False
        """Whether stored edits are being shown, which need not be sent again."""
        self.exporter = AlignmentExporter(self)
        self._rest_timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest_timer.timeout.connect(self._count_in_thread)
        self.view_state = ViewState(lambda: self.picture is not None)
        self._connect_parts()

    def _connect_parts(self) -> None:
        self.canvas.view_moved.connect(lambda: self.overview.show_frame(self.canvas.visible_frame))
        self.canvas.cell_hovered.connect(self._on_point)
        self.canvas.track_hovered.connect(self._on_track)
        self.canvas.selection_changed.connect(self._on_selection)
        self.canvas.gesture_ended.connect(lambda: self.editor.end_gesture())
        self.canvas.copy_requested.connect(lambda: self.exporter.copy_text(".fasta"))
        self.overview.centre_requested.connect(self._on_overview)
        self.colours.colours_changed.connect(self._on_colours)
        self.selection.taxa_changed.connect(self._on_taxa)
        theme.notifier.changed.connect(self.colours.recolour)

    @property
    def alignment(self) -> AlignedSequences | None:
        """The alignment in its current state."""
        return self.editor.state.alignment if self.editor else None

    @property
    def picture(self) -> AlignmentPicture | None:
        """The drawn alignment; None if there is none."""
        return self.canvas.picture

    @property
    def sharp(self) -> bool:
        """Whether the final picture is on the screen."""
        busy = self._rest_timer.isActive() or self._counting.busy or self._reading.busy
        busy = busy or self.exporter.busy or self.colours.busy
        return self.canvas.is_sharp and self.overview.sharp and not busy

    def show_result(self, result: Result | None) -> None:
        """Show the alignment of a result, or nothing."""
        there = result is not None and alignment_text.holds_alignment(result)
        before, self.result = self.result, result if there else None
        self._reading.cancel()
        self._stored_edits = {}
        if there and result is before:
            return
        if (
            there
            and not self.selection.has_history("alignments", result)
            and alignment_text.count_columns(result) > column_counter.MAX_LETTERS_AT_ONCE
        ):
            self.show_alignment(None)
            self.show_status("Reading the alignment ...")
            self._reading.request(lambda monitor: (result, alignment_text.read_result_alignment(result)))
        else:
            self.show_alignment(alignment_text.read_result_alignment(result) if there else None, result)

    def show_datum(self, datum: AlignedSequences) -> None:
        """Show an alignment that no run made."""
        self.result = None
        self._reading.cancel()
        self.show_alignment(datum)

    def show_alignment(self, alignment: AlignedSequences | None, of: Any = None) -> None:
        """Show an alignment ``of`` a result, an alignment by itself, or nothing."""
        if self.editor is not None:
            self.editor.state_changed.disconnect(self._on_edit)
        self.editor = None
        if alignment is not None:
            make = partial(AlignmentEditor, alignment)
            self.editor = self.selection.find_history("alignments", of or alignment, make, MAX_EDITORS)
            self.editor.state_changed.connect(self._on_edit)
        self._counts = ColumnCounter()
        self.forget_reference()
        self.alignment_changed.emit()
        if self.editor is None:
            self._counting.cancel()
            self._rest_timer.stop()
            self.canvas.show_picture(None)
            self.overview.show_picture(None)
            self._legend.show_items(())
            self.show_status("")
            return
        self.canvas.picture = None
        self._lay_out(fit=True)

    def _take_reading(self, made: tuple[Result, AlignedSequences]) -> None:
        """Show an alignment that a thread has read, with its stored edits and its view state."""
        self.show_alignment(made[1], made[0])
        if self._stored_edits:
            self.show_edits(self._stored_edits)
        self.view_state.resume()

    def show_edits(self, edits: Mapping[str, Any]) -> None:
        """Continue from stored edits of the shown alignment, unless its undo history is still there."""
        if self._reading.busy:
            self._stored_edits = dict(edits)
        if self.editor is not None and self.editor.is_untouched and "order" in edits:
            self._is_restoring = True
            try:
                self.editor.restore_edits(edits)
            except InputError as error:
                self.show_status(f"Stored edits could not be restored: {error}")
            finally:
                self._is_restoring = False

    @property
    def undo_text(self) -> str:
        """What undo would take back; "" for nothing."""
        return self.editor.undo_text if self.editor is not None else ""

    @property
    def redo_text(self) -> str:
        """What redo would repeat; "" for nothing."""
        return self.editor.redo_text if self.editor is not None else ""

    def undo(self) -> None:
        """Take back the last edit."""
        self.editor.undo()

    def redo(self) -> None:
        """Repeat the edit taken back."""
        self.editor.redo()

    @property
    def scheme(self) -> str:
        """The colour scheme."""
        return self.colours.scheme

    def set_scheme(self, scheme: str) -> None:
        """Colour by a scheme of `schemes.SCHEMES`, or by the scheme of a file ("file")."""
        self.colours.select_scheme(scheme)

    def set_reference(self, reference: AlignedSequences, shares: np.ndarray) -> None:
        """Show as a track which share of the pairs in each column a compared alignment has too."""
        self._reference = self.picture.reference = reference
        self.picture.tracks["agreement"] = shares
        self.set_track("agreement", True)
        self.colours.recolour()

    def forget_reference(self) -> None:
        """End the comparison."""
        self._reference = None
        self.canvas.wanted_tracks = [track for track in self.canvas.wanted_tracks if track != "agreement"]
        if self.picture is not None:
            self.picture.reference = None
            self.picture.tracks.pop("agreement", None)
            self.canvas.repaint_all()
            if self.alignment is self.picture.alignment:  # not while another one is being opened
                self.colours.fit_scheme(self.alignment, False)
                self.colours.recolour()

    @property
    def notes_width(self) -> int:
        """Pixels of the notes beside the names."""
        return self.canvas.frame_.left - self.canvas.names_width

    def offer(self, data: Sequence[Any]) -> None:
        """Take what else is open: trees and alignments that can be shown beside this one."""
        self.data = tuple(data)

    def show_note(self, tag: str, on: bool) -> None:
        """Show or hide the notes with a tag beside the names."""
        self.notes = [*(note for note in self.notes if note != tag), *([tag] if on else [])]
        self.lay_out_again()

    def lay_out_again(self) -> None:
        """Lay the lines out again, for example after clades were collapsed."""
        if self.editor is not None:
            self._lay_out(fit=False)

    def set_letters(self, which: str) -> None:
        """Write "all" letters, "differences" from the consensus, or "none"."""
        self.canvas.letters = which
        self.canvas.repaint_all()
        self._count_in_thread()

    def set_track(self, name: str, on: bool) -> None:
        """Switch a track on or off."""
        shown = [track for track in self.canvas.wanted_tracks if track != name]
        self.canvas.set_tracks([*shown, name] if on else shown)
        self._count_in_thread()

    def select_taxa(self) -> None:
        """Select the rows of the taxa selected in another view."""
        names = self.selection.taxa
        self.canvas.select_cells(np.array([name in names for name in self.alignment.names]), None)

    @property
    def legend(self) -> tuple[LegendItem, ...]:
        """The legend of the alignment and its colours."""
        return self._legend.items

    def counting_task(self) -> Callable[[Monitor], ColumnCounts]:
        """Return a function that counts the columns on a thread."""
        return self._counts.counting_task(self.picture.alignment)

    def show_status(self, text: str) -> None:
        """Show a status text; an empty text shows what is at the cursor."""
        self.status.setText(text or status_text.describe_cell(self.picture))

    def sizeHint(self) -> QSize:
        return QSize(900, 600)

    def _on_edit(self) -> None:
        self._lay_out(fit=False)
        if not self._is_restoring:
            self.send_edits()

    def send_edits(self) -> None:
        """Send the edits to the session."""
        self.edited.emit(self.edits)

    @property
    def edits(self) -> dict[str, Any] | None:
        """The edits as `show_edits` takes them, with the edited size; None for none."""
        edits = self.editor.edits if self.editor is not None else None
        if edits is None or self.editor.has_original_letters:
            return edits
        return {**edits, "summary": f"{self.alignment.summary}, edited"}

    def _lay_out(self, fit: bool) -> None:
        """Show a new picture of the state; cursor and selection stay as far as possible."""
        state, before = self.editor.state, self.picture
        letters, (order, folds) = state.alignment.letters, self.fold_rows(state.alignment, state.order)
        choice, cursor = CellSelection.select_nothing(letters.shape), (0, 0)
        back = self._places.switch_state(state, before, self.canvas.anchor)
        if back is not None:
            choice, cursor, self.canvas.anchor = back.cell_selection, back.cursor_in(order), back.anchor
        elif before is not None:
            shape = before.alignment.letters.shape
            if shape[0] == letters.shape[0] and shape[1] <= letters.shape[1]:
                choice = before.cell_selection.restrict_to(state.order, letters.shape[1])
            cursor = before.find_cursor_line(state.alignment, order), min(before.cursor[1], letters.shape[1] - 1)
        columns = self._counts.find_counts(state.alignment)
        self.colours.fit_scheme(state.alignment, self._reference is not None)
        behind, same = (
            self.colours.needs_thread(state.alignment),
            before is not None and before.alignment is state.alignment,
        )
        row = int(order[cursor[0]])
        # The old colours stay until a thread has made new ones, so that nothing flickers during edits.
        kept = before.colouring if before is not None and (behind if same else behind or columns is None) else None
        colours = kept or self.colours.make_colours(
            state.alignment, columns, row, schemes.DEFAULT_SCHEME if behind else ""
        )
        picture = AlignmentPicture(state.alignment, order, colours, choice, columns, cursor)
        picture.folds = folds
        notes = ((tag, row_notes.notes_with_tag(state.alignment, tag)) for tag in self.notes)
        picture.notes = tuple((tag, texts) for tag, texts in notes if texts)
        if before is not None and same:
            picture.matches = before.matches
            picture.tracks = before.tracks
        else:
            self.cells_changed.emit()
        picture.is_waiting = columns is None or columns.counts.shape[0] > column_counter.MAX_COLUMNS_AT_ONCE
        picture.sample = before.sample if before is not None else None
        picture.reference = self._reference
        self.canvas.show_picture(picture, fit)
        self.overview.show_picture(picture)
        self._legend.show_items(status_text.make_legend(self.picture, not self.editor.has_original_letters))
        status_text.update_undo_buttons(self.editor, self.undo_button, self.redo_button)
        self._on_taxa(self.selection.taxa)
        self.show_status("")
        # Counting many columns waits until the letters are painted, because both are limited by memory.
        if picture.is_waiting and not same:
            self._counting.cancel()
            self._rest_timer.start()
        else:
            self._count_in_thread()
        if behind and not same:
            self.colours.recolour()
        self.lines_changed.emit()

    def _count_in_thread(self) -> None:
        """Start a thread for counts and track values that painting waits for."""
        self._rest_timer.stop()
        picture, shown = self.picture, list(self.canvas.shown_tracks)
        if picture is None or not picture.is_waiting:
            self._counting.cancel()
            return
        differing = self.canvas.letters == "differences" and "differences" not in picture.tracks
        there = picture.columns is not None and picture.sample is not None
        if not there or tracks.missing_tracks(picture, shown) or differing:
            asked, work = replace(picture), self._counts.counting_task(picture.alignment)
            self._counting.request(lambda monitor: tracks.compute_tracks(asked, work, shown, differing, monitor))
        else:
            self._counting.cancel()

    def _take_counts(self, made: AlignmentPicture) -> None:
        if self.picture is None or self.picture.alignment is not made.alignment:
            return
        self.picture.columns, self.picture.sample = made.columns, made.sample
        self._counts.store_counts(made.alignment, made.columns)
        self.picture.is_waiting = len(made.columns) > column_counter.MAX_COLUMNS_AT_ONCE
        self.picture.tracks.update(made.tracks)
        self.colours.recolour()

    def _on_colours(self, picture: AlignmentPicture) -> None:
        self.canvas.repaint_all()
        self.overview.show_picture(picture)
        self._legend.show_items(status_text.make_legend(picture, not self.editor.has_original_letters))
        self.lines_changed.emit()

    def _on_point(self, cell: tuple[int, int] | None) -> None:
        self.selection.hover_column(cell[1] if cell else None)
        self.status.setText(status_text.describe_cell(self.picture, cell))

    def _on_track(self, place: tuple[str, int] | None) -> None:
        """Tell the value of a track at a column."""
        text = status_text.describe_track(self.picture, *place) if place is not None and self.picture else ""
        if text:
            self.selection.hover_column(place[1])
            self.status.setText(text)
        self.canvas.viewport().setToolTip(text)

    def _on_selection(self) -> None:
        picture = self.picture
        if picture is not None and self.scheme == "row":
            self.colours.recolour()
        self.show_status("")
        if picture is not None and not self._sending_taxa:
            self._sending_taxa = True
            whole = picture.cell_selection.has_whole_rows and not picture.has_whole_columns
            rows = np.flatnonzero(picture.cell_selection.rows).tolist() if whole else []
            self.selection.choose_taxa(self.alignment.names[row] for row in rows)
            self._sending_taxa = False

    def _on_taxa(self, names: frozenset[str]) -> None:
        self.canvas.marked_taxa = names
        self.canvas.viewport().update()

    def _on_overview(self, cell: tuple[float, float]) -> None:
        frame = self.canvas.frame_
        if self.canvas.wrapped:
            self.canvas.scroll_to(0, int(cell[1]))
            return
        frame.first_row = cell[0] - frame.height / frame.cell_height / 2
        frame.first_column = cell[1] - frame.width / frame.cell_width / 2
        self.canvas.repaint_all()
