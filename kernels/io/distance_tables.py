"""Distances as tables with a head of names, and as lines of two names and a distance.

Tables: snp-dists, `mash dist -t`, spreadsheets, R. Lines of pairs: mothur's column form, `snp-dists -m`, `mash dist`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from collections.abc import Sequence as Sequences
from pathlib import Path
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks, packed_files
from antidiag.kernels.io.distance_matrix import ROUNDING, DistanceMatrix, make_distance_matrix
from antidiag.kernels.io.unique_names import first_repeated
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.text import format_count, parse_real, quote_text

WORD = re.compile(r'"([^"]*)"|(\S+)')
"""A field between blanks, in quotes or not."""
SEPARATORS = "\t;,"
DECIMAL_COMMA = re.compile(r"\d+,\d+")
"""A number of a spreadsheet in many languages, in which semicolons separate fields."""
SHARED_HASHES = re.compile(r"\d+/\d+")
"""The last of the five fields of a line of `mash dist`."""
EMPTY_CELLS = ("", "-")
"""What a cell of the diagonal may hold in place of 0."""
LOOKED_AT = 8
"""Lines by which a file is recognised."""


class TableLine(NamedTuple):
    """The number of a line in its file, and its fields."""

    number: int
    fields: list[str]


def looks_like_table(path: Path, head: bytes) -> bool:
    """Return whether a file begins with a head of names and rows of these names and numbers."""
    lines = _first_lines(path, head)
    return any(_is_head(line.fields, lines[at:]) for at, line in enumerate(lines[:-2], 1))


def looks_like_weights(path: Path, head: bytes) -> bool:
    """Return whether a file begins as a table whose numbers are weights of edges: negative, or infinite for no edge."""
    if not looks_like_table(path, head):
        return False
    cells = [field for line in _first_lines(path, head)[1:] for field in line.fields[1:] if is_distance(field)]
    return any(not 0 <= float(cell) < np.inf for cell in cells)


def looks_like_pairs(path: Path, head: bytes, suffixes: Sequences[str]) -> bool:
    """Return whether a file holds lines of two names and a distance: Mash's, or any in a file with such a suffix."""
    lines = [line.fields for line in _first_lines(path, head) if not line.fields[0].startswith("#")]
    mash = bool(lines) and all(len(fields) == 5 and SHARED_HASHES.fullmatch(fields[4]) for fields in lines)
    lines = lines if len(lines) < 2 or not _is_heading(lines) else lines[1:]
    three = bool(lines) and all(len(fields) == 3 and is_distance(fields[2]) for fields in lines)
    numbers = all(is_distance(field) for fields in lines for field in fields)
    return mash or (three and not numbers and packed_files.format_suffix(path) in suffixes)


def is_distance(text: str) -> bool:
    """Return whether a text is a number, if need be an infinite one."""
    try:
        return not np.isnan(parse_real(text))
    except ValueError:
        return False


def _is_number_or_percentage(text: str) -> bool:
    """Return whether a cell belongs to a table of distances, though a percentage in it is refused later."""
    return is_distance(text.removesuffix("%"))


def parse_distances(text: bytes, source: str, name: str, monitor: Monitor) -> DistanceMatrix:
    """Return the matrix of a table or of lines of pairs; InputError names the line and what is wrong."""
    lines = split_lines(line_blocks.decode_text(text), source)
    others = [line for line in lines if not line.fields[0].startswith("#")]
    if not others:
        raise InputError(f"{source}: the file has no distances; give a matrix of them")
    _refuse_nameless(others, source)
    if _count_pair_fields(others) and _are_pairs(others):
        return _parse_pairs(others, source, name)
    monitor.check()
    return complete_matrix(*_read_table(lines, source), source, name)


def _count_pair_fields(lines: Sequences[TableLine]) -> int:
    """Return the fields of lines that may be pairs: 3, or the 5 of Mash, whose last are shared hashes; else 0."""
    counts = {len(line.fields) for line in lines}
    if counts == {5}:
        return 5 if all(SHARED_HASHES.fullmatch(line.fields[4]) for line in lines) else 0
    return 3 if counts == {3} else 0


