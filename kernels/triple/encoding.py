"""A triple problem as both backends compute it: small codes, and scores without gap costs.

Write g for the cost of a letter against a gap. A letter of one sequence in a column costs 2 g, and so do the gaps
beside two letters. With H' = H + 2 g (i + j + k) the first move costs nothing, and a pair of letters x, y scores
c'(x, y) = c(x, y) + 2 g whether two or three letters meet: three pairs then hold 6 g, which is what three letters add.
So H' is at least 0 with linear gaps, and seven additions of gap costs per cell are saved.

Every sequence gets a front letter, so that the border of the cube is computed like its inside. That letter scores
BARRED with every other, and 0 with itself, which makes H'(0, 0, 0) = 0 from a 0 in the cell (-1, -1, -1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.triple.model import Cell, TripleAlignment, TripleAnswer, TripleProblem

NEGATIVE = -(2**30)
"""Minus infinity: below every value (see `score_bound`), and too small to wrap around when scores are added."""
FRONT_SCORE = -(2**26)


@dataclass(frozen=True, eq=False)
class EncodedTriple:
    """Codes and scores of a problem.

    ``codes`` uint8, each with the front letter at index 0; ``table`` int32, shape (letters, letters), c' of an earlier
    and a later sequence, the front letter last; ``open`` and ``extend``, the costs of opening a gap and of each letter
    in it.
    """

    codes: tuple[np.ndarray, np.ndarray, np.ndarray]
    table: np.ndarray
    open: int
    extend: int

    @property
    def cells(self) -> Cell:
        """Cells along each side: the letters and one."""
        return tuple(code.size for code in self.codes)  # type: ignore[return-value]

    @property
    def end_cell(self) -> Cell:
        """The last cell."""
        return tuple(size - 1 for size in self.cells)  # type: ignore[return-value]

    @property
    def has_affine_gaps(self) -> bool:
        """Whether opening a gap costs anything."""
        return self.open > 0

    @property
    def letter_count(self) -> int:
        """Number of codes that occur, the front letter included."""
        return len(self.table)

    def make_answer(self, shifted: int, moves: np.ndarray | None = None) -> TripleAnswer:
        """Make the answer of H' in the last cell and, where they are known, of the moves of the path."""
        score = shifted - 2 * self.extend * sum(self.end_cell)
        path = None if moves is None else TripleAlignment((0, 0, 0), self.end_cell, moves)
        return TripleAnswer(score, self.end_cell, path)


def encode_problem(problem: TripleProblem) -> EncodedTriple:
    """Keep only the letters that occur, put the front letter before each sequence, and shift the scores."""
    present = np.flatnonzero(np.bincount(np.concatenate(problem.codes)))
    front = present.size
    compact = np.zeros(256, np.uint8)
    compact[present] = np.arange(front, dtype=np.uint8)
    table = np.full((front + 1, front + 1), FRONT_SCORE, np.int32)
    table[:front, :front] = problem.scoring.scores[np.ix_(present, present)] + 2 * problem.scoring.extend
    table[front, front] = 0
    codes = tuple(np.concatenate([np.array([front], np.uint8), compact[codes]]) for codes in problem.codes)
    return EncodedTriple(codes, table, problem.scoring.open, problem.scoring.extend)  # type: ignore[arg-type]
