"""From a paper's table to what a plot draws: the published values and ours as lines, or as two grids. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.app.tune.plots.series import Grid, Series
from antidiag.kernels import registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments import axes, tables
from antidiag.kernels.experiments.papers import published as papers
from antidiag.kernels.experiments.papers.published import Compared, PaperTable, Published
from antidiag.kernels.experiments.points import Point, Spread, Status, text
from antidiag.kernels.experiments.sweep import known_contenders
from antidiag.kernels.experiments.tables import Column

WORDS = ("method", "note")
"""What a horizontal axis may have that is no number: its places are counted."""
Keep = Mapping[str, str]
"""The value that is shown of each name that the axes and the colour leave open."""


@dataclass(frozen=True)
class Line:
    """One line of a figure, as published and as measured here; either may have no points."""

    name: str
    published: Series
    ours: Series


@dataclass(frozen=True)
class Figure:
    """All that is drawn: lines over ``marks``, or a grid of the paper beside one of ours."""

    title: str
    x_label: str
    y_label: str
    log_x: bool
    log_y: bool
    connected: bool
    lines: tuple[Line, ...]
    marks: tuple[tuple[float, str], ...]
    grids: tuple[Grid, Grid] | None
    quantity: str
    caption: tuple[str, ...]


def figure(table: PaperTable, compared: Sequence[Compared], quick: bool, keep: Keep | None = None) -> Figure:
    """The figure of a table, with ``keep`` (or ``defaults``) where more was measured than one figure shows."""
    keep = {**defaults(table), **(keep or {})}
    shown = [one for one in compared if all(value(one.published, name) == kept for name, kept in keep.items())]
    plot, x, y = table.plot, table.plot["x"], table.plot.get("y")
    lines = () if y else _lines(table, shown)
    extra = "".join(f", {_kept(name, kept)}" for name, kept in keep.items())
    return Figure(
        title=f"{table.title}{extra}" + (" (quick)" if quick else ""),
        x_label=plot.get("label") or _label(table, x),
        y_label=_label(table, y) if y else _quantity(table),
        log_x=bool(plot.get("logarithmic")) and x not in WORDS,
        log_y=bool(plot.get("logarithmic")),
        connected=x not in WORDS,
        lines=lines,
        marks=_marks(table, shown),
        grids=_grids(table, shown, x, y) if y else None,
        quantity="compute_ms" if table.unit in papers.MILLISECONDS else "speedup",
        caption=caption(table, compared, quick),
    )


def choices(table: PaperTable) -> dict[str, tuple[str, ...]]:
    """The names that differ at one place of the figure and in one colour, and what tells the paper's panels apart, with
    their values in the paper's order."""
    drawn = [name for name in (table.plot["x"], table.plot.get("y"), *_colour(table)) if name]
    numbers = [number for number in table.published if number.value is not None] or list(table.published)
    panel, found = table.plot.get("panel"), {}
    for name in ("quantity", *table.axes, "note"):
        groups: dict[Any, set[str]] = {}
        for number in numbers:
            groups.setdefault(tuple(_text(table, number, one) for one in drawn), set()).add(value(number, name))
        if name not in drawn and (name == panel or any(len(values) > 1 for values in groups.values())):
            found[name] = tuple(dict.fromkeys(value(number, name) for number in numbers))
            drawn.append(name)
    return found


def defaults(table: PaperTable) -> dict[str, str]:
    """Of what a figure leaves open: the whole time, the first of words, the largest of sizes."""
    found = {}
    for name, values in choices(table).items():
        first = papers.TOTAL if papers.TOTAL in values else values[0]
        found[name] = first if name in ("quantity", *WORDS) else values[-1]
    return found


def parts(table: PaperTable) -> tuple[Keep, ...]:
    """What each panel of the paper's figure shows; one that leaves nothing open where it has no panels."""
    panel = table.plot.get("panel")
    return tuple({panel: one} for one in choices(table).get(panel, ())) or ({},)


def value(number: Published, name: str) -> str:
    """What a published number has of a name: a coordinate, or one of its own fields."""
    own = {"method": number.contender, "quantity": number.quantity, "note": number.note}
    return own[name] if name in own else number.coordinates.get(name, "")


