"""Every table and figure of the papers has the columns, rows and units that it has in the paper."""

from __future__ import annotations

from itertools import product

import pytest

from antidiag.kernels.experiments.papers import comparison
from antidiag.kernels.experiments.papers import paper_tables as papers
from antidiag.kernels.experiments.papers.paper_tables import PaperTable

PHASES = ("phase 1", "phase 3", "total")
STEPS = ("sequence setup", "reference maps", "calculation", "retrieval", "return")
STAGES = ("distances", "tree", "weights and steps", "alignment", "total")
OCCUPANCY = ("active threads", "active warps", "active thread blocks", "occupancy, %")
REFERENCES = ("references", "distances", "megabytes")
SUMMARIES = ("maximum", "mean")
CUPS = "gcups"
RATE = "gcups with transfers"
WITH = "total with transfers"

# Identifier: unit, rows (numbers of one line of the paper), quantities, statistics, contenders.
CONTENTS: dict[str, tuple[str, int, tuple[str, ...], tuple[str, ...], int]] = {
    "000-table-1": ("s", 20, ("total",), (), 4),
    "000-table-2": ("s", 30, PHASES, (), 6),
    "001-figure-07": ("ms", 30, ("total",), (), 1),
    "001-figure-09": ("ms", 25, ("total",), (), 5),
    "001-figure-11": ("ms", 12, PHASES, (), 1),
    **{f"001-figure-{number}": ("ms", 16, PHASES, (), 1) for number in range(13, 19)},
    "001-figure-19": ("ms", 6, PHASES, (), 2),
    "002-table-4": ("number", 6, REFERENCES, (), 1),
    "002-table-5": ("s", 12, (WITH,), (), 2),
    "002-table-6": ("s", 8, (WITH,), (), 2),
    "002-table-7": ("s", 6, (*STEPS, "transfer"), (), 1),
    "002-table-8": ("s", 4, (*STEPS, "transfer"), (), 1),
    "002-figure-4": ("%", 10, ("Input", "Compute", "Output"), (), 1),
    "002-table-9": ("s", 12, ("whole call",), (), 2),
    "003-figure-4-16": ("times", 6, ("alignment",), (), 1),
    "003-table-4-1": ("times", 12, (WITH,), SUMMARIES, 3),
    "003-table-4-2": ("times", 12, ("whole call",), SUMMARIES, 3),
    "003-table-4-3": ("GCUPS", 14, (RATE,), SUMMARIES, 4),
    "003-table-4-4": ("ms", 12, ("total", "scores"), SUMMARIES, 6),
    "003-table-4-5": ("ms", 8, ("maximisation",), SUMMARIES, 4),
    "003-table-4-6": ("times", 10, ("total",), SUMMARIES, 5),
    "003-table-4-7": ("GCUPS", 12, (CUPS,), SUMMARIES, 6),
    "003-figure-4-05": ("s", 248, ("scores with transfers",), (), 4),
    "003-figure-4-06": ("s", 124, ("total", "scores with transfers"), (), 3),
    "003-figure-4-07": ("s", 252, (WITH,), (), 4),
    "003-figure-4-08": ("s", 252, ("whole call",), (), 4),
    "003-figure-4-09": ("times", 216, (WITH,), (), 3),
    "003-figure-4-10": ("times", 216, ("whole call",), (), 3),
    "003-figure-4-11": ("GCUPS", 252, (RATE,), (), 4),
    "003-figure-4-12": ("ms", 212, ("total", "scores"), (), 6),
    "003-figure-4-13": ("ms", 212, ("total",), (), 6),
    "003-figure-4-14": ("times", 176, ("total",), (), 5),
    "003-figure-4-15": ("GCUPS", 212, (CUPS,), (), 6),
    "003-table-5-1": ("ms", 18, ("total",), SUMMARIES, 3),
    "003-table-5-2": ("ms", 15, ("total",), SUMMARIES, 3),
    "003-table-5-3": ("times", 6, ("total",), SUMMARIES, 1),
    "003-table-5-4": ("times", 5, ("total",), SUMMARIES, 1),
    "003-table-6-1": ("ms", 6, ("total",), SUMMARIES, 6),
    "003-table-6-2": ("times", 4, ("total",), SUMMARIES, 4),
    "003-figure-5-1": ("ms", 180, ("total",), (), 3),
    "003-figure-5-2": ("ms", 90, ("total",), (), 3),
    "003-figure-5-3": ("times", 60, ("total",), (), 1),
    "003-figure-5-4": ("times", 30, ("total",), (), 1),
    "003-figure-6-4": ("ms", 21, ("total",), (), 3),
    "003-figure-6-5": ("ms", 21, ("total",), (), 3),
    "003-figure-6-6": ("ms", 42, ("total",), (), 6),
    "003-figure-6-7": ("times", 28, ("total",), (), 4),
    "004-table-2-distances": ("s", 5, ("total",), (), 1),
    "004-table-2-trees": ("s", 5, ("total",), (), 1),
    "004-table-2-stages": ("s", 5, STAGES, (), 1),
    "004-figure-7": ("times", 26, (WITH,), ("", "mean"), 2),
    "004-table-3": ("number", 2, OCCUPANCY, (), 2),
}


