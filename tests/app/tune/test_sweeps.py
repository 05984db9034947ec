"""Sweeps and searches of Tune: started, paused, cancelled, kept, shown again."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from antidiag.app.tune import earlier, workspace
from antidiag.app.tune.axis_editors import NONE
from antidiag.kernels.experiments import results, tuning
from antidiag.kernels.experiments.points import Point, Run, Status
from antidiag.kernels.experiments.tuning import Found
from tests.app import fake
from tests.app.tune.driving import finish, listed, on_show


def test_a_sweep_shows_its_points_and_keeps_them(qtbot: Any, tune: Any, place: Path) -> None:
    tune.form.axes[0].set_value("s", "32,64,128")
    tune.form.axes[1].set_value("fail", "no,input")
    assert tune.form.count.text() == "6 points"
    tune.form.start_button.click()
    finish(qtbot, tune)
    statuses = [point.status for point in tune.points.points]
    assert statuses.count(Status.MEASURED) == 3 and statuses.count(Status.FAILED) == 3
    assert tune.points.chosen is not None and tune.points.chosen.status is Status.MEASURED
    (file,) = place.glob("*.jsonl")
    assert len(results.read(file).points) == 6
    tune.points.begin("nothing")
    (entry,) = listed(tune)
    assert entry.text().startswith("Fake over s x fail: one, two (6 points, ")
    entry.trigger()
    assert len(tune.points.points) == 6 and tune.points.title == "Fake over s x fail: one, two"


def test_points_are_taken_again_instead_of_measured(qtbot: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    for _ in range(2):
        tune.start()
        finish(qtbot, tune)
    assert all(point.reused for point in tune.points.points)
    tune.form.reuse.setChecked(False)
    tune.start()
    finish(qtbot, tune)
    assert not any(point.reused for point in tune.points.points)


def test_pause_and_cancel(qtbot: Any, ready: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.form.axes[1].set_value("wait", "yes")
    tune.start()
    qtbot.waitUntil(tune.form.pause_button.isEnabled)
    tune.form.pause_button.click()
    assert tune.form.pause_button.text() == "Go on" and tune.shown.job.monitor.paused
    tune.form.pause_button.click()
    assert not tune.shown.job.monitor.paused
    tune.form.cancel_button.click()
    finish(qtbot, tune)
    assert tune.points.points == ()
    fake.RELEASED.set()


def test_a_second_sweep_waits_for_the_first_and_neither_takes_of_the_other(qtbot: Any, ready: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.form.axes[1].set_value("wait", "yes")
    tune.form.start_button.click()
    qtbot.waitUntil(lambda: not tune.shown.waiting)
    tune.form.axes[0].set_value("gap_open", "5,7,9")
    tune.form.axes[1].set_value(NONE, "")
    tune.form.start_button.click()
    first, second = tune.active
    assert tune.form.waiting.text() == "1 waiting" and tune.shown is first
    assert [action.isEnabled() for action in listed(tune)] == [True, False]
    rows = ready.jobs.rows
    rows[first.job].pause_button.click()
    assert (first.paused, second.paused) == (True, False) and tune.form.pause_button.text() == "Go on"
    rows[first.job].pause_button.click()
    fake.RELEASED.set()
    finish(qtbot, tune)
    assert tune.shown is second and on_show(tune, "gap_open", "s") == [(5, None), (7, None), (9, None)]
    assert tune.plots.settings.x == "gap_open" and tune.form.waiting.text() == ""
    assert [entry.text().partition(" (")[0] for entry in listed(tune)] == [
        "Fake over gap_open: one, two", "Fake over s x wait: one, two",
    ]  # fmt: skip
    listed(tune)[1].trigger()
    assert on_show(tune, "gap_open", "s") == [(None, 32), (None, 64)]
    assert [tune._lengths(point) for point in tune.points.points] == [(20, 20)] * 2
    assert tune.plots.settings.x == "s" and "1 strip of" in tune.panel.words.text()


def test_each_of_two_sweeps_is_cancelled_by_itself(qtbot: Any, ready: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("wait", "yes")
    for values in ("32,64", "64,96", "96,128"):
        tune.form.axes[1].set_value("s", values)
        tune.start()
    first, second, third = tune.active
    assert tune.form.waiting.text() == "2 waiting"
    ready.jobs.rows[second.job].button.click()
    assert tune.active == [first, third] and tune.shown is first and tune.form.waiting.text() == "1 waiting"
    tune.form.cancel_button.click()
    qtbot.waitUntil(lambda: tune.active == [third] and tune.shown is third)
    fake.RELEASED.set()
    finish(qtbot, tune)
    assert on_show(tune, "s") == [(96,), (128,)]


def test_an_earlier_sweep_stays_on_show_while_another_is_measured(qtbot: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.start()
    finish(qtbot, tune)
    tune.form.axes[1].set_value("wait", "yes")
    tune.start()
    tune.form.axes[1].set_value("gap_open", "5")
    tune.start()
    listed(tune)[-1].trigger()
    assert tune.form.cancel_button.isEnabled()
    fake.RELEASED.set()
    finish(qtbot, tune)
    assert on_show(tune, "s", "wait", "gap_open") == [(32, None, None), (64, None, None)]


def test_what_was_measured_last_comes_when_its_plots_are_laid_out(
    qtbot: Any, tune: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To lay them out and fill them at once would be a long turn of the event loop; what begins meanwhile stays."""
    tune.form.axes[0].set_value("s", "32,64")
    tune.start()
    finish(qtbot, tune)
    newest, measured, later = earlier.newest(), tune.points.points, []
    monkeypatch.setattr(workspace, "QTimer", SimpleNamespace(singleShot=lambda *given: later.append(given[-1])))
    for begun in ((), measured[:1]):
        tune.points.begin("")
        assert tune.plots.isHidden()
        tune._restore(newest)
        assert not tune.plots.isHidden() and not tune.points.points
        tune.points.add(begun)
        later.pop()()
        assert tune.points.points == (begun or measured) and not tune.plots.isHidden()


