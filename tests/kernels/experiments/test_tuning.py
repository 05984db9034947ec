"""Tuning, with times that a formula gives instead of a clock."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from antidiag.kernels import engine
from antidiag.kernels.errors import Cancelled, ParameterError
from antidiag.kernels.experiments.measuring import timing
from antidiag.kernels.experiments.measuring.runner import SweepControl
from antidiag.kernels.experiments.point_data.point_store import PointStore
from antidiag.kernels.experiments.point_data.points import PointStatus, TimedRun
from antidiag.kernels.experiments.sweeps import parameter_tuning
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.machine import tuned_values
from tests.kernels.experiments import fakes

TASK = MeasurementTask("sleeper", "nap", Generated(length=2), backend="cpu")


@pytest.fixture
def formula(sleeper, monkeypatch):
    """Runs of no duration and a clock of its own, so that nothing depends on the machine.

    ``formula[0](width, depth)`` is the time in milliseconds, by default least at width 2 and depth 128.
    """
    times = [lambda width, depth: 10 + 8 * abs(width - 2) + abs(depth - 128) / 8]

    def method_call(planned, monitor):
        execute = timing.engine.execute

        def call():
            result = execute(planned, monitor, keep_rate=False)
            return TimedRun(times[0](planned.parameters.width, planned.parameters.depth)), result

        return call

    ticks = itertools.count()
    monkeypatch.setattr(
        parameter_tuning, "time", SimpleNamespace(monotonic=lambda: next(ticks))
    )  # a second at each look
    monkeypatch.setattr(timing, "method_call", method_call)
    monkeypatch.setattr(fakes, "_sleep", lambda milliseconds: milliseconds)
    return times


def counted(control: SweepControl, most: int):
    """A listener that cancels after so many points."""
    found = []

    def listen(point):
        found.append(point)
        if len(found) == most:
            control.cancel()

    return listen


def search(budget_s: float = 100, **more) -> parameter_tuning.TuningOutcome:
    return parameter_tuning.tune_parameters(TASK, budget_s, **more)


def test_the_search_finds_what_is_faster_and_keeps_it(formula):
    found = search(budget_s=400)
    assert found.automatic == {"width": 8, "depth": 32}
    assert found.automatic_ms == 10 + 8 * 6 + 96 / 8
    assert found.time_ms == formula[0](**found.values) < found.automatic_ms / 2
    assert found.kept
    assert found.reason == ""
    planned = engine.plan_run(fakes.METHOD, TASK.build_problem(), {}, "cpu")
    assert {name: getattr(planned.parameters, name) for name in found.values} == found.values
    assert planned.tuned == set(found.values)


def test_the_automatic_values_are_the_first_candidate(formula):
    found = search()
    assert {name: found.points[0].parameters[name] for name in found.automatic} == found.automatic


def test_what_is_slow_is_not_run_again(formula):
    found = search()
    counts = {len(point.runs) for point in found.points[1:]}
    assert 1 in counts
    assert max(len(point.runs) for point in found.points) == parameter_tuning.RUNS


def test_nothing_is_kept_that_is_hardly_faster(formula):
    formula[0] = lambda width, depth: 100 - (width == 2)
    found = search()
    assert not found.kept
    assert "less than 2%" in found.reason or "automatic values are the fastest" in found.reason
    assert tuned_values.read_tuned() == ()


def test_where_the_automatic_values_are_best_older_ones_are_forgotten(formula):
    problem = TASK.build_problem()
    tuned_values.save_tuned(
        tuned_values.TunedValues("sleeper", "cpu", engine.cpu_name(), problem.cells, "", {"width": 3}, 1, 2, "2026")
    )
    formula[0] = lambda width, depth: 10 + abs(width - 8) + abs(depth - 32)
    found = search()
    assert found.values == found.automatic
    assert tuned_values.read_tuned() == ()


def test_what_is_refused_is_passed_over(formula):
    found = search(only={"width": (8, 64)})
    refused = [point for point in found.points if point.parameters["width"] == 64]
    assert refused
    assert all(point.status is PointStatus.REFUSED for point in refused)
    assert found.values["width"] == 8


def test_a_narrowed_search_is_not_kept(formula):
    found = search(only={"width": (1, 2, 8)})
    assert {point.parameters["width"] for point in found.points} <= {1, 2, 8}
    assert not found.kept
    assert found.reason == "parameters were fixed or narrowed for this search"


def test_a_small_space_is_searched_whole_and_then_ends(formula):
    found = parameter_tuning.tune_parameters(
        MeasurementTask("sleeper", "nap", Generated(length=2), parameters={"depth": 32}, backend="cpu"),
        budget_s=10_000,
        only={"width": (1, 2, 4)},
    )
    assert {point.parameters["width"] for point in found.points} >= {1, 2, 4}
    assert found.values == {"width": 2}


def test_the_search_can_be_stopped_and_what_it_found_counts(formula):
    control = SweepControl()
    found = search(budget_s=10_000, control=control, on_point=counted(control, 30))
    assert found.stopped
    assert len(found.points) == 30
    assert found.time_ms <= found.automatic_ms


def test_stopped_before_anything_ran_there_is_nothing(formula):
    control = SweepControl()
    control.cancel()
    with pytest.raises(Cancelled):
        search(control=control)
    assert tuned_values.read_tuned() == ()


def test_candidates_are_kept_on_disk(formula, tmp_path):
    store = PointStore(tmp_path / "tune.jsonl")
    found = search(store=store)
    assert store.read_points().points == found.points


def test_a_wrong_answer_is_no_candidate(formula, monkeypatch):
    honest = fakes.NapAnswer
    monkeypatch.setattr(fakes, "NapAnswer", lambda number: honest(number + (fakes.CALLS[-1]["width"] == 2)))
    found = search(only={"width": (8, 2, 4)})
    wrong = [point for point in found.points if point.status is PointStatus.WRONG]
    assert wrong
    assert {point.parameters["width"] for point in wrong} == {2}
    assert found.values["width"] == 4


def test_numbers_are_searched_around_the_automatic_value(sleeper):
    space = parameter_tuning.search_space(fakes.METHOD, {"width": 8, "depth": 32}, "cpu", {})
    assert set(space) == {"width", "depth"}, "behaviour has a default of its own"
    assert (min(space["width"]), max(space["width"])) == (1, 64)
    assert (min(space["depth"]), max(space["depth"])) == (2, 512)
    assert 8 in space["width"]
    assert list(space["depth"]) == sorted(set(space["depth"]))
    assert set(parameter_tuning.search_space(fakes.METHOD, {"width": 8, "depth": 32}, "cpu", {"width": 1})) == {"depth"}


def test_a_search_without_anything_to_search_is_refused(sleeper):
    with pytest.raises(ParameterError, match="no parameter to search"):
        parameter_tuning.tune_parameters(
            MeasurementTask("sleeper", "nap", Generated(length=1), parameters={"width": 1, "depth": 1}, backend="cpu")
        )
    with pytest.raises(ParameterError, match="only methods can be tuned"):
        parameter_tuning.tune_parameters(MeasurementTask("edlib-score", "pair", Generated()))


@pytest.mark.parametrize("lasting", [True, False])
def test_more_threads_than_processors_have_to_win_twice(formula, monkeypatch, lasting):
    monkeypatch.setattr(parameter_tuning, "_has_spare_threads", lambda values: dict(values)["width"] > 8)
    formula[0] = lambda width, depth: 5 if width > 8 else 10 + (8 - width)

    def hear(progress):
        if progress.text.startswith("measuring again") and not lasting:
            formula[0] = lambda width, depth: 10 + abs(width - 8)

    found = search(budget_s=400, on_progress=hear)
    assert (found.values["width"] > 8) == lasting
    assert found.time_ms == (5 if lasting else 10)


def test_spare_threads_are_those_beyond_the_processors(monkeypatch):
    monkeypatch.setattr(parameter_tuning, "count_processors", lambda: 2)
    assert parameter_tuning._has_spare_threads((("s", 64), ("threads", 3)))
    assert not parameter_tuning._has_spare_threads((("s", 64), ("threads", 2)))
    assert not parameter_tuning._has_spare_threads((("s", 64),))
