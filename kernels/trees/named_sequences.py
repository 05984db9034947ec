"""What all problems of many sequences, or of the rows of an alignment, have: names, a title, and notes on the data."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from functools import cached_property

import numpy as np

from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.unique_names import describe_renaming, make_names_unique
from antidiag.kernels.model import Sequence, sequence_lengths, sequence_names


class NamedSequences:
    """A base of problems with ``sequences``, of any number."""

    sequences: Sequences[Sequence]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the sequences, made distinct: those of rows, taxa and leaves."""
        return make_names_unique(sequence_names(self.sequences))

    @cached_property
    def lengths(self) -> np.ndarray:
        """The number of letters of each sequence, int64."""
        return sequence_lengths(self.sequences)

    @property
    def title(self) -> str:
        """The name of the first sequence, and how many others there are."""
        more = len(self.sequences) - 1
        return self.sequences[0].name + (f" and {more:,} more" if more else "")

    @property
    def renaming_notes(self) -> tuple[str, ...]:
        """A note on the names that were made distinct, or none."""
        renamed = describe_renaming(sequence_names(self.sequences), self.names)
        return (f"Sequences with {renamed}.",) if renamed else ()


class AlignedRows:
    """A base of problems of the rows of an ``alignment``."""

    alignment: AlignedSequences

    @property
    def data(self) -> tuple[AlignedSequences]:
        """The input data of the problem."""
        return (self.alignment,)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rows."""
        return self.alignment.names

    @property
    def title(self) -> str:
        """The name of the alignment."""
        return self.alignment.name

    @property
    def size(self) -> str:
        """The size of the alignment, as text."""
        return self.alignment.summary

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user: names of rows, letters and omissions that differ from the file."""
        parts = self.alignment.note.split("; ") if self.alignment.note else []
        return tuple(f"Rows with {part}." if part.startswith("equal") else f"In the file: {part}." for part in parts)
