"""Convert a paper's table to the data of a plot: published and measured values as lines or as two grids. Free of Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels import registry
from antidiag.kernels.experiments.papers import comparison, quantities
from antidiag.kernels.experiments.papers import paper_tables as papers
from antidiag.kernels.experiments.papers.comparison import PaperComparison
from antidiag.kernels.experiments.papers.paper_tables import PaperTable, PublishedNumber
from antidiag.kernels.experiments.point_data import tables
from antidiag.kernels.experiments.point_data.plot_data import HeatGrid, PointSeries
from antidiag.kernels.experiments.point_data.points import MeasuredPoint, PointStatus, Spread, format_value
from antidiag.kernels.experiments.point_data.tables import Column
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.sweeps.sweep import known_contenders

TEXT_AXES = ("method", "note")
"""Names of horizontal axes with texts in place of numbers; their places are numbered."""
WORD_NAMES = ("quantity", "statistic", "note", "panel")
"""Names whose values are words that stand for themselves."""
ShownValues = Mapping[str, str]
"""The shown value of each name that is neither on an axis nor a colour."""


@dataclass(frozen=True)
class ComparedLine:
    """One line of a figure, published and measured on this machine; either may be empty."""

    name: str
    published: PointSeries
    measured: PointSeries


@dataclass(frozen=True)
class FigureData:
    """The data of a figure: lines over ``marks``, or a published grid beside a measured one."""

    title: str
    x_label: str
    y_label: str
    log_x: bool
    log_y: bool
    connected: bool
    lines: tuple[ComparedLine, ...]
    marks: tuple[tuple[float, str], ...]
    grids: tuple[HeatGrid, HeatGrid] | None
    quantity: str
    caption: tuple[str, ...]


def build_figure(
    table: PaperTable, compared: Sequence[PaperComparison], quick: bool, shown_values: ShownValues | None = None
) -> FigureData:
    """Return the figure of a table with the values ``shown_values``, or ``default_choices``, of the open names."""
    shown_values = {**default_choices(table), **(shown_values or {})}
    shown = [
        entry
        for entry in compared
        if all(published_value(entry.published, name) == kept for name, kept in shown_values.items())
    ]
    plot, x, y = table.plot, table.plot["x"], table.plot.get("y")
    lines = () if y else _build_lines(table, shown)
    extra = "".join(f", {_choice_text(name, kept)}" for name, kept in shown_values.items())
    return FigureData(
        title=f"{table.title}{extra}" + (" (quick)" if quick else ""),
        x_label=plot.get("label") or _axis_label(table, x),
        y_label=_axis_label(table, y) if y else _quantity_label(table),
        log_x=bool(plot.get("logarithmic")) and x not in TEXT_AXES,
        log_y=plot.get("logarithmic") is True,
        connected=x not in TEXT_AXES,
        lines=lines,
        marks=_axis_marks(table, shown),
        grids=_build_grids(table, shown, x, y) if y else None,
        quantity="compute_ms" if table.unit in papers.MILLISECONDS else "speedup",
        caption=figure_caption(table, compared, quick),
    )


def open_choices(table: PaperTable) -> dict[str, tuple[str, ...]]:
    """Return the names that differ at one place and in one colour, and that of the panels, with their values."""
    drawn = [name for name in (table.plot["x"], table.plot.get("y"), *_colour_names(table)) if name]
    numbers = [number for number in table.published if number.value is not None] or list(table.published)
    found: dict[str, tuple[str, ...]] = {}
    if panel := table.plot.get("panel", ""):
        found[panel] = tuple(dict.fromkeys(published_value(number, panel) for number in table.published))
        drawn.append(panel)
    for name in ("quantity", *table.axis_names, "statistic", "note"):
        groups: dict[Any, set[str]] = {}
        for number in numbers:
            groups.setdefault(tuple(_place_key(table, number, entry) for entry in drawn), set()).add(
                published_value(number, name)
            )
        if name not in drawn and any(len(values) > 1 for values in groups.values()):
            found[name] = tuple(dict.fromkeys(published_value(number, name) for number in numbers))
            drawn.append(name)
    return found


def default_choices(table: PaperTable) -> dict[str, str]:
    """Return the default choices: the whole time, the first text, the largest size."""
    found = {}
    for name, values in open_choices(table).items():
        first = quantities.TOTAL if quantities.TOTAL in values else values[0]
        found[name] = first if name in (*WORD_NAMES, "method") else values[-1]
    return found


def figure_panels(table: PaperTable) -> tuple[ShownValues, ...]:
    """Return the choices of each panel of the paper's figure; one empty choice without panels."""
    panel = table.plot.get("panel", "")
    return tuple({panel: entry} for entry in open_choices(table).get(panel, ())) or ({},)


