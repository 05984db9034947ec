"""The DISTANCES block of NEXUS files (Maddison, Swofford, Maddison 1997), and what SplitsTree writes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.distance_tables import complete_matrix, is_distance
from antidiag.kernels.io.newick import BLANK, COMMENT, NewickText
from antidiag.kernels.text import format_count, is_small_count, quote_text

SPACE = rf"[\s{COMMENT}]"
HEAD = re.compile(rb"\s*#nexus\b", re.IGNORECASE)
HOLDS_DISTANCES = re.compile(rb"\bbegin\s+distances\s*;", re.IGNORECASE)
HOLDS_LETTERS = re.compile(rb"\bbegin\s+(data|characters|unaligned)\s*;", re.IGNORECASE)
BEGIN = re.compile(rf"\bbegin{SPACE}+distances{SPACE}*;", re.IGNORECASE)
END = re.compile(rf"\bend(block)?{SPACE}*;", re.IGNORECASE)
TAXLABELS = re.compile(r"\btaxlabels\b([^;]*);", re.IGNORECASE)
TAXA = re.compile(rf"\bntax{SPACE}*={SPACE}*(\d{{1,9}})\b", re.IGNORECASE)
WORD = re.compile(rf"[^{BLANK}]+")
LOWER, UPPER, BOTH = "lower", "upper", "both"


def holds_only_distances(data: bytes) -> bool:
    """Return whether a NEXUS file has distances and no block of letters."""
    return bool(HEAD.match(data) and HOLDS_DISTANCES.search(data)) and not HOLDS_LETTERS.search(data)


class DistanceFormat(NamedTuple):
    """What FORMAT says of a matrix: its triangle, and whether it has the diagonal, labels, and blocks of columns."""

    triangle: str = LOWER
    diagonal: bool = True
    labels: bool = True
    interleave: bool = False
    missing: str = "?"

    def columns(self, row: int, taxa: int) -> list[int]:
        """Return the columns of which a row has a distance."""
        first, last = {LOWER: (0, row + 1), UPPER: (row, taxa), BOTH: (0, taxa)}[self.triangle]
        return [column for column in range(first, last) if self.diagonal or column != row]

    def describe(self) -> str:
        """Return the format in the words of the file."""
        negated = [
            word if there else f"no{word}" for word, there in (("diagonal", self.diagonal), ("labels", self.labels))
        ]
        return " ".join([f"triangle={self.triangle}", *negated, *["interleave"] * self.interleave])


def parse_nexus_distances(raw: str, source: str, name: str) -> DistanceMatrix:
    """Return the matrix of the DISTANCES block; InputError names the line and taxon of what is wrong."""
    text = NewickText(raw, source)
    block = BEGIN.search(text.masked)
    if block is None:
        raise InputError(f"{source}: this NEXUS file has no DISTANCES block; add one, or give PHYLIP")
    end = END.search(text.masked, block.end())
    if end is None:
        text.refuse(block.start(), "this block has no END; add it")
    commands = dict(_commands(text.masked, block.end(), end.start()))
    if "matrix" not in commands:
        text.refuse(block.start(), "this block has no MATRIX; add it")
    labels = TAXLABELS.search(text.masked)
    taxa = [text.read_name(*word.span()) for word in WORD.finditer(text.masked, *labels.span(1))] if labels else []
    form = _parse_format(text, *commands["format"]) if "format" in commands else DistanceFormat()
    start, stop = commands["matrix"]
    lines = list(_matrix_lines(text, start, stop))
    stated = TAXA.search(text.masked, block.end(), end.start()) or TAXA.search(text.masked)
    count = int(stated[1]) if stated else len(taxa) or len(lines)
    if not form.labels and len(taxa) != count:
        text.refuse(
            start,
            f"a matrix without labels needs its {count:,} taxa in TAXLABELS; {len(taxa):,} are there",
        )
    words = sum(map(len, lines))
    if count * max(count - 1, 0) // 2 > words:
        text.refuse(start, f"{words:,} words in the matrix, too few for {format_count(count, 'taxon', 'taxa')}")
    rows = _interleaved_rows(text, lines, form, count) if form.interleave else _following_rows(text, lines, form, count)
    names, values = [], np.full((count, count), np.nan)
    for row, (label, numbers) in enumerate(rows):
        names.append(taxa[row] if label is None else _known_name(text, label, taxa))
        for column, word in zip(form.columns(row, count), numbers, strict=True):
            shown = text.raw[word.start() : word.end()]
            if is_distance(shown):
                values[row, column] = float(shown)
            elif shown != form.missing:
                text.refuse(
                    word.start(), f"{quote_text(shown)} is not a number; it is read as a distance of {names[-1]}"
                )
    return complete_matrix(names, values, source, name)


def _commands(masked: str, start: int, stop: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the commands between two places: the first word, and where the others begin and end."""
    while (end := masked.find(";", start, stop)) >= 0:
        if word := WORD.search(masked, start, end):
            yield word[0].lower(), (word.end(), end)
        start = end + 1


