"""Posteriors of two rows of an alignment, and which third rows support that two of their letters stand together.

A third row z supports that letter i of x is beside letter j of y by the sum over its letters k of P(x_i, z_k) times
P(z_k, y_j): a round of consistency is the weighted mean of these, and of P(x_i, y_j) itself. Here all third rows count
alike, and the pair itself as in the method (`engine.SELF_WEIGHT`, for each of both).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tiled_edits
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor, Silent
from antidiag.kernels.msa.consistency import cpu_merging, cpu_stages, models
from antidiag.kernels.msa.consistency.engine import SELF_WEIGHT
from antidiag.kernels.msa.consistency.sparse import Posteriors

MOST_CELLS = 1 << 25
"""Pairs of letters that are shown."""
MOST_THIRDS = 100
"""Third rows that are asked: those most alike to either of the two."""


@dataclass(frozen=True, eq=False)
class PairSupport:
    """Two rows of an alignment, of m and n letters.

    ``rows`` are their numbers, ``thirds`` int64 (k,) those of the third rows that were asked. ``posteriors`` are of x,
    y and these, in that order, of pairs with x or y alone; ``columns`` int64 of the letters of x and of y.
    """

    rows: tuple[int, int]
    thirds: np.ndarray
    posteriors: Posteriors
    columns: tuple[np.ndarray, np.ndarray]

    @cached_property
    def before(self) -> np.ndarray:
        """Posteriors of the two rows alone, float32 (m, n)."""
        return self.posteriors.dense(0, 1).astype(np.float32)

    @cached_property
    def after(self) -> np.ndarray:
        """The same after a round of consistency, float32 (m, n): nothing is dropped for being small."""
        own, k = 2 * SELF_WEIGHT, self.thirds.size
        sums = cpu_merging.products(self.posteriors.arrays, np.zeros(self.before.shape, np.float32))
        return (own * self.before + sums) / np.float32(own + k)

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Letters of x and of y that stand in one column, int64."""
        _, first, second = np.intersect1d(*self.columns, assume_unique=True, return_indices=True)
        return first, second

    def support(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """What each third row says of pairs of letters, float32 (k, pairs): 0 to 1."""
        found = np.zeros((self.thirds.size, first.size), np.float32)
        cpu_merging.support_of_pairs(self.posteriors.arrays, first.astype(np.int64), second.astype(np.int64), found)
        return found

    @cached_property
    def mean_support(self) -> np.ndarray:
        """The mean over all pairs of letters in one column of what each third row says, float64 (k,)."""
        found = self.support(*self.pairs)
        return found.mean(axis=1) if found.shape[1] else np.zeros(self.thirds.size)


def of_rows(alignment: AlignedSequences, first: int, second: int, monitor: Monitor, threads: int = 0) -> PairSupport:
    """Posteriors of two rows of an alignment; InputError where they are one, have no letters, or too many."""
    letters = {row: _letters(alignment, row) for row in (first, second)}
    _check(alignment, letters, first, second)
    thirds = _nearest(alignment, first, second, monitor)
    letters |= {row: _letters(alignment, row) for row in thirds.tolist()}
    protein = alignment.type == SequenceType.PROTEIN
    encoded = [models.codes(line[line != GAP].tobytes(), protein) for line in letters.values()]
    lengths = np.array([one.size for one in encoded], np.int64)
    known = models.protein_models() if protein else models.dna_models()
    threads = threads or cores()
    parts = cpu_stages.posteriors_of(encoded, known, cpu_stages.tasks_with(lengths, 2), threads, monitor)
    made = cpu_stages.laid_out(lengths, parts, threads, Silent(monitor).check)
    columns = np.flatnonzero(letters[first] != GAP), np.flatnonzero(letters[second] != GAP)
    return PairSupport((first, second), thirds, made, columns)


def _letters(alignment: AlignedSequences, row: int) -> np.ndarray:
    return np.asarray(alignment.letters[row])


def _check(alignment: AlignedSequences, letters: dict[int, np.ndarray], first: int, second: int) -> None:
    if first == second:
        raise InputError(f"{alignment.names[first]}: posteriors are of two rows; choose another one beside it")
    m, n = (int((letters[row] != GAP).sum()) for row in (first, second))
    for row, count in ((first, m), (second, n)):
        if not count:
            raise InputError(f"{alignment.names[row]} has no letters; choose another row")
    if m * n > MOST_CELLS:
        raise InputError(
            f"{alignment.names[first]} and {alignment.names[second]} have {m:,} x {n:,} pairs of letters, and at most "
            f"{MOST_CELLS:,} are shown; cut the alignment to the columns of interest"
        )


def _nearest(alignment: AlignedSequences, first: int, second: int, monitor: Monitor) -> np.ndarray:
    """Rows with letters, beside these two, that are most alike to either; in their order, int64."""
    rows, columns = alignment.letters.shape
    two = [_letters(alignment, row) for row in (first, second)]
    score = np.empty(rows)
    for part in tiled_edits.parts(np.arange(rows), columns):  # so that what is made of many rows is small
        monitor.check()
        letters = alignment.letters[part]
        there = letters != GAP
        alike = [((letters == line) & there).sum(axis=1) / int((line != GAP).sum()) for line in two]
        score[part] = np.where(there.any(axis=1), np.maximum(*alike), -1)
    score[[first, second]] = -1
    order = np.argsort(-score, kind="stable")
    return np.sort(order[score[order] >= 0][:MOST_THIRDS])
