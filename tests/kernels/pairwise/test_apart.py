"""Where two paths part, against sets of cells."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment
from antidiag.kernels.pairwise.path_difference import PathDivergence, compare_paths


def path(operations, start=(0, 0)):
    moves = np.array(operations, np.uint8)
    end = start[0] + int((moves != LEFT).sum()), start[1] + int((moves != UP).sum())
    return Alignment(start, end, moves)


paths = st.builds(
    path, st.lists(st.sampled_from([DIAGONAL, LEFT, UP]), max_size=30), st.tuples(*[st.integers(0, 4)] * 2)
)


def test_two_ways_around_a_square():
    found = compare_paths(path([DIAGONAL, UP, LEFT, DIAGONAL]), path([DIAGONAL, LEFT, UP, DIAGONAL]))
    assert (found.common_cells, found.cells_in_first_only, found.cells_in_second_only) == (4, 1, 1)
    assert found.divergences == (PathDivergence((2, 3), (2, 3), (1, 1), (2, 2)),)


@given(paths, paths)
def test_what_is_common_and_what_is_not(first, second):
    one, other = ({tuple(cell) for cell in each.list_cells().tolist()} for each in (first, second))
    found = compare_paths(first, second)
    assert (found.common_cells, found.cells_in_first_only, found.cells_in_second_only) == (
        len(one & other),
        len(one - other),
        len(other - one),
    )
    cells = first.list_cells(), second.list_cells()
    apart = [
        {tuple(cell) for stretch in found.divergences for cell in each[slice(*part(stretch))].tolist()}
        for each, part in zip(cells, (lambda s: s.first_points, lambda s: s.second_points), strict=True)
    ]
    assert apart == [one - other, other - one]
    for stretch in found.divergences:
        assert {stretch.start_cell, stretch.end} - {None} <= one & other
    assert found.common_share == len(one & other) / len(one | other)
