"""What a refinement changed, step by step: enough to see every alignment on its way, from the last one backwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from antidiag.kernels.serialization import stored

BOTH, FIRST, SECOND = 0, 1, 2
"""Whose letters stand in a column: of both parts of the rows, of the first, or of the second alone."""
MOST_CHANGES = 1000
"""Changes that are kept: the last ones."""


class Change(NamedTuple):
    """Rows were parted into ``first``, bool (rows,), and the others, and merged again.

    ``before`` uint8 says of each column that there was before whose letters stood in it. ``expected`` is the sum over
    pairs of letters of both parts in one column of their posteriors times weights, before and after.
    """

    first: np.ndarray
    before: np.ndarray
    expected: tuple[float, float]


@stored("msa-changes")
@dataclass(frozen=True, eq=False)
class Changes:
    """Changes, in their order, in arrays for all of them.

    ``first`` is uint8 (changes, rows / 8), a bit a row; ``ends`` int64 (changes,) where the columns of each end in
    ``before``; ``expected`` float64 (changes, 2). ``earlier`` changes came before these, and were not kept.
    """

    first: np.ndarray = field(repr=False)
    before: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)
    expected: np.ndarray = field(repr=False)
    rows: int
    earlier: int = 0

    @classmethod
    def of(cls, made: Sequence[Change], rows: int) -> Changes:
        """The last changes of those that were made."""
        kept = made[-MOST_CHANGES:]
        return cls(
            np.packbits(np.array([one.first for one in kept], bool).reshape(len(kept), rows), axis=1),
            np.concatenate([*(one.before for one in kept), np.empty(0, np.uint8)]),
            np.cumsum([one.before.size for one in kept], dtype=np.int64),
            np.array([one.expected for one in kept], np.float64).reshape(-1, 2),
            rows,
            len(made) - len(kept),
        )

    def __len__(self) -> int:
        return len(self.expected)

    def __getitem__(self, number: int) -> Change:
        begin = int(self.ends[number - 1]) if number else 0
        first = np.unpackbits(self.first[number], count=self.rows).astype(bool)
        before, after = self.expected[number].tolist()
        return Change(first, self.before[begin : int(self.ends[number])], (before, after))

    def on_rows(self, filled: Sequence[int], rows: int) -> Changes:
        """The same where these rows are those of so many that have letters."""
        if len(filled) == rows:
            return self
        first: np.ndarray = np.zeros((len(self), rows), bool)
        first[:, list(filled)] = np.unpackbits(self.first, axis=1, count=self.rows).astype(bool)
        return Changes(np.packbits(first, axis=1), self.before, self.ends, self.expected, rows, self.earlier)


def parted(there: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Whose letters stand in each column, uint8: ``there`` bool (rows, columns) says where letters are."""
    own, others = there[first].any(axis=0), there[~first].any(axis=0)
    return np.where(own & others, BOTH, np.where(own, FIRST, SECOND)).astype(np.uint8)


def undone(there: np.ndarray, change: Change) -> np.ndarray:
    """Where letters stood before a change, bool (rows, columns before)."""
    found: np.ndarray = np.zeros((len(there), change.before.size), bool)
    for rows, alone in ((change.first, FIRST), (~change.first, SECOND)):
        own = there[rows]
        columns = np.flatnonzero((change.before == BOTH) | (change.before == alone))
        found[np.ix_(rows, columns)] = own[:, own.any(axis=0)]
    return found


def moved(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns before and after, bool, that are beside others than in the other alignment.

    ``before`` and ``after`` say of each column whose letters stand in it (`parted`).
    """
    pairs = [_pairs(columns) for columns in (before, after)]
    same = [np.isin(own, other) for own, other in (pairs, pairs[::-1])]
    return ~same[0], ~same[1]


def _pairs(columns: np.ndarray) -> np.ndarray:
    """A number for each column that says which column of the first part and which of the second stand in it."""
    first, second = (np.where(columns != alone, np.cumsum(columns != alone), 0) for alone in (SECOND, FIRST))
    found: np.ndarray = first.astype(np.int64) << 32 | second
    return found
