"""What a person does to the alignment on the screen: gaps, columns, rows and letters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QInputDialog, QMessageBox

from antidiag.app.views.aligned.choice import Block, ranges
from antidiag.app.views.aligned.row_commands import RowCommands
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_edits
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.cpu_tiles import WIDTH
from antidiag.kernels.model import SequenceType
from antidiag.kernels.text import counted

TRIM = 50
Edited = tuple[AlignedSequences, np.ndarray | None]
TYPING_WARNING = (
    "Typed letters take the place of those in the alignment, which then is no longer that of the file's sequences. "
    "Gaps and moves never change letters. Type letters over others?"
)


class Commands(RowCommands):
    """Commands act on the chosen cells, block by block, or on the cell at the cursor where none are."""

    def __init__(self, view: ShownAlignment) -> None:
        super().__init__(view)
        self.typing = False
        self._to_move = 0

    def stop(self) -> None:
        self._to_move = 0
        super().stop()

    def insert_gap(self) -> None:
        """A gap before the cursor, or before each chosen block, in its rows."""
        blocks, alignment = self._blocks(), self._alignment
        places = [(self._moved_rows(block), int(block.columns.argmax())) for block in _from_the_right(blocks)]
        steps = [1 + sum(_beside(block, other) for other in blocks) for block in blocks]

        def make() -> Edited:
            after = alignment
            for rows, column in places:
                after = aligned_edits.insert_gaps(after, rows, column)
            return after, None

        self._edit("inserting gaps", make, self._shifting(steps), merge=True, touched=self._touched(places))

    def delete_gap(self, before: bool = True) -> None:
        """The gap before the cursor or before each chosen block, or the one at it, in its rows."""
        blocks, alignment = self._blocks(), self._alignment
        places = [(self._moved_rows(block), int(block.columns.argmax()) - before) for block in _from_the_right(blocks)]
        steps = [-before * (1 + sum(_beside(block, other) for other in blocks)) for block in blocks]
        if min(column for _, column in places) < 0:
            return

        def make() -> Edited:
            after = alignment
            for rows, column in places:
                found = aligned_edits.delete_gaps(after, rows, column)
                if found is after:
                    raise InputError("There is a letter; only gaps are deleted so.")
                after = found
            return after, None

        self._edit("deleting gaps", make, self._shifting(steps), merge=True, touched=self._touched(places))

    def move(self, by: int) -> None:
        """The chosen blocks over the gaps beside them, all of them as far as each can go."""
        if self.busy:
            self._to_move += by
            return
        blocks = self._view.picture.choice.blocks
        if not blocks or any(len(ranges(block.columns)) != 1 for block in blocks):
            self._view.say("Choose one stretch of columns to move." if blocks else "Choose cells to move.")
            return
        alignment, ordered = self._alignment, _from_the_right(blocks)[:: 1 if by > 0 else -1]
        places = [(self._moved_rows(block), *ranges(block.columns)[0]) for block in ordered]
        free = min(aligned_edits.free_columns(alignment, *place, by) for place in places)
        if not free:
            self._view.say("No gaps beside the chosen cells in all of their rows.")
            return
        step = free if by > 0 else -free

        def make() -> Edited:
            after = alignment
            for rows, first, last in places:
                after = aligned_edits.move(after, rows, first, last, step)
            return after, None

        touched = sum(rows.size * (last - first + 2 * abs(step) + WIDTH) for rows, first, last in places)
        self._edit("moving cells", make, self._shifting([step] * len(blocks)), merge=True, touched=touched)

    def _touched(self, places: list[tuple[np.ndarray, int]]) -> int:
        """Letters that move where gaps come or go in rows, from a column on."""
        rows, columns = self._alignment.letters.shape
        return sum(min(some.size, rows - some.size) * (columns - first) for some, first in places)

    def insert_column(self) -> None:
        alignment, column, blocks = self._alignment, self._first_column(), len(self._blocks())
        self._edit("inserting a column", lambda: (aligned_edits.insert_columns(alignment, column), None),
                   self._shifting([1] * blocks), touched=0)  # fmt: skip

    def delete(self) -> None:
        """The chosen rows where all of their columns are chosen, else the chosen columns of all rows, if that is
        meant: cells of some rows cannot go without moving the others."""
        picture = self._view.picture
        if picture.choice.empty:
            self.delete_gap(before=False)
        elif picture.choice.whole_rows and not picture.whole_columns:
            self._take_rows("deleting rows", ~picture.choice.rows)
        elif picture.whole_columns:
            self._delete_columns()
        elif self._all_gaps():
            self._delete_gaps()
        else:
            self._view.say("Choose whole rows (by their names) or whole columns (in the ruler) to delete them; "
                           "chosen gaps go with Del.")  # fmt: skip

    def cut(self) -> None:
        self._view.taking.copy(".fasta")
        self.delete()

    def keep_only(self) -> None:
        """Only the chosen rows and columns."""
        choice, order = self._view.picture.choice, self._order
        if choice.empty:
            self._view.say("Choose cells to keep.")
            return
        alignment, kept = self._alignment, order[choice.rows[order]]

        def make() -> Edited:
            after = aligned_edits.delete_columns(aligned_edits.take_rows(alignment, kept), ~choice.columns)
            if not choice.single:
                after = aligned_edits.with_gaps(after, ~choice.cells(kept, np.flatnonzero(choice.columns)))
            return after, np.arange(kept.size)

        self._edit("keeping the chosen", make)

    def remove_gap_columns(self) -> None:
        """Columns that hold nothing but gaps."""
        self._remove("removing columns of gaps", aligned_edits.gap_columns, "column of gaps", "columns of gaps")

    def ask_trim(self) -> None:
        share, given = QInputDialog.getInt(
            self._view, "Trim columns", "Keep columns in which at least this share of rows has a letter (%):",
            TRIM, 1, 100,
        )  # fmt: skip
        if given:
            self.trim(share / 100)

    def trim(self, occupancy: float) -> None:
        """Without columns in which fewer rows than this share have a letter."""
        self._remove("trimming", lambda alignment: aligned_edits.sparse_columns(alignment, occupancy), "column")

    def mask(self) -> None:
        """X or N in place of the chosen letters."""
        alignment, blocks = self._alignment, self._view.picture.choice.blocks
        letter = "X" if alignment.type == SequenceType.PROTEIN else "N"

        def make() -> Edited:
            after = alignment
            for block in blocks:
                after = aligned_edits.set_letters(after, np.flatnonzero(block.rows), block.columns, letter)
            return after, None

        self._edit("masking", make, touched=int(sum(block.rows.sum() for block in blocks)) * alignment.letters.shape[1])

    def degap(self) -> None:
        alignment, rows = self._alignment, self._rows()
        self._edit("removing gaps", lambda: (aligned_edits.degap(alignment, rows), None),
                   touched=rows.size * alignment.letters.shape[1])  # fmt: skip

    def reverse_complement(self) -> None:
        alignment = self._alignment
        last = alignment.letters.shape[1] - 1
        self._edit("the reverse complement", lambda: (aligned_edits.reverse_complement(alignment), None),
                   self._following(lambda column: last - column))  # fmt: skip

    def translate(self, frame: int) -> None:
        alignment = self._alignment
        self._edit("translating", lambda: (aligned_edits.translate(alignment, frame), None),
                   self._following(lambda column: (column - frame) // 3))  # fmt: skip

    def _following(self, column_of: Callable[[int], int]) -> Callable[[bool], object]:
        """What follows an edit that put the columns elsewhere: the cursor goes with its letter, and is seen."""
        row, column = self._view.picture.cursor

        def done(changed: bool) -> None:
            if changed:
                self._view.canvas.go_to(row, column_of(column))

        return done

    def set_typing(self, on: bool) -> None:
        """Let letters be typed over others, if that is meant."""
        if on and not self.typing and not self.confirm_typing():
            return
        self.typing = on
        self._view.say("Letters are typed over others; gaps by Space." if on else "")

    def confirm_typing(self) -> bool:
        """Ask whether letters are to be changed."""
        buttons = QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.Cancel
        answer = QMessageBox.question(self._view, "Type letters", TYPING_WARNING, buttons)
        return answer == QMessageBox.StandardButton.Yes

    def type_key(self, event: QKeyEvent) -> None:
        """What a key does that is no movement."""
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
            self.delete()
        elif event.text().isascii() and event.text().isalpha():
            self._type(event.text().upper())

    def _type(self, letter: str) -> None:
        if not self.typing:
            self._view.say("Edit > Type letters over others lets letters be changed; Space inserts a gap.")
            return
        row, column = self._view.picture.cursor
        columns = np.zeros(self._alignment.letters.shape[1], bool)
        columns[column] = True
        rows = np.array([self._view.picture.order[row]])
        alignment = self._alignment
        self._edit("typing letters", lambda: (aligned_edits.set_letters(alignment, rows, columns, letter), None),
                   lambda _: self._view.canvas.step(row, column + 1), merge=True, touched=columns.size)  # fmt: skip

    def _blocks(self) -> tuple[Block, ...]:
        """The chosen blocks, or the cell at the cursor, which is that of every row of a collapsed clade."""
        picture = self._view.picture
        if not picture.choice.empty:
            return picture.choice.blocks
        rows, columns = (np.zeros(size, bool) for size in picture.alignment.letters.shape)
        rows[self._rows()], columns[picture.cursor[1]] = True, True
        return (Block(rows, columns),)

    def _moved_rows(self, block: Block) -> np.ndarray:
        """The rows in which cells move: with columns of all rows that are shown the hidden ones move too, as else they
        would no longer be aligned with them."""
        whole = block.rows[self._view.picture.order].all() and not self._view.picture.choice.empty
        return np.arange(len(self._alignment.names)) if whole else np.flatnonzero(block.rows)

    def _first_column(self) -> int:
        choice = self._view.picture.choice
        return self._view.picture.cursor[1] if choice.empty else int(choice.columns.argmax())

    def _all_gaps(self) -> bool:
        """Whether the chosen cells are gaps, which then are deleted from their rows."""
        letters = self._alignment.letters
        return all(
            bool((letters[np.ix_(np.flatnonzero(block.rows), np.flatnonzero(block.columns))] == GAP).all())
            for block in self._view.picture.choice.blocks
        )

    def _delete_columns(self) -> None:
        alignment, gone = self._alignment, self._view.picture.choice.columns
        hidden = len(alignment.names) - self._order.size
        where = f"in the {hidden:,} hidden rows" if hidden > 1 else "in the hidden row"
        told = f"{counted(int(gone.sum()), 'column')} deleted, {where} too."
        self._edit("deleting columns", lambda: (aligned_edits.delete_columns(alignment, gone), None),
                   lambda changed: self._view.say(told if changed and hidden else ""), touched=0)  # fmt: skip

    def _delete_gaps(self) -> None:
        alignment, blocks = self._alignment, _from_the_right(self._view.picture.choice.blocks)

        def make() -> Edited:
            after = alignment
            for block in blocks:
                for first, last in reversed(ranges(block.columns)):
                    after = aligned_edits.delete_gaps(after, np.flatnonzero(block.rows), first, last - first)
            return after, None

        touched = sum(int(block.rows.sum()) for block in blocks) * alignment.letters.shape[1]
        self._edit("deleting gaps", make, touched=touched)

    def _remove(self, what: str, columns: Callable[[AlignedSequences], np.ndarray], called: str,
                many: str = "") -> None:  # fmt: skip
        """Delete the columns of a mask, and say how many there were, as ``called``, or as ``many``."""
        alignment, found = self._alignment, [0]

        def make() -> Edited:
            gone = columns(alignment)
            found[0] = int(gone.sum())
            return aligned_edits.delete_columns(alignment, gone), None

        self._edit(what, make, lambda _: self._view.say(f"{counted(found[0], called, many)} removed."))

    def _take_rows(self, what: str, kept: np.ndarray) -> None:
        order = self._order
        rows = np.flatnonzero(kept)
        if not rows.size:
            self._view.say("No row would be left.")
            return
        alignment, after = self._alignment, (np.cumsum(kept) - 1)[order[kept[order]]]
        self._edit(what, lambda: (aligned_edits.take_rows(alignment, rows), after), touched=0)

    def _shifting(self, steps: list[int]) -> Callable[[bool], None]:
        """What follows an edit that moved the chosen blocks by so many columns."""

        def done(changed: bool) -> None:
            if changed:
                self._shift(steps)
            further, self._to_move = self._to_move, 0
            if further:
                self.move(further)

        return done

    def _shift(self, steps: list[int]) -> None:
        """Cursor and chosen blocks go with what was moved, and where keys choose from."""
        picture, canvas = self._view.picture, self._view.canvas
        last = picture.shape[1] - 1
        picture.cursor, canvas.anchor = (
            (line, min(max(column + steps[0], 0), last)) for line, column in (picture.cursor, canvas.anchor)
        )
        if not picture.choice.empty:
            picture.choice = picture.choice.moved(steps)
        canvas.viewport().update()
        self._view.say("")


def _from_the_right(blocks: tuple[Block, ...]) -> list[Block]:
    """Blocks such that what is done to one leaves those after it where they are."""
    return sorted(blocks, key=lambda block: -int(block.columns.argmax()))


def _beside(block: Block, other: Block) -> bool:
    """Whether another block lies left of one, in some of its rows."""
    return bool(other.columns.argmax() < block.columns.argmax() and (other.rows & block.rows).any())
