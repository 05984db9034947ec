"""Published tables of the papers, and the tasks that measure the same here.

They are data: a TOML file for each paper in resources/papers, and a CSV file for each of its tables. A family adds its
paper by adding such files.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from antidiag.kernels import RESOURCES, registry
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, format_value
from antidiag.kernels.experiments.point_data.tables import Column, ReportTable
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.sweeps.sweep import Contender, MeasurementTask, find_contender, known_contenders
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Length
from antidiag.kernels.method import Method
from antidiag.kernels.model import SequenceType
from antidiag.kernels.parameters import Parameter

FOLDER = RESOURCES / "papers"
MILLISECONDS = {"ms": 1.0, "s": 1000.0}
TOTAL = "total"
FIXED = ("method", "quantity", "value", "note")
"""Columns that every table has; all others are axes."""


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """One published number: of which contender, at which place, of which quantity; None where the paper has none."""

    contender: str
    coordinates: Mapping[str, str]
    quantity: str
    value: float | None
    note: str = ""

    @property
    def run_place(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What was run: numbers of one place are quantities of one run."""
        return self.contender, tuple(self.coordinates.items())

    @property
    def averaged_runs(self) -> tuple[PublishedNumber, ...]:
        """The runs of which this is the mean: one for each length where several are given, as in ``64;128``."""
        lengths = self.coordinates.get("length", "").split(";")
        if len(lengths) == 1:
            return (self,)
        return tuple(replace(self, coordinates={**self.coordinates, "length": length}) for length in lengths)


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper, with its numbers in the paper's ``unit``.

    ``scale`` is the factor of the lengths of a quick run, or of what else ``scaled`` names, and ``power`` the power of
    it with which time grows; parameters that ``along`` names are scaled with it. ``parameters`` are given to those
    methods that have them.
    ``plot`` says how the paper draws it: the names on ``x`` and ``y``, what determines the ``colour`` (a name, or
    several) and its panels (``panel``) apart, and whether the axes are ``logarithmic``. Numbers over a ``baseline`` are
    speed-ups over that method. For times, ``beside`` names a method or peer to which the speed-up is shown.
    """

    id: str
    title: str
    citation: str
    hardware: str
    unit: str
    inputs: Generated
    published: tuple[PublishedNumber, ...]
    scale: float = 1.0
    scaled: str = "length"
    along: tuple[str, ...] = ()
    power: float = 2.0
    options: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    plot: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    baseline: str = ""
    beside: str = ""

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of the coordinates, in the order of the columns."""
        return tuple(dict.fromkeys(name for number in self.published for name in number.coordinates))


@dataclass(frozen=True, slots=True)
class PaperComparison:
    """A published number beside the one measured here, in the same unit.

    ``ours`` was measured at ``coordinates``, which a quick run and the range of a parameter change; ``ratio`` says how
    many times faster this machine is. Where a quick run has smaller sizes, the total time at the full size is
    extrapolated for it; for single phases, which grow in other ways, there is no ratio then.
    """

    published: PublishedNumber
    ours: float | None
    ratio: float | None
    coordinates: Mapping[str, Any]
    point: MeasuredPoint | None
    remark: str = ""


@cache
def paper_tables() -> tuple[PaperTable, ...]:
    """Return all tables of all papers in the order of their files; raise InputError for an invalid file."""
    return tuple(table for path in sorted(FOLDER.glob("*.toml")) for table in _read_paper(path))


def find_tables(ids: Iterable[str]) -> tuple[PaperTable, ...]:
    """Return the tables with these identifiers or of these papers, all for none; raise ParameterError if unknown."""
    wanted = list(ids)
    found = {
        table.id: table
        for name in wanted
        for table in paper_tables()
        if name == table.id or name == table.id.split("-")[0]
    }
    for name in wanted:
        if not any(name in (table_id, table_id.split("-")[0]) for table_id in found):
            raise ParameterError(
                f"there is no table {name!r}; there are: {', '.join(table.id for table in paper_tables())}"
            )
    return tuple(found.values()) if wanted else paper_tables()


def table_tasks(
    table: PaperTable, quick: bool = False, backend: BackendChoice = "auto", device: int = 0, repeats: int = 3
) -> tuple[MeasurementTask, ...]:
    """Return the tasks that measure a table: one for every run of a method or peer."""
    runs = [run for number in table.published for run in number.averaged_runs if _find_contender(run.contender)]
    places = {run.run_place: run for run in [*runs, *(_baseline_run(table, run) for run in runs if table.baseline)]}
    found = []
    for number in places.values():
        taking = _find_contender(number.contender)
        if taking is not None:
            found.append(_make_task(table, number, taking, quick, backend, device, repeats))
    return tuple(sorted(found, key=lambda task: str(task.coordinates.get("length", ""))))


