"""Sweeps and searches of Tune: started, paused, cancelled, kept, shown again."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from antidiag.app.tune import sweep_history, workspace
from antidiag.app.tune.axis_editors import NO_AXIS
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from antidiag.kernels.experiments.sweeps import parameter_tuning
from antidiag.kernels.experiments.sweeps.parameter_tuning import TuningOutcome
from tests.app import fake
from tests.app.tune.driving import finish, listed, on_show


def test_a_sweep_shows_its_points_and_keeps_them(qtbot: Any, tune: Any, place: Path) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64,128")
    tune.form.axis_editors.editors[1].set_value("fail", "no,input")
    assert tune.form.point_count.text() == "6 points"
    tune.form.start_button.click()
    finish(qtbot, tune)
    statuses = [point.status for point in tune.points.points]
    assert statuses.count(PointStatus.MEASURED) == 3 and statuses.count(PointStatus.FAILED) == 3
    assert tune.points.chosen is not None and tune.points.chosen.status is PointStatus.MEASURED
    (file,) = place.glob("*.jsonl")
    assert len(point_store.read_points(file).points) == 6
    tune.points.show_points("nothing")
    (entry,) = listed(tune)
    assert entry.text().startswith("Fake over s x fail: one, two (6 points, ")
    entry.trigger()
    assert len(tune.points.points) == 6 and tune.points.title == "Fake over s x fail: one, two"


def test_points_are_taken_again_instead_of_measured(qtbot: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    for _ in range(2):
        tune.start_sweep()
        finish(qtbot, tune)
    assert all(point.reused for point in tune.points.points)
    tune.form.reuse.setChecked(False)
    tune.start_sweep()
    finish(qtbot, tune)
    assert not any(point.reused for point in tune.points.points)


def test_pause_and_cancel(qtbot: Any, ready: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.form.axis_editors.editors[1].set_value("wait", "yes")
    tune.start_sweep()
    qtbot.waitUntil(tune.form.pause_button.isEnabled)
    tune.form.pause_button.click()
    assert tune.form.pause_button.text() == "Resume" and tune.shown_measurement.job.monitor.is_paused
    tune.form.pause_button.click()
    assert not tune.shown_measurement.job.monitor.is_paused
    tune.form.cancel_button.click()
    finish(qtbot, tune)
    assert tune.points.points == ()
    fake.RELEASED.set()


def test_a_second_sweep_waits_for_the_first_and_neither_takes_of_the_other(qtbot: Any, ready: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.form.axis_editors.editors[1].set_value("wait", "yes")
    tune.form.start_button.click()
    qtbot.waitUntil(lambda: not tune.shown_measurement.is_waiting)
    tune.form.axis_editors.editors[0].set_value("gap_open", "5,7,9")
    tune.form.axis_editors.editors[1].set_value(NO_AXIS, "")
    tune.form.start_button.click()
    first, second = tune.active_measurements
    assert tune.form.waiting_label.text() == "1 waiting" and tune.shown_measurement is first
    assert [action.isEnabled() for action in listed(tune)] == [True, False]
    rows = ready.jobs.rows
    rows[first.job].pause_button.click()
    assert (first.is_paused, second.is_paused) == (True, False) and tune.form.pause_button.text() == "Resume"
    rows[first.job].pause_button.click()
    fake.RELEASED.set()
    finish(qtbot, tune)
    assert tune.shown_measurement is second and on_show(tune, "gap_open", "s") == [(5, None), (7, None), (9, None)]
    assert tune.plots.settings.x == "gap_open" and tune.form.waiting_label.text() == ""
    assert [entry.text().partition(" (")[0] for entry in listed(tune)] == [
        "Fake over gap_open: one, two", "Fake over s x wait: one, two",
    ]  # fmt: skip
    listed(tune)[1].trigger()
    assert on_show(tune, "gap_open", "s") == [(None, 32), (None, 64)]
    assert [tune._input_lengths(point) for point in tune.points.points] == [(20, 20)] * 2
    assert tune.plots.settings.x == "s" and "1 strip of" in tune.panel.geometry_label.text()


def test_each_of_two_sweeps_is_cancelled_by_itself(qtbot: Any, ready: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("wait", "yes")
    for values in ("32,64", "64,96", "96,128"):
        tune.form.axis_editors.editors[1].set_value("s", values)
        tune.start_sweep()
    first, second, third = tune.active_measurements
    assert tune.form.waiting_label.text() == "2 waiting"
    ready.jobs.rows[second.job].button.click()
    assert (
        tune.active_measurements == [first, third]
        and tune.shown_measurement is first
        and tune.form.waiting_label.text() == "1 waiting"
    )
    tune.form.cancel_button.click()
    qtbot.waitUntil(lambda: tune.active_measurements == [third] and tune.shown_measurement is third)
    fake.RELEASED.set()
    finish(qtbot, tune)
    assert on_show(tune, "s") == [(96,), (128,)]


def test_an_earlier_sweep_stays_on_show_while_another_is_measured(qtbot: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.start_sweep()
    finish(qtbot, tune)
    tune.form.axis_editors.editors[1].set_value("wait", "yes")
    tune.start_sweep()
    tune.form.axis_editors.editors[1].set_value("gap_open", "5")
    tune.start_sweep()
    listed(tune)[-1].trigger()
    assert tune.form.cancel_button.isEnabled()
    fake.RELEASED.set()
    finish(qtbot, tune)
    assert on_show(tune, "s", "wait", "gap_open") == [(32, None, None), (64, None, None)]


def test_what_was_measured_last_comes_when_its_plots_are_laid_out(
    qtbot: Any, tune: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To lay them out and fill them at once would be a long turn of the event loop; what begins meanwhile stays."""
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.start_sweep()
    finish(qtbot, tune)
    newest, measured, later = sweep_history.newest_sweep(), tune.points.points, []
    monkeypatch.setattr(workspace, "QTimer", SimpleNamespace(singleShot=lambda *given: later.append(given[-1])))
    for begun in ((), measured[:1]):
        tune.points.show_points("")
        assert tune.plots.isHidden()
        tune._show_restored(newest)
        assert not tune.plots.isHidden() and not tune.points.points
        tune.points.add_points(begun)
        later.pop()()
        assert tune.points.points == (begun or measured) and not tune.plots.isHidden()


