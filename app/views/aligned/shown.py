"""An alignment on show: its canvas and map, what is done to it, how it is coloured, and what it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.legend import Legend, LegendItem
from antidiag.app.kit.recent import Recent
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.widgets import Elided, icon_button
from antidiag.app.views.aligned import counting, saving, schemes, telling, tracks
from antidiag.app.views.aligned.canvas import AlignmentCanvas
from antidiag.app.views.aligned.colours import Colours
from antidiag.app.views.aligned.counting import Counts
from antidiag.app.views.aligned.figures import Beside
from antidiag.app.views.aligned.history import AlignmentEditor
from antidiag.app.views.aligned.overview import Overview
from antidiag.app.views.aligned.picture import Choice, Fold, Picture, unfolded
from antidiag.app.views.aligned.places import Places
from antidiag.app.views.aligned.taking import Taking
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_notes
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_columns import Columns
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor

EDITORS = 4
"""Alignments whose undo is kept while others are shown."""
REST_MS = 150
"""How long an alignment of many columns rests after an edit until its columns are counted anew."""


class ShownAlignment(QWidget):
    """What the parts of the viewer work on; the viewer itself lays it out, with its menus and its search.

    ``fold`` says which of the rows of an order have a line, and which share one; ``notes`` are the tags of the text
    beside the names, and ``data`` what else is open. ``kept`` gives the alignment as it is shown to other methods,
    ``edited`` says what was done to it, ``another`` that another one is shown, ``altered`` that its rows or columns
    became others, ``laid`` that its lines or colours are new.
    """

    kept = Signal(object)
    profile_wanted = Signal(object)
    edited = Signal(object)
    another = Signal()
    altered = Signal()
    laid = Signal()

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection
        self.result: Result | None = None
        self.editor: AlignmentEditor | None = None
        self._editors = Recent[AlignmentEditor](EDITORS)
        self.canvas, self.overview = AlignmentCanvas(), Overview()
        self.undo_button = icon_button("undo", "Undo", self.undo)
        self.redo_button = icon_button("redo", "Redo", self.redo)
        self._legend, self._status = Legend(), Elided()
        self.colours, self._counts = Colours(self, lambda: self.picture), Counts()
        self._reference: AlignedSequences | None = None
        self.fold: Callable[[AlignedSequences, np.ndarray], tuple[np.ndarray, dict[int, Fold]]] = unfolded
        self.notes: list[str] = []
        self.beside_rows: Beside | None = None
        self.data: tuple[Any, ...] = ()
        self._telling, self._places = False, Places()
        self._counting, self._making, self.taking = Latest(self), Latest(self), Taking(self)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._count_behind)
        self._follow()

    def _follow(self) -> None:
        self.canvas.moved.connect(lambda: self.overview.show_frame(self.canvas.seen))
        self.canvas.pointed.connect(self._on_point)
        self.canvas.chosen.connect(self._on_choice)
        self.canvas.turned.connect(lambda: self.editor.close())
        self.canvas.copied.connect(lambda: self.taking.copy(".fasta"))
        self.overview.wanted.connect(self._on_overview)
        self._counting.finished.connect(self._take_counts)
        self.colours.changed.connect(self._on_colours)
        self._counting.failed.connect(lambda error: self.say(f"The columns could not be counted: {error}"))
        self._making.finished.connect(lambda made: self.show_alignment(made[1], made[0]))
        self.selection.taxa_changed.connect(self._on_taxa)
        theme.notifier.changed.connect(self.colours.remake)

    @property
    def alignment(self) -> AlignedSequences | None:
        """The alignment as it is shown."""
        return self.editor.state.alignment if self.editor else None

    @property
    def picture(self) -> Picture | None:
        return self.canvas.picture

    @property
    def sharp(self) -> bool:
        """Whether the picture is the one that stays, and not the coarse one of an alignment that moves."""
        busy = (
            self._rest.isActive() or self._counting.busy or self._making.busy or self.taking.busy or self.colours.busy
        )
        return self.canvas.sharp and self.overview.sharp and not busy

    def show_result(self, result: Result | None) -> None:
        """Show the alignment of a result, or nothing."""
        there = result is not None and saving.holds_alignment(result)
        before, self.result = self.result, result if there else None
        self._making.cancel()
        if there and result is before:
            return
        if there and result not in self._editors and saving.columns_of(result) > counting.SMALL:
            self.show_alignment(None)
            self.say("Reading the alignment ...")
            self._making.request(lambda monitor: (result, saving.alignment_of(result)))
        else:
            self.show_alignment(saving.alignment_of(result) if there else None, result)

    def show_datum(self, datum: AlignedSequences) -> None:
        """Show an alignment that no run made, as one from a file."""
        self.result = None
        self._making.cancel()
        self.show_alignment(datum)

    def show_alignment(self, alignment: AlignedSequences | None, of: Any = None) -> None:
        """Show an alignment, that ``of`` a result or one by itself, or nothing."""
        make = partial(self._edited, alignment)
        self.editor = self._editors.of(of or alignment, make) if alignment is not None else None
        self._counts = Counts()
        self.forget_reference()
        self.another.emit()
        if self.editor is None:
            self._counting.cancel()
            self._rest.stop()
            self.canvas.show_picture(None)
            self.overview.show_picture(None)
            self._legend.show_items(())
            self.say("")
            return
        self.canvas.picture = None
        self._lay_out(fit=True)

    def show_edits(self, edits: Mapping[str, Any]) -> None:
        """Go on with what was done to the alignment that is shown, unless its undo is still there."""
        if self.editor is not None and self.editor.untouched and "order" in edits:
            try:
                self.editor.restore(edits)
            except InputError as error:
                self.say(f"What was done to the alignment is lost: {error}")

    @property
    def undo_text(self) -> str:
        """What undo would take back; "" where there is nothing."""
        return self.editor.undo_text if self.editor is not None else ""

    @property
    def redo_text(self) -> str:
        """What redo would do again; "" where there is nothing."""
        return self.editor.redo_text if self.editor is not None else ""

    def undo(self) -> None:
        """Take back the last edit."""
        self.editor.undo()

    def redo(self) -> None:
        """Do again what was taken back."""
        self.editor.redo()

    @property
    def scheme(self) -> str:
        """The scheme of the colours."""
        return self.colours.scheme

    def colour(self, scheme: str) -> None:
        """Colour by a scheme of `schemes.SCHEMES`, or by the one from a file ("file")."""
        self.colours.choose(scheme)

    def set_reference(self, reference: AlignedSequences, shares: np.ndarray) -> None:
        """Show in a track what share of the pairs in each column a reference has too."""
        self._reference = self.picture.reference = reference
        self.picture.tracks["agreement"] = shares
        self.set_track("agreement", True)
        self.colours.remake()

    def forget_reference(self) -> None:
        """Compare with nothing."""
        self._reference = None
        self.canvas.wanted = [track for track in self.canvas.wanted if track != "agreement"]
        if self.picture is not None:
            self.picture.reference = None
            self.picture.tracks.pop("agreement", None)
            self.canvas.refresh()
            if self.alignment is self.picture.alignment:  # and not about to be another
                self.colours.fit(self.alignment, False)
                self.colours.remake()

    @property
    def notes_width(self) -> int:
        """Pixels of the text beside the names."""
        return self.canvas.frame_.left - self.canvas.names_width

    def offer(self, data: Sequence[Any]) -> None:
        """What else is open: trees and alignments that may stand beside this one."""
        self.data = tuple(data)

    def show_note(self, tag: str, on: bool) -> None:
        """Write what a tag says of the rows beside their names, or no longer."""
        self.notes = [*(note for note in self.notes if note != tag), *([tag] if on else [])]
        self.relay()

    def relay(self) -> None:
        """Lay the lines out anew, as after other rows were collapsed."""
        if self.editor is not None:
            self._lay_out(fit=False)

    def set_letters(self, which: str) -> None:
        """Write "all" letters, "differences" from the consensus, or "none"."""
        self.canvas.letters = which
        self.canvas.refresh()
        self._count_behind()

    def set_track(self, name: str, on: bool) -> None:
        """Switch a track on or off."""
        shown = [track for track in self.canvas.wanted if track != name]
        self.canvas.set_tracks([*shown, name] if on else shown)
        self._count_behind()

    def choose_taxa(self) -> None:
        """Choose the rows of the taxa that were selected in a tree or in a table."""
        names = self.selection.taxa
        self.canvas.choose(np.array([name in names for name in self.alignment.names]), None)

    @property
    def legend(self) -> tuple[LegendItem, ...]:
        """What is told of the alignment and of its colours."""
        return self._legend.items

    def counting(self) -> Callable[[Monitor], Columns]:
        """What counts the columns of what is shown on a thread."""
        return self._counts.work(self.picture.alignment)

    def say(self, text: str) -> None:
        """Say something below; nothing gives what is at the cursor."""
        self._status.setText(text or telling.about(self.picture))

    def sizeHint(self) -> QSize:
        return QSize(900, 600)

    def _edited(self, alignment: AlignedSequences) -> AlignmentEditor:
        editor = AlignmentEditor(alignment)
        editor.changed.connect(self._on_edit)
        return editor

    def _on_edit(self) -> None:
        if self.sender() is self.editor:
            self._lay_out(fit=False)
            self.tell_edits()

    def tell_edits(self) -> None:
        """Say what was done to what is shown."""
        self.edited.emit(self.edits)

    @property
    def edits(self) -> dict[str, Any] | None:
        """What was done, as `show_edits` takes it, with the size that it led to; None for nothing."""
        edits = self.editor.edits if self.editor is not None else None
        if edits is None or self.editor.as_it_came:
            return edits
        return {**edits, "summary": f"{self.alignment.summary}, edited"}

    def _lay_out(self, fit: bool) -> None:
        """A new picture of the state, with cursor and choice where they were, as far as they still are."""
        state, before = self.editor.state, self.picture
        letters, (order, folds) = state.alignment.letters, self.fold(state.alignment, state.order)
        choice, cursor = Choice.none(letters.shape), (0, 0)
        back = self._places.turn(state, before, self.canvas.anchor)
        if back is not None:
            choice, cursor, self.canvas.anchor = back.choice, back.cursor_in(order), back.anchor
        elif before is not None:
            shape = before.alignment.letters.shape
            if shape[0] == letters.shape[0] and shape[1] <= letters.shape[1]:
                choice = before.choice.on(state.order, letters.shape[1])
            cursor = _line_of_cursor(before, state.alignment, order), min(before.cursor[1], letters.shape[1] - 1)
        columns = self._counts.of(state.alignment)
        self.colours.fit(state.alignment, self._reference is not None)
        behind, same = self.colours.behind(state.alignment), before is not None and before.alignment is state.alignment
        row = int(order[cursor[0]])
        # While others are made on a thread, the colours are those before: nothing flickers while one edits.
        kept = before.colouring if before is not None and (behind if same else behind or columns is None) else None
        colours = kept or self.colours.made(state.alignment, columns, row, schemes.FIRST if behind else "")
        picture = Picture(state.alignment, order, colours, choice, columns, cursor)
        picture.folds = folds
        picture.notes = tuple((tag, found) for tag in self.notes
                              if (found := aligned_notes.of_tag(state.alignment, tag)))  # fmt: skip
        if before is not None and same:
            picture.found = before.found
            picture.tracks = before.tracks
        else:
            self.altered.emit()
        picture.wait = columns is None or columns.counts.shape[0] > counting.WIDE
        picture.sample = before.sample if before is not None else None
        picture.reference = self._reference
        self.canvas.show_picture(picture, fit)
        self.overview.show_picture(picture)
        self._legend.show_items(telling.legend(self.picture, not self.editor.as_it_came))
        telling.tell_undo(self.editor, self.undo_button, self.redo_button)
        self._on_taxa(self.selection.taxa)
        self.say("")
        # What is counted of many columns waits until the letters are painted, as it takes the memory that this needs.
        if picture.wait and not same:
            self._counting.cancel()
            self._rest.start()
        else:
            self._count_behind()
        if behind and not same:
            self.colours.remake()
        self.laid.emit()

    def _count_behind(self) -> None:
        """Let a thread make what painting waits for: counts, values of tracks, the comparison with a reference."""
        self._rest.stop()
        picture, shown = self.picture, list(self.canvas.tracks)
        if picture is None or not picture.wait:
            self._counting.cancel()
            return
        differing = self.canvas.letters == "differences" and "differences" not in picture.tracks
        there = picture.columns is not None and picture.sample is not None
        if not there or tracks.lacking(picture, shown) or differing:
            asked, work = replace(picture), self._counts.work(picture.alignment)
            self._counting.request(lambda monitor: tracks.with_values(asked, work, shown, differing, monitor))
        else:
            self._counting.cancel()

    def _take_counts(self, made: Picture) -> None:
        if self.picture is None or self.picture.alignment is not made.alignment:
            return
        self.picture.columns, self.picture.sample = made.columns, made.sample
        self._counts.take(made.alignment, made.columns)
        self.picture.wait = len(made.columns) > counting.WIDE
        self.picture.tracks.update(made.tracks)
        self.colours.remake()

    def _on_colours(self, picture: Picture) -> None:
        self.canvas.refresh()
        self.overview.show_picture(picture)
        self._legend.show_items(telling.legend(picture, not self.editor.as_it_came))
        self.laid.emit()

    def _on_point(self, cell: tuple[int, int] | None) -> None:
        self.selection.hover_column(cell[1] if cell else None)
        self._status.setText(telling.about(self.picture, cell))

    def _on_choice(self) -> None:
        picture = self.picture
        if picture is not None and self.scheme == "row":
            self.colours.remake()
        self.say("")
        if picture is not None and not self._telling:
            self._telling = True
            whole = picture.choice.whole_rows and not picture.whole_columns
            rows = np.flatnonzero(picture.choice.rows).tolist() if whole else []
            self.selection.choose_taxa(self.alignment.names[row] for row in rows)
            self._telling = False

    def _on_taxa(self, names: frozenset[str]) -> None:
        """Mark the rows of sequences that were chosen elsewhere."""
        self.canvas.taxa = names
        self.canvas.viewport().update()

    def _on_overview(self, cell: tuple[float, float]) -> None:
        frame = self.canvas.frame_
        if self.canvas.wrapped:
            self.canvas.bring(0, int(cell[1]))
            return
        frame.first_row = cell[0] - frame.height / frame.cell_height / 2
        frame.first_column = cell[1] - frame.width / frame.cell_width / 2
        self.canvas.refresh()


def _line_of_cursor(before: Picture, alignment: AlignedSequences, order: np.ndarray) -> int:
    """Where the row at the cursor is now, or the line that is there where it went."""
    line = before.cursor[0]
    if before.alignment.names is alignment.names:
        places = np.flatnonzero(order == before.order[line])
        line = int(places[0]) if places.size else line
    return min(line, order.size - 1)