def split_lines(text: str, source: str) -> list[TableLine]:
    """Return the lines that are not blank, as fields between tabs, semicolons, commas or blanks."""
    lines = [(number, line) for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1) if line.strip()]
    sample = next((line for _, line in lines if not line.startswith("#")), "")
    separator = next((mark for mark in SEPARATORS if mark in sample), "")
    if not separator:
        return [TableLine(number, [word[1] or word[2] or "" for word in WORD.finditer(line)]) for number, line in lines]
    found = []
    for number, line in lines:
        try:
            fields = next(csv.reader([line], delimiter=separator, strict=True))
        except csv.Error as error:
            raise InputError(f"{source}, line {number:,}: {error}; check the quotes") from None
        fields = [field.strip() for field in fields]
        if separator == ";":
            fields = [field.replace(",", ".") if DECIMAL_COMMA.fullmatch(field) else field for field in fields]
        found.append(TableLine(number, fields))
    if found and len(found[0].fields) > 2 and not found[0].fields[-1]:  # a separator ends each line
        found = [TableLine(number, fields[:-1] if fields[-1] == "" else fields) for number, fields in found]
    return found


def complete_matrix(
    names: Sequences[str], values: np.ndarray, source: str, name: str, note: str = ""
) -> DistanceMatrix:
    """Return the matrix of values of which one of each pair is given, NaN where there is none; InputError for a pair
    without any."""
    np.copyto(np.einsum("ii->i", values), 0, where=np.isnan(np.einsum("ii->i", values)))
    np.copyto(values, values.T.copy(), where=np.isnan(values))
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise InputError(
            f"{source}: the distance of {names[row]} and {names[column]} is missing; give one for each pair of taxa"
        )
    return make_distance_matrix(names, values, name, source, note)


def _first_lines(path: Path, head: bytes) -> list[TableLine]:
    """Return the first whole lines of a file, of which ``head`` are the first bytes."""
    if head.count(b"\n") + head.count(b"\r") < 3 and path.is_file():  # one line names all taxa
        try:
            head = next(line_blocks.read_blocks(path, Monitor()), b"")
        except InputError:
            return []
    text = line_blocks.decode_text(line_blocks.normalise_line_ends(head.removeprefix(b"\xef\xbb\xbf")))
    whole, _, rest = text.rpartition("\n")
    try:
        return split_lines("\n".join((whole or rest).split("\n")[: 4 * LOOKED_AT]), str(path))[:LOOKED_AT]
    except InputError:
        return []


def _is_head(head: Sequences[str], rows: Sequences[TableLine]) -> bool:
    """Return whether fields name the columns of these rows: each begins with a name of theirs and goes on in numbers.

    Where no name is a number, half of the cells may be damaged, so that errors tell what is wrong with a table.
    """
    if not rows or not head or (is_distance(head[0]) and all(map(is_distance, head))):
        return False
    names = set(head)
    cells = [field for row in rows for field in row.fields[1:]]
    good = sum(field in EMPTY_CELLS or _is_number_or_percentage(field) for field in cells)
    needed = len(cells) if any(map(is_distance, head[1:])) else (len(cells) + 1) // 2
    named = all(row.fields[0] in names for row in rows) or _is_printed_triangle(head, rows)
    return bool(cells) and good >= needed and named


def _is_printed_triangle(head: Sequences[str], rows: Sequences[TableLine]) -> bool:
    """Return whether rows are all of a triangle as R prints it: the first taxon has no row, and the last no column."""
    columns = [name for name in head if name]
    sizes = [len(row.fields) - 1 for row in rows]
    names = [row.fields[0] for row in rows]
    return len(rows) > 1 and sizes == list(range(1, len(columns) + 1)) and names[:-1] == columns[1:]


