"""The alignments on the way of a refinement, made again from the last one backwards. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antidiag.kernels.io.aligned import GAP
from antidiag.kernels.msa.changes import Change, moved, parted, undone
from antidiag.kernels.msa.problem import MsaAnswer

MOST_BYTES = 1 << 26
"""Bytes of the alignments that are kept, a bit a cell; those between two are made from the later one."""


@dataclass(frozen=True, eq=False)
class Side:
    """One alignment: where letters stand, bool (rows, columns), and which columns are beside others than before or
    afterwards."""

    there: np.ndarray
    moved: np.ndarray


@dataclass(frozen=True, eq=False)
class Step:
    """An alignment before and after one change."""

    change: Change
    before: Side
    after: Side

    @property
    def moved_letters(self) -> int:
        """Letters that stand beside others than before."""
        return int(self.before.there[:, self.before.moved].sum())

    @property
    def moved_rows(self) -> int:
        """Rows that have such letters."""
        return int(self.before.there[:, self.before.moved].any(axis=1).sum())


@dataclass(eq=False)
class Way:
    """All alignments of a refinement: number k is that before change k, the last one the answer."""

    answer: MsaAnswer
    _kept: dict[int, tuple[np.ndarray, int]] = field(default_factory=dict)
    _every: int = field(init=False)

    def __post_init__(self) -> None:
        there = self.answer.alignment.letters != GAP
        self._every = max(1, -(-len(self) * there.size // 8 // MOST_BYTES))
        self._keep(len(self), np.asarray(there))

    def __len__(self) -> int:
        return len(self.answer.changes) if self.answer.changes is not None else 0

    def at(self, number: int) -> np.ndarray:
        """Where letters stood before change ``number``, bool (rows, columns)."""
        later = min(known for known in self._kept if known >= number)
        bits, columns = self._kept[later]
        there = np.unpackbits(bits, axis=1, count=columns).astype(bool)
        for place in range(later - 1, number - 1, -1):
            there = undone(there, self.answer.changes[place])
            if place % self._every == 0:
                self._keep(place, there)
        return there

    def step(self, number: int) -> Step:
        """Change ``number`` with both alignments."""
        change, before, after = self.answer.changes[number], self.at(number), self.at(number + 1)
        first, second = moved(change.before, parted(after, change.first))
        return Step(change, Side(before, first), Side(after, second))

    def _keep(self, number: int, there: np.ndarray) -> None:
        self._kept[number] = np.packbits(there, axis=1), there.shape[1]


def shown(side: Side, first: np.ndarray) -> np.ndarray:
    """What is painted of an alignment, float32 (rows, columns): 0 for gaps, SECOND or FIRST for letters of each part of
    the rows, MOVED for those that stand beside others."""
    found = np.where(side.there, np.where(first[:, None], FIRST, SECOND), 0).astype(np.float32)
    found[side.there & side.moved] = MOVED
    return found


SECOND, FIRST, MOVED = 0.3, 0.5, 1.0
