"""Tables of points and other results, as Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from antidiag.kernels.experiments.point_data import points as point_text
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus
from antidiag.kernels.experiments.point_data.speedups import compute_speedups
from antidiag.kernels.memory import format_bytes

Kind = Literal["text", "sizes", "ms", "share", "ratio", "number", "count", "bytes"]
TEXT_KINDS = ("text", "sizes")
"""Kinds of cells that are aligned left; the others are numbers, aligned right."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in the rows, its heading, and the format of its values."""

    key: str
    heading: str
    kind: Kind = "text"


@dataclass(frozen=True)
class ReportTable:
    """Rows of plain values by column, None for an empty cell, with notes below the table."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def used_columns(self) -> tuple[Column, ...]:
        """Columns with at least one value."""
        return tuple(
            column for column in self.columns if any(row.get(column.key) not in (None, "") for row in self.rows)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the table as data for JSON."""
        rows = [{key: None if value == "" else value for key, value in row.items()} for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": list(self.notes)}


def format_cell(column: Column, value: Any) -> str:
    """Return a value as text."""
    if value is None or value == "":
        return ""
    match column.kind:
        case "ms":
            return format_milliseconds(value)
        case "share":
            return f"{value:.0%}"
        case "ratio":
            return f"{value:,.2f} x"
        case "number":
            return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
        case "count":
            return f"{value:,}"
        case "bytes":
            return format_bytes(int(value))
        case "sizes":
            return _shorten_sizes(point_text.format_value(value))
        case _:
            return point_text.format_value(value)


def _shorten_sizes(words: str) -> str:
    """Shorten a list of sizes with semicolons: "31 from 8x8 to 248x248"."""
    sizes = words.split(";")
    return words if len(sizes) < 3 else f"{len(sizes):,} from {sizes[0]} to {sizes[-1]}"


def format_milliseconds(value: float) -> str:
    """Return a time as text: '0.123 ms', '12.3 ms', '1,543 ms', '12.3 s'."""
    if value >= 10_000:
        return f"{value / 1000:,.1f} s"
    return f"{value:,.0f} ms" if value >= 1000 else f"{value:.3g} ms"


def to_markdown(table: ReportTable) -> str:
    """Return the table in Markdown with its title and notes."""
    columns = table.used_columns
    lines = [f"**{table.title}**", ""] if table.title else []
    lines.append("| " + " | ".join(_escape_markdown(column.heading) for column in columns) + " |")
    lines.append("| " + " | ".join("---" if column.kind in TEXT_KINDS else "---:" for column in columns) + " |")
    for row in table.rows:
        lines.append(
            "| " + " | ".join(_escape_markdown(format_cell(column, row.get(column.key))) for column in columns) + " |"
        )
    return "\n".join([*lines, *(f"\n{note}" for note in table.notes)]) + "\n"


def to_csv(table: ReportTable) -> str:
    """Return the table as CSV with a line of keys; times in ms, fractions and ratios as numbers."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [column.key for column in table.columns], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in table.rows:
        writer.writerow(
            {key: point_text.format_value(value) if isinstance(value, tuple) else value for key, value in row.items()}
        )
    return out.getvalue()


def summary_table(
    points: Sequence[MeasuredPoint],
    title: str = "",
    baseline: Mapping[str, Any] | None = None,
    all_points: bool = False,
) -> ReportTable:
    """Return a table of points for users: method, device, times, rate, speedup over the baseline, and errors.

    Points without a time are listed in the notes, grouped by reason; with ``all_points`` they also have rows.
    """
    axes = list(dict.fromkeys(name for point in points for name in point.coordinates))
    moving = [name for name in axes if name not in ("method", "backend") and _coordinate_varies(points, name)]
    against = {key: (found.baseline, found.ratio) for key, found in _speedups_by_point(points, baseline).items()}
    columns = (
        Column("name", "method"),
        Column("backend", "on"),
        *(Column(f"axis {name}", name, "text") for name in moving),
        Column("wall_ms", "whole call", "ms"),
        Column("compute_ms", "phases", "ms"),
        Column("spread", "spread", "share"),
        Column("runs", "n", "count"),
        Column("gcups", _rate_heading(points), "number"),
        Column("of_limit", "of limit", "share"),
        Column("speedup", "speedup", "ratio"),
        Column("answer", "answer"),
        Column("remark", ""),
    )
    rows = tuple(
        _summary_row(point, moving, against.get(id(point))) for point in points if all_points or point.has_times
    )
    return ReportTable(title, columns, rows, _summary_notes(points, baseline))


def full_table(points: Sequence[MeasuredPoint], baseline: Mapping[str, Any] | None = None) -> ReportTable:
    """Return a table with all values of points for programs: a row per point, a column per number."""
    coordinates = _union_of_names(point.coordinates for point in points)
    parameters = _union_of_names(point.parameters for point in points)
    phases = _union_of_names(point.phase_spreads for point in points)
    models = _union_of_names(point.models for point in points)
    keys = [
        "contender", "name", "status", "reason", "backend", "device", "title", "size", "cells", "work", "answer",
        "score", *(f"axis {name}" for name in coordinates), *(f"parameter {name}" for name in parameters), "runs",
        *(f"{quantity}{suffix}" for quantity in _SPREADS for suffix in ("", "_low", "_high")),
        *(f"{phase} ms" for phase in phases), "compilation_ms", "gcups", "wall_gcups", "limit_ms", "of_limit",
        "host_bytes", "device_bytes", *(f"model {name}" for name in models), "baseline", "speedup", "counts", "started",
        "reused", "key",
    ]  # fmt: skip
    against = {key: (found.baseline, found.ratio) for key, found in _speedups_by_point(points, baseline).items()}
    rows = tuple(_full_row(point, against.get(id(point))) for point in points)
    return ReportTable("", tuple(Column(key, key) for key in keys), rows)


_SPREADS = ("wall_ms", "compute_ms", "transfer_ms", "other_ms")


def _summary_row(
    point: MeasuredPoint, moving: Iterable[str], against: tuple[MeasuredPoint, float] | None
) -> dict[str, Any]:
    wall = point.find_spread("wall_ms")
    reused = "measured before" if point.reused else ""
    return {
        "name": point.name,
        "backend": "" if point.is_peer else point.backend,
        **{f"axis {name}": _format_coordinate(point, name) for name in moving},
        "wall_ms": wall.median if wall else None,
        "compute_ms": None if point.is_peer else point.median_value("compute_ms"),
        "spread": wall.relative_range if wall else None,
        "runs": wall.count if wall else None,
        "gcups": point.median_value("wall_gcups" if point.is_peer else "gcups"),
        "of_limit": point.median_value("of_limit"),
        "speedup": against[1] if against else None,
        "answer": point.answer,
        "remark": reused if point.status is PointStatus.MEASURED else f"{point.status}: {point.reason}",
    }


def _full_row(point: MeasuredPoint, against: tuple[MeasuredPoint, float] | None) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(point, name) for name in (
        "contender", "name", "reason", "backend", "device", "title", "size", "cells", "work", "answer", "score",
        "compilation_ms", "limit_ms", "host_bytes", "device_bytes", "counts", "started", "reused", "key",
    )}  # fmt: skip
    row |= {"status": str(point.status), "runs": len(point.runs)}
    row |= {f"axis {name}": point_text.format_value(value) for name, value in point.coordinates.items()}
    row |= {f"parameter {name}": value for name, value in point.parameters.items()}
    row |= {f"model {name}": value for name, value in point.models.items()}
    row |= {f"{phase} ms": found.median for phase, found in point.phase_spreads.items()}
    row |= {name: point.median_value(name) for name in ("gcups", "wall_gcups", "of_limit")}
    for quantity in _SPREADS:
        if found := point.find_spread(quantity):
            row |= {quantity: found.median, f"{quantity}_low": found.low, f"{quantity}_high": found.high}
    return row | ({"baseline": against[0].name, "speedup": against[1]} if against else {})


def _summary_notes(points: Sequence[MeasuredPoint], baseline: Mapping[str, Any] | None) -> tuple[str, ...]:
    notes = []
    devices = dict.fromkeys(
        f"{point.device} ({point.backend})" for point in points if point.device and not point.is_peer
    )
    if devices:
        notes.append("Measured on " + ", ".join(devices) + ".")
    notes += _not_measured(points)
    for point in {point.name: point for point in points if point.is_peer and point.has_times}.values():
        notes.append(f"{point.name} {', '.join(point.versions.values())}: {point.counts}.")
    if baseline:
        words = ", ".join(f"{name} = {value}" for name, value in baseline.items())
        compared = f"Speedup: time of the whole call of the baseline ({words}) over that of the row."
        notes.append(
            compared if compute_speedups(points, baseline) else f"No speedups: no point is the baseline ({words})."
        )
    return tuple(notes)


def _not_measured(points: Sequence[MeasuredPoint]) -> list[str]:
    """Return a line for every contender and reason of points without a time."""
    missing: dict[tuple[str, str, str], int] = {}
    for point in points:
        if not point.has_times:
            why = point.name, str(point.status), point.reason
            missing[why] = missing.get(why, 0) + 1
    return [
        f"{name}{f' ({count} points)' if count > 1 else ''} {status}: {reason}."
        for (name, status, reason), count in missing.items()
    ]


def _rate_heading(points: Sequence[MeasuredPoint]) -> str:
    unit = points[0].unit if points else "cells"
    return "GCUPS" if unit == "cells" else f"G {unit}/s"


def _speedups_by_point(points: Sequence[MeasuredPoint], baseline: Mapping[str, Any] | None) -> dict[int, Any]:
    """Return speedups by the ``id()`` of their points, which cannot be hashed."""
    return {id(found.point): found for found in compute_speedups(points, baseline)} if baseline else {}


def _coordinate_varies(points: Sequence[MeasuredPoint], name: str) -> bool:
    return len({point_text.format_value(point.coordinates.get(name)) for point in points}) > 1


def _format_coordinate(point: MeasuredPoint, name: str) -> str | None:
    return point_text.format_value(point.coordinates[name]) if name in point.coordinates else None


def _union_of_names(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for mapping in mappings for name in mapping))


def _escape_markdown(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
