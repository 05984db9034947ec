"""A3M files of several alignments: separated by lines "#name", or, in databases of HH-suite, by zero bytes.

A database has an index beside it, whose lines are the name, the first byte and the bytes of each alignment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats import aligned_fasta
from antidiag.kernels.io.alignment_formats.raw_alignment import RawAlignment
from antidiag.kernels.io.line_blocks import decode_text, split_blocks

DATABASE_SUFFIX, INDEX_SUFFIX = ".ffdata", ".ffindex"
"""Suffixes of a database and of its index."""
MAX_ALIGNMENTS = 1000
"""Alignments that are read from a file at most."""
TITLE = re.compile(rb"^#([^\n]*)\n", re.MULTILINE)
EXTRACT_HINT = (
    "take those that you want out of it, one with: ffindex_get DATABASE.ffdata DATABASE.ffindex NAME > NAME.a3m"
)


def may_hold_several(head: bytes) -> bool:
    """Return whether an A3M file with these first bytes may hold several alignments."""
    return head.startswith(b"#") or b"\0" in head or b"\n#" in head


def read_a3m_entries(stream: Iterator[bytes], source: str, index: Path) -> Iterator[RawAlignment]:
    """Read each alignment, with its name; ``index`` is where a database would have its index.

    InputError where there are more than MAX_ALIGNMENTS, or where one is not A3M.
    """
    parts: list[tuple[str, bytes]] = []
    for entry in split_blocks(stream, lambda block: block.split(b"\0")):
        parts += _split_titles(entry)
        if len(parts) > MAX_ALIGNMENTS:
            raise InputError(f"{source}: more than {MAX_ALIGNMENTS:,} alignments; {EXTRACT_HINT}")
    if not parts:
        raise InputError(f"{source}: the file has no alignment; give one with rows")
    names = _entry_names(index, len(parts))
    for number, (title, part) in enumerate(parts):
        place = f"{source}, alignment {number + 1:,}"
        if not part.startswith(b">"):
            raise InputError(
                f"{place}: it begins with {decode_text(part[:20])!r}, but A3M begins with '>'. Of the databases of "
                "HH-suite open the one "
                "that ends with _a3m.ffdata; unpack a _ca3m.ffdata with HH-suite first"
            )
        raw = aligned_fasta.read_a3m(iter([part]), place, len(part))
        yield raw._replace(name=title or (names[number] if names else "") or raw.names[0])


def _split_titles(entry: bytes) -> list[tuple[str, bytes]]:
    """Return the alignments of an entry, each with the text of the line "#" before it; lines "#" without rows are
    dropped."""
    before, *pieces = TITLE.split(entry)
    found = [
        ("", before),
        *((decode_text(title).strip(), part) for title, part in zip(*[iter(pieces)] * 2, strict=True)),
    ]
    return [(title, body) for title, part in found if (body := part.lstrip())]


def _entry_names(index: Path, count: int) -> list[str]:
    """Return the names of entries in the order of a database; none where the index is missing or does not fit."""
    found: list[tuple[int, str]] = []
    with suppress(OSError, ValueError):
        for line in index.read_text(encoding="utf-8", errors="replace").splitlines():
            name, first, _ = line.split("\t")
            found.append((int(first), name))
    return [name for _, name in sorted(found)] if len(found) == count else []
