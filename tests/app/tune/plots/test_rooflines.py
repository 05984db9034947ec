"""The roofline of a device: measured as a job, drawn with the points under it, and what is not known is said."""

from __future__ import annotations

import time
from typing import Any

import pytest

from antidiag.app.tune.plots.roofline_view import (
    NO_TRAFFIC_INTENSITY,
    NO_TRAFFIC_TEXT,
    UNDECLARED_TEXT,
    RooflineView,
    axis_ticks,
    roof_outline,
    roofline_point,
)
from antidiag.kernels.experiments.point_data import model_values, plot_data
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline

ROOF = Roofline("cpu", "a CPU", 4, 1e10, 2e9, "2026-01-02T03:04:05+00:00")


def point(s: int = 32, **foretold: float) -> MeasuredPoint:
    runs = (TimedRun(200.0, {"phase 1": 100.0}),)
    return MeasuredPoint(
        f"{s}",
        "fake",
        "Fake",
        {"s": s},
        PointStatus.MEASURED,
        backend="cpu",
        device="a CPU",
        parameters={"threads": 4},
        runs=runs,
        models=foretold,
    )


BOTH = point(32, operations=1e8, traffic=1e7)


@pytest.fixture
def view(qtbot: Any) -> RooflineView:
    view = RooflineView()
    qtbot.addWidget(view)
    return view


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roofline, "stored_roofline", lambda backend, device: ROOF if device == "a CPU" else None)


def show(view: RooflineView, *points: MeasuredPoint) -> None:
    view.show_points(points, plot_data.group_into_series(points, "s", "compute_ms", ["s"]))


def test_a_point_is_at_its_operations_a_byte_and_a_second() -> None:
    found = roofline_point(BOTH)
    assert found is not None and (found.intensity, found.rate) == (10, 1e9)
    unmoved = [roofline_point(point(operations=1e8)), roofline_point(point(operations=1e8, traffic=0.0))]
    assert [place and place.intensity for place in unmoved] == [NO_TRAFFIC_INTENSITY, NO_TRAFFIC_INTENSITY]
    assert roofline_point(point(traffic=1e8)) is None


def test_the_roof_is_the_lower_of_both_limits() -> None:
    x, y = roof_outline(ROOF, 1.0, 20.0)
    assert (x.tolist(), y.tolist()) == ([1, 5, 20], [2e9, 1e10, 1e10])


def test_points_are_under_the_roof_of_their_device(view: RooflineView, known: None) -> None:
    show(view, BOTH, point(64))
    assert [place.point for place in view.drawn_points] == [BOTH] and view.roofs == (ROOF,)
    assert (view._dots.data["x"][0], view._dots.data["y"][0]) == (1, 9)
    assert max(view._roofs[0].yData) == 10
    assert [item.text for item in view.legend_items] == ["s 32", "limits of a CPU"]
    assert (
        view.limits_label.text()
        == "a CPU: at most 10 G operations/s and 2 G bytes/s on 4 threads, measured 2026-01-02."
    )
    view.show_chosen(BOTH)
    assert len(view._chosen.data) == 1
    show(view, point(64))
    assert not view._roofs and not len(view._dots.data) and view.limits_label.text() == UNDECLARED_TEXT


def test_points_have_the_symbols_of_the_legend(view: RooflineView) -> None:
    show(view, BOTH, point(64, operations=1e8, traffic=1e8))
    symbols = [item.symbol for item in view.legend_items]
    assert list(view._dots.data["symbol"]) == symbols and len(set(symbols)) == 2


def test_what_moves_nothing_is_under_the_flat_roof_and_said(view: RooflineView) -> None:
    show(view, BOTH, point(64, operations=1e8, traffic=0.0))
    assert view.limits_label.text() == f"The limits of a CPU were not measured yet. {NO_TRAFFIC_TEXT}"
    assert not view._roofs and sorted(view._dots.data["x"]) == [1, 4]


@pytest.mark.parametrize(("low", "high", "words"), [(1.2, 2.4, {"20", "50", "100"}), (-1.0, 5.0, {"0.1", "1", "1 k"})])
def test_marks_are_named_as_far_as_there_is_room(low: float, high: float, words: set[str]) -> None:
    named, others = axis_ticks(low, high)
    assert words <= {text for _, text in named} and len(others) > len(named)
    assert ("50" in {text for _, text in named}) == (high - low < 3)


def test_limits_come_to_points_that_were_measured_before(known: None) -> None:
    found, other = model_values.update_limits([BOTH, point(64)])
    assert found.limit_ms == pytest.approx(10) and found.median_value("of_limit") == pytest.approx(0.1)
    assert other.limit_ms is None
    assert model_values.update_limits([point(operations=1e8, traffic=1e9)])[0].limit_ms == pytest.approx(500)


def test_the_limits_are_measured_as_a_job(qtbot: Any, ready: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[Any, Roofline] = {}

    def of(backend: str, device: int, monitor: Any, again: bool) -> Roofline:
        assert backend == "cpu" and again
        monitor.update(1, 6, "operations")
        return made.setdefault((backend, "a CPU"), ROOF)

    monkeypatch.setattr(roofline, "find_roofline", of)
    monkeypatch.setattr(roofline, "stored_roofline", lambda backend, device: made.get((backend, device)))
    ready.turn_to(1)
    tune = ready.tune
    tune.form.devices.cpu_box.setChecked(True)
    tune.points.show_points("points", [BOTH])
    tune.points.choose_point(BOTH)
    tune.points.toggle_pin(BOTH)
    assert "of_limit" not in plot_data.quantity_labels(tune.points.points)
    tune.plots.show_tab("Roofline")
    tune.plots.roofline.measure_button.click()
    assert not tune.plots.roofline.measure_button.isEnabled()
    qtbot.waitUntil(lambda: not tune._limit_jobs)
    assert tune.plots.roofline.measure_button.isEnabled() and tune.plots.roofline.roofs == (ROOF,)
    assert tune.plots.quantity_box.findData("of_limit") >= 0
    (renewed,) = tune.points.points
    assert renewed.limit_ms == pytest.approx(10)
    assert tune.points.chosen is renewed and tune.points.pinned[0] is renewed


def test_measuring_the_limits_can_be_cancelled(qtbot: Any, ready: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def of(backend: str, device: int, monitor: Any, again: bool) -> Roofline:
        while True:
            monitor.check()
            time.sleep(0.01)

    monkeypatch.setattr(roofline, "find_roofline", of)
    tune = ready.tune
    tune.measure_limits()
    tune.measure_limits()
    (job,) = tune._limit_jobs
    ready.queue.cancel(job)
    qtbot.waitUntil(lambda: not tune._limit_jobs)
    assert tune.plots.roofline.measure_button.isEnabled()
