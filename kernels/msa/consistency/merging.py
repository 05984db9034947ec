"""Groups of aligned sequences: merged along a guide tree, split again and refined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from kernels.cpu import workers
from kernels.monitor import Monitor
from kernels.msa.consistency import cpu_merging
from kernels.msa.consistency.cpu_stages import each
from kernels.msa.consistency.sparse import Posteriors

UNIT = 65536
LETTERS_A_THREAD = 1 << 16
"""Letters of one group, times sequences of the other, from which on a further thread is worth its start."""
SHARES = 64
"""Parts into which the sequences are cut where threads sum over pairs."""
GAP_DRAWS = 64
"""Columns drawn until one has a gap; an alignment without gaps has none."""


class Groups(NamedTuple):
    """Two groups of sequences, and how many columns each has."""

    first: np.ndarray
    second: np.ndarray
    columns: tuple[int, int]


class Scorer(Protocol):
    """What sums posteriors over pairs of sequences: threads of the CPU, or a device (`cuda_merging.CudaScorer`).

    ``places`` and ``starts`` are those of an `Aligner`; what is returned is not complete where ``stop`` is set.
    """

    @property
    def posteriors(self) -> Any:
        """Of whatever device; ``lengths`` and ``count`` are known."""
        ...

    @property
    def weights(self) -> np.ndarray: ...

    @property
    def most_cells(self) -> int:
        """Scores that it makes at a time, if they are of several merges; 0 where each merge is for itself."""
        ...

    def scores(
        self, merges: Sequence[Groups], places: np.ndarray, starts: np.ndarray, stop: np.ndarray
    ) -> Callable[[int], np.ndarray]:
        """Scores of all pairs of columns of each merge, int64, by its number."""
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

    def scores(
        self, merges: Sequence[Groups], places: np.ndarray, starts: np.ndarray, stop: np.ndarray
    ) -> Callable[[int], np.ndarray]:
        """They are made when they are asked for; where there are many pairs of sequences, threads share them."""

        def of(some: np.ndarray, merge: Groups) -> np.ndarray:
            return cpu_merging.column_scores(
                self.posteriors.arrays, some, merge.second, places, starts, self.weights, merge.columns, stop
            )

        def made(number: int) -> np.ndarray:
            first, second, columns = merge = merges[number]
            letters = int(self.posteriors.lengths[first].sum()) * second.size
            many = letters > columns[0] * columns[1]
            parts = min(self.threads, first.size, letters // LETTERS_A_THREAD) if many else 1
            if parts <= 1:
                return of(first, merge)
            found: list[np.ndarray] = []
            shares = np.array_split(first, parts)
            each(lambda part: found.append(of(shares[part], merge)), parts, parts, stop, lambda done: None)
            return np.sum(found, axis=0) if len(found) == parts else found[0]

        return made

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


@dataclass
class Aligner:
    """The columns in which the letters of all sequences stand, while they are aligned.

    ``places`` int32, those of sequence x from ``starts[x]`` on. Not every sequence need be in the same alignment: which
    ones are is what callers name.
    """

    scorer: Scorer
    threads: int
    places: np.ndarray
    starts: np.ndarray
    stop: np.ndarray

    @classmethod
    def of(cls, scorer: Scorer, threads: int) -> Aligner:
        """Every sequence alone."""
        lengths = scorer.posteriors.lengths
        places = np.concatenate([np.arange(length, dtype=np.int32) for length in lengths] or [np.empty(0, np.int32)])
        return cls(scorer, threads, places, np.cumsum(lengths) - lengths, workers.stop_word())

    @property
    def lengths(self) -> np.ndarray:
        """Letters of each sequence."""
        return self.scorer.posteriors.lengths

    @property
    def count(self) -> int:
        """Number of sequences."""
        return self.lengths.size

    def scores(self, merges: Sequence[Groups]) -> Callable[[int], np.ndarray]:
        """Scores of all pairs of columns of each of these merges, as the letters stand now."""
        return self.scorer.scores(merges, self.places, self.starts, self.stop)

    def merged(self, groups: Groups, scores: Callable[[], np.ndarray]) -> int:
        """Align two groups; how many columns they have together. Groups of no columns stay as they are."""
        path, _ = cpu_merging.steps(scores(), self.stop)
        return self._moved(groups, path)

    def improved(self, first: np.ndarray, second: np.ndarray, columns: int, monitor: Monitor) -> int:
        """Merge two parts of an alignment again, and take what has more expected accuracy, or as much in fewer columns;
        ``places`` are the same where nothing has. How many columns there are then."""
        before, filled = self.places.copy(), [self._filled(part, columns) for part in (first, second)]
        groups = self._closed(first, second, columns)
        scores = self.scores([groups])
        both = filled[0] & filled[1]
        paired = [np.cumsum(one)[both] - 1 for one in filled]

        def better() -> int:
            found = scores(0)
            path, best = cpu_merging.steps(found, self.stop)
            if self.stop[0] or (best == found[paired[0], paired[1]].sum() and path.size >= columns):
                self.places[:] = before
                return columns
            return self._moved(groups, path)

        return self.watched(better, monitor)

    def _closed(self, first: np.ndarray, second: np.ndarray, columns: int) -> Groups:
        """Two parts of an alignment, each without the columns that it has no letter in."""
        closed = [cpu_merging.close(part, self.places, self.starts, self.lengths, columns) for part in (first, second)]
        return Groups(first, second, (closed[0], closed[1]))

    def _filled(self, members: np.ndarray, columns: int) -> np.ndarray:
        """Whether each column has a letter of the members."""
        found = np.zeros(columns, bool)
        for x in members.tolist():
            found[self.places[self.starts[x] : self.starts[x] + self.lengths[x]]] = True
        return found

    def _moved(self, groups: Groups, path: np.ndarray) -> int:
        if self.stop[0]:
            return 0
        for members, moved in zip(groups[:2], cpu_merging.follow(path, *groups.columns), strict=True):
            cpu_merging.move(members, self.places, self.starts, self.lengths, moved)
        return int(path.size)

    def progressive(self, joins: np.ndarray, monitor: Monitor) -> int:
        """Merge all sequences in the order of a tree; how many columns there are.

        ``joins`` (n - 1, 2): the nodes that join s makes node n + s of. Joins that do not wait for each other are made
        side by side.
        """
        n = self.count
        members = {x: np.array([x]) for x in range(n)}
        columns = {x: int(self.lengths[x]) for x in range(n)}
        done = 0
        for level in _levels(joins, n):
            waiting = [Groups(members[first], members[second], (columns[first], columns[second]))
                       for first, second in joins[level].tolist()]  # fmt: skip
            for some in _at_a_time(waiting, self.scorer.most_cells):
                scores = self.scores(waiting[some])

                def join(number: int, some: slice = some, scores: Callable[[int], np.ndarray] = scores,
                         level: list[int] = level, waiting: list[Groups] = waiting) -> None:  # fmt: skip
                    made, groups = n + level[some][number], waiting[some][number]
                    columns[made] = self.merged(groups, partial(scores, number))
                    members[made] = np.concatenate(groups[:2])

                each(join, len(level[some]), self.threads, self.stop, partial(_tell, monitor, done, n - 1))
                done += len(level[some])
        return columns[n + len(joins) - 1]

    def refined(self, columns: int, rounds: int, seed: int, monitor: Monitor) -> int:
        """Split at random columns into the sequences with and without a gap there, and merge again.

        What is longer than before is not taken. Expected accuracy never falls: the parts could be merged as they were.
        """
        everyone, random = np.arange(self.count), np.random.default_rng(seed)
        for number in range(rounds):
            monitor.update(number, rounds, "refinement")
            split = self._split(everyone, columns, random)
            if split is None:
                break
            columns = self.resplit(split[0], split[1], columns, monitor)
        monitor.update(rounds, rounds, "refinement")
        return columns

    def resplit(self, first: np.ndarray, second: np.ndarray, columns: int, monitor: Monitor) -> int:
        """Merge two parts of an alignment again, and keep it as it was where that makes it longer."""
        before, groups = self.places.copy(), self._closed(first, second, columns)
        found = self.joined(groups, monitor)
        if found > columns:
            self.places[:] = before
            return columns
        return found

    def joined(self, groups: Groups, monitor: Monitor) -> int:
        """As `merged`, of two groups alone; a wish to cancel is heard meanwhile."""
        return self.watched(partial(self.merged, groups, partial(self.scores([groups]), 0)), monitor)

    def confidence(self, columns: int, monitor: Monitor) -> np.ndarray:
        """Weighted mean posterior of the pairs of letters in each column, float64; 0 where there is one letter."""
        supported, possible = self.scorer.support(self.places, self.starts, columns, self.stop, monitor)
        return supported / np.maximum(possible, 1) / UNIT

    def _split(
        self, everyone: np.ndarray, columns: int, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray] | None:
        for column in random.integers(0, max(columns, 1), GAP_DRAWS).tolist():
            there = cpu_merging.standing(everyone, self.places, self.starts, self.lengths, column).astype(bool)
            if there.any() and not there.all():
                return everyone[there], everyone[~there]
        return None

    def watched(self, work: Callable[[], int], monitor: Monitor) -> int:
        """What ``work`` returns, done by a worker, so that a wish to cancel is heard meanwhile."""
        found: list[int] = []
        workers.share(lambda _: found.append(work()), 1, self.stop, monitor.check)
        return found[0]


def _at_a_time(merges: list[Groups], most_cells: int) -> Iterator[slice]:
    """Merges of so many scores together at most; all where it is 0."""
    cells = np.cumsum([merge.columns[0] * merge.columns[1] for merge in merges])
    first = 0
    while first < len(merges):
        before = int(cells[first - 1]) if first else 0
        last = int(np.searchsorted(cells, before + most_cells, side="right")) if most_cells else len(merges)
        yield slice(first, max(last, first + 1))
        first = max(last, first + 1)


def _tell(monitor: Monitor, before: int, total: int, done: int) -> None:
    monitor.update(before + done, total, "progressive")


def _levels(joins: np.ndarray, n: int) -> list[list[int]]:
    """The joins that can be made at once, level after level."""
    levels: list[list[int]] = []
    ready = [0] * n
    for made, (first, second) in enumerate(joins.tolist()):
        level = max(ready[first], ready[second])
        ready.append(level + 1)
        if level == len(levels):
            levels.append([])
        levels[level].append(made)
    return levels