def test_the_best_that_a_search_found_is_chosen(qtbot: Any, tune: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tune.form.axes[0].set_value("s", "32,64,128")
    tune.start()
    finish(qtbot, tune)
    tried = tune.points.points

    def search(task: Any, budget_s: float, control: Any, on_point: Any, on_progress: Any, store: Any) -> Found:
        for point in tried:
            on_point(point)
        return Found({"s": 64}, 1.0, {"s": 128}, 2.0, tried, reason="this is a test")

    monkeypatch.setattr(tuning, "tune", search)
    tune.form.tune_button.click()
    finish(qtbot, tune)
    assert tune.points.title == "Tune Fake: one, two"
    assert tune.points.chosen is tried[1] and tune._lengths(tried[1]) == (20, 20)


def test_a_search_of_many_candidates_leaves_the_window_as_it_is(tune: Any, ready: Any) -> None:
    ready.resize(1280, 720)
    tune.points.begin("Tune", search=True)
    runs = (Run(2.0, {"phase 1": 1.0}),)
    tune.points.add(
        Point(f"{n}", "fake", "Fake", {"method": "fake", "s": 32 * n, "T": 7 * n % 97}, Status.MEASURED, runs=runs)
        for n in range(1, 151)
    )
    plots, least = tune.plots, ready.minimumSizeHint().height()
    assert len(plots.lines.lines) == 1 and plots.settings.scatter
    plots.colour.setCurrentText("T")
    plots.colour.activated.emit(plots.colour.currentIndex())
    assert len({line.shade for line in plots.lines.lines}) == 97 and len(plots.legend.items) < 20
    assert ready.minimumSizeHint().height() <= least + 4 * plots.fontMetrics().height() + 16
    tune.points.begin("sweep")
    tune.points.add([Point("1", "fake", "Fake", {"s": 32}, Status.MEASURED, runs=runs)])
    assert not plots.settings.scatter
