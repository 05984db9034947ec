"""Consistency-based alignment of encoded sequences, stage after stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.changes import Changes
from antidiag.kernels.msa.consistency import cpu_stages, joining
from antidiag.kernels.msa.consistency.merging import Aligner
from antidiag.kernels.msa.consistency.models import CUT, WEIGHT_UNIT, PairModel
from antidiag.kernels.msa.consistency.recipe import Recipe
from antidiag.kernels.msa.consistency.scoring import Scorer, ThreadedScorer
from antidiag.kernels.msa.consistency.sparse import Part, Posteriors
from antidiag.kernels.msa.consistency.telling import Told
from antidiag.kernels.trees.joining import cpu_upgma
from antidiag.kernels.trees.order import alignment_order

SELF_WEIGHT = 3.0


@dataclass(frozen=True)
class Aligned:
    """Columns of the letters of each sequence, int32 arrays; how many there are; confidence a column; the tree; what
    was changed when it was refined."""

    places: list[np.ndarray]
    columns: int
    confidence: np.ndarray
    tree: Tree
    weights: np.ndarray
    changes: Changes


@dataclass(frozen=True, eq=False)
class Guide:
    """What takes the place of distances, float64 (n, n), or of the tree, its leaves called by their numbers."""

    distances: np.ndarray | None = None
    tree: Tree | None = None


class Stages(Protocol):
    """What a device does, all that goes over all pairs of sequences (`cpu_stages`); posteriors stay there."""

    def posteriors(self, sequences: Sequence[np.ndarray], models: Sequence[PairModel]) -> Any: ...

    def accuracies(self, found: Any) -> np.ndarray: ...

    def consistent(
        self, found: Any, chosen: np.ndarray, weights: np.ndarray, own: float, part: tuple[int, int]
    ) -> Any: ...

    def scorer(self, found: Any, weights: np.ndarray) -> Scorer: ...

    def laid_out(self, lengths: np.ndarray, parts: Sequence[Part]) -> Any:
        """What stands in the place of posteriors."""
        ...

    def told(self, monitor: Monitor) -> Self:
        """The same, which tell this monitor."""
        ...


@dataclass(frozen=True)
class CpuStages:
    """The stages on threads of the CPU."""

    threads: int
    monitor: Monitor
    cut: int = CUT

    def posteriors(self, sequences: Sequence[np.ndarray], models: Sequence[PairModel]) -> Posteriors:
        return cpu_stages.posteriors(sequences, models, self.threads, self.monitor, self.cut)

    def consistent(
        self, found: Posteriors, chosen: np.ndarray, weights: np.ndarray, own: float, part: tuple[int, int]
    ) -> Posteriors:
        return cpu_stages.consistent(found, chosen, weights, own, self.threads, self.monitor, part, self.cut)

    def accuracies(self, found: Posteriors) -> np.ndarray:
        return cpu_stages.accuracies(found, self.threads, self.monitor)

    def scorer(self, found: Posteriors, weights: np.ndarray) -> Scorer:
        return ThreadedScorer(found, weights, self.threads)

    def laid_out(self, lengths: np.ndarray, parts: Sequence[Part]) -> Posteriors:
        return cpu_stages.laid_out(lengths, parts, self.threads, self.monitor.check)

    def told(self, monitor: Monitor) -> CpuStages:
        return replace(self, monitor=monitor)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Consistent posteriors, and the guide tree: what alignments of the sequences are made of, and judged by.

    ``accuracies`` float64 (n, n) are those of pairs before consistency, ``joins`` int32 (n - 1, 2).
    """

    scorer: Scorer
    accuracies: np.ndarray
    joins: np.ndarray
    tree: Tree
    weights: np.ndarray

    def aligner(self, threads: int) -> Aligner:
        """Every sequence alone, ready to be aligned."""
        return Aligner.of(self.scorer, threads)

    def aligned(self, aligner: Aligner, columns: int, monitor: Monitor) -> Aligned:
        """What has been aligned, with its confidence."""
        confidence = aligner.confidence(columns, monitor)
        return Aligned(np.split(aligner.places, aligner.starts[1:]), columns, confidence, self.tree, self.weights,
                       Changes.of(aligner.changes, aligner.count))  # fmt: skip


def align(sequences: Sequence[np.ndarray], recipe: Recipe, stages: Stages, threads: int, monitor: Monitor,
          phase: Told, given: Guide = Guide()) -> Aligned:  # fmt: skip
    """Align encoded sequences (`models.codes`), none empty; ``phase`` is told whenever a stage has ended."""
    made = prepared(sequences, recipe, stages, threads, monitor, phase, given, grows=True)
    return finished(made, recipe, threads, monitor, phase)


def finished(made: Prepared, recipe: Recipe, threads: int, monitor: Monitor, phase: Told) -> Aligned:
    """The stages that make an alignment of consistent posteriors."""
    aligner = made.aligner(threads)
    columns = joining.progressive(aligner, made.joins, made.tree, monitor, phase, recipe.triplets)
    phase("progressive")
    columns = aligner.refined(columns, recipe.refinements, recipe.seed, monitor)
    phase("refinement")
    found = made.aligned(aligner, columns, monitor)
    phase("confidence")
    return found


