"""The plot of lines: items stay while points come, and show what was measured and nothing else."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from antidiag.app import theme
from antidiag.app.tune.plots.line_plot import (
    LinePlot,
    ModelCurve,
    label_places,
    spread_labels,
    suits_log,
    values_by_place,
)
from antidiag.kernels.experiments.point_data.plot_data import LevelLine, PlotSettings, PointSeries
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, Spread

SETTINGS = PlotSettings(x="s")


@pytest.fixture
def plot(qtbot) -> LinePlot:
    plot = LinePlot()
    qtbot.addWidget(plot)
    return plot


def series(name: str, *values: float, shade: int = 0, group: str = "") -> PointSeries:
    """A line with a spread of 1 to either side of every value, at places 1, 2, 3..."""
    points = tuple(MeasuredPoint(f"{name}{at}", "m", "M", {"s": at}, PointStatus.MEASURED) for at in range(len(values)))
    spreads = tuple(Spread(value, value - 1, value + 1, 3) for value in values)
    return PointSeries(name, points, tuple(range(1, len(values) + 1)), spreads, shade, group or name)


def drawn(plot: LinePlot) -> list[list[float]]:
    """The values of every line that is drawn."""
    return [list(item.yData) for item in plot._curves if len(item.yData)]


def test_a_point_that_comes_gives_the_items_other_data(plot):
    plot.show_lines([series("a", 5, 6), series("b", 7, shade=1)], SETTINGS, "s")
    before, dots = list(plot.getPlotItem().items), plot._dots
    plot.show_lines([series("a", 5, 6), series("b", 7, 8, shade=1)], SETTINGS, "s")
    assert plot.getPlotItem().items == before
    assert drawn(plot) == [[5, 6], [7, 8]]
    assert list(dots.data["y"]) == [5, 6, 7, 8]
    assert list(plot._spreads.opts["top"]) == [1] * 4


def with_spreads(*spreads: tuple[float, float, float]) -> PointSeries:
    """A line with these medians, and the smallest and largest values of each."""
    line = series("a", *(median for median, _, _ in spreads))
    return replace(line, spreads=tuple(Spread(*spread, 3) for spread in spreads))


@pytest.mark.parametrize("log", [False, True])
def test_one_slow_repeat_does_not_stretch_the_scale(plot, log):
    settings = replace(SETTINGS, log_y=log)
    plot.show_lines([with_spreads((10, 9, 11), (12, 11, 13), (20, 19, 9000), (15, 14, 16))], settings, "s")
    (_, (low, high)), cuts = plot.viewRange(), plot._clipped_marks.data
    ends = (plot._spreads.opts["y"] + plot._spreads.opts["top"]).tolist()
    assert cuts["x"].tolist() == [3] and cuts["symbol"].tolist() == ["t1"] and cuts["y"].tolist() == [ends[2]]
    medians = np.log10([10, 20]) if log else np.array([10, 20])
    assert low < medians[0] < medians[1] < ends[2] < high and np.ptp(medians) > 0.25 * (high - low)
    assert plot.legend_items[-1].text == "clipped error bar"


def test_a_fast_repeat_is_cut_below(plot):
    plot.show_lines([with_spreads((1000, 990, 1010), (1010, 1, 1020), (1020, 1010, 1030))], SETTINGS, "s")
    assert plot._clipped_marks.data["symbol"].tolist() == ["t"] and plot._clipped_marks.data["y"].tolist() == [970]
    assert list(plot._spreads.opts["bottom"]) == [10, 40, 10]


@pytest.mark.parametrize("spreads", [[(10, 9, 30)], [(5, 5, 5), (5, 5, 5)], [(10, 5, 15), (11, 6, 17), (12, 8, 16)]])
def test_usual_spreads_are_whole(plot, spreads):
    plot.show_lines([with_spreads((10, 9, 11), (20, 19, 9000), (11, 10, 12))], SETTINGS, "s")
    plot.show_lines([with_spreads(*spreads)], SETTINGS, "s")
    assert not len(plot._clipped_marks.data) and len(plot.legend_items) == 1
    assert list(plot._spreads.opts["top"]) == [high - median for median, _, high in spreads]


def test_lines_of_one_colour_are_not_joined(plot):
    count = len(theme.active().series)
    lines = [series(str(number), number, number, shade=number) for number in range(count + 1)]
    plot.show_lines(lines, SETTINGS, "s")
    first = plot._curves[0]
    assert list(first.yData) == [0, 0, count, count] and list(first.opts["connect"]) == [1, 0, 1, 0]
    assert [item.text for item in plot.legend_items] == [str(number) for number in range(count + 1)]
    dots = plot._dots.data
    marks = {(brush.color().name(), symbol) for brush, symbol in zip(dots["brush"], dots["symbol"], strict=True)}
    assert len(marks) == count + 1, "points of two lines of one colour differ in their form"


def test_of_many_lines_the_legend_names_some_and_counts_the_rest(plot):
    lines = [series(str(number), number, number, shade=number) for number in range(150)]
    plot.show_lines(lines, SETTINGS, "s")
    assert [item.text for item in plot.legend_items] == [*map(str, range(16)), "and 134 more"]


def test_lines_of_one_group_have_one_colour_and_one_place_in_the_legend(plot):
    lines = [series("h 1, T 8", 5, 6, group="h 1"), series("h 1, T 9", 7, 8, group="h 1"),
             series("h 2, T 8", 9, 9, shade=1, group="h 2")]  # fmt: skip
    plot.show_lines(lines, SETTINGS, "s")
    assert drawn(plot) == [[5, 6, 7, 8], [9, 9]]
    assert [item.text for item in plot.legend_items] == ["h 1", "h 2"]


def test_no_line_joins_the_points_of_a_search_and_the_best_is_marked(plot):
    line = series("", 5, 3, 6)
    plot.show_lines([line], PlotSettings(x="s", scatter=True), "s", best=line.points[1])
    assert drawn(plot) == [] and list(plot._dots.data["y"]) == [5, 3, 6]
    assert (list(plot._best.data["x"]), list(plot._best.data["y"])) == ([2], [3])
    assert [item.text for item in plot.legend_items] == ["measured", "fastest candidate: s 1"]
    plot.show_lines([line], SETTINGS, "s")
    assert not len(plot._best.data)


def test_a_model_has_the_colour_of_its_line_and_a_pattern_of_its_own(plot):
    lines = [series("a", 5, 6), series("b", 7, 8, shade=1)]
    curves = [ModelCurve(name, (1, 2), (1, 2), shade) for shade in (0, 1) for name in ("steps", "operations")]
    plot.show_lines(lines, SETTINGS, "s", curves)
    pens = [item.opts["pen"] for item in plot._models.values() if len(item.yData)]
    assert len({(pen.color().name(), pen.style()) for pen in pens}) == 4
    assert {pen.color().name() for pen in pens} == set(theme.active().series[:2])
    assert [item.text for item in plot.legend_items] == ["a", "b", "steps", "operations"]
    assert plot.legend_items[2].kind != plot.legend_items[3].kind


def test_what_is_gone_is_not_drawn_and_takes_no_room(plot):
    plot.show_lines(
        [series("a", 1000, 2000), series("b", 3000)], SETTINGS, "s", [ModelCurve("model", (1, 2), (9000, 9000))]
    )
    plot.show_chosen(plot.lines[0].points[1])
    plot.show_lines([series("a", 5, 6)], SETTINGS, "s")
    assert drawn(plot) == [[5, 6]] and not any(len(item.yData) for item in plot._models.values())
    assert plot.viewRange()[1][1] < 10
    plot.show_lines([], SETTINGS, "s")
    assert drawn(plot) == [] and not len(plot._dots.data) and not plot._spreads.isVisible()


def test_a_ring_is_around_the_chosen_point(plot):
    plot.show_lines([series("a", 10, 1000)], PlotSettings(x="s", log_y=True), "s")
    plot.settings = PlotSettings(x="s", log_y=True)
    plot.show_chosen(plot.lines[0].points[1])
    assert (list(plot._chosen.data["x"]), list(plot._chosen.data["y"])) == ([2], [3])
    plot.show_chosen(None)
    assert not len(plot._chosen.data)


def test_words_and_scales_follow_the_settings(plot):
    plot.show_lines([series("a", 10, 1000)], SETTINGS, "s")
    assert plot.getAxis("left").labelText == SETTINGS.quantity_label and not plot.getAxis("left").logMode
    plot.show_lines([series("a", 10, 1000)], PlotSettings(x="h", quantity="gcups", log_y=True), "h")
    assert plot.getAxis("bottom").labelText == "h" and plot.getAxis("left").logMode
    assert plot.getAxis("left").labelText == PlotSettings(quantity="gcups").quantity_label
    assert drawn(plot) == [[1, 3]]


def test_colours_follow_the_theme(plot, qtbot, monkeypatch):
    plot.show_lines([series("a", 5, 6)], SETTINGS, "s")
    other = next(found for found in (theme.LIGHT, theme.DARK) if found != theme.active())
    monkeypatch.setattr(theme, "active", lambda: other)
    plot.show_lines([series("a", 5, 6)], SETTINGS, "s")
    assert plot._curves[0].opts["pen"].color().name() == other.series[0]
    assert plot._dots.data["brush"][0].color().name() == other.series[0]
    assert plot.backgroundBrush().color().name() == other.panel


def test_the_grid_is_behind_the_lines(plot):
    plot.show_lines([series("a", 5, 6)], SETTINGS, "s")
    assert all(plot.getAxis(side).zValue() < plot.getViewBox().zValue() for side in ("bottom", "left"))


def test_names_of_level_lines_that_lie_on_each_other_hide_none() -> None:
    places = label_places([0.3, 0.4, 0.2, 0.3])
    assert places == [(1.0, True), (0.7, True), (1.0, False), (0.8, False)]
    assert label_places([0.5]) == [(1.0, True)] and label_places([]) == []
    assert label_places([0.6, 0.6, 0.6])[:2] == [(1.0, True), (1.0, True)]  # there is no room beside it


def test_the_names_of_level_lines_are_on_the_plot(plot) -> None:
    at = MeasuredPoint("1", "peer", "Peer", {}, PointStatus.MEASURED)
    plot.show_lines(
        [series("a", 10, 20, 30)], SETTINGS, "s", levels=[LevelLine("low", at, 1.0), LevelLine("high", at, 2.0)]
    )
    assert [line.label.format for line in plot._levels] == ["high", "low"]
    assert [line.value() for line in plot._levels] == [2.0, 1.0]


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK])
def test_fourteen_series_are_told_apart(plot, monkeypatch, colours):
    """By colour, and a second time by their markers, on the plot as in the legend."""
    monkeypatch.setattr(theme, "active", lambda: colours)
    plot.show_lines([series(str(number), number, number, shade=number) for number in range(14)], SETTINGS, "s")
    items = [item for item in plot.legend_items if item.kind == "line"]
    assert len({item.colours[0] for item in items}) == 14
    assert len({(item.colours[0], item.symbol) for item in items}) == 14 and all(item.symbol for item in items)
    channels = [[int(item.colours[0][at : at + 2], 16) for at in (1, 3, 5)] for item in items]
    away = [np.linalg.norm(np.subtract(one, other)) for n, one in enumerate(channels) for other in channels[:n]]
    assert min(away) > 40
    dots = plot._dots.data
    marks = {(brush.color().name(), symbol) for brush, symbol in zip(dots["brush"], dots["symbol"], strict=True)}
    assert marks == {(item.colours[0], item.symbol) for item in items}


def test_each_line_has_its_name_at_its_end_and_no_name_touches_another(plot, qtbot):
    plot.resize(700, 420)
    plot.show()
    lines = [series(f"method {number}", 1, 10 + 0.01 * number, shade=number) for number in range(14)]
    plot.show_lines(lines, SETTINGS, "s")
    qtbot.wait(50)
    plot.grab()
    boxes = sorted((item.mapRectToScene(item.boundingRect()) for item in plot._names), key=lambda box: box.top())
    assert [item.toPlainText() for item in plot._names] == [line.name for line in lines]
    assert all(one.bottom() <= other.top() + 1 for one, other in itertools.pairwise(boxes))
    assert max(box.right() for box in boxes) <= plot.getViewBox().sceneBoundingRect().right() + 8
    plot.show_lines(lines[:1], SETTINGS, "s")
    assert not any(item.isVisible() for item in plot._names), "one line has its name in the legend"


def test_labels_are_spread_around_their_places():
    assert spread_labels([0, 100], 10) == [0, 100]
    assert spread_labels([50, 50, 50], 10) == [40, 50, 60]
    assert spread_labels([0, 1, 100], 10) == pytest.approx([-4.5, 5.5, 100])
    assert spread_labels([0, 95, 96], 10, highest=100) == pytest.approx([0, 90, 100])
    assert spread_labels([1, 2, 50], 10, lowest=0) == pytest.approx([0, 10, 50])
    assert spread_labels([1, 2, 3], 10, 0, 20) == pytest.approx([0, 10, 20])
    found = spread_labels([3, 9, 1, 40, 44], 10)
    assert all(high - low >= 10 - 1e-9 for low, high in itertools.pairwise(sorted(found)))


def test_a_logarithmic_scale_suits_values_that_spread_far():
    assert suits_log([1, 30]) and not suits_log([1, 29]) and not suits_log([0, 100]) and not suits_log([5])


def test_a_logarithmic_scale_suits_lines_that_hide_each_other_on_a_linear_one():
    lowest = [1 + 0.09 * step for step in range(7)]  # half of the lines
    fan = [series(f"{value}", value, 1.3 * value) for value in (*lowest, 2, 2.6, 3.3, 4.2, 5.5, 7, 9)]
    columns = values_by_place(fan)
    values = [value for column in columns for value in column]
    assert len(columns) == 2 and max(values) / min(values) < 12 and suits_log(values, columns)
    even = [[float(value) for value in range(1, 13)]]
    assert not suits_log(even[0], even), "no line hides another"
    pairs = [[1, 1.001, 12, 12.01]]
    assert not suits_log(pairs[0], pairs), "a logarithmic scale does not help"
    assert not suits_log([1, 12], [[1], [12]])


def test_a_line_without_points_has_no_name(plot):
    plot.show_lines([series("a", 1, 2), series("nothing"), series("b", 3, 4)], SETTINGS, "s")
    assert [item.toPlainText() for item in plot._names if item.isVisible()] == ["a", "b"]
