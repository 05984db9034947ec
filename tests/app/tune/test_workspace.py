"""The Tune workspace beside Analyse: values that go there, keys, room, and the last sweep."""

from __future__ import annotations

from typing import Any

import pytest

from antidiag.app.tune.plots.point_panel import point_facts
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from tests.app.tune.driving import finish


def test_the_values_of_a_point_go_into_the_form_of_analyse(qtbot: Any, ready: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.start_sweep()
    finish(qtbot, tune)
    point = next(point for point in tune.points.points if point.parameters["s"] == 64)
    tune.points.choose_point(point)
    assert ("s", "64") in point_facts(point)
    tune.panel.use_button.click()
    assert ready.workspaces.currentIndex() == 0
    assert ready.method.parameters.values()["s"] == 64


def test_the_sweep_of_the_last_time_is_shown_again(qtbot: Any, tune: Any, make_window: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.start_sweep()
    finish(qtbot, tune)
    again = make_window()
    assert not again.tune.points.points
    again.turn_to(1)
    qtbot.waitUntil(lambda: len(again.tune.points.points) == 2)
    assert again.tune.title.text() == tune.title.text()


@pytest.mark.slow
def test_the_axes_of_the_last_time_are_set_again(qtbot: Any, ready: Any, tune: Any, make_window: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.form.axis_editors.editors[1].set_value("threads", "1,2")
    before = tune.form.saved_values()["axes"]
    ready.close()
    again = make_window()
    again.turn_to(1)
    assert [list(axis) for axis in again.tune.form.saved_values()["axes"]] == [list(axis) for axis in before]
    assert before[0][0] == "s"


def test_a_narrow_window_has_room_for_tune_with_points(tune: Any, ready: Any) -> None:
    ready.turn_to(1)
    runs = (TimedRun(2.0, {"phase 1": 1.0}),)
    tune.points.show_points("sweep")
    tune.points.add_points(
        MeasuredPoint(
            f"{n}", "fake", "Fake", {"method": "fake", "s": 32 * n, "T": n % 3}, PointStatus.MEASURED, runs=runs
        )
        for n in range(1, 9)
    )
    assert ready.minimumSizeHint().width() <= 960
    ready.resize(960, 640)
    for number in range(tune.plots.tabs.count()):
        tune.plots.tabs.setCurrentIndex(number)
        assert ready.minimumSizeHint().width() <= 960, tune.plots.tabs.tabText(number)


def test_the_sides_of_tune_and_learn_have_the_keys_of_those_of_analyse(qtbot: Any, tune: Any, ready: Any) -> None:
    ready.turn_to(1)
    for name, side in tune.sides.items():
        command = ready.commands[f"{name}_panel"]
        assert side.isVisible() and command.isChecked()
        command.trigger()
        assert side.isHidden() and not command.isChecked() and ready.workspaces.currentWidget() is ready.tune_page
        ready.turn_to(0)
        assert command.isChecked() and not ready.docks[name].isHidden()
        ready.turn_to(1)
        assert not command.isChecked()
    ready.commands["widest"].trigger()
    assert all(side.isVisible() for side in tune.sides.values())
    ready.turn_to(2)
    ready.commands["data_panel"].trigger()
    assert ready.learn.sides["data"].isHidden() and ready.workspaces.currentWidget() is ready.learn_page
