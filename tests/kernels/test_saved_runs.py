"""Interrupted runs that an earlier version left, and what it measured: all of it is read, and no run is continued."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from antidiag.kernels import engine, registry, serialization
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.machine import measured_rates, tuned_values
from antidiag.kernels.recovery import checkpoint_files, interrupted_runs
from tests.fixtures.saved import FOLDERS, assert_holds, expected
from tests.fixtures.saved_content import describe_value

MEASURED = [folder for folder in FOLDERS if (folder / "rates.json").exists()]
RUNS = [pytest.param(path, id=f"{path.parts[-3]}-{path.name}") for folder in FOLDERS for path in folder.glob("runs/*")]


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest, runs_folder: Path) -> interrupted_runs.InterruptedRun:
    """The run in the folder of this user."""
    shutil.copytree(request.param, runs_folder / request.param.name)
    (found,) = interrupted_runs.list_runs()
    return found


def said(run: interrupted_runs.InterruptedRun) -> dict:
    return next(known for folder in FOLDERS if (known := expected(folder, "runs").get(run.id)))


def test_every_method_that_could_be_continued_left_one() -> None:
    methods = {one["method"] for folder in FOLDERS for one in expected(folder, "runs").values()}
    assert methods >= {method.id for method in registry.METHODS if method.resumption}


def test_it_is_listed_with_its_problem_and_as_that_of_another_version(run: interrupted_runs.InterruptedRun) -> None:
    wanted = said(run)
    assert run.foreign and not run.running
    plain_ones = {name: value for name, value in wanted.items() if name not in ("problem", "fraction")}
    assert_holds({name: describe_value(getattr(run, name)) for name in plain_ones}, plain_ones)
    assert run.fraction == wanted["fraction"] > 0
    assert_holds(describe_value(run.problem()), wanted["problem"])
    assert serialization.digest_value(run.problem()) == run.digest


def test_its_parts_are_whole(run: interrupted_runs.InterruptedRun) -> None:
    for path in sorted(run.folder.glob("part-*")):
        found = checkpoint_files.read_checkpoint(path)
        assert found.facts["fraction"] <= run.fraction and found.arrays


def test_it_is_not_continued_and_can_be_discarded(run: interrupted_runs.InterruptedRun) -> None:
    method, problem = registry.find_method(run.method), run.problem()
    assert interrupted_runs.find_run(method, problem, {}) is None
    with pytest.raises(InputError, match=f"{interrupted_runs.OTHER_VERSION}; start it anew"):
        engine.execute(engine.plan_run(method, problem, run.parameters, run.backend), interrupted_run=run)
    interrupted_runs.discard_run(run)
    assert interrupted_runs.list_runs() == []


def test_started_anew_it_ends_and_takes_the_old_one_away(run: interrupted_runs.InterruptedRun) -> None:
    problem = run.problem()
    result = engine.execute(engine.plan_run(registry.find_method(run.method), problem, {}, run.backend))
    result.check(problem)
    assert interrupted_runs.list_runs() == []


@pytest.mark.parametrize("folder", MEASURED, ids=lambda folder: folder.name)
def test_what_was_measured_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, function, name in (
        (measured_rates, "_rates_path", "rates.json"),
        (tuned_values, "_tuned_path", "tuned.json"),
        (roofline, "_store_path", "rooflines.json"),
    ):
        monkeypatch.setattr(module, function, lambda path=folder / name: path)
    wanted, device, method = expected(folder, "measured"), "a CPU", registry.find_method("striped-score")
    assert measured_rates.estimate_gcups(method, "cpu", device, 10**9) == pytest.approx(wanted["rate"])
    assert_holds(describe_value(tuned_values.find_tuned(method, "cpu", device, 10**8)), wanted["tuned"])
    assert_holds(describe_value(roofline.stored_roofline("cpu", device)), wanted["roofline"])
