"""Interrupted runs: found, continued, listed, cleaned up; with a method that adds numbers, a part for each."""

from __future__ import annotations

import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, memory, registry
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.errors import Cancelled, DiskFull, InputError
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method, Resumption, TablePicture, keep_parameters, use_all_processors
from antidiag.kernels.model import Outcome, Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.parameters import MethodParameters, parameter
from antidiag.kernels.recovery import interrupted_runs, run_folders
from antidiag.kernels.run_plan import RunPlan
from antidiag.kernels.scoring import Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests.problems import pair

LENGTH = 10
COMPUTED: list[int] = []
"""What was added up, and not taken over."""


@dataclass(frozen=True, kw_only=True)
class AddingParameters(MethodParameters):
    """One that changes the answer, and one that does not."""

    factor: int = parameter("factor", "factor", default=1, minimum=1)
    speed: int = parameter("speed", "speed", default=1, minimum=1)


def add(problem: PairProblem, parameters: AddingParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """The sum of 0 .. LENGTH - 1, times ``factor``."""
    total, first, store = 0, 0, monitor.store
    assert store, "there is no store"
    for part in store.parts():
        total, first = int(part.arrays["total"][0]), first + 1
    for number in range(first, LENGTH):
        monitor.update(number, LENGTH, "adding")
        COMPUTED.append(number)
        total += number * parameters.factor
        if store.is_save_due:
            store.save({}, {"total": np.array([total])}, (number + 1) / LENGTH).result()
    return Outcome(PairAnswer(total, (0, 0)), {"phase 1": 1.0})


METHOD = replace(
    registry.find_method("striped-score"),
    id="adding",
    parameters=AddingParameters,
    choose_parameters=use_all_processors,
    choice_depends_on_given=False,
    fit_parameters=keep_parameters,
    backends={"cpu": f"{__name__}:add"},
    cost=CostEstimate(estimate_memory=lambda problem, parameters, backend: Footprint()),
    picture=TablePicture(),
    resumption=Resumption(("factor",), lambda problem, parameters, backend: 1000),
)
PROBLEM = pair("ACGT", "ACCT", Scoring(match_mismatch(2, -3), 5, 2))


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "METHODS", (METHOD,))
    COMPUTED.clear()


def plan(problem: PairProblem = PROBLEM, **parameters: Any) -> RunPlan:
    return engine.plan_run(METHOD, problem, parameters, "cpu")


def cancelled_at(at: int) -> Monitor:
    """A monitor that ends a run before it adds this number."""

    def listen(done: int, total: int, phase: str) -> None:
        if done == at:
            raise Cancelled

    return Monitor(listen)


def interrupt(at: int, planned: RunPlan | None = None, resumed: interrupted_runs.InterruptedRun | None = None) -> str:
    """Cancel a run at a number; what Cancelled says."""
    with pytest.raises(Cancelled) as found:
        engine.execute(planned or plan(), cancelled_at(at), interrupted_run=resumed, keep_parts=True)
    return str(found.value)


def resumed(planned: RunPlan | None = None) -> Result:
    planned = planned or plan()
    return engine.execute(planned, interrupted_run=interrupted_runs.find_run(METHOD, planned.problem, {}))


def test_a_cancelled_run_is_kept_and_continued(runs_folder: Path) -> None:
    assert interrupt(6) == "60 % of this run is kept and can be continued"
    (run,) = interrupted_runs.list_runs()
    assert (run.method, run.backend, run.fraction, run.running) == ("adding", "cpu", 0.6, False)
    assert (run.title, run.size, run.parameters) == (PROBLEM.title, PROBLEM.size, {"factor": 1, "speed": 1})
    assert run.problem() == PROBLEM
    COMPUTED.clear()
    result = resumed()
    assert result.answer.score == 45
    assert COMPUTED == [6, 7, 8, 9]
    assert result.notes == ("Continued from 60 %; the step log begins there.",)
    assert os.listdir(runs_folder) == []


def test_a_run_may_be_interrupted_again_and_again() -> None:
    for at in (2, 3, 3, 8):
        interrupt(at, resumed=interrupted_runs.find_run(METHOD, PROBLEM, {}))
    assert len(interrupted_runs.list_runs()) == 1
    assert resumed().answer.score == 45


def test_only_the_same_problem_and_parameters_are_continued() -> None:
    interrupt(4, plan(factor=3, speed=2))
    assert interrupted_runs.find_run(METHOD, PROBLEM, {}) is not None
    assert interrupted_runs.find_run(METHOD, PROBLEM, {"factor": 3, "speed": 7}) is not None
    assert interrupted_runs.find_run(METHOD, PROBLEM, {"factor": 2}) is None
    assert interrupted_runs.find_run(METHOD, pair("ACGT", "ACGT", PROBLEM.scoring), {}) is None
    assert interrupted_runs.find_run(METHOD, PROBLEM, {}, "cuda") is None
    assert interrupted_runs.find_run(replace(METHOD, id="other"), PROBLEM, {}) is None
    run = interrupted_runs.find_run(METHOD, PROBLEM, {})
    assert run is not None
    assert interrupted_runs.resumed_parameters(METHOD, run, {"speed": 7}) == {"factor": 3, "speed": 7}


