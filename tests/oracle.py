"""Correct answers for pairs of sequences: an exhaustive search that uses no recurrence, and the textbook's answers.

`best_alignment` and `exchange_sequences` are the textbook recurrence of the product (`kernels.pairwise.trials`);
`exhaustive_score` checks it independently for sequences of a few letters, apart from the scoring of a given path
(`rescore_path`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairProblem, rescore_path
from antidiag.kernels.pairwise.trials import best_alignment, exchange_sequences
from antidiag.kernels.scoring import Mode

__all__ = ["best_alignment", "exchange_sequences", "exhaustive_score"]


def exhaustive_score(problem: PairProblem) -> int:
    """Return the best score of all alignments, by scoring every one; for sequences of a few letters."""
    m, n = len(problem.first), len(problem.second)
    if problem.mode == Mode.GLOBAL:
        corners = [((0, 0), (m, n))]
    else:
        cells = [(i, j) for i in range(m + 1) for j in range(n + 1)]
        corners = [(start, end) for start in cells for end in cells]
    return max(
        rescore_path(problem, Alignment(start, end, np.array(operations, np.uint8)))
        for start, end in corners
        for operations in _paths(end[0] - start[0], end[1] - start[1])
    )


def _paths(rows: int, columns: int) -> Iterator[tuple[int, ...]]:
    if rows == columns == 0:
        yield ()
    if rows > 0:
        yield from ((UP, *rest) for rest in _paths(rows - 1, columns))
    if columns > 0:
        yield from ((LEFT, *rest) for rest in _paths(rows, columns - 1))
    if rows > 0 and columns > 0:
        yield from ((DIAGONAL, *rest) for rest in _paths(rows - 1, columns - 1))
