"""Chains of UCSC: gapless blocks of two chromosomes and the gaps between them; the letters stand in other files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.pair_letters import (
    Operations,
    PairLetters,
    align_letters,
    build_pair,
)
from antidiag.kernels.io.alignment_formats.raw_alignment import RawAlignment, SourceLine, numbered_lines
from antidiag.kernels.io.alignment_formats.sam_paf import MAX_RECORDS, NUMBER
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.text import format_count

HEAD = re.compile(rb"(?:#[^\n]*\n\s*)*+chain[ \t]+-?[0-9.]+[ \t]+\S+[ \t]+[0-9]+[ \t]+[-+][ \t]")
FIELDS = (12, 13)
"""Fields of a first line: chain, score, name, size, strand, start and end of target and query, and perhaps an id."""


def read_chains(stream: Iterator[bytes], source: str, letters: PairLetters | None = None) -> Iterator[RawAlignment]:
    """Read the first chains whose letters are known, target above query."""
    letters, found = letters or PairLetters(), list[RawAlignment]()
    chains = without = 0
    for place, head, blocks in _split_chains(stream, source):
        chains += 1
        if len(found) == MAX_RECORDS:
            continue
        pair = _read_chain(place, head, blocks, letters)
        if pair is None:
            without += 1
        else:
            found.append(pair)
    if not found:
        raise InputError(f"{source}: {format_count(chains, 'chain')}, and a chain has no letters; {letters.remedy}")
    skipped = [f"{without:,} of {chains:,} chains without letters"] * bool(without)
    more = chains - without - len(found)
    skipped += [format_count(more, "more chain")] * bool(more)
    if skipped:
        found[0] = found[0]._replace(note=f"skipped: {', '.join(skipped)}")
    return iter(found)


Block = tuple[SourceLine, list[bytes]]
"""A line of a chain: letters without a gap, then unless it is the last letters of the target and of the query alone."""


def _split_chains(stream: Iterator[bytes], source: str) -> Iterator[tuple[SourceLine, list[bytes], list[Block]]]:
    """Yield the first line of every chain, as fields, and its further lines."""
    head: tuple[SourceLine, list[bytes]] | None = None
    blocks: list[Block] = []
    for place, line in numbered_lines(stream, source):
        fields = line.split()
        if not fields or line.startswith(b"#"):
            continue
        if fields[0] == b"chain":
            if head is not None:
                yield *head, blocks
            head, blocks = (place, fields), []
        elif head is None:
            place.refuse("a chain begins with a line of the word chain and 12 fields; correct the line")
        else:
            blocks.append((place, fields))
    if head is not None:
        yield *head, blocks


def _read_chain(place: SourceLine, head: list[bytes], blocks: list[Block], letters: PairLetters) -> RawAlignment | None:
    """Return the alignment of a chain; None where its letters are not known."""
    if len(head) not in FIELDS or not all(NUMBER.fullmatch(head[at]) for at in (3, 5, 6, 8, 10, 11)):
        place.refuse("the first line of a chain has name, size, strand, start and end of target and query; correct it")
    target, query = (_find_range(head[at : at + 5]) for at in (2, 7))
    rows = [letters.cut(name, start, end, strand, place, size) for name, size, strand, start, end in (target, query)]
    operations = _list_operations(blocks, place)
    if not all(rows):
        return None
    pair = align_letters(operations, rows[0], rows[1], place)
    made = build_pair(target[0], query[0], pair, (target[3], target[2]), (query[3], query[2]))
    return made._replace(name=f"chain {decode_text(head[12])}") if len(head) == FIELDS[1] else made


def _find_range(fields: list[bytes]) -> tuple[bytes, int, str, int, int]:
    """Return name, size, strand, and start and end on the forward strand: a chain counts on its own strand."""
    size, start, end = int(fields[1]), int(fields[3]), int(fields[4])
    if fields[2] == b"-":
        start, end = size - end, size - start
    return fields[0], size, "-" if fields[2] == b"-" else "+", start, end


def _list_operations(blocks: list[Block], head: SourceLine) -> Operations:
    """Return the operations of the lines of a chain."""
    found: Operations = []
    for number, (place, fields) in enumerate(blocks, 1):
        is_last = number == len(blocks)
        if len(fields) != (1 if is_last else 3) or not all(map(NUMBER.fullmatch, fields)):
            place.refuse(
                "a line has the size of a block and two gaps, the last line of a chain the size alone; correct it"
            )
        found += [(int(size), kind) for size, kind in zip(fields, (b"M", b"D", b"I"), strict=False) if int(size)]
    if not blocks:
        head.refuse("the chain has no block; the file is truncated")
    return found
