"""Groups of aligned sequences: merged along a guide tree, split again, and refined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.workers import share_work
from antidiag.kernels.msa.consistency.groups import cpu_merging, cpu_triplets
from antidiag.kernels.msa.consistency.groups.column_scorer import ColumnScorer, GroupPair, MergedGroups
from antidiag.kernels.msa.consistency.posteriors.pair_models import UNIT, WEIGHT_UNIT
from antidiag.kernels.msa.refinement_changes import BOTH, FIRST, SECOND, RefinementChange

MOST_TRIALS = 16
"""Maximum splits that are tried together."""
GAP_DRAWS = 64
"""Columns drawn until one has a gap; an alignment without gaps has none."""


Split = tuple[np.ndarray, np.ndarray]
"""Two parts of the sequences."""
AcceptMerge = Callable[[MergedGroups, int], bool]
"""Whether a merge replaces an alignment of so many columns."""


class GroupTrio(NamedTuple):
    """Three groups of sequences to be aligned at once, and their numbers of columns."""

    members: tuple[np.ndarray, np.ndarray, np.ndarray]
    columns: tuple[int, int, int]

    @property
    def widest_first(self) -> GroupTrio:
        """Return the groups with the widest first, which takes least memory; equal ones keep their order."""
        first, second, third = sorted(range(3), key=lambda group: -self.columns[group])
        return GroupTrio(
            (self.members[first], self.members[second], self.members[third]),
            (self.columns[first], self.columns[second], self.columns[third]),
        )

    @property
    def cells(self) -> int:
        """Return the number of triples of columns."""
        return prod(self.columns)


@dataclass
class GroupAligner:
    """The columns of the letters of all sequences during an alignment.

    ``places`` int32; those of sequence x begin at ``starts[x]``. Sequences may belong to different alignments; callers
    name the members.
    """

    scorer: ColumnScorer
    run: CpuRun
    places: np.ndarray
    starts: np.ndarray
    changes: list[RefinementChange] = field(default_factory=list)
    """The changes by accepted splits."""

    @classmethod
    def start_alignment(cls, scorer: ColumnScorer, run: CpuRun) -> GroupAligner:
        """Start with every sequence as a group of its own."""
        lengths = scorer.posteriors.lengths
        places = np.concatenate([np.arange(length, dtype=np.int32) for length in lengths] or [np.empty(0, np.int32)])
        return cls(scorer, run, places, np.cumsum(lengths) - lengths)

    @property
    def lengths(self) -> np.ndarray:
        """Letters of each sequence."""
        return self.scorer.posteriors.lengths

    @property
    def count(self) -> int:
        """Number of sequences."""
        return self.lengths.size

    def merge_groups(self, merges: Sequence[GroupPair]) -> Callable[[int], MergedGroups]:
        """Merge pairs of groups; return a function of each merge's number."""
        return self.scorer.merge_groups(merges, self.starts)

    def join_groups(self, first: np.ndarray, second: np.ndarray, columns: tuple[int, int]) -> int:
        """Align two groups; return their common number of columns."""
        groups = GroupPair(first, second, columns, self.places)
        return self.apply_merge(groups, self._run_cancellable(partial(self.merge_groups([groups]), 0)))

    def try_splits(self, splits: Sequence[Split], columns: int, takes: AcceptMerge) -> tuple[int, int]:
        """Split and merge again until one merge is accepted and changes the alignment.

        All splits start from the current alignment. Returns how many splits were done, and the number of columns.
        """
        trials = [self._split_groups(first, second, columns) for first, second in splits]
        merge, before = self.merge_groups(trials), self.places.copy()
        for done, groups in enumerate(trials, 1):
            merged = self._run_cancellable(partial(merge, done - 1))
            if takes(merged, columns):
                self.places[:] = groups.places
                width = self.apply_merge(groups, merged)
                if not np.array_equal(before, self.places):
                    self.changes.append(self._record_change(groups, merged, before, columns))
                    return done, width
        return len(trials), columns

    def most_trials(self, columns: int) -> int:
        """Return how many splits of an alignment of so many columns may be tried together."""
        return max(min(self.scorer.most_cells // max(columns, 1) ** 2, MOST_TRIALS), 1)

    def _split_groups(self, first: np.ndarray, second: np.ndarray, columns: int) -> GroupPair:
        """Return two parts of an alignment without empty columns, and the column pairs that stand together now."""
        filled = [self._find_filled(part, self.places, columns) for part in (first, second)]
        places = self.places.copy()
        closed = [
            cpu_merging.remove_empty_columns(part, places, self.starts, self.lengths, columns)
            for part in (first, second)
        ]
        both = filled[0] & filled[1]
        standing = np.cumsum(filled[0])[both] - 1, np.cumsum(filled[1])[both] - 1
        return GroupPair(first, second, (closed[0], closed[1]), places, standing)

    def _find_filled(self, members: np.ndarray, letter_columns: np.ndarray, columns: int) -> np.ndarray:
        """Return for each column whether a member has a letter there."""
        found: np.ndarray = cpu_merging.find_filled_columns(members, letter_columns, self.starts, self.lengths, columns)
        return found

    def _record_change(
        self, groups: GroupPair, merged: MergedGroups, before: np.ndarray, columns: int
    ) -> RefinementChange:
        """Return what a merge changed; letters stood at ``before`` in ``columns`` columns."""
        first: np.ndarray = np.zeros(self.count, bool)
        first[groups.first] = True
        own, others = (self._find_filled(part, before, columns) for part in groups[:2])
        stood = np.where(own & others, BOTH, np.where(own, FIRST, SECOND)).astype(np.uint8)
        unit = float(UNIT) * WEIGHT_UNIT**2
        return RefinementChange(first, stood, (merged.standing / unit, merged.best / unit))

    def apply_merge(self, groups: GroupPair, merged: MergedGroups) -> int:
        """Move the letters of both groups to their merged columns; return the number of columns."""
        if self.run.stop[0]:
            return 0
        for members, moved in zip(groups[:2], cpu_merging.place_columns(merged.path, *groups.columns), strict=True):
            cpu_merging.move_letters(members, self.places, self.starts, self.lengths, moved)
        return int(merged.path.size)

    def align_trios(self, trios: Sequence[GroupTrio]) -> Callable[[int], int]:
        """Prepare alignments of three groups each; return a function that aligns one by its number."""
        ordered = [trio.widest_first for trio in trios]
        pairs = [
            GroupPair(members[a], members[b], (columns[a], columns[b]), self.places)
            for members, columns in ordered
            for a, b in ((0, 1), (0, 2), (1, 2))
        ]
        scores = self.scorer.score_columns(pairs, self.starts)

        def align(number: int) -> int:
            moves, _ = cpu_triplets.align_three_groups(*(scores(3 * number + pair) for pair in range(3)), self.run.stop)
            for members, bit in zip(ordered[number].members, (4, 2, 1), strict=True):
                stand = np.flatnonzero(moves & bit).astype(np.int32)
                if not self.run.stop[0]:
                    cpu_merging.move_letters(members, self.places, self.starts, self.lengths, stand)
            return int(moves.size)

        return align

    def refine_alignment(self, columns: int, rounds: int, seed: int) -> int:
        """Split at random columns into sequences with and without a gap there, and merge again.

        Longer results are rejected. Expected accuracy never falls, since the parts could be merged as they were.
        """
        random, number, together = np.random.default_rng(seed), 0, 1
        while number < rounds:
            self.run.monitor.update(number, rounds, "refinement")
            drawn, states = self._draw_splits(min(together, rounds - number), columns, random)
            if not drawn:
                break
            done, width = self.try_splits(drawn, columns, is_no_longer)
            number, random.bit_generator.state = number + done, states[done - 1]
            # Many splits can be tried at once when nothing changes any more.
            changed = done < len(drawn) or width != columns
            columns, together = width, 1 if changed else min(2 * together, self.most_trials(width))
        self.run.monitor.update(rounds, rounds, "refinement")
        return columns

    def compute_confidence(self, columns: int) -> np.ndarray:
        """Return the weighted mean posterior of the pairs of letters in each column, float64; 0 with one letter."""
        supported, possible = self.scorer.sum_support(self.places, self.starts, columns)
        return supported / np.maximum(possible, 1) / UNIT

    def _draw_splits(self, limit: int, columns: int, random: np.random.Generator) -> tuple[list[Split], list[Any]]:
        """Draw up to ``most`` splits at random columns; return them and the random state after each."""
        splits, states = list[Split](), []
        while len(splits) < limit and (split := self._draw_split(columns, random)):
            splits.append(split)
            states.append(random.bit_generator.state)
        return splits, states

    def _draw_split(self, columns: int, random: np.random.Generator) -> Split | None:
        """Draw a random column that splits the rows, or return None."""
        everyone = np.arange(self.count)
        for column in random.integers(0, max(columns, 1), GAP_DRAWS).tolist():
            there = cpu_merging.find_letters_in_column(everyone, self.places, self.starts, self.lengths, column).astype(
                bool
            )
            if there.any() and not there.all():
                return everyone[there], everyone[~there]
        return None

    def _run_cancellable(self, work: Callable[[], MergedGroups]) -> MergedGroups:
        """Run ``work`` on a worker thread, so that Cancel is heard meanwhile, and return its result."""
        found: list[MergedGroups] = []
        share_work(lambda _: found.append(work()), 1, self.run.stop, self.run.monitor.check)
        return found[0]


def is_no_longer(merged: MergedGroups, columns: int) -> bool:
    """Return whether a merge has no more columns than before."""
    return merged.path.size <= columns


def is_better(merged: MergedGroups, columns: int) -> bool:
    """Return whether a merge has more expected accuracy, or the same in fewer columns."""
    return merged.best > merged.standing or (merged.best == merged.standing and merged.path.size < columns)
