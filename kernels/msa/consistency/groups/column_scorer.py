"""Scores of pairs of columns by posteriors, and the best alignment of two groups, on CPU threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.workers import map_on_threads
from antidiag.kernels.msa.consistency.groups import cpu_merging
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import SparsePosteriors

LETTERS_A_THREAD = 1 << 16
"""Letters of one group, times sequences of the other, that are worth one more thread."""
SHARES = 64
"""Parts into which the sequences are split when threads sum over pairs."""


class GroupPair(NamedTuple):
    """Two groups of sequences to be merged, and their numbers of columns.

    ``places`` int32 are the columns of all letters. ``standing`` are the columns of both, int64, that stand beside each
    other now; None if their score is not needed.
    """

    first: np.ndarray
    second: np.ndarray
    columns: tuple[int, int]
    places: np.ndarray
    standing: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def cells(self) -> int:
        """Return the number of pairs of columns."""
        return self.columns[0] * self.columns[1]


class MergedGroups(NamedTuple):
    """The operations of the best alignment of two groups, its score, and the score of the present alignment."""

    path: np.ndarray
    best: int
    standing: int


class ColumnScorer(Protocol):
    """Scores columns on CPU threads or on a device; results are incomplete if the run was stopped."""

    @property
    def posteriors(self) -> Any:
        """Return the posteriors, on whichever device; they have ``lengths`` and ``count``."""
        ...

    @property
    def weights(self) -> np.ndarray:
        """Return the weights of the sequences."""

    @property
    def most_cells(self) -> int:
        """Return how many scores one launch makes at most; 0 if each merge is made alone."""
        ...

    def merge_groups(self, merges: Sequence[GroupPair], starts: np.ndarray) -> Callable[[int], MergedGroups]:
        """Merge pairs of groups; return a function of each merge's number.

        Two columns score the sum over their letters of posteriors times weights. The returned function may do the work,
        and may be called on any thread.
        """
        ...

    def score_columns(self, merges: Sequence[GroupPair], starts: np.ndarray) -> Callable[[int], np.ndarray]:
        """Return a function from a merge's number to the scores of its column pairs, int64, on the host."""
        ...

    def sum_support(
        self, letter_columns: np.ndarray, starts: np.ndarray, columns: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums over pairs of letters in each column, int64: weights times units, and weights."""
        ...


@dataclass(frozen=True, eq=False)
class CpuColumnScorer:
    """The `ColumnScorer` of CPU threads."""

    posteriors: SparsePosteriors
    weights: np.ndarray
    run: CpuRun
    most_cells: int = 0

    def merge_groups(self, merges: Sequence[GroupPair], starts: np.ndarray) -> Callable[[int], MergedGroups]:
        """Return a function that merges a pair of groups by its number."""

        def merged(number: int) -> MergedGroups:
            scores = self._compute_scores(merges[number], starts)
            path, best = cpu_merging.align_groups(scores, self.run.stop)
            standing = merges[number].standing
            return MergedGroups(path, int(best), 0 if standing is None else int(scores[standing].sum()))

        return merged

    def score_columns(self, merges: Sequence[GroupPair], starts: np.ndarray) -> Callable[[int], np.ndarray]:
        """Return a function that scores the column pairs of a merge by its number."""
        return lambda number: self._compute_scores(merges[number], starts)

    def _compute_scores(self, groups: GroupPair, starts: np.ndarray) -> np.ndarray:
        """Score all pairs of columns; threads share many pairs of sequences."""

        def of(some: np.ndarray) -> np.ndarray:
            return cpu_merging.score_column_pairs(
                self.posteriors.arrays,
                some,
                groups.second,
                groups.places,
                starts,
                self.weights,
                groups.columns,
                self.run.stop,
            )

        letters = int(self.posteriors.lengths[groups.first].sum()) * groups.second.size
        parts = min(self.run.threads, groups.first.size, letters // LETTERS_A_THREAD) if letters > groups.cells else 1
        if parts <= 1:
            return of(groups.first)
        return np.sum(map_on_threads(of, np.array_split(groups.first, parts), parts), axis=0)

    def sum_support(
        self, letter_columns: np.ndarray, starts: np.ndarray, columns: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums over pairs of letters in each column: weights times units, and weights."""
        n, sums = self.posteriors.count, []
        shares = np.array_split(np.arange(n), min(n, SHARES))

        def add(worker: int, share: np.ndarray) -> None:
            supported, possible = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
            for x in share.tolist():
                if not self.run.stop[0]:
                    cpu_merging.add_column_support(
                        self.posteriors.arrays, letter_columns, starts, self.weights, supported, possible, x
                    )
            sums.append((supported, possible))

        with self.run.phase("confidence", total=len(shares)) as phase:
            phase.share_tasks(shares, add)
        supported, possible = np.sum(sums, axis=0)
        return supported, possible
