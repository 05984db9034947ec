"""Plain FASTA as columns: whole blocks of a file at a time, so that a million records take about a second.

Only what nearly every file holds is read here: titles in UTF-8 with a name, and letters without gaps, numbers or other
signs. For anything else `read_columns` returns None, and the reader of records, which knows what to say of it, reads
the file again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from antidiag.kernels.io.unique_names import names_of_titles
from antidiag.kernels.model import SequenceType
from antidiag.kernels.sequences.alphabets import NUCLEOTIDES
from antidiag.kernels.sequences.sequence_set import TYPES, SequenceSet
from antidiag.kernels.sequences.text_column import TextColumn, TextPool, offsets_of

TITLE, LINE_END = ord(">"), ord("\n")
UPPER = np.frombuffer(bytes(range(256)).upper(), np.uint8)
LETTER = np.isin(np.arange(256), np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", np.uint8))
SPACE = np.isin(np.arange(256), np.frombuffer(b" \t\v\f", np.uint8))
CONTROL = np.arange(256) < 32
UNICODE_SPACE = re.compile(r"[^\S\x00-\x7f]")
"""Spaces other than those of ASCII, which end a name as well."""
COUNTED = (
    np.isin(np.arange(256), np.frombuffer(b"ACGTUN", np.uint8)),
    ~np.isin(np.arange(256), np.frombuffer(NUCLEOTIDES.encode() + b"U", np.uint8)),
    np.arange(256) == ord("U"),
    np.arange(256) == ord("T"),
)
"""Flags of letters that are counted in every record."""
PROTEIN, DNA, RNA = (TYPES.index(kind) for kind in (SequenceType.PROTEIN, SequenceType.DNA, SequenceType.RNA))


class FastaColumns(NamedTuple):
    """Records: titles and letters with their offsets, lengths of the names in the titles, and counts of letters.

    ``counts`` (4, records) are those of A, C, G, T, U, N; of what is no code of a nucleotide; of U; of T.
    """

    titles: np.ndarray
    title_offsets: np.ndarray
    name_lengths: np.ndarray
    letters: np.ndarray
    offsets: np.ndarray
    counts: np.ndarray


def read_columns(blocks: Iterable[bytes]) -> FastaColumns | None:
    """Return the records of a FASTA file, given in blocks of whole lines; None where it is not plain.

    A file with a record that is longer than a block counts as not plain: columns have no advantage there.
    """
    found: list[FastaColumns] = []
    pending = b""
    for block in blocks:
        last = block.rfind(b"\n>") + 1  # the last record may go on in the next block
        if not last and found:
            return None
        text, pending = pending + block[:last], block[last:]
        if text and not _append(found, text):
            return None
    if pending and not _append(found, pending):
        return None
    return _joined(found) if found else None


def _append(found: list[FastaColumns], text: bytes) -> bool:
    columns = parse_block(np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8))
    if columns is None:
        return False
    found.append(columns)
    return True


def parse_block(text: np.ndarray) -> FastaColumns | None:
    """Return the records of whole lines, uint8, of which the first is a title; None where they are not plain."""
    ends = np.flatnonzero(text == LINE_END)
    starts = np.concatenate([[0], ends[:-1] + 1])
    is_title = text[starts] == TITLE
    is_title[ends == starts] = False
    if not is_title[0]:
        return None
    titles, title_offsets = take_ranges_of(text, starts[is_title] + 1, ends[is_title])
    lines, line_offsets = take_ranges_of(text, starts[~is_title], ends[~is_title])
    letters = UPPER[lines]
    if not LETTER[letters].all() or CONTROL[titles].any():
        return None
    name_lengths = first_words(titles, title_offsets)
    if name_lengths is None or ((titles >= 128).any() and not _is_plain_text(titles, title_offsets)):
        return None
    record_of_line = np.cumsum(is_title)[~is_title]
    first_line = np.searchsorted(record_of_line, np.arange(1, title_offsets.size + 1))
    offsets = line_offsets[first_line]
    counts = np.stack([_count(flags[letters], offsets) for flags in COUNTED])
    return FastaColumns(titles, title_offsets, name_lengths, letters, offsets, counts)


def take_ranges_of(text: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what lies in these ranges of a text, ascending and apart, as one array, and the offset of each there."""
    marks, filled = np.zeros(text.size + 1, np.int8), starts < ends
    marks[starts[filled]] += 1
    marks[ends[filled]] -= 1
    return text[np.cumsum(marks[:-1], dtype=np.int8).view(bool)], offsets_of(ends - starts)


def first_words(titles: np.ndarray, offsets: np.ndarray) -> np.ndarray | None:
    """Return the length of the name that every title begins with; None where one has none, or a space at an end."""
    starts, ends = offsets[:-1], offsets[1:]
    if (starts == ends).any() or SPACE[titles[starts]].any() or SPACE[titles[ends - 1]].any():
        return None
    spaces = np.append(np.flatnonzero(SPACE[titles]), titles.size)
    return np.minimum(spaces[np.searchsorted(spaces, starts)], ends) - starts


def guess_types(columns: FastaColumns, shortest_sure: int) -> np.ndarray:
    """Return the code of the type of every sequence, from all of its letters; see `sequences.guess_type`.

    A sequence of fewer than ``shortest_sure`` letters is one of nucleotides only where it has no other codes.
    """
    lengths = np.diff(columns.offsets)
    common, strange, u, t = columns.counts
    is_protein = ((lengths - common) * 10 > lengths) | ((strange > 0) & (lengths < shortest_sure))
    return np.where(is_protein, PROTEIN, np.where((u > 0) & (t == 0), RNA, DNA)).astype(np.uint8)


def _count(flags: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """How many flags are set in every range, int32."""
    sums = np.zeros(flags.size + 1, np.int32)
    np.cumsum(flags, out=sums[1:])
    return sums[offsets[1:]] - sums[offsets[:-1]]


def as_set(columns: FastaColumns, types: np.ndarray, source: str) -> SequenceSet:
    """Return the records as a set of sequences of one file."""
    count = columns.offsets.size - 1
    name_ends = columns.title_offsets[:-1] + columns.name_lengths
    first_words = TextColumn(*take_ranges_of(columns.titles, columns.title_offsets[:-1], name_ends))
    titles = TextColumn(columns.titles, columns.title_offsets)
    are_unique = len({word for word in first_words}) == count  # noqa: C416 - as in `make_names_unique`
    return SequenceSet(
        columns.letters,
        columns.offsets,
        first_words if are_unique else TextColumn.from_texts(names_of_titles(list(titles))),
        titles,
        types,
        TextPool((source,), np.zeros(count, np.int32)),
        TextPool(("",), np.zeros(count, np.int32)),
    )


def _is_plain_text(titles: np.ndarray, offsets: np.ndarray) -> bool:
    """Return whether each title is UTF-8, without spaces that ASCII does not have."""
    if ((titles[offsets[:-1]] & 0xC0) == 0x80).any():  # a character would begin in the title before
        return False
    try:
        return not UNICODE_SPACE.search(titles.tobytes().decode())
    except UnicodeDecodeError:
        return False


def _joined(parts: list[FastaColumns]) -> FastaColumns:
    lengths = [
        np.concatenate([np.diff(getattr(part, name)) for part in parts]) for name in ("title_offsets", "offsets")
    ]
    names = ("titles", "letters", "name_lengths")
    titles, letters, name_lengths = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    counts = np.concatenate([part.counts for part in parts], axis=1)
    return FastaColumns(titles, offsets_of(lengths[0]), name_lengths, letters, offsets_of(lengths[1]), counts)
