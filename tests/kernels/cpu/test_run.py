"""One run on the CPU: times, step log, threads, progress and cancellation."""

from __future__ import annotations

import threading
import time

import numba
import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cpu import jit, workers  # noqa: F401 - jit counts compilations
from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trials import RandomChooser, load_trials
from tests.patience import PATIENCE_S


def cells(task: int) -> LoggedCells:
    return LoggedCells((task, task + 1), (0, 10), strip=task)


def counts_nothing_twice(run: CpuRun, begun_ns: int) -> bool:
    """Whether the times of a run since then are together at most what has passed, however busy the machine is."""
    return sum(run.times_ms.values()) <= (time.perf_counter_ns() - begun_ns) / 1e6


def test_phases_are_timed_and_add_up_when_they_are_entered_again() -> None:
    run, begun_ns = CpuRun(), time.perf_counter_ns()
    for _ in range(2):
        with run.phase("rows"):
            time.sleep(0.01)
    with run.phase("path"):
        pass
    assert list(run.times_ms) == ["compilation", "transfer", "rows", "path"]
    assert run.times_ms["rows"] >= 20 and counts_nothing_twice(run, begun_ns)


def test_compilation_is_in_no_phase() -> None:
    run, begun_ns = CpuRun(), time.perf_counter_ns()
    run.compile(lambda: time.sleep(0.01))
    assert run.times_ms["compilation"] >= 10
    with run.phase("rows"):
        run.compile(lambda: time.sleep(0.02))
    assert run.times_ms["compilation"] >= 30 and counts_nothing_twice(run, begun_ns)


def test_a_function_that_is_compiled_only_in_a_phase_counts_as_compilation() -> None:
    @numba.njit
    def add_up(numbers: np.ndarray) -> float:
        total = 0.0
        for number in numbers:
            total += number
        return total

    run = CpuRun(threads=2)
    with run.phase("rows") as phase:
        begun_ns = time.perf_counter_ns()
        phase.share(lambda worker: add_up(np.zeros(2)))
        spent_ms = (time.perf_counter_ns() - begun_ns) / 1e6
    assert run.times_ms["compilation"] > spent_ms / 2 > run.times_ms["rows"]
    assert run.times_ms["compilation"] + run.times_ms["rows"] < 1.2 * spent_ms + 5


