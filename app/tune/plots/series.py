"""From points to what a plot draws: lines, a grid, stacked bars. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.experiments import models
from antidiag.kernels.experiments import points as point_text
from antidiag.kernels.experiments.points import QUANTITIES, Point, Spread, Status
from antidiag.kernels.experiments.speedups import speedups
from antidiag.kernels.parameters import Parameter

SPEEDUP = "speedup"
NUMBER = (int, float)
OF_POINTS = {"backend": "backend", "method": "name", "cells": "cells", "device": "device"}
"""Names that every point has a value of: its fields."""


@dataclass(frozen=True)
class Series:
    """One line: its name, and points with their place and spread, sorted by place.

    ``shade`` numbers its colour; lines of one shade share their ``group``, which is what the legend says.
    """

    name: str
    points: tuple[Point, ...]
    x: tuple[float, ...]
    spreads: tuple[Spread, ...]
    shade: int
    group: str


@dataclass(frozen=True)
class Grid:
    """Points by row and column; ``cells`` maps (row, column) to a point and its value."""

    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    cells: Mapping[tuple[int, int], tuple[Point, float]]


@dataclass(frozen=True)
class Panel:
    """A grid of some points, and what they have in common: its name, and the parts of that."""

    name: str
    grid: Grid
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Level:
    """A value that holds along a whole axis: of a point that has no place on it, as a peer without the parameter."""

    name: str
    point: Point
    value: float


def coordinate(point: Point, name: str) -> Any:
    """The value of an axis at a point; of a parameter that was left to the program, what really ran."""
    if name in OF_POINTS:
        return getattr(point, OF_POINTS[name])
    value = point.coordinates.get(name)
    return point.parameters.get(name) if value is None else value


def names(points: Iterable[Point]) -> list[str]:
    """Every name that differs between the points, axes first."""
    found = list(points)
    known: dict[str, None] = {}
    for point in found:
        known |= dict.fromkeys(point.coordinates)
    for point in found:
        known |= dict.fromkeys(point.parameters)
    known |= dict.fromkeys(("cells", "backend"))
    return [name for name in known if _differs([coordinate(point, name) for point in found])]


def varied(points: Sequence[Point]) -> list[str]:
    """Names of which the points that have a value have several; what only some methods have is no difference."""
    found = {name: [coordinate(point, name) for point in points] for name in names(points)} if points else {}
    there = {name: [value for value in values if value is not None] for name, values in found.items()}
    return [name for name, values in there.items() if values and _differs(values)]


def _differs(values: Sequence[Any]) -> bool:
    """Whether people see more than one value."""
    return any(value != values[0] and point_text.text(value) != point_text.text(values[0]) for value in values)


def shades(points: Sequence[Point], moving: Sequence[str]) -> list[str]:
    """Names that points can be coloured by: all of ``moving``, and the device where there are several."""
    several = "device" not in moving and len({point.device for point in points}) > 1
    return [*moving, "device"] if several else list(moving)


def numeric(points: Iterable[Point], name: str) -> bool:
    """Whether every point has a number for this name."""
    values = [place(point, name) for point in points]
    return bool(values) and all(value is not None for value in values)


def place(point: Point, name: str) -> float | None:
    """The place of a point on an axis of numbers: several lengths count by their mean; None where it has none."""
    value = coordinate(point, name)
    if isinstance(value, tuple) and value:
        value = sum(value) / len(value)
    return float(value) if isinstance(value, NUMBER) and not isinstance(value, bool) else None


def values(points: Sequence[Point], quantity: str, baseline: Mapping[str, Any] | None) -> dict[int, Spread]:
    """The quantity of every point that has it, by the identity of the point; speedups are over ``baseline``."""
    if quantity != SPEEDUP:
        found = {id(point): point.spread(quantity) for point in points}
        return {key: spread for key, spread in found.items() if spread is not None}
    if not baseline:
        return {}
    return {id(one.point): Spread(one.ratio, one.ratio, one.ratio, 1) for one in speedups(points, baseline)}


def baselines(points: Iterable[Point], moving: Sequence[str]) -> dict[str, str]:
    """What speedups can be over, as `speedups.parse` reads it, and its words: what differs within one problem."""
    found: dict[str, str] = {}
    by_problem: dict[str, list[Point]] = {}
    for point in points:
        by_problem.setdefault(point.problem, []).append(point)
    for name in moving:
        for members in by_problem.values():
            there = [point for point in members if name in ("method", "backend") or name in point.coordinates]
            if _differs([coordinate(point, name) for point in there]):
                chosen = [point.contender if name == "method" else coordinate(point, name) for point in there]
                words = (f"{name}={_named(point, name)}" for point in there)
                found |= zip((f"{name}={point_text.text(value)}" for value in chosen), words, strict=True)
    return found


def lines(
    points: Sequence[Point],
    x: str,
    quantity: str,
    split: Sequence[str],
    baseline: Mapping[str, Any] | None = None,
    colour: str = "",
) -> tuple[Series, ...]:
    """One series for every combination of the names in ``split``, each of a shade of its own.

    With ``colour`` those of one value of this name share a shade instead; they come in the order of these values.
    """
    found = values(points, quantity, baseline)
    names = dict.fromkeys((*split, colour) if colour else split)
    groups: dict[tuple[str, ...], list[tuple[float, Point, Spread]]] = {}
    for point in points:
        where = place(point, x)
        if where is not None and id(point) in found:
            key = tuple(_tag(point, name) for name in names)
            groups.setdefault(key, []).append((where, point, found[id(point)]))
    shades = _shades([members[0][1] for members in groups.values()], colour) if colour else {}
    made = []
    for number, (key, members) in enumerate(groups.items()):
        members.sort(key=lambda one: one[0])
        xs, kept, spreads = zip(*members, strict=True)
        name = _tags(kept[0], names) or ", ".join(key)
        group = _tag(kept[0], colour) if colour else name
        made.append(Series(name, kept, xs, spreads, shades.get(group, number), group))
    return tuple(sorted(made, key=lambda line: line.shade))


def _shades(points: Iterable[Point], name: str) -> dict[str, int]:
    """The number of every value of a name that these points have, in the order of the values, by its words."""
    found = {_tag(point, name): coordinate(point, name) for point in points}
    return {words: number for number, words in enumerate(sorted(found, key=lambda words: _order(found[words])))}


def grid(points: Sequence[Point], x: str, y: str, quantity: str, baseline: Mapping[str, Any] | None = None) -> Grid:
    """The best value at each place of two axes, where several points share one: the least time, the highest rate."""
    found = values(points, quantity, baseline)
    there = [point for point in points if id(point) in found]
    columns, rows = (ordered({coordinate(point, name) for point in there}) for name in (x, y))
    cells: dict[tuple[int, int], tuple[Point, float]] = {}
    for point in there:
        at, value = (rows.index(coordinate(point, y)), columns.index(coordinate(point, x))), found[id(point)].median
        if at not in cells or better(quantity, value, cells[at][1]):
            cells[at] = point, value
    return Grid(tuple(rows), tuple(columns), cells)


def panels(
    points: Sequence[Point], x: str, y: str, quantity: str, split: Sequence[str], over: Mapping[str, Any] | None = None
) -> list[Panel]:
    """A grid for every combination of what differs beside the two axes: the method first, then further axes, each in
    the order of its values.

    Points without a place on both axes are in none; see `levels`.
    """
    there = [point for point in points if _has(point, x) and _has(point, y)]
    beside = [name for name in dict.fromkeys(("method", *split)) if name not in (x, y)]
    apart = [name for name in beside if _differs([coordinate(point, name) for point in there])] if there else []
    ordered_names = [name for name in apart if name != "method"]  # those stay as they were chosen
    groups: dict[tuple[str, ...], list[Point]] = {}
    for point in sorted(there, key=lambda point: [_order(coordinate(point, name)) for name in ordered_names]):
        groups.setdefault(tuple(_tag(point, name) for name in apart), []).append(point)
    return [Panel(", ".join(key), grid(members, x, y, quantity, over), key) for key, members in groups.items()]


def levels(
    points: Sequence[Point], axes: Sequence[str], quantity: str, over: Mapping[str, Any] | None = None
) -> list[Level]:
    """The best value of every method whose points have no place on some of the axes."""
    found = values(points, quantity, over)
    known: dict[str, Level] = {}
    for point in points:
        if id(point) in found and not all(_has(point, name) for name in axes):
            name, value = series_name(point), found[id(point)].median
            if name not in known or better(quantity, value, known[name].value):
                known[name] = Level(name, point, value)
    return list(known.values())


def series_name(point: Point) -> str:
    """Who a point is of, and on which backend where it is no peer."""
    return point.name if point.is_peer else f"{point.name}, {point.backend}"


def _has(point: Point, name: str) -> bool:
    return coordinate(point, name) is not None


def better(quantity: str, value: float, other: float) -> bool:
    """Whether a value is the better one: rates and speedups grow, times and bytes shrink."""
    return value > other if grows(quantity) else value < other


def grows(quantity: str) -> bool:
    return quantity in ("gcups", "wall_gcups", "of_limit", SPEEDUP)


def best(points: Sequence[Point], quantity: str, baseline: Mapping[str, Any] | None = None) -> Point | None:
    """The point with the best value among those with a right answer."""
    found = values(points, quantity, baseline)
    right = [point for point in points if id(point) in found and point.status is Status.MEASURED]
    sign = -1 if grows(quantity) else 1
    return min(right, key=lambda point: sign * found[id(point)].median, default=None)


def quantities(points: Iterable[Point]) -> dict[str, str]:
    """What can be drawn of these points: identifiers and labels, the models' last."""
    found = list(points)
    known = {SPEEDUP: "speedup over the baseline", **QUANTITIES}
    for point in found:
        known |= {name: _foretold(name, point) for name in point.models if name not in known}
    return {
        name: text for name, text in known.items() if name == SPEEDUP or any(p.value(name) is not None for p in found)
    }


