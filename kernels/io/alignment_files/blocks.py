"""Clustal and MSF: blocks of rows, each with its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernels.errors import InputError
from kernels.io.alignment_files.rows import Annotations, Place, Raw, Rows, numbered_lines, squeezed, text

CLUSTAL_HEAD = re.compile(rb"(CLUSTAL|MUSCLE|PROBCONS|MSAPROBS|Kalign|T-COFFEE)\b")
MSF_HEAD = re.compile(rb"\s*(PileUp\b|!![AN]A_MULTIPLE|.{0,500}\bMSF: *\d+ +Type: )", re.DOTALL)
MARKS = b"*:. "
CLUSTAL_MARKS = "clustal"
"""The tag of the line of marks below the rows, which is told anew when the alignment is written."""
GAPS = bytes.maketrans(b".~", b"--")
"""What MSF writes for gaps within a row and at its ends."""
NAME = re.compile(rb"\s*Name:\s+(\S+)")
WEIGHT = re.compile(rb"Weight:\s*(\S+)")


def read_clustal(stream: Iterator[bytes], source: str) -> Raw:
    """Clustal: a head line, then blocks of names and letters, with a line of marks below each."""
    rows, marks, start = Rows(source), bytearray(), 0
    lines = numbered_lines(stream, source)
    next(lines, None)
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
            name, letters, start = _named(line, place)
            width = len(letters)
            rows.add(name, letters, place)
    raw = rows.raw()
    there = len(marks) == raw.letters.shape[1]
    return raw._replace(annotations=Annotations(of_columns=((CLUSTAL_MARKS, marks.decode("ascii")),))) if there else raw


def _named(line: bytes, place: Place) -> tuple[bytes, bytes, int]:
    """Name and letters of a line, and where these begin; a number of letters may follow them."""
    parts = line.split()
    if len(parts) == 3 and parts[2].isdigit():
        parts.pop()
    if len(parts) != 2:
        place.refuse(f"{text(line[:60])!r} is no name with letters")
    return parts[0], parts[1], line.index(parts[1], len(parts[0]))


def read_msf(stream: Iterator[bytes], source: str) -> Raw:
    """MSF: names and weights in the head, which ends with "//", then blocks of names and letters."""
    rows, weights = Rows(source), list[tuple[int, str, str]]()
    lines = numbered_lines(stream, source)
    for _, line in lines:
        if line.strip() == b"//":
            break
        if found := NAME.match(line):
            row = rows.new(found[1])
            if weight := WEIGHT.search(line):
                weights.append((row, "WT", text(weight[1])))
    else:
        raise InputError(f"{source}: the head has no '//' after the names; this is no whole MSF file")
    rows.all_named()
    for place, line in lines:
        parts = line.split(None, 1)
        if not parts:
            rows.end_block()
        elif len(parts) == 2 and not squeezed(line).isdigit():
            rows.add(parts[0], squeezed(parts[1]).translate(GAPS), place)
    return rows.raw(Annotations(of_rows=tuple(weights)))
