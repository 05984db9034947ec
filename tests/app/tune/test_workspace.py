"""The Tune workspace as a person uses it: axes, start, points, use their values, pause, cancel, tune."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtWidgets import QFileDialog

from app.kit import export
from app.tune.axis_editors import NONE
from app.tune.inputs import RANDOM, InputEditor
from app.tune.plots.point import facts
from kernels import registry
from kernels.errors import InputError, ParameterError
from kernels.experiments import results, tuning
from kernels.experiments.inputs import Generated, Loaded
from kernels.experiments.points import Point, Run, Status
from kernels.experiments.tuning import Found
from kernels.machine import tuned
from tests.app import fake

UNCHECKED = Qt.CheckState.Unchecked


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sweeps and tuned values of this test are kept."""
    monkeypatch.setattr(results, "folder", lambda: tmp_path / "experiments")
    monkeypatch.setattr(tuned, "_path", lambda: tmp_path / "tuned.json")
    return tmp_path / "experiments"


@pytest.fixture
def tune(ready: Any, place: Path) -> Any:
    """The workspace, with two sequences open in Analyse."""
    ready.turn_to(1)
    return ready.tune


def finish(qtbot: Any, tune: Any) -> None:
    qtbot.waitUntil(lambda: not tune.active)


def listed(tune: Any) -> list[Any]:
    """What the menu of earlier sweeps offers."""
    tune._list_earlier()
    return [action for action in tune.earlier.actions() if not action.isSeparator()]


def on_show(tune: Any, *names: str) -> list[tuple[Any, ...]]:
    """The places of the points on show."""
    return [tuple(point.coordinates.get(name) for name in names) for point in tune.points.points]


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


