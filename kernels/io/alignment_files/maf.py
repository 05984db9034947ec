"""MAF: blocks of aligned stretches of genomes, an alignment each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_files.rows import Annotations, Raw, Rows, numbered_lines, text

HEAD = re.compile(rb"\s*(##maf\b|(#.*\n\s*)*a[ \t]+score=.*\n\s*s[ \t])")
"""The head, or of a file without one, as LAST writes it, comments and a block."""
PLACE = "MAF"
"""The tag of where a row lies: start, size, strand and length of its source, as in the file."""
BLOCK = "MAF"
"""The tag of what the first line of a block says."""
QUALITY = "MAF_q"
MOST = 1000
"""Blocks that are opened."""


def read(stream: Iterator[bytes], source: str) -> Iterator[Raw]:
    """The first MOST blocks; the note of the first alignment says how many others there are, and lines left out."""
    found: list[Raw] = []
    blocks = others = 0
    rows, said = Rows(source), list[tuple[str, str]]()
    places, qualities = list[tuple[int, str, str]](), list[tuple[int, str, str]]()

    def finish() -> None:
        nonlocal rows, said, places, qualities
        if len(rows):
            found.append(
                rows.raw(Annotations(tuple(said), tuple(places), (), tuple(qualities)), f"block {len(found) + 1:,}")
            )
        rows, said, places, qualities = Rows(source), [], [], []

    for place, line in numbered_lines(stream, source):
        kind, parts = line[:2].rstrip(), line.split()
        if kind == b"a":
            blocks += 1
            if blocks <= MOST + 1:
                finish()
            said = [(BLOCK, text(b" ".join(parts[1:])))]
        elif blocks > MOST:
            continue
        elif kind == b"s":
            if len(parts) != 7:
                place.refuse("a row has 7 fields: s, name, start, size, strand, length of the source, letters")
            row = rows.new(parts[1])
            rows.extend(row, parts[6])
            places.append((row, PLACE, text(b" ".join(parts[2:6]))))
        elif kind == b"q" and len(parts) == 3 and len(rows):
            qualities.append((len(rows) - 1, QUALITY, text(parts[2])))
        elif kind in (b"i", b"e"):
            others += 1
    finish()
    told = [f"{others:,} lines about stretches that are not aligned (i, e)"] * bool(others)
    told += [f"{blocks - MOST:,} of {blocks:,} blocks"] * (blocks > MOST)
    if found and told:
        found[0] = found[0]._replace(note=f"left out: {', '.join(told)}")
    return iter(found)