def _parse_format(text: NewickText, start: int, stop: int) -> DistanceFormat:
    """Return what a FORMAT command says."""
    said = "=".join(part.strip() for part in text.masked[start:stop].replace(COMMENT, " ").lower().split("="))
    said = re.sub(r"(?<!=)\bno\s+(diagonal|labels)\b", r"no\1", said)
    form = DistanceFormat()
    for word in said.split():
        key, _, value = word.partition("=")
        if key == "triangle" and value in (LOWER, UPPER, BOTH):
            form = form._replace(triangle=value)
        elif key in ("diagonal", "nodiagonal"):
            form = form._replace(diagonal=key == "diagonal" and value != "no")
        elif key in ("labels", "nolabels") and value in ("", "left", "no", "yes"):
            form = form._replace(labels=key == "labels" and value != "no")
        elif key == "interleave":
            form = form._replace(interleave=value != "no")
        elif key == "missing" and value:
            form = form._replace(missing=value)
        else:
            text.refuse(
                start, f"FORMAT says {word!r}, which is not known here; use triangle, diagonal, labels, missing"
            )
    return form


def _matrix_lines(text: NewickText, start: int, stop: int) -> Iterator[list[re.Match[str]]]:
    """Yield the words of each line of the matrix that has some."""
    while start < stop:
        end = text.masked.find("\n", start, stop)
        end = stop if end < 0 else end
        if words := list(WORD.finditer(text.masked, start, end)):
            yield words
        start = end + 1


Row = tuple[re.Match[str] | None, Sequences[re.Match[str]]]
"""The label of a row, if it has one, and its distances."""


def _following_rows(
    text: NewickText, lines: list[list[re.Match[str]]], form: DistanceFormat, count: int
) -> Iterator[Row]:
    """Yield the rows of a matrix in which one row follows another, over any number of lines."""
    words = [word for line in lines for word in line]
    place = 0
    for row in range(count):
        label = words[place] if form.labels and place < len(words) else None
        place += form.labels
        size = len(form.columns(row, count))
        if place + size > len(words):
            text.refuse(
                words[-1].start(), f"the matrix ends in row {row + 1:,} of {count:,} (read as {form.describe()})"
            )
        yield label, words[place : place + size]
        place += size
    if place < len(words):
        word = words[place]
        text.refuse(
            word.start(),
            f"{quote_text(text.raw[word.start() : word.end()])} follows the last of {count:,} taxa (read as "
            f"{form.describe()})",
        )


def _interleaved_rows(
    text: NewickText, lines: list[list[re.Match[str]]], form: DistanceFormat, count: int
) -> Iterator[Row]:
    """Yield the rows of a matrix whose columns are in blocks, each with a line a row."""
    labels: dict[str, re.Match[str]] = {}
    numbers: dict[str, list[re.Match[str]]] = {}
    for at, line in enumerate(lines):
        key = text.read_name(*line[0].span()) if form.labels else str(at % count)
        labels.setdefault(key, line[0])
        numbers.setdefault(key, []).extend(line[form.labels :])
    if len(numbers) != count:
        text.refuse(lines[0][0].start(), f"{len(numbers):,} rows in the matrix, and NTAX is {count:,}")
    for row, key in enumerate(numbers):
        size = len(form.columns(row, count))
        if len(numbers[key]) != size:
            text.refuse(
                labels[key].start(),
                f"{len(numbers[key]):,} distances in row {row + 1:,}, not {size:,} ({form.describe()})",
            )
        yield labels[key] if form.labels else None, numbers[key]


def _known_name(text: NewickText, label: re.Match[str], taxa: Sequences[str]) -> str:
    """Return the taxon of a label, which may be its number; InputError for one that TAXLABELS does not have."""
    name = text.read_name(*label.span())
    if taxa and name not in taxa:
        if not (is_small_count(name) and 0 < int(name) <= len(taxa)):
            text.refuse(label.start(), f"the taxon {quote_text(name)} is not among the TAXLABELS; correct either")
        return taxa[int(name) - 1]
    return name
