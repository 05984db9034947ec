"""Shortest paths: every method gives the distances of the definition, of SciPy and of NetworkX, and paths that fit."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled, InputError, ParameterError
from antidiag.kernels.graphs import cpu, predecessors, problem, reference
from antidiag.kernels.graphs.graph import Graph, find_sides, from_edges, from_weights, random_graph
from antidiag.kernels.graphs.problem import PathsAnswer
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry.samples import bundled_samples
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog
from tests.example_counts import try_examples
from tests.kernels.graphs.examples import graphs

ANY = ("floyd_warshall", "floyd_blocked", "floyd_smem", "floyd_tmem")
BIPARTITE = ("bipartite_serial", "bipartite_smem", "bipartite_tmem")
FEW = try_examples(15)


def run(method: str, graph: Graph, threads: int = 1, **options) -> problem.PathsAnswer:
    made = problem.build_problem([graph], options)
    answer = getattr(cpu, method)(made, ThreadParameters(threads=threads), Monitor(), StepLog()).answer
    answer.check(made)
    return answer


def cycle_graph(*weights: float) -> Graph:
    n = len(weights)
    return from_edges(n, np.arange(n), (np.arange(n) + 1) % n, np.array(weights, float))


def agree(method: str, graph: Graph, threads: int, precision: str) -> None:
    made = problem.build_problem([graph], {"numbers": precision, "predecessors": True})
    answer = run(method, graph, threads, numbers=precision, predecessors=True)
    expected = reference.floyd_warshall(graph)
    np.testing.assert_array_equal(answer.as_floats(made), expected)
    np.testing.assert_array_equal(answer.predecessors, reference.find_predecessors(graph, expected))


@pytest.mark.parametrize("method", ANY)
@FEW
@given(graph=graphs(), threads=st.integers(1, 3), precision=st.sampled_from(problem.PRECISIONS))
def test_any_graph(method: str, graph: Graph, threads: int, precision: str) -> None:
    agree(method, graph, threads, precision)


@pytest.mark.parametrize("method", BIPARTITE)
@FEW
@given(graph=graphs(bipartite=True), threads=st.integers(1, 3), precision=st.sampled_from(problem.PRECISIONS))
def test_bipartite_graphs(method: str, graph: Graph, threads: int, precision: str) -> None:
    agree(method, graph, threads, precision)


@FEW
@given(graph=graphs(), seed=st.integers(0, 99))
def test_paths_asked_for_without_predecessors_are_the_same(graph: Graph, seed: int) -> None:
    with_them, without = (run("floyd_blocked", graph, predecessors=wanted) for wanted in (True, False))
    made = problem.build_problem([graph], {})
    random = np.random.default_rng(seed)
    for start, end in random.integers(0, len(graph), (5, 2)).tolist():
        path = without.path(made, start, end)
        assert path == with_them.path(made, start, end)
        assert not path or (path[0], path[-1]) == (start, end)


def test_scipy_and_networkx_agree() -> None:
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    graph = random_graph(150, np.random.default_rng(3))
    fractions = from_weights(graph.weights / 7)
    found = run("floyd_blocked", fractions, 2).distances
    np.testing.assert_allclose(found, csgraph.floyd_warshall(fractions.weights), rtol=1e-12)
    networkx = pytest.importorskip("networkx")
    network = networkx.DiGraph()
    network.add_weighted_edges_from(
        (u, v, graph.weights[u, v]) for u, v in np.argwhere(np.isfinite(graph.weights)).tolist() if u != v
    )
    lengths = dict(networkx.all_pairs_dijkstra_path_length(network))
    made = problem.build_problem([graph], {})
    answer = run("floyd_smem", graph)
    assert all(answer.distance(made, u, v) == length for u in lengths for v, length in lengths[u].items())


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_fractions_and_their_predecessors(precision: str) -> None:
    random = np.random.default_rng(5)
    graph = from_weights(random.random((130, 130)))
    expected = reference.floyd_warshall(graph)
    made = problem.build_problem([graph], {"numbers": precision, "predecessors": True})
    for method in ANY:
        answer = run(method, graph, 2, numbers=precision, predecessors=True)
        np.testing.assert_allclose(answer.distances, expected, rtol=1e-5 if precision == "float32" else 1e-13)
        path = answer.path(made, 3, 77)
        weight = sum(graph.weights[u, v] for u, v in pairwise(path))
        assert weight == pytest.approx(expected[3, 77], rel=1e-5)


@pytest.mark.parametrize("method", ANY + BIPARTITE)
def test_a_negative_cycle_is_shown(method: str) -> None:
    graph = cycle_graph(3, -2, -5, 3)
    answer = run(method, graph)
    assert answer.distances is None and answer.cycle == (0, 1, 2, 3)


def test_a_negative_loop_is_a_cycle() -> None:
    assert run("floyd_blocked", from_weights(np.array([[0.0, 1], [np.inf, -1]]))).cycle == (1,)


@FEW
@given(graph=graphs(negative=False), seed=st.integers(0, 99))
def test_negative_cycles_are_found_where_they_are(graph: Graph, seed: int) -> None:
    weights = graph.weights - np.random.default_rng(seed).integers(0, 2, graph.weights.shape)
    lowered = from_weights(weights)
    cycle = predecessors.find_negative_cycle(lowered, Monitor())
    exact = reference.floyd_warshall(lowered)
    assert bool(cycle) == bool((np.diag(exact) < 0).any())
    if cycle:
        assert sum(lowered.weights[u, v] for u, v in zip(cycle, cycle[1:] + cycle[:1], strict=True)) < 0


def test_the_graph_of_the_textbook() -> None:
    """Cormen, Leiserson, Rivest, Stein, figure 25.4: the bundled sample."""
    (sample,) = (sample for sample in bundled_samples() if sample.id == "five-vertices")
    (graph,) = sample.read_data()
    expected = [[0, 1, -3, 2, -4], [3, 0, -4, 1, -1], [7, 4, 0, 5, 3], [2, -1, -5, 0, -2], [8, 5, 1, 6, 0]]
    assert graph.names == ("1", "2", "3", "4", "5"), "in the order of the lines of the file"
    for method in ANY:
        assert run(method, graph).distances.tolist() == expected


def test_a_cycle_of_weight_zero_does_not_trap_a_path() -> None:
    """Duplicates in a distance matrix are at distance 0 both ways."""
    graph = from_weights(np.array([[0, 0, 5.0], [0, 0, 5], [5, 5, 0]]))
    answer = run("floyd_warshall", graph, predecessors=True)
    made = problem.build_problem([graph], {})
    assert answer.path(made, 2, 0) == (2, 0) and answer.path(made, 2, 1) == (2, 1)


def test_negative_edges_leave_the_unreachable_unreachable() -> None:
    weights = np.full((3, 3), np.inf)
    weights[1, 2] = -1000
    made = problem.build_problem([from_weights(weights)], {})
    answer = run("floyd_blocked", made.graph, predecessors=True)
    assert made.precision == "int32" and answer.distance(made, 0, 2) == np.inf
    assert answer.predecessors.tolist() == [[-1] * 3, [-1, -1, 1], [-1] * 3]


def test_odd_cycles_are_named() -> None:
    with pytest.raises(InputError, match=r"1 - 2 - 3 - 4 - 5 - 1 is a cycle of 5 edges"):
        problem.build_bipartite([cycle_graph(1, 1, 1, 1, 1)], {})
    assert find_sides(cycle_graph(1, 1, 1, 1)).tolist() == [False, True, False, True]


def test_whole_numbers_are_asked_for_in_vain() -> None:
    with pytest.raises(ParameterError, match="fractions"):
        problem.build_problem([from_weights(np.array([[0, 0.5], [1, 0]]))], {"numbers": "int32"})


@pytest.mark.parametrize("method", ANY + BIPARTITE)
def test_cancel(method: str) -> None:
    graph = random_graph(700, np.random.default_rng(1))
    weights = graph.weights.copy()
    side = np.arange(700) < 350
    weights[side[:, None] == side] = np.inf
    seen = threading.Event()

    def listen(done: int, total: int, phase: str) -> None:
        seen.set()
        monitor.cancel()

    monitor = Monitor(listen)
    made = problem.build_problem([from_weights(weights)], {})
    with pytest.raises(Cancelled):
        getattr(cpu, method)(made, ThreadParameters(threads=2), monitor, StepLog())
    assert seen.is_set()


@pytest.mark.parametrize(
    ("change", "words"),
    [({(0, 1): 9}, "a predecessor is not there"), ({(0, 1): -2}, "a predecessor is not there"),
     ({(0, 1): 2, (0, 2): 1}, "run in a circle")],
)  # fmt: skip
def test_predecessors_that_lead_nowhere_are_noticed(change, words) -> None:
    """As a meddled file may have them: a view would follow them without end, or beyond the vertices."""
    weights = np.array([[0, 1, np.inf], [np.inf, 0, 1], [1, np.inf, 0]])
    made = problem.build_problem([from_weights(weights)], {"predecessors": True})
    method = registry.find_method("floyd-warshall")
    found = engine.execute(engine.plan_run(method, made, {}, "cpu"), keep_rate=False).answer
    found.check(made)
    before = found.predecessors.copy()
    for place, vertex in change.items():
        before[place] = vertex
    with pytest.raises(AssertionError, match=words):
        PathsAnswer(found.distances, before).check(made)
    with pytest.raises(AssertionError, match="distances are missing"):
        PathsAnswer(found.distances[:2]).check(made)
