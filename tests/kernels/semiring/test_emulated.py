"""The device code of the family, run by the emulator: what the definitions say, number for number."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels import hmm as viterbi
from antidiag.kernels import semiring as algebra
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.folding import reference as folding
from antidiag.kernels.folding.problem import ChainProblem, FoldingProblem
from antidiag.kernels.graphs import reference as shortest
from antidiag.kernels.graphs.graph import from_weights
from antidiag.kernels.hmm import reference as definition
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.rows import cuda_sizes
from antidiag.kernels.hmm.trials import draw_model as hmm_of
from antidiag.kernels.hmm.trials import make_sequence
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring import reference as products
from tests.example_counts import try_examples
from tests.kernels.graphs.examples import graphs
from tests.kernels.hmm.examples import problems
from tests.kernels.semiring.test_algebra import matrix, same

SEEDS = st.sampled_from((0, 1, 2))
FEW = try_examples(6)
ANY = {"floyd-blocked": ("int32", "float64"), "floyd-smem": ("float32", "float64"), "floyd-tmem": ("int32",)}
BIPARTITE = {"bipartite-smem": ("float64",), "bipartite-tmem": ("int32",)}


@pytest.mark.parametrize(
    ("semiring", "type", "texture"),
    [(algebra.MIN_PLUS, np.float32, False), (algebra.MIN_PLUS, np.int32, True), (algebra.MAX_PLUS, np.float64, True),
     (algebra.PLUS_TIMES, np.float32, False), (algebra.MAX_PLUS, np.int32, False)],
    ids=lambda value: getattr(value, "id", str(value)),
)  # fmt: skip
def test_product_is_the_definition(emulated, semiring, type, texture: bool) -> None:
    from antidiag.kernels.semiring import cuda

    zero = semiring.zero_element(type)
    for shape in ((1, 1, 1), (70, 33, 130), (2, 5, 17, 9)):
        *batch, m, d, n = shape
        a, b = matrix((*batch, m, d), zero, type, 1), matrix((*batch, d, n), zero, type, 2)
        same(cuda.multiply_matrices(a, b, semiring, texture), products.multiply_by_definition(a, b, semiring))


@pytest.mark.parametrize("most", [1, 3, 65_535])
def test_a_batch_takes_few_launches(emulated, monkeypatch, most: int) -> None:
    """One to pad each factor, one to multiply, one to cut; more of each where few members fit a grid."""
    from antidiag.kernels.cuda import run
    from antidiag.kernels.semiring import cuda

    launches = []
    compiled = run.DeviceRun.compile_kernel

    def counting(self, parts, name, **defines):
        kernel = compiled(self, parts, name, **defines)
        return lambda *arguments, **named: (launches.append(name), kernel(*arguments, **named))

    monkeypatch.setattr(cuda, "MEMBERS", most)
    monkeypatch.setattr(run.DeviceRun, "compile_kernel", counting)
    a, b = matrix((5, 9, 33), np.inf, np.float32, 1), matrix((5, 33, 17), np.inf, np.float32, 2)
    same(cuda.multiply_matrices(a, b), products.multiply_by_definition(a, b))
    assert launches == [name for name in ("pad", "pad", "product", "crop") for _ in range(-(-5 // most))]


@pytest.mark.parametrize("shape", [(0, 3, 4, 5), (2, 0, 4, 5), (2, 3, 0, 5), (2, 3, 4, 0)], ids=str)
def test_products_of_nothing(emulated, shape) -> None:
    from antidiag.kernels.semiring import cuda

    batch, m, d, n = shape
    a, b = np.ones((batch, m, d), np.int32), np.ones((batch, d, n), np.int32)
    same(cuda.multiply_matrices(a, b), products.multiply_by_definition(a, b))


def indexed_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The (min, +) product on the device, and the smallest k of every minimum."""
    from antidiag.kernels.cuda.run import DeviceRun
    from antidiag.kernels.semiring import cuda

    run, constants, size = (
        DeviceRun(Monitor()),
        cuda.compile_constants(a.dtype, indexed=True),
        cuda.tile_side(a.dtype, indexed=True),
    )
    left, right = (cuda.pad_matrix(run, run.upload_array(one), size, constants) for one in (a, b))
    with run.begin_phase("product") as phase:
        found = cuda.launch_indexed_product(run, phase, left, right)
    values, indices = (run.download_array(one)[: len(a), : b.shape[1]] for one in found)
    return values, indices


