"""Sweeps: the grid, what becomes of points that cannot be measured, pause, cancel, reuse."""

from __future__ import annotations

import pickle
import threading
import weakref

import pytest

from antidiag.kernels.errors import Cancelled, ParameterError
from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.measuring.runner import SweepControl
from antidiag.kernels.experiments.point_data.point_store import PointStore
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, Sweep
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from tests.kernels.experiments import fakes
from tests.patience import PATIENCE_S


def axis(text: str) -> sweep_axes.SweepAxis:
    return sweep_axes.parse_axis(text, [fakes.METHOD])


def sweep(*texts: str, contenders: tuple[str, ...] = ("sleeper",), **more) -> Sweep:
    settings = {"inputs": Generated(length=1), "backends": ("cpu",), "repeats": 1, "warm_up": 0} | more
    return Sweep(contenders, axes=tuple(map(axis, texts)), **settings)


def coordinates(tasks) -> list[dict]:
    return [{name: value for name, value in task.coordinates.items() if name != "backend"} for task in tasks]


def test_the_grid_holds_every_combination_once(sleeper):
    tasks = sweep("width=1,2", "depth=3,4").make_tasks()
    places = [{"method": "sleeper", "width": width, "depth": depth} for width in (1, 2) for depth in (3, 4)]
    assert coordinates(tasks) == places
    assert [task.parameters for task in tasks] == [{"width": w, "depth": d} for w in (1, 2) for d in (3, 4)]


def test_problems_vary_slowest_whatever_the_order_of_the_axes(sleeper):
    tasks = sweep("width=1,2", "length=1,2", "offset=0,5").make_tasks()
    assert [(task.inputs.length, task.options["offset"], task.parameters["width"]) for task in tasks] == [
        (length, offset, width) for length in (1, 2) for offset in (0, 5) for width in (1, 2)
    ]


def test_contenders_without_a_parameter_are_measured_once(sleeper):
    tasks = sweep("width=1,2", "depth=3,4", contenders=("sleeper", "dozer")).make_tasks()
    dozing = [task.parameters for task in tasks if task.contender == "dozer"]
    assert dozing == [{"width": 1}, {"width": 2}]
    assert len(tasks) == 6


def test_the_method_can_be_an_axis(sleeper):
    tasks = sweep("method=sleeper,dozer", "width=1,2").make_tasks()
    assert [task.contender for task in tasks] == ["sleeper", "sleeper", "dozer", "dozer"]


def test_backends_and_devices_stand_side_by_side(sleeper):
    tasks = sweep(backends=("cpu", "cuda"), devices=(0, 1)).make_tasks()
    assert [(task.backend, task.device) for task in tasks] == [("cpu", 0), ("cuda", 0), ("cuda", 1)]
    assert [task.coordinates.get("device") for task in tasks] == [None, 0, 1]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sweep("width=1", contenders=("nobody",)), "unknown method 'nobody'; .* are known"),
        (lambda: sweep("width=1", contenders=("striped-scor",)), "such as striped-score"),
        (lambda: sweep(contenders=("edlib-score",)), "needs at least one method"),
        (lambda: sweep(contenders=("sleeper", "striped-score")), "methods of different problems"),
        (lambda: sweep("width=1", "width=2"), "two axes have the same name"),
        (lambda: sweep("width=1", parameters={"width": 2}), "both an axis and a fixed parameter"),
        (lambda: sweep(parameters={"q": 2}), "unknown parameter 'q'"),
        (lambda: sweep(repeats=0), "at least 1 repeat"),
    ],
)
def test_sweeps_that_make_no_sense_are_refused(sleeper, make, said):
    with pytest.raises(ParameterError, match=said):
        make().make_tasks()


def test_tasks_are_self_contained_and_keys_are_stable(sleeper):
    (task,) = sweep("width=3").make_tasks()
    again: MeasurementTask = pickle.loads(pickle.dumps(task))
    assert again == task
    one, other = runner.measure_task(task), runner.measure_task(again)
    assert one.key == other.key
    assert one.problem == other.problem
    (different,) = sweep("width=4").make_tasks()
    assert runner.measure_task(different).key != one.key


