"""Who sums posteriors over pairs of sequences, and finds the best alignment of two groups: here, threads of the CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import cpu_merging
from antidiag.kernels.msa.consistency.cpu_stages import each
from antidiag.kernels.msa.consistency.sparse import Posteriors

LETTERS_A_THREAD = 1 << 16
"""Letters of one group, times sequences of the other, from which on a further thread is worth its start."""
SHARES = 64
"""Parts into which the sequences are cut where threads sum over pairs."""


class Groups(NamedTuple):
    """Two groups of sequences that are to be merged, and how many columns each has.

    ``places`` int32 are the columns of all letters, those of sequence x from where the `Aligner` says. ``standing``
    are the columns of both, int64, that are beside each other now; None where nobody asks what they score.
    """

    first: np.ndarray
    second: np.ndarray
    columns: tuple[int, int]
    places: np.ndarray
    standing: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def cells(self) -> int:
        """Pairs of columns."""
        return self.columns[0] * self.columns[1]


class Merged(NamedTuple):
    """The steps of the best alignment of two groups (`cpu_merging.steps`), its score, and that of what stands now."""

    path: np.ndarray
    best: int
    standing: int


class Scorer(Protocol):
    """Threads of the CPU, or a device (`cuda_merging.CudaScorer`). Nothing is complete where ``stop`` is set."""

    @property
    def posteriors(self) -> Any:
        """Of whatever device; ``lengths`` and ``count`` are known."""
        ...

    @property
    def weights(self) -> np.ndarray: ...

    @property
    def most_cells(self) -> int:
        """Scores of merges that are made in one go at most; 0 where each merge is for itself."""
        ...

    def merge(self, merges: Sequence[Groups], starts: np.ndarray, stop: np.ndarray) -> Callable[[int], Merged]:
        """What becomes of each merge, by its number. A column of one group and one of the other score the sum, over
        their letters, of posteriors times weights; what is returned may do the work, and is called on any thread."""
        ...

    def scores(self, merges: Sequence[Groups], starts: np.ndarray, stop: np.ndarray) -> Callable[[int], np.ndarray]:
        """The scores of all pairs of columns of each merge, by its number, int64 (columns of both), on the host."""
        ...

    def support(
        self, places: np.ndarray, starts: np.ndarray, columns: int, stop: np.ndarray, monitor: Monitor
    ) -> tuple[np.ndarray, np.ndarray]:
        """What the pairs of letters in each column add up to, int64: weights times units, and weights."""
        ...


@dataclass(frozen=True, eq=False)
class ThreadedScorer:
    """Sums by threads of the CPU."""

    posteriors: Posteriors
    weights: np.ndarray
    threads: int
    most_cells: int = 0

    def merge(self, merges: Sequence[Groups], starts: np.ndarray, stop: np.ndarray) -> Callable[[int], Merged]:
        def merged(number: int) -> Merged:
            scores = self._scores(merges[number], starts, stop)
            path, best = cpu_merging.steps(scores, stop)
            standing = merges[number].standing
            return Merged(path, int(best), 0 if standing is None else int(scores[standing].sum()))

        return merged

    def scores(self, merges: Sequence[Groups], starts: np.ndarray, stop: np.ndarray) -> Callable[[int], np.ndarray]:
        return lambda number: self._scores(merges[number], starts, stop)

    def _scores(self, groups: Groups, starts: np.ndarray, stop: np.ndarray) -> np.ndarray:
        """Scores of all pairs of columns; where there are many pairs of sequences, threads share them."""

        def of(some: np.ndarray) -> np.ndarray:
            return cpu_merging.column_scores(
                self.posteriors.arrays, some, groups.second, groups.places, starts, self.weights, groups.columns, stop
            )

        letters = int(self.posteriors.lengths[groups.first].sum()) * groups.second.size
        parts = min(self.threads, groups.first.size, letters // LETTERS_A_THREAD) if letters > groups.cells else 1
        if parts <= 1:
            return of(groups.first)
        found: list[np.ndarray] = []
        shares = np.array_split(groups.first, parts)
        each(lambda part: found.append(of(shares[part])), parts, parts, stop, lambda done: None)
        return np.sum(found, axis=0) if len(found) == parts else found[0]

    def support(
        self, places: np.ndarray, starts: np.ndarray, columns: int, stop: np.ndarray, monitor: Monitor
    ) -> tuple[np.ndarray, np.ndarray]:
        n, sums = self.posteriors.count, []
        shares = np.array_split(np.arange(n), min(n, SHARES))

        def add(share: int) -> None:
            supported, possible = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
            for x in shares[share].tolist():
                if not stop[0]:
                    cpu_merging.support(self.posteriors.arrays, places, starts, self.weights, supported, possible, x)
            sums.append((supported, possible))

        each(add, len(shares), self.threads, stop, lambda done: monitor.update(done, len(shares), "confidence"))
        supported, possible = np.sum(sums, axis=0)
        return supported, possible
