"""The summary of a result above its alignment, and links between alignment columns and matrix cells."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter
from PySide6.QtWidgets import QLabel

from antidiag.app import theme
from antidiag.app.kit.figures import export
from antidiag.app.kit.results import result_text
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.texts import format_percent
from antidiag.app.views.aligned.base_view import BaseAlignmentView
from antidiag.app.views.aligned.columns import tracks
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture, CellFrame
from antidiag.app.views.aligned.drawing.wrapped_blocks import CellMark
from antidiag.app.views.aligned.export import alignment_text
from antidiag.app.views.aligned.side_panels.pair_statistics import PairStatistics, count_columns
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.model import Alignment
from antidiag.kernels.pairwise.path_index import shared_path_index
from antidiag.kernels.text import format_count

SCORE_ONLY = "This method returns the score only.\nRun StripedAlignment for the same score with the alignment."
EMPTY_ALIGNMENT = (
    "The best local alignment is empty, because no pair of letters scores above 0.\n"
    "Choose another matrix, other match and mismatch scores, or global mode."
)
TOO_LONG = "The alignment has {:,} columns, too many to show. Save it to a file or open its matrix."


class PairSummary:
    """Holds the line of numbers above the alignment, and the explanation if there is no alignment."""

    def __init__(self, view: BaseAlignmentView) -> None:
        self._view = view
        self.numbers = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.numbers.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.explanation = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.explanation.setObjectName("muted")
        self._path: Alignment | None = None
        self._pointed: int | None = None
        self._counting = LatestTask(view, lambda counts: self._show_numbers(self._result, counts))
        self._result: Result | None = None
        view.selection.cell_changed.connect(self._on_cell)
        view.selection.cell_chosen.connect(self._on_cell_chosen)
        view.canvas.column_clicked.connect(self._on_click)
        self.show_result(None)

    @property
    def busy(self) -> bool:
        """Whether the summary is being computed."""
        return self._counting.busy

    @property
    def is_linked(self) -> bool:
        """Whether columns are those of the result's path: the alignment was not edited."""
        return self._path is not None and self._view.editor is not None and self._view.editor.has_original_letters

    def show_result(self, result: Result | None) -> None:
        """Show the numbers of a result, or why it has no alignment; None for an alignment without a result."""
        self._result, self._path, self._pointed = result, None, None
        self._counting.cancel()
        there = result is not None and alignment_text.holds_alignment(result)
        if there and result_text.is_pair(result):
            self._path = result.answer.alignment
            self._counting.request(lambda monitor: count_columns(result, monitor))
        self.explanation.setText("" if result is None or there else _explain_missing(result))
        self._show_numbers(result if there and alignment_text.has_path(result) else None, None)
        if self._path is not None and (cell := self._view.selection.chosen_place("cell", result)) is not None:
            self._on_cell_chosen(cell)

    def step_to(self, kind: str, forward: bool) -> bool:
        """Go to the next or previous "mismatch" or "gap" of a pair; return False if there is none."""
        picture = self._view.picture
        if picture is None or picture.shape[0] != 2:
            return False
        row, column = picture.cursor
        first, second = (picture.line_letters(place) for place in range(2))
        if kind == "gap":
            gaps = np.stack([letters == ord("-") for letters in (first, second)])
            found = (gaps & ~np.pad(gaps, ((0, 0), (1, 0)))[:, :-1]).any(axis=0)
        else:
            found = (first != second) & (first != ord("-")) & (second != ord("-"))
        places = np.flatnonzero(found)
        after = places[places > column] if forward else places[places < column][::-1]
        if not after.size:
            self._view.show_status(f"No {kind} {'after' if forward else 'before'} column {column + 1:,}")
            return False
        self._view.canvas.go_to(row, int(after[0]))
        self._view.selection.choose_column(int(after[0]), self._result)
        return True

    def copy_lines(self) -> None:
        """Copy the selected columns of a pair, or all, as three lines: row, match line, row."""
        picture = self._view.picture
        columns = (
            np.arange(picture.shape[1])
            if picture.cell_selection.is_empty
            else np.flatnonzero(picture.cell_selection.columns)
        )
        if columns.size > alignment_text.MAX_COPIED_LETTERS // 3:
            self._view.show_status(f"The clipboard cannot hold {columns.size:,} columns; select fewer, or save them")
            return
        match = np.frombuffer(tracks.match_line(picture, 0, picture.shape[1]).encode(), np.uint8)
        rows = picture.line_letters(0), match, picture.line_letters(1)
        QGuiApplication.clipboard().setText("\n".join(row[columns].tobytes().decode("ascii") for row in rows))
        self._view.show_status(f"Copied {columns.size:,} columns.")

    def save_result(self) -> None:
        """Ask for a file and write the result in its own format."""
        export.save_alignment(self._view, self._result, self._view.exporter.file_writing, self._view.show_status)

    def cell_marks(self) -> tuple[CellMark, ...]:
        """Return what draws over the cells: the column that another view points at."""
        return () if self._pointed is None or not self.is_linked else (partial(_mark_column, column=self._pointed),)

    def _show_numbers(self, result: Result | None, counts: PairStatistics | None) -> None:
        self.numbers.setVisible(result is not None)
        if result is None:
            return
        path = result.answer.alignment
        columns = alignment_text.count_columns(result)
        parts = [f"Score <b>{result_text.format_number(result.score)}</b>", f"Columns <b>{columns:,}</b>"]
        if counts is not None:
            parts += [
                f"Identity <b>{format_percent(counts.identical / columns)}</b> of columns ({counts.identical:,})",
                *_other_identities(result, counts),
                f"Similarity <b>{format_percent(counts.positive / columns)}</b> ({counts.positive:,})",
                f"Gaps <b>{counts.gap_letters:,}</b> letters in {format_count(counts.gaps, 'gap')}",
            ]
        for side, datum in enumerate(result.problem.data):  # sequences or profiles
            name = result_text.shorten_name(datum.name).replace("&", "&amp;").replace("<", "&lt;")
            start, end = _aligned_letters(result, side, path.start[side], path.end[side])
            strand = ", reverse strand" if not side and getattr(result.problem, "is_reversed", False) else ""
            parts.append(f"{name} <b>{start:,}\u2013{end:,}</b> of {len(datum):,}{strand}")
        self.numbers.setText("&nbsp; ".join(f"<span style='white-space:nowrap'>{part}</span>&nbsp;" for part in parts))

    def _on_click(self, column: int) -> None:
        if self.is_linked:
            self._view.selection.choose_column(column, self._result)

    def _on_cell(self, cell: tuple[int, int] | None) -> None:
        if self.is_linked and not self._view.canvas.viewport().underMouse():
            point = shared_path_index(self._path).point_at(cell) if cell is not None else None
            self._pointed = point - 1 if point else None
            self._view.canvas.viewport().update()

    def _on_cell_chosen(self, cell: tuple[int, int]) -> None:
        point = shared_path_index(self._path).point_at(cell) if self.is_linked else None
        if point is not None:
            self._view.canvas.go_to(self._view.picture.cursor[0], max(point - 1, 0))


