"""An alignment that agrees best with several alignments of the same sequences (effort "thorough").

For two letters, the share of alignments that put them into one column takes the place of their posterior. These shares
become consistent, and an alignment is built from them and refined like one from posteriors (compare M-Coffee: Wallace,
O'Sullivan, Higgins and Notredame 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import PartMonitor
from antidiag.kernels.msa.consistency.groups import tree_order
from antidiag.kernels.msa.consistency.posteriors import cpu_agreement
from antidiag.kernels.msa.consistency.posteriors.cpu_stages import PIECE
from antidiag.kernels.msa.consistency.posteriors.pair_models import WEIGHT_UNIT
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import CompressedPairs
from antidiag.kernels.msa.consistency.recipe import ConsistencyRecipe
from antidiag.kernels.msa.consistency.solver import (
    SELF_WEIGHT,
    ConsistencyAlignment,
    ConsistencyStages,
    GivenGuide,
    PreparedAlignment,
    align_prepared,
    choose_intermediates,
    prepare_alignment,
)
from antidiag.kernels.msa.consistency.stage_observer import StageObserver

VARIANTS, AGREEMENT = "variants", "agreement"


def align_ensemble(
    sequences: Sequence[np.ndarray],
    recipe: ConsistencyRecipe,
    stages: ConsistencyStages,
    run: CpuRun,
    observer: StageObserver,
    guide: GivenGuide,
) -> ConsistencyAlignment:
    """Align sequences by several variants and then by their agreement, along the tree of the first variant."""
    places, columns, kept = list[np.ndarray](), list[int](), list[VariantSummary]()
    with observer.stage(VARIANTS):
        for number, variant in enumerate(recipe.variants):
            monitor = PartMonitor(run.monitor, number, len(recipe.variants), VARIANTS)
            own, silent = CpuRun(monitor, threads=run.threads), StageObserver()
            one = prepare_alignment(sequences, variant, stages.with_monitor(monitor), own, silent, guide)
            aligner = one.make_aligner(own)
            wide = tree_order.align_along_tree(aligner, one.joins, one.tree, silent, variant.triplets)
            columns.append(aligner.refine_alignment(wide, variant.refinements, variant.seed))
            places.append(aligner.places)
            kept.append(VariantSummary(one.accuracies, one.joins, one.tree, one.weights))
            del one, aligner  # frees memory for the posteriors of the next variant
        run.monitor.update(1, 1, VARIANTS)
    lengths, first = np.array([sequence.size for sequence in sequences], np.int64), kept[0]
    with observer.stage(AGREEMENT):
        found = stages.lay_out_pairs(lengths, compute_agreement(lengths, places, columns, run))
    with observer.stage("consistency"):
        relative = (first.weights / WEIGHT_UNIT).astype(np.float32)
        via = choose_intermediates(first.accuracies, recipe.intermediate_count(lengths.size))
        found = stages.apply_consistency(found, via, relative, SELF_WEIGHT, (0, 1))
    return align_prepared(PreparedAlignment(stages.make_scorer(found, first.weights), *first), recipe, run, observer)


class VariantSummary(NamedTuple):
    """What is kept of one variant: the fields of `PreparedAlignment` without the scorer."""

    accuracies: np.ndarray
    joins: np.ndarray
    tree: Tree
    weights: np.ndarray


def compute_agreement(
    lengths: np.ndarray, letter_columns: Sequence[np.ndarray], columns: Sequence[int], run: CpuRun
) -> list[CompressedPairs]:
    """Compute for all pairs of sequences the share of alignments that put two letters into one column, in units.

    ``places`` int32 (letters,) of each alignment are columns of all letters, sequence after sequence; ``columns`` are
    their numbers of columns.
    """
    n, starts = lengths.size, np.cumsum(lengths) - lengths
    pairs = np.stack(np.triu_indices(n, 1), 1).astype(np.int32)
    stand, beside = np.stack(letter_columns), np.full((len(letter_columns), n, max(columns)), -1, np.int32)
    owners, letters = np.repeat(np.arange(n), lengths), np.arange(lengths.sum()) - np.repeat(starts, lengths)
    for own, row in zip(beside, stand, strict=True):
        own[owners, row] = letters
    parts: list[CompressedPairs] = []

    def compute(worker: int, number: int) -> None:
        some = pairs[number * PIECE : (number + 1) * PIECE]
        m = lengths[some[:, 0]]
        rows, begins = np.cumsum(m + 1) - (m + 1), np.zeros(len(some), np.int64)
        pointers = np.zeros(int((m + 1).sum()), np.int32)
        found, units = (np.empty(int(len(letter_columns) * m.sum()), np.uint16) for _ in range(2))
        entries = cpu_agreement.count_agreements(
            some, stand, beside, starts, lengths, pointers, rows, begins, found, units, run.stop
        )
        parts.append(CompressedPairs(some, rows, begins, pointers, found[:entries].copy(), units[:entries].copy()))

    total = -(-len(pairs) // PIECE)
    with run.phase(AGREEMENT, total=total) as phase:
        phase.share_tasks(range(total), compute)
    run.monitor.update(1, 1, AGREEMENT)
    return parts
