"""SequenceSet: many sequences in a few arrays; a million records are no million objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Sequences

import numpy as np

from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.sequences.text_column import TextColumn, TextPool, check_offsets, offsets_of, take_ranges

TYPES = tuple(SequenceType)
"""Types of sequences by the code that stands for them in a set."""


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

    __slots__ = ("descriptions", "letters", "names", "notes", "offsets", "sources", "types")

    def __init__(
        self,
        letters: np.ndarray,
        offsets: np.ndarray,
        names: TextColumn,
        descriptions: TextColumn,
        types: np.ndarray,
        sources: TextPool,
        notes: TextPool,
    ) -> None:
        check_offsets(letters, offsets)
        count = offsets.size - 1
        if not count == len(names) == len(descriptions) == len(sources) == len(notes) == types.size:
            raise ValueError("columns of a set of sequences differ in length")
        self.letters, self.offsets, self.types = letters, offsets, types
        self.names, self.descriptions, self.sources, self.notes = names, descriptions, sources, notes

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
            return self.take(np.arange(*index.indices(len(self))))
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
        columns = (self.names, self.descriptions, self.sources, self.notes)
        offsets = self.offsets.tolist()
        for row, (name, description, source, note) in enumerate(zip(*columns, strict=True)):
            letters = self.letters[offsets[row] : offsets[row + 1]].tobytes()
            yield Sequence(name, letters, TYPES[self.types[row]], description, source, note)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SequenceSet):
            return NotImplemented
        return len(self) == len(other) and all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Iterable[Sequence]) -> SequenceSet:
        return concatenate([self, SequenceSet.from_sequences(other)])

    def take(self, rows: Iterable[int] | np.ndarray) -> SequenceSet:
        """Return the sequences of these rows, in their order."""
        wanted = rows if isinstance(rows, np.ndarray) else np.fromiter(rows, np.int64)
        letters, offsets = take_ranges(self.letters, self.offsets, wanted)
        return SequenceSet(
            letters,
            offsets,
            self.names.take(wanted),
            self.descriptions.take(wanted),
            self.types[wanted],
            self.sources.take(wanted),
            self.notes.take(wanted),
        )

    def replace(self, changes: dict[int, Sequence]) -> SequenceSet:
        """Return the set with other sequences in some rows."""
        rows = sorted(changes)
        order = np.arange(len(self))
        order[rows] = len(self) + np.arange(len(rows))
        return (self + [changes[row] for row in rows]).take(order)


def concatenate(sets: Sequences[SequenceSet]) -> SequenceSet:
    """Return one set with the sequences of several, in their order."""
    return SequenceSet(
        np.concatenate([np.zeros(0, np.uint8), *(one.letters for one in sets)]),
        offsets_of(np.concatenate([np.zeros(0, np.int64), *(one.lengths for one in sets)])),
        TextColumn.concatenate([one.names for one in sets]),
        TextColumn.concatenate([one.descriptions for one in sets]),
        np.concatenate([np.zeros(0, np.uint8), *(one.types for one in sets)]),
        TextPool.concatenate([one.sources for one in sets]),
        TextPool.concatenate([one.notes for one in sets]),
    )
