"""Convert points to the data of plots: series, grids and levels. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.experiments.point_data import model_values
from antidiag.kernels.experiments.point_data import points as point_text
from antidiag.kernels.experiments.point_data.points import QUANTITIES, MeasuredPoint, PointStatus, Spread
from antidiag.kernels.experiments.point_data.speedups import compute_speedups, parse_baseline
from antidiag.kernels.parameters import Parameter

SPEEDUP = "speedup"
SPEEDUP_LABEL = "speedup over baseline"
NUMBER_TYPES = (int, float)
Baseline = Mapping[str, Any] | None
POINT_FIELDS = {"backend": "backend", "method": "name", "cells": "cells", "device": "device"}
"""Names that every point has, and the fields that hold their values."""
FIELD_AXES = ("backend", "method", "device")
"""Those that are axes of sweeps too; the field has what ran. A parameter of another of these names is its own axis."""


@dataclass(frozen=True)
class PlotSettings:
    """The axes, the quantity, what distinguishes lines, and the baseline of speedups.

    ``split`` are the names beside the axis that distinguish points; ``colour`` is the name chosen for the colours, ""
    for all of ``split``. ``scatter``: draw points without lines, for a search. ``model_label`` is the label of a model.
    """

    x: str = ""
    y: str = ""
    quantity: str = "compute_ms"
    split: tuple[str, ...] = ()
    baseline: str = ""
    log_x: bool = False
    log_y: bool = False
    models: bool = False
    colour: str = ""
    scatter: bool = False
    model_label: str = ""

    @property
    def baseline_query(self) -> Mapping[str, str] | None:
        """The parsed baseline, or None."""
        return parse_baseline(self.baseline) if self.baseline else None

    @property
    def quantity_label(self) -> str:
        """The label of the quantity."""
        if self.quantity == SPEEDUP:
            return SPEEDUP_LABEL
        return QUANTITIES.get(self.quantity) or self.model_label or self.quantity


@dataclass(frozen=True)
class PointSeries:
    """One line: its points with their places and spreads, sorted by place.

    ``shade`` numbers its colour; lines of one shade share their ``group``, the text of the legend.
    """

    name: str
    points: tuple[MeasuredPoint, ...]
    x: tuple[float, ...]
    spreads: tuple[Spread, ...]
    shade: int
    group: str


@dataclass(frozen=True)
class HeatGrid:
    """Points by row and column; ``cells`` maps (row, column) to a point and its value."""

    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    cells: Mapping[tuple[int, int], tuple[MeasuredPoint, float]]


@dataclass(frozen=True)
class HeatPanel:
    """A grid of some points; ``name`` is what they have in common, ``name_parts`` are its pieces."""

    name: str
    grid: HeatGrid
    name_parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class LevelLine:
    """The value of a point that has no place on an axis, such as a peer without the parameter."""

    name: str
    point: MeasuredPoint
    value: float


def axis_value(point: MeasuredPoint, name: str) -> Any:
    """Return the value of an axis at a point; for an automatic parameter the value that ran."""
    if name in POINT_FIELDS and (name in FIELD_AXES or name not in point.coordinates):
        return getattr(point, POINT_FIELDS[name])
    value = point.coordinates.get(name)
    return point.parameters.get(name) if value is None else value


def varying_names(points: Iterable[MeasuredPoint]) -> list[str]:
    """Return the names that differ between the points, axes first."""
    found = list(points)
    coordinates = (name for point in found for name in point.coordinates)
    parameters = (name for point in found for name in point.parameters)
    known = dict.fromkeys((*coordinates, *parameters, "cells", "backend"))
    return [name for name in known if _values_differ([axis_value(point, name) for point in found])]


def comparable_names(points: Sequence[MeasuredPoint]) -> list[str]:
    """Return the names with several values among the points that have one; a missing value is no difference."""
    found = {name: [axis_value(point, name) for point in points] for name in varying_names(points)} if points else {}
    present = {name: [value for value in values if value is not None] for name, values in found.items()}
    return [name for name, values in present.items() if values and _values_differ(values)]


def _values_differ(values: Sequence[Any]) -> bool:
    return any(
        value != values[0] and point_text.format_value(value) != point_text.format_value(values[0]) for value in values
    )


def colour_names(points: Sequence[MeasuredPoint], varying: Sequence[str]) -> list[str]:
    """Return the names to colour points by: all of ``varying``, and the device where there are several."""
    several = "device" not in varying and len({point.device for point in points}) > 1
    return [*varying, "device"] if several else list(varying)


def has_numbers(points: Iterable[MeasuredPoint], name: str) -> bool:
    """Whether every point has a number for this name."""
    values = [numeric_place(point, name) for point in points]
    return bool(values) and all(value is not None for value in values)


def numeric_place(point: MeasuredPoint, name: str) -> float | None:
    """Return the place of a point on an axis of numbers (the mean of several lengths), or None."""
    value = axis_value(point, name)
    if isinstance(value, tuple) and value:
        value = sum(value) / len(value)
    return None if isinstance(value, bool) else number_of(value)


def number_of(value: Any) -> float | None:
    """Return a value as a number, also one of a list of choices such as "64"; None for any other value."""
    if isinstance(value, NUMBER_TYPES):
        return float(value)
    return float(value) if isinstance(value, str) and value.isdecimal() else None


def point_spreads(points: Sequence[MeasuredPoint], quantity: str, baseline: Baseline) -> dict[int, Spread]:
    """Return the quantity of every point that has it, by the id of the point; speedups are relative to ``baseline``."""
    if quantity != SPEEDUP:
        found = {id(point): point.find_spread(quantity) for point in points}
        return {key: spread for key, spread in found.items() if spread is not None}
    if not baseline:
        return {}
    return {
        id(item.point): Spread(item.ratio, item.ratio, item.ratio, 1) for item in compute_speedups(points, baseline)
    }


def baseline_choices(points: Iterable[MeasuredPoint], varying: Sequence[str]) -> dict[str, str]:
    """Return the baselines of speedups, in the notation of `compute_speedups.parse`, and their labels."""
    found: dict[str, str] = {}
    by_problem: dict[str, list[MeasuredPoint]] = {}
    for point in points:
        by_problem.setdefault(point.problem, []).append(point)
    for name in varying:
        for members in by_problem.values():
            present = [point for point in members if name in ("method", "backend") or name in point.coordinates]
            if _values_differ([axis_value(point, name) for point in present]):
                chosen = [point.contender if name == "method" else axis_value(point, name) for point in present]
                words = (f"{name}={_value_text(point, name)}" for point in present)
                found |= zip((f"{name}={point_text.format_value(value)}" for value in chosen), words, strict=True)
    return found


def group_into_series(
    points: Sequence[MeasuredPoint],
    x: str,
    quantity: str,
    split: Sequence[str],
    baseline: Baseline = None,
    colour: str = "",
) -> tuple[PointSeries, ...]:
    """Return one series for every combination of the names in ``split``, each with its own shade.

    With ``colour`` the series share a shade for each value of this name, in the order of the values.
    """
    found = point_spreads(points, quantity, baseline)
    names = dict.fromkeys((*split, colour) if colour else split)
    groups: dict[tuple[str, ...], list[tuple[float, MeasuredPoint, Spread]]] = {}
    for point in points:
        where = numeric_place(point, x)
        if where is not None and id(point) in found:
            key = tuple(_value_tag(point, name) for name in names)
            groups.setdefault(key, []).append((where, point, found[id(point)]))
    shades = _number_shades([members[0][1] for members in groups.values()], colour) if colour else {}
    made = []
    for number, (key, members) in enumerate(groups.items()):
        members.sort(key=lambda item: item[0])
        xs, kept, spreads = zip(*members, strict=True)
        name = _join_tags(kept[0], names) or ", ".join(key)
        group = _value_tag(kept[0], colour) if colour else name
        made.append(PointSeries(name, kept, xs, spreads, shades.get(group, number), group))
    return tuple(sorted(made, key=lambda line: line.shade))


def _number_shades(points: Iterable[MeasuredPoint], name: str) -> dict[str, int]:
    """Number the values of a name in their order; keys are their texts."""
    found = {_value_tag(point, name): axis_value(point, name) for point in points}
    return {words: number for number, words in enumerate(sorted(found, key=lambda words: _sort_key(found[words])))}


def build_grid(points: Sequence[MeasuredPoint], x: str, y: str, quantity: str, baseline: Baseline = None) -> HeatGrid:
    """Return the best value at each place of two axes: the least time or the highest rate."""
    found = point_spreads(points, quantity, baseline)
    present = [point for point in points if id(point) in found]
    columns, rows = (sort_values({axis_value(point, name) for point in present}) for name in (x, y))
    cells: dict[tuple[int, int], tuple[MeasuredPoint, float]] = {}
    for point in present:
        at, value = (rows.index(axis_value(point, y)), columns.index(axis_value(point, x))), found[id(point)].median
        if at not in cells or is_better(quantity, value, cells[at][1]):
            cells[at] = point, value
    return HeatGrid(tuple(rows), tuple(columns), cells)


def build_panels(
    points: Sequence[MeasuredPoint], x: str, y: str, quantity: str, split: Sequence[str], baseline: Baseline = None
) -> list[HeatPanel]:
    """Return a grid for every combination of the other names, without the points of `build_levels`."""
    present = [point for point in points if _has_value(point, x) and _has_value(point, y)]
    beside = [name for name in dict.fromkeys(("method", *split)) if name not in (x, y)]
    apart = (
        [name for name in beside if _values_differ([axis_value(point, name) for point in present])] if present else []
    )
    ordered_names = [name for name in apart if name != "method"]  # methods keep the order of the form
    groups: dict[tuple[str, ...], list[MeasuredPoint]] = {}
    for point in sorted(present, key=lambda point: [_sort_key(axis_value(point, name)) for name in ordered_names]):
        groups.setdefault(tuple(_value_tag(point, name) for name in apart), []).append(point)
    return [
        HeatPanel(", ".join(key), build_grid(members, x, y, quantity, baseline), key) for key, members in groups.items()
    ]


def build_levels(
    points: Sequence[MeasuredPoint], axes: Sequence[str], quantity: str, baseline: Baseline = None
) -> list[LevelLine]:
    """Return the best value of every method whose points have no place on some of the axes."""
    found = point_spreads(points, quantity, baseline)
    known: dict[str, LevelLine] = {}
    for point in points:
        if id(point) in found and not all(_has_value(point, name) for name in axes):
            name, value = series_name(point), found[id(point)].median
            if name not in known or is_better(quantity, value, known[name].value):
                known[name] = LevelLine(name, point, value)
    return list(known.values())


def series_name(point: MeasuredPoint) -> str:
    """Return the method or peer of a point, with the backend of a method."""
    return point.name if point.is_peer else f"{point.name}, {point.backend}"


def _has_value(point: MeasuredPoint, name: str) -> bool:
    return axis_value(point, name) is not None


def is_better(quantity: str, value: float, other: float) -> bool:
    """Whether a value is better than another: higher for rates and speedups, lower for times and bytes."""
    return value > other if higher_is_better(quantity) else value < other


def higher_is_better(quantity: str) -> bool:
    """Whether higher values of a quantity are better."""
    return quantity in ("gcups", "wall_gcups", "of_limit", SPEEDUP)


def best_point(points: Sequence[MeasuredPoint], quantity: str, baseline: Baseline = None) -> MeasuredPoint | None:
    """Return the point with the best value among those with a correct answer, or None."""
    found = point_spreads(points, quantity, baseline)
    right = [point for point in points if id(point) in found and point.status is PointStatus.MEASURED]
    sign = -1 if higher_is_better(quantity) else 1
    return min(right, key=lambda point: sign * found[id(point)].median, default=None)


def quantity_labels(points: Iterable[MeasuredPoint]) -> dict[str, str]:
    """Return the ids and labels of the quantities of these points, those of models last."""
    found = list(points)
    known = {SPEEDUP: SPEEDUP_LABEL, **QUANTITIES}
    for point in found:
        known |= {name: _model_label(name, point) for name in point.models if name not in known}
    return {
        name: text
        for name, text in known.items()
        if name == SPEEDUP or any(p.median_value(name) is not None for p in found)
    }


def quantity_text(points: Iterable[MeasuredPoint], quantity: str) -> str:
    """Return the label of a model's quantity, "" for any other quantity."""
    return next((_model_label(quantity, point) for point in points if quantity in point.models), "")


