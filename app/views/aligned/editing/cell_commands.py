"""Commands that edit gaps, columns and letters of the shown alignment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from antidiag.app.kit import ask
from antidiag.app.views.aligned.base_view import BaseAlignmentView
from antidiag.app.views.aligned.editing.cell_selection import CellBlock, find_ranges
from antidiag.app.views.aligned.editing.row_commands import RowCommands
from antidiag.kernels.alignments import alignment_edits
from antidiag.kernels.alignments.cpu_blocks import BLOCK_WIDTH
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences, with_type
from antidiag.kernels.model import SequenceType
from antidiag.kernels.text import format_count

DEFAULT_OCCUPANCY = 50
EditResult = tuple[AlignedSequences, np.ndarray | None]
"""An alignment and its row order, or None if the order stays."""
TYPING_WARNING = (
    "Typed letters replace letters of the alignment, so it will differ from the sequences in its file. "
    "Editing gaps never changes letters. Allow typing over letters?"
)


class CellCommands(RowCommands):
    """Commands act on the selected blocks, or on the cell at the cursor if nothing is selected."""

    def __init__(self, view: BaseAlignmentView) -> None:
        super().__init__(view)
        self.typing = False
        self._to_move = 0

    def stop_edit(self) -> None:
        """Stop the current edit."""
        self._to_move = 0
        super().stop_edit()

    def insert_gap(self) -> None:
        """Insert a gap before the cursor, or before each selected block in its rows."""
        blocks, alignment = self._selected_blocks(), self._alignment
        places = [(self._moved_rows(block), int(block.columns.argmax())) for block in _sort_right_to_left(blocks)]
        steps = [1 + sum(_lies_right_of(block, other) for other in blocks) for block in blocks]

        def make() -> EditResult:
            after = alignment
            for rows, column in places:
                after = alignment_edits.insert_gaps(after, rows, column)
            return after, None

        self._run_edit(
            "inserting gaps",
            make,
            self._selection_shifter(steps),
            merge=True,
            touched_letters=self._count_moved_letters(places),
        )

    def delete_gap(self, before: bool = True) -> None:
        """Delete the gap before the cursor or before each selected block, or the gap at it."""
        blocks, alignment = self._selected_blocks(), self._alignment
        places = [
            (self._moved_rows(block), int(block.columns.argmax()) - before) for block in _sort_right_to_left(blocks)
        ]
        steps = [-before * (1 + sum(_lies_right_of(block, other) for other in blocks)) for block in blocks]
        if min(column for _, column in places) < 0:
            return

        def make() -> EditResult:
            after = alignment
            for rows, column in places:
                found = alignment_edits.delete_gaps(after, rows, column)
                if found is after:
                    raise InputError("This cell holds a letter; only gaps can be deleted here.")
                after = found
            return after, None

        self._run_edit(
            "deleting gaps",
            make,
            self._selection_shifter(steps),
            merge=True,
            touched_letters=self._count_moved_letters(places),
        )

    def move_cells(self, by: int) -> None:
        """Move the selected blocks over the gaps beside them, all by as much as each can move."""
        if self.busy:
            self._to_move += by
            return
        blocks = self._view.picture.cell_selection.blocks
        if not blocks or any(len(find_ranges(block.columns)) != 1 for block in blocks):
            self._view.show_status("Select adjacent columns to move." if blocks else "Select cells to move.")
            return
        alignment, ordered = self._alignment, _sort_right_to_left(blocks)[:: 1 if by > 0 else -1]
        places = [(self._moved_rows(block), *find_ranges(block.columns)[0]) for block in ordered]
        free = min(alignment_edits.free_columns(alignment, *place, by) for place in places)
        if not free:
            self._view.show_status("The selected cells cannot move: some of their rows have no gap beside them.")
            return
        step = free if by > 0 else -free

        def make() -> EditResult:
            after = alignment
            for rows, first, last in places:
                after = alignment_edits.move_cells(after, rows, first, last, step)
            return after, None

        touched = sum(rows.size * (last - first + 2 * abs(step) + BLOCK_WIDTH) for rows, first, last in places)
        self._run_edit(
            "moving cells", make, self._selection_shifter([step] * len(blocks)), merge=True, touched_letters=touched
        )

    def _count_moved_letters(self, places: list[tuple[np.ndarray, int]]) -> int:
        rows, columns = self._alignment.letters.shape
        return sum(min(some.size, rows - some.size) * (columns - first) for some, first in places)

    def insert_column(self) -> None:
        """Insert a column of gaps."""
        alignment, column, blocks = self._alignment, self._first_column(), len(self._selected_blocks())
        insert = partial(alignment_edits.insert_columns, alignment, column)
        self._run_edit(
            "inserting a column", lambda: (insert(), None), self._selection_shifter([1] * blocks), touched_letters=0
        )

    def delete_selected(self) -> None:
        """Delete selected whole rows, whole columns or gaps; other cells cannot go without moving the rest."""
        picture = self._view.picture
        if picture.cell_selection.is_empty:
            self.delete_gap(before=False)
        elif picture.cell_selection.has_whole_rows and not picture.has_whole_columns:
            self._keep_rows("deleting rows", ~picture.cell_selection.rows)
        elif picture.has_whole_columns:
            self._delete_selected_columns()
        elif self._only_gaps_selected():
            self._delete_selected_gaps()
        else:
            self._view.show_status(
                "Select only gaps, whole rows (click names) or whole columns (drag in the ruler) to delete."
            )

    def cut_selected(self) -> None:
        """Copy the selected cells as FASTA and delete them."""
        self._view.exporter.copy_text(".fasta")
        self.delete_selected()

    def keep_only(self) -> None:
        """Keep only the selected rows and columns."""
        choice, order = self._view.picture.cell_selection, self._order
        if choice.is_empty:
            self._view.show_status("Select cells to keep.")
            return
        alignment, kept = self._alignment, order[choice.rows[order]]

        def make() -> EditResult:
            after = alignment_edits.delete_columns(alignment_edits.take_rows(alignment, kept), ~choice.columns)
            if not choice.is_single_block:
                after = alignment_edits.replace_with_gaps(
                    after, ~choice.mask_cells(kept, np.flatnonzero(choice.columns))
                )
            return after, np.arange(kept.size)

        self._run_edit("keeping the selected cells", make)

    def remove_gap_columns(self) -> None:
        """Remove columns that hold nothing but gaps."""
        self._remove_columns(
            "removing columns of gaps", alignment_edits.gap_columns, "column of gaps", "columns of gaps"
        )

    def ask_trim(self) -> None:
        """Ask for the least occupancy and trim columns."""
        question = "Keep columns in which at least this share of rows has a letter (%):"
        share = ask.dialogs.ask_number(self._view, "Trim columns", question, DEFAULT_OCCUPANCY, 1, 100)
        if share is not None:
            self.trim_columns(share / 100)

    def trim_columns(self, occupancy: float) -> None:
        """Remove columns in which a smaller share of rows than ``occupancy`` has a letter."""
        self._remove_columns(
            "trimming", lambda alignment: alignment_edits.sparse_columns(alignment, occupancy), "column"
        )

    def mask_letters(self) -> None:
        """Replace the selected letters by X or N."""
        alignment, blocks = self._alignment, self._view.picture.cell_selection.blocks
        letter = "X" if alignment.type == SequenceType.PROTEIN else "N"

        def make() -> EditResult:
            after = alignment
            for block in blocks:
                after = alignment_edits.set_letters(after, np.flatnonzero(block.rows), block.columns, letter)
            return after, None

        self._run_edit(
            "masking", make, touched_letters=int(sum(block.rows.sum() for block in blocks)) * alignment.letters.shape[1]
        )

    def remove_gaps(self) -> None:
        """Remove all gaps from the selected rows."""
        alignment, rows = self._alignment, self._target_rows()
        touched = rows.size * alignment.letters.shape[1]
        self._run_edit(
            "removing gaps", lambda: (alignment_edits.remove_gaps(alignment, rows), None), touched_letters=touched
        )

    def reverse_complement(self) -> None:
        """Replace the alignment by its reverse complement."""
        alignment = self._alignment
        last = alignment.letters.shape[1] - 1
        follow = self._cursor_follower(lambda column: last - column)
        self._run_edit("the reverse complement", lambda: (alignment_edits.reverse_complement(alignment), None), follow)

    def translate_codons(self, frame: int) -> None:
        """Translate nucleotides to amino acids in a frame from 0."""
        alignment = self._alignment
        follow = self._cursor_follower(lambda column: (column - frame) // 3)
        self._run_edit("translating", lambda: (alignment_edits.translate_columns(alignment, frame), None), follow)

    def set_type(self, type: SequenceType) -> None:
        """Set the type of the letters; a message says which letter does not belong to it."""
        alignment = self._alignment
        self._run_edit(f"the type {type}", lambda: (with_type(alignment, type), None))

    def _cursor_follower(self, column_of: Callable[[int], int]) -> Callable[[bool], object]:
        """Return a callback that moves the cursor with its letter after an edit that moved columns."""
        row, column = self._view.picture.cursor

        def done(changed: bool) -> None:
            if changed:
                self._view.canvas.go_to(row, column_of(column))

        return done

    def set_typing(self, on: bool) -> None:
        """Allow typing letters over others after a confirmation."""
        if on and not self.typing and not self.confirm_typing():
            return
        self.typing = on
        self._view.show_status("Typing replaces letters; Space inserts a gap." if on else "")

    def confirm_typing(self) -> bool:
        """Ask whether letters may be changed."""
        return ask.dialogs.confirm(self._view, "Type letters", TYPING_WARNING)

    def type_key(self, event: QKeyEvent) -> None:
        """Run the edit that a key stands for."""
        if event.matches(QKeySequence.StandardKey.Undo):
            self._view.editor.undo()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self._view.editor.redo()
        elif event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Minus) and not event.modifiers():
            self.insert_gap()
        elif event.key() == Qt.Key.Key_F2:
            self.ask_name()
        elif event.key() == Qt.Key.Key_Backspace:
            self.delete_gap()
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_selected()
        elif event.text().isascii() and event.text().isalpha():
            self._type_letter(event.text().upper())

    def _type_letter(self, letter: str) -> None:
        if not self.typing:
            self._view.show_status(
                "Letters are protected; allow typing with Edit > Type over letters. Space inserts a gap."
            )
            return
        row, column = self._view.picture.cursor
        columns = np.zeros(self._alignment.letters.shape[1], bool)
        columns[column] = True
        rows = np.array([self._view.picture.order[row]])
        type_letter = partial(alignment_edits.set_letters, self._alignment, rows, columns, letter)

        def step_on(_: bool) -> None:
            self._view.canvas.move_cursor(row, column + 1)

        self._run_edit(
            "typing letters", lambda: (type_letter(), None), step_on, merge=True, touched_letters=columns.size
        )

    def _selected_blocks(self) -> tuple[CellBlock, ...]:
        """Return the selected blocks, or the cell at the cursor in all rows of its line."""
        picture = self._view.picture
        if not picture.cell_selection.is_empty:
            return picture.cell_selection.blocks
        rows, columns = (np.zeros(size, bool) for size in picture.alignment.letters.shape)
        rows[self._target_rows()], columns[picture.cursor[1]] = True, True
        return (CellBlock(rows, columns),)

    def _moved_rows(self, block: CellBlock) -> np.ndarray:
        whole = block.rows[self._view.picture.order].all() and not self._view.picture.cell_selection.is_empty
        return np.arange(len(self._alignment.names)) if whole else np.flatnonzero(block.rows)

    def _first_column(self) -> int:
        choice = self._view.picture.cell_selection
        return self._view.picture.cursor[1] if choice.is_empty else int(choice.columns.argmax())

    def _only_gaps_selected(self) -> bool:
        """Whether all selected cells are gaps."""
        letters = self._alignment.letters
        return all(
            bool((letters[np.ix_(np.flatnonzero(block.rows), np.flatnonzero(block.columns))] == GAP).all())
            for block in self._view.picture.cell_selection.blocks
        )

    def _delete_selected_columns(self) -> None:
        alignment, gone = self._alignment, self._view.picture.cell_selection.columns
        hidden = len(alignment.names) - self._order.size
        text = f"{format_count(int(gone.sum()), 'column')} deleted, also in {format_count(hidden, 'hidden row')}."

        def report(changed: bool) -> None:
            self._view.show_status(text if changed and hidden else "")

        self._run_edit(
            "deleting columns",
            lambda: (alignment_edits.delete_columns(alignment, gone), None),
            report,
            touched_letters=0,
        )

    def _delete_selected_gaps(self) -> None:
        alignment, blocks = self._alignment, _sort_right_to_left(self._view.picture.cell_selection.blocks)

        def make() -> EditResult:
            after = alignment
            for block in blocks:
                for first, last in reversed(find_ranges(block.columns)):
                    after = alignment_edits.delete_gaps(after, np.flatnonzero(block.rows), first, last - first)
            return after, None

        touched = sum(int(block.rows.sum()) for block in blocks) * alignment.letters.shape[1]
        self._run_edit("deleting gaps", make, touched_letters=touched)

    def _remove_columns(
        self, what: str, columns: Callable[[AlignedSequences], np.ndarray], singular: str, plural: str = ""
    ) -> None:
        """Delete the columns of a mask and report their number."""
        alignment, found = self._alignment, [0]

        def make() -> EditResult:
            gone = columns(alignment)
            found[0] = int(gone.sum())
            return alignment_edits.delete_columns(alignment, gone), None

        self._run_edit(
            what, make, lambda _: self._view.show_status(f"{format_count(found[0], singular, plural)} removed.")
        )

    def _keep_rows(self, what: str, kept: np.ndarray) -> None:
        order = self._order
        rows = np.flatnonzero(kept)
        if not rows.size:
            self._view.show_status("At least one row must stay; select fewer.")
            return
        alignment, after = self._alignment, (np.cumsum(kept) - 1)[order[kept[order]]]
        self._run_edit(what, lambda: (alignment_edits.take_rows(alignment, rows), after), touched_letters=0)

    def _selection_shifter(self, steps: list[int]) -> Callable[[bool], None]:
        """Return a callback that moves the cursor and the selected blocks after an edit."""

        def done(changed: bool) -> None:
            if changed:
                self._shift_selection(steps)
            further, self._to_move = self._to_move, 0
            if further:
                self.move_cells(further)

        return done

    def _shift_selection(self, steps: list[int]) -> None:
        """Move cursor, anchor and selected blocks by so many columns."""
        picture, canvas = self._view.picture, self._view.canvas
        last = picture.shape[1] - 1
        picture.cursor, canvas.anchor = (
            (line, min(max(column + steps[0], 0), last)) for line, column in (picture.cursor, canvas.anchor)
        )
        if not picture.cell_selection.is_empty:
            picture.cell_selection = picture.cell_selection.move_blocks(steps)
        canvas.viewport().update()
        self._view.show_status("")


def _sort_right_to_left(blocks: tuple[CellBlock, ...]) -> list[CellBlock]:
    return sorted(blocks, key=lambda block: -int(block.columns.argmax()))


def _lies_right_of(block: CellBlock, other: CellBlock) -> bool:
    return bool(other.columns.argmax() < block.columns.argmax() and (other.rows & block.rows).any())
