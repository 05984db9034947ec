"""From points to lines, grids and what is best of them."""

from __future__ import annotations

from dataclasses import replace

from antidiag.app.tune.plots import series
from antidiag.app.tune.plots.lines import default_settings, model_curves
from antidiag.app.tune.plots.settings import PlotSettings
from antidiag.kernels.experiments.points import Point, Run, Status


def point(s: int, h: int | None, times_ms: tuple[float, ...], method: str = "striped-score", **more) -> Point:
    values = {
        "key": f"{method} {s} {h}", "contender": method, "name": method.title(), "status": Status.MEASURED,
        "coordinates": {"method": method, "s": s, "h": h}, "parameters": {"s": s, "h": h or 512}, "problem": "p",
        "cells": 1_000_000, "runs": tuple(Run(time + 1, {"phase 1": time, "transfer": 0.5}) for time in times_ms),
    }  # fmt: skip
    return Point(**{**values, **more})


GRID = [point(s, h, (s + h, s + h + 2.0)) for s in (32, 64) for h in (16, 128)]


def test_names_are_those_that_differ() -> None:
    assert series.names(GRID) == ["s", "h"]
    assert series.names([*GRID, point(32, 16, (1.0,), "other")]) == ["method", "s", "h"]


def test_an_automatic_value_is_what_really_ran() -> None:
    assert series.coordinate(point(32, None, (1.0,)), "h") == 512


def test_lines_are_sorted_and_carry_their_spread() -> None:
    found = series.lines(list(reversed(GRID)), "s", "compute_ms", ["h"])
    assert [line.name for line in found] == ["h 128", "h 16"]
    assert found[1].x == (32, 64)
    assert (found[1].spreads[0].low, found[1].spreads[0].median, found[1].spreads[0].high) == (48, 49, 50)


def test_lines_of_one_value_share_a_colour_in_the_order_of_the_values() -> None:
    points = [point(s, h, (1.0,), method) for method in ("other", "striped-score") for h in (128, 16) for s in (32, 64)]
    found = series.lines(points, "s", "compute_ms", ["method", "h"], colour="h")
    assert [(line.shade, line.group) for line in found] == [(0, "h 16"), (0, "h 16"), (1, "h 128"), (1, "h 128")]
    assert all(len(line.points) == 2 for line in found), "what a line joins is the same as without colours"
    told = series.lines(points, "s", "compute_ms", [], colour="method")
    assert [(line.shade, line.group, len(line.points)) for line in told] == [(0, "Other", 4), (1, "Striped-Score", 4)]


def test_the_chosen_colour_stays_while_the_points_have_it() -> None:
    asked = PlotSettings(x="s", colour="h")
    assert default_settings(GRID[:1], asked, series.names(GRID[:1])).colour == "h"
    assert default_settings(GRID, PlotSettings(x="h", colour="h"), series.names(GRID)).colour == ""
    assert default_settings(GRID, PlotSettings(x="s", colour="gone"), series.names(GRID)).colour == ""
    other = [*GRID, point(32, 16, (1.0,), device="another")]
    assert "device" in series.shades(other, series.names(other)) and series.shades(GRID, ["s"]) == ["s"]


def test_a_grid_keeps_the_better_of_two_at_one_place() -> None:
    slower = point(32, 16, (500.0,), "other")
    grid = series.grid([*GRID, slower], "s", "h", "compute_ms")
    assert (grid.rows, grid.columns) == ((16, 128), (32, 64))
    assert grid.cells[0, 0][0] is GRID[0]
    assert series.grid([*GRID, slower], "s", "h", "gcups").cells[0, 0][0] is GRID[0]


def test_speedups_are_over_the_baseline_of_the_same_problem() -> None:
    found = series.values(GRID, series.SPEEDUP, {"s": "64", "h": "16"})
    assert found[id(GRID[2])].median == 1
    assert found[id(GRID[0])].median > 1
    assert series.values(GRID, series.SPEEDUP, None) == {}


def test_the_best_is_never_a_wrong_answer() -> None:
    wrong = point(96, 16, (0.1,), status=Status.WRONG, reason="another score")
    assert series.best([*GRID, wrong], "compute_ms") is GRID[0]
    assert series.best([wrong], "compute_ms") is None


def test_what_is_shown_stays_while_points_arrive() -> None:
    asked = PlotSettings(x="s", y="h")
    first = default_settings(GRID[:1], asked, series.names(GRID[:1]))
    assert (first.x, first.y) == ("s", "h")
    assert default_settings(GRID, PlotSettings(), series.names(GRID)).x == "s"
    assert default_settings(GRID, asked, series.names(GRID)).split == ("h",)


