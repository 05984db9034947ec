"""The stages of consistency-based alignment of encoded sequences, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency.groups import tree_order
from antidiag.kernels.msa.consistency.groups.column_scorer import ColumnScorer
from antidiag.kernels.msa.consistency.groups.group_aligner import GroupAligner
from antidiag.kernels.msa.consistency.posteriors.pair_models import WEIGHT_UNIT, PairModel
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import CompressedPairs
from antidiag.kernels.msa.consistency.recipe import ConsistencyRecipe
from antidiag.kernels.msa.consistency.stage_observer import StageObserver
from antidiag.kernels.msa.refinement_changes import RefinementChanges
from antidiag.kernels.trees.alignment_order import alignment_order
from antidiag.kernels.trees.joining import cpu_upgma

SELF_WEIGHT = 3.0


@dataclass(frozen=True)
class ConsistencyAlignment:
    """An alignment: columns of each sequence's letters (int32), confidence, tree, weights and refinement changes."""

    places: list[np.ndarray]
    columns: int
    confidence: np.ndarray
    tree: Tree
    weights: np.ndarray
    changes: RefinementChanges


@dataclass(frozen=True, eq=False)
class GivenGuide:
    """Given distances, float64 (n, n), or a given tree whose leaves are named by sequence numbers."""

    distances: np.ndarray | None = None
    tree: Tree | None = None


class ConsistencyStages(Protocol):
    """What a device computes over all pairs of sequences; posteriors stay on the device."""

    def compute_posteriors(self, sequences: Sequence[np.ndarray], models: Sequence[PairModel]) -> Any:
        """Return posteriors of all pairs of sequences."""

    def compute_accuracies(self, posteriors: Any) -> np.ndarray:
        """Return expected accuracies of all pairs, float64 (n, n)."""

    def apply_consistency(
        self, posteriors: Any, chosen: np.ndarray, weights: np.ndarray, own_weight: float, round_number: tuple[int, int]
    ) -> Any:
        """Apply one round of consistency through the ``choose_intermediates`` sequences."""

    def make_scorer(self, posteriors: Any, weights: np.ndarray) -> ColumnScorer:
        """Return the scorer of columns by these posteriors."""

    def lay_out_pairs(self, lengths: np.ndarray, parts: Sequence[CompressedPairs]) -> Any:
        """Return parts as posteriors of this device."""
        ...

    def with_monitor(self, monitor: Monitor) -> Self:
        """Return the same stages with another monitor."""
        ...


@dataclass(frozen=True, eq=False)
class PreparedAlignment:
    """Consistent posteriors and a guide tree, from which alignments are made and by which they are scored.

    ``accuracies`` float64 (n, n) are those of pairs before consistency, ``joins`` int32 (n - 1, 2).
    """

    scorer: ColumnScorer
    accuracies: np.ndarray
    joins: np.ndarray
    tree: Tree
    weights: np.ndarray

    def make_aligner(self, run: CpuRun) -> GroupAligner:
        """Return an aligner in which every sequence is a group of its own."""
        return GroupAligner.start_alignment(self.scorer, run)

    def finish_alignment(self, aligner: GroupAligner, columns: int) -> ConsistencyAlignment:
        """Return the finished alignment with its confidence."""
        confidence = aligner.compute_confidence(columns)
        return ConsistencyAlignment(
            np.split(aligner.places, aligner.starts[1:]),
            columns,
            confidence,
            self.tree,
            self.weights,
            RefinementChanges.keep_last(aligner.changes, aligner.count),
        )


def align_sequences(
    sequences: Sequence[np.ndarray],
    recipe: ConsistencyRecipe,
    stages: ConsistencyStages,
    run: CpuRun,
    observer: StageObserver,
    guide: GivenGuide = GivenGuide(),
) -> ConsistencyAlignment:
    """Align encoded sequences (`encode_letters`), none empty.

    Parameters
    ----------
    sequences
        uint8 codes of each sequence.
    recipe
        What defines the alignment beside the sequences.
    stages
        Where posteriors are computed.
    run
        The threads of the host, and the monitor.
    observer
        Observes each stage.
    guide
        Given distances or a given tree.
    """
    made = prepare_alignment(sequences, recipe, stages, run, observer, guide, grows=True)
    return align_prepared(made, recipe, run, observer)


