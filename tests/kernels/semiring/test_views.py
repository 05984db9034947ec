"""What views ask the engine for: trellises, steps of Floyd-Warshall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs import intermediate_distances
from antidiag.kernels.graphs import problem as paths
from antidiag.kernels.graphs import reference as shortest
from antidiag.kernels.graphs.graph import from_weights
from antidiag.kernels.hmm import reference
from antidiag.kernels.hmm.model import trellis
from tests.example_counts import try_examples
from tests.kernels.graphs.examples import graphs
from tests.kernels.hmm.examples import problems

FEW = try_examples(25)


@FEW
@given(made=problems(), slice_=st.sampled_from((1, 5000, 1 << 25)))
def test_a_trellis_holds_the_path(made, slice_: int) -> None:
    """The winners from the cheapest last state back are the states of the definition."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trellis, "SLICE", slice_)
        found = trellis.compute_trellis(made, 0, made.n)
    path = reference.find_best_path(made)
    if path is None:
        assert np.isinf(found.costs[-1]).all()
        return
    for k in range(made.n - 1, 0, -1):
        assert found.winners[k, path[k]] == path[k - 1]
    if made.n:
        assert path[-1] == found.costs[-1].argmin()
        assert (found.winners[0] == -1).all()


@FEW
@given(made=problems(st.integers(2, 60)), data=st.data())
def test_a_window_is_a_part_of_the_whole(made, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, made.n - 1))
    last = data.draw(st.integers(first, made.n))
    whole, part = trellis.compute_trellis(made, 0, made.n), trellis.compute_trellis(made, first, last)
    np.testing.assert_array_equal(part.costs, whole.costs[first:last])
    np.testing.assert_array_equal(part.winners, whole.winners[first:last])


@FEW
@given(graph=graphs())
def test_steps_lead_to_the_distances(graph) -> None:
    made = paths.PathsProblem(graph)
    np.testing.assert_array_equal(intermediate_distances.distances_after(made, 0), graph.weights)
    np.testing.assert_array_equal(intermediate_distances.distances_after(made, made.n), shortest.floyd_warshall(graph))
    before, after = (intermediate_distances.distances_after(made, step) for step in (made.n - 1, made.n))
    through = before[:, -1:] + before[-1:, :]
    np.testing.assert_array_equal(after < before, through < before)


def test_steps_of_large_graphs_are_refused() -> None:
    n = intermediate_distances.MAX_VERTICES + 1
    with pytest.raises(InputError, match="steps can be shown"):
        intermediate_distances.distances_after(paths.PathsProblem(from_weights(np.zeros((n, n)))), 1)
