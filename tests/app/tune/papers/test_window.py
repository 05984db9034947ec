"""The papers' figures: what they draw, in files, and in the window that measures them."""

from __future__ import annotations

import csv
import importlib.util
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from antidiag.app import theme
from antidiag.app.cli import offscreen
from antidiag.app.cli.laboratory import figures
from antidiag.app.jobs.queue import JobQueue
from antidiag.app.tune.papers import paper_figure as paper_figure
from antidiag.app.tune.papers.papers_window import PapersWindow
from antidiag.app.tune.sweep_jobs import DeviceChoice
from antidiag.kernels import registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.experiments.papers import comparison, figure_data, reproduction, table_tasks
from antidiag.kernels.experiments.papers import paper_tables as papers
from antidiag.kernels.experiments.papers.paper_tables import PaperTable, PublishedNumber
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from tests.app import fake

ALL = [pytest.param(table, id=table.id) for table in papers.paper_tables()]


def found(table_id: str) -> PaperTable:
    (table,) = papers.find_tables([table_id])
    return table


def measured(table: PaperTable, quick: bool = False) -> list[MeasuredPoint]:
    """A point for every task of a table, each of another time."""
    return [
        MeasuredPoint(
            str(number),
            task.contender,
            "",
            task.coordinates,
            PointStatus.MEASURED,
            backend="cpu",
            device="A chip",
            cells=1_000_000,
            runs=(TimedRun(9.0, {"phase 1": 1.0 + number, "phase 3": 2.0, "transfer": 1.0}),),
            started="2026-01-02T03:04",
        )
        for number, task in enumerate(table_tasks.table_tasks(table, quick))
    ]


@pytest.mark.parametrize("table", ALL)
def test_every_published_number_is_in_a_figure_of_its_table(table: PaperTable) -> None:
    choices, compared = figure_data.open_choices(table), comparison.compare_points(table, ())
    keeps: list[dict[str, str]] = [{}]
    for name, values in choices.items():
        keeps = [{**keep, name: value} for keep in keeps for value in values]
    drawn = []
    for keep in keeps:
        figure = figure_data.build_figure(table, compared, False, keep)
        for grid in figure.grids or ():
            drawn += [value for _, value in grid.cells.values()]
        for line in figure.lines:  # a mean or a maximum over the lengths is a level, drawn by its two ends
            ends = zip(line.published.points, line.published.spreads, strict=True)
            drawn += {point.key: spread.median for point, spread in ends}.values()
        assert not any(line.measured.points for line in figure.lines)
        assert figure.y_label and (figure.x_label or not figure.connected)
    assert sorted(drawn) == sorted(one.value for one in table.published if one.value is not None)


def test_lines_have_the_papers_values_and_ours_at_their_own_sizes() -> None:
    table = found("001-figure-07")
    figure = figure_data.build_figure(table, comparison.compare_points(table, measured(table, True), True), True)
    assert [line.name for line in figure.lines][-2:] == ["s = 1024", "s = 1900"]
    first = figure.lines[0]
    assert first.published.x == (6135.5, 12271.0, 24542.0, 36813.0, 61355.0)
    assert first.measured.x == tuple(sum(task.coordinates["length"]) / 2 for task in sorted(
        (task for task in table_tasks.table_tasks(table, True) if task.coordinates["s"] == 64),
        key=lambda task: task.coordinates["length"]))  # fmt: skip
    assert first.published.spreads[0].median == 67.2
    assert figure.log_x and figure.log_y and figure.y_label == "time, ms"
    assert "Tesla C2050" in figure.caption[0]
    assert "A chip (cpu), 2026-01-02; QUICK" in figure.caption[1]
    assert "published 67.2 ms" in first.published.points[0].notes[0]


