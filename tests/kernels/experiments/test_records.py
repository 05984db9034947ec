"""Records of sweeps: they come back from JSON as the sweep that they were, or say why not, and have a title."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments import axes, records, runner, tuning
from antidiag.kernels.experiments.inputs import Generated, Inputs, Loaded
from antidiag.kernels.experiments.points import Point, Run, Status
from antidiag.kernels.experiments.results import Kept, Store, measured_before
from antidiag.kernels.experiments.sweep import Sweep, Task
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.registry import method
from tests.kernels.experiments import fakes

ONE, TWO = (Sequence(name, b"ACGT" * 9, SequenceType.DNA) for name in ("one", "two"))
CHUNKED = method("chunked-alignment-1")


def sweep(inputs: Inputs, *texts: str) -> Sweep:
    found = tuple(axes.parse(text, [CHUNKED]) for text in texts)
    return Sweep((CHUNKED.id, "edlib-path"), inputs, found, {"gap_open": 3.0}, {"threads": 1}, ("cpu", "cuda"), (1,), 5)


def again(known: Sweep, *there: Sequence) -> Sweep:
    return records.sweep_of(json.loads(json.dumps(records.data(known))), there)


@pytest.mark.parametrize("inputs", [
    Generated("random", SequenceType.PROTEIN, (30, 40), None, 0.2, seed=7),
    Loaded((ONE, TWO)),
    Loaded((ONE, TWO), length=20),
])  # fmt: skip
def test_a_sweep_comes_back_with_its_tasks(inputs):
    known = sweep(inputs, "length=10x20,20x30", "s=32:64:*2")
    assert again(known, TWO, ONE).tasks() == known.tasks()
    assert again(known, TWO, ONE).id == known.id


@pytest.mark.parametrize("there", [(), (ONE,), (ONE, Sequence("two", b"ACGA" * 9, SequenceType.DNA))])
def test_loaded_data_that_are_not_there_as_they_were_are_told(there):
    with pytest.raises(InputError, match="(one|two) is not open as it was measured"):
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
        records.sweep_of({**records.data(sweep(Generated())), **changed})
    with pytest.raises(InputError, match="an earlier version"):
        records.sweep_of({"contenders": [CHUNKED.id], "axes": []})


def test_more_points_than_anybody_waits_for_are_refused():
    with pytest.raises(ParameterError, match=r"640,000 points; 100,000 are the most"):
        sweep(Generated(), "length=1:10000:1", "s=32:1024:32").tasks()


def test_a_title_says_methods_axes_and_input():
    name = "ChunkedAlignment1, edlib, path over length x s: mutated DNA, 10% divergence, seed 1"
    known = sweep(Generated(), "length=100,200", "s=32,64")
    assert records.title_of(known) == name
    assert records.title(Kept(records.data(known), ())) == name
    older = {"title": "", "contenders": ["chunked-alignment-1", "gone", "gone-too"], "input": "one, two",
             "axes": [{"name": "s", "values": [1, 2]}]}  # fmt: skip
    assert records.title(Kept(older, ())) == "ChunkedAlignment1, gone and 1 more over s: one, two"
    assert records.title(Kept({**older, "title": "Mine"}, ())) == "Mine: one, two"
    points = [
        Point("", "a", "A", {"method": "a", "s": s, "h": 1}, Status.MEASURED, title="x", size="9") for s in (1, 2)
    ]
    assert records.title(Kept({}, tuple(points))) == "A over s: x, 9"


def test_points_that_were_taken_from_another_sweep_are_kept_with_this_one(sleeper, tmp_path, monkeypatch):
    monkeypatch.setattr("antidiag.kernels.experiments.results.folder", lambda: tmp_path)
    settings = {"inputs": Generated(length=1), "backends": ("cpu",), "repeats": 1, "warm_up": 0}
    for name, values in (("a", "1,2"), ("b", "1,2,3"), ("b", "1,2,3")):
        axis = axes.parse(f"width={values}", [fakes.METHOD])
        runner.run(Sweep(("sleeper",), axes=(axis,), **settings), Store(tmp_path / f"{name}.jsonl"), reuse=True)
    kept = Store(tmp_path / "b.jsonl").read()
    assert [(point.coordinates["width"], point.reused) for point in kept.points] == [(1, True), (2, True), (3, False)]
    assert len(sleeper.CALLS) == 3


def test_a_search_is_noted_and_its_points_do_not_count_as_measured(sleeper, tmp_path: Path):
    task = Task("sleeper", "nap", Generated(length=1), parameters={"depth": 32}, backend="cpu")
    store = Store(tmp_path / f"{records.search_id(task)}.jsonl")
    found = tuning.tune(task, 1e-9, only={"width": (1, 8)}, store=store)
    kept = store.read()
    assert kept.points == found.points and kept.sweep["title"] == "Tune Sleeper: random bed, size 1, seed 1"
    (base,) = records.sweep_of(kept.sweep).tasks()
    assert base.same_problem(task) and base.parameters == task.parameters
    assert measured_before([store.path]) == {}
    store.begin({"title": "no search"})
    store.append(Point("x", "sleeper", "Sleeper", {}, Status.MEASURED, runs=(Run(1.0),)))
    assert "x" in measured_before([store.path])
