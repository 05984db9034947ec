"""Notes about the rows of an alignment, a tag each: read from the file (GS in Stockholm) or from a table."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

import numpy as np

from antidiag.kernels.alignments.source_positions import POSITION_TAGS as PLACES
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences

NUMBER = re.compile(r"\s*[-+]?\d[\d_,]*+(\.\d*)?(e[-+]?\d+)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class NoteTable:
    """A table of notes: the ``titles`` of its columns after the first, and their ``values`` by the name in the
    first."""

    titles: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]


def note_tags(alignment: AlignedSequences) -> list[str]:
    """Return the tags of the notes about rows, in their order, without those of positions in a source."""
    return [tag for tag in dict.fromkeys(tag for _, tag, _ in alignment.annotations.of_rows) if tag not in PLACES]


def notes_with_tag(alignment: AlignedSequences, tag: str) -> dict[int, str]:
    """Return the note of each row that has this tag; several lines of a row are joined."""
    found: dict[int, str] = {}
    for row, name, said in alignment.annotations.of_rows:
        if name == tag:
            found[row] = f"{found[row]} {said}" if row in found else said
    return found


def set_note(alignment: AlignedSequences, rows: np.ndarray, tag: str, text: str) -> AlignedSequences:
    """Return the alignment with this note about these rows in place of the old one; empty text removes it."""
    text = " ".join(text.split())
    return _replace_notes(alignment, {tag: dict.fromkeys(rows.tolist(), text)})


def add_note_table(alignment: AlignedSequences, table: NoteTable, source: str) -> tuple[AlignedSequences, int]:
    """Return the alignment with a tag for each column of a table, and the number of rows that the table names.

    InputError where it names none.
    """
    places = {name: row for row, name in enumerate(alignment.names)}
    met = {places[name]: values for name, values in table.values.items() if name in places}
    if not met:
        raise InputError(
            f"{source}: none of its {len(table.values):,} names is the name of a row; put the names into the "
            "first column"
        )
    said = {tag: {row: values[number] for row, values in met.items()} for number, tag in enumerate(table.titles)}
    return _replace_notes(alignment, said), len(met)


def read_note_table(path: str | Path) -> NoteTable:
    """Read a table whose first line has titles and whose first column has the names of rows.

    Commas, semicolons or tabs separate its columns. InputError names the file and the line of what is wrong.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text: {error}") from error
    head = text.split("\n", 1)[0]
    separator = max("\t;,", key=head.count)
    lines = _table_lines(path, text, separator)
    _, first = next(lines, (1, []))
    titles = tuple(_title_tag(title) for title in first)
    if len(titles) < 2:
        raise InputError(f"{path}, line 1: there is only one column; give names of rows and, after commas, their notes")
    if len(set(titles)) < len(titles) or not all(titles[1:]):
        raise InputError(f"{path}, line 1: column titles must be unique and not empty, but are {', '.join(titles)}")
    values: dict[str, tuple[str, ...]] = {}
    for number, line in lines:
        if not any(line):
            continue
        if len(line) != len(titles):
            raise InputError(
                f"{path}, line {number}: {len(line)} columns, but the first line has {len(titles)}; correct the line"
            )
        name = line[0].strip()
        if name in values:
            twice = " ".join(name.split())
            raise InputError(f"{path}, line {number}: {twice} occurs twice; give one line a row")
        values[name] = tuple(" ".join(cell.split()) for cell in line[1:])
    return NoteTable(titles[1:], values)


def _table_lines(path: str | Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a table, each with its number."""
    lines = csv.reader(StringIO(text), delimiter=separator)
    try:
        for line in lines:
            yield lines.line_num, line
    except csv.Error as error:
        raise InputError(f"{path}, line {lines.line_num}: {error}; check the quotes") from None


def sort_rows_by_note(alignment: AlignedSequences, order: np.ndarray, tag: str) -> np.ndarray:
    """Return ``order`` sorted by the notes with a tag, as numbers where all are numbers; rows without one at the
    end."""
    found = notes_with_tag(alignment, tag)
    numbers = all(NUMBER.fullmatch(said) for said in found.values())
    keys: dict[int, tuple] = {
        row: (float(re.sub("[,_]", "", said)),) if numbers else (said.lower(), said) for row, said in found.items()
    }
    said_of = [row for row in order.tolist() if row in keys]
    others = [row for row in order.tolist() if row not in keys]
    return np.array(sorted(said_of, key=keys.__getitem__) + others, np.int64)


def _replace_notes(alignment: AlignedSequences, said: Mapping[str, Mapping[int, str]]) -> AlignedSequences:
    """Return the alignment with new notes by tag and row, in place of the old ones."""
    kept = [note for note in alignment.annotations.of_rows if note[0] not in said.get(note[1], ())]
    new = [(row, tag, text) for tag, texts in said.items() for row, text in sorted(texts.items()) if text]
    if kept + new == list(alignment.annotations.of_rows):
        return alignment
    return replace(alignment, annotations=replace(alignment.annotations, of_rows=(*kept, *new)))


def _title_tag(title: str) -> str:
    """Return a title as a tag, which has no spaces in a file."""
    return "_".join(title.split())
