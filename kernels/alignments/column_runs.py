"""Runs of columns: where the columns of an edited alignment come from, in a few numbers instead of one a column."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise

import numpy as np

from antidiag.kernels.alignments.blocked_cells import NEW_COLUMN

ColumnRuns = tuple[tuple[int, int], ...]
"""Runs of columns: the old number of the first column, or NEW_COLUMN for gaps, and the number of columns."""


def total_columns(columns: ColumnRuns) -> int:
    """Return the number of columns."""
    return sum(count for _, count in columns)


def unchanged_runs(old: int, new: int) -> ColumnRuns:
    """Return the runs of ``new`` columns that keep their numbers as far as there were ``old`` ones; gaps follow."""
    kept = min(old, new)
    return (0, kept), (NEW_COLUMN, new - kept)


def column_numbers(columns: ColumnRuns) -> np.ndarray:
    """Return the old number of each column, or NEW_COLUMN; int64."""
    return np.concatenate(
        [
            np.full(count, NEW_COLUMN) if first == NEW_COLUMN else np.arange(first, first + count)
            for first, count in columns
        ]
    )


def changed_range(one: ColumnRuns, other: ColumnRuns) -> tuple[int, int]:
    """Return the first column whose source differs, and the one after the last; (0, 0) where none does."""
    borders = sorted({0, *_run_ends(one), *_run_ends(other)})
    apart = [
        (first, last) for first, last in pairwise(borders) if _source_column(one, first) != _source_column(other, first)
    ]
    return (apart[0][0], apart[-1][1]) if apart else (0, 0)


def source_slices(columns: ColumnRuns, first: int, last: int) -> Iterator[tuple[int, slice]]:
    """Yield, for columns ``first`` to ``last``, the first column of each run with a source, and the old columns."""
    at = 0
    for source, count in columns:
        start, stop = max(at, first), min(at + count, last)
        if source != NEW_COLUMN and start < stop:
            yield start, slice(source + start - at, source + stop - at)
        at += count


def _run_ends(columns: ColumnRuns) -> list[int]:
    return list(accumulate(count for _, count in columns))


def _source_column(columns: ColumnRuns, column: int) -> int:
    """Return the old column of a column, or NEW_COLUMN."""
    found = next(source_slices(columns, column, column + 1), None)
    return NEW_COLUMN if found is None else found[1].start
