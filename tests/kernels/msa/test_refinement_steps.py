"""The alignments between the changes of a refinement."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.model import Result
from antidiag.kernels.msa import refinement_steps
from antidiag.kernels.msa.consistency.given_alignment_trials import insert_random_gaps
from antidiag.kernels.msa.refinement_steps import RefinementSteps
from antidiag.kernels.msa.trials import generate_family


@pytest.fixture(scope="module")
def result() -> Result:
    method = registry.find_method("msa-refine")
    problem = method.problem_type.make_problem(
        [insert_random_gaps(generate_family(6, 30), np.random.default_rng(1))], {}
    )
    return engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)


def test_alignments_between_those_that_are_kept_are_made(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = RefinementSteps(result.answer)
    monkeypatch.setattr(refinement_steps, "MOST_BYTES", 50)
    few = RefinementSteps(result.answer)
    assert few._store_interval > 1
    for number in (0, len(few) - 1, len(few) // 2, 1):
        np.testing.assert_array_equal(few.letters_before(number), whole.letters_before(number))
