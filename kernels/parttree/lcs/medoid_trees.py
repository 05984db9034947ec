"""Medoid trees: guide trees of single linkage over parts of a family, each around a sequence in its middle.

A group of up to LINKED x references sequences is joined by single linkage over their longest common subsequences. From
a larger one as many are drawn at random, and ``references`` medoids are found among these: each sequence belongs to the
nearest medoid, and of those that belong to one the next medoid has the smallest sum of distances to the others, until
nothing changes or ROUNDS are over. Every sequence of the group joins the nearest medoid, the medoids are joined by
single linkage, and each part is a group. FAMSA 2 has such trees; it finds medoids by a random search.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.lcs import cpu_medoid_distances, cpu_spanning_tree
from antidiag.kernels.parttree.lcs.linkage import Joins, link_alone, run_linkage, sort_by_length
from antidiag.kernels.parttree.parameters import PartTreeThreads
from antidiag.kernels.parttree.problem import DISTANCE_UNIT, LINKED_PER_REFERENCE, MEDOID_ROUNDS, PartTreeProblem
from antidiag.kernels.parttree.progress import ReportProgress
from antidiag.kernels.parttree.splitting import cpu_groups
from antidiag.kernels.steps import StepLog

PHASE = "medoids"
LETTER_BYTES = 40
"""Memory for each letter, about."""


@dataclass(frozen=True, eq=False)
class MedoidGroup:
    """A group of sequences, int64 ascending, and its parts where it was split.

    Parts are in the order of the medoids: numbers of groups, or -1 - the sequence where it is alone; with their joins
    and heights.
    """

    members: np.ndarray
    parts: tuple[int, ...] = ()
    joins: np.ndarray | None = None
    heights: np.ndarray | None = None


def medoid_tree(problem: PartTreeProblem, parameters: PartTreeThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Make the medoid tree of the different sequences; equal ones are joined first."""
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(compile_medoids)

    def link(
        codes: np.ndarray, offsets: np.ndarray, numbers: np.ndarray, phase: CpuPhase, report: ReportProgress
    ) -> Joins:
        return MedoidRecursion(codes, offsets, numbers, problem.references, problem.pick_seed, phase, report).tree()

    return run_linkage(problem, run, PHASE, link, LETTER_BYTES)


