"""Records of FASTQ: letters and qualities over one line each or over several."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_formats.raw_alignment import SourceLine, numbered_lines
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.io.record_letters import SequenceRecord, make_record
from antidiag.kernels.text import format_count

HEAD = re.compile(rb"@[^\n]*\n[^\S\n]*([A-Za-z*.~?-]*+[^\S\n]*+\n)++\+")
"""A title, lines of letters, and a line that begins with a plus sign."""
BLANK = b" \t\x1a"
"""What may stand between and behind records: Ctrl-Z ends files of old systems."""
UNKNOWN_BASE = b"."
"""A base that was not called; old sequencers write it so."""
QUALITIES_NOTE = "qualities left out"
CAPTION_NOTE = "another title after '+' left out"


def read_fastq(stream: Iterator[bytes], source: str) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield each record with its place; InputError names the line of a record that is damaged or cut short.

    A record begins with '@', its qualities with '+'; there are as many qualities as letters, which may begin with
    either sign.
    """
    lines = numbered_lines(stream, source)
    for place, line in lines:
        if line.strip(BLANK):
            yield _read_record(place, line, lines)


def _read_record(
    place: SourceLine, line: bytes, lines: Iterator[tuple[SourceLine, bytes]]
) -> tuple[str, SequenceRecord]:
    if not line.startswith(b"@"):
        place.refuse(f"{decode_text(line[:40])!r} begins no record of FASTQ; each begins with '@' and a name")
    title = decode_text(line[1:]).strip()
    name, *description = title.split(None, 1) or [f"unnamed-{place.line}"]
    letters, caption = b"", b""
    for _, text in lines:
        if text.startswith(b"+"):
            caption = text[1:].strip()
            break
        letters += text.strip()
    else:
        place.refuse(f"record {name} has no line '+' and no qualities; fetch the whole file")
    _skip_qualities(name, len(letters), place, lines)
    unknown = letters.count(UNKNOWN_BASE)
    letters = letters.replace(UNKNOWN_BASE, b"N")
    record = make_record(name, description[0] if description else "", letters, place.source, place.line + 1, True)
    notes = [
        record.note,
        f"{unknown:,} '.' replaced by N" if unknown else "",
        QUALITIES_NOTE if letters else "",
        CAPTION_NOTE if caption not in (b"", line[1:].strip()) else "",
    ]
    return f"{place.source}, line {place.line}, record {name}", record._replace(note="; ".join(filter(None, notes)))


def _skip_qualities(name: str, count: int, place: SourceLine, lines: Iterator[tuple[SourceLine, bytes]]) -> None:
    """Read over the qualities of a record, as many as it has letters."""
    found = 0
    while found < count:
        _, text = next(lines, (place, None))
        if text is None:
            place.refuse(
                f"record {name} has {format_count(count, 'letter')}, but only {found:,} qualities; fetch the whole file"
            )
        found += len(text.strip())
    if found > count:
        place.refuse(f"record {name} has {format_count(count, 'letter')}, but {found:,} qualities; correct the record")
