"""How much of a reference an alignment has: SP and TC, over all columns or over some, and for each column.

SP: of the pairs of letters that stand in one column of the reference, the share that do in the test. TC: of the
columns of the reference with at least two letters, the share whose letters all stand in one column of the test. Rows
are matched by their names; rows of the test that the reference lacks do not count (Thompson, Plewniak and Poch 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.aligned_kind import settled
from antidiag.kernels.io.alignment_files.balibase import CORE
from antidiag.kernels.monitor import Monitor

COLUMNS = 64
"""Columns whose partners are looked up together: along the rows, as they lie in memory."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """Of each column of the reference, int64 (columns,): ``pairs`` of letters, those ``kept`` by the test, and whether
    it is ``whole``: all of two or more letters stand in one column of the test; ``partner`` is the column of the test
    that has most of them, the first of several, -1 where it has no letter. ``rows`` are how many were compared."""

    pairs: np.ndarray
    kept: np.ndarray
    whole: np.ndarray
    partner: np.ndarray
    rows: int

    def scores(self, columns: np.ndarray | None = None) -> tuple[float, float]:
        """SP and TC over the columns of a mask, or over all; 0 where nothing is there to be kept."""
        chosen = slice(None) if columns is None else columns
        counted = int((self.pairs[chosen] > 0).sum())
        pairs = int(self.pairs[chosen].sum())
        return int(self.kept[chosen].sum()) / max(pairs, 1), int(self.whole[chosen].sum()) / max(counted, 1)

    @property
    def shares(self) -> np.ndarray:
        """The share of its pairs that the test keeps, of each column, float32; 1 where it has none."""
        return np.where(self.pairs > 0, self.kept / np.maximum(self.pairs, 1), 1).astype(np.float32)


def core_columns(reference: AlignedSequences) -> np.ndarray | None:
    """A mask of the columns that the reference calls its core blocks; None where it says nothing of them."""
    marks = next((marks for tag, marks in reference.annotations.of_columns if tag == CORE), None)
    return None if marks is None else np.array([mark == "1" for mark in marks])


def compare(test: AlignedSequences, reference: AlignedSequences, monitor: Monitor | None = None) -> Agreement:
    """The agreement of a test with a reference.

    InputError where a row of the reference is not in the test, or has other letters there.
    """
    places = {name: row for row, name in enumerate(test.names)}
    missing = next((name for name in reference.names if name not in places), None)
    if missing is not None:
        raise InputError(f"{missing} is in the reference and not in {test.name}; both need the same names")
    rows = np.array([places[name] for name in reference.names], np.int64)
    return _met(reference, np.arange(rows.size), test, rows, ("reference", "test"), monitor or Monitor())


def meeting(test: AlignedSequences, reference: AlignedSequences, monitor: Monitor | None = None) -> Agreement:
    """As `compare`, of the columns of the test: what the reference keeps of them. Rows that the reference lacks do not
    count. InputError as of `compare`, or where no row is in both."""
    places = {name: row for row, name in enumerate(reference.names)}
    shared = np.array([row for row, name in enumerate(test.names) if name in places], np.int64)
    if not shared.size:
        raise InputError(f"no row of {test.name} is in the reference; both need the same names")
    rows = np.array([places[test.names[row]] for row in shared.tolist()], np.int64)
    return _met(test, shared, reference, rows, ("test", "reference"), monitor or Monitor())


def agreement(test: AlignedSequences, reference: AlignedSequences, monitor: Monitor | None = None) -> np.ndarray:
    """Of the pairs of letters in each column of a test, the share that stand together in the reference too, float32
    (columns,). InputError as of `meeting`."""
    return meeting(test, reference, monitor).shares


def partners(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """For each column of a row the column of another row that has the same letter of the sequence, int64 (columns,); -1
    for gaps. The letters of both rows are those of one sequence."""
    found = np.full(one.size, -1, np.int64)
    here, there = np.flatnonzero(one != GAP), np.flatnonzero(other != GAP)
    count = min(here.size, there.size)
    found[here[:count]] = there[:count]
    return found


def _met(
    outer: AlignedSequences,
    outer_rows: np.ndarray,
    inner: AlignedSequences,
    inner_rows: np.ndarray,
    called: tuple[str, str],
    monitor: Monitor,
) -> Agreement:
    """The columns of the outer alignment, and what the inner one keeps of them, in these rows of both."""
    from antidiag.kernels.io import cpu_compare  # compiled code is loaded when it is used

    outer, inner = settled(outer), settled(inner)
    sizes = [cpu_compare.letters_of(found.letters, rows) for found, rows in ((outer, outer_rows), (inner, inner_rows))]
    other = np.flatnonzero(sizes[0] != sizes[1])
    if other.size:
        at = int(other[0])
        raise InputError(
            f"{outer.names[outer_rows[at]]}: {sizes[0][at]:,} letters in the {called[0]}, and {sizes[1][at]:,} in the "
            f"{called[1]}; they must be of the same sequences"
        )
    columns, rows = outer.letters.shape[1], outer_rows.size
    next_column, different = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    pairs, kept, partner = np.zeros(columns, np.int64), np.zeros(columns, np.int64), np.full(columns, -1, np.int64)
    seen, places = np.zeros(inner.letters.shape[1], np.int64), np.empty((COLUMNS, rows), np.int32)
    for first in range(0, columns, COLUMNS):
        monitor.check()
        last = min(first + COLUMNS, columns)
        cpu_compare.look_up(
            outer.letters, inner.letters, outer_rows, inner_rows, first, last, next_column, different, places
        )
        cpu_compare.tally(places, first, last, seen, pairs, kept, partner)
    most = np.flatnonzero(different > sizes[0] // 2)
    if most.size:
        name = outer.names[outer_rows[int(most[0])]]
        raise InputError(f"{name}: most letters are others in the {called[1]}; they must be of the same sequences")
    return Agreement(pairs, kept, (pairs > 0) & (kept == pairs), partner, rows)
