"""The textbook recurrence of three sequences (Li et al. 2014, section 3; page.md): short, slow, and easy to trust.

A cell has seven values, one for each move that can end there; linear gaps cost nothing to open. Going back, the first
move in ORDER that gives the score is taken.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import numpy as np

from antidiag.kernels.triple.model import LETTER_BITS, MOVE_ORDER, PAIRS, TripleAlignment, TripleAnswer, TripleProblem

MINUS_INFINITY = -(2**40)


def count_openings(before: int, move: int) -> int:
    """Count the gaps that open in column ``move`` after ``before``: pairs with one letter, and another before."""
    count = 0
    for x, y in PAIRS:
        now = move & (LETTER_BITS[x] | LETTER_BITS[y])
        count += now in (LETTER_BITS[x], LETTER_BITS[y]) and before & (LETTER_BITS[x] | LETTER_BITS[y]) != now
    return count


OPENINGS = {(before, move): count_openings(before, move) for before in MOVE_ORDER for move in MOVE_ORDER}


def compute_values(problem: TripleProblem) -> np.ndarray:
    """Return the best score of all alignments of the first i, j and k letters that end with a move.

    int64, shape (l0 + 1, l1 + 1, l2 + 1, 8), indexed [i, j, k, move]; the path begins as if after a column of letters.
    """
    V = np.full((*(length + 1 for length in problem.lengths), 8), MINUS_INFINITY, np.int64)
    V[0, 0, 0, 7] = 0
    opening = np.zeros((8, 8), np.int64)
    for (before, move), count in OPENINGS.items():
        opening[before, move] = count * problem.scoring.open
    i_cells, j_cells, k_cells = V.shape[:3]
    firsts, seconds, _ = (codes.tolist() for codes in problem.codes)
    columns = cache(partial(_score_columns, problem))
    for i, j, move in product(range(i_cells), range(j_cells), MOVE_ORDER):
        row, source = V[i, j], (i - (move & LETTER_BITS[0] > 0), j - (move & LETTER_BITS[1] > 0))
        if min(source) < 0:
            continue
        column = columns(firsts[i - 1] if i else 0, seconds[j - 1] if j else 0, move)
        if move == LETTER_BITS[2]:  # the only one whose source lies in the row itself
            others = (row - opening[:, move]).max(axis=1)
            for k in range(1, k_cells):
                row[k, move] = max(others[k - 1], row[k - 1, move] - opening[move, move]) + column[k - 1]
        elif move & LETTER_BITS[2]:
            row[1:, move] = (V[source][:-1] - opening[:, move]).max(axis=1) + column
        else:
            row[:, move] = (V[source] - opening[:, move]).max(axis=1) + column
    return V


def compute_cube(problem: TripleProblem) -> np.ndarray:
    """Return H of all cells: int64, shape (l0 + 1, l1 + 1, l2 + 1)."""
    return compute_values(problem).max(axis=3)


def align_triple(problem: TripleProblem) -> TripleAnswer:
    """Return the best alignment, traced back from the last cell."""
    V, cell = compute_values(problem), problem.lengths
    score = int(V[cell].max())
    moves: list[int] = []
    while cell != (0, 0, 0):
        after = moves[-1] if moves else 7
        opening = [OPENINGS[move, after] * problem.scoring.open for move in MOVE_ORDER]
        worth = [V[cell][move] - cost for move, cost in zip(MOVE_ORDER, opening, strict=True)]
        moves.append(MOVE_ORDER[int(np.argmax(worth))])
        cell = _step_back(cell, moves[-1])
    path = TripleAlignment((0, 0, 0), problem.lengths, np.array(moves[::-1], np.uint8))
    return TripleAnswer(score, problem.lengths, path)


def _step_back(cell: tuple[int, int, int], move: int) -> tuple[int, int, int]:
    """Return the cell from which a move leads here."""
    return tuple(place - (move & bit > 0) for place, bit in zip(cell, LETTER_BITS, strict=True))  # type: ignore[return-value]


def _score_columns(problem: TripleProblem, first: int, second: int, move: int) -> np.ndarray:
    """Return the scores, without openings, of the columns that ``move`` makes of two letters and all third ones.

    There is one score per letter of the third sequence, or a single one where the move takes none of them.
    """
    here = first, second, problem.codes[2]
    score = np.zeros(len(problem.third) if move & LETTER_BITS[2] else 1, np.int64)
    for x, y in PAIRS:
        letters = (move & LETTER_BITS[x] > 0) + (move & LETTER_BITS[y] > 0)
        if letters == 2:
            score += problem.scoring.scores[here[x], here[y]]
        elif letters == 1:
            score -= problem.scoring.extend
    return score
