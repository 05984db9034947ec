"""Sequences aligned along a guide tree: two groups at a time, or three where that is wanted and they are small."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import triplets
from antidiag.kernels.msa.consistency.cpu_stages import each
from antidiag.kernels.msa.consistency.merging import Aligner, Trio
from antidiag.kernels.msa.consistency.scoring import Groups, Merged
from antidiag.kernels.msa.consistency.sizes import TRIPLET_CELLS
from antidiag.kernels.msa.consistency.telling import Told
from antidiag.kernels.msa.growth import Growth, nodes_of


def progressive(
    aligner: Aligner, joins: np.ndarray, tree: Tree, monitor: Monitor, told: Told, three: bool = False
) -> int:
    """Merge all sequences in the order of a tree; how many columns there are.

    ``joins`` int32 (n - 1, 2): the nodes that join s makes node n + s of. Joins that do not wait for each other are
    made side by side. ``three``: a join is made with one of those below it where that is possible (`triplets`).
    """
    under_way = _Joining(aligner, joins, told.grows(tree), nodes_of(joins, tree), monitor,
                         triplets.together(joins) if three else {})  # fmt: skip
    for level in _levels(joins, aligner.count):
        begun_ns = time.perf_counter_ns()
        width = under_way.level(level)
        told.level(len(level), width, begun_ns)
    return under_way.columns[-1]


@dataclass
class _Joining:
    """The nodes of a tree as they are joined: ``below`` are the joins that are made with their parents."""

    aligner: Aligner
    joins: np.ndarray
    growth: Growth
    node_of: np.ndarray
    monitor: Monitor
    below: dict[int, int]

    def __post_init__(self) -> None:
        n = self.aligner.count
        self.members = [np.array([x]) for x in range(n)] + [np.empty(0, np.int64)] * len(self.joins)
        self.columns = [*self.aligner.lengths.tolist(), *[0] * len(self.joins)]
        self.waiting, self.done = set(self.below.values()), 0

    def level(self, level: list[int]) -> int:
        """Joins that wait for none, but for those that are made with their parents; columns of the widest."""
        trios = {made: self._trio(made) for made in level if made in self.below}
        small = {made: trio for made, trio in trios.items() if trio.cells <= TRIPLET_CELLS}
        self._by_two([self.below[made] for made in trios if made not in small])
        self._by_two([made for made in level if made not in self.waiting and made not in small])
        self._by_three(small)
        return max(self.columns[self.aligner.count + made] for made in level)

    def _trio(self, made: int) -> Trio:
        """What a join, and that below it, are of, in the order of the tree."""
        below = self.aligner.count + self.below[made]
        own, lower = self.joins[made].tolist(), self.joins[self.below[made]].tolist()
        a, b, c = (*lower, own[1]) if own[0] == below else (own[0], *lower)
        members, columns = self.members, self.columns
        return Trio((members[a], members[b], members[c]), (columns[a], columns[b], columns[c]))

    def _by_two(self, made: list[int]) -> None:
        groups = [Groups(self.members[first], self.members[second], (self.columns[first], self.columns[second]),
                         self.aligner.places) for first, second in self.joins[made].tolist()]  # fmt: skip
        for some in _at_a_time([one.cells for one in groups], self.aligner.scorer.most_cells):
            self._begin(made[some])
            self._each(partial(self._pair, made[some], groups[some], self.aligner.merge(groups[some])), made[some])

    def _pair(self, made: list[int], groups: list[Groups], merge: Callable[[int], Merged], place: int) -> None:
        self._end(made[place], self.aligner.moved(groups[place], merge(place)), groups[place][:2])

    def _by_three(self, trios: Mapping[int, Trio]) -> None:
        made, three = list(trios), list(trios.values())
        cells = [one.columns[0] * (one.columns[1] + one.columns[2]) + one.columns[1] * one.columns[2] for one in three]
        for some in _at_a_time(cells, self.aligner.scorer.most_cells):
            self._each(partial(self._three, made[some], three[some], self.aligner.three(three[some])), made[some], 2)

    def _three(self, made: list[int], trios: list[Trio], align: Callable[[int], int], place: int) -> None:
        number = made[place]
        self._begin([self.below[number]])
        columns, members = align(place), trios[place].members
        own_first = self.joins[number, 0] == self.aligner.count + self.below[number]
        self._end(self.below[number], columns, members[:2] if own_first else members[1:])
        self._begin([number])
        self._end(number, columns, members)

    def _begin(self, made: list[int]) -> None:
        self.growth.begin(self.node_of[made].tolist())

    def _end(self, made: int, columns: int, groups: Sequence[np.ndarray]) -> None:
        node = self.aligner.count + made
        self.columns[node], self.members[node] = columns, np.concatenate(groups)
        self.growth.end(int(self.node_of[made]), columns)

    def _each(self, join: Callable[[int], None], made: list[int], joins: int = 1) -> None:
        """Each of these, on threads; each is so many joins."""

        def tell(done: int) -> None:
            self.monitor.update(self.done + joins * done, len(self.joins), "progressive")

        each(join, len(made), self.aligner.threads, self.aligner.stop, tell)
        self.done += joins * len(made)


def _at_a_time(cells: Sequence[int], most_cells: int) -> Iterator[slice]:
    """Merges of so many scores together at most; all where it is 0."""
    sums = np.cumsum(cells)
    first = 0
    while first < len(cells):
        before = int(sums[first - 1]) if first else 0
        last = int(np.searchsorted(sums, before + most_cells, side="right")) if most_cells else len(cells)
        yield slice(first, max(last, first + 1))
        first = max(last, first + 1)


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