def test_the_one_that_is_furthest_on_is_continued() -> None:
    for at in (3, 7, 5):
        interrupt(at)
    run = interrupted_runs.find_run(METHOD, PROBLEM, {})
    assert run is not None
    assert run.fraction == 0.7
    resumed()
    assert interrupted_runs.list_runs() == []


def test_a_short_run_leaves_nothing_and_a_long_one_does(monkeypatch: pytest.MonkeyPatch, runs_folder: Path) -> None:
    engine.execute(plan())
    assert not runs_folder.exists()
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "0")
    with pytest.raises(Cancelled):
        engine.execute(plan(), cancelled_at(5))
    assert interrupted_runs.list_runs()[0].fraction == 0.5


def test_a_run_that_is_computed_now_is_not_interrupted() -> None:
    seen: list[interrupted_runs.InterruptedRun] = []
    monitor = Monitor(lambda done, total, phase: seen.extend(interrupted_runs.list_runs()) if done == 5 else None)
    engine.execute(plan(), monitor, keep_parts=True)
    assert [run.running for run in seen] == [True]
    interrupted_runs.discard_run(seen[0])
    assert interrupted_runs.find_run(METHOD, PROBLEM, {}) is None


def test_a_dead_process_and_another_machine(runs_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(5)
    (folder,) = runs_folder.iterdir()

    def running(**owner: Any) -> bool:
        manifest = {
            **run_folders.read_manifest(folder),
            "owner": {**run_folders.describe_process(), **owner},
        }
        run_folders.write_manifest(folder, manifest)
        return interrupted_runs.list_runs()[0].running

    assert running()
    assert not running(since=1.0)
    assert not running(process=2**22 + 1)
    assert running(host="elsewhere")
    monkeypatch.setattr(run_folders, "OTHER_HOST_TIMEOUT_S", -1)
    assert not running(host="elsewhere")


def test_a_damaged_part_is_computed_again(runs_folder: Path) -> None:
    interrupt(6)
    (folder,) = runs_folder.iterdir()
    (folder / "part-000003").write_bytes(b"torn")
    COMPUTED.clear()
    assert resumed().answer.score == 45
    assert COMPUTED == [3, 4, 5, 6, 7, 8, 9]


def test_damaged_folders_are_not_listed_and_a_damaged_problem_is_said(runs_folder: Path) -> None:
    interrupt(6)
    (runs_folder / "empty").mkdir()
    (runs_folder / "strange").mkdir()
    (runs_folder / "strange" / run_folders.MANIFEST).write_text("[]")
    (run,) = interrupted_runs.list_runs()
    (run.folder / interrupted_runs.PROBLEM).write_bytes(b"x")
    with pytest.raises(InputError, match="damaged"):
        run.problem()


def test_a_run_that_was_removed_meanwhile_cannot_be_continued() -> None:
    interrupt(6)
    run = interrupted_runs.find_run(METHOD, PROBLEM, {})
    assert run is not None
    interrupted_runs.discard_run(run)
    with pytest.raises(InputError, match="start it anew"):
        engine.execute(plan(), interrupted_run=run)


def test_a_run_that_somebody_goes_on_with_is_neither_continued_nor_removed() -> None:
    interrupt(6)
    run = interrupted_runs.find_run(METHOD, PROBLEM, {})
    assert run is not None
    interrupted_runs._take_over_run(run)
    with pytest.raises(InputError, match="another process is at work"):
        engine.execute(plan(), interrupted_run=run)
    interrupted_runs.discard_run(run)
    (kept,) = interrupted_runs.list_runs()
    assert (kept.fraction, kept.running) == (0.6, True)


def test_of_many_that_want_to_go_on_one_does() -> None:
    interrupt(6)
    run = interrupted_runs.find_run(METHOD, PROBLEM, {})
    assert run is not None
    together = threading.Barrier(8)

    def try_it(_: int) -> bool:
        together.wait()
        try:
            interrupted_runs._take_over_run(run)
        except InputError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(try_it, range(8))) == 1
    assert [path.name for path in run.folder.glob("run.json*")] == ["run.json"]


def test_a_disk_that_fills_up_is_an_error_that_says_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(done: int, total: int, phase: str) -> None:
        if done == 7:
            raise DiskFull("the disk is full")

    with pytest.raises(DiskFull, match="the disk is full; 70 % of this run is kept and can be continued"):
        engine.execute(plan(), Monitor(full), keep_parts=True)
    assert resumed().answer.score == 45


def test_nothing_is_kept_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "0")
    with pytest.raises(AssertionError, match="store"):
        engine.execute(plan(), keep_parts=False)
    assert interrupted_runs.list_runs() == []


def test_a_limit_holds_for_what_runs_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "0")
    assert memory.disk_limit() == memory.DISK_LIMIT
    memory.set_disk_limit(999)
    assert memory.allowed_disk_bytes() == 999
    assert "where 999 B are available" in plan().notes[-1]
    result = engine.execute(plan())
    assert "and 999 B are available" in result.notes[-1]
    memory.set_disk_limit(1000)
    assert plan().footprint.disk_bytes == 1000


