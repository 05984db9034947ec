"""The search box, and what a search text asks for: a column, a letter of a row, a name or a motif."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent

from antidiag.app.kit.controls.widgets import UndoLineEdit
from antidiag.app.kit.focus import mark_search_field
from antidiag.kernels.alignments import motif_search, row_statistics, source_positions
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import format_count

BOX_WIDTH = 150
NO_MATCHES = np.empty((0, 3), np.int64)
TIP = (
    "120: column 120. #45: letter 45 of the row at the cursor (in a pair, i 45: of the first row, j 45: of the "
    "second). abc: a part of a name. NXST, CCWGG: a motif; GXGXXG 1: one letter may differ; =NXST: a motif only, no "
    "name. W-[FY]-x(2)-N: a PROSITE pattern. rc:GGATAC: the reverse complement; both:GGATAC: both strands. "
    "/N[^P][ST]/: a regular expression (RE2). Enter: next match. Shift+Enter: previous match."
)


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search. ``description`` describes it; ``hits`` int64 (n, 3) are row, first column and the column
    after the last, ``are_names`` whether they are whole rows whose name matches; or a ``column`` was asked for."""

    description: str
    hits: np.ndarray = field(default_factory=lambda: NO_MATCHES)
    column: int | None = None
    are_names: bool = False


class AlignmentSearchBox(UndoLineEdit):
    """Sends the text when Enter is pressed, and then asks for the next match."""

    search_requested = Signal(str)
    next_requested = Signal(int)
    escaped = Signal()
    """Escape was pressed."""

    def __init__(self) -> None:
        super().__init__(placeholderText="Name, motif, column")
        self.setToolTip(TIP)
        self.setAccessibleName("Find in the alignment")
        mark_search_field(self)
        self.setFixedWidth(BOX_WIDTH)
        self.setClearButtonEnabled(True)
        self._last = ""
        self.textChanged.connect(self.forget_text)

    def forget_text(self) -> None:
        """Search again at the next Enter."""
        self._last = ""

    def show_searched(self, text: str) -> None:
        """Show a text that was searched by other means; Enter goes to its next match."""
        self.setText(text)
        self._last = text

    def event(self, event: QEvent) -> bool:
        # Escape returns to the alignment; as a shortcut of the window it would cancel jobs.
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self.text() != self._last:
            self._last = self.text()
            self.search_requested.emit(self.text())
        else:
            self.next_requested.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)


def search_text(
    alignment: AlignedSequences,
    rows: np.ndarray,
    cursor_row: int,
    text: str,
    monitor: Monitor | None = None,
) -> SearchResult:
    """Search a text in these rows, one of which is ``cursor_row`` the cursor; InputError says why nothing is found."""
    if re.fullmatch(r"[\d,_ ]*\d", text):
        return _find_column(alignment, int(re.sub(r"[,_ ]", "", text)))
    position = re.fullmatch(r"(#|[ijk](?=[\s\d]))\s*([\d,_]+)", text)
    if position and (position[1] == "#" or len(alignment.names) <= 3):
        row = cursor_row if position[1] == "#" else "ijk".index(position[1])
        return _find_letter(alignment, min(row, len(alignment.names) - 1), int(re.sub("[,_]", "", position[2])))
    hits = NO_MATCHES if text[0] in "=/" else _find_names(alignment, rows, text)
    if len(hits):
        return SearchResult(f"{format_count(len(hits), 'name')} with {text!r}", hits, are_names=True)
    found = motif_search.find_motif(alignment, rows, text.removeprefix("="), monitor)
    if not len(found):
        raise InputError(f"No name and no row contains {text.removeprefix('=')!r}")
    most = "the first " if len(found) == motif_search.MAX_HITS else ""
    return SearchResult(f"{most}{format_count(len(found), 'match', 'matches')} for {text.removeprefix('=')}", found)


def find_shown_cells(hits: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Return shown matches from the top, int64 (n, 3): line, first column, column after the last.

    ``lines`` are those of all rows, -1 for hidden ones.
    """
    cells = np.column_stack((lines[hits[:, 0]], hits[:, 1:]))
    cells = cells[cells[:, 0] >= 0]
    return cells[np.lexsort((cells[:, 1], cells[:, 0]))]


def find_next_cell(cells: np.ndarray, here: tuple[int, int], step: int) -> int:
    """Return the number of the cell after a cell (``step`` 1), before it (-1), or of the first (0)."""
    if not step:
        return 0
    first, last = np.searchsorted(cells[:, 0], [here[0], here[0] + 1])
    at = first + np.searchsorted(cells[first:last, 1], here[1], "right" if step > 0 else "left")
    return int(at if step > 0 else at - 1) % len(cells)


def _find_letter(alignment: AlignedSequences, row: int, position: int) -> SearchResult:
    """Return the column of a letter, counted in the sequence of the row."""
    places = source_positions.row_positions(alignment).get(row, source_positions.WHOLE_SEQUENCE)
    column = row_statistics.column_of_letter(alignment, row, places.letter_at(position))
    if column is None:
        letters = int(row_statistics.count_letters_up_to(alignment, row, alignment.letters.shape[1] - 1))
        raise InputError(
            f"{alignment.names[row]} has letters {places.position_of(1):,} to {places.position_of(letters):,}"
        )
    return SearchResult("", column=column)


def _find_column(alignment: AlignedSequences, number: int) -> SearchResult:
    columns = alignment.letters.shape[1]
    if not 1 <= number <= columns:
        raise InputError(f"Columns are numbered from 1 to {columns:,}")
    return SearchResult("", column=number - 1)


def _find_names(alignment: AlignedSequences, rows: np.ndarray, text: str) -> np.ndarray:
    wanted, columns = text.lower(), alignment.letters.shape[1]
    found = [row for row in rows.tolist() if wanted in alignment.names[row].lower()]
    return np.array([(row, 0, columns) for row in found], np.int64).reshape(-1, 3)
