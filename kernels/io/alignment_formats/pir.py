"""PIR, also called NBRF: a name, a line of text, and letters up to '*'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_formats.raw_alignment import (
    DESCRIPTION,
    GAPS,
    Annotations,
    RawAlignment,
    RowBuilder,
    numbered_lines,
    remove_white_space,
)
from antidiag.kernels.io.line_blocks import decode_text

HEAD = re.compile(rb">(P1|F1|DL|DC|RL|RC|N1|N3|XX);")


def read_pir(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read the rows of a PIR text; InputError names the line that does not belong to one."""
    rows, described, title = RowBuilder(source), [], False
    ended = True
    for place, line in numbered_lines(stream, source):
        if HEAD.match(line):
            rows.add_row(line[4:].strip())
            title, ended = True, False
        elif title:
            said = decode_text(line).strip()
            described += [(len(rows) - 1, DESCRIPTION, said)] if said else []
            title = False
        elif ended and line.strip():
            place.refuse("text between two sequences; each begins with a line such as >P1;name")
        elif not ended:
            letters, star, _ = remove_white_space(line).partition(b"*")
            rows.extend_row(len(rows) - 1, letters)
            ended = bool(star)
    return rows.build_alignment(Annotations(of_rows=tuple(described)))


def looks_aligned(stream: Iterator[bytes]) -> bool:
    """Return whether the rows have one length, and some hold gaps."""
    lengths: set[int] = set()
    gaps = False
    for record in re.split(rb"(?m)^(?=>)", b"".join(stream))[1:]:
        letters = remove_white_space(b"".join(record.split(b"\n")[2:]).partition(b"*")[0])
        lengths.add(len(letters))
        gaps |= any(gap in letters for gap in GAPS)
    return len(lengths) == 1 and gaps
