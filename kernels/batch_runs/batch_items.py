"""The items of a batch: files, folders, or the lines of a table, each with its name and its own settings."""

from __future__ import annotations

import csv
import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.packed_files import format_stem
from antidiag.kernels.serialization import digest_value

FILE_COLUMNS = ("file", "files", "input", "inputs")
"""Heads of the column of a table that names the input files, which are separated by ';'."""
NAME_COLUMN = "name"
FILE_SEPARATOR = ";"
READ_BYTES = 1 << 20


@dataclass(frozen=True)
class BatchItem:
    """One run of a batch.

    Fields
    ------
    name
        Name of its output files without their suffix, which may be in a folder ("kinases/fam12").
    files
        Input files in the order in which the method takes their data.
    data
        Data instead of files, for calls from Python.
    settings
        Options and parameters of this item, by name, in addition to those of the batch.
    """

    name: str
    files: tuple[Path, ...] = ()
    data: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The input in words: the files, or the name of data without files."""
        return FILE_SEPARATOR.join(map(str, self.files)) or self.name

    def count_bytes(self) -> int:
        """Return the size of the input in bytes; 0 for files that cannot be read, whose runs say why."""
        if self.data:
            return sum(len(getattr(datum, "letters", b"")) for datum in self.data)
        return sum(os.path.getsize(path) for path in self.files if path.is_file())

    def digest(self) -> str:
        """Return a digest of input and settings, 32 hexadecimal digits. Raises OSError for unreadable files."""
        found = hashlib.blake2b(digest_size=16)
        found.update(repr(sorted(self.settings.items())).encode())
        found.update(digest_value(self.data).encode() if self.data else b"")
        for path in self.files:
            with open(path, "rb") as file:
                while piece := file.read(READ_BYTES):
                    found.update(piece)
            found.update(b"\nfile\n")
        return found.hexdigest()


def list_items(paths: Iterable[str | Path]) -> list[BatchItem]:
    """Return an item for each file, and for each file in folders and their subfolders, apart from hidden ones.

    Raises InputError for a path that does not exist, an empty folder, and for no path.
    """
    named: list[tuple[Path, str]] = []
    for path in map(Path, paths):
        if path.is_dir():
            found = sorted(one for one in path.rglob("*") if one.is_file() and not _is_hidden(one.relative_to(path)))
            if not found:
                raise InputError(f"{path}: this folder holds no files; give one with a file for each run")
            named += [(one, one.relative_to(path).with_name(format_stem(one)).as_posix()) for one in found]
        elif path.exists():
            named.append((path, format_stem(path)))
        else:
            raise InputError(f"{path}: no such file or folder; check the spelling")
    if not named:
        raise InputError("a batch needs files: give FILE..., a folder, or --table FILE")
    return _with_unique_names([BatchItem(name, (path,)) for path, name in named])


def read_table(path: str | Path) -> list[BatchItem]:
    """Return an item for each line of a table (.csv; otherwise separated by tabs).

    The column "file" names one input file or several, separated by ';', relative to the folder of the table. The column
    "name" names the output. Every other column is an option or a parameter of the method; an empty cell sets none.
    Raises InputError with the line.
    """
    path = Path(path)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file, delimiter="," if path.suffix.lower() == ".csv" else "\t"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        hint = "check the name" if isinstance(error, OSError) else "give a text in UTF-8"
        raise InputError(f"{path}: cannot be read as a table: {reason}; {hint}") from error
    head, *rows = lines or [[]]
    head = [name.strip().lower().replace("-", "_") for name in head]
    column = next((head.index(name) for name in FILE_COLUMNS if name in head), None)
    if column is None:
        raise InputError(f"{path}: line 1: no column 'file'; the first line must name the columns, such as file, name")
    if twice := [name for name, times in Counter(head).items() if times > 1]:
        raise InputError(f"{path}: line 1: the column {twice[0]!r} is there twice; remove one")
    items = [_table_item(path, number, head, column, row) for number, row in enumerate(rows, 2) if any(row)]
    if not items:
        raise InputError(f"{path}: this table has no lines below its head; add one for each run")
    return _with_unique_names(items)


def _table_item(path: Path, number: int, head: Sequence[str], column: int, row: Sequence[str]) -> BatchItem:
    """Return the item of a line of a table."""
    if len(row) != len(head):
        raise InputError(f"{path}: line {number}: {len(row)} cells, and the head has {len(head)}; correct the line")
    files = tuple(path.parent / one.strip() for one in row[column].split(FILE_SEPARATOR) if one.strip())
    if not files:
        raise InputError(f"{path}: line {number}: no file is named; name one, or remove the line")
    cells = {name: cell.strip() for name, cell in zip(head, row, strict=True)}
    name = cells.get(NAME_COLUMN) or format_stem(files[0])
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise InputError(f"{path}: line {number}: the name {name!r} leaves the output folder; give a plain name")
    known = (*FILE_COLUMNS, NAME_COLUMN)
    return BatchItem(name, files, settings={key: cell for key, cell in cells.items() if cell and key not in known})


def _with_unique_names(items: Sequence[BatchItem]) -> list[BatchItem]:
    """Return items whose names differ: where two are equal, the whole name of the file counts.

    Raises InputError for items whose names are still equal.
    """
    times = Counter(item.name for item in items)
    found = [
        item
        if times[item.name] == 1
        else BatchItem(str(Path(item.name).with_name(item.files[0].name)), item.files, item.data, item.settings)
        for item in items
    ]
    first: dict[str, BatchItem] = {}
    for item in found:
        if (other := first.setdefault(item.name, item)) is not item:
            raise InputError(
                f"{other.label} and {item.label} would have the same output {item.name}; rename one, or give a table "
                "with a column 'name'"
            )
    return found


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
