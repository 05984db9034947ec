"""PIR, also called NBRF: a name, a line of text, and letters up to '*'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_formats.raw_alignment import (
    DESCRIPTION,
    Annotations,
    RawAlignment,
    RawRow,
    RowBuilder,
    numbered_lines,
    remove_white_space,
    rows_look_aligned,
)
from antidiag.kernels.io.line_blocks import decode_text

HEAD = re.compile(rb">(P1|F1|DL|DC|RL|RC|N1|N3|XX);")


def read_pir(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read an alignment; InputError names the line that does not belong to it."""
    rows, described = _read_lines(stream, source)
    notes = tuple((row, DESCRIPTION, said) for row, said in described.items())
    return rows.build_alignment(Annotations(of_rows=notes))


def read_pir_rows(stream: Iterator[bytes], source: str) -> Iterator[RawRow]:
    """Yield the rows, which may differ in length."""
    rows, described = _read_lines(stream, source)
    for row, name in enumerate(rows.names):
        yield RawRow(decode_text(name), described.get(row, ""), rows.letters_of(row))


def _read_lines(stream: Iterator[bytes], source: str) -> tuple[RowBuilder, dict[int, str]]:
    """Return the rows and their descriptions by row number."""
    rows, described, title = RowBuilder(source), dict[int, str](), False
    ended = True
    for place, line in numbered_lines(stream, source):
        if HEAD.match(line):
            rows.add_row(line[4:].strip())
            title, ended = True, False
        elif title:
            if said := decode_text(line).strip():
                described[len(rows) - 1] = said
            title = False
        elif ended and line.strip():
            place.refuse("text between two sequences; each begins with a line such as >P1;name")
        elif not ended:
            letters, star, _ = remove_white_space(line).partition(b"*")
            rows.extend_row(len(rows) - 1, letters)
            ended = bool(star)
    return rows, described


def looks_aligned(stream: Iterator[bytes]) -> bool:
    """Return whether the rows have one length, and some hold gaps."""
    records = re.split(rb"(?m)^(?=>)", b"".join(stream))[1:]
    return rows_look_aligned(
        remove_white_space(b"".join(record.split(b"\n")[2:]).partition(b"*")[0]) for record in records
    )
