"""Records of sequence files of every format, from bytes: the one decision which format a file has.

FASTA comes first, then alignments, whose readers are those of the window and of `compare`, then the formats in
`record_formats`, and at last letters without a format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import fasta_records, packed_files, plain_letters
from antidiag.kernels.io.alignment_formats import aligned_fasta, known_formats
from antidiag.kernels.io.alignment_formats.raw_alignment import DESCRIPTION, RawAlignment, refuse_match_signs
from antidiag.kernels.io.line_blocks import refuse_zero_byte, skip_leading_space
from antidiag.kernels.io.record_formats import find_record_format
from antidiag.kernels.io.record_letters import SequenceRecord, make_record, require_letters
from antidiag.kernels.monitor import Monitor

DIGIT = re.compile(rb"[0-9]")


def read_records(
    stream: Iterator[bytes], source: str, monitor: Monitor | None = None, any_letters: bool = False
) -> Iterator[SequenceRecord]:
    """Read all records of a stream of blocks; InputError names ``source``, line and record.

    Parameters
    ----------
    stream : iterator of bytes
        The file in blocks of whole lines.
    source : str
        What errors call the file. The suffix of its name distinguishes the formats that look like FASTA.
    monitor : Monitor, optional
        May cancel.
    any_letters : bool
        Text without a format is one sequence, also where that is in doubt (see `plain_letters`).
    """
    monitor = monitor or Monitor()
    stream = known_formats.with_plain_spaces(stream)
    head = next(stream, b"")
    blank_lines, start = skip_leading_space(head)
    binary = find_record_format(head)
    if binary is not None and binary.is_binary:
        return require_letters(binary.read(chain([head], stream), source))
    suffix = packed_files.format_suffix(Path(source))
    _refuse_binary(head, source, suffix)
    alignment = known_formats.find_alignment_format(start)
    if suffix in known_formats.ALIGNMENT_SUFFIXES or alignment is not None:
        return require_letters(_alignment_records(chain([head], stream), source, suffix))
    blocks = chain([blank_lines + start], stream)
    if aligned_fasta.HEAD.match(start):
        return require_letters(_checked(fasta_records.read_fasta_records(blocks, source), monitor))
    if known := find_record_format(start):
        return require_letters(_checked(known.read(blocks, source), monitor))
    return iter([plain_letters.read_plain_letters(b"".join(blocks), source, any_letters)])


def _checked(records: Iterator[tuple[str, SequenceRecord]], monitor: Monitor) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield records; raise Cancelled where the user cancelled."""
    for placed in records:
        monitor.check()
        yield placed


def _alignment_records(blocks: Iterator[bytes], source: str, suffix: str) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield the rows of the alignments of a file without their gaps, each with its place."""
    head = next(blocks, b"")
    blank_lines, start = skip_leading_space(head)
    known = known_formats.find_alignment_format(start)
    if known is not None and known.read_rows is not None:
        first: bytes | None = None
        for row in known.read_rows(chain([blank_lines + start], blocks), source):
            first = row.letters if first is None else first
            if known.may_match:
                refuse_match_signs(first, row.letters, row.name, source)
            record = make_record(row.name, row.description, row.letters, source)._replace(type=row.type)
            yield f"{source}, record {row.name}", _with_note(record, row.note)
        return
    for raw in known_formats.read_alignment_blocks(chain([head], blocks), source, suffix):
        yield from _row_records(raw, source)


def _row_records(raw: RawAlignment, source: str) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield the rows of an alignment without their gaps; the first has the note of the alignment."""
    described = {row: said for row, tag, said in raw.annotations.of_rows if tag == DESCRIPTION}
    for row, (name, letters) in enumerate(zip(raw.names, raw.letters, strict=True)):
        written = letters.tobytes()
        if digit := DIGIT.search(written):
            sign = digit[0].decode()
            raise InputError(
                f"{source}, row {name}: {sign!r} in column {digit.start() + 1:,} is not a letter; correct it"
            )
        record = make_record(name, described.get(row, ""), written, source)._replace(type=raw.type)
        yield f"{source}, record {name}", _with_note(record, "" if row else raw.note)


def _with_note(record: SequenceRecord, note: str) -> SequenceRecord:
    """Return a record with what the reader of its format left out, before its own note."""
    return record._replace(note="; ".join(filter(None, (note, record.note))))


def _refuse_binary(head: bytes, source: str, suffix: str) -> None:
    """Raise InputError for binary content; zero bytes may separate the alignments of an A3M file."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{source}: this text is UTF-16; save it as UTF-8")
    if suffix not in known_formats.A3M_SUFFIXES:
        refuse_zero_byte(head, source, "give FASTA, GenBank or plain letters")
