"""What the readers of alignment formats share: rows that grow line by line, and the alignment that a reader returns."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.io.unique_names import names_of_titles
from antidiag.kernels.model import SequenceType
from antidiag.kernels.serialization import stored

SPACE = b" \t\r\v\f"
GAPS = b"-.~"
GROUP_LENGTH = 10
"""Letters of a group, where programs write letters in groups."""
MISSING = b"?"
GAPS_TO_BLANKS = bytes.maketrans(GAPS + MISSING, b" " * 4)


@stored("alignment-annotations")
@dataclass(frozen=True)
class Annotations:
    """Annotations of an alignment beside its letters; tags are those of Stockholm where it has one.

    ``of_file`` has pairs of a tag and a text (GF), ``of_rows`` a row number from 0, a tag and a text (GS),
    ``of_columns`` a tag and a character a column (GC), ``of_letters`` a row number, a tag and a character a column
    (GR).
    """

    of_file: tuple[tuple[str, str], ...] = ()
    of_rows: tuple[tuple[int, str, str], ...] = ()
    of_columns: tuple[tuple[str, str], ...] = ()
    of_letters: tuple[tuple[int, str, str], ...] = ()


NO_ANNOTATIONS = Annotations()
DESCRIPTION = "DE"
"""The tag of what follows the name in a title of FASTA."""


class RawAlignment(NamedTuple):
    """An alignment as its file has it.

    ``letters`` are uint8 (rows, columns), in either case, with '-', '.' or '~' for gaps and '?' for missing ones.
    ``name`` is "" where the file gives none; ``note`` says what the reader left out. ``plain``: there are only
    capitals, '*' and '-'. ``type`` is what the file says of the letters, None where it says nothing.
    """

    names: list[str]
    letters: np.ndarray
    annotations: Annotations = NO_ANNOTATIONS
    name: str = ""
    note: str = ""
    plain: bool = False
    type: SequenceType | None = None


class RawRow(NamedTuple):
    """A row of any length as its file has it: its name, what the file says of it, and its letters with their gaps.

    ``note`` says what the reader left out of the row or, in the first row, of the file.
    """

    name: str
    description: str
    letters: bytes
    note: str = ""
    type: SequenceType | None = None


class SourceLine(NamedTuple):
    """The file and the number of a line, from 1."""

    source: str
    line: int

    def refuse(self, why: str) -> NoReturn:
        """Raise InputError with the file, the line and a reason."""
        raise InputError(f"{self.source}, line {self.line:,}: {why}")


def numbered_lines(stream: Iterator[bytes], source: str) -> Iterator[tuple[SourceLine, bytes]]:
    """Yield the lines of blocks of whole lines, without line ends, each with its number."""
    number = 0
    for block in stream:
        for line in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            yield SourceLine(source, number), line


class RowBuilder:
    """Rows that grow line by line: in blocks that all name the same rows in the same order, or one by one.

    Two rows may have one name; their places in the blocks distinguish them.
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
        """End the current block, if one has begun: the next line begins another."""
        if self._in_block:
            self._in_block, self._first_block = 0, False

    def add_line(self, name: bytes, letters: bytes, place: SourceLine) -> int:
        """Add a line of a block and return the number of its row; InputError for a name that the first block lacks."""
        row = self._in_block
        if self._first_block:
            self.add_row(name)
        elif row >= len(self.names) or self.names[row] != name:
            row = self._places.get(name, -1)
            if row < 0:
                place.refuse(f"row {decode_text(name)} is not in the first block; each block has the same rows")
        self._letters[row] += letters
        self._in_block += 1
        return row

    def add_row(self, name: bytes) -> int:
        """Add an empty row of this name and return its number."""
        self._places.setdefault(name, len(self.names))
        self.names.append(name)
        self._letters.append(bytearray())
        return len(self.names) - 1

    def end_naming(self) -> None:
        """Declare that all rows are named: blocks name no other ones."""
        self._first_block = False

    def extend_row(self, row: int, letters: bytes) -> int:
        """Append letters to a row and return how many it has then."""
        self._letters[row] += letters
        return len(self._letters[row])

    def row_of(self, name: bytes) -> int | None:
        """Return the first row of this name; None where there is none."""
        return self._places.get(name)

    def letters_of(self, row: int) -> bytes:
        """Return the letters that a row has so far."""
        return bytes(self._letters[row])

    def refuse_unequal_lengths(self) -> None:
        """Raise InputError for the first row of another length than the first one."""
        columns = len(self._letters[0]) if self._letters else 0
        for name, row in zip(self.names, self._letters, strict=True):
            if len(row) != columns:
                label, first = decode_text(name), decode_text(self.names[0])
                raise row_length_error(self.source, label, len(row), first, columns)

    def build_alignment(
        self, annotations: Annotations = NO_ANNOTATIONS, name: str = "", note: str = ""
    ) -> RawAlignment:
        """Build the alignment and empty the rows; InputError where their lengths differ or there is none."""
        names = [decode_text(name) for name in self.names]
        if not names or not self._letters[0]:
            raise InputError(f"{self.source}: the alignment is empty; give one with letters")
        self.refuse_unequal_lengths()
        letters = np.empty((len(names), len(self._letters[0])), np.uint8)
        for number in range(len(names)):
            letters[number] = np.frombuffer(self._letters[number], np.uint8)
            self._letters[number] = bytearray()
        return RawAlignment(names, letters, annotations, name, note)


