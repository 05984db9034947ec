"""Tables of points and of anything else, for people and for programs: aligned cells, Markdown, CSV, JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from antidiag.kernels.experiments import points as point_text
from antidiag.kernels.experiments.points import Point, Status
from antidiag.kernels.experiments.speedups import speedups
from antidiag.kernels.memory import bytes_text

Kind = Literal["text", "sizes", "ms", "share", "ratio", "number", "count", "bytes"]
WORDS = ("text", "sizes")
"""Kinds that are read from the left; the others are numbers below each other."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the key in the rows, its heading, and how its values are written for people."""

    key: str
    heading: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Table:
    """Rows of plain values by column; None is an empty cell. ``notes`` stand below."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns that hold anything."""
        return tuple(
            column for column in self.columns if any(row.get(column.key) not in (None, "") for row in self.rows)
        )

    def data(self) -> dict[str, Any]:
        """The table as plain data for JSON."""
        return {"title": self.title, "rows": [dict(row) for row in self.rows], "notes": list(self.notes)}


def cell(column: Column, value: Any) -> str:
    """A value for people."""
    if value is None or value == "":
        return ""
    match column.kind:
        case "ms":
            return milliseconds(value)
        case "share":
            return f"{value:.0%}"
        case "ratio":
            return f"{value:,.2f} x"
        case "number":
            return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
        case "count":
            return f"{value:,}"
        case "bytes":
            return bytes_text(int(value))
        case "sizes":
            return _sizes(point_text.text(value))
        case _:
            return point_text.text(value)


def _sizes(words: str) -> str:
    """Sizes with semicolons between them, of which a mean was taken, in few words: "31 from 8x8 to 248x248"."""
    sizes = words.split(";")
    return words if len(sizes) < 3 else f"{len(sizes):,} from {sizes[0]} to {sizes[-1]}"


def milliseconds(value: float) -> str:
    """'0.123 ms', '12.3 ms', '1,543 ms', '12.3 s'."""
    if value >= 10_000:
        return f"{value / 1000:,.1f} s"
    return f"{value:,.0f} ms" if value >= 1000 else f"{value:.3g} ms"


def markdown(table: Table) -> str:
    """A Markdown table with its title and notes."""
    columns = table.used
    lines = [f"**{table.title}**", ""] if table.title else []
    lines.append("| " + " | ".join(_escaped(column.heading) for column in columns) + " |")
    lines.append("| " + " | ".join("---" if column.kind in WORDS else "---:" for column in columns) + " |")
    for row in table.rows:
        lines.append("| " + " | ".join(_escaped(cell(column, row.get(column.key))) for column in columns) + " |")
    return "\n".join([*lines, *(f"\n{note}" for note in table.notes)]) + "\n"


