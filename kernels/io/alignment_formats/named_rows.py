"""Rows of a name and letters without a head line: Clustal without its head, PSI-BLAST's, SELEX, or a table.

Such rows are recognised by their letters: a list of edges or of words also has two words a line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from antidiag.kernels.io.alignment_formats.raw_alignment import (
    Annotations,
    RawAlignment,
    RawRow,
    RowBuilder,
    SourceLine,
    are_letter_groups,
    numbered_lines,
    remove_white_space,
)
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.text import format_count

HEAD_LINES = 100
"""Lines that decide whether a text holds rows."""
HEAD_BYTES = 4096
"""From this size on, the last line of a head may be cut off."""
LETTERS = re.compile(rb"[A-Za-z*?._~-]+")
ROW = re.compile(rb"\s*([^\s>@;]\S*)\s+(?:\d+\s+)?([A-Za-z*?._~-]+(?:[ ]+[A-Za-z*?._~-]+)*)(?:\s+\d+)?\s*")
"""A name, where the letters begin, the letters, perhaps in groups, and a number of letters."""
MARKS = b"*:. \t"
"""Signs of a line of marks below the rows of Clustal."""
COMMENT = re.compile(rb"[#%]|//\s*$")
NUCLEOTIDES = frozenset(b"ACGTUNacgtun*?._~-")
GAPS = frozenset(b"?._~-")
NAME_DIGITS = 18
"""Digits of a name that is a number."""
SHORT, SURE = 4, 10
"""Letters of a row: fewer than SHORT are none, fewer than SURE must be nucleotides or hold gaps."""
SELEX_FILE_TAGS = (b"ID", b"AC", b"DE", b"AU", b"GA", b"TC", b"NC")
SELEX_LETTER_TAGS = {b"SS": "SS", b"SA": "SA"}
SELEX_COLUMN_TAGS = {b"RF": "RF", b"CS": "SS_cons"}
"""Tags of SELEX, and those of Stockholm with the same meaning."""


class NamedLetters(NamedTuple):
    """A line of a row: its name, its letters, and how many of them stand together."""

    name: bytes
    letters: bytes
    group: int


@dataclass
class _Rows:
    """The rows of a file and what stands beside them."""

    rows: RowBuilder
    of_file: list[tuple[str, str]] = field(default_factory=list)
    of_rows: list[tuple[int, str, str]] = field(default_factory=list)
    of_columns: dict[str, bytearray] = field(default_factory=dict)
    of_letters: dict[tuple[int, str], bytearray] = field(default_factory=dict)
    has_marks: bool = False
    blocks: int = 0


def looks_like_named_rows(start: bytes) -> bool:
    """Return whether a text that begins so has rows of a name and letters."""
    lines = _head_lines(start)
    selex = any(line.startswith(b"#=") for line in lines)
    lines = [line for line in lines if not COMMENT.match(line) and not _is_mark_line(line)]
    found = [_split_line(line) for line in lines if line.strip()]
    rows = [row for row in found if row is not None]
    if not rows or len(rows) < len(found):
        return False
    return selex or (len(rows) > 1 and not _are_other_words(rows))


def looks_like_unnamed_rows(start: bytes) -> bool:
    """Return whether a text that begins so has rows without names: lines of one length with gaps, in equal blocks."""
    blocks = _line_blocks(_head_lines(start))
    return (
        bool(blocks)
        and len(blocks[0]) > 1
        and all(len(set(map(len, block))) == 1 for block in blocks)
        and all(len(block) == len(blocks[0]) for block in blocks[:-1])
        and all(LETTERS.fullmatch(line) for block in blocks for line in block)
        and any(GAPS & set(line) for block in blocks for line in block)
    )


def _head_lines(start: bytes) -> list[bytes]:
    """Return the first lines, without one that may be cut off."""
    lines = start.split(b"\n", HEAD_LINES)[:HEAD_LINES]
    return lines[:-1] if len(lines) > 1 and len(start) >= HEAD_BYTES and len(lines) < HEAD_LINES else lines


def _line_blocks(lines: list[bytes]) -> list[list[bytes]]:
    """Return the lines between blank lines, without white space at their ends."""
    text = b"\n".join(line.strip() for line in lines)
    return [block.split(b"\n") for block in re.split(rb"\n\n+", text.strip(b"\n")) if block]


def _is_mark_line(line: bytes) -> bool:
    return bool(line.strip()) and not line.strip(MARKS)


def _split_line(line: bytes) -> NamedLetters | None:
    """Return the name and the letters of a line; None where it has others."""
    if found := ROW.fullmatch(line):
        groups = found[2].split()
        if len(groups) > 1 and not are_letter_groups(groups):
            return None
        return NamedLetters(found[1], b"".join(groups), len(groups[0]))
    return None


def _are_other_words(rows: list[NamedLetters]) -> bool:
    """Return whether the two words of lines are rather edges, words, or letters in groups with their positions."""
    letters, names = [row.letters for row in rows], {row.name for row in rows}
    if len(letters[0]) < SHORT or names & set(letters):
        return True
    together = len(rows) > 1 and len(letters[0]) == len(letters[1])
    named = all(not row.name.isalpha() for row in rows)
    sure = (
        all(NUCLEOTIDES.issuperset(part) for part in letters)
        or (len(letters[0]) >= SURE and (named or together))
        or (together and any(b"-" in part for part in letters))
    )
    return not sure or _are_groups(rows) or _are_positions(rows)


def _are_groups(rows: list[NamedLetters]) -> bool:
    """Return whether the names look like the first group of letters of each line."""
    width = len(rows[0].name)
    return (
        all(LETTERS.fullmatch(row.name) and len(row.name) == width for row in rows)
        and all(row.group == width for row in rows[:-1])
        and rows[-1].group <= width
        and NUCLEOTIDES.issuperset(b"".join(row.name for row in rows))
        == NUCLEOTIDES.issuperset(b"".join(row.letters for row in rows))
    )


def _are_positions(rows: list[NamedLetters]) -> bool:
    """Return whether the names are numbers of letters, as before the lines of a sequence, and do not count rows."""
    if not all(row.name.isdigit() for row in rows):
        return False
    first = int(rows[0].name[:NAME_DIGITS])
    names = list(dict.fromkeys(row.name for row in rows))
    return names != [b"%d" % number for number in range(first, first + len(names))]


def is_aligned(stream: Iterator[bytes]) -> bool:
    """Return whether named rows are an alignment: of one length, with gaps, or in blocks or with marks below them."""
    found = _read_lines(stream, "")
    letters = [found.rows.letters_of(row) for row in range(len(found.rows))]
    signs = found.has_marks or found.blocks > 1 or found.of_columns or any(GAPS & set(row) for row in letters)
    return len(letters) > 1 and len(set(map(len, letters))) == 1 and bool(signs)


def read_named_rows(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read an alignment of named rows; InputError names the line that is none, or the row of another length."""
    found = _read_lines(stream, source)
    raw = found.rows.build_alignment()
    columns = raw.letters.shape[1]
    raw.letters[raw.letters == ord("_")] = ord("-")
    notes = Annotations(
        tuple(found.of_file),
        tuple(found.of_rows),
        tuple((tag, decode_text(bytes(marks))) for tag, marks in found.of_columns.items() if len(marks) == columns),
        tuple(
            (row, tag, decode_text(bytes(marks)))
            for (row, tag), marks in found.of_letters.items()
            if len(marks) == columns
        ),
    )
    lost = len(found.of_columns) + len(found.of_letters) - len(notes.of_columns) - len(notes.of_letters)
    skipped = f"skipped: {format_count(lost, 'annotation line')} of another length"
    return raw._replace(annotations=notes, note=skipped * bool(lost))


