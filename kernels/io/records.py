"""Records of sequence files, from bytes: FASTA and plain letters here, other formats by Biopython."""

from __future__ import annotations

import re
import string
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io.alignment_files import maf, nexus
from antidiag.kernels.io.fence import fenced
from antidiag.kernels.io.line_blocks import LINE_END, split
from antidiag.kernels.io.record_formats import ALIGNED, FORMATS
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import counted

if TYPE_CHECKING:
    from Bio.SeqRecord import SeqRecord  # a run loads Biopython where it reads or writes by it

UPPER = bytes.maketrans(string.ascii_lowercase.encode(), string.ascii_uppercase.encode())
IGNORED = b" \t\n\r\v\f0123456789"
LETTERS = string.ascii_uppercase.encode()
GAPS = b"-.~"
GAPS_NOTE = re.compile(r"([\d,]+) gaps? removed")
"""How the note of a sequence says it."""
STRANGE = re.compile(rb"[^A-Za-z*\-.~\s0-9]")

NUMBER = rb"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
FRACTION = rb"(?<!\S)[-+]?\d*\.\d+(?:[eE][-+]?\d+)?(?!\S)"
MATRIX = (
    re.compile(FRACTION),
    re.compile(rb"(?<!\S)[^\W\d]\S*(?:[ \t]+%b){2}(?!\S)" % NUMBER),
    re.compile(rb"\A\s*\d+[ \t]*\n(?:[ \t]*\S+[ \t]*\n)?[ \t]*\S+[ \t]+%b[ \t]*$" % NUMBER, re.MULTILINE),
)
"""Signs of a distance matrix, which no numbered sequence has: a fraction; a name and two numbers; of a matrix of one or
two taxa, a number alone and then a name and a number."""


class Record(NamedTuple):
    """One record: upper-case letters without gaps, and what was changed to make them so."""

    name: str
    description: str
    letters: bytes
    note: str = ""
    type: SequenceType | None = None


def records(stream: Iterator[bytes], source: str, monitor: Monitor | None = None) -> Iterator[Record]:
    """All records of a stream of blocks; InputError names ``source``, line and record."""
    head = next(stream, b"").removeprefix(b"\xef\xbb\xbf")
    _refuse_binary(head, source)
    start = head.lstrip()
    if start.startswith(b">"):
        blank_lines = head[: len(head) - len(start)].count(b"\n") * b"\n"
        return _fasta(_chain(blank_lines + start, stream), source)
    for pattern, name, label in FORMATS:
        if pattern.match(start):
            if name in ALIGNED:
                return _rows(start + b"".join(stream), name, source)
            return _biopython(start + b"".join(stream), name, label, source, monitor)
    return _letters(head + b"".join(stream), source)


def _rows(data: bytes, format: str, source: str) -> Iterator[Record]:
    """The rows of an alignment in a format whose letters Biopython does not all take."""
    found = nexus.read(iter([data]), source) if format == "nexus" else maf.read(iter([data]), source)
    blocks = list(found) if isinstance(found, Iterator) else [found]
    rows = ((name, row) for raw in blocks for name, row in zip(raw.names, raw.letters, strict=True))
    yield from _some_letters(
        (place, Record(name, name, *_clean(row.tobytes(), source, 0, name)))
        for name, row in rows for place in (f"{source}, record {name}",)
    )  # fmt: skip


def _some_letters(found: Iterator[tuple[str, Record]]) -> Iterator[Record]:
    """Records with the place of each; they may be empty, but InputError where all are."""
    empty, there = "", False
    for place, record in found:
        empty, there = empty or place, there or bool(record.letters)
        yield record
    if empty and not there:
        raise InputError(f"{empty}: no letters in it, nor in any other record; add the sequence")


