"""From points to lines, grids and what is best of them."""

from __future__ import annotations

from dataclasses import replace

from antidiag.app.tune.plots.line_plot import default_settings, model_curves
from antidiag.kernels.experiments.point_data import plot_data
from antidiag.kernels.experiments.point_data.plot_data import PlotSettings
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun


def point(s: int, h: int | None, times_ms: tuple[float, ...], method: str = "striped-score", **more) -> MeasuredPoint:
    values = {
        "key": f"{method} {s} {h}", "contender": method, "name": method.title(), "status": PointStatus.MEASURED,
        "coordinates": {"method": method, "s": s, "h": h}, "parameters": {"s": s, "h": h or 512}, "problem": "p",
        "cells": 1_000_000, "runs": tuple(TimedRun(time + 1, {"phase 1": time, "transfer": 0.5}) for time in times_ms),
    }  # fmt: skip
    return MeasuredPoint(**{**values, **more})


GRID = [point(s, h, (s + h, s + h + 2.0)) for s in (32, 64) for h in (16, 128)]


def test_names_are_those_that_differ() -> None:
    assert plot_data.varying_names(GRID) == ["s", "h"]
    assert plot_data.varying_names([*GRID, point(32, 16, (1.0,), "other")]) == ["method", "s", "h"]


def test_an_automatic_value_is_what_really_ran() -> None:
    assert plot_data.axis_value(point(32, None, (1.0,)), "h") == 512


def test_an_axis_wins_over_a_number_of_the_point_with_its_name() -> None:
    """NJ-basic has a parameter "cells", of one of some choices: its places are those choices, in their order."""
    points = [
        replace(point(32, 16, (1.0,)), coordinates={"method": "nj-basic", "cells": cells})
        for cells in ("64", "4", "16")
    ]
    assert [plot_data.axis_value(one, "cells") for one in points] == ["64", "4", "16"]
    assert plot_data.axis_value(point(32, 16, (1.0,)), "cells") == 1_000_000
    assert plot_data.axis_value(points[0], "method") == "Striped-Score"
    assert plot_data.has_numbers(points, "cells") and plot_data.numeric_place(points[1], "cells") == 4
    assert plot_data.build_grid(points, "cells", "method", "compute_ms").columns == ("4", "16", "64")
    assert [plot_data.number_of(value) for value in ("auto", "4x4", None, 2.5)] == [None, None, None, 2.5]


def test_lines_are_sorted_and_carry_their_spread() -> None:
    found = plot_data.group_into_series(list(reversed(GRID)), "s", "compute_ms", ["h"])
    assert [line.name for line in found] == ["h 128", "h 16"]
    assert found[1].x == (32, 64)
    assert (found[1].spreads[0].low, found[1].spreads[0].median, found[1].spreads[0].high) == (48, 49, 50)


def test_lines_of_one_value_share_a_colour_in_the_order_of_the_values() -> None:
    points = [point(s, h, (1.0,), method) for method in ("other", "striped-score") for h in (128, 16) for s in (32, 64)]
    found = plot_data.group_into_series(points, "s", "compute_ms", ["method", "h"], colour="h")
    assert [(line.shade, line.group) for line in found] == [(0, "h 16"), (0, "h 16"), (1, "h 128"), (1, "h 128")]
    assert all(len(line.points) == 2 for line in found), "what a line joins is the same as without colours"
    told = plot_data.group_into_series(points, "s", "compute_ms", [], colour="method")
    assert [(line.shade, line.group, len(line.points)) for line in told] == [(0, "Other", 4), (1, "Striped-Score", 4)]


def test_the_chosen_colour_stays_while_the_points_have_it() -> None:
    asked = PlotSettings(x="s", colour="h")
    assert default_settings(GRID[:1], asked, plot_data.varying_names(GRID[:1])).colour == "h"
    assert default_settings(GRID, PlotSettings(x="h", colour="h"), plot_data.varying_names(GRID)).colour == ""
    assert default_settings(GRID, PlotSettings(x="s", colour="gone"), plot_data.varying_names(GRID)).colour == ""
    other = [*GRID, point(32, 16, (1.0,), device="another")]
    assert "device" in plot_data.colour_names(other, plot_data.varying_names(other)) and plot_data.colour_names(
        GRID, ["s"]
    ) == ["s"]


def test_a_grid_keeps_the_better_of_two_at_one_place() -> None:
    slower = point(32, 16, (500.0,), "other")
    grid = plot_data.build_grid([*GRID, slower], "s", "h", "compute_ms")
    assert (grid.rows, grid.columns) == ((16, 128), (32, 64))
    assert grid.cells[0, 0][0] is GRID[0]
    assert plot_data.build_grid([*GRID, slower], "s", "h", "gcups").cells[0, 0][0] is GRID[0]


def test_speedups_are_over_the_baseline_of_the_same_problem() -> None:
    found = plot_data.point_spreads(GRID, plot_data.SPEEDUP, {"s": "64", "h": "16"})
    assert found[id(GRID[2])].median == 1
    assert found[id(GRID[0])].median > 1
    assert plot_data.point_spreads(GRID, plot_data.SPEEDUP, None) == {}