def test_what_one_figure_cannot_show_is_a_choice() -> None:
    assert figure_data.default_choices(found("001-figure-11")) == {"length": "20860x29120"}, "as figure 12 of the paper"
    assert figure_data.default_choices(found("001-figure-18")) == {"quantity": "total"}, "a misprint is no choice"
    assert figure_data.default_choices(found("003-table-5-1")) == {"statistic": "maximum"}
    assert figure_data.open_choices(found("001-figure-09")) == {}


def test_the_number_of_states_is_the_place_of_a_mean_over_lengths() -> None:
    table = found("003-table-5-1")
    mean = figure_data.build_figure(table, comparison.compare_points(table, ()), False, {"statistic": "mean"})
    assert mean.lines[0].published.x == (8, 16, 32, 64, 128, 256)
    assert mean.marks[0] == (8, "8")


def test_a_mean_over_the_sizes_is_a_level_beside_the_curve() -> None:
    """Figure 7 of Liu and others: all sizes as a curve, published where the text has a number, and both means."""
    table = found("004-figure-7")
    figure = figure_data.build_figure(table, comparison.compare_points(table, measured(table)), False)
    curve, level = figure.lines[:2]
    assert [line.name for line in figure.lines] == ["NJ-basic", "NJ-basic, mean", "NJ-compact", "NJ-compact, mean"]
    assert curve.measured.x == tuple(range(1000, 12001, 1000)) and curve.published.x == (11000, 12000)
    assert level.published.x == level.measured.x == (1000, 12000)
    assert [spread.median for spread in level.published.spreads] == [20.23, 20.23]
    values = [spread.median for spread in curve.measured.spreads]
    assert level.measured.spreads[0].median == pytest.approx(sum(values) / 12)


def test_a_figure_says_what_it_counts_and_what_is_not_there() -> None:
    table = found("003-figure-4-07")
    figure = figure_data.build_figure(table, comparison.compare_points(table, measured(table)), False)
    assert figure.y_label == "time with transfers, s" and figure.caption[-1] == comparison.NO_TRANSFERS
    for table_id, label in (
        ("003-figure-4-08", "time of the whole call, s"),
        ("003-figure-4-09", "speedup with transfers over ProfProfAlign, times"),
        ("003-figure-4-11", "GCUPS with transfers"),
        ("003-figure-4-15", "GCUPS"),
        ("003-figure-6-7", "speedup over FloydWarshall, times"),
    ):
        assert figure_data.build_figure(found(table_id), (), False).y_label == label
    table = found("004-table-3")
    figure = figure_data.build_figure(table, comparison.compare_points(table, measured(table, True)), True)
    assert figure.caption == (figure.caption[0], "Here: A chip (cpu) has no such numbers, 2026-01-02.")
    table = found("002-figure-4")
    figure = figure_data.build_figure(table, (), False)
    assert figure.y_label == "share of the time, %" and not figure.connected
    assert figure_data.figure_panels(table) == ({"panel": "real sets"}, {"panel": "synthetic sets"})


def test_no_transfer_has_no_place_on_a_logarithmic_axis() -> None:
    table = found("002-table-7")
    points = [replace(one, runs=(TimedRun(9.0, {"return": 1.0, "transfer": 0.0}),)) for one in measured(table)]
    figure = figure_data.build_figure(table, comparison.compare_points(table, points), False)
    drawn = {line.name: len(line.measured.points) for line in figure.lines}
    assert drawn["return"] == 6 and drawn["transfer"] == 0


def test_every_method_on_an_axis_has_a_label(qtbot: Any) -> None:
    table = found("003-table-4-4")
    figure = paper_figure._hidden_figure(table, comparison.compare_points(table, measured(table)), False, {})
    qtbot.addWidget(figure)
    labels = [words for _, words in figure.plot.getAxis("bottom")._tickLevels[0]]
    assert len(labels) == 6 and "ProSeqAlign\nMatVecProd V2" in labels


