"""A3M files of several alignments: each after a line "#name", or, as the databases of HH-suite keep them, each with a
zero byte after it. Those have an index beside them, whose lines are name, first byte and bytes of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_files import fasta
from antidiag.kernels.io.alignment_files.rows import Raw, text
from antidiag.kernels.io.line_blocks import split

DATA, INDEX = ".ffdata", ".ffindex"
"""Suffixes of a database and of its index."""
MOST = 1000
"""Alignments of a file that are read together."""
TITLE = re.compile(rb"^#([^\n]*)\n", re.MULTILINE)
ONE = "take those that you want out of it, one with: ffindex_get DATABASE.ffdata DATABASE.ffindex NAME > NAME.a3m"


def several(head: bytes) -> bool:
    """Whether an A3M file with these first bytes may hold several alignments."""
    return head.startswith(b"#") or b"\0" in head or b"\n#" in head


def read(stream: Iterator[bytes], source: str, index: Path) -> Iterator[Raw]:
    """Each alignment, with its name; InputError where they are more than MOST, or one is none in A3M.

    ``index`` is where a database would have it.
    """
    parts: list[tuple[str, bytes]] = []
    for entry in split(stream, lambda block: block.split(b"\0")):
        parts += _titled(entry)
        if len(parts) > MOST:
            raise InputError(f"{source}: more than {MOST:,} alignments; {ONE}")
    if not parts:
        raise InputError(f"{source}: no alignment in it; give one with rows")
    names = _names(index, len(parts))
    for number, (title, part) in enumerate(parts):
        place = f"{source}, alignment {number + 1:,}"
        if not part.startswith(b">"):
            raise InputError(
                f"{place}: it begins with {text(part[:20])!r}, and A3M with '>'; of the databases of HH-suite the one "
                "that ends with _a3m.ffdata has alignments; _ca3m.ffdata is packed, unpack it by HH-suite first"
            )
        raw = fasta.read_a3m(iter([part]), place, len(part))
        yield raw._replace(name=title or (names[number] if names else "") or raw.names[0])


def _titled(entry: bytes) -> list[tuple[str, bytes]]:
    """The alignments of an entry, each with what the line "#" before it says; lines of that kind alone are none."""
    before, *pieces = TITLE.split(entry)
    found = [("", before), *((text(title).strip(), part) for title, part in zip(*[iter(pieces)] * 2, strict=True))]
    return [(title, body) for title, part in found if (body := part.lstrip())]


def _names(index: Path, count: int) -> list[str]:
    """The names of entries in the order of a database; none where the index is missing or of other entries."""
    found: list[tuple[int, str]] = []
    with suppress(OSError, ValueError):
        for line in index.read_text(encoding="utf-8", errors="replace").splitlines():
            name, first, _ = line.split("\t")
            found.append((int(first), name))
    return [name for _, name in sorted(found)] if len(found) == count else []
