"""An alignment of any number of rows as an array, and what is told of its columns. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernels.model import Result, SequenceType
from kernels.triple.model import TripleAnswer

GAP = ord("-")
LETTERS = 128
CHUNK = 1 << 16


@dataclass(frozen=True, eq=False)
class RowsText:
    """``letters`` are uint8 (rows, columns) with '-' for gaps; ``conservation`` is float (columns,), from 0 to 1.

    The conservation of a column is the share of all rows that hold its most frequent letter.
    """

    names: tuple[str, ...]
    letters: np.ndarray
    conservation: np.ndarray
    starts: tuple[int, ...]
    protein: bool

    @property
    def columns(self) -> int:
        return int(self.letters.shape[1])

    def positions(self, column: int) -> tuple[int, ...]:
        """How many letters of each sequence lie before a column, those before the alignment included."""
        before = np.count_nonzero(self.letters[:, :column] != GAP, axis=1)
        return tuple(int(start + count) for start, count in zip(self.starts, before, strict=True))

    def fasta(self, first: int = 0, last: int | None = None) -> str:
        """Columns first..last (half-open) as FASTA."""
        pieces = (row[first:last].tobytes().decode("ascii") for row in self.letters)
        return "".join(f">{name}\n{piece}\n" for name, piece in zip(self.names, pieces, strict=True))


def shows(result: Result) -> bool:
    """Whether a result is an alignment of other than two sequences."""
    return isinstance(result.answer, TripleAnswer) and result.answer.alignment is not None


def rows_text(result: Result) -> RowsText:
    """The rows of a result, for which `shows` holds."""
    sequences, path = result.problem.sequences, result.answer.alignment
    rows = path.gapped(sequences)
    letters = np.array([np.frombuffer(row.encode("ascii"), np.uint8) for row in rows])
    starts = tuple(int(start) for start in path.start)
    protein = any(sequence.type is SequenceType.PROTEIN for sequence in sequences)
    return RowsText(tuple(sequence.name for sequence in sequences), letters, conservation(letters), starts, protein)


def conservation(letters: np.ndarray) -> np.ndarray:
    """The share of rows that hold the most frequent letter of each column; gaps are no letters."""
    found = np.zeros(letters.shape[1])
    for at in range(0, letters.shape[1], CHUNK):
        part = letters[:, at : at + CHUNK]
        counts = np.zeros((LETTERS, part.shape[1]), np.int64)
        np.add.at(counts, (part, np.arange(part.shape[1])[None, :]), 1)
        counts[GAP] = 0
        found[at : at + CHUNK] = counts.max(axis=0) / letters.shape[0]
    return found
