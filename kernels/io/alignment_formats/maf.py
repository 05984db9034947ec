"""MAF: blocks of aligned regions of genomes, an alignment each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations, RawAlignment, RowBuilder, numbered_lines
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.text import format_count

HEAD = re.compile(rb"(?:(?:track|browser)\b[^\n]*\n\s*+)*+(##maf\b|(#.*\n\s*)*a[ \t]+score=.*\n\s*s[ \t])")
"""The head, or comments and a block of a file without a head, as LAST writes it; perhaps after lines for a genome
browser."""
RANGE_TAG = "MAF"
"""The tag of the position of a row: start, size, strand and length of its source, as in the file."""
SOURCE_RANGE = re.compile(r"(\d{1,18}) (\d{1,18}) ([+-]) (\d{1,18})")
"""The text of this tag."""
BLOCK_TAG = "MAF"
"""The tag of the first line of a block."""
QUALITY_TAG = "MAF_q"
MAX_BLOCKS = 1000
"""Blocks that are read at most."""


def read_maf(stream: Iterator[bytes], source: str) -> Iterator[RawAlignment]:
    """Read the first MAX_BLOCKS blocks; the note of the first says what was left out."""
    found: list[RawAlignment] = []
    blocks = others = unknown = wrong = 0
    rows, said = RowBuilder(source), list[tuple[str, str]]()
    places, qualities = list[tuple[int, str, str]](), list[tuple[int, str, str]]()

    def finish() -> None:
        nonlocal rows, said, places, qualities
        if len(rows):
            found.append(
                rows.build_alignment(
                    Annotations(tuple(said), tuple(places), (), tuple(qualities)), f"block {len(found) + 1:,}"
                )
            )
        rows, said, places, qualities = RowBuilder(source), [], [], []

    for place, line in numbered_lines(stream, source):
        kind, parts = line[:2].rstrip(), line.split()
        if kind == b"a":
            blocks += 1
            if blocks <= MAX_BLOCKS + 1:
                finish()
            said = [(BLOCK_TAG, decode_text(b" ".join(parts[1:])))]
        elif blocks > MAX_BLOCKS:
            continue
        elif kind == b"s":
            if len(parts) != 7:
                place.refuse("a row has 7 fields: s, name, start, size, strand, length of the source, letters")
            row = rows.add_row(parts[1])
            letters = rows.extend_row(row, parts[6]) - parts[6].count(b"-") - parts[6].count(b".")
            wrong += parts[3].isdigit() and (parts[3].lstrip(b"0") or b"0") != b"%d" % letters
            places.append((row, RANGE_TAG, decode_text(b" ".join(parts[2:6]))))
        elif kind == b"q" and len(parts) == 3 and len(rows):
            qualities.append((len(rows) - 1, QUALITY_TAG, decode_text(parts[2])))
        elif kind in (b"i", b"e"):
            others += 1
        elif not line.startswith((b"#", b"track", b"browser")):
            unknown += bool(parts)
    finish()
    skipped = [f"{others:,} lines about unaligned regions (i, e)"] * bool(others)
    skipped += [format_count(unknown, "other line")] * bool(unknown)
    skipped += [f"{blocks - MAX_BLOCKS:,} of {blocks:,} blocks"] * (blocks > MAX_BLOCKS)
    notes = [f"skipped: {', '.join(skipped)}"] * bool(skipped)
    notes += [f"{format_count(wrong, 'row')} of another length than stated"] * bool(wrong)
    if found and notes:
        found[0] = found[0]._replace(note="; ".join(notes))
    return iter(found)