def test_dots_without_lines_have_no_lines_in_the_legend(qtbot: Any) -> None:
    table, widget = found("003-table-4-1"), paper_figure.PaperFigure()
    qtbot.addWidget(widget)
    widget.show_table(table, comparison.compare_points(table, measured(table)), False)
    assert [item.kind for item in widget.plot.legend_items] == ["mark", "mark", "text", "text"]
    assert [item.text for item in widget.plot.legend_items[2:]] == ["published (hollow)", "here (filled)"]


def test_a_figure_has_the_same_colour_for_the_paper_and_for_us(qtbot: Any) -> None:
    table, widget = found("001-figure-19"), paper_figure.PaperFigure()
    qtbot.addWidget(widget)
    widget.show_table(table, comparison.compare_points(table, measured(table)), False)
    plot, colours = widget.plot, theme.active().series
    for number, item in enumerate(plot._published):
        assert item.opts["pen"].color().name() == colours[number] == plot._curves[number].opts["pen"].color().name()
        assert item.opts["pen"].style() is Qt.PenStyle.DashLine
        assert item.opts["symbolBrush"].color().name() == theme.active().panel, "hollow"
    texts = [item.text for item in plot.legend_items]
    assert texts[:2] == ["ChunkedAlignment1", "ChunkedAlignment2"] and texts[2].startswith("published")
    before = plot._published[0].getOriginalDataset()[1].tolist()
    box = widget.choice_boxes["quantity"]
    box.setCurrentIndex(box.findData("phase 3"))
    box.activated.emit(box.currentIndex())
    assert before == [181.5, 338.2, 602.7]
    assert plot._published[0].getOriginalDataset()[1].tolist() == [23.8, 34.5, 45.0]


def test_labels_of_an_axis_have_room_beside_its_title_in_a_file(qtbot: Any) -> None:
    table = found("003-figure-4-07")
    points = [replace(one, runs=(TimedRun(0.5, {"scores": 0.05 + number / 5e3}),))
              for number, one in enumerate(measured(table))]  # fmt: skip
    figure = paper_figure._hidden_figure(table, comparison.compare_points(table, points), False, {})
    qtbot.addWidget(figure)
    axis = figure.plot.getAxis("left")
    assert axis.width() >= axis.textWidth + 0.8 * axis.label.boundingRect().height()


@pytest.mark.slow
def test_every_panel_of_a_figure_is_in_its_file(qtbot: Any, tmp_path: Path) -> None:
    table, before = found("003-figure-4-15"), theme.active().name
    for suffix in (".png", ".svg"):
        figures.save_paper_figure(
            tmp_path / f"figure{suffix}", table, comparison.compare_points(table, measured(table)), False
        )
    theme.switch(theme.choice_of(before))
    drawing = (tmp_path / "figure.svg").read_text()
    assert f"{table.title}, below 1,000" in drawing and f"{table.title}, above 1,000" in drawing
    picture = QImage(str(tmp_path / "figure.png"))
    alone = tmp_path / "alone.png"
    figures.save_paper_figure(
        alone, found("001-figure-13"), comparison.compare_points(found("001-figure-13"), ()), False
    )
    theme.switch(theme.choice_of(before))
    assert (
        picture.width() == 2 * paper_figure.FILE_SIZE.width() and picture.height() > 1.5 * QImage(str(alone)).height()
    )


def test_what_was_published_without_numbers_is_in_no_legend(qtbot: Any) -> None:
    widget = paper_figure.PaperFigure()
    qtbot.addWidget(widget)
    for name, published in (("003-figure-4-11", False), ("003-figure-4-13", True)):
        table = found(name)
        widget.show_table(table, comparison.compare_points(table, measured(table)), False)
        kinds = [item.text.partition(" ")[0] for item in widget.plot.legend_items]
        assert ("published" in kinds, "here" in kinds) == (published, True)
        assert ("without numbers" in widget.caption_label.text()) is not published


