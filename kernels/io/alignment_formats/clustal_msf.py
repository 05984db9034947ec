"""Clustal and MSF: formats with blocks of rows, each row with its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import (
    DESCRIPTION,
    Annotations,
    RawAlignment,
    RowBuilder,
    SourceLine,
    are_letter_groups,
    numbered_lines,
    remove_white_space,
    split_titles,
)
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.model import SequenceType
from antidiag.kernels.text import format_count

CLUSTAL_HEAD = re.compile(rb"\s*(CLUSTAL\w{0,9}|MUSCLE|PROBCONS|MSAPROBS|Kalign|T-COFFEE)\b", re.IGNORECASE)
MSF_HEAD = re.compile(rb"\s*(PileUp\b|!![AN]A_MULTIPLE|.{0,500}\bMSF: *\d+ +Type: )", re.DOTALL)
MARKS = b"*:. \t"
MASK = (b"!SS_", b"!GM_")
"""How lines of known structure or gap penalties begin, as in profiles of Clustal."""
CLUSTAL_MARKS_TAG = "clustal"
"""The tag of the line of marks below the rows; the writer computes them again."""
GAPS = bytes.maketrans(b".~", b"--")
"""MSF writes '.' for gaps within a row and '~' for those at its ends."""
TITLE_PROGRAM = b"Kalign"
"""The program whose names are whole titles, with blanks in them."""
NAME, LENGTH = re.compile(rb"\s*Name:\s+(\S+)"), re.compile(rb"\sLen:")
"""Two expressions: one for both would try each of many blanks."""
PILEUP = b"oo"
"""PileUp writes this after each name in the head."""
MSF_TYPE = re.compile(rb"\bMSF: *(\d{1,18}) +Type: ([PN])")
TYPES = {b"P": SequenceType.PROTEIN, b"N": SequenceType.DNA}
WEIGHT = re.compile(rb"Weight:\s*(\S+)")


def read_clustal(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read Clustal: a head line, then blocks of names and letters, with a line of marks below each."""
    rows, marks, start = RowBuilder(source), bytearray(), 0
    lines = numbered_lines(stream, source)
    head = next((line for _, line in lines if line.strip()), b"")
    whole = head.lstrip().startswith(TITLE_PROGRAM)
    width = masks = 0
    for place, line in lines:
        if not line.strip():
            rows.end_block()
        elif not line.strip(MARKS):
            if line[:1].isspace():  # else what stood before the marks is lost
                marks += line[start : start + width].ljust(width)
            rows.end_block()
        elif line.startswith(MASK):
            masks += 1
        else:
            name, letters, start = _split_name(line, place, whole)
            width = len(letters) if letters in line else 0  # letters in groups
            rows.add_line(name, letters, place)
    raw = rows.build_alignment()
    names, described = split_titles(rows.names)
    there = len(marks) == raw.letters.shape[1]
    marked = ((CLUSTAL_MARKS_TAG, marks.decode("ascii")),) if there else ()
    note = f"skipped: {format_count(masks, 'line')} of masks (!SS_, !GM_)" if masks else ""
    return raw._replace(names=names, annotations=Annotations(of_rows=described, of_columns=marked), note=note)


def _split_name(line: bytes, place: SourceLine, whole_title: bool) -> tuple[bytes, bytes, int]:
    """Return the name and the letters of a line, and where the letters begin; a letter count may follow them.

    ``whole_title``: the name is a whole title, which may hold blanks.
    """
    parts = line.split()
    if len(parts) > 2 and parts[-1].isdigit():
        parts.pop()
    groups = parts[1:]
    in_groups = not whole_title and len(groups) > 1 and are_letter_groups(groups)
    if line[:1].isspace() and len(parts) < 2:
        place.refuse("this line has no name and is not a line of marks; begin each row with its name")
    if len(parts) < 2 or (len(parts) > 2 and not (whole_title or in_groups)):
        place.refuse(f"{decode_text(line[:60])!r} is not a name followed by letters; correct the line")
    if len(parts) == 2 or in_groups:
        return parts[0], b"".join(groups), line.index(groups[0], len(parts[0]))
    start = line.rindex(parts[-1])
    return line[:start].strip(), parts[-1], start


def read_msf(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read MSF: names and weights in the head, which ends with "//", then blocks of names and letters.

    Where a name is a whole title, as Kalign writes it, the first word is the name.
    """
    rows, said, rests = RowBuilder(source), list[tuple[int, str, str]](), dict[bytes, list[bytes]]()
    lines, type_, columns = numbered_lines(stream, source), None, 0
    for _, line in lines:
        if line.strip() == b"//":
            break
        if stated := MSF_TYPE.search(line):
            columns, type_ = int(stated[1]), TYPES[stated[2]]
        if found := NAME.match(line):
            row, rest = rows.add_row(found[1]), LENGTH.split(line[found.end() :], 1)[0].strip()
            if rest not in (b"", PILEUP):
                rests.setdefault(found[1], []).append(rest)
                said.append((row, DESCRIPTION, decode_text(rest)))
            if weight := WEIGHT.search(line):
                said.append((row, "WT", decode_text(weight[1])))
    else:
        raise InputError(f"{source}: the head has no '//' after the names; fetch the whole MSF file")
    rows.end_naming()
    for place, line in lines:
        parts = line.split(None, 1)
        if not parts:
            rows.end_block()
        elif len(parts) == 2 and not remove_white_space(line).isdigit():
            title = next(filter(parts[1].startswith, rests.get(parts[0], ())), b"")
            letters = parts[1].removeprefix(title)
            rows.add_line(parts[0], remove_white_space(letters).translate(GAPS), place)
    raw = rows.build_alignment(Annotations(of_rows=tuple(said)))
    found = raw.letters.shape[1]
    note = f"the head states {format_count(columns, 'column')}, and there are {found:,}"
    return raw._replace(type=type_, note=note * (columns not in (0, found)))
