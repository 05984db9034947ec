"""PHYLIP alignments: relaxed or strict names, interleaved or sequential."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import (
    RawAlignment,
    RowBuilder,
    SourceLine,
    numbered_lines,
    remove_white_space,
)
from antidiag.kernels.io.line_blocks import decode_text

HEAD = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t]*+[A-Z]*+[ \t]*+\n[ \t]*+\S++[^\n\d]*+(\n|\Z)")
"""Two numbers, and then a line with a name, which may hold digits, and letters. Possessive repeats: backtracking over
blanks or letters would take quadratic time."""
SIZES = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})(?!\S)")
"""The two numbers. Letters after them are options, which are ignored."""
STRICT_NAME_LENGTH = 10
"""Characters of a name in the strict form."""

NumberedLine = tuple[SourceLine, bytes]
NameSplitter = Callable[[bytes], tuple[bytes, bytes]]


def read_phylip_alignment(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read the alignment; InputError names the row whose number of letters differs from that of the first line."""
    lines = [(place, line) for place, line in numbered_lines(stream, source) if line.strip()]
    sizes = SIZES.match(lines[0][1])
    if sizes is None:
        lines[0][0].refuse("PHYLIP begins with two numbers: rows and columns")
    count, columns = map(int, sizes.groups())
    if not count or not columns:
        lines[0][0].refuse(f"this announces {count:,} rows and {columns:,} columns; give an alignment with letters")
    failures = list[InputError]()
    for split in (_split_relaxed, _split_strict):
        for order in (_read_interleaved, _read_sequential):
            try:
                return _check_rows(order(lines[1:], count, columns, split, source), columns, source)
            except InputError as error:
                failures.append(error)
    raise (
        failures[0]
        if len(lines) - 1 >= count
        else InputError(
            f"{source}: the first line announces {count:,} rows, but only {len(lines) - 1:,} lines follow; "
            "fetch the whole file"
        )
    )


def _split_relaxed(line: bytes) -> tuple[bytes, bytes]:
    name, *rest = line.split(None, 1)
    return name, remove_white_space(rest[0]) if rest else b""


def _split_strict(line: bytes) -> tuple[bytes, bytes]:
    return b"_".join(line[:STRICT_NAME_LENGTH].split()), remove_white_space(line[STRICT_NAME_LENGTH:])


def _read_interleaved(
    lines: Sequences[NumberedLine], count: int, columns: int, split: NameSplitter, source: str
) -> RowBuilder:
    rows = RowBuilder(source)
    for number, (place, line) in enumerate(lines):
        if number < count:
            name, letters = split(line)
            rows.add_line(name, letters, place)
            continue
        row = number % count
        again = line.split(None, 1)
        letters = remove_white_space(again[1] if len(again) == 2 and again[0] == rows.names[row] else line)
        if rows.extend_row(row, letters) > columns:
            place.refuse(
                f"row {decode_text(rows.names[row])} has more than the {columns:,} letters that the first line "
                "announces; correct either"
            )
    return rows


def _read_sequential(
    lines: Sequences[NumberedLine], count: int, columns: int, split: NameSplitter, source: str
) -> RowBuilder:
    rows, found = RowBuilder(source), columns
    for place, line in lines:
        if found >= columns:
            name, letters = split(line)
            found = rows.extend_row(rows.add_row(name), letters)
        else:
            found = rows.extend_row(len(rows) - 1, remove_white_space(line))
        if found > columns:
            place.refuse(
                f"row {decode_text(rows.names[-1])} has more than the {columns:,} letters that the first line "
                "announces; correct either"
            )
    if len(rows) != count:
        raise InputError(
            f"{source}: the first line announces {count:,} rows, but there are {len(rows):,}; correct either"
        )
    return rows


def _check_rows(rows: RowBuilder, columns: int, source: str) -> RawAlignment:
    for number, name in enumerate(rows.names):
        if (found := rows.extend_row(number, b"")) != columns:
            raise InputError(
                f"{source}, row {decode_text(name)}: {found:,} letters, but the first line announces {columns:,}; "
                "correct either"
            )
    raw = rows.build_alignment()
    if (raw.letters == ord(".")).any():
        raise InputError(f"{source}: '.' in a PHYLIP file may mean a gap or the letter above; write '-' for gaps")
    return raw
