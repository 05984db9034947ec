"""Another alignment of the same sequences below the one on show: in step with it, scored, marked where they differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QFileDialog, QMessageBox, QSplitter, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.widgets import Elided
from antidiag.app.views.aligned import counting, schemes
from antidiag.app.views.aligned.canvas import LEAST_NAMES, AlignmentCanvas
from antidiag.app.views.aligned.choice import Choice
from antidiag.app.views.aligned.picture import Fold, Frame, Picture
from antidiag.app.views.aligned.schemes import Given
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.app.views.aligned.tracks import class_scores
from antidiag.app.views.aligned.wrapping import Mark
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned, aligned_compare, aligned_kind
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.aligned_columns import Columns, count
from antidiag.kernels.io.aligned_compare import Agreement
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor

LEAST_CELL = 5.0
"""Pixels of a cell from which on letters that stand elsewhere are marked one by one."""


@dataclass(frozen=True, eq=False)
class Compared:
    """``there`` says of the columns of the other alignment what this one keeps of them, ``here`` the other way round;
    ``columns`` are the letters counted in the other's."""

    alignment: AlignedSequences
    other: AlignedSequences
    there: Agreement
    here: Agreement
    columns: Columns

    @cached_property
    def rows_there(self) -> np.ndarray:
        """The row of the other alignment that has the name of each row of this one, -1 for none, int64."""
        return _places(self.alignment.names, self.other.names)

    @cached_property
    def rows_here(self) -> np.ndarray:
        """The same the other way round."""
        return _places(self.other.names, self.alignment.names)

    @property
    def told(self) -> str:
        text = "SP {:.3f}, TC {:.3f} over all columns".format(*self.there.scores())
        core = aligned_compare.core_columns(self.other)
        if core is not None:
            text += "; SP {:.3f}, TC {:.3f} over core blocks".format(*self.there.scores(core))
        if self.there.rows < len(self.other.names):
            text += f" of the {self.there.rows:,} rows that are in both"
        whole = int(self.here.whole.sum())
        return f"{text}; {whole:,} of {int((self.here.pairs > 0).sum()):,} columns are there too"


def compared(alignment: AlignedSequences, other: AlignedSequences, monitor: Monitor | None = None) -> Compared:
    """Compare both ways; InputError where they are not of the same sequences."""
    rows = aligned_kind.settled(alignment)
    there = aligned_compare.meeting(other, rows, monitor)
    here = aligned_compare.meeting(rows, other, monitor)
    return Compared(alignment, other, there, here, count(other.letters, monitor))