def read_rows(stream: Iterator[bytes], source: str) -> Iterator[RawRow]:
    """Yield named rows of any length."""
    found = _read_lines(stream, source)
    rows = found.rows
    if found.blocks > 1:
        rows.refuse_unequal_lengths()  # a block lacks lines
    for number, name in enumerate(rows.names):
        yield RawRow(decode_text(name), "", rows.letters_of(number).replace(b"_", b"-"))


def _read_lines(stream: Iterator[bytes], source: str) -> _Rows:
    """Read the rows, in blocks that repeat the names or each with a name of its own."""
    found = _Rows(RowBuilder(source))
    numbers, block = dict[tuple[bytes, int], int](), Counter[bytes]()
    lines, last = 0, -1
    for place, line in numbered_lines(stream, source):
        if not line.strip() or line.strip() == b"//":
            block.clear()
        elif _is_mark_line(line):
            found.has_marks = True
            block.clear()
        elif line.startswith(b"#="):
            _add_selex_line(line, found, last, place)
        elif not COMMENT.match(line):
            row = _split_line(line)
            if row is None:
                place.refuse(f"{decode_text(line[:60])!r} is not a name followed by letters; correct the line")
            found.blocks, lines = found.blocks + (not block), lines + 1
            key = row.name, block[row.name]  # two rows may have one name
            block[row.name] += 1
            if key not in numbers:
                numbers[key] = found.rows.add_row(row.name)
            last = numbers[key]
            found.rows.extend_row(last, row.letters)
    if found.blocks == lines:
        found.blocks = 1  # rows with blank lines between them
    return found


def _add_selex_line(line: bytes, found: _Rows, last: int, place: SourceLine) -> None:
    """Add a line of SELEX's annotation; other tags are comments."""
    tag, *text = line[2:].split(None, 1) or [b""]
    said = text[0] if text else b""
    if tag in SELEX_FILE_TAGS:
        found.of_file.append((tag.decode(), decode_text(said).strip()))
    elif tag in SELEX_COLUMN_TAGS:
        found.of_columns.setdefault(SELEX_COLUMN_TAGS[tag], bytearray()).extend(remove_white_space(said))
    elif tag in SELEX_LETTER_TAGS:
        if last < 0:
            place.refuse(f"#={tag.decode()} has no row before it; put it below its row")
        found.of_letters.setdefault((last, SELEX_LETTER_TAGS[tag]), bytearray()).extend(remove_white_space(said))


def read_unnamed_rows(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read rows without names, in blocks of as many lines, and number them."""
    rows, number = RowBuilder(source), 0
    for place, line in numbered_lines(stream, source):
        letters = line.strip()
        if not letters:
            number = 0 if number else number
            rows.end_block()
        elif not LETTERS.fullmatch(letters):
            place.refuse(f"{decode_text(line[:60])!r} is not a row of letters and gaps; correct the line")
        else:
            number += 1
            rows.add_line(b"unnamed-%d" % number, letters.replace(b"_", b"-"), place)
    return rows.build_alignment(note="the rows have no names; numbered")


def are_unnamed_rows_aligned(stream: Iterator[bytes]) -> bool:
    """Return whether all lines of a text are rows without names, and not one sequence with gaps in several lines."""
    blocks = _line_blocks(b"".join(stream).split(b"\n"))
    return looks_like_unnamed_rows(b"\n\n".join(b"\n".join(block) for block in blocks)) and all(
        len(block) == len(blocks[0]) and len(set(map(len, block))) == 1 for block in blocks
    )


def read_letters_in_lines(stream: Iterator[bytes], source: str) -> Iterator[RawRow]:
    """Yield one sequence: the letters of all lines."""
    yield RawRow(Path(source).stem, "", remove_white_space(b"".join(stream)))
