"""One run of the method on any device: encoded sequences in, rows of letters out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import ensemble
from antidiag.kernels.msa.consistency.posteriors import pair_models
from antidiag.kernels.msa.consistency.recipe import ConsistencyRecipe, make_recipe
from antidiag.kernels.msa.consistency.solver import ConsistencyAlignment, ConsistencyStages, GivenGuide, align_sequences
from antidiag.kernels.msa.consistency.stage_observer import StageObserver
from antidiag.kernels.msa.pipelines import guide_tree
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem, make_answer
from antidiag.kernels.msa.tree_growth import TreeGrowth
from antidiag.kernels.steps import StepLog

TINY = tuple(np.array(letters, np.uint8) for letters in ((0, 1, 2, 3), (0, 2, 3), (1, 2, 3, 3)))
"""Sequences with which everything is compiled before the clock starts."""


@dataclass
class StageClock(StageObserver):
    """Times the stages and logs an event for each; for the progressive stage one for each level."""

    problem: MsaProblem
    monitor: Monitor
    steps: StepLog
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
        """Note the end of a stage; separately counted time, such as transfers, does not belong to it."""
        now_ns, apart_ms = time.perf_counter_ns(), self.apart_ms()
        self._stages += 1
        self.times_ms[stage] = max((now_ns - self.last_ns) / 1e6 - (apart_ms - self._apart_ms), 0.0)
        if not self._levels:
            self._add_event(self._stages, self.rows, self.columns, self.last_ns, now_ns)
        self.last_ns, self._apart_ms, self._levels = now_ns, apart_ms, 0

    def start_tree(self, tree: Tree) -> TreeGrowth:
        """Show the tree with its names to observers of the run."""
        growth = TreeGrowth.start_growth(name_leaves(tree, self.problem))
        self.monitor.partial_result = growth
        return growth

    def note_level(self, nodes: int, columns: int, begun_ns: int) -> None:
        """Log the nodes of a level."""
        self._add_event(self._stages + 1, nodes, columns, begun_ns, time.perf_counter_ns())
        self._levels += 1

    def _add_event(self, stage: int, rows: int, columns: int, begun_ns: int, ended_ns: int) -> None:
        """Append an event to the step log."""
        self.steps.add(
            stage, self._levels, (0, rows), (0, columns), 0, begun_ns - self.began_ns, ended_ns - self.began_ns
        )


def start_clock(problem: MsaProblem, times_ms: dict[str, float], monitor: Monitor, steps: StepLog) -> StageClock:
    """Return a clock that starts now."""
    return StageClock(problem, monitor, steps, times_ms, len(problem.filled), int(problem.lengths.max()))


def align_problem(
    problem: MsaProblem, stages: ConsistencyStages, threads: int, monitor: Monitor, observer: StageObserver
) -> MsaAnswer:
    """Align the sequences that have letters."""
    own = make_recipe(problem)
    made = ensemble.align_ensemble if own.variants else align_sequences
    found = made(encode_sequences(problem), own, stages, threads, monitor, observer, given_guide(problem))
    return make_consistency_answer(problem, found)


def make_consistency_answer(problem: MsaProblem, aligned: ConsistencyAlignment) -> MsaAnswer:
    """Return the answer of an alignment of the sequences that have letters."""
    sequences = problem.filled_sequences
    rows = np.full((len(sequences), aligned.columns), GAP, np.uint8)
    for row, places, sequence in zip(rows, aligned.places, sequences, strict=True):
        row[places] = sequence.letter_array
    made = make_answer(problem, rows, name_leaves(aligned.tree, problem), aligned.confidence)
    return replace(made, changes=aligned.changes.expand_rows(problem.filled, len(problem.sequences)))


def encode_sequences(problem: MsaProblem) -> list[np.ndarray]:
    """Return the sequences that have letters, encoded."""
    return [pair_models.encode_letters(problem.sequences[number].letters, problem.protein) for number in problem.filled]


def compile_stages(stages: ConsistencyStages, alignment_recipe: ConsistencyRecipe, threads: int) -> None:
    """Compile everything by aligning tiny sequences."""
    align_sequences(TINY, replace(alignment_recipe, refinements=2), stages, threads, Monitor(), StageObserver())
    if alignment_recipe.variants:
        ensemble.align_ensemble(TINY, alignment_recipe, stages, threads, Monitor(), StageObserver(), GivenGuide())


def name_leaves(tree: Tree, problem: MsaProblem) -> Tree:
    """Name the leaves of a tree by taxa instead of sequence numbers."""
    names = tuple(problem.taxa[int(name)] if name else "" for name in tree.names)
    return Tree(names, tree.parents, tree.lengths)


def given_guide(problem: MsaProblem) -> GivenGuide:
    """Return the given distances or tree, with sequence numbers as names."""
    number = {name: str(place) for place, name in enumerate(problem.taxa)}
    if problem.tree is not None:
        tree = guide_tree.resolve_multifurcations(problem.tree)
        leaf = tree.degrees == 0
        names = tuple(number[name] if below else "" for name, below in zip(tree.names, leaf, strict=True))
        return GivenGuide(tree=Tree(names, tree.parents, tree.lengths))
    if problem.distances is not None:
        given: DistanceMatrix = problem.distances
        order = np.array([given.names.index(name) for name in problem.taxa])
        return GivenGuide(distances=given.values[np.ix_(order, order)])
    return GivenGuide()