def test_the_name_of_a_sweep_depends_on_what_is_measured(sleeper):
    assert sweep("width=1,2").id == sweep("width=1,2", title="another title").id
    assert (
        len(
            {
                sweep("width=1,2").id,
                sweep("width=1,3").id,
                sweep("width=1,2", inputs=Generated(length=2)).id,
            }
        )
        == 3
    )


def test_a_point_tells_what_ran(sleeper):
    (found,) = runner.run_sweep(sweep("width=3", repeats=2))
    assert found.status is PointStatus.MEASURED
    assert (found.given, found.parameters) == ({"width": 3}, {"width": 3, "depth": 32, "behaviour": "sleep"})
    assert (found.answer, found.cells, found.unit, found.host_bytes) == ("1,000", 1000, "winks", 123)
    assert len(found.runs) == 2
    assert found.backend == "cpu"
    assert found.device
    assert found.versions["antidiag"]


def test_what_cannot_be_measured_is_recorded_with_its_reason_and_the_sweep_goes_on(sleeper):
    found = runner.run_sweep(sweep("length=1,99", "width=8,64", "behaviour=fail,sleep", backends=("cpu", "cuda")))
    by_place = {
        (p.coordinates["length"], p.backend, p.coordinates["width"], p.coordinates["behaviour"]): p for p in found
    }
    assert len(found) == 16
    assert by_place[1, "cpu", 8, "sleep"].status is PointStatus.MEASURED
    failed = by_place[1, "cpu", 8, "fail"]
    assert (failed.status, failed.reason) == (PointStatus.FAILED, "ZeroDivisionError: nothing to divide")
    refused = by_place[1, "cpu", 64, "sleep"]
    assert refused.status is PointStatus.REFUSED
    assert "for mattress)" in refused.reason
    assert "has no backend cuda" in by_place[1, "cuda", 8, "sleep"].reason
    assert by_place[99, "cpu", 8, "sleep"].reason == "the bed is too long; take a shorter one"
    assert sum(point.has_times for point in found) == 1


def test_a_wrong_answer_is_reported_loudly(sleeper):
    found = runner.run_sweep(sweep("behaviour=sleep,lie"))
    assert [point.status for point in found] == [PointStatus.MEASURED, PointStatus.WRONG]
    assert "WRONG: the answer is 1,001, and Sleeper on the cpu with" in found[1].reason
    assert found[1].has_times


def test_every_problem_has_its_own_answer(sleeper):
    found = runner.run_sweep(sweep("offset=0,7", "length=1,2"))
    assert [point.answer for point in found] == ["1,000", "1,007", "2,000", "2,007"]
    assert {point.status for point in found} == {PointStatus.MEASURED}


def test_points_arrive_one_by_one_with_progress(sleeper, tmp_path):
    store, arrived, told = PointStore(tmp_path / "a.jsonl"), list[MeasuredPoint](), []
    found = runner.run_sweep(sweep("width=1,2,3"), store, None, arrived.append, told.append)
    assert arrived == list(found)
    assert store.read_points().points == found
    assert [(progress.done, progress.total) for progress in told] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert told[-1].remaining_s == 0
    assert all(progress.remaining_s >= 0 for progress in told)


def test_points_measured_before_are_taken_when_asked(sleeper, tmp_path):
    store = PointStore(tmp_path / "a.jsonl")
    first = runner.run_sweep(sweep("width=1,2"), store)
    calls = len(sleeper.CALLS)
    second = runner.run_sweep(sweep("width=1,2,3", "behaviour=sleep"), store, reuse=True)
    assert [point.reused for point in second] == [False] * 3, "another given parameter is another point"
    third = runner.run_sweep(sweep("width=2,3,1"), store, reuse=True)
    assert [point.reused for point in third] == [True, False, True]
    assert third[2].runs == first[0].runs
    assert third[2].coordinates["width"] == 1
    assert len(sleeper.CALLS) == calls + 3 + 1
    assert len(store.read_points().points) == 2 + 3 + 1
    again = runner.run_sweep(sweep("width=1"), store)
    assert not again[0].reused


def test_side_by_side_takes_turns_within_a_problem(sleeper):
    runner.run_sweep(sweep("width=1,2", "length=1,2", repeats=2, side_by_side=True))
    assert [call["width"] for call in sleeper.CALLS] == [1, 2, 1, 2] * 2


