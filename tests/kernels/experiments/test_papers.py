"""The papers' tables: their numbers hang together with what the papers' texts say, and ours stand beside them."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from antidiag.kernels import registry
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments import peers
from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.papers import comparison, table_tasks
from antidiag.kernels.experiments.papers import paper_tables as papers
from antidiag.kernels.experiments.papers.paper_tables import PaperTable, PublishedNumber
from antidiag.kernels.experiments.point_data import tables
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.sweeps.sweep import find_problem_type

TABLES = [pytest.param(table, id=table.id) for table in papers.paper_tables()]
METHODS = {method.id: method for method in registry.METHODS}
PEERS = {peer.id: peer for peer in peers.PEERS}


def numbers(table_id: str, **coordinates: str) -> dict[tuple[str, str], list[float]]:
    """Published numbers of a table by contender and quantity, at some coordinates, in the order of the paper."""
    (table,) = papers.find_tables([table_id])
    found: dict[tuple[str, str], list[float]] = {}
    for one in table.published:
        if one.value is not None and coordinates.items() <= one.coordinates.items():
            found.setdefault((one.contender, one.quantity), []).append(one.value)
    return found


def test_every_figure_of_the_issue_is_there():
    figures = {table.id for table in papers.paper_tables()}
    assert {f"001-figure-{number:02}" for number in (7, 9, 11, 13, 14, 15, 16, 17, 18, 19)} <= figures
    assert {f"003-figure-4-{number:02}" for number in range(5, 16)} <= figures


@pytest.mark.parametrize("table", TABLES)
def test_tables_are_complete(table: PaperTable):
    assert table.citation and table.hardware and table.title
    kinds = (
        table.unit in papers.MILLISECONDS,
        table.unit == "GCUPS",
        table.unit == "number",
        table.unit == papers.PERCENT,
        table.baseline in METHODS,
    )
    assert kinds.count(True) == 1, "a time, a rate, a count, a percentage, or a speed-up over a method"
    assert 0 < table.scale < 1
    assert table.published
    places = [(*number.run_place, number.statistic, number.quantity) for number in table.published]
    assert len(set(places)) == len(places), "a number is given twice"
    assert all(number.value is not None or number.note for number in table.published), "a gap says why"
    colour = table.plot.get("colour")
    named = [table.plot.get(name) for name in ("x", "y", "panel")] + (colour if isinstance(colour, list) else [colour])
    assert {*named} <= {*table.axis_names, "method", "quantity", "statistic", "note", "panel", None}
    for number in table.published:
        if number.contender in METHODS:
            assert all(sweep_axes.find_axis(name, [METHODS[number.contender]]) for name in number.coordinates)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("quick", [False, True])
def test_every_published_run_of_ours_can_be_planned(table: PaperTable, quick: bool):
    tasks = table_tasks.table_tasks(table, quick)
    runs = {
        run.run_place for number in table.published for run in number.single_runs if number.contender in METHODS | PEERS
    }
    baselines = {dict(run[1]).get("length") for run in runs} if table.baseline else set()
    assert len(tasks) == len(runs) + len(baselines)
    for task in tasks:
        if task.contender in PEERS:
            assert not task.parameters and PEERS[task.contender].solves_problem(find_problem_type(task.problem_type))
            continue
        declared = {parameter.name: parameter for parameter in METHODS[task.contender].parameters.declared()}
        for name, value in task.parameters.items():
            declared[name].validate(value)


def test_the_speedups_of_figure_9_are_those_of_the_text():
    """13 to 17 over PerotRecurrence, 20 to 33 over BlockedAntidiagonal, 2.8 to 9.3 over EnhancedBA, 7.7 to 22.8."""
    found = numbers("001-figure-09")
    striped = found["striped-score", "total"]
    for contender, low, high in (
        ("perot-recurrence", 13, 17), ("blocked-antidiagonal", 20, 33), ("enhanced-ba", 2.8, 9.3),
        ("CUDASW++2.0", 7.7, 22.8),
    ):  # fmt: skip
        ratios = [theirs / ours for theirs, ours in zip(found[contender, "total"], striped, strict=False)]
        assert low - 0.6 < min(ratios) <= max(ratios) < high + 0.6, contender


def test_the_best_alignments_are_those_of_the_text():
    """1,952.6 ms for StripedAlignment and 602.7 ms for ChunkedAlignment1: slightly more than 3 times."""
    largest = {"length": "20860x29120"}
    striped = min(numbers("001-figure-11", **largest)["striped-alignment", "total"])
    chunked = min(numbers("001-figure-15", **largest)["chunked-alignment-1", "total"])
    assert (striped, chunked) == (1952.6, 602.7)


@pytest.mark.parametrize("method", ["chunked-alignment-1", "chunked-alignment-2"])
def test_figure_19_holds_numbers_of_figures_13_to_18(method):
    (table,) = papers.find_tables(["001-figure-19"])
    whole = {(*number.run_place, number.quantity): number.value for other in papers.paper_tables() if other is not table
             for number in other.published}  # fmt: skip
    for number in table.published:
        assert whole[(*number.run_place, number.quantity)] == number.value


def test_phases_are_parts_of_the_total():
    for table in papers.find_tables(["001"]):
        places: dict[object, dict[str, float]] = {}
        for number in table.published:
            if number.value is not None:
                places.setdefault(number.run_place, {})[number.quantity] = number.value
        for parts in places.values():
            assert parts.get("phase 1", 0) + parts.get("phase 3", 0) <= parts["total"]


def test_tables_are_found_by_name_and_by_paper():
    assert papers.find_tables([]) == papers.paper_tables()
    assert [table.id for table in papers.find_tables(["001-figure-09"])] == ["001-figure-09"]
    assert len(papers.find_tables(["001"])) >= 10
    with pytest.raises(ParameterError, match=r"there is no table '009'; there are: 000-table-1"):
        papers.find_tables(["009"])


def small(**changes) -> PaperTable:
    """A table of two of our runs and a program of others."""
    (table,) = papers.find_tables(["001-figure-19"])
    published = (
        PublishedNumber("chunked-alignment-1", {"length": "400x600", "s": "410", "h": "128"}, "total", 100.0),
        PublishedNumber(
            "chunked-alignment-1", {"length": "400x600", "s": "410", "h": "128"}, "phase 1", 80.0, "as printed"
        ),
        PublishedNumber("striped-score", {"length": "400x600", "s": "2900"}, "total", None, "too large"),
        PublishedNumber("CUDASW++2.0", {"length": "400x600"}, "total", 5.0),
    )
    return PaperTable(**{name: getattr(table, name) for name in table.__dataclass_fields__} | {
        "published": published, "scale": 0.5, **changes
    })  # fmt: skip


def test_values_that_cannot_be_taken_are_replaced_by_the_nearest_and_told():
    table = small()
    chunked, score = table_tasks.table_tasks(table)
    assert chunked.parameters == {"s": 410, "h": 128, "mapping": "published"}
    assert score.parameters == {"s": 2048, "mapping": "published"}
    assert chunked.inputs.length == (400, 600)
    compared = comparison.compare_points(table, ())
    assert compared[0].remark == ""
    assert compared[2].remark == "s = 2900 in the paper"
    assert compared[3].remark == "not run here"


def test_values_that_a_backend_rounds_are_told():
    table = small()
    (chunked, _) = table_tasks.table_tasks(table)
    measured = replace(point(chunked, 10.0, 4.0), parameters={**chunked.parameters, "s": 416})
    compared = comparison.compare_points(table, [measured])
    assert compared[0].remark == "s = 416 here" and compared[2].remark == "s = 2900 in the paper"


def test_a_peer_is_measured_on_the_problem_of_the_method_beside_it():
    (table,) = papers.find_tables(["002-table-9"])
    tasks = {(task.contender, task.coordinates["count"]): task for task in table_tasks.table_tasks(table, quick=True)}
    peer, own = tasks["pyfamsa", 1277], tasks["msa-parttree", 1277]
    assert peer.has_same_problem(own) and own.options == {"guide": "parttree", "references": 45}
    measured = MeasuredPoint(
        "k", "pyfamsa", "", peer.coordinates, PointStatus.MEASURED, runs=(TimedRun(500.0, {}),), device="A chip"
    )
    missing = replace(measured, status=PointStatus.REFUSED, reason="FAMSA is not installed", runs=())
    for point, ours, remark in ((measured, 0.5, "its time is that of computing"), (missing, None, "is not installed")):
        row = next(
            one for one in comparison.compare_points(table, [point], quick=True) if one.published.contender == "pyfamsa"
        )
        assert row.ours == ours and remark in row.remark


def test_times_beside_another_tell_their_speedup():
    (table,) = papers.find_tables(["002-table-5"])
    ours = {"parttree-serial": 30.0, "cuda-parttree": 10.0}
    points = [point(task, ours[task.contender], 1.0) for task in table_tasks.table_tasks(table)]
    remarks = [
        row["remark"] for row in comparison.comparison_table(table, comparison.compare_points(table, points)).rows
    ]
    assert remarks[:2] == ["bac_luciferase; PartTree of MAFFT there",
                           "2.39 x as fast as PartTree-serial there, 2.05 x here; bac_luciferase"]  # fmt: skip
    assert (
        comparison.comparison_table(table, comparison.compare_points(table, ()))
        .rows[1]["remark"]
        .startswith("2.39 x as fast as PartTree")
    )
    assert not any(
        "as fast" in row["remark"]
        for row in comparison.comparison_table(small(), comparison.compare_points(small(), ())).rows
    )


def point(task, total_ms: float, phase_ms: float) -> MeasuredPoint:
    times = {"phase 1": phase_ms, "phase 3": total_ms - phase_ms, "transfer": 9.0}
    return MeasuredPoint(
        "k", task.contender, "", task.coordinates, PointStatus.MEASURED, runs=(TimedRun(50.0, times),), device="A chip"
    )


def test_the_lengths_of_a_mean_are_told_in_few_words_and_saved_in_full():
    (table,) = papers.find_tables(["003-table-4-6"])
    made = comparison.comparison_table(table, comparison.compare_points(table, ()))
    lines = [line for line in tables.to_markdown(made).splitlines() if "| mean" in line]
    assert any("| 31 from 32x32 to 992x992 |" in line for line in lines) and max(map(len, lines)) < 120
    assert "32x32;64x64;96x96;" in tables.to_csv(made)


def test_published_and_measured_stand_side_by_side():
    table = small()
    (chunked, _) = table_tasks.table_tasks(table)
    compared = comparison.compare_points(table, [point(chunked, 10.0, 4.0)])
    assert [(one.published.value, one.ours, one.ratio) for one in compared] == [
        (100.0, 10.0, 10.0), (80.0, 4.0, 20.0), (None, None, None), (5.0, None, None),
    ]  # fmt: skip
    drawn = tables.to_markdown(comparison.comparison_table(table, compared))
    assert "| ChunkedAlignment1 | 400x600 | 410 | 128 | total | 100 ms | 10 ms | 10.00 x |" in drawn
    assert "as printed" in drawn and "s = 2900 in the paper" in drawn
    assert "Tesla C2050" in drawn and "A chip" in drawn
    assert "QUICK" not in drawn


def test_a_quick_run_is_smaller_and_says_so():
    table = small()
    (chunked, _) = table_tasks.table_tasks(table, quick=True)
    assert chunked.inputs.length == (200, 300)
    compared = comparison.compare_points(table, [point(chunked, 10.0, 4.0)], quick=True)
    assert compared[0].ratio == 100.0 / (10.0 * 4), "four times the cells at the full size"
    assert compared[1].ratio is None, "phases grow in their own ways"
    assert "QUICK: every length is 0.5 of the paper's" in tables.to_markdown(
        comparison.comparison_table(table, compared, True)
    )


def test_a_quick_run_has_less_of_what_the_table_names():
    (table,) = papers.find_tables(["004-table-2-distances"])
    tasks, quick = table_tasks.table_tasks(table), table_tasks.table_tasks(table, quick=True)
    assert [task.inputs.count for task in quick] == [round(task.inputs.count * table.scale) for task in tasks]
    assert [task.inputs.length for task in quick] == [task.inputs.length for task in tasks]
    assert not any(one.remark for one in comparison.compare_points(table, (), quick=True))


def test_a_quick_run_scales_heights_with_lengths():
    """Or no chunk would be cut, and BT2 and BT3 would do what BT1 does."""
    (table,) = papers.find_tables(["000-table-2"])
    full, quick = table_tasks.table_tasks(table), table_tasks.table_tasks(table, quick=True)
    assert {task.parameters["h"] for task in full if "h" in task.parameters} == {40, 100}
    assert {task.parameters["h"] for task in quick if "h" in task.parameters} == {10, 25}
    assert all(task.inputs.length[2] + 1 > task.parameters.get("h", 0) for task in quick)
    assert "every length and every h is 0.25" in tables.to_markdown(comparison.comparison_table(table, (), quick=True))


def test_the_tables_of_three_sequences_take_the_mapping_of_the_paper():
    """One cell a thread and step; methods without that choice are not given one."""
    for task in table_tasks.table_tasks(papers.find_tables(["000-table-1"])[0]):
        assert task.parameters.get("mapping") == (None if task.contender.startswith("triple-") else "cells")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("000-table-1", {"s": {67, 47}}),
        ("000-table-2", {"s": {47, 31}, "h": {40, 100}}),
        ("001-figure-07", {"s": {64, 128, 256, 512, 1024, 1900}, "mapping": {"published"}}),
        ("001-figure-09", {"s": {8, 1900}, "mapping": {"published"}}),
        ("001-figure-11", {"s": {64, 128, 256, 410}, "mapping": {"published"}}),
        ("001-figure-19", {"s": {410}, "h": {64, 128}, "mapping": {"published"}}),
        ("004-figure-7", {"mapping": {"published"}}),
    ],
)
def test_a_table_is_repeated_with_the_parameters_of_the_paper(name: str, values: dict[str, set]):
    """And no method is given a parameter that it does not have."""
    tasks = table_tasks.table_tasks(papers.find_tables([name])[0])
    for parameter, expected in values.items():
        assert {task.parameters[parameter] for task in tasks if parameter in task.parameters} == expected
    for task in tasks:
        if task.contender in {method.id for method in registry.METHODS}:
            assert task.parameters.keys() <= registry.find_method(task.contender).parameters.names()


def test_numbers_in_seconds_and_rates_are_compared_in_their_unit():
    (chunked, _) = table_tasks.table_tasks(small())
    one = comparison.compare_points(small(unit="s"), [point(chunked, 10_000.0, 4.0)])[0]
    assert (one.ours, one.ratio) == (10.0, 10.0)
    rate = comparison.compare_points(small(unit="GCUPS"), [point(chunked, 10_000.0, 4.0)])[0]
    assert rate.ratio == pytest.approx(rate.ours / 100.0)


def test_what_was_refused_says_so_in_its_place():
    table = small()
    (_, score) = table_tasks.table_tasks(table)
    refused = MeasuredPoint("k", score.contender, "", score.coordinates, PointStatus.REFUSED, "too little memory")
    assert "refused: too little memory" in comparison.compare_points(table, [refused])[2].remark


def test_a_table_can_be_measured_here():
    table = small()
    found = runner.run_tasks(table_tasks.table_tasks(table, quick=True, backend="cpu", repeats=1))
    compared = comparison.compare_points(table, found, quick=True)
    assert all(one.ours > 0 for one in compared[:3])
    assert compared[1].ours < compared[0].ours


def test_a_description_that_is_not_right_is_named(tmp_path):
    (tmp_path / "900.toml").write_text('citation = "x"\n[[table]]\nid = "900-1"\n')
    with pytest.raises(InputError, match=r"900\.toml: not a description of a paper's tables"):
        list(papers._read_paper(tmp_path / "900.toml"))


def test_the_files_are_plain_csv():
    for path in sorted(Path(papers.FOLDER).glob("*.csv")):
        with open(path, encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert {"method", "quantity", "value", "note"} <= rows[0].keys(), path


def test_speedups_and_means_are_made_of_single_runs():
    """A number over a baseline, at one place and over two lengths; mean and maximum wait for all of their runs."""
    table = small(
        baseline="striped-score", unit="times",
        published=(
            PublishedNumber("chunked-alignment-1", {"length": "400x600"}, "total", 2.0),
            PublishedNumber("chunked-alignment-1", {"length": "400x600;800x900"}, "total", 3.0, "", "mean"),
            PublishedNumber("chunked-alignment-1", {"length": "400x600;800x900"}, "total", 3.0, "", "maximum"),
        ),
    )  # fmt: skip
    tasks = table_tasks.table_tasks(table)
    assert sorted((task.contender, str(task.coordinates["length"])) for task in tasks) == [
        (contender, length) for contender in ("chunked-alignment-1", "striped-score")
        for length in ("(400, 600)", "(800, 900)")
    ]  # fmt: skip
    times = {("chunked-alignment-1", 400): 10.0, ("striped-score", 400): 40.0, ("chunked-alignment-1", 800): 20.0,
             ("striped-score", 800): 20.0}  # fmt: skip
    points = [point(task, times[task.contender, task.coordinates["length"][0]], 1.0) for task in tasks]
    assert [(one.ours, one.ratio) for one in comparison.compare_points(table, points)] == [
        (4.0, 2.0), (2.5, 2.5 / 3.0), (4.0, 4.0 / 3.0),
    ]  # fmt: skip
    incomplete = comparison.compare_points(table, [one for one in points if one.contender != "striped-score"])
    assert [one.ours for one in incomplete] == [None, None, None]


@pytest.mark.parametrize(
    ("table", "contender", "quantity", "mcups"),
    [
        ("003-table-4-3", "CPU-MKL", "gcups with transfers", [1.4146, 1.1668, 1.6275, 1.4588]),
        ("003-table-4-7", "profseq-serial", "gcups", [1.024, 0.8345, 0.9143, 0.8804]),
        ("003-table-4-7", "profseq-matprod-v1", "gcups", [21.0505, 17.9315, 18.0445, 16.9695]),
    ],
)
def test_rates_have_all_published_digits(table: str, contender: str, quantity: str, mcups: list[float]):
    assert numbers(table)[contender, quantity] == pytest.approx([rate / 1000 for rate in mcups], rel=1e-12)


def test_the_speedups_of_table_5_3_are_those_of_table_5_1():
    """At the longest sequences, except for 8 and 16 states, where the greatest speed-up is at another length."""
    for states in ("32", "64", "128", "256"):
        place = {"length": ";".join(f"{states}x{64 << power}" for power in range(10))}
        times, speedup = numbers("003-table-5-1", **place), numbers("003-table-5-3", **place)
        ratio = times["viterbi-serial", "total"][0] / times["viterbi-matprod-smem", "total"][0]
        assert ratio == pytest.approx(speedup["viterbi-matprod-smem", "total"][0], rel=0.02)


def test_table_4_of_paper_002_counts_what_the_filter_leaves():
    found = numbers("002-table-4")
    kept, distances = found["parttree", "references"], found["parttree", "distances"]
    assert kept == [906, 835, 2278, 1291, 1446, 2281]
    (table,) = papers.find_tables(["002-table-4"])
    counts = [float(one.coordinates["count"]) for one in table.published if one.quantity == "references"]
    assert distances == [count * one for count, one in zip(counts, kept, strict=True)]
    megabytes = found["parttree", "megabytes"]
    assert megabytes == [pytest.approx(4 * one / 2**20, rel=1e-3) for one in distances]
