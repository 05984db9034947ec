"""Strips of any width, each computed by a block as published: the oracle's answers, launches, memory, refusals."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.strips import cuda_sizes, published_sizes
from antidiag.kernels.pairwise.trials import make_related_pair
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.example_counts import try_examples
from tests.kernels.pairwise.compiled_modes import GLOBAL, LOCAL, OVERLAP
from tests.nvrtc import compile_without_device
from tests.problems import assert_same_path, pair, pairs

IDS = ("striped-score", "striped-alignment", "chunked-alignment-1", "chunked-alignment-2")
METHODS = [registry.find_method(name) for name in IDS]
each = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
WIDTHS = (32, 33, 41, 64, 67, 127, 410, 1900, 2048)
"""Strips narrower and wider than the problems, whole warps and others, and the widths of the paper."""


def given_to(method: Method, **wanted: Any) -> dict[str, Any]:
    names = method.parameters.names()
    return {"mapping": "published", **{name: value for name, value in wanted.items() if name in names}}


@st.composite
def chosen(draw: st.DrawFn, method: Method) -> dict[str, Any]:
    return given_to(
        method,
        s=draw(st.sampled_from(WIDTHS)),
        T=draw(st.sampled_from((8, 16, 24, 32, 512))),
        h=draw(st.sampled_from((16, 32, 128))),
        recompute=draw(st.sampled_from(("start-point", "first-row"))),
    )


def assert_oracle(found: Result, problem: PairProblem, method: Method) -> None:
    expected = oracle.best_alignment(problem)
    assert (found.answer.score, found.answer.end) == (expected.score, expected.end)
    if "alignment" in method.returns:
        assert_same_path(found.answer, expected)


@pytest.mark.parametrize(
    "architecture", ["sm_90", *(pytest.param(old, marks=pytest.mark.slow) for old in ("sm_75", "sm_80"))]
)
@pytest.mark.parametrize("mode", [LOCAL, GLOBAL, OVERLAP])
def test_kernels_compile(architecture: str, mode: dict[str, int]) -> None:
    pytest.importorskip("cupy_backends.cuda.libs.nvrtc", exc_type=ImportError)
    from antidiag.kernels.pairwise.strips import cuda_sources

    sources = [(cuda_sources.PUBLISHED_SCORE, 0, 0), (cuda_sources.PUBLISHED_PATH, 0, 2)]
    sources += [(cuda_sources.PUBLISHED_STATES, 1, chunks) for chunks in (0, 1, 2)]
    for parts, states, chunks in sources:
        assert compile_without_device(parts, {**mode, "STATES": states, "CHUNKS": chunks}, architecture)


@each
@try_examples(30)
@given(data=st.data())
def test_answer_is_the_oracles(emulated, method: Method, data: st.DataObject) -> None:
    problem, seed = data.draw(pairs()), data.draw(st.sampled_from((0, 1, 2, 3)))
    assert_oracle(emulated(method, problem, seed=seed, **data.draw(chosen(method))), problem, method)


@pytest.mark.slow
@each
@try_examples(30, deadline=None)
@given(data=st.data())
def test_a_sweep_can_be_cut_into_launches(emulated, method: Method, data: st.DataObject) -> None:
    """Strips keep their antidiagonals between launches of any number of steps, in the middle of batches as well."""
    sizes = import_module("antidiag.kernels.pairwise.strips.published_sizes")
    problem, seed = data.draw(pairs()), data.draw(st.sampled_from((0, 1, 2)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "SLICE_CELLS", 1)
        patch.setattr(sizes, "LEAST_STEPS", data.draw(st.sampled_from((5, 37, 64, 100))))
        assert_oracle(emulated(method, problem, seed=seed, **data.draw(chosen(method))), problem, method)


@each
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("lengths", [(1, 1), (1, 200), (3, 31), (200, 1), (40, 33)])
def test_short_sequences(emulated, method: Method, mode: Mode, lengths: tuple[int, int]) -> None:
    """Shorter than a strip is wide, and than a batch is long."""
    first, second = ("ACGTTGCAAC" * 20, "ACTTGCATAC" * 20)
    problem = pair(first[: lengths[0]], second[: lengths[1]], Scoring(match_mismatch(2, -3), 5, 2), mode)
    for s in (33, 1900):
        assert_oracle(emulated(method, problem, **given_to(method, s=s)), problem, method)


@each
@pytest.mark.parametrize("s", [33, 410])
def test_strips_are_dealt_to_fewer_blocks_than_strips(emulated, method: Method, s: int) -> None:
    """More strips than the device has multiprocessors, and fewer; every strip is logged, and memory is as estimated."""
    problem, steps = make_related_pair(300, 1000), StepLog()
    values = given_to(method, s=s, h=64)
    planned = engine.plan_run(method, problem, values, "cuda")
    found = emulated(method, problem, steps=steps, seed=2, **values)
    expected = reference.align_pair(problem)
    assert (found.answer.score, found.answer.end) == (expected.score, expected.end)
    events = steps.ordered_events()
    sweep = events[events["phase"] == 1]
    assert sorted(sweep["strip"]) == list(range(-(-1000 // s))) and sweep["column_end"].max() == 1000
    assert (sweep["row_start"] == 0).all() and (sweep["row_end"] == 300).all()
    assert 0 < found.device_bytes <= planned.footprint.device_bytes + 24 * 512


def test_a_strip_that_no_gpu_can_hold_is_refused(emulated) -> None:
    problem = make_related_pair(300, 3000)
    with pytest.raises(
        ParameterError, match=r"s=2048 and T=32768: with mapping=published a strip needs .* smaller s or T"
    ):
        engine.plan_run(METHODS[0], problem, {"mapping": "published", "s": 2048, "T": 32768}, "cuda")


@each
@pytest.mark.parametrize("s", [410, 1900])
def test_a_warp_takes_no_such_strip(emulated, method: Method, s: int) -> None:
    with pytest.raises(ParameterError, match=f"s={s}: mapping=warps takes multiples of 32 up to 1,024; .*published"):
        engine.plan_run(method, make_related_pair(300, 3000), {"s": s}, "cuda")


@each
def test_a_cpu_computes_whole_vectors_and_says_so(method: Method) -> None:
    """And the result has the width that was computed, so that pictures show it."""
    problem = make_related_pair(100, 900)
    planned = engine.plan_run(method, problem, {"s": 410, "mapping": "published"}, "cpu")
    assert planned.parameters.s == 416
    assert "The backend cpu computes with s=416, not 410." in planned.notes
    found = engine.execute(planned)
    assert found.parameters["s"] == 416 and found.answer.score == reference.align_pair(problem).score


def test_a_block_computes_in_32_bits_and_says_so(emulated) -> None:
    """A precision that nobody chose is replaced without a word."""
    problem = make_related_pair(100, 900)
    for precision, notes in (({}, 0), ({"precision": "16"}, 1)):
        planned = engine.plan_run(METHODS[0], problem, {"mapping": "published", **precision}, "cuda")
        assert planned.parameters.precision == "32"
        assert planned.notes.count("The backend cuda computes with precision=32, not 16.") == notes


def test_the_largest_pair_of_the_paper_takes_one_launch() -> None:
    assert len(published_sizes.make_slices(100_000, 100_000, 1900, 32)) == 1
    assert len(published_sizes.make_slices(1_000_000, 1_000_000, 1900, 32)) > 50


def test_no_launch_is_without_strips() -> None:
    """A strip of few rows has ended long before the next one begins, a batch of 32,768 rows later."""
    rows, columns, batch = 100, 1_000_000, 32_768
    for slices in (
        cuda_sizes.make_slices(rows, columns, 1024, batch),
        published_sizes.make_slices(rows, 200_000_000, 1900, batch),
    ):
        assert all(one.first_strip < one.end_strip for one in slices)
        assert {strip for one in slices for strip in range(one.first_strip, one.end_strip)} == set(
            range(slices[-1].end_strip)
        )


@pytest.mark.gpu
@each
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("s", [32, 67, 410, 1900, 2048])
def test_gpu_gives_the_alignment_of_the_cpu(method: Method, mode: Mode, s: int) -> None:
    for lengths in ((31, 5000), (1500, 1501), (2900, 7001)):
        problem = make_related_pair(*lengths)
        problem = PairProblem(problem.first, problem.second, problem.scoring, mode)
        expected = engine.execute(engine.plan_run(registry.find_method("checkpointed-alignment"), problem, {}, "cpu"))
        for T in (8, 32, 1024):
            values = given_to(method, s=s, T=T, h=128, recompute="first-row")
            result = engine.execute(engine.plan_run(method, problem, values, "cuda"))
            result.check(problem)
            assert (result.answer.score, result.answer.end) == (expected.answer.score, expected.answer.end)
            if "alignment" in method.returns:
                np.testing.assert_array_equal(result.answer.alignment.operations, expected.answer.alignment.operations)


@pytest.mark.gpu
@each
def test_gpu_goes_on_between_launches(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published_sizes, "SLICE_CELLS", 1)
    monkeypatch.setattr(published_sizes, "LEAST_STEPS", 777)
    problem = make_related_pair(9000, 30_000)
    expected = engine.execute(engine.plan_run(registry.find_method("checkpointed-alignment"), problem, {}, "cuda"))
    for s in (100, 1900):
        result = engine.execute(engine.plan_run(method, problem, given_to(method, s=s, h=512), "cuda"))
        assert (result.answer.score, result.answer.end) == (expected.answer.score, expected.answer.end)
        if "alignment" in method.returns:
            np.testing.assert_array_equal(result.answer.alignment.operations, expected.answer.alignment.operations)