def csv_text(table: Table) -> str:
    """CSV with a heading line of keys and plain values: times in ms, shares and ratios as numbers."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [column.key for column in table.columns], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in table.rows:
        writer.writerow(
            {key: point_text.text(value) if isinstance(value, tuple) else value for key, value in row.items()}
        )
    return out.getvalue()


def summary(
    points: Sequence[Point], title: str = "", baseline: Mapping[str, Any] | None = None, every: bool = False
) -> Table:
    """What a person wants to see of points: who, where, how fast, over what, and what went wrong.

    Those without a time are told in the notes, several of one reason together; ``every`` gives each a row as well.
    """
    axes = list(dict.fromkeys(name for point in points for name in point.coordinates))
    moving = [name for name in axes if name not in ("method", "backend") and _varies(points, name)]
    against = {key: (found.baseline, found.ratio) for key, found in _speedups(points, baseline).items()}
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
    rows = tuple(_summary_row(point, moving, against.get(id(point))) for point in points if every or point.measured)
    return Table(title, columns, rows, _summary_notes(points, baseline))


def everything(points: Sequence[Point], baseline: Mapping[str, Any] | None = None) -> Table:
    """All that is known of points, for a program: one row a point, one column a number."""
    coordinates = _union(point.coordinates for point in points)
    parameters = _union(point.parameters for point in points)
    phases = _union(point.phases for point in points)
    models = _union(point.models for point in points)
    keys = [
        "contender", "name", "status", "reason", "backend", "device", "title", "size", "cells", "work", "answer",
        "score", *(f"axis {name}" for name in coordinates), *(f"parameter {name}" for name in parameters), "runs",
        *(f"{quantity}{suffix}" for quantity in _SPREADS for suffix in ("", "_low", "_high")),
        *(f"{phase} ms" for phase in phases), "compilation_ms", "gcups", "wall_gcups", "limit_ms", "of_limit",
        "host_bytes", "device_bytes", *(f"model {name}" for name in models), "baseline", "speedup", "counts", "started",
        "reused", "key",
    ]  # fmt: skip
    against = {key: (found.baseline, found.ratio) for key, found in _speedups(points, baseline).items()}
    rows = tuple(_full_row(point, against.get(id(point))) for point in points)
    return Table("", tuple(Column(key, key) for key in keys), rows)


_SPREADS = ("wall_ms", "compute_ms", "transfer_ms", "other_ms")


def _summary_row(point: Point, moving: Iterable[str], against: tuple[Point, float] | None) -> dict[str, Any]:
    wall = point.spread("wall_ms")
    reused = "measured before" if point.reused else ""
    return {
        "name": point.name,
        "backend": "" if point.is_peer else point.backend,
        **{f"axis {name}": _coordinate(point, name) for name in moving},
        "wall_ms": wall.median if wall else None,
        "compute_ms": None if point.is_peer else point.value("compute_ms"),
        "spread": wall.relative if wall else None,
        "runs": wall.count if wall else None,
        "gcups": point.value("wall_gcups" if point.is_peer else "gcups"),
        "of_limit": point.value("of_limit"),
        "speedup": against[1] if against else None,
        "answer": point.answer,
        "remark": reused if point.status is Status.MEASURED else f"{point.status}: {point.reason}",
    }


def _full_row(point: Point, against: tuple[Point, float] | None) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(point, name) for name in (
        "contender", "name", "reason", "backend", "device", "title", "size", "cells", "work", "answer", "score",
        "compilation_ms", "limit_ms", "host_bytes", "device_bytes", "counts", "started", "reused", "key",
    )}  # fmt: skip
    row |= {"status": str(point.status), "runs": len(point.runs)}
    row |= {f"axis {name}": point_text.text(value) for name, value in point.coordinates.items()}
    row |= {f"parameter {name}": value for name, value in point.parameters.items()}
    row |= {f"model {name}": value for name, value in point.models.items()}
    row |= {f"{phase} ms": found.median for phase, found in point.phases.items()}
    row |= {name: point.value(name) for name in ("gcups", "wall_gcups", "of_limit")}
    for quantity in _SPREADS:
        if found := point.spread(quantity):
            row |= {quantity: found.median, f"{quantity}_low": found.low, f"{quantity}_high": found.high}
    return row | ({"baseline": against[0].name, "speedup": against[1]} if against else {})


def _summary_notes(points: Sequence[Point], baseline: Mapping[str, Any] | None) -> tuple[str, ...]:
    notes = []
    devices = dict.fromkeys(
        f"{point.device} ({point.backend})" for point in points if point.device and not point.is_peer
    )
    if devices:
        notes.append("Measured on " + ", ".join(devices) + ".")
    notes += _not_measured(points)
    for point in {point.name: point for point in points if point.is_peer and point.measured}.values():
        notes.append(f"{point.name} {', '.join(point.versions.values())}: {point.counts}.")
    if baseline:
        words = ", ".join(f"{name} = {value}" for name, value in baseline.items())
        compared = f"Speedup: time of the whole call of the baseline ({words}) over that of the row."
        notes.append(compared if speedups(points, baseline) else f"No speedups: no point is the baseline ({words}).")
    return tuple(notes)


def _not_measured(points: Sequence[Point]) -> list[str]:
    """A line for every contender and reason that left points without a time."""
    missing: dict[tuple[str, str, str], int] = {}
    for point in points:
        if not point.measured:
            why = point.name, str(point.status), point.reason
            missing[why] = missing.get(why, 0) + 1
    return [
        f"{name}{f' ({count} points)' if count > 1 else ''} {status}: {reason}."
        for (name, status, reason), count in missing.items()
    ]


def _rate_heading(points: Sequence[Point]) -> str:
    unit = points[0].unit if points else "cells"
    return "GCUPS" if unit == "cells" else f"G {unit}/s"


def _speedups(points: Sequence[Point], baseline: Mapping[str, Any] | None) -> dict[int, Any]:
    """Speedups by the identity of their points, which cannot be hashed."""
    return {id(found.point): found for found in speedups(points, baseline)} if baseline else {}


def _varies(points: Sequence[Point], name: str) -> bool:
    return len({point_text.text(point.coordinates.get(name)) for point in points}) > 1


def _coordinate(point: Point, name: str) -> str | None:
    return point_text.text(point.coordinates[name]) if name in point.coordinates else None


def _union(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for mapping in mappings for name in mapping))


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
