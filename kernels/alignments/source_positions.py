"""Positions of rows in longer sequences, kept in step with edits; an edit drops a position that it makes untrue.

MAF gives positions in genomes (start, size, strand and length of the source; the start counts from 0 on that strand),
SAM and PAF give those of pairs (start, from 1, and strand).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.alignment_formats import maf, sam_paf

RowNotes = tuple[tuple[int, str, str], ...]
PAIR_POSITION = re.compile(r"(\d[\d,]{0,23}) \+")
POSITION_TAGS = (maf.RANGE_TAG, sam_paf.POSITION_TAG)


def source_starts(alignment: AlignedSequences) -> dict[int, int]:
    """Return how many letters of the source sequence precede each row that has a position; on its own strand."""
    found = {}
    for row, tag, said in alignment.annotations.of_rows:
        pair, genome = PAIR_POSITION.fullmatch(said), maf.SOURCE_RANGE.fullmatch(said)
        if tag == sam_paf.POSITION_TAG and pair:
            found[row] = int(pair[1].replace(",", "")) - 1
        elif tag == maf.RANGE_TAG and genome:
            found[row] = int(genome[1])
    return found


def keep_columns(alignment: AlignedSequences, columns: np.ndarray) -> RowNotes:
    """Return the notes of rows where only these columns are left; a negative number is a new column.

    A position stays where the letters that are left follow each other in the row.
    """
    old = columns[columns >= 0]

    def change(row: int, tag: str, said: str) -> str | None:
        there = alignment.letters[row] != GAP
        kept = (np.cumsum(there) - 1)[old][there[old]]
        if not kept.size or (np.diff(kept) != 1).any():
            return None
        return _part_position(tag, said, int(kept[0]), kept.size, int(there.sum()))

    return _change_positions(alignment.annotations.of_rows, change)


def reverse_positions(alignment: AlignedSequences) -> RowNotes:
    """Return the notes of rows where all rows are read on the other strand."""

    def change(row: int, tag: str, said: str) -> str | None:
        found = maf.SOURCE_RANGE.fullmatch(said) if tag == maf.RANGE_TAG else None
        if not found:
            return None
        start, size, source = int(found[1]), int(found[2]), int(found[4])
        return f"{source - start - size} {size} {'-' if found[3] == '+' else '+'} {source}"

    return _change_positions(alignment.annotations.of_rows, change)


def drop_positions(alignment: AlignedSequences, rows: np.ndarray) -> RowNotes:
    """Return the notes of rows without the positions of some, whose letters have changed."""
    gone = set(rows.tolist())
    return _change_positions(alignment.annotations.of_rows, lambda row, _, said: None if row in gone else said)


def _part_position(tag: str, said: str, first: int, size: int, whole: int) -> str | None:
    """Return the position of ``size`` letters of a row from letter ``first`` on; None where it cannot be known."""
    if size == whole:
        return said
    if tag == maf.RANGE_TAG and (found := maf.SOURCE_RANGE.fullmatch(said)):
        return f"{int(found[1]) + first} {size} {found[3]} {found[4]}"
    if tag == sam_paf.POSITION_TAG and (found := PAIR_POSITION.fullmatch(said)):
        return f"{int(found[1].replace(',', '')) + first:,} +"
    return None  # SAM and PAF count the start on different strands where it is '-'


def _change_positions(of_rows: RowNotes, change: Callable[[int, str, str], str | None]) -> RowNotes:
    """Return the notes of rows with other positions; ``change`` returns None for one to drop."""
    found = []
    for row, tag, said in of_rows:
        now = change(row, tag, said) if tag in POSITION_TAGS else said
        if now is not None:
            found.append((row, tag, now))
    return tuple(found)
