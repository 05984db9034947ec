"""Times of runs: code is compiled once, and only the run that waited for it says so."""

from __future__ import annotations

import time

import pytest

from antidiag.kernels import engine
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.method import Method
from antidiag.kernels.registry import METHODS

GENERATED = [m for m in METHODS if m.family == "trees" and all(taken.kind.generate for taken in m.problem_type.inputs)]


@pytest.mark.parametrize("method", GENERATED, ids=lambda method: method.id)
def test_the_times_of_a_second_run_are_parts_of_it(method: Method) -> None:
    problem = method.problem_type.make_problem(
        Generated(length=20, count=4 if "distance" in method.id else None).make_data(method.problem_type), {}
    )
    planned = engine.plan_run(method, problem, {}, "cpu")
    engine.execute(planned, keep_rate=False)
    before = time.perf_counter()
    times_ms = engine.execute(planned, keep_rate=False).times_ms
    assert sum(times_ms.values()) <= (time.perf_counter() - before) * 1e3