def told(table: PaperTable, one: Compared) -> str:
    """One line about a number: what it is of, what was published, what was measured here, and the ratio."""
    words = [f"{name} = {_kept_text(one, name)}" for name in one.published.coordinates]
    for number, where in ((one.published.value, "published"), (one.ours, "here")):
        words.append(f"{where} {amount(table, number)}" if number is not None else f"not {where}")
    ratio = [f"ratio {one.ratio:,.2f}"] if one.ratio else []
    return ", ".join([_method_name(one.published), one.published.quantity, *words, *ratio])


def amount(table: PaperTable, number: float) -> str:
    """A number of a table with its unit."""
    factor = papers.MILLISECONDS.get(table.unit)
    return f"{number:,.3g} times" if factor is None else tables.cell(Column("", "", "ms"), number * factor)


def caption(table: PaperTable, compared: Sequence[Compared], quick: bool) -> tuple[str, ...]:
    """On what machine each half was measured."""
    points = [one.point for one in compared if one.point is not None and one.point.measured]
    devices = dict.fromkeys(f"{point.device} ({point.backend})" for point in points if point.device)
    days = sorted({point.started[:10] for point in points if point.started})
    when = f", {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else "") if days else ""
    size = f"; QUICK: every {table.scaled} is {table.scale:g} of the paper's" if quick and points else ""
    left, right = ("left", "right") if table.plot.get("y") else ("hollow, dashed", "filled, solid")
    here = f"Here ({right}): {', '.join(devices)}{when}{size}." if devices else "Here: not measured yet."
    numbers = any(one.published.value is not None for one in compared)
    return f"Published ({left if numbers else 'without numbers'}): {table.hardware}.", here


def _lines(table: PaperTable, shown: Sequence[Compared]) -> tuple[Line, ...]:
    """One line for each value of what tells the colour, in the paper's order."""
    names = _colour(table)
    moving = [name for name in names if len({value(one.published, name) for one in shown}) > 1] or [*names][:1]
    groups: dict[tuple[str, ...], list[Compared]] = {}
    for one in shown:
        groups.setdefault(tuple(value(one.published, name) for name in names), []).append(one)
    found = []
    for shade, members in enumerate(groups.values()):
        name = ", ".join(filter(None, (_group_name(table, members, name) for name in moving)))
        found.append(
            Line(name, _series(table, name, shade, members, False), _series(table, name, shade, members, True))
        )
    return tuple(found)


def _series(table: PaperTable, name: str, shade: int, members: Sequence[Compared], ours: bool) -> Series:
    dots = []
    for one in members:
        number = one.ours if ours else one.published.value
        if number is not None:
            dots.append((_place(table, one, ours)[0], _stand_in(told(table, one)), Spread(number, number, number, 1)))
    dots.sort(key=lambda dot: dot[0])
    places, points, spreads = zip(*dots, strict=True) if dots else ((), (), ())
    return Series(name, points, places, spreads, shade, name)


def _marks(table: PaperTable, shown: Sequence[Compared]) -> tuple[tuple[float, str], ...]:
    """The places on the horizontal axis and their words; published ones first, so that they win where it is narrow."""
    there = [_place(table, one, False) for one in shown if one.published.value is not None]
    here = [_place(table, one, True) for one in shown if one.ours is not None]
    return tuple(dict([*there, *here]).items())


def _place(table: PaperTable, one: Compared, ours: bool) -> tuple[float, str]:
    """Where a number is on the horizontal axis, and what stands below it."""
    name = table.plot["x"]
    if name in WORDS:
        values = list(dict.fromkeys(value(number, name) for number in table.published))
        found = value(one.published, name)
        return float(values.index(found)), _method_name(one.published) if name == "method" else found
    words = text(one.coordinates.get(name)) if ours else value(one.published, name)
    return _where(words, table.plot.get("part"))


