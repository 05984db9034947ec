"""Measurements from disk: what they know of their points."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antidiag.app.tune.measurement import load_measurement
from antidiag.app.tune.plots import geometry
from antidiag.kernels import registry
from antidiag.kernels.experiments.point_data import points
from antidiag.kernels.experiments.point_data.point_store import PointStore
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus
from antidiag.kernels.experiments.sweeps import sweep_records
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.table_cuts import TableTiles

SEARCH = MeasurementTask("striped-score", "pair", Generated(length=300), {"method": "striped-score"}, backend="cpu")


def point(contender: str = "striped-score", **values: Any) -> MeasuredPoint:
    return MeasuredPoint(str(values), contender, "StripedScore", {"method": contender, **values}, PointStatus.MEASURED,
                 given=values, parameters=values)  # fmt: skip


def test_a_search_from_disk_knows_the_task_of_every_point(tmp_path: Path):
    store = PointStore(tmp_path / "tune.jsonl")
    store.begin_sweep(sweep_records.search_to_json(SEARCH))
    store.append_point(point(s=64))
    found = load_measurement("tune", store.read_points(), ())
    assert found.title == "Tune StripedScore: mutated DNA, length 300, 10% divergence, seed 1"
    task = found.find_task(found.points[0])
    assert task is not None and task.parameters == {"s": 64} and geometry.input_lengths(task.inputs) == (300, 300)
    assert found.find_task(point("edlib-score")) is None and found.why_no_tasks == ""


def test_points_without_a_record_have_a_title_and_say_why_they_know_no_tasks(tmp_path: Path):
    path = tmp_path / "old.jsonl"
    path.write_text("".join(json.dumps({"kind": "point", **point(s=s).to_json()}) + "\n" for s in (32, 64)))
    found = load_measurement("old", PointStore(path).read_points(), ())
    assert (found.title, len(found.points)) == ("StripedScore over s", 2)
    assert found.find_task(found.points[0]) is None and "earlier version" in found.why_no_tasks


def test_only_methods_that_cut_their_table_have_a_geometry():
    assert geometry.is_cut(point(s=64))
    assert not geometry.is_cut(point(h=64))
    assert geometry.is_cut(point("layered", s=16, threads=1, mapping="tiles"))
    assert geometry.is_cut(point("nj-basic", block="64", cells="4"))
    assert not geometry.is_cut(point("nj-serial"))
    assert not geometry.is_cut(point("edlib-score", s=8))
    assert geometry.is_cut(
        replace(point("floyd-blocked"), tiles=TableTiles(300, 300, 64, "distances between 300 vertices"))
    )


@pytest.mark.parametrize(("contender", "lengths", "parameters", "words"), [
    ("sloped", (299, 199, 499), {"s": 32}, "10 x 7 chunks of 32 x 32 cells and 500 layers."),
    ("sloped-bt2", (299, 199, 499), {"s": 32, "h": 128},
     "10 x 7 chunks of 32 x 32 cells and 500 layers, each of 4 subchunks of 128 layers."),
    ("nj-basic", (100,), {"block": "64", "cells": "4"}, "28 blocks of 16 x 16 pairs of 100 taxa at the first join."),
    ("profile-matprod-v2", (90, 200), {"k": 16}, "6 x 13 blocks of 16 x 16 cells of 90 x 200."),
    ("enhanced-ba", (90, 200), {"s": 16}, "6 x 13 blocks of 16 x 16 cells of 90 x 200."),
    ("striped-score", (200, 90), {"s": 32}, "7 strips of 32 columns over 90 rows."),
])  # fmt: skip
def test_geometry_of_pairs_triples_trees_and_profiles(qtbot, contender, lengths, parameters, words):
    picture = geometry.GeometryPicture()
    qtbot.addWidget(picture)
    picture.resize(300, 200)
    whole = registry.find_method(contender).parameters.restore(parameters).as_mapping()
    picture.show_point(point(contender, **whole), lengths)
    assert picture.describe_geometry() == words
    drawn = picture.grab().toImage()
    colours = {drawn.pixel(x, y) for x in range(0, 300, 2) for y in range(0, 200, 2)}
    assert len(colours) > 3


def ruled(picture: geometry.GeometryPicture) -> int:
    """Pixels across the table that are not of its ground."""
    drawn = picture.grab().toImage()
    across = [drawn.pixel(x, 20) for x in range(10, 120)]
    return len(across) - across.count(max(set(across), key=across.count))


def test_tiles_that_no_parameter_sizes_are_drawn_as_they_were_measured(qtbot):
    """They depend on the type of the numbers and on the backend, which only the run knew."""
    picture = geometry.GeometryPicture()
    qtbot.addWidget(picture)
    picture.resize(200, 200)
    measured = replace(point("minplus-product"), tiles=TableTiles(300, 200, 64, "the product of 300 x 200"))
    back = points.point_from_json(json.loads(json.dumps(measured.to_json())))
    assert back == measured
    picture.show_point(back, None)
    assert picture.describe_geometry() == "5 x 4 tiles of 64 x 64 numbers: the product of 300 x 200."
    lines = ruled(picture)
    picture.show_point(replace(measured, tiles=TableTiles(300, 200, 20, "")), None)
    assert 0 < lines < ruled(picture)
    for wrong in ({"rows": 3}, {"rows": 3, "columns": 3, "side": 0, "of": ""}):
        with pytest.raises((TypeError, ValueError)):
            points.point_from_json({**measured.to_json(), "tiles": wrong})
