"""Records of FASTA that are not aligned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import SourceLine, refuse_match_signs, remove_white_space
from antidiag.kernels.io.line_blocks import decode_text, split_blocks
from antidiag.kernels.io.record_letters import SequenceRecord, make_record
from antidiag.kernels.io.stray_characters import BEFORE_TITLE
from antidiag.kernels.text import quote_text

TEXT_LINE = re.compile(rb"^[ \t]*(?=[A-Z][a-z]{2})(?![ACGTUNacgtun]+[ \t])[A-Z][a-z]+[ \t]+\S[^\n]*", re.MULTILINE)
"""A line that begins with a word such as Score, and goes on."""

THREE_LETTERS = re.compile(
    rb"\s*(?:(?:Ala|Arg|Asn|Asp|Cys|Gln|Glu|Gly|His|Ile|Leu|Lys|Met|Phe|Pro|Ser|Thr|Trp|Tyr|Val|Ter|Xaa)(?:[\s-]+|\Z)){3,}",
    re.IGNORECASE,
)


def read_fasta_records(stream: Iterator[bytes], source: str, line: int = 1) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield each record with its place.

    Parameters
    ----------
    stream : iterator of bytes
        The text in blocks of whole lines.
    source : str
        What errors call the file.
    line : int
        The number of the first line in the file.
    """
    pieces = split_blocks(stream, _split_titles)
    before = next(pieces)
    comments = _count_comments(before, source, line)
    line += before.count(b"\n")
    first = b""
    for number, piece in enumerate(pieces, 1):
        title, _, body = piece.partition(b"\n")
        name, *described = decode_text(title).split(None, 1) or [f"unnamed-{number}"]
        if number == 1:
            first = remove_white_space(body)
        elif b"." in body and b"." not in first:
            refuse_match_signs(first, remove_white_space(body), name, source)
        if b" " in body or b"-" in body:
            _refuse_text(body, SourceLine(source, line + 1), name)
        record = make_record(name, described[0].strip() if described else "", body, source, line + 1, True)
        if comments:
            said = f"{comments:,} comment line{'s' * (comments > 1)} left out"
            record, comments = record._replace(note="; ".join(filter(None, (said, record.note)))), 0
        yield f"{source}, line {line}, record {name}", record
        line += piece.count(b"\n") + 1


def _refuse_text(body: bytes, first: SourceLine, name: str) -> None:
    """Raise InputError for a line of text among the lines of letters; ``first`` is the place of the first line."""
    if THREE_LETTERS.fullmatch(body):
        first.refuse(f"record {name}: these are three-letter codes of amino acids; write one letter for each")
    if text := TEXT_LINE.search(body):
        place = first._replace(line=first.line + body.count(b"\n", 0, text.start()))
        place.refuse(
            f"record {name}: {quote_text(text[0].strip())} seems to be text, and no letters; put it behind the title, "
            "or remove it"
        )


def _split_titles(block: bytes) -> list[bytes]:
    """Return what precedes the first title of a block, and every record without its '>' and its last line end."""
    if not block.isascii():
        block = BEFORE_TITLE.sub(b"", block)
    return (b"\n" + block.removesuffix(b"\n")).split(b"\n>")


def parse_fasta_text(text: bytes, source: str, line: int) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield the records of a text whose first line has this number in its file, each with its place."""
    return read_fasta_records(iter([text]), source, line)


def _count_comments(before: bytes, source: str, line: int) -> int:
    """Return the number of comment lines before the first title; InputError for other text."""
    lines = [text for text in before.split(b"\n") if text.strip()]
    if any(text[:1] not in b";#" for text in lines):
        raise InputError(f"{source}, line {line}: there is text before the first '>'; remove it")
    return len(lines)
