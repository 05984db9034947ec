"""What a person does to the rows on the screen: sorting, grouping, hiding, naming, and what is written beside names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox

from antidiag.app.kit.background import Latest
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io import aligned_edits, aligned_notes, aligned_rows, tiled_edits, tree_files
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import counted

TAG = "tag"
AT_ONCE = 1 << 24
"""Letters that an edit touches at most to be made at once; others are made on a thread."""

Make = Callable[[], tuple[AlignedSequences, np.ndarray | None]]


class RowCommands:
    """Commands act on the chosen rows, or on the one at the cursor where none are."""

    def __init__(self, view: ShownAlignment) -> None:
        self._view = view
        self._making = Latest(view)
        self._making.finished.connect(self._take)
        self._making.progressed.connect(self._tell)
        view.canvas.working = lambda: self.busy
        view.canvas.stopped.connect(self.stop)
        self._what = ""
        self._making.failed.connect(self._refuse)

    @property
    def busy(self) -> bool:
        """Whether an edit of a large alignment is being made."""
        return self._making.busy

    def stop(self) -> None:
        """Give up the edit that is being made; the alignment stays as it is."""
        self._making.cancel()
        self._view.say(f"Stopped: {self._what}.")

    def sort(self, by: str) -> None:
        """Sort the rows by "name", "length", "start", "identity" to the row at the cursor, or as in the "file"."""
        alignment, order = self._alignment, self._order
        after = np.sort(order) if by == "file" else aligned_rows.sorted_rows(alignment, order, by, self._row())
        self._view.editor.do("sorting", alignment, after)

    def sort_by_note(self, tag: str) -> None:
        """Sort by a column of text beside the names: numbers as numbers, rows without one at the end."""
        after = aligned_notes.sorted_rows(self._alignment, self._order, tag)
        self._view.editor.do("sorting", self._alignment, after)

    def sort_by_choice(self) -> None:
        """Sort by the letters of the chosen columns, most letters first and then by the alphabet."""
        columns = np.flatnonzero(self._view.picture.choice.columns)
        if not columns.size:
            self._view.say("Choose columns to sort by.")
            return
        after = aligned_rows.sorted_by_letters(self._alignment, self._order, columns)
        self._view.editor.do("sorting", self._alignment, after)

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
        after, lacking = aligned_rows.in_order_of(self._alignment, self._order, tree.taxa, tree.name)
        self._view.editor.do("sorting", self._alignment, after)
        if lacking:
            self._view.say(f"At the end, because the tree lacks them: {lacking:,} of {after.size:,} rows.")

    def group(self) -> None:
        """The chosen rows on top, in their order, where they are seen."""
        order, chosen = self._order, self._chosen
        self._view.editor.do("grouping", self._alignment, np.concatenate((order[chosen[order]], order[~chosen[order]])))
        self._view.canvas.go_to(0, self._view.picture.cursor[1])

    def hide(self) -> None:
        """Hide the chosen rows, if others are left."""
        order, chosen = self._order, self._chosen
        if chosen[order].all():
            self._view.say("All rows are chosen, and one at least stays; choose fewer.")
        else:
            self._view.editor.do("hiding rows", self._alignment, order[~chosen[order]])

    def show_only(self) -> None:
        order, chosen = self._order, self._chosen
        if chosen[order].any():
            self._view.editor.do("hiding rows", self._alignment, order[chosen[order]])

    def show_all(self) -> None:
        """All rows, those that were hidden at the end."""
        order = self._order
        hidden = np.ones(len(self._alignment.names), bool)
        hidden[order] = False
        self._view.editor.do("showing rows", self._alignment, np.concatenate((order, np.flatnonzero(hidden))))

    def ask_name(self) -> None:
        """Ask for another name of the row at the cursor."""
        name = self._alignment.names[self._row()]
        given, yes = QInputDialog.getText(self._view, "Rename", "Name of the row:", text=name)
        if yes:
            self.rename(given)

    def rename(self, name: str) -> None:
        self._edit("renaming", lambda: (aligned_edits.renamed(self._alignment, self._row(), name), None), touched=0)

    def ask_tag(self) -> None:
        """Ask for a tag of the chosen rows; nothing takes theirs away."""
        given, yes = QInputDialog.getText(self._view, "Tag", "Tag of the chosen rows (empty: none):")
        if yes:
            self.tag(given)

    def tag(self, text: str) -> None:
        """Tag the chosen rows, and write the tags beside the names."""
        after = aligned_notes.with_note(self._alignment, self._rows(), TAG, text)
        if self._do("tagging", after):
            self._view.show_note(TAG, True)

    def ask_table(self) -> None:
        """Ask for a table of text about the rows, and write its columns beside the names."""
        name, _ = QFileDialog.getOpenFileName(self._view, "Columns of text", "", "Tables (*.csv *.tsv *.txt);;All (*)")
        if name:
            try:
                self.add_table(Path(name))
            except InputError as error:
                QMessageBox.warning(self._view, "Columns of text", str(error))

    def add_table(self, path: Path) -> None:
        """Write the columns of a table beside the names; InputError says what is wrong with it."""
        table = aligned_notes.read_table(path)
        after, met = aligned_notes.with_table(self._alignment, table, str(path))
        self._do("adding columns of text", after)
        for tag in table.titles:
            self._view.show_note(tag, True)
        rows, others = len(self._alignment.names), len(table.values) - met
        more = f"; {counted(others, 'line')} of it for no row" if others else ""
        self._view.say(f"{counted(len(table.titles), 'column')} of text for {met:,} of {rows:,} rows{more}.")

    def choose_noted(self, tag: str) -> None:
        """Choose all rows that have the same text as the row at the cursor."""
        found = aligned_notes.of_tag(self._alignment, tag)
        wanted = found.get(self._row())
        rows = np.zeros(len(self._alignment.names), bool)
        rows[[row for row in range(rows.size) if found.get(row) == wanted]] = True
        self._view.canvas.choose(rows, None)

    @property
    def _alignment(self) -> AlignedSequences:
        return self._view.editor.state.alignment

    @property
    def _order(self) -> np.ndarray:
        """The rows that are not hidden, collapsed ones too."""
        return self._view.editor.state.order

    @property
    def _chosen(self) -> np.ndarray:
        return self._view.picture.choice.rows

    def _row(self) -> int:
        return int(self._view.picture.order[self._view.picture.cursor[0]])

    def _rows(self) -> np.ndarray:
        """The chosen rows, or those of the line at the cursor."""
        choice, place = self._view.picture.choice, self._view.picture.cursor[0]
        line = self._view.picture.order[place : place + 1]
        return self._view.picture.members(line) if choice.empty else np.flatnonzero(choice.rows)

    def _do(self, what: str, after: AlignedSequences, merge: bool = False) -> bool:
        return self._view.editor.do(what, after, merge=merge)

    def _edit(
        self,
        what: str,
        make: Make,
        done: Callable[[bool], object] = bool,
        merge: bool = False,
        touched: int | None = None,
    ) -> None:
        """Go on with what ``make`` gives, an alignment and perhaps an order of its rows; ``done(changed)`` follows.

        Where it touches many letters, which by default are all, a thread makes it, and until it is there nothing else
        is edited.
        """
        before = self._alignment
        if (before.letters.size if touched is None else touched) <= AT_ONCE:
            try:
                self._take((what, before, make(), done, merge))
            except InputError as error:
                self._view.say(str(error))
        elif self._making.busy:
            self._view.say("The edit before is still being made; do it again when that is there.")
        else:
            self._what = what
            self._view.say(f"{what.capitalize()} ... (Esc stops it)")
            self._making.request(lambda monitor: (what, before, _watched(make, monitor), done, merge))

    def _take(self, made: tuple[str, AlignedSequences, Any, Callable[[bool], object], bool]) -> None:
        what, before, (after, order), done, merge = made
        if before is self._alignment:
            done(self._view.editor.do(what, after, order, merge=merge))
        else:
            self._view.say(f"The alignment became another in the meantime, so {what} came to nothing.")

    def _tell(self, told: tuple[int, int, str]) -> None:
        done, total, _ = told
        self._view.say(f"{self._what.capitalize()} ... {100 * done // max(total, 1)} % (Esc stops it)")

    def _refuse(self, error: Exception) -> None:
        if not isinstance(error, AntidiagError):
            raise error
        self._view.say(str(error))


def _watched(make: Make, monitor: Monitor) -> tuple[AlignedSequences, np.ndarray | None]:
    with tiled_edits.watched(monitor):
        return make()
