"""Tables, speedups and digests."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field

import numpy as np
import pytest

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.point_data import speedups, tables
from antidiag.kernels.experiments.point_data.digest import digest_value
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, TimedRun, format_value
from antidiag.kernels.experiments.point_data.tables import Column, ReportTable


def point(
    name: str, wall_ms: float, problem: str = "p", status: PointStatus = PointStatus.MEASURED, **coordinates
) -> MeasuredPoint:
    is_peer = name.startswith("peer")
    return MeasuredPoint(
        key=f"{name} {coordinates}",
        contender=name,
        name=name.title(),
        coordinates={"method": name, **coordinates},
        status=status,
        reason="" if status is PointStatus.MEASURED else "a | reason",
        backend="cpu",
        device="A processor",
        parameters=coordinates,
        problem=problem,
        cells=10**6,
        runs=(TimedRun(wall_ms, {} if is_peer else {"phase 1": wall_ms / 2}),)
        if status is not PointStatus.REFUSED
        else (),
        answer="1,234",
        is_peer=is_peer,
        counts="one call" if is_peer else "",
        models={"steps": 7.0},
    )


POINTS = (
    point("ours", 10.0, s=32), point("ours", 5.0, s=64), point("peer", 20.0), point("ours", 40.0, "q", s=32),
    point("ours", 1.0, s=99, status=PointStatus.REFUSED), point("ours", 1.0, s=77, status=PointStatus.WRONG),
)  # fmt: skip


def test_speedups_are_over_the_baseline_of_the_same_problem():
    found = speedups.compute_speedups(POINTS[:4], {"method": "peer"})
    assert [(one.point.coordinates.get("s"), one.ratio) for one in found] == [(32, 2.0), (64, 4.0), (None, 1.0)]
    assert {one.baseline.contender for one in found} == {"peer"}


def test_a_baseline_may_be_a_value_of_a_parameter():
    found = speedups.compute_speedups(POINTS[:4], {"s": "32"})
    assert [one.ratio for one in found] == [1.0, 2.0, 0.5, 1.0]


def test_of_several_baselines_the_most_alike_counts():
    points = (point("a", 8.0, s=1), point("a", 9.0, s=2), point("b", 3.0, s=1), point("b", 3.0, s=2))
    found = speedups.compute_speedups(points, {"method": "a"})
    assert [one.ratio for one in found] == [1.0, 1.0, 8 / 3, 3.0]


def test_a_phase_can_be_compared_too():
    assert speedups.compute_speedups(POINTS[:2], {"s": 32}, "compute_ms")[1].ratio == 2.0
    assert speedups.compute_speedups(POINTS[:2], {"s": 32}, "of_limit") == []


@pytest.mark.parametrize(
    ("words", "found"),
    [("peer", {"method": "peer"}), ("cpu", {"backend": "cpu"}), ("s=64,method=a", {"s": "64", "method": "a"})],
)
def test_baselines_are_written(words, found):
    assert speedups.parse_baseline(words) == found


def test_a_baseline_of_nothing_is_refused():
    with pytest.raises(ParameterError, match="baseline must be a method, a backend, or NAME=VALUE"):
        speedups.parse_baseline("s=")


def test_the_summary_shows_what_varies_and_hides_what_is_empty():
    table = tables.summary_table(POINTS, "A title", {"method": "peer"})
    assert [column.heading for column in table.used_columns] == [
        "method", "on", "s", "whole call", "phases", "spread", "n", "GCUPS", "speedup", "answer", "",
    ]  # fmt: skip
    assert len(table.rows) == 5, "what has no time is told below"
    assert "Ours refused: a | reason." in table.notes
    assert "Measured on A processor (cpu)." in table.notes
    assert any(note.startswith("Peer") and "one call" in note for note in table.notes)
    assert table.rows[4]["remark"] == "wrong: a | reason"
    assert "speedup" not in [column.key for column in tables.summary_table(POINTS, "").used_columns]


def test_markdown_is_a_table():
    lines = tables.to_markdown(tables.summary_table(POINTS, "A title", {"method": "peer"})).splitlines()
    assert lines[0] == "**A title**"
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 2 + 5
    assert len({line.replace("\\|", "").count("|") for line in rows}) == 1
    assert "| 10 ms |" in rows[2]


def test_csv_holds_every_number():
    rows = list(csv.DictReader(io.StringIO(tables.to_csv(tables.full_table(POINTS, {"method": "peer"})))))
    assert [row["status"] for row in rows] == ["measured"] * 4 + ["refused", "wrong"]
    assert float(rows[0]["wall_ms"]) == 10.0
    assert float(rows[0]["phase 1 ms"]) == 5.0
    assert float(rows[1]["speedup"]) == 4.0
    assert rows[0]["axis s"] == "32"
    assert rows[2]["axis s"] == ""
    assert rows[0]["model steps"] == "7.0"
    assert rows[4]["wall_ms"] == ""


def test_a_table_is_plain_data():
    assert json.loads(json.dumps(tables.summary_table(POINTS, "A title").to_json()))["title"] == "A title"


def test_a_table_of_nothing_can_be_written():
    empty = tables.summary_table((), "Nothing")
    assert "Nothing" in tables.to_markdown(empty)
    assert tables.to_csv(tables.full_table(())).count("\n") == 1


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("ms", 0.12345, "0.123 ms"), ("ms", 12.34, "12.3 ms"), ("ms", 1543.1, "1,543 ms"), ("ms", 20437.3, "20.4 s"),
        ("share", 0.314, "31%"), ("ratio", 13.27, "13.27 x"), ("number", 1234.5, "1,234"),
        ("number", 0.01234, "0.0123"),
        ("count", 16569, "16,569"), ("bytes", 2048, "2.0 KiB"), ("text", (10, 20), "10x20"), ("ms", None, ""),
    ],
)  # fmt: skip
def test_values_are_shown_for_people(kind, value, shown):
    assert tables.format_cell(Column("a", "a", kind), value) == shown


def test_columns_without_values_are_not_used():
    table = ReportTable("", (Column("a", "a"), Column("b", "b")), ({"a": 0, "b": None}, {"a": "", "b": ""}))
    assert [column.key for column in table.used_columns] == ["a"]


@pytest.mark.parametrize(("value", "shown"), [(None, "auto"), ((1, 2), "1x2"), (0.5, "0.5"), (64, "64"), ("x", "x")])
def test_coordinates_are_shown(value, shown):
    assert format_value(value) == shown


@dataclass(frozen=True)
class Thing:
    name: str
    numbers: np.ndarray
    source: str = ""
    extra: int = field(default=0, compare=False)


def test_equal_data_have_equal_digests():
    one = Thing("a", np.arange(3), "file.fa", extra=1)
    assert digest_value(one) == digest_value(Thing("a", np.arange(3), "elsewhere", extra=2))
    assert digest_value({"a": 1, "b": (1, 2)}) == digest_value({"b": [1, 2], "a": 1})
    assert len(digest_value(one)) == 16


@pytest.mark.parametrize(
    "other",
    [
        Thing("b", np.arange(3)), Thing("a", np.arange(4)), Thing("a", np.arange(3.0)), Thing("a", np.arange(3)[::-1]),
        Thing("a", np.arange(3).reshape(1, 3)), ("a", 3), None, 1, True, "1", b"1", 1.0, (), ((),),
        {"a": 1}, frozenset({1}),
    ],
)  # fmt: skip
def test_different_data_have_different_digests(other):
    assert digest_value(other) != digest_value(Thing("a", np.arange(3)))
    assert digest_value((other, 1)) != digest_value((1, other)) or other == 1


def test_what_has_no_digest_is_named():
    with pytest.raises(TypeError, match="object has no digest"):
        digest_value(object())
