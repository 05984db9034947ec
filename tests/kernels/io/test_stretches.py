"""Stretches of columns say what a number a column says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.io import stretches
from antidiag.kernels.io.tiles import NEW

COLUMNS = st.lists(st.tuples(st.integers(NEW, 6), st.integers(0, 4)), min_size=1, max_size=5).map(tuple)


@given(COLUMNS, COLUMNS)
def test_columns_that_come_from_elsewhere_are_between_the_first_and_the_last_that_do(
    one: stretches.Stretches, other: stretches.Stretches
) -> None:
    size = max(stretches.width(one), stretches.width(other))
    one, other = ((*columns, (NEW, size - stretches.width(columns))) for columns in (one, other))
    apart = np.flatnonzero(stretches.numbers(one) != stretches.numbers(other)).tolist()
    assert stretches.differing(one, other) == ((apart[0], apart[-1] + 1) if apart else (0, 0))


@given(COLUMNS, st.integers(0, 12), st.integers(0, 12))
def test_sources_are_the_columns_that_were_there(columns: stretches.Stretches, first: int, last: int) -> None:
    wanted = stretches.numbers(columns)
    found = np.full(wanted.size, NEW)
    for at, source in stretches.sources(columns, first, last):
        found[at : at + source.stop - source.start] = np.arange(source.start, source.stop)
    inside = (np.arange(wanted.size) >= first) & (np.arange(wanted.size) < last)
    np.testing.assert_array_equal(found, np.where(inside, wanted, NEW))


def test_columns_stay_and_gaps_come_after_them() -> None:
    assert stretches.numbers(stretches.staying(3, 5)).tolist() == [0, 1, 2, NEW, NEW]
    assert stretches.numbers(stretches.staying(3, 2)).tolist() == [0, 1]
