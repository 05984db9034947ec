"""PHYLIP distance matrices: finding the layout of a text, reading its numbers, and saying what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import cpu_numbers
from antidiag.kernels.io.distance_matrix import DistanceMatrix, make_distance_matrix
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.io.unique_names import first_repeated
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import is_real, parse_real

LAYOUTS = {
    cpu_numbers.SQUARE: "square",
    cpu_numbers.LOWER: "a lower triangle",
    cpu_numbers.LOWER_DIAGONAL: "a lower triangle with its diagonal",
    cpu_numbers.UPPER: "an upper triangle",
    cpu_numbers.UPPER_DIAGONAL: "an upper triangle with its diagonal",
}

NAME = re.compile(rb"\s*(\S+)")
SECOND_WORD = re.compile(rb"\s*\S+[ \t]+(\S+)")
NUMBER = re.compile(rb"[^ \t\n]+")
"""A word between the blanks of `cpu_numbers.parse_numbers`; Python's white space has more characters."""
STRICT_NAME = re.compile(rb"\n*([^\n]{1,10})")

CHECK_NUMBERS = 1 << 22
"""Numbers read between two checks for cancelling."""

LINE_END = b"\n"
MAX_WORD_LETTERS = 4096
"""Letters of a line or a number that are read at most."""

SHOWN_LETTERS = 40
"""Letters of a word that an error shows."""


@dataclass(frozen=True, slots=True)
class _TaxonRecord:
    """The name of a taxon, and its place in the text."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class _LayoutFailure:
    """Where reading by one layout ended, and the reason."""

    layout: int
    at: int
    taxon: str
    why: str


def parse_phylip(text: bytes, source: str, name: str, monitor: Monitor) -> DistanceMatrix:
    """Read the matrix in a text with line feeds as line ends.

    Every layout is tried, with names that are words and with names of ten characters, until one fits the whole text.
    Where none fits, the error is that of the layout that came farthest, with names of ten characters where no number
    follows the first word.
    """
    text += b"" if text.endswith(LINE_END) else LINE_END
    count, start = _read_count(text, source)
    values, found = np.zeros((count, count)), [_TaxonRecord("", 0)] * count
    failures: list[_LayoutFailure] = []
    for strict in (False, True):
        for layout in LAYOUTS:
            failure = _read_layout(text, start, layout, strict, values, found, monitor)
            if failure is None:
                _mirror_triangle(values, layout)
                return make_distance_matrix(_check_names(text, found, source), values, name, source)
            values[...] = 0
            failures.append(failure)
    spaced = SECOND_WORD.match(text, start)
    named = failures[len(LAYOUTS) :] if spaced and not is_real(spaced[1]) else failures[: len(LAYOUTS)]
    likely = max(named, key=lambda failure: failure.at)
    taxon = f", taxon {likely.taxon}" if likely.taxon else ""
    raise InputError(
        f"{source}, line {_line_number(text, likely.at)}{taxon}: {likely.why} "
        f"(read as {LAYOUTS[likely.layout]} of {count:,} taxa)"
    )


def _check_names(text: bytes, found: list[_TaxonRecord], source: str) -> tuple[str, ...]:
    """Return the names; InputError with both lines where one occurs twice."""
    names = tuple(taxon.name for taxon in found)
    if twice := first_repeated(names):
        lines = " and ".join(str(_line_number(text, found[number].at)) for number in twice)
        raise InputError(f"{source}, lines {lines}: taxon {names[twice[0]]} occurs twice; rename or remove one")
    return names


def _read_count(text: bytes, source: str) -> tuple[int, int]:
    """Return the number of taxa, and where the first record begins."""
    if not text.strip():
        raise InputError(f"{source}: the file is empty; give a PHYLIP matrix, which begins with its number of taxa")
    start = len(text) - len(text.lstrip())
    head = text[start : start + MAX_WORD_LETTERS].partition(LINE_END)[0]
    if not head.strip().isdigit():
        raise InputError(
            f"{source}, line {_line_number(text, start)}: the number of taxa is missing; begin a PHYLIP matrix with it"
        )
    count = int(head)
    if not 0 < count * max(count - 1, 1) <= len(text):  # half as many numbers, each with a blank
        raise InputError(
            f"{source}, line {_line_number(text, start)}: {count:,} taxa do not fit a file of {len(text):,} bytes; "
            "correct the number"
        )
    return count, start + len(head) + 1


def _read_layout(
    text: bytes, at: int, layout: int, strict: bool, values: np.ndarray, found: list[_TaxonRecord], monitor: Monitor
) -> _LayoutFailure | None:
    """Read all records by one layout; return a failure where that does not work."""
    letters, count = np.frombuffer(text, np.uint8), len(values)
    for row in range(count):
        name = (STRICT_NAME if strict else NAME).match(text, at)
        if name is None:
            return _LayoutFailure(layout, at, "", f"{row:,} taxa, and line 1 announces {count:,}")
        found[row], at = _TaxonRecord(decode_text(name[1]).strip(), name.start(1)), name.end()
        first, last = cpu_numbers.record_columns(layout, row, count)
        at, why = _read_numbers(text, letters, at, values[row, first:last])
        if why:
            return _LayoutFailure(layout, at, found[row].name, why)
        rest = text[at : text.index(LINE_END, at)].strip()
        if rest:
            return _LayoutFailure(
                layout, at, found[row].name, f"{_quote_word(rest)} follows the {last - first:,} numbers"
            )
        if row % max(1, CHECK_NUMBERS // count) == 0:
            monitor.update(at, len(text), "reading")
    if rest := text[at:].strip():
        return _LayoutFailure(layout, text.index(rest, at), "", f"{_quote_word(rest)} follows the last of the taxa")
    return None


def _read_numbers(text: bytes, letters: np.ndarray, at: int, values: np.ndarray) -> tuple[int, str]:
    """Fill ``values`` from ``text[at]`` on; return where that ended, and what went wrong there, or ""."""
    column = 0
    while True:
        state, at, column = cpu_numbers.parse_numbers(letters, at, values, column, cpu_numbers.POWERS)
        if state == cpu_numbers.DONE:
            return at, ""
        read = f"{column:,} numbers read, {values.size:,} expected"
        if state == cpu_numbers.TOO_FEW:
            return at, f"the file ends here; {read}"
        found = NUMBER.match(text, at)
        assert found is not None, "take_numbers ends in front of what is no blank"
        word = found[0]
        if len(word) > MAX_WORD_LETTERS:
            return (
                at,
                f"{_quote_word(word)} has {len(word):,} letters, and a number has {MAX_WORD_LETTERS:,} at most; {read}",
            )
        try:
            values[column] = parse_real(word)
        except ValueError:
            return at, f"{_quote_word(word)} is not a number; {read}"
        at, column = at + len(word), column + 1


def _mirror_triangle(values: np.ndarray, layout: int) -> None:
    """Fill the other half of a matrix that was given as a triangle."""
    if layout != cpu_numbers.SQUARE:
        for row in range(len(values)):
            values[:row, row] += values[row, :row]
            values[row, :row] = values[:row, row]


def _line_number(text: bytes, at: int) -> int:
    return text.count(LINE_END, 0, at) + 1


def _quote_word(text: bytes) -> str:
    words = text[:SHOWN_LETTERS].split(None, 1) or [text[:SHOWN_LETTERS]]
    return repr(decode_text(words[0]).strip())
