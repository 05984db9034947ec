"""Models: the paper's formulas by hand, their curves, and the limit of a device."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.cost_models import OPERATIONS, TRAFFIC
from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.point_data import model_values
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, Sweep
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.pairwise import cost_models
from antidiag.kernels.pairwise.baselines import cost_models as baselines
from antidiag.kernels.pairwise.parameters import AntidiagonalBlocks, ChunkedAlignmentParameters, StripWidth
from antidiag.kernels.scoring import Scoring, match_mismatch
from antidiag.kernels.triple import analysis as cube
from antidiag.kernels.triple.grid import CHUNK_KINDS
from antidiag.kernels.triple.parameters import ChunkParameters, SubchunkParameters
from antidiag.kernels.triple.trials import make_problem as triple
from tests.problems import pair

SCORING = Scoring(match_mismatch(2, -3), 5, 2)
PROBLEM = pair("A" * 1000, "C" * 4000, SCORING)


def value(function, backend="cuda", workers=14, **parameters) -> float:
    given = {"s": 64, "T": 32, "h": 100, "threads": 14, **parameters}
    return function(PROBLEM, ChunkedAlignmentParameters(**given), backend, workers)


def test_the_start_up_delay_is_that_of_the_paper():
    assert value(cost_models.start_up_delay) == 13 * 64 * 64 / 32
    assert value(cost_models.start_up_delay, workers=1) == 0
    assert value(cost_models.start_up_with_batches) == 13 * (32 + 32) * 64 / 32


def test_a_cpu_has_twice_the_lanes_in_16_bits():
    assert value(cost_models.start_up_delay, "cpu", precision="32") == 13 * 64 * 64 / 16
    assert value(cost_models.start_up_delay, "cpu", precision="16") == 13 * 64 * 64 / 32


def test_steps_have_the_two_cases_of_the_paper():
    # m s / c >= p s^2 / c: strips follow each other without a wait.
    assert value(cost_models.steps_published) == 13 * 128 + 1000 * 4000 / (14 * 32)
    # m < p s: every strip waits for the one before it.
    assert value(cost_models.steps_published, s=128) == 31 * 128 * 128 / 32 + 1000 * 128 / 32


def test_steps_with_batches_count_whole_strips():
    strip, lead = (1000 + 32) * 64 / 32, (32 + 32) * 64 / 32
    assert value(cost_models.steps_with_batches) == 5 * strip + 13 * lead  # 63 strips on 14 workers
    assert value(cost_models.steps_with_batches, T=500) == 62 * (500 + 32) * 2 + strip
    assert value(cost_models.steps_with_batches, workers=1) == 63 * strip


def test_traffic_grows_from_method_to_method():
    score = value(cost_models.score_traffic)
    assert score == 16 * 1000 * 62
    states = 8 * 1000 * 63
    rows = 8 * 9 * 4000
    assert value(cost_models.alignment_traffic) == score + states
    assert value(cost_models.chunked_1_traffic) == score + states + rows
    assert value(cost_models.chunked_2_traffic) == score + states + 2 * rows


def test_shared_memory_limits_the_strip_as_published():
    """48 KB of shared memory: s is below 1,902 (section IV)."""
    long = pair("A" * 3000, "C" * 3000, SCORING)
    assert cost_models.shared_memory(long, StripWidth(s=1901), "cuda", 14) <= 48 * 1024
    assert cost_models.shared_memory(long, StripWidth(s=1903), "cuda", 14) > 48 * 1024


def test_directions_are_those_of_section_v_d():
    assert value(cost_models.striped_directions) == 5 * 1000 * 4000 / 8
    assert value(cost_models.chunked_directions) == 5 * (1000 * 64 + 4000 * 100) / 8


@pytest.mark.parametrize(
    "method", [one for one in registry.METHODS if one.problem_type.id == "pair"], ids=lambda one: one.id
)
def test_every_declared_model_has_a_value(method):
    declared = method.cost.cost_models
    planned = engine.plan_run(method, PROBLEM, {}, "cpu")
    found = model_values.model_values(planned)
    assert list(found) == [model.id for model in declared]
    assert all(number >= 0 for number in found.values())
    assert found[OPERATIONS] >= (4.5 if getattr(planned.parameters, "precision", "32") == "16" else 11) * PROBLEM.cells
    assert all(model.help.endswith(".") and model.source.startswith("Li et al. 2012, section ") for model in declared)


def test_a_curve_is_the_model_at_other_values():
    task = MeasurementTask(
        "striped-score", "pair", Generated(length=500), parameters={"threads": 2, "T": 64}, backend="cpu"
    )
    start_up = next(model for model in registry.find_method("striped-score").cost.cost_models if model.id == "start-up")
    found = model_values.model_curve(start_up, task, "s", [31, 32, 64, 96])
    assert [s for s, _ in found] == [32, 64, 96], "31 is no strip width"
    assert found[2][1] == 9 * found[0][1]


def test_a_curve_is_scaled_to_the_measured_points():
    steps = next(model for model in registry.find_method("striped-score").cost.cost_models if model.id == "steps")

    def point(foretold: float, measured_ms: float) -> MeasuredPoint:
        times = {"phase 1": measured_ms}
        return MeasuredPoint(
            "k", "striped-score", "", {}, PointStatus.MEASURED, runs=(TimedRun(9e9, times),), models={"steps": foretold}
        )

    assert model_values.fit_scale(steps, [point(10, 20), point(10, 30), point(20, 80)]) == 3
    assert model_values.fit_scale(steps, []) is None


def test_the_limit_is_the_slower_of_operations_and_traffic(monkeypatch):
    planned = engine.plan_run(registry.find_method("striped-score"), PROBLEM, {"threads": 2}, "cpu")
    values = {OPERATIONS: 1e9, TRAFFIC: 1e6}
    assert model_values.limit_ms(planned, values) is None, "the device was not measured"

    def known(operations: float, moved: float) -> None:
        roof = Roofline("cpu", engine.cpu_name(), 4, operations, moved, "")
        monkeypatch.setattr(roofline, "stored_roofline", lambda backend, device: roof)

    known(1e10, 1e9)
    assert model_values.limit_ms(planned, values) == pytest.approx(200), "two of four threads have half of the rate"
    known(1e13, 1e6)
    assert model_values.limit_ms(planned, values) == pytest.approx(1000)
    assert model_values.limit_ms(planned, {}) is None


@pytest.mark.parametrize(("precision", "operations"), [("32", 11), ("16", 4.5)])
def test_points_carry_models_and_the_share_of_the_limit(monkeypatch, precision, operations):
    roof = Roofline("cpu", engine.cpu_name(), 1, 1e12, 1e12, "")
    monkeypatch.setattr(roofline, "stored_roofline", lambda backend, device: roof)
    given = {"threads": 1, "precision": precision}
    sweep = Sweep(("striped-score",), Generated(length=300), parameters=given, backends=("cpu",), repeats=1)
    (found,) = runner.run_sweep(sweep)
    assert found.limit_ms == pytest.approx(operations * 300 * 300 / 1e12 * 1e3)
    assert found.median_value("of_limit") == pytest.approx(found.limit_ms / found.median_value("compute_ms"))
    assert found.median_value("start-up") == found.models["start-up"] == 0


@pytest.mark.parametrize("method", registry.METHODS, ids=lambda method: method.id)
def test_every_method_has_operations_for_its_roofline(method):
    """Of a large problem, for any number of workers."""
    for backend in method.backends:
        problem, given = trials.load_trials(method.problem_type).make_large_problem(method, backend, 1)
        automatic = method.choose_parameters(problem, backend, 132 if backend == "cuda" else None)
        parameters = method.parameters.resolve(given, automatic)
        found = [
            {model.id: model.value(problem, parameters, backend, workers) for model in method.cost.cost_models}
            for workers in (1, 8)
        ]
        assert found[0][OPERATIONS] > 0
        assert all(np.isfinite(value) and value >= 0 for values in found for value in values.values())
        for name in found[0].keys() & {"share", "pieces"}:
            assert found[1][name] <= found[0][name]
        assert all(model.help and model.source for model in method.cost.cost_models)


def test_chunks_have_the_steps_of_the_paper():
    kind, n = CHUNK_KINDS["sloped"], 153
    problem = triple("A" * 300, "C" * 200, "G" * n, Scoring(match_mismatch(2, -3), 0, 2))
    given = ChunkParameters(s=32, threads=14)
    for layered, steps in ((True, 63 * (n + 1)), (False, 63 + n)):
        own = replace(kind, layered=layered)
        assert cube.count_parallel_steps(problem, given, own) == steps
        assert cube.count_worker_steps(problem, given, "cuda", 14, own) == 5 * steps, "70 chunks on 14 workers"
        delay = 14**0.5 * 32 ** (2 if layered else 3) / 32
        assert cube.estimate_published_steps(problem, given, "cuda", 14, own) == 300 * 200 * n / (14 * 32) + delay
        assert cube.count_shared_bytes(problem, given, own) == 4 * (2 if layered else 4) * 33**2
    lower = SubchunkParameters(s=32, h=64, threads=14)
    faces = (9 * 201 + 6 * 301) * (n + 1)
    assert cube.count_border_bytes(problem, given, kind) == 8 * faces
    assert cube.count_border_bytes(problem, lower, CHUNK_KINDS["sloped-bt3"]) == 12 * faces + 8 * 2 * 301 * 201


def test_blocks_go_in_rounds():
    problem = pair("A" * 64, "C" * 96, SCORING)
    given = AntidiagonalBlocks(s=16, threads=2)
    # Antidiagonals of blocks have 1, 2, 3, 4, 4, 4, 3, 2, 1 of them.
    for workers, rounds in {1: 24, 2: 14, 4: 9}.items():
        assert baselines.block_steps(problem, given, "cuda", workers) == rounds * 31
    assert baselines.count_block_antidiagonals(problem, given, "cuda", 1) == 9
    lengths = [*range(1, 64), *[64] * 33, *range(63, 0, -1)]
    assert baselines.count_antidiagonals(problem, given, "cuda", 1) == len(lengths)
    assert baselines.antidiagonal_steps(problem, given, "cuda", 1) == sum(-(-length // 32) for length in lengths)
