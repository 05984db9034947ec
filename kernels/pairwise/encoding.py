"""A pair problem as both backends compute it: rows are the shorter sequence, letters are small codes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem
from antidiag.kernels.scoring import Mode, compacted

NEGATIVE = -(2**30)
"""Minus infinity: below every score (see SCORE_LIMIT), and one subtraction away from it nothing wraps around."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """The oriented problem.

    ``rows`` and ``columns`` are uint8 codes of the shorter and the longer sequence; ``table`` is
    int32, shape (letters, letters), indexed [row code, column code], for the letters that occur.
    """

    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    open: int
    extend: int
    local: bool
    swapped: bool

    @property
    def letters(self) -> int:
        return self.table.shape[0]

    @property
    def floor(self) -> int:
        """The least value of H."""
        return 0 if self.local else NEGATIVE

    def part(self, rows: tuple[int, int], columns: tuple[int, int]) -> Encoded:
        """The letters of the cells below row rows[0] and right of column columns[0], up to the ends."""
        return replace(self, rows=self.rows[slice(*rows)], columns=self.columns[slice(*columns)])

    def border(self, start: int, stop: int, step: int = 1) -> np.ndarray:
        """H of every step-th of the cells start .. stop - 1 of row 0, or of column 0; int32."""
        values = np.empty(len(range(start, stop, step)), np.int32)
        self.put_border(values, start, step)
        return values

    def put_border(self, values: np.ndarray, start: int, step: int = 1) -> None:
        """Write H of the cells start, start + step, ... of row 0, or of column 0, into an int32 array."""
        values.fill(0 if self.local else -self.extend * step)
        if not self.local and values.size:
            values[0] = -self.open - self.extend * start
            np.cumsum(values, dtype=np.int32, out=values)
            values[: start == 0] = 0

    def answer(self, score: int, end: tuple[int, int], alignment: Alignment | None = None) -> PairAnswer:
        """An answer with its end (row, column) turned back to the user's order of the sequences."""
        return PairAnswer(score, end[::-1] if self.swapped else end, alignment)

    def alignment(self, start: tuple[int, int], end: tuple[int, int], operations: np.ndarray) -> Alignment:
        """An oriented path turned back to the user's order of the sequences."""
        if not self.swapped:
            return Alignment(start, end, operations)
        return Alignment(start[::-1], end[::-1], operations ^ (operations != DIAGONAL) * np.uint8(UP ^ LEFT))


def encode(problem: PairProblem) -> Encoded:
    """Orient a problem and keep only the letters that occur in it."""
    letters = [codes.tobytes() for codes in problem.codes]
    present, numbers = compacted(letters, len(problem.scoring.scores))
    if present[-1:] != [len(present) - 1]:  # else each is its own number
        letters = [codes.translate(numbers) for codes in letters]
    table = problem.scoring.scores[present][:, present]
    pair = tuple(np.frombuffer(codes, np.uint8) for codes in letters)
    if problem.swapped:
        pair, table = pair[::-1], table.T
    return Encoded(
        rows=pair[0],
        columns=pair[1],
        table=np.ascontiguousarray(table, np.int32),
        open=problem.scoring.open,
        extend=problem.scoring.extend,
        local=problem.mode == Mode.LOCAL,
        swapped=problem.swapped,
    )


def tiny_pair(largest_score: int = 1, letters: int = 1) -> Encoded:
    """The smallest problem, on which compiled code is made to exist."""
    letter = np.frombuffer(bytes(1), np.uint8)  # read-only, as `encode` makes them: another type for the compiler
    return Encoded(letter, letter, np.full((letters, letters), largest_score, np.int32), 1, 1, True, False)