def compare_points(
    table: PaperTable, points: Sequence[MeasuredPoint], quick: bool = False
) -> tuple[PaperComparison, ...]:
    """Return every published number with ours, in the order of the paper; ours is None if not measured yet."""
    by_place = {_point_place(point): point for point in points}
    found = []
    for number in table.published:
        if _find_contender(number.contender) is None:
            found.append(PaperComparison(number, None, None, number.coordinates, None, "not run here"))
            continue
        runs = [_compare_run(table, run, by_place, quick) for run in number.averaged_runs]
        found.append(runs[0] if len(runs) == 1 else _mean_of_runs(table, number, runs, quick))
    return tuple(found)


def comparison_table(table: PaperTable, compared: Sequence[PaperComparison], quick: bool = False) -> ReportTable:
    """Return the comparison as a table."""
    kind = "ms" if table.unit in MILLISECONDS else "number"
    columns = (
        Column("method", "method"),
        *(Column(name, name, "sizes" if name == "length" else "text") for name in table.axis_names),
        Column("quantity", "quantity"),
        Column("published", "published", kind),  # type: ignore[arg-type]
        Column("ours", "here (quick)" if quick else "here", kind),  # type: ignore[arg-type]
        Column("ratio", "published / here" if kind == "ms" else "here / published", "ratio"),
        Column("remark", ""),
    )
    notes = [f"Published: {table.citation}; {table.hardware}.", *table.remarks]
    devices = dict.fromkeys(
        f"{one.point.device} ({one.point.backend})" for one in compared if one.point and one.point.device
    )
    if devices:
        notes.append("Here: " + ", ".join(devices) + "; median time of the phases, without compilation and transfer.")
    if quick:
        grows = f"; the ratio, of totals only, takes times to grow with the power {table.power:g} of the {table.scaled}"
        what = " and every ".join((table.scaled, *table.along))
        notes.append(f"QUICK: every {what} is {table.scale:g} of the paper's{grows if kind == 'ms' else ''}.")
    factor = MILLISECONDS.get(table.unit, 1.0)
    rows = tuple(_table_row(one, factor, _format_speedup(table, one, compared)) for one in compared)
    return ReportTable(table.title + (" (quick)" if quick else ""), columns, rows, tuple(notes))


