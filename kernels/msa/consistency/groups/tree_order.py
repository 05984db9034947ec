"""Alignment along a guide tree: two groups at a time, or three small ones if the user chose so."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.msa.consistency.groups.column_scorer import GroupPair, MergedGroups
from antidiag.kernels.msa.consistency.groups.group_aligner import GroupAligner, GroupTrio
from antidiag.kernels.msa.consistency.sizes import TRIPLET_CELLS
from antidiag.kernels.msa.consistency.stage_observer import StageObserver
from antidiag.kernels.msa.tree_growth import TreeGrowth, join_nodes


def align_along_tree(
    aligner: GroupAligner, joins: np.ndarray, tree: Tree, observer: StageObserver, three: bool = False
) -> int:
    """Merge all sequences in the order of a tree; return the number of columns.

    ``joins`` int32 (n - 1, 2): the nodes that join s merges into node n + s. Independent joins run in parallel. If
    ``three``, a join is made together with one below it where possible (`choose_triplets`).
    """
    under_way = _TreeAlignment(
        aligner,
        joins,
        observer.start_tree(tree),
        join_nodes(joins, tree),
        choose_triplets(joins) if three else {},
    )
    for level in _group_levels(joins, aligner.count):
        begun_ns = time.perf_counter_ns()
        width = under_way.join_level(level)
        observer.note_level(len(level), width, begun_ns)
    return under_way.columns[-1]


@dataclass
class _TreeAlignment:
    """The nodes of a tree while they are joined; ``below`` maps a join to the join below that is made with it."""

    aligner: GroupAligner
    joins: np.ndarray
    growth: TreeGrowth
    node_of: np.ndarray
    below: dict[int, int]

    def __post_init__(self) -> None:
        n = self.aligner.count
        self.members = [np.array([x]) for x in range(n)] + [np.empty(0, np.int64)] * len(self.joins)
        self.columns = [*self.aligner.lengths.tolist(), *[0] * len(self.joins)]
        self.waiting, self.done = set(self.below.values()), 0

    def join_level(self, level: list[int]) -> int:
        """Make the joins of a level; return the columns of the widest."""
        trios = {made: self._make_trio(made) for made in level if made in self.below}
        small = {made: trio for made, trio in trios.items() if trio.cells <= TRIPLET_CELLS}
        self._join_pairs([self.below[made] for made in trios if made not in small])
        self._join_pairs([made for made in level if made not in self.waiting and made not in small])
        self._join_trios(small)
        return max(self.columns[self.aligner.count + made] for made in level)

    def _make_trio(self, join_numbers: int) -> GroupTrio:
        """Return the three groups of a join and the join below it, in the order of the tree."""
        below = self.aligner.count + self.below[join_numbers]
        own, lower = self.joins[join_numbers].tolist(), self.joins[self.below[join_numbers]].tolist()
        a, b, c = (*lower, own[1]) if own[0] == below else (own[0], *lower)
        members, columns = self.members, self.columns
        return GroupTrio((members[a], members[b], members[c]), (columns[a], columns[b], columns[c]))

    def _join_pairs(self, join_numbers: list[int]) -> None:
        """Make joins of two groups."""
        groups = [
            GroupPair(
                self.members[first],
                self.members[second],
                (self.columns[first], self.columns[second]),
                self.aligner.places,
            )
            for first, second in self.joins[join_numbers].tolist()
        ]
        for some in _split_merges([one.cells for one in groups], self.aligner.scorer.most_cells):
            self._begin_nodes(join_numbers[some])
            self._join_each(
                partial(self._join_pair, join_numbers[some], groups[some], self.aligner.merge_groups(groups[some])),
                join_numbers[some],
            )

    def _join_pair(
        self, join_numbers: list[int], groups: list[GroupPair], merge: Callable[[int], MergedGroups], position: int
    ) -> None:
        """Make one join of two groups."""
        self._end_join(
            join_numbers[position], self.aligner.apply_merge(groups[position], merge(position)), groups[position][:2]
        )

    def _join_trios(self, trios: Mapping[int, GroupTrio]) -> None:
        """Make joins of three groups."""
        made, three = list(trios), list(trios.values())
        cells = [one.columns[0] * (one.columns[1] + one.columns[2]) + one.columns[1] * one.columns[2] for one in three]
        for some in _split_merges(cells, self.aligner.scorer.most_cells):
            self._join_each(
                partial(self._join_trio, made[some], three[some], self.aligner.align_trios(three[some])), made[some], 2
            )

    def _join_trio(
        self, join_numbers: list[int], trios: list[GroupTrio], align: Callable[[int], int], position: int
    ) -> None:
        """Make one join of three groups."""
        number = join_numbers[position]
        self._begin_nodes([self.below[number]])
        columns, members = align(position), trios[position].members
        own_first = self.joins[number, 0] == self.aligner.count + self.below[number]
        self._end_join(self.below[number], columns, members[:2] if own_first else members[1:])
        self._begin_nodes([number])
        self._end_join(number, columns, members)

    def _begin_nodes(self, join_numbers: list[int]) -> None:
        """Note that these joins begin now."""
        self.growth.begin_nodes(self.node_of[join_numbers].tolist())

    def _end_join(self, join_numbers: int, columns: int, groups: Sequence[np.ndarray]) -> None:
        """Store the group of a finished join."""
        node = self.aligner.count + join_numbers
        self.columns[node], self.members[node] = columns, np.concatenate(groups)
        self.growth.end_node(int(self.node_of[join_numbers]), columns)

    def _join_each(self, join: Callable[[int], None], join_numbers: list[int], joins: int = 1) -> None:
        """Run these tasks on threads; each counts as ``joins`` joins."""

        with self.aligner.run.phase("progressive", total=len(self.joins)) as phase:
            phase.share_tasks(
                range(len(join_numbers)),
                lambda worker, position: join(position),
                report=lambda: phase.report(self.done + joins * int(phase.done.sum())),
            )
        self.done += joins * len(join_numbers)


def _split_merges(cells: Sequence[int], most_cells: int) -> Iterator[slice]:
    """Split merges into slices of at most ``most_cells`` scores together; one slice if it is 0."""
    sums = np.cumsum(cells)
    first = 0
    while first < len(cells):
        before = int(sums[first - 1]) if first else 0
        last = int(np.searchsorted(sums, before + most_cells, side="right")) if most_cells else len(cells)
        yield slice(first, max(last, first + 1))
        first = max(last, first + 1)


def _group_levels(joins: np.ndarray, n: int) -> list[list[int]]:
    """Return the joins level by level; those of a level are independent."""
    levels: list[list[int]] = []
    ready = [0] * n
    for made, (first, second) in enumerate(joins.tolist()):
        level = max(ready[first], ready[second])
        ready.append(level + 1)
        if level == len(levels):
            levels.append([])
        levels[level].append(made)
    return levels


def choose_triplets(joins: np.ndarray) -> dict[int, int]:
    """Map joins to the join below that is made with them.

    From the leaves on, each join takes the later of its two child joins, unless that one has taken a join itself.
    ``joins`` int32 (n - 1, 2): the nodes that join s merges into node n + s.
    """
    n, found = len(joins) + 1, dict[int, int]()
    for made, children in enumerate(joins.tolist()):
        below = [child - n for child in sorted(children, reverse=True) if child >= n and child - n not in found]
        if below:
            found[made] = below[0]
    return found
