"""The panel of the chosen point: what models foretell has the words and the units of their declarations."""

from __future__ import annotations

import pytest

from antidiag.app.tune import measurement
from antidiag.app.tune.plots.point_panel import PointPanel, format_amount, format_spread, point_facts
from antidiag.app.tune.plots.point_set import PointSet
from antidiag.kernels.experiments.point_data import model_values, plot_data
from antidiag.kernels.experiments.point_data.plot_data import PlotSettings
from antidiag.kernels.experiments.point_data.point_store import SEARCH_KEY, StoredPoints
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, Spread, TimedRun

MODELS = {"start-up": 50_180.0, "steps-T": 17_700.0, "traffic": 172_800.0, "operations": 3.96e6}


def point(contender: str = "striped-score") -> MeasuredPoint:
    runs = (TimedRun(2.0, {"phase 1": 1.0}),)
    return MeasuredPoint("1", contender, "M", {"s": 32}, PointStatus.MEASURED, runs=runs, models=MODELS)


def test_models_are_told_in_the_words_and_units_of_their_declarations() -> None:
    found = dict(point_facts(point()))
    assert found["  start-up delay"] == "50.2 k steps"
    assert found["  steps with batches"] == "17.7 k steps"
    assert found["  border traffic"] == "168.8 KiB"
    assert found["  operations"] == "3.96 M lane operations"


def test_models_of_a_method_that_is_gone_have_the_names_that_they_had() -> None:
    assert model_values.find_models("gone") == {} and dict(point_facts(point("gone")))["  start-up"] == "50.2 k"
    assert "predicted" not in dict(point_facts(MeasuredPoint("1", "m", "M", {}, PointStatus.MEASURED)))


@pytest.mark.parametrize(("value", "unit", "text"), [
    (0.0, "bytes", "0 B"), (4260.0, "bytes", "4.2 KiB"), (1.131e4, "steps", "11.3 k steps"),
])  # fmt: skip
def test_amounts_have_three_digits_and_a_unit(value: float, unit: str, text: str) -> None:
    assert format_amount(value, unit) == text


def test_a_model_is_a_quantity_with_its_unit() -> None:
    found = plot_data.quantity_labels([point()])
    assert found["steps-T"] == "model: Steps with batches, steps"
    assert plot_data.quantity_text([point()], "steps-T") == found["steps-T"]
    assert PlotSettings(quantity="steps-T", model_label=found["steps-T"]).quantity_label == found["steps-T"]
    assert PlotSettings(quantity="compute_ms", model_label="other").quantity_label == "phases, ms"


def test_names_leave_room_for_their_values(qtbot) -> None:
    points = PointSet()
    panel = PointPanel(points, lambda chosen: None, lambda: "")
    qtbot.addWidget(panel)
    panel.resize(280, 600)
    panel.show()
    points.choose_point(point())
    assert panel.table.columnWidth(1) > 80
    tips = [panel.table.item(row, 0).toolTip() for row in range(panel.table.rowCount())]
    assert "steps with batches" in tips


def test_points_of_a_search_are_begun_as_such() -> None:
    one = measurement.SweepMeasurement("Tune", is_search=True)
    begun = one.initial_settings(PlotSettings(x="s", y="T", colour="T"))
    assert (begun.x, begun.y, begun.log_x, begun.colour) == ("", "", True, "T")
    kept = StoredPoints({"title": "found before", SEARCH_KEY: True}, ())
    assert measurement.load_measurement("file", kept, ()).is_search
    assert not measurement.load_measurement("file", StoredPoints({"title": "a sweep"}, ()), ()).is_search


def test_a_spread_has_its_unit_once() -> None:
    assert format_spread("wall_ms", Spread(15.3, 14.6, 32.0, 3)) == "15.3 ms (14.6 to 32)"
    assert format_spread("wall_ms", Spread(15.3, 15.3, 15.3, 1)) == "15.3 ms"
    assert format_spread("gcups", Spread(0.5, 0.25, 0.75, 3)) == "0.5 (0.25 to 0.75)"