def find(table_id: str) -> PaperTable:
    (table,) = papers.find_tables([table_id])
    return table


def test_the_contents_of_every_table_are_stated():
    assert {table.id for table in papers.paper_tables()} == set(CONTENTS)


@pytest.mark.parametrize("table_id", CONTENTS)
def test_a_table_has_the_columns_rows_and_units_of_the_paper(table_id: str):
    table = find(table_id)
    unit, rows, quantities, statistics, contenders = CONTENTS[table_id]
    assert table.unit == unit
    assert {number.quantity for number in table.published} == set(quantities)
    assert {number.statistic for number in table.published} == set(statistics or ("",))
    assert len({number.contender for number in table.published}) == contenders
    assert len({number.run_place for number in table.published}) == rows
    shown = comparison.comparison_table(table, comparison.compare_points(table, ()))
    headings = [column.key for column in shown.used_columns]
    assert headings[0] == "method" and {*table.axis_names, "quantity", "published"} - {*headings} <= (
        {"published"} if table_id.startswith("003-figure-4") else set()
    )
    (published,) = (column for column in shown.columns if column.key == "published")
    assert published.kind == ("ms" if unit in ("s", "ms") else "number")


def test_every_row_with_a_statistic_has_both_and_lists_its_runs():
    for table in papers.paper_tables():
        found: dict[object, dict[str, float]] = {}
        for number in table.published:
            assert bool(number.statistic) == (len(number.single_runs) > 1)
            if number.statistic and number.value is not None:
                found.setdefault((number.run_place, number.quantity), {})[number.statistic] = number.value
        for values in found.values():
            assert values.get("maximum", values["mean"]) >= values["mean"], table.id


def lengths_of(table_id: str) -> set[str]:
    return {number.coordinates["length"] for number in find(table_id).published}


def test_figures_of_viterbi_vary_states_and_letters_as_the_thesis_does():
    states, letters = (8, 16, 32, 64, 128, 256), tuple(64 << power for power in range(10))
    everything = {f"{one}x{other}" for one, other in product(states, letters)}
    fixed = {f"{one}x{other}" for one, other in product(states, letters[5:])}
    assert lengths_of("003-figure-5-1") == lengths_of("003-figure-5-3") == everything
    assert lengths_of("003-figure-5-2") == lengths_of("003-figure-5-4") == fixed
    panels = {number.note for number in find("003-figure-5-1").published}
    assert panels == {f"{one} states" for one in states}


@pytest.mark.parametrize("number", [4, 5, 6, 7])
def test_figures_of_shortest_paths_vary_the_vertices(number: int):
    assert lengths_of(f"003-figure-6-{number}") == {str(64 << power) for power in range(7)}


def test_points_of_figures_5_and_6_are_those_of_the_tables():
    """A figure has the maximum of a table where it is known to be; figures 5.3 and 6.7 have quotients of times."""
    for figure, *tables in (
        ("003-figure-5-1", "003-table-5-1", "003-table-5-2"),
        ("003-figure-5-2", "003-table-5-1", "003-table-5-2"),
        ("003-figure-6-6", "003-table-6-1"),
    ):
        drawn = {(one.contender, one.value) for one in find(figure).published if one.value is not None}
        maxima = {
            (one.contender, one.value)
            for table in tables
            for one in find(table).published
            if one.statistic == "maximum"
        }
        assert drawn == maxima
    times = {one.run_place: one.value for one in find("003-figure-5-1").published}
    for one in find("003-figure-5-3").published:
        ours, base = times[one.run_place], times["viterbi-serial", one.run_place[1]]
        assert (one.value is None) == (ours is None)
        if one.value is not None:
            assert one.value == pytest.approx(base / ours, rel=1e-3)