def test_a_failed_compilation_is_raised_and_a_cancelled_one_is_not_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        CpuRun().compile(lambda: 1 // 0)
    run, free = CpuRun(), threading.Event()
    run.monitor.cancel()
    with pytest.raises(Cancelled):
        run.compile(lambda: free.wait(PATIENCE_S))
    free.set()


def test_the_time_of_a_phase_that_fails_is_not_counted() -> None:
    run = CpuRun()
    with pytest.raises(ValueError, match="rows"), run.phase("rows"):
        raise ValueError("rows")
    assert "rows" not in run.times_ms


def test_events_have_the_number_of_their_phase_and_begin_with_the_first_phase() -> None:
    run = CpuRun(steps=StepLog())
    run.compile(lambda: time.sleep(0.01))
    compiled_ns = time.perf_counter_ns()
    for name in ("rows", "path", "rows"):
        with run.phase(name) as phase:
            phase.log(LoggedCells((0, 3), (4, 9), strip=2, layers=(1, 2)), 5, time.perf_counter_ns(), waited_ns=7)
    events = run.steps.ordered_events()
    assert events["phase"].tolist() == [1, 2, 1]
    assert run.started_ns >= compiled_ns
    assert (events["end_ns"] <= time.perf_counter_ns() - run.started_ns).all()
    assert (events["end_ns"] >= events["start_ns"]).all()
    named = ("strip", "row_start", "row_end", "column_start", "column_end", "layer_start", "layer_end", "worker")
    assert [int(events[0][name]) for name in named] == [2, 0, 3, 4, 9, 1, 2, 5]
    assert events["waited_ns"].tolist() == [7, 7, 7]


def test_a_run_without_a_log_keeps_no_events() -> None:
    run = CpuRun()
    with run.phase("rows") as phase:
        phase.log(cells(0), 0, time.perf_counter_ns())
    assert run.steps.count == 0


def test_each_thread_works_once_and_the_sum_of_what_they_did_is_reported() -> None:
    updates: list[tuple[int, int, str]] = []
    run = CpuRun(Monitor(lambda *update: updates.append(update)), threads=3)

    def work(worker: int) -> None:
        phase.done[worker] = worker + 1

    with run.phase("rows", total=6) as phase:
        phase.share(work)
    assert updates[-1] == (6, 6, "rows")


def test_a_report_of_ones_own_replaces_that_of_the_counts() -> None:
    seen: list[int] = []
    with CpuRun(threads=2).phase("rows") as phase:
        phase.share(lambda worker: None, report=lambda: seen.append(1))
    assert len(seen) >= 2


def test_more_work_than_was_announced_is_reported_as_all() -> None:
    updates: list[int] = []
    with CpuRun(Monitor(lambda done, total, phase: updates.append(done))).phase("rows", total=0) as phase:
        phase.share_tasks(range(5), lambda worker, task: None)
    assert updates[-1] == 1


def test_a_call_on_a_thread_gives_its_answer_and_raises_what_it_raises() -> None:
    with CpuRun(threads=4).phase("path") as phase:
        assert phase.call(threading.current_thread) is not threading.current_thread()
        with pytest.raises(ValueError, match="path"):
            phase.call(lambda: int("path"))


@pytest.mark.parametrize("threads", [1, 3])
def test_all_tasks_are_computed_once_and_logged(threads: int) -> None:
    updates: list[int] = []
    run = CpuRun(Monitor(lambda done, total, phase: updates.append(done)), StepLog(), threads)
    found: list[int] = []
    with run.phase("rows", total=20) as phase:
        phase.share_tasks(range(20), lambda worker, task: found.append(task), log=cells)
    assert sorted(found) == sorted(run.steps.ordered_events()["strip"]) == list(range(20))
    assert updates[-1] == 20
    assert run.steps.ordered_events()["worker"].max() < threads


def test_no_tasks_and_no_rounds_are_done_at_once() -> None:
    with CpuRun(threads=2).phase("rows", total=0) as phase:
        phase.share_tasks([], lambda worker, task: pytest.fail("there is none"))
        phase.share_rounds([], lambda worker, task: pytest.fail("there is none"))
        phase.share_rounds([[], []], lambda worker, task: pytest.fail("there is none"))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_round_begins_when_the_one_before_is_finished(threads: int) -> None:
    run, lock, found = CpuRun(steps=StepLog(), threads=threads), threading.Lock(), []

    def compute(worker: int, task: tuple[int, int]) -> None:
        time.sleep(1e-3 * (worker + 1))
        with lock:
            found.append(task)

    rounds = [[(number, task) for task in range(number % 4)] for number in range(8)]
    with run.phase("table") as phase:
        phase.share_rounds(rounds, compute, log=lambda task: cells(task[0]))
    assert [number for number, _ in found] == sorted(number for number, _ in found)
    assert sorted(found) == sorted(task for tasks in rounds for task in tasks)
    assert run.steps.count == len(found)


@pytest.mark.parametrize("shared", ["share_tasks", "share_rounds"])
def test_what_one_worker_raises_ends_all_and_is_raised(shared: str) -> None:
    run = CpuRun(threads=3)

    def compute(worker: int, task: int) -> None:
        if task == 4:
            raise ValueError("task 4")

    tasks = range(1000) if shared == "share_tasks" else [[task, task + 1] for task in range(1000)]
    with pytest.raises(ValueError, match="task 4"), run.phase("table") as phase:
        getattr(phase, shared)(tasks, compute)
    assert run.stop[0]


@pytest.mark.parametrize("shared", ["share_tasks", "share_rounds"])
def test_a_cancelled_run_stops_its_workers_and_logs_nothing_unfinished(shared: str) -> None:
    run = CpuRun(steps=StepLog(), threads=2)

    def compute(worker: int, task: int) -> None:
        """As compiled code does: it returns early when the run is stopped."""
        run.monitor.cancel()
        until = time.monotonic() + PATIENCE_S
        while not run.stop[0] and time.monotonic() < until:
            time.sleep(1e-3)

    with pytest.raises(Cancelled), run.phase("table") as phase:
        getattr(phase, shared)([0, 1] if shared == "share_tasks" else [[0, 1], [2]], compute, log=cells)
    assert run.steps.count == 0
    assert "table" not in run.times_ms


def test_counts_are_one_for_each_thread() -> None:
    with CpuRun(threads=3).phase("rows") as phase:
        assert phase.done.dtype == np.int64
        assert phase.done.shape == (3,)


def test_tasks_of_several_sizes_count_as_much_work_as_they_are() -> None:
    updates: list[tuple[int, int, str]] = []
    run = CpuRun(Monitor(lambda *update: updates.append(update)), threads=2)
    with run.phase("rows", total=12) as phase:
        phase.share_tasks("abc", lambda worker, task: None, sizes=[7, 4, 1])
    assert updates[-1] == (12, 12, "rows")


def test_an_event_may_have_ended_before() -> None:
    run = CpuRun(steps=StepLog())
    with run.phase("rows") as phase:
        phase.log(cells(0), 0, run.started_ns + 3, ended_ns=run.started_ns + 5)
    assert run.steps.ordered_events()[["start_ns", "end_ns"]].tolist() == [(3, 5)]


def test_a_phase_inside_another_is_not_counted_twice() -> None:
    run, begun_ns = CpuRun(), time.perf_counter_ns()
    with run.phase("recursion"), run.phase("maps"):
        time.sleep(0.02)
    assert run.times_ms["maps"] >= 20 and counts_nothing_twice(run, begun_ns)


def test_a_run_that_fails_leaves_no_thread_behind() -> None:
    def fail_between_phases(problem, parameters, monitor, steps) -> None:
        with CpuRun(threads=2).phase("rows") as phase:
            phase.share(lambda worker: None)
        raise ValueError("between two phases")

    method = registry.find_method("upgma")
    planned = engine.plan_run(method, load_trials(method.problem_type).draw_problem(RandomChooser(1)), {}, "cpu")
    workers.end_idle_threads()
    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="between"):
        engine.execute(planned, run=fail_between_phases)
    assert set(threading.enumerate()) <= before
