"""Multiple alignment on the device code, run by the emulator: the textbook's alignment, to the last gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.msa.consistency.given_alignment_trials import insert_random_gaps
from antidiag.kernels.msa.trials import generate_family
from antidiag.kernels.profiles.wavefront import many_alignments
from tests.choosing import HypothesisChooser


@pytest.mark.parametrize("method_id", ["msa-thesis", "msa-clustalw"])
@settings(max_examples=5)
@given(data=st.data(), seed=st.sampled_from((0, 1)))
def test_small_families(emulated, method_id: str, data: st.DataObject, seed: int) -> None:
    method = registry.find_method(method_id)
    tried = trials.load_trials(method.problem_type)
    problem = tried.draw_problem(HypothesisChooser(data.draw))
    tried.assert_same_answer(
        problem, emulated(method_id, problem, seed=seed).answer, tried.solve_by_textbook(problem), method
    )


def test_problems_that_threads_make(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_alignments, "LONG", 1)
    method = registry.find_method("msa-clustalw")
    problem = method.problem_type.make_problem(generate_family(9, 30), {})
    found = emulated(method, problem).answer
    expected = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False).answer
    trials.load_trials(method.problem_type).assert_same_answer(problem, found, expected, method)


@pytest.mark.parametrize("method_id", ["msa-refine", "msa-add"])
def test_alignments_that_are_given(emulated, method_id: str) -> None:
    method, (*rows, new) = registry.find_method(method_id), generate_family(5, 20)
    data = [insert_random_gaps(tuple(rows), np.random.default_rng(1)), *([new] if method_id == "msa-add" else [])]
    problem = method.problem_type.make_problem(data, {})
    found = emulated(method, problem).answer
    expected = engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False).answer
    trials.load_trials(method.problem_type).assert_same_answer(problem, found, expected, method)
