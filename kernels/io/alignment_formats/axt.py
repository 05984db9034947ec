"""AXT: blocks of two aligned ranges of chromosomes with their letters, as the genome browsers give them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.io.alignment_formats.pair_letters import PairLetters, build_pair
from antidiag.kernels.io.alignment_formats.raw_alignment import RawAlignment, SourceLine, numbered_lines
from antidiag.kernels.io.alignment_formats.sam_paf import MAX_RECORDS
from antidiag.kernels.text import format_count, quote_text

HEAD = re.compile(
    rb"(?:#[^\n]*\n\s*)*+[0-9]+(?:[ \t]+\S+[ \t]+[0-9]{1,18}[ \t]+[0-9]{1,18}){2}[ \t]+[-+][ \t]+-?[0-9.]+[ \t]*\n"
)
"""Comments, and the first line of a block: number, name, start, end, name, start, end, strand and score."""
ROW = re.compile(rb"[A-Za-z*-]+")
HEADER = "AXT"
"""The tag of the first line of a block."""


def read_axt(stream: Iterator[bytes], source: str, letters: PairLetters | None = None) -> Iterator[RawAlignment]:
    """Read the first blocks, the primary sequence above the aligned one.

    The file counts ranges on the reverse strand from the other end. Their positions on the forward strand follow from
    the length of the sequence, if it is among the ``letters``; else they are left out, which the note says.
    """
    letters, found = letters or PairLetters(), list[RawAlignment]()
    block: list[tuple[SourceLine, bytes]] = []
    blocks = unplaced = 0
    for place, line in numbered_lines(stream, source):
        if not line.strip() or line.startswith(b"#"):
            continue
        block.append((place, line.strip()))
        if len(block) < 3:
            continue
        blocks += 1
        if len(found) < MAX_RECORDS:
            pair, is_placed = _read_block(block, letters)
            found.append(pair)
            unplaced += not is_placed
        block = []
    if block:
        block[0][0].refuse("the block ends early; it has a line of letters for each of both sequences")
    notes = [f"positions of {format_count(unplaced, 'row')} on reverse strands left out: {letters.remedy}"]
    skipped = [f"skipped: {format_count(blocks - len(found), 'more block')}"]
    said = [*notes * bool(unplaced), *skipped * (blocks > len(found))]
    if said:
        found[0] = found[0]._replace(note="; ".join(said))
    return iter(found)


def _read_block(lines: list[tuple[SourceLine, bytes]], letters: PairLetters) -> tuple[RawAlignment, bool]:
    """Return the alignment of a block, and whether the position of its second row is known."""
    place, head = lines[0]
    fields = head.split()
    if not HEAD.match(head + b"\n") or len(fields) != 9:
        place.refuse(
            f"{quote_text(head)} does not begin a block, which is a number, name, start and end twice, strand and score"
        )
    first, second = int(fields[2]), int(fields[5])
    for (row_place, row), start, end in zip(lines[1:], (first, second), (int(fields[3]), int(fields[6])), strict=True):
        if not ROW.fullmatch(row) or len(row) != len(lines[1][1]):
            row_place.refuse("both lines of a block hold letters and '-', as many in each; correct the line")
        if len(row.replace(b"-", b"")) != end - start + 1:
            row_place.refuse(
                f"the block says letters {start:,} to {end:,}, and the line has {len(row.replace(b'-', b'')):,}; "
                "correct either"
            )
    strand = fields[7].decode()
    length = letters.find_length(fields[4]) if strand == "-" else 0
    if strand == "-" and length is not None:
        second = length - int(fields[6]) + 1
    rows = bytearray(lines[1][1]), bytearray(lines[2][1])
    pair = build_pair(fields[1], fields[4], rows, (first - 1, "+"), (second - 1, strand))
    notes = pair.annotations
    known = length is not None
    of_rows = notes.of_rows if known else notes.of_rows[:1]
    said = ((HEADER, head.decode("utf-8", "replace")),)
    return pair._replace(annotations=type(notes)(said, of_rows), name=f"block {fields[0].decode()}"), known