def _names_columns(head: Sequences[str], row: TableLine) -> bool:
    """Return whether fields without a number stand above a row of one name and numbers, as its head does."""
    named = len(head) > 2 and not any(map(is_distance, head)) and len(row.fields) - len(head) in (0, 1)
    return named and not is_distance(row.fields[0]) and all(map(is_distance, row.fields[1:]))


def _is_heading(lines: Sequences[Sequences[str]]) -> bool:
    """Return whether the first line of pairs holds titles: its third field is no number, and the next one's is."""
    return len(lines[0]) >= 3 <= len(lines[1]) and not is_distance(lines[0][2]) and is_distance(lines[1][2])


def _refuse_nameless(lines: Sequences[TableLine], source: str) -> None:
    """Refuse a square table whose rows have no names."""
    head, rows = lines[0], lines[1:]
    if len(rows) != len(head.fields) or any(map(is_distance, head.fields)):
        return
    if all(len(row.fields) == len(rows) and all(map(is_distance, row.fields)) for row in rows):
        raise InputError(f"{source}, line {rows[0].number:,}: this row has no name; begin each row with its taxon")


def _are_pairs(lines: Sequences[TableLine]) -> bool:
    """Return whether lines of equally many fields are two names and a distance, and no rows of a table."""
    head, rows = set(lines[0].fields), lines[1:]
    is_table = "" in head or (not is_distance(lines[0].fields[2]) and any(row.fields[0] in head for row in rows))
    return not is_table and not all(is_distance(line.fields[1]) and not is_distance(line.fields[0]) for line in lines)


def parse_table(text: bytes, source: str) -> tuple[list[str], np.ndarray]:
    """Return the names and the numbers of a table with a head of names, NaN where there is none."""
    return _read_table(split_lines(line_blocks.decode_text(text), source), source)


def _read_table(lines: list[TableLine], source: str) -> tuple[list[str], np.ndarray]:
    first = next((at for at, line in enumerate(lines) if not line.fields[0].startswith("#")), len(lines))
    if 0 < first < len(lines) and _names_columns(lines[first - 1].fields, lines[first]):
        first -= 1  # Mash's head begins with '#query'
    head = lines[min(first, len(lines) - 1)]
    rows = [line for line in lines[first + 1 :] if not line.fields[0].startswith("#")]
    if rows and all(_names_columns(head.fields, row) for row in rows) and not _is_printed_triangle(head.fields, rows):
        _check_names([row.fields[0] for row in rows], head.fields, rows, source)
    if not any(row.fields[0] in head.fields and any(map(_is_number_or_percentage, row.fields[1:])) for row in rows):
        raise InputError(
            f"{source}, line {head.number:,}: this is no table of distances, and the number of taxa is missing; begin "
            "a PHYLIP matrix with it, a table with a head of all names, or give lines of two names and a distance"
        )
    if _is_printed_triangle(head.fields, rows):
        taxa = [name for name in head.fields if name]
        rows = [TableLine(head.number, taxa[:1]), *rows]
        head = TableLine(head.number, [*taxa, rows[-1].fields[0]])
    names = [line.fields[0] for line in rows]
    columns = head.fields[len(head.fields) - len(rows) :] if len(head.fields) in (len(rows), len(rows) + 1) else []
    if not columns:
        raise InputError(
            f"{source}, line {head.number:,}: the head names {len(head.fields) - (head.fields[0] not in names):,} "
            f"columns, and {format_count(len(rows), 'row')} follow; a table of distances has a row and a column a taxon"
        )
    _check_names(names, columns, rows, source)
    values = np.full((len(rows), len(rows)), np.nan)
    starts = _row_starts([len(line.fields) - 1 for line in rows], any("" in line.fields[1:] for line in rows))
    if starts is None:
        line = next(line for line in rows if len(line.fields) != len(rows) + 1)
        raise InputError(
            f"{source}, line {line.number:,}: {format_count(len(line.fields) - 1, 'number')} in the row of "
            f"{line.fields[0]}; give {len(rows):,}, or a triangle of the matrix"
        )
    for row, (line, start) in enumerate(zip(rows, starts, strict=True)):
        for column, field in enumerate(line.fields[1:], start):
            if not (field == "" or (field in EMPTY_CELLS and columns[column] == names[row])):
                values[row, column] = _parse_distance(field, line, source)
    places = {name: place for place, name in enumerate(columns)}
    return names, values[:, [places[name] for name in names]]


