"""Clustal and MSF: blocks of rows, each with its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_files.rows import (
    DESCRIPTION,
    Annotations,
    Place,
    Raw,
    Rows,
    numbered_lines,
    squeezed,
    text,
    titled,
)  # fmt: skip

CLUSTAL_HEAD = re.compile(rb"(CLUSTAL|MUSCLE|PROBCONS|MSAPROBS|Kalign|T-COFFEE)\b")
MSF_HEAD = re.compile(rb"\s*(PileUp\b|!![AN]A_MULTIPLE|.{0,500}\bMSF: *\d+ +Type: )", re.DOTALL)
MARKS = b"*:. "
CLUSTAL_MARKS = "clustal"
"""The tag of the line of marks below the rows, which is told anew when the alignment is written."""
GAPS = bytes.maketrans(b".~", b"--")
"""What MSF writes for gaps within a row and at its ends."""
TITLING = b"Kalign"
"""How a file begins whose names are whole titles, with blanks in them."""
NAME, LENGTH = re.compile(rb"\s*Name:\s+(\S+)"), re.compile(rb"\sLen:")
"""Two, since one that ends at the first of several blanks tries each of a long row of them."""
PILEUP = b"oo"
"""What PileUp writes after each name in the head."""
WEIGHT = re.compile(rb"Weight:\s*(\S+)")


def read_clustal(stream: Iterator[bytes], source: str) -> Raw:
    """Clustal: a head line, then blocks of names and letters, with a line of marks below each."""
    rows, marks, start = Rows(source), bytearray(), 0
    lines = numbered_lines(stream, source)
    _, head = next(lines, (None, b""))
    whole = head.startswith(TITLING)
    width = 0
    for place, line in lines:
        if not line.strip():
            rows.end_block()
        elif line[:1].isspace():
            if line.strip(MARKS):
                place.refuse("a line without a name that is no line of marks; each row begins with its name")
            marks += line[start : start + width].ljust(width)
            rows.end_block()
        else:
            name, letters, start = _named(line, place, whole)
            width = len(letters)
            rows.add(name, letters, place)
    raw = rows.raw()
    names, described = titled(rows.names)
    there = len(marks) == raw.letters.shape[1]
    told = ((CLUSTAL_MARKS, marks.decode("ascii")),) if there else ()
    return raw._replace(names=names, annotations=Annotations(of_rows=described, of_columns=told))


def _named(line: bytes, place: Place, whole: bool) -> tuple[bytes, bytes, int]:
    """Name and letters of a line, and where these begin; a number of letters may follow them. ``whole``: the name is a
    whole title, which may hold blanks."""
    parts = line.split()
    if len(parts) > 2 and parts[-1].isdigit():
        parts.pop()
    if len(parts) < 2 or (len(parts) > 2 and not whole):
        place.refuse(f"{text(line[:60])!r} is no name with letters")
    start = line.index(parts[1], len(parts[0])) if len(parts) == 2 else line.rindex(parts[-1])
    return line[:start].strip(), parts[-1], start


def read_msf(stream: Iterator[bytes], source: str) -> Raw:
    """MSF: names and weights in the head, which ends with "//", then blocks of names and letters.

    Where a name is a whole title, as Kalign writes it, the first word is the name.
    """
    rows, said, rests = Rows(source), list[tuple[int, str, str]](), dict[bytes, list[bytes]]()
    lines = numbered_lines(stream, source)
    for _, line in lines:
        if line.strip() == b"//":
            break
        if found := NAME.match(line):
            row, rest = rows.new(found[1]), LENGTH.split(line[found.end() :], 1)[0].strip()
            if rest not in (b"", PILEUP):
                rests.setdefault(found[1], []).append(rest)
                said.append((row, DESCRIPTION, text(rest)))
            if weight := WEIGHT.search(line):
                said.append((row, "WT", text(weight[1])))
    else:
        raise InputError(f"{source}: the head has no '//' after the names; this is no whole MSF file")
    rows.all_named()
    for place, line in lines:
        parts = line.split(None, 1)
        if not parts:
            rows.end_block()
        elif len(parts) == 2 and not squeezed(line).isdigit():
            title = next(filter(parts[1].startswith, rests.get(parts[0], ())), b"")
            letters = parts[1].removeprefix(title)
            rows.add(parts[0], squeezed(letters).translate(GAPS), place)
    return rows.raw(Annotations(of_rows=tuple(said)))
