"""Edits of alignments. Each returns another alignment, with case, dots and annotations in step; the given one stays.

``rows`` are numbers of rows, int64, and ``columns`` masks, bool (columns,). An edit that cannot be done returns the
alignment that was given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from antidiag.kernels.alignments import block_edits, column_runs, source_positions
from antidiag.kernels.alignments.blocked_cells import NEW_COLUMN, BlockedCells
from antidiag.kernels.alignments.column_runs import ColumnRuns
from antidiag.kernels.alignments.genetic_code import translate_codons
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences, with_letters, written_letters
from antidiag.kernels.io.alignment_formats.clustal_msf import CLUSTAL_MARKS_TAG
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.io.unique_names import make_names_unique
from antidiag.kernels.model import SequenceType

DOT = ord(".")
COMPLEMENT = np.arange(256, dtype=np.uint8)
COMPLEMENT[list(b"ACGTURYKMBVDHacgturykmbvdh")] = list(b"TGCAAYRMKVBHDtgcaayrmkvbhd")


def take_columns(alignment: AlignedSequences, columns: np.ndarray) -> AlignedSequences:
    """Return the columns of these numbers, int64, in this order; NEW_COLUMN stands for a column of gaps."""
    if not columns.size:
        raise InputError(f"{alignment.name}: this would delete every column; keep at least one")
    notes = replace(
        alignment.annotations,
        of_rows=source_positions.keep_columns(alignment, columns),
        of_columns=tuple((tag, _remap_marks(marks, columns)) for tag, marks in alignment.annotations.of_columns),
        of_letters=tuple(
            (row, tag, _remap_marks(marks, columns)) for row, tag, marks in alignment.annotations.of_letters
        ),
    )
    if isinstance(alignment.letters, BlockedCells):
        return _with_annotations(block_edits.take_columns(alignment, columns), notes)
    letters = written_letters(alignment)[:, columns]
    letters[:, columns == NEW_COLUMN] = GAP
    return _with_written_letters(alignment, letters, notes)


def delete_columns(alignment: AlignedSequences, columns: np.ndarray) -> AlignedSequences:
    """Return the alignment without the columns of a mask."""
    return take_columns(alignment, np.flatnonzero(~columns)) if columns.any() else alignment


def insert_columns(alignment: AlignedSequences, column: int, count: int = 1) -> AlignedSequences:
    """Return the alignment with columns of gaps before ``column``."""
    places = np.arange(alignment.letters.shape[1])
    return take_columns(alignment, np.concatenate((places[:column], np.full(count, NEW_COLUMN), places[column:])))


def gap_columns(alignment: AlignedSequences, rows: np.ndarray | None = None) -> np.ndarray:
    """Return a mask of the columns that hold only gaps, in all rows or in some."""
    rows = np.arange(len(alignment.names)) if rows is None else rows
    gaps = np.ones(alignment.letters.shape[1], bool)
    for part in block_edits.row_batches(rows, gaps.size):
        gaps &= (alignment.letters[part] == GAP).all(axis=0)
    return gaps


def sparse_columns(alignment: AlignedSequences, occupancy: float) -> np.ndarray:
    """Return a mask of the columns in which fewer than this share of the rows have a letter."""
    rows, columns = alignment.letters.shape
    there = np.zeros(columns, np.int64)
    for part in block_edits.row_batches(np.arange(rows), columns):
        there += np.count_nonzero(alignment.letters[part] != GAP, axis=0)
    return there / rows < occupancy


def take_rows(alignment: AlignedSequences, rows: np.ndarray) -> AlignedSequences:
    """Return the rows of these numbers, in this order; a row may come twice."""
    if not rows.size:
        raise InputError(f"{alignment.name}: this would delete every row; keep at least one")
    notes = _without_clustal_marks(alignment.annotations)
    first: dict[int, int] = {}
    for place, row in enumerate(rows.tolist()):
        first.setdefault(row, place)
    kept = replace(
        notes,
        of_rows=tuple((first[row], tag, said) for row, tag, said in notes.of_rows if row in first),
        of_letters=tuple((first[row], tag, marks) for row, tag, marks in notes.of_letters if row in first),
    )
    names = make_names_unique(alignment.names[row] for row in rows.tolist())
    if isinstance(alignment.letters, BlockedCells):
        return replace(block_edits.take_rows(alignment, rows), names=names, annotations=kept)
    lower, dots = (None if bits is None else bits[rows] for bits in (alignment.lower, alignment.dots))
    letters = alignment.letters[rows]
    letters.setflags(write=False)
    return replace(alignment, names=names, letters=letters, annotations=kept, lower=lower, dots=dots)


def insert_gaps(alignment: AlignedSequences, rows: np.ndarray, column: int, count: int = 1) -> AlignedSequences:
    """Return the alignment with ``count`` gaps before ``column`` in these rows.

    Gaps at the ends of the rows are used up first; the alignment grows only where there are too few.
    """
    width = alignment.letters.shape[1]
    ends = (alignment.letters[rows, max(width - count, column) :] == GAP).all(axis=0)[::-1]
    free = int(np.argmin(ends)) if not ends.all() else ends.size
    return _move_rows(alignment, rows, ((0, column), (NEW_COLUMN, count), (column, width - free - column)))


def delete_gaps(alignment: AlignedSequences, rows: np.ndarray, column: int, count: int = 1) -> AlignedSequences:
    """Return the alignment without ``count`` gaps from ``column`` on, where all of these rows have gaps there.

    The letters after them move left.
    """
    width = alignment.letters.shape[1]
    count = min(count, width - column)
    if count < 1 or not (alignment.letters[rows, column : column + count] == GAP).all():
        return alignment
    return _move_rows(alignment, rows, ((0, column), (column + count, width - column - count), (NEW_COLUMN, count)))


def free_columns(alignment: AlignedSequences, rows: np.ndarray, first: int, last: int, offset: int) -> int:
    """Return how far columns ``first`` to ``last`` of these rows can move over gaps, at most ``offset``."""
    if offset < 0:
        beside = (alignment.letters[rows, max(first + offset, 0) : first] == GAP).all(axis=0)[::-1]
    else:
        beside = (alignment.letters[rows, last : last + offset] == GAP).all(axis=0)
    return beside.size if beside.all() else int(np.argmin(beside))


def move_cells(alignment: AlignedSequences, rows: np.ndarray, first: int, last: int, offset: int) -> AlignedSequences:
    """Return the alignment with columns ``first`` to ``last`` of these rows moved over gaps.

    They move by ``offset``, or as far as all of the rows have gaps.
    """
    width, free = alignment.letters.shape[1], free_columns(alignment, rows, first, last, offset)
    if not free:
        return alignment
    cells = first, last - first
    turned = (cells, (first - free, free)) if offset < 0 else ((last, free), cells)
    before, after = (first - free, last) if offset < 0 else (first, last + free)
    return _move_rows(alignment, rows, ((0, before), *turned, (after, width - after)))


def remove_gaps(alignment: AlignedSequences, rows: np.ndarray) -> AlignedSequences:
    """Return the alignment with the letters of these rows moved to the left, without gaps between them."""
    touched = set(rows.tolist())
    notes = alignment.annotations
    notes = replace(notes, of_letters=tuple(note for note in notes.of_letters if note[0] not in touched))
    return _change_rows(alignment, rows, _all_columns(alignment), lambda written, _: _shift_left(written), notes)


def set_letters(alignment: AlignedSequences, rows: np.ndarray, columns: np.ndarray, letter: str) -> AlignedSequences:
    """Return the alignment with one letter in place of every letter of these rows and columns.

    A gap is replaced only where a single cell is meant.
    """
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

    after = _change_rows(alignment, rows, (first, last), change, alignment.annotations)
    of_rows = source_positions.drop_positions(alignment, np.concatenate(changed)) if changed else ()
    return replace(after, annotations=replace(after.annotations, of_rows=of_rows))


def replace_block(
    alignment: AlignedSequences, rows: np.ndarray, first: int, last: int, block: np.ndarray
) -> AlignedSequences:
    """Return the alignment with columns ``first`` to ``last`` of these rows realigned.

    Parameters
    ----------
    alignment : AlignedSequences
    rows : array of int64
    first, last : int
        The first column of the block, and the one after the last.
    block : array of uint8, shape (rows, any columns)
        The same letters at their new columns. Where it is wider, the other rows get gaps; where it is narrower, it gets
        gaps itself, unless it has all rows.

    Raises
    ------
    InputError
        Where the block has other letters.
    """
    width = alignment.letters.shape[1]
    whole = rows.size == len(alignment.names)
    wide = block.shape[1] if whole else max(block.shape[1], last - first)
    kept = 0 if whole else last - first
    places = np.concatenate(
        (np.arange(first), np.arange(first, first + kept), np.full(wide - kept, NEW_COLUMN), np.arange(last, width))
    )
    cells = np.full((rows.size, wide), GAP, np.uint8)
    for number, row in enumerate(rows.tolist()):
        there = alignment.letters[row, first:last] != GAP
        found = block[number] != GAP
        if not np.array_equal(block[number][found], alignment.letters[row, first:last][there]):
            raise InputError(
                f"{alignment.names[row]}: the block has other letters than the alignment; realign the same sequences"
            )
        old = written_letters(alignment, row, row + 1)[0, first:last]
        cells[number, : block.shape[1]][found] = old[there]
    notes, touched = alignment.annotations, set(rows.tolist())
    notes = replace(
        notes,
        of_columns=tuple((tag, _remap_marks(marks, places)) for tag, marks in notes.of_columns),
        of_letters=tuple(
            (row, tag, _remap_marks(marks, places)) for row, tag, marks in notes.of_letters if row not in touched
        ),
    )
    if isinstance(alignment.letters, BlockedCells):
        return _with_annotations(
            block_edits.replace_cells(block_edits.take_columns(alignment, places), rows, first, cells), notes
        )
    letters = written_letters(alignment)[:, places]
    letters[:, places == NEW_COLUMN] = GAP
    letters[rows, first : first + wide] = cells
    return _with_written_letters(alignment, letters, notes)


def replace_with_gaps(alignment: AlignedSequences, cells: np.ndarray) -> AlignedSequences:
    """Return the alignment with gaps in these cells, bool (rows, columns)."""
    rows = np.arange(len(alignment.names))
    changed = [
        part[(cells[part] & (alignment.letters[part] != GAP)).any(axis=1)]
        for part in block_edits.row_batches(rows, cells.shape[1])
    ]
    notes = replace(alignment.annotations, of_rows=source_positions.drop_positions(alignment, np.concatenate(changed)))

    def change(written: np.ndarray, some: np.ndarray) -> np.ndarray:
        return np.where(cells[some], GAP, written).astype(np.uint8)

    return _change_rows(alignment, rows, _all_columns(alignment), change, notes)


def reverse_complement(alignment: AlignedSequences) -> AlignedSequences:
    """Return the alignment with all rows reversed and complemented; InputError for proteins."""
    if alignment.type == SequenceType.PROTEIN:
        raise InputError(f"{alignment.name}: proteins have no complement; use DNA or RNA")
    table = COMPLEMENT.copy()
    if alignment.type == SequenceType.RNA:
        table[list(b"Aa")] = list(b"Uu")
    from antidiag.kernels.alignments import cpu_blocks  # compiled code is loaded when it is used

    rows, columns = alignment.letters.shape
    back = np.arange(columns)[::-1]
    notes = alignment.annotations
    turned = replace(
        notes,
        of_rows=source_positions.reverse_positions(alignment),
        of_columns=tuple((tag, _remap_marks(marks, back)) for tag, marks in notes.of_columns),
        of_letters=tuple((row, tag, _remap_marks(marks, back)) for row, tag, marks in notes.of_letters),
    )
    letters = np.empty((rows, columns), np.uint8)
    for part in block_edits.row_batches(np.arange(rows), columns):
        first, last = int(part[0]), int(part[-1]) + 1
        cpu_blocks.reverse_rows(written_letters(alignment, first, last), table, letters[first:last])
    return _with_written_letters(alignment, letters, turned)


def translate_columns(alignment: AlignedSequences, frame: int = 0) -> AlignedSequences:
    """Return the amino acids of the standard code, three columns each, from column ``frame`` (0 to 2) on.

    Three gaps are a gap; a codon with a gap or an unknown base is X. InputError for proteins and where there is no
    codon.
    """
    if alignment.type == SequenceType.PROTEIN:
        raise InputError(f"{alignment.name}: these are proteins already; translate DNA or RNA")
    whole = (alignment.letters.shape[1] - frame) // 3
    if whole < 1:
        raise InputError(f"{alignment.name}: fewer than three columns from column {frame + 1} on; choose another frame")
    every = np.arange(len(alignment.names))
    letters = np.empty((every.size, whole), np.uint8)
    for part in block_edits.row_batches(every, 3 * whole):
        bases = alignment.letters[part, frame : frame + 3 * whole]
        letters[part] = translate_codons(bases.reshape(part.size, whole, 3))
    letters.setflags(write=False)
    notes = Annotations(alignment.annotations.of_file, source_positions.drop_positions(alignment, every))
    name = f"{alignment.name}, frame {frame + 1}"
    return AlignedSequences(alignment.names, letters, SequenceType.PROTEIN, name, alignment.source, "translated", notes)


def rename_row(alignment: AlignedSequences, row: int, name: str) -> AlignedSequences:
    """Return the alignment with another name of a row; InputError for an empty name and for that of another row."""
    name = " ".join(name.split())
    if not name or (name in alignment.names and alignment.names[row] != name):
        raise InputError(f"{name!r} is {'no name' if not name else 'the name of another row'}; give another")
    return replace(alignment, names=(*alignment.names[:row], name, *alignment.names[row + 1 :]))


def _move_rows(alignment: AlignedSequences, rows: np.ndarray, columns: ColumnRuns) -> AlignedSequences:
    """Return the alignment with the cells of these rows at other columns; the other rows keep theirs."""
    old_width, notes = alignment.letters.shape[1], alignment.annotations
    same = column_runs.unchanged_runs(old_width, column_runs.total_columns(columns))
    if notes.of_columns or notes.of_letters:
        touched, theirs, others = (
            set(rows.tolist()),
            column_runs.column_numbers(columns),
            column_runs.column_numbers(same),
        )
        notes = replace(
            notes,
            of_columns=tuple((tag, _remap_marks(marks, others)) for tag, marks in notes.of_columns),
            of_letters=tuple(
                (row, tag, _remap_marks(marks, theirs if row in touched else others))
                for row, tag, marks in notes.of_letters
            ),
        )
    if isinstance(alignment.letters, BlockedCells):
        return _with_annotations(block_edits.move_cells(alignment, rows, columns), notes)
    old = written_letters(alignment)
    letters = np.full((len(alignment.names), column_runs.total_columns(columns)), GAP, np.uint8)
    for at, source in column_runs.source_slices(same, 0, old_width):
        letters[:, at : at + source.stop - source.start] = old[:, source]
    letters[rows] = GAP
    for at, source in column_runs.source_slices(columns, 0, letters.shape[1]):
        letters[rows, at : at + source.stop - source.start] = old[rows, source]
    return _with_written_letters(alignment, letters, notes)


def _change_rows(
    alignment: AlignedSequences,
    rows: np.ndarray,
    columns: tuple[int, int],
    change: Callable[[np.ndarray, np.ndarray], np.ndarray],
    notes: Annotations,
) -> AlignedSequences:
    """Return the alignment with what ``change(written, rows)`` makes of some rows at a time, in columns first to
    last - 1."""
    if isinstance(alignment.letters, BlockedCells):
        return _with_annotations(block_edits.change_cells(alignment, rows, columns, change), notes)
    letters, (first, last) = written_letters(alignment).copy(), columns
    for part in block_edits.row_batches(rows, last - first):
        letters[part, first:last] = change(letters[part, first:last], part)
    return _with_written_letters(alignment, letters, notes)


def _all_columns(alignment: AlignedSequences) -> tuple[int, int]:
    """Return the first column and the one after the last."""
    return 0, alignment.letters.shape[1]


def _shift_left(written: np.ndarray) -> np.ndarray:
    """Return the letters of each row without the gaps between them."""
    gaps = (written == GAP) | (written == DOT)
    found = np.take_along_axis(written, np.argsort(gaps, axis=1, kind="stable"), axis=1)
    found[np.arange(written.shape[1]) >= np.count_nonzero(~gaps, axis=1)[:, None]] = GAP
    return found


def _remap_marks(marks: str, places: np.ndarray) -> str:
    """Return the marks of columns for the columns of these numbers; '.' for new ones."""
    if len(marks) == places.size and np.array_equal(places, np.arange(places.size)):
        return marks
    found = np.array([*marks, "."])[places]
    return "".join(found.tolist())


def _with_annotations(alignment: AlignedSequences, notes: Annotations) -> AlignedSequences:
    """Return the alignment with other annotations, after an edit."""
    return replace(alignment, annotations=_without_clustal_marks(notes))


def _with_written_letters(alignment: AlignedSequences, letters: np.ndarray, notes: Annotations) -> AlignedSequences:
    """Return the alignment with other letters, as a file has them."""
    plain = alignment.lower is None and alignment.dots is None
    return with_letters(replace(alignment, annotations=_without_clustal_marks(notes)), letters, plain)


def _without_clustal_marks(notes: Annotations) -> Annotations:
    """Return annotations without Clustal's marks, which describe the columns before the edit."""
    return replace(notes, of_columns=tuple(note for note in notes.of_columns if note[0] != CLUSTAL_MARKS_TAG))
