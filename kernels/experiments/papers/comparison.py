"""Published numbers beside those measured here, as comparisons and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.experiments.papers.paper_tables import (
    MAXIMUM,
    MILLISECONDS,
    PERCENT,
    PaperTable,
    PublishedNumber,
)
from antidiag.kernels.experiments.papers.quantities import (
    WHOLE_TIMES,
    explain_quantities,
    point_quantity,
    point_share,
)
from antidiag.kernels.experiments.papers.table_tasks import baseline_run, known_contender, make_task
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, format_value
from antidiag.kernels.experiments.point_data.tables import Column, ReportTable
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask, find_contender

SERIAL_BASE = " Speed-ups are over the phases of the serial program, which has no transfers."
NO_TRANSFERS = "Measured on a CPU, where nothing is copied to a GPU: quantities with transfers count none."


@dataclass(frozen=True, slots=True)
class PaperComparison:
    """A published number beside the one measured here, in the same unit.

    ``ours`` was measured at ``coordinates``, which a quick run and the range of a parameter change; ``ratio`` says how
    many times faster this machine is. Where a quick run has smaller sizes, the total time at the full size is
    extrapolated for it; for single phases, which grow in other ways, there is no ratio then. A mean or a maximum over
    several runs is known when all of them were measured.
    """

    published: PublishedNumber
    ours: float | None
    ratio: float | None
    coordinates: Mapping[str, Any]
    point: MeasuredPoint | None
    remark: str = ""


def compare_points(
    table: PaperTable, points: Sequence[MeasuredPoint], quick: bool = False
) -> tuple[PaperComparison, ...]:
    """Return every published number with ours, in the order of the paper; ours is None if not measured yet."""
    by_place = {_point_place(point): point for point in points}
    found = []
    for number in table.published:
        if known_contender(number.contender) is None:
            found.append(PaperComparison(number, None, None, number.coordinates, None, "not run here"))
            continue
        runs = [_compare_run(table, run, by_place, quick) for run in number.single_runs]
        found.append(_summarise_runs(table, number, runs, quick) if number.statistic else runs[0])
    return tuple(found)


def comparison_table(table: PaperTable, compared: Sequence[PaperComparison], quick: bool = False) -> ReportTable:
    """Return the comparison as a table."""
    kind = "ms" if table.unit in MILLISECONDS else "number"
    unit = ", %" if table.unit == PERCENT else ""
    columns = (
        Column("method", "method"),
        *(Column(name, name, "sizes" if name == "length" else "text") for name in table.axis_names),
        Column("statistic", "over the lengths"),
        Column("quantity", "quantity"),
        Column("published", f"published{unit}", kind),  # type: ignore[arg-type]
        Column("ours", f"here{' (quick)' if quick else ''}{unit}", kind),  # type: ignore[arg-type]
        Column("ratio", "published / here" if kind == "ms" else "here / published", "ratio"),
        Column("remark", ""),
    )
    factor = MILLISECONDS.get(table.unit, 1.0)
    rows = tuple(_table_row(one, factor, _format_speedup(table, one, compared)) for one in compared)
    return ReportTable(table.title + (" (quick)" if quick else ""), columns, rows, _table_notes(table, compared, quick))


def _table_notes(table: PaperTable, compared: Sequence[PaperComparison], quick: bool) -> tuple[str, ...]:
    """Return where both sides come from, what the quantities count, and what is missing or smaller here."""
    notes = [f"Published: {table.citation}; {table.hardware}.", *table.remarks]
    names = tuple(dict.fromkeys(number.quantity for number in table.published))
    if meanings := "; ".join(explain_quantities(names)):
        notes.append(f"Quantities: {meanings}." + (SERIAL_BASE if table.baseline and table.counts_transfers else ""))
    points = [one.point for one in compared if one.point is not None and one.point.device]
    if points:
        devices = dict.fromkeys(f"{point.device} ({point.backend})" for point in points)
        notes.append("Here: " + ", ".join(devices) + "; medians.")
    if lacks_transfers(table, points):
        notes.append(NO_TRANSFERS)
    if quick and table.scaled in table.axis_names:
        power = f"the power {table.power:g} of the {table.scaled_text}"
        grows = f"; the ratio, of totals only, takes times to grow with {power}"
        what = " and every ".join((table.scaled_text, *table.along))
        is_time = table.unit in MILLISECONDS
        notes.append(f"QUICK: every {what} is {table.scale:g} of the paper's{grows if is_time else ''}.")
    return tuple(notes)


def lacks_transfers(table: PaperTable, points: Sequence[MeasuredPoint]) -> bool:
    """Return whether a table counts transfers, and all of its points were measured on a CPU, where there are none."""
    return bool(points) and table.counts_transfers and all(point.backend == "cpu" for point in points)


def _format_speedup(table: PaperTable, one: PaperComparison, compared: Sequence[PaperComparison]) -> str:
    """Return how many times as fast as the method ``beside`` a run is, published and here; "" without such a pair."""
    base = next(
        (
            other
            for other in compared
            if other.published.contender == table.beside
            and (other.published.coordinates, other.published.quantity)
            == (one.published.coordinates, one.published.quantity)
        ),
        None,
    )
    if base is None or base is one or not (one.published.value and base.published.value):
        return ""
    here = f", {base.ours / one.ours:.2f} x here" if one.ours and base.ours else ""
    return (
        f"{base.published.value / one.published.value:.2f} x as fast as {find_contender(table.beside).name} there{here}"
    )


def _table_row(one: PaperComparison, factor: float, speedup: str) -> dict[str, Any]:
    """Return a row of the table; ``factor`` takes the paper's unit to that of the column."""
    found = known_contender(one.published.contender)
    published, ours = (None if value is None else value * factor for value in (one.published.value, one.ours))
    return {
        "method": found.name if found else one.published.contender,
        **{name: format_value(one.coordinates.get(name, value)) for name, value in one.published.coordinates.items()},
        "statistic": one.published.statistic,
        "quantity": one.published.quantity,
        "published": published,
        "ours": ours,
        "ratio": one.ratio,
        "remark": "; ".join(part for part in (speedup, one.published.note, one.remark) if part),
    }