@dataclass
class MedoidRecursion:
    """The recursion over encoded sequences (uint8 codes, 20 for no letter) that makes a medoid tree.

    ``numbers`` int64 identify the sequences in the random draw.
    """

    codes: np.ndarray
    offsets: np.ndarray
    numbers: np.ndarray
    references: int
    seed: int
    phase: CpuPhase
    report: ReportProgress

    def __post_init__(self) -> None:
        self.lengths, self.finished = np.diff(self.offsets), 0
        self.most = LINKED_PER_REFERENCE * self.references

    def tree(self) -> tuple[np.ndarray, np.ndarray]:
        """Return joins and heights of the whole tree; a node may be lower than what it joins."""
        count = self.offsets.size - 1
        groups = [MedoidGroup(np.arange(count))]
        waiting = [(0, 0)]
        for number, level in waiting:
            members = groups[number].members
            if members.size > self.most:
                groups[number], made = self._split_group(members, level, len(groups))
                waiting += [(len(groups) + at, level + 1) for at in range(len(made))]
                groups += [MedoidGroup(part) for part in made]
        linked = self._link_groups([number for number, group in enumerate(groups) if not group.parts], groups)
        return _assemble_joins(groups, linked, count)

    def _split_group(self, members: np.ndarray, level: int, following: int) -> tuple[MedoidGroup, list[np.ndarray]]:
        """Split a group; parts of more than one sequence become groups from the number ``following`` on."""
        keys = cpu_groups.draw_keys(self.seed, level, self.numbers[members])
        drawn = members[np.argsort(keys, kind="stable")[: self.most]]
        medoids = self._find_medoids(drawn)
        nearest = np.empty(members.size, np.int64)
        self._measure_distances(medoids, members, np.zeros((0, 0), np.float32), nearest)
        nearest[np.searchsorted(members, medoids)] = np.arange(medoids.size)
        order, sizes = np.argsort(nearest, kind="stable"), np.bincount(nearest, minlength=medoids.size)
        made: list[np.ndarray] = []
        parts: list[int] = []
        for part in np.split(members[order], np.cumsum(sizes)[:-1]):
            parts.append(following + len(made) if part.size > 1 else -1 - int(part[0]))
            made += [part] if part.size > 1 else []
        joins, heights = self._link_medoids(medoids)
        return MedoidGroup(members, tuple(parts), joins, heights), made

    def _find_medoids(self, drawn: np.ndarray) -> np.ndarray:
        """Return the medoids of drawn sequences, ascending."""
        matrix = np.empty((drawn.size, drawn.size), np.float32)
        self._measure_distances(drawn, drawn, matrix, np.zeros(0, np.int64))
        apart = np.rint(matrix.astype(np.float64) * DISTANCE_UNIT).astype(np.int64)
        medoids = np.arange(min(self.references, drawn.size))
        for _ in range(MEDOID_ROUNDS):
            nearest = medoids[np.argmin(apart[:, medoids], axis=1)]
            nearest[medoids] = medoids
            found = np.array([_central_member(apart, np.flatnonzero(nearest == medoid)) for medoid in medoids.tolist()])
            if np.array_equal(found, medoids):
                break
            medoids = np.sort(found)
        return np.sort(drawn[medoids])

    def _measure_distances(
        self, references: np.ndarray, members: np.ndarray, matrix: np.ndarray, nearest: np.ndarray
    ) -> None:
        """Measure members against references; see `cpu_medoid_distances.measure_references`."""
        every, order = sort_by_length(*self._select_codes(references))
        nobody = np.zeros(references.size, np.int64)
        own = cpu_spanning_tree.make_masks(every, np.arange(references.size), nobody, nobody)
        whole, several = cpu_spanning_tree.SequencesByLength(self.codes, self.offsets), cpu_medoid_distances.TASK
        self.phase.share_tasks(
            range(0, members.size, several),
            lambda worker, first: cpu_medoid_distances.measure_references(
                own,
                whole,
                order,
                members,
                matrix,
                nearest,
                first,
                min(first + several, members.size),
                self.phase.run.stop,
            ),
            report=lambda: self.report(self.finished, self.lengths.size),
        )

    def _link_medoids(self, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Link some sequences by single linkage, on this thread."""
        return link_alone(
            *self._select_codes(members), lambda done, total: self.report(self.finished, self.lengths.size)
        )

    def _select_codes(self, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the codes of some sequences, one after another, and where each begins."""
        offsets = np.concatenate([[0], np.cumsum(self.lengths[members])])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[members] - offsets[:-1], self.lengths[members])
        return self.codes[places], offsets

    def _link_groups(self, leaves: list[int], groups: list[MedoidGroup]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """Return joins and heights of the groups that are linked as a whole, on threads, the largest first."""
        found: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        leaves = sorted(leaves, key=lambda number: -groups[number].members.size)
        under_way, taxa = [0] * self.phase.run.threads, self.lengths.size

        def link(worker: int, leaf: int) -> None:
            members = groups[leaf].members

            def heard(done: int, total: int) -> None:
                """Note how much of the group is done; end it where all are to end."""
                if self.phase.run.stop[0]:
                    raise Cancelled("the medoid tree was cancelled")
                under_way[worker] = members.size * done // total

            found[leaf] = link_alone(*self._select_codes(members), heard)
            under_way[worker] = 0
            self.finished += members.size

        self.phase.share_tasks(
            leaves, link, report=lambda: self.report(min(self.finished + sum(under_way), taxa), taxa)
        )
        return found


def _central_member(distances: np.ndarray, members: np.ndarray) -> int:
    """Return the member with the smallest sum of distances to the others, the first of equal ones."""
    return int(members[np.argmin(distances[np.ix_(members, members)].sum(axis=1))])


def _assemble_joins(
    groups: list[MedoidGroup], linked: dict[int, tuple[np.ndarray, np.ndarray]], count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the joins of all groups, from the last to the first, as those of one tree."""
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
def compile_medoids() -> None:
    """Compile medoid trees, or load them from the cache."""
    codes, offsets = np.tile(np.arange(9, dtype=np.uint8), 50), np.arange(0, 451, 9)
    with CpuRun().phase(PHASE) as phase:
        MedoidRecursion(codes, offsets, np.arange(50), 2, 1, phase, lambda done, total: None).tree()
