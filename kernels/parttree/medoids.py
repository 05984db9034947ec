"""Medoid trees: guide trees of single linkage over parts of a family, each around a sequence in its middle.

A group of up to LINKED x references sequences is joined by single linkage over their longest common subsequences. Of a
larger one as many are drawn by chance, and ``references`` medoids are found among these: each sequence belongs to the
nearest medoid, and of those that belong to one the next medoid has the least sum of distances to the others, until
nothing changes or ROUNDS are over. Every sequence of the group joins the nearest medoid, the medoids are joined by
single linkage, and each part is a group. FAMSA 2 has such trees; it finds medoids by a random search.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compiling import compiled_ms
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.model import Outcome, contents_of
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.parttree import cpu_groups, cpu_lcs, cpu_medoids
from antidiag.kernels.parttree.linkage import by_length, edges, single_linkage
from antidiag.kernels.parttree.parameters import Threads
from antidiag.kernels.parttree.problem import LINKED, ROUNDS, UNIT, PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.recursion import told, whole_tree
from antidiag.kernels.parttree.symbols import encoded
from antidiag.kernels.steps import Steps

PHASE = "medoids"
Tell = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Group:
    """Sequences, int64 ascending; of a group that was parted, its parts in the order of the medoids (numbers of groups,
    or -1 - the sequence where it is alone), and the joins and heights of these."""

    members: np.ndarray
    parts: tuple[int, ...] = ()
    joins: np.ndarray | None = None
    heights: np.ndarray | None = None


def medoid_tree(problem: PartTreeProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """A method: the medoid tree of the different sequences, equal ones joined first."""
    times_ms = {"compilation": compiled_ms(compile_all, monitor), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    first, own = contents_of(problem.sequences)
    codes, offsets = encoded([problem.sequences[number] for number in first.tolist()], problem.protein)
    tell = told(monitor, PHASE)
    try:
        joins, heights = medoid_linkage(codes, offsets, first, problem.references, problem.pick_seed,
                                        typed(Threads, parameters).threads, tell)  # fmt: skip
        tell(1, 1)
    except BaseException:
        workers.end_idle()
        raise
    tree = whole_tree(problem.names, own, joins, edges(joins, heights), problem.title)
    PhaseLog(steps, 1, clock.started_ns).add(0, (0, first.size), (0, first.size), 0, clock.started_ns)
    clock.phase(PHASE)
    return Outcome(PartTreeAnswer(tree), times_ms, 40 * int(codes.size))


def medoid_linkage(
    codes: np.ndarray, offsets: np.ndarray, numbers: np.ndarray, references: int, seed: int, threads: int, tell: Tell
) -> tuple[np.ndarray, np.ndarray]:
    """Joins int64 (n - 1, 2) and heights float64 (n - 1,) of sequences of codes (uint8, 20 for no letter).

    ``numbers`` int64 are what chance knows the sequences by; ``tell(done, of)`` is progress. A node may be lower than
    what it joins.
    """
    own = _Medoids(codes, offsets, numbers, references, seed, threads, tell)
    return own.tree()


class _Medoids:
    """The recursion over the sequences of a problem."""

    def __init__(
        self, codes: np.ndarray, offsets: np.ndarray, numbers: np.ndarray, references: int, seed: int, threads: int,
        tell: Tell,
    ) -> None:  # fmt: skip
        self.codes, self.offsets, self.numbers = codes, offsets, numbers
        self.references, self.seed, self.threads, self.tell = references, seed, threads, tell
        self.lengths = np.diff(offsets)
        self.most = LINKED * references
        self.stop = workers.stop_word()
        self.placed = 0

    def tree(self) -> tuple[np.ndarray, np.ndarray]:
        count = self.offsets.size - 1
        groups = [Group(np.arange(count))]
        waiting = [(0, 0)]
        for number, level in waiting:
            members = groups[number].members
            if members.size > self.most:
                groups[number], made = self._parted(members, level, len(groups))
                waiting += [(len(groups) + at, level + 1) for at in range(len(made))]
                groups += [Group(part) for part in made]
        linked = self._linked([number for number, group in enumerate(groups) if not group.parts], groups)
        return _assembled(groups, linked, count)

    def _parted(self, members: np.ndarray, level: int, following: int) -> tuple[Group, list[np.ndarray]]:
        """A group in parts, which are groups from the number ``following`` on unless they are of one sequence."""
        keys = cpu_groups.keys_of(self.seed, level, self.numbers[members])
        drawn = members[np.argsort(keys, kind="stable")[: self.most]]
        medoids = self._medoids(drawn)
        nearest = np.empty(members.size, np.int64)
        self._measure(medoids, members, np.zeros((0, 0), np.float32), nearest)
        nearest[np.searchsorted(members, medoids)] = np.arange(medoids.size)
        order, sizes = np.argsort(nearest, kind="stable"), np.bincount(nearest, minlength=medoids.size)
        made: list[np.ndarray] = []
        parts: list[int] = []
        for part in np.split(members[order], np.cumsum(sizes)[:-1]):
            parts.append(following + len(made) if part.size > 1 else -1 - int(part[0]))
            made += [part] if part.size > 1 else []
        joins, heights = self._link(medoids)
        return Group(members, tuple(parts), joins, heights), made

    def _medoids(self, drawn: np.ndarray) -> np.ndarray:
        """The medoids of sequences in the order in which they were drawn; ascending."""
        matrix = np.empty((drawn.size, drawn.size), np.float32)
        self._measure(drawn, drawn, matrix, np.zeros(0, np.int64))
        apart = np.rint(matrix.astype(np.float64) * UNIT).astype(np.int64)
        medoids = np.arange(min(self.references, drawn.size))
        for _ in range(ROUNDS):
            nearest = medoids[np.argmin(apart[:, medoids], axis=1)]
            nearest[medoids] = medoids
            found = np.array([_middle(apart, np.flatnonzero(nearest == medoid)) for medoid in medoids.tolist()])
            if np.array_equal(found, medoids):
                break
            medoids = np.sort(found)
        return np.sort(drawn[medoids])

    def _measure(self, references: np.ndarray, members: np.ndarray, matrix: np.ndarray, nearest: np.ndarray) -> None:
        """See `cpu_medoids.measure`."""
        every, order = by_length(*self._codes(references))
        nobody = np.zeros(references.size, np.int64)
        own = cpu_lcs.masks(every, np.arange(references.size), nobody, nobody)
        ticket, whole = np.zeros(1, np.int64), cpu_lcs.Every(self.codes, self.offsets)
        threads = max(1, min(self.threads, members.size // cpu_medoids.TASK))
        done = np.zeros((threads, 8), np.int64)
        workers.share(lambda worker: cpu_medoids.measure(
            own, whole, order, members, matrix, nearest, ticket, done[worker, :1], self.stop),
            threads, self.stop, lambda: self.tell(self.placed, self.lengths.size))  # fmt: skip

    def _link(self, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Single linkage of some sequences, on this thread."""
        return single_linkage(*self._codes(members), 1, lambda done, total: self.tell(self.placed, self.lengths.size))

    def _codes(self, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The codes of some sequences, one after another, and where each begins."""
        offsets = np.concatenate([[0], np.cumsum(self.lengths[members])])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[members] - offsets[:-1], self.lengths[members])
        return self.codes[places], offsets

    def _linked(self, leaves: list[int], groups: list[Group]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """Joins and heights of the groups that are linked as a whole; threads take one at a time, the largest first."""
        found: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        leaves = sorted(leaves, key=lambda number: -groups[number].members.size)
        taken = itertools.count()
        threads = max(1, min(self.threads, len(leaves)))
        under_way = [0] * threads

        def work(worker: int) -> None:
            while not self.stop[0] and (at := next(taken)) < len(leaves):
                members = groups[leaves[at]].members

                def heard(done: int, total: int, size: int = members.size) -> None:
                    """How much of the group is done; ends it where all are to end."""
                    if self.stop[0]:
                        raise Cancelled("the medoid tree was cancelled")
                    under_way[worker] = size * done // total

                found[leaves[at]] = single_linkage(*self._codes(members), 1, heard)
                under_way[worker] = 0
                self.placed += members.size

        workers.share(work, threads, self.stop, lambda: self.tell(
            min(self.placed + sum(under_way), self.lengths.size), self.lengths.size))  # fmt: skip
        return found


def _middle(apart: np.ndarray, members: np.ndarray) -> int:
    """The member with the least sum of distances to the others, of equal ones the first."""
    return int(members[np.argmin(apart[np.ix_(members, members)].sum(axis=1))])


def _assembled(
    groups: list[Group], linked: dict[int, tuple[np.ndarray, np.ndarray]], count: int
) -> tuple[np.ndarray, np.ndarray]:
    """The joins of all groups, from the last to the first, as those of one tree."""
    joins, heights = np.empty((max(count - 1, 0), 2), np.int64), np.empty(max(count - 1, 0))
    roots, used = np.empty(len(groups), np.int64), 0
    for number in range(len(groups) - 1, -1, -1):
        group = groups[number]
        if group.parts:
            ends = np.array([roots[part] if part >= 0 else -1 - part for part in group.parts], np.int64)
            own, levels = group.joins, group.heights
        else:
            ends = group.members
            own, levels = linked[number]
        assert own is not None and levels is not None
        nodes = np.concatenate([ends, count + used + np.arange(len(own))])
        joins[used : used + len(own)], heights[used : used + len(own)] = nodes[own], levels
        used += len(own)
        roots[number] = nodes[-1]
    return joins, heights


@cache
def compile_all() -> None:
    """Compile, or load from the cache folder."""
    codes, offsets = np.tile(np.arange(9, dtype=np.uint8), 50), np.arange(0, 451, 9)
    medoid_linkage(codes, offsets, np.arange(50), 2, 1, 1, lambda done, total: None)
