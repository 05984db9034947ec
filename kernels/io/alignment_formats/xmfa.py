"""XMFA: blocks of aligned regions of genomes as FASTA, each ended by a line '=', as Mauve and Parsnp write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from antidiag.kernels.io.alignment_formats.pair_letters import POSITION_TAG
from antidiag.kernels.io.alignment_formats.raw_alignment import (
    Annotations,
    RawAlignment,
    RowBuilder,
    SourceLine,
    numbered_lines,
    remove_white_space,
)
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.text import format_count

TITLE = re.compile(rb">\s*([^\s:]*(?::[^\s:]*)*?):(\d{1,18})-(\d{1,18})\s+([+-])(?:\s+(.*))?\s*")
"""The number or name of a sequence, the first and last position there, the strand, and more words."""
HEAD = re.compile(rb"#FormatVersion\b|(?:#[^\n]*\n\s*+)*+>\s*\S+:\d+-\d+\s+[+-]\s")
FILE_OF_MAUVE = re.compile(rb"#Sequence(\d+)File\s+(\S.*)")
ABOUT_OF_PARSNP = re.compile(rb"##Sequence(Index|File|Header)\s+>?\s*(\S+).*")
END, BLOCK_TAG = b"=", "XMFA"
"""The line that ends a block, and the tag of what it says."""
MAX_BLOCKS = 1000
"""Blocks that are read at most."""


def looks_like_xmfa(start: bytes) -> bool:
    """Return whether a text begins with XMFA's head, or with a block that a line '=' ends."""
    found = HEAD.match(start)
    return found is not None and (found[0].startswith(b"#FormatVersion") or b"\n=" in start)


@dataclass
class _Block:
    """A block while it is read."""

    rows: RowBuilder
    places: list[tuple[int, str, str]] = field(default_factory=list)
    stated: list[int] = field(default_factory=list)
    name: str = ""

    def count_wrong_rows(self) -> int:
        """Return how many rows have another number of letters than their title states."""
        letters = (len(self.rows.letters_of(row).translate(None, b"-.")) for row in range(len(self.rows)))
        return sum(own != stated for own, stated in zip(letters, self.stated, strict=True))


def read_xmfa(stream: Iterator[bytes], source: str) -> Iterator[RawAlignment]:
    """Return the first MAX_BLOCKS blocks of several rows; the note of the first says what was left out."""
    names = dict[bytes, bytes]()
    found, single, surplus, wrong = list[RawAlignment](), 0, 0, 0
    block, index = _Block(RowBuilder(source)), b""

    def finish(said: str) -> None:
        nonlocal block, single, surplus, wrong
        if len(block.rows) == 1:
            single += 1
        elif len(found) >= MAX_BLOCKS:
            surplus += 1
        elif len(block.rows):
            wrong += block.count_wrong_rows()
            notes = Annotations(((BLOCK_TAG, said),) if said else (), tuple(block.places))
            found.append(block.rows.build_alignment(notes, block.name or f"block {len(found) + 1:,}"))
        block = _Block(RowBuilder(source))

    for place, line in numbered_lines(stream, source):
        if line.startswith(b"#"):
            index = _add_name(line, names, index)
        elif line.startswith(END):
            finish(decode_text(line[1:]).strip())
        elif line.startswith(b">"):
            _add_row(line, names, block, place)
        elif line.strip():
            if not len(block.rows):
                place.refuse("letters before the first title; begin each row with a line such as > 1:1-24 + genome.fa")
            block.rows.extend_row(len(block.rows) - 1, remove_white_space(line))
    finish("")
    skipped = [format_count(single, "block") + " of one row"] * bool(single)
    skipped += [f"{surplus:,} more blocks"] * bool(surplus)
    remarks = [f"skipped: {', '.join(skipped)}"] * bool(skipped)
    remarks += [f"last position left out of {format_count(wrong, 'row')} of another length than stated"] * bool(wrong)
    if found and remarks:
        found[0] = found[0]._replace(note="; ".join(remarks))
    return iter(found)


def _add_name(line: bytes, names: dict[bytes, bytes], index: bytes) -> bytes:
    """Remember the name that a line of the head gives a sequence; return the number that the next lines are about."""
    if mauve := FILE_OF_MAUVE.fullmatch(line):
        names[mauve[1]] = _file_name(mauve[2])
    elif parsnp := ABOUT_OF_PARSNP.fullmatch(line):
        if parsnp[1] == b"Index":
            return parsnp[2]
        names[index] = _file_name(parsnp[2]) if parsnp[1] == b"File" else parsnp[2]
    return index


def _file_name(path: bytes) -> bytes:
    return re.split(rb"[/\\]", path.strip())[-1]


def _add_row(line: bytes, names: dict[bytes, bytes], block: _Block, place: SourceLine) -> None:
    """Begin a row with its title."""
    title = TITLE.fullmatch(line)
    if title is None:
        place.refuse(f"{decode_text(line[:60])!r} is not a title of XMFA, such as > 1:1-24 + genome.fa")
    number, first, last, strand, words = title.groups()
    said = (words or b"").strip()
    in_cluster = said.startswith(b"cluster")
    if in_cluster:
        block.name = decode_text(said.split()[0])
    fallback = _file_name(said) if said and number.isdigit() and not in_cluster else number
    row = block.rows.add_row(names.get(number, fallback) or b"unnamed-%d" % (len(block.rows) + 1))
    is_absent = int(last) == 0  # Mauve gives a genome that has nothing in a block a row of gaps at 0-0
    block.stated.append(0 if is_absent else int(last) - int(first) + 1)
    if not is_absent:
        block.places.append((row, POSITION_TAG, f"{int(first):,} {decode_text(strand)}"))
