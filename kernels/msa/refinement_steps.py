"""The intermediate alignments of a refinement, computed from the last one backwards. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.msa.refinement_changes import (
    RefinementChange,
    RefinementChanges,
    changed_columns,
    column_owners,
    undo_change,
)

MOST_BYTES = 1 << 26  # of stored alignments, one bit per cell; others are computed from the next stored one


@dataclass(frozen=True, eq=False)
class AlignmentSide:
    """One alignment: the cells with letters, bool (rows, columns), and the columns with realigned letters."""

    has_letter: np.ndarray
    moved: np.ndarray


@dataclass(frozen=True, eq=False)
class RefinementStep:
    """An alignment before and after one change."""

    change: RefinementChange
    before: AlignmentSide
    after: AlignmentSide

    @property
    def moved_letters(self) -> int:
        """Number of realigned letters."""
        return int(self.before.has_letter[:, self.before.moved].sum())

    @property
    def moved_rows(self) -> int:
        """Number of rows with realigned letters."""
        return int(self.before.has_letter[:, self.before.moved].any(axis=1).sum())


@dataclass(eq=False)
class RefinementSteps:
    """All alignments of a refinement: number k is before change k, the last one is the answer."""

    answer: MsaAnswer
    _stored: dict[int, tuple[np.ndarray, int]] = field(default_factory=dict)
    _store_interval: int = field(init=False)

    def __post_init__(self) -> None:
        there = self.answer.alignment.letters != GAP
        self._store_interval = max(1, -(-len(self) * there.size // 8 // MOST_BYTES))
        self._store_alignment(len(self), np.asarray(there))

    def __len__(self) -> int:
        return len(self._changes)

    @property
    def _changes(self) -> RefinementChanges | tuple[RefinementChange, ...]:
        return self.answer.changes if self.answer.changes is not None else ()

    def letters_before(self, number: int) -> np.ndarray:
        """Return the cells with letters before change ``number``, bool (rows, columns)."""
        later = min(known for known in self._stored if known >= number)
        bits, columns = self._stored[later]
        there = np.unpackbits(bits, axis=1, count=columns).astype(bool)
        for place in range(later - 1, number - 1, -1):
            there = undo_change(there, self._changes[place])
            if place % self._store_interval == 0:
                self._store_alignment(place, there)
        return there

    def step_at(self, number: int) -> RefinementStep:
        """Return change ``number`` with both alignments."""
        change, before, after = self._changes[number], self.letters_before(number), self.letters_before(number + 1)
        first, second = changed_columns(change.before, column_owners(after, change.first))
        return RefinementStep(change, AlignmentSide(before, first), AlignmentSide(after, second))

    def _store_alignment(self, number: int, there: np.ndarray) -> None:
        self._stored[number] = np.packbits(there, axis=1), there.shape[1]


def shade_cells(side: AlignmentSide, first: np.ndarray) -> np.ndarray:
    """Return the values to draw, float32 (rows, columns): 0 for gaps, FIRST or SECOND by group, MOVED if realigned."""
    found = np.where(side.has_letter, np.where(first[:, None], FIRST, SECOND), 0).astype(np.float32)
    found[side.has_letter & side.moved] = MOVED
    return found


SECOND, FIRST, MOVED = 0.3, 0.5, 1.0
