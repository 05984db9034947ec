"""The roofline of a device: measured as a job, drawn with the points under it, and what is not known is said."""

from __future__ import annotations

import time
from typing import Any

import pytest

from antidiag.app.tune.plots import series
from antidiag.app.tune.plots.rooflines import NO_TRAFFIC, UNDECLARED, UNMOVED, RooflineView, outline, place_of, ticks
from antidiag.kernels.experiments import models
from antidiag.kernels.experiments.points import Point, Run, Status
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.rooflines.roofline import Roofline

ROOF = Roofline("cpu", "a CPU", 4, 1e10, 2e9, "2026-01-02T03:04:05+00:00")


def point(s: int = 32, **foretold: float) -> Point:
    runs = (Run(200.0, {"phase 1": 100.0}),)
    return Point(
        f"{s}", "fake", "Fake", {"s": s}, Status.MEASURED, backend="cpu", device="a CPU", parameters={"threads": 4},
        runs=runs, models=foretold,
    )  # fmt: skip


BOTH = point(32, operations=1e8, traffic=1e7)


@pytest.fixture
def view(qtbot: Any) -> RooflineView:
    view = RooflineView()
    qtbot.addWidget(view)
    return view


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roofline, "kept", lambda backend, device: ROOF if device == "a CPU" else None)


def show(view: RooflineView, *points: Point) -> None:
    view.show_points(points, series.lines(points, "s", "compute_ms", ["s"]))


def test_a_point_is_at_its_operations_a_byte_and_a_second() -> None:
    found = place_of(BOTH)
    assert found is not None and (found.intensity, found.rate) == (10, 1e9)
    unmoved = [place_of(point(operations=1e8)), place_of(point(operations=1e8, traffic=0.0))]
    assert [place and place.intensity for place in unmoved] == [UNMOVED, UNMOVED]
    assert place_of(point(traffic=1e8)) is None


def test_the_roof_is_the_lower_of_both_limits() -> None:
    x, y = outline(ROOF, 1.0, 20.0)
    assert (x.tolist(), y.tolist()) == ([1, 5, 20], [2e9, 1e10, 1e10])


def test_points_are_under_the_roof_of_their_device(view: RooflineView, known: None) -> None:
    show(view, BOTH, point(64))
    assert [place.point for place in view.places] == [BOTH] and view.roofs == (ROOF,)
    assert (view._dots.data["x"][0], view._dots.data["y"][0]) == (1, 9)
    assert max(view._roofs[0].yData) == 10
    assert [item.text for item in view.items] == ["s 32", "limits of a CPU"]
    assert view.words.text() == "a CPU: at most 10 G operations/s and 2 G bytes/s on 4 threads, measured 2026-01-02."
    view.show_chosen(BOTH)
    assert len(view._chosen.data) == 1
    show(view, point(64))
    assert not view._roofs and not len(view._dots.data) and view.words.text() == UNDECLARED


def test_what_moves_nothing_is_under_the_flat_roof_and_said(view: RooflineView) -> None:
    show(view, BOTH, point(64, operations=1e8, traffic=0.0))
    assert view.words.text() == f"The limits of a CPU are not known yet. {NO_TRAFFIC}"
    assert not view._roofs and sorted(view._dots.data["x"]) == [1, 4]


@pytest.mark.parametrize(("low", "high", "words"), [(1.2, 2.4, {"20", "50", "100"}), (-1.0, 5.0, {"0.1", "1", "1 k"})])
def test_marks_are_named_as_far_as_there_is_room(low: float, high: float, words: set[str]) -> None:
    named, others = ticks(low, high)
    assert words <= {text for _, text in named} and len(others) > len(named)
    assert ("50" in {text for _, text in named}) == (high - low < 3)


def test_limits_come_to_points_that_were_measured_before(known: None) -> None:
    found, other = models.with_limits([BOTH, point(64)])
    assert found.limit_ms == pytest.approx(10) and found.value("of_limit") == pytest.approx(0.1)
    assert other.limit_ms is None
    assert models.with_limits([point(operations=1e8, traffic=1e9)])[0].limit_ms == pytest.approx(500)


def test_the_limits_are_measured_as_a_job(qtbot: Any, ready: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[Any, Roofline] = {}

    def of(backend: str, device: int, monitor: Any, again: bool) -> Roofline:
        assert backend == "cpu" and again
        monitor.update(1, 6, "operations")
        return made.setdefault((backend, "a CPU"), ROOF)

    monkeypatch.setattr(roofline, "of", of)
    monkeypatch.setattr(roofline, "kept", lambda backend, device: made.get((backend, device)))
    ready.turn_to(1)
    tune = ready.tune
    tune.form.devices.cpu.setChecked(True)
    tune.points.begin("points", [BOTH])
    tune.points.choose(BOTH)
    tune.points.pin(BOTH)
    assert "of_limit" not in series.quantities(tune.points.points)
    tune.plots.show_tab("Roofline")
    tune.plots.roof.button.click()
    assert not tune.plots.roof.button.isEnabled()
    qtbot.waitUntil(lambda: not tune._limits)
    assert tune.plots.roof.button.isEnabled() and tune.plots.roof.roofs == (ROOF,)
    assert tune.plots.quantity.findData("of_limit") >= 0
    (renewed,) = tune.points.points
    assert renewed.limit_ms == pytest.approx(10)
    assert tune.points.chosen is renewed and tune.points.pinned[0] is renewed


def test_measuring_the_limits_can_be_cancelled(qtbot: Any, ready: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def of(backend: str, device: int, monitor: Any, again: bool) -> Roofline:
        while True:
            monitor.check()
            time.sleep(0.01)

    monkeypatch.setattr(roofline, "of", of)
    tune = ready.tune
    tune.measure_limits()
    tune.measure_limits()
    (job,) = tune._limits
    ready.queue.cancel(job)
    qtbot.waitUntil(lambda: not tune._limits)
    assert tune.plots.roof.button.isEnabled()
