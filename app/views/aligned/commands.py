"""What a person does to the alignment on the screen: sorting, gaps, columns, rows and letters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox

from app.views.aligned.shown import ShownAlignment
from kernels.errors import InputError
from kernels.io import aligned_edits, aligned_rows, tree_files
from kernels.io.aligned import GAP, AlignedSequences
from kernels.io.tree import Tree
from kernels.model import SequenceType

TRIM = 50
TYPING_WARNING = (
    "Typed letters take the place of those in the alignment, which then is no longer that of the file's sequences. "
    "Gaps and moves never change letters. Type letters over others?"
)


class Commands:
    """Commands act on the chosen cells, or on the cell at the cursor where none are."""

    def __init__(self, view: ShownAlignment) -> None:
        self._view = view
        self.typing = False

    def sort(self, by: str) -> None:
        """Sort the rows by "name", "length", "start", "identity" to the row at the cursor, or as in the "file"."""
        alignment, order = self._alignment, self._view.picture.order
        after = np.sort(order) if by == "file" else aligned_rows.sorted_rows(alignment, order, by, self._row())
        self._view.editor.do("sorting", alignment, after)

    def ask_tree(self) -> None:
        """Ask for a file with a tree, and sort by its leaves."""
        name, _ = QFileDialog.getOpenFileName(self._view, "Tree", "", "Trees (*)")
        if name:
            try:
                self.sort_by_tree(tree_files.read(name)[0])
            except InputError as error:
                QMessageBox.warning(self._view, "Sort by a tree", str(error))

    def sort_by_tree(self, tree: Tree) -> None:
        """The rows in the order of a tree's leaves, those that it lacks at the end; InputError where it has none."""
        places = {name: place for place, name in enumerate(tree.taxa)}
        order, names = self._view.picture.order, self._alignment.names
        keys = [places.get(names[row], len(places)) for row in order.tolist()]
        there = sum(key < len(places) for key in keys)
        if not there:
            raise InputError(f"{tree.name}: no leaf has the name of a row")
        self._view.editor.do("sorting", self._alignment, order[np.argsort(keys, kind="stable")])
        if there < len(keys):
            self._view.say(f"At the end, because the tree lacks them: {len(keys) - there:,} of {len(keys):,} rows.")

    def group(self) -> None:
        """The chosen rows on top, in their order."""
        order, chosen = self._view.picture.order, self._view.picture.choice.rows
        self._view.editor.do("grouping", self._alignment, np.concatenate((order[chosen[order]], order[~chosen[order]])))

    def hide(self) -> None:
        """Hide the chosen rows, if others are left."""
        order, chosen = self._view.picture.order, self._view.picture.choice.rows
        if not chosen[order].all():
            self._view.editor.do("hiding rows", self._alignment, order[~chosen[order]])

    def show_only(self) -> None:
        order, chosen = self._view.picture.order, self._view.picture.choice.rows
        if chosen[order].any():
            self._view.editor.do("hiding rows", self._alignment, order[chosen[order]])

    def show_all(self) -> None:
        """All rows, those that were hidden at the end."""
        order = self._view.picture.order
        hidden = np.setdiff1d(np.arange(len(self._alignment.names)), order)
        self._view.editor.do("showing rows", self._alignment, np.concatenate((order, hidden)))

    def insert_gap(self) -> None:
        """A gap before the cursor, or before the chosen cells, in the chosen rows."""
        rows, column = self._moved_rows(), self._first_column()
        if self._do("inserting gaps", aligned_edits.insert_gaps(self._alignment, rows, column), merge=True):
            self._shift(1)

    def delete_gap(self, before: bool = True) -> None:
        """The gap before the cursor or the chosen cells, or the one at it, in the chosen rows."""
        rows, column = self._moved_rows(), self._first_column() - before
        if column < 0:
            return
        after = aligned_edits.delete_gaps(self._alignment, rows, column)
        if not self._do("deleting gaps", after, merge=True):
            self._view.say("There is a letter; only gaps are deleted so.")
        elif before:
            self._shift(-1)

    def move(self, by: int) -> None:
        """The chosen cells over the gaps beside them."""
        choice = self._view.picture.choice
        stretches = choice.stretches()
        if len(stretches) != 1:
            self._view.say("Choose one stretch of columns to move." if stretches else "Choose cells to move.")
            return
        (first, last), rows = stretches[0], self._moved_rows()
        free = aligned_edits.free_columns(self._alignment, rows, first, last, by)
        if not free:
            self._view.say("No gaps beside the chosen cells in all of their rows.")
            return
        self._do("moving cells", aligned_edits.move(self._alignment, rows, first, last, by), merge=True)
        self._shift(free if by > 0 else -free)

    def insert_column(self) -> None:
        after = aligned_edits.insert_columns(self._alignment, self._first_column())
        if self._do("inserting a column", after):
            self._shift(1)

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
        choice, order = self._view.picture.choice, self._view.picture.order
        if choice.empty:
            self._view.say("Choose cells to keep.")
            return
        after = aligned_edits.delete_columns(self._alignment, ~choice.columns)
        kept = order[choice.rows[order]]
        after = aligned_edits.take_rows(after, kept)
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
        choice = self._view.picture.choice
        letter = "X" if self._alignment.type == SequenceType.PROTEIN else "N"
        rows = np.flatnonzero(choice.rows)
        self._do("masking", aligned_edits.set_letters(self._alignment, rows, choice.columns, letter))

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

    @property
    def _alignment(self) -> AlignedSequences:
        return self._view.editor.state.alignment

    def _row(self) -> int:
        return int(self._view.picture.order[self._view.picture.cursor[0]])

    def _rows(self) -> np.ndarray:
        """The chosen rows, or the one at the cursor."""
        choice = self._view.picture.choice
        return np.array([self._row()]) if choice.empty else np.flatnonzero(choice.rows)

    def _moved_rows(self) -> np.ndarray:
        """The rows in which cells move: with columns of all rows that are shown the hidden ones move too, as else they
        would no longer be aligned with them."""
        picture = self._view.picture
        whole = picture.whole_columns and not picture.choice.empty
        return np.arange(len(self._alignment.names)) if whole else self._rows()

    def _first_column(self) -> int:
        choice = self._view.picture.choice
        return self._view.picture.cursor[1] if choice.empty else int(choice.columns.argmax())

    def _all_gaps(self) -> bool:
        """Whether the chosen cells are gaps, which then are deleted from their rows."""
        choice = self._view.picture.choice
        rows = np.flatnonzero(choice.rows)
        return bool((self._alignment.letters[np.ix_(rows, np.flatnonzero(choice.columns))] == GAP).all())

    def _delete_columns(self) -> None:
        gone, hidden = self._view.picture.choice.columns, len(self._alignment.names) - self._view.picture.order.size
        if self._try("deleting columns", lambda: aligned_edits.delete_columns(self._alignment, gone)) and hidden:
            self._view.say(f"{int(gone.sum()):,} columns deleted, in the {hidden:,} hidden rows too.")

    def _delete_gaps(self) -> None:
        choice = self._view.picture.choice
        after, rows = self._alignment, np.flatnonzero(choice.rows)
        for first, last in reversed(choice.stretches()):
            after = aligned_edits.delete_gaps(after, rows, first, last - first)
        self._do("deleting gaps", after)

    def _take_rows(self, what: str, kept: np.ndarray) -> None:
        order = self._view.picture.order
        rows = np.flatnonzero(kept)
        if not rows.size:
            self._view.say("No row would be left.")
            return
        place = np.cumsum(kept) - 1
        after = aligned_edits.take_rows(self._alignment, rows)
        self._view.editor.do(what, after, place[order[kept[order]]])

    def _shift(self, by: int) -> None:
        """Cursor and choice go with what was moved."""
        picture = self._view.picture
        row, column = picture.cursor
        picture.cursor = (row, min(max(column + by, 0), picture.shape[1] - 1))
        if not picture.choice.empty and by and not picture.choice.whole_rows:
            columns = np.zeros(picture.alignment.letters.shape[1], bool)
            places = np.flatnonzero(picture.choice.columns) + by
            columns[places[(places >= 0) & (places < columns.size)]] = True
            picture.choice.columns = columns
        self._view.canvas.viewport().update()

    def _do(self, what: str, after: AlignedSequences, merge: bool = False) -> bool:
        return self._view.editor.do(what, after, merge=merge)

    def _try(self, what: str, make: Callable[[], AlignedSequences]) -> bool:
        try:
            return self._do(what, make())
        except InputError as error:
            self._view.say(str(error))
            return False