def test_the_best_is_never_a_wrong_answer() -> None:
    wrong = point(96, 16, (0.1,), status=PointStatus.WRONG, reason="another score")
    assert plot_data.best_point([*GRID, wrong], "compute_ms") is GRID[0]
    assert plot_data.best_point([wrong], "compute_ms") is None


def test_what_is_shown_stays_while_points_arrive() -> None:
    asked = PlotSettings(x="s", y="h")
    first = default_settings(GRID[:1], asked, plot_data.varying_names(GRID[:1]))
    assert (first.x, first.y) == ("s", "h")
    assert default_settings(GRID, PlotSettings(), plot_data.varying_names(GRID)).x == "s"
    assert default_settings(GRID, asked, plot_data.varying_names(GRID)).split == ("h",)


def test_a_model_is_scaled_to_its_points() -> None:
    line = plot_data.group_into_series(GRID, "s", "compute_ms", ["h"])[0]
    ((name, x, y, shade),) = model_curves([line], "compute_ms", lambda point: {"traffic": [(32, 1.0), (64, 2.0)]})
    assert shade == line.shade
    assert name == "traffic (scaled)" and list(x) == [32, 64]
    assert y[1] == 2 * y[0]


def test_a_model_of_the_time_is_turned_round_for_rates_and_left_out_for_what_is_no_time() -> None:
    line = plot_data.group_into_series(GRID, "s", "gcups", ["h"])[0]
    foretold = {"traffic": [(32, 1.0), (64, 2.0), (96, 0.0)]}
    for quantity in ("gcups", plot_data.SPEEDUP):
        ((_, x, y, _),) = model_curves([line], quantity, lambda point: foretold)
        assert list(x) == [32, 64] and y[0] == 2 * y[1]
    assert model_curves([line], "host_bytes", lambda point: foretold) == []


def test_a_baseline_is_what_differs_within_one_problem_and_finds_its_points() -> None:
    peer = point(32, 16, (300.0,), "parasail-score-32", name="parasail striped, 32 bits", coordinates={})
    automatic = point(96, None, (40.0,), coordinates={"method": "striped-score", "s": None}, parameters={"s": 96})
    points = [*GRID, peer, automatic]
    found = plot_data.baseline_choices(points, plot_data.varying_names(points))
    assert found["method=parasail-score-32"] == "method=parasail striped, 32 bits"
    assert {"s=32", "s=64", "s=96"} <= found.keys()
    for words in found:
        over = PlotSettings(baseline=words).baseline_query
        assert plot_data.point_spreads(points, plot_data.SPEEDUP, over), f"{words} finds no point"
    lengths = [point(32, 16, (1.0,), problem=str(n), coordinates={"length": n}) for n in ((20, 30), (40, 50))]
    assert plot_data.baseline_choices(lengths, ["length"]) == {}, "nothing can be compared across problems"


def test_suggested_values_can_be_parsed() -> None:
    from antidiag.kernels import registry
    from antidiag.kernels.experiments.sweeps import sweep_axes

    for method in registry.METHODS:
        for parameter in method.parameters.declared():
            text = plot_data.suggest_values(parameter)
            if text:
                assert sweep_axes.parse_axis(f"{parameter.name}={text}", [method]).values


def test_over_cells_a_line_joins_problems_of_several_lengths() -> None:
    points = [
        point(32, 16, (n / 1e3,), method, problem=str(n), cells=n * n, coordinates={"method": method, "length": n})
        for n in (1000, 2000) for method in ("other", "striped-score")
    ]  # fmt: skip
    asked = default_settings(points, PlotSettings(x="cells"), plot_data.varying_names(points))
    assert asked.split == ("method",)
    assert default_settings(points, PlotSettings(x="method"), plot_data.varying_names(points)).split == ("length",)


def test_a_grid_for_every_method_and_a_level_for_what_has_no_place() -> None:
    other = [replace(point, contender="other", name="Other") for point in GRID]
    peer = replace(GRID[0], contender="peer", name="A peer", coordinates={}, parameters={})
    found = plot_data.build_panels([*GRID, *other, peer], "s", "h", "compute_ms", ("s", "h"))
    assert [panel.name for panel in found] == [GRID[0].name, "Other"]
    assert all(
        set(panel.grid.cells) == set(plot_data.build_grid(GRID, "s", "h", "compute_ms").cells) for panel in found
    )
    (level,) = plot_data.build_levels([*GRID, peer], ["s", "h"], "compute_ms")
    assert level.point is peer and level.value == GRID[0].median_value("compute_ms")
    (alone,) = plot_data.build_panels(GRID, "s", "h", "compute_ms", ())
    assert alone.name == ""


def test_what_only_some_methods_have_is_no_difference_between_points() -> None:
    peer = MeasuredPoint(
        "peer", "peer", "Peer", {"method": "peer"}, PointStatus.MEASURED, cells=1_000_000, is_peer=True
    )
    other = point(32, 16, (1.0,), "other", parameters={"s": 32, "h": 16, "T": 4})
    assert {"T", "s", "h", "method"} <= set(plot_data.varying_names([*GRID, other, peer]))
    assert set(plot_data.comparable_names([*GRID, other, peer])) == {"method", "s", "h"}
    assert plot_data.comparable_names([]) == []
    assert (
        plot_data.point_label(peer, ["s", "method"]) == "Peer"
        and plot_data.point_label(GRID[0], ["s", "h"]) == "s 32, h 16"
    )