def test_the_best_that_a_search_found_is_chosen(qtbot: Any, tune: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64,128")
    tune.start_sweep()
    finish(qtbot, tune)
    tried = tune.points.points

    def search(task: Any, budget_s: float, control: Any, on_point: Any, on_progress: Any, store: Any) -> TuningOutcome:
        for point in tried:
            on_point(point)
        return TuningOutcome({"s": 64}, 1.0, {"s": 128}, 2.0, tried, reason="this is a test")

    monkeypatch.setattr(parameter_tuning, "tune_parameters", search)
    tune.form.tune_button.click()
    finish(qtbot, tune)
    assert tune.points.title == "Tune Fake: one, two"
    assert tune.points.chosen is tried[1] and tune._input_lengths(tried[1]) == (20, 20)


def test_a_search_of_many_candidates_leaves_the_window_as_it_is(tune: Any, ready: Any) -> None:
    ready.resize(1280, 720)
    tune.points.show_points("Tune", search=True)
    runs = (TimedRun(2.0, {"phase 1": 1.0}),)
    tune.points.add_points(
        MeasuredPoint(
            f"{n}", "fake", "Fake", {"method": "fake", "s": 32 * n, "T": 7 * n % 97}, PointStatus.MEASURED, runs=runs
        )
        for n in range(1, 151)
    )
    plots, least = tune.plots, ready.minimumSizeHint().height()
    assert len(plots.line_plot.lines) == 1 and plots.settings.scatter
    plots.colour_box.setCurrentText("T")
    plots.colour_box.activated.emit(plots.colour_box.currentIndex())
    assert len({line.shade for line in plots.line_plot.lines}) == 97 and len(plots.legend.items) < 20
    assert ready.minimumSizeHint().height() <= least + 4 * plots.fontMetrics().height() + 16
    tune.points.show_points("sweep")
    tune.points.add_points([MeasuredPoint("1", "fake", "Fake", {"s": 32}, PointStatus.MEASURED, runs=runs)])
    assert not plots.settings.scatter