def prepared(sequences: Sequence[np.ndarray], recipe: Recipe, stages: Stages, threads: int, monitor: Monitor,
             phase: Told, given: Guide = Guide(), grows: bool = False) -> Prepared:  # fmt: skip
    """The stages before an alignment: posteriors, distances, tree, consistency.

    ``grows``: whether nodes of the tree will be aligned, which whoever looks on sees from here on.
    """
    found = stages.posteriors(sequences, recipe.models)
    phase("posteriors")
    accuracies = stages.accuracies(found)
    phase("distances")
    if given.tree is not None:
        joins, tree = joins_of(given.tree), given.tree
    else:
        joins, tree = guide_tree(1 - accuracies if given.distances is None else given.distances, monitor)
    weights = tree_weights(tree) if recipe.tree_weights else alike_weights(accuracies)
    phase("tree")
    if grows:
        phase.grows(tree)
    found = _consistent(found, recipe, weights, chosen(accuracies, recipe.others_of(found.count)), stages)
    phase("consistency")
    return Prepared(stages.scorer(found, weights), accuracies, joins, tree, weights)


def _consistent(found: Any, recipe: Recipe, weights: np.ndarray, via: np.ndarray, stages: Stages) -> Any:
    rounds = recipe.rounds if found.count <= recipe.small else min(recipe.rounds, 1)
    relative = (weights / WEIGHT_UNIT).astype(np.float32)
    for number in range(rounds):
        found = stages.consistent(found, via, relative, SELF_WEIGHT, (number, rounds))
    return found


def joins_of(tree: Tree) -> np.ndarray:
    """The joins of a tree of two branches everywhere whose leaves are called by their numbers, int32 (n - 1, 2)."""
    n = tree.leaves.size
    number = {int(leaf): int(name) for leaf, name in zip(tree.leaves, tree.taxa, strict=True)}
    joins = np.zeros((n - 1, 2), np.int32)
    for made, node in enumerate(alignment_order(tree).nodes.tolist()):
        joins[made] = [number[child] for child in tree.children(node).tolist()]
        number[node] = n + made
    return joins


def guide_tree(distances: np.ndarray, monitor: Monitor) -> tuple[np.ndarray, Tree]:
    """UPGMA: joins (n - 1, 2), and the tree, whose leaves are called by their numbers."""
    n = len(distances)
    D, valid = np.ascontiguousarray(distances, np.float64).copy(), np.ones(n, np.uint8)
    nearest = cpu_upgma.Nearest(np.full(n, -1, np.int64), np.full(n, np.inf))
    cpu_upgma.find_all(D, valid, 0, n, nearest)
    joins, heights = np.zeros((max(n - 1, 0), 2), np.int32), np.zeros(max(n - 1, 0))
    sizes, nodes, stop = np.ones(n), np.arange(n, dtype=np.int32), np.zeros(1, np.int64)
    for done in range(0, n - 1, 64):
        monitor.check()
        cpu_upgma.join(D, valid, sizes, nearest, nodes, done, 64, joins, heights, stop)
    height = np.concatenate([np.zeros(n), heights])
    lengths = np.maximum(heights[:, None] - height[joins], 0)
    return joins, Tree.from_joins([str(x) for x in range(n)], joins, lengths)


def tree_weights(tree: Tree) -> np.ndarray:
    """Weights as ClustalW has them, in the order of the sequences, int64 1..WEIGHT_UNIT."""
    made = np.empty(len(tree.leaves), np.int64)
    made[[int(name) for name in tree.taxa]] = np.maximum(np.rint(WEIGHT_UNIT * leaf_weights(tree)), 1)
    return made


def alike_weights(accuracies: np.ndarray) -> np.ndarray:
    """One over how many sequences are like each, itself among them, in the order of the sequences, int64
    1..WEIGHT_UNIT.

    ``accuracies`` float64 (n, n): a sequence counts for another by the expected accuracy of both to the fourth power,
    so that those that are not near each other count little. A family of many members then has not much more to say
    than one of few, however deep its part of the tree is.
    """
    likeness = np.square(np.square(accuracies))  # not a power, which machines round differently
    np.fill_diagonal(likeness, 1)
    alike = likeness.sum(axis=1)
    made: np.ndarray = np.maximum(np.rint(WEIGHT_UNIT * alike.min() / alike), 1).astype(np.int64)
    return made


def chosen(accuracies: np.ndarray, others: int) -> np.ndarray:
    """By way of which sequences each is made consistent, int32 (n, chosen), rising: those of highest expected accuracy,
    all where ``others`` are."""
    n = len(accuracies)
    if n <= others:
        return np.broadcast_to(np.arange(n, dtype=np.int32), (n, n)).copy()
    return np.sort(np.argsort(-accuracies, axis=1, kind="stable")[:, :others], axis=1).astype(np.int32)
