"""Records of sequence files, from bytes: FASTA and plain letters directly, other formats by Biopython."""

from __future__ import annotations

import re
import string
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io.alignment_formats import maf, nexus
from antidiag.kernels.io.guarded_stream import guard_text
from antidiag.kernels.io.line_blocks import LINE_END, decode_text, split_blocks
from antidiag.kernels.io.record_formats import ALIGNED, FORMATS
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import format_count

if TYPE_CHECKING:
    from Bio.SeqRecord import SeqRecord  # a run loads Biopython where it reads or writes by it

UPPER = bytes.maketrans(string.ascii_lowercase.encode(), string.ascii_uppercase.encode())
IGNORED = b" \t\n\r\v\f0123456789"
LETTERS = string.ascii_uppercase.encode()
GAPS = b"-.~"
GAPS_NOTE = re.compile(r"([\d,]+) gaps? removed")
"""The words of a note about removed gaps."""
STRAND_BREAK = b"&"
"""Stands between the two strands of a duplex."""
STRANGE = re.compile(rb"[^A-Za-z*\-.~\s0-9]")

NUMBER = rb"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
WHOLE_NUMBER = re.compile(NUMBER)
LOOKED_AT = 1 << 16
"""Bytes by which a text is judged."""
FRACTION = rb"(?<!\S)[-+]?\d*\.\d+(?:[eE][-+]?\d+)?(?!\S)"
MATRIX = (
    re.compile(FRACTION),
    re.compile(rb"(?<!\S)[^\W\d]\S*(?:[ \t]+%b){2}(?!\S)" % NUMBER),
    re.compile(rb"\A\s*\d+[ \t]*\n(?:[ \t]*\S+[ \t]*\n)?[ \t]*\S+[ \t]+%b[ \t]*$" % NUMBER, re.MULTILINE),
)
"""Signs of a distance matrix, which no numbered sequence has: a fraction; a name and two numbers; for one or two
taxa, a number alone and then a name and a number."""


class SequenceRecord(NamedTuple):
    """One record: upper-case letters without gaps, and a note of what was removed from them."""

    name: str
    description: str
    letters: bytes
    note: str = ""
    type: SequenceType | None = None


def read_records(stream: Iterator[bytes], source: str, monitor: Monitor | None = None) -> Iterator[SequenceRecord]:
    """Read all records of a stream of blocks; InputError names ``source``, line and record."""
    head = next(stream, b"").removeprefix(b"\xef\xbb\xbf")
    _refuse_binary(head, source)
    start = head.lstrip()
    if start.startswith(b">"):
        blank_lines = head[: len(head) - len(start)].count(b"\n") * b"\n"
        return _fasta_records(_prepend_block(blank_lines + start, stream), source)
    for pattern, name, label in FORMATS:
        if pattern.match(start):
            if name in ALIGNED:
                return _alignment_records(start + b"".join(stream), name, source)
            return _biopython_records(start + b"".join(stream), name, label, source, monitor)
    return _plain_letters_record(head + b"".join(stream), source)


def _alignment_records(data: bytes, format: str, source: str) -> Iterator[SequenceRecord]:
    """Yield the rows of an alignment in a format of which Biopython does not read all letters."""
    found = nexus.read_nexus(iter([data]), source) if format == "nexus" else maf.read_maf(iter([data]), source)
    blocks = list(found) if isinstance(found, Iterator) else [found]
    rows = ((name, row) for raw in blocks for name, row in zip(raw.names, raw.letters, strict=True))
    yield from _require_letters(
        (place, SequenceRecord(name, name, *_clean_letters(row.tobytes(), source, 0, name)))
        for name, row in rows
        for place in (f"{source}, record {name}",)
    )