@pytest.mark.parametrize("name", ["001-figure-13", "003-table-6-1"])
def test_figures_are_saved(qtbot: Any, tmp_path: Path, name: str) -> None:
    table = found(name)
    before = theme.active().name
    for suffix in (".png", ".svg"):
        figures.save_paper_figure(
            tmp_path / f"figure{suffix}", table, comparison.compare_points(table, measured(table)), False
        )
    theme.switch(theme.choice_of(before))
    picture = QImage(str(tmp_path / "figure.png"))
    assert picture.width() == 2 * paper_figure.FILE_SIZE.width()
    assert len({picture.pixel(x, y) for x in range(0, picture.width(), 9) for y in range(0, picture.height(), 9)}) > 5
    drawing = (tmp_path / "figure.svg").read_text()
    assert table.title.partition(":")[0] in drawing and "A chip" in drawing


def test_files_of_several_tables_have_their_names_and_what_cannot_be_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = papers.find_tables(["001-figure-09", "001-figure-19"])
    assert figures.figure_files(f"{tmp_path}/f.svg", two[:1]) == (tmp_path / "f.svg",)
    names = [path.name for path in figures.figure_files(f"{tmp_path}/f.svg", two)]
    assert names == ["f-001-figure-09.svg", "f-001-figure-19.svg"]
    with pytest.raises(InputError, match=r"f\.gif: the suffix must be one of \.svg, \.png"):
        figures.figure_files(f"{tmp_path}/f.gif", two)
    with pytest.raises(InputError, match="folder .* does not exist"):
        figures.figure_files(f"{tmp_path}/none/f.svg", two)
    monkeypatch.setattr(offscreen, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"PySide6 .* not installed; install them with python3 scripts/setup\.py"):
        figures.figure_files(f"{tmp_path}/f.svg", two)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PaperTable:
    """A table of a method that takes no time, the only one of the only paper."""
    monkeypatch.setattr(point_store, "experiments_folder", lambda: tmp_path / "experiments")
    monkeypatch.setattr(registry, "METHODS", (fake.make(), fake.make("other")))
    published = tuple(
        PublishedNumber(name, {"length": f"{size}x{size}", "s": "64"}, "total", time)
        for name, times in (("fake", (10.0, 20.0)), ("other", (30.0, 40.0)), ("CUDASW++2.0", (7.0, 8.0)))
        for size, time in zip((400, 800), times, strict=True)
    )
    made = replace(found("001-figure-09"), published=published, scale=0.5, inputs=Generated(seed=1))
    monkeypatch.setattr(papers, "paper_tables", lambda: (made,))
    fake.RELEASED.clear()
    return made


@pytest.fixture
def window(qtbot: Any, table: PaperTable) -> Iterator[PapersWindow]:
    parent, queue = QWidget(), JobQueue()
    qtbot.addWidget(parent)
    opened = PapersWindow(parent, queue, lambda: DeviceChoice("cpu", 0, False))
    yield opened
    fake.RELEASED.set()
    opened._estimates.cancel()
    queue.shut_down()


def finish(qtbot: Any, window: PapersWindow) -> None:
    qtbot.waitUntil(lambda: window._job is None)


def test_a_table_is_measured_shown_and_shown_again(qtbot: Any, window: PapersWindow, table: PaperTable) -> None:
    assert "Here: not measured yet." in window.figure.caption_label.text()
    qtbot.waitUntil(lambda: "About" in window.effort_label.text())
    said = []
    window.message_sent.connect(lambda text, error: said.append((text, error)))
    window.start_button.click()
    assert not window.start_button.isEnabled()
    finish(qtbot, window)
    assert said == [("Figure 9: scoring methods: 4 points.", False)]
    (fakes, others, foreign) = window.figure.figure.lines
    assert [spread.median for spread in fakes.measured.spreads] == [12.0, 12.0]
    assert fakes.measured.x == others.measured.x == (200, 400) and not foreign.measured.points
    rows = list(csv.DictReader(io.StringIO(window.export_table(".csv"))))
    assert [(row["published"], row["ours"]) for row in rows[:2]] == [("10.0", "12.0"), ("20.0", "12.0")]
    assert "published / here" in window.export_table(".md")
    again = PapersWindow(window.parentWidget(), JobQueue(), lambda: DeviceChoice("cpu", 0, False))
    assert again.compared_table.rows == window.compared_table.rows
    assert [item.text(1) for item in again.paper_list.table_items()] == ["quick"]
    again.full_button.setChecked(True)
    assert not any(row["ours"] for row in again.compared_table.rows), "the paper's sizes were not measured"
    again._estimates.cancel()


