"""Letters that are edited without being copied.

A row is kept in *tiles* of `cpu_tiles.WIDTH` cells, of which a table has the addresses, and ``places`` say where in a
row the cell of each column is kept. An edit of cells makes new tiles for those alone, one of rows another table, one of
columns other places; all else is shared with the letters before, which stay as they are.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.io import cpu_tiles, pages
from antidiag.kernels.io.cpu_tiles import SHIFT, WIDTH

NEW = -1
"""Stands for a column of gaps where columns are named by their numbers."""
MANY = 16
"""Arrays of tiles that came, from which on those are let go that no row has any longer."""
AHEAD, ROOMY = 6, 1.25
"""Times the memory of a table that is ready for the first edits, as much as is in use from one step to the next; and
how much larger it is, for what takes a little more."""
Where = tuple[np.ndarray, np.ndarray]
"""Rows and tiles, int64 (n,) each, of entries of a table."""
BLANK_LETTERS, BLANK_BITS = np.full(WIDTH, ord("-"), np.uint8), np.zeros(WIDTH // 8, np.uint8)


class Runs(NamedTuple):
    """Columns side by side that are kept side by side in one tile: the first, where it is kept, and how many."""

    starts: np.ndarray
    stored: np.ndarray
    lengths: np.ndarray


class Tiles:
    """Cells of an alignment, uint8 (rows, columns), read as an array is: by numbers, slices, masks and `numpy.ix_`.

    ``packed``: a cell is a bit, which is read as 0 or 1. ``arrays`` are what the tiles lie in, first the one that they
    were made of, ``used`` how many places of a row were ever given to columns, and ``drafted`` how many tiles were
    written when these were made of others.
    """

    dtype, ndim, width = np.dtype(np.uint8), 2, WIDTH

    def __init__(
        self, table: np.ndarray, places: np.ndarray, base: int, arrays: tuple[np.ndarray, ...], packed: bool, used: int
    ) -> None:
        self._table: np.ndarray | None = table
        self._rows = len(table)
        self._otherwise: tuple[Tiles, tuple[np.ndarray, ...], np.ndarray] | None = None
        self._drafted: tuple[weakref.ref[np.ndarray], Where] | None = None
        self._spare: list[np.ndarray] = []
        self._made: tuple[np.ndarray, ...] = ()
        self._unsought = 0
        self.drafted = 0
        self.places, self.arrays, self.packed = places, arrays, packed
        self.base, self.used = base, used

    @classmethod
    def of(cls, array: np.ndarray, columns: int | None = None) -> Tiles:
        """The cells of an array, which stays where it is; with ``columns`` they are bits, eight a byte."""
        packed = columns is not None
        columns = columns if columns is not None else array.shape[1]
        array = array if array.strides[1] == 1 else np.ascontiguousarray(array)
        count = max(-(-columns // WIDTH), 1)
        step = WIDTH // 8 if packed else WIDTH
        rows = array.ctypes.data + np.arange(array.shape[0]) * array.strides[0]
        table = np.add.outer(rows.astype(np.uint64), (np.arange(count) * step).astype(np.uint64))
        return cls(table, np.arange(columns), columns, (array,), packed, count * WIDTH)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.places.size

    @property
    def size(self) -> int:
        return len(self) * self.places.size

    @property
    def nbytes(self) -> int:
        """Bytes of the cells as an array."""
        return self.size

    @property
    def bytes(self) -> int:
        """Bytes of a tile."""
        return WIDTH // 8 if self.packed else WIDTH

    @property
    def held(self) -> tuple[np.ndarray, ...]:
        """All arrays that these cells take, some of which others may share."""
        if self._table is not None or self._otherwise is None:
            return *self.arrays, self.places, self.table
        _, where, addresses = self._otherwise
        return *self.arrays, self.places, *where, addresses

    @property
    def blank(self) -> int:
        """The address of a tile of gaps."""
        return int((BLANK_BITS if self.packed else BLANK_LETTERS).ctypes.data)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Tiles):
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
        runs = self._whole if whole else _runs(np.atleast_1d(self.places[columns]))
        found = np.empty((lines.size, int(runs.lengths.sum())), np.uint8)
        cpu_tiles.gather(self.table, lines, *runs, self.packed, found)
        found = found[0] if one else found
        return found[..., 0] if isinstance(columns, (int, np.integer)) else found

    def _lines(self, rows: Any) -> np.ndarray:
        """The numbers of rows that are named by a slice, by numbers or by a mask; of a slice without a list of all."""
        return np.arange(*rows.indices(len(self))) if isinstance(rows, slice) else np.arange(len(self))[rows]

    def others(self, row: int, columns: slice, letter: int) -> int:
        """How many cells of a row, in columns side by side, are other than this letter."""
        return int(cpu_tiles.count_others(self.table[row], self.places[columns], letter))

    def runs(self, columns: slice) -> Runs:
        """How these columns are kept."""
        return _runs(self.places[columns])

    def with_columns(self, columns: np.ndarray) -> Tiles:
        """The columns of these numbers, int64, in this order; NEW for one of gaps."""
        new = columns == NEW
        places = self.places[columns]
        places[new] = self.used + np.arange(int(new.sum()))
        used = self.used + int(new.sum())
        table = self.table_of(max(-(-used // WIDTH), self.table.shape[1]))
        return Tiles(table, places, self.base, self.arrays, self.packed, used)

    def widened(self, count: int) -> Tiles:
        """With so many columns of gaps at the end."""
        places, used = pages.empty(self.places.size + count, np.int64), self.used + count
        places[: self.places.size] = self.places
        places[self.places.size :] = np.arange(self.used, used)
        table = self.table_of(max(-(-used // WIDTH), self.table.shape[1]))
        return Tiles(table, places, self.base, self.arrays, self.packed, used)

    def at(self, columns: np.ndarray | slice) -> Tiles:
        """The columns of these numbers, int64, in this order, to be read alone: one may come twice."""
        return self.part(slice(None), columns)

    def part(self, rows: np.ndarray | slice, columns: np.ndarray | slice) -> Tiles:
        """These rows of these columns, by their numbers, int64, in this order, to be read alone."""
        return Tiles(self.table[rows], self.places[columns], self.base, self.arrays, self.packed, self.used)

    def with_rows(self, rows: np.ndarray) -> Tiles:
        """The rows of these numbers, in this order; one may come twice."""
        table = self.table[rows]
        return Tiles(table, self.places, self.base, _held(table, self.arrays), self.packed, self.used)

    def with_cells(self, rows: np.ndarray, first: int, block: np.ndarray) -> Tiles:
        """With these cells, uint8 (rows, any columns), from column ``first`` on; these very tiles where they have them
        already."""
        draft = Draft(self)
        draft.put(rows, first, block)
        return draft.tiles()

    def otherwise(self, other: Tiles) -> Where:
        """Where the table has other tiles than another one, which lacks none or has those of gaps. Of tables of which
        one was drafted of the other that is known: two of a million tiles take long to be compared."""
        for made, of in ((self, other), (other, self)):
            if made._drafted is not None and of._table is not None and made._drafted[0]() is of._table:
                return made._drafted[1]
        width = max(self.table.shape[1], other.table.shape[1])
        lines, tiles = np.nonzero(self.table_of(width) != other.table_of(width))
        return lines, tiles

    def set_aside(self) -> None:
        """Copy the table for the first draft, and have memory ready for further ones, for places and for the tiles that
        a block of cells takes: new pages of memory are slow to come, and nobody is to wait for them."""
        self._spare.append(pages.copied(self.table))
        given = int(ROOMY * self.table.nbytes), AHEAD
        threading.Thread(target=pages.reserve, args=given, name="antidiag pages", daemon=True).start()

    def copied_table(self) -> np.ndarray:
        """A table like this one, for whoever asks alone."""
        with suppress(IndexError):  # nobody takes one that another thread took
            return self._spare.pop()
        return pages.copied(self.table)

    def lean(self, after: Tiles) -> None:
        """Keep no table, but what it has otherwise than that of other tiles; it is made again when it is asked for."""
        if self._table is None or self._table.shape != after.table.shape or self is after:
            return
        table = self._table
        where = self.otherwise(after)
        self._otherwise = after, where, table[where]
        self._table = None

    @property
    def table(self) -> np.ndarray:
        """The address of each tile, uint64 (rows, tiles)."""
        table, otherwise = self._table, self._otherwise
        if table is None and otherwise is not None:
            after, where, addresses = otherwise
            table = pages.copied(after.table)
            table[where] = addresses
            self._table = table  # the way back to it stays, for another thread may be on it
        assert table is not None
        return table

    def table_of(self, width: int) -> np.ndarray:
        """The table with so many tiles a row, those that it lacks of gaps."""
        rows, there = self.table.shape
        if width == there:
            return self.table
        wider = pages.empty((rows, width), np.uint64)
        wider[:, :there], wider[:, there:] = self.table, self.blank
        return wider

    def rearranged(self, table: np.ndarray, places: np.ndarray, arrays: tuple[np.ndarray, ...], used: int) -> Tiles:
        """Another table of the tiles of the array that these were made of, and of those in other arrays."""
        return Tiles(table, places, self.base, (self.arrays[0], *arrays), self.packed, used)

    def with_lines(self, lines: np.ndarray) -> Tiles:
        """With more rows at the end, uint8 (rows, columns)."""
        if not len(lines):
            return self
        kept = np.full((len(lines), self.table.shape[1] << SHIFT), ord("-"), np.uint8)
        kept[:, self.places] = lines
        more = Tiles.of(kept)
        return Tiles(np.concatenate((self.table, more.table)), self.places, self.base, (*self.arrays, kept),
                     self.packed, self.used)  # fmt: skip

    @cached_property
    def _whole(self) -> Runs:
        return _runs(self.places)


class Draft:
    """Tiles that are being written, which others do not see until they are done."""

    def __init__(self, before: Tiles, own: bool = False) -> None:
        """``own``: nobody else has the table of these tiles, so that it need not be copied."""
        self._before, self._own = before, own
        self._table = before.table
        self._made: list[np.ndarray] = []
        self._where: list[Where] = []

    def put(self, rows: np.ndarray, first: int, block: np.ndarray) -> None:
        """Write cells, uint8 (rows, any columns), from column ``first`` on."""
        before = self._before
        runs = _runs(before.places[first : first + block.shape[1]])
        if not rows.size or not block.size:
            return
        touched, tiles = np.unique(runs.stored >> SHIFT, return_inverse=True)
        other = np.zeros((rows.size, touched.size), bool)
        cpu_tiles.differing(self._table, rows, *runs, tiles, before.packed, block, other)
        if not other.any():
            return
        numbers = np.where(other, np.cumsum(other).reshape(other.shape) - 1, -1)
        # Tiles of the array may end before its last column, and of others no cell beyond that is ever read.
        sizes = before.base - (touched << SHIFT)
        sizes = np.where((sizes > 0) & (sizes < WIDTH), sizes, WIDTH)
        sizes = -(-sizes // 8) if before.packed else sizes
        made = pages.empty((int(other.sum()), before.bytes))
        cpu_tiles.write(self._table, rows, touched, sizes, numbers, *runs, tiles, before.packed, block, made)
        made.setflags(write=False)
        if not self._made and not self._own:
            self._table = before.copied_table()
        lines, places = np.nonzero(other)
        self._table[rows[lines], touched[places]] = made.ctypes.data + numbers[other] * made.strides[0]
        self._made.append(made)
        self._where.append((rows[lines], touched[places]))

    def tiles(self) -> Tiles:
        """What was written; the very tiles before where that changed nothing."""
        if not self._made:
            return self._before
        before, arrays = self._before, self._before.arrays
        where = None if self._own else self._written()
        if where and before._drafted is not None and all(map(np.array_equal, before._drafted[1], where)):
            arrays = _without(arrays, before._made)  # the same tiles once more, as steps of a gesture write them
        unsought = before._unsought + len(arrays) - len(before.arrays) + len(self._made)
        arrays = (*arrays, *self._made)
        if unsought >= MANY:
            arrays, unsought = _held(self._table, arrays), 0
        after = Tiles(self._table, before.places, before.base, arrays, before.packed, before.used)
        after._unsought, after.drafted = unsought, sum(rows.size for rows, _ in self._where)
        if where:
            after._drafted, after._made = (weakref.ref(before.table), where), tuple(self._made)
        return after

    def _written(self) -> Where:
        """Where tiles were made, each once."""
        if len(self._where) == 1:
            return self._where[0]
        width = self._table.shape[1]
        entries = np.unique(np.concatenate([rows * width + tiles for rows, tiles in self._where]))
        return entries // width, entries % width


def _runs(stored: np.ndarray) -> Runs:
    """Runs of columns that are kept at these places."""
    starts = cpu_tiles.runs(stored)
    return Runs(starts, stored[starts], np.diff(starts, append=stored.size))


def _without(arrays: tuple[np.ndarray, ...], others: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    gone = {id(array) for array in others}
    return tuple(array for array in arrays if id(array) not in gone)


def _held(table: np.ndarray, arrays: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Those of the arrays in which a tile of the table lies; the first in any case."""
    if len(arrays) < MANY:
        return arrays
    starts = np.array([array.ctypes.data for array in arrays], np.uint64)
    order, found = np.argsort(starts), np.zeros(len(arrays), bool)
    cpu_tiles.held(table, starts[order], found)
    held = {0, *order[found].tolist()}
    return tuple(array for number, array in enumerate(arrays) if number in held)
