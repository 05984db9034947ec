"""Plots, table and point of Tune: what they show, tell, let be chosen, and save."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt

from antidiag.app.kit.figures import export
from antidiag.app.tune.input_editor import RANDOM
from antidiag.app.tune.plots.plot_tabs import LINES
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from tests.app.answers import Answers
from tests.app.tune.driving import finish, listed


def test_beside_the_names_the_values_of_all_points_share_the_room(qtbot: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.start_sweep()
    finish(qtbot, tune)
    table, (one, other) = tune.panel.table, tune.points.points
    tune.points.toggle_pin(one)
    tune.points.choose_point(other)
    names, *values = (table.columnWidth(column) for column in range(table.columnCount()))
    assert names >= table.sizeHintForColumn(0) and len(values) == 2
    assert abs(values[0] - values[1]) <= 1 and names + sum(values) == table.viewport().width()


def test_a_sweep_from_disk_has_its_geometry_where_its_input_is_known(qtbot: Any, tune: Any, place: Path) -> None:
    tune.form.input_editor.set_values({"source": RANDOM, "length": "300x500"})
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.start_sweep()
    finish(qtbot, tune)
    (entry,) = listed(tune)
    entry.trigger()
    assert tune._input_lengths(tune.points.points[1]) == (300, 500) and tune.shown_measurement.tasks
    (file,) = place.glob("*.jsonl")
    older = file.read_text().replace('"inputs":', '"unknown":')
    file.write_text(older)
    listed(tune)[0].trigger()
    assert tune._input_lengths(tune.points.points[1]) is None
    assert "an earlier version measured it" in tune.panel.geometry_label.text()
    tune.form.input_editor.set_values({})
    tune.start_sweep()
    finish(qtbot, tune)
    tune.set_data(())
    listed(tune)[0].trigger()
    assert (
        tune.panel.geometry_label.text()
        == "The geometry is unknown: one is not open, or it was changed since the measurement."
    )
    point_store.PointStore(place / "empty.jsonl").begin_sweep({"title": "nothing was measured"})
    assert len(listed(tune)) == 2


def test_every_plot_lets_a_point_be_chosen(qtbot: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.form.axis_editors.editors[1].set_value("gap_open", "5,10")
    tune.start_sweep()
    finish(qtbot, tune)
    points, plots = tune.points, tune.plots
    assert len(plots.line_plot.lines) == 2 and (plots.settings.x, plots.settings.y) == ("s", "gap_open")
    plots.tabs.setCurrentIndex(1)
    (heat,) = [each for each in plots.heat_maps.maps if not each.isHidden()]
    at = next(iter(heat.grid.cells))
    centre = heat._cell_box(QRectF(heat.rect()), at).center()
    qtbot.mouseClick(heat, Qt.MouseButton.LeftButton, pos=QPointF(centre).toPoint())
    assert points.chosen is heat.grid.cells[at][0]
    plots.show_tab("Parallel")
    line = plots.parallel_plot._lines[-1]
    ends = plots.parallel_plot._line_points(line, QRectF(plots.parallel_plot.rect()))
    qtbot.mouseClick(plots.parallel_plot, Qt.MouseButton.LeftButton, pos=((ends[0] + ends[1]) / 2).toPoint())
    assert points.chosen in [each.point for each in plots.parallel_plot._lines]
    plots.show_tab("Phases")
    qtbot.mouseClick(plots.phase_bars, Qt.MouseButton.LeftButton, pos=QPointF(10, 10).toPoint())
    assert points.chosen is plots.phase_bars.points[0]
    plots.show_tab("Table")
    plots.table.selectRow(2)
    assert points.chosen in points.points
    tune.panel.pin_button.click()
    points.choose_point(points.points[0])
    assert tune.panel.table.columnCount() == 1 + len({id(point) for point in (points.chosen, *points.pinned)})


def test_lines_are_coloured_by_what_is_chosen(qtbot: Any, tune: Any) -> None:
    plots, box = tune.plots, tune.plots.colour_box
    for axis, values in zip(tune.form.axis_editors.editors, (("s", "32,64"), ("gap_open", "5,10,15")), strict=True):
        axis.set_value(*values)
    tune.start_sweep()
    finish(qtbot, tune)
    assert [box.itemText(place) for place in range(box.count())] == ["automatic", "gap_open"]
    box.setCurrentText("gap_open")
    box.activated.emit(1)
    tune.start_sweep()
    finish(qtbot, tune)
    assert plots.settings.colour == "gap_open" and box.currentText() == "gap_open"
    plots.x_box.setCurrentText("gap_open")
    plots.x_box.activated.emit(plots.x_box.currentIndex())
    assert [box.itemText(place) for place in range(box.count())] == ["automatic", "s"]
    assert plots.settings.colour == "" and box.currentText() == "automatic"
    box.setCurrentText("s")
    box.activated.emit(1)
    assert plots.settings.colour == "s" and [item.text for item in plots.legend.items] == ["s 32", "s 64"]


def test_the_figure_of_a_file_is_the_plot_as_it_is_seen_and_its_legend(tune: Any) -> None:
    runs = (TimedRun(2.0, {"phase 1": 1.0}),)
    tune.points.show_points(
        "sweep",
        [
            MeasuredPoint(f"{n}", "fake", "Fake", {"s": 32 * n, "gap_open": n % 2}, PointStatus.MEASURED, runs=runs)
            for n in range(1, 7)
        ],
    )
    plots, grid = tune.plots, tune.plots.line_plot.getAxis("left").grid
    size, seen = plots.figure_size(), plots.line_plot.size()
    assert size.width() == seen.width() and size.height() > seen.height() and plots.legend.items
    assert export.render_image(size, plots.paint_figure, scale=1).size() == size
    assert grid and plots.line_plot.getAxis("left").grid == grid, "what a file does without comes back"


def test_the_table_has_a_row_for_every_point_and_the_reason_of_those_that_failed(qtbot: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.form.axis_editors.editors[1].set_value("fail", "input,no")
    said: list[str] = []
    tune.message_sent.connect(lambda text, error: said.append(text))
    tune.start_sweep()
    finish(qtbot, tune)
    assert "2 points measured, 2 not measured; see the table" in said[-1]
    plots, points = tune.plots, tune.points.points
    plots.show_tab("Table")
    model = plots.table.model()
    rows = [[model.index(row, at).data() for at in range(model.columnCount())] for row in range(model.rowCount())]
    assert [any("letter '!' at position 3" in text for text in row) for row in rows] == [True, False, True, False]
    for row, point in enumerate(points):
        tune.points.choose_point(None)
        plots.table.selectRow(row)
        assert tune.points.chosen is point
        tune.points.choose_point(None)
        assert not plots.table.selectedIndexes()
        tune.points.choose_point(point)
        assert {index.row() for index in plots.table.selectedIndexes()} == {row}


def test_points_are_saved_in_three_formats(qtbot: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.start_sweep()
    finish(qtbot, tune)
    assert tune.plots.export_points(".csv").count("\n") == 3
    assert '"rows"' in tune.plots.export_points(".json")
    assert tune.plots.export_points(".md").count("| Fake |") == 2
    with pytest.raises(InputError, match=r"\.csv"):
        tune.plots.export_points(".doc")


def test_a_file_without_a_suffix_gets_that_of_the_filter_and_a_table_saves_the_plot_behind_it(
    tune: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: Answers
) -> None:
    points = [
        MeasuredPoint(f"{s}", "fake", "Fake", {"s": s}, PointStatus.MEASURED, runs=(TimedRun(2.0),)) for s in (32, 64)
    ]
    tune.points.show_points("sweep", points)
    answers.path, answers.filter = tmp_path / "points", "Markdown table (*.md)"
    tune.plots.save_table()
    assert "| Fake |" in (tmp_path / "points.md").read_text()
    tune.plots.show_tab("Table")
    saved: list[bool] = []
    monkeypatch.setattr(export, "ask_and_save_figure", lambda *arguments: saved.append(bool(tune.plots.legend.items)))
    tune.plots.save_figure()
    assert saved == [True] and tune.plots.tabs.currentIndex() == LINES


@pytest.mark.parametrize(("values", "status", "filtered", "told"), [
    (("32",), PointStatus.MEASURED, "", "One point makes no line"),
    (("32", "64"), PointStatus.FAILED, "", "No point was measured; see the reasons in Table."),
    (("32", "64"), PointStatus.MEASURED, "s=128", "No point matches the filter"),
    (("a", "b"), PointStatus.MEASURED, "", "do not differ in any number"),
])  # fmt: skip
def test_where_there_are_no_lines_it_is_said_why(
    tune: Any, values: tuple[str, ...], status: PointStatus, filtered: str, told: str
) -> None:
    runs = (TimedRun(2.0, {"phase 1": 2.0}),) if status is PointStatus.MEASURED else ()
    points = [
        MeasuredPoint(value, "fake", "Fake", {"s": int(value) if value.isdigit() else value}, status, runs=runs)
        for value in values
    ]
    tune.plots.filter_line.setText(filtered)
    tune.points.show_points("sweep", points)
    tune.plots.show_tab("Lines")
    assert told in tune.plots.no_lines.text()
    assert tune.plots.line_plot.isHidden() and not tune.plots.no_lines.isHidden()


def test_lines_stand_where_it_was_said_that_there_are_none(tune: Any) -> None:
    points = [
        MeasuredPoint(f"{s}", "fake", "Fake", {"s": s}, PointStatus.MEASURED, runs=(TimedRun(2.0, {"phase 1": 2.0}),))
        for s in (32, 64)
    ]
    tune.plots.show_tab("Lines")
    tune.points.show_points("sweep", points[:1])
    assert tune.plots.line_plot.isHidden() and tune.plots.no_lines.text()
    tune.points.show_points("sweep", points)
    assert tune.plots.no_lines.isHidden() and len(tune.plots.line_plot.lines) == 1


def test_hovering_tells_the_value_with_its_spread_and_every_name_once(qtbot: Any, tune: Any) -> None:
    runs = tuple(TimedRun(time + 1, {"phase 1": time}) for time in (2.0, 3.0, 5.0))
    points = [
        MeasuredPoint(
            f"{n}{name}", name, name, {"method": name, "s": n}, PointStatus.MEASURED, runs=runs, cells=6_000_000
        )
        for n in (32, 64)
        for name in ("Fake", "Other")
    ]
    tune.points.show_points("sweep", points)
    tune.plots.line_plot.hovered.emit(points[0])
    assert tune.plots.hover_label.text() == "Fake, s 32: phases 3 ms (2 to 5)"
    tune.plots.apply_settings(replace(tune.plots.settings, quantity="gcups"))
    tune.plots.line_plot.hovered.emit(points[0])
    assert tune.plots.hover_label.text() == "Fake, s 32: rate of the phases 2 (1.2 to 3), 1e9 cells per s"
    tune.plots.line_plot.hovered.emit(None)
    assert tune.plots.hover_label.text() == ""


def test_a_filter_leaves_the_points_that_have_all_its_words(qtbot: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64,96")
    tune.start_sweep()
    finish(qtbot, tune)
    assert len(tune.plots.filtered_points) == 3
    tune.plots.filter_line.setText("S=64 cpu")
    assert [point.parameters["s"] for point in tune.plots.filtered_points] == [64]
    assert len(tune.plots.line_plot.lines[0].points) == 1
    tune.plots.filter_line.clear()
    assert len(tune.plots.line_plot.lines[0].points) == 3


def test_the_axes_of_a_plot_differ(qtbot: Any, tune: Any) -> None:
    tune.form.axis_editors.editors[0].set_value("s", "32,64")
    tune.form.axis_editors.editors[1].set_value("gap_open", "5,10")
    tune.start_sweep()
    finish(qtbot, tune)
    plots = tune.plots
    assert plots.y_box.findData("s") < 0 <= plots.y_box.findData("gap_open")
    plots.x_box.setCurrentIndex(plots.x_box.findData("gap_open"))
    plots.x_box.activated.emit(plots.x_box.currentIndex())
    assert (plots.settings.x, plots.settings.y) == ("gap_open", "s")
    assert plots.y_box.findData("gap_open") < 0 <= plots.y_box.findData("s")


def test_a_third_and_a_fourth_axis_make_a_table_of_maps_and_come_back(qtbot: Any, tune: Any, place: Path) -> None:
    form, axes = tune.form, (("s", "32,64"), ("gap_open", "5,10"), ("gap_extend", "1,2"), ("match", "2,3"))
    assert len(form.axis_editors.editors) == 2
    for _ in range(2):
        qtbot.mouseClick(form.axis_editors.add_button, Qt.MouseButton.LeftButton)
    assert len(form.axis_editors.editors) == 4 and form.axis_editors.add_button.isHidden()
    for editor, (name, values) in zip(form.axis_editors.editors, axes, strict=True):
        editor.set_value(name, values)
    for editor in form.axis_editors.editors:
        others = {other.name_box.currentText() for other in form.axis_editors.editors if other is not editor}
        assert len(others) == 3 and all(editor.name_box.findText(name) < 0 for name in others)
    assert form.point_count.text() == "16 points"
    tune.start_sweep()
    finish(qtbot, tune)
    tune.plots.tabs.setCurrentIndex(1)
    heat = tune.plots.heat_maps
    names = [title.text() for title in heat.titles if not title.isHidden()]
    assert names == ["gap_extend 1, match 2", "gap_extend 1, match 3", "gap_extend 2, match 2", "gap_extend 2, match 3"]
    places = heat._places
    assert places == [(0, 0), (0, 1), (1, 0), (1, 1)]
    (file,) = place.glob("*.jsonl")
    kept = [axis["name"] for axis in point_store.read_points(file).sweep["axes"]]
    assert kept == [name for name, _ in axes]
