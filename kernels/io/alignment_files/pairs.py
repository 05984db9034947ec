"""SAM and PAF: alignments of pairs, written as operations on letters that stand elsewhere.

What has all of its letters becomes an alignment of two rows: a SAM record with MD, a PAF record with the long form of
cs. The others are counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import takewhile

import numpy as np

from kernels.errors import InputError
from kernels.io.alignment_files.rows import Annotations, Place, Raw, numbered_lines, text

SAM_HEAD = re.compile(rb"@(HD|SQ|RG|PG|CO)\t")
PAF_HEAD = re.compile(rb"[^\t\n]+\t\d+\t\d+\t\d+\t[+-]\t[^\t\n]+\t\d+\t\d+\t\d+\t\d+\t\d+\t\d+(\t|\n|\Z)")
MOST = 1000
"""Records that are opened."""
PLACE = "place"
"""The tag of where a row lies in its sequence, from 1, and of its strand."""

CIGAR = re.compile(rb"(\d+)([MIDNSHP=X])")
MD = re.compile(rb"(\d+)|\^([A-Za-z]+)|([A-Za-z])")
CS = re.compile(rb"=([A-Za-z]+)|\*([A-Za-z])([A-Za-z])|\+([A-Za-z]+)|-([A-Za-z]+)|(~)")


PairOf = Callable[[list[bytes], Place], "Raw | None"]


def read_sam(stream: Iterator[bytes], source: str) -> Iterator[Raw]:
    """The alignments of the records with MD, reference above query."""
    return _read(stream, source, _of_sam, "without MD or letters, or with an intron (N)")


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
        raise InputError(f"{source}: {records:,} records, all {why}; their letters stand in another file")
    more = records - without - len(found)
    told = [f"{without:,} of {records:,} records, {why}"] * bool(without) + [f"{more:,} more records"] * bool(more)
    if told:
        found[0] = found[0]._replace(note=f"left out: {', '.join(told)}")
    return iter(found)


def _of_sam(fields: list[bytes], place: Place) -> Raw | None:
    if len(fields) < 11:
        place.refuse(f"{len(fields)} fields, and a record of SAM has 11 or more")
    name, flag, reference, start, _, cigar, _, _, _, letters = fields[:10]
    tag = next((field[5:] for field in fields[11:] if field.startswith(b"MD:Z:")), None)
    if cigar == b"*" or b"N" in cigar or letters == b"*" or int(flag) & 4 or tag is None:
        return None
    above, below, at = bytearray(), bytearray(), 0
    operations = [(int(size), kind) for size, kind in CIGAR.findall(cigar)]
    first = sum(size for size, _ in takewhile(lambda one: one[1] in b"SH", operations))
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
    strand = "-" if int(flag) & 16 else "+"
    return _pair(reference, name, above, below, f"{int(start):,} +", f"{first + 1:,} {strand}")


def _put_reference(above: bytearray, below: bytes | bytearray, tag: bytes) -> bool:
    """Write the letters of the reference that differ, as MD has them; False where it does not fit."""
    columns = [column for column, letter in enumerate(above) if letter != ord("-")]
    at = 0
    for same, deleted, differs in MD.findall(tag):
        if same:
            at += int(same)
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
    tag = next((field[5:] for field in fields[12:] if field.startswith(b"cs:Z:")), None)
    if not tag or b":" in tag or b"~" in tag:  # ":" stands for letters that are the same in the short form
        return None
    above, below = bytearray(), bytearray()
    for same, target, query, inserted, deleted, _ in CS.findall(tag):
        above += same or target or b"-" * len(inserted) or deleted
        below += same or query or inserted or b"-" * len(deleted)
    strand = text(fields[4])
    return _pair(fields[5], fields[0], above, below, f"{int(fields[7]) + 1:,} +", f"{int(fields[2]) + 1:,} {strand}")


def _pair(first: bytes, second: bytes, above: bytearray, below: bytearray, *places: str) -> Raw:
    letters = np.frombuffer(bytes(above + below).upper(), np.uint8).reshape(2, -1).copy()
    notes = Annotations(of_rows=tuple((row, PLACE, said) for row, said in enumerate(places)))
    return Raw([text(first), text(second)], letters, notes, f"{text(first)} x {text(second)}")
