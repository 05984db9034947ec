"""One run of the method, on whichever device: encoded sequences in, rows of letters out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from antidiag.kernels.io.aligned import GAP
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import guide
from antidiag.kernels.msa.consistency import ensemble, models
from antidiag.kernels.msa.consistency.engine import Aligned, Guide, Stages, align
from antidiag.kernels.msa.consistency.recipe import Recipe, recipe
from antidiag.kernels.msa.consistency.telling import Told
from antidiag.kernels.msa.growth import Growth
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem, answer_of
from antidiag.kernels.steps import Steps

TINY = tuple(np.array(letters, np.uint8) for letters in ((0, 1, 2, 3), (0, 2, 3), (1, 2, 3, 3)))
"""Sequences with which everything is compiled before the clock starts."""


@dataclass
class Clock(Told):
    """Times of the stages, and an event for each in the step log; of the progressive stage, for each level."""

    problem: MsaProblem
    monitor: Monitor
    steps: Steps
    times_ms: dict[str, float]
    rows: int
    columns: int
    began_ns: int = field(default_factory=time.perf_counter_ns)
    last_ns: int = field(default_factory=time.perf_counter_ns)
    apart_ms: Callable[[], float] = lambda: 0.0
    _apart_ms: float = 0.0
    _stages: int = 0
    _levels: int = 0

    def __call__(self, stage: str) -> None:
        """A stage has ended; what counts apart, such as transfers, is not of it."""
        now_ns, apart_ms = time.perf_counter_ns(), self.apart_ms()
        self._stages += 1
        self.times_ms[stage] = max((now_ns - self.last_ns) / 1e6 - (apart_ms - self._apart_ms), 0.0)
        if not self._levels:
            self._add(self._stages, self.rows, self.columns, self.last_ns, now_ns)
        self.last_ns, self._apart_ms, self._levels = now_ns, apart_ms, 0

    def grows(self, tree: Tree) -> Growth:
        """The tree by its names, for whoever looks on."""
        growth = Growth.of(named(tree, self.problem))
        self.monitor.shown = growth
        return growth

    def level(self, nodes: int, columns: int, begun_ns: int) -> None:
        self._add(self._stages + 1, nodes, columns, begun_ns, time.perf_counter_ns())
        self._levels += 1

    def _add(self, stage: int, rows: int, columns: int, begun_ns: int, ended_ns: int) -> None:
        self.steps.add(stage, self._levels, (0, rows), (0, columns), 0, begun_ns - self.began_ns,
                       ended_ns - self.began_ns)  # fmt: skip


def clock(problem: MsaProblem, times_ms: dict[str, float], monitor: Monitor, steps: Steps) -> Clock:
    """A clock that starts now."""
    return Clock(problem, monitor, steps, times_ms, len(problem.filled), max(map(len, problem.sequences)))


def answer(problem: MsaProblem, stages: Stages, threads: int, monitor: Monitor, stage: Told) -> MsaAnswer:
    """Align the sequences that have letters."""
    own = recipe(problem)
    made = ensemble.align if own.variants else align
    found = made(codes(problem), own, stages, threads, monitor, stage, guide_of(problem))
    return told(problem, found)


def told(problem: MsaProblem, found: Aligned) -> MsaAnswer:
    """The answer of what has been aligned of the sequences that have letters."""
    sequences = problem.filled_sequences
    rows = np.full((len(sequences), found.columns), GAP, np.uint8)
    for row, places, sequence in zip(rows, found.places, sequences, strict=True):
        row[places] = sequence.array
    made = answer_of(problem, rows, named(found.tree, problem), found.confidence)
    return replace(made, changes=found.changes.on_rows(problem.filled, len(problem.sequences)))


def codes(problem: MsaProblem) -> list[np.ndarray]:
    """The sequences that have letters, encoded."""
    return [models.codes(problem.sequences[number].letters, problem.protein) for number in problem.filled]


def warm(stages: Stages, given: Recipe, threads: int) -> None:
    """Have everything compiled."""
    align(TINY, replace(given, refinements=2), stages, threads, Monitor(), Told())
    if given.variants:
        ensemble.align(TINY, given, stages, threads, Monitor(), Told(), Guide())


def named(tree: Tree, problem: MsaProblem) -> Tree:
    """A tree whose leaves are called by their numbers, with the names of the taxa."""
    names = tuple(problem.taxa[int(name)] if name else "" for name in tree.names)
    return Tree(names, tree.parents, tree.lengths)


def guide_of(problem: MsaProblem) -> Guide:
    """What is given in the place of distances or tree, its taxa called by their numbers."""
    number = {name: str(place) for place, name in enumerate(problem.taxa)}
    if problem.tree is not None:
        tree = guide.binary(problem.tree)
        leaf = tree.degrees == 0
        names = tuple(number[name] if below else "" for name, below in zip(tree.names, leaf, strict=True))
        return Guide(tree=Tree(names, tree.parents, tree.lengths))
    if problem.distances is not None:
        given: DistanceMatrix = problem.distances
        order = np.array([given.names.index(name) for name in problem.taxa])
        return Guide(distances=given.values[np.ix_(order, order)])
    return Guide()
