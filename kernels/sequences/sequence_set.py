"""SequenceSet: many sequences in a few arrays; a million records are no million objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from typing import Any

import numpy as np

from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.sequences.text_column import (
    TextColumn,
    TextPool,
    check_offsets,
    gather_ranges,
    make_read_only,
    offsets_of,
)
from antidiag.kernels.serialization import stored

TYPES = tuple(SequenceType)
"""Types of sequences by the code that stands for them in a set."""
MANY_SEQUENCES = 10_000
"""Sequences from which on they are held in columns; fewer are held as a tuple of objects."""
BATCH = 1000
"""Sequences that a loop takes out at a time."""
PART_LETTERS = 2**20
"""Letters that are looked at together where it does not matter whose they are."""


@stored("sequence-set")
@dataclass(frozen=True, eq=False, repr=False)
class SequenceSet(Sequences[Sequence]):
    """An immutable list of sequences, held in columns.

    A sequence that is taken out, by its index or in a loop, is a `Sequence` of its own, made at that moment: compare
    sequences of a set by their rows, not by identity.

    Parameters
    ----------
    letters : ndarray of uint8
        The upper-case letters of all sequences, one after another.
    offsets : ndarray of int64, shape (count + 1,)
        Sequence i has ``letters[offsets[i]:offsets[i + 1]]``.
    names, descriptions : TextColumn
        One text a sequence.
    sources, notes : TextPool
        One text a sequence, of which few differ.
    types : ndarray of uint8, shape (count,)
        Codes of their types, numbers in `TYPES`.
    """

    letters: np.ndarray
    offsets: np.ndarray
    names: TextColumn
    descriptions: TextColumn
    types: np.ndarray
    sources: TextPool
    notes: TextPool

    def __post_init__(self) -> None:
        check_offsets(self.letters, self.offsets)
        columns = (self.names, self.descriptions, self.sources, self.notes, self.types)
        if {len(column) for column in columns} != {len(self)}:
            raise ValueError("columns of a set of sequences differ in length")
        if self.types.dtype != np.uint8 or (self.types >= len(TYPES)).any():
            raise ValueError("a sequence of a set has an unknown type")
        make_read_only(self.letters, self.offsets, self.types)

    @classmethod
    def from_sequences(cls, sequences: Iterable[Sequence]) -> SequenceSet:
        """Return the set of these sequences; a set is returned as it is."""
        if isinstance(sequences, SequenceSet):
            return sequences
        listed = list(sequences)
        letters = b"".join(one.letters for one in listed)
        return cls(
            np.frombuffer(letters, np.uint8),
            offsets_of(np.array([len(one.letters) for one in listed], np.int64)),
            TextColumn.from_texts(one.name for one in listed),
            TextColumn.from_texts(one.description for one in listed),
            np.array([TYPES.index(one.type) for one in listed], np.uint8),
            TextPool.from_texts(one.source for one in listed),
            TextPool.from_texts(one.note for one in listed),
        )

    def __len__(self) -> int:
        return self.offsets.size - 1

    @property
    def lengths(self) -> np.ndarray:
        """Letters of each sequence, int64."""
        return np.diff(self.offsets)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return select_rows([self], np.arange(*index.indices(len(self))))
        index = range(len(self))[index]
        return Sequence(
            self.names[index],
            self.letters[self.offsets[index] : self.offsets[index + 1]].tobytes(),
            TYPES[self.types[index]],
            self.descriptions[index],
            self.sources[index],
            self.notes[index],
        )

    def __iter__(self) -> Iterator[Sequence]:
        for part in self._parts():
            columns = (part.names, part.descriptions, part.sources, part.notes, part.types.tolist())
            for letters, name, description, source, note, code in zip(part.each_letters(), *columns, strict=True):
                yield Sequence(name, letters, TYPES[code], description, source, note)

    def each_letters(self) -> Iterator[bytes]:
        """Yield the letters of each sequence."""
        for part in self._parts():
            letters = part.letters.tobytes()
            for start, end in pairwise(part.offsets.tolist()):
                yield letters[start:end]

    def letter_parts(self) -> Iterator[bytes]:
        """Yield the letters of all sequences, one after another, in parts that may begin within a sequence."""
        letters = self.letters
        for at in range(0, letters.size, PART_LETTERS):
            yield letters[at : at + PART_LETTERS].tobytes()

    def _parts(self) -> Iterator[SequenceSet]:
        """Yield sets of at most BATCH sequences with columns of their own, in order."""
        if len(self) <= BATCH and not isinstance(self, SharedSequences):
            yield self
            return
        for at in range(0, len(self), BATCH):
            yield self.copy_range(at, at + BATCH)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (tuple, list)):
            return len(self) == len(other) and all(one == another for one, another in zip(self, other, strict=True))
        if not isinstance(other, SequenceSet):
            return NotImplemented
        if self is other or len(self) != len(other):
            return self is other
        one, two = self.copy_columns(), other.copy_columns()
        return all(
            np.array_equal(getattr(one, name), getattr(two, name)) for name in ("offsets", "types", "letters")
        ) and ((one.names, one.descriptions, one.sources) == (two.names, two.descriptions, two.sources))

    __hash__ = None  # type: ignore[assignment]

    @property
    def different_types(self) -> set[SequenceType]:
        """The types that sequences of the set have."""
        return {TYPES[code] for code in np.flatnonzero(np.bincount(self.types))}

    def __add__(self, other: Iterable[Sequence]) -> SequenceSet:
        return concatenate([self, SequenceSet.from_sequences(other)])

    def take(self, rows: Iterable[int] | np.ndarray) -> SequenceSet:
        """Return the sequences of these rows, in their order."""
        wanted = rows if isinstance(rows, np.ndarray) else np.fromiter(rows, np.int64)
        return select_rows([self], wanted)

    def copy_range(self, first: int, end: int) -> SequenceSet:
        """Return the sequences of rows first to end - 1 with columns of their own."""
        return copy_rows([self], np.arange(first, min(end, len(self))))

    def copy_columns(self) -> SequenceSet:
        """Return the set with columns of its own; a set that has its own is returned as it is."""
        return self


class SharedSequences(SequenceSet):
    """Rows of sets, in any order, that share the columns of these sets: an edit of a million sequences copies none.

    Columns are gathered each time they are asked for.

    Parameters
    ----------
    sets : list of SequenceSet
        Sets with columns of their own. Their sequences are numbered through.
    rows : ndarray of integers
        Numbers of the sequences.
    """

    def __init__(self, sets: Sequences[SequenceSet], rows: np.ndarray) -> None:
        total = sum(map(len, sets))
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or (rows.size and not 0 <= rows.min() <= rows.max() < total):
            raise ValueError("rows of a set of sequences do not fit it")
        self.sets = tuple(sets)
        self.rows = rows.astype(np.min_scalar_type(total))
        make_read_only(self.rows)

    def __getattr__(self, name: str) -> Any:
        """Return a column, of the rows in their order."""
        if name in ("letters", "offsets"):
            sources = [(one.letters, one.offsets) for one in self.sets]
            return gather_ranges(sources, self.rows.astype(np.int64))[name == "offsets"]
        if name == "types":
            return np.concatenate([one.types for one in self.sets])[self.rows]
        if name in ("names", "descriptions", "sources", "notes"):
            columns = [getattr(one, name) for one in self.sets]
            return type(columns[0]).gather(columns, self.rows.astype(np.int64))
        raise AttributeError(name)

    def __len__(self) -> int:
        return self.rows.size

    @property
    def lengths(self) -> np.ndarray:
        """Letters of each sequence, int64."""
        return np.concatenate([one.lengths for one in self.sets])[self.rows]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return select_rows(self.sets, self.rows[index])
        row = int(self.rows[range(len(self))[index]])
        for one in self.sets:
            if row < len(one):
                return one[row]
            row -= len(one)
        raise IndexError(index)

    def take(self, rows: Iterable[int] | np.ndarray) -> SequenceSet:
        """Return the sequences of these rows, in their order."""
        wanted = rows if isinstance(rows, np.ndarray) else np.fromiter(rows, np.int64)
        return select_rows(self.sets, self.rows[wanted])

    def copy_range(self, first: int, end: int) -> SequenceSet:
        """Return the sequences of rows first to end - 1 with columns of their own."""
        return copy_rows(self.sets, self.rows[first:end])

    def copy_columns(self) -> SequenceSet:
        """Return the set with columns of its own."""
        return copy_rows(self.sets, self.rows)

    stored_form = copy_columns


def select_rows(sets: Sequences[SequenceSet], rows: np.ndarray) -> SequenceSet:
    """Return rows of sets, numbered through: sharing their columns if they are many and most of them, else copied."""
    if rows.size >= MANY_SEQUENCES and 2 * rows.size >= sum(map(len, sets)):
        return SharedSequences(sets, rows)
    return copy_rows(sets, rows)


def copy_rows(sets: Sequences[SequenceSet], rows: np.ndarray) -> SequenceSet:
    """Return rows of sets, numbered through, with columns of their own."""
    if not rows.size:
        return SequenceSet.from_sequences(())
    rows = rows.astype(np.int64)
    letters, offsets = gather_ranges([(one.letters, one.offsets) for one in sets], rows)
    names, descriptions = (
        TextColumn.gather([getattr(one, name) for one in sets], rows) for name in ("names", "descriptions")
    )
    types = np.concatenate([one.types for one in sets])[rows]
    sources, notes = (TextPool.gather([getattr(one, name) for one in sets], rows) for name in ("sources", "notes"))
    return SequenceSet(letters, offsets, names, descriptions, types, sources, notes)


def concatenate(sets: Sequences[SequenceSet]) -> SequenceSet:
    """Return one set with the sequences of several, in their order; the columns of many sequences are shared."""
    own_sets: list[SequenceSet] = []
    rows, before = [np.zeros(0, np.int64)], 0
    for one in sets:
        shared = one.sets if isinstance(one, SharedSequences) else (one,)
        numbers = one.rows if isinstance(one, SharedSequences) else np.arange(len(one))
        rows.append(numbers.astype(np.int64) + before)
        own_sets += shared
        before += sum(map(len, shared))
    return select_rows(_join_small_sets(own_sets), np.concatenate(rows))


def _join_small_sets(sets: Sequences[SequenceSet]) -> list[SequenceSet]:
    """Return the sets with neighbouring small ones copied into one, so that many edits do not make many sets."""
    found: list[SequenceSet] = []
    for is_small, group in groupby(sets, lambda one: len(one) < MANY_SEQUENCES):
        listed = list(group)
        found += [copy_rows(listed, np.arange(sum(map(len, listed))))] if is_small and len(listed) > 1 else listed
    return found


class MixedData(Sequences[Any]):
    """A list of many sequences followed by other data, of which nothing is copied."""

    def __init__(self, sequences: SequenceSet, others: tuple[Any, ...]) -> None:
        self.sequences, self.others = sequences, others

    def __len__(self) -> int:
        return len(self.sequences) + len(self.others)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        row = range(len(self))[index]
        return self.sequences[row] if row < len(self.sequences) else self.others[row - len(self.sequences)]

    def __iter__(self) -> Iterator[Any]:
        return chain(self.sequences, self.others)


def pack_sequences(sequences: Iterable[Sequence]) -> tuple[Sequence, ...] | SequenceSet:
    """Return few sequences as a tuple, many as a set."""
    if isinstance(sequences, SequenceSet):
        return sequences if len(sequences) >= MANY_SEQUENCES else tuple(sequences)
    listed = tuple(sequences)
    return listed if len(listed) < MANY_SEQUENCES else SequenceSet.from_sequences(listed)


def join_sequences(*parts: Sequences[Sequence]) -> tuple[Sequence, ...] | SequenceSet:
    """Return the sequences of several lists, in their order; few as a tuple, many as a set."""
    filled = [part for part in parts if len(part)]
    if len(filled) == 1:
        return pack_sequences(filled[0])
    if sum(map(len, filled)) < MANY_SEQUENCES:
        return tuple(chain.from_iterable(filled))
    return concatenate([SequenceSet.from_sequences(part) for part in filled])


def take_sequences(sequences: Sequences[Sequence], rows: Iterable[int]) -> tuple[Sequence, ...] | SequenceSet:
    """Return the sequences of these rows, in their order; few as a tuple, many as a set."""
    if isinstance(sequences, SequenceSet):
        wanted = rows if isinstance(rows, np.ndarray) else np.fromiter(rows, np.int64)
        return pack_sequences(sequences.take(wanted))
    return tuple(sequences[row] for row in rows)


def join_data(parts: Iterable[Sequences[Any]]) -> Sequences[Any]:
    """Return the data of several lists as one; a set that comes first stays what it is."""
    filled = [part for part in parts if len(part)]
    if filled and isinstance(filled[0], SequenceSet):
        return MixedData(filled[0], tuple(chain.from_iterable(filled[1:]))) if filled[1:] else filled[0]
    return tuple(chain.from_iterable(filled))


def split_data(data: Iterable[Any]) -> tuple[Sequences[Sequence], tuple[Any, ...]]:
    """Return the sequences among data, a set as it is or a tuple, and the other data."""
    if isinstance(data, SequenceSet):
        return data, ()
    if isinstance(data, MixedData):
        return data.sequences, data.others
    listed = tuple(data)
    others = tuple([datum for datum in listed if not isinstance(datum, Sequence)])
    if not others:
        return pack_sequences(listed), ()
    return pack_sequences(tuple(datum for datum in listed if isinstance(datum, Sequence))), others
