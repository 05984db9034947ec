"""Positions of vertices and reduced matrices for the picture of shortest paths."""

import numpy as np
import pytest

from antidiag.kernels.graphs import path_matrices
from antidiag.kernels.graphs.graph import from_weights
from antidiag.kernels.graphs.problem import PathsProblem

INF = np.inf


WEIGHTS = np.array([[0, 4, 2, INF], [INF, 0, INF, 5], [INF, 1, 0, 8], [7, INF, INF, 0]])


def problem(weights=WEIGHTS, names="ABCD", **options):
    return PathsProblem(from_weights(np.array(weights, float), tuple(names)), **options)


def test_the_vertices_of_a_bipartite_graph_stand_on_two_sides():
    weights = np.full((5, 5), INF)
    weights[:2, 2:] = 1
    found = path_matrices.place_vertices(problem(weights, "ABCDE"))
    assert (found[:2, 0] == found[0, 0]).all() and (found[2:, 0] == found[2, 0]).all()
    assert found[0, 0] != found[2, 0]


@pytest.mark.parametrize("n", [1, 9, 30])
def test_vertices_do_not_cover_each_other(n):
    random = np.random.default_rng(0)
    weights = np.where(random.random((n, n)) < 0.3, 1.0, INF)
    places = path_matrices.place_vertices(problem(weights, [f"v{k}" for k in range(n)]))
    assert (places >= 0).all() and (places <= 1).all()
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) + np.eye(n)
    assert apart.min() > 0.02


def test_large_matrices_are_reduced_to_their_least_entries():
    values = np.random.default_rng(0).random((25, 25))
    assert path_matrices.reduce_matrix(values, 25) is values
    found = path_matrices.reduce_matrix(values, 5)
    assert np.array_equal(found, values.reshape(5, 5, 5, 5).min(axis=(1, 3)))
