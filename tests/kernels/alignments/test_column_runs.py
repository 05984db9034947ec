"""Stretches of columns say what a number a column says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.alignments import column_runs
from antidiag.kernels.alignments.blocked_cells import NEW_COLUMN

COLUMNS = st.lists(st.tuples(st.integers(NEW_COLUMN, 6), st.integers(0, 4)), min_size=1, max_size=5).map(tuple)


@given(COLUMNS, COLUMNS)
def test_columns_that_come_from_elsewhere_are_between_the_first_and_the_last_that_do(
    one: column_runs.ColumnRuns, other: column_runs.ColumnRuns
) -> None:
    size = max(column_runs.total_columns(one), column_runs.total_columns(other))
    one, other = ((*columns, (NEW_COLUMN, size - column_runs.total_columns(columns))) for columns in (one, other))
    apart = np.flatnonzero(column_runs.column_numbers(one) != column_runs.column_numbers(other)).tolist()
    assert column_runs.changed_range(one, other) == ((apart[0], apart[-1] + 1) if apart else (0, 0))


@given(COLUMNS, st.integers(0, 12), st.integers(0, 12))
def test_sources_are_the_columns_that_were_there(columns: column_runs.ColumnRuns, first: int, last: int) -> None:
    wanted = column_runs.column_numbers(columns)
    found = np.full(wanted.size, NEW_COLUMN)
    for at, source in column_runs.source_slices(columns, first, last):
        found[at : at + source.stop - source.start] = np.arange(source.start, source.stop)
    inside = (np.arange(wanted.size) >= first) & (np.arange(wanted.size) < last)
    np.testing.assert_array_equal(found, np.where(inside, wanted, NEW_COLUMN))


def test_columns_stay_and_gaps_come_after_them() -> None:
    assert column_runs.column_numbers(column_runs.unchanged_runs(3, 5)).tolist() == [0, 1, 2, NEW_COLUMN, NEW_COLUMN]
    assert column_runs.column_numbers(column_runs.unchanged_runs(3, 2)).tolist() == [0, 1]
