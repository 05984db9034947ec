"""Edits of an alignment as data: what differs from the alignment as its file had it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from antidiag.kernels.alignments import block_edits
from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.model import SequenceType
from antidiag.kernels.serialization import stored


@stored("tile-changes")
@dataclass(frozen=True, eq=False)
class TileChanges:
    """Cells, relative to those that they were made of.

    ``table`` has for each row and block, int64, the number of a block in ``arrays``, -1 for one of gaps, or -2 minus a
    row of the original. ``places`` say where columns are kept, of ``used``. ``base`` is the array that the cells were
    made of, ``wide`` columns, where that is not the original.
    """

    table: np.ndarray
    places: np.ndarray
    arrays: tuple[np.ndarray, ...]
    used: int
    base: np.ndarray | None = None
    wide: int = 0


@stored("alignment-changes")
@dataclass(frozen=True, eq=False)
class AlignmentChanges:
    """An edited alignment relative to the original: all its fields, with cells as `TileChanges`."""

    names: tuple[str, ...]
    type: SequenceType
    name: str
    source: str
    note: str
    annotations: Annotations
    letters: TileChanges = field(repr=False)
    lower: TileChanges | None = field(repr=False)
    dots: TileChanges | None = field(repr=False)


OTHER_FIELDS = ("names", "type", "name", "source", "note", "annotations")
"""Fields that `AlignedSequences` and `AlignmentChanges` share."""
OTHER_ALIGNMENT = "these changes belong to another alignment; open the one that they were made of"


class EditedAlignment:
    """An edited alignment and its original; only the changes are stored, and they are found when they are stored."""

    def __init__(self, alignment: AlignedSequences, original: AlignedSequences) -> None:
        self._alignment, self._original = alignment, original

    def stored_form(self) -> AlignmentChanges:
        """Return the changes."""
        return alignment_changes(self._alignment, self._original)


def alignment_changes(alignment: AlignedSequences, original: AlignedSequences) -> AlignmentChanges:
    """Return how an alignment in blocks differs from the original: its cells relative to the arrays that they were
    made of."""
    letters, lower, dots = (
        None if cells is None else _cell_changes(cells, there)
        for cells, there in zip(block_edits.cell_layers(alignment), block_edits.cell_layers(original), strict=True)
    )
    assert letters is not None
    others = {name: getattr(alignment, name) for name in OTHER_FIELDS}
    return AlignmentChanges(**others, letters=letters, lower=lower, dots=dots)


def apply_changes(original: AlignedSequences, found: AlignmentChanges) -> AlignedSequences:
    """Return the original with these changes; InputError where they belong to another alignment."""
    before = block_edits.to_blocks(original)
    all_changes = found.letters, found.lower, found.dots
    letters, lower, dots = (
        None if changes is None else _apply_cell_changes(cells, changes, packed)
        for cells, changes, packed in zip(
            block_edits.cell_layers(before), all_changes, (False, True, True), strict=True
        )
    )
    after = block_edits.with_layers(before, letters, lower, dots)
    return replace(after, **{name: getattr(found, name) for name in OTHER_FIELDS})


def _cell_changes(tiles: BlockedCells, original: np.ndarray | None) -> TileChanges:
    store, written = tiles.store, tiles.written
    arrays = tuple(one.frozen() for one in written)
    numbers = np.concatenate([np.zeros(1, np.int64), *(one.numbers for one in written)])
    places = np.full(int(numbers.max()) + 1, -1)
    places[numbers[1:]] = np.arange(numbers.size - 1)
    entries = tiles.table.astype(np.int64)
    table = np.where(entries >= 0, -2 - entries, places[np.where(entries < 0, ~entries, 0)])
    own_base = (None, 0) if store.array is original else (store.array, store.columns)
    return TileChanges(table, tiles.places, arrays, tiles.used, *own_base)


def _apply_cell_changes(before: BlockedCells | None, found: TileChanges, packed: bool) -> BlockedCells:
    if found.base is not None:
        bytes_wide = -(-found.wide // 8) if packed else found.wide
        if found.base.ndim != 2 or found.base.dtype != np.uint8 or found.base.shape[1] != bytes_wide:
            raise InputError(OTHER_ALIGNMENT)
        before = BlockedCells.of(found.base, found.wide if packed else None)
    if before is None or found.table.ndim != 2:
        raise InputError(OTHER_ALIGNMENT)
    store, width, own = before.store, before.table.shape[1], found.table <= -2
    if (
        found.table.shape[1] < width
        or (found.places.size and not (found.places.min() >= 0 and found.places.max() < found.used))
        or found.used > found.table.shape[1] * before.width
        or -2 - found.table[own].min(initial=-2) >= len(before)
        or found.table.max(initial=-1) >= sum(map(len, found.arrays))
        or own[:, width:].any()
        or any(one.ndim != 2 or one.dtype != np.uint8 or one.shape[1] != store.block_bytes for one in found.arrays)
    ):
        raise InputError(OTHER_ALIGNMENT)
    written = tuple(store.add(array) for array in found.arrays)
    numbers = np.concatenate([*(one.numbers for one in written), np.zeros(1, np.int64)])  # at the end that of gaps
    table = np.where(own, -2 - found.table, ~numbers[np.where(own, -1, found.table)]).astype(np.int32)
    return BlockedCells(table, found.places, store, written, found.used)
