"""The table of a folded sequence and all of its best structures, computed after the structure is on the screen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.folding import cooptimal_structures
from antidiag.kernels.folding.cooptimal_structures import CooptimalStructures
from antidiag.kernels.folding.problem import FoldingProblem
from antidiag.kernels.monitor import Monitor

THREADS = 2
MOST_LETTERS = 6000  # most letters of a sequence with a table, which takes 8 bytes per cell with its picture


@dataclass(frozen=True, eq=False)
class BestStructures:
    """``table`` (int32, n x n) is the Nussinov table, ``drawn`` (float32) its upper triangle for drawing.

    ``every`` are all best structures, or None for a sequence that is too long to count them."""

    table: np.ndarray
    drawn: np.ndarray
    every: CooptimalStructures | None


def find_best_structures(problem: FoldingProblem, monitor: Monitor, device: int | None) -> BestStructures:
    """Compute the table and count the best structures; raise InputError for more than MOST letters."""
    if problem.n > MOST_LETTERS:
        raise InputError(f"The table is shown for at most {MOST_LETTERS:,} letters; this sequence has {problem.n:,}.")
    counted = problem.n <= cooptimal_structures.MOST
    every = cooptimal_structures.find_cooptimal(problem, THREADS, monitor, device) if counted else None
    table = every.pair_counts if every else cooptimal_structures.compute_table(problem, THREADS, monitor, device)
    drawn = table.astype(np.float32)
    for i, row in enumerate(drawn):
        row[:i] = -np.inf
    return BestStructures(table, drawn, every)