def test_another_version_of_the_program_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(6)
    monkeypatch.setattr(interrupted_runs, "program_version", lambda: "0.0.0 other")
    (run,) = interrupted_runs.list_runs()
    assert run.foreign
    assert interrupted_runs.find_run(METHOD, PROBLEM, {}) is None
    with pytest.raises(InputError, match="another version of the program"):
        engine.execute(plan(), interrupted_run=run)
    interrupted_runs.discard_run(run)
    assert interrupted_runs.list_runs() == []


def test_an_error_keeps_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(done: int, total: int, phase: str) -> None:
        if done == 7:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        engine.execute(plan(), Monitor(fail), keep_parts=True)
    assert resumed().answer.score == 45


@pytest.mark.parametrize("reason", ["full", "not writable"])
def test_where_nothing_can_be_kept_the_run_goes_on(
    reason: str, runs_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason == "full":
        monkeypatch.setattr(memory, "disk_bytes_free", lambda: 1000)
    else:
        runs_folder.write_text("a file where the folder should be")
    result = engine.execute(plan(), keep_parts=True)
    assert result.answer.score == 45
    assert len(result.notes) == 1
    assert "Checkpoints were saved up to 0 %" in result.notes[0]


def test_a_disk_that_fills_up_later_keeps_the_parts_before(monkeypatch: pytest.MonkeyPatch) -> None:
    original, calls = os.replace, []

    def replace_some(source: Any, target: Any) -> None:
        calls.append(target)
        if len(calls) > 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        original(source, target)

    monkeypatch.setattr(os, "replace", replace_some)
    with pytest.raises(Cancelled, match="30 %"):
        engine.execute(plan(), cancelled_at(8), keep_parts=True)
    monkeypatch.setattr(os, "replace", original)
    assert interrupted_runs.list_runs()[0].fraction == 0.3


def test_old_and_too_many_runs_go_when_a_new_one_begins(monkeypatch: pytest.MonkeyPatch, runs_folder: Path) -> None:
    monkeypatch.setattr(interrupted_runs, "MAX_RUNS", 3)
    for number in range(5):
        interrupt(5, plan(pair("A" * (number + 1), "A", PROBLEM.scoring)))
    sizes = [run.size for run in interrupted_runs.list_runs()]
    assert len(sizes) == 3
    monkeypatch.setattr(memory, "disk_limit", lambda: 1000)
    interrupt(5)
    assert [run.size for run in interrupted_runs.list_runs()] == [PROBLEM.size]
    monkeypatch.setattr(interrupted_runs, "MAX_AGE", timedelta(seconds=-1))
    monkeypatch.setattr(interrupted_runs, "OTHER_HOST_TIMEOUT_S", -1)
    (runs_folder / "left over").mkdir()
    interrupt(5, plan(pair("AC", "A", PROBLEM.scoring)))
    assert len(list(runs_folder.iterdir())) == 1


def test_a_plan_says_what_a_long_run_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plan().footprint.disk == {}
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "0")
    assert plan().footprint.disk_bytes == 1000
    monkeypatch.setattr(memory, "disk_bytes_free", lambda: 10)
    full = plan()
    assert full.refusal is None
    assert full.footprint.disk == {}
    assert "could not be continued" in full.notes[-1]


def test_a_method_that_cannot_be_continued_has_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    other: Method = replace(METHOD, resumption=None)
    with pytest.raises(AssertionError):
        engine.execute(engine.plan_run(other, PROBLEM, {}, "cpu"), keep_parts=True)
    assert interrupted_runs.find_run(other, PROBLEM, {}) is None


def test_the_time_of_a_long_run_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert interrupted_runs.patience_s() == 60
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "2.5")
    assert interrupted_runs.patience_s() == 2.5
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "soon")
    assert interrupted_runs.patience_s() == 60


@pytest.mark.parametrize(("process", "listed"), [(os.getpid(), 0), (2**22 + 1, 1)], ids=["alive", "dead"])
def test_a_process_that_takes_a_run_over_and_dies_leaves_it(runs_folder: Path, process: int, listed: int) -> None:
    interrupt(3)
    (run,) = interrupted_runs.list_runs()
    manifest = run.folder / run_folders.MANIFEST
    manifest.rename(manifest.with_name(f"{run_folders.MANIFEST}.taken-{process}-ab"))
    assert [one.fraction for one in interrupted_runs.list_runs()] == [run.fraction] * listed


def test_a_run_is_kept_until_its_result_is_saved() -> None:
    def save_on_a_full_disk() -> None:
        with interrupted_runs.keep_until_saved():
            resumed()
            raise OSError("the disk is full")

    interrupt(3)
    with pytest.raises(OSError, match="full"):
        save_on_a_full_disk()
    assert [one.running for one in interrupted_runs.list_runs()] == [False]
    with interrupted_runs.keep_until_saved():
        resumed()
        assert [one.running for one in interrupted_runs.list_runs()] == [True]
    assert not interrupted_runs.list_runs()
