"""Groups of aligned sequences: merged along a guide tree, split again and refined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

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


@dataclass
class Aligner:
    """The columns in which the letters of all sequences stand, while they are aligned.

    ``places`` int32, those of sequence x from ``starts[x]`` on; ``weights`` int64. Not every sequence need be in the
    same alignment: which ones are is what callers name.
    """

    posteriors: Posteriors
    weights: np.ndarray
    threads: int
    places: np.ndarray
    starts: np.ndarray
    stop: np.ndarray

    @classmethod
    def of(cls, posteriors: Posteriors, weights: np.ndarray, threads: int) -> Aligner:
        """Every sequence alone."""
        lengths = posteriors.lengths
        places = np.concatenate([np.arange(length, dtype=np.int32) for length in lengths] or [np.empty(0, np.int32)])
        return cls(posteriors, weights, threads, places, np.cumsum(lengths) - lengths, workers.stop_word())

    def merged(self, first: np.ndarray, second: np.ndarray, columns: tuple[int, int]) -> int:
        """Align two groups; how many columns they have together. Groups of no columns stay as they are."""
        scores = self._scores(first, second, columns)
        path, _ = cpu_merging.steps(scores, self.stop)
        return self._moved(first, second, columns, path)

    def improved(self, first: np.ndarray, second: np.ndarray, columns: int) -> int:
        """Merge two parts of an alignment again, and take what has more expected accuracy, or as much in fewer columns;
        ``places`` are the same where nothing has. How many columns there are then."""
        before, lengths = self.places.copy(), self.posteriors.lengths
        filled = [self._filled(part, columns) for part in (first, second)]
        parts = [cpu_merging.close(part, self.places, self.starts, lengths, columns) for part in (first, second)]
        scores = self._scores(first, second, (parts[0], parts[1]))
        both = filled[0] & filled[1]
        places = [np.cumsum(one)[both] - 1 for one in filled]
        path, best = cpu_merging.steps(scores, self.stop)
        if self.stop[0] or (best == scores[places[0], places[1]].sum() and path.size >= columns):
            self.places[:] = before
            return columns
        return self._moved(first, second, (parts[0], parts[1]), path)

    def _filled(self, members: np.ndarray, columns: int) -> np.ndarray:
        """Whether each column has a letter of the members."""
        found = np.zeros(columns, bool)
        for x in members.tolist():
            found[self.places[self.starts[x] : self.starts[x] + self.posteriors.lengths[x]]] = True
        return found

    def _moved(self, first: np.ndarray, second: np.ndarray, columns: tuple[int, int], path: np.ndarray) -> int:
        if self.stop[0]:
            return 0
        for members, moved in zip((first, second), cpu_merging.follow(path, *columns), strict=True):
            cpu_merging.move(members, self.places, self.starts, self.posteriors.lengths, moved)
        return int(path.size)

    def _scores(self, first: np.ndarray, second: np.ndarray, columns: tuple[int, int]) -> np.ndarray:
        """Scores of all pairs of columns; where there are many pairs of sequences, threads share them."""
        lengths = self.posteriors.lengths
        letters = int(lengths[first].sum()) * second.size
        parts = min(self.threads, first.size, letters // LETTERS_A_THREAD) if letters > columns[0] * columns[1] else 1

        def of(some: np.ndarray) -> np.ndarray:
            return cpu_merging.column_scores(
                self.posteriors.arrays, some, second, self.places, self.starts, self.weights, columns, self.stop
            )

        if parts <= 1:
            return of(first)
        found: list[np.ndarray] = []
        shares = np.array_split(first, parts)
        each(lambda part: found.append(of(shares[part])), parts, parts, self.stop, lambda done: None)
        return np.sum(found, axis=0) if len(found) == parts else found[0]

    def progressive(self, joins: np.ndarray, monitor: Monitor) -> int:
        """Merge all sequences in the order of a tree; how many columns there are.

        ``joins`` (n - 1, 2): the nodes that join s makes node n + s of. Joins that do not wait for each other are made
        side by side.
        """
        n = self.posteriors.count
        members = {x: np.array([x]) for x in range(n)}
        columns = {x: int(self.posteriors.lengths[x]) for x in range(n)}
        done = 0
        for level in _levels(joins, n):

            def join(number: int, level: list[int] = level) -> None:
                made = level[number]
                first, second = (int(node) for node in joins[made])
                found = self.merged(members[first], members[second], (columns[first], columns[second]))
                columns[n + made] = found
                members[n + made] = np.concatenate([members[first], members[second]])

            each(join, len(level), self.threads, self.stop, partial(_tell, monitor, done, n - 1))
            done += len(level)
        return columns[n + len(joins) - 1]

    def refined(self, columns: int, rounds: int, seed: int, monitor: Monitor) -> int:
        """Split at random columns into the sequences with and without a gap there, and merge again.

        What is longer than before is not taken. Expected accuracy never falls: the parts could be merged as they were.
        """
        everyone, random = np.arange(self.posteriors.count), np.random.default_rng(seed)
        for number in range(rounds):
            monitor.update(number, rounds, "refinement")
            split = self._split(everyone, columns, random)
            if split is None:
                break
            columns = self.watched(partial(self.resplit, split[0], split[1], columns), monitor)
        monitor.update(rounds, rounds, "refinement")
        return columns

    def resplit(self, first: np.ndarray, second: np.ndarray, columns: int) -> int:
        """Merge two parts of an alignment again, and keep it as it was where that makes it longer."""
        before, lengths = self.places.copy(), self.posteriors.lengths
        parts = [cpu_merging.close(part, self.places, self.starts, lengths, columns) for part in (first, second)]
        found = self.merged(first, second, (parts[0], parts[1]))
        if found > columns or self.stop[0]:
            self.places[:] = before
            return columns
        return found

    def confidence(self, columns: int, monitor: Monitor) -> np.ndarray:
        """Weighted mean posterior of the pairs of letters in each column, float64; 0 where there is one letter."""
        n, sums = self.posteriors.count, []
        shares = np.array_split(np.arange(n), min(n, SHARES))

        def add(share: int) -> None:
            supported, possible = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
            for x in shares[share].tolist():
                if not self.stop[0]:
                    cpu_merging.support(
                        self.posteriors.arrays, self.places, self.starts, self.weights, supported, possible, x
                    )
            sums.append((supported, possible))

        each(add, len(shares), self.threads, self.stop,
             lambda done: monitor.update(done, len(shares), "confidence"))  # fmt: skip
        supported, possible = np.sum(sums, axis=0)
        return supported / np.maximum(possible, 1) / UNIT

    def _split(
        self, everyone: np.ndarray, columns: int, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray] | None:
        lengths = self.posteriors.lengths
        for column in random.integers(0, max(columns, 1), GAP_DRAWS).tolist():
            there = cpu_merging.standing(everyone, self.places, self.starts, lengths, column).astype(bool)
            if there.any() and not there.all():
                return everyone[there], everyone[~there]
        return None

    def watched(self, work: Callable[[], int], monitor: Monitor) -> int:
        """What ``work`` returns, done by a worker, so that a wish to cancel is heard meanwhile."""
        found: list[int] = []
        workers.share(lambda _: found.append(work()), 1, self.stop, monitor.check)
        return found[0]


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