def _check_names(names: list[str], columns: list[str], rows: list[TableLine], source: str) -> None:
    """Refuse names that occur twice, and rows that are no columns."""
    if twice := first_repeated(names):
        lines = " and ".join(f"{rows[row].number:,}" for row in twice)
        raise InputError(f"{source}, lines {lines}: taxon {names[twice[0]]} occurs twice; rename or remove one")
    known = set(columns)
    single = next((row for row, name in enumerate(names) if name not in known), None)
    if single is not None:
        raise InputError(
            f"{source}, line {rows[single].number:,}: {names[single]} is a row and no column; a matrix of distances "
            "has the same taxa in both"
        )


def _row_starts(counts: list[int], has_empty_cells: bool) -> list[int] | None:
    """Return the first column of each row, by the numbers of their fields; None where they are no matrix."""
    taxa = len(counts)
    rows = range(taxa)
    if counts == [taxa] * taxa or (has_empty_cells and max(counts) <= taxa):
        return [0] * taxa
    if counts in ([row + 1 for row in rows], list(rows)):
        return [0] * taxa
    if counts == [taxa - row for row in rows]:
        return list(rows)
    if counts == [taxa - row - 1 for row in rows]:
        return [row + 1 for row in rows]
    return None


def _parse_distance(field: str, line: TableLine, source: str) -> float:
    if is_distance(field):
        return float(field)
    where = f"{source}, line {line.number:,}"
    if field.endswith("%") and is_distance(field[:-1]):
        raise InputError(f"{where}: {field} in the row of {line.fields[0]} is a percentage; give distances as numbers")
    raise InputError(f"{where}: the distance {quote_text(field)} of {line.fields[0]} is not a number; correct it")


def _parse_pairs(lines: list[TableLine], source: str, name: str) -> DistanceMatrix:
    """Return the matrix of lines with two names and a distance; each pair is there once, or in both orders."""
    if len(lines) > 1 and _is_heading([line.fields for line in lines[:2]]):
        lines = lines[1:]
    found: dict[tuple[str, str], tuple[float, int]] = {}
    names: dict[str, int] = {}
    for line in lines:
        one, other, distance = line.fields[0], line.fields[1], _parse_distance(line.fields[2], line, source)
        for taxon in (one, other):
            names.setdefault(taxon, len(names))
        pair = (min(one, other), max(one, other))
        before, at = found.setdefault(pair, (distance, line.number))
        if abs(before - distance) > ROUNDING * max(abs(before), abs(distance)):
            raise InputError(
                f"{source}, lines {at:,} and {line.number:,}: the distance of {one} and {other} is {before:g} and "
                f"{distance:g}; correct either"
            )
    taxa = list(names)
    pairs = sum(one != other for one, other in found)
    if pairs < len(taxa) * (len(taxa) - 1) // 2:
        one, other = _missing_pair(taxa, found)
        raise InputError(
            f"{source}: the distance of {one} and {other} is missing, and {len(taxa) * (len(taxa) - 1) // 2 - pairs:,} "
            "in all; write every pair, in mothur without a cutoff"
        )
    values = np.full((len(taxa), len(taxa)), np.nan)
    for (one, other), (distance, _) in found.items():
        values[names[one], names[other]] = distance
    note = "p-values and shared hashes left out" if len(lines[0].fields) == 5 else ""
    return complete_matrix(taxa, values, source, name, note)


def _missing_pair(taxa: list[str], found: Iterable[tuple[str, str]]) -> tuple[str, str]:
    there = set(found)
    return next(
        (one, other)
        for row, one in enumerate(taxa)
        for other in taxa[row + 1 :]
        if (min(one, other), max(one, other)) not in there
    )
