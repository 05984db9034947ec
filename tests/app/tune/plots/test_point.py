"""The panel of the chosen point: what models foretell has the words and the units of their declarations."""

from __future__ import annotations

import pytest

from antidiag.app.tune import measurement
from antidiag.app.tune.plots import series
from antidiag.app.tune.plots.point import PointPanel, amount, facts, told
from antidiag.app.tune.plots.points import PointSet
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.experiments import models
from antidiag.kernels.experiments.points import Point, Run, Spread, Status
from antidiag.kernels.experiments.results import SEARCH, Kept

MODELS = {"start-up": 50_180.0, "steps-T": 17_700.0, "traffic": 172_800.0, "operations": 3.96e6}


def point(contender: str = "striped-score") -> Point:
    runs = (Run(2.0, {"phase 1": 1.0}),)
    return Point("1", contender, "M", {"s": 32}, Status.MEASURED, runs=runs, models=MODELS)


def test_models_are_told_in_the_words_and_units_of_their_declarations() -> None:
    found = dict(facts(point()))
    assert found["  start-up delay"] == "50.2 k steps"
    assert found["  steps with batches"] == "17.7 k steps"
    assert found["  border traffic"] == "168.8 KiB"
    assert found["  operations"] == "3.96 M lane operations"


def test_models_of_a_method_that_is_gone_have_the_names_that_they_had() -> None:
    assert models.declared("gone") == {} and dict(facts(point("gone")))["  start-up"] == "50.2 k"
    assert "foretold" not in dict(facts(Point("1", "m", "M", {}, Status.MEASURED)))


@pytest.mark.parametrize(("value", "unit", "text"), [
    (0.0, "bytes", "0 B"), (4260.0, "bytes", "4.2 KiB"), (1.131e4, "steps", "11.3 k steps"),
])  # fmt: skip
def test_amounts_have_three_digits_and_a_unit(value: float, unit: str, text: str) -> None:
    assert amount(value, unit) == text


def test_a_model_is_a_quantity_with_its_unit() -> None:
    found = series.quantities([point()])
    assert found["steps-T"] == "model: Steps with batches, steps"
    assert series.quantity_text([point()], "steps-T") == found["steps-T"]
    assert PlotSettings(quantity="steps-T", words=found["steps-T"]).label == found["steps-T"]
    assert PlotSettings(quantity="compute_ms", words="other").label == "phases, ms"


def test_names_leave_room_for_their_values(qtbot) -> None:
    points = PointSet()
    panel = PointPanel(points, lambda chosen: None, lambda: "")
    qtbot.addWidget(panel)
    panel.resize(280, 600)
    panel.show()
    points.choose(point())
    assert panel.table.columnWidth(1) > 80
    tips = [panel.table.item(row, 0).toolTip() for row in range(panel.table.rowCount())]
    assert "steps with batches" in tips


def test_points_of_a_search_are_begun_as_such() -> None:
    one = measurement.Measurement("Tune", search=True)
    begun = one.settings(PlotSettings(x="s", y="T", colour="T"))
    assert (begun.x, begun.y, begun.log_x, begun.colour) == ("", "", True, "T")
    kept = Kept({"title": "found before", SEARCH: True}, ())
    assert measurement.of_kept("file", kept, ()).search
    assert not measurement.of_kept("file", Kept({"title": "a sweep"}, ()), ()).search


def test_a_spread_has_its_unit_once() -> None:
    assert told("wall_ms", Spread(15.3, 14.6, 32.0, 3)) == "15.3 ms (14.6 to 32)"
    assert told("wall_ms", Spread(15.3, 15.3, 15.3, 1)) == "15.3 ms"
    assert told("gcups", Spread(0.5, 0.25, 0.75, 3)) == "0.5 (0.25 to 0.75)"
