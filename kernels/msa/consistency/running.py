"""One run of the method, on whichever device: encoded sequences in, rows of letters out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from kernels.io.aligned import GAP
from kernels.io.distance_matrix import DistanceMatrix
from kernels.io.tree import Tree
from kernels.monitor import Monitor
from kernels.msa import guide
from kernels.msa.consistency import models
from kernels.msa.consistency.engine import Aligned, Guide, Stages, align
from kernels.msa.consistency.recipe import Recipe, recipe
from kernels.msa.problem import MsaAnswer, MsaProblem, answer_of
from kernels.steps import Steps

TINY = tuple(np.array(letters, np.uint8) for letters in ((0, 1, 2, 3), (0, 2, 3), (1, 2, 3, 3)))
"""Sequences with which everything is compiled before the clock starts."""


@dataclass
class Clock:
    """Times of the stages, and an event for each in the step log."""

    steps: Steps
    times_ms: dict[str, float]
    rows: int
    columns: int
    began_ns: int = field(default_factory=time.perf_counter_ns)
    last_ns: int = field(default_factory=time.perf_counter_ns)
    apart_ms: Callable[[], float] = lambda: 0.0
    _apart_ms: float = 0.0
    _stages: int = 0

    def __call__(self, stage: str) -> None:
        """A stage has ended; what counts apart, such as transfers, is not of it."""
        now_ns, apart_ms = time.perf_counter_ns(), self.apart_ms()
        self._stages += 1
        self.times_ms[stage] = max((now_ns - self.last_ns) / 1e6 - (apart_ms - self._apart_ms), 0.0)
        self.steps.add(
            self._stages, 0, (0, self.rows), (0, self.columns), 0, self.last_ns - self.began_ns, now_ns - self.began_ns
        )
        self.last_ns, self._apart_ms = now_ns, apart_ms


def clock(problem: MsaProblem, times_ms: dict[str, float], steps: Steps) -> Clock:
    """A clock that starts now."""
    return Clock(steps, times_ms, len(problem.filled), max(map(len, problem.sequences)))


def answer(
    problem: MsaProblem, stages: Stages, threads: int, monitor: Monitor, stage: Callable[[str], None]
) -> MsaAnswer:
    """Align the sequences that have letters."""
    found = align(codes(problem), recipe(problem), stages, threads, monitor, stage, guide_of(problem))
    return told(problem, found)


def told(problem: MsaProblem, found: Aligned) -> MsaAnswer:
    """The answer of what has been aligned of the sequences that have letters."""
    sequences = [problem.sequences[number] for number in problem.filled]
    rows = np.full((len(sequences), found.columns), GAP, np.uint8)
    for row, places, sequence in zip(rows, found.places, sequences, strict=True):
        row[places] = sequence.array
    return answer_of(problem, rows, named(found, problem), found.confidence)


def codes(problem: MsaProblem) -> list[np.ndarray]:
    """The sequences that have letters, encoded."""
    return [models.codes(problem.sequences[number].letters, problem.protein) for number in problem.filled]


def warm(stages: Stages, given: Recipe, threads: int) -> None:
    """Have everything compiled."""
    align(TINY, replace(given, refinements=2), stages, threads, Monitor(), lambda stage: None)


def named(found: Aligned, problem: MsaProblem) -> Tree:
    """The guide tree, its leaves called by the taxa."""
    names = tuple(problem.taxa[int(name)] if name else "" for name in found.tree.names)
    return Tree(names, found.tree.parents, found.tree.lengths)


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
