"""Groups of aligned sequences: merged along a guide tree, split again and refined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.changes import BOTH, FIRST, SECOND, Change
from antidiag.kernels.msa.consistency import cpu_merging, cpu_triplets
from antidiag.kernels.msa.consistency.models import UNIT, WEIGHT_UNIT
from antidiag.kernels.msa.consistency.scoring import Groups, Merged, Scorer

MOST_TRIALS = 16
"""Splits that are tried together at most."""
GAP_DRAWS = 64
"""Columns drawn until one has a gap; an alignment without gaps has none."""


Split = tuple[np.ndarray, np.ndarray]
"""Two parts of the sequences."""
Takes = Callable[[Merged, int], bool]
"""Whether a merge is taken, in the place of so many columns."""


class Trio(NamedTuple):
    """Three groups of sequences that are to be aligned at once, and how many columns each has."""

    members: tuple[np.ndarray, np.ndarray, np.ndarray]
    columns: tuple[int, int, int]

    @property
    def widest_first(self) -> Trio:
        """In the order in which they are aligned, which takes least memory; groups as wide stay in order."""
        first, second, third = sorted(range(3), key=lambda group: -self.columns[group])
        return Trio(
            (self.members[first], self.members[second], self.members[third]),
            (self.columns[first], self.columns[second], self.columns[third]),
        )

    @property
    def cells(self) -> int:
        """Triples of columns."""
        return prod(self.columns)


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
    changes: list[Change] = field(default_factory=list)
    """What was taken of splits that were merged again."""

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

    def merge(self, merges: Sequence[Groups]) -> Callable[[int], Merged]:
        """What becomes of each merge, by its number."""
        return self.scorer.merge(merges, self.starts, self.stop)

    def joined(self, first: np.ndarray, second: np.ndarray, columns: tuple[int, int], monitor: Monitor) -> int:
        """Align two groups; how many columns they have together."""
        groups = Groups(first, second, columns, self.places)
        return self.moved(groups, self.watched(partial(self.merge([groups]), 0), monitor))

    def tried(self, splits: Sequence[Split], columns: int, takes: Takes, monitor: Monitor) -> tuple[int, int]:
        """Merge the parts of splits again, one after another, until what comes out is taken and changes something.

        How many splits are done then, and how many columns there are. All are tried as the letters stand now.
        """
        trials = [self._parted(first, second, columns) for first, second in splits]
        merge, before = self.merge(trials), self.places.copy()
        for done, groups in enumerate(trials, 1):
            merged = self.watched(partial(merge, done - 1), monitor)
            if takes(merged, columns):
                self.places[:] = groups.places
                width = self.moved(groups, merged)
                if not np.array_equal(before, self.places):
                    self.changes.append(self._change(groups, merged, before, columns))
                    return done, width
        return len(trials), columns

    @property
    def most_trials(self) -> int:
        """Splits that are worth to be tried together."""
        return MOST_TRIALS if self.scorer.most_cells else 1

    def _parted(self, first: np.ndarray, second: np.ndarray, columns: int) -> Groups:
        """Two parts of an alignment, each without columns of no letters in it, and what stands beside each other."""
        filled = [self._filled(part, self.places, columns) for part in (first, second)]
        places = self.places.copy()
        closed = [cpu_merging.close(part, places, self.starts, self.lengths, columns) for part in (first, second)]
        both = filled[0] & filled[1]
        standing = np.cumsum(filled[0])[both] - 1, np.cumsum(filled[1])[both] - 1
        return Groups(first, second, (closed[0], closed[1]), places, standing)

    def _filled(self, members: np.ndarray, places: np.ndarray, columns: int) -> np.ndarray:
        """Whether each column has a letter of the members."""
        found: np.ndarray = cpu_merging.filled(members, places, self.starts, self.lengths, columns)
        return found

    def _change(self, groups: Groups, merged: Merged, before: np.ndarray, columns: int) -> Change:
        """What was merged again, where letters stood ``before`` in so many columns."""
        first: np.ndarray = np.zeros(self.count, bool)
        first[groups.first] = True
        own, others = (self._filled(part, before, columns) for part in groups[:2])
        stood = np.where(own & others, BOTH, np.where(own, FIRST, SECOND)).astype(np.uint8)
        unit = float(UNIT) * WEIGHT_UNIT**2
        return Change(first, stood, (merged.standing / unit, merged.best / unit))

    def moved(self, groups: Groups, merged: Merged) -> int:
        """Have the letters of both groups stand where they are merged; how many columns there are."""
        if self.stop[0]:
            return 0
        for members, moved in zip(groups[:2], cpu_merging.follow(merged.path, *groups.columns), strict=True):
            cpu_merging.move(members, self.places, self.starts, self.lengths, moved)
        return int(merged.path.size)

    def three(self, trios: Sequence[Trio]) -> Callable[[int], int]:
        """Aligns three groups at once, by their number; how many columns they have together."""
        ordered = [trio.widest_first for trio in trios]
        pairs = [Groups(members[a], members[b], (columns[a], columns[b]), self.places)
                 for members, columns in ordered for a, b in ((0, 1), (0, 2), (1, 2))]  # fmt: skip
        scores = self.scorer.scores(pairs, self.starts, self.stop)

        def align(number: int) -> int:
            moves, _ = cpu_triplets.steps(*(scores(3 * number + pair) for pair in range(3)), self.stop)
            for members, bit in zip(ordered[number].members, (4, 2, 1), strict=True):
                stand = np.flatnonzero(moves & bit).astype(np.int32)
                if not self.stop[0]:
                    cpu_merging.move(members, self.places, self.starts, self.lengths, stand)
            return int(moves.size)

        return align

    def refined(self, columns: int, rounds: int, seed: int, monitor: Monitor) -> int:
        """Split at random columns into the sequences with and without a gap there, and merge again.

        What is longer than before is not taken. Expected accuracy never falls: the parts could be merged as they were.
        """
        random, number, together = np.random.default_rng(seed), 0, 1
        while number < rounds:
            monitor.update(number, rounds, "refinement")
            drawn, states = self._draw(min(together, rounds - number), columns, random)
            if not drawn:
                break
            done, width = self.tried(drawn, columns, no_longer, monitor)
            number, random.bit_generator.state = number + done, states[done - 1]
            # Where nothing changes any more, many splits can be tried at once.
            together = 1 if (done < len(drawn) or width != columns) else min(2 * together, self.most_trials)
            columns = width
        monitor.update(rounds, rounds, "refinement")
        return columns

    def confidence(self, columns: int, monitor: Monitor) -> np.ndarray:
        """Weighted mean posterior of the pairs of letters in each column, float64; 0 where there is one letter."""
        supported, possible = self.scorer.support(self.places, self.starts, columns, self.stop, monitor)
        return supported / np.maximum(possible, 1) / UNIT

    def _draw(self, most: int, columns: int, random: np.random.Generator) -> tuple[list[Split], list[Any]]:
        """So many splits at columns drawn at random, or fewer where no column parts the rows; ``random`` after each."""
        splits, states = list[Split](), []
        while len(splits) < most and (split := self._split(columns, random)):
            splits.append(split)
            states.append(random.bit_generator.state)
        return splits, states

    def _split(self, columns: int, random: np.random.Generator) -> Split | None:
        everyone = np.arange(self.count)
        for column in random.integers(0, max(columns, 1), GAP_DRAWS).tolist():
            there = cpu_merging.standing(everyone, self.places, self.starts, self.lengths, column).astype(bool)
            if there.any() and not there.all():
                return everyone[there], everyone[~there]
        return None

    def watched(self, work: Callable[[], Merged], monitor: Monitor) -> Merged:
        """What ``work`` returns, done by a worker, so that a wish to cancel is heard meanwhile."""
        found: list[Merged] = []
        workers.share(lambda _: found.append(work()), 1, self.stop, monitor.check)
        return found[0]


def no_longer(merged: Merged, columns: int) -> bool:
    """Whether a merge has no more columns than there were."""
    return merged.path.size <= columns


def better(merged: Merged, columns: int) -> bool:
    """Whether a merge has more expected accuracy, or as much in fewer columns."""
    return merged.best > merged.standing or (merged.best == merged.standing and merged.path.size < columns)