def _chain(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest


def _fasta(stream: Iterator[bytes], source: str) -> Iterator[Record]:
    """FASTA records; ``line`` is that of the title."""
    pieces = _split(stream)
    before = next(pieces)
    if before.strip():
        raise InputError(f"{source}, line 1: text before the first '>'; remove it")
    yield from _some_letters(_records(pieces, source, before.count(b"\n") + 1))


def _records(pieces: Iterator[bytes], source: str, line: int) -> Iterator[tuple[str, Record]]:
    """The records of pieces, the first of which begins at a line, each with its place."""
    for number, piece in enumerate(pieces, 1):
        title, _, body = piece.partition(b"\n")
        record = _record(title, body, source, line, number)
        yield f"{source}, line {line}, record {record.name}", record
        line += piece.count(b"\n") + 1


def _split(stream: Iterator[bytes]) -> Iterator[bytes]:
    """What stands before the first title, then every record without its '>' and its last line end."""
    return split(stream, lambda block: (b"\n" + block.removesuffix(b"\n")).split(b"\n>"))


def _record(title: bytes, body: bytes, source: str, line: int, number: int) -> Record:
    description = _text(title).strip()
    name = description.split(None, 1)[0] if description else f"unnamed-{number}"
    letters, note = _clean(body, source, line + 1, name)
    return Record(name, description or name, letters, note)


def _letters(data: bytes, source: str) -> Iterator[Record]:
    """The one record of a file that holds nothing but letters."""
    if not data.strip():
        raise InputError(f"{source}: the file is empty; give one with a sequence")
    if re.search(rb"^>", data, re.MULTILINE):
        raise InputError(f"{source}, line 1: text before the first '>'; remove it")
    name = Path(source).stem
    if data.lstrip().startswith(b"{"):
        raise InputError(
            f"{source}: JSON, and no model or session; results are saved as JSON for scripts: open the alignment as "
            "FASTA or Clustal"
        )
    if number := next(filter(None, (sign.search(data) for sign in MATRIX)), None):
        line = data.count(LINE_END, 0, number.start()) + 1
        raise InputError(
            f"{source}, line {line}: numbers, as in a distance matrix; methods that make trees of distances, such as "
            "nj-pruned and upgma, take one, and this needs sequences: give FASTA, GenBank or plain letters"
        )
    if strange := STRANGE.search(data):
        line = data.count(b"\n", 0, strange.start()) + 1
        raise InputError(
            f"{source}, line {line}: {_letter(data, strange.start())} is no letter of a sequence, and the file begins "
            "like no format that is known; give FASTA, GenBank or plain letters"
        )
    letters, note = _clean(data, source, 1, name)
    if not letters:
        raise InputError(f"{source}: no letters in it; add the sequence or remove the record")
    yield Record(name, name, letters, note)


def _clean(body: bytes, source: str, line: int, name: str) -> tuple[bytes, str]:
    """Upper-case letters of sequence lines, and a note of what was removed from them.

    ``line`` is the line where the body starts, for errors.
    """
    letters = body.translate(UPPER, IGNORED)
    others = letters.translate(None, LETTERS)
    notes = []
    if others:
        strange = others.translate(None, GAPS + b"*")
        if strange:
            _refuse_letter(body, source, line, name)
        gaps = len(others) - others.count(b"*")
        if gaps:
            letters = letters.translate(None, GAPS)
            notes.append(f"{counted(gaps, 'gap')} removed")
        if letters.endswith(b"*"):
            letters = letters.rstrip(b"*")
            notes.append("stop * at the end removed")
    return letters, "; ".join(notes)


def _biopython(data: bytes, format: str, label: str, source: str, monitor: Monitor | None = None) -> Iterator[Record]:
    """Records of a format that Biopython reads; its errors become ours."""
    from Bio.Seq import UndefinedSequenceError

    number = 0
    try:
        for number, found in enumerate(_parse(data, format, monitor), 1):
            record = _converted(found, source, number)
            if not record.letters:
                raise InputError(
                    f"{source}, record {record.name}: no letters in it; add the sequence or remove the record"
                )
            yield record
    except UndefinedSequenceError:
        raise InputError(f"{source}, record {number}: {label} without the letters; fetch the full record") from None
    except (InputError, Cancelled, MemoryError):
        raise
    except Exception as error:
        reason = str(error).strip() or error.__class__.__name__
        raise InputError(f"{source}, after record {number}: not valid {label}: {reason.splitlines()[0]}") from error


def _parse(data: bytes, format: str, monitor: Monitor | None) -> Iterator[SeqRecord]:
    from Bio import BiopythonParserWarning, SeqIO

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiopythonParserWarning)
        yield from SeqIO.parse(fenced(_text(data), format, monitor), format)


def _converted(found: SeqRecord, source: str, number: int) -> Record:
    from Bio.Seq import UndefinedSequenceError

    if found.seq is None:
        raise UndefinedSequenceError
    name = found.id or f"unnamed-{number}"
    letters, note = _clean(bytes(found.seq), source, 0, name)
    words = [word for word in found.description.split() if word != name]
    described = "" if "<unknown" in found.description else " ".join(words)
    stated = _stated_type(str(found.annotations.get("molecule_type", "")), letters)
    return Record(name, f"{name} {described}".strip(), letters, note, stated)


def _stated_type(molecule: str, letters: bytes) -> SequenceType | None:
    """The type that the format states, where it does. The letters of RNA are often given as DNA."""
    if "protein" in molecule.lower():
        return SequenceType.PROTEIN
    if "RNA" in molecule and b"U" in letters:
        return SequenceType.RNA
    return SequenceType.DNA if "DNA" in molecule or "RNA" in molecule else None


def _text(data: bytes) -> str:
    """UTF-8, else Latin-1, which knows every byte."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _refuse_letter(body: bytes, source: str, line: int, name: str) -> NoReturn:
    """InputError for the first byte that no sequence holds; ``line`` is 0 where lines mean nothing."""
    start = next(STRANGE.finditer(body)).start()
    at = f", line {line + body.count(LINE_END, 0, start)}" if line else ""
    position = len(body[:start].translate(None, IGNORED + GAPS)) + 1
    letter = _letter(body, start)
    raise InputError(
        f"{source}{at}, record {name}: {letter} at position {position:,} is no letter of a sequence; "
        "correct or remove it"
    )


def _letter(data: bytes, position: int) -> str:
    """The character at a position, for a person."""
    letter = _text(data[position : position + 4])[0]
    return repr(letter) if letter.isprintable() else f"byte 0x{data[position]:02x} (a binary file?)"


def _refuse_binary(head: bytes, source: str) -> None:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{source}: text in UTF-16; save it as UTF-8 or plain text")
    if b"\0" in head:
        raise InputError(f"{source}: a binary file; give FASTA, GenBank or plain letters")
