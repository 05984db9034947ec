"""The recursion of PartTree, a level at a time: all groups of a level are split at once.

A backend gives one function, `Measure`. Everything that distances decide is decided here, so that all methods and
devices make the same tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase
from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import group_equal_sequences
from antidiag.kernels.parttree.kmers.cpu_shared_words import DistanceBatch, MeasuredDistances
from antidiag.kernels.parttree.kmers.word_arrays import WordArrays
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.progress import RecursionProgress
from antidiag.kernels.parttree.splitting import cpu_groups

MOST_DISTANCES = 1 << 25
"""The most distances between picks of groups that are split together, unless a single group has more."""
EMPTY = np.zeros(0)

Measure = Callable[[DistanceBatch, bool, int], MeasuredDistances]
"""``measure(batch, every, level)``: the nearest reference of each member, or with ``every`` all distances."""


@dataclass(frozen=True, eq=False)
class SplitLevel:
    """Groups that were split together; see `cpu_groups` for the arrays. ``refs`` are those of `distribute_members`."""

    members: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    joins: np.ndarray
    heights: np.ndarray
    children: np.ndarray
    refs: np.ndarray


@dataclass
class PartTreeRecursion:
    """The recursion over the different sequences of a problem.

    ``task_members`` are the most members of a task; ``threads`` share the groups, those of the run if it is 0.
    ``numbers`` int64 identify the sequences in the random draw: their places in the problem if it is None.
    """

    problem: PartTreeProblem
    words: WordArrays
    measure: Measure
    phase: CpuPhase
    report: RecursionProgress
    task_members: int
    threads: int = 0
    numbers: np.ndarray | None = None

    def __post_init__(self) -> None:
        self.first, self.own = group_equal_sequences(self.problem.sequences)
        self.drawn_by = np.arange(len(self.problem.sequences)) if self.numbers is None else self.numbers
        self.splits: list[np.ndarray] = []
        self.levels: list[SplitLevel] = []

    def answer(self) -> PartTreeAnswer:
        """Return the tree of all sequences, with its splits and references."""
        joins, lengths = self.joins()
        splits = np.concatenate([np.zeros((0, 5), np.int64), *self.splits])
        tree = Tree.from_joins(self.problem.names, joins, lengths, self.problem.title)
        order = np.lexsort(splits.T[::-1])
        return PartTreeAnswer(tree, splits[order], self._list_references(order))

    def _list_references(self, order: np.ndarray) -> np.ndarray:
        """Return the references of all groups (see `PartTreeAnswer`); ``order`` int64 sorts the groups."""
        rank = np.empty(order.size, np.int64)
        rank[order] = np.arange(order.size)
        counts = [np.where(one.counts > 0, one.counts, np.diff(one.starts)) for one in self.levels]
        until = np.cumsum(np.concatenate([EMPTY.astype(np.int64), *counts])[order])
        begins = np.concatenate([[0], until])[:-1][rank]
        references, first = np.empty((int(until[-1]) if until.size else 0, 4), np.int64), 0
        for number, (level, own) in enumerate(zip(self.levels, counts, strict=True)):
            groups = own.size
            group = np.repeat(np.arange(groups), own)
            within = np.arange(group.size) - np.repeat(np.cumsum(own) - own, own)
            at, rows = level.starts[group] + within, begins[first + group] + within
            child = level.children[at]
            references[rows, 0] = rank[first + group]
            references[rows, 1] = np.where(level.counts[group] > 0, level.refs[at], level.members[at])
            references[rows, 2:] = 1, -1
            if number + 1 < len(self.levels):
                rows, child = rows[child >= 0], child[child >= 0]
                references[rows, 2] = np.diff(self.levels[number + 1].starts)[child]
                references[rows, 3] = rank[first + groups + child]
            first += groups
        return references

    def joins(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joins of the tree, int64 (n - 1, 2), and the lengths of the edges below each, float64 (n - 1,
        2)."""
        levels: list[SplitLevel] = []
        members, starts = self.first, np.array([0, self.first.size])
        if self.first.size < 2:
            members, starts = members[:0], starts[:1]
        while starts.size > 1:
            self.report.begin_level(np.diff(starts), self.problem.references)
            level, members, starts = self._split_level(members, starts, len(levels))
            levels.append(level)
            self.report(self.first.size - members.size, self.first.size)
        self.report(1, 1)
        self.levels = levels
        return self._assemble_levels(levels)

    def _split_level(
        self, members: np.ndarray, starts: np.ndarray, level: int
    ) -> tuple[SplitLevel, np.ndarray, np.ndarray]:
        """Split all groups of a level, and return the level with the members and starts of the next groups."""
        made: list[SplitLevel] = []
        next_members, next_starts = [members[:0]], [np.zeros(1, np.int64)]
        groups, filled = 0, 0
        for first, last in self._group_ranges(starts):
            own = starts[first : last + 1]
            part, ahead, ahead_starts = self._split_groups(members[own[0] : own[-1]], own - own[0], level)
            part.children[part.children >= 0] += groups
            made.append(part)
            next_members.append(ahead)
            next_starts.append(ahead_starts[1:] + filled)
            groups, filled = groups + ahead_starts.size - 1, filled + ahead.size
        names = "counts", "joins", "heights", "children", "refs"
        whole = [np.concatenate([getattr(part, name) for part in made]) for name in names]
        return (SplitLevel(members, starts, *whole), np.concatenate(next_members), np.concatenate(next_starts))

    def _group_ranges(self, starts: np.ndarray) -> Iterator[tuple[int, int]]:
        """Yield ranges of groups whose picks have at most `MOST_DISTANCES` distances together."""
        picks = np.minimum(np.diff(starts), self.problem.references)
        until, first = np.cumsum(picks**2), 0
        while first < picks.size:
            before = int(until[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(until, before + MOST_DISTANCES, "right")))
            yield first, last
            first = last

    def _split_groups(
        self, members: np.ndarray, starts: np.ndarray, level: int
    ) -> tuple[SplitLevel, np.ndarray, np.ndarray]:
        """Split some groups of a level."""
        groups, size = starts.size - 1, members.size
        pivot = np.empty(groups, np.int64)
        cpu_groups.find_pivots(self.words.totals, members, starts, pivot)
        alone = np.arange(groups + 1)
        away = self._measure_distances(members[pivot], alone, members, starts, False, level).least
        picks, counts = np.empty(size, np.int64), (self.words.totals[members[pivot]] > 0).astype(np.int64)
        settings = self.problem.references, self.problem.pick_seed, level
        self._share_groups(
            groups,
            lambda ticket: cpu_groups.pick_references(
                self.drawn_by[members], starts, pivot, away, *settings, picks, counts, ticket, self.phase.run.stop
            ),
        )
        picked = counts.copy()
        chosen, chosen_starts = _gather_first(picks, starts, counts)
        places = np.concatenate([[0], np.cumsum(counts**2)])
        matrix = EMPTY
        if chosen.size:
            refs = members[chosen]
            matrix = self._measure_distances(refs, chosen_starts, refs, chosen_starts, True, level).everything
        kept = np.empty(size, np.int64)
        self._share_groups(
            groups,
            lambda ticket: cpu_groups.filter_picks(
                matrix, places, starts, away, picks, counts, kept, ticket, self.phase.run.stop
            ),
        )
        numbers, ref_starts = _gather_first(kept, starts, counts)
        refs_at = chosen[numbers + np.repeat(chosen_starts[:-1], counts)]
        refs = members[refs_at]
        nearest = self._measure_distances(refs, ref_starts, members, starts, False, level).nearest
        of_group = np.arange(refs.size) - np.repeat(ref_starts[:-1], counts)
        nearest[refs_at] = of_group
        joins, heights = np.zeros((size, 2), np.int32), np.zeros(size)
        self._share_groups(
            groups,
            lambda ticket: cpu_groups.join_references(
                matrix, places, starts, counts, joins, heights, ticket, self.phase.run.stop
            ),
        )
        spread = np.zeros(size, np.int64)
        spread[of_group + np.repeat(starts[:-1], counts)] = refs
        ahead, ahead_starts, children = np.empty_like(members), np.zeros(size + 1, np.int64), np.empty(size, np.int64)
        made, filled = cpu_groups.distribute_members(
            members, starts, counts, nearest, spread, ahead, ahead_starts, children
        )
        self.splits.append(np.stack([np.full(groups, level), members[pivot], np.diff(starts), picked, counts], 1))
        return (
            SplitLevel(members, starts, counts, joins, heights, children, spread),
            ahead[:filled],
            ahead_starts[: made + 1],
        )

    def _measure_distances(
        self,
        refs: np.ndarray,
        ref_starts: np.ndarray,
        members: np.ndarray,
        starts: np.ndarray,
        with_all: bool,
        level: int,
    ) -> MeasuredDistances:
        """Measure the distances of members to the references of their groups."""
        tasks = _list_tasks(starts, np.diff(ref_starts) > 0, self.task_members)
        self.report.begin_distances(int(np.dot(np.diff(ref_starts), np.diff(starts))))
        return self.measure(DistanceBatch(refs, ref_starts, members, starts, tasks), with_all, level)

    def _share_groups(self, groups: int, work: Callable[[np.ndarray], None]) -> None:
        """Share groups among threads by a ticket."""
        ticket = np.zeros(1, np.int64)
        threads = max(1, min(self.threads or self.phase.run.threads, groups // 4))
        self.phase.share(lambda worker: work(ticket), lambda: self.report(0, 1), threads)

    def _assemble_levels(self, levels: list[SplitLevel]) -> tuple[np.ndarray, np.ndarray]:
        """Join the trees of all levels, from the deepest to the first."""
        taxa = len(self.problem.sequences)
        joins, lengths = np.empty((max(taxa - 1, 0), 2), np.int64), np.empty((max(taxa - 1, 0), 2))
        heights = np.zeros(2 * taxa)
        leaves = np.zeros(taxa, np.int64)
        leaves[self.first], node = join_equal_sequences(self.own, self.first.size, joins, lengths)
        roots = EMPTY.astype(np.int64)
        for level in reversed(levels):
            found = np.empty(level.starts.size - 1, np.int64)
            node = _assemble_level(
                level.starts,
                level.counts,
                level.joins,
                level.heights,
                level.children,
                leaves,
                roots,
                heights,
                joins,
                lengths,
                taxa,
                node,
                found,
            )
            roots = found
        return joins, lengths


def tree_with_equal_leaves(
    names: Sequences[str], contents_of_sequences: np.ndarray, joins: np.ndarray, lengths: np.ndarray, title: str
) -> Tree:
    """Return the tree of all sequences from that of the different ones; equal ones are joined first.

    ``contents_of_sequences`` int64 is the different sequence of each sequence; ``joins`` int64 and ``lengths`` float64
    are those of the tree.
    """
    taxa, count = contents_of_sequences.size, len(joins) + 1
    every, every_length = np.zeros((max(taxa - 1, 0), 2), np.int64), np.zeros((max(taxa - 1, 0), 2))
    roots, node = join_equal_sequences(contents_of_sequences, count, every, every_length)
    of_nodes = np.concatenate([roots, node + np.arange(len(joins))])
    every[node - taxa :], every_length[node - taxa :] = of_nodes[joins], lengths
    return Tree.from_joins(names, every, every_length, title)


def join_equal_sequences(
    contents_of_sequences: np.ndarray, contents: int, joins: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, int]:
    """Join equal sequences evenly, and return the root of each content and the number of the next node.

    ``contents_of_sequences`` int64 is the content of every sequence; the first joins and lengths are written.
    """
    until = np.concatenate([[0], np.cumsum(np.bincount(contents_of_sequences, minlength=contents))])
    roots = np.empty(contents, np.int64)
    node = _join_equal_evenly(
        np.argsort(contents_of_sequences, kind="stable"), until, joins, lengths, contents_of_sequences.size, roots
    )
    return roots, node


def _gather_first(values: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first ``counts`` values of each group, and where those of each group begin."""
    until = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(until[-1]) + np.repeat(starts[:-1] - until[:-1], counts)
    return values[places], until


def _list_tasks(starts: np.ndarray, wanted: np.ndarray, task_limit: int) -> np.ndarray:
    """Return tasks (group, first, last), int64, of at most ``task_limit`` members, for the groups that are wanted."""
    sizes = np.diff(starts)
    parts = np.where(wanted, -(-sizes // task_limit), 0)
    group = np.repeat(np.arange(sizes.size), parts)
    number = np.arange(group.size) - np.repeat(np.cumsum(parts) - parts, parts)
    first = starts[group] + number * task_limit
    return np.stack([group, first, np.minimum(first + task_limit, starts[group + 1])], 1)


@cached_njit
def _join_equal_evenly(order, until, joins, lengths, taxa, roots):
    """Join the equal sequences of each content two by two; write the roots and return the number of the next node."""
    node = taxa
    queue = np.empty(2 * order.size + 1, np.int64)
    for content in range(until.size - 1):
        size = until[content + 1] - until[content]
        queue[:size] = order[until[content] : until[content + 1]]
        for join in range(size - 1):
            joins[node - taxa, 0], joins[node - taxa, 1] = queue[2 * join], queue[2 * join + 1]
            lengths[node - taxa, 0] = lengths[node - taxa, 1] = 0.0
            queue[size + join] = node
            node += 1
        roots[content] = queue[2 * size - 2]
    return node


@cached_njit
def _assemble_level(
    starts, counts, local, local_heights, children, leaves, below, heights, joins, lengths, taxa, node, roots
):
    """Write the joins of a level as nodes of the tree; ``below`` are the roots of the groups of the next level."""
    for group in range(starts.size - 1):
        start = starts[group]
        count = counts[group] if counts[group] > 0 else starts[group + 1] - start
        base = node
        for join in range(count - 1):
            height = local_heights[start + join]
            for side in range(2):
                number = local[start + join, side]
                if number >= count:
                    child = base + number - count
                else:
                    child = children[start + number]
                    child = below[child] if child >= 0 else leaves[-1 - child]
                joins[node - taxa, side] = child
                lengths[node - taxa, side] = max(height - heights[child], 0.0)
            heights[node] = height
            node += 1
        roots[group] = node - 1
    return node
