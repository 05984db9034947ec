"""Edits of alignments in blocks: their cost grows with the cells that they touch.

Each returns another alignment with other letters, case and dots; annotations are left to `alignment_edits`. ``rows``
and ``columns`` are numbers, int64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels.alignments import column_runs
from antidiag.kernels.alignments.blocked_cells import BlockedCells, CellDraft
from antidiag.kernels.alignments.column_runs import ColumnRuns
from antidiag.kernels.io.aligned_sequences import (
    BATCH_LETTERS,
    GAP,
    LOWER_CASE,
    AlignedSequences,
    plain_letters,
    unknown_letter,
    written_letters,
)
from antidiag.kernels.monitor import Monitor

LARGE_LETTERS = 1 << 22
"""Letters from which on alignments are edited in blocks."""
DOT, MISSING = ord("."), ord("?")
_progress_monitor: ContextVar[Monitor | None] = ContextVar("watching", default=None)


@contextmanager
def report_progress_to(monitor: Monitor) -> Iterator[None]:
    """Report the progress of edits of large alignments to a monitor, in this thread; it may cancel them.

    Each of several passes over the letters is reported.
    """
    token = _progress_monitor.set(monitor)
    try:
        yield
    finally:
        _progress_monitor.reset(token)


def to_blocks(alignment: AlignedSequences) -> AlignedSequences:
    """Return the alignment in blocks that share its arrays; the very alignment where it is in blocks already."""
    if isinstance(alignment.letters, BlockedCells):
        return alignment
    columns = alignment.letters.shape[1]
    lower, dots = (
        None if bits is None else BlockedCells.of(bits, columns) for bits in (alignment.lower, alignment.dots)
    )
    return with_layers(alignment, BlockedCells.of(alignment.letters), lower, dots)


def cell_layers(alignment: AlignedSequences) -> tuple[Any, Any, Any]:
    """Return letters, lower case and dots; the last two may be None. In blocks, they are `BlockedCells`."""
    return alignment.letters, alignment.lower, alignment.dots


def with_layers(alignment: AlignedSequences, letters: Any, lower: Any, dots: Any) -> AlignedSequences:
    """Return the alignment with these `cell_layers`, arrays or `BlockedCells`."""
    return replace(alignment, letters=letters, lower=lower, dots=dots)


def to_arrays(alignment: AlignedSequences) -> AlignedSequences:
    """Return the alignment as arrays; the very alignment where it has them."""
    if not isinstance(alignment.letters, BlockedCells):
        return alignment
    letters = alignment.letters[:]
    letters.setflags(write=False)
    _, lower, dots = cell_layers(alignment)
    return with_layers(alignment, letters, _pack_bits(lower), _pack_bits(dots))


def take_columns(alignment: AlignedSequences, columns: np.ndarray) -> AlignedSequences:
    """Return the columns of these numbers, in this order; NEW_COLUMN stands for a column of gaps."""
    return _map_layers(alignment, lambda tiles: tiles.with_columns(columns))


def take_rows(alignment: AlignedSequences, rows: np.ndarray) -> AlignedSequences:
    """Return the rows of these numbers, in this order."""
    return _map_layers(alignment, lambda tiles: tiles.with_rows(rows))


class AlignmentDraft:
    """An alignment whose cells are being written.

    ``made_of`` is the alignment from which it was just made: tables that the two do not share need not be copied.
    """

    def __init__(self, alignment: AlignedSequences, made_of: AlignedSequences | None = None) -> None:
        self._alignment = alignment
        (letters, *bits), (first, *others) = cell_layers(alignment), cell_layers(made_of or alignment)
        self._letters = CellDraft(letters, letters.table is not first.table)
        self._lower, self._dots = (
            None if cells is None else CellDraft(cells, cells.table is not before.table)
            for cells, before in zip(bits, others, strict=True)
        )

    def write_cells(self, rows: np.ndarray, first: int, written: np.ndarray) -> None:
        """Write letters and gaps, as a file has them, uint8 (rows, any columns), from column ``first`` on."""
        plain = self._lower is None and self._dots is None  # as all letters were that came from here
        letters = written if plain else plain_letters(written)
        if self._dots is not None:
            letters = np.where(written == MISSING, np.uint8(unknown_letter(self._alignment.type)), letters)
        self._letters.write_cells(rows, first, letters)
        if self._lower is not None:
            self._lower.write_cells(rows, first, LOWER_CASE[written])
        if self._dots is not None:
            self._dots.write_cells(rows, first, ((written == DOT) | (written == MISSING)).view(np.uint8))

    def finish(self) -> AlignedSequences:
        """Return the alignment with what was written."""
        lower, dots = (None if draft is None else draft.finish() for draft in (self._lower, self._dots))
        return with_layers(self._alignment, self._letters.finish(), lower, dots)


def replace_cells(alignment: AlignedSequences, rows: np.ndarray, first: int, written: np.ndarray) -> AlignedSequences:
    """Return the alignment with these letters and gaps, uint8 (rows, any columns), from column ``first`` on."""
    drafts = AlignmentDraft(alignment)
    drafts.write_cells(rows, first, written)
    return drafts.finish()


def change_cells(
    alignment: AlignedSequences,
    rows: np.ndarray,
    columns: tuple[int, int],
    change: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> AlignedSequences:
    """Return the alignment with what ``change(written, rows)`` makes of some rows at a time, in columns first to
    last - 1."""
    drafts, (first, last) = AlignmentDraft(alignment), columns
    for part in row_batches(rows, last - first):
        drafts.write_cells(part, first, change(written_cells(alignment, part, slice(first, last)), part))
    return drafts.finish()


def move_cells(alignment: AlignedSequences, rows: np.ndarray, columns: ColumnRuns) -> AlignedSequences:
    """Return the alignment with the cells of these rows at other columns; the other rows keep theirs.

    Where these are most of the rows, the columns move and the other rows are written.
    """
    count, old = alignment.letters.shape
    width = column_runs.total_columns(columns)
    staying = column_runs.unchanged_runs(old, width)
    first, last = column_runs.changed_range(columns, staying)
    if 2 * rows.size <= count:
        few, of_few = rows, columns
        after = (
            alignment if width == old else _map_layers(alignment, lambda tiles: tiles.append_gap_columns(width - old))
        )
    else:
        others = np.ones(count, bool)
        others[rows] = False
        few, of_few = np.flatnonzero(others), staying
        after = (
            take_columns(alignment, column_runs.column_numbers(columns)) if width != old or first != last else alignment
        )
    drafts = AlignmentDraft(after, alignment)
    for part in row_batches(few, last - first):
        cells = np.full((part.size, last - first), GAP, np.uint8)
        for at, source in column_runs.source_slices(of_few, first, last):
            cells[:, at - first : at - first + source.stop - source.start] = written_cells(alignment, part, source)
        drafts.write_cells(part, first, cells)
    return drafts.finish()


def row_batches(rows: np.ndarray, columns: int) -> Iterator[np.ndarray]:
    """Yield some of the rows at a time, so that copies of so many columns stay small; report progress."""
    step, monitor = max(1, BATCH_LETTERS // max(columns, 1)), _progress_monitor.get()
    for at in range(0, rows.size, step):
        if monitor is not None:
            monitor.update(at, rows.size, "rows")
        yield rows[at : at + step]


def written_cells(alignment: AlignedSequences, rows: np.ndarray, columns: slice = slice(None)) -> np.ndarray:
    """Return the cells of rows and columns with the case and gap signs that the file had, uint8."""
    return written_letters(_map_layers(alignment, lambda tiles: tiles.part(rows, columns)))


def _map_layers(alignment: AlignedSequences, change: Callable[[BlockedCells], BlockedCells]) -> AlignedSequences:
    """Return the alignment with ``change`` applied to each layer."""
    letters, lower, dots = (None if cells is None else change(cells) for cells in cell_layers(alignment))
    return with_layers(alignment, letters, lower, dots)


def _pack_bits(bits: BlockedCells | None) -> np.ndarray | None:
    """Return cells of 0 and 1 as bits, eight a byte; None where none is set."""
    if bits is None:
        return None
    rows, columns = bits.shape
    found = np.empty((rows, -(-columns // 8)), np.uint8)
    for part in row_batches(np.arange(rows), columns):
        found[part] = np.packbits(bits[part], axis=1)
    return found if found.any() else None