def _other_identities(result: Result, counts: PairStatistics) -> list[str]:
    """Return the identity without gaps, and that of the shorter sequence."""
    paired = result.answer.alignment.operations.size - counts.gap_letters
    wholes = (("without gaps", paired), ("of the shorter", min(map(len, result.problem.data))))
    return [f"<b>{format_percent(counts.identical / whole)}</b> {words}" for words, whole in wholes if whole]


def _aligned_letters(result: Result, side: int, start: int, end: int) -> tuple[int, int]:
    """Return the numbers of the first and the last aligned letter of a sequence, or of a column of a profile."""
    if result_text.is_pair(result):
        return result.problem.number_letters(side, start, end)
    return min(start + 1, end), end


def _explain_missing(result: Result) -> str:
    if getattr(result.answer, "alignment", result) is None:
        return SCORE_ONLY + f"\n\nScore {result_text.format_number(result.score)}"
    columns = alignment_text.count_columns(result)
    return TOO_LONG.format(columns) if columns else EMPTY_ALIGNMENT


def _mark_column(painter: QPainter, picture: AlignmentPicture, frame: CellFrame, column: int) -> None:
    x = frame.column_x(column)
    if frame.left <= x < frame.left + frame.width:
        colour = QColor(theme.active().warning)
        colour.setAlpha(110)
        painter.fillRect(QRectF(x, frame.top, max(frame.cell_width, 2), frame.height), colour)
