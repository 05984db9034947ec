"""PHYLIP alignments: relaxed or strict names or PAML's, interleaved or sequential, one or several in a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from typing import NamedTuple

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import (
    RawAlignment,
    RowBuilder,
    SourceLine,
    numbered_lines,
    remove_white_space,
)
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.text import format_count

HEAD = re.compile(
    rb"\s*(\d{1,18})[ \t]+(\d{1,18})(?:[ \t]*+[A-Zis]{1,6})*+[ \t]*+\n"
    rb"(?:[ \t]*+(?:G[ \t]*+\d[\d \t]*+(?:\n[\d \t]++(?=\n))?)?\n)*+"
    rb"(?:[^\n]{10}|[ \t]*+\S++|[^\n]{0,100}[ ]{2})[^\n\d]*+(\n|\Z)"
)
"""Two numbers, and then a line with a name, which may hold digits and end with two blanks, and letters. Possessive
repeats: backtracking over blanks or letters would take quadratic time."""
SIZES = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})((?:\s+[A-Zis]{1,6})*)\s*")
"""The two numbers, and the option letters of PHYLIP and PAML."""
RULER = re.compile(rb"\s*10[ \t]+20[ \t]*\n[ \t]*[A-Za-z]{10}[ \t]+[A-Za-z]{1,10}[ \t]*(\n|\Z)")
"""Numbers of letters above two groups of ten, as UniProt and ExPASy show a protein."""
GENES = re.compile(rb"\s*G\s*\d[\d\s]*")
"""A line of PAML's option G, which divides the columns among genes."""
LENGTHS_OF_GENES = re.compile(rb"\d\s+\d")
MARKS_OF_GENES = re.compile(rb"[\d\s]+")
"""The gene of each column, where the line of genes has only their number."""
INTERLEAVED, SEQUENTIAL, GENE_OPTION = b"I", b"S", b"G"
STRICT_NAME_LENGTH = 10
"""Characters of a name in the strict form."""
WORD_OF_LETTERS = re.compile(rb"[A-Za-z*?.~-]*")
BOTH_FIT = "the rows fit as interleaved and as sequential ones; read as sequential: end the first line with I otherwise"
RULER_ROWS = 10
"""Rows that an alignment with the head "10 20" has at least."""
MAX_ALIGNMENTS = 1000
"""Alignments that are read from a file at most."""


class PhylipLine(NamedTuple):
    """A line with a name or letters, and whether a blank line precedes it."""

    place: SourceLine
    text: bytes
    after_blank: bool


class PhylipSizes(NamedTuple):
    """What the first line announces."""

    rows: int
    columns: int
    options: bytes


class SurplusRows(InputError):
    """Every row has its letters, and there are more rows than announced."""


NameSplitter = Callable[[bytes], tuple[bytes, bytes]]
LineOrder = Callable[[Sequences[PhylipLine], PhylipSizes, NameSplitter, str], RowBuilder]


def looks_like_phylip(start: bytes) -> bool:
    """Return whether a text begins with the numbers of rows and columns and a row."""
    return HEAD.match(start) is not None and not (RULER.match(start) and len(start.split(b"\n")) <= RULER_ROWS)


def read_phylip_alignments(stream: Iterator[bytes], source: str) -> Iterator[RawAlignment]:
    """Yield the alignments of a file; InputError names the row whose letters differ from the announced number."""
    head: PhylipLine | None = None
    lines, blank, number = list[PhylipLine](), False, 0
    for place, text in numbered_lines(stream, source):
        line, blank = PhylipLine(place, text, blank), not text.strip()
        if blank:
            continue
        if SIZES.fullmatch(text):
            if head is not None:
                number += 1
                yield _read_one(head, lines, source, f"alignment {number:,}")
            if number >= MAX_ALIGNMENTS:
                place.refuse(f"more than {MAX_ALIGNMENTS:,} alignments; split the file")
            head, lines = line, []
        elif head is None:
            place.refuse("PHYLIP begins with two numbers: rows and columns")
        else:
            lines.append(line)
    if head is not None:
        yield _read_one(head, lines, source, f"alignment {number + 1:,}" if number else "")


def _read_one(head: PhylipLine, lines: list[PhylipLine], source: str, name: str) -> RawAlignment:
    """Read one alignment in the first of the forms that fits."""
    found = SIZES.fullmatch(head.text)
    assert found is not None
    sizes = PhylipSizes(int(found[1]), int(found[2]), found[3].upper())
    if not sizes.rows or not sizes.columns:
        head.place.refuse(f"this announces {sizes.rows:,} rows and {sizes.columns:,} columns; give one with letters")
    note = ""
    if GENE_OPTION in sizes.options and lines and GENES.fullmatch(lines[0].text):
        genes = lines.pop(0)
        note = f"skipped: the division into genes in line {genes.place.line:,}"
        marks = 0 if LENGTHS_OF_GENES.search(genes.text) else sizes.columns
        while lines and marks > 0 and MARKS_OF_GENES.fullmatch(lines[0].text):
            marks -= len(remove_white_space(lines.pop(0).text))
    failures = list[InputError]()
    for split in (_split_relaxed, _split_strict, _split_at_two_blanks):
        fitting = list[RawAlignment]()
        for order in _possible_orders(sizes.options):
            try:
                fitting.append(_check_rows(order(lines, sizes, split, source), sizes, source))
            except InputError as error:
                failures.append(error)
        if fitting:
            raw, doubt = _choose_reading(fitting, lines, sizes)
            if (raw.letters == ord(".")).any():
                raise InputError(
                    f"{source}: '.' in a PHYLIP file may mean a gap or the letter above; write '-' for gaps"
                )
            return raw._replace(name=name, note="; ".join(filter(None, (note, doubt))))
    if len(lines) < sizes.rows:
        head.place.refuse(
            f"this announces {format_count(sizes.rows, 'row')}, but the file has {format_count(len(lines), 'line')} "
            "after it; fetch the whole file"
        )
    raise next((failure for failure in failures if isinstance(failure, SurplusRows)), failures[0])


