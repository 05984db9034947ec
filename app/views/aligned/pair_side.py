"""What a result of sequences or profiles has beside its rows: numbers, why there are none, and links to its matrix."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter
from PySide6.QtWidgets import QLabel

from antidiag.app import theme
from antidiag.app.kit import export, result_text
from antidiag.app.kit.background import Latest
from antidiag.app.kit.paths import path_index
from antidiag.app.views.aligned import saving, tracks
from antidiag.app.views.aligned.pair_text import AlignmentText, Statistics
from antidiag.app.views.aligned.picture import Frame, Picture
from antidiag.app.views.aligned.shown import ShownAlignment
from antidiag.app.views.aligned.wrapping import Mark
from antidiag.kernels.model import Result

SCORE_ONLY = (
    "This method returns the score only.\n"
    "Choose StripedAlignment for the path: it gives the same score and the alignment."
)
EMPTY = (
    "The best local alignment is empty: no pair of letters scores above 0, so the score is 0.\n"
    "Choose another matrix, other match and mismatch scores, or global mode."
)
TOO_LONG = "The alignment has {:,} columns, too many to be shown; save it to a file, or look at its matrix."


class PairSide:
    """Has the line of numbers above the alignment of a result, and the explanation where there is none."""

    def __init__(self, view: ShownAlignment) -> None:
        self._view = view
        self.numbers = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.numbers.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.explanation = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.explanation.setObjectName("muted")
        self._text: AlignmentText | None = None
        self._pointed: int | None = None
        self._counting = Latest(view)
        self._counting.finished.connect(lambda counts: self._tell(self._result, counts))
        self._result: Result | None = None
        view.selection.cell_changed.connect(self._on_cell)
        view.selection.cell_chosen.connect(self._on_cell_chosen)
        view.canvas.clicked.connect(self._on_click)
        self.begin(None)

    @property
    def busy(self) -> bool:
        return self._counting.busy

    @property
    def linked(self) -> bool:
        """Whether columns are those of the path of the result: it was not edited."""
        return self._text is not None and self._view.editor is not None and self._view.editor.as_it_came

    def begin(self, result: Result | None) -> None:
        """A result is shown, or something else (None): say its numbers, or why it has no rows."""
        self._result, self._text, self._pointed = result, None, None
        self._counting.cancel()
        there = result is not None and saving.holds_alignment(result)
        if there and result_text.is_pair(result):
            self._text = AlignmentText(result)
            self._counting.request(self._text.statistics)
        self.explanation.setText("" if result is None or there else _why_nothing(result))
        self._tell(result if there and saving.has_path(result) else None, None)
        if self._text is not None and (cell := self._view.selection.chosen("cell", result)) is not None:
            self._on_cell_chosen(cell)

    def step(self, kind: str, forward: bool) -> bool:
        """Go to the next or the previous "mismatch" or "gap" of a pair; False where there is no more."""
        picture = self._view.picture
        if picture is None or picture.shape[0] != 2:
            return False
        row, column = picture.cursor
        first, second = (picture.letters_at(place) for place in range(2))
        if kind == "gap":
            gaps = np.stack([letters == ord("-") for letters in (first, second)])
            found = (gaps & ~np.pad(gaps, ((0, 0), (1, 0)))[:, :-1]).any(axis=0)
        else:
            found = (first != second) & (first != ord("-")) & (second != ord("-"))
        places = np.flatnonzero(found)
        after = places[places > column] if forward else places[places < column][::-1]
        if not after.size:
            self._view.say(f"No {kind} {'after' if forward else 'before'} column {column + 1:,}")
            return False
        self._view.canvas.go_to(row, int(after[0]))
        self._view.selection.choose_column(int(after[0]), self._result)
        return True

    def copy(self) -> None:
        """Copy the chosen columns of a pair, or all, as three lines: a row, the match line, the other row."""
        picture = self._view.picture
        columns = np.arange(picture.shape[1]) if picture.choice.empty else np.flatnonzero(picture.choice.columns)
        if columns.size > saving.MOST_COPIED // 3:
            self._view.say(f"{columns.size:,} columns are too many for the clipboard; choose fewer, or save them")
            return
        match = np.frombuffer(tracks.matches(picture, 0, picture.shape[1]).encode(), np.uint8)
        rows = picture.letters_at(0), match, picture.letters_at(1)
        QGuiApplication.clipboard().setText("\n".join(row[columns].tobytes().decode("ascii") for row in rows))
        self._view.say(f"Copied {columns.size:,} columns.")

    def save(self) -> None:
        """Ask for a file and write the result in a format of its own."""
        export.save_alignment(self._view, self._result, self._view.taking.writing, self._view.say)

    def marks(self) -> tuple[Mark, ...]:
        """What draws over the cells: a line over the column that another view points at."""
        return () if self._pointed is None or not self.linked else (partial(_mark, column=self._pointed),)

    def _tell(self, result: Result | None, counts: Statistics | None) -> None:
        self.numbers.setVisible(result is not None)
        if result is None:
            return
        path = result.answer.alignment
        columns = self._text.columns if self._text else saving.columns_of(result)
        parts = [f"Score <b>{result_text.number(result.score)}</b>", f"Columns <b>{columns:,}</b>"]
        if counts is not None:
            parts += [
                f"Identity <b>{counts.percent(counts.identical):.1f} %</b> ({counts.identical:,})",
                f"Similarity <b>{counts.percent(counts.positive):.1f} %</b> ({counts.positive:,})",
                f"Gaps <b>{counts.gap_letters:,}</b> letters in {counts.gaps:,} gap{'s' * (counts.gaps != 1)}",
            ]
        for datum, start, end in zip(result.problem.data, path.start, path.end, strict=True):  # sequences or profiles
            name = result_text.shortened(datum.name).replace("&", "&amp;").replace("<", "&lt;")
            parts.append(f"{name} <b>{min(start + 1, end):,}\u2013{end:,}</b> of {len(datum):,}")
        self.numbers.setText("&nbsp; ".join(f"<span style='white-space:nowrap'>{part}</span>&nbsp;" for part in parts))

    def _on_click(self, column: int) -> None:
        if self.linked:
            self._view.selection.choose_column(column, self._result)

    def _on_cell(self, cell: tuple[int, int] | None) -> None:
        """Mark the column that ends at the cell another view points at."""
        if self.linked and not self._view.canvas.viewport().underMouse():
            point = path_index(self._text.alignment).point_at(cell) if cell is not None else None
            self._pointed = point - 1 if point else None
            self._view.canvas.viewport().update()

    def _on_cell_chosen(self, cell: tuple[int, int]) -> None:
        point = path_index(self._text.alignment).point_at(cell) if self.linked else None
        if point is not None:
            self._view.canvas.go_to(self._view.picture.cursor[0], max(point - 1, 0))


def _why_nothing(result: Result) -> str:
    path = result.answer.alignment
    if path is None:
        return SCORE_ONLY + f"\n\nScore {result_text.number(result.score)}"
    columns = saving.columns_of(result)
    return TOO_LONG.format(columns) if columns else EMPTY


def _mark(painter: QPainter, picture: Picture, frame: Frame, column: int) -> None:
    x = frame.x(column)
    if frame.left <= x < frame.left + frame.width:
        colour = QColor(theme.active().warning)
        colour.setAlpha(110)
        painter.fillRect(QRectF(x, frame.top, max(frame.cell_width, 2), frame.height), colour)