def test_cancel_keeps_the_points_that_were_there(qtbot: Any, window: PapersWindow, table: PaperTable) -> None:
    waiting = replace(table, parameters={"wait": True})
    reproduction.reproduce_table(table, True, "cpu", repeats=1)
    window._load_table()
    window.paper_list.currentItem().setData(0, Qt.ItemDataRole.UserRole, waiting)
    window.reuse_box.setChecked(False)
    window.start_job()
    qtbot.waitUntil(lambda: window._job.started > 0)
    window.cancel_button.click()
    finish(qtbot, window)
    assert [bool(row["ours"]) for row in window.compared_table.rows] == [True, True, True, True, False, False]
    assert window.start_button.isEnabled()


def test_what_was_measured_for_one_table_is_taken_for_another(table: PaperTable) -> None:
    reproduction.reproduce_table(table, True, "cpu", repeats=1)
    other = replace(table, id="001-figure-10")
    assert reproduction.stored_points(other, True) == ()
    points = reproduction.reproduce_table(other, True, "cpu", repeats=1, reuse=True)
    assert len(points) == 4 and all(point.reused for point in points)
    assert [point.key for point in reproduction.stored_points(other, True)] == [point.key for point in points]


def test_what_is_taken_again_counts_over_what_came_in_between(table: PaperTable) -> None:
    first = reproduction.reproduce_table(table, True, "cpu", repeats=1)
    elsewhere = replace(first[0], key="of another device", device="A slow chip")
    reproduction.store_of(table, True).append_point(elsewhere)
    shown = comparison.compare_points(table, reproduction.stored_points(table, True), True)
    assert "A slow chip" in {one.point.device for one in shown if one.point}
    reproduction.reproduce_table(table, True, "cpu", repeats=1, reuse=True)
    shown = comparison.compare_points(table, reproduction.stored_points(table, True), True)
    assert "A slow chip" not in {one.point.device for one in shown if one.point}
    before = len(reproduction.stored_points(table, True))
    reproduction.reproduce_table(table, True, "cpu", repeats=1, reuse=True)
    assert len(reproduction.stored_points(table, True)) == before, "nothing is kept twice"


def test_matrices_of_a_papers_size_are_not_made_to_tell_how_long_they_take() -> None:
    assert reproduction.expected_s(found("003-table-6-1"), False, "cpu") is None
    assert reproduction.expected_s(found("001-figure-19"), True, "cpu") > 0


@pytest.mark.skipif(importlib.util.find_spec("typer") is None, reason="the command line needs typer")
def test_the_command_line_draws(says: Any, table: PaperTable, tmp_path: Path) -> None:
    printed = says("reproduce", table.id, "--quick", "--backend", "cpu", "--plot", tmp_path / "f.svg")
    assert f"saved {tmp_path / 'f.svg'}" in printed
    assert "Figure 9: scoring methods (quick)" in (tmp_path / "f.svg").read_text()


def test_tune_opens_the_papers(qtbot: Any, window: PapersWindow, make_window: Any) -> None:
    main = make_window()
    main.commands["papers"].trigger()
    opened = main.tune.papers_window
    assert opened.isVisible() and opened.paper_list.chosen_table is not None
    opened._estimates.cancel()
    opened.close()
