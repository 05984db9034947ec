"""Stockholm, with its annotation of the file, of rows, of columns and of letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_files.rows import Annotations, Place, Raw, Rows, numbered_lines, squeezed, text

HEAD = re.compile(rb"\s*# STOCKHOLM")


class _Notes:
    """Annotation as it is read: rows by their names, because it may stand before them."""

    def __init__(self) -> None:
        self.of_file: list[tuple[str, str]] = []
        self.of_rows: list[tuple[bytes, str, str]] = []
        self.of_columns: dict[str, bytearray] = {}
        self.of_letters: dict[tuple[int, str], bytearray] = {}


def read(stream: Iterator[bytes], source: str) -> Iterator[Raw]:
    """The alignments of a file, each between its head line and "//"."""
    rows, notes, open_, last = Rows(source), _Notes(), False, -1
    for place, line in numbered_lines(stream, source):
        if HEAD.match(line):
            open_ = True
        elif line.strip() == b"//":
            yield _raw(rows, notes)
            rows, notes, open_, last = Rows(source), _Notes(), False, -1
        elif not line.strip():
            rows.end_block()
        elif line.startswith(b"#"):
            _note(line, notes, rows, last, place)
        else:
            parts = line.split(None, 1)
            if len(parts) < 2:
                place.refuse(f"{text(line[:60])!r} is no name with letters")
            last = rows.add(parts[0], squeezed(parts[1]), place)
    if open_ and len(rows):
        yield _raw(rows, notes)  # the end line is often forgotten


def _note(line: bytes, notes: _Notes, rows: Rows, last: int, place: Place) -> None:
    """A line of annotation; one that is none of these is a remark, and left out."""
    kind = line[:4]
    if kind == b"#=GF":
        _, tag, *rest = text(line).split(None, 2) + [""] * (len(line.split()) < 2)
        notes.of_file.append((tag, rest[0].rstrip() if rest else ""))
    elif kind == b"#=GS":
        parts = line.split(None, 3)
        if len(parts) < 3:
            place.refuse("#=GS needs a name, a tag and a text")
        notes.of_rows.append((parts[1], text(parts[2]), text(parts[3]).rstrip() if len(parts) > 3 else ""))
    elif kind == b"#=GC":
        parts = line.split()
        if len(parts) < 3:
            place.refuse("#=GC needs a tag and a character a column")
        notes.of_columns.setdefault(text(parts[1]), bytearray()).extend(b"".join(parts[2:]))
    elif kind == b"#=GR":
        parts = line.split()
        if len(parts) < 4:
            place.refuse("#=GR needs a name, a tag and a character a column")
        row = last if 0 <= last < len(rows) and rows.names[last] == parts[1] else rows.row_of(parts[1])
        if row is None:
            place.refuse(f"#=GR is of {text(parts[1])}, and there is no such row before it")
        notes.of_letters.setdefault((row, text(parts[2])), bytearray()).extend(b"".join(parts[3:]))


def _raw(rows: Rows, notes: _Notes) -> Raw:
    """The alignment that was read; what is said of rows that are not there is counted in the note."""
    known = [(rows.row_of(name), tag, said) for name, tag, said in notes.of_rows]
    kept = tuple((row, tag, said) for row, tag, said in known if row is not None)
    lost = len(known) - len(kept)
    raw = rows.raw()
    columns = raw.letters.shape[1]
    of_columns = tuple((tag, text(bytes(marks))) for tag, marks in notes.of_columns.items() if len(marks) == columns)
    of_letters = tuple(
        (row, tag, text(bytes(marks))) for (row, tag), marks in notes.of_letters.items() if len(marks) == columns
    )
    lost_lines = len(notes.of_columns) + len(notes.of_letters) - len(of_columns) - len(of_letters)
    told = [f"{lost:,} #=GS of names that are no rows"] * bool(lost)
    told += [f"{lost_lines:,} lines of annotation that are not as long as the rows"] * bool(lost_lines)
    name = next((said for tag, said in notes.of_file if tag == "ID"), "")
    return raw._replace(
        annotations=Annotations(tuple(notes.of_file), kept, of_columns, of_letters),
        name=name,
        note=f"left out: {', '.join(told)}" if told else "",
    )
