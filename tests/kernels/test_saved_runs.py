"""Interrupted runs that an earlier version left, and what it measured: all of it is read, and no run is continued."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from antidiag.kernels import engine, registry, serialization
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.machine import rates, tuned
from antidiag.kernels.recovery import checkpoint_files, resuming
from tests.fixtures.make_saved import told
from tests.fixtures.saved import FOLDERS, assert_holds, expected

MEASURED = [folder for folder in FOLDERS if (folder / "rates.json").exists()]
RUNS = [pytest.param(path, id=f"{path.parts[-3]}-{path.name}") for folder in FOLDERS for path in folder.glob("runs/*")]


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest, runs_folder: Path) -> resuming.Run:
    """The run in the folder of this user."""
    shutil.copytree(request.param, runs_folder / request.param.name)
    (found,) = resuming.runs()
    return found


def said(run: resuming.Run) -> dict:
    return next(known for folder in FOLDERS if (known := expected(folder, "runs").get(run.id)))


def test_every_method_that_could_be_continued_left_one() -> None:
    methods = {one["method"] for folder in FOLDERS for one in expected(folder, "runs").values()}
    assert methods >= {method.id for method in registry.METHODS if method.resumption}


def test_it_is_listed_with_its_problem_and_as_that_of_another_version(run: resuming.Run) -> None:
    wanted = said(run)
    assert run.foreign and not run.running
    plain_ones = {name: value for name, value in wanted.items() if name not in ("problem", "fraction")}
    assert_holds({name: told(getattr(run, name)) for name in plain_ones}, plain_ones)
    assert run.fraction == wanted["fraction"] > 0
    assert_holds(told(run.problem()), wanted["problem"])
    assert serialization.digest(run.problem()) == run.digest


def test_its_parts_are_whole(run: resuming.Run) -> None:
    for path in sorted(run.folder.glob("part-*")):
        found = checkpoint_files.read(path)
        assert found.facts["fraction"] <= run.fraction and found.arrays


def test_it_is_not_continued_and_can_be_discarded(run: resuming.Run) -> None:
    method, problem = registry.method(run.method), run.problem()
    assert resuming.find(method, problem, {}) is None
    with pytest.raises(InputError, match=f"{resuming.OTHER_VERSION}; start it anew"):
        engine.execute(engine.plan(method, problem, run.parameters, run.backend), resumed=run)
    resuming.discard(run)
    assert resuming.runs() == []


def test_started_anew_it_ends_and_takes_the_old_one_away(run: resuming.Run) -> None:
    problem = run.problem()
    result = engine.execute(engine.plan(registry.method(run.method), problem, {}, run.backend))
    result.check(problem)
    assert resuming.runs() == []


@pytest.mark.parametrize("folder", MEASURED, ids=lambda folder: folder.name)
def test_what_was_measured_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((rates, "rates.json"), (tuned, "tuned.json"), (roofline, "rooflines.json")):
        monkeypatch.setattr(module, "_path", lambda path=folder / name: path)
    wanted, device, method = expected(folder, "measured"), "a CPU", registry.method("striped-score")
    assert rates.rate_gcups(method, "cpu", device, 10**9) == wanted["rate"]
    assert_holds(told(tuned.find(method, "cpu", device, 10**8)), wanted["tuned"])
    assert_holds(told(roofline.kept("cpu", device)), wanted["roofline"])