def _require_letters(found: Iterator[tuple[str, SequenceRecord]]) -> Iterator[SequenceRecord]:
    """Yield records, each given with its place; single ones may be empty, but InputError where all are."""
    empty, there = "", False
    for place, record in found:
        empty, there = empty or place, there or bool(record.letters)
        yield record
    if empty and not there:
        raise InputError(f"{empty}: no record of the file has letters; add the sequences")


def _prepend_block(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest


def _fasta_records(stream: Iterator[bytes], source: str) -> Iterator[SequenceRecord]:
    """Yield FASTA records."""
    pieces = _split_records(stream)
    before = next(pieces)
    if before.strip():
        raise InputError(f"{source}, line 1: there is text before the first '>'; remove it")
    yield from _require_letters(_parse_fasta_pieces(pieces, source, before.count(b"\n") + 1))


def _parse_fasta_pieces(pieces: Iterator[bytes], source: str, line: int) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield the records of pieces, the first of which begins at ``line``, each with its place."""
    for number, piece in enumerate(pieces, 1):
        title, _, body = piece.partition(b"\n")
        record = _build_record(title, body, source, line, number)
        yield f"{source}, line {line}, record {record.name}", record
        line += piece.count(b"\n") + 1


def _split_records(stream: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what precedes the first title, then every record without its '>' and its last line end."""
    return split_blocks(stream, lambda block: (b"\n" + block.removesuffix(b"\n")).split(b"\n>"))


def _build_record(title: bytes, body: bytes, source: str, line: int, number: int) -> SequenceRecord:
    description = decode_text(title).strip()
    name = description.split(None, 1)[0] if description else f"unnamed-{number}"
    letters, note = _clean_letters(body, source, line + 1, name)
    return SequenceRecord(name, description or name, letters, note)


def _plain_letters_record(data: bytes, source: str) -> Iterator[SequenceRecord]:
    """Yield the one record of a file that holds nothing but letters."""
    if not data.strip():
        raise InputError(f"{source}: the file is empty; give one with a sequence")
    if re.search(rb"^>", data, re.MULTILINE):
        raise InputError(f"{source}, line 1: there is text before the first '>'; remove it")
    name = Path(source).stem
    if data.lstrip().startswith(b"{"):
        raise InputError(
            f"{source}: this JSON is not a model or a session. Results saved as JSON are for scripts; open "
            "their alignment as "
            "FASTA or Clustal"
        )
    if number := next(filter(None, (sign.search(data) for sign in MATRIX)), None):
        line = data.count(LINE_END, 0, number.start()) + 1
        if not _is_mainly_numbers(data):
            raise InputError(
                f"{source}, line {line}: numbers stand among words here, as in a table. Sequences are needed: give "
                "FASTA, GenBank or plain letters"
            )
        raise InputError(
            f"{source}, line {line}: these are numbers, as in a distance matrix, which methods such as "
            "nj-pruned and upgma read. Sequences are needed here: give FASTA, GenBank or plain letters"
        )
    if strange := STRANGE.search(data):
        if strange[0] == STRAND_BREAK:
            _refuse_letter(data, source, 1, name)
        line = data.count(b"\n", 0, strange.start()) + 1
        raise InputError(
            f"{source}, line {line}: {_describe_letter(data, strange.start())} is not a sequence letter, and the "
            "format "
            "of the file "
            "is unknown; give FASTA, GenBank or plain letters"
        )
    letters, note = _clean_letters(data, source, 1, name)
    if not letters:
        raise InputError(f"{source}: the record has no letters; add the sequence or remove the record")
    yield SequenceRecord(name, name, letters, note)


def _is_mainly_numbers(data: bytes) -> bool:
    """Return whether at least half of the words of a text, as far as it is looked at, are numbers."""
    words = data[:LOOKED_AT].split()
    return 2 * sum(bool(WHOLE_NUMBER.fullmatch(word)) for word in words) >= len(words)


def _clean_letters(body: bytes, source: str, line: int, name: str) -> tuple[bytes, str]:
    """Return the upper-case letters of sequence lines, and a note of what was removed from them.

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
            notes.append(f"{format_count(gaps, 'gap')} removed")
        if letters.endswith(b"*"):
            letters = letters.rstrip(b"*")
            notes.append("stop * at the end removed")
    return letters, "; ".join(notes)


def _biopython_records(
    data: bytes, format: str, label: str, source: str, monitor: Monitor | None = None
) -> Iterator[SequenceRecord]:
    """Yield records of a format that Biopython reads, and turn its errors into InputError."""
    from Bio.Seq import UndefinedSequenceError

    number = 0
    try:
        for number, found in enumerate(_parse_with_biopython(data, format, monitor), 1):
            record = _convert_record(found, source, number)
            if not record.letters:
                raise InputError(
                    f"{source}, record {record.name}: the record has no letters; add the sequence or remove the record"
                )
            yield record
    except UndefinedSequenceError:
        raise InputError(
            f"{source}, record {number}: this {label} record has no letters; fetch the full record"
        ) from None
    except (InputError, Cancelled, MemoryError):
        raise
    except Exception as error:
        reason = str(error).strip() or error.__class__.__name__
        raise InputError(f"{source}, after record {number}: not valid {label}: {reason.splitlines()[0]}") from error


def _parse_with_biopython(data: bytes, format: str, monitor: Monitor | None) -> Iterator[SeqRecord]:
    from Bio import BiopythonParserWarning, SeqIO

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiopythonParserWarning)
        yield from SeqIO.parse(guard_text(decode_text(data), format, monitor), format)


def _convert_record(found: SeqRecord, source: str, number: int) -> SequenceRecord:
    from Bio.Seq import UndefinedSequenceError

    if found.seq is None:
        raise UndefinedSequenceError
    name = found.id or f"unnamed-{number}"
    letters, note = _clean_letters(bytes(found.seq), source, 0, name)
    words = [word for word in found.description.split() if word != name]
    described = "" if "<unknown" in found.description else " ".join(words)
    stated = _stated_type(str(found.annotations.get("molecule_type", "")), letters)
    return SequenceRecord(name, f"{name} {described}".strip(), letters, note, stated)


def _stated_type(molecule: str, letters: bytes) -> SequenceType | None:
    """Return the type that the format states, if any. The letters of RNA are often given as DNA."""
    if "protein" in molecule.lower():
        return SequenceType.PROTEIN
    if "RNA" in molecule and b"U" in letters:
        return SequenceType.RNA
    return SequenceType.DNA if "DNA" in molecule or "RNA" in molecule else None


def _refuse_letter(body: bytes, source: str, line: int, name: str) -> NoReturn:
    """Raise InputError for the first byte that no sequence holds; ``line`` is 0 where the format has no lines."""
    start = next(STRANGE.finditer(body)).start()
    at = f", line {line + body.count(LINE_END, 0, start)}" if line else ""
    position = len(body[:start].translate(None, IGNORED + GAPS)) + 1
    letter = _describe_letter(body, start)
    if body[start : start + 1] == STRAND_BREAK:
        raise InputError(
            f"{source}{at}, record {name}: '&' at position {position:,} separates two strands, as in RNAcofold, and a "
            "record is one sequence; give each strand a record of its own"
        )
    raise InputError(
        f"{source}{at}, record {name}: {letter} at position {position:,} is not a sequence letter; correct or remove it"
    )


def _describe_letter(data: bytes, position: int) -> str:
    """Describe the character at a position."""
    letter = decode_text(data[position : position + 4])[0]
    return repr(letter) if letter.isprintable() else f"byte 0x{data[position]:02x} (a binary file?)"


def _refuse_binary(head: bytes, source: str) -> None:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{source}: this text is UTF-16; save it as UTF-8")
    if b"\0" in head:
        raise InputError(f"{source}: this is a binary file; give FASTA, GenBank or plain letters")