def test_a_model_is_scaled_to_its_points() -> None:
    line = series.lines(GRID, "s", "compute_ms", ["h"])[0]
    ((name, x, y, shade),) = model_curves([line], "compute_ms", lambda point: {"traffic": [(32, 1.0), (64, 2.0)]})
    assert shade == line.shade
    assert name == "traffic (scaled)" and list(x) == [32, 64]
    assert y[1] == 2 * y[0]


def test_a_model_of_the_time_is_turned_round_for_rates_and_left_out_for_what_is_no_time() -> None:
    line = series.lines(GRID, "s", "gcups", ["h"])[0]
    foretold = {"traffic": [(32, 1.0), (64, 2.0), (96, 0.0)]}
    for quantity in ("gcups", series.SPEEDUP):
        ((_, x, y, _),) = model_curves([line], quantity, lambda point: foretold)
        assert list(x) == [32, 64] and y[0] == 2 * y[1]
    assert model_curves([line], "host_bytes", lambda point: foretold) == []


def test_a_baseline_is_what_differs_within_one_problem_and_finds_its_points() -> None:
    peer = point(32, 16, (300.0,), "parasail-score-32", name="parasail striped, 32 bits", coordinates={})
    automatic = point(96, None, (40.0,), coordinates={"method": "striped-score", "s": None}, parameters={"s": 96})
    points = [*GRID, peer, automatic]
    found = series.baselines(points, series.names(points))
    assert found["method=parasail-score-32"] == "method=parasail striped, 32 bits"
    assert {"s=32", "s=64", "s=96"} <= found.keys()
    for words in found:
        over = PlotSettings(baseline=words).over
        assert series.values(points, series.SPEEDUP, over), f"{words} finds no point"
    lengths = [point(32, 16, (1.0,), problem=str(n), coordinates={"length": n}) for n in ((20, 30), (40, 50))]
    assert series.baselines(lengths, ["length"]) == {}, "nothing can be compared across problems"


def test_suggested_values_can_be_parsed() -> None:
    from antidiag.kernels import registry
    from antidiag.kernels.experiments import axes

    for method in registry.METHODS:
        for parameter in method.parameters:
            text = series.suggestion(parameter)
            if text:
                assert axes.parse(f"{parameter.name}={text}", [method]).values


def test_over_cells_a_line_joins_problems_of_several_lengths() -> None:
    points = [
        point(32, 16, (n / 1e3,), method, problem=str(n), cells=n * n, coordinates={"method": method, "length": n})
        for n in (1000, 2000) for method in ("other", "striped-score")
    ]  # fmt: skip
    asked = default_settings(points, PlotSettings(x="cells"), series.names(points))
    assert asked.split == ("method",)
    assert default_settings(points, PlotSettings(x="method"), series.names(points)).split == ("length",)


def test_a_grid_for_every_method_and_a_level_for_what_has_no_place() -> None:
    other = [replace(point, contender="other", name="Other") for point in GRID]
    peer = replace(GRID[0], contender="peer", name="A peer", coordinates={}, parameters={})
    found = series.panels([*GRID, *other, peer], "s", "h", "compute_ms", ("s", "h"))
    assert [panel.name for panel in found] == [GRID[0].name, "Other"]
    assert all(set(panel.grid.cells) == set(series.grid(GRID, "s", "h", "compute_ms").cells) for panel in found)
    (level,) = series.levels([*GRID, peer], ["s", "h"], "compute_ms")
    assert level.point is peer and level.value == GRID[0].value("compute_ms")
    (alone,) = series.panels(GRID, "s", "h", "compute_ms", ())
    assert alone.name == ""


def test_what_only_some_methods_have_is_no_difference_between_points() -> None:
    peer = Point("peer", "peer", "Peer", {"method": "peer"}, Status.MEASURED, cells=1_000_000, is_peer=True)
    other = point(32, 16, (1.0,), "other", parameters={"s": 32, "h": 16, "T": 4})
    assert {"T", "s", "h", "method"} <= set(series.names([*GRID, other, peer]))
    assert set(series.varied([*GRID, other, peer])) == {"method", "s", "h"}
    assert series.varied([]) == []
    assert series.label(peer, ["s", "method"]) == "Peer" and series.label(GRID[0], ["s", "h"]) == "s 32, h 16"
