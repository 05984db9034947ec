"""Cells of a large alignment, of which edits copy only the blocks that they change.

A row is kept in *blocks* of `cpu_blocks.BLOCK_WIDTH` cells, of which a table says where they are: in the array that the
alignment came with, or among the blocks that edits wrote. ``places`` say where in a row the cell of each column is
kept. An edit of cells writes blocks for those alone, one of rows makes another table, one of columns other places; all
else is shared with the cells before the edit, which stay as they are.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.alignments import cpu_blocks
from antidiag.kernels.alignments.block_store import BLANK, BlockStore, WrittenBlocks
from antidiag.kernels.alignments.cpu_blocks import BLOCK_SHIFT, BLOCK_WIDTH

NEW_COLUMN = -1
"""The number that stands for a new column of gaps."""
MANY_EDITS = 16
"""Edits after which those are released whose blocks no row shows any longer."""
TableEntries = tuple[np.ndarray, np.ndarray]
"""Rows and blocks, int64 (n,) each, of entries of a table."""


class CellRuns(NamedTuple):
    """Columns that are kept side by side in one block: the first, where it is kept, and how many."""

    starts: np.ndarray
    stored: np.ndarray
    lengths: np.ndarray


class BlockedCells:
    """Cells of an alignment, uint8 (rows, columns), read as an array is: by numbers, slices, masks and `numpy.ix_`.

    ``store`` has the array that the alignment came with, and the blocks that edits wrote; where it is packed, a cell is
    a bit, which is read as 0 or 1. ``written`` are the edits whose blocks these cells may show, ``used`` is how many
    places of a row were ever given to columns, and ``drafted`` how many blocks the last edit wrote.
    """

    dtype, ndim, width = np.dtype(np.uint8), 2, BLOCK_WIDTH

    def __init__(
        self, table: np.ndarray, places: np.ndarray, store: BlockStore, written: tuple[WrittenBlocks, ...], used: int
    ) -> None:
        self._table: np.ndarray | None = table
        self._rows = len(table)
        self._otherwise: tuple[BlockedCells, tuple[np.ndarray, ...], np.ndarray] | None = None
        self._drafted: tuple[weakref.ref[np.ndarray], TableEntries] | None = None
        self._drafted_blocks: tuple[WrittenBlocks, ...] = ()
        self._unsought = 0
        self.drafted = 0
        self.places, self.store, self.written, self.used = places, store, written, used

    @classmethod
    def of(cls, array: np.ndarray, columns: int | None = None) -> BlockedCells:
        """Return the cells of an array, which is shared; with ``columns`` they are bits, eight a byte."""
        store = BlockStore(array, array.shape[1] if columns is None else columns, columns is not None)
        count = max(-(-store.columns // BLOCK_WIDTH), 1)
        table = np.repeat(np.arange(len(array), dtype=np.int32)[:, None], count, axis=1)
        return cls(table, np.arange(store.columns), store, (), count * BLOCK_WIDTH)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), self.places.size

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self) * self.places.size

    @property
    def nbytes(self) -> int:
        """Bytes of the cells as an array."""
        return self.size

    @property
    def held(self) -> tuple[np.ndarray | WrittenBlocks, ...]:
        """What these cells take of memory, each with its ``nbytes``; other cells may share some of it."""
        shared: tuple[np.ndarray | WrittenBlocks, ...] = (self.store.array, *self.written, self.places)
        if self._table is not None or self._otherwise is None:
            return *shared, self.table
        _, where, entries = self._otherwise
        return *shared, *where, entries

    @property
    def storage(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Table, array and written blocks, as `cpu_blocks` takes them."""
        return self.table, self.store.cells, self.store.blocks

    def __eq__(self, other: object) -> bool:
        if isinstance(other, BlockedCells):
            return self is other
        raise TypeError("cells are compared after they were read: tiles[:] == value")

    __hash__ = object.__hash__

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[row] for row in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        found = self[:]
        return found if dtype is None else found.astype(dtype, copy=False)

    def __getitem__(self, key: Any) -> np.ndarray:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        if isinstance(rows, np.ndarray) and rows.ndim == 2:
            rows, columns = rows[:, 0], columns[0]
        elif isinstance(rows, np.ndarray) and isinstance(columns, np.ndarray):
            raise IndexError("rows and columns by numpy.ix_")
        one = isinstance(rows, (int, np.integer))
        lines = np.array([range(len(self))[rows]]) if one else self._lines(rows)
        whole = isinstance(columns, slice) and columns == slice(None)
        runs = self._whole if whole else _find_runs(np.atleast_1d(self.places[columns]))
        found = np.empty((lines.size, int(runs.lengths.sum())), np.uint8)
        cpu_blocks.gather_cells(*self.storage, lines, *runs, self.store.packed, found)
        found = found[0] if one else found
        return found[..., 0] if isinstance(columns, (int, np.integer)) else found

    def _lines(self, rows: Any) -> np.ndarray:
        """Return the numbers of rows that are given as a slice, as numbers or as a mask."""
        return np.arange(*rows.indices(len(self))) if isinstance(rows, slice) else np.arange(len(self))[rows]

    def count_others(self, row: int, columns: slice, letter: int) -> int:
        """Return how many cells of a row, in columns side by side, differ from this letter."""
        return int(cpu_blocks.count_other_letters(*self.storage, row, self.places[columns], letter))

    def runs(self, columns: slice) -> CellRuns:
        """Return how these columns are kept."""
        return _find_runs(self.places[columns])

    def with_columns(self, columns: np.ndarray) -> BlockedCells:
        """Return the columns of these numbers, int64, in this order; NEW for one of gaps."""
        new = columns == NEW_COLUMN
        places = self.places[columns]
        places[new] = self.used + np.arange(int(new.sum()))
        return self._with_places(places, self.used + int(new.sum()))

    def append_gap_columns(self, count: int) -> BlockedCells:
        """Return these cells with so many columns of gaps at the end."""
        used = self.used + count
        return self._with_places(np.append(self.places, np.arange(self.used, used)), used)

    def _with_places(self, places: np.ndarray, used: int) -> BlockedCells:
        table = self.table_of(max(-(-used // BLOCK_WIDTH), self.table.shape[1]))
        return BlockedCells(table, places, self.store, self.written, used)

    def select_columns(self, columns: np.ndarray | slice) -> BlockedCells:
        """Return the columns of these numbers, int64, in this order, to be read alone: one may come twice."""
        return self.part(slice(None), columns)

    def part(self, rows: np.ndarray | slice, columns: np.ndarray | slice) -> BlockedCells:
        """Return these rows of these columns, by their numbers, int64, in this order, to be read alone."""
        return BlockedCells(self.table[rows], self.places[columns], self.store, self.written, self.used)

    def with_rows(self, rows: np.ndarray) -> BlockedCells:
        """Return the rows of these numbers, in this order; one may come twice."""
        table = self.table[rows]
        return BlockedCells(table, self.places, self.store, _edits_shown(table, self.written), self.used)

    def with_cells(self, rows: np.ndarray, first: int, block: np.ndarray) -> BlockedCells:
        """Return these cells with others, uint8 (rows, any columns), from column ``first`` on.

        Where they have them already, the very same cells are returned.
        """
        draft = CellDraft(self)
        draft.write_cells(rows, first, block)
        return draft.finish()

    def changed_blocks(self, other: BlockedCells) -> TableEntries:
        """Return where the table has other blocks than that of other cells with the same store.

        A table may lack the last blocks of the other one: these count as blocks of gaps. Where one was drafted of the
        other the answer is known: two tables of a million blocks take long to be compared.
        """
        for drafted, before in ((self, other), (other, self)):
            if drafted._drafted is not None and before._table is not None:
                table, where = drafted._drafted
                if table() is before._table:
                    return where
        width = max(self.table.shape[1], other.table.shape[1])
        rows, blocks = np.nonzero(self.table_of(width) != other.table_of(width))
        return rows, blocks

    def keep_differences(self, after: BlockedCells) -> None:
        """Keep of the table only what differs from that of other cells; it is made again when it is asked for."""
        if self._table is None or self._table.shape != after.table.shape or self is after:
            return
        table = self._table
        where = self.changed_blocks(after)
        self._otherwise = after, where, table[where]
        self._table = None

    @property
    def table(self) -> np.ndarray:
        """The entry of each block, int32 (rows, blocks), as `cpu_blocks` reads it."""
        table, otherwise = self._table, self._otherwise
        if table is None and otherwise is not None:
            after, where, entries = otherwise
            table = after.table.copy()
            table[where] = entries
            self._table = table  # the way back to it stays, for another thread may be on it
        assert table is not None
        return table

    def table_of(self, width: int) -> np.ndarray:
        """Return the table with so many blocks a row; those that it lacks are of gaps."""
        rows, count = self.table.shape
        if width == count:
            return self.table
        wider = np.full((rows, width), BLANK, np.int32)
        wider[:, :count] = self.table
        return wider

    def with_lines(self, lines: np.ndarray) -> BlockedCells:
        """Return these cells with more rows at the end, uint8 (rows, columns)."""
        if not len(lines):
            return self
        count = self.table.shape[1]
        filled = np.full((len(lines), count << BLOCK_SHIFT), ord("-"), np.uint8)
        filled[:, self.places] = lines
        written = self.store.add(filled.reshape(-1, BLOCK_WIDTH))
        entries = ~written.numbers.reshape(-1, count).astype(np.int32)
        table = np.concatenate((self.table, entries))
        return BlockedCells(table, self.places, self.store, (*self.written, written), self.used)

    @cached_property
    def _whole(self) -> CellRuns:
        return _find_runs(self.places)


class CellDraft:
    """Cells that are being written, which others do not see until they are done."""

    def __init__(self, before: BlockedCells, own: bool = False) -> None:
        """Begin with the cells before; ``own``: nobody else has their table, so that it need not be copied."""
        self._before, self._own = before, own
        self._table = before.table
        self._written: list[WrittenBlocks] = []
        self._where: list[TableEntries] = []

    def write_cells(self, rows: np.ndarray, first: int, cells: np.ndarray) -> None:
        """Write cells, uint8 (rows, any columns), from column ``first`` on."""
        before, store = self._before, self._before.store
        runs = _find_runs(before.places[first : first + cells.shape[1]])
        if not rows.size or not cells.size:
            return
        touched, tiles = np.unique(runs.stored >> BLOCK_SHIFT, return_inverse=True)
        other = np.zeros((rows.size, touched.size), bool)
        storage = self._table, store.cells, store.blocks
        cpu_blocks.find_changed_blocks(*storage, rows, *runs, tiles, store.packed, cells, other)
        if not other.any():
            return
        numbers = np.full(other.shape, -1)
        with store.lock:
            written = store.allocate(int(other.sum()))
            numbers[other] = written.numbers
            storage = self._table, store.cells, store.blocks
            cpu_blocks.write_blocks(*storage, rows, touched, numbers, *runs, tiles, store.packed, cells)
        if not self._written and not self._own:
            self._table = before.table.copy()
        lines, places = np.nonzero(other)
        self._table[rows[lines], touched[places]] = ~written.numbers
        self._written.append(written)
        self._where.append((rows[lines], touched[places]))

    def finish(self) -> BlockedCells:
        """Return what was written; the very cells before where that changed nothing."""
        if not self._written:
            return self._before
        before, written = self._before, self._before.written
        where = None if self._own else self._changed_entries()
        if where and before._drafted is not None and all(map(np.array_equal, before._drafted[1], where)):
            # The same blocks once more, as steps of a gesture write them.
            written = tuple(one for one in written if one not in before._drafted_blocks)
        unsought = before._unsought + len(written) - len(before.written) + len(self._written)
        written = (*written, *self._written)
        if unsought >= MANY_EDITS:
            written, unsought = _edits_shown(self._table, written), 0
        after = BlockedCells(self._table, before.places, before.store, written, before.used)
        after._unsought, after.drafted = unsought, sum(rows.size for rows, _ in self._where)
        if where:
            after._drafted, after._drafted_blocks = (weakref.ref(before.table), where), tuple(self._written)
        return after

    def _changed_entries(self) -> TableEntries:
        """Return where blocks were written, each once."""
        if len(self._where) == 1:
            return self._where[0]
        width = self._table.shape[1]
        entries = np.unique(np.concatenate([rows * width + tiles for rows, tiles in self._where]))
        return entries // width, entries % width


def _find_runs(stored: np.ndarray) -> CellRuns:
    """Return the runs of columns that are kept at these places."""
    starts = cpu_blocks.find_runs(stored)
    return CellRuns(starts, stored[starts], np.diff(starts, append=stored.size))


def _edits_shown(table: np.ndarray, written: tuple[WrittenBlocks, ...]) -> tuple[WrittenBlocks, ...]:
    """Return those of the edits of which the table has a block."""
    if len(written) < MANY_EDITS:
        return written
    numbers = ~table[table < 0]
    shown = np.zeros(max(int(numbers.max(initial=0)), *(int(one.numbers.max()) for one in written)) + 1, bool)
    shown[numbers] = True
    return tuple(one for one in written if shown[one.numbers].any())
