"""The textbook recurrence of three sequences (000, section 3; page.md): short, slow, and easy to trust.

Seven values a cell, one for each move that can end there; linear gaps are those that cost nothing to open. Going back,
the first move in ORDER is taken that gives the score.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import numpy as np

from antidiag.kernels.triple.model import LETTER, ORDER, PAIRS, TripleAlignment, TripleAnswer, TripleProblem

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
    opening = np.zeros((8, 8), np.int64)
    for (before, move), count in OPENINGS.items():
        opening[before, move] = count * problem.scoring.open
    i_cells, j_cells, k_cells = V.shape[:3]
    firsts, seconds, _ = (codes.tolist() for codes in problem.codes)
    columns = cache(partial(_columns, problem))
    for i, j, move in product(range(i_cells), range(j_cells), ORDER):
        row, source = V[i, j], (i - (move & LETTER[0] > 0), j - (move & LETTER[1] > 0))
        if min(source) < 0:
            continue
        column = columns(firsts[i - 1] if i else 0, seconds[j - 1] if j else 0, move)
        if move == LETTER[2]:  # the only one whose source lies in the row itself
            others = (row - opening[:, move]).max(axis=1)
            for k in range(1, k_cells):
                row[k, move] = max(others[k - 1], row[k - 1, move] - opening[move, move]) + column[k - 1]
        elif move & LETTER[2]:
            row[1:, move] = (V[source][:-1] - opening[:, move]).max(axis=1) + column
        else:
            row[:, move] = (V[source] - opening[:, move]).max(axis=1) + column
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


def _columns(problem: TripleProblem, first: int, second: int, move: int) -> np.ndarray:
    """Scores of the columns that ``move`` makes of two letters and those of the third sequence, openings apart: one for
    every letter of that, or one for all where the move takes none of them."""
    here = first, second, problem.codes[2]
    score = np.zeros(len(problem.third) if move & LETTER[2] else 1, np.int64)
    for x, y in PAIRS:
        letters = (move & LETTER[x] > 0) + (move & LETTER[y] > 0)
        if letters == 2:
            score += problem.scoring.scores[here[x], here[y]]
        elif letters == 1:
            score -= problem.scoring.extend
    return score
