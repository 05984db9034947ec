"""Stockholm, with its annotations of the file, of rows, of columns and of letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_formats.raw_alignment import (
    Annotations,
    RawAlignment,
    RowBuilder,
    SourceLine,
    numbered_lines,
    remove_white_space,
)
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.text import format_count

HEAD = re.compile(rb"\s*# STOCKHOLM|#=G[FSRC]\s")
"""The head line, or the first annotation of a file that lacks it."""

NO_END = "there is no // at the end: the file may be cut"


class _StockholmNotes:
    """Annotations while they are read; rows by name, because annotations may precede them."""

    def __init__(self) -> None:
        self.of_file: list[tuple[str, str]] = []
        self.of_rows: list[tuple[bytes, str, str]] = []
        self.of_columns: dict[str, bytearray] = {}
        self.of_letters: dict[tuple[int, str], bytearray] = {}
        self.of_coming_letters: dict[tuple[bytes, str], bytearray] = {}
        """Annotations of letters that precede their row."""


def read_stockholm(stream: Iterator[bytes], source: str) -> Iterator[RawAlignment]:
    """Yield the alignments of a file, each between its head line and "//"."""
    rows, notes, last = RowBuilder(source), _StockholmNotes(), -1
    for place, line in numbered_lines(stream, source):
        if line.strip() == b"//":
            yield _build_raw(rows, notes)
            rows, notes, last = RowBuilder(source), _StockholmNotes(), -1
        elif not line.strip():
            rows.end_block()
        elif line.startswith(b"#"):
            _add_note(line, notes, rows, last, place)
        else:
            parts = line.split(None, 1)
            if len(parts) < 2:
                place.refuse(f"{decode_text(line[:60])!r} is not a name followed by letters; correct the line")
            last = rows.add_line(parts[0], remove_white_space(parts[1]), place)
    if len(rows):
        raw = _build_raw(rows, notes)  # the end line is often forgotten
        yield raw._replace(note="; ".join(filter(None, (raw.note, NO_END))))


def _add_note(line: bytes, notes: _StockholmNotes, rows: RowBuilder, last: int, place: SourceLine) -> None:
    """Add a line of annotation; a line of another kind is a comment."""
    kind = line[:4]
    if kind == b"#=GF":
        _, tag, *rest = decode_text(line).split(None, 2) + [""] * (len(line.split()) < 2)
        notes.of_file.append((tag, rest[0].rstrip() if rest else ""))
    elif kind == b"#=GS":
        parts = line.split(None, 3)
        if len(parts) < 3:
            place.refuse("#=GS needs a name, a tag and a text")
        notes.of_rows.append(
            (parts[1], decode_text(parts[2]), decode_text(parts[3]).rstrip() if len(parts) > 3 else "")
        )
    elif kind == b"#=GC":
        parts = line.split()
        if len(parts) < 3:
            place.refuse("#=GC needs a tag and a character a column")
        notes.of_columns.setdefault(decode_text(parts[1]), bytearray()).extend(b"".join(parts[2:]))
    elif kind == b"#=GR":
        parts = line.split()
        if len(parts) < 4:
            place.refuse("#=GR needs a name, a tag and a character a column")
        row = last if 0 <= last < len(rows) and rows.names[last] == parts[1] else rows.row_of(parts[1])
        marks, tag = b"".join(parts[3:]), decode_text(parts[2])
        if row is None:
            notes.of_coming_letters.setdefault((parts[1], tag), bytearray()).extend(marks)
        else:
            before = notes.of_coming_letters.pop((parts[1], tag), bytearray())
            notes.of_letters.setdefault((row, tag), before).extend(marks)


def _build_raw(rows: RowBuilder, notes: _StockholmNotes) -> RawAlignment:
    """Build the alignment; its note counts annotations of rows that do not exist."""
    known = [(rows.row_of(name), tag, said) for name, tag, said in notes.of_rows]
    kept = tuple((row, tag, said) for row, tag, said in known if row is not None)
    lost = len(known) - len(kept)
    lost_marks = 0
    for (name, tag), marks in notes.of_coming_letters.items():
        row = rows.row_of(name)
        lost_marks += row is None
        if row is not None:
            notes.of_letters.setdefault((row, tag), marks)
    raw = rows.build_alignment()
    columns = raw.letters.shape[1]
    of_columns = tuple(
        (tag, decode_text(bytes(marks))) for tag, marks in notes.of_columns.items() if len(marks) == columns
    )
    of_letters = tuple(
        (row, tag, decode_text(bytes(marks))) for (row, tag), marks in notes.of_letters.items() if len(marks) == columns
    )
    lost_lines = len(notes.of_columns) + len(notes.of_letters) - len(of_columns) - len(of_letters)
    skipped = [f"{format_count(lost, '#=GS line')} of unknown rows"] * bool(lost)
    skipped += [f"{format_count(lost_marks, '#=GR line')} of unknown rows"] * bool(lost_marks)
    skipped += [f"{format_count(lost_lines, 'annotation line')} of another length than the rows"] * bool(lost_lines)
    label = next((said for tag, said in notes.of_file if tag == "ID"), "")
    return raw._replace(
        annotations=Annotations(tuple(notes.of_file), kept, of_columns, of_letters),
        name=label,
        note=f"skipped: {', '.join(skipped)}" if skipped else "",
    )
