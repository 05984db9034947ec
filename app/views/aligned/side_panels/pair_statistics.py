"""Identity, similarity and gap counts over a pairwise alignment. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP
from antidiag.kernels.pairwise.path_index import shared_path_index
from antidiag.kernels.sequences.alphabets import find_identical_letters

CHUNK = 1 << 18
"""Columns counted between two progress reports."""


@dataclass(frozen=True)
class PairStatistics:
    """Counts over all columns; ``positive`` counts letter pairs that score above 0, identical ones included."""

    identical: int
    positive: int
    gap_letters: int
    gaps: int


def count_columns(result: Result, monitor: Monitor) -> PairStatistics:
    """Count the columns of a pairwise alignment; raises Cancelled."""
    alignment, counts = result.answer.alignment, np.zeros(4, np.int64)
    index, before = shared_path_index(alignment), DIAGONAL
    for first in range(0, index.length, CHUNK):
        operations = alignment.operations[first : first + CHUNK]
        same, positive = _compare_letters(result, operations, index.cell(first))
        gap = operations != DIAGONAL
        starts = gap & (np.diff(operations.astype(np.int16), prepend=before) != 0)
        counts += [same.sum(), positive.sum(), gap.sum(), starts.sum()]
        before = int(operations[-1])
        monitor.update(first + len(operations), index.length)
    return PairStatistics(*counts.tolist())


def _compare_letters(result: Result, operations: np.ndarray, cell: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return which columns hold the same letter twice, and which hold letters that score above 0."""
    problem, pairs = result.problem, operations == DIAGONAL
    first, second = problem.codes
    steps = zip((LEFT, UP), cell, strict=True)
    i, j = (np.maximum(np.cumsum(operations != gap, dtype=np.int64) + low - 1, 0) for gap, low in steps)
    one, other = problem.sequences
    letters = one.letter_array[i], other.letter_array[j]
    same = pairs & find_identical_letters(*letters, one.type, other.type)
    return same, pairs & (problem.scoring.scores[first[i], second[j]] > 0)