def _possible_orders(options: bytes) -> tuple[LineOrder, ...]:
    """Return the orders of lines that the option letters allow."""
    if INTERLEAVED in options:
        return _read_interleaved, _read_repeated_names
    if SEQUENTIAL in options:
        return (_read_sequential,)
    return _read_interleaved, _read_repeated_names, _read_sequential


def _choose_reading(
    fitting: list[RawAlignment], lines: Sequences[PhylipLine], sizes: PhylipSizes
) -> tuple[RawAlignment, str]:
    """Return the reading that a blank line between blocks shows, else the sequential one, and a note of doubt."""
    first, last = fitting[0], fitting[-1]
    if (first.names == last.names and (first.letters == last.letters).all()) or lines[sizes.rows].after_blank:
        return first, ""
    return last, BOTH_FIT


def _split_relaxed(line: bytes) -> tuple[bytes, bytes]:
    """Split at the first blank."""
    name, *rest = line.split(None, 1)
    return name, remove_white_space(rest[0]) if rest else b""


def _split_strict(line: bytes) -> tuple[bytes, bytes]:
    """Split after ten characters."""
    return b"_".join(line[:STRICT_NAME_LENGTH].split()), remove_white_space(line[STRICT_NAME_LENGTH:])


def _split_at_two_blanks(line: bytes) -> tuple[bytes, bytes]:
    """Split at two blanks, as PAML does."""
    name, _, letters = line.strip().replace(b"\t", b"  ").partition(b"  ")
    return b"_".join(name.split()), remove_white_space(letters)


def _name_row(rows: RowBuilder, line: PhylipLine, first: PhylipLine, split: NameSplitter) -> int:
    """Begin a row with a line of name and letters, and return how many letters it has."""
    name, letters = split(line.text)
    if not name or _indentation(line.text) > _indentation(first.text):
        line.place.refuse("this line has no name; begin each row with its name, not indented")
    return _add_letters(rows, rows.add_row(name), letters, line.place)


def _indentation(text: bytes) -> int:
    return len(text) - len(text.lstrip())


def _add_letters(rows: RowBuilder, row: int, letters: bytes, place: SourceLine) -> int:
    if not WORD_OF_LETTERS.fullmatch(letters):
        strange = letters[len(WORD_OF_LETTERS.match(letters)[0]) :]  # type: ignore[index]
        place.refuse(f"{decode_text(strange)[:1]!r} is not a letter; correct the line")
    return rows.extend_row(row, letters)


def _read_interleaved(lines: Sequences[PhylipLine], sizes: PhylipSizes, split: NameSplitter, source: str) -> RowBuilder:
    """Read blocks of rows; the first one has the names."""
    rows = RowBuilder(source)
    for number, line in enumerate(lines):
        if number < sizes.rows:
            _name_row(rows, line, lines[0], split)
        else:
            row = number % sizes.rows
            found = _add_letters(rows, row, remove_white_space(line.text), line.place)
            _refuse_surplus(rows, row, found, sizes, line.place)
    return rows


def _read_repeated_names(
    lines: Sequences[PhylipLine], sizes: PhylipSizes, split: NameSplitter, source: str
) -> RowBuilder:
    """Read blocks of rows, each of which begins with its name."""
    rows = RowBuilder(source)
    for number, line in enumerate(lines):
        if number < sizes.rows:
            _name_row(rows, line, lines[0], split)
            continue
        row = number % sizes.rows
        name, letters = split(line.text)
        if name != rows.names[row]:
            line.place.refuse(f"this line does not begin with {decode_text(rows.names[row])}; order the rows alike")
        found = _add_letters(rows, row, letters, line.place)
        _refuse_surplus(rows, row, found, sizes, line.place)
    return rows


def _read_sequential(lines: Sequences[PhylipLine], sizes: PhylipSizes, split: NameSplitter, source: str) -> RowBuilder:
    """Read one row after the other, each as long as the first line of the file announces."""
    rows, found = RowBuilder(source), sizes.columns
    for line in lines:
        if found >= sizes.columns:
            found = _name_row(rows, line, lines[0], split)
        else:
            found = _add_letters(rows, len(rows) - 1, remove_white_space(line.text), line.place)
        _refuse_surplus(rows, len(rows) - 1, found, sizes, line.place)
    return rows


def _refuse_surplus(rows: RowBuilder, row: int, found: int, sizes: PhylipSizes, place: SourceLine) -> None:
    if found > sizes.columns:
        place.refuse(
            f"row {decode_text(rows.names[row])} has more than the {sizes.columns:,} letters that the first line "
            "announces; correct either"
        )


def _check_rows(rows: RowBuilder, sizes: PhylipSizes, source: str) -> RawAlignment:
    """Return the alignment; InputError where rows or columns are not as many as announced."""
    columns = sizes.columns
    if len(rows) != sizes.rows:
        whole = all(rows.extend_row(number, b"") == columns for number in range(len(rows)))
        error = SurplusRows if whole and len(rows) > sizes.rows else InputError
        raise error(
            f"{source}: the first line announces {sizes.rows:,} rows, but there are {len(rows):,}; correct either"
        )
    for number, name in enumerate(rows.names):
        if (found := rows.extend_row(number, b"")) != columns:
            raise InputError(
                f"{source}, row {decode_text(name)}: {found:,} letters, but the first line announces {columns:,}; "
                "correct either"
            )
    return rows.build_alignment()
