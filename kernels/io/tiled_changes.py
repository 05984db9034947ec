"""What was done to an alignment whose letters are tiles, as data: what differs from the alignment as it came."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tiled_edits
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.alignment_files.rows import Annotations
from antidiag.kernels.io.tiles import Tiles
from antidiag.kernels.model import SequenceType
from antidiag.kernels.serialization import stored


@stored("tile-changes")
@dataclass(frozen=True, eq=False)
class TileChanges:
    """Cells beside those that they were made of: ``table`` has for each row and tile, int64, the number of one in
    ``arrays``, -1 for one of gaps, or -2 less a row as it came; ``places`` say where columns are kept, of ``used``.
    ``base`` is what they were made of, of so many columns ``wide``, where that is not the alignment as it came."""

    table: np.ndarray
    places: np.ndarray
    arrays: tuple[np.ndarray, ...]
    used: int
    base: np.ndarray | None = None
    wide: int = 0


@stored("alignment-changes")
@dataclass(frozen=True, eq=False)
class AlignmentChanges:
    """An alignment beside the one that it was made of: all that it has, with cells as `TileChanges`."""

    names: tuple[str, ...]
    type: SequenceType
    name: str
    source: str
    note: str
    annotations: Annotations
    letters: TileChanges = field(repr=False)
    lower: TileChanges | None = field(repr=False)
    dots: TileChanges | None = field(repr=False)


class Edited:
    """An alignment in tiles that was made by edits of another one: what is stored of it are its changes, which are told
    apart when they are."""

    def __init__(self, alignment: AlignedSequences, original: AlignedSequences) -> None:
        self._alignment, self._original = alignment, original

    def stored_form(self) -> AlignmentChanges:
        """The changes."""
        return changes(self._alignment, self._original)


def changes(alignment: AlignedSequences, original: AlignedSequences) -> AlignmentChanges:
    """What an alignment in tiles has otherwise than the one as it came: cells beside those of its arrays, or of others
    where nothing is left of them."""
    letters, lower, dots = (
        None if cells is None else _of(cells, there)
        for cells, there in zip(tiled_edits.layers(alignment), tiled_edits.layers(original), strict=True)
    )
    assert letters is not None
    return AlignmentChanges(alignment.names, alignment.type, alignment.name, alignment.source, alignment.note,
                            alignment.annotations, letters, lower, dots)  # fmt: skip


def changed(original: AlignedSequences, found: AlignmentChanges) -> AlignedSequences:
    """The alignment with these changes; InputError where they are those of another."""
    before = tiled_edits.tiled(original)
    told = found.letters, found.lower, found.dots
    letters, lower, dots = (
        None if changes is None else _with(cells, changes, packed)
        for cells, changes, packed in zip(tiled_edits.layers(before), told, (False, True, True), strict=True)
    )
    after = tiled_edits.with_layers(before, letters, lower, dots)
    return replace(after, names=found.names, type=found.type, name=found.name, source=found.source, note=found.note,
                   annotations=found.annotations)  # fmt: skip


def _of(tiles: Tiles, original: np.ndarray | None) -> TileChanges:
    base, *arrays = tiles.arrays
    step, count = base.strides[0], base.shape[0]
    table = np.repeat(-2 - np.arange(len(tiles))[:, None], tiles.table.shape[1], axis=1)
    there = (base.ctypes.data + np.arange(len(tiles))[:, None] * step
             + np.arange(tiles.table.shape[1]) * tiles.bytes).astype(np.uint64)  # fmt: skip
    # Most rows are where they were; of the others each tile is looked for.
    lines, places = np.nonzero((tiles.table != there) | (np.arange(len(tiles))[:, None] >= count))
    addresses = tiles.table[lines, places]
    found = np.full(addresses.size, -1, np.int64)
    first = np.uint64(base.ctypes.data)
    own = (addresses >= first) & (addresses < first + np.uint64(count * step))
    found[own] = -2 - ((addresses[own] - first) // np.uint64(step)).astype(np.int64)
    number = 0
    for array in arrays:
        first, size = np.uint64(array.ctypes.data), np.uint64(array.strides[0])
        inside = (addresses >= first) & (addresses < first + np.uint64(array.nbytes))
        found[inside] = number + ((addresses[inside] - first) // size).astype(np.int64)
        number += len(array)
    table[lines, places] = found
    own_base = (None, 0) if base is original else (base, tiles.base)
    return TileChanges(table, tiles.places, tuple(arrays), tiles.used, *own_base)


def _with(before: Tiles | None, told: TileChanges, packed: bool) -> Tiles:
    if told.base is not None:
        if (
            told.base.ndim != 2
            or told.base.dtype != np.uint8
            or told.base.shape[1] != (-(-told.wide // 8) if packed else told.wide)
        ):
            raise InputError("the changes of this alignment are those of another one")
        before = Tiles.of(told.base, told.wide if packed else None)
    if before is None or told.table.ndim != 2:
        raise InputError("the changes of this alignment are those of another one")
    width, numbers, own = before.table.shape[1], sum(map(len, told.arrays)), told.table <= -2
    if (
        told.table.shape[1] < width
        or (told.places.size and not (told.places.min() >= 0 and told.places.max() < told.used))
        or told.used > told.table.shape[1] * before.width
        or -2 - told.table[own].min(initial=-2) >= len(before)
        or told.table.max(initial=-1) >= numbers
        or own[:, width:].any()
        or any(array.ndim != 2 or array.dtype != np.uint8 or array.shape[1] != before.bytes for array in told.arrays)
    ):
        raise InputError("the changes of this alignment are those of another one")
    table = np.full(told.table.shape, before.blank, np.uint64)
    lines, places = np.nonzero(own)
    table[lines, places] = before.table[-2 - told.table[lines, places], places]
    number = 0
    for array in told.arrays:
        there = (told.table >= number) & (told.table < number + len(array))
        table[there] = array.ctypes.data + (told.table[there] - number) * array.strides[0]
        number += len(array)
    return before.rearranged(table, told.places, told.arrays, told.used)
