"""Text about the rows of an alignment, a column of it a tag: as a file has it (GS in Stockholm) or as a table does."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.aligned_places import TAGS as PLACES

NUMBER = re.compile(r"\s*[-+]?\d[\d_,]*+(\.\d*)?(e[-+]?\d+)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Table:
    """``titles`` of the columns after the first, and their ``values`` by the name in the first."""

    titles: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]


def tags(alignment: AlignedSequences) -> list[str]:
    """The tags of what is said of rows, in their order, without those that say where rows lie."""
    return [tag for tag in dict.fromkeys(tag for _, tag, _ in alignment.annotations.of_rows) if tag not in PLACES]


def of_tag(alignment: AlignedSequences, tag: str) -> dict[int, str]:
    """What a tag says of each row that it says something of; several lines of it joined."""
    found: dict[int, str] = {}
    for row, name, said in alignment.annotations.of_rows:
        if name == tag:
            found[row] = f"{found[row]} {said}" if row in found else said
    return found


def with_note(alignment: AlignedSequences, rows: np.ndarray, tag: str, said: str) -> AlignedSequences:
    """With this text about these rows, in place of what the tag said; empty text takes it away."""
    said = " ".join(said.split())
    return _with(alignment, {tag: dict.fromkeys(rows.tolist(), said)})


def with_table(alignment: AlignedSequences, table: Table, source: str) -> tuple[AlignedSequences, int]:
    """With a tag for each column of a table, and how many rows it names; InputError where it names none."""
    places = {name: row for row, name in enumerate(alignment.names)}
    met = {places[name]: values for name, values in table.values.items() if name in places}
    if not met:
        raise InputError(
            f"{source}: none of its {len(table.values):,} names is that of a row; the first column must have the names"
        )
    said = {tag: {row: values[number] for row, values in met.items()} for number, tag in enumerate(table.titles)}
    return _with(alignment, said), len(met)


def read_table(path: str | Path) -> Table:
    """A table with a line of titles: names of rows in its first column, separated by commas, semicolons or tabs.

    InputError names file and line of what is wrong: no titles, a line of another length, a name that comes twice.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
    head = text.split("\n", 1)[0]
    separator = max("\t;,", key=head.count)
    lines = _lines(path, text, separator)
    _, first = next(lines, (1, []))
    titles = tuple(_tag(title) for title in first)
    if len(titles) < 2:
        raise InputError(
            f"{path}, line 1: one column; give names of rows and, separated by commas, what is said of them"
        )
    if len(set(titles)) < len(titles) or not all(titles[1:]):
        raise InputError(f"{path}, line 1: columns need titles that differ; there are {', '.join(titles)}")
    values: dict[str, tuple[str, ...]] = {}
    for number, line in lines:
        if not any(line):
            continue
        if len(line) != len(titles):
            raise InputError(f"{path}, line {number}: {len(line)} columns, and the first line has {len(titles)}")
        name = line[0].strip()
        if name in values:
            twice = " ".join(name.split())
            raise InputError(f"{path}, line {number}: {twice} comes twice; give a line for each row")
        values[name] = tuple(" ".join(cell.split()) for cell in line[1:])
    return Table(titles[1:], values)


def _lines(path: str | Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of a table, each with its number."""
    lines = csv.reader(StringIO(text), delimiter=separator)
    try:
        for line in lines:
            yield lines.line_num, line
    except csv.Error as error:
        raise InputError(f"{path}, line {lines.line_num}: {error}; a quote may be open") from None


def sorted_rows(alignment: AlignedSequences, order: np.ndarray, tag: str) -> np.ndarray:
    """``order`` sorted by what a tag says, as numbers where all of it are; rows of which it says nothing at the end."""
    found = of_tag(alignment, tag)
    numbers = all(NUMBER.fullmatch(said) for said in found.values())
    keys: dict[int, tuple] = {
        row: (float(re.sub("[,_]", "", said)),) if numbers else (said.lower(), said) for row, said in found.items()
    }
    said_of = [row for row in order.tolist() if row in keys]
    others = [row for row in order.tolist() if row not in keys]
    return np.array(sorted(said_of, key=keys.__getitem__) + others, np.int64)


def _with(alignment: AlignedSequences, said: Mapping[str, Mapping[int, str]]) -> AlignedSequences:
    """With what each tag says of rows, in the place of what it said of them."""
    kept = [note for note in alignment.annotations.of_rows if note[0] not in said.get(note[1], ())]
    new = [(row, tag, text) for tag, texts in said.items() for row, text in sorted(texts.items()) if text]
    if kept + new == list(alignment.annotations.of_rows):
        return alignment
    return replace(alignment, annotations=replace(alignment.annotations, of_rows=(*kept, *new)))


def _tag(title: str) -> str:
    """A title as a tag, which has no spaces in a file."""
    return "_".join(title.split())
