"""The shown state of an alignment (row order, selection, cursor, colours) and the frame that maps cells to pixels."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF

from antidiag.app.views.aligned.colouring.schemes import CellColours
from antidiag.app.views.aligned.editing.cell_selection import CellSelection
from antidiag.kernels.alignments import row_statistics, source_positions
from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.alignments.cell_sample import CellSample
from antidiag.kernels.alignments.column_statistics import ColumnCounts
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences

LETTER_WIDTH, LETTER_HEIGHT = 7.0, 9.0
"""Least pixels of a cell for its letter to be written."""
MAX_CELL = 48.0
"""Most pixels of the width of a cell."""


@dataclass(frozen=True, eq=False)
class CollapsedRows:
    """Rows of the alignment, int64, that share one line. ``letters`` are their consensus, uint8 (columns,), or the
    letters of the first row while a thread makes the consensus."""

    rows: np.ndarray
    title: str
    letters: np.ndarray


def keep_all_lines(alignment: AlignedSequences, order: np.ndarray) -> tuple[np.ndarray, dict[int, CollapsedRows]]:
    """Give every row its own line."""
    return order, {}


@dataclass(eq=False)
class AlignmentPicture:
    """What is shown of an alignment. ``order`` are the shown rows from the top, int64; ``cursor`` is a line and a
    column. ``matches`` are matches of the search, int64 (n, 3): row, first column, column after the last. ``tracks``
    caches values of tracks; while they ``is_waiting`` for a thread, painting makes none. ``folds`` are rows that share
    a line, by their first row, which alone is in ``order``. ``notes`` are columns of text beside the names: a title and
    a text per row. ``fixed_row`` is the row of single-row tracks, -1 for the row at the cursor. ``sample`` is a sample
    of the letters, or of the letters before edits."""

    alignment: AlignedSequences
    order: np.ndarray
    colouring: CellColours
    cell_selection: CellSelection
    columns: ColumnCounts | None = None
    cursor: tuple[int, int] = (0, 0)
    matches: np.ndarray = field(default_factory=lambda: np.empty((0, 3), np.int64))
    version: int = 0
    reference: AlignedSequences | None = None
    tracks: dict[str, np.ndarray] = field(default_factory=dict)
    is_waiting: bool = False
    folds: dict[int, CollapsedRows] = field(default_factory=dict)
    notes: tuple[tuple[str, dict[int, str]], ...] = ()
    fixed_row: int = -1
    sample: CellSample | None = None
    _kept: tuple[CellSample, np.ndarray] | None = field(default=None, init=False)

    @property
    def track_row(self) -> int:
        """The row of single-row tracks."""
        return self.fixed_row if self.fixed_row >= 0 else int(self.order[self.cursor[0]])

    def list_rows(self, lines: np.ndarray) -> np.ndarray:
        """Return all rows in these lines, given as rows of ``order``; a fold gives each of its rows."""
        if not self.folds:
            return lines
        rows = [self.folds[row].rows if row in self.folds else np.array([row]) for row in lines.tolist()]
        return np.concatenate([np.empty(0, np.int64), *rows]).astype(np.int64)

    @cached_property
    def line_of_row(self) -> np.ndarray:
        """The line of each row of the alignment, int64; -1 for hidden rows."""
        found = np.full(len(self.alignment.names), -1)
        found[self.order] = np.arange(self.order.size)
        for row, fold in self.folds.items():
            found[fold.rows] = found[row]
        return found

    @cached_property
    def row_positions(self) -> dict[int, source_positions.SourcePositions]:
        """The positions of rows that hold a part of their sequence."""
        return source_positions.row_positions(self.alignment)

    def source_position(self, row: int, letter: int) -> int:
        """Return the position in its whole sequence of a letter of a row, counted from 1."""
        return self.row_positions.get(row, source_positions.WHOLE_SEQUENCE).position_of(letter)

    @cached_property
    def painted_rows(self) -> np.ndarray:
        """The row of `tiles` that is painted in each line, int64."""
        if not self.folds:
            return self.order
        places = {row: number for number, row in enumerate(self.folds)}
        count = len(self.alignment.names)
        return np.array([count + places[row] if row in places else row for row in self.order.tolist()], np.int64)

    @cached_property
    def tiles(self) -> BlockedCells:
        """The letters of all rows, followed by those of the folds."""
        found = self.alignment.letters
        tiles = found if isinstance(found, BlockedCells) else BlockedCells.of(found)
        return tiles.with_lines(np.stack([fold.letters for fold in self.folds.values()])) if self.folds else tiles

    def unchanged_tiles(self, sample: CellSample) -> np.ndarray:
        """Return which `tiles` are unchanged since a sample was made, bool (rows, tiles)."""
        if self._kept is None or self._kept[0] is not sample:
            self._kept = sample, sample.kept(self.tiles)
        return self._kept[1]

    def line_letters(self, line: int) -> np.ndarray:
        """Return the letters of a line."""
        return self.row_letters(int(self.order[line]))

    def row_letters(self, row: int) -> np.ndarray:
        """Return the letters of a row, or of the fold it begins."""
        return self.folds[row].letters if row in self.folds else self.alignment.letters[row]

    def count_letters(self, line: int, column: int) -> int:
        """Count the letters of a line up to and including a column."""
        row = int(self.order[line])
        if row in self.folds:
            return int(np.count_nonzero(self.folds[row].letters[: column + 1] != GAP))
        return row_statistics.count_letters_up_to(self.alignment, row, column)

    def line_name(self, line: int) -> str:
        """Return the name of a line."""
        row = int(self.order[line])
        return self.folds[row].title if row in self.folds else self.alignment.names[row]

    def letter_at(self, line: int, column: int) -> str:
        """Return the letter or gap of a cell."""
        row = int(self.order[line])
        letters = self.folds[row].letters[column] if row in self.folds else self.alignment.letters[row, column]
        return chr(int(letters))

    def find_cursor_line(self, alignment: AlignedSequences, order: np.ndarray) -> int:
        """Return the line of the row at the cursor in another order, or the same line if the row is gone."""
        line = self.cursor[0]
        if self.alignment.names is alignment.names:
            places = np.flatnonzero(order == self.order[line])
            line = int(places[0]) if places.size else line
        return min(line, order.size - 1)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of shown rows and columns."""
        return self.order.size, self.alignment.letters.shape[1]

    @property
    def has_whole_columns(self) -> bool:
        """Whether whole columns are selected; then hidden rows are meant too."""
        return bool(self.cell_selection.rows[self.order].all()) and all(
            block.rows[self.order].all() for block in self.cell_selection.blocks
        )


