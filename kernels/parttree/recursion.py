"""The recursion of PartTree, a level at a time: all groups of a level are split at once, wherever that is counted.

What a backend gives is one function, `Measure`. Everything that is decided by distances is decided here, so that all
methods and devices make one tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import contents_of
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree import cpu_groups
from antidiag.kernels.parttree.cpu_counts import Batch, Found
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.words import Words

MOST_DISTANCES = 1 << 25
"""Distances between the picks of groups that are split together, at most, where a single group has not more."""
NOTHING = np.zeros(0)
STEPS = 10_000
"""In which the progress of a level is told."""

Measure = Callable[[Batch, bool, int], Found]
"""``measure(batch, every, level)``: of all members the nearest reference, or where ``every`` all distances."""


@dataclass(frozen=True, eq=False)
class Level:
    """Groups that were split together: see `cpu_groups` for the arrays; ``refs`` are those of `shared_out`."""

    members: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    joins: np.ndarray
    heights: np.ndarray
    children: np.ndarray
    refs: np.ndarray


class Recursion:
    """The recursion over the different sequences of a problem."""

    def __init__(
        self, problem: PartTreeProblem, words: Words, measure: Measure, threads: int, tell: Told, task: int,
    ) -> None:  # fmt: skip
        """``tell`` is told what each level is to measure; ``task`` is the most members of a task."""
        self.problem, self.words, self.measure, self.threads, self.tell, self.task = (
            problem, words, measure, threads, tell, task,
        )  # fmt: skip
        self.first, self.own = contents_of(problem.sequences)
        self.stop = workers.stop_word()
        self.splits: list[np.ndarray] = []
        self.levels: list[Level] = []

    def answer(self) -> PartTreeAnswer:
        """The tree of all sequences."""
        joins, lengths = self.joins()
        splits = np.concatenate([np.zeros((0, 5), np.int64), *self.splits])
        tree = Tree.from_joins(self.problem.names, joins, lengths, self.problem.title)
        order = np.lexsort(splits.T[::-1])
        return PartTreeAnswer(tree, splits[order], self._references(order))

    def _references(self, order: np.ndarray) -> np.ndarray:
        """The references of all groups, see `PartTreeAnswer`; ``order`` int64 sorts the groups as they were split."""
        rank = np.empty(order.size, np.int64)
        rank[order] = np.arange(order.size)
        counts = [np.where(one.counts > 0, one.counts, np.diff(one.starts)) for one in self.levels]
        until = np.cumsum(np.concatenate([NOTHING.astype(np.int64), *counts])[order])
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
        """The joins of the tree, int64 (n - 1, 2), and the lengths of the edges to what is joined, float64."""
        levels: list[Level] = []
        members, starts = self.first, np.array([0, self.first.size])
        if self.first.size < 2:
            members, starts = members[:0], starts[:1]
        while starts.size > 1:
            self.tell.begin(np.diff(starts), self.problem.references)
            level, members, starts = self._split(members, starts, len(levels))
            levels.append(level)
            self.tell(self.first.size - members.size, self.first.size)
        self.tell(1, 1)
        self.levels = levels
        return self._assembled(levels)

    def _split(self, members: np.ndarray, starts: np.ndarray, level: int) -> tuple[Level, np.ndarray, np.ndarray]:
        """Split all groups of a level, some at a time; the groups of the next level."""
        made: list[Level] = []
        next_members, next_starts = [members[:0]], [np.zeros(1, np.int64)]
        groups, filled = 0, 0
        for first, last in self._batches(starts):
            own = starts[first : last + 1]
            part, ahead, ahead_starts = self._part(members[own[0] : own[-1]], own - own[0], level)
            part.children[part.children >= 0] += groups
            made.append(part)
            next_members.append(ahead)
            next_starts.append(ahead_starts[1:] + filled)
            groups, filled = groups + ahead_starts.size - 1, filled + ahead.size
        names = "counts", "joins", "heights", "children", "refs"
        whole = [np.concatenate([getattr(part, name) for part in made]) for name in names]
        return (
            Level(members, starts, *whole),
            np.concatenate(next_members), np.concatenate(next_starts),
        )  # fmt: skip

    def _batches(self, starts: np.ndarray) -> Iterator[tuple[int, int]]:
        """Ranges of groups whose picks have not too many distances together."""
        picks = np.minimum(np.diff(starts), self.problem.references)
        until, first = np.cumsum(picks**2), 0
        while first < picks.size:
            before = int(until[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(until, before + MOST_DISTANCES, "right")))
            yield first, last
            first = last

    def _part(self, members: np.ndarray, starts: np.ndarray, level: int) -> tuple[Level, np.ndarray, np.ndarray]:
        """Split some groups."""
        groups, size = starts.size - 1, members.size
        pivot = np.empty(groups, np.int64)
        cpu_groups.pivots(self.words.totals, members, starts, pivot)
        alone = np.arange(groups + 1)
        away = self._measured(members[pivot], alone, members, starts, False, level).least
        picks, counts = np.empty(size, np.int64), (self.words.totals[members[pivot]] > 0).astype(np.int64)
        settings = self.problem.references, self.problem.pick_seed, level
        self._share(groups, lambda ticket: cpu_groups.choose(
            members, starts, pivot, away, *settings, picks, counts, ticket, self.stop))  # fmt: skip
        picked = counts.copy()
        chosen, chosen_starts = _gathered(picks, starts, counts)
        places = np.concatenate([[0], np.cumsum(counts**2)])
        matrix = NOTHING
        if chosen.size:
            refs = members[chosen]
            matrix = self._measured(refs, chosen_starts, refs, chosen_starts, True, level).everything
        kept = np.empty(size, np.int64)
        self._share(groups, lambda ticket: cpu_groups.filtered(
            matrix, places, starts, away, picks, counts, kept, ticket, self.stop))  # fmt: skip
        numbers, ref_starts = _gathered(kept, starts, counts)
        refs_at = chosen[numbers + np.repeat(chosen_starts[:-1], counts)]
        refs = members[refs_at]
        nearest = self._measured(refs, ref_starts, members, starts, False, level).nearest
        of_group = np.arange(refs.size) - np.repeat(ref_starts[:-1], counts)
        nearest[refs_at] = of_group
        joins, heights = np.zeros((size, 2), np.int32), np.zeros(size)
        self._share(groups, lambda ticket: cpu_groups.upgma(
            matrix, places, starts, counts, joins, heights, ticket, self.stop))  # fmt: skip
        spread = np.zeros(size, np.int64)
        spread[of_group + np.repeat(starts[:-1], counts)] = refs
        ahead, ahead_starts, children = np.empty_like(members), np.zeros(size + 1, np.int64), np.empty(size, np.int64)
        made, filled = cpu_groups.shared_out(
            members, starts, counts, nearest, spread, ahead, ahead_starts, children
        )  # fmt: skip
        self.splits.append(np.stack([np.full(groups, level), members[pivot], np.diff(starts), picked, counts], 1))
        return (
            Level(members, starts, counts, joins, heights, children, spread),
            ahead[:filled],
            ahead_starts[: made + 1],
        )

    def _measured(
        self, refs: np.ndarray, ref_starts: np.ndarray, members: np.ndarray, starts: np.ndarray, every: bool, level: int
    ) -> Found:
        tasks = _tasks(starts, np.diff(ref_starts) > 0, self.task)
        self.tell.measure(int(np.dot(np.diff(ref_starts), np.diff(starts))))
        return self.measure(Batch(refs, ref_starts, members, starts, tasks), every, level)

    def _share(self, groups: int, work: Callable[[np.ndarray], None]) -> None:
        ticket = np.zeros(1, np.int64)
        count = max(1, min(self.threads, groups // 4))
        workers.share(lambda worker: work(ticket), count, self.stop, lambda: self.tell(0, 1))

    def _assembled(self, levels: list[Level]) -> tuple[np.ndarray, np.ndarray]:
        """The tree of all levels, from the deepest to the first."""
        taxa = len(self.problem.sequences)
        joins, lengths = np.empty((max(taxa - 1, 0), 2), np.int64), np.empty((max(taxa - 1, 0), 2))
        heights = np.zeros(2 * taxa)
        leaves = np.zeros(taxa, np.int64)
        leaves[self.first], node = equal_joined(self.own, self.first.size, joins, lengths)
        roots = NOTHING.astype(np.int64)
        for level in reversed(levels):
            found = np.empty(level.starts.size - 1, np.int64)
            node = _assemble(
                level.starts, level.counts, level.joins, level.heights, level.children, leaves, roots, heights, joins,
                lengths, taxa, node, found,
            )  # fmt: skip
            roots = found
        return joins, lengths


def part_tree(
    problem: PartTreeProblem, words: Words, measure: Measure, threads: int, tell: Told, task: int
) -> PartTreeAnswer:
    """The tree of a problem whose words are known; see `Recursion`."""
    try:
        return Recursion(problem, words, measure, threads, tell, task).answer()
    except BaseException:
        workers.end_idle()
        raise


def whole_tree(names: Sequences[str], own: np.ndarray, joins: np.ndarray, lengths: np.ndarray, title: str) -> Tree:
    """The tree of all sequences from that of the different ones (``own`` is which), equal ones joined first."""
    taxa, count = own.size, len(joins) + 1
    every, every_length = np.zeros((max(taxa - 1, 0), 2), np.int64), np.zeros((max(taxa - 1, 0), 2))
    roots, node = equal_joined(own, count, every, every_length)
    of_nodes = np.concatenate([roots, node + np.arange(len(joins))])
    every[node - taxa :], every_length[node - taxa :] = of_nodes[joins], lengths
    return Tree.from_joins(names, every, every_length, title)


def equal_joined(own: np.ndarray, contents: int, joins: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, int]:
    """Join sequences of one content evenly: the root of each content, and the next node.

    ``own`` int64 is the content of every sequence; the first joins and lengths are written.
    """
    until = np.concatenate([[0], np.cumsum(np.bincount(own, minlength=contents))])
    roots = np.empty(contents, np.int64)
    node = _even_nodes(np.argsort(own, kind="stable"), until, joins, lengths, own.size, roots)
    return roots, node


def _gathered(values: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first so many values of each group, and where those of each begin."""
    until = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(until[-1]) + np.repeat(starts[:-1] - until[:-1], counts)
    return values[places], until


