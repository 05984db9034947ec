"""Edits of alignments whose letters are `Tiles`: what they cost goes by the cells that they touch.

Each gives another alignment with other letters, case and dots; annotation is left to `aligned_edits`. ``rows`` and
``columns`` are numbers, int64.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np

from antidiag.kernels.io import stretches
from antidiag.kernels.io.aligned import GAP, LOWER_CASE, PART, AlignedSequences, as_written, plain_letters
from antidiag.kernels.io.stretches import Stretches
from antidiag.kernels.io.tiles import Draft, Tiles
from antidiag.kernels.monitor import Monitor

LARGE = 1 << 22
"""Letters from which on edits share what they do not touch."""
DOT = ord(".")
_prepared: dict[int, AlignedSequences] = {}
"""Tiles by the identity of the alignment that they are of, while that lives and nobody took them."""
_watching: ContextVar[Monitor | None] = ContextVar("watching", default=None)


@contextmanager
def watched(monitor: Monitor) -> Iterator[None]:
    """Tell a monitor how far edits of large alignments are that are made meanwhile, in this thread; it may cancel
    them. Of several passes over the letters each is told of."""
    token = _watching.set(monitor)
    try:
        yield
    finally:
        _watching.reset(token)


def prepare(alignment: AlignedSequences) -> None:
    """Make the tiles of a large alignment, on any thread: `tiled` takes them then."""
    if alignment.letters.size <= LARGE or id(alignment) in _prepared:
        return
    made = _tiled(alignment)
    layers(made)[0].set_aside()
    if made is not alignment:  # one that is in tiles already would be kept by itself, for good
        _prepared[id(alignment)] = made
        weakref.finalize(alignment, _prepared.pop, id(alignment), None).atexit = False


def tiled(alignment: AlignedSequences) -> AlignedSequences:
    """The alignment as tiles of its arrays, which it shares."""
    made = _prepared.pop(id(alignment), None)
    return _tiled(alignment) if made is None else made


def _tiled(alignment: AlignedSequences) -> AlignedSequences:
    if isinstance(alignment.letters, Tiles):
        return alignment
    columns = alignment.letters.shape[1]
    lower, dots = (None if bits is None else Tiles.of(bits, columns) for bits in (alignment.lower, alignment.dots))
    return with_layers(alignment, Tiles.of(alignment.letters), lower, dots)


def layers(alignment: AlignedSequences) -> tuple[Any, Any, Any]:
    """Letters, lower case and dots, the last two perhaps None; of an alignment in tiles they are `Tiles`."""
    return alignment.letters, alignment.lower, alignment.dots


def with_layers(alignment: AlignedSequences, letters: Any, lower: Any, dots: Any) -> AlignedSequences:
    """With these `layers`, arrays or `Tiles`."""
    return replace(alignment, letters=letters, lower=lower, dots=dots)


def flat(alignment: AlignedSequences) -> AlignedSequences:
    """The alignment as arrays of its own; the very alignment where it has them."""
    if not isinstance(alignment.letters, Tiles):
        return alignment
    letters = alignment.letters[:]
    letters.setflags(write=False)
    _, lower, dots = layers(alignment)
    return with_layers(alignment, letters, _packed(lower), _packed(dots))


def with_columns(alignment: AlignedSequences, columns: np.ndarray) -> AlignedSequences:
    """The columns of these numbers, in this order; NEW for one of gaps."""
    return _each(alignment, lambda tiles: tiles.with_columns(columns))


def with_rows(alignment: AlignedSequences, rows: np.ndarray) -> AlignedSequences:
    """The rows of these numbers, in this order."""
    return _each(alignment, lambda tiles: tiles.with_rows(rows))


class Drafts:
    """An alignment whose cells are being written; ``made_of`` is the one of which it was made for that alone."""

    def __init__(self, alignment: AlignedSequences, made_of: AlignedSequences | None = None) -> None:
        self._alignment = alignment
        (letters, *bits), (first, *others) = layers(alignment), layers(made_of or alignment)
        self._letters = Draft(letters, letters.table is not first.table)
        self._lower, self._dots = (None if cells is None else Draft(cells, cells.table is not before.table)
                                   for cells, before in zip(bits, others, strict=True))  # fmt: skip

    def put(self, rows: np.ndarray, first: int, written: np.ndarray) -> None:
        """Write these letters and gaps, as written, uint8 (rows, any columns), from column ``first`` on."""
        plain = self._lower is None and self._dots is None  # as all letters were that came from here
        self._letters.put(rows, first, written if plain else plain_letters(written))
        if self._lower is not None:
            self._lower.put(rows, first, LOWER_CASE[written])
        if self._dots is not None:
            self._dots.put(rows, first, (written == DOT).view(np.uint8))

    def alignment(self) -> AlignedSequences:
        """What was written."""
        lower, dots = (None if draft is None else draft.tiles() for draft in (self._lower, self._dots))
        return with_layers(self._alignment, self._letters.tiles(), lower, dots)


def with_cells(alignment: AlignedSequences, rows: np.ndarray, first: int, written: np.ndarray) -> AlignedSequences:
    """With these letters and gaps, as written, uint8 (rows, any columns), from column ``first`` on."""
    drafts = Drafts(alignment)
    drafts.put(rows, first, written)
    return drafts.alignment()


def changed(
    alignment: AlignedSequences,
    rows: np.ndarray,
    columns: tuple[int, int],
    change: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> AlignedSequences:
    """With what ``change(written, rows)`` makes of these rows, as written, in columns from the first to before the
    last; it is given some of the rows at a time."""
    drafts, (first, last) = Drafts(alignment), columns
    for part in parts(rows, last - first):
        drafts.put(part, first, change(written(alignment, part, slice(first, last)), part))
    return drafts.alignment()


def moved(alignment: AlignedSequences, rows: np.ndarray, columns: Stretches) -> AlignedSequences:
    """With the cells of these rows at other columns, where those of the old ones come from; the others keep theirs.

    Where these are most of the rows it is the columns that move, and the other rows that are written.
    """
    count, old = alignment.letters.shape
    width = stretches.width(columns)
    staying = stretches.staying(old, width)
    first, last = stretches.differing(columns, staying)
    if 2 * rows.size <= count:
        few, of_few = rows, columns
        after = alignment if width == old else _each(alignment, lambda tiles: tiles.widened(width - old))
    else:
        others = np.ones(count, bool)
        others[rows] = False
        few, of_few = np.flatnonzero(others), staying
        after = with_columns(alignment, stretches.numbers(columns)) if width != old or first != last else alignment
    drafts = Drafts(after, alignment)
    for part in parts(few, last - first):
        cells = np.full((part.size, last - first), GAP, np.uint8)
        for at, source in stretches.sources(of_few, first, last):
            cells[:, at - first : at - first + source.stop - source.start] = written(alignment, part, source)
        drafts.put(part, first, cells)
    return drafts.alignment()


def parts(rows: np.ndarray, columns: int) -> Iterator[np.ndarray]:
    """Some of the rows at a time, so that what is made of so many of their columns is small; as `watched`."""
    step, monitor = max(1, PART // max(columns, 1)), _watching.get()
    for at in range(0, rows.size, step):
        if monitor is not None:
            monitor.update(at, rows.size, "rows")
        yield rows[at : at + step]


def written(alignment: AlignedSequences, rows: np.ndarray, columns: slice = slice(None)) -> np.ndarray:
    """The cells of rows and columns as the file had them, uint8."""
    return as_written(_each(alignment, lambda tiles: tiles.part(rows, columns)))


def _each(alignment: AlignedSequences, change: Callable[[Tiles], Tiles]) -> AlignedSequences:
    letters, lower, dots = (None if cells is None else change(cells) for cells in layers(alignment))
    return with_layers(alignment, letters, lower, dots)


def _packed(bits: Tiles | None) -> np.ndarray | None:
    """Bits, eight a byte; None where none is set."""
    if bits is None:
        return None
    rows, columns = bits.shape
    found = np.empty((rows, -(-columns // 8)), np.uint8)
    for part in parts(np.arange(rows), columns):
        found[part] = np.packbits(bits[part], axis=1)
    return found if found.any() else None
