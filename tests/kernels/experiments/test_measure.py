"""Timing, proved with a method of known duration. Sleeping takes at least its time, so bounds are lower bounds."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.experiments.measuring import timing
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun, spread_of
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.scoring import Scoring, match_mismatch
from tests.kernels.experiments import fakes
from tests.kernels.experiments.fakes import COMPILATION_MS, NAP_MS, TRANSFER_MS, Bed, Nap
from tests.problems import pair

LENGTH = 3


def measured(repeats: int = 3, warm_up: int = 1, **parameters) -> timing.TimedRuns:
    planned = engine.plan_run(fakes.METHOD, Nap(Bed(LENGTH)), parameters, "cpu")
    (found,) = timing.take_turns([timing.method_call(planned, Monitor())], repeats, warm_up)
    return found


def test_every_part_of_a_run_takes_its_time(sleeper):
    found = measured()
    assert len(found.runs) == 3
    assert len(sleeper.CALLS) == 4
    for run in found.runs:
        assert run.compute_ms == sum(run.phase_times.values()) >= LENGTH * NAP_MS
        assert all(time >= LENGTH * NAP_MS / 2 for time in run.phase_times.values())
        assert run.transfer_ms >= TRANSFER_MS
        assert run.wall_ms >= run.compute_ms + run.transfer_ms
        assert run.other_ms == pytest.approx(run.wall_ms - run.compute_ms - run.transfer_ms)


def test_a_timed_call_finds_the_bounds_of_pruning_itself():
    """What the plan has computed for its estimate is part of the whole call, as it is of the phases."""
    first = "".join(np.random.default_rng(3).choice(list("ACGT"), 1200))
    problem = pair(first, first[:600] + first[610:], Scoring(match_mismatch(2, -3), 5, 2))
    planned = engine.plan_run(registry.find_method("striped-score"), problem, {"pruning": "on"}, "cpu")
    (found,) = timing.take_turns([timing.method_call(planned, Monitor())], 3, 1)
    for run in found.runs:
        assert 0 < run.phase_times["bounds"] <= run.wall_ms - run.phase_times["phase 1"]


def test_compilation_belongs_to_the_warm_up_and_to_no_phase(sleeper):
    found = measured()
    assert found.compilation_ms >= COMPILATION_MS
    assert all(run.compilation_ms == 0 for run in found.runs)


def test_without_a_warm_up_compilation_is_seen_in_the_first_run_only(sleeper):
    found = measured(repeats=2, warm_up=0)
    first, second = found.runs
    assert first.compilation_ms == found.compilation_ms >= COMPILATION_MS
    assert first.wall_ms >= COMPILATION_MS + LENGTH * NAP_MS + TRANSFER_MS
    assert second.compilation_ms == 0
    assert set(first.phase_times) == {"phase 1", "phase 2"}


def test_the_median_is_that_of_the_runs(sleeper):
    found = measured(repeats=3)
    point = MeasuredPoint(
        "k", "sleeper", "Sleeper", {}, PointStatus.MEASURED, runs=tuple(found.runs), cells=LENGTH * 1000
    )
    walls = sorted(run.wall_ms for run in found.runs)
    spread = point.find_spread("wall_ms")
    assert (spread.low, spread.median, spread.high, spread.count) == (walls[0], walls[1], walls[2], 3)
    assert point.median_value("gcups") == pytest.approx(point.cells / point.median_value("compute_ms") / 1e6)
    assert point.median_value("wall_gcups") < point.median_value("gcups")


def test_a_plain_call_has_one_phase():
    run, value = timing.plain_call(lambda: fakes._sleep(5.0))()
    assert run.wall_ms >= value >= 5.0
    assert run.phase_times == {"call": run.wall_ms}
    assert (run.transfer_ms, run.compilation_ms, run.other_ms) == (0, 0, 0)


def test_the_preparation_of_a_peer_is_done_once_and_not_counted(monkeypatch):
    now_ms = [0]
    monkeypatch.setattr(timing.time, "perf_counter_ns", lambda: now_ms[0] * 1_000_000)

    def passing(milliseconds: int) -> int:
        now_ms[0] += milliseconds
        return milliseconds

    def prepare():
        passing(1000)
        return lambda: passing(7)

    call = timing.peer_call(prepare)
    assert [call()[0].wall_ms for _ in range(3)] == [7, 7, 7]
    assert now_ms[0] == 1000 + 3 * 7


def fake_call(log: list, name: str, wall_ms: float, error: Exception | None = None) -> timing.TimedCall:
    def call():
        log.append(name)
        if error is not None:
            raise error
        return TimedRun(wall_ms), name

    return call


def test_calls_take_turns():
    log: list[str] = []
    found = timing.take_turns([fake_call(log, "a", 1), fake_call(log, "b", 2)], repeats=2, warm_up=1)
    assert log == ["a", "b"] * 3
    assert [[run.wall_ms for run in one.runs] for one in found] == [[1, 1], [2, 2]]


def test_what_takes_too_long_is_not_repeated():
    log: list[str] = []
    found = timing.take_turns([fake_call(log, "slow", 600), fake_call(log, "fast", 1)], 5, 0, patience_s=1)
    assert (len(found[0].runs), len(found[1].runs)) == (2, 5)


def test_a_call_that_fails_is_out_and_the_others_go_on():
    log: list[str] = []
    bad = fake_call(log, "bad", 1, InputError("no good"))
    found = timing.take_turns([bad, fake_call(log, "good", 1)], repeats=2, warm_up=1)
    assert log == ["bad", "good", "good", "good"]
    assert str(found[0].error) == "no good"
    assert len(found[1].runs) == 2


def test_cancel_ends_all():
    with pytest.raises(Cancelled):
        timing.take_turns([fake_call([], "a", 1, Cancelled())], 1)


def test_a_spread_of_nothing_is_none():
    assert spread_of([]) is None
    assert spread_of([1.0, 2.0, 4.0]).relative_range == 1.5