def _model_label(name: str, point: MeasuredPoint) -> str:
    model = model_values.find_models(point.contender).get(name)
    return f"model: {model.label}, {model.unit}" if model else f"model: {name}"


def point_label(point: MeasuredPoint, varying: Sequence[str]) -> str:
    """Return a short label of what distinguishes a point."""
    return _join_tags(point, varying) or point.name


def suggest_values(parameter: Parameter) -> str:
    """Suggest values of a parameter for a sweep, in the notation of an axis."""
    if parameter.kind == "bool":
        return "no,yes"
    if parameter.choices:
        return ",".join(parameter.choices)
    if parameter.kind not in ("int", "float"):
        return ""
    low = parameter.minimum or parameter.step
    high = parameter.maximum if parameter.maximum is not None else 64 * low
    return f"{low:g}:{min(high, 64 * low):g}:*2" if low > 0 else f"{low:g}:{high:g}"


def _join_tags(point: MeasuredPoint, names: Iterable[str]) -> str:
    return ", ".join(_value_tag(point, name) for name in names if _has_value(point, name))


def _value_tag(point: MeasuredPoint, name: str) -> str:
    """Return 's 64' or 'no s'; a method, backend or device is only named."""
    if not _has_value(point, name):
        return f"no {name}"
    return _value_text(point, name) if name in ("method", "backend", "device") else f"{name} {_value_text(point, name)}"


def _value_text(point: MeasuredPoint, name: str) -> str:
    return point_text.format_value(axis_value(point, name))


def sort_values(found: set[Any]) -> list[Any]:
    """Sort numbers by size, then everything else by its text."""
    return sorted(found, key=_sort_key)


def _sort_key(value: Any) -> tuple[bool, float, str]:
    number = number_of(value)
    return number is None, number or 0.0, point_text.format_value(value)
