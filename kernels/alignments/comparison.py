"""How much of a reference alignment another alignment keeps: SP and TC, over all columns, over some, or for each.

SP is the share of the pairs of letters in one column of the reference that also stand in one column of the test. TC is
the share of the columns of the reference, with two letters or more, whose letters all stand in one column of the test.
Rows are matched by name; rows of the test that the reference lacks do not count (Thompson, Plewniak and Poch 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels.alignments.alignment_kind import as_arrays
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.alignment_formats.balibase import CORE_TAG
from antidiag.kernels.monitor import Monitor

BATCH_COLUMNS = 64
"""Columns that are looked up together, along the rows, as they lie in memory."""


@dataclass(frozen=True, eq=False)
class AlignmentAgreement:
    """How much of each column of one alignment another one keeps; arrays have one value a column.

    ``pairs``, int64: pairs of letters. ``kept``, int64: those that the other alignment has in one column.
    ``whole``, bool: all of two or more letters stand in one column there. ``partner``, int64: the
    column of the other alignment with most of the letters, the first of several, -1 where there is no letter.
    ``rows`` is the number of rows that were compared.
    """

    pairs: np.ndarray
    kept: np.ndarray
    whole: np.ndarray
    partner: np.ndarray
    rows: int

    def scores(self, columns: np.ndarray | None = None) -> tuple[float, float]:
        """Return SP and TC over the columns of a mask, or over all; 0 where no pair can be kept."""
        chosen = slice(None) if columns is None else columns
        counted = int((self.pairs[chosen] > 0).sum())
        pairs = int(self.pairs[chosen].sum())
        return int(self.kept[chosen].sum()) / max(pairs, 1), int(self.whole[chosen].sum()) / max(counted, 1)

    @property
    def shares(self) -> np.ndarray:
        """The share of the pairs of each column that is kept, float32; 1 for a column without pairs."""
        return np.where(self.pairs > 0, self.kept / np.maximum(self.pairs, 1), 1).astype(np.float32)


def core_columns(reference: AlignedSequences) -> np.ndarray | None:
    """Return a mask of the columns that the reference marks as core blocks; None where it marks none."""
    marks = next((marks for tag, marks in reference.annotations.of_columns if tag == CORE_TAG), None)
    return None if marks is None else np.array([mark == "1" for mark in marks])


def compare_to_reference(
    test: AlignedSequences, reference: AlignedSequences, monitor: Monitor | None = None
) -> AlignmentAgreement:
    """Compare an alignment with a reference, for each column of the reference.

    Parameters
    ----------
    test, reference : AlignedSequences
    monitor : Monitor, optional
        May cancel.

    Raises
    ------
    InputError
        Where the test lacks a row of the reference, or has other letters in it.
    """
    places = {name: row for row, name in enumerate(test.names)}
    missing = next((name for name in reference.names if name not in places), None)
    if missing is not None:
        raise InputError(f"{missing} is in the reference but not in {test.name}; give rows the same names in both")
    rows = np.array([places[name] for name in reference.names], np.int64)
    return _compare_rows(reference, np.arange(rows.size), test, rows, ("reference", "test"), monitor or Monitor())


def compare_test_columns(
    test: AlignedSequences, reference: AlignedSequences, monitor: Monitor | None = None
) -> AlignmentAgreement:
    """Compare an alignment with a reference, for each column of the test: which of its pairs does the reference have?

    Rows that the reference lacks do not count. InputError where no row is in both, or a row has other letters.
    """
    places = {name: row for row, name in enumerate(reference.names)}
    shared = np.array([row for row, name in enumerate(test.names) if name in places], np.int64)
    if not shared.size:
        raise InputError(f"no row of {test.name} is in the reference; give rows the same names in both")
    rows = np.array([places[test.names[row]] for row in shared.tolist()], np.int64)
    return _compare_rows(test, shared, reference, rows, ("test", "reference"), monitor or Monitor())


def matching_columns(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return for each column of a row the column of another row with the same letter of the sequence, int64; -1 for
    gaps.

    Both rows have the letters of one sequence.
    """
    found = np.full(one.size, -1, np.int64)
    here, there = np.flatnonzero(one != GAP), np.flatnonzero(other != GAP)
    count = min(here.size, there.size)
    found[here[:count]] = there[:count]
    return found


def _compare_rows(
    outer: AlignedSequences,
    outer_rows: np.ndarray,
    inner: AlignedSequences,
    inner_rows: np.ndarray,
    called: tuple[str, str],
    monitor: Monitor,
) -> AlignmentAgreement:
    """Compare the columns of ``outer`` with ``inner``: row outer_rows[i] with row inner_rows[i]."""
    from antidiag.kernels.alignments import cpu_comparison  # compiled code is loaded when it is used

    outer, inner = as_arrays(outer), as_arrays(inner)
    sizes = [
        cpu_comparison.count_row_letters(found.letters, rows)
        for found, rows in ((outer, outer_rows), (inner, inner_rows))
    ]
    other = np.flatnonzero(sizes[0] != sizes[1])
    if other.size:
        at = int(other[0])
        raise InputError(
            f"{outer.names[outer_rows[at]]}: {sizes[0][at]:,} letters in the {called[0]}, but {sizes[1][at]:,} in the "
            f"{called[1]}; compare alignments of the same sequences"
        )
    columns, rows = outer.letters.shape[1], outer_rows.size
    next_column, different = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    pairs, kept, partner = np.zeros(columns, np.int64), np.zeros(columns, np.int64), np.full(columns, -1, np.int64)
    seen, places = np.zeros(inner.letters.shape[1], np.int64), np.empty((BATCH_COLUMNS, rows), np.int32)
    for first in range(0, columns, BATCH_COLUMNS):
        monitor.check()
        last = min(first + BATCH_COLUMNS, columns)
        cpu_comparison.look_up_columns(
            outer.letters, inner.letters, outer_rows, inner_rows, first, last, next_column, different, places
        )
        cpu_comparison.tally_columns(places, first, last, seen, pairs, kept, partner)
    most = np.flatnonzero(different > sizes[0] // 2)
    if most.size:
        name = outer.names[outer_rows[int(most[0])]]
        raise InputError(f"{name}: most letters differ from the {called[1]}; compare alignments of the same sequences")
    return AlignmentAgreement(pairs, kept, (pairs > 0) & (kept == pairs), partner, rows)
