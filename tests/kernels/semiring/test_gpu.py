"""The family on a GPU: what the definitions or the CPU find, number for number, at sizes of many tiles and pieces.

What is expected is computed once for all methods that shall find it: compiling and running every method on the CPU as
well takes longer than all there is to do on the GPU.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from antidiag.kernels import engine, folding, graphs, registry
from antidiag.kernels import hmm as viterbi
from antidiag.kernels import semiring as algebra
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.folding.problem import ChainProblem, FoldingProblem
from antidiag.kernels.graphs.graph import Graph, from_weights
from antidiag.kernels.hmm import reference as definition
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.sums import problem
from antidiag.kernels.hmm.trials import draw_model, make_sequence
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring import reference as products
from tests.kernels.semiring.test_algebra import matrix, same

pytestmark = pytest.mark.gpu

ON_GPU = [method.id for method in (*viterbi.METHODS, *graphs.METHODS, *folding.METHODS) if "cuda" in method.backends]
VITERBI, PATHS, BIPARTITE = (
    [name for name in ON_GPU if name.startswith(kind)] for kind in ("viterbi", "floyd", "bipartite")
)


def run(method: str, made, backend: str, monitor: Monitor | None = None, **parameters) -> Result:
    result = engine.execute(engine.plan_run(registry.find_method(method), made, parameters, backend), monitor)
    result.check(made)
    return result


def letters(n: int, alphabet: str = "ABCDEFGH", seed: int = 1) -> Sequence:
    return make_sequence(np.random.default_rng(seed).choice(list(alphabet.encode()), n).astype(np.uint8).tobytes())


def random_weights(n: int, seed: int, share: float = 1.0) -> np.ndarray:
    random = np.random.default_rng(seed)
    weights = random.integers(1, 1000, (n, n)).astype(float)
    weights[random.random((n, n)) > share] = np.inf
    return weights


@pytest.mark.parametrize("semiring", algebra.SEMIRINGS, ids=lambda semiring: semiring.id)
@pytest.mark.parametrize("type", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("texture", [False, True])
def test_products(semiring, type, texture: bool) -> None:
    from antidiag.kernels.cuda import devices
    from antidiag.kernels.semiring import cuda

    zero = semiring.zero_element(type)
    with devices.use_device(0):
        for shape in ((1, 1, 1), (129, 300, 257), (2, 3, 40, 200, 130)):
            *batch, m, d, n = shape
            a, b = matrix((*batch, m, d), zero, type, 1), matrix((*batch, d, n), zero, type, 2)
            same(cuda.multiply_matrices(a, b, semiring, texture), products.multiply_by_definition(a, b, semiring))


@pytest.mark.parametrize("type", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("shape", [(1500, 2100, 1300), (2048, 640, 2048)])
def test_products_beside_transfers(type, shape: tuple[int, int, int]) -> None:
    """Twice, as memory that is pinned already, and streams, are used again."""
    from antidiag.kernels.cpu.cpu_run import CpuRun
    from antidiag.kernels.cuda import devices
    from antidiag.kernels.cuda.run import DeviceRun
    from antidiag.kernels.semiring import cpu, cuda

    (m, d, n), zero = shape, algebra.MIN_PLUS.zero_element(type)
    a, b = matrix((m, d), zero, type, 1), matrix((d, n), zero, type, 2)
    with CpuRun().phase("product") as phase:
        expected = cpu.multiply_matrices(a, b, algebra.MIN_PLUS, phase)
    with devices.use_device(0):
        for _ in range(2):
            same(cuda.multiply_matrices(a, b, run=DeviceRun(Monitor(), rows=m)), expected)


@cache
def random_model(states: int, length: int) -> tuple[HmmProblem, np.ndarray | None]:
    """A problem and its path."""
    made = HmmProblem(hmm.make_random_hmm(states, np.random.default_rng(states)), letters(length))
    return made, definition.find_best_path(made)


@cache
def model_with_zeros(states: int, zeros: float) -> tuple[HmmProblem, np.ndarray | None]:
    """A problem with many equally good paths, and the one of them by the rule."""
    made = HmmProblem(draw_model(states, 4, zeros, states), letters(5000, "ABCD"), "missing")
    return made, definition.find_best_path(made)


@cache
def bundled_model(path) -> tuple[HmmProblem, np.ndarray]:
    (found,) = hmm.read_hmm(path)
    made = HmmProblem(found, letters(300_000, found.alphabet))
    return made, run("viterbi-persistent", made, "cpu").answer.states


@pytest.mark.parametrize("method", VITERBI)
@pytest.mark.parametrize(("states", "length"), [(1, 1000), (8, 20_000), (33, 3000), (256, 1500), (300, 700)])
def test_paths_of_random_models(method: str, states: int, length: int) -> None:
    made, expected = random_model(states, length)
    np.testing.assert_array_equal(run(method, made, "cuda").answer.states, expected)


@pytest.mark.parametrize("method", VITERBI)
@pytest.mark.parametrize("zeros", [0.3, 0.8])
def test_paths_of_models_with_zeros_and_ties(method: str, zeros: float) -> None:
    for states in (2, 9, 40):
        made, expected = model_with_zeros(states, zeros)
        found = run(method, made, "cuda").answer
        assert (found.states is None) == (expected is None)
        if expected is not None:
            np.testing.assert_array_equal(found.states, expected)


@pytest.mark.parametrize("path", hmm.list_bundled_models(), ids=lambda path: path.stem)
def test_paths_of_bundled_models(path) -> None:
    made, expected = bundled_model(path)
    for method in ("viterbi-persistent", "viterbi-tree"):
        np.testing.assert_array_equal(run(method, made, "cuda").answer.states, expected)


def close(found: float, expected: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-8)


def same_sums(made: HmmProblem) -> None:
    """To 1e-8, or 1e-11 of the logarithm; an impossible sequence is impossible on both backends."""
    found, expected = (run("hmm-posterior", made, backend).answer for backend in ("cuda", "cpu"))
    close(run("hmm-forward", made, "cuda").answer.log_probability, expected.log_probability)
    close(found.log_probability, expected.log_probability)
    assert (found.posterior is None) == (expected.posterior is None)
    if expected.posterior is not None:
        np.testing.assert_allclose(found.posterior, expected.posterior, atol=1e-8)


@pytest.mark.parametrize(("states", "length"), [(1, 1000), (8, 1_000_000), (33, 3000), (256, 3000), (300, 700)])
def test_sums_over_all_paths_of_random_models(states: int, length: int) -> None:
    same_sums(HmmProblem(hmm.make_random_hmm(states, np.random.default_rng(states)), letters(length)))


@pytest.mark.parametrize("zeros", [0.3, 0.8])
@pytest.mark.parametrize("states", [2, 9, 40])
def test_sums_over_all_paths_of_models_with_zeros(states: int, zeros: float) -> None:
    same_sums(HmmProblem(draw_model(states, 4, zeros, states), letters(5000, "ABCD")))


@pytest.mark.parametrize("path", hmm.list_bundled_models(), ids=lambda path: path.stem)
def test_sums_over_all_paths_of_bundled_models(path) -> None:
    (found,) = hmm.read_hmm(path)
    same_sums(HmmProblem(found, letters(100_000, found.alphabet)))


@pytest.mark.parametrize(
    ("states", "lengths"), [(8, (100_000,)), (40, (2000, 1, 300)), (256, (1000,)), (3, (50,) * 300)]
)
def test_learning(states: int, lengths: tuple[int, ...]) -> None:
    start = hmm.make_random_hmm(states, np.random.default_rng(states))
    several = [letters(length, seed=number) for number, length in enumerate(lengths)]
    made = problem.build_learning_problem([start, *several], {"iterations": 3, "tolerance": 0.0})
    found, expected = (run("hmm-baum-welch", made, backend).answer for backend in ("cuda", "cpu"))
    close(found.log_probabilities, expected.log_probabilities)
    for part in ("initial", "transitions", "emissions"):
        np.testing.assert_allclose(getattr(found.hmm, part), getattr(expected.hmm, part), atol=1e-8)


@pytest.mark.parametrize("method", PATHS)
@pytest.mark.parametrize("precision", ["int32", "float32", "float64"])
@pytest.mark.parametrize(("n", "share"), [(1, 1.0), (129, 0.02), (700, 0.5)])
def test_distances_and_predecessors(method: str, precision: str, n: int, share: float) -> None:
    agree(method, precision, *graph_and_answer(n, share))


@pytest.mark.parametrize("method", BIPARTITE)
@pytest.mark.parametrize("precision", ["int32", "float32", "float64"])
def test_bipartite_graphs(method: str, precision: str) -> None:
    agree(method, precision, *graph_and_answer(500, 0.3, bipartite=True))


@cache
def graph_and_answer(n: int, share: float, bipartite: bool = False) -> tuple[Graph, np.ndarray, np.ndarray]:
    """A graph with whole weights, its distances (float64) and predecessors: the same in every precision."""
    weights = random_weights(n, n, share)
    if bipartite:
        side = np.random.default_rng(2).random(n) < 0.3
        weights[side[:, None] == side] = np.inf
    graph = from_weights(weights)
    made = graphs.PATHS.build_problem([graph], {"numbers": "float64", "predecessors": True})
    found = run("floyd-blocked", made, "cpu").answer
    return graph, found.as_floats(made), found.predecessors


def agree(method: str, precision: str, graph: Graph, distances: np.ndarray, predecessors: np.ndarray) -> None:
    made = registry.find_method(method).problem_type.build_problem(
        [graph], {"numbers": precision, "predecessors": True}
    )
    found = run(method, made, "cuda").answer
    np.testing.assert_array_equal(found.as_floats(made), distances)
    np.testing.assert_array_equal(found.predecessors, predecessors)


def test_parts_of_a_row() -> None:
    for length in (1, 65, 1000):
        rna = Sequence("rna", letters(length, "ACGU", 3).letters, SequenceType.RNA)
        found, expected = (run("nussinov", FoldingProblem(rna), backend).answer for backend in ("cuda", "cpu"))
        assert found.pairs == expected.pairs
        np.testing.assert_array_equal(found.partners, expected.partners)
        chain = ChainProblem(tuple(np.random.default_rng(length).integers(1, 90, length + 1).tolist()))
        found, expected = (run("matrix-chain", chain, backend).answer for backend in ("cuda", "cpu"))
        assert found.cost == expected.cost
        np.testing.assert_array_equal(found.splits, expected.splits)


@pytest.mark.parametrize("method", ON_GPU)
def test_cancel(method: str) -> None:
    """The wish comes with the first sign of progress."""
    kind = registry.find_method(method).problem_type
    if kind is graphs.PATHS or kind is graphs.BIPARTITE:
        weights = random_weights(3000, 1)
        if kind is graphs.BIPARTITE:
            weights[:1500, :1500] = weights[1500:, 1500:] = np.inf
        made = kind.build_problem([from_weights(weights)], {"numbers": "float64"})
    elif kind is viterbi.VITERBI:
        made = HmmProblem(hmm.make_random_hmm(64, np.random.default_rng(1)), letters(400_000))
    elif method.startswith("hmm"):
        start = hmm.make_random_hmm(64, np.random.default_rng(1))
        made = kind.build_problem([start, letters(400_000)], {})
    elif method == "nussinov":
        made = FoldingProblem(Sequence("rna", letters(4000, "ACGU").letters, SequenceType.RNA))
    else:
        made = ChainProblem(tuple([3] * 3000))
    monitor = Monitor(lambda done, total, phase: monitor.cancel())
    with pytest.raises(Cancelled):
        run(method, made, "cuda", monitor)
