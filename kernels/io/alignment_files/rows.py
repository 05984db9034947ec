"""What readers of alignments share: rows that grow piece by piece, blocks of rows, and what a reader gives."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.serialization import stored

SPACE = b" \t\r\v\f"
GAPS = b"-.~"


@stored("alignment-annotations")
@dataclass(frozen=True)
class Annotations:
    """What a file says beside the letters; tags are those of Stockholm where it has one. Rows are numbers, from 0.

    ``of_file`` has pairs of a tag and a text (GF), ``of_rows`` a row, a tag and a text (GS), ``of_columns`` a tag and a
    character a column (GC), ``of_letters`` a row, a tag and a character a column (GR).
    """

    of_file: tuple[tuple[str, str], ...] = ()
    of_rows: tuple[tuple[int, str, str], ...] = ()
    of_columns: tuple[tuple[str, str], ...] = ()
    of_letters: tuple[tuple[int, str, str], ...] = ()


NOTHING = Annotations()
DESCRIPTION = "DE"
"""The tag of what follows the name in a title of FASTA."""


class Raw(NamedTuple):
    """An alignment as its file has it: ``letters`` are uint8 (rows, columns), in either case, with '-', '.' or '~' for
    gaps and '?' for what is missing.

    ``name`` is "" where the file gives none, ``note`` what the reader left out.
    ``plain``: surely capitals, '*' and '-' alone."""

    names: list[str]
    letters: np.ndarray
    annotations: Annotations = NOTHING
    name: str = ""
    note: str = ""
    plain: bool = False


class Place(NamedTuple):
    """The file and the number of a line, from 1."""

    source: str
    line: int

    def refuse(self, why: str) -> NoReturn:
        raise InputError(f"{self.source}, line {self.line:,}: {why}")


def numbered_lines(stream: Iterator[bytes], source: str) -> Iterator[tuple[Place, bytes]]:
    """The lines of blocks of whole lines, without their ends."""
    number = 0
    for block in stream:
        for line in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            yield Place(source, number), line


def text(data: bytes) -> str:
    """UTF-8, else Latin-1, which knows every byte."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


class Rows:
    """Rows that grow piece by piece, in blocks that all name the same rows in the same order, or single ones by name.

    Two rows may have one name: they are told apart by their places in the blocks.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.names: list[bytes] = []
        self._letters: list[bytearray] = []
        self._places: dict[bytes, int] = {}
        self._in_block = 0
        self._first_block = True

    def __len__(self) -> int:
        return len(self.names)

    def end_block(self) -> None:
        """The next line begins a block; nothing happens where none has begun."""
        if self._in_block:
            self._in_block, self._first_block = 0, False

    def add(self, name: bytes, letters: bytes, place: Place) -> int:
        """A line of a block; the number of its row. InputError for a name that the first block lacks."""
        row = self._in_block
        if self._first_block:
            self.new(name)
        elif row >= len(self.names) or self.names[row] != name:
            row = self._places.get(name, -1)
            if row < 0:
                place.refuse(f"row {text(name)} is not in the first block; each block has the same rows")
        self._letters[row] += letters
        self._in_block += 1
        return row

    def new(self, name: bytes) -> int:
        """A row of this name, empty."""
        self._places.setdefault(name, len(self.names))
        self.names.append(name)
        self._letters.append(bytearray())
        return len(self.names) - 1

    def all_named(self) -> None:
        """No block names other rows than those that are there."""
        self._first_block = False

    def extend(self, row: int, letters: bytes) -> int:
        """More letters of a row; how many it has now."""
        self._letters[row] += letters
        return len(self._letters[row])

    def row_of(self, name: bytes) -> int | None:
        """The first row of this name."""
        return self._places.get(name)

    def raw(self, annotations: Annotations = NOTHING, name: str = "", note: str = "") -> Raw:
        """All rows as an array; InputError where their lengths differ or there is none. The rows here are used up."""
        names = [text(name) for name in self.names]
        if not names or not self._letters[0]:
            raise InputError(f"{self.source}: the alignment is empty; give one with rows")
        columns = len(self._letters[0])
        for label, row in zip(names, self._letters, strict=True):
            if len(row) != columns:
                raise ragged(self.source, label, len(row), names[0], columns)
        letters = np.empty((len(names), columns), np.uint8)
        for number in range(len(names)):
            letters[number] = np.frombuffer(self._letters[number], np.uint8)
            self._letters[number] = bytearray()
        return Raw(names, letters, annotations, name, note)


def ragged(source: str, name: str, columns: int, first: str, first_columns: int) -> InputError:
    """The error for rows of different lengths."""
    return InputError(
        f"{source}, row {name}: {columns:,} columns, and {first} has {first_columns:,}; an alignment has rows of one "
        "length"
    )


def squeezed(letters: bytes) -> bytes:
    """Letters without white space."""
    return letters.translate(None, SPACE + b"\n")


def titled(titles: Sequences[bytes]) -> tuple[list[str], tuple[tuple[int, str, str], ...]]:
    """Names, the first words of titles, and what follows them."""
    names, described = [], []
    for number, title in enumerate(titles):
        first, *rest = text(title).split(None, 1) or [f"unnamed-{number + 1}"]
        names.append(first)
        if rest and rest[0].strip():
            described.append((number, DESCRIPTION, rest[0].strip()))
    return names, tuple(described)