@pytest.mark.parametrize("type", [np.float64, np.int32])
def test_indexed_product_names_the_smallest_winner(emulated, type) -> None:
    a, b = (np.abs(matrix(shape, algebra.MIN_PLUS.zero_element(type), type, 3)) for shape in ((70, 66), (66, 65)))
    for found, expected in zip(indexed_product(a, b), products.multiply_with_indices(a, b), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_products_in_launches_of_one_row_of_tiles(emulated, monkeypatch) -> None:
    from antidiag.kernels.semiring import cuda

    monkeypatch.setattr(cuda, "LAUNCH_CELLS", 1)
    infinite = algebra.MIN_PLUS.zero_element(np.float64)
    a, b = (np.abs(matrix(shape, infinite, np.float64, 3)) for shape in ((150, 70), (70, 66)))
    for texture in (False, True):  # of which the left one is bound for each launch
        same(cuda.multiply_matrices(a, b, texture=texture), products.multiply_by_definition(a, b))
    for found, expected in zip(indexed_product(a, b), products.multiply_with_indices(a, b), strict=True):
        np.testing.assert_array_equal(found, expected)


def agree(emulated, method: str, graph, precision: str, seed: int) -> None:
    kind = registry.find_method(method).problem_type
    made = kind.build_problem([graph], {"numbers": precision, "predecessors": True})
    found = emulated(method, made, seed=seed).answer
    expected = shortest.floyd_warshall(graph)
    np.testing.assert_array_equal(found.as_floats(made), expected)
    np.testing.assert_array_equal(found.predecessors, shortest.find_predecessors(graph, expected))


@pytest.mark.parametrize("method", ANY)
@FEW
@given(graph=graphs(), data=st.data(), seed=SEEDS)
def test_any_graph(emulated, method: str, graph, data: st.DataObject, seed: int) -> None:
    agree(emulated, method, graph, data.draw(st.sampled_from(ANY[method])), seed)


@pytest.mark.parametrize("method", BIPARTITE)
@FEW
@given(graph=graphs(bipartite=True), data=st.data(), seed=SEEDS)
def test_bipartite_graphs(emulated, method: str, graph, data: st.DataObject, seed: int) -> None:
    agree(emulated, method, graph, data.draw(st.sampled_from(BIPARTITE[method])), seed)


def test_blocked_floyd_of_several_tiles(emulated) -> None:
    graph = from_weights(np.random.default_rng(3).integers(1, 100, (140, 140)).astype(float))
    for precision in ("int32", "float64"):
        agree(emulated, "floyd-blocked", graph, precision, 1)


def weights_to_travel(kind: str) -> np.ndarray:
    """Weights of several tiles."""
    random, n = np.random.default_rng(4), 192 if kind == "whole tiles" else 150
    weights = random.integers(1, 30_000 if kind == "far" else 100, (n, n)).astype(float)
    weights[random.random((n, n)) < 0.9] = np.inf
    if kind == "far":  # a long way round, of more than 16 bits
        weights[:, :] = np.inf
        weights[np.arange(n), np.arange(1, n + 1) % n] = 30_000
    if kind == "negative":
        height = random.integers(-50, 50, n)
        weights += height[:, None] - height
    return weights + (0.5 if kind == "whole tiles" else 0)


@pytest.mark.parametrize("kind", ["few", "far", "negative", "whole tiles"])
def test_weights_and_distances_travel(emulated, monkeypatch, kind: str) -> None:
    """However small they are, in several chunks, through pinned memory."""
    from antidiag.kernels.cuda import pinned_transfers

    monkeypatch.setattr(pinned_transfers, "SMALL_BYTES", 0)
    monkeypatch.setattr(pinned_transfers, "CHUNK_BYTES", 1 << 12)
    graph = from_weights(weights_to_travel(kind))
    agree(emulated, "floyd-blocked", graph, "float64", 1)
    if kind != "whole tiles":
        agree(emulated, "floyd-blocked", graph, "int32", 2)


def sizes():
    """What the emulated device takes its sizes from: the emulator imports such modules anew."""
    return import_module("antidiag.kernels.hmm.rows.cuda_sizes")


VITERBI = [
    method.id for method in viterbi.METHODS if method.problem_type is viterbi.VITERBI and "cuda" in method.backends
]


@pytest.mark.slow
@pytest.mark.parametrize("method", VITERBI)
@try_examples(12)
@given(made=problems(), piece=st.sampled_from((4, 9)), seed=SEEDS)
def test_viterbi_is_the_definitions(emulated, method: str, made, piece: int, seed: int) -> None:
    chosen = {"piece": piece} if method in ("viterbi-tree", "viterbi-persistent") else {}
    found = emulated(method, made, seed=seed, **chosen).answer.states
    expected = definition.find_best_path(made)
    assert (found is None) == (expected is None)
    if expected is not None:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("method", VITERBI)
def test_paths_of_several_pieces(emulated, method: str, monkeypatch) -> None:
    """Pieces of the path that begin with a wrong guess; more states than a warp; a model that never forgets."""
    monkeypatch.setattr(sizes(), "TRACEBACK_LETTERS", 16)
    letters = make_sequence(np.random.default_rng(1).choice(list(b"ABCDEFGH"), 70).astype(np.uint8).tobytes())
    stuck = hmm.make_hmm("stuck", "ab", "ABCDEFGH", np.eye(2), [[0.05] * 7 + [0.65], [0.125] * 8], [0.5, 0.5])
    for model in (hmm.make_random_hmm(40, np.random.default_rng(2)), stuck):
        made = HmmProblem(model, letters)
        found = emulated(method, made, seed=1).answer.states
        np.testing.assert_array_equal(found, definition.find_best_path(made))


@pytest.mark.parametrize("method", VITERBI)
def test_launches_of_few_letters(emulated, method: str, monkeypatch) -> None:
    """Pieces go on where the launch before has left them, also those that are corrected."""
    monkeypatch.setattr(sizes(), "LAUNCH_US", 5)
    monkeypatch.setattr(sizes(), "JOIN_SUMS", 1)
    chosen = {"piece": 11} if method in ("viterbi-tree", "viterbi-persistent") else {}
    for states, zeros in ((2, 0.0), (9, 0.3), (9, 0.7)):
        letters = np.random.default_rng(states).choice(list(b"ABCD"), 60).astype(np.uint8).tobytes()
        made = HmmProblem(hmm_of(states, 4, zeros, 1), make_sequence(letters), "missing")
        found, expected = emulated(method, made, seed=1, **chosen).answer.states, definition.find_best_path(made)
        assert (found is None) == (expected is None)
        if expected is not None:
            np.testing.assert_array_equal(found, expected)


def test_many_pieces_wait_for_their_turn() -> None:
    """A launch lasts as long whether all blocks run at once or 1,000 times as many one after another."""
    found = cuda_sizes.choose_team_shape(1000, 8, 528_000, False, 227 << 10, 132)
    alone = cuda_sizes.count_launch_letters(1000, found, 132, 132, 227 << 10)
    assert alone > 100 > 1 == cuda_sizes.count_launch_letters(1000, found, 528_000, 132, 227 << 10)


def test_a_part_of_the_transitions_in_shared_memory(emulated, monkeypatch) -> None:
    fitting = sizes().choose_team_shape
    monkeypatch.setattr(sizes(), "choose_team_shape", lambda *arguments: replace(fitting(*arguments), shared_rows=5))
    made = HmmProblem(hmm.make_random_hmm(17, np.random.default_rng(2)), make_sequence(b"ABCDEFGH" * 3))
    found = emulated("viterbi-matvecprod", made, seed=1).answer.states
    np.testing.assert_array_equal(found, definition.find_best_path(made))


@pytest.mark.parametrize(("states", "few"), [(9, 128), (33, 8), (70, 128), (70, 8)])
def test_matrices_of_several_slabs(emulated, monkeypatch, states: int, few: int) -> None:
    """Put together in shared memory, or moved there from a texture; in 32 bits and, with zeros, in 64; in lines shorter
    than a row; with one or four rows a thread."""
    monkeypatch.setattr(sizes(), "FEW_PRODUCT_STATES", few)
    monkeypatch.setattr(sizes(), "LINE_SIZES", (8, 16, 32))
    letters = make_sequence(np.random.default_rng(1).choice(list(b"ABCD"), 12).astype(np.uint8).tobytes())
    for zeros in (0.0, 0.4):
        made = HmmProblem(hmm_of(states, 4, zeros, 1), letters)
        expected = definition.find_best_path(made)
        for memory, chosen in (("smem", {}), ("tmem", {"binding": "once"}), ("tmem", {"binding": "letter"})):
            found = emulated(f"viterbi-matprod-{memory}", made, seed=1, **chosen).answer.states
            assert (found is None) == (expected is None)
            if expected is not None:
                np.testing.assert_array_equal(found, expected)


def test_what_does_not_fit_is_refused_with_what_does(emulated, monkeypatch) -> None:
    from antidiag.kernels.cuda import textures

    made = HmmProblem(hmm.make_random_hmm(9, np.random.default_rng(2)), make_sequence(b"ABCDEFGH" * 3))
    monkeypatch.setattr(textures, "MOST_TEXELS", 9)
    with pytest.raises(MemoryRefused, match="binds up to 9"):
        emulated("viterbi-matprod-tmem", made)
    with pytest.raises(MemoryRefused, match="choose TropMatVecProd in pieces"):
        cuda_sizes.choose_product_shape(20_000, 8, 227 << 10)
    assert cuda_sizes.choose_product_shape(256, 4, 227 << 10).rows_per_group == 4
    assert cuda_sizes.choose_product_shape(4000, 8, 227 << 10).rows_per_group == 1  # four rows would not fit


def rna(length: int, seed: int) -> Sequence:
    letters = np.random.default_rng(seed).choice(list(b"ACGUN"), length, p=[0.24, 0.24, 0.24, 0.24, 0.04])
    return Sequence("rna", letters.astype(np.uint8).tobytes(), SequenceType.RNA)


@try_examples(12)
@given(length=st.one_of(st.sampled_from((0, 1, 2, 3, 62, 63, 64, 65)), st.integers(0, 150)), min_loop=st.integers(0, 4),
       wobble=st.booleans(), seed=SEEDS)  # fmt: skip
def test_nussinov_is_the_cpus(emulated, length: int, min_loop: int, wobble: bool, seed: int) -> None:
    made = FoldingProblem(rna(length, seed), min_loop, wobble)
    found = emulated("nussinov", made, seed=seed).answer
    expected = engine.execute(engine.plan_run(registry.find_method("nussinov"), made, {}, "cpu")).answer
    assert found.pairs == expected.pairs == folding.most_pairs(made)
    np.testing.assert_array_equal(found.partners, expected.partners)


@try_examples(12)
@given(n=st.one_of(st.sampled_from((1, 2, 31, 32, 33)), st.integers(1, 100)), seed=SEEDS)
def test_matrix_chain_is_the_cpus(emulated, n: int, seed: int) -> None:
    made = ChainProblem(tuple(np.random.default_rng(n).integers(1, 50, n + 1).tolist()))
    found = emulated("matrix-chain", made, seed=seed).answer
    expected = engine.execute(engine.plan_run(registry.find_method("matrix-chain"), made, {}, "cpu")).answer
    assert found.cost == expected.cost == folding.least_cost(made)
    np.testing.assert_array_equal(found.splits, expected.splits)
