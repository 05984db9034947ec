"""NEXUS alignments: the DATA or CHARACTERS block, interleaved or not, with its own signs for gaps and matches."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import RawAlignment, RowBuilder, SourceLine, remove_white_space
from antidiag.kernels.io.line_blocks import decode_text

HEAD = re.compile(rb"\s*#NEXUS", re.IGNORECASE)
BRACKET = re.compile(r"^[ \t]*'(?:[^'\n]|'')*'|[\[\]]", re.MULTILINE)
"""A bracket, or a quoted name at the beginning of a line, in which brackets are no comments."""
QUOTED = re.compile(r"[ \t]*'(?:[^'\n]|'')*'")
MATRIX = re.compile(r"\bmatrix\b", re.IGNORECASE)
FORMAT = re.compile(r"\bformat\b([^;]*);?", re.IGNORECASE)
DIMENSIONS = re.compile(r"\bdimensions\b([^;]*);?", re.IGNORECASE)
"""Commands. One without an end matches to the end of the text, so that it is not searched from each of its words."""
NUMBER = re.compile("[0-9]{1,18}")
NAMED = re.compile(r"\s*('(?:[^']|'')*'|\"[^\"]*\"|\S+)(.*)")


def read_nexus(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read the first matrix of letters; InputError where there is none, or letters stand in brackets."""
    text = _without_comments(decode_text(b"".join(stream)))
    start = MATRIX.search(text)
    end = _command_end(text, start.end()) if start else -1
    if start is None or end < 0:
        raise InputError(
            f"{source}: this NEXUS file has no complete MATRIX of letters; if it holds trees, open it as trees"
        )
    settings, sizes = (_command_texts(pattern, text[: start.start()]) for pattern in (FORMAT, DIMENSIONS))
    said = (_command_settings(part).get("nchar", "") for part in sizes)
    columns = max((int(found) for found in said if NUMBER.fullmatch(found)), default=0)
    values = _command_settings(settings[-1] if settings else "")
    line = text.count("\n", 0, start.end()) + 1
    interleaved = values.get("interleave", "no") not in ("no", "")
    rows = _matrix_rows(text[start.end() : end], source, line, interleaved, columns)
    return _normalise_letters(rows.build_alignment(), values, source)


def has_matrix(stream: Iterator[bytes]) -> bool:
    """Return whether a NEXUS file has a matrix; one with trees alone has none."""
    return b"matrix" in b"".join(stream).lower()


def _without_comments(text: str) -> str:
    """Return the text without comments in brackets, which may be nested; the number of lines stays."""
    opened: list[int] = []
    comments: list[tuple[int, int]] = []
    for bracket in BRACKET.finditer(text):
        if bracket[0] == "[":
            opened.append(bracket.start())
        elif bracket[0] == "]" and opened:
            first = opened.pop()
            while comments and comments[-1][0] > first:
                comments.pop()
            comments.append((first, bracket.end()))
    parts: list[str] = []
    at = 0
    for first, last in comments:
        parts += text[at:first], "\n" * text.count("\n", first, last)
        at = last
    return "".join((*parts, text[at:]))


def _command_end(text: str, start: int) -> int:
    """Return where a command ends: at the first ';' outside quoted names; -1 where it does not end."""
    end = text.find(";", start)
    while end >= 0 and (name := QUOTED.match(text, text.rfind("\n", 0, end) + 1)) and name.end() > end:
        end = text.find(";", name.end())
    return end


def _command_texts(pattern: re.Pattern[str], text: str) -> list[str]:
    """Return the texts of the commands of one kind."""
    return [found[1] for found in pattern.finditer(text) if found[0].endswith(";")]


def _command_settings(settings: str) -> dict[str, str]:
    """Return the settings of a command, in lower case; a word without a value is "yes"."""
    found = re.findall(r"(\w+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|\S+))?", settings)
    return {name.lower(): value.strip("\"'").lower() or "yes" for name, value in found}


def _matrix_rows(matrix: str, source: str, line: int, interleaved: bool, columns: int) -> RowBuilder:
    """Read the rows of a matrix."""
    rows, found = RowBuilder(source), columns
    for number, words in enumerate(matrix.split("\n"), line):
        place = SourceLine(source, number)
        if not words.strip():
            rows.end_block()
            continue
        if not interleaved and columns and found < columns:
            found = rows.extend_row(len(rows) - 1, remove_white_space(words.encode()))
            continue
        parts = NAMED.match(words)
        if parts is None:
            place.refuse("this line has no name followed by letters; correct it")
        name, letters = _unquote_name(parts[1]).encode(), remove_white_space(parts[2].encode())
        if any(sign in letters for sign in (b"(", b"{")):
            place.refuse("brackets hold several letters for one column; write their ambiguity code")
        if interleaved:
            rows.add_line(name, letters, place)
        else:
            found = rows.extend_row(rows.add_row(name), letters)
    return rows


def _unquote_name(name: str) -> str:
    if name[:1] == "'":
        return name[1:-1].replace("''", "'")
    return name.strip('"')


def _normalise_letters(raw: RawAlignment, values: dict[str, str], source: str) -> RawAlignment:
    """Return letters with '-' for gaps, '?' for missing ones, and the first row's letters for the match sign."""
    letters = raw.letters
    if same := _setting_character(values, "matchchar", "", source):
        equal = letters == ord(same)
        equal[0] = False
        letters = np.where(equal, letters[0], letters)
    for name, plain in (("gap", "-"), ("missing", "?")):
        if (own := _setting_character(values, name, plain, source)) != plain:
            letters[np.isin(letters, [ord(own.lower()), ord(own.upper())])] = ord(plain)
    return raw._replace(letters=letters)


def _setting_character(values: dict[str, str], name: str, plain: str, source: str) -> str:
    """Return the character of a setting, or the default; InputError where it is not one ASCII character."""
    own = values.get(name, plain)
    if own != plain and (len(own) != 1 or not own.isascii()):
        raise InputError(f"{source}: {name.upper()}={own[:40]!r} in FORMAT is not one ASCII character; correct it")
    return own