def test_the_values_of_a_point_go_into_the_form_of_analyse(qtbot: Any, ready: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.start()
    finish(qtbot, tune)
    point = next(point for point in tune.points.points if point.parameters["s"] == 64)
    tune.points.choose(point)
    assert ("s", "64") in facts(point)
    tune.panel.use_button.click()
    assert ready.workspaces.currentIndex() == 0
    assert ready.method.parameters.values()["s"] == 64


def test_beside_the_names_the_values_of_all_points_share_the_room(qtbot: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.start()
    finish(qtbot, tune)
    table, (one, other) = tune.panel.table, tune.points.points
    tune.points.pin(one)
    tune.points.choose(other)
    names, *values = (table.columnWidth(column) for column in range(table.columnCount()))
    assert names >= table.sizeHintForColumn(0) and len(values) == 2
    assert abs(values[0] - values[1]) <= 1 and names + sum(values) == table.viewport().width()


def test_a_mistyped_axis_is_explained(tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32:x")
    assert "'x' is not a number" in tune.form.problem.text()
    assert not tune.form.start_button.isEnabled()
    tune.form.axes[0].set_value(NONE, "")
    assert tune.form.start_button.isEnabled() and tune.form.count.text() == "1 point"


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


def test_a_sweep_from_disk_has_its_geometry_where_its_input_is_known(qtbot: Any, tune: Any, place: Path) -> None:
    tune.form.input.set_values({"source": RANDOM, "length": "300x500"})
    tune.form.axes[0].set_value("s", "32,64")
    tune.start()
    finish(qtbot, tune)
    (entry,) = listed(tune)
    entry.trigger()
    assert tune._lengths(tune.points.points[1]) == (300, 500) and tune.shown.tasks
    (file,) = place.glob("*.jsonl")
    older = file.read_text().replace('"inputs":', '"unknown":')
    file.write_text(older)
    listed(tune)[0].trigger()
    assert tune._lengths(tune.points.points[1]) is None
    assert "an earlier version measured it" in tune.panel.words.text()
    tune.form.input.set_values({})
    tune.start()
    finish(qtbot, tune)
    tune.set_data(())
    listed(tune)[0].trigger()
    assert tune.panel.words.text() == "The geometry is not known: one is not open as it was measured."
    results.Store(place / "empty.jsonl").begin({"title": "nothing was measured"})
    assert len(listed(tune)) == 2


def test_every_plot_lets_a_point_be_chosen(qtbot: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.form.axes[1].set_value("gap_open", "5,10")
    tune.start()
    finish(qtbot, tune)
    points, plots = tune.points, tune.plots
    assert len(plots.lines.lines) == 2 and (plots.settings.x, plots.settings.y) == ("s", "gap_open")
    plots.tabs.setCurrentIndex(1)
    (heat,) = [each for each in plots.heat.maps if not each.isHidden()]
    at = next(iter(heat.grid.cells))
    centre = heat._box(QRectF(heat.rect()), at).center()
    qtbot.mouseClick(heat, Qt.MouseButton.LeftButton, pos=QPointF(centre).toPoint())
    assert points.chosen is heat.grid.cells[at][0]
    plots.show_tab("Parallel")
    line = plots.parallel._lines[-1]
    ends = plots.parallel._points(line, QRectF(plots.parallel.rect()))
    qtbot.mouseClick(plots.parallel, Qt.MouseButton.LeftButton, pos=((ends[0] + ends[1]) / 2).toPoint())
    assert points.chosen in [each.point for each in plots.parallel._lines]
    plots.show_tab("Phases")
    qtbot.mouseClick(plots.bars, Qt.MouseButton.LeftButton, pos=QPointF(10, 10).toPoint())
    assert points.chosen is plots.bars.points[0]
    plots.show_tab("Table")
    plots.table.selectRow(2)
    assert points.chosen in points.points
    tune.panel.pin_button.click()
    points.choose(points.points[0])
    assert tune.panel.table.columnCount() == 1 + len({id(point) for point in (points.chosen, *points.pinned)})


def test_lines_are_coloured_by_what_is_chosen(qtbot: Any, tune: Any) -> None:
    plots, box = tune.plots, tune.plots.colour
    for axis, values in zip(tune.form.axes, (("s", "32,64"), ("gap_open", "5,10,15")), strict=True):
        axis.set_value(*values)
    tune.start()
    finish(qtbot, tune)
    assert [box.itemText(place) for place in range(box.count())] == ["automatic", "gap_open"]
    box.setCurrentText("gap_open")
    box.activated.emit(1)
    tune.start()
    finish(qtbot, tune)
    assert plots.settings.colour == "gap_open" and box.currentText() == "gap_open"
    plots.across.setCurrentText("gap_open")
    plots.across.activated.emit(plots.across.currentIndex())
    assert [box.itemText(place) for place in range(box.count())] == ["automatic", "s"]
    assert plots.settings.colour == "" and box.currentText() == "automatic"
    box.setCurrentText("s")
    box.activated.emit(1)
    assert plots.settings.colour == "s" and [item.text for item in plots.legend.items] == ["s 32", "s 64"]


def test_the_figure_of_a_file_is_the_plot_as_it_is_seen_and_its_legend(tune: Any) -> None:
    runs = (Run(2.0, {"phase 1": 1.0}),)
    tune.points.begin("sweep", [
        Point(f"{n}", "fake", "Fake", {"s": 32 * n, "gap_open": n % 2}, Status.MEASURED, runs=runs) for n in range(1, 7)
    ])  # fmt: skip
    plots, grid = tune.plots, tune.plots.lines.getAxis("left").grid
    size, seen = plots.figure_size(), plots.lines.size()
    assert size.width() == seen.width() and size.height() > seen.height() and plots.legend.items
    assert export.image(size, plots.paint, scale=1).size() == size
    assert grid and plots.lines.getAxis("left").grid == grid, "what a file does without comes back"


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


def test_the_table_has_a_row_for_every_point_and_the_reason_of_those_that_failed(qtbot: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.form.axes[1].set_value("fail", "input,no")
    said: list[str] = []
    tune.said.connect(lambda text, error: said.append(text))
    tune.start()
    finish(qtbot, tune)
    assert "2 points measured, 2 not: the table says why" in said[-1]
    plots, points = tune.plots, tune.points.points
    plots.show_tab("Table")
    model = plots.table.model()
    rows = [[model.index(row, at).data() for at in range(model.columnCount())] for row in range(model.rowCount())]
    assert [any("letter '!' at position 3" in text for text in row) for row in rows] == [True, False, True, False]
    for row, point in enumerate(points):
        tune.points.choose(None)
        plots.table.selectRow(row)
        assert tune.points.chosen is point
        tune.points.choose(None)
        assert not plots.table.selectedIndexes()
        tune.points.choose(point)
        assert {index.row() for index in plots.table.selectedIndexes()} == {row}


def test_points_are_saved_in_three_formats(qtbot: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.start()
    finish(qtbot, tune)
    assert tune.plots.text(".csv").count("\n") == 3
    assert '"rows"' in tune.plots.text(".json")
    assert tune.plots.text(".md").count("| Fake |") == 2
    with pytest.raises(InputError, match=r"\.csv"):
        tune.plots.text(".doc")


def test_a_file_without_a_suffix_gets_that_of_the_filter_and_a_table_saves_the_plot_behind_it(
    tune: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [Point(f"{s}", "fake", "Fake", {"s": s}, Status.MEASURED, runs=(Run(2.0),)) for s in (32, 64)]
    tune.points.begin("sweep", points)
    asked = str(tmp_path / "points"), "Markdown table (*.md)"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: asked)
    tune.plots.save_table()
    assert "| Fake |" in (tmp_path / "points.md").read_text()
    tune.plots.show_tab("Table")
    saved: list[bool] = []
    monkeypatch.setattr(export, "ask_and_save", lambda *arguments: saved.append(bool(tune.plots.legend.items)))
    tune.plots.save_figure()
    assert saved == [True] and tune.plots.tabs.currentWidget() is tune.plots.lines


def test_hovering_tells_the_value_with_its_spread_and_every_name_once(qtbot: Any, tune: Any) -> None:
    runs = tuple(Run(time + 1, {"phase 1": time}) for time in (2.0, 3.0, 5.0))
    points = [
        Point(f"{n}{name}", name, name, {"method": name, "s": n}, Status.MEASURED, runs=runs, cells=6_000_000)
        for n in (32, 64) for name in ("Fake", "Other")
    ]  # fmt: skip
    tune.points.begin("sweep", points)
    tune.plots.lines.hovered.emit(points[0])
    assert tune.plots.told.text() == "Fake, s 32: phases 3 ms (2 to 5)"
    tune.plots.use(replace(tune.plots.settings, quantity="gcups"))
    tune.plots.lines.hovered.emit(points[0])
    assert tune.plots.told.text() == "Fake, s 32: rate of the phases 2 (1.2 to 3), 1e9 cells per s"
    tune.plots.lines.hovered.emit(None)
    assert tune.plots.told.text() == ""


def test_what_is_wrong_is_seen_where_the_form_scrolls(tune: Any, ready: Any) -> None:
    ready.resize(1280, 720)
    tune.form.axes[0].set_value("s", "33:x")
    assert tune.form.problem.isVisible() and not tune.form.problem.visibleRegion().isEmpty()
    assert ready.rect().contains(ready.mapFromGlobal(tune.form.problem.mapToGlobal(tune.form.problem.rect().center())))


def test_what_was_set_comes_back(tune: Any, ready: Any) -> None:
    tune.form.axes[0].set_value("s", "32,96")
    tune.form.repeats.setValue(7)
    saved = tune.form.values()
    tune.form.axes[0].set_value(NONE, "")
    tune.form.repeats.setValue(1)
    tune.form.set_values(saved)
    assert (tune.form.axes[0].values.text(), tune.form.repeats.value()) == ("32,96", 7)


def test_a_method_that_takes_no_data_needs_nothing_open(qtbot: Any) -> None:
    form = InputEditor()
    qtbot.addWidget(form)
    form.set_data(())
    with pytest.raises(ParameterError, match="nothing is open"):
        form.inputs()
    form.set_data((), registry.method("matrix-chain").problem)
    assert form.inputs() == Loaded(()) and form.about.text() == "This method takes no data."


@pytest.mark.parametrize(("method", "source", "about", "rows"), [
    ("striped-score", "Related, generated", "mutated DNA, length 300, 10% divergence, seed 1",
     ["Type", "Length", "Divergence", "Seed"]),
    ("layered", "Unrelated, generated", "random DNA, length 300, seed 1", ["Type", "Length", "Seed"]),
    ("distance-6mer", "Related, generated", "9 mutated DNA, length 300, 10% divergence, seed 1",
     ["Type", "Length", "Number", "Divergence", "Seed"]),
    ("nj-pruned", "Generated", "random distance matrix, size 300, seed 1", ["Size", "Seed"]),
    ("floyd-blocked", "Generated", "random graph, size 300, seed 1", ["Size", "Seed"]),
    ("viterbi-tree", "Related, generated", "random hidden Markov model of size 16 and random DNA, length 300, seed 1",
     ["Type", "Length", "Seed"]),
    ("nussinov", "Unrelated, generated", "random DNA, length 300, seed 1", ["Type", "Length", "Seed"]),
])  # fmt: skip
def test_the_form_says_what_is_generated_and_asks_only_what_matters(
    qtbot: Any, method: str, source: str, about: str, rows: list[str]
) -> None:
    form = InputEditor()
    qtbot.addWidget(form)
    form.set_data((), registry.method(method).problem)
    form.source.setCurrentText(source)
    form.source.activated.emit(form.source.currentIndex())
    form.length.setText("300")
    form.count.setValue(9)
    assert form.about.text() == about
    layout = form._form
    assert [layout.itemAt(row, layout.ItemRole.LabelRole).widget().text() for row in range(layout.rowCount())
            if layout.isRowVisible(row)] == rows  # fmt: skip
    assert isinstance(form.inputs(), Generated)


def test_the_source_is_not_forgotten_over_a_method_that_has_others(qtbot: Any) -> None:
    form = InputEditor()
    qtbot.addWidget(form)
    form.set_values({"source": RANDOM})
    offered = {}
    for method in ("distance-alignment", "floyd-blocked", "striped-score"):
        form.set_data((), registry.method(method).problem)
        offered[method] = form.source.currentText()
    assert offered == {
        "distance-alignment": "What is open",
        "floyd-blocked": "Generated",
        "striped-score": "Unrelated, generated",
    }


def test_a_filter_leaves_the_points_that_have_all_its_words(qtbot: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64,96")
    tune.start()
    finish(qtbot, tune)
    assert len(tune.plots.measured) == 3
    tune.plots.filter.setText("S=64 cpu")
    assert [point.parameters["s"] for point in tune.plots.measured] == [64]
    assert len(tune.plots.lines.lines[0].points) == 1
    tune.plots.filter.clear()
    assert len(tune.plots.lines.lines[0].points) == 3


def test_an_axis_is_not_offered_twice_and_a_click_on_a_name_checks_its_box(qtbot: Any, tune: Any) -> None:
    first, second = tune.form.axes
    first.set_value("s", "32,64")
    assert second.name.findText("s") < 0 and first.name.findText("s") >= 0
    contenders = tune.form.contenders
    item = next(contenders.item(n) for n in range(contenders.count()) if contenders.item(n).checkState() is UNCHECKED)
    box = contenders.visualItemRect(item)
    qtbot.mouseClick(contenders.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert item.checkState() is not UNCHECKED


def test_the_axes_of_a_plot_differ(qtbot: Any, tune: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.form.axes[1].set_value("gap_open", "5,10")
    tune.start()
    finish(qtbot, tune)
    plots = tune.plots
    assert plots.second.findData("s") < 0 <= plots.second.findData("gap_open")
    plots.across.setCurrentIndex(plots.across.findData("gap_open"))
    plots.across.activated.emit(plots.across.currentIndex())
    assert (plots.settings.x, plots.settings.y) == ("gap_open", "s")
    assert plots.second.findData("gap_open") < 0 <= plots.second.findData("s")


def test_the_sweep_of_the_last_time_is_shown_again(qtbot: Any, tune: Any, make_window: Any) -> None:
    tune.form.axes[0].set_value("s", "32,64")
    tune.start()
    finish(qtbot, tune)
    again = make_window()
    assert not again.tune.points.points
    again.turn_to(1)
    qtbot.waitUntil(lambda: len(again.tune.points.points) == 2)
    assert again.tune.title.text() == tune.title.text()


def test_a_narrow_window_has_room_for_tune_with_points(tune: Any, ready: Any) -> None:
    ready.turn_to(1)
    runs = (Run(2.0, {"phase 1": 1.0}),)
    tune.points.begin("sweep")
    tune.points.add(
        Point(f"{n}", "fake", "Fake", {"method": "fake", "s": 32 * n, "T": n % 3}, Status.MEASURED, runs=runs)
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


def test_a_third_and_a_fourth_axis_make_a_table_of_maps_and_come_back(qtbot: Any, tune: Any, place: Path) -> None:
    form, axes = tune.form, (("s", "32,64"), ("gap_open", "5,10"), ("gap_extend", "1,2"), ("match", "2,3"))
    assert len(form.axes) == 2
    for _ in range(2):
        qtbot.mouseClick(form.axis_editors.more, Qt.MouseButton.LeftButton)
    assert len(form.axes) == 4 and form.axis_editors.more.isHidden()
    for editor, (name, values) in zip(form.axes, axes, strict=True):
        editor.set_value(name, values)
    for editor in form.axes:
        others = {other.name.currentText() for other in form.axes if other is not editor}
        assert len(others) == 3 and all(editor.name.findText(name) < 0 for name in others)
    assert form.count.text() == "16 points"
    tune.start()
    finish(qtbot, tune)
    tune.plots.tabs.setCurrentIndex(1)
    heat = tune.plots.heat
    names = [title.text() for title in heat.titles if not title.isHidden()]
    assert names == ["gap_extend 1, match 2", "gap_extend 1, match 3", "gap_extend 2, match 2", "gap_extend 2, match 3"]
    places = [heat.grid_place(number) for number in range(4)]
    assert places == [(0, 0), (0, 1), (1, 0), (1, 1)]
    (file,) = place.glob("*.jsonl")
    kept = [axis["name"] for axis in results.read(file).sweep["axes"]]
    assert kept == [name for name, _ in axes]


def test_axes_that_were_set_come_back_and_one_can_be_taken_away(qtbot: Any, tune: Any, make_window: Any) -> None:
    form = tune.form
    form.axis_editors.set_values([["gap_open", "5,10"], ["s", "32,64"], ["match", "2,3"]])
    saved = form.values()
    form.axis_editors.set_values([["s", "32"]])
    form.set_values(saved)
    assert form.values()["axes"] == [["gap_open", "5,10"], ["s", "32,64"], ["match", "2,3"]]
    qtbot.mouseClick(form.axis_editors.rows[2].away, Qt.MouseButton.LeftButton)
    assert [name for name, _ in form.values()["axes"]] == ["gap_open", "s"]
    assert form.count.text() == "4 points"
