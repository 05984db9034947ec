"""Cycles that weigh nothing but for rounding: right to rounding, on both backends, in all methods."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.graphs import cpu, intermediate_distances, problem
from antidiag.kernels.graphs.graph import Graph, from_weights
from antidiag.kernels.graphs.predecessors import find_negative_cycle, search_negative_cycle
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import find_method as registered
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog

ANY = ("floyd_warshall", "floyd_blocked", "floyd_smem", "floyd_tmem")
BIPARTITE = ("bipartite_serial", "bipartite_smem", "bipartite_tmem")
ROUNDED = {"float64": 1e-13, "float32": 1e-5}
Exact = list[list[Fraction | None]]


def of_heights(n: int, seed: int, bipartite: bool = False) -> np.ndarray:
    """Differences of heights in hundredths, as they are written: every cycle weighs nothing."""
    heights = np.random.default_rng(seed).integers(0, 100_000, n)
    weights = (heights - heights[:, None]) / 100
    if bipartite:
        side = np.arange(n) < n // 3
        weights[side[:, None] == side] = np.inf
        np.fill_diagonal(weights, 0)
    return weights


def exact(weights: np.ndarray) -> Exact:
    """Distances in rational numbers, of weights as they are written (in hundredths); None for no path."""
    n = len(weights)
    d = [[Fraction(str(round(float(w), 2))) if np.isfinite(w) else None for w in row] for row in weights]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] is not None and d[k][j] is not None:
                    way = d[i][k] + d[k][j]
                    if d[i][j] is None or way < d[i][j]:
                        d[i][j] = way
    return d


def run(method: str, weights: np.ndarray, precision: str, predecessors: bool = True) -> problem.PathsAnswer:
    build = problem.build_bipartite if method in BIPARTITE else problem.build_problem
    made = build([from_weights(weights.copy())], {"numbers": precision, "predecessors": predecessors})
    answer = getattr(cpu, method)(made, ThreadParameters(threads=2), Monitor(), StepLog()).answer
    answer.check(made)
    return answer


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("n", [60, 130])
@pytest.mark.parametrize("method", ANY)
def test_an_edge_is_the_shortest_way_between_heights(method: str, n: int, precision: str) -> None:
    weights = of_heights(n, n)
    found = run(method, weights, precision).distances
    np.testing.assert_array_equal(found, weights.astype(precision))


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("method", ANY + BIPARTITE)
def test_distances_are_those_of_rational_numbers(method: str, precision: str) -> None:
    for seed in range(12):
        random = np.random.default_rng(seed)
        weights = of_heights(int(random.integers(2, 13)), seed, method in BIPARTITE)
        weights[random.random(weights.shape) < random.choice([0.0, 0.5, 0.7])] = np.inf
        if seed % 2:
            weights = np.round(weights + random.integers(0, 3, weights.shape) / 100, 2)
        np.fill_diagonal(weights, 0)
        found, expected = run(method, weights, precision).distances, exact(weights)
        assert np.array_equal(np.isfinite(found), [[value is not None for value in row] for row in expected])
        floats = np.array([[np.inf if value is None else float(value) for value in row] for row in expected])
        scale = np.abs(floats[np.isfinite(floats)]).max(initial=0.0)
        np.testing.assert_allclose(found, floats, rtol=0, atol=ROUNDED[precision] * scale)


@pytest.mark.parametrize("method", [*ANY, "bipartite_smem"])
def test_a_cycle_of_one_hundredth_less_than_nothing_is_named(method: str) -> None:
    for seed in range(8):
        weights = of_heights(40, seed, method in BIPARTITE)
        u, v = (3, 30) if seed % 2 else (30, 3)
        weights[u, v] = round(weights[u, v] - 0.01, 2)
        cycle = run(method, weights, "float64").cycle
        assert u in cycle
        assert v in cycle
        assert sum(Fraction(str(weights[edge])) for edge in zip(cycle, cycle[1:] + cycle[:1], strict=True)) < 0


def test_where_no_sum_is_rounded_no_cycle_is_too_light() -> None:
    """Halves and eighths are exact: the cycle weighs 2**-40 of the heaviest edge less than nothing, and is one."""
    heavy, light = 2.0**20, 2.0**-20
    weights = np.array([[0, heavy, np.inf], [-heavy, 0, light], [np.inf, -2 * light, 0]])
    assert find_negative_cycle(from_weights(weights), Monitor()) == (1, 2)


def test_high_heights_are_no_negative_cycles() -> None:
    """A chain whose heights are thousands of times the heaviest edge: what is rounded at the top is no cycle."""
    n = 3000
    weights = np.full((n, n), np.inf)
    steps = np.round(np.random.default_rng(1).uniform(0.1, 0.3, n - 1), 2)
    weights[np.arange(n - 1), np.arange(1, n)] = -steps
    weights[np.arange(1, n), np.arange(n - 1)] = steps
    cycle, heights = search_negative_cycle(from_weights(weights), Monitor())
    assert not cycle
    np.testing.assert_allclose(heights[-1], -steps.sum(), rtol=1e-12)


def test_paths_over_cycles_of_zero_end() -> None:
    weights = of_heights(50, 5)
    weights[np.random.default_rng(5).random((50, 50)) < 0.8] = np.inf
    for predecessors in (False, True):
        made = problem.build_problem([from_weights(weights.copy())], {"predecessors": predecessors})
        answer = cpu.floyd_blocked(made, ThreadParameters(threads=1), Monitor(), StepLog()).answer
        answer.check(made)
        for start, end in np.argwhere(np.isfinite(answer.distances)).tolist():
            path = answer.path(made, start, end)
            assert (path[0], path[-1]) == (start, end)


def test_the_steps_of_the_view_end_at_the_distances() -> None:
    weights = of_heights(60, 60)
    made = problem.build_problem([from_weights(weights.copy())], {})
    np.testing.assert_array_equal(intermediate_distances.distances_after(made, 60), weights)
    before, after = (intermediate_distances.distances_after(made, step) for step in (59, 60))
    assert not (after < before).any()


@pytest.mark.parametrize("method", ["floyd-blocked", "floyd-smem", "bipartite-tmem"])
def test_the_device_agrees(emulated, method: str) -> None:
    weights = of_heights(70, 1, bipartite=method == "bipartite-tmem")
    made = registered(method).problem_type.make_problem([from_weights(weights)], {"predecessors": True})
    expected = getattr(cpu, method.replace("-", "_"))(made, ThreadParameters(threads=1), Monitor(), StepLog()).answer
    np.testing.assert_allclose(emulated(method, made).answer.distances, expected.distances, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("weight", "precision"), [(1e38, "float32"), (1e308, "float64")])
def test_weights_whose_sums_leave_the_numbers_are_refused(weight: float, precision: str) -> None:
    graph: Graph = from_weights(np.full((5, 5), weight))
    with pytest.raises(ParameterError, match="divide all weights"):
        problem.build_problem([graph], {"numbers": precision})