def _tasks(starts: np.ndarray, wanted: np.ndarray, most: int) -> np.ndarray:
    """Parts of at most so many members of the groups that are wanted."""
    sizes = np.diff(starts)
    parts = np.where(wanted, -(-sizes // most), 0)
    group = np.repeat(np.arange(sizes.size), parts)
    number = np.arange(group.size) - np.repeat(np.cumsum(parts) - parts, parts)
    first = starts[group] + number * most
    return np.stack([group, first, np.minimum(first + most, starts[group + 1])], 1)


@compiled
def _even_nodes(order, until, joins, lengths, taxa, roots):
    """Join the equal sequences of every content two by two; the next node, and the root of each content."""
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


@compiled
def _assemble(
    starts, counts, local, local_heights, children, leaves, below, heights, joins, lengths, taxa, node, roots
):
    """The joins of a level as nodes of the tree: ``below`` are the roots of the groups of the next level."""
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


class Told:
    """Progress of a recursion, which never falls: what is alone in its group is placed for good.

    While a level is split, the distances that are measured count for its share of what is left. How many levels there
    will be is not known: where groups fall apart as evenly as they can there are fewest, and one more is reckoned with.
    """

    def __init__(self, monitor: Monitor, phase: str) -> None:
        self._monitor, self._phase = monitor, phase
        self._most = 0.0
        self._share, self._before, self._own, self._all = 0.0, 0, 0, 1
        """Of the level: its share of everything, distances measured before, those of now, and those of all at most."""
        self._begun = 0.0

    def __call__(self, done: int, total: int) -> None:
        """So much is done for good."""
        if done / total > self._most:
            self._most = done / total
            self._monitor.update(done, total, self._phase)
        else:
            self._monitor.check()

    def begin(self, sizes: np.ndarray, references: int) -> None:
        """A level of groups of so many members (int64) begins."""
        picks = np.minimum(sizes, references)
        levels = max(1.0, math.log(max(int(sizes.max()), 2)) / math.log(max(references, 2)))
        self._begun, self._share = self._most, (1 - self._most) / (1 + math.ceil(levels))
        self._before, self._own, self._all = 0, 0, int((sizes + picks**2 + sizes * picks).sum())

    def measure(self, distances: int) -> None:
        """So many distances are measured now."""
        self._before, self._own = self._before + self._own, distances

    def measured(self, done: int, total: int) -> None:
        """Of the distances that are measured now so many in so many are there."""
        share = (self._before + self._own * done / max(total, 1)) / self._all
        self(round(STEPS * (self._begun + self._share * min(share, 1.0))), STEPS)


def told(monitor: Monitor, phase: str) -> Told:
    """Progress of a phase, which never falls."""
    return Told(monitor, phase)
