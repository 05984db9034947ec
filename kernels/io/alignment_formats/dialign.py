"""DIALIGN: a report whose rows have a name, the number of the first letter, and letters; small ones are not aligned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import (
    Annotations,
    RawAlignment,
    RowBuilder,
    numbered_lines,
    remove_white_space,
)
from antidiag.kernels.io.line_blocks import decode_text

HEAD = re.compile(rb"(?:CHAOS\W+)?DIALIGN(?:-T|-TX)?\b", re.IGNORECASE)
BEGIN = re.compile(rb"\s*Alignment \((?:CHAOS/)?DIALIGN format\)", re.IGNORECASE)
END = re.compile(rb"\s*(?:Sequence tree|Alignment \()", re.IGNORECASE)
ROW = re.compile(rb"(\S+)\s+(\d+)\s+([A-Za-z*.-][A-Za-z*. -]*)")
WEIGHTS_TAG = "dialign"
"""The tag of the weights below the rows, from 0 to 9 for each column."""


def read_dialign(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read the alignment of a report; InputError where it has none, or a line of it is no row."""
    rows, weights, tree = RowBuilder(source), bytearray(), False
    inside = False
    for place, line in numbered_lines(stream, source):
        if not inside or not line.strip() or not line.strip(b"= \t"):
            inside = inside or bool(BEGIN.match(line))
            if inside and not line.strip():
                rows.end_block()
        elif END.match(line):
            tree = b"tree" in line.lower()
            break
        elif row := ROW.fullmatch(line.rstrip()):
            rows.add_line(row[1], remove_white_space(row[3]), place)
        elif remove_white_space(line).isdigit():
            weights += remove_white_space(line)
        else:
            place.refuse(f"{decode_text(line[:60])!r} is not a name, a number and letters; correct the line")
    if not inside:
        raise InputError(f"{source}: this report has no alignment; save DIALIGN's alignment as FASTA or MSF")
    raw = rows.build_alignment(note="skipped: the tree of the report" if tree else "")
    marks = ((WEIGHTS_TAG, weights.decode()),) if len(weights) == raw.letters.shape[1] else ()
    return raw._replace(annotations=Annotations(of_columns=marks))
