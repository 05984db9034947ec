"""Where two paths part, against sets of cells."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.pairwise.apart import Stretch, difference
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment


def path(operations, start=(0, 0)):
    moves = np.array(operations, np.uint8)
    end = start[0] + int((moves != LEFT).sum()), start[1] + int((moves != UP).sum())
    return Alignment(start, end, moves)


paths = st.builds(
    path, st.lists(st.sampled_from([DIAGONAL, LEFT, UP]), max_size=30), st.tuples(*[st.integers(0, 4)] * 2)
)


def test_two_ways_around_a_square():
    found = difference(path([DIAGONAL, UP, LEFT, DIAGONAL]), path([DIAGONAL, LEFT, UP, DIAGONAL]))
    assert (found.common, found.only_first, found.only_second) == (4, 1, 1)
    assert found.stretches == (Stretch((2, 3), (2, 3), (1, 1), (2, 2)),)


@given(paths, paths)
def test_what_is_common_and_what_is_not(first, second):
    one, other = ({tuple(cell) for cell in each.cells().tolist()} for each in (first, second))
    found = difference(first, second)
    assert (found.common, found.only_first, found.only_second) == (len(one & other), len(one - other), len(other - one))
    cells = first.cells(), second.cells()
    apart = [{tuple(cell) for stretch in found.stretches for cell in each[slice(*part(stretch))].tolist()}
             for each, part in zip(cells, (lambda s: s.first, lambda s: s.second), strict=True)]  # fmt: skip
    assert apart == [one - other, other - one]
    for stretch in found.stretches:
        assert {stretch.start, stretch.end} - {None} <= one & other
    assert found.share == len(one & other) / len(one | other)
