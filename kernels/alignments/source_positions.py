"""Positions of rows in longer sequences, kept in step with edits; an edit drops a position that it makes untrue.

Positions are shown as SAM and PAF count them: from 1, on the forward strand of the whole sequence, also where a row is
its reverse complement; there they fall along the row. The position of a pair of SAM, PAF, AXT or a chain is the lowest
of its letters, and the strand. MAF's stays as in the file: start, size, strand and length of the source, where the
start counts from 0 on that strand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.alignment_formats import maf
from antidiag.kernels.io.alignment_formats.pair_letters import POSITION_TAG

RowNotes = tuple[tuple[int, str, str], ...]
PAIR_POSITION = re.compile(r"(\d[\d,]{0,23}) ([+-])")
POSITION_TAGS = (maf.RANGE_TAG, POSITION_TAG)


class SourcePositions(NamedTuple):
    """The positions of the letters of a row: letter k of the row, from 1, is letter base + step x k of its source."""

    base: int = 0
    step: int = 1

    def position_of(self, letter: int) -> int:
        """Return the position in the source of a letter of the row, counted from 1."""
        return self.base + self.step * letter

    def letter_at(self, position: int) -> int:
        """Return the letter of the row, from 1, at a position in the source."""
        return (position - self.base) * self.step


WHOLE_SEQUENCE = SourcePositions()
"""The positions of a row that holds its whole sequence, from its first letter on."""


def row_positions(alignment: AlignedSequences) -> dict[int, SourcePositions]:
    """Return the positions of the rows that hold a part of a sequence, on the forward strand of that sequence."""
    found = {}
    for row, tag, said in alignment.annotations.of_rows:
        pair, genome = PAIR_POSITION.fullmatch(said), maf.SOURCE_RANGE.fullmatch(said)
        if tag == POSITION_TAG and pair:
            lowest, letters = int(pair[1].replace(",", "")), _count_letters(alignment, row)
            found[row] = _strand_positions(lowest, letters, pair[2])
        elif tag == maf.RANGE_TAG and genome:
            start, size, source = int(genome[1]), int(genome[2]), int(genome[4])
            lowest = start if genome[3] == "+" else source - start - size
            found[row] = _strand_positions(lowest + 1, size, genome[3])
    return found


def _count_letters(alignment: AlignedSequences, row: int) -> int:
    return int(np.count_nonzero(alignment.letters[row] != GAP))


def _strand_positions(lowest: int, letters: int, strand: str) -> SourcePositions:
    """Return the positions of so many letters, the lowest of which is given, in the order of the row."""
    return SourcePositions(lowest - 1, 1) if strand == "+" else SourcePositions(lowest + letters, -1)


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
        if tag == POSITION_TAG and (pair := PAIR_POSITION.fullmatch(said)):
            return f"{pair[1]} {'-' if pair[2] == '+' else '+'}"
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
    if tag == POSITION_TAG and (found := PAIR_POSITION.fullmatch(said)):
        before = first if found[2] == "+" else whole - first - size
        return f"{int(found[1].replace(',', '')) + before:,} {found[2]}"
    return None


def _change_positions(of_rows: RowNotes, change: Callable[[int, str, str], str | None]) -> RowNotes:
    """Return the notes of rows with other positions; ``change`` returns None for one to drop."""
    found = []
    for row, tag, said in of_rows:
        now = change(row, tag, said) if tag in POSITION_TAGS else said
        if now is not None:
            found.append((row, tag, now))
    return tuple(found)