def _where(words: str, part: int | None) -> tuple[float, str]:
    """The place of sizes such as "64", "5103x7168", or "64;128", of which a mean was taken; ``part`` counts alone."""
    runs = [[float(size) for size in run.split("x")] for run in words.split(";")]
    runs = runs if part is None else [[run[part]] for run in runs]
    if len({*map(tuple, runs)}) > 1:
        means = [sum(run) / len(run) for run in runs]
        return sum(means) / len(means), f"mean of {means[0]:,.6g} to {means[-1]:,.6g}"
    run = runs[0]
    sizes = run[:1] if len(set(run)) == 1 else run
    return sum(run) / len(run), " x ".join(f"{size:,.6g}" for size in sizes)


def _grids(table: PaperTable, shown: Sequence[Compared], x: str, y: str) -> tuple[Grid, Grid]:
    """The paper's grid and ours, which has the values that were taken here; times in ms."""
    there = [(one, one.published.value, one.published.coordinates) for one in shown]
    here = [(one, one.ours, one.coordinates) for one in shown]
    return _grid(table, there, x, y), _grid(table, here, x, y)


def _grid(table: PaperTable, found: Sequence[tuple[Compared, float | None, Mapping[str, Any]]], x: str, y: str) -> Grid:
    there = [(one, number, at) for one, number, at in found if number is not None]
    rows, columns = (tuple(sorted({float(at[name]) for _, _, at in there})) for name in (y, x))
    factor = papers.MILLISECONDS.get(table.unit, 1.0)
    cells = {}
    for one, number, at in there:
        where = rows.index(float(at[y])), columns.index(float(at[x]))
        cells[where] = _stand_in(told(table, one)), factor * number
    return Grid(rows, columns, cells)


def _stand_in(words: str) -> Point:
    """What the plots of Tune draw, for a number of a table: all that is asked of it is its words."""
    return Point(key=words, contender="", name="", coordinates={}, status=Status.MEASURED, notes=(words,))


def _colour(table: PaperTable) -> tuple[str, ...]:
    """The names that tell lines apart."""
    if table.plot.get("y"):
        return ()
    colour = table.plot.get("colour") or ("method", "quantity")
    return (colour,) if isinstance(colour, str) else tuple(colour)


def _group_name(table: PaperTable, members: Sequence[Compared], name: str) -> str:
    """What a line is called; the value that was taken here beside the paper's where it is another."""
    one = members[0]
    if name == "method":
        return _method_name(one.published)
    if name in ("quantity", "note"):
        return value(one.published, name)
    return f"{name} = {_kept_text(one, name)}" if value(one.published, name) else ""


def _kept_text(one: Compared, name: str) -> str:
    there, here = one.published.coordinates.get(name, ""), text(one.coordinates.get(name, ""))
    if name == "length":
        there, here = _where(there, None)[1], _where(here, None)[1]
    return there if there == here else f"{there} (here {here})"


def _kept(name: str, kept: str) -> str:
    if name in ("quantity", "note"):
        return kept
    return _where(kept, None)[1] if name == "length" else f"{name} = {kept}"


def _text(table: PaperTable, number: Published, name: str) -> Any:
    """What tells two places on an axis apart: of sizes of which one part counts, that part."""
    words = value(number, name)
    return _where(words, table.plot["part"]) if name == table.plot["x"] and "part" in table.plot else words


def _method_name(number: Published) -> str:
    return _name(number.contender)


def _name(contender: str) -> str:
    return next((one.name for one in known_contenders() if one.id == contender), contender)


def _label(table: PaperTable, name: str) -> str:
    """An axis' name and unit, as the methods declare it."""
    if name in WORDS:
        return ""
    methods = [method for method in registry.METHODS if any(one.contender == method.id for one in table.published)]
    try:
        parameter = axes.declared(name, methods)[1]
    except ParameterError:
        return name
    return f"{parameter.label}, {parameter.unit}" if parameter.unit else parameter.label


def _quantity(table: PaperTable) -> str:
    """What the vertical axis has."""
    if table.unit in papers.MILLISECONDS:
        return f"time, {table.unit}"
    return f"speed-up over {_name(table.baseline)}, {table.unit}" if table.baseline else table.unit
