"""Dot-bracket files of RNA structures, as the Vienna package and this program write them: each record is a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from antidiag.kernels.io.alignment_formats.raw_alignment import (
    DESCRIPTION,
    Annotations,
    RawAlignment,
    SourceLine,
    numbered_lines,
    split_titles,
)
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.model import SequenceType

RECORD = re.compile(
    rb"(?:#[^\n]*\n\s*+)*+(?:>[^\n]*\n\s*+)?((?:[A-Za-z]+[ \t]*+\n)++)((?:[.()\[\]{}<]+[^\n]*+(?:\n|\Z))++)"
)
"""Comments as bpRNA writes them, a title, lines of letters and lines of a structure."""
LETTERS = re.compile(rb"[A-Za-z]+")
STRUCTURE = re.compile(rb"([.()\[\]{}<>,|:A-Za-z-]+)(?:\s+\(?\s*(-?\d+(?:\.\d+)?)\s*\)?)?")
"""A structure, and perhaps its energy."""
PURE_STRUCTURE = re.compile(rb"[.()\[\]{}<>,|:A-Za-z-]+")
HEAD_BYTES = 4096
"""From this size on, the last record of a head may be cut off."""
CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}
STRUCTURE_TAG, ENERGY_TAG = "SS", "energy"
MAX_RECORDS = 1000
"""Records that are read at most."""


class StructureRecord(NamedTuple):
    """A record while it is read: where it begins, and its parts."""

    place: SourceLine
    title: str
    letters: bytearray
    structure: bytearray
    energy: list[str]


def looks_like_dot_bracket(start: bytes) -> bool:
    """Return whether a text begins with letters and a structure as long as they are.

    A structure without brackets may be a row of gaps; all records must have one then.
    """
    if _is_record(start, b"("):  # no other text has brackets below letters
        return True
    records = re.split(rb"(?m)^(?=>)", start)[1:]
    whole = records if len(start) < HEAD_BYTES else records[:-1]
    return bool(whole) and all(_is_record(record, b"") for record in whole)


def _is_record(text: bytes, bracket: bytes) -> bool:
    """Return whether a text begins with letters and a structure that holds this bracket."""
    found = RECORD.match(text)
    if found is None:
        return False
    structure = b"".join(line.split()[0] for line in found[2].split(b"\n") if line.strip())
    fits = len(structure) == len(b"".join(found[1].split()))
    paired = bracket in structure if bracket else fits and (b"(" in structure or not structure.strip(b"."))
    return paired and PURE_STRUCTURE.fullmatch(structure) is not None


def read_dot_bracket(stream: Iterator[bytes], source: str) -> Iterator[RawAlignment]:
    """Yield each record as an alignment of one row, with the structure as annotation of its letters."""
    records = list(_read_records(stream, source))
    names, described = split_titles([record.title.encode() for record in records])
    said = {row: text for row, _, text in described}
    for row, (name, record) in enumerate(zip(names, records, strict=True)):
        yield _build_row(record, name, said.get(row, ""))


def _read_records(stream: Iterator[bytes], source: str) -> Iterator[StructureRecord]:
    """Yield the records of a file."""
    record: StructureRecord | None = None
    number, comments = 0, list[str]()
    for place, line in numbered_lines(stream, source):
        text = line.strip()
        if text.startswith(b"#"):
            comments.append(decode_text(text[1:]).strip())
            continue
        begins = text.startswith(b">") or (
            LETTERS.fullmatch(text) is not None and (record is None or bool(record.structure))
        )
        if begins:
            if record is not None:
                yield record
            number += 1
            if number > MAX_RECORDS:
                place.refuse(f"more than {MAX_RECORDS:,} structures; split the file")
            title = decode_text(text[1:]).strip() if text.startswith(b">") else ""
            title = _join_comments(title or f"unnamed-{number}", comments)
            comments.clear()
            record = StructureRecord(place, title, bytearray(), bytearray(), [])
            if text.startswith(b">"):
                continue
        if not text or record is None:
            continue
        if LETTERS.fullmatch(text) and not record.structure:
            record.letters.extend(text)
        elif found := STRUCTURE.fullmatch(text):
            record.structure.extend(found[1])
            record.energy.extend([found[2].decode()] if found[2] else [])
        else:
            place.refuse(f"{decode_text(text[:60])!r} is neither letters nor a structure of dots and brackets")
    if record is not None:
        yield record


def _join_comments(title: str, comments: list[str]) -> str:
    """Return a title with the comments before it as its description; "Name: x" is the name of a record without one."""
    named = next((comment for comment in comments if comment.startswith("Name:")), "")
    if named and title.startswith("unnamed-"):
        title = "_".join(named.partition(":")[2].split()) or title
        comments = [comment for comment in comments if comment is not named]
    return " ".join(filter(None, (title, "; ".join(filter(None, comments)))))


def _build_row(record: StructureRecord, name: str, description: str) -> RawAlignment:
    """Build the alignment; InputError where letters and structure do not fit."""
    letters, structure = bytes(record.letters), record.structure.decode()
    if len(letters) != len(structure) or not letters:
        record.place.refuse(
            f"{name} has {len(letters):,} letters and a structure of {len(structure):,} characters; give one a letter"
        )
    if not _has_closed_brackets(structure):
        record.place.refuse(f"the brackets of the structure of {name} do not pair; correct them")
    of_rows = [(0, DESCRIPTION, description)] if description else []
    of_rows += [(0, ENERGY_TAG, energy) for energy in record.energy]
    notes = Annotations(of_rows=tuple(of_rows), of_letters=((0, STRUCTURE_TAG, structure),))
    row = np.frombuffer(letters, np.uint8).reshape(1, -1).copy()
    return RawAlignment([name], row, notes, name, "a structure beside the letters", type=SequenceType.RNA)


def _has_closed_brackets(structure: str) -> bool:
    """Return whether every bracket has its partner; brackets of different kinds may cross."""
    opened = dict.fromkeys(CLOSING.values(), 0)
    for sign in structure:
        if sign in opened:
            opened[sign] += 1
        elif sign in CLOSING:
            opened[CLOSING[sign]] -= 1
            if opened[CLOSING[sign]] < 0:
                return False
    return not any(opened.values())
