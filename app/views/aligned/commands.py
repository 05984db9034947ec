"""What a person does to the alignment on the screen: gaps, columns, rows and letters."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QInputDialog, QMessageBox

from app.views.aligned.choice import Block, ranges
from app.views.aligned.row_commands import RowCommands
from app.views.aligned.shown import ShownAlignment
from kernels.io import aligned_edits
from kernels.io.aligned import GAP
from kernels.model import SequenceType

TRIM = 50
TYPING_WARNING = (
    "Typed letters take the place of those in the alignment, which then is no longer that of the file's sequences. "
    "Gaps and moves never change letters. Type letters over others?"
)


class Commands(RowCommands):
    """Commands act on the chosen cells, block by block, or on the cell at the cursor where none are."""

    def __init__(self, view: ShownAlignment) -> None:
        super().__init__(view)
        self.typing = False

    def insert_gap(self) -> None:
        """A gap before the cursor, or before each chosen block, in its rows."""
        blocks, after = self._blocks(), self._alignment
        for block in _from_the_right(blocks):
            after = aligned_edits.insert_gaps(after, self._moved_rows(block), int(block.columns.argmax()))
        if self._do("inserting gaps", after, merge=True):
            self._shift([1 + sum(_beside(block, other) for other in blocks) for block in blocks])

    def delete_gap(self, before: bool = True) -> None:
        """The gap before the cursor or before each chosen block, or the one at it, in its rows."""
        blocks, after = self._blocks(), self._alignment
        for block in _from_the_right(blocks):
            column = int(block.columns.argmax()) - before
            found = after if column < 0 else aligned_edits.delete_gaps(after, self._moved_rows(block), column)
            if found is after:
                self._view.say("There is a letter; only gaps are deleted so." if column >= 0 else "")
                return
            after = found
        if self._do("deleting gaps", after, merge=True) and before:
            self._shift([-1 - sum(_beside(block, other) for other in blocks) for block in blocks])

    def move(self, by: int) -> None:
        """The chosen blocks over the gaps beside them, all of them as far as each can go."""
        blocks = self._view.picture.choice.blocks
        if not blocks or any(len(ranges(block.columns)) != 1 for block in blocks):
            self._view.say("Choose one stretch of columns to move." if blocks else "Choose cells to move.")
            return
        after, ordered = self._alignment, _from_the_right(blocks)[:: 1 if by > 0 else -1]
        places = [(self._moved_rows(block), *ranges(block.columns)[0]) for block in ordered]
        free = min(aligned_edits.free_columns(after, *place, by) for place in places)
        if not free:
            self._view.say("No gaps beside the chosen cells in all of their rows.")
            return
        step = free if by > 0 else -free
        for rows, first, last in places:
            after = aligned_edits.move(after, rows, first, last, step)
        self._do("moving cells", after, merge=True)
        self._shift([step] * len(blocks))

    def insert_column(self) -> None:
        after = aligned_edits.insert_columns(self._alignment, self._first_column())
        if self._do("inserting a column", after):
            self._shift([1] * len(self._blocks()))

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
        self._view.copy(".fasta")
        self.delete()

    def keep_only(self) -> None:
        """Only the chosen rows and columns."""
        choice, order = self._view.picture.choice, self._order
        if choice.empty:
            self._view.say("Choose cells to keep.")
            return
        kept = order[choice.rows[order]]
        after = aligned_edits.delete_columns(aligned_edits.take_rows(self._alignment, kept), ~choice.columns)
        if not choice.single:
            after = aligned_edits.with_gaps(after, ~choice.cells(kept, np.flatnonzero(choice.columns)))
        self._view.editor.do("keeping the chosen", after, np.arange(kept.size))

    def remove_gap_columns(self) -> None:
        """Columns that hold nothing but gaps."""
        gone = aligned_edits.gap_columns(self._alignment)
        remove = partial(aligned_edits.delete_columns, self._alignment, gone)
        if not gone.any() or self._try("removing columns of gaps", remove):
            self._view.say(f"{int(gone.sum()):,} columns of gaps removed.")

    def ask_trim(self) -> None:
        share, given = QInputDialog.getInt(
            self._view, "Trim columns", "Keep columns in which at least this share of rows has a letter (%):",
            TRIM, 1, 100,
        )  # fmt: skip
        if given:
            self.trim(share / 100)

    def trim(self, occupancy: float) -> None:
        """Without columns in which fewer rows than this share have a letter."""
        gone = aligned_edits.sparse_columns(self._alignment, occupancy)
        if self._try("trimming", lambda: aligned_edits.delete_columns(self._alignment, gone)):
            self._view.say(f"{int(gone.sum()):,} columns removed.")

    def mask(self) -> None:
        """X or N in place of the chosen letters."""
        letter, after = "X" if self._alignment.type == SequenceType.PROTEIN else "N", self._alignment
        for block in self._view.picture.choice.blocks:
            after = aligned_edits.set_letters(after, np.flatnonzero(block.rows), block.columns, letter)
        self._do("masking", after)

    def degap(self) -> None:
        self._do("removing gaps", aligned_edits.degap(self._alignment, self._rows()))

    def reverse_complement(self) -> None:
        self._try("the reverse complement", lambda: aligned_edits.reverse_complement(self._alignment))

    def translate(self, frame: int) -> None:
        self._try("translating", lambda: aligned_edits.translate(self._alignment, frame))

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
        self._do("typing letters", aligned_edits.set_letters(self._alignment, rows, columns, letter), merge=True)
        self._view.canvas.step(row, column + 1)

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
        gone, hidden = self._view.picture.choice.columns, len(self._alignment.names) - self._order.size
        if self._try("deleting columns", lambda: aligned_edits.delete_columns(self._alignment, gone)) and hidden:
            self._view.say(f"{int(gone.sum()):,} columns deleted, in the {hidden:,} hidden rows too.")

    def _delete_gaps(self) -> None:
        after = self._alignment
        for block in _from_the_right(self._view.picture.choice.blocks):
            for first, last in reversed(ranges(block.columns)):
                after = aligned_edits.delete_gaps(after, np.flatnonzero(block.rows), first, last - first)
        self._do("deleting gaps", after)

    def _take_rows(self, what: str, kept: np.ndarray) -> None:
        order = self._order
        rows = np.flatnonzero(kept)
        if not rows.size:
            self._view.say("No row would be left.")
            return
        place = np.cumsum(kept) - 1
        after = aligned_edits.take_rows(self._alignment, rows)
        self._view.editor.do(what, after, place[order[kept[order]]])

    def _shift(self, steps: list[int]) -> None:
        """Cursor and chosen blocks go with what was moved."""
        picture = self._view.picture
        row, column = picture.cursor
        picture.cursor = (row, min(max(column + steps[0], 0), picture.shape[1] - 1))
        if not picture.choice.empty:
            picture.choice = picture.choice.moved(steps)
        self._view.canvas.viewport().update()


def _from_the_right(blocks: tuple[Block, ...]) -> list[Block]:
    """Blocks such that what is done to one leaves those after it where they are."""
    return sorted(blocks, key=lambda block: -int(block.columns.argmax()))


def _beside(block: Block, other: Block) -> bool:
    """Whether another block lies left of one, in some of its rows."""
    return bool(other.columns.argmax() < block.columns.argmax() and (other.rows & block.rows).any())
