"""Commands that align: realign selected cells, add sequences, merge with or append another alignment."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import replace

import numpy as np
from PySide6.QtGui import QGuiApplication

from antidiag.app.kit import ask
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.base_view import BaseAlignmentView
from antidiag.app.views.aligned.export import alignment_text
from antidiag.app.views.aligned.status_text import format_percent
from antidiag.kernels.alignments import alignment_edits
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io import aligned_sequences, sequences
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import realignment
from antidiag.kernels.text import format_count

RealignEdit = tuple[str, AlignedSequences, AlignedSequences]
"""The description of an edit, the alignment before it and the alignment after it."""


class RealignCommands:
    """Run one alignment method at a time on a thread; a result is dropped if the alignment was edited meanwhile."""

    def __init__(self, view: BaseAlignmentView) -> None:
        self._view = view
        self._working = LatestTask(
            view,
            self._take_result,
            self._show_error,
            lambda state: view.show_status(f"{state[2]} {format_percent(*state)}"),
        )
        view.alignment_changed.connect(self._working.cancel)

    @property
    def busy(self) -> bool:
        """Whether a realignment is running."""
        return self._working.busy

    def cancel_work(self) -> None:
        """Cancel the realignment."""
        self._working.cancel()
        self._view.show_status("Stopped.")

    def find_methods(self) -> list[Method]:
        """Return methods that take as many sequences as the selected block has rows with letters."""
        place = self._selected_region()
        if place is None:
            return []
        rows, first, last = place
        part = self._alignment.letters[rows, first:last]
        return realignment.realigning_methods(int((part != GAP).any(axis=1).sum()))

    def realign_cells(self, method: Method) -> None:
        """Realign the selected block by a method; other rows and columns stay."""
        place, alignment = self._selected_region(), self._alignment
        if place is None:
            self._view.show_status("Select one block of cells in two or more rows to realign.")
            return
        what = f"realigning by {method.name}"
        self._start_work(what, lambda monitor: realignment.realign_block(alignment, method, *place, monitor))

    def realign_rows(self) -> None:
        """Realign the selected rows to all other rows, one after another."""
        alignment, rows = self._alignment, np.flatnonzero(self._view.picture.cell_selection.rows)
        if not rows.size:
            self._view.show_status("Select rows to realign.")
            return
        self._start_work(
            "realigning rows", lambda monitor: realignment.realign_rows_to_others(alignment, rows, monitor)
        )

    def ask_sequences(self) -> None:
        """Ask for a sequence file and align its sequences to the rows."""
        ask.open_and_use(
            self._view,
            "Add sequences",
            "Sequences (*)",
            lambda path: self.add_sequences(sequences.read_sequences(path)),
        )

    def add_from_clipboard(self) -> None:
        """Align the sequences on the clipboard to the rows."""
        try:
            self.add_sequences(sequences.read_sequence_text(QGuiApplication.clipboard().text()))
        except InputError as error:
            self._view.show_status(str(error))

    def add_sequences(self, records: Sequences[Sequence]) -> None:
        """Align sequences to the rows one after another and append them as rows."""
        alignment = self._alignment
        what = f"adding {format_count(len(records), 'sequence')}"
        self._start_work(what, lambda monitor: realignment.add_sequences(alignment, records, monitor))

    def ask_merge(self) -> None:
        """Ask for an alignment file and align its columns to these."""
        ask.open_and_use(
            self._view,
            "Merge alignments",
            "Alignments (*)",
            lambda path: self.merge_with(aligned_sequences.read_alignments(path)[0]),
        )

    def merge_with(self, other: AlignedSequences) -> None:
        """Align the columns of another alignment to these and append its rows."""
        alignment = self._alignment
        self._start_work(
            f"merging with {other.name}", lambda monitor: realignment.merge_alignments(alignment, other, monitor)
        )

    def ask_append(self) -> None:
        """Ask for an alignment file and append its columns, row by row."""
        ask.open_and_use(
            self._view,
            "Append columns",
            "Alignments (*)",
            lambda path: self.append_columns(aligned_sequences.read_alignments(path)[0]),
        )

    def append_columns(self, other: AlignedSequences) -> None:
        """Append the columns of another alignment, rows matched by name; InputError if no name matches."""
        alignment = self._alignment
        self._apply_edit(("appending columns", alignment, realignment.append_columns(alignment, other)))

    def split_off(self) -> None:
        """Move the selected rows or columns into an alignment of their own among the data."""
        picture, alignment = self._view.picture, self._alignment
        choice = picture.cell_selection
        by_columns = picture.has_whole_columns
        if choice.is_empty or not (by_columns or choice.has_whole_rows) or (choice.rows.all() and choice.columns.all()):
            self._view.show_status(
                "Select some whole rows (click names) or whole columns (drag in the ruler) to split off."
            )
            return
        part = replace(alignment_text.extract_shown(picture), name=f"{alignment.name}, part")
        if by_columns:
            self._view.exporter.offer_alignment(part, self._view.datum_offered.emit)
            self._apply_edit(("splitting", alignment, alignment_edits.delete_columns(alignment, choice.columns)))
            return
        kept = ~choice.rows
        order = self._view.editor.state.order
        part = alignment_edits.delete_columns(part, alignment_edits.gap_columns(part))
        self._view.exporter.offer_alignment(part, self._view.datum_offered.emit)
        after = alignment_edits.take_rows(alignment, np.flatnonzero(kept))
        self._view.editor.apply_edit("splitting", after, (np.cumsum(kept) - 1)[order[kept[order]]])

    @property
    def _alignment(self) -> AlignedSequences:
        return self._view.editor.state.alignment

    def _selected_region(self) -> tuple[np.ndarray, int, int] | None:
        """Return the selected rows and the range of their columns; None unless they are one block of two or more
        rows."""
        choice = self._view.picture.cell_selection
        if choice.is_empty or not choice.is_single_block or choice.rows.sum() < 2:
            return None
        columns = np.flatnonzero(choice.columns)
        return np.flatnonzero(choice.rows), int(columns[0]), int(columns[-1]) + 1

    def _start_work(self, description: str, work: Callable[[Monitor], AlignedSequences]) -> None:
        before = self._alignment
        self._view.show_status(f"{description.capitalize()} ...")
        self._working.request(lambda monitor: (description, before, work(monitor)))

    def _take_result(self, made: RealignEdit) -> None:
        if made[1] is not self._alignment:
            self._view.show_status(f"Result dropped ({made[0]}): the alignment was edited meanwhile. Try again.")
            return
        self._apply_edit(made)
        self._view.show_status(f"Done: {made[0]}.")

    def _apply_edit(self, made: RealignEdit) -> None:
        what, before, after = made
        order, count = self._view.editor.state.order, len(before.names)
        new = np.arange(count, len(after.names))
        self._view.editor.apply_edit(what, after, np.concatenate((order, new)))

    def _show_error(self, error: Exception) -> None:
        self._view.show_status("")
        if isinstance(error, AntidiagError):  # others have been reported
            ask.dialogs.show_warning(self._view, "Align", str(error))
