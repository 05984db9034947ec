"""A pair for the bit-parallel method: which letters match, where paths end, and the band that a distance allows.

Rows belong to the shorter sequence. The columns are cut into strips of whole words. Where the last strip would not be
full, the first one is padded on the left instead, so that the right boundary of every strip is the last bit of a word.
A padding column equals column 0: its letters match no row where column 0 costs a gap, and every row where it is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.pairwise.encoding import EncodedPair, EndCell

MOST_LETTERS = 127
"""Letters of the rows that the codes can tell apart."""


@dataclass(frozen=True, eq=False)
class WordPair:
    """An encoded pair with unit costs, in strips of ``strip`` columns."""

    pair: EncodedPair
    strip: int

    def __post_init__(self) -> None:
        refuse_other_costs(self.pair)

    @property
    def m(self) -> int:
        """Number of rows."""
        return self.pair.rows.size

    @property
    def n(self) -> int:
        """Number of columns."""
        return self.pair.columns.size

    @property
    def strip_count(self) -> int:
        """Number of strips."""
        return -(-self.n // self.strip)

    @property
    def padding(self) -> int:
        """Number of columns before column 1 in the first strip."""
        return self.strip * self.strip_count - self.n

    @property
    def is_banded(self) -> bool:
        """Whether paths begin in the corner, so that a distance allows a band of cells only."""
        return not (self.pair.free.top or self.pair.free.left)

    @property
    def ends_in_corner(self) -> bool:
        """Whether paths end in the corner."""
        return not (self.pair.free.bottom or self.pair.free.right)

    @cached_property
    def matches(self) -> np.ndarray:
        """Whether a row code equals a column code; bool, shape (letters, letters)."""
        return self.pair.table == 0

    @cached_property
    def match_lists(self) -> tuple[np.ndarray, np.ndarray]:
        """Row codes that equal each column code: where those of a code begin, int64 (letters + 1), and the codes."""
        columns, rows = np.nonzero(self.matches.T)
        counts = np.bincount(columns, minlength=self.pair.letter_count)
        return np.append(0, np.cumsum(counts)).astype(np.int64), rows.astype(np.int64)

    def strip_columns(self, strip: int) -> tuple[int, int]:
        """Return first boundary column and last column of a strip."""
        return max(strip * self.strip - self.padding, 0), (strip + 1) * self.strip - self.padding

    def choose_end(self, last_row: tuple[int, int], last_column: tuple[int, int]) -> EndCell:
        """Return where the best path ends, from (distance, cell) of the first least of the last row and column.

        Cells of a border are counted from 1; where a border is not free, its last cell is given.
        """
        pair = self.pair
        ends = [*pair.border_ends, EndCell(-last_row[0], self.m, last_row[1])]
        if pair.free.right:
            ends.append(EndCell(-last_column[0], last_column[1], self.n))
        return min(ends, key=lambda end: (-end.score, end.row, end.column))


def refuse_other_costs(pair: EncodedPair) -> None:
    """Raise ParameterError for a pair whose score is not an edit distance."""
    is_unit = bool(np.isin(pair.table, (0, -1)).all()) and (pair.open, pair.extend) == (0, 1) and pair.second is None
    if not is_unit or pair.is_local:
        raise ParameterError(
            "bit-parallel computes edit distances: match 0, mismatch -1, gap opening 0, gap extension 1, and no local "
            "mode; choose another method for other scores"
        )
    if pair.letter_count > MOST_LETTERS:
        raise ParameterError(f"bit-parallel takes at most {MOST_LETTERS} different letters; got {pair.letter_count}")


def make_tiny_edit_pair(letters: int) -> EncodedPair:
    """Return a small pair of so many letters, with which kernels are compiled."""
    columns = np.frombuffer(bytes(range(letters)), np.uint8)
    table = np.eye(letters, dtype=np.int32) - 1
    return EncodedPair(columns[1:], columns, table, 0, 1, False, False)
