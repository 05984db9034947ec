"""SAM and PAF: alignments of pairs, written as operations on letters that stand elsewhere.

What has all of its letters becomes an alignment of two rows: a SAM record with MD or cs, a PAF record with the long
form of cs. The others are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_files.rows import Annotations, Place, Raw, numbered_lines, text
from antidiag.kernels.text import counted, shown

SAM_HEAD = re.compile(
    rb"@(HD|SQ|RG|PG|CO)\t"
    rb"|[^\t\n]+\t\d+\t[^\t\n]+\t\d+\t\d+\t(\*|(\d+[MIDNSHP=X])+)\t[^\t\n]+\t\d+\t-?\d+\t"
)
"""A line of the head, or of a file without one, as `samtools view` writes it, a record."""
PAF_HEAD = re.compile(rb"[^\t\n]+\t\d+\t\d+\t\d+\t[+-]\t[^\t\n]+\t\d+\t\d+\t\d+\t\d+\t\d+\t\d+(\t|\n|\Z)")
MOST = 1000
"""Records that are opened."""
PLACE = "place"
"""The tag of where a row lies in its sequence, from 1, and of its strand."""

CIGAR = re.compile(rb"(\d+)([MIDNSHP=X])")
WHOLE = re.compile(rb"\*|([0-9]++[MIDNSHP=X])++")
"""A whole CIGAR. Digits that no letter follows would be looked through from each of them."""
MD = re.compile(rb"(\d+)|\^([A-Za-z]+)|([A-Za-z])")
CS = re.compile(rb"=([A-Za-z]+)|:(\d+)|\*([A-Za-z])([A-Za-z])|\+([A-Za-z]+)|-([A-Za-z]+)")
NUMBER = re.compile(rb"[0-9]{1,18}")
"""Of more digits is nothing that a sequence has, and Python makes no number of very many."""
SAID = re.compile(rb"[A-Za-z]+")
"""Letters of a query that are all said."""

Operations = list[tuple[int, bytes]]
Rows = tuple[bytearray, bytearray]
PairOf = Callable[[list[bytes], Place], "Raw | None"]


def read_sam(stream: Iterator[bytes], source: str) -> Iterator[Raw]:
    """The alignments of the records with MD or cs, reference above query."""
    return _read(stream, source, _of_sam, "without MD, cs or letters, or with an intron (N)")


def read_paf(stream: Iterator[bytes], source: str) -> Iterator[Raw]:
    """The alignments of the records with the long form of cs, target above query."""
    return _read(stream, source, _of_paf, "without the long form of cs (minimap2 --cs=long), or with an intron (~)")


def _read(stream: Iterator[bytes], source: str, pair_of: PairOf, why: str) -> Iterator[Raw]:
    found: list[Raw] = []
    records = without = 0
    for place, line in numbered_lines(stream, source):
        if not line.strip() or line.startswith(b"@"):
            continue
        records += 1
        pair = pair_of(line.split(b"\t"), place)
        if pair is None:
            without += 1
        elif len(found) < MOST:
            found.append(pair)
    if not found:
        every = "all " if records != 1 else ""
        raise InputError(f"{source}: {counted(records, 'record')}, {every}{why}; the letters stand in another file")
    more = records - without - len(found)
    told = [f"{without:,} of {records:,} records, {why}"] * bool(without) + [counted(more, "more record")] * bool(more)
    if told:
        found[0] = found[0]._replace(note=f"left out: {', '.join(told)}")
    return iter(found)


def _of_sam(fields: list[bytes], place: Place) -> Raw | None:
    if len(fields) < 11:
        place.refuse(f"{len(fields)} fields, and a record of SAM has 11 or more")
    name, flag, reference, start, _, cigar = fields[:6]
    if not (NUMBER.fullmatch(flag) and NUMBER.fullmatch(start)):
        place.refuse("the second and the fourth field of SAM, flag and position, are no numbers")
    if not WHOLE.fullmatch(cigar):
        place.refuse(f"{shown(cigar)} is no CIGAR, which is numbers with a letter each, or *")
    operations = [(_size(size, place), kind) for size, kind in CIGAR.findall(cigar)]
    if not operations or b"N" in cigar or int(flag) & 4:
        return None
    needed = sum(size for size, kind in operations if kind in b"MIS=X")
    if fields[9] != b"*" and needed != len(fields[9]):
        place.refuse(f"CIGAR is of {needed:,} letters of the query, and {len(fields[9]):,} are there")
    pair = _by_cs(fields, operations, place) or _by_md(fields, operations, place)
    if pair is None or not pair[0]:
        return None
    first = sum(size for size, _ in takewhile(lambda one: one[1] in b"SH", operations))
    strand = "-" if int(flag) & 16 else "+"
    return _pair(reference, name, *pair, f"{int(start):,} +", f"{first + 1:,} {strand}")


def _size(digits: bytes, place: Place) -> int:
    if not NUMBER.fullmatch(digits):
        place.refuse(f"{shown(digits)} letters are more than any sequence has")
    return int(digits)


def _tag(fields: list[bytes], name: bytes) -> bytes:
    """What a tag says; nothing where it is not there."""
    return next((field[len(name) :] for field in fields if field.startswith(name)), b"")


def _by_cs(fields: list[bytes], operations: Operations, place: Place) -> Rows | None:
    """Reference and query by the tag cs, the short form with the letters of the query; None without either."""
    tag, letters = _tag(fields[11:], b"cs:Z:"), fields[9]
    first, last = (_clipped(some) for some in (operations, reversed(operations)))
    query = letters[first : len(letters) - last] if SAID.fullmatch(letters) else b""
    pair = _of_cs(tag, query, place)
    if pair and query and pair[1].replace(b"-", b"").upper() != query.upper():
        place.refuse("cs and the letters of the query contradict each other")
    return pair


def _clipped(operations: Iterable[tuple[int, bytes]]) -> int:
    """Letters at an end of the query that are said and not aligned."""
    return sum(size for size, kind in takewhile(lambda one: one[1] in b"SH", operations) if kind == b"S")


def _by_md(fields: list[bytes], operations: Operations, place: Place) -> Rows | None:
    """Reference and query by the tag MD; None without it, and where letters are not said ('=' for those that are the
    same, as `samtools calmd -e` writes)."""
    letters, tag = fields[9], _tag(fields[11:], b"MD:Z:")
    silent = all(kind in b"DHP" for _, kind in operations)  # no letter of the query is aligned, and none is said
    if not tag or not (silent or SAID.fullmatch(letters)):
        return None
    if sum(size for size, kind in operations if kind == b"D") > len(tag):
        place.refuse("MD and CIGAR contradict each other")
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
        place.refuse("MD and CIGAR contradict each other")
    return above, below


def _put_reference(above: bytearray, below: bytes | bytearray, tag: bytes) -> bool:
    """Write the letters of the reference that differ, as MD has them; False where it does not fit."""
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


def _of_paf(fields: list[bytes], place: Place) -> Raw | None:
    if len(fields) < 12:
        place.refuse(f"{len(fields)} fields, and a record of PAF has 12 or more")
    if not (NUMBER.fullmatch(fields[2]) and NUMBER.fullmatch(fields[7])):
        place.refuse("the third and the eighth field of PAF, where query and target begin, are no numbers")
    pair = _of_cs(_tag(fields[12:], b"cs:Z:"), b"", place)
    if pair is None or not pair[0]:
        return None
    strand = text(fields[4])
    return _pair(fields[5], fields[0], *pair, f"{int(fields[7]) + 1:,} +", f"{int(fields[2]) + 1:,} {strand}")


def _of_cs(tag: bytes, query: bytes, place: Place) -> Rows | None:
    """Target and query by the tag cs; its short form takes letters that are the same from those of the ``query``. None
    without the tag or the letters, and across an intron (~)."""
    if not tag or b"~" in tag or (b":" in tag and not query):
        return None
    above, below, at = bytearray(), bytearray(), 0
    for same, count, target, other, inserted, deleted in CS.findall(tag):
        alike = same or query[at : at + _size(count or b"0", place)]
        above += alike or target or b"-" * len(inserted) or deleted
        below += alike or other or inserted or b"-" * len(deleted)
        at += len(alike or other or inserted)
    return above, below


def _pair(first: bytes, second: bytes, above: bytearray, below: bytearray, *places: str) -> Raw:
    letters = np.frombuffer(bytes(above + below).upper(), np.uint8).reshape(2, -1).copy()
    notes = Annotations(of_rows=tuple((row, PLACE, said) for row, said in enumerate(places)))
    return Raw([text(first), text(second)], letters, notes, f"{text(first)} x {text(second)}")
