"""The device code of all pairwise methods, run by the emulator: the oracle's score and path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import pairwise
from antidiag.kernels.cuda import devices
from antidiag.kernels.method import Method
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.trials import TRIALS
from antidiag.kernels.scoring import Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.choosing import HypothesisChooser
from tests.example_counts import try_examples
from tests.kernels.pairwise.compiled_modes import LOCAL
from tests.problems import assert_same_path, pair, pairs, shifted

SEEDS = st.sampled_from((0, 1, 2, 3))
"""0: threads and blocks in turn; else in random order."""


def compiled_in(method: Method, problem: PairProblem) -> dict[str, int]:
    """Parameters that are constants of the compiled kernels, so that few kernels are compiled.

    Half of the problems have strips or blocks of one warp, half of more; scores beyond a byte go with the former.
    """
    wide = bool(np.abs(problem.scoring.scores).max() > 127)
    names = method.parameters.names()
    if "T" in names:
        return {"s": 32 if wide else 96, "T": 8 if len(problem.first) % 2 else 24}
    return {"s": 36 if wide else 12} if "s" in names else {}


@pytest.mark.parametrize("method", pairwise.METHODS, ids=lambda method: method.id)
@try_examples(20)
@given(data=st.data())
def test_answer_is_the_oracles(emulated, method: Method, data: st.DataObject) -> None:
    problem = data.draw(pairs())
    chosen = {**TRIALS.draw_parameters(method, "cuda", HypothesisChooser(data.draw)), **compiled_in(method, problem)}
    found = emulated(method, problem, seed=data.draw(SEEDS), **chosen).answer
    expected = oracle.best_alignment(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    if "alignment" in method.returns:
        assert_same_path(found, expected)


def test_memory_is_kept_between_runs_up_to_a_limit(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    def bytes_of_run(length: int) -> tuple[int, int]:
        problem = pair("ACGT" * length, "AGT" * length, Scoring(match_mismatch(2, -3), 5, 2))
        return emulated("striped-score", problem, s=96, T=8).device_bytes, devices.run_memory_pool().free_bytes()

    large, kept = bytes_of_run(100)
    assert 0 < large <= kept
    assert bytes_of_run(100) == (large, kept)
    small, still_kept = bytes_of_run(10)
    assert (small < large, still_kept) == (True, kept)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("s", [32, 128])
def test_boundaries_go_round_their_rings(emulated, monkeypatch: pytest.MonkeyPatch, s: int, seed: int) -> None:
    """The path crosses strips where a second round begins, 31 rows that the first round has above row 1."""
    from antidiag.kernels.pairwise.strips import cuda_sizes

    monkeypatch.setattr(cuda_sizes, "SLICE_CELLS", 1)
    problem = shifted(1400, 16)
    assert cuda_sizes.boundary_rows(problem.rows, problem.columns, s, 16, whole=False) == 1152
    assert emulated("striped-score", problem, s=s, T=16, seed=seed).answer.score == 2 * 1384


def test_too_many_events_are_thinned_by_launches(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    from antidiag.kernels.pairwise.strips import cuda_sizes

    monkeypatch.setattr(cuda_sizes, "SLICE_CELLS", 1)

    def events() -> tuple[set[tuple[int, ...]], StepLog]:
        steps = StepLog()
        emulated("striped-score", shifted(1400, 16), steps=steps, s=32, T=16)
        named = steps.ordered_events()[["strip", "row_start", "row_end"]]
        assert (steps.ordered_events()["waited_ns"] >= 0).all()
        return {tuple(event) for event in named.tolist()}, steps

    every, whole = events()
    monkeypatch.setattr(cuda_sizes, "MOST_EVENTS", 150)
    some, thinned = events()
    assert some < every
    assert (whole.share, whole.count) == (1, len(every))
    assert 0 < thinned.count <= 150
    assert 0 < thinned.share < 1


def test_shared_memory_stays_allowed_for_runs_beside(emulated) -> None:
    """A kernel that one thread is about to launch is asked for by another, whose strips need less."""
    from antidiag.kernels.cuda.kernel_compiler import compile_kernel
    from antidiag.kernels.pairwise.strips import cuda_job, cuda_sweep

    defines = {"R": 3, "BATCH": 8, **LOCAL, "WIDE": 0, "PACKED": 0, "KEYED": 1, "CHECKPOINTS": 0}
    kernel, _ = compile_kernel(cuda_sweep.SCORE, "striped_score", defines)
    for shared in (60_000, 4_000):
        assert cuda_job.block_warps(kernel, 32, shared)[0] == 1
    assert kernel.max_dynamic_shared_size_bytes == 60_000
