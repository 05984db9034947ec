"""Multiple alignment on the device code, run by the emulator: the textbook's alignment, to the last gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.msa.consistency.given_trials import gapped
from antidiag.kernels.msa.trials import family
from antidiag.kernels.profiles import batch
from tests.choosing import Drawn


@pytest.mark.parametrize("method_id", ["msa-thesis", "msa-clustalw"])
@settings(max_examples=5)
@given(data=st.data(), seed=st.sampled_from((0, 1)))
def test_small_families(emulated, method_id: str, data: st.DataObject, seed: int) -> None:
    method = registry.method(method_id)
    tried = trials.of(method.problem)
    problem = tried.draw(Drawn(data.draw))
    tried.same(problem, emulated(method_id, problem, seed=seed).answer, tried.oracle(problem), method)


def test_problems_that_threads_make(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "LONG", 1)
    method = registry.method("msa-clustalw")
    problem = method.problem.make(family(9, 30), {})
    found = emulated(method, problem).answer
    expected = engine.execute(engine.plan(method, problem, {}, "cpu"), keep_rate=False, keep=False).answer
    trials.of(method.problem).same(problem, found, expected, method)


@pytest.mark.parametrize("method_id", ["msa-refine", "msa-add"])
def test_alignments_that_are_given(emulated, method_id: str) -> None:
    method, (*rows, new) = registry.method(method_id), family(5, 20)
    data = [gapped(tuple(rows), np.random.default_rng(1)), *([new] if method_id == "msa-add" else [])]
    problem = method.problem.make(data, {})
    found = emulated(method, problem).answer
    expected = engine.execute(engine.plan(method, problem, {}, "cpu"), keep_rate=False, keep=False).answer
    trials.of(method.problem).same(problem, found, expected, method)
