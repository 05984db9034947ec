"""Models: the paper's formulas by hand, their curves, and the limit of a device."""

from __future__ import annotations

import pytest

from kernels import engine, registry
from kernels.analysis import OPERATIONS, TRAFFIC
from kernels.experiments import models, runner
from kernels.experiments.inputs import Generated
from kernels.experiments.points import Point, Run, Status
from kernels.experiments.rooflines import roofline
from kernels.experiments.rooflines.roofline import Roofline
from kernels.experiments.sweep import Sweep, Task
from kernels.pairwise import analysis
from kernels.scoring import Scoring, match_mismatch
from tests.problems import pair

SCORING = Scoring(match_mismatch(2, -3), 5, 2)
PROBLEM = pair("A" * 1000, "C" * 4000, SCORING)


def value(function, backend="cuda", workers=14, **parameters) -> float:
    return function(PROBLEM, {"s": 64, "T": 32, "h": 100, "threads": 14, **parameters}, backend, workers)


def test_the_start_up_delay_is_that_of_the_paper():
    assert value(analysis.start_up) == 13 * 64 * 64 / 32
    assert value(analysis.start_up, workers=1) == 0
    assert value(analysis.start_up_with_batches) == 13 * (32 + 32) * 64 / 32


def test_a_cpu_has_twice_the_lanes_in_16_bits():
    assert value(analysis.start_up, "cpu", precision="32") == 13 * 64 * 64 / 16
    assert value(analysis.start_up, "cpu", precision="16") == 13 * 64 * 64 / 32


def test_steps_have_the_two_cases_of_the_paper():
    # m s / c >= p s^2 / c: strips follow each other without a wait.
    assert value(analysis.steps_published) == 13 * 128 + 1000 * 4000 / (14 * 32)
    # m < p s: every strip waits for the one before it.
    assert value(analysis.steps_published, s=128) == 31 * 128 * 128 / 32 + 1000 * 128 / 32


def test_steps_with_batches_count_whole_strips():
    strip, lead = (1000 + 32) * 64 / 32, (32 + 32) * 64 / 32
    assert value(analysis.steps_with_batches) == 5 * strip + 13 * lead  # 63 strips on 14 workers
    assert value(analysis.steps_with_batches, T=500) == 62 * (500 + 32) * 2 + strip
    assert value(analysis.steps_with_batches, workers=1) == 63 * strip


def test_traffic_grows_from_method_to_method():
    score = value(analysis.score_traffic)
    assert score == 16 * 1000 * 62
    states = 8 * 1000 * 63
    rows = 8 * 9 * 4000
    assert value(analysis.alignment_traffic) == score + states
    assert value(analysis.chunked_1_traffic) == score + states + rows
    assert value(analysis.chunked_2_traffic) == score + states + 2 * rows


def test_shared_memory_limits_the_strip_as_published():
    """48 KB of shared memory: s is below 1,902 (section IV)."""
    long = pair("A" * 3000, "C" * 3000, SCORING)
    assert analysis.shared_memory(long, {"s": 1901, "T": 32, "threads": 14}, "cuda", 14) <= 48 * 1024
    assert analysis.shared_memory(long, {"s": 1903, "T": 32, "threads": 14}, "cuda", 14) > 48 * 1024


def test_directions_are_those_of_section_v_d():
    assert value(analysis.striped_directions) == 5 * 1000 * 4000 / 8
    assert value(analysis.chunked_directions) == 5 * (1000 * 64 + 4000 * 100) / 8


@pytest.mark.parametrize("method", [one for one in registry.METHODS if one.models], ids=lambda one: one.id)
def test_every_declared_model_has_a_value(method):
    declared = method.models
    planned = engine.plan(method, PROBLEM, {}, "cpu")
    found = models.values(planned)
    assert list(found) == [model.id for model in declared]
    assert all(number >= 0 for number in found.values())
    assert found[OPERATIONS] >= (4.5 if planned.parameters.get("precision") == "16" else 11) * PROBLEM.cells
    assert all(model.help.endswith(".") and model.source.startswith("001") for model in declared)


def test_a_method_without_an_analysis_has_no_models():
    assert registry.method("antidiagonal").models == ()


def test_a_curve_is_the_model_at_other_values():
    task = Task("striped-score", "pair", Generated(length=500), parameters={"threads": 2, "T": 64}, backend="cpu")
    start_up = next(model for model in registry.method("striped-score").models if model.id == "start-up")
    found = models.curve(start_up, task, "s", [32, 33, 64, 96])
    assert [s for s, _ in found] == [32, 64, 96], "33 is no strip width"
    assert found[2][1] == 9 * found[0][1]


def test_a_curve_is_scaled_to_the_measured_points():
    steps = next(model for model in registry.method("striped-score").models if model.id == "steps")

    def point(foretold: float, measured_ms: float) -> Point:
        times = {"phase 1": measured_ms}
        return Point("k", "striped-score", "", {}, Status.MEASURED, runs=(Run(9e9, times),), models={"steps": foretold})

    assert models.scale(steps, [point(10, 20), point(10, 30), point(20, 80)]) == 3
    assert models.scale(steps, []) is None


def test_the_limit_is_the_slower_of_operations_and_traffic(monkeypatch):
    planned = engine.plan(registry.method("striped-score"), PROBLEM, {"threads": 2}, "cpu")
    values = {OPERATIONS: 1e9, TRAFFIC: 1e6}
    assert models.limit_ms(planned, values) is None, "the device was not measured"

    def known(operations: float, moved: float) -> None:
        roof = Roofline("cpu", engine.cpu_name(), 4, operations, moved, "")
        monkeypatch.setattr(roofline, "kept", lambda backend, device: roof)

    known(1e10, 1e9)
    assert models.limit_ms(planned, values) == pytest.approx(200), "two of four threads have half of the rate"
    known(1e13, 1e6)
    assert models.limit_ms(planned, values) == pytest.approx(1000)
    assert models.limit_ms(planned, {}) is None


@pytest.mark.parametrize(("precision", "operations"), [("32", 11), ("16", 4.5)])
def test_points_carry_models_and_the_share_of_the_limit(monkeypatch, precision, operations):
    roof = Roofline("cpu", engine.cpu_name(), 1, 1e12, 1e12, "")
    monkeypatch.setattr(roofline, "kept", lambda backend, device: roof)
    given = {"threads": 1, "precision": precision}
    sweep = Sweep(("striped-score",), Generated(length=300), parameters=given, backends=("cpu",), repeats=1)
    (found,) = runner.run(sweep)
    assert found.limit_ms == pytest.approx(operations * 300 * 300 / 1e12 * 1e3)
    assert found.value("of_limit") == pytest.approx(found.limit_ms / found.value("compute_ms"))
    assert found.value("start-up") == found.models["start-up"] == 0