def published_value(number: PublishedNumber, name: str) -> str:
    """Return the value of a name at a published number: a coordinate or a field."""
    own = {"method": number.contender, **{field: getattr(number, field) for field in WORD_NAMES}}
    return own[name] if name in own else number.coordinates.get(name, "")


def describe_number(table: PaperTable, entry: PaperComparison) -> str:
    """Describe a number in one line: its coordinates, the published and the measured value, and the ratio."""
    words = [f"{name} = {_coordinate_text(entry, name)}" for name in entry.published.coordinates]
    words += filter(None, [entry.published.statistic])
    for number, where in ((entry.published.value, "published"), (entry.ours, "here")):
        words.append(f"{where} {format_amount(table, number)}" if number is not None else f"not {where}")
    ratio = [f"ratio {entry.ratio:,.2f}"] if entry.ratio else []
    return ", ".join([_contender_name(entry.published.contender), entry.published.quantity, *words, *ratio])


def format_amount(table: PaperTable, number: float) -> str:
    """Format a number of a table with its unit."""
    if factor := papers.MILLISECONDS.get(table.unit):
        return tables.format_cell(Column("", "", "ms"), number * factor)
    return f"{number:,.3g}{'' if table.unit == 'number' else f' {table.unit}'}"


def figure_caption(table: PaperTable, compared: Sequence[PaperComparison], quick: bool) -> tuple[str, ...]:
    """Return the caption: the machines of the published and of the measured values."""
    points = [entry.point for entry in compared if entry.point is not None and entry.point.has_times]
    devices = ", ".join(dict.fromkeys(f"{point.device} ({point.backend})" for point in points if point.device))
    days = sorted({point.started[:10] for point in points if point.started})
    when = f", {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else "") if days else ""
    size = f"; QUICK: every {table.scaled_text} is {table.scale:g} of the paper's" if quick and points else ""
    size = size if table.scaled in table.axis_names else ""
    lines = ("hollow", "filled") if table.plot["x"] in TEXT_AXES else ("hollow, dashed", "filled, solid")
    left, right = ("left", "right") if table.plot.get("y") else lines
    here = f"Here ({right}): {devices}{when}{size}." if devices else "Here: not measured yet."
    if devices and all(entry.ours is None for entry in compared):
        here = f"Here: {devices} has no such numbers{when}."
    numbers = any(entry.published.value is not None for entry in compared)
    found = f"Published ({left if numbers else 'without numbers'}): {table.hardware}.", here
    return (*found, comparison.NO_TRANSFERS) if comparison.lacks_transfers(table, points) else found


def _build_lines(table: PaperTable, shown: Sequence[PaperComparison]) -> tuple[ComparedLine, ...]:
    names = _colour_names(table)
    moving = [name for name in names if len({published_value(entry.published, name) for entry in shown}) > 1] or [
        *names
    ][:1]
    groups: dict[tuple[str, ...], list[PaperComparison]] = {}
    for entry in shown:
        groups.setdefault(tuple(published_value(entry.published, name) for name in names), []).append(entry)
    found = []
    for shade, members in enumerate(groups.values()):
        name = ", ".join(filter(None, (_group_name(table, members, name) for name in moving)))
        published, ours = (_build_series(table, name, shade, members, measured) for measured in (False, True))
        found.append(ComparedLine(name, published, ours))
    return tuple(found)


def _build_series(
    table: PaperTable, name: str, shade: int, members: Sequence[PaperComparison], measured: bool
) -> PointSeries:
    dots = []
    for entry in members:
        number = entry.ours if measured else entry.published.value
        if number is not None and (number > 0 or table.plot.get("logarithmic") is not True):
            point, spread = _labelled_point(describe_number(table, entry)), Spread(number, number, number, 1)
            dots += [(place, point, spread) for place, _ in _axis_places(table, entry, measured)]
    dots.sort(key=lambda dot: dot[0])
    places, points, spreads = zip(*dots, strict=True) if dots else ((), (), ())
    return PointSeries(name, points, places, spreads, shade, name)


def _axis_marks(table: PaperTable, shown: Sequence[PaperComparison]) -> tuple[tuple[float, str], ...]:
    """Return places and labels of the horizontal axis, published ones first as they win where labels overlap."""
    published = [mark for entry in shown if entry.published.value is not None for mark in _axis_places(table, entry)]
    ours = [mark for entry in shown if entry.ours is not None for mark in _axis_places(table, entry, measured=True)]
    return tuple(dict([*published, *ours]).items())


def _axis_places(table: PaperTable, entry: PaperComparison, measured: bool = False) -> list[tuple[float, str]]:
    """Return places and labels of a number: one, or the ends of the lengths that a mean or a maximum is over."""
    name = table.plot["x"]
    if name in TEXT_AXES:
        values = list(dict.fromkeys(published_value(number, name) for number in table.published))
        found = published_value(entry.published, name)
        return [(float(values.index(found)), _contender_name(found) if name == "method" else found)]
    words = format_value(entry.coordinates.get(name)) if measured else published_value(entry.published, name)
    runs = words.split(";")
    part = table.plot.get("part")
    return list(dict.fromkeys(_size_place(run, part) for run in (runs[0], runs[-1])))


