"""Tables of names and letters, with a tab, a comma or a semicolon between; a line of headings may come first.

Tables of more columns need headings: one column is called sequence or seq, and those beside name and letters describe
the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from antidiag.kernels.io.alignment_formats.raw_alignment import (
    DESCRIPTION,
    Annotations,
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
SURE_HEADINGS = ("sequence", "seq", "aligned sequence")
NAME_HEADINGS = ("name", "id", "accession", "title", "label", "identifier")
"""Headings of the column of names, where the order of the columns does not say it."""
LETTERS = re.compile(r"[A-Za-z*.~?-]+")
NUCLEOTIDES = re.compile(r"[ACGTUNacgtun.~?-]{4,}")
LONG = 20
"""Letters of a protein that is no name; names in a list of edges are shorter."""


class _Columns(NamedTuple):
    """The numbers of the columns of names and letters, and how many columns there are."""

    name: int
    letters: int
    width: int


def holds_sequences(start: bytes) -> bool:
    """Return whether a text that begins so is a table of names and letters.

    The heading says so, or all letters are nucleotides or many.
    """
    lines = decode_text(start).split("\n")
    whole = [line for line in lines[: -1 if len(lines) > 1 else None] if line.strip()]
    separator = _separator_of(whole[0]) if whole else ""
    if not separator:
        return False
    if (columns := _find_columns(whole[0], separator)) is not None:
        fields = [_split_fields(line, separator) for line in whole[1:]]
        return bool(fields) and all(
            len(row) == columns.width and LETTERS.fullmatch(row[columns.letters]) for row in fields
        )
    rows = [_split_line(line, separator) for line in whole]
    if _is_heading(rows[0]):
        return len(rows) > 1
    if not all(len(row) == 2 and row[0] and LETTERS.fullmatch(row[1]) for row in rows):
        return False
    return all(NUCLEOTIDES.fullmatch(letters) or len(letters) >= LONG for _, letters in rows)


def read_table(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read a table of rows of one length; InputError names the line that is no name and letters."""
    rows, described = RowBuilder(source), list[tuple[int, str, str]]()
    for row in read_table_rows(stream, source):
        number = rows.add_row(row.name.encode())
        rows.extend_row(number, row.letters)
        described += [(number, DESCRIPTION, row.description)] * bool(row.description)
    return rows.build_alignment(Annotations(of_rows=tuple(described)))


def read_table_rows(stream: Iterator[bytes], source: str) -> Iterator[RawRow]:
    """Yield the rows, which may differ in length."""
    separator, columns = "", None
    for place, line in numbered_lines(stream, source):
        if not line.strip():
            continue
        text = decode_text(line)
        first, separator = not separator, separator or _separator_of(text)
        columns = _find_columns(text, separator) if first else columns
        if columns is not None:
            yield from [] if first else [_row_of_columns(_split_fields(text, separator), columns, place)]
            continue
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


def _find_columns(line: str, separator: str) -> _Columns | None:
    """Return the columns of a table of more than two, or of letters before names; None without such headings."""
    headings = [field.lower() for field in _split_fields(line, separator)]
    letters = [number for number, heading in enumerate(headings) if heading in SURE_HEADINGS]
    letters_first = len(headings) == 2 and letters == [0] and headings[1] in NAME_HEADINGS
    if len(letters) != 1 or (len(headings) < 3 and not letters_first):
        return None
    others = [number for number in range(len(headings)) if number != letters[0]]
    return _Columns(next((n for n in others if headings[n] in NAME_HEADINGS), others[0]), letters[0], len(headings))


def _row_of_columns(fields: list[str], columns: _Columns, place: SourceLine) -> RawRow:
    if len(fields) != columns.width or not fields[columns.name] or not LETTERS.fullmatch(fields[columns.letters]):
        place.refuse("a row of this table has as many fields as there are headings, with name and letters; correct it")
    others = [text for number, text in enumerate(fields) if number not in columns[:2] and text]
    return RawRow(fields[columns.name], " ".join(others), fields[columns.letters].encode())


def _split_fields(line: str, separator: str) -> list[str]:
    """Return the fields of a line, of any size and perhaps in quotes."""
    if '"' not in line:
        return [field.strip() for field in line.split(separator)]
    found = re.findall(rf'(?:^|{separator})\s*(?:"((?:[^"]|"")*)"|([^{separator}]*))', line)
    return [quoted.replace('""', '"') or plain.strip() for quoted, plain in found]


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
