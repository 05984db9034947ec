"""PHYLIP distance matrices from text: which layout it is, its numbers, and what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import numbers
from antidiag.kernels.io.distance_matrix import DistanceMatrix, checked
from antidiag.kernels.io.names import first_repeated
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import real

LAYOUTS = {
    numbers.SQUARE: "square",
    numbers.LOWER: "a lower triangle",
    numbers.LOWER_DIAGONAL: "a lower triangle with its diagonal",
    numbers.UPPER: "an upper triangle",
    numbers.UPPER_DIAGONAL: "an upper triangle with its diagonal",
}

NAME = re.compile(rb"\s*(\S+)")
SECOND_WORD = re.compile(rb"\s*\S+[ \t]+(\S+)")
NUMBER = re.compile(rb"[^ \t\n]+")
"""What is between the blanks that `numbers.take_numbers` knows; a word of Python's may begin later and end earlier."""
STRICT_NAME = re.compile(rb"\n*([^\n]{1,10})")

AT_ONCE = 1 << 22
"""Numbers read between two looks at the wish to cancel."""

LINE_END = b"\n"
LONGEST = 4096
"""Letters of a line or a number that are looked at."""

WORD = 40
"""Letters of a word that an error shows."""


@dataclass(frozen=True, slots=True)
class _Taxon:
    """A name, and where it stands in the text."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class _Failure:
    """Where reading by one layout ended, and why, in words."""

    layout: int
    at: int
    taxon: str
    why: str


def parse(text: bytes, source: str, name: str, monitor: Monitor) -> DistanceMatrix:
    """The matrix in a text with line feeds as line ends.

    Every layout is tried, with names that are words and with names of ten characters, until one takes the whole
    text. Where none does, the error is that of the layout which came farthest, with names of ten characters where what
    follows the first word is no number.
    """
    text += b"" if text.endswith(LINE_END) else LINE_END
    count, start = _count(text, source)
    values, found = np.zeros((count, count)), [_Taxon("", 0)] * count
    failures: list[_Failure] = []
    for strict in (False, True):
        for layout in LAYOUTS:
            failure = _take(text, start, layout, strict, values, found, monitor)
            if failure is None:
                _mirror(values, layout)
                return checked(_names(text, found, source), values, name, source)
            values[...] = 0
            failures.append(failure)
    spaced = SECOND_WORD.match(text, start)
    named = failures[len(LAYOUTS) :] if spaced and not _is_number(spaced[1]) else failures[: len(LAYOUTS)]
    likely = max(named, key=lambda failure: failure.at)
    taxon = f", taxon {likely.taxon}" if likely.taxon else ""
    raise InputError(
        f"{source}, line {_line(text, likely.at)}{taxon}: {likely.why} "
        f"(read as {LAYOUTS[likely.layout]} of {count:,} taxa)"
    )


def _names(text: bytes, found: list[_Taxon], source: str) -> tuple[str, ...]:
    """The names; InputError with both lines where one is there twice."""
    names = tuple(taxon.name for taxon in found)
    if twice := first_repeated(names):
        lines = " and ".join(str(_line(text, found[number].at)) for number in twice)
        raise InputError(f"{source}, lines {lines}: taxon {names[twice[0]]} is there twice; rename or remove one")
    return names


def _is_number(word: bytes) -> bool:
    try:
        real(word)
    except ValueError:
        return False
    return True


def _count(text: bytes, source: str) -> tuple[int, int]:
    """The number of taxa, and where the first record begins."""
    if not text.strip():
        raise InputError(f"{source}: the file is empty; give a PHYLIP matrix, which begins with its number of taxa")
    start = len(text) - len(text.lstrip())
    head = text[start : start + LONGEST].partition(LINE_END)[0]
    if not head.strip().isdigit():
        raise InputError(f"{source}, line {_line(text, start)}: a PHYLIP matrix begins with its number of taxa")
    count = int(head)
    if not 0 < count * max(count - 1, 1) <= len(text):  # half as many numbers, each with a blank
        raise InputError(f"{source}, line {_line(text, start)}: {count:,} taxa in a file of {len(text):,} bytes")
    return count, start + len(head) + 1


def _take(
    text: bytes, at: int, layout: int, strict: bool, values: np.ndarray, found: list[_Taxon], monitor: Monitor
) -> _Failure | None:
    """Read all records by one layout, or say where that failed."""
    letters, count = np.frombuffer(text, np.uint8), len(values)
    for row in range(count):
        name = (STRICT_NAME if strict else NAME).match(text, at)
        if name is None:
            return _Failure(layout, at, "", f"{row:,} taxa, and line 1 announces {count:,}")
        found[row], at = _Taxon(_title(name[1]), name.start(1)), name.end()
        first, last = numbers.columns(layout, row, count)
        at, why = _numbers(text, letters, at, values[row, first:last])
        if why:
            return _Failure(layout, at, found[row].name, why)
        rest = text[at : text.index(LINE_END, at)].strip()
        if rest:
            return _Failure(layout, at, found[row].name, f"{_word(rest)} follows the {last - first:,} numbers")
        if row % max(1, AT_ONCE // count) == 0:
            monitor.update(at, len(text), "reading")
    if rest := text[at:].strip():
        return _Failure(layout, text.index(rest, at), "", f"{_word(rest)} follows the last of the taxa")
    return None


def _numbers(text: bytes, letters: np.ndarray, at: int, values: np.ndarray) -> tuple[int, str]:
    """Fill ``values`` from ``text[at]`` on; where that ended, and what went wrong there, or nothing."""
    column = 0
    while True:
        state, at, column = numbers.take_numbers(letters, at, values, column, numbers.POWERS)
        if state == numbers.DONE:
            return at, ""
        read = f"{column:,} numbers read, {values.size:,} expected"
        if state == numbers.TOO_FEW:
            return at, f"the file ends here; {read}"
        found = NUMBER.match(text, at)
        assert found is not None, "take_numbers ends in front of what is no blank"
        word = found[0]
        if len(word) > LONGEST:
            return at, f"{_word(word)} has {len(word):,} letters, and a number has {LONGEST:,} at most; {read}"
        try:
            values[column] = real(word)
        except ValueError:
            return at, f"{_word(word)} is not a number; {read}"
        at, column = at + len(word), column + 1


def _mirror(values: np.ndarray, layout: int) -> None:
    """The other half of a matrix that was given as a triangle."""
    if layout != numbers.SQUARE:
        for row in range(len(values)):
            values[:row, row] += values[row, :row]
            values[row, :row] = values[:row, row]


def _line(text: bytes, at: int) -> int:
    return text.count(LINE_END, 0, at) + 1


def _word(text: bytes) -> str:
    words = text[:WORD].split(None, 1) or [text[:WORD]]
    return repr(_title(words[0]))


def _title(name: bytes) -> str:
    """UTF-8, else Latin-1, which knows every byte."""
    try:
        return name.decode().strip()
    except UnicodeDecodeError:
        return name.decode("latin-1").strip()