def test_cancel_keeps_what_is_finished(sleeper, tmp_path):
    store, control = PointStore(tmp_path / "a.jsonl"), SweepControl()

    def after_two(point: MeasuredPoint) -> None:
        if len(store.read_points().points) == 2:
            control.cancel()

    with pytest.raises(Cancelled):
        runner.run_sweep(sweep("width=1,2,3,4"), store, control, after_two)
    assert len(store.read_points().points) == 2


def test_cancel_reaches_into_a_run(sleeper):
    control = SweepControl()
    sleeper.HANGING.clear()
    threading.Thread(target=lambda: sleeper.HANGING.wait() and control.cancel(), daemon=True).start()
    with pytest.raises(Cancelled):
        runner.run_sweep(sweep("behaviour=hang"), control=control)


def test_a_pause_lasts_until_it_is_ended(sleeper):
    class Watched(SweepControl):
        def wait_while_paused(self) -> None:
            if self.is_paused:
                waiting.set()
            super().wait_while_paused()

    control, arrived, waiting = Watched(), list[MeasuredPoint](), threading.Event()

    def pause_after_the_first(point: MeasuredPoint) -> None:
        arrived.append(point)
        if len(arrived) == 1:
            control.pause()

    thread = threading.Thread(target=runner.run_sweep, args=(sweep("width=1,2"), None, control, pause_after_the_first))
    thread.start()
    assert waiting.wait(PATIENCE_S)
    assert control.is_paused
    assert len(arrived) == 1
    assert thread.is_alive()
    control.resume()
    thread.join(PATIENCE_S)
    assert len(arrived) == 2


def test_a_paused_sweep_can_be_cancelled(sleeper):
    control = SweepControl()
    control.pause()
    control.cancel()
    with pytest.raises(Cancelled):
        runner.run_sweep(sweep("width=1"), control=control)


def test_an_unexpected_error_is_logged_with_its_traceback(sleeper, caplog):
    (point,) = runner.run_sweep(sweep("behaviour=fail"))
    assert point.status is PointStatus.FAILED and "nothing to divide" in point.reason
    (record,) = caplog.records
    assert record.exc_info[0] is ZeroDivisionError and record.exc_info[2].tb_next is not None


def test_a_run_out_of_memory_says_so_and_releases_its_arrays(sleeper, monkeypatch, caplog):
    held = []

    class Array:
        """Something large."""

    def allocate(problem, parameters, monitor, steps):
        large = Array()
        held.append(weakref.ref(large))
        raise MemoryError

    monkeypatch.setattr(fakes, "sleep", allocate)
    (point,) = runner.run_sweep(sweep())
    assert point.status is PointStatus.FAILED
    assert point.reason.startswith("out of memory") and "smaller problem" in point.reason
    assert held and held[0]() is None
    (record,) = caplog.records
    assert record.exc_info[0] is MemoryError, "its traceback is logged"


@pytest.mark.parametrize("stage", ["build_problem", "plan_run"])
def test_an_unexpected_error_before_the_run_is_logged_and_the_sweep_goes_on(sleeper, monkeypatch, caplog, stage):
    known = getattr(MeasurementTask, stage)

    def fail(task, *problem):
        if task.parameters["width"] == 1:
            raise LookupError("nothing is there")
        return known(task, *problem)

    monkeypatch.setattr(MeasurementTask, stage, fail)
    first, second = runner.run_sweep(sweep("width=1,2"))
    assert first.status is PointStatus.FAILED and first.reason == "LookupError: nothing is there"
    assert second.status is PointStatus.MEASURED
    (record,) = caplog.records
    assert record.exc_info[0] is LookupError and record.exc_info[2].tb_next is not None


@pytest.mark.parametrize("stage", ["build_problem", "plan_run"])
def test_a_keyboard_interrupt_ends_a_sweep(sleeper, monkeypatch, stage):
    def interrupt(task, *problem):
        raise KeyboardInterrupt

    monkeypatch.setattr(MeasurementTask, stage, interrupt)
    with pytest.raises(KeyboardInterrupt):
        runner.run_sweep(sweep())


def test_a_cancelled_plan_ends_the_sweep(sleeper, monkeypatch):
    def cancelled(task, problem):
        raise Cancelled

    monkeypatch.setattr(MeasurementTask, "plan_run", cancelled)
    with pytest.raises(Cancelled):
        runner.run_sweep(sweep())
