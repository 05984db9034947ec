"""Records of GenBank, EMBL and Swiss-Prot: their names, descriptions, types and letters.

Lines of other kinds are not looked at, so that a record is read whatever its databases and programs write into them.
Features have no place in a sequence; a note counts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.line_blocks import decode_text, split_blocks
from antidiag.kernels.io.record_letters import SequenceRecord, make_record
from antidiag.kernels.model import SequenceType
from antidiag.kernels.text import format_count

GENBANK_HEAD = re.compile(
    rb"LOCUS\s|(?=[^>]{0,4000}(?:Genetic Sequence Data Bank|Flat File Release))[^>]*?\n(?=LOCUS\s)"
)
"""The first line of a record, or the head of a file of a release, which ends before it."""
EMBL_HEAD = re.compile(rb"ID   ")
SWISS_HEAD = re.compile(rb"ID   [^\n]*\d AA\.")
END_LINE = re.compile(rb"^//[^\n]*(?:\n|\Z)", re.MULTILINE)
NUMBERS = b"0123456789"
NO_NAMES = ("", ".", "unknown")
"""What programs write where a record has no accession."""
PADDING = b" \t\n\x1a"
"""What may follow the last record."""


class FlatFormat(NamedTuple):
    """The lines of a flat file that are read; each expression's first group is the text of the line.

    ``names`` has expressions of the name, the most exact first.
    """

    label: str
    start: re.Pattern[bytes]
    names: tuple[re.Pattern[bytes], ...]
    description: re.Pattern[bytes]
    letters: re.Pattern[bytes]
    feature: re.Pattern[bytes]


def _line(expression: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"^" + expression, re.MULTILINE)


GENBANK = FlatFormat(
    "GenBank",
    _line(rb"LOCUS\b([^\n]*)"),
    (_line(rb"VERSION[ \t]+(\S+)"), _line(rb"ACCESSION[ \t]+(\S+)"), _line(rb"LOCUS[ \t]+(\S+)")),
    _line(rb"DEFINITION[ \t]+([^\n]*(?:\n[ \t][^\n]*)*)"),
    _line(rb"ORIGIN[^\n]*(?:\n|\Z)"),
    _line(rb"(?: {5}|\t)\S"),
)
EMBL = FlatFormat(
    "EMBL",
    _line(rb"ID   ([^\n]*)"),
    (_line(rb"SV   (\S+)"), _line(rb"AC   +([^\s;]+)"), _line(rb"ID   +([^\s;]+)")),
    _line(rb"DE   ([^\n]*(?:\nDE   [^\n]*)*)"),
    _line(rb"SQ(?=\s)[^\n]*(?:\n|\Z)"),
    _line(rb"FT   \S"),
)
SWISS_PROT = EMBL._replace(label="Swiss-Prot", names=EMBL.names[1:])
VERSION = re.compile(rb"^ID   [^\n]*;\s*SV\s+(\d+);", re.MULTILINE)
"""The version of an EMBL record, in its first line."""
STATED_LENGTH = re.compile(rb"(?<!\d)(\d{1,18})\s+(bp|aa|rc)\b", re.IGNORECASE)
NEXT_RECORD = re.compile(rb"^(?:LOCUS|ID  |DEFINITION|ACCESSION|AC  |SQ  )\s", re.MULTILINE)
"""A line of a head, which no letters hold: the end of the record before is missing."""


def read_flat_file(stream: Iterator[bytes], source: str, known: FlatFormat) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield each record with its place; InputError names the line where a damaged one begins."""
    line = 1
    for number, ended in enumerate(_with_ends(split_blocks(stream, END_LINE.split)), 1):
        text, is_ended = ended
        begin = known.start.search(text)
        if begin is None and text.strip(PADDING):
            raise InputError(
                f"{source}, line {line}: this is no beginning of a {known.label} record; remove it, or give the whole "
                "file"
            )
        if begin is not None:
            first = line + text.count(b"\n", 0, begin.start())
            record = _read_record(text[begin.start() :], known, is_ended, _Place(source, first, known.label, number))
            yield f"{source}, line {first}, record {record.name}", record
        line += text.count(b"\n") + 1


class _Place(NamedTuple):
    """Where a record begins."""

    source: str
    line: int
    label: str
    number: int

    def refuse(self, name: str, why: str) -> NoReturn:
        raise InputError(f"{self.source}, line {self.line}, record {name}: {why}")


def _with_ends(pieces: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield pieces, and whether an end follows: after all but the last."""
    before = next(pieces)
    for piece in pieces:
        yield before, True
        before = piece
    yield before, False


def _read_record(text: bytes, known: FlatFormat, is_ended: bool, place: _Place) -> SequenceRecord:
    begin = known.letters.search(text)
    head, body = (text[: begin.start()], text[begin.end() :]) if begin else (text, b"")
    name = _find_name(head, known) or f"unnamed-{place.number}"
    if not body.strip():
        place.refuse(name, f"this {known.label} record has no letters; fetch the full record")
    if NEXT_RECORD.search(body):
        place.refuse(name, "the record has no line // at its end; fetch the file again")
    line = place.line + text.count(b"\n", 0, begin.end() if begin else 0)
    record = make_record(name, _find_description(head, known), body.translate(None, NUMBERS), place.source, line)
    notes = [record.note]
    if features := len(known.feature.findall(head)):
        notes.append(f"{format_count(features, 'feature')} left out")
    stated = STATED_LENGTH.search(known.start.search(head)[1])  # type: ignore[index] # the record begins with it
    if stated and int(stated[1]) != len(record.letters):
        said = f"the head states {int(stated[1]):,} letters, and there are {len(record.letters):,}"
        if not is_ended:
            place.refuse(name, f"{said}; fetch the whole file")
        notes.append(said)
    kind = _stated_type(head, known, stated)
    return record._replace(note="; ".join(filter(None, notes)), type=kind)


def _find_name(head: bytes, known: FlatFormat) -> str:
    matches = (pattern.search(head) for pattern in known.names)
    names = (decode_text(match[1]).strip(";") for match in matches if match)
    name = next((name for name in names if name not in NO_NAMES), "")
    version = VERSION.search(head)
    return f"{name}.{decode_text(version[1])}" if version and name and "." not in name and known is EMBL else name


def _find_description(head: bytes, known: FlatFormat) -> str:
    found = known.description.search(head)
    if found is None:
        return ""
    return " ".join(decode_text(re.sub(rb"\nDE   ", b"\n", found[1])).split()).removesuffix(".")


def _stated_type(head: bytes, known: FlatFormat, stated: re.Match[bytes] | None) -> SequenceType | None:
    """Return the type that the first line states, if any. The letters of RNA are often given as DNA."""
    line = head.split(b"\n", 1)[0]
    if known is SWISS_PROT or b"protein" in line.lower() or (stated and stated[2].lower() == b"aa"):
        return SequenceType.PROTEIN
    if b"RNA" in line:
        return SequenceType.RNA
    return SequenceType.DNA if b"DNA" in line else None
