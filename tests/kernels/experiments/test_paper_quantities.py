"""Quantities of the papers' tables: what counts transfers, means and maxima over runs, and shares of the time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.papers import comparison, quantities, table_tasks
from antidiag.kernels.experiments.papers import paper_tables as papers
from antidiag.kernels.experiments.papers.paper_tables import PaperTable
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun

COUNTING = [
    pytest.param(table, id=table.id)
    for table in papers.paper_tables()
    if any(quantities.counts_transfers(number.quantity) for number in table.published)
]
RATE = quantities.RATE_WITH_TRANSFERS
PHASES = ("scores", "phase 1", "sequence setup", "reference maps", "calculation", "retrieval", "return")


def measured(table: PaperTable, transfer_ms: float, backend: str = "cuda") -> list[MeasuredPoint]:
    """A point for every task of a table; methods of the CPU alone transfer nothing."""
    found = []
    for number, task in enumerate(table_tasks.table_tasks(table)):
        phases = {name: 10.0 + number % 7 + place for place, name in enumerate(PHASES)}
        copied = 0.0 if task.contender.endswith("-serial") else transfer_ms
        run = TimedRun(sum(phases.values()) + copied + 4.0, {**phases, "transfer": copied, "compilation": 1.0})
        found.append(
            MeasuredPoint("k", task.contender, "", task.coordinates, PointStatus.MEASURED, backend=backend,
                          device="A chip", runs=(run,), cells=10**6)
        )  # fmt: skip
    return found


def computing(table: PaperTable) -> PaperTable:
    """The table with the quantities that leave transfers out."""
    kept = [one for one in table.published if one.quantity != "transfer"]
    names = {one.quantity: quantities.computing_quantity(one.quantity) for one in kept}
    return replace(table, published=tuple(replace(one, quantity=names[one.quantity]) for one in kept))


@pytest.mark.parametrize("table", COUNTING)
def test_with_transfers_is_at_least_computing(table: PaperTable):
    """More time, or less speed; without any transfer a table with transfers is the same as one without."""
    points = measured(table, 25.0)
    compared = [one for one in comparison.compare_points(table, points) if one.published.quantity != "transfer"]
    alone = comparison.compare_points(computing(table), points)
    is_time = table.unit in papers.MILLISECONDS
    pairs = [(one.ours, other.ours) for one, other in zip(compared, alone, strict=True) if other.ours is not None]
    assert pairs and all((one >= other) if is_time else (one <= other) for one, other in pairs)
    if not table.parts and not {"sequence setup"} & {one.published.quantity for one in compared}:
        assert any(one != other for one, other in pairs), "the transfers are counted"
    notes = " ".join(comparison.comparison_table(table, compared).notes)
    assert "between host and GPU" in notes or "transfers and allocation" in notes, "what is counted is said"
    assert "Measured on a CPU" not in notes
    points = measured(table, 0.0, "cpu")
    here = comparison.compare_points(table, points)
    assert comparison.NO_TRANSFERS in comparison.comparison_table(table, here).notes


def test_tables_4_1_and_4_2_count_what_they_promise():
    """Of 4 ms outside phases 1 is compilation; 3 are allocation and the like, which only table 4.2 counts."""
    run = TimedRun(29.0, {"scores": 12.0, "cells": 8.0, "transfer": 5.0, "compilation": 1.0})
    point = MeasuredPoint("k", "profile-simple", "", {}, PointStatus.MEASURED, runs=(run,))
    point = replace(point, cells=50_000_000)
    names = ("total", "total with transfers", "whole call", "scores", "scores with transfers", "transfer")
    assert [quantities.point_quantity(point, name) for name in names] == [20, 25, 28, 12, 17, 5]
    assert quantities.point_quantity(point, "gcups") == 2.5 and quantities.point_quantity(point, RATE) == 2.0
    assert names[:3] == quantities.WHOLE_TIMES
    assert quantities.point_quantity(point, "no phase") is None
    tables = {table.id: {one.quantity for one in table.published} for table in papers.find_tables(["003"])}
    assert tables["003-table-4-1"] == tables["003-figure-4-09"] == {"total with transfers"}
    assert tables["003-table-4-2"] == tables["003-figure-4-10"] == {"whole call"}


def test_a_maximum_is_that_of_all_runs_not_that_of_the_longest():
    (table,) = papers.find_tables(["003-table-6-1"])
    points = measured(table, 0.0)
    values: dict[str, dict[int, float]] = {}
    for one in points:
        values.setdefault(one.contender, {})[one.coordinates["length"]] = one.runs[0].compute_ms
    for one in comparison.compare_points(table, points):
        here = values[one.published.contender]
        if one.published.statistic == "maximum":
            assert one.ours == max(here.values())
            assert one.remark == f"here at {next(size for size in sorted(here) if here[size] == one.ours)}"
        else:
            assert one.ours == pytest.approx(sum(here.values()) / len(here))
    assert any(here[4096] < max(here.values()) for here in values.values()), "the longest is not the slowest everywhere"
    short = comparison.compare_points(table, points[:-1])
    assert [one.ours for one in short].count(None) == 2, "both numbers of the method that lacks a run"


def test_shares_are_of_the_steps_with_the_transfers():
    (table,) = papers.find_tables(["002-figure-4"])
    times = {"sequence setup": 10.0, "reference maps": 1.0, "calculation": 2.0, "retrieval": 3.0, "return": 20.0,
             "transfer": 4.0, "recursion": 1000.0}  # fmt: skip
    found = MeasuredPoint("k", "cuda-parttree", "", {}, PointStatus.MEASURED, runs=(TimedRun(2000.0, times),))
    shares = {part: quantities.point_share(found, part, table.parts) for part in table.parts}
    assert shares == {"Input": 25.0, "Compute": 25.0, "Output": 50.0}
    assert quantities.point_share(replace(found, runs=()), "Input", table.parts) is None
    shown = comparison.comparison_table(table, comparison.compare_points(table, measured(table, 1.0)))
    headings = {column.key: column.heading for column in shown.columns}
    assert (headings["published"], headings["ours"]) == ("published, %", "here, %")


def test_what_a_cpu_has_not_is_said_in_its_row():
    (table,) = papers.find_tables(["004-table-3"])
    compared = comparison.compare_points(table, measured(table, 0.0, "cpu"))
    assert {one.ours for one in compared} == {None}
    assert compared[3].remark == "no occupancy, % of a run on the CPU"


@pytest.mark.parametrize(("length", "statistic"), [("64;128", ""), ("64", "mean"), ("64;128", "median")])
def test_a_row_of_several_lengths_says_what_it_is(length: str, statistic: str):
    row = {
        "method": "nj-basic",
        "length": length,
        "statistic": statistic,
        "quantity": "total",
        "value": "1",
        "note": "",
    }
    with pytest.raises(ValueError, match="statistic"):
        papers._make_number(row)


def test_device_code_has_transfers_and_an_occupancy(emulated):
    """Measured on the emulator: table 3 of paper 004 has all its numbers there, and transfers take time."""
    (table,) = papers.find_tables(["004-table-3"])
    tasks = table_tasks.table_tasks(replace(table, inputs=replace(table.inputs, length=40)), backend="cuda", repeats=1)
    points = [runner.measure_task(task) for task in tasks]
    assert [(one.status, one.backend) for one in points] == [(PointStatus.MEASURED, "cuda")] * 2
    compared = comparison.compare_points(table, points)
    assert all(one.ours is not None and one.ours > 0 for one in compared)
    found = {one.published.quantity: one.ours for one in compared[:4]}
    assert found["active threads"] == 256 * found["active thread blocks"] == 32 * found["active warps"]
    for point in points:
        whole = [quantities.point_quantity(point, name) for name in quantities.WHOLE_TIMES]
        assert whole == sorted(whole) and whole[0] < whole[1]


@pytest.mark.gpu
@pytest.mark.parametrize("table_id", ["003-table-4-1", "003-table-4-2", "002-table-6", "004-figure-7", "004-table-3"])
def test_tables_of_transfers_and_occupancy_are_measured_on_a_gpu(table_id: str):
    (table,) = papers.find_tables([table_id])
    short = replace(table, published=tuple(one for one in table.published if "10000x10000" not in str(one.coordinates)))
    points = runner.run_tasks(table_tasks.table_tasks(short, quick=True, repeats=1))
    assert {point.status for point in points} == {PointStatus.MEASURED}
    compared = comparison.compare_points(short, points, quick=True)
    assert all(one.ours is not None for one in compared)
    on_gpu = [point for point in points if point.backend == "cuda"]
    assert on_gpu and all(
        quantities.point_quantity(point, "total with transfers") > quantities.point_quantity(point, "total")
        for point in on_gpu
    )
    assert comparison.NO_TRANSFERS not in comparison.comparison_table(short, compared, quick=True).notes
