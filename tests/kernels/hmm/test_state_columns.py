"""Columns of the picture of states."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.hmm import state_columns
from tests.example_counts import try_examples


@given(st.integers(0, 50), st.integers(1, 400), st.integers(1, 120))
def test_columns_cover_all_letters_and_samples_lie_in_them(first, size, most):
    borders = state_columns.column_borders((first, first + size), most)
    assert borders[0] == first and borders[-1] == first + size and (np.diff(borders) > 0).all()
    assert borders.size - 1 == min(size, most)
    letters, starts = state_columns.sample_letters(borders)
    assert (np.diff(letters) > 0).all() and (letters[starts] == borders[:-1]).all()
    assert np.searchsorted(borders, letters, "right")[starts].tolist() == list(range(1, borders.size))


@try_examples(20)
@given(st.lists(st.lists(st.floats(0, 60) | st.just(np.inf), min_size=3, max_size=3), min_size=1, max_size=5))
def test_shades_are_255_for_the_best_state_and_0_for_impossible_ones(costs):
    costs = np.array(costs)
    shades = state_columns.shade_costs(costs)
    for row, shade in zip(costs, shades, strict=True):
        if np.isfinite(row).any():
            assert shade[row.argmin()] == 255
        assert (shade[~np.isfinite(row)] == 0).all()
