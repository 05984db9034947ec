"""MASE, and IG of IntelliGenetics: comments that begin with ';', a line with the name, and lines of letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from antidiag.kernels.io.alignment_formats.raw_alignment import (
    DESCRIPTION,
    GAPS,
    Annotations,
    RawAlignment,
    RawRow,
    RowBuilder,
    numbered_lines,
    remove_white_space,
)
from antidiag.kernels.io.line_blocks import decode_text

HEAD = re.compile(rb"(?:;[^\n]*\n\s*+)++[^>#\s]")
"""Comments and a name; FASTA may have comments of this kind too."""
LETTERS = re.compile(rb"[A-Za-z*]{20,}")
FILE_TAG = "CC"


@dataclass
class _Entries:
    """The rows of a file and its comments."""

    rows: RowBuilder
    of_file: list[tuple[str, str]] = field(default_factory=list)
    of_rows: list[tuple[int, str, str]] = field(default_factory=list)


def read_mase(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read an alignment; InputError names the line or row that does not fit."""
    found = _read_lines(stream, source)
    return found.rows.build_alignment(Annotations(tuple(found.of_file), tuple(found.of_rows)))


def read_mase_rows(stream: Iterator[bytes], source: str) -> Iterator[RawRow]:
    """Yield the rows, which may differ in length."""
    found = _read_lines(stream, source)
    described = {row: said for row, _, said in found.of_rows}
    for row, name in enumerate(found.rows.names):
        yield RawRow(decode_text(name), described.get(row, ""), found.rows.letters_of(row))


def looks_aligned(stream: Iterator[bytes]) -> bool:
    """Return whether the rows have one length, and some hold gaps."""
    rows = _read_lines(stream, "").rows
    letters = [rows.letters_of(row) for row in range(len(rows))]
    return len(letters) > 1 and len(set(map(len, letters))) == 1 and any(gap in row for row in letters for gap in GAPS)


def _read_lines(stream: Iterator[bytes], source: str) -> _Entries:
    """Return the entries of a file."""
    found = _Entries(RowBuilder(source))
    comments, in_letters = list[str](), False
    for place, line in numbered_lines(stream, source):
        text = line.strip()
        if text.startswith(b";;"):
            found.of_file.append((FILE_TAG, decode_text(text[2:]).strip()))
        elif text.startswith(b";"):
            comments.append(decode_text(text[1:]).strip())
            in_letters = False
        elif text and not in_letters:
            if LETTERS.fullmatch(text):
                place.refuse("letters where the name should be; give FASTA, or a name in a line after the comments")
            row = found.rows.add_row(b"_".join(text.split()))
            if said := " ".join(filter(None, comments)):
                found.of_rows.append((row, DESCRIPTION, said))
            comments, in_letters = [], True
        elif text:
            letters = remove_white_space(text)
            if letters[-1:] in (b"1", b"2"):
                in_letters, letters = False, letters[:-1]
            found.rows.extend_row(len(found.rows) - 1, letters)
    return found