class Comparison:
    """Has the alignment that one is compared with, and the canvas that shows it below, in step."""

    def __init__(self, view: ShownAlignment) -> None:
        self._view = view
        self.found: Compared | None = None
        self._other: AlignedSequences | None = None
        self._laying = self._quiet = False
        self.beside = self.side = False
        self.canvas, self._title = AlignmentCanvas(), Elided()
        self.panel = self._made()
        self._comparing = Latest(view)
        self._comparing.finished.connect(self._take)
        self._comparing.failed.connect(self._refuse)
        self._stepping = False
        self._steps: tuple[np.ndarray, np.ndarray] | None = None
        self.canvas.marks = self._marks_there
        view.another.connect(self.forget)
        view.laid.connect(self._on_laid)
        view.canvas.moved.connect(self._follow)
        self.canvas.moved.connect(self._lead)
        self.canvas.chosen.connect(self._on_choice)
        self.canvas.pointed.connect(self._on_point)

    @property
    def busy(self) -> bool:
        return self._comparing.busy

    def others(self) -> list[AlignedSequences]:
        """Alignments among the data, other than the one on show."""
        shown = self._view.editor.original.letters  # which a result that was added to the data has, too
        return [datum for datum in self._view.data if isinstance(datum, AlignedSequences)
                and datum.letters is not shown]  # fmt: skip

    def offered(self) -> list[AlignedSequences]:
        """Those of the `others` that have rows of the one on show."""
        names = frozenset(self._view.alignment.names)
        return [other for other in self.others() if not names.isdisjoint(other.names)]

    def ask(self) -> None:
        """Ask for a file with another alignment, and compare."""
        name, _ = QFileDialog.getOpenFileName(self._view, "Compare with", "", "Alignments (*)")
        if name:
            try:
                self.compare_with(aligned.read(Path(name))[0], beside=True)
            except InputError as error:
                QMessageBox.warning(self._view, "Compare", str(error))

    def compare_with(self, other: AlignedSequences, beside: bool = False, quietly: bool = False) -> None:
        """Say SP and TC against another alignment, and show in a track where it agrees, and that one ``beside`` this.

        InputError where they cannot be compared; of large ones a thread finds that out, and it is told then.
        """
        alignment, self._quiet = self._view.alignment, quietly
        if _large(alignment, other):
            self._view.say(f"Comparing with {other.name} ...")
            self._comparing.request(lambda monitor: compared(alignment, other, monitor))
        else:
            found = compared(alignment, other)
        self._other, self.beside = other, beside or self.beside
        if not _large(alignment, other):
            self._take(found)

    def show_beside(self, on: bool) -> None:
        """Show the other alignment below this one, or no longer."""
        self.beside = on
        self._lay_out()

    def place(self, at_side: bool, on: bool) -> None:
        """Show the other alignment at the side or below, or no longer."""
        if on:
            self.show_at_side(at_side)
        else:
            self.show_beside(False)

    def show_at_side(self, on: bool) -> None:
        """Show the other alignment at the right of this one, row beside row, or below it, column below column."""
        self._turn(on)
        self._box.removeWidget(self._title)
        self._box.insertWidget(1 if on else 0, self._title)  # at the side both begin at the same height
        self.canvas.wanted = self._view.canvas.tracks if on else ["consensus"]
        self.canvas.names_width = self._view.canvas.names_width
        self.show_beside(True)

    def _turn(self, at_side: bool) -> None:
        """Both alignments beside each other, or one below the other."""
        self.side = at_side
        self.canvas.choosy = not at_side  # rows stand beside rows, below as many tracks
        both = self.panel.parentWidget()
        if isinstance(both, QSplitter):
            both.setOrientation(Qt.Orientation.Horizontal if at_side else Qt.Orientation.Vertical)
            whole = both.width() if at_side else both.height()
            both.setSizes([whole // 2, whole // 2] if at_side else [3 * whole // 5, 2 * whole // 5])

    def forget(self) -> None:
        """Compare with nothing."""
        self._comparing.cancel()
        if self.side:
            self._turn(False)
        self.found, self._other, self.beside = None, None, False
        self._view.forget_reference()
        self.panel.hide()

    def next_difference(self, step: int = 1) -> None:
        """Go to the next column (``step`` 1), or the one before (-1), that the other alignment has otherwise, and in it
        to a letter that stands elsewhere there."""
        if self.found is None:
            self._view.say("Nothing to compare with; choose another alignment first.")
            return
        row, column = self._view.picture.cursor
        there = np.flatnonzero(~self.found.here.whole & (self.found.here.pairs > 0))
        after = there[there > column] if step > 0 else there[there < column][::-1]
        if not after.size:
            self._view.say("No other column differs on that side.")
            return
        self._view.canvas.go_to(self._differing(row, int(after[0])), int(after[0]))

    def _differing(self, place: int, column: int) -> int:
        """The line in which a letter of a column stands elsewhere in the other alignment: this one, the next below, or
        the first; this one where none of those that are looked at does, of very many not all."""
        found, picture = self.found, self._view.picture
        most = max(counting.SMALL // picture.shape[1], 1)
        for line in np.roll(np.arange(picture.order.size), -place)[:most].tolist():
            row = int(picture.order[line])
            other, letters = int(found.rows_there[row]), found.alignment.letters[row]
            if other < 0 or row in picture.folds or letters[column] == GAP:
                continue
            if aligned_compare.partners(letters, found.other.letters[other])[column] != found.here.partner[column]:
                return int(line)
        return place

    def _made(self) -> QWidget:
        panel = QWidget()
        self._box = box = QVBoxLayout(panel)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(2)
        self._title.setObjectName("muted")
        self.canvas.setAccessibleName("The other alignment")
        self.canvas.wanted = ["consensus"]
        box.addWidget(self._title)
        box.addWidget(self.canvas, 1)
        panel.hide()
        return panel

    def _take(self, found: Compared) -> None:
        if found.alignment is not self._view.alignment:
            return
        self.found = found
        self._steps = _filled(found.here.partner), _filled(found.there.partner)
        self._laying = True
        self._view.set_reference(found.other, found.here.shares)
        self._laying = False
        self._lay_out()
        if not self._quiet:
            self._view.say(f"Against {found.other.name}: {found.told}")

    def _refuse(self, error: Exception) -> None:
        self.forget()
        self._view.say(str(error))
        if not isinstance(error, InputError):
            raise error

    def _on_laid(self) -> None:
        """The lines or the colours are others, or the alignment was edited, and what was compared is no longer so."""
        if self._other is None or self._laying:
            return
        if self.found is not None and self.found.alignment is self._view.alignment:
            self._lay_out()
            return
        self.found = None
        try:
            self.compare_with(self._other, quietly=True)
        except InputError as error:
            self._refuse(error)

    def _lay_out(self) -> None:
        """The other alignment's rows in the order of these, with the same colours."""
        there = self.beside and self.found is not None and self._view.picture is not None
        self.panel.setVisible(there)
        if not there:
            self.canvas.show_picture(None)
            return
        picture, found = self._view.picture, self.found
        row_of = found.rows_there
        order = row_of[picture.order]
        folds = {int(row_of[row]): self._fold(fold, row_of) for row, fold in picture.folds.items() if row_of[row] >= 0}
        order = order[order >= 0]
        if not order.size:
            self._title.setText(f"{found.other.name} has none of the rows that are shown")
            self.canvas.show_picture(None)
            return
        given = Given(found.columns, found.other.type == SequenceType.PROTEIN, found.other.letters[int(order[0])],
                      class_scores(), found.there.shares)  # fmt: skip
        made = Picture(found.other, order, schemes.colouring(self._view.scheme, given),
                       Choice.none(found.other.letters.shape), found.columns, (0, 0), folds=folds,
                       reference=found.alignment, tracks={"agreement": found.there.shares})  # fmt: skip
        made.wait = _large(picture.alignment, found.other)
        self._title.setText(f"{found.other.name}: {found.told}")
        self.canvas.letters = self._view.canvas.letters
        self._stepping = True  # it is this canvas that leads the new picture, not the other way round
        self.canvas.show_picture(made, fit=False)
        self._stepping = False
        self._follow()

    def _fold(self, fold: Fold, row_of: np.ndarray) -> Fold:
        rows = row_of[fold.rows]
        rows = rows[rows >= 0]
        letters = self.found.other.letters
        small = rows.size * letters.shape[1] <= counting.SMALL
        return replace(fold, rows=rows, letters=count(letters[rows]).consensus if small else letters[int(rows[0])])

    def _follow(self) -> None:
        """The other goes with this."""
        self._step(self._view.canvas, self.canvas, 0)

    def _lead(self) -> None:
        """This goes with the other."""
        self._step(self.canvas, self._view.canvas, 1)

    def _step(self, leading: AlignmentCanvas, led: AlignmentCanvas, direction: int) -> None:
        """Rows and sizes are the same, and the column in the middle stands across from its partner."""
        if self._stepping or self.found is None or self.panel.isHidden() or None in (leading.picture, led.picture):
            return
        if self._view.picture.alignment is not self.found.alignment or self._view.canvas.wrapped:
            return
        self._stepping = True
        frame, other, partner = leading.frame_, led.frame_, self._steps[direction]
        # Beside the rows above stand a tree and text, and the names below have their room too.
        beside = 0 if self.side else self._view.notes_width + self._view.canvas.x()
        above = self._view.canvas
        if leading is self.canvas and not self.side:
            above.names_width = max(leading.names_width - beside, LEAST_NAMES)
        wanted = self.canvas.names_width if self.side else above.names_width + beside
        if self.canvas.names_width != wanted or (self.side and self.canvas.wanted != above.tracks):
            self.canvas.names_width = wanted
            self.canvas.wanted = above.tracks if self.side else self.canvas.wanted
            self.canvas.refresh()
        other.cell_width, other.cell_height, other.first_row = frame.cell_width, frame.cell_height, frame.first_row
        middle = frame.first_column + frame.width / frame.cell_width / 2
        at = int(np.clip(middle, 0, partner.size - 1))
        other.first_column = partner[at] + (middle - at) - frame.width / frame.cell_width / 2
        led.refresh()
        self._stepping = False

    def _on_choice(self) -> None:
        """The cursor goes to the same letter here."""
        if self.found is not None and self.canvas.picture is not None and not self._stepping:
            place, column = self.canvas.picture.cursor
            self._stepping = True
            self._view.canvas.go_to(place, int(self._steps[1][column]))
            self._stepping = False

    def _on_point(self, cell: tuple[int, int] | None) -> None:
        if cell is not None and self.found is not None:
            kept, pairs = int(self.found.there.kept[cell[1]]), int(self.found.there.pairs[cell[1]])
            self._view.say(
                f"{self.found.other.name}, column {cell[1] + 1:,}: {kept:,} of {pairs:,} pairs stand together above"
            )

    def marks(self) -> tuple[Mark, ...]:
        """What draws over the cells here."""
        found, picture = self.found, self._view.picture
        if found is None or picture is None or picture.alignment is not found.alignment:
            return ()
        return (partial(_mark, other=found.other, rows=found.rows_there, partner=found.here.partner),)

    def _marks_there(self) -> tuple[Mark, ...]:
        found, picture = self.found, self.canvas.picture
        if found is None or picture is None or picture.alignment is not found.other:
            return ()
        return (partial(_mark, other=found.alignment, rows=found.rows_here, partner=found.there.partner),)


def _large(*alignments: AlignedSequences) -> bool:
    return max(alignment.letters.size for alignment in alignments) > counting.SMALL


def _filled(partner: np.ndarray) -> np.ndarray:
    """Partners of all columns: those without one have that of the column before."""
    if not (partner >= 0).any():
        return np.zeros(partner.size, np.int64)
    places = np.where(partner >= 0, np.arange(partner.size), -1)
    before = np.maximum.accumulate(places)
    before[before < 0] = int(np.argmax(partner >= 0))
    return partner[before]


def _places(names: tuple[str, ...], others: tuple[str, ...]) -> np.ndarray:
    places = {name: row for row, name in enumerate(others)}
    return np.array([places.get(name, -1) for name in names], np.int64)


def _mark(
    painter: QPainter,
    picture: Picture,
    frame: Frame,
    other: AlignedSequences,
    rows: np.ndarray,
    partner: np.ndarray,
) -> None:
    """Underline the letters that stand, in the other alignment, in another column than most of their column do."""
    if min(frame.cell_width, frame.cell_height) < LEAST_CELL:
        return
    (first, last), (left, right) = frame.visible_rows(picture.shape[0]), frame.visible_columns(picture.shape[1])
    painter.save()
    painter.setClipRect(QRectF(frame.left, frame.top, frame.width, frame.height))
    painter.setPen(Qt.PenStyle.NoPen)
    colour = QColor(theme.active().error)
    for place in range(first, last):
        row = int(picture.order[place])
        if row in picture.folds or rows[row] < 0:
            continue
        letters = picture.alignment.letters[row]
        there = aligned_compare.partners(letters, other.letters[rows[row]])[left:right]
        for column in np.flatnonzero((letters[left:right] != GAP) & (there != partner[left:right])).tolist():
            x, y = frame.x(left + column), frame.y(place + 1)
            painter.fillRect(QRectF(x, y - 2.5, frame.cell_width, 2.5), colour)
    painter.setPen(QPen())
    painter.restore()
