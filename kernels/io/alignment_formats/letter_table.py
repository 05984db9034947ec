"""Tables of two columns, names and letters, with a tab, a comma or a semicolon between; a line of headings may come
first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_formats.raw_alignment import (
    RawAlignment,
    RawRow,
    RowBuilder,
    SourceLine,
    numbered_lines,
    rows_look_aligned,
)
from antidiag.kernels.io.line_blocks import decode_text

SEPARATORS = "\t;,"
HEADINGS = ("sequence", "seq", "letters", "alignment", "aligned sequence", "residues", "bases", "dna", "rna", "protein")
"""Headings of the column of letters."""
LETTERS = re.compile(r"[A-Za-z*.~?-]+")
NUCLEOTIDES = re.compile(r"[ACGTUNacgtun.~?-]{4,}")
LONG = 20
"""Letters of a protein that is no name; names in a list of edges are shorter."""


def holds_sequences(start: bytes) -> bool:
    """Return whether a text that begins so is a table of names and letters.

    The heading says so, or all letters are nucleotides or many.
    """
    lines = decode_text(start).split("\n")
    whole = [line for line in lines[: -1 if len(lines) > 1 else None] if line.strip()]
    separator = _separator_of(whole[0]) if whole else ""
    if not separator:
        return False
    rows = [_split_line(line, separator) for line in whole]
    if _is_heading(rows[0]):
        return len(rows) > 1
    if not all(len(row) == 2 and row[0] and LETTERS.fullmatch(row[1]) for row in rows):
        return False
    return all(NUCLEOTIDES.fullmatch(letters) or len(letters) >= LONG for _, letters in rows)


def read_table(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read a table of rows of one length; InputError names the line that is no name and letters."""
    rows = RowBuilder(source)
    for row in read_table_rows(stream, source):
        rows.extend_row(rows.add_row(row.name.encode()), row.letters)
    return rows.build_alignment()


def read_table_rows(stream: Iterator[bytes], source: str) -> Iterator[RawRow]:
    """Yield the rows, which may differ in length."""
    separator = ""
    for place, line in numbered_lines(stream, source):
        if not line.strip():
            continue
        text = decode_text(line)
        first, separator = not separator, separator or _separator_of(text)
        fields = _split_line(text, separator)
        if not (first and _is_heading(fields)):
            yield _row_of(fields, place)


def looks_aligned(stream: Iterator[bytes]) -> bool:
    """Return whether the rows have one length, and some hold gaps."""
    return rows_look_aligned(row.letters for row in read_table_rows(stream, ""))


def _row_of(fields: list[str], place: SourceLine) -> RawRow:
    if len(fields) != 2 or not fields[0] or not LETTERS.fullmatch(fields[1]):
        place.refuse("a row of this table is a name and letters; correct the line")
    return RawRow(fields[0], "", fields[1].encode())


def _separator_of(line: str) -> str:
    return next((sign for sign in SEPARATORS if sign in line), "")


def _split_line(line: str, separator: str) -> list[str]:
    """Return the fields of a line. A name may hold the separator in quotes; letters hold none."""
    name, _, letters = (field.strip() for field in line.rpartition(separator))
    if name[:1] == name[-1:] == '"' and len(name) > 1:
        name = name[1:-1].replace('""', '"')
    elif separator in name:
        return [*name.split(separator), letters]
    return [name, letters.strip('"')]


def _is_heading(fields: list[str]) -> bool:
    return len(fields) == 2 and fields[1].lower() in HEADINGS
