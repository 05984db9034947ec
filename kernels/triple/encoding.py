"""A triple problem as both backends compute it: small codes, and scores from which the gap cost has been taken out.

Write g for the cost of a letter against a gap. A letter of one sequence in a column costs 2 g, and so do the gaps
beside two letters. With H' = H + 2 g (i + j + k) the first move costs nothing, and a pair of letters x, y scores
c'(x, y) = c(x, y) + 2 g whether two or three letters meet: three pairs then hold 6 g, which is what three letters add.
So H' is at least 0 with linear gaps, and seven additions of gap costs a cell are saved.

Every sequence gets a letter in front of it, so that the border of the cube is computed like its inside. That letter
scores BARRED with every other, and 0 with itself, which makes H'(0, 0, 0) = 0 from a 0 in the cell (-1, -1, -1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.triple.model import Cell, TripleAlignment, TripleAnswer, TripleProblem

NEGATIVE = -(2**30)
"""Minus infinity: below every value (see score_bound), and three scores away from it nothing wraps around."""
BARRED = -(2**26)


@dataclass(frozen=True, eq=False)
class Encoded:
    """``codes`` uint8, each with the front letter at index 0; ``table`` int32, shape (letters, letters), c' of an
    earlier and a later sequence, the front letter last; ``open`` the cost of opening a gap."""

    codes: tuple[np.ndarray, np.ndarray, np.ndarray]
    table: np.ndarray
    open: int
    extend: int

    @property
    def cells(self) -> Cell:
        """Cells along each side: the letters and one."""
        return tuple(code.size for code in self.codes)  # type: ignore[return-value]

    @property
    def end(self) -> Cell:
        return tuple(size - 1 for size in self.cells)  # type: ignore[return-value]

    @property
    def affine(self) -> bool:
        return self.open > 0

    @property
    def letters(self) -> int:
        """Codes that occur, the front letter included."""
        return len(self.table)

    def answer(self, shifted: int, moves: np.ndarray | None = None) -> TripleAnswer:
        """The answer of H' in the last cell and, where there are any, of the moves of the path."""
        score = shifted - 2 * self.extend * sum(self.end)
        path = None if moves is None else TripleAlignment((0, 0, 0), self.end, moves)
        return TripleAnswer(score, self.end, path)


def encode(problem: TripleProblem) -> Encoded:
    """Keep only the letters that occur, put the front letter before each sequence, and shift the scores."""
    present = np.flatnonzero(np.bincount(np.concatenate(problem.codes)))
    front = present.size
    compact = np.zeros(256, np.uint8)
    compact[present] = np.arange(front, dtype=np.uint8)
    table = np.full((front + 1, front + 1), BARRED, np.int32)
    table[:front, :front] = problem.scoring.scores[np.ix_(present, present)] + 2 * problem.scoring.extend
    table[front, front] = 0
    codes = tuple(np.concatenate([np.array([front], np.uint8), compact[codes]]) for codes in problem.codes)
    return Encoded(codes, table, problem.scoring.open, problem.scoring.extend)  # type: ignore[arg-type]
