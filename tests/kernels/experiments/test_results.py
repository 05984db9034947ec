"""Results on disk: nothing finished is lost, and what is torn is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments import points, records, results
from antidiag.kernels.experiments.points import Point, Run, Status
from antidiag.kernels.experiments.results import Store
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
TEXT = st.text(st.characters(exclude_categories=("Cs",)))
"""As Hypothesis has it without an alphabet, for which it would first try to encode every character there is."""
TIMES = st.floats(0, 1e9)
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT)
NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=5)


@st.composite
def any_point(draw: st.DrawFn) -> Point:
    lengths = st.tuples(st.integers(1, 99), st.integers(1, 99))
    runs = st.builds(Run, TIMES, st.dictionaries(NAMES, TIMES, max_size=3))
    return Point(
        key=draw(TEXT),
        contender="striped-score",
        name=draw(TEXT),
        coordinates=draw(st.dictionaries(NAMES, st.one_of(VALUES, lengths), max_size=3)),
        status=draw(st.sampled_from(Status)),
        reason=draw(TEXT),
        parameters=draw(st.dictionaries(NAMES, VALUES, max_size=3)),
        cells=draw(st.integers(0, 2**80)),
        runs=tuple(draw(st.lists(runs, max_size=3))),
        score=draw(st.one_of(st.none(), TIMES)),
        notes=tuple(draw(st.lists(TEXT, max_size=2))),
    )


@given(any_point())
def test_a_point_comes_back_from_json(point):
    assert points.from_data(json.loads(json.dumps(point.data()))) == point


@pytest.mark.parametrize(
    "changed",
    [
        {"runs": 1}, {"runs": [{}]}, {"runs": [{"wall_ms": "1", "times_ms": {}}]},
        {"runs": [{"wall_ms": 1, "times_ms": {"a": []}}]}, {"cells": 10**400}, {"cells": "x"}, {"name": None},
        {"models": True}, {"models": {"a": "b"}}, {"coordinates": None},
        {"status": "strange"}, {"notes": [1]}, {"score": "x"}, {"given": []},
    ],
)  # fmt: skip
def test_a_damaged_point_is_left_out_and_told(tmp_path, changed):
    path = tmp_path / "a.jsonl"
    good = {"kind": "point", **point("a").data()}
    lines = (good, {**good, **changed}, {"kind": "sweep", "contenders": [1]}, {"kind": "sweep", "axes": [{}]})
    path.write_text("\n".join([*map(json.dumps, lines), "[" * 100_000]) + "\n")
    kept = results.read(path)
    assert kept.points == (point("a"),) and kept.sweep == {}
    assert [f"line {line}" in warning for line, warning in enumerate(kept.warnings, 2)] == [True] * 4


def test_a_sweep_without_title_and_axes_is_called_by_its_methods(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"kind": "sweep", "contenders": ["striped-score"]}) + "\n")
    assert records.title(results.read(path)) == "StripedScore"


def point(key: str, status: Status = Status.MEASURED, started: str = "2026-01-01") -> Point:
    return Point(key, "striped-score", "StripedScore", {"s": 64}, status, started=started, runs=(Run(1.0, {"a": 0.5}),))


def test_points_are_appended_and_read_in_order(tmp_path):
    store = Store(tmp_path / "new folder" / "a.jsonl")
    assert store.read().points == ()
    store.begin({"title": "first"})
    found = [point("a"), point("b"), point("a", started="2027")]
    for one in found:
        store.append(one)
    kept = store.read()
    assert kept.points == tuple(found)
    assert kept.sweep["title"] == "first"
    assert kept.warnings == ()
    assert [one.started for one in kept.newest] == ["2027", "2026-01-01"]


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_left_out_and_told_and_does_not_hurt_the_next(tmp_path, cut):
    store = Store(tmp_path / "a.jsonl")
    store.append(point("a"))
    store.append(point("b"))
    os.truncate(store.path, store.path.stat().st_size - cut)
    kept = store.read()
    if cut > 1:  # without its line end alone, the line is whole
        assert [one.key for one in kept.points] == ["a"]
        assert "line 2: the last line was not finished" in kept.warnings[0]
    store.append(point("c"))
    assert [one.key for one in store.read().points] == (["a", "b", "c"] if cut == 1 else ["a", "c"])
    assert len(store.read().warnings) == (cut > 1)


def test_strange_lines_are_told(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"kind": "point"}\n[1]\nnonsense\n{"kind": "sweep", "title": "t"}\n')
    kept = results.read(path)
    assert len(kept.warnings) == 3
    assert all("this line is no point" in warning for warning in kept.warnings)
    assert kept.sweep["title"] == "t"


def test_fields_of_another_version_are_left_out(tmp_path):
    data = {**point("a").data(), "kind": "point", "colour": "blue"}
    (tmp_path / "a.jsonl").write_text(json.dumps(data) + "\n")
    assert results.read(tmp_path / "a.jsonl").points == (point("a"),)


def test_only_right_measurements_count_as_measured_before(tmp_path):
    store = Store(tmp_path / "a.jsonl")
    for one in (point("a"), point("b", Status.FAILED), point("c", Status.WRONG), point("a", started="2027")):
        store.append(one)
    found = results.measured_before([store.path])
    assert set(found) == {"a"}
    assert found["a"].reused
    assert found["a"].started == "2027"


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        Store(tmp_path / "file" / "a.jsonl").append(point("a"))


SWEEP = """
import sys
from pathlib import Path
from antidiag.kernels import registry
from tests.kernels.experiments import fakes
registry.METHODS = (*registry.METHODS, fakes.METHOD)
from antidiag.kernels.experiments import axes, runner
from antidiag.kernels.experiments.inputs import Generated
from antidiag.kernels.experiments.results import Store
from antidiag.kernels.experiments.sweep import Sweep
behaviours = sys.argv[2].split(",")
axis = axes.Axis("width", "parameter", tuple(range(1, 4)))
hang = axes.Axis("behaviour", "parameter", tuple(behaviours))
sweep = Sweep(("sleeper",), Generated(length=1), (hang, axis), backends=("cpu",), repeats=1, warm_up=0)
found = runner.run(sweep, Store(Path(sys.argv[1])), reuse=True)
print(sum(point.reused for point in found), len(found), flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_killed_sweep_keeps_every_finished_point_and_goes_on(tmp_path):
    path = tmp_path / "sweep.jsonl"
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}

    def start(behaviours: str) -> subprocess.Popen:
        command = [sys.executable, "-c", SWEEP, str(path), behaviours]
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)

    running = start("sleep,hang")
    limit = time.monotonic() + PATIENCE_S
    while len(results.read(path).points) < 3 and running.poll() is None and time.monotonic() < limit:
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    assert [one.status for one in results.read(path).points] == [Status.MEASURED] * 3
    output, _ = start("sleep").communicate(timeout=PATIENCE_S)
    assert output.split() == ["3", "3"]
