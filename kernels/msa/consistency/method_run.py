"""One run of the method on any device: encoded sequences in, rows of letters out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.msa.consistency import ensemble
from antidiag.kernels.msa.consistency.posteriors import pair_models
from antidiag.kernels.msa.consistency.posteriors.cpu_stages import CpuStages
from antidiag.kernels.msa.consistency.posteriors.pair_models import PairModel
from antidiag.kernels.msa.consistency.posteriors.pair_tasks import list_pair_tasks
from antidiag.kernels.msa.consistency.recipe import ConsistencyRecipe, make_recipe
from antidiag.kernels.msa.consistency.solver import ConsistencyAlignment, ConsistencyStages, GivenGuide, align_sequences
from antidiag.kernels.msa.consistency.stage_observer import StageObserver
from antidiag.kernels.msa.pipelines import guide_tree
from antidiag.kernels.msa.problem import MsaAnswer, MsaProblem, make_answer
from antidiag.kernels.msa.tree_growth import TreeGrowth

TINY = tuple(np.array(letters, np.uint8) for letters in ((0, 1, 2, 3), (0, 2, 3), (1, 2, 3, 3)))
"""Sequences with which everything is compiled before the clock starts."""


@dataclass
class StageClock(StageObserver):
    """Times the stages of a run and logs an event for each; for the progressive stage one for each level."""

    problem: MsaProblem
    run: CpuRun

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the stage that runs in the block."""
        with self.run.phase(name) as self._phase:
            begun_ns, self._levels = time.perf_counter_ns(), 0
            yield
            if not self._levels:
                self._log(len(self.problem.filled), max(map(len, self.problem.sequences)), begun_ns)

    def start_tree(self, tree: Tree) -> TreeGrowth:
        """Show the tree with its names to observers of the run."""
        growth = TreeGrowth.start_growth(name_leaves(tree, self.problem))
        self.run.monitor.partial_result = growth
        return growth

    def note_level(self, nodes: int, columns: int, begun_ns: int) -> None:
        """Log the nodes of a level."""
        self._log(nodes, columns, begun_ns)
        self._levels += 1

    def _log(self, rows: int, columns: int, begun_ns: int) -> None:
        """Log what was computed since ``begun_ns``."""
        self._phase.log(LoggedCells((0, rows), (0, columns), self._levels), 0, begun_ns)


def align_problem(problem: MsaProblem, stages: ConsistencyStages, run: CpuRun, observer: StageObserver) -> MsaAnswer:
    """Align the sequences that have letters."""
    own = make_recipe(problem)
    made = ensemble.align_ensemble if own.variants else align_sequences
    found = made(encode_sequences(problem), own, stages, run, observer, given_guide(problem))
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
    return [
        pair_models.encode_letters(problem.sequences[number].letters, problem.is_protein) for number in problem.filled
    ]


def compile_stages(alignment_recipe: ConsistencyRecipe) -> None:
    """Compile what the CPU does, by aligning tiny sequences."""
    run, silent = CpuRun(), StageObserver()
    align_sequences(TINY, replace(alignment_recipe, refinements=2), CpuStages(run), run, silent)
    if alignment_recipe.variants:
        ensemble.align_ensemble(TINY, alignment_recipe, CpuStages(run), run, silent, GivenGuide())


def compile_posteriors(models: Sequence[PairModel]) -> None:
    """Compile the posteriors of pairs on the CPU, by those of tiny sequences."""
    tasks = list_pair_tasks(np.array([sequence.size for sequence in TINY]))
    CpuStages(CpuRun()).compute_pairs(TINY, models, tasks)


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
