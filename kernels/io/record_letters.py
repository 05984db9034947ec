"""Records of sequence files as they are read, and the cleaning of their letters."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple, NoReturn

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.file_conventions import SoftMasking, soft_masking
from antidiag.kernels.io.line_blocks import LINE_END, decode_text
from antidiag.kernels.io.stray_characters import DIGIT, describe_removed, remove_stray_characters
from antidiag.kernels.model import SequenceType
from antidiag.kernels.text import format_count

UPPER = bytes.maketrans(string.ascii_lowercase.encode(), string.ascii_uppercase.encode())
WHITE_SPACE = b" \t\n\r\v\f"
LETTERS = string.ascii_uppercase.encode()
GAPS = b"-.~"
UNKNOWN = b"?"
"""Stands for a letter that nobody knows; it becomes N or X when the type is known."""
STRAND_BREAK = b"&"
"""Stands between the two strands of a duplex."""
MANY_DIGITS = 20
"""Digits that may number the letters of a short record."""
COLOURS = re.compile(rb"\s*[A-Za-z][0-3.][0-3.\s]{2,}")
"""A base and the colours that follow it, as SOLiD writes them."""
STRANGE = re.compile(rb"[^A-Za-z*?\-.~\s0-9]")


class SequenceRecord(NamedTuple):
    """One record: upper-case letters without gaps, and a note of what was removed from them."""

    name: str
    description: str
    letters: bytes
    note: str = ""
    type: SequenceType | None = None
    cased: bytes = b""


def make_record(
    name: str, description: str, body: bytes, source: str, line: int = 0, keeps_case: bool = False
) -> SequenceRecord:
    """Return the record of a name, what a file says of it, and its lines of letters.

    ``line`` is the line where the letters begin, for errors; 0 where the format has no lines. With ``keeps_case``, the
    format may mask letters as lower case, and the record has them as they are written, where the user wants masking.
    """
    letters, note = clean_letters(body, source, line, name)
    masks = keeps_case and soft_masking() is SoftMasking.UNKNOWN
    cased = _take_cased_letters(body, len(letters)) if masks else b""
    return SequenceRecord(name, f"{name} {description}".strip(), letters, note, cased=cased)


def _take_cased_letters(body: bytes, count: int) -> bytes:
    """Return the letters of sequence lines in their case, of which `clean_letters` left so many."""
    cased = body.translate(None, WHITE_SPACE + GAPS)
    if len(cased.rstrip(b"*")) > count:
        cased = remove_stray_characters(body)[0].translate(None, WHITE_SPACE + GAPS)
    return cased[:count]


def mask_letters(record: SequenceRecord, protein: bool) -> SequenceRecord:
    """Return a record with N, or X of proteins, in place of lower-case letters, and a note of their number.

    A record without capitals is not masked: many files are written in lower case.
    """
    letters = np.frombuffer(record.cased, np.uint8)
    lower = (letters >= ord("a")) & (letters <= ord("z"))
    if not lower.any():
        return record
    capitals = (letters >= ord("A")) & (letters <= ord("Z"))
    if not capitals.any():
        note = "all letters are lower case, which masks none"
        return record._replace(note="; ".join(filter(None, (record.note, note))))
    unknown = "X" if protein else "N"
    masked = np.frombuffer(record.letters, np.uint8).copy()
    masked[lower] = ord(unknown)
    note = f"{format_count(int(lower.sum()), 'masked letter')} read as {unknown}"
    return record._replace(letters=masked.tobytes(), note="; ".join(filter(None, (record.note, note))))


def clean_letters(body: bytes, source: str, line: int, name: str) -> tuple[bytes, str]:
    """Return the upper-case letters of sequence lines, and a note of what was removed from them.

    ``line`` is the line where the body starts, for errors; 0 where the format has no lines.
    """
    letters = body.translate(UPPER, WHITE_SPACE)
    others = letters.translate(None, LETTERS)
    if not others:
        return letters, ""
    notes = []
    if others.translate(None, GAPS + b"*" + UNKNOWN):
        seen, removed = remove_stray_characters(body)
        letters = seen.translate(UPPER, WHITE_SPACE)
        others = letters.translate(None, LETTERS)
        if others.translate(None, GAPS + b"*" + UNKNOWN):
            refuse_letter(body, source, line, name)
        _refuse_numbers(removed[DIGIT], len(letters), body, source, line, name)
        notes.append(describe_removed(removed))
    gaps = len(others.translate(None, b"*" + UNKNOWN))
    if gaps:
        letters = letters.translate(None, GAPS)
        notes.append(f"{format_count(gaps, 'gap')} removed")
    if letters.endswith(b"*"):
        letters = letters.rstrip(b"*")
        notes.append("stop * at the end removed")
    return letters, "; ".join(notes)


def require_letters(found: Iterable[tuple[str, SequenceRecord]]) -> Iterator[SequenceRecord]:
    """Yield records, each given with its place; single ones may be empty, but InputError where all are."""
    empty, there = "", False
    for place, record in found:
        empty, there = empty or place, there or bool(record.letters)
        yield record
    if empty and not there:
        raise InputError(f"{empty}: no record of the file has letters; add the sequences")


def describe_character(data: bytes, position: int) -> str:
    """Describe the character at a position; by name where it is not ASCII, because many look alike."""
    letter = _character_at(data, position)
    if not letter.isprintable():
        return f"byte 0x{data[position]:02x} (a binary file?)"
    return repr(letter) if letter.isascii() else f"{letter!r} ({unicodedata.name(letter, 'unnamed').lower()})"


def _character_at(data: bytes, position: int) -> str:
    for end in range(position + 1, position + 5):
        try:
            return data[position:end].decode()
        except UnicodeDecodeError:
            continue
    return decode_text(data[position : position + 1])


def _refuse_numbers(digits: int, letters: int, body: bytes, source: str, line: int, name: str) -> None:
    """Raise InputError where a record has more digits than letters, or the colours of a sequencer."""
    if digits > max(letters, MANY_DIGITS) or COLOURS.fullmatch(body):
        at = f", line {line}" if line else ""
        raise InputError(
            f"{source}{at}, record {name}: {digits:,} digits and {format_count(letters, 'letter')}; these are "
            "numbers, such as qualities or colours, and no sequence"
        )


def refuse_letter(body: bytes, source: str, line: int, name: str) -> NoReturn:
    """Raise InputError for the first character that no sequence has."""
    cleaned, _ = remove_stray_characters(body)
    found = STRANGE.search(cleaned)
    assert found is not None, "clean_letters found one"
    character = describe_character(cleaned, found.start())
    position = len(cleaned[: found.start()].translate(None, WHITE_SPACE + GAPS)) + 1
    at = f", line {line + cleaned.count(LINE_END, 0, found.start())}" if line else ""
    if found[0] == STRAND_BREAK:
        raise InputError(
            f"{source}{at}, record {name}: '&' at position {position:,} separates two strands, as in RNAcofold, and a "
            "record is one sequence; give each strand a record of its own"
        )
    raise InputError(
        f"{source}{at}, record {name}: {character} at position {position:,} is not a sequence letter; correct or "
        "remove it"
    )
