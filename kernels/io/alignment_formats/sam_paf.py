"""SAM and PAF: pairwise alignments, written as operations on letters that stand elsewhere.

A record with all of its letters becomes an alignment of two rows: a SAM record with MD or cs, a PAF record with the
long form of cs. The others are counted in the note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations, RawAlignment, SourceLine, numbered_lines
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.text import format_count, quote_text

SAM_HEAD = re.compile(
    rb"@(HD|SQ|RG|PG|CO)\t"
    rb"|[^\t\n]+\t\d+\t[^\t\n]+\t\d+\t\d+\t(\*|(\d+[MIDNSHP=X])+)\t[^\t\n]+\t\d+\t-?\d+\t"
)

"""A line of the head, or a record of a file without a head, as `samtools view` writes it."""
PAF_HEAD = re.compile(rb"[^\t\n]+\t\d+\t\d+\t\d+\t[+-]\t[^\t\n]+\t\d+\t\d+\t\d+\t\d+\t\d+\t\d+(\t|\n|\Z)")
MAX_RECORDS = 1000
"""Records that are read at most."""
POSITION_TAG = "place"
"""The tag of the position of a row in its sequence, from 1, and of its strand."""

CIGAR = re.compile(rb"(\d+)([MIDNSHP=X])")
WHOLE_CIGAR = re.compile(rb"\*|([0-9]++[MIDNSHP=X])++")
"""A whole CIGAR. Possessive repeats: backtracking over many digits would take quadratic time."""
MD = re.compile(rb"(\d+)|\^([A-Za-z]+)|([A-Za-z])")
CS = re.compile(rb"=([A-Za-z]+)|:(\d+)|\*([A-Za-z])([A-Za-z])|\+([A-Za-z]+)|-([A-Za-z]+)")
NUMBER = re.compile(rb"[0-9]{1,18}")
"""No number of a sequence has more digits, and Python refuses very many."""
WRITTEN_LETTERS = re.compile(rb"[A-Za-z]+")
"""Letters of a query, all of them written."""

Operations = list[tuple[int, bytes]]
PairRows = tuple[bytearray, bytearray]
PairReader = Callable[[list[bytes], SourceLine], "RawAlignment | None"]


def read_sam(stream: Iterator[bytes], source: str) -> Iterator[RawAlignment]:
    """Read the alignments of the records with MD or cs, reference above query."""
    return _read_pairs(stream, source, _pair_of_sam, "without MD, cs or letters, or with an intron (N)")


def read_paf(stream: Iterator[bytes], source: str) -> Iterator[RawAlignment]:
    """Read the alignments of the records with the long form of cs, target above query."""
    return _read_pairs(
        stream, source, _pair_of_paf, "without the long form of cs (minimap2 --cs=long), or with an intron (~)"
    )


def _read_pairs(stream: Iterator[bytes], source: str, pair_of: PairReader, why: str) -> Iterator[RawAlignment]:
    found: list[RawAlignment] = []
    records = without = 0
    for place, line in numbered_lines(stream, source):
        if not line.strip() or line.startswith(b"@"):
            continue
        records += 1
        pair = pair_of(line.split(b"\t"), place)
        if pair is None:
            without += 1
        elif len(found) < MAX_RECORDS:
            found.append(pair)
    if not found:
        every = "all " if records != 1 else ""
        raise InputError(f"{source}: {format_count(records, 'record')}, {every}{why}; give a file that has the letters")
    more = records - without - len(found)
    skipped = [f"{without:,} of {records:,} records, {why}"] * bool(without) + [
        format_count(more, "more record")
    ] * bool(more)
    if skipped:
        found[0] = found[0]._replace(note=f"skipped: {', '.join(skipped)}")
    return iter(found)


def _pair_of_sam(fields: list[bytes], place: SourceLine) -> RawAlignment | None:
    if len(fields) < 11:
        place.refuse(f"a SAM record has 11 fields or more, this one has {len(fields)}; correct the line")
    name, flag, reference, start, _, cigar = fields[:6]
    if not (NUMBER.fullmatch(flag) and NUMBER.fullmatch(start)):
        place.refuse("flag and position, the second and fourth field of SAM, must be numbers")
    if not WHOLE_CIGAR.fullmatch(cigar):
        place.refuse(f"{quote_text(cigar)} is not a CIGAR, which is numbers with a letter each, or *")
    operations = [(_parse_size(size, place), kind) for size, kind in CIGAR.findall(cigar)]
    if not operations or b"N" in cigar or int(flag) & 4:
        return None
    needed = sum(size for size, kind in operations if kind in b"MIS=X")
    if fields[9] != b"*" and needed != len(fields[9]):
        place.refuse(
            f"CIGAR covers {needed:,} letters of the query, but the record has {len(fields[9]):,}; correct either"
        )
    pair = _rows_by_cs(fields, operations, place) or _rows_by_md(fields, operations, place)
    if pair is None or not pair[0]:
        return None
    first = sum(size for size, _ in takewhile(lambda one: one[1] in b"SH", operations))
    strand = "-" if int(flag) & 16 else "+"
    return _build_pair(reference, name, *pair, f"{int(start):,} +", f"{first + 1:,} {strand}")


def _parse_size(digits: bytes, place: SourceLine) -> int:
    if not NUMBER.fullmatch(digits):
        place.refuse(f"{quote_text(digits)} letters are more than any sequence has; correct the number")
    return int(digits)


def _tag_text(fields: list[bytes], name: bytes) -> bytes:
    """Return the text of a tag; nothing where there is no such tag."""
    return next((field[len(name) :] for field in fields if field.startswith(name)), b"")


def _rows_by_cs(fields: list[bytes], operations: Operations, place: SourceLine) -> PairRows | None:
    """Return reference and query by the tag cs, whose short form takes the letters of the query; None without
    either."""
    tag, letters = _tag_text(fields[11:], b"cs:Z:"), fields[9]
    first, last = (_clipped_letters(some) for some in (operations, reversed(operations)))
    query = letters[first : len(letters) - last] if WRITTEN_LETTERS.fullmatch(letters) else b""
    pair = _rows_of_cs(tag, query, place)
    if pair and query and pair[1].replace(b"-", b"").upper() != query.upper():
        place.refuse("cs and the letters of the query contradict each other; write the record again")
    return pair


def _clipped_letters(operations: Iterable[tuple[int, bytes]]) -> int:
    """Return how many letters at the first end of these operations are in the record but not aligned."""
    return sum(size for size, kind in takewhile(lambda one: one[1] in b"SH", operations) if kind == b"S")


def _rows_by_md(fields: list[bytes], operations: Operations, place: SourceLine) -> PairRows | None:
    """Return reference and query by the tag MD; None without it, and where letters are missing.

    `samtools calmd -e` writes '=' for letters that equal the reference's: these count as missing.
    """
    letters, tag = fields[9], _tag_text(fields[11:], b"MD:Z:")
    silent = all(kind in b"DHP" for _, kind in operations)  # no letter of the query is aligned, and none is said
    if not tag or not (silent or WRITTEN_LETTERS.fullmatch(letters)):
        return None
    if sum(size for size, kind in operations if kind == b"D") > len(tag):
        place.refuse("MD and CIGAR contradict each other; write the record again")
    above, below, at = bytearray(), bytearray(), 0
    for size, kind in operations:
        if kind in b"M=X":
            above += letters[at : at + size]
            below += letters[at : at + size]
            at += size
        elif kind == b"I":
            above += b"-" * size
            below += letters[at : at + size]
            at += size
        elif kind == b"D":
            above += b"N" * size
            below += b"-" * size
        elif kind == b"S":
            at += size
    if not _put_reference(above, below, tag):
        place.refuse("MD and CIGAR contradict each other; write the record again")
    return above, below


def _put_reference(above: bytearray, below: bytes | bytearray, tag: bytes) -> bool:
    """Write the letters of the reference that differ, as MD has them; return False where they do not fit."""
    columns = [column for column, letter in enumerate(above) if letter != ord("-")]
    at = 0
    for same, deleted, differs in MD.findall(tag):
        if same:
            at += int(same) if NUMBER.fullmatch(same) else len(columns) + 1
            continue
        for letter in deleted or differs:
            if at >= len(columns) or (below[columns[at]] == ord("-")) != bool(deleted):
                return False
            above[columns[at]] = letter
            at += 1
    return at == len(columns)


def _pair_of_paf(fields: list[bytes], place: SourceLine) -> RawAlignment | None:
    if len(fields) < 12:
        place.refuse(f"a PAF record has 12 fields or more, this one has {len(fields)}; correct the line")
    if not (NUMBER.fullmatch(fields[2]) and NUMBER.fullmatch(fields[7])):
        place.refuse("the starts of query and target, the third and eighth field of PAF, must be numbers")
    pair = _rows_of_cs(_tag_text(fields[12:], b"cs:Z:"), b"", place)
    if pair is None or not pair[0]:
        return None
    strand = decode_text(fields[4])
    return _build_pair(fields[5], fields[0], *pair, f"{int(fields[7]) + 1:,} +", f"{int(fields[2]) + 1:,} {strand}")


def _rows_of_cs(tag: bytes, query: bytes, place: SourceLine) -> PairRows | None:
    """Return target and query by the tag cs; its short form takes equal letters from the ``query``.

    None without the tag or the letters, and across an intron (~).
    """
    if not tag or b"~" in tag or (b":" in tag and not query):
        return None
    above, below, at = bytearray(), bytearray(), 0
    for same, count, target, other, inserted, deleted in CS.findall(tag):
        alike = same or query[at : at + _parse_size(count or b"0", place)]
        above += alike or target or b"-" * len(inserted) or deleted
        below += alike or other or inserted or b"-" * len(deleted)
        at += len(alike or other or inserted)
    return above, below


def _build_pair(first: bytes, second: bytes, above: bytearray, below: bytearray, *places: str) -> RawAlignment:
    letters = np.frombuffer(bytes(above + below).upper(), np.uint8).reshape(2, -1).copy()
    notes = Annotations(of_rows=tuple((row, POSITION_TAG, said) for row, said in enumerate(places)))
    return RawAlignment(
        [decode_text(first), decode_text(second)], letters, notes, f"{decode_text(first)} x {decode_text(second)}"
    )