def row_length_error(source: str, name: str, columns: int, first: str, first_columns: int) -> InputError:
    """Return the error for rows of different lengths."""
    return InputError(
        f"{source}, row {name}: {columns:,} columns, but {first} has {first_columns:,}; give rows of one length"
    )


def are_letter_groups(words: Sequences[bytes]) -> bool:
    """Return whether words are letters in groups of ten, of which the last may be shorter, and not parts of a name."""
    return all(len(word) == GROUP_LENGTH for word in words[:-1]) and len(words[-1]) <= GROUP_LENGTH


def has_match_signs(first: bytes, row: bytes) -> bool:
    """Return whether '.' in a row seems to stand for the letter of the first row, and not for a gap.

    The first row has no '.' then, and the others repeat none of its letters.
    """
    if b"." in first or len(row) != len(first) or 2 * row.count(b".") <= len(row):
        return False
    return not any(map(operator.eq, first.upper().translate(GAPS_TO_BLANKS), row.upper()))


def refuse_match_signs(first: bytes, row: bytes, name: str, source: str) -> None:
    """Raise InputError where '.' in a row stands for the letter of the first row (see `has_match_signs`)."""
    if has_match_signs(first, row):
        raise InputError(
            f"{source}, row {name}: '.' seems to stand for the letter of the first row here, and not for a gap; write "
            "the letters out, or '-' for gaps"
        )


def rows_look_aligned(rows: Iterable[bytes]) -> bool:
    """Return whether rows have one length, and some hold gaps or missing letters."""
    lengths: set[int] = set()
    gapped = False
    for row in rows:
        lengths.add(len(row))
        gapped = gapped or any(sign in row for sign in GAPS + MISSING)
    return len(lengths) == 1 and gapped


def remove_white_space(letters: bytes) -> bytes:
    """Return letters without white space."""
    return letters.translate(None, SPACE + b"\n")


def split_titles(titles: Sequences[bytes]) -> tuple[list[str], tuple[tuple[int, str, str], ...]]:
    """Split titles into names and descriptions: see `names_of_titles`."""
    texts = [decode_text(title).strip() for title in titles]
    names = names_of_titles(texts)
    described = tuple(
        (row, DESCRIPTION, rest)
        for row, (name, text) in enumerate(zip(names, texts, strict=True))
        if text.split(None, 1)[:1] == [name] and (rest := text[len(name) :].strip())
    )
    return [name or f"unnamed-{row + 1}" for row, name in enumerate(names)], described
