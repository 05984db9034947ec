"""What is shown of an alignment: which rows in which order, which are chosen, where the cursor is, and how large."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from PySide6.QtCore import QRectF

from antidiag.app.views.aligned.choice import Choice, ranges
from antidiag.app.views.aligned.schemes import Colouring
from antidiag.kernels.io import aligned_places, aligned_rows
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.aligned_columns import Columns
from antidiag.kernels.io.aligned_sample import Sample
from antidiag.kernels.io.tiles import Tiles

__all__ = ["Choice", "Fold", "Frame", "Picture", "ranges", "unfolded"]

LETTER_WIDTH, LETTER_HEIGHT = 7.0, 9.0
"""Pixels of a cell from which on its letter is written."""
LARGEST = 48.0


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows of the alignment, int64, that are shown as one line: ``letters`` are their consensus, uint8 (columns,), or
    those of the first while a thread makes it."""

    rows: np.ndarray
    title: str
    letters: np.ndarray


def unfolded(alignment: AlignedSequences, order: np.ndarray) -> tuple[np.ndarray, dict[int, Fold]]:
    """Every row has its line."""
    return order, {}


@dataclass(eq=False)
class Picture:
    """``order`` are the rows that are shown, from the top, int64; ``cursor`` a place in it and a column.

    ``found`` are places that a search found, int64 (n, 3): row, first column and the one after the last. ``tracks`` are
    values that were made; where these ``wait`` for a thread, painting makes none.

    ``folds`` are rows that share a line, by the first of them, which alone stands in ``order``. ``notes`` are the
    columns of text beside the names: titles, and a text for each row that has one. ``told`` is the row that tracks of a
    single row tell of, -1 for that at the cursor. ``sample`` is one of the letters, or of what they were before edits.
    """

    alignment: AlignedSequences
    order: np.ndarray
    colouring: Colouring
    choice: Choice
    columns: Columns | None = None
    cursor: tuple[int, int] = (0, 0)
    found: np.ndarray = field(default_factory=lambda: np.empty((0, 3), np.int64))
    version: int = 0
    reference: AlignedSequences | None = None
    tracks: dict[str, np.ndarray] = field(default_factory=dict)
    wait: bool = False
    folds: dict[int, Fold] = field(default_factory=dict)
    notes: tuple[tuple[str, dict[int, str]], ...] = ()
    told: int = -1
    sample: Sample | None = None
    _kept: tuple[Sample, np.ndarray] | None = field(default=None, init=False)

    @property
    def row(self) -> int:
        """The row that tracks of a single row tell of."""
        return self.told if self.told >= 0 else int(self.order[self.cursor[0]])

    def members(self, lines: np.ndarray) -> np.ndarray:
        """All rows in these lines, which are rows of ``order``: of folded ones every row."""
        if not self.folds:
            return lines
        return np.concatenate([self.folds[row].rows if row in self.folds else [row] for row in lines.tolist()] or
                              [np.empty(0)]).astype(np.int64)  # fmt: skip

    @cached_property
    def lines(self) -> np.ndarray:
        """The line of each row of the alignment, int64: of folded ones that which they share, of hidden ones -1."""
        found = np.full(len(self.alignment.names), -1)
        found[self.order] = np.arange(self.order.size)
        for row, fold in self.folds.items():
            found[fold.rows] = found[row]
        return found

    @cached_property
    def starts(self) -> dict[int, int]:
        """How many letters of its sequence lie before a row that is a part of one."""
        return aligned_places.starts(self.alignment)

    @cached_property
    def drawn(self) -> np.ndarray:
        """The row of the `tiles` that is painted in each line, int64."""
        if not self.folds:
            return self.order
        places = {row: number for number, row in enumerate(self.folds)}
        count = len(self.alignment.names)
        return np.array([count + places[row] if row in places else row for row in self.order.tolist()], np.int64)

    @cached_property
    def tiles(self) -> Tiles:
        """The letters of all rows, and after them those of the folds."""
        found = self.alignment.letters
        tiles = found if isinstance(found, Tiles) else Tiles.of(found)
        return tiles.with_lines(np.stack([fold.letters for fold in self.folds.values()])) if self.folds else tiles

    def kept(self, sample: Sample) -> np.ndarray:
        """Which of the `tiles` a sample was made of, bool (rows, tiles)."""
        if self._kept is None or self._kept[0] is not sample:
            self._kept = sample, sample.kept(self.tiles.table)
        return self._kept[1]

    def letters_at(self, place: int) -> np.ndarray:
        """The letters in a line."""
        return self.letters_of(int(self.order[place]))

    def letters_of(self, row: int) -> np.ndarray:
        """The letters of a row, or of the rows that share a line with it."""
        return self.folds[row].letters if row in self.folds else self.alignment.letters[row]

    def position(self, place: int, column: int) -> int:
        """How many letters of a line lie in its columns up to and with this one."""
        row = int(self.order[place])
        if row in self.folds:
            return int(np.count_nonzero(self.folds[row].letters[: column + 1] != GAP))
        return aligned_rows.positions(self.alignment, row, column)

    def name_at(self, place: int) -> str:
        row = int(self.order[place])
        return self.folds[row].title if row in self.folds else self.alignment.names[row]

    def letter(self, place: int, column: int) -> str:
        """The letter or gap in a cell."""
        row = int(self.order[place])
        letters = self.folds[row].letters[column] if row in self.folds else self.alignment.letters[row, column]
        return chr(int(letters))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns that are shown."""
        return self.order.size, self.alignment.letters.shape[1]

    @property
    def whole_columns(self) -> bool:
        """Whether all rows that are shown are chosen: columns that are chosen then are meant in hidden rows too."""
        return bool(self.choice.rows[self.order].all()) and all(
            block.rows[self.order].all() for block in self.choice.blocks
        )


@dataclass
class Frame:
    """Where cells are: ``cell_width`` and ``cell_height`` pixels a cell, and the cell, with its fraction, at the corner
    of the ``width`` x ``height`` pixels of the body, which begins at (left, top)."""

    cell_width: float = 10.0
    cell_height: float = 16.0
    first_column: float = 0.0
    first_row: float = 0.0
    left: int = 120
    top: int = 40
    width: int = 400
    height: int = 300

    @property
    def box(self) -> QRectF:
        """The body."""
        return QRectF(self.left, self.top, self.width, self.height)

    @property
    def letters(self) -> bool:
        return self.cell_width >= LETTER_WIDTH and self.cell_height >= LETTER_HEIGHT

    def x(self, column: float) -> float:
        return self.left + (column - self.first_column) * self.cell_width

    def y(self, row: float) -> float:
        return self.top + (row - self.first_row) * self.cell_height

    def column(self, x: float) -> int:
        return int(np.floor(self.first_column + (x - self.left) / self.cell_width))

    def row(self, y: float) -> int:
        return int(np.floor(self.first_row + (y - self.top) / self.cell_height))

    def visible_columns(self, count: int) -> tuple[int, int]:
        """The columns that are seen, half-open."""
        last = int(np.ceil(self.first_column + self.width / self.cell_width))
        return max(int(self.first_column), 0), min(last, count)

    def visible_rows(self, count: int) -> tuple[int, int]:
        """The rows that are seen, half-open."""
        last = int(np.ceil(self.first_row + self.height / self.cell_height))
        return max(int(self.first_row), 0), min(last, count)

    def keep_inside(self, shape: tuple[int, int]) -> None:
        """Move so that no more of what lies beyond the alignment is seen than needed."""
        rows, columns = shape
        self.first_row = min(max(self.first_row, 0), max(rows - self.height / self.cell_height, 0))
        self.first_column = min(max(self.first_column, 0), max(columns - self.width / self.cell_width, 0))

    def fit_columns(self, columns: int) -> None:
        self.cell_width, self.first_column = min(self.width / max(columns, 1), LARGEST), 0.0

    def fit_rows(self, rows: int) -> None:
        self.cell_height, self.first_row = min(self.height / max(rows, 1), LARGEST / 2), 0.0

    def zoom(self, across: float, down: float, x: float, y: float, shape: tuple[int, int]) -> None:
        """Cells ``across`` times as wide and ``down`` times as high, with the cell at (x, y) where it is."""
        column = self.first_column + (x - self.left) / self.cell_width
        row = self.first_row + (y - self.top) / self.cell_height
        least_width = min(self.width / max(shape[1], 1), LETTER_WIDTH)
        least_height = min(self.height / max(shape[0], 1), LETTER_HEIGHT)
        self.cell_width = min(max(self.cell_width * across, least_width), LARGEST)
        self.cell_height = min(max(self.cell_height * down, least_height), LARGEST)
        self.first_column = column - (x - self.left) / self.cell_width
        self.first_row = row - (y - self.top) / self.cell_height
        self.keep_inside(shape)