def _compare_run(
    table: PaperTable, number: PublishedNumber, by_place: Mapping[Any, MeasuredPoint], quick: bool
) -> PaperComparison:
    found = find_contender(number.contender)
    task = make_task(table, number, found, quick)
    point = by_place.get(_place_of(task))
    ours = _measured_value(table, number, by_place, quick)
    remarks = [
        f"{name} = {number.coordinates[name]} in the paper"
        for name, value in task.coordinates.items()
        if name not in ("method", "length", table.scaled)
        and number.coordinates.get(name) not in (None, format_value(value))
    ]
    if point is not None and point.status is not PointStatus.MEASURED:
        remarks.append(f"{point.status}: {point.reason}")
    elif point is not None and (rounded := _list_rounded(task, point)):
        remarks += rounded
    elif isinstance(found, Peer):
        remarks.append(f"its time is that of {found.counts}")
    elif point is not None and ours is None and point_quantity(point, number.quantity) is None:
        remarks.append(f"no {number.quantity} of a run on the {point.backend.replace('cuda', 'gpu').upper()}")
    ratio = _speed_ratio(table, number, ours, quick)
    return PaperComparison(number, ours, ratio, task.coordinates, point, "; ".join(remarks))


def _list_rounded(task: MeasurementTask, point: MeasuredPoint) -> list[str]:
    """Return the parameters that the backend rounded: 's = 416 here'."""
    used = point.parameters
    return [f"{name} = {used[name]} here" for name, value in task.parameters.items() if used.get(name, value) != value]


def _measured_value(
    table: PaperTable, number: PublishedNumber, by_place: Mapping[Any, MeasuredPoint], quick: bool
) -> float | None:
    """Return the value of one run in the unit of the table; None if it, or what it is compared with, has none."""
    value = _point_value(table, number, by_place, quick)
    if table.baseline:
        slower = _point_value(table, baseline_run(table, number), by_place, quick)
        return slower / value if slower and value else None
    return value if value is None else value / MILLISECONDS.get(table.unit, 1.0)


def _point_value(
    table: PaperTable, number: PublishedNumber, by_place: Mapping[Any, MeasuredPoint], quick: bool
) -> float | None:
    point = by_place.get(_place_of(make_task(table, number, find_contender(number.contender), quick)))
    if point is None:
        return None
    if number.quantity in table.parts:
        return point_share(point, number.quantity, table.parts)
    return point_quantity(point, number.quantity)


def _summarise_runs(
    table: PaperTable, number: PublishedNumber, runs: Sequence[PaperComparison], quick: bool
) -> PaperComparison:
    """Return the mean or the maximum of several runs beside the published one; open until all were measured."""
    values = [run.ours for run in runs if run.ours is not None]
    lengths = [format_value(run.coordinates["length"]) for run in runs]
    coordinates = {**runs[0].coordinates, "length": ";".join(lengths)}
    remarks, ours = dict.fromkeys(run.remark for run in runs if run.remark), None
    if len(values) == len(runs):
        ours = max(values) if number.statistic == MAXIMUM else sum(values) / len(values)
        if number.statistic == MAXIMUM:
            remarks[f"here at {lengths[values.index(ours)]}"] = None
    point = next((run.point for run in runs if run.point), None)
    return PaperComparison(
        number, ours, _speed_ratio(table, number, ours, quick), coordinates, point, "; ".join(remarks)
    )


def _speed_ratio(table: PaperTable, number: PublishedNumber, ours: float | None, quick: bool) -> float | None:
    is_time = table.unit in MILLISECONDS
    if not ours or not number.value or (quick and is_time and number.quantity not in WHOLE_TIMES):
        return None
    full = table.scale**-table.power if quick and is_time else 1.0
    return number.value / (ours * full) if is_time else ours / number.value


def _point_place(point: MeasuredPoint) -> tuple[str, str]:
    return point.contender, _coordinate_texts(point.coordinates)


def _place_of(task: MeasurementTask) -> tuple[str, str]:
    return task.contender, _coordinate_texts(task.coordinates)


def _coordinate_texts(coordinates: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in coordinates.items() if name not in ("method", "backend", "device")}
    return ", ".join(f"{name}={format_value(value)}" for name, value in sorted(kept.items()))
