"""What is sought in an alignment: a column, a letter of a row, a name, a motif."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent

from antidiag.app.kit.widgets import Line
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_places, aligned_rows, aligned_search
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import counted

WIDTH = 190
NOTHING = np.empty((0, 3), np.int64)
TIP = (
    "120: column 120; #45: letter 45 of the row at the cursor (of a pair, i 45: of the first, j 45: of the second); "
    "a part of a name; a motif, such as NXST, CCWGG or GXGXXG 1 (one letter may differ), with = before it where names "
    "have these letters too; /N[^P][ST]/: a regular expression. Enter goes to the next found, Shift+Enter to the last"
)


@dataclass(frozen=True, eq=False)
class Sought:
    """``told`` says what was found; ``hits`` int64 (n, 3) are row, first column and the one after the last, or a
    ``column`` is."""

    told: str
    hits: np.ndarray = field(default_factory=lambda: NOTHING)
    column: int | None = None


class SearchBox(Line):
    """Says what is sought when Enter is pressed, and then asks for the next hit."""

    sought = Signal(str)
    next_wanted = Signal(int)
    left = Signal()
    """Escape was pressed."""

    def __init__(self) -> None:
        super().__init__(placeholderText="Find name, motif, column")
        self.setToolTip(TIP)
        self.setAccessibleName("Find in the alignment")
        self.setFixedWidth(WIDTH)
        self.setClearButtonEnabled(True)
        self._last = ""
        self.textChanged.connect(self.forget)

    def forget(self) -> None:
        """Seek anew at the next Enter, as in another alignment."""
        self._last = ""

    def sought_before(self, text: str) -> None:
        """Show what was sought otherwise; Enter goes to the next of it."""
        self.setText(text)
        self._last = text

    def event(self, event: QEvent) -> bool:
        # Escape leads back to the alignment, and is not the window's, which cancels jobs.
        if (event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
                and event.key() == Qt.Key.Key_Escape):  # fmt: skip
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self.text() != self._last:
            self._last = self.text()
            self.sought.emit(self.text())
        else:
            self.next_wanted.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)


def seek(
    alignment: AlignedSequences,
    rows: np.ndarray,
    at: int,
    text: str,
    monitor: Monitor | None = None,
) -> Sought:
    """What a text asks for in these rows, of which one is ``at`` the cursor; InputError says why nothing is found."""
    if re.fullmatch(r"[\d,_ ]*\d", text):
        return _column(alignment, int(re.sub(r"[,_ ]", "", text)))
    position = re.fullmatch(r"(#|[ijk](?=[\s\d]))\s*([\d,_]+)", text)
    if position and (position[1] == "#" or len(alignment.names) <= 3):
        row = at if position[1] == "#" else "ijk".index(position[1])
        return _letter(alignment, min(row, len(alignment.names) - 1), int(re.sub("[,_]", "", position[2])))
    hits = NOTHING if text[0] in "=/" else _named(alignment, rows, text)
    if len(hits):
        return Sought(f"{counted(len(hits), 'name')} with {text!r}", hits)
    found = aligned_search.find(alignment, rows, text.removeprefix("="), monitor)
    if not len(found):
        raise InputError(f"no name and no row has {text.removeprefix('=')!r}")
    most = "the first " if len(found) == aligned_search.MOST_HITS else ""
    return Sought(f"{most}{counted(len(found), 'place')} of {text.removeprefix('=')}", found)


def cells_of(hits: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """The cells in which hits begin that are shown, int64 (n, 2), from the top: lines and columns. ``lines`` are those
    of all rows, -1 for hidden ones."""
    cells = np.column_stack((lines[hits[:, 0]], hits[:, 1]))
    cells = cells[cells[:, 0] >= 0]
    return cells[np.lexsort((cells[:, 1], cells[:, 0]))]


def next_of(cells: np.ndarray, here: tuple[int, int], step: int) -> int:
    """The number of the cell after another one (``step`` 1), before it (-1), or of the first (0); there is one."""
    if not step:
        return 0
    first, last = np.searchsorted(cells[:, 0], [here[0], here[0] + 1])
    at = first + np.searchsorted(cells[first:last, 1], here[1], "right" if step > 0 else "left")
    return int(at if step > 0 else at - 1) % len(cells)


def _letter(alignment: AlignedSequences, row: int, position: int) -> Sought:
    """The column of a letter, counted in the sequence of the row."""
    start = aligned_places.starts(alignment).get(row, 0)
    column = aligned_rows.column_of(alignment, row, position - start)
    if column is None:
        letters = int(aligned_rows.positions(alignment, row, alignment.letters.shape[1] - 1))
        raise InputError(f"{alignment.names[row]} has letters {start + 1:,} to {start + letters:,}")
    return Sought("", column=column)


def _column(alignment: AlignedSequences, number: int) -> Sought:
    columns = alignment.letters.shape[1]
    if not 1 <= number <= columns:
        raise InputError(f"columns go from 1 to {columns:,}")
    return Sought("", column=number - 1)


def _named(alignment: AlignedSequences, rows: np.ndarray, text: str) -> np.ndarray:
    wanted, columns = text.lower(), alignment.letters.shape[1]
    found = [row for row in rows.tolist() if wanted in alignment.names[row].lower()]
    return np.array([(row, 0, columns) for row in found], np.int64).reshape(-1, 3)
