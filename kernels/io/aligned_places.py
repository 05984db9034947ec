"""Where rows lie in longer sequences, kept in step with edits: a place that an edit makes untrue is left out.

MAF says it of genomes (start, size, strand and length of the source; the start is counted on that strand, from 0), SAM
and PAF of pairs (start, from 1, and strand).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.alignment_files import maf, pairs

OfRows = tuple[tuple[int, str, str], ...]
MAF_PLACE = re.compile(r"(\d{1,18}) (\d{1,18}) ([+-]) (\d{1,18})")
PAIR_PLACE = re.compile(r"(\d[\d,]{0,23}) \+")
TAGS = (maf.PLACE, pairs.PLACE)


def starts(alignment: AlignedSequences) -> dict[int, int]:
    """How many letters of its sequence lie before each row that is a part of one, and says where; on its own strand."""
    found = {}
    for row, tag, said in alignment.annotations.of_rows:
        pair, genome = PAIR_PLACE.fullmatch(said), MAF_PLACE.fullmatch(said)
        if tag == pairs.PLACE and pair:
            found[row] = int(pair[1].replace(",", "")) - 1
        elif tag == maf.PLACE and genome:
            found[row] = int(genome[1])
    return found


def of_columns(alignment: AlignedSequences, columns: np.ndarray) -> OfRows:
    """What is said of the rows, where these columns alone are left; a negative number is a new one.

    A place stays where the letters that are left follow each other in the row.
    """
    old = columns[columns >= 0]

    def change(row: int, tag: str, said: str) -> str | None:
        there = alignment.letters[row] != GAP
        kept = (np.cumsum(there) - 1)[old][there[old]]
        if not kept.size or (np.diff(kept) != 1).any():
            return None
        return _part(tag, said, int(kept[0]), kept.size, int(there.sum()))

    return _changed(alignment.annotations.of_rows, change)


def turned(alignment: AlignedSequences) -> OfRows:
    """What is said of the rows, where all are read on the other strand."""

    def change(row: int, tag: str, said: str) -> str | None:
        found = MAF_PLACE.fullmatch(said) if tag == maf.PLACE else None
        if not found:
            return None
        start, size, source = int(found[1]), int(found[2]), int(found[4])
        return f"{source - start - size} {size} {'-' if found[3] == '+' else '+'} {source}"

    return _changed(alignment.annotations.of_rows, change)


def without(alignment: AlignedSequences, rows: np.ndarray) -> OfRows:
    """What is said of the rows, where the letters of some are others now."""
    gone = set(rows.tolist())
    return _changed(alignment.annotations.of_rows, lambda row, _, said: None if row in gone else said)


def _part(tag: str, said: str, first: int, size: int, whole: int) -> str | None:
    """The place of some of the letters of a row."""
    if size == whole:
        return said
    if tag == maf.PLACE and (found := MAF_PLACE.fullmatch(said)):
        return f"{int(found[1]) + first} {size} {found[3]} {found[4]}"
    if tag == pairs.PLACE and (found := PAIR_PLACE.fullmatch(said)):
        return f"{int(found[1].replace(',', '')) + first:,} +"
    return None  # SAM and PAF count the start on different strands where it is '-'


def _changed(of_rows: OfRows, change: Callable[[int, str, str], str | None]) -> OfRows:
    """With other places; None leaves one out."""
    found = []
    for row, tag, said in of_rows:
        now = change(row, tag, said) if tag in TAGS else said
        if now is not None:
            found.append((row, tag, now))
    return tuple(found)
