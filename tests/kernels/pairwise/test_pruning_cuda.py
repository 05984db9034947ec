"""Pruning on the GPU: the device code, run by the emulator, gives the answer of the whole matrix."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from antidiag.kernels import registry
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.pruning import bounds
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from tests import oracle
from tests.example_counts import try_examples
from tests.kernels.pairwise.test_pruning import related
from tests.problems import assert_same_path, pair, pairs

SCORE, ALIGNMENT = registry.find_method("striped-score"), registry.find_method("checkpointed-alignment")
DNA = Scoring(match_mismatch(2, -3), 5, 2)


@pytest.fixture(autouse=True, scope="module")
def always_bounded() -> Iterator[None]:
    """Bounds are used although they gain little."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "LEAST_SHARE", -(10.0**9))
        yield


@st.composite
def launches(draw: st.DrawFn) -> dict[str, int]:
    """One launch, or many short ones, between which registers are kept."""
    return draw(st.sampled_from(({}, {"SLICE_CELLS": 1, "LEAST_STEPS": 96}, {"SLICE_CELLS": 1, "LEAST_STEPS": 256})))


def run_in_launches(emulated: Any, method: Any, problem: PairProblem, limits: dict[str, int], **chosen: Any) -> Any:
    sizes = import_module("antidiag.kernels.pairwise.strips.cuda_sizes")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in limits.items():
            patch.setattr(sizes, name, value)
        return emulated(method, problem, pruning="on", **chosen)


@try_examples(60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    problem=st.one_of(related(), pairs(longest=300)),
    limits=launches(),
    width=st.sampled_from(((64, 16), (96, 8))),
    precision=st.sampled_from(("16", "32")),
    seed=st.integers(0, 3),
)
def test_the_score_is_that_of_the_whole_matrix(
    emulated, problem: PairProblem, limits: dict[str, int], width: tuple[int, int], precision: str, seed: int
) -> None:
    assume(not problem.scoring.has_two_pieces)
    s, T = width
    found = run_in_launches(emulated, SCORE, problem, limits, s=s, T=T, precision=precision, seed=seed)
    expected = oracle.best_alignment(problem)
    assert (found.answer.score, found.answer.end) == (expected.score, expected.end)
    assert 0 <= found.cells <= problem.cells


@pytest.mark.parametrize("method", [SCORE, ALIGNMENT])
def test_without_pruning_every_cell_counts_once(emulated, method: Any) -> None:
    problem = pair("ACGTACGT", "ACGACGT", DNA)
    assert emulated(method, problem, pruning="off").cells == problem.cells


@pytest.mark.slow
@try_examples(40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    problem=st.one_of(related(), pairs(longest=300)),
    limits=launches(),
    tile=st.sampled_from((64, 128)),
    memory=st.sampled_from((0, 64)),
    precision=st.sampled_from(("16", "32")),
    seed=st.integers(0, 3),
)
def test_the_path_is_that_of_the_whole_matrix(
    emulated, problem: PairProblem, limits: dict[str, int], tile: int, memory: int, precision: str, seed: int
) -> None:
    assume(not problem.scoring.has_two_pieces)
    chosen = {"s": 64, "T": 16, "tile": tile, "checkpoint_memory": memory, "precision": precision}
    found = run_in_launches(emulated, ALIGNMENT, problem, limits, seed=seed, **chosen).answer
    expected = oracle.best_alignment(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    assert_same_path(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL, Mode.OVERLAP])
@pytest.mark.parametrize("precision", ["16", "32"])
def test_a_long_similar_pair_is_computed_along_its_path(emulated, precision: str, mode: Mode) -> None:
    random, letters = np.random.default_rng(5), np.array(list("ACGT"))
    first = random.choice(letters, 4000)
    second = np.where(random.random(first.size) < 0.04, random.choice(letters, first.size), first)
    problem = pair("".join(first), "".join(np.delete(second, slice(1500, 1520))), DNA, mode)
    limits = {"SLICE_CELLS": 1, "LEAST_STEPS": 512}
    found = run_in_launches(emulated, SCORE, problem, limits, s=64, T=16, precision=precision, seed=1)
    whole = emulated(SCORE, problem, pruning="off", s=64, T=16, precision="32")
    assert (found.answer.score, found.answer.end) == (whole.answer.score, whole.answer.end)
    assert found.cells < 0.1 * problem.cells
    assert whole.cells == problem.cells
    assert found.answer.skipped.skipped_cells == problem.cells - found.cells
    inside = found.answer.skipped.is_skipped
    assert not inside[0, 0]
    assert inside[0, -1] and inside[-1, 0]
