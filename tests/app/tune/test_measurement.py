"""Measurements from disk: what they know of their points."""

from __future__ import annotations

import json
from pathlib import Path

from app.tune.measurement import of_kept
from app.tune.plots import geometry
from kernels.experiments import records
from kernels.experiments.inputs import Generated
from kernels.experiments.points import Point, Status
from kernels.experiments.results import Store
from kernels.experiments.sweep import Task

SEARCH = Task("striped-score", "pair", Generated(length=300), {"method": "striped-score"}, backend="cpu")


def point(contender: str = "striped-score", **values: int) -> Point:
    return Point(str(values), contender, "StripedScore", {"method": contender, **values}, Status.MEASURED,
                 given=values, parameters=values)  # fmt: skip


def test_a_search_from_disk_knows_the_task_of_every_point(tmp_path: Path):
    store = Store(tmp_path / "tune.jsonl")
    store.begin(records.of_search(SEARCH))
    store.append(point(s=64))
    found = of_kept("tune", store.read(), ())
    assert found.title == "Tune StripedScore: mutated DNA, length 300, 10% divergence, seed 1"
    task = found.task(found.points[0])
    assert task is not None and task.parameters == {"s": 64} and geometry.shape(task.inputs) == (300, 300)
    assert found.task(point("edlib-score")) is None and found.why_no_tasks == ""


def test_points_without_a_record_have_a_title_and_say_why_they_know_no_tasks(tmp_path: Path):
    path = tmp_path / "old.jsonl"
    path.write_text("".join(json.dumps({"kind": "point", **point(s=s).data()}) + "\n" for s in (32, 64)))
    found = of_kept("old", Store(path).read(), ())
    assert (found.title, len(found.points)) == ("StripedScore over s", 2)
    assert found.task(found.points[0]) is None and "earlier version" in found.why_no_tasks


def test_only_methods_that_cut_a_pair_have_a_geometry():
    assert geometry.is_cut(point(s=64))
    assert not geometry.is_cut(point(h=64))
    assert not geometry.is_cut(point("layered", s=8))
    assert not geometry.is_cut(point("edlib-score", s=8))
