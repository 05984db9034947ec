"""The device code of the family, run by the emulator: what the definitions say, number for number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import registry
from kernels.tropical import algebra
from kernels.tropical.algebra import reference as products
from kernels.tropical.paths import problem as paths
from kernels.tropical.paths import reference as shortest
from kernels.tropical.paths.graph import from_weights
from tests.kernels.tropical.graphs import graphs
from tests.kernels.tropical.test_algebra import matrix, same

SEEDS = st.sampled_from((0, 1, 2))
FEW = settings(max_examples=6)
ANY = ("floyd-blocked", "floyd-smem", "floyd-tmem")
BIPARTITE = ("bipartite-smem", "bipartite-tmem")


@pytest.mark.parametrize("semiring", algebra.SEMIRINGS, ids=lambda semiring: semiring.id)
@pytest.mark.parametrize("type", [np.float32, np.float64, np.int32])
def test_product_is_the_definition(emulated, semiring, type) -> None:
    from kernels.tropical.algebra import cuda

    zero = semiring.zero(type)
    for shape, texture in (((1, 1, 1), False), ((70, 33, 130), True), ((2, 5, 17, 9), False)):
        *batch, m, d, n = shape
        a, b = matrix((*batch, m, d), zero, type, 1), matrix((*batch, d, n), zero, type, 2)
        same(cuda.product(a, b, semiring, texture), products.product(a, b, semiring))


@pytest.mark.parametrize("type", [np.float32, np.float64, np.int32])
def test_indexed_product_names_the_smallest_winner(emulated, type) -> None:
    from kernels.tropical.algebra import cuda

    a, b = (np.abs(matrix(shape, algebra.MIN_PLUS.zero(type), type, 3)) for shape in ((70, 66), (66, 65)))
    for found, expected in zip(cuda.indexed_product(a, b), products.indexed_product(a, b), strict=True):
        np.testing.assert_array_equal(found, expected)


def agree(emulated, method: str, graph, precision: str, seed: int) -> None:
    kind = registry.method(method).problem
    made = kind.build([graph], {"precision": precision, "predecessors": True})
    found = emulated(method, made, seed=seed).answer
    expected = shortest.floyd_warshall(graph)
    np.testing.assert_array_equal(found.floats(made), expected)
    np.testing.assert_array_equal(found.predecessors, shortest.predecessors(graph, expected))


@pytest.mark.parametrize("method", ANY)
@FEW
@given(graph=graphs(), precision=st.sampled_from(paths.PRECISIONS), seed=SEEDS)
def test_any_graph(emulated, method: str, graph, precision: str, seed: int) -> None:
    agree(emulated, method, graph, precision, seed)


@pytest.mark.parametrize("method", BIPARTITE)
@FEW
@given(graph=graphs(bipartite=True), precision=st.sampled_from(paths.PRECISIONS), seed=SEEDS)
def test_bipartite_graphs(emulated, method: str, graph, precision: str, seed: int) -> None:
    agree(emulated, method, graph, precision, seed)


def test_blocked_floyd_of_several_tiles(emulated) -> None:
    graph = from_weights(np.random.default_rng(3).integers(1, 100, (140, 140)).astype(float))
    for precision in ("int32", "float64"):
        agree(emulated, "floyd-blocked", graph, precision, 1)