def _size_place(words: str, part: int | None) -> tuple[float, str]:
    """Return place and label of a size such as "64" or "5103x7168"; ``part`` selects one of several."""
    sizes = [float(size) for size in words.split("x")]
    sizes = sizes if part is None else [sizes[part]]
    label = " x ".join(f"{size:,.6g}" for size in (sizes[:1] if len(set(sizes)) == 1 else sizes))
    return sum(sizes) / len(sizes), label


def _size_text(words: str) -> str:
    """Return sizes such as "64x128", or several such as "64;128", in words."""
    labels = [_size_place(run, None)[1] for run in words.split(";")]
    return labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]}"


def _build_grids(table: PaperTable, shown: Sequence[PaperComparison], x: str, y: str) -> tuple[HeatGrid, HeatGrid]:
    """Return the published and the measured grid; times in ms."""
    there = [(entry, entry.published.value, entry.published.coordinates) for entry in shown]
    here = [(entry, entry.ours, entry.coordinates) for entry in shown]
    return _build_grid(table, there, x, y), _build_grid(table, here, x, y)


def _build_grid(
    table: PaperTable, found: Sequence[tuple[PaperComparison, float | None, Mapping[str, Any]]], x: str, y: str
) -> HeatGrid:
    there = [(entry, number, at) for entry, number, at in found if number is not None]
    rows, columns = (tuple(sorted({float(at[name]) for _, _, at in there})) for name in (y, x))
    factor = papers.MILLISECONDS.get(table.unit, 1.0)
    cells = {}
    for entry, number, at in there:
        where = rows.index(float(at[y])), columns.index(float(at[x]))
        cells[where] = _labelled_point(describe_number(table, entry)), factor * number
    return HeatGrid(rows, columns, cells)


def _labelled_point(words: str) -> MeasuredPoint:
    """Return a point that stands for a number of a table in the plots of Tune; only its note is read."""
    return MeasuredPoint(key=words, contender="", name="", coordinates={}, status=PointStatus.MEASURED, notes=(words,))


def _colour_names(table: PaperTable) -> tuple[str, ...]:
    if table.plot.get("y"):
        return ()
    colour = table.plot.get("colour") or ("method", "quantity")
    return (colour,) if isinstance(colour, str) else tuple(colour)


def _group_name(table: PaperTable, members: Sequence[PaperComparison], name: str) -> str:
    """Return the name of a line, with the measured value beside the published one where they differ."""
    entry = members[0]
    if name == "method":
        return _contender_name(entry.published.contender)
    if name in WORD_NAMES:
        return published_value(entry.published, name)
    return f"{name} = {_coordinate_text(entry, name)}" if published_value(entry.published, name) else ""


def _coordinate_text(entry: PaperComparison, name: str) -> str:
    there, here = entry.published.coordinates.get(name, ""), format_value(entry.coordinates.get(name, ""))
    if name == "length":
        there, here = _size_text(there), _size_text(here)
    return there if there == here else f"{there} (here {here})"


def _choice_text(name: str, kept: str) -> str:
    if name in WORD_NAMES:
        return kept
    return _size_text(kept) if name == "length" else f"{name} = {kept}"


def _place_key(table: PaperTable, number: PublishedNumber, name: str) -> Any:
    """Return the key of a place on an axis: the value, or the part of a size that counts."""
    words = published_value(number, name)
    if name == table.plot["x"] and "part" in table.plot:
        return _size_place(words.split(";")[0], table.plot["part"])
    return words


def _contender_name(contender: str) -> str:
    return next((entry.name for entry in known_contenders() if entry.id == contender), contender)


def _axis_label(table: PaperTable, name: str) -> str:
    if name in TEXT_AXES:
        return ""
    contenders = {number.contender for number in table.published}
    return sweep_axes.axis_label(name, [method for method in registry.METHODS if method.id in contenders])


def _quantity_label(table: PaperTable) -> str:
    counted = _counted_text(table)
    if table.unit in papers.MILLISECONDS:
        return f"time{counted}, {table.unit}"
    if table.unit == papers.PERCENT:
        return f"share of the time, {table.unit}"
    if table.baseline:
        return f"speedup{counted} over {_contender_name(table.baseline)}, {table.unit}"
    return f"{table.unit}{counted}"


def _counted_text(table: PaperTable) -> str:
    """Return what the numbers of a table count beside computing, where that is the same in all of them."""
    names = {number.quantity for number in table.published}
    if names == {quantities.WHOLE_CALL}:
        return " of the whole call"
    return quantities.WITH_TRANSFERS if all(map(quantities.counts_transfers, names)) else ""
