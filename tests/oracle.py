"""What is right: the textbook recurrences, and for tiny inputs every alignment there is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from kernels.model import DIAGONAL, LEFT, UP, Alignment, Mode, PairAnswer, PairProblem, rescore
from kernels.pairwise import reference
from kernels.scoring import Scoring, SubstitutionMatrix


@lru_cache(maxsize=64)
def best(problem: PairProblem) -> PairAnswer:
    """The alignment that every exact pairwise method must return."""
    return reference.align(problem)


def exhaustive_score(problem: PairProblem) -> int:
    """The best score, found by scoring every alignment; for sequences of a few letters."""
    m, n = len(problem.first), len(problem.second)
    if problem.mode == Mode.GLOBAL:
        corners = [((0, 0), (m, n))]
    else:
        cells = [(i, j) for i in range(m + 1) for j in range(n + 1)]
        corners = [(start, end) for start in cells for end in cells]
    return max(
        rescore(problem, Alignment(start, end, np.array(operations, np.uint8)))
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


def mirrored(problem: PairProblem) -> PairProblem:
    """The same problem with the sequences exchanged."""
    matrix = problem.scoring.matrix
    transposed = SubstitutionMatrix(matrix.name, matrix.letters, matrix.values.T)
    scoring = Scoring(transposed, problem.scoring.gap_open, problem.scoring.gap_extend)
    return PairProblem(problem.second, problem.first, scoring, problem.mode)
