"""Commands that sort, group, hide, name and annotate the rows, and the base of all commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.app.kit import ask
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.base_view import BaseAlignmentView
from antidiag.app.views.aligned.status_text import format_missing_rows, format_percent
from antidiag.kernels.alignments import alignment_edits, block_edits, row_notes, row_statistics
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tree_files
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import format_count

TAG_NAME = "tag"
MAX_LETTERS_AT_ONCE = 1 << 24
"""Most letters that an edit may touch to be made at once; larger edits are made on a thread."""

MakeEdit = Callable[[], tuple[AlignedSequences, np.ndarray | None]]


class RowCommands:
    """Commands act on the selected rows, or on the row at the cursor if none is selected."""

    def __init__(self, view: BaseAlignmentView) -> None:
        self._view = view
        self._making = LatestTask(view, self._take_edit, self._show_error, self._show_progress)
        view.canvas.is_working = lambda: self.busy
        view.canvas.stop_requested.connect(self.stop_edit)
        self._what = ""
        """The edit that is running."""

    @property
    def busy(self) -> bool:
        """Whether an edit of a large alignment is running."""
        return self._making.busy

    def stop_edit(self) -> None:
        """Stop the running edit; the alignment stays as it is."""
        self._making.cancel()
        self._view.show_status(f"Stopped: {self._what}.")

    def sort_rows(self, by: str) -> None:
        """Sort by "name", "length", "start", "identity" to the row at the cursor, or in the order of the "file"."""
        alignment, order = self._alignment, self._order
        after = np.sort(order) if by == "file" else row_statistics.sort_rows(alignment, order, by, self._cursor_row())
        self._view.editor.apply_edit("sorting", alignment, after)

    def sort_by_note(self, tag: str) -> None:
        """Sort by a note: numbers as numbers, rows without it last."""
        after = row_notes.sort_rows_by_note(self._alignment, self._order, tag)
        self._view.editor.apply_edit("sorting", self._alignment, after)

    def sort_by_selection(self) -> None:
        """Sort by the letters of the selected columns, most frequent first, then alphabetically."""
        columns = np.flatnonzero(self._view.picture.cell_selection.columns)
        if not columns.size:
            self._view.show_status("Select columns to sort by.")
            return
        after = row_statistics.sort_by_letters(self._alignment, self._order, columns)
        self._view.editor.apply_edit("sorting", self._alignment, after)

    def ask_tree(self) -> None:
        """Ask for a tree file and sort the rows by its leaves."""
        ask.open_and_use(
            self._view, "Sort by tree", "Trees (*)", lambda path: self.sort_by_tree(tree_files.read_trees(path)[0])
        )

    def sort_by_tree(self, tree: Tree) -> None:
        """Sort the rows by the leaves of a tree, other rows last; InputError if no leaf is a row."""
        after, lacking = row_statistics.order_by_names(self._alignment, self._order, tree.taxa, tree.name)
        self._view.editor.apply_edit("sorting", self._alignment, after)
        if lacking:
            self._view.show_status(format_missing_rows(lacking, after.size))

    def group_selected(self) -> None:
        """Move the selected rows to the top."""
        order, chosen = self._order, self._selected_rows
        self._view.editor.apply_edit(
            "grouping", self._alignment, np.concatenate((order[chosen[order]], order[~chosen[order]]))
        )
        self._view.canvas.go_to(0, self._view.picture.cursor[1])

    def hide_selected(self) -> None:
        """Hide the selected rows if others stay."""
        order, chosen = self._order, self._selected_rows
        if chosen[order].all():
            self._view.show_status("All rows are selected; select fewer, because one must stay.")
        else:
            self._view.editor.apply_edit("hiding rows", self._alignment, order[~chosen[order]])

    def show_only_selected(self) -> None:
        """Hide all but the selected rows."""
        order, chosen = self._order, self._selected_rows
        if chosen[order].any():
            self._view.editor.apply_edit("hiding rows", self._alignment, order[chosen[order]])

    def show_all(self) -> None:
        """Show all rows, those that were hidden last."""
        order = self._order
        hidden = np.ones(len(self._alignment.names), bool)
        hidden[order] = False
        self._view.editor.apply_edit("showing rows", self._alignment, np.concatenate((order, np.flatnonzero(hidden))))

    def ask_name(self) -> None:
        """Ask for another name of the row at the cursor."""
        name = self._alignment.names[self._cursor_row()]
        text = ask.dialogs.ask_text(self._view, "Rename", "Name of the row:", name)
        if text is not None:
            self.rename_row(text)

    def rename_row(self, name: str) -> None:
        """Rename the row at the cursor."""
        self._run_edit(
            "renaming",
            lambda: (alignment_edits.rename_row(self._alignment, self._cursor_row(), name), None),
            touched_letters=0,
        )

    def ask_tag(self) -> None:
        """Ask for a tag of the selected rows; an empty text removes theirs."""
        text = ask.dialogs.ask_text(self._view, "Tag", "Tag of the selected rows (empty: no tag):")
        if text is not None:
            self.tag_rows(text)

    def tag_rows(self, text: str) -> None:
        """Tag the selected rows and show the tags beside the names."""
        after = row_notes.set_note(self._alignment, self._target_rows(), TAG_NAME, text)
        if self._view.editor.apply_edit("tagging", after):
            self._view.show_note(TAG_NAME, True)

    def ask_table(self) -> None:
        """Ask for a table of notes and show its columns beside the names."""
        ask.open_and_use(self._view, "Notes", "Tables (*.csv *.tsv *.txt);;All (*)", self.add_table)

    def add_table(self, path: Path) -> None:
        """Show the columns of a table beside the names; InputError says what is wrong with it."""
        table = row_notes.read_note_table(path)
        after, met = row_notes.add_note_table(self._alignment, table, str(path))
        self._view.editor.apply_edit("adding notes", after)
        for tag in table.titles:
            self._view.show_note(tag, True)
        rows, others = len(self._alignment.names), len(table.values) - met
        more = f"; {format_count(others, 'line')} of the table match no row" if others else ""
        self._view.show_status(f"{format_count(len(table.titles), 'note')} for {met:,} of {rows:,} rows{more}.")

    def select_noted(self, tag: str) -> None:
        """Select all rows with the same note as the row at the cursor."""
        found = row_notes.notes_with_tag(self._alignment, tag)
        wanted = found.get(self._cursor_row())
        rows = np.zeros(len(self._alignment.names), bool)
        rows[[row for row in range(rows.size) if found.get(row) == wanted]] = True
        self._view.canvas.select_cells(rows, None)

    @property
    def _alignment(self) -> AlignedSequences:
        return self._view.editor.state.alignment

    @property
    def _order(self) -> np.ndarray:
        return self._view.editor.state.order

    @property
    def _selected_rows(self) -> np.ndarray:
        return self._view.picture.cell_selection.rows

    def _cursor_row(self) -> int:
        return int(self._view.picture.order[self._view.picture.cursor[0]])

    def _target_rows(self) -> np.ndarray:
        choice, place = self._view.picture.cell_selection, self._view.picture.cursor[0]
        line = self._view.picture.order[place : place + 1]
        return self._view.picture.list_rows(line) if choice.is_empty else np.flatnonzero(choice.rows)

    def _run_edit(
        self,
        description: str,
        make: MakeEdit,
        done: Callable[[bool], object] = bool,
        merge: bool = False,
        touched_letters: int | None = None,
    ) -> None:
        """Apply an edit: ``make`` returns an alignment and a row order or None; ``done(changed)`` runs afterwards. If
        it touches many letters (by default all), a thread makes it and no other edit starts until then."""
        before = self._alignment
        if (before.letters.size if touched_letters is None else touched_letters) <= MAX_LETTERS_AT_ONCE:
            try:
                self._take_edit((description, before, make(), done, merge))
            except InputError as error:
                self._view.show_status(str(error))
        elif self._making.busy:
            self._view.show_status("Another edit is running; try again when it is finished.")
        else:
            self._what = description
            self._view.show_status(f"{description.capitalize()} ... (Esc stops it)")
            self._making.request(lambda monitor: (description, before, _make_watched(make, monitor), done, merge))

    def _take_edit(self, made: tuple[str, AlignedSequences, Any, Callable[[bool], object], bool]) -> None:
        what, before, (after, order), done, merge = made
        if before is self._alignment:
            done(self._view.editor.apply_edit(what, after, order, merge=merge))
        else:
            self._view.show_status(f"Edit dropped ({what}): the alignment was changed meanwhile.")

    def _show_progress(self, state: tuple[int, int, str]) -> None:
        self._view.show_status(f"{self._what.capitalize()} ... {format_percent(*state)} (Esc stops it)")

    def _show_error(self, error: Exception) -> None:
        self._view.show_status(str(error))


def _make_watched(make: MakeEdit, monitor: Monitor) -> tuple[AlignedSequences, np.ndarray | None]:
    with block_edits.report_progress_to(monitor):
        return make()
