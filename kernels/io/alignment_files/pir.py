"""PIR, also called NBRF: a name, a line of text, and letters up to '*'."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_files.rows import (
    DESCRIPTION,
    GAPS,
    Annotations,
    Raw,
    Rows,
    numbered_lines,
    squeezed,
    text,
)

HEAD = re.compile(rb">(P1|F1|DL|DC|RL|RC|N1|N3|XX);")


def read(stream: Iterator[bytes], source: str) -> Raw:
    """The rows of a PIR text; InputError names the line that is none of it."""
    rows, described, title = Rows(source), [], False
    ended = True
    for place, line in numbered_lines(stream, source):
        if HEAD.match(line):
            rows.new(line[4:].strip())
            title, ended = True, False
        elif title:
            said = text(line).strip()
            described += [(len(rows) - 1, DESCRIPTION, said)] if said else []
            title = False
        elif ended and line.strip():
            place.refuse("text between two sequences; each begins with a line such as >P1;name")
        elif not ended:
            letters, star, _ = squeezed(line).partition(b"*")
            rows.extend(len(rows) - 1, letters)
            ended = bool(star)
    return rows.raw(Annotations(of_rows=tuple(described)))


def looks_aligned(stream: Iterator[bytes]) -> bool:
    """Whether the rows have one length, and some hold gaps."""
    lengths: set[int] = set()
    gaps = False
    for record in re.split(rb"(?m)^(?=>)", b"".join(stream))[1:]:
        letters = squeezed(b"".join(record.split(b"\n")[2:]).partition(b"*")[0])
        lengths.add(len(letters))
        gaps |= any(gap in letters for gap in GAPS)
    return len(lengths) == 1 and gaps
