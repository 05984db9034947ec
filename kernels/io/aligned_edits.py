"""Edits of alignments: each gives another alignment, with case, dots and annotation in step; the one given stays.

``rows`` are numbers of rows, int64, and ``columns`` masks, bool (columns,). An edit that cannot be done returns the
very alignment that was given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_places, stretches, tiled_edits
from antidiag.kernels.io.aligned import GAP, AlignedSequences, as_written, made
from antidiag.kernels.io.alignment_files.blocks import CLUSTAL_MARKS
from antidiag.kernels.io.alignment_files.rows import Annotations
from antidiag.kernels.io.codons import amino_acids
from antidiag.kernels.io.names import distinct
from antidiag.kernels.io.stretches import Stretches
from antidiag.kernels.io.tiles import NEW, Tiles
from antidiag.kernels.model import SequenceType

DOT = ord(".")
COMPLEMENT = np.arange(256, dtype=np.uint8)
COMPLEMENT[list(b"ACGTURYKMBVDHacgturykmbvdh")] = list(b"TGCAAYRMKVBHDtgcaayrmkvbhd")


def take_columns(alignment: AlignedSequences, columns: np.ndarray) -> AlignedSequences:
    """The columns of these numbers, int64, in this order; NEW for one of gaps."""
    if not columns.size:
        raise InputError(f"{alignment.name}: no column would be left; keep one")
    notes = replace(
        alignment.annotations,
        of_rows=aligned_places.of_columns(alignment, columns),
        of_columns=tuple((tag, _remapped(marks, columns)) for tag, marks in alignment.annotations.of_columns),
        of_letters=tuple((row, tag, _remapped(marks, columns)) for row, tag, marks in alignment.annotations.of_letters),
    )
    if isinstance(alignment.letters, Tiles):
        return _noted(tiled_edits.with_columns(alignment, columns), notes)
    letters = as_written(alignment)[:, columns]
    letters[:, columns == NEW] = GAP
    return _made(alignment, letters, notes)


def delete_columns(alignment: AlignedSequences, columns: np.ndarray) -> AlignedSequences:
    """Without the columns of a mask."""
    return take_columns(alignment, np.flatnonzero(~columns)) if columns.any() else alignment


def insert_columns(alignment: AlignedSequences, at: int, count: int = 1) -> AlignedSequences:
    """With columns of gaps before column ``at``."""
    places = np.arange(alignment.letters.shape[1])
    return take_columns(alignment, np.concatenate((places[:at], np.full(count, NEW), places[at:])))


def gap_columns(alignment: AlignedSequences, rows: np.ndarray | None = None) -> np.ndarray:
    """A mask of the columns that hold nothing but gaps, in all rows or in some."""
    rows = np.arange(len(alignment.names)) if rows is None else rows
    gaps = np.ones(alignment.letters.shape[1], bool)
    for part in tiled_edits.parts(rows, gaps.size):
        gaps &= (alignment.letters[part] == GAP).all(axis=0)
    return gaps


def sparse_columns(alignment: AlignedSequences, occupancy: float) -> np.ndarray:
    """A mask of the columns in which less than this share of rows has a letter."""
    rows, columns = alignment.letters.shape
    there = np.zeros(columns, np.int64)
    for part in tiled_edits.parts(np.arange(rows), columns):
        there += np.count_nonzero(alignment.letters[part] != GAP, axis=0)
    return there / rows < occupancy


def take_rows(alignment: AlignedSequences, rows: np.ndarray) -> AlignedSequences:
    """The rows of these numbers, in this order; a row may come twice."""
    if not rows.size:
        raise InputError(f"{alignment.name}: no row would be left; keep one")
    notes = _unmarked(alignment.annotations)
    first: dict[int, int] = {}
    for place, row in enumerate(rows.tolist()):
        first.setdefault(row, place)
    kept = replace(
        notes,
        of_rows=tuple((first[row], tag, said) for row, tag, said in notes.of_rows if row in first),
        of_letters=tuple((first[row], tag, marks) for row, tag, marks in notes.of_letters if row in first),
    )
    names = distinct(alignment.names[row] for row in rows.tolist())
    if isinstance(alignment.letters, Tiles):
        return replace(tiled_edits.with_rows(alignment, rows), names=names, annotations=kept)
    lower, dots = (None if bits is None else bits[rows] for bits in (alignment.lower, alignment.dots))
    letters = alignment.letters[rows]
    letters.setflags(write=False)
    return replace(alignment, names=names, letters=letters, annotations=kept, lower=lower, dots=dots)


def insert_gaps(alignment: AlignedSequences, rows: np.ndarray, at: int, count: int = 1) -> AlignedSequences:
    """With ``count`` gaps before column ``at`` in these rows; the alignment grows only where no gaps at their ends make
    room."""
    width = alignment.letters.shape[1]
    ends = (alignment.letters[rows, max(width - count, at) :] == GAP).all(axis=0)[::-1]
    free = int(np.argmin(ends)) if not ends.all() else ends.size
    return _with_rows(alignment, rows, ((0, at), (NEW, count), (at, width - free - at)))


def delete_gaps(alignment: AlignedSequences, rows: np.ndarray, at: int, count: int = 1) -> AlignedSequences:
    """Without ``count`` gaps from column ``at`` on in these rows, where all of them have gaps there; letters after them
    move left."""
    width = alignment.letters.shape[1]
    count = min(count, width - at)
    if count < 1 or not (alignment.letters[rows, at : at + count] == GAP).all():
        return alignment
    return _with_rows(alignment, rows, ((0, at), (at + count, width - at - count), (NEW, count)))


def free_columns(alignment: AlignedSequences, rows: np.ndarray, first: int, last: int, by: int) -> int:
    """How far the cells of columns ``first`` to ``last`` of these rows can move, at most by so many columns."""
    if by < 0:
        beside = (alignment.letters[rows, max(first + by, 0) : first] == GAP).all(axis=0)[::-1]
    else:
        beside = (alignment.letters[rows, last : last + by] == GAP).all(axis=0)
    return beside.size if beside.all() else int(np.argmin(beside))


def move(alignment: AlignedSequences, rows: np.ndarray, first: int, last: int, by: int) -> AlignedSequences:
    """The cells of columns ``first`` to ``last`` of these rows moved by some columns over gaps, as far as all of the
    rows have gaps there."""
    width, free = alignment.letters.shape[1], free_columns(alignment, rows, first, last, by)
    if not free:
        return alignment
    cells = first, last - first
    turned = (cells, (first - free, free)) if by < 0 else ((last, free), cells)
    before, after = (first - free, last) if by < 0 else (first, last + free)
    return _with_rows(alignment, rows, ((0, before), *turned, (after, width - after)))


def degap(alignment: AlignedSequences, rows: np.ndarray) -> AlignedSequences:
    """The letters of these rows moved to the left, without gaps between them."""
    touched = set(rows.tolist())
    notes = alignment.annotations
    kept = tuple(note for note in notes.of_letters if note[0] not in touched)
    return _with_changed(alignment, rows, _whole(alignment), lambda written, _: _to_the_left(written),
                         replace(notes, of_letters=kept))  # fmt: skip


def set_letters(alignment: AlignedSequences, rows: np.ndarray, columns: np.ndarray, letter: str) -> AlignedSequences:
    """With one letter in place of every letter of these rows and columns; a gap is only replaced in a single cell."""
    if not columns.any():
        return alignment
    first, last = int(columns.argmax()), columns.size - int(columns[::-1].argmax())
    places, changed = np.flatnonzero(columns[first:last]), []
    single = rows.size == 1 and places.size == 1

    def change(written: np.ndarray, some: np.ndarray) -> np.ndarray:
        old = written[:, places]
        there = (old != GAP) & (old != DOT) | single
        written[:, places] = np.where(there, ord(letter), old)
        changed.append(some[(there & (old != ord(letter))).any(axis=1)])
        return written

    after = _with_changed(alignment, rows, (first, last), change, alignment.annotations)
    of_rows = aligned_places.without(alignment, np.concatenate(changed)) if changed else ()
    return replace(after, annotations=replace(after.annotations, of_rows=of_rows))


def with_block(
    alignment: AlignedSequences, rows: np.ndarray, first: int, last: int, block: np.ndarray
) -> AlignedSequences:
    """With the letters of these rows in columns ``first`` to ``last`` (half-open) at other columns: where ``block``,
    uint8 (rows, any columns), has letters. All other rows get gaps where the block is wider, and where it is narrower
    the block does, unless it is of all rows.

    InputError where the block has other letters.
    """
    width = alignment.letters.shape[1]
    whole = rows.size == len(alignment.names)
    wide = block.shape[1] if whole else max(block.shape[1], last - first)
    kept = 0 if whole else last - first
    places = np.concatenate((np.arange(first), np.arange(first, first + kept), np.full(wide - kept, NEW),
                             np.arange(last, width)))  # fmt: skip
    cells = np.full((rows.size, wide), GAP, np.uint8)
    for number, row in enumerate(rows.tolist()):
        there = alignment.letters[row, first:last] != GAP
        found = block[number] != GAP
        if not np.array_equal(block[number][found], alignment.letters[row, first:last][there]):
            raise InputError(f"{alignment.names[row]}: other letters than in the alignment")
        old = as_written(alignment, row, row + 1)[0, first:last]
        cells[number, : block.shape[1]][found] = old[there]
    notes, touched = alignment.annotations, set(rows.tolist())
    notes = replace(
        notes,
        of_columns=tuple((tag, _remapped(marks, places)) for tag, marks in notes.of_columns),
        of_letters=tuple((row, tag, _remapped(marks, places)) for row, tag, marks in notes.of_letters
                         if row not in touched),
    )  # fmt: skip
    if isinstance(alignment.letters, Tiles):
        return _noted(tiled_edits.with_cells(tiled_edits.with_columns(alignment, places), rows, first, cells), notes)
    letters = as_written(alignment)[:, places]
    letters[:, places == NEW] = GAP
    letters[rows, first : first + wide] = cells
    return _made(alignment, letters, notes)


def with_gaps(alignment: AlignedSequences, cells: np.ndarray) -> AlignedSequences:
    """With gaps in these cells, bool (rows, columns)."""
    rows = np.arange(len(alignment.names))
    changed = [part[(cells[part] & (alignment.letters[part] != GAP)).any(axis=1)]
               for part in tiled_edits.parts(rows, cells.shape[1])]  # fmt: skip
    notes = replace(alignment.annotations, of_rows=aligned_places.without(alignment, np.concatenate(changed)))
    return _with_changed(alignment, rows, _whole(alignment),
                         lambda written, some: np.where(cells[some], GAP, written).astype(np.uint8), notes)  # fmt: skip


def reverse_complement(alignment: AlignedSequences) -> AlignedSequences:
    """All rows the other way round, with complementary letters; InputError for proteins."""
    if alignment.type == SequenceType.PROTEIN:
        raise InputError(f"{alignment.name}: proteins have no complement; it takes DNA or RNA")
    table = COMPLEMENT.copy()
    if alignment.type == SequenceType.RNA:
        table[list(b"Aa")] = list(b"Uu")
    from antidiag.kernels.io import cpu_tiles  # compiled code is loaded when it is used

    rows, columns = alignment.letters.shape
    back = np.arange(columns)[::-1]
    notes = alignment.annotations
    turned = replace(
        notes,
        of_rows=aligned_places.turned(alignment),
        of_columns=tuple((tag, _remapped(marks, back)) for tag, marks in notes.of_columns),
        of_letters=tuple((row, tag, _remapped(marks, back)) for row, tag, marks in notes.of_letters),
    )
    letters = np.empty((rows, columns), np.uint8)
    for part in tiled_edits.parts(np.arange(rows), columns):
        first, last = int(part[0]), int(part[-1]) + 1
        cpu_tiles.turned(as_written(alignment, first, last), table, letters[first:last])
    return _made(alignment, letters, turned)


def translate(alignment: AlignedSequences, frame: int = 0) -> AlignedSequences:
    """Columns by threes as amino acids of the standard code, from column ``frame`` (0 to 2) on.

    Three gaps are a gap; a codon with a gap or an unknown base is X. InputError for proteins and where no codon is.
    """
    if alignment.type == SequenceType.PROTEIN:
        raise InputError(f"{alignment.name}: these are proteins already; translation takes DNA or RNA")
    whole = (alignment.letters.shape[1] - frame) // 3
    if whole < 1:
        raise InputError(f"{alignment.name}: no codon of three columns from column {frame + 1} on")
    every = np.arange(len(alignment.names))
    letters = np.empty((every.size, whole), np.uint8)
    for part in tiled_edits.parts(every, 3 * whole):
        bases = alignment.letters[part, frame : frame + 3 * whole]
        letters[part] = amino_acids(bases.reshape(part.size, whole, 3))
    letters.setflags(write=False)
    notes = Annotations(alignment.annotations.of_file, aligned_places.without(alignment, every))
    name = f"{alignment.name}, frame {frame + 1}"
    return AlignedSequences(alignment.names, letters, SequenceType.PROTEIN, name, alignment.source, "translated", notes)


def renamed(alignment: AlignedSequences, row: int, name: str) -> AlignedSequences:
    """With another name of a row; InputError for one that is there already, or empty."""
    name = " ".join(name.split())
    if not name or (name in alignment.names and alignment.names[row] != name):
        raise InputError(f"{name!r} is {'no name' if not name else 'the name of another row'}; give another")
    return replace(alignment, names=(*alignment.names[:row], name, *alignment.names[row + 1 :]))


def _with_rows(alignment: AlignedSequences, rows: np.ndarray, columns: Stretches) -> AlignedSequences:
    """With the cells of these rows at other columns, where those of the old ones come from; the others keep theirs."""
    old_width, notes = alignment.letters.shape[1], alignment.annotations
    same = stretches.staying(old_width, stretches.width(columns))
    if notes.of_columns or notes.of_letters:
        touched, theirs, others = set(rows.tolist()), stretches.numbers(columns), stretches.numbers(same)
        notes = replace(
            notes,
            of_columns=tuple((tag, _remapped(marks, others)) for tag, marks in notes.of_columns),
            of_letters=tuple(
                (row, tag, _remapped(marks, theirs if row in touched else others))
                for row, tag, marks in notes.of_letters
            ),
        )
    if isinstance(alignment.letters, Tiles):
        return _noted(tiled_edits.moved(alignment, rows, columns), notes)
    old = as_written(alignment)
    letters = np.full((len(alignment.names), stretches.width(columns)), GAP, np.uint8)
    for at, source in stretches.sources(same, 0, old_width):
        letters[:, at : at + source.stop - source.start] = old[:, source]
    letters[rows] = GAP
    for at, source in stretches.sources(columns, 0, letters.shape[1]):
        letters[rows, at : at + source.stop - source.start] = old[rows, source]
    return _made(alignment, letters, notes)


def _with_changed(
    alignment: AlignedSequences,
    rows: np.ndarray,
    columns: tuple[int, int],
    change: Callable[[np.ndarray, np.ndarray], np.ndarray],
    notes: Annotations,
) -> AlignedSequences:
    """With what ``change(written, rows)`` makes of these rows as written, in columns from the first to before the last;
    it is given some of the rows at a time."""
    if isinstance(alignment.letters, Tiles):
        return _noted(tiled_edits.changed(alignment, rows, columns, change), notes)
    letters, (first, last) = as_written(alignment).copy(), columns
    for part in tiled_edits.parts(rows, last - first):
        letters[part, first:last] = change(letters[part, first:last], part)
    return _made(alignment, letters, notes)


def _whole(alignment: AlignedSequences) -> tuple[int, int]:
    """All columns."""
    return 0, alignment.letters.shape[1]


def _to_the_left(written: np.ndarray) -> np.ndarray:
    """The letters of each row without the gaps between them."""
    gaps = (written == GAP) | (written == DOT)
    found = np.take_along_axis(written, np.argsort(gaps, axis=1, kind="stable"), axis=1)
    found[np.arange(written.shape[1]) >= np.count_nonzero(~gaps, axis=1)[:, None]] = GAP
    return found


def _remapped(marks: str, places: np.ndarray) -> str:
    if len(marks) == places.size and np.array_equal(places, np.arange(places.size)):
        return marks
    found = np.array([*marks, "."])[places]
    return "".join(found.tolist())


def _noted(alignment: AlignedSequences, notes: Annotations) -> AlignedSequences:
    """With other annotation, after an edit."""
    return replace(alignment, annotations=_unmarked(notes))


def _made(alignment: AlignedSequences, letters: np.ndarray, notes: Annotations) -> AlignedSequences:
    """With other letters, as written."""
    plain = alignment.lower is None and alignment.dots is None
    return made(replace(alignment, annotations=_unmarked(notes)), letters, plain)


def _unmarked(notes: Annotations) -> Annotations:
    """Without the marks of Clustal, which say how alike the letters of a column were before."""
    return replace(notes, of_columns=tuple(note for note in notes.of_columns if note[0] != CLUSTAL_MARKS))
