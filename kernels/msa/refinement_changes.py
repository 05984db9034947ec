"""The changes of a refinement, step by step: enough to restore each earlier alignment from the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from antidiag.kernels.serialization import stored

BOTH, FIRST, SECOND = 0, 1, 2
"""Whose letters stand in a column: those of both parts of the rows, of the first, or of the second."""
MOST_CHANGES = 1000
"""Maximum changes that are kept, the last ones."""


class RefinementChange(NamedTuple):
    """One change: rows were split into ``first``, bool (rows,), and the others, and merged again.

    ``before`` uint8 says for each earlier column whose letters stood in it. ``expected`` are the sums of posteriors
    times weights over the aligned letters of both parts, before and after.
    """

    first: np.ndarray
    before: np.ndarray
    expected: tuple[float, float]


@stored("msa-changes")
@dataclass(frozen=True, eq=False)
class RefinementChanges:
    """The changes of a refinement in their order, in common arrays.

    ``first`` uint8 (changes, rows / 8): a bit per row. ``ends`` int64 (changes,): where the columns of each change end
    in ``before``. ``expected`` float64 (changes, 2). ``earlier`` changes came before these and were not kept.
    """

    first: np.ndarray = field(repr=False)
    before: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)
    expected: np.ndarray = field(repr=False)
    rows: int
    earlier: int = 0

    @classmethod
    def keep_last(cls, changes: Sequence[RefinementChange], rows: int) -> RefinementChanges:
        """Keep the last MOST_CHANGES changes."""
        kept = changes[-MOST_CHANGES:]
        return cls(
            np.packbits(np.array([one.first for one in kept], bool).reshape(len(kept), rows), axis=1),
            np.concatenate([*(one.before for one in kept), np.empty(0, np.uint8)]),
            np.cumsum([one.before.size for one in kept], dtype=np.int64),
            np.array([one.expected for one in kept], np.float64).reshape(-1, 2),
            rows,
            len(changes) - len(kept),
        )

    def __len__(self) -> int:
        return len(self.expected)

    def __getitem__(self, number: int) -> RefinementChange:
        begin = int(self.ends[number - 1]) if number else 0
        first = np.unpackbits(self.first[number], count=self.rows).astype(bool)
        before, after = self.expected[number].tolist()
        return RefinementChange(first, self.before[begin : int(self.ends[number])], (before, after))

    def expand_rows(self, filled: Sequence[int], rows: int) -> RefinementChanges:
        """Return the changes over all ``rows`` rows, of which ``filled`` have letters."""
        if len(filled) == rows:
            return self
        first: np.ndarray = np.zeros((len(self), rows), bool)
        first[:, list(filled)] = np.unpackbits(self.first, axis=1, count=self.rows).astype(bool)
        return RefinementChanges(np.packbits(first, axis=1), self.before, self.ends, self.expected, rows, self.earlier)


def column_owners(has_letter: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return whose letters stand in each column, uint8; ``there`` bool (rows, columns) says where letters are."""
    own, others = has_letter[first].any(axis=0), has_letter[~first].any(axis=0)
    return np.where(own & others, BOTH, np.where(own, FIRST, SECOND)).astype(np.uint8)


def undo_change(has_letter: np.ndarray, change: RefinementChange) -> np.ndarray:
    """Return where letters stood before a change, bool (rows, columns before)."""
    found: np.ndarray = np.zeros((len(has_letter), change.before.size), bool)
    for rows, alone in ((change.first, FIRST), (~change.first, SECOND)):
        own = has_letter[rows]
        columns = np.flatnonzero((change.before == BOTH) | (change.before == alone))
        found[np.ix_(rows, columns)] = own[:, own.any(axis=0)]
    return found


def changed_columns(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which columns before and after a change have another partner in the other alignment, bool.

    ``before`` and ``after`` say for each column whose letters stand in it (`column_owners`).
    """
    pairs = [_number_column_pairs(columns) for columns in (before, after)]
    same = [np.isin(own, other) for own, other in (pairs, pairs[::-1])]
    return ~same[0], ~same[1]


def _number_column_pairs(columns: np.ndarray) -> np.ndarray:
    """Number each column by the columns of the first and the second part that stand in it."""
    first, second = (np.where(columns != alone, np.cumsum(columns != alone), 0) for alone in (SECOND, FIRST))
    found: np.ndarray = first.astype(np.int64) << 32 | second
    return found