def _format_speedup(table: PaperTable, one: PaperComparison, compared: Sequence[PaperComparison]) -> str:
    """How many times as long that takes which a run stands ``beside``, published and here, or ""."""
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
    """A row of the table; ``factor`` takes the paper's unit to that of the column."""
    found = _find_contender(one.published.contender)
    published, ours = (None if value is None else value * factor for value in (one.published.value, one.ours))
    return {
        "method": found.name if found else one.published.contender,
        **{name: format_value(one.coordinates.get(name, value)) for name, value in one.published.coordinates.items()},
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
    task = _make_task(table, number, found, quick)
    point = by_place.get(_place_of(task))
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
    ours = None if point is None else _point_quantity(point, number.quantity)
    if table.baseline and ours:
        slower = by_place.get(
            _place_of(_make_task(table, _baseline_run(table, number), registry.find_method(table.baseline), quick))
        )
        base = None if slower is None else _point_quantity(slower, number.quantity)
        ours = base / ours if base else None
    if ours is not None and table.unit in MILLISECONDS:
        ours /= MILLISECONDS[table.unit]
    return PaperComparison(
        number, ours, _speed_ratio(table, number, ours, quick), task.coordinates, point, "; ".join(remarks)
    )


def _mean_of_runs(
    table: PaperTable, number: PublishedNumber, runs: Sequence[PaperComparison], quick: bool
) -> PaperComparison:
    """The mean of several runs beside a published mean; left open until all were measured."""
    values = [run.ours for run in runs if run.ours is not None]
    ours = sum(values) / len(values) if len(values) == len(runs) else None
    lengths = ";".join(format_value(run.coordinates["length"]) for run in runs)
    coordinates = {**runs[0].coordinates, "length": lengths}
    remarks = dict.fromkeys(run.remark for run in runs if run.remark)
    point = next((run.point for run in runs if run.point), None)
    return PaperComparison(
        number, ours, _speed_ratio(table, number, ours, quick), coordinates, point, "; ".join(remarks)
    )


def _speed_ratio(table: PaperTable, number: PublishedNumber, ours: float | None, quick: bool) -> float | None:
    is_time = table.unit in MILLISECONDS
    if not ours or not number.value or (quick and is_time and number.quantity != TOTAL):
        return None
    full = table.scale**-table.power if quick and is_time else 1.0
    return number.value / (ours * full) if is_time else ours / number.value


def _baseline_run(table: PaperTable, run: PublishedNumber) -> PublishedNumber:
    """The run that a speed-up is over."""
    sizes = {name: value for name, value in run.coordinates.items() if name in ("length", "count")}
    return replace(run, contender=table.baseline, coordinates=sizes)


def _point_quantity(point: MeasuredPoint, name: str) -> float | None:
    """A quantity of a point: the whole computation, a phase of it, or any other that points have."""
    if name == TOTAL:
        return point.median_value("compute_ms")
    phase = point.phase_spreads.get(name)
    return phase.median if phase else point.median_value(name)


def _make_task(
    table: PaperTable,
    number: PublishedNumber,
    taking: Contender,
    quick: bool,
    backend: BackendChoice = "auto",
    device: int = 0,
    repeats: int = 3,
) -> MeasurementTask:
    """The task that repeats a published run, with the nearest values that the method takes; a peer solves the problem
    of the methods beside it, and has no parameters."""
    method = _method_beside(table, taking)
    own = set() if isinstance(taking, Peer) else method.parameters.names()
    inputs, given = table.inputs, {name: value for name, value in table.parameters.items() if name in own}
    coordinates: dict[str, Any] = {"method": taking.id}
    options = dict(table.options)
    for name, words in number.coordinates.items():
        if not words:
            continue
        role, declared = sweep_axes.find_axis(name, [method])
        scale = table.scale if quick and name in (table.scaled, *table.along) else 1.0
        if name == "length":
            inputs = replace(inputs, length=_scale_lengths(words, scale))
            coordinates[name] = inputs.length
        else:
            coordinates[name] = _nearest_value(declared, words, scale)
            if role == "input":
                inputs = replace(inputs, **{name: coordinates[name]})
            else:
                (given if role == "parameter" else options)[name] = coordinates[name]
    return MeasurementTask(
        contender=taking.id,
        problem_type=method.problem_type.id,
        inputs=inputs,
        coordinates=coordinates,
        options=options,
        parameters=given,
        backend=backend,
        device=device,
        repeats=repeats,
    )


def _list_rounded(task: MeasurementTask, point: MeasuredPoint) -> list[str]:
    """The parameters that the backend rounded: 's = 416 here'."""
    used = point.parameters
    return [f"{name} = {used[name]} here" for name, value in task.parameters.items() if used.get(name, value) != value]


def _scale_lengths(words: str, scale: float) -> Length:
    lengths = tuple(max(1, round(int(part) * scale)) for part in words.split("x"))
    return lengths if len(lengths) > 1 else lengths[0]


def _nearest_value(parameter: Parameter, words: str, scale: float = 1.0) -> Any:
    """The valid value nearest to a published one, or to a part of it."""
    if parameter.kind not in ("int", "float"):
        return parameter.parse(words)
    number = float(words) * scale
    low = parameter.minimum if parameter.minimum is not None else number
    high = parameter.maximum if parameter.maximum is not None else number
    number = min(max(number, low), high)
    if parameter.kind == "float":
        return number
    start = int(parameter.minimum or 0)
    return int(start + round((number - start) / parameter.finest_step) * parameter.finest_step)


def _point_place(point: MeasuredPoint) -> tuple[str, str]:
    return point.contender, _coordinate_texts(point.coordinates)


def _place_of(task: MeasurementTask) -> tuple[str, str]:
    return task.contender, _coordinate_texts(task.coordinates)


def _coordinate_texts(coordinates: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in coordinates.items() if name not in ("method", "backend", "device")}
    return ", ".join(f"{name}={format_value(value)}" for name, value in sorted(kept.items()))


def _find_contender(contender_id: str) -> Contender | None:
    return next((one for one in known_contenders() if one.id == contender_id), None)


def _method_beside(table: PaperTable, taking: Contender) -> Method:
    """A method itself, or the first one in the table of a peer."""
    if isinstance(taking, Method):
        return taking
    return next(method for number in table.published for method in registry.METHODS if method.id == number.contender)


def _read_paper(path: Path) -> Iterable[PaperTable]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for table in data["table"]:
            yield _make_table(path, data, table)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not a description of a paper's tables: {error!r}") from error


def _make_table(path: Path, paper: Mapping[str, Any], table: Mapping[str, Any]) -> PaperTable:
    merged = {**paper, **table}
    source = {**paper.get("input", {}), **table.get("input", {})}
    if "type" in source:
        source["type"] = SequenceType(source["type"])
    remarks = (paper.get("remark"), table.get("remark"))
    return PaperTable(
        id=table["id"],
        title=table["title"],
        citation=merged["citation"],
        hardware=merged["hardware"],
        unit=merged["unit"],
        inputs=Generated(**source),
        published=_read_numbers(path.parent / merged.get("published", f"{table['id']}.csv")),
        scale=merged.get("quick", 1.0),
        scaled=merged.get("quick_of", "length"),
        along=tuple(merged.get("quick_along", ())),
        power=merged.get("power", 2.0),
        options=merged.get("options", {}),
        parameters=table.get("parameters", {}),
        plot=table.get("plot", {}),
        remarks=tuple(remark for remark in remarks if remark),
        baseline=table.get("baseline", ""),
        beside=table.get("beside", ""),
    )


def _read_numbers(path: Path) -> tuple[PublishedNumber, ...]:
    with open(path, encoding="utf-8", newline="") as lines:
        return tuple(
            PublishedNumber(
                contender=row["method"],
                coordinates={name: value for name, value in row.items() if name not in FIXED and value},
                quantity=row["quantity"],
                value=float(row["value"]) if row["value"] else None,
                note=row["note"],
            )
            for row in csv.DictReader(lines)
        )
