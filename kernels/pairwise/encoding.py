"""A pair problem as both backends compute it: rows are the shorter sequence, letters are small codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem, SkippedBlocks
from antidiag.kernels.scoring import Mode, number_used_codes

Cell = tuple[int, int]
"""Row and column."""
NEGATIVE = -(2**30)
"""Minus infinity: below every score (see SCORE_LIMIT); subtracting a cost does not wrap around."""


class FreeBorders(NamedTuple):
    """The borders of the matrix on which a path may start (top: row 0, left: column 0) or end (bottom: the last row,
    right: the last column) at any cell."""

    top: bool = False
    left: bool = False
    bottom: bool = False
    right: bool = False


CORNERS = FreeBorders()
"""Paths start and end in the corners of the matrix."""


@dataclass(frozen=True, eq=False)
class EncodedPair:
    """A pair problem with the shorter sequence as rows.

    A local path may start and end at any cell, so that its ``free`` borders are the upper two.

    ``rows`` and ``columns`` are uint8 codes of the shorter and the longer sequence; ``table`` holds the scores, int32,
    shape (letters, letters), indexed [row code, column code], for the letters that occur. ``swapped``: the rows are the
    user's second sequence. ``second`` are the costs of opening and of a letter in the second piece of gap costs, or
    None.
    """

    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    open: int
    extend: int
    is_local: bool
    swapped: bool
    free: FreeBorders = CORNERS
    second: tuple[int, int] | None = None

    @property
    def gap_pieces(self) -> tuple[tuple[int, int], ...]:
        """The costs of opening a gap and of its letters, of each piece; a gap costs what the cheaper one says."""
        return ((self.open, self.extend),) if self.second is None else ((self.open, self.extend), self.second)

    @property
    def value_count(self) -> int:
        """Values of a cell that cross a border of the matrix: H, and a gap state for each piece."""
        return 1 + len(self.gap_pieces)

    @property
    def letter_count(self) -> int:
        """The number of letters that occur."""
        return self.table.shape[0]

    @property
    def score_floor(self) -> int:
        """The least value of H."""
        return 0 if self.is_local else NEGATIVE

    def slice_pair(self, rows: tuple[int, int], columns: tuple[int, int]) -> EncodedPair:
        """Return the pair of the cells below row rows[0] and right of column columns[0], up to the ends.

        A path ends in its last cell.
        """
        free = self.free._replace(bottom=False, right=False)
        return replace(self, rows=self.rows[slice(*rows)], columns=self.columns[slice(*columns)], free=free)

    def top_scores(self, start: int, stop: int, step: int = 1) -> np.ndarray:
        """Return H of every ``step``-th of the cells start .. stop - 1 of row 0; int32."""
        return self._border_scores(self.free.top, start, stop, step)

    def left_scores(self, start: int, stop: int, step: int = 1) -> np.ndarray:
        """Return H of every ``step``-th of the cells start .. stop - 1 of column 0; int32."""
        return self._border_scores(self.free.left, start, stop, step)

    def _border_scores(self, is_free: bool, start: int, stop: int, step: int) -> np.ndarray:
        """Return 0 on a free border, else the cost of a gap from the corner."""
        if is_free:
            return np.zeros(len(range(start, stop, step)), np.int32)
        values = self._gap_scores(self.open, self.extend, start, stop, step)
        if self.second is not None:
            np.maximum(values, self._gap_scores(*self.second, start, stop, step), out=values)
        values[: start == 0] = 0
        return values

    @staticmethod
    def _gap_scores(opening: int, extend: int, start: int, stop: int, step: int) -> np.ndarray:
        """Return what gaps of every ``step``-th of the lengths start .. stop - 1 score by one piece; int32."""
        values = np.full(len(range(start, stop, step)), -extend * step, np.int32)
        values[:1] = -opening - extend * start
        return np.cumsum(values, dtype=np.int32, out=values)

    def border_path(self, cell: Cell) -> tuple[Cell, np.ndarray]:
        """Return where the best path to a cell of row 0 or column 0 starts, and its operations: there, or a gap."""
        if cell[0]:
            starts_there, gap = self.free.left, np.full(cell[0], UP, np.uint8)
        else:
            starts_there, gap = self.free.top, np.full(cell[1], LEFT, np.uint8)
        return (cell, gap[:0]) if starts_there else ((0, 0), gap)

    @property
    def border_ends(self) -> list[EndCell]:
        """The cells of row 0 and column 0 where a path may end, with their scores."""
        m, n = self.rows.size, self.columns.size
        ends = [EndCell(int(self.top_scores(n, n + 1)[0]), 0, n)] if self.free.right else []
        return ends + ([EndCell(int(self.left_scores(m, m + 1)[0]), m, 0)] if self.free.bottom else [])

    def make_answer(
        self,
        score: int,
        end: tuple[int, int],
        alignment: Alignment | None = None,
        skipped: SkippedBlocks | None = None,
    ) -> PairAnswer:
        """Return an answer whose end (row, column) is turned back to the user's order of the sequences."""
        return PairAnswer(score, end[::-1] if self.swapped else end, alignment, skipped)

    def make_alignment(self, start: tuple[int, int], end: tuple[int, int], operations: np.ndarray) -> Alignment:
        """Return a path turned back to the user's order of the sequences."""
        if not self.swapped:
            return Alignment(start, end, operations)
        return Alignment(start[::-1], end[::-1], operations ^ (operations != DIAGONAL) * np.uint8(UP ^ LEFT))

    def best_border_end(self, last_row: np.ndarray, last_column: np.ndarray) -> EndCell:
        """Return the best end of a path that is not local, given H of the last row and column from cell 1 on.

        The last element of either is enough where paths do not end on all of that border.
        """
        m, n = self.rows.size, self.columns.size
        score, at = first_greatest(last_row if self.free.bottom else last_row[-1:])
        ends = [*self.border_ends, EndCell(score, m, at + 1 if self.free.bottom else n)]
        if self.free.right:
            score, at = first_greatest(last_column)
            ends.append(EndCell(score, at + 1, n))
        return choose_end(ends)