def test_the_rates_of_table_4_3_count_the_transfers_of_table_4_1():
    """Beyond 1,000 columns the mean rates over that of CPU-MKL are the mean speed-ups of table 4.1."""
    rates, speedups = (
        {
            (one.contender, one.coordinates.get("k")): one.value
            for one in find(f"003-table-4-{number}").published
            if one.statistic == "mean" and one.note == "above 1,000"
        }
        for number in (3, 1)
    )
    base = rates.pop(("CPU-MKL", None))
    assert {place: rate / base for place, rate in rates.items()} == pytest.approx(speedups, rel=0.03)


def test_figure_4_of_paper_002_has_the_shares_of_tables_7_and_8():
    shares: dict[object, float] = {}
    for number in find("002-figure-4").published:
        shares[number.run_place] = shares.get(number.run_place, 0.0) + number.value
    assert len(shares) == 10 and all(share == pytest.approx(100, abs=0.02) for share in shares.values())
    one = {(number.coordinates["count"], number.quantity): number.value for number in find("002-figure-4").published}
    assert one["100000", "Compute"] == pytest.approx(100 * (0.12 + 46.88 + 0.69) / 70.39, abs=0.01)


def test_table_2_of_paper_004_has_weights_and_steps_apart():
    table = find("004-table-2-stages")
    apart = [number.value for number in table.published if number.quantity == "weights and steps"]
    assert apart == [95, 276, 616, 695, 1258]
    for place in {number.run_place for number in table.published}:
        parts = {number.quantity: number.value for number in table.published if number.run_place == place}
        assert parts.pop("total") == sum(parts.values())


def test_figure_7_of_paper_004_has_all_sizes():
    sizes = {str(size) for size in range(1000, 12001, 1000)}
    for method in ("nj-basic", "nj-compact"):
        single = [one for one in find("004-figure-7").published if one.contender == method and not one.statistic]
        assert {one.coordinates["length"] for one in single} == sizes
        (mean,) = (one for one in find("004-figure-7").published if one.contender == method and one.statistic)
        assert {run.coordinates["length"] for run in mean.single_runs} == sizes


def test_table_3_of_paper_004_is_what_the_calculator_says():
    """256 threads of 20 registers and 4 KB where a multiprocessor has 1,024 threads and 16,384 registers."""
    from antidiag.kernels.cuda.guidelines import CardLimits, compute_occupancy

    card = CardLimits("GeForce GTX 280", 512, 1024, 8, 16_384, 16 << 10, 16 << 10, register_unit=64)
    found = compute_occupancy(card, 256, 4 << 10, 20)
    published = {number.quantity: number.value for number in find("004-table-3").published}
    assert published == dict(zip(OCCUPANCY, (256 * found.blocks, found.warps, found.blocks, 75), strict=True))
    assert found.warp_share == 0.75


def test_the_blocks_of_figure_9_are_those_that_the_paper_names():
    sizes = {one.contender: one.coordinates.get("s") for one in find("001-figure-09").published}
    assert sizes["blocked-antidiagonal"] == sizes["enhanced-ba"] == "8"
    assert any("8 x 8" in remark for remark in find("001-figure-09").remarks)


def test_the_speedups_of_table_4_6_leave_transfers_out():
    """They are the serial time over the sum of tables 4.4 and 4.5, whose parts run on the GPU and on the CPU."""
    times, speedups = (
        {
            (number, one.contender): one.value
            for number in numbers
            for one in find(f"003-table-4-{number}").published
            if one.statistic == "mean" and one.note == "above 1,000" and one.contender.endswith(("-v2", "-serial"))
        }
        for numbers in ((4, 5), (6,))
    )
    for method in ("profseq-matvecprod-v2", "profseq-matprod-v2"):
        summed = times[4, method] + times[5, method]
        assert speedups[6, method] == pytest.approx(times[4, "profseq-serial"] / summed, rel=0.07)
