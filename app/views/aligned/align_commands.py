"""What a person has aligned: chosen cells anew, more sequences and other alignments to the rows that are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox

from antidiag.app.kit.background import Latest
from antidiag.app.views.aligned import saving
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io import aligned, aligned_edits, sequences
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import realigning
from antidiag.kernels.text import counted

Made = tuple[str, AlignedSequences, AlignedSequences]
"""What was done, to which alignment, and the one that came of it."""


class AlignCommands:
    """Methods run on a thread, one at a time; what they give is an edit like any other, unless the alignment became
    another in the meantime."""

    def __init__(self, view: ShownAlignment) -> None:
        self._view = view
        self._working = Latest(view)
        self._working.finished.connect(self._take)
        self._working.failed.connect(self._refuse)
        self._working.progressed.connect(lambda told: view.say(f"{told[2]} {100 * told[0] // max(told[1], 1)} %"))
        view.another.connect(self._working.cancel)

    @property
    def busy(self) -> bool:
        return self._working.busy

    def stop(self) -> None:
        self._working.cancel()
        self._view.say("Stopped.")

    def methods(self) -> list[Method]:
        """Methods that can align the chosen cells anew: they take as many sequences as rows have letters there."""
        place = self._region()
        if place is None:
            return []
        rows, first, last = place
        part = self._alignment.letters[rows, first:last]
        return realigning.methods(int((part != GAP).any(axis=1).sum()))

    def realign(self, method: Method) -> None:
        """Align the chosen cells anew by a method; the other rows and columns stay."""
        place, alignment = self._region(), self._alignment
        if place is None:
            self._view.say("Choose one block of cells, of two rows or more, to realign.")
            return
        self._start(
            f"realigning by {method.name}", lambda monitor: realigning.realigned(alignment, method, *place, monitor)
        )

    def realign_to_the_rest(self) -> None:
        """Align the chosen rows anew to all others, one after another."""
        alignment, rows = self._alignment, np.flatnonzero(self._view.picture.choice.rows)
        if not rows.size:
            self._view.say("Choose rows to realign.")
            return
        self._start("realigning rows", lambda monitor: realigning.aligned_to_the_rest(alignment, rows, monitor))

    def ask_sequences(self) -> None:
        """Ask for a file of sequences, and align them to the rows."""
        self._ask("Add sequences", "Sequences (*)", lambda path: self.add(sequences.read(path)))

    def paste(self) -> None:
        """Align the sequences on the clipboard to the rows."""
        try:
            self.add(sequences.read_text(QGuiApplication.clipboard().text()))
        except InputError as error:
            self._view.say(str(error))

    def add(self, others: list[Sequence]) -> None:
        """Align sequences to the rows, one after another, as rows at the end."""
        alignment = self._alignment
        self._start(
            f"adding {counted(len(others), 'sequence')}", lambda monitor: realigning.added(alignment, others, monitor)
        )

    def ask_merge(self) -> None:
        """Ask for a file with another alignment, and align the columns of both."""
        self._ask("Merge with an alignment", "Alignments (*)", lambda path: self.merge(aligned.read(path)[0]))

    def merge(self, other: AlignedSequences) -> None:
        """Align the columns of another alignment to those of this one; its rows come at the end."""
        alignment = self._alignment
        self._start(f"merging with {other.name}", lambda monitor: realigning.merged(alignment, other, monitor))

    def ask_append(self) -> None:
        """Ask for a file with another alignment, and put its columns after these, row by row."""
        self._ask("Append columns", "Alignments (*)", lambda path: self.append(aligned.read(path)[0]))

    def append(self, other: AlignedSequences) -> None:
        """The columns of another alignment after these, rows matched by name; InputError where none has one."""
        alignment = self._alignment
        self._do(("appending columns", alignment, realigning.appended(alignment, other)))

    def split(self) -> None:
        """The chosen rows, or columns, become an alignment of their own among the data, and go from this one."""
        picture, alignment = self._view.picture, self._alignment
        choice = picture.choice
        by_columns = picture.whole_columns
        if choice.empty or not (by_columns or choice.whole_rows) or (choice.rows.all() and choice.columns.all()):
            self._view.say("Choose whole rows (by their names) or whole columns (in the ruler), but not all, to split.")
            return
        part = replace(saving.shown_part(picture), name=f"{alignment.name}, part")
        if by_columns:
            self._view.taking.offer(part, self._view.kept.emit)
            self._do(("splitting", alignment, aligned_edits.delete_columns(alignment, choice.columns)))
            return
        kept = ~choice.rows
        order = self._view.editor.state.order
        part = aligned_edits.delete_columns(part, aligned_edits.gap_columns(part))
        self._view.taking.offer(part, self._view.kept.emit)
        after = aligned_edits.take_rows(alignment, np.flatnonzero(kept))
        self._view.editor.do("splitting", after, (np.cumsum(kept) - 1)[order[kept[order]]])

    @property
    def _alignment(self) -> AlignedSequences:
        return self._view.editor.state.alignment

    def _region(self) -> tuple[np.ndarray, int, int] | None:
        """The chosen rows, and the columns from the first to the last that is chosen; None unless that is one block."""
        choice = self._view.picture.choice
        if choice.empty or not choice.single or choice.rows.sum() < 2:
            return None
        columns = np.flatnonzero(choice.columns)
        return np.flatnonzero(choice.rows), int(columns[0]), int(columns[-1]) + 1

    def _ask(self, title: str, kinds: str, use: Callable[[Path], None]) -> None:
        name, _ = QFileDialog.getOpenFileName(self._view, title, "", kinds)
        if name:
            try:
                use(Path(name))
            except InputError as error:
                QMessageBox.warning(self._view, title, str(error))

    def _start(self, what: str, work: Callable[[Monitor], AlignedSequences]) -> None:
        before = self._alignment
        self._view.say(f"{what.capitalize()} ...")
        self._working.request(lambda monitor: (what, before, work(monitor)))

    def _take(self, made: Made) -> None:
        if made[1] is not self._alignment:
            self._view.say(f"The alignment was edited in the meantime, so {made[0]} came to nothing; do it again.")
            return
        self._do(made)
        self._view.say(f"Done: {made[0]}.")

    def _do(self, made: Made) -> None:
        what, before, after = made
        order, count = self._view.editor.state.order, len(before.names)
        new = np.arange(count, len(after.names))
        self._view.editor.do(what, after, np.concatenate((order, new)))

    def _refuse(self, error: Exception) -> None:
        self._view.say("")
        if not isinstance(error, AntidiagError):
            raise error
        QMessageBox.warning(self._view, "Align", str(error))
