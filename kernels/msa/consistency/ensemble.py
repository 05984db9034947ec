"""Several alignments of the same sequences, and one that agrees with them most (`effort` thorough).

What they say of a pair of sequences is the share of the alignments in which two letters stand in one column. These
shares take the place of posteriors: they become consistent, and an alignment is made of them and refined as of
posteriors (as Wallace, O'Sullivan, Higgins and Notredame 2006 make one of the alignments of several programs).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.monitor import Part as PartOf
from antidiag.kernels.msa.consistency import cpu_agreement, joining
from antidiag.kernels.msa.consistency.cpu_stages import PIECE, each
from antidiag.kernels.msa.consistency.engine import (
    SELF_WEIGHT,
    Aligned,
    Guide,
    Prepared,
    Stages,
    chosen,
    finished,
    prepared,
)
from antidiag.kernels.msa.consistency.models import WEIGHT_UNIT
from antidiag.kernels.msa.consistency.recipe import Recipe
from antidiag.kernels.msa.consistency.sparse import Part
from antidiag.kernels.msa.consistency.telling import Told

VARIANTS, AGREEMENT = "variants", "agreement"


def align(sequences: Sequence[np.ndarray], recipe: Recipe, stages: Stages, threads: int, monitor: Monitor, told: Told,
          given: Guide) -> Aligned:  # fmt: skip
    """As `engine.align`, of the alignments that ``recipe.variants`` make, along the tree of the first."""
    places, columns, kept = list[np.ndarray](), list[int](), list[Kept]()
    for number, variant in enumerate(recipe.variants):
        part = PartOf(monitor, number, len(recipe.variants), VARIANTS)
        one = prepared(sequences, variant, stages.told(part), threads, part, Told(), given)
        aligner = one.aligner(threads)
        wide = joining.progressive(aligner, one.joins, one.tree, part, Told(), variant.triplets)
        columns.append(aligner.refined(wide, variant.refinements, variant.seed, part))
        places.append(aligner.places)
        kept.append(Kept(one.accuracies, one.joins, one.tree, one.weights))
        del one, aligner  # their posteriors make room for those of the next
    monitor.update(1, 1, VARIANTS)
    told(VARIANTS)
    lengths, first = np.array([sequence.size for sequence in sequences], np.int64), kept[0]
    found = stages.laid_out(lengths, agreement(lengths, places, columns, threads, monitor))
    told(AGREEMENT)
    relative = (first.weights / WEIGHT_UNIT).astype(np.float32)
    via = chosen(first.accuracies, recipe.others_of(lengths.size))
    found = stages.consistent(found, via, relative, SELF_WEIGHT, (0, 1))
    told("consistency")
    return finished(Prepared(stages.scorer(found, first.weights), *first), recipe, threads, monitor, told)


class Kept(NamedTuple):
    """What is kept of how an alignment was made: the fields of `Prepared` but the scorer."""

    accuracies: np.ndarray
    joins: np.ndarray
    tree: Tree
    weights: np.ndarray


def agreement(
    lengths: np.ndarray, places: Sequence[np.ndarray], columns: Sequence[int], threads: int, monitor: Monitor
) -> list[Part]:
    """For all pairs of sequences the share of the alignments in which two letters stand in one column, in units.

    ``places`` int32 (letters,) of each alignment are the columns of all letters, sequence after sequence, and
    ``columns`` how many there are.
    """
    n, starts, stop = lengths.size, np.cumsum(lengths) - lengths, workers.stop_word()
    pairs = np.stack(np.triu_indices(n, 1), 1).astype(np.int32)
    stand, beside = np.stack(places), np.full((len(places), n, max(columns)), -1, np.int32)
    owners, letters = np.repeat(np.arange(n), lengths), np.arange(lengths.sum()) - np.repeat(starts, lengths)
    for own, row in zip(beside, stand, strict=True):
        own[owners, row] = letters
    parts: list[Part] = []

    def compute(number: int) -> None:
        some = pairs[number * PIECE : (number + 1) * PIECE]
        m = lengths[some[:, 0]]
        rows, begins = np.cumsum(m + 1) - (m + 1), np.zeros(len(some), np.int64)
        pointers = np.zeros(int((m + 1).sum()), np.int32)
        found, units = (np.empty(int(len(places) * m.sum()), np.uint16) for _ in range(2))
        entries = cpu_agreement.agreed(some, stand, beside, starts, lengths, pointers, rows, begins, found, units, stop)
        parts.append(Part(some, rows, begins, pointers, found[:entries].copy(), units[:entries].copy()))

    total = -(-len(pairs) // PIECE)
    each(compute, total, threads, stop, lambda done: monitor.update(done, max(total, 1), AGREEMENT))
    monitor.update(1, 1, AGREEMENT)
    return parts
