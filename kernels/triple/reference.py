"""The textbook recurrence of three sequences (000, section 3; page.md): short, slow, and easy to trust.

Seven values a cell, one for each move that can end there; linear gaps are those that cost nothing to open. Going back,
the first move in ORDER is taken that gives the score.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from kernels.triple.model import LETTER, ORDER, PAIRS, TripleAlignment, TripleAnswer, TripleProblem

MINUS_INFINITY = -(2**40)


def openings(before: int, move: int) -> int:
    """Gaps that open in column ``move`` after column ``before``: pairs with one letter that did not have just that
    one."""
    count = 0
    for x, y in PAIRS:
        now = move & (LETTER[x] | LETTER[y])
        count += now in (LETTER[x], LETTER[y]) and before & (LETTER[x] | LETTER[y]) != now
    return count


OPENINGS = {(before, move): openings(before, move) for before in ORDER for move in ORDER}


def values(problem: TripleProblem) -> np.ndarray:
    """Best score of all alignments of the first i, j and k letters that end with a move.

    int64, shape (l0 + 1, l1 + 1, l2 + 1, 8), indexed [i, j, k, move]; the path begins as if after a column of letters.
    """
    V = np.full((*(length + 1 for length in problem.lengths), 8), MINUS_INFINITY, np.int64)
    V[0, 0, 0, 7] = 0
    for i, j, k in product(*(range(length + 1) for length in problem.lengths)):
        cell = i, j, k
        for move in ORDER:
            source = _before(cell, move)
            if min(source) >= 0:
                best = max(V[source][before] - OPENINGS[before, move] * problem.scoring.open for before in ORDER)
                V[cell][move] = best + _column(problem, cell, move)
    return V


def cube(problem: TripleProblem) -> np.ndarray:
    """H of all cells: int64, shape (l0 + 1, l1 + 1, l2 + 1)."""
    return values(problem).max(axis=3)


def align(problem: TripleProblem) -> TripleAnswer:
    """The best alignment, from the last cell back."""
    V, cell = values(problem), problem.lengths
    score = int(V[cell].max())
    moves: list[int] = []
    while cell != (0, 0, 0):
        after = moves[-1] if moves else 7
        opening = [OPENINGS[move, after] * problem.scoring.open for move in ORDER]
        worth = [V[cell][move] - cost for move, cost in zip(ORDER, opening, strict=True)]
        moves.append(ORDER[int(np.argmax(worth))])
        cell = _before(cell, moves[-1])
    path = TripleAlignment((0, 0, 0), problem.lengths, np.array(moves[::-1], np.uint8))
    return TripleAnswer(score, problem.lengths, path)


def _before(cell: tuple[int, int, int], move: int) -> tuple[int, int, int]:
    return tuple(place - (move & bit > 0) for place, bit in zip(cell, LETTER, strict=True))  # type: ignore[return-value]


def _column(problem: TripleProblem, cell: tuple[int, int, int], move: int) -> int:
    """Score of the column that ``move`` puts before ``cell``, openings apart."""
    score = 0
    for x, y in PAIRS:
        letters = (move & LETTER[x] > 0) + (move & LETTER[y] > 0)
        if letters == 2:
            score += int(problem.scoring.scores[problem.codes[x][cell[x] - 1], problem.codes[y][cell[y] - 1]])
        elif letters == 1:
            score -= problem.scoring.extend
    return score