def align_prepared(
    prepared_alignment: PreparedAlignment, recipe: ConsistencyRecipe, run: CpuRun, observer: StageObserver
) -> ConsistencyAlignment:
    """Run the stages after consistency: progressive alignment, refinement and confidence."""
    with observer.stage("progressive"):
        aligner = prepared_alignment.make_aligner(run)
        columns = tree_order.align_along_tree(
            aligner, prepared_alignment.joins, prepared_alignment.tree, observer, recipe.triplets
        )
    with observer.stage("refinement"):
        columns = aligner.refine_alignment(columns, recipe.refinements, recipe.seed)
    with observer.stage("confidence"):
        return prepared_alignment.finish_alignment(aligner, columns)


def prepare_alignment(
    sequences: Sequence[np.ndarray],
    recipe: ConsistencyRecipe,
    stages: ConsistencyStages,
    run: CpuRun,
    observer: StageObserver,
    guide: GivenGuide = GivenGuide(),
    grows: bool = False,
) -> PreparedAlignment:
    """Run the stages before an alignment: posteriors, distances, tree and consistency.

    If ``grows``, the observer receives the tree whose nodes will be aligned.
    """
    with observer.stage("posteriors"):
        found = stages.compute_posteriors(sequences, recipe.models)
    with observer.stage("distances"):
        accuracies = stages.compute_accuracies(found)
    with observer.stage("tree"):
        distances = 1 - accuracies if guide.distances is None else guide.distances
        tree = build_guide_tree(distances, run.monitor) if guide.tree is None else guide.tree
        joins = list_joins(tree)
        weights = weigh_by_tree(tree) if recipe.tree_weights else weigh_by_similarity(accuracies)
    if grows:
        observer.start_tree(tree)
    with observer.stage("consistency"):
        via = choose_intermediates(accuracies, recipe.intermediate_count(found.count))
        relative = (weights / WEIGHT_UNIT).astype(np.float32)
        rounds = recipe.count_rounds(found.count)
        for number in range(rounds):  # each round frees the posteriors before it
            found = stages.apply_consistency(found, via, relative, SELF_WEIGHT, (number, rounds))
    return PreparedAlignment(stages.make_scorer(found, weights), accuracies, joins, tree, weights)


def list_joins(tree: Tree) -> np.ndarray:
    """Return the joins of a binary tree whose leaves are named by numbers, int32 (n - 1, 2)."""
    n = tree.leaves.size
    number = {int(leaf): int(name) for leaf, name in zip(tree.leaves, tree.taxa, strict=True)}
    joins = np.zeros((n - 1, 2), np.int32)
    for made, node in enumerate(alignment_order(tree).nodes.tolist()):
        joins[made] = [number[child] for child in tree.children(node).tolist()]
        number[node] = n + made
    return joins


def build_guide_tree(distances: np.ndarray, monitor: Monitor) -> Tree:
    """Return the tree of UPGMA; leaves are named by numbers."""
    n = len(distances)
    joins, heights = cpu_upgma.join_all(np.array(distances, np.float64, order="C"), monitor.check)
    height = np.concatenate([np.zeros(n), heights])
    lengths = np.maximum(heights[:, None] - height[joins], 0)
    return Tree.from_joins([str(x) for x in range(n)], joins, lengths)


def weigh_by_tree(tree: Tree) -> np.ndarray:
    """Return ClustalW's weights in the order of the sequences, int64 from 1 to WEIGHT_UNIT."""
    made = np.empty(len(tree.leaves), np.int64)
    made[[int(name) for name in tree.taxa]] = np.maximum(np.rint(WEIGHT_UNIT * leaf_weights(tree)), 1)
    return made


def weigh_by_similarity(accuracies: np.ndarray) -> np.ndarray:
    """Weigh each sequence by one over the number of similar sequences, int64 from 1 to WEIGHT_UNIT.

    ``accuracies`` float64 (n, n): two sequences count as similar by the fourth power of their expected accuracy, so
    distant ones count little. A large family then has little more weight than a small one, however deep its subtree is.
    """
    likeness = np.square(np.square(accuracies))  # not a power, which machines round differently
    np.fill_diagonal(likeness, 1)
    alike = likeness.sum(axis=1)
    made: np.ndarray = np.maximum(np.rint(WEIGHT_UNIT * alike.min() / alike), 1).astype(np.int64)
    return made


def choose_intermediates(accuracies: np.ndarray, count: int) -> np.ndarray:
    """Choose the intermediate sequences of each sequence: those of highest expected accuracy.

    Returns int32 (n, chosen), rising; all sequences if there are at most ``others``.
    """
    n = len(accuracies)
    if n <= count:
        return np.broadcast_to(np.arange(n, dtype=np.int32), (n, n)).copy()
    return np.sort(np.argsort(-accuracies, axis=1, kind="stable")[:, :count], axis=1).astype(np.int32)
