"""Any stretch of an alignment as letters, and what is counted over all of it. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.app.kit.paths import path_index
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP

CHUNK = 1 << 18
BINS = 1000


@dataclass(frozen=True)
class Stretch:
    """Columns first..last (half-open) as three rows of equal length, and the cell before the first column."""

    first: int
    cell: tuple[int, int]
    top: str
    match: str
    bottom: str

    @property
    def end_cell(self) -> tuple[int, int]:
        """The cell after the last column."""
        gaps = self.top.count("-"), self.bottom.count("-")
        return self.cell[0] + len(self.top) - gaps[0], self.cell[1] + len(self.bottom) - gaps[1]


@dataclass(frozen=True, eq=False)
class Statistics:
    """Counts over all columns of an alignment, and along it in at most BINS equal parts.

    ``positive`` counts pairs of letters that score more than 0, identical ones included; the profiles
    are the shares of identical columns and of gap letters in each part, from 0 to 1.
    """

    columns: int
    identical: int
    positive: int
    gap_letters: int
    gaps: int
    identity_profile: np.ndarray
    gap_profile: np.ndarray

    def percent(self, count: int) -> float:
        return 100 * count / self.columns if self.columns else 0.0


class AlignmentText:
    """Reads letters of an alignment on demand; ``result.answer.alignment`` must be there."""

    def __init__(self, result: Result) -> None:
        self.problem = result.problem
        self.alignment = result.answer.alignment
        self.index = path_index(self.alignment)
        self.columns = self.index.length

    def stretch(self, first: int, last: int) -> Stretch:
        """Columns ``first`` to ``last`` (half-open, cut to what there is)."""
        first, last = max(first, 0), min(last, self.columns)
        if first >= last:
            end = self.index.cell(min(max(first, 0), self.columns))
            return Stretch(first, end, "", "", "")
        operations = self.alignment.operations[first:last]
        cell = self.index.cell(first)
        top, bottom = self._letters(operations, cell)
        same, positive = self._compared(operations, cell)
        match = np.where(same, ord("|"), np.where(positive, ord(":"), ord(" "))).astype(np.uint8)
        return Stretch(first, cell, *(row.tobytes().decode("ascii") for row in (top, match, bottom)))

    def statistics(self, monitor: Monitor | None = None) -> Statistics:
        """Counts over all columns; raises Cancelled."""
        monitor = monitor or Monitor()
        counts = np.zeros(4, np.int64)
        bins = min(self.columns, BINS)
        profile = np.zeros((3, bins))
        before = DIAGONAL
        for first in range(0, self.columns, CHUNK):
            operations = self.alignment.operations[first : first + CHUNK]
            same, positive = self._compared(operations, self.index.cell(first))
            gap = operations != DIAGONAL
            counts += [same.sum(), positive.sum(), gap.sum(), _gap_starts(operations, before).sum()]
            places = np.arange(first, first + len(operations)) * bins // self.columns
            for row, weights in zip(profile, (None, same, gap), strict=True):
                row += np.bincount(places, weights, bins)
            before = int(operations[-1])
            monitor.update(first + len(operations), self.columns)
        shares = profile[1:] / np.maximum(profile[0], 1)
        same_count, positive_count, gap_letters, gaps = counts.tolist()
        return Statistics(self.columns, same_count, positive_count, gap_letters, gaps, shares[0], shares[1])

    def find(self, kind: str, column: int, forward: bool = True) -> int | None:
        """The next (or previous) column after ``column`` that starts a "gap" or is a "mismatch"; None at the end."""
        while True:
            first, last = (column + 1, column + 1 + CHUNK) if forward else (column - CHUNK, column)
            first, last = max(first, 0), min(last, self.columns)
            if first >= last:
                return None
            found = np.flatnonzero(self._marked(kind, first, last))
            if found.size:
                return first + int(found[0] if forward else found[-1])
            column = last - 1 if forward else first

    def column_of(self, row: int, position: int) -> int | None:
        """The column that holds letter ``position`` (from 1) of sequence ``row`` (0 or 1), or None outside."""
        start, end = self.alignment.start[row], self.alignment.end[row]
        return self.index.first_at(row, position) - 1 if start < position <= end else None

    def _marked(self, kind: str, first: int, last: int) -> np.ndarray:
        operations = self.alignment.operations[first:last]
        if kind == "gap":
            before = int(self.alignment.operations[first - 1]) if first else DIAGONAL
            return _gap_starts(operations, before)
        same, _ = self._compared(operations, self.index.cell(first))
        return (operations == DIAGONAL) & ~same

    def _compared(self, operations: np.ndarray, cell: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """Which columns hold the same letter twice, and which hold letters that score more than 0."""
        first, second = self.problem.codes
        i, j = (
            np.cumsum(operations != without, dtype=np.int64) + low
            for without, low in zip((LEFT, UP), cell, strict=True)
        )
        i, j = np.maximum(i - 1, 0), np.maximum(j - 1, 0)
        pairs = operations == DIAGONAL
        same = pairs & (self.problem.first.array[i] == self.problem.second.array[j])
        return same, pairs & (self.problem.scoring.scores[first[i], second[j]] > 0)

    def _letters(self, operations: np.ndarray, cell: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        rows = []
        for sequence, start, without in zip(self.problem.sequences, cell, (LEFT, UP), strict=True):
            taken = operations != without
            row = np.full(taken.size, ord("-"), np.uint8)
            row[taken] = sequence.array[start : start + int(taken.sum())]
            rows.append(row)
        return rows[0], rows[1]


def _gap_starts(operations: np.ndarray, before: int) -> np.ndarray:
    changed = np.diff(operations.astype(np.int16), prepend=before) != 0
    return changed & (operations != DIAGONAL)
