"""A pair problem as both backends compute it: rows are the shorter sequence, letters are small codes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem
from antidiag.kernels.scoring import Mode, number_used_codes

NEGATIVE = -(2**30)
"""Minus infinity: below every score (see SCORE_LIMIT); subtracting a cost does not wrap around."""


@dataclass(frozen=True, eq=False)
class EncodedPair:
    """A pair problem with the shorter sequence as rows.

    ``rows`` and ``columns`` are uint8 codes of the shorter and the longer sequence; ``table`` holds the scores, int32,
    shape (letters, letters), indexed [row code, column code], for the letters that occur. ``swapped``: the rows are the
    user's second sequence.
    """

    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    open: int
    extend: int
    is_local: bool
    swapped: bool

    @property
    def letter_count(self) -> int:
        """The number of letters that occur."""
        return self.table.shape[0]

    @property
    def score_floor(self) -> int:
        """The least value of H."""
        return 0 if self.is_local else NEGATIVE

    def slice_pair(self, rows: tuple[int, int], columns: tuple[int, int]) -> EncodedPair:
        """Return the pair of the cells below row rows[0] and right of column columns[0], up to the ends."""
        return replace(self, rows=self.rows[slice(*rows)], columns=self.columns[slice(*columns)])

    def border_scores(self, start: int, stop: int, step: int = 1) -> np.ndarray:
        """Return H of every ``step``-th of the cells start .. stop - 1 of row 0, or of column 0; int32."""
        values = np.empty(len(range(start, stop, step)), np.int32)
        self.write_border(values, start, step)
        return values

    def write_border(self, values: np.ndarray, start: int, step: int = 1) -> None:
        """Write H of the cells start, start + step, ... of row 0, or of column 0, to an int32 array."""
        values.fill(0 if self.is_local else -self.extend * step)
        if not self.is_local and values.size:
            values[0] = -self.open - self.extend * start
            np.cumsum(values, dtype=np.int32, out=values)
            values[: start == 0] = 0

    def make_answer(self, score: int, end: tuple[int, int], alignment: Alignment | None = None) -> PairAnswer:
        """Return an answer whose end (row, column) is turned back to the user's order of the sequences."""
        return PairAnswer(score, end[::-1] if self.swapped else end, alignment)

    def make_alignment(self, start: tuple[int, int], end: tuple[int, int], operations: np.ndarray) -> Alignment:
        """Return a path turned back to the user's order of the sequences."""
        if not self.swapped:
            return Alignment(start, end, operations)
        return Alignment(start[::-1], end[::-1], operations ^ (operations != DIAGONAL) * np.uint8(UP ^ LEFT))


def encode_pair(problem: PairProblem) -> EncodedPair:
    """Orient a problem, and keep only the letters that occur in it."""
    letters = [codes.tobytes() for codes in problem.codes]
    present, numbers = number_used_codes(letters, len(problem.scoring.scores))
    if present[-1:] != [len(present) - 1]:  # else every code is its own number
        letters = [codes.translate(numbers) for codes in letters]
    table = problem.scoring.scores[present][:, present]
    pair = tuple(np.frombuffer(codes, np.uint8) for codes in letters)
    if problem.swapped:
        pair, table = pair[::-1], table.T
    return EncodedPair(
        rows=pair[0],
        columns=pair[1],
        table=np.ascontiguousarray(table, np.int32),
        open=problem.scoring.open,
        extend=problem.scoring.extend,
        is_local=problem.mode == Mode.LOCAL,
        swapped=problem.swapped,
    )


def make_tiny_pair(largest_score: int = 1, letters: int = 1) -> EncodedPair:
    """Return the smallest problem, with which kernels are compiled."""
    letter = np.frombuffer(bytes(1), np.uint8)  # read-only as in `encode_pair`, which Numba compiles separately
    return EncodedPair(letter, letter, np.full((letters, letters), largest_score, np.int32), 1, 1, True, False)
