"""Pairwise alignments of EMBOSS's needle, water, matcher and others: the formats pair, srspair and markx0."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.pair_letters import POSITION_TAG
from antidiag.kernels.io.alignment_formats.raw_alignment import (
    GAPS,
    Annotations,
    RawAlignment,
    SourceLine,
    numbered_lines,
)
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.text import quote_text

HEAD = re.compile(rb"#{20,}[ \t]*\n# Program:|#={20,}[ \t]*\n#[ \t]*\n# Aligned_sequences:")
KNOWN_FORMATS = (b"pair", b"srspair", b"srs", b"simple", b"markx0")
"""Formats whose blocks have every letter of each row."""
ROW = re.compile(rb"(\d{1,18}) ([A-Za-z*.~?-]+) (\d{1,18})")
"""The last fields of a row of a block: position of its first letter, letters, position of its last letter."""
MARKED_ROW = re.compile(rb"\S{1,6}[ \t]+([A-Za-z*~?-]+)[ \t]*")
"""A row of markx0, whose positions stand in lines of their own."""
STATED = re.compile(rb"# ([A-Za-z_]+|\d{1,9}):[ \t]*(.*)")
"""A line of the head of an alignment: a name and a value."""
KEPT = ("Matrix", "Gap_penalty", "Extend_penalty", "Identity", "Similarity", "Gaps", "Score")
"""What is kept of the head of an alignment."""


def read_emboss_pairs(stream: Iterator[bytes], source: str) -> Iterator[RawAlignment]:
    """Read all alignments of a file.

    The names are those of the head, because the blocks cut them. Refuses formats such as markx2 that do not write all
    letters, and rows whose letters are not as many as their positions say.
    """
    found: list[RawAlignment] = []
    current: _EmbossPair | None = None
    for place, line in numbered_lines(stream, source):
        line = line.rstrip()
        stated = STATED.fullmatch(line)
        if stated and stated[1] == b"Align_format":
            _refuse_other_formats(stated[2].strip(), place)
        elif stated and stated[1] == b"Aligned_sequences":
            found += [current.build_alignment()] if current else []
            current = _EmbossPair(place, stated[2].strip())
        elif stated and current:
            current.stated.setdefault(stated[1].decode(), decode_text(stated[2].strip()))
        elif line and current and not line.startswith(b"#"):
            current.add_line(line, place)
    if current is None:
        raise InputError(f"{source}: the report of EMBOSS has no alignment; run the program again")
    found.append(current.build_alignment())
    return iter(found)


def _refuse_other_formats(name: bytes, place: SourceLine) -> None:
    """Refuse a format that leaves letters out."""
    if name.lower() not in KNOWN_FORMATS:
        place.refuse(
            f"the format {quote_text(name)} of EMBOSS is not read; write the alignment with -aformat srspair or fasta"
        )


class _EmbossPair:
    """An alignment that is being read: what its head states, and its rows so far."""

    def __init__(self, place: SourceLine, count: bytes) -> None:
        self._place = place
        self.stated: dict[str, str] = {}
        self._count = int(count) if re.fullmatch(rb"[1-9]\d{0,5}", count) else 0
        if not self._count:
            place.refuse(f"Aligned_sequences says {quote_text(count)}, which must be a number; correct it")
        self._rows = [bytearray() for _ in range(self._count)]
        self._first = [0] * self._count
        self._last = [0] * self._count
        self._lines = 0

    def add_line(self, line: bytes, place: SourceLine) -> None:
        """Take a line of a block: a row, or a line of matches or numbers, which says nothing else."""
        number = self._lines % self._count
        if row := ROW.fullmatch(b" ".join(line.rsplit(None, 3)[-3:])):
            first, letters, last = int(row[1]), row[2], int(row[3])
            if letters.strip(GAPS):
                self._first[number] = self._first[number] or first
                self._last[number] = last
        elif marked := MARKED_ROW.fullmatch(line):
            letters = marked[1]
        else:
            return
        self._rows[number] += letters
        self._lines += 1

    def build_alignment(self) -> RawAlignment:
        """Return the alignment; refuses it where rows, lengths and positions do not fit together."""
        columns = len(self._rows[0])
        if not columns or self._lines % self._count or {len(row) for row in self._rows} != {columns}:
            self._place.refuse("rows of this alignment are missing or cut; write the file again")
        if self.stated.get("Length", str(columns)) != str(columns):
            self._place.refuse(
                f"Length says {self.stated['Length']} columns, and the rows have {columns:,}; write the file again"
            )
        names = [self.stated.get(str(number + 1), f"sequence-{number + 1}") for number in range(self._count)]
        positions = ((row, POSITION_TAG, self._find_position(row, names)) for row in range(self._count))
        places = tuple(place for place in positions if place[2])
        said = tuple((name, self.stated[name]) for name in KEPT if name in self.stated)
        letters = np.frombuffer(b"".join(self._rows), np.uint8).reshape(self._count, columns).copy()
        return RawAlignment(names, letters, Annotations(said, places), " x ".join(names))

    def _find_position(self, row: int, names: list[str]) -> str:
        """Return the lowest position of a row and its strand; "" where the file does not say it."""
        first, last = self._first[row], self._last[row]
        if not first:
            return ""
        letters = len(self._rows[row].translate(None, GAPS))
        if abs(last - first) + 1 != letters:
            self._place.refuse(
                f"row {names[row]} has {letters:,} letters, and its positions run from {first:,} to {last:,}; correct "
                "either"
            )
        return f"{min(first, last):,} {'+' if first <= last else '-'}"
