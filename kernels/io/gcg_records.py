"""Single sequences of GCG: text of any kind, a line that ends with two dots, and numbered letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_formats.raw_alignment import numbered_lines
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.io.record_letters import SequenceRecord, make_record
from antidiag.kernels.model import SequenceType

STATED = re.compile(rb"\sLength:\s*(\d{1,18})\b")
"""The number of letters, behind the name."""
TYPE = re.compile(rb"\bType:\s*([PN])\b")
TYPES = {b"P": SequenceType.PROTEIN, b"N": SequenceType.DNA}
CHECK, DIVIDER = b" Check:", b".."
HEAD_LINES = 500
"""Lines of text that may precede the letters."""


def looks_like_gcg(start: bytes) -> bool:
    """Return whether a text that begins so has the line that divides text and letters."""
    return CHECK in start and any(_is_divider(line) for line in start.split(b"\n", HEAD_LINES)[:HEAD_LINES])


def _is_divider(line: bytes) -> bool:
    return CHECK in line and line.rstrip().endswith(DIVIDER) and STATED.search(line) is not None


def read_gcg(stream: Iterator[bytes], source: str) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield the one record with its place; its note gives the number of letters that the file states, if it differs."""
    lines = numbered_lines(stream, source)
    place, divider = next((place, line) for place, line in lines if _is_divider(line))
    stated, kind = STATED.search(divider), TYPE.search(divider)
    assert stated is not None, "the divider states a length"
    name = decode_text(b"".join(divider[: stated.start()].split()[-1:])) or "unnamed-1"
    body = b"\n".join(b"".join(word for word in line.split() if not word.isdigit()) for _, line in lines)
    record = make_record(name, "", body, source, place.line + 1)
    found, announced = len(body.translate(None, b"\n")), int(stated[1])
    note = f"the head states {announced:,} letters, and there are {found:,}" * (found != announced)
    yield (
        f"{source}, line {place.line:,}, record {name}",
        record._replace(type=TYPES[kind[1]] if kind else None, note="; ".join(filter(None, (record.note, note)))),
    )
