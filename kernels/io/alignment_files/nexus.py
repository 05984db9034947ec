"""The DATA or CHARACTERS block of NEXUS, interleaved or not, with its own characters for gaps and equal letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_files.rows import Place, Raw, Rows, squeezed

HEAD = re.compile(rb"\s*#NEXUS", re.IGNORECASE)
BRACKET = re.compile(r"^[ \t]*'(?:[^'\n]|'')*'|[\[\]]", re.MULTILINE)
"""A bracket, or a name in quotes at the beginning of a line, in which brackets begin no comment."""
QUOTED = re.compile(r"[ \t]*'(?:[^'\n]|'')*'")
MATRIX = re.compile(r"\bmatrix\b", re.IGNORECASE)
FORMAT = re.compile(r"\bformat\b([^;]*);?", re.IGNORECASE)
DIMENSIONS = re.compile(r"\bdimensions\b([^;]*);?", re.IGNORECASE)
"""Commands; one that does not end takes what follows, in which it is not looked for from each of its words."""
NUMBER = re.compile("[0-9]{1,18}")
NAMED = re.compile(r"\s*('(?:[^']|'')*'|\"[^\"]*\"|\S+)(.*)")


def read(stream: Iterator[bytes], source: str) -> Raw:
    """The first matrix of letters of a NEXUS text; InputError where there is none, or letters stand in brackets."""
    data = b"".join(stream)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = _without_comments(text)
    start = MATRIX.search(text)
    end = _end(text, start.end()) if start else -1
    if start is None or end < 0:
        raise InputError(f"{source}: this NEXUS file has no whole MATRIX of letters; it may hold trees")
    settings, sizes = (_commands(pattern, text[: start.start()]) for pattern in (FORMAT, DIMENSIONS))
    said = (_values(part).get("nchar", "") for part in sizes)
    columns = max((int(found) for found in said if NUMBER.fullmatch(found)), default=0)
    values = _values(settings[-1] if settings else "")
    line = text.count("\n", 0, start.end()) + 1
    interleaved = values.get("interleave", "no") not in ("no", "")
    rows = _rows(text[start.end() : end], source, line, interleaved, columns)
    return _plain(rows.raw(), values, source)


def _without_comments(text: str) -> str:
    """The text without what stands in brackets, which may be nested; lines stay as many."""
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


def _end(text: str, start: int) -> int:
    """Where a command ends: at the first ';' that is in no name in quotes; -1 where it does not."""
    end = text.find(";", start)
    while end >= 0 and (name := QUOTED.match(text, text.rfind("\n", 0, end) + 1)) and name.end() > end:
        end = text.find(";", name.end())
    return end


def _commands(pattern: re.Pattern[str], text: str) -> list[str]:
    """What stands in the commands of one kind that end."""
    return [found[1] for found in pattern.finditer(text) if found[0].endswith(";")]


def _values(settings: str) -> dict[str, str]:
    """The settings of a command, in lower case; a word without a value stands for yes."""
    found = re.findall(r"(\w+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|\S+))?", settings)
    return {name.lower(): value.strip("\"'").lower() or "yes" for name, value in found}


def _rows(matrix: str, source: str, line: int, interleaved: bool, columns: int) -> Rows:
    rows, found = Rows(source), columns
    for number, words in enumerate(matrix.split("\n"), line):
        place = Place(source, number)
        if not words.strip():
            rows.end_block()
            continue
        if not interleaved and columns and found < columns:
            found = rows.extend(len(rows) - 1, squeezed(words.encode()))
            continue
        parts = NAMED.match(words)
        if parts is None:
            place.refuse("no name with letters")
        name, letters = _unquoted(parts[1]).encode(), squeezed(parts[2].encode())
        if any(sign in letters for sign in (b"(", b"{")):
            place.refuse("several letters in brackets for one column; write the code that stands for them")
        if interleaved:
            rows.add(name, letters, place)
        else:
            found = rows.extend(rows.new(name), letters)
    return rows


def _unquoted(name: str) -> str:
    if name[:1] == "'":
        return name[1:-1].replace("''", "'")
    return name.strip('"')


def _plain(raw: Raw, values: dict[str, str], source: str) -> Raw:
    """With '-' for gaps, '?' for what is missing, and the letters that are written as equal to the first row's."""
    letters = raw.letters
    if same := _sign(values, "matchchar", "", source):
        equal = letters == ord(same)
        equal[0] = False
        letters = np.where(equal, letters[0], letters)
    for name, plain in (("gap", "-"), ("missing", "?")):
        if (own := _sign(values, name, plain, source)) != plain:
            letters[np.isin(letters, [ord(own.lower()), ord(own.upper())])] = ord(plain)
    return raw._replace(letters=letters)


def _sign(values: dict[str, str], name: str, plain: str, source: str) -> str:
    """The one character of a setting, or the usual one; InputError where it is another."""
    own = values.get(name, plain)
    if own != plain and (len(own) != 1 or not own.isascii()):
        raise InputError(f"{source}: {name.upper()}={own[:40]!r} in FORMAT is not one ASCII character; correct it")
    return own
