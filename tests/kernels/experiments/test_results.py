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
from antidiag.kernels.experiments.point_data import point_store, points
from antidiag.kernels.experiments.point_data.point_store import PointStore
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from antidiag.kernels.experiments.sweeps import sweep_records
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
TEXT = st.text(st.characters(exclude_categories=("Cs",)))
"""As Hypothesis has it without an alphabet, for which it would first try to encode every character there is."""
TIMES = st.floats(0, 1e9)
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT)
NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=5)


@st.composite
def any_point(draw: st.DrawFn) -> MeasuredPoint:
    lengths = st.tuples(st.integers(1, 99), st.integers(1, 99))
    runs = st.builds(TimedRun, TIMES, st.dictionaries(NAMES, TIMES, max_size=3))
    return MeasuredPoint(
        key=draw(TEXT),
        contender="striped-score",
        name=draw(TEXT),
        coordinates=draw(st.dictionaries(NAMES, st.one_of(VALUES, lengths), max_size=3)),
        status=draw(st.sampled_from(PointStatus)),
        reason=draw(TEXT),
        parameters=draw(st.dictionaries(NAMES, VALUES, max_size=3)),
        cells=draw(st.integers(0, 2**80)),
        runs=tuple(draw(st.lists(runs, max_size=3))),
        score=draw(st.one_of(st.none(), TIMES)),
        notes=tuple(draw(st.lists(TEXT, max_size=2))),
    )


@given(any_point())
def test_a_point_comes_back_from_json(point):
    assert points.point_from_json(json.loads(json.dumps(point.to_json()))) == point


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
    good = {"kind": "point", **point("a").to_json()}
    lines = (good, {**good, **changed}, {"kind": "sweep", "contenders": [1]}, {"kind": "sweep", "axes": [{}]})
    path.write_text("\n".join([*map(json.dumps, lines), "[" * 100_000]) + "\n")
    kept = point_store.read_points(path)
    assert kept.points == (point("a"),) and kept.sweep == {}
    assert [f"line {line}" in warning for line, warning in enumerate(kept.warnings, 2)] == [True] * 4


def test_a_sweep_without_title_and_axes_is_called_by_its_methods(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"kind": "sweep", "contenders": ["striped-score"]}) + "\n")
    assert sweep_records.stored_title(point_store.read_points(path)) == "StripedScore"


def point(key: str, status: PointStatus = PointStatus.MEASURED, started: str = "2026-01-01") -> MeasuredPoint:
    return MeasuredPoint(
        key, "striped-score", "StripedScore", {"s": 64}, status, started=started, runs=(TimedRun(1.0, {"a": 0.5}),)
    )


def test_points_are_appended_and_read_in_order(tmp_path):
    store = PointStore(tmp_path / "new folder" / "a.jsonl")
    assert store.read_points().points == ()
    store.begin_sweep({"title": "first"})
    found = [point("a"), point("b"), point("a", started="2027")]
    for one in found:
        store.append_point(one)
    kept = store.read_points()
    assert kept.points == tuple(found)
    assert kept.sweep["title"] == "first"
    assert kept.warnings == ()
    assert [one.started for one in kept.newest_points] == ["2027", "2026-01-01"]


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_left_out_and_told_and_does_not_hurt_the_next(tmp_path, cut):
    store = PointStore(tmp_path / "a.jsonl")
    store.append_point(point("a"))
    store.append_point(point("b"))
    os.truncate(store.path, store.path.stat().st_size - cut)
    kept = store.read_points()
    if cut > 1:  # without its line end alone, the line is whole
        assert [one.key for one in kept.points] == ["a"]
        assert "line 2: the last line is incomplete" in kept.warnings[0]
    store.append_point(point("c"))
    assert [one.key for one in store.read_points().points] == (["a", "b", "c"] if cut == 1 else ["a", "c"])
    assert len(store.read_points().warnings) == (cut > 1)


def test_strange_lines_are_told(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"kind": "point"}\n[1]\nnonsense\n{"kind": "sweep", "title": "t"}\n')
    kept = point_store.read_points(path)
    assert len(kept.warnings) == 3
    assert all("this line is not a point" in warning for warning in kept.warnings)
    assert kept.sweep["title"] == "t"


def test_fields_of_another_version_are_left_out(tmp_path):
    data = {**point("a").to_json(), "kind": "point", "colour": "blue"}
    (tmp_path / "a.jsonl").write_text(json.dumps(data) + "\n")
    assert point_store.read_points(tmp_path / "a.jsonl").points == (point("a"),)


def test_only_right_measurements_count_as_measured_before(tmp_path):
    store = PointStore(tmp_path / "a.jsonl")
    for one in (point("a"), point("b", PointStatus.FAILED), point("c", PointStatus.WRONG), point("a", started="2027")):
        store.append_point(one)
    found = point_store.find_measured_points([store.path])
    assert set(found) == {"a"}
    assert found["a"].reused
    assert found["a"].started == "2027"


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write the file"):
        PointStore(tmp_path / "file" / "a.jsonl").append_point(point("a"))


SWEEP = """
import sys
from pathlib import Path
from antidiag.kernels import registry
from tests.kernels.experiments import fakes
registry.METHODS = (*registry.METHODS, fakes.METHOD)
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.experiments.point_data.point_store import PointStore
from antidiag.kernels.experiments.sweeps.sweep import Sweep
behaviours = sys.argv[2].split(",")
axis = sweep_axes.SweepAxis("width", "parameter", tuple(range(1, 4)))
hang = sweep_axes.SweepAxis("behaviour", "parameter", tuple(behaviours))
sweep = Sweep(("sleeper",), Generated(length=1), (hang, axis), backends=("cpu",), repeats=1, warm_up=0)
found = runner.run_sweep(sweep, PointStore(Path(sys.argv[1])), reuse=True)
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
    while len(point_store.read_points(path).points) < 3 and running.poll() is None and time.monotonic() < limit:
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    assert [one.status for one in point_store.read_points(path).points] == [PointStatus.MEASURED] * 3
    output, _ = start("sleep").communicate(timeout=PATIENCE_S)
    assert output.split() == ["3", "3"]
