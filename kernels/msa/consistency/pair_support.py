"""Posteriors of two rows of an alignment, and the third rows that support its aligned letters.

A third row z supports letter i of x beside letter j of y by the sum over its letters k of P(x_i, z_k) P(z_k, y_j); a
round of consistency is the weighted mean of these and of P(x_i, y_j). Here all third rows weigh the same, and the pair
itself weighs as in the method (`SELF_WEIGHT`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.alignments import block_edits
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency.groups import cpu_merging
from antidiag.kernels.msa.consistency.posteriors import cpu_stages, pair_models, pair_tasks
from antidiag.kernels.msa.consistency.posteriors.sparse_posteriors import SparsePosteriors
from antidiag.kernels.msa.consistency.solver import SELF_WEIGHT

MOST_CELLS = 1 << 25
"""Maximum pairs of letters that are shown."""
MOST_THIRDS = 100
"""Maximum third rows: those most similar to either of the two."""


@dataclass(frozen=True, eq=False)
class PairSupport:
    """Posteriors of two rows of an alignment, of m and n letters, and of third rows.

    ``rows`` are their numbers, ``thirds`` int64 (k,) those of the third rows. ``posteriors`` are of x, y and the third
    rows, in this order, for pairs with x or y; ``columns`` int64 are those of the letters of x and y.
    """

    rows: tuple[int, int]
    thirds: np.ndarray
    posteriors: SparsePosteriors
    columns: tuple[np.ndarray, np.ndarray]

    @cached_property
    def before(self) -> np.ndarray:
        """Return posteriors of the two rows alone, float32 (m, n)."""
        return self.posteriors.dense(0, 1).astype(np.float32)

    @cached_property
    def after(self) -> np.ndarray:
        """Return posteriors after a round of consistency, float32 (m, n); small ones are kept."""
        own, k = 2 * SELF_WEIGHT, self.thirds.size
        sums = cpu_merging.add_third_products(self.posteriors.arrays, np.zeros(self.before.shape, np.float32))
        return (own * self.before + sums) / np.float32(own + k)

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the letters of x and of y that share a column, int64."""
        _, first, second = np.intersect1d(*self.columns, assume_unique=True, return_indices=True)
        return first, second

    def score_thirds(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the support of each third row for pairs of letters, float32 (k, pairs), 0 to 1."""
        found = np.zeros((self.thirds.size, first.size), np.float32)
        cpu_merging.score_third_support(self.posteriors.arrays, first.astype(np.int64), second.astype(np.int64), found)
        return found

    @cached_property
    def mean_support(self) -> np.ndarray:
        """Return the mean support of each third row over all aligned pairs of letters, float64 (k,)."""
        found = self.score_thirds(*self.pairs)
        return found.mean(axis=1) if found.shape[1] else np.zeros(self.thirds.size)


def compute_pair_support(
    alignment: AlignedSequences, first: int, second: int, monitor: Monitor, threads: int = 0
) -> PairSupport:
    """Compute posteriors of two rows of an alignment; InputError if they are one row, empty or too long."""
    letters = {row: _row_letters(alignment, row) for row in (first, second)}
    _check_rows(alignment, letters, first, second)
    thirds = _find_nearest_rows(alignment, first, second, monitor)
    letters |= {row: _row_letters(alignment, row) for row in thirds.tolist()}
    protein = alignment.type == SequenceType.PROTEIN
    encoded = [pair_models.encode_letters(line[line != GAP].tobytes(), protein) for line in letters.values()]
    lengths = np.array([one.size for one in encoded], np.int64)
    known = pair_models.make_protein_models() if protein else pair_models.make_dna_models()
    stages = cpu_stages.CpuStages(CpuRun(monitor, threads=threads or count_processors()))
    parts = stages.compute_pairs(encoded, known, pair_tasks.list_tasks_of_first(lengths, 2))
    made = stages.lay_out_pairs(lengths, parts)
    columns = np.flatnonzero(letters[first] != GAP), np.flatnonzero(letters[second] != GAP)
    return PairSupport((first, second), thirds, made, columns)


def _row_letters(alignment: AlignedSequences, row: int) -> np.ndarray:
    """Return the letters of a row."""
    return np.asarray(alignment.letters[row])


def _check_rows(alignment: AlignedSequences, letters: dict[int, np.ndarray], first: int, second: int) -> None:
    """Raise InputError if two rows cannot be compared."""
    if first == second:
        raise InputError(f"{alignment.names[first]}: choose two different rows")
    m, n = (int((letters[row] != GAP).sum()) for row in (first, second))
    for row, count in ((first, m), (second, n)):
        if not count:
            raise InputError(f"{alignment.names[row]} has no letters; choose another row")
    if m * n > MOST_CELLS:
        raise InputError(
            f"{alignment.names[first]} and {alignment.names[second]} have {m:,} x {n:,} pairs of letters, and at most "
            f"{MOST_CELLS:,} are shown; cut the alignment to the columns of interest"
        )


def _find_nearest_rows(alignment: AlignedSequences, first: int, second: int, monitor: Monitor) -> np.ndarray:
    """Return the rows most similar to either of the two, in order, int64."""
    rows, columns = alignment.letters.shape
    two = [_row_letters(alignment, row) for row in (first, second)]
    score = np.empty(rows)
    for part in block_edits.row_batches(np.arange(rows), columns):  # small parts, to save memory
        monitor.check()
        letters = alignment.letters[part]
        there = letters != GAP
        alike = [((letters == line) & there).sum(axis=1) / int((line != GAP).sum()) for line in two]
        score[part] = np.where(there.any(axis=1), np.maximum(*alike), -1)
    score[[first, second]] = -1
    order = np.argsort(-score, kind="stable")
    return np.sort(order[score[order] >= 0][:MOST_THIRDS])