def quantity_text(points: Iterable[Point], quantity: str) -> str:
    """What people read for a quantity that is a model's; "" for any other."""
    return next((_foretold(quantity, point) for point in points if quantity in point.models), "")


def _foretold(name: str, point: Point) -> str:
    model = models.declared(point.contender).get(name)
    return f"model: {model.label}, {model.unit}" if model else f"model: {name}"


def label(point: Point, moving: Sequence[str]) -> str:
    """What tells a point from the others, in few characters."""
    return _tags(point, moving) or point.name


def suggestion(parameter: Parameter) -> str:
    """Values worth a sweep of a parameter, as an axis is written."""
    if parameter.kind == "bool":
        return "no,yes"
    if parameter.choices:
        return ",".join(parameter.choices)
    if parameter.kind not in ("int", "float"):
        return ""
    low = parameter.minimum or parameter.step
    high = parameter.maximum if parameter.maximum is not None else 64 * low
    return f"{low:g}:{min(high, 64 * low):g}:*2" if low > 0 else f"{low:g}:{high:g}"


def _tags(point: Point, names: Iterable[str]) -> str:
    """What a point has of these names, in few characters."""
    return ", ".join(_tag(point, name) for name in names if _has(point, name))


def _tag(point: Point, name: str) -> str:
    """'s 64', 'no s'; of a method or a device, its name says what it is."""
    if not _has(point, name):
        return f"no {name}"
    return _named(point, name) if name in ("method", "backend", "device") else f"{name} {_named(point, name)}"


def _named(point: Point, name: str) -> str:
    return point_text.text(coordinate(point, name))


def ordered(found: set[Any]) -> list[Any]:
    """Numbers by size, then everything else by its text."""
    return sorted(found, key=_order)


def _order(value: Any) -> tuple[bool, float, str]:
    number = isinstance(value, NUMBER)
    return not number, value if number else 0, point_text.text(value)
