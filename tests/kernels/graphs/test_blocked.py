"""Shortest paths on a GPU: graphs of several blocks, weights of every kind, and the predicted memory."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.graphs import reference
from antidiag.kernels.graphs.graph import from_weights
from antidiag.kernels.graphs.problem import TOLERANCE, build_problem
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring.thread_parameters import ThreadParameters

METHOD = registry.find_method("floyd-blocked")


def weights(n: int, kind: str) -> np.ndarray:
    random = np.random.default_rng(n)
    found = random.integers(1, 100, (n, n)).astype(float)
    found[random.random((n, n)) < 0.9] = np.inf
    if kind == "far":  # one long cycle
        found[:, :] = np.inf
        found[np.arange(n), np.arange(1, n + 1) % n] = 30_000
        found[:70, :70] = 1
    if kind == "negative":
        height = random.integers(-50, 50, n)
        found += height[:, None] - height
    return found + (0.5 if kind == "halves" else 0)


@pytest.mark.parametrize("method", ["floyd-blocked", pytest.param("floyd-smem", marks=pytest.mark.slow)])
@pytest.mark.parametrize("predecessors", [False, True])
@pytest.mark.parametrize(
    ("precision", "kind", "n"),
    [("float64", "halves", 130), ("float64", "far", 192), ("int32", "negative", 150), ("float32", "few", 128)],
)
def test_distances_are_the_definitions(emulated, method, precision, kind, n, predecessors) -> None:
    made = build_problem([from_weights(weights(n, kind))], {"numbers": precision, "predecessors": predecessors})
    gc.collect()  # what an earlier test left would count as device memory
    found = emulated(method, made, seed=1)
    found.check(made)
    np.testing.assert_array_equal(found.answer.as_floats(made), reference.floyd_warshall(made.graph))
    predicted = (
        registry.find_method(method).cost.estimate_memory(made, ThreadParameters(threads=1), "cuda").device_bytes
    )
    assert found.device_bytes <= predicted * 1.01 <= found.device_bytes * 1.02
    if method == "floyd-blocked" and not predecessors:
        assert found.steps.ordered_events()["column_end"].max() == n


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("precision", "kind", "n"),
    [("int32", "few", 2105), ("int32", "far", 1100), ("float32", "negative", 2048), ("float64", "halves", 1300)],
)
def test_distances_on_a_gpu_are_the_cpus(precision: str, kind: str, n: int) -> None:
    """Three times, as later runs reuse memory. Fractions are added in another order, but always in the same one."""
    made = build_problem([from_weights(weights(n, kind))], {"numbers": precision})
    expected = engine.execute(engine.plan_run(METHOD, made, {}, "cpu"), keep_rate=False).answer.as_floats(made)
    found = [
        engine.execute(engine.plan_run(METHOD, made, {}, "cuda"), keep_rate=False).answer.as_floats(made) for _ in "123"
    ]
    allowed = TOLERANCE[precision] * expected[np.isfinite(expected)].max() if kind == "halves" else 0.0
    np.testing.assert_allclose(found[0], expected, rtol=0, atol=allowed)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize("told", [1, 2])
def test_a_cancelled_run_leaves_nothing(emulated, told: int) -> None:
    from antidiag.kernels.cuda import devices

    made = build_problem([from_weights(weights(330, "few"))], {"numbers": "float64"})
    heard = []

    def listen(done: int, total: int, phase: str) -> None:
        heard.append(done)
        if len(heard) == told:
            monitor.cancel()

    monitor = Monitor(listen)
    with pytest.raises(Cancelled):
        emulated("floyd-blocked", made, monitor=monitor)
    assert devices.run_memory_pool().used_bytes() == 0
