"""Records of sweeps: they come back from JSON as the sweep that they were, or say why not, and have a title."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.point_data.digest import digest_value
from antidiag.kernels.experiments.point_data.point_store import PointStore, StoredPoints, find_measured_points
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from antidiag.kernels.experiments.sweeps import parameter_tuning, sweep_axes, sweep_records
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, Sweep
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Loaded, SweepInputs
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.registry import find_method
from tests.kernels.experiments import fakes

ONE, TWO = (Sequence(name, b"ACGT" * 9, SequenceType.DNA) for name in ("one", "two"))
CHUNKED = find_method("chunked-alignment-1")


def sweep(inputs: SweepInputs, *texts: str) -> Sweep:
    found = tuple(sweep_axes.parse_axis(text, [CHUNKED]) for text in texts)
    return Sweep((CHUNKED.id, "edlib-path"), inputs, found, {"gap_open": 3.0}, {"threads": 1}, ("cpu", "cuda"), (1,), 5)


def again(known: Sweep, *there: Sequence) -> Sweep:
    return sweep_records.sweep_from_json(json.loads(json.dumps(sweep_records.sweep_to_json(known))), there)


@pytest.mark.parametrize("inputs", [
    Generated("random", SequenceType.PROTEIN, (30, 40), None, 0.2, seed=7),
    Loaded((ONE, TWO)),
    Loaded((ONE, TWO), length=20),
])  # fmt: skip
def test_a_sweep_comes_back_with_its_tasks(inputs):
    known = sweep(inputs, "length=10x20,20x30", "s=32:64:*2")
    assert again(known, TWO, ONE).make_tasks() == known.make_tasks()
    assert again(known, TWO, ONE).id == known.id


@pytest.mark.parametrize("there", [(), (ONE,), (ONE, Sequence("two", b"ACGA" * 9, SequenceType.DNA))])
def test_loaded_data_that_are_not_there_as_they_were_are_told(there):
    with pytest.raises(InputError, match="(one|two) is not open, or it was changed"):
        again(sweep(Loaded((ONE, TWO))), *there)


@pytest.mark.parametrize(("changed", "said"), [
    ({"axes": [{"name": "s"}]}, "cannot be read"), ({"inputs": {"generated": {}}}, "cannot be read"),
    ({"axes": [{"name": "s", "role": "parameter", "values": "12"}]}, "cannot be read"),
    ({"axes": [7]}, "cannot be read"), ({"backends": ["abacus"]}, "cannot be read"),
    ({"axes": [{"name": "s", "role": "nothing", "values": [1]}]}, "cannot be read"), ({"inputs": []}, "cannot be read"),
    ({"repeats": 1.5}, "cannot be read"), ({"options": []}, "cannot be read"),
    ({"contenders": [1]}, "cannot be read"), ({"title": None}, "cannot be read"), ({"devices": 0}, "cannot be read"),
])  # fmt: skip
def test_a_record_of_another_make_is_told(changed, said):
    with pytest.raises(InputError, match=said):
        sweep_records.sweep_from_json({**sweep_records.sweep_to_json(sweep(Generated())), **changed})
    with pytest.raises(InputError, match="an earlier version"):
        sweep_records.sweep_from_json({"contenders": [CHUNKED.id], "axes": []})


def test_more_points_than_anybody_waits_for_are_refused():
    with pytest.raises(ParameterError, match=r"640,000 points; reduce them to at most 100,000"):
        sweep(Generated(), "length=1:10000:1", "s=32:1024:32").make_tasks()


def test_a_title_says_methods_axes_and_input():
    name = "ChunkedAlignment1, edlib, path over length x s: mutated DNA, 10% divergence, seed 1"
    known = sweep(Generated(), "length=100,200", "s=32,64")
    assert sweep_records.make_sweep_title(known) == name
    assert sweep_records.stored_title(StoredPoints(sweep_records.sweep_to_json(known), ())) == name
    older = {"title": "", "contenders": ["chunked-alignment-1", "gone", "gone-too"], "input": "one, two",
             "axes": [{"name": "s", "values": [1, 2]}]}  # fmt: skip
    assert sweep_records.stored_title(StoredPoints(older, ())) == "ChunkedAlignment1, gone and 1 more over s: one, two"
    assert sweep_records.stored_title(StoredPoints({**older, "title": "Mine"}, ())) == "Mine: one, two"
    points = [
        MeasuredPoint("", "a", "A", {"method": "a", "s": s, "h": 1}, PointStatus.MEASURED, title="x", size="9")
        for s in (1, 2)
    ]
    assert sweep_records.stored_title(StoredPoints({}, tuple(points))) == "A over s: x, 9"


def test_points_that_were_taken_from_another_sweep_are_kept_with_this_one(sleeper, tmp_path, monkeypatch):
    monkeypatch.setattr("antidiag.kernels.experiments.point_data.point_store.experiments_folder", lambda: tmp_path)
    settings = {"inputs": Generated(length=1), "backends": ("cpu",), "repeats": 1, "warm_up": 0}
    for name, values in (("a", "1,2"), ("b", "1,2,3"), ("b", "1,2,3")):
        axis = sweep_axes.parse_axis(f"width={values}", [fakes.METHOD])
        runner.run_sweep(
            Sweep(("sleeper",), axes=(axis,), **settings), PointStore(tmp_path / f"{name}.jsonl"), reuse=True
        )
    kept = PointStore(tmp_path / "b.jsonl").read_points()
    assert [(point.coordinates["width"], point.reused) for point in kept.points] == [(1, True), (2, True), (3, False)]
    assert len(sleeper.CALLS) == 3


def test_a_search_is_noted_and_its_points_do_not_count_as_measured(sleeper, tmp_path: Path):
    task = MeasurementTask("sleeper", "nap", Generated(length=1), parameters={"depth": 32}, backend="cpu")
    store = PointStore(tmp_path / f"{sweep_records.search_id(task)}.jsonl")
    found = parameter_tuning.tune_parameters(task, 1e-9, only={"width": (1, 8)}, store=store)
    kept = store.read_points()
    assert kept.points == found.points and kept.sweep["title"] == "Tune Sleeper: random bed, size 1, seed 1"
    (base,) = sweep_records.sweep_from_json(kept.sweep).make_tasks()
    assert base.has_same_problem(task) and base.parameters == task.parameters
    assert find_measured_points([store.path]) == {}
    store.begin_sweep({"title": "no search"})
    store.append_point(MeasuredPoint("x", "sleeper", "Sleeper", {}, PointStatus.MEASURED, runs=(TimedRun(1.0),)))
    assert "x" in find_measured_points([store.path])


def test_the_digest_of_an_axis_is_that_of_earlier_versions():
    assert digest_value(SweepAxis("s", "parameter", (32, 64))) == "1de3e0d8fccc186f"
