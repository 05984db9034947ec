"""What is chosen, as numbers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antidiag.app.views.aligned.editing.cell_selection import find_ranges


@given(st.lists(st.booleans(), max_size=30))
def test_stretches_of_a_mask(mask: list[bool]) -> None:
    found = find_ranges(np.array(mask, bool))
    assert [place for first, last in found for place in range(first, last)] == np.flatnonzero(mask).tolist()
    assert all(before[1] < after[0] for before, after in pairwise(found)) and all(first < last for first, last in found)
