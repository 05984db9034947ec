"""Promised over taken: what a run costs is said before it starts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.experiments.suites import promised_costs
from antidiag.kernels.experiments.suites.promised_costs import PromisedCost
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.machine import measured_rates

CPU_METHODS = [method.id for method in registry.METHODS if "cpu" in method.backends]


@pytest.mark.parametrize("method_id", CPU_METHODS)
def test_a_run_computes_as_many_cells_as_promised(method_id: str) -> None:
    method = registry.find_method(method_id)
    problem = promised_costs.make_problem(method, 0)
    plan = engine.plan_run(method, problem, backend="cpu", use_tuned=False)
    result = engine.execute(plan, keep_rate=False, keep_parts=False)
    promised = method.cost.predicted_cells(problem, plan.parameters)
    assert 1 / promised_costs.CELL_BAR <= promised / result.cells <= promised_costs.CELL_BAR


def test_a_family_is_aligned_in_about_the_cells_and_the_time_promised() -> None:
    """PartTree-MSA promised a fifth of the time, and its result told the cells of pairs that it never computes."""
    method = registry.find_method("msa-parttree")
    problem = promised_costs.make_problem(method, 1)
    plan = engine.plan_run(method, problem, backend="cpu", use_tuned=False)
    result = engine.execute(plan, keep_rate=False, keep_parts=False)
    ratio = method.cost.predicted_cells(problem, plan.parameters) / result.cells
    assert 1 / promised_costs.CELL_BAR <= ratio <= promised_costs.CELL_BAR
    assert result.cells < problem.cells / 4


@pytest.mark.parametrize("method_id", ["striped-score", "checkpointed-alignment"])
@pytest.mark.parametrize("divergence", [0.02, 0.1, 0.9])
def test_blocks_that_are_skipped_are_foretold(method_id: str, divergence: float) -> None:
    method = registry.find_method(method_id)
    data = Generated(length=3000, divergence=divergence).make_data(method.problem_type)
    problem = method.problem_type.make_problem(data, method.problem_type.default_options(data))
    plan = engine.plan_run(method, problem, backend="cpu", use_tuned=False)
    result = engine.execute(plan, keep_rate=False, keep_parts=False)
    ratio = method.cost.predicted_cells(problem, plan.parameters) / result.cells
    assert 1 / promised_costs.CELL_BAR <= ratio <= promised_costs.CELL_BAR
    assert (result.cells < problem.cells / 2) == (divergence < 0.9)


@pytest.mark.parametrize("method_id", ["bit-parallel", "bit-parallel-score"])
@pytest.mark.parametrize("mode", ["global", "query-in-target"])
@pytest.mark.parametrize(("divergence", "letters"), [(0.02, 2500), (0.9, 2500), (0.02, 1700)])
def test_cells_of_a_band_are_among_those_promised(method_id: str, mode: str, divergence: float, letters: int) -> None:
    method = registry.find_method(method_id)
    first, second = Generated(length=2500, divergence=divergence).make_data(method.problem_type)
    data = first, replace(second, letters=second.letters[:letters])
    problem = method.problem_type.make_problem(data, {"mode": mode})
    plan = engine.plan_run(method, problem, backend="cpu", use_tuned=False)
    result = engine.execute(plan, keep_rate=False, keep_parts=False)
    cost = method.cost
    least, most = cost.least_cells(problem, plan.parameters), cost.predicted_cells(problem, plan.parameters)
    assert least <= result.cells <= most == problem.cells
    assert (least < most) == (mode == "global")


def make_cost(**changed: float) -> PromisedCost:
    values = {
        "least_cells": 100,
        "promised_cells": 100,
        "cells": 100,
        "first_ms": 100.0,
        "later_ms": 100.0,
        "taken_ms": 100.0,
    }
    return PromisedCost("method", "small", "a problem", **{**values, **changed}, timed_work=100, threads=1)


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ({}, True),
        ({"cells": 66}, False),
        ({"cells": 66, "least_cells": 66}, True),
        ({"cells": 66, "least_cells": 90}, True),
        ({"cells": 66, "least_cells": 100}, False),
        ({"first_ms": 201}, False),
        ({"later_ms": 49}, False),
        ({"first_ms": 1.0, "later_ms": 1.0, "taken_ms": 4.0}, True),
    ],
)
def test_the_bars(changed: dict[str, float], kept: bool) -> None:
    assert make_cost(**changed).is_kept is kept
    table = promised_costs.promise_table([make_cost(**changed)], "a processor")
    assert table.rows[0]["bar"] == ("" if kept else "missed")


def test_what_was_measured_here_plays_no_part_and_stays() -> None:
    before = measured_rates._rates_path
    (found,) = promised_costs.measure_promises("cpu", ["matrix-chain"], ["tiny"])
    assert (found.method, found.size) == ("matrix-chain", "tiny")
    assert measured_rates._rates_path is before


def test_new_shipped_rates_replace_those_of_the_measured_methods(tmp_path, monkeypatch) -> None:
    path = tmp_path / "shipped.json"
    path.write_text(measured_rates.SHIPPED_RATES.read_text())
    monkeypatch.setattr(measured_rates, "SHIPPED_RATES", path)
    measured_rates.shipped_points.cache_clear()
    others = dict(measured_rates.shipped_points("cpu"))
    found = [
        PromisedCost("nussinov", "tiny", "", 1, 1, 1, 1.0, 1.0, ms, work, 2) for work, ms in ((10, 1.0), (20, 3.0))
    ]
    promised_costs.write_shipped_rates(found, "cpu", "another processor")
    assert measured_rates.shipped_points("cpu") == {**others, "nussinov": ((10, 1.0, 2), (20, 3.0, 2))}
    measured_rates.shipped_points.cache_clear()
