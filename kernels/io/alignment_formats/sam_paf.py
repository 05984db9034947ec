"""SAM and PAF: pairwise alignments, written as operations on letters that may stand elsewhere.

A record with all of its letters becomes an alignment of two rows: a SAM record with MD or cs, a PAF record with the
long form of cs. The letters of the others come from the sequence files that are given together with it; records without
letters are counted in the note.

Positions are on the forward strand of each sequence, as the specifications have them: SAM counts those of the reference
from 1, PAF all from 0. A query on the reverse strand is the reverse complement of its range.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import takewhile

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.pair_letters import (
    Operations,
    PairLetters,
    PairRows,
    align_letters,
    build_pair,
)
from antidiag.kernels.io.alignment_formats.raw_alignment import RawAlignment, SourceLine, numbered_lines
from antidiag.kernels.text import format_count, quote_text

SAM_HEAD = re.compile(
    rb"@(HD|SQ|RG|PG|CO)\t"
    rb"|[^\t\n]+\t\d+\t[^\t\n]+\t\d+\t\d+\t(\*|(\d+[MIDNSHP=X])+)\t[^\t\n]+\t\d+\t-?\d+\t"
)

"""A line of the head, or a record of a file without a head, as `samtools view` writes it."""
PAF_HEAD = re.compile(rb"[^\t\n]+\t\d+\t\d+\t\d+\t[+-]\t[^\t\n]+\t\d+\t\d+\t\d+\t\d+\t\d+\t\d+(\t|\n|\Z)")
MAX_RECORDS = 1000
"""Records that are read at most."""

CIGAR = re.compile(rb"(\d+)([MIDNSHP=X])")
WHOLE_CIGAR = re.compile(rb"\*|([0-9]++[MIDNSHP=X])++")
"""A whole CIGAR. Possessive repeats: backtracking over many digits would take quadratic time."""
MD = re.compile(rb"(\d+)|\^([A-Za-z]+)|([A-Za-z])")
CS = re.compile(rb"=([A-Za-z]+)|:(\d+)|\*([A-Za-z])([A-Za-z])|\+([A-Za-z]+)|-([A-Za-z]+)")
WHOLE_CS = re.compile(rb"(=[A-Za-z]++|:[0-9]++|\*[A-Za-z][A-Za-z]|[-+][A-Za-z]++|~[a-z]{2}[0-9]++[a-z]{2})*+")
NUMBER = re.compile(rb"[0-9]{1,18}")
"""No number of a sequence has more digits, and Python refuses very many."""
WRITTEN_LETTERS = re.compile(rb"[A-Za-z]+")
"""Letters of a query, all of them written."""
ALIGNED, CLIPPED = b"MI=X", b"SH"
"""Operations that align letters of the query, and those that leave them out at its ends."""

PairReader = Callable[[list[bytes], SourceLine, PairLetters], "RawAlignment | None"]


def read_sam(stream: Iterator[bytes], source: str, letters: PairLetters | None = None) -> Iterator[RawAlignment]:
    """Read the alignments of the records whose letters are known, reference above query."""
    return _read_pairs(
        stream, source, letters or PairLetters(), _pair_of_sam, "without MD, cs or letters, or with an intron (N)"
    )


def read_paf(stream: Iterator[bytes], source: str, letters: PairLetters | None = None) -> Iterator[RawAlignment]:
    """Read the alignments of the records whose letters are known, target above query."""
    return _read_pairs(
        stream,
        source,
        letters or PairLetters(),
        _pair_of_paf,
        "without the long form of cs (minimap2 --cs=long), or with an intron (~)",
    )


def _read_pairs(
    stream: Iterator[bytes], source: str, letters: PairLetters, pair_of: PairReader, why: str
) -> Iterator[RawAlignment]:
    found: list[RawAlignment] = []
    records = without = 0
    for place, line in numbered_lines(stream, source):
        if line.startswith(b"@SQ\t"):
            _state_length(line.split(b"\t"), letters)
        if not line.strip() or line.startswith(b"@"):
            continue
        records += 1
        pair = pair_of(line.split(b"\t"), place, letters)
        if pair is None:
            without += 1
        elif len(found) < MAX_RECORDS:
            found.append(pair)
    if not found:
        every = "all " if records != 1 else ""
        raise InputError(f"{source}: {format_count(records, 'record')}, {every}{why}; {letters.remedy}")
    more = records - without - len(found)
    skipped = [f"{without:,} of {records:,} records, {why}"] * bool(without) + [
        format_count(more, "more record")
    ] * bool(more)
    if skipped:
        found[0] = found[0]._replace(note=f"skipped: {', '.join(skipped)}")
    return iter(found)


def _state_length(fields: list[bytes], letters: PairLetters) -> None:
    """Keep the length that the head of SAM states for a reference."""
    name, length = _tag_text(fields, b"SN:"), _tag_text(fields, b"LN:").strip()
    if name and NUMBER.fullmatch(length):
        letters.state_length(name, int(length))


def _pair_of_sam(fields: list[bytes], place: SourceLine, letters: PairLetters) -> RawAlignment | None:
    if len(fields) < 11:
        place.refuse(f"a SAM record has 11 fields or more, this one has {len(fields)}; correct the line")
    name, flag, reference, start, _, cigar = fields[:6]
    if not (NUMBER.fullmatch(flag) and NUMBER.fullmatch(start)):
        place.refuse("flag and position, the second and fourth field of SAM, must be numbers")
    if not WHOLE_CIGAR.fullmatch(cigar):
        place.refuse(f"{quote_text(cigar)} is not a CIGAR, which is numbers with a letter each, or *")
    operations = [(_parse_size(size, place), kind) for size, kind in CIGAR.findall(cigar)]
    if not operations or b"N" in cigar or int(flag) & 4 or not int(start):
        return None
    needed = sum(size for size, kind in operations if kind in b"MIS=X")
    if fields[9] != b"*" and needed != len(fields[9]):
        place.refuse(
            f"CIGAR covers {needed:,} letters of the query, but the record has {len(fields[9]):,}; correct either"
        )
    front, back = (_clipped_letters(list(some), CLIPPED) for some in (operations, operations[::-1]))
    strand, before = ("-", back) if int(flag) & 16 else ("+", front)
    query = _query_of_sam(fields, operations, place, letters, (before, strand, front + back))
    pair = _rows_by_cs(fields, query, place) or _rows_by_md(fields, operations, query, place)
    if pair is None:
        pair = _rows_by_letters(fields, operations, query, place, letters)
    if pair is None or not pair[0]:
        return None
    return build_pair(reference, name, pair, (int(start) - 1, "+"), (before, strand))


def _clipped_letters(operations: Operations, kinds: bytes) -> int:
    """Return how many letters at the first end of these operations are clipped, by operations of these kinds."""
    return sum(size for size, kind in takewhile(lambda one: one[1] in CLIPPED, operations) if kind in kinds)


def _query_of_sam(
    fields: list[bytes],
    operations: Operations,
    place: SourceLine,
    letters: PairLetters,
    clipped: tuple[int, str, int],
) -> bytes:
    """Return the aligned letters of the query, from the record or from a file; nothing where neither has them all.

    ``clipped`` are the letters before the aligned ones on the forward strand, the strand, and all clipped letters.
    """
    if WRITTEN_LETTERS.fullmatch(fields[9]):
        first, last = (_clipped_letters(list(some), b"S") for some in (operations, operations[::-1]))
        return fields[9][first : len(fields[9]) - last]
    if fields[9] != b"*":  # '=' for letters that equal the reference's, as `samtools calmd -e` writes
        return b""
    before, strand, clips = clipped
    aligned = sum(size for size, kind in operations if kind in ALIGNED)
    return letters.cut(fields[0], before, before + aligned, strand, place, aligned + clips)


def _parse_size(digits: bytes, place: SourceLine) -> int:
    if not NUMBER.fullmatch(digits):
        place.refuse(f"{quote_text(digits)} letters are more than any sequence has; correct the number")
    return int(digits)


def _tag_text(fields: list[bytes], name: bytes) -> bytes:
    """Return the text of a tag; nothing where there is no such tag."""
    return next((field[len(name) :] for field in fields if field.startswith(name)), b"")


def _rows_by_cs(fields: list[bytes], query: bytes, place: SourceLine) -> PairRows | None:
    """Return reference and query by the tag cs, whose short form takes the letters of the query; None without
    either."""
    pair = _rows_of_cs(_tag_text(fields[11:], b"cs:Z:"), b"", query, place)
    if pair and query and pair[1].replace(b"-", b"").upper() != query.upper():
        place.refuse("cs and the letters of the query contradict each other; write the record again")
    return pair


def _rows_by_md(fields: list[bytes], operations: Operations, query: bytes, place: SourceLine) -> PairRows | None:
    """Return reference and query by the tag MD; None without it, and where letters of the query are missing."""
    tag = _tag_text(fields[11:], b"MD:Z:")
    silent = all(kind in b"DHPS" for _, kind in operations)  # no letter of the query is aligned, and none is said
    if not tag or not (silent or query):
        return None
    if sum(size for size, kind in operations if kind == b"D") > len(tag):
        place.refuse("MD and CIGAR contradict each other; write the record again")
    above, below, at = bytearray(), bytearray(), 0
    for size, kind in operations:
        if kind in b"M=X":
            above += query[at : at + size]
            below += query[at : at + size]
            at += size
        elif kind == b"I":
            above += b"-" * size
            below += query[at : at + size]
            at += size
        elif kind == b"D":
            above += b"N" * size
            below += b"-" * size
    if not _put_reference(above, below, tag):
        place.refuse("MD and CIGAR contradict each other; write the record again")
    return above, below


def _rows_by_letters(
    fields: list[bytes], operations: Operations, query: bytes, place: SourceLine, letters: PairLetters
) -> PairRows | None:
    """Return reference and query by the letters of the reference in a file; None where these are not known."""
    aligned = [(size, kind) for size, kind in operations if kind in b"MID=X"]
    start, used = int(fields[3]) - 1, sum(size for size, kind in aligned if kind in b"MD=X")
    target = letters.cut(fields[2], start, start + used, "+", place)
    if not target and used:
        return None
    if fields[9] != b"*" and not query:
        query = _fill_equal_letters(fields[9], operations, target)
    if not query and any(kind in ALIGNED for _, kind in aligned):
        return None
    return align_letters(aligned, target, query, place)


def _fill_equal_letters(letters: bytes, operations: Operations, target: bytes) -> bytes:
    """Return the aligned letters of a query in which '=' stands for the letter of the reference."""
    found, i, j = bytearray(), 0, 0
    for size, kind in operations:
        own, other = letters[j : j + size], target[i : i + size]
        if kind in b"M=X":
            found += bytes(two if one == ord("=") else one for one, two in zip(own, other, strict=True))
        elif kind == b"I":
            found += own
        i, j = i + size * (kind in b"MD=X"), j + size * (kind in b"MIS=X")
    return bytes(found)


def _put_reference(above: bytearray, below: bytes | bytearray, tag: bytes) -> bool:
    """Write the letters of the reference that differ, as MD has them; return False where they do not fit."""
    columns = [column for column, letter in enumerate(above) if letter != ord("-")]
    at = 0
    for same, deleted, differs in MD.findall(tag):
        if same:
            at += int(same) if NUMBER.fullmatch(same) else len(columns) + 1
            continue
        for letter in deleted or differs:
            if at >= len(columns) or (below[columns[at]] == ord("-")) != bool(deleted):
                return False
            above[columns[at]] = letter
            at += 1
    return at == len(columns)


def _pair_of_paf(fields: list[bytes], place: SourceLine, letters: PairLetters) -> RawAlignment | None:
    if len(fields) < 12:
        place.refuse(f"a PAF record has 12 fields or more, this one has {len(fields)}; correct the line")
    if not all(NUMBER.fullmatch(fields[column]) for column in (1, 2, 3, 6, 7, 8)):
        place.refuse("lengths, starts and ends of query and target, fields 2 to 4 and 7 to 9 of PAF, must be numbers")
    strand = "-" if fields[4] == b"-" else "+"
    length, start, end, target_length, target_start, target_end = (int(fields[at]) for at in (1, 2, 3, 6, 7, 8))
    tags = fields[12:]
    cs, cigar = _tag_text(tags, b"cs:Z:"), _tag_text(tags, b"cg:Z:")
    target = query = b""
    if b"~" in cs or b"N" in cigar or not (cs or cigar):
        return None
    if not cs or b":" in cs:
        target = letters.cut(fields[5], target_start, target_end, "+", place, target_length)
        query = letters.cut(fields[0], start, end, strand, place, length)
    pair = _rows_of_cs(cs, target, query, place) if cs else None
    if pair is None and cigar:
        pair = _rows_of_cigar(cigar, target, query, place)
    if pair is None or not pair[0]:
        return None
    _check_spans(pair, (target, target_end - target_start), (query, end - start), place)
    return build_pair(fields[5], fields[0], pair, (target_start, "+"), (start, strand))


def _rows_of_cigar(cigar: bytes, target: bytes, query: bytes, place: SourceLine) -> PairRows | None:
    """Return target and query by the tag cg; None where the letters of either are not known."""
    if not WHOLE_CIGAR.fullmatch(cigar):
        place.refuse(f"{quote_text(cigar)} is not a CIGAR, which is numbers with a letter each")
    if not (target and query):
        return None
    operations = [(_parse_size(size, place), kind) for size, kind in CIGAR.findall(cigar)]
    return align_letters([one for one in operations if one[1] in b"MID=X"], target, query, place)


def _check_spans(pair: PairRows, target: tuple[bytes, int], query: tuple[bytes, int], place: SourceLine) -> None:
    """Refuse a record whose rows have other letters than those of the files, or another number than its positions."""
    for row, (known, size), which in zip(pair, (target, query), ("target", "query"), strict=True):
        letters = row.replace(b"-", b"").upper()
        if len(letters) != size:
            place.refuse(
                f"the positions of the {which} cover {size:,} letters, but its alignment {len(letters):,}; correct "
                "either"
            )
        if known and letters != known.upper():
            place.refuse(
                f"the letters of the {which} are not those of the file given; give the one from which it was made"
            )


def _rows_of_cs(tag: bytes, target: bytes, query: bytes, place: SourceLine) -> PairRows | None:
    """Return target and query by the tag cs; its short form takes equal letters from the query or from the target.

    None without the tag or the letters, and across an intron (~).
    """
    if not WHOLE_CS.fullmatch(tag):
        place.refuse(f"{quote_text(tag)} is not a difference string (tag cs); correct the record")
    if not tag or b"~" in tag or (b":" in tag and not (query or target)):
        return None
    above, below = bytearray(), bytearray()
    i = j = 0
    for same, count, target_letter, other, inserted, deleted in CS.findall(tag):
        size = _parse_size(count or b"0", place)
        alike = same or (query[j : j + size] if query else target[i : i + size])
        above += alike or target_letter or b"-" * len(inserted) or deleted
        below += alike or other or inserted or b"-" * len(deleted)
        i, j = i + len(alike or target_letter or deleted), j + len(alike or other or inserted)
    return above, below
