"""PHYLIP alignments: relaxed or strict names, interleaved or one row after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_files.rows import Place, Raw, Rows, numbered_lines, squeezed, text

HEAD = re.compile(rb"\s*(\d{1,18})[ \t]+(\d{1,18})[ \t]*+[A-Z]*+[ \t]*+\n[ \t]*+\S++[^\n\d]*+(\n|\Z)")
"""Two numbers, and then a line of a name, which may hold digits, and of letters. What was taken is never given back:
blanks, or letters, which two parts could take, would be shared out in every way."""
SIZES = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})(?!\S)")
"""The two numbers. Letters behind them are options, which say nothing here."""
STRICT = 10
"""Characters of a name in the strict form."""

Line = tuple[Place, bytes]
Split = Callable[[bytes], tuple[bytes, bytes]]


def read(stream: Iterator[bytes], source: str) -> Raw:
    """The alignment; InputError says which row has another number of letters than the first line says."""
    lines = [(place, line) for place, line in numbered_lines(stream, source) if line.strip()]
    sizes = SIZES.match(lines[0][1])
    if sizes is None:
        lines[0][0].refuse("two numbers were expected: those of rows and of columns")
    count, columns = map(int, sizes.groups())
    if not count or not columns:
        lines[0][0].refuse(f"an alignment of {count:,} rows and {columns:,} columns; give one with letters")
    failures = list[InputError]()
    for split in (_relaxed, _strict):
        for order in (_interleaved, _sequential):
            try:
                return _checked(order(lines[1:], count, columns, split, source), columns, source)
            except InputError as error:
                failures.append(error)
    raise (
        failures[0]
        if len(lines) - 1 >= count
        else InputError(
            f"{source}: {count:,} rows in the first line, and {len(lines) - 1:,} lines follow; the file is not whole"
        )
    )


def _relaxed(line: bytes) -> tuple[bytes, bytes]:
    name, *rest = line.split(None, 1)
    return name, squeezed(rest[0]) if rest else b""


def _strict(line: bytes) -> tuple[bytes, bytes]:
    return b"_".join(line[:STRICT].split()), squeezed(line[STRICT:])


def _interleaved(lines: Sequences[Line], count: int, columns: int, split: Split, source: str) -> Rows:
    rows = Rows(source)
    for number, (place, line) in enumerate(lines):
        if number < count:
            name, letters = split(line)
            rows.add(name, letters, place)
            continue
        row = number % count
        again = line.split(None, 1)
        letters = squeezed(again[1] if len(again) == 2 and again[0] == rows.names[row] else line)
        if rows.extend(row, letters) > columns:
            place.refuse(f"row {text(rows.names[row])} has more than the {columns:,} letters that the first line says")
    return rows


def _sequential(lines: Sequences[Line], count: int, columns: int, split: Split, source: str) -> Rows:
    rows, found = Rows(source), columns
    for place, line in lines:
        if found >= columns:
            name, letters = split(line)
            found = rows.extend(rows.new(name), letters)
        else:
            found = rows.extend(len(rows) - 1, squeezed(line))
        if found > columns:
            place.refuse(f"row {text(rows.names[-1])} has more than the {columns:,} letters that the first line says")
    if len(rows) != count:
        raise InputError(f"{source}: {count:,} rows in the first line, and {len(rows):,} were found")
    return rows


def _checked(rows: Rows, columns: int, source: str) -> Raw:
    for number, name in enumerate(rows.names):
        if (found := rows.extend(number, b"")) != columns:
            raise InputError(
                f"{source}, row {text(name)}: {found:,} letters, and the first line says {columns:,}; correct either"
            )
    raw = rows.raw()
    if (raw.letters == ord(".")).any():
        raise InputError(f"{source}: '.' in a PHYLIP file may mean a gap or the letter above; write '-' for gaps")
    return raw
