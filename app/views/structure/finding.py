"""What is looked for once a structure is on the screen: the table it came from, and all structures that are as good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.folding import cooptimal
from antidiag.kernels.folding.cooptimal import Cooptimal
from antidiag.kernels.folding.problem import FoldingProblem
from antidiag.kernels.monitor import Monitor

THREADS = 2
MOST = 6000
"""Letters of a sequence whose table is shown: with its picture, 8 bytes a cell."""


@dataclass(frozen=True, eq=False)
class Found:
    """``table`` (int32, n x n) is that of Nussinov, ``drawn`` (float32) what is painted of it, nothing below the
    diagonal. ``every`` are all best structures, or None for a sequence that is too long for counting them."""

    table: np.ndarray
    drawn: np.ndarray
    every: Cooptimal | None


def found(problem: FoldingProblem, monitor: Monitor, device: int | None) -> Found:
    """Look on a GPU or on the CPU; InputError for more than MOST letters, and raises what a GPU fails with."""
    if problem.n > MOST:
        raise InputError(f"The table is shown for up to {MOST:,} letters, and this sequence has {problem.n:,}.")
    counted = problem.n <= cooptimal.MOST
    every = cooptimal.found(problem, THREADS, monitor, device) if counted else None
    table = every.table if every else cooptimal.table(problem, THREADS, monitor, device)
    drawn = table.astype(np.float32)
    for i, row in enumerate(drawn):
        row[:i] = -np.inf
    return Found(table, drawn, every)