class EndCell(NamedTuple):
    """A cell where a path may end, and its score; ``state`` is its local start state, where there are any."""

    score: int
    row: int
    column: int
    state: int = 0

    @property
    def cell(self) -> Cell:
        """Row and column."""
        return self.row, self.column


def choose_end(ends: Iterable[EndCell]) -> EndCell:
    """Return the best end by the tie rule: the greatest score, then the smallest row, then the smallest column."""
    return min(ends, key=lambda end: (-end.score, end.row, end.column))


def first_greatest(scores: np.ndarray) -> tuple[int, int]:
    """Return the greatest of some scores, and the index of the first one that has it."""
    index = int(np.argmax(scores))
    return int(scores[index]), index


def encode_pair(problem: PairProblem) -> EncodedPair:
    """Orient a problem, and keep only the letters that occur in it.

    Raises ParameterError for a problem of both strands, which is two problems.
    """
    if problem.is_undecided:
        raise ParameterError("both strands are two matrices; choose the strand forward or reverse to look at one")
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
        free=_orient_ends(problem),
        second=problem.scoring.second_piece,
    )


def _orient_ends(problem: PairProblem) -> FreeBorders:
    """Return the free borders of a problem with the shorter sequence as rows."""
    if problem.mode == Mode.LOCAL:
        return FreeBorders(top=True, left=True)
    ends = problem.free_ends.exchanged() if problem.swapped else problem.free_ends
    return FreeBorders(ends.second_start, ends.first_start, ends.second_end, ends.first_end)


def make_tiny_pair(largest_score: int = 1, letters: int = 1, two_pieces: bool = False) -> EncodedPair:
    """Return the smallest problem, with which kernels are compiled; ``two_pieces``: those for two-piece gap costs."""
    letter = np.frombuffer(bytes(1), np.uint8)  # read-only as in `encode_pair`, which Numba compiles separately
    table = np.full((letters, letters), largest_score, np.int32)
    second = (2, 0) if two_pieces else None
    return EncodedPair(letter, letter, table, 1, 1, True, False, FreeBorders(True, True), second)