@dataclass
class CellFrame:
    """The mapping of cells to pixels. ``first_row`` and ``first_column``, with fractions, are at the top left corner of
    the body, which begins at (left, top) and has ``width`` x ``height`` pixels."""

    cell_width: float = 10.0
    cell_height: float = 16.0
    first_column: float = 0.0
    first_row: float = 0.0
    left: int = 120
    top: int = 40
    width: int = 400
    height: int = 300

    @property
    def body_box(self) -> QRectF:
        """The rectangle of the body."""
        return QRectF(self.left, self.top, self.width, self.height)

    @property
    def fits_letters(self) -> bool:
        """Whether letters fit into the cells."""
        return self.cell_width >= LETTER_WIDTH and self.cell_height >= LETTER_HEIGHT

    def column_x(self, column: float) -> float:
        """Return the horizontal pixel of a column."""
        return self.left + (column - self.first_column) * self.cell_width

    def row_y(self, row: float) -> float:
        """Return the vertical pixel of a row."""
        return self.top + (row - self.first_row) * self.cell_height

    def cell_box(self, row: float, column: float, rows: float = 1, columns: float = 1) -> QRectF:
        """Return the rectangle of a cell, or of a block of cells."""
        return QRectF(self.column_x(column), self.row_y(row), columns * self.cell_width, rows * self.cell_height)

    def column_at(self, x: float) -> int:
        """Return the column at a horizontal pixel."""
        return int(np.floor(self.first_column + (x - self.left) / self.cell_width))

    def row_at(self, y: float) -> int:
        """Return the row at a vertical pixel."""
        return int(np.floor(self.first_row + (y - self.top) / self.cell_height))

    def visible_columns(self, count: int) -> tuple[int, int]:
        """Return the visible columns as a half-open range."""
        last = int(np.ceil(self.first_column + self.width / self.cell_width))
        return max(int(self.first_column), 0), min(last, count)

    def visible_rows(self, count: int) -> tuple[int, int]:
        """Return the visible rows as a half-open range."""
        last = int(np.ceil(self.first_row + self.height / self.cell_height))
        return max(int(self.first_row), 0), min(last, count)

    def keep_inside(self, shape: tuple[int, int]) -> None:
        """Scroll back so that no more than needed beyond the alignment is visible."""
        rows, columns = shape
        self.first_row = min(max(self.first_row, 0), max(rows - self.height / self.cell_height, 0))
        self.first_column = min(max(self.first_column, 0), max(columns - self.width / self.cell_width, 0))

    def fit_columns(self, columns: int) -> None:
        """Fit all columns into the width."""
        self.cell_width, self.first_column = min(self.width / max(columns, 1), MAX_CELL), 0.0

    def fit_rows(self, rows: int) -> None:
        """Fit all rows into the height."""
        self.cell_height, self.first_row = min(self.height / max(rows, 1), MAX_CELL / 2), 0.0

    def zoom_at(self, width_factor: float, height_factor: float, x: float, y: float, shape: tuple[int, int]) -> None:
        """Scale cells by these factors; the cell at (x, y) stays there."""
        column = self.first_column + (x - self.left) / self.cell_width
        row = self.first_row + (y - self.top) / self.cell_height
        least_width = min(self.width / max(shape[1], 1), LETTER_WIDTH)
        least_height = min(self.height / max(shape[0], 1), LETTER_HEIGHT)
        self.cell_width = min(max(self.cell_width * width_factor, least_width), MAX_CELL)
        self.cell_height = min(max(self.cell_height * height_factor, least_height), MAX_CELL)
        self.first_column = column - (x - self.left) / self.cell_width
        self.first_row = row - (y - self.top) / self.cell_height
        self.keep_inside(shape)
