"""Compares the shown alignment with another one of the same sequences: scores, marks and a linked second canvas."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from antidiag.app.kit import ask
from antidiag.app.kit.controls.widgets import ElidedLabel
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.base_view import BaseAlignmentView
from antidiag.app.views.aligned.colouring import schemes
from antidiag.app.views.aligned.colouring.schemes import ColourInputs
from antidiag.app.views.aligned.columns.tracks import class_scores
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CollapsedRows
from antidiag.app.views.aligned.drawing.wrapped_blocks import CellMark
from antidiag.app.views.aligned.editing.cell_selection import CellSelection
from antidiag.app.views.aligned.side_panels.alignment_comparison import (
    AlignmentComparison,
    compare_alignments,
    fill_partners,
    mark_differences,
)
from antidiag.app.views.aligned.widgets.alignment_canvas import MIN_NAMES_WIDTH, AlignmentCanvas
from antidiag.kernels.alignments import column_counter, comparison
from antidiag.kernels.alignments.column_statistics import count_columns
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType


class ComparisonPanel:
    """Holds the compared alignment and the canvas that shows it in step with the main one."""

    def __init__(self, view: BaseAlignmentView) -> None:
        self._view = view
        self.result: AlignmentComparison | None = None
        self._other: AlignedSequences | None = None
        self._laying = self._quiet = False
        self.is_visible = self.is_at_side = False
        self.canvas, self._title = AlignmentCanvas(), ElidedLabel()
        self.panel = self._build_panel()
        self._comparing = LatestTask(view, self._take_result, self._show_error)
        self._stepping = False
        self._steps: tuple[np.ndarray, np.ndarray] | None = None
        self.canvas.cell_marks = self._other_marks
        view.alignment_changed.connect(self.end_comparison)
        view.lines_changed.connect(self._on_lines_changed)
        view.canvas.view_moved.connect(self._follow_main_canvas)
        self.canvas.view_moved.connect(self._lead_main_canvas)
        self.canvas.selection_changed.connect(self._on_selection)
        self.canvas.cell_hovered.connect(self._on_point)

    @property
    def busy(self) -> bool:
        """Whether a comparison is running."""
        return self._comparing.busy

    def list_alignments(self) -> list[AlignedSequences]:
        """Return the alignments among the data except the shown one."""
        shown = self._view.editor.original.letters  # a result added to the data shares these letters
        alignments = (datum for datum in self._view.data if isinstance(datum, AlignedSequences))
        return [datum for datum in alignments if datum.letters is not shown]

    def list_comparable(self) -> list[AlignedSequences]:
        """Return the `list_alignments` that share a row name with the shown alignment."""
        names = frozenset(self._view.alignment.names)
        return [other for other in self.list_alignments() if not names.isdisjoint(other.names)]

    def ask_alignment(self) -> None:
        """Ask for an alignment file and compare with it."""
        ask.open_and_use(
            self._view,
            "Compare with",
            "Alignments (*)",
            lambda path: self.compare_with(aligned_sequences.read_alignments(path)[0], True),
        )

    def compare_with(self, other: AlignedSequences, visible: bool = False, quietly: bool = False) -> None:
        """Compare with another alignment: report SP and TC, show agreement as a track, and show it if ``visible``.
        InputError if they cannot be compared; for large alignments a thread finds that out and reports it."""
        alignment, self._quiet = self._view.alignment, quietly
        found = None if _any_large(alignment, other) else compare_alignments(alignment, other)
        self._other, self.is_visible = other, visible or self.is_visible
        if found is not None:
            self._take_result(found)
        else:
            self._view.show_status(f"Comparing with {other.name} ...")
            self._comparing.request(lambda monitor: compare_alignments(alignment, other, monitor))

    def show_panel(self, on: bool) -> None:
        """Show or hide the other alignment."""
        self.is_visible = on
        self._lay_out()

    def place_panel(self, at_side: bool, on: bool) -> None:
        """Show the other alignment at the side or below, or hide it."""
        if on:
            self.show_at_side(at_side)
        else:
            self.show_panel(False)

    def show_at_side(self, on: bool) -> None:
        """Show the other alignment at the right (row beside row) or below (column under column)."""
        self._set_orientation(on)
        self._box.removeWidget(self._title)
        self._box.insertWidget(1 if on else 0, self._title)  # at the side both begin at the same height
        self.canvas.wanted_tracks = self._view.canvas.shown_tracks if on else ["consensus"]
        self.canvas.names_width = self._view.canvas.names_width
        self.show_panel(True)

    def _set_orientation(self, at_side: bool) -> None:
        """Arrange the two alignments side by side or one below the other."""
        self.is_at_side = at_side
        self.canvas.hides_unfit_tracks = not at_side  # rows stand beside rows, below as many tracks
        both = self.panel.parentWidget()
        if isinstance(both, QSplitter):
            both.setOrientation(Qt.Orientation.Horizontal if at_side else Qt.Orientation.Vertical)
            whole = both.width() if at_side else both.height()
            both.setSizes([whole // 2, whole // 2] if at_side else [3 * whole // 5, 2 * whole // 5])

    def end_comparison(self) -> None:
        """End the comparison."""
        self._comparing.cancel()
        if self.is_at_side:
            self._set_orientation(False)
        self.result, self._other, self.is_visible = None, None, False
        self._view.forget_reference()
        self.panel.hide()

    def next_difference(self, step: int = 1) -> None:
        """Go to the next (``step`` 1) or previous (-1) column that differs, and in it to a letter aligned
        differently."""
        if self.result is None:
            self._view.show_status("Choose an alignment to compare with first (Compare menu).")
            return
        row, column = self._view.picture.cursor
        there = np.flatnonzero(~self.result.own_agreement.whole & (self.result.own_agreement.pairs > 0))
        after = there[there > column] if step > 0 else there[there < column][::-1]
        if not after.size:
            self._view.show_status(f"No {'later' if step > 0 else 'earlier'} column differs.")
            return
        self._view.canvas.go_to(self._find_differing_line(row, int(after[0])), int(after[0]))

    def _find_differing_line(self, place: int, column: int) -> int:
        """Return a line with a letter aligned differently in a column, searching from a line down and on from the top.
        In very large alignments not all lines are searched; then the start line is returned."""
        found, picture = self.result, self._view.picture
        most = max(column_counter.MAX_LETTERS_AT_ONCE // picture.shape[1], 1)
        for line in np.roll(np.arange(picture.order.size), -place)[:most].tolist():
            row = int(picture.order[line])
            other, letters = int(found.other_rows[row]), found.alignment.letters[row]
            if other < 0 or row in picture.folds or letters[column] == GAP:
                continue
            if (
                comparison.matching_columns(letters, found.other.letters[other])[column]
                != found.own_agreement.partner[column]
            ):
                return int(line)
        return place

    def _build_panel(self) -> QWidget:
        panel = QWidget()
        self._box = box = QVBoxLayout(panel)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(2)
        self._title.setObjectName("muted")
        self.canvas.setAccessibleName("The other alignment")
        self.canvas.wanted_tracks = ["consensus"]
        box.addWidget(self._title)
        box.addWidget(self.canvas, 1)
        panel.hide()
        return panel

    def _take_result(self, found: AlignmentComparison) -> None:
        if found.alignment is not self._view.alignment:
            return
        self.result = found
        self._steps = fill_partners(found.own_agreement.partner), fill_partners(found.other_agreement.partner)
        self._laying = True
        self._view.set_reference(found.other, found.own_agreement.shares)
        self._laying = False
        self._lay_out()
        if not self._quiet:
            self._view.show_status(f"Against the reference {found.other.name}: {found.score_text}")

    def _show_error(self, error: Exception) -> None:
        self.end_comparison()
        self._view.show_status(str(error))

    def _on_lines_changed(self) -> None:
        """Lay out the comparison again; compare again if the alignment was edited."""
        if self._other is None or self._laying:
            return
        if self.result is not None and self.result.alignment is self._view.alignment:
            self._lay_out()
            return
        self.result = None
        try:
            self.compare_with(self._other, quietly=True)
        except InputError as error:
            self._show_error(error)

    def _lay_out(self) -> None:
        """Show the rows of the other alignment in this row order and colouring."""
        there = self.is_visible and self.result is not None and self._view.picture is not None
        self.panel.setVisible(there)
        if not there:
            self.canvas.show_picture(None)
            return
        picture, found = self._view.picture, self.result
        row_of = found.other_rows
        order = row_of[picture.order]
        folds = {
            int(row_of[row]): self._map_fold(fold, row_of) for row, fold in picture.folds.items() if row_of[row] >= 0
        }
        order = order[order >= 0]
        if not order.size:
            self._title.setText(f"Reference {found.other.name}: has none of the shown rows")
            self.canvas.show_picture(None)
            return
        letters, protein = found.other.letters, found.other.type == SequenceType.PROTEIN
        inputs = ColourInputs(
            found.other_counts, protein, letters[int(order[0])], class_scores(), found.other_agreement.shares
        )
        colouring = schemes.make_colouring(self._view.scheme, inputs)
        made = AlignmentPicture(
            found.other, order, colouring, CellSelection.select_nothing(letters.shape), found.other_counts, folds=folds
        )
        made.reference, made.tracks = found.alignment, {"agreement": found.other_agreement.shares}
        made.is_waiting = _any_large(picture.alignment, found.other)
        self._title.setText(f"Reference {found.other.name}: {found.score_text}")
        self.canvas.letters = self._view.canvas.letters
        self._stepping = True  # the main canvas leads the new picture
        self.canvas.show_picture(made, fit=False)
        self._stepping = False
        self._follow_main_canvas()

    def _map_fold(self, fold: CollapsedRows, row_of: np.ndarray) -> CollapsedRows:
        rows = row_of[fold.rows]
        rows = rows[rows >= 0]
        letters = self.result.other.letters
        if rows.size * letters.shape[1] > column_counter.MAX_LETTERS_AT_ONCE:
            return replace(fold, rows=rows, letters=letters[int(rows[0])])
        return replace(fold, rows=rows, letters=count_columns(letters[rows], type=self.result.other.type).consensus)

    def _follow_main_canvas(self) -> None:
        self._align_canvases(self._view.canvas, self.canvas, 0)

    def _lead_main_canvas(self) -> None:
        self._align_canvases(self.canvas, self._view.canvas, 1)

    def _align_canvases(self, leading: AlignmentCanvas, led: AlignmentCanvas, direction: int) -> None:
        """Give both canvases the same rows and cell sizes, and align the middle column with its partner."""
        if self._stepping or self.result is None or self.panel.isHidden() or None in (leading.picture, led.picture):
            return
        if self._view.picture.alignment is not self.result.alignment or self._view.canvas.wrapped:
            return
        self._stepping = True
        frame, other, partner = leading.frame_, led.frame_, self._steps[direction]
        # The names below also cover the tree and the notes beside the rows above.
        beside = 0 if self.is_at_side else self._view.notes_width + self._view.canvas.x()
        above = self._view.canvas
        if leading is self.canvas and not self.is_at_side:
            above.names_width = max(leading.names_width - beside, MIN_NAMES_WIDTH)
        wanted = self.canvas.names_width if self.is_at_side else above.names_width + beside
        if self.canvas.names_width != wanted or (self.is_at_side and self.canvas.wanted_tracks != above.shown_tracks):
            self.canvas.names_width = wanted
            self.canvas.wanted_tracks = above.shown_tracks if self.is_at_side else self.canvas.wanted_tracks
            self.canvas.repaint_all()
        other.cell_width, other.cell_height, other.first_row = frame.cell_width, frame.cell_height, frame.first_row
        middle = frame.first_column + frame.width / frame.cell_width / 2
        at = int(np.clip(middle, 0, partner.size - 1))
        other.first_column = partner[at] + (middle - at) - frame.width / frame.cell_width / 2
        led.repaint_all()
        self._stepping = False

    def _on_selection(self) -> None:
        """Move the main cursor to the same letter."""
        if self.result is not None and self.canvas.picture is not None and not self._stepping:
            place, column = self.canvas.picture.cursor
            self._stepping = True
            self._view.canvas.go_to(place, int(self._steps[1][column]))
            self._stepping = False

    def _on_point(self, cell: tuple[int, int] | None) -> None:
        if cell is not None and self.result is not None:
            kept, pairs = (
                int(self.result.other_agreement.kept[cell[1]]),
                int(self.result.other_agreement.pairs[cell[1]]),
            )
            column = f"Reference {self.result.other.name}, column {cell[1] + 1:,}"
            self._view.show_status(f"{column}: {kept:,} of {pairs:,} pairs are aligned above as well")

    def cell_marks(self) -> tuple[CellMark, ...]:
        """Return what draws over the cells of the main canvas."""
        found, picture = self.result, self._view.picture
        if found is None or picture is None or picture.alignment is not found.alignment:
            return ()
        return (
            partial(mark_differences, other=found.other, rows=found.other_rows, partner=found.own_agreement.partner),
        )

    def _other_marks(self) -> tuple[CellMark, ...]:
        found, picture = self.result, self.canvas.picture
        if found is None or picture is None or picture.alignment is not found.other:
            return ()
        return (
            partial(
                mark_differences, other=found.alignment, rows=found.own_rows, partner=found.other_agreement.partner
            ),
        )


def _any_large(*alignments: AlignedSequences) -> bool:
    return max(alignment.letters.size for alignment in alignments) > column_counter.MAX_LETTERS_AT_ONCE
