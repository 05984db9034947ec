"""Axes of a sweep: what varies over which values, and the notation for it.

``s=32:1024:*2`` is 32, 64, ... 1024; ``s=32:256:32`` counts by 32; ``s=32:256`` by the step of the parameter;
``h=64,128,256`` is a list, which may contain ``auto``; ``length=5103x7168,10206x14336`` gives every
input its own length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.text import parse_real

Role = Literal["parameter", "option", "input", "method", "backend", "device"]
"""What an axis changes: a parameter, an option of the problem, the input, who computes, or where."""

MOST_VALUES = 10_000
MOST_LISTED = 6
"""Largest number of values of a range that a message lists."""

INPUT_AXES = (
    Parameter(
        "length",
        "int",
        "Length",
        "Number of letters (or size) of every input. Loaded sequences are cut to their first letters.",
        default=1000,
        minimum=1,
    ),
    Parameter(
        "count",
        "int",
        "Number of inputs",
        "Number of inputs to generate, or to take from the beginning of the list.",
        default=2,
        minimum=1,
    ),
    Parameter(
        "divergence",
        "float",
        "Divergence",
        "Share of letters in which the most distant generated sequences differ.",
        default=0.1,
        minimum=0,
        maximum=1,
    ),
)
"""Axes over the input, declared like parameters."""

PLACE_AXES = (
    Parameter("backend", "choice", "Backend", "Where to run.", default="auto", choices=("auto", "cpu", "cuda")),
    Parameter("device", "int", "Device", "Number of the GPU.", default=0, minimum=0),
)

FORMS = "START:STOP:*FACTOR, START:STOP:STEP, START:STOP, or a list A,B,C"


@dataclass(frozen=True, slots=True)
class SweepAxis:
    """One axis of a sweep with its values in order; None is the automatic value.

    If ``logarithmic``, the values grow by a factor and plots use a logarithmic scale. Digests of sweeps name this class
    by ``digest_name``, which must never change: files of measured points are found by these digests.
    """

    digest_name: ClassVar[str] = "Axis"

    name: str
    role: Role
    values: tuple[Any, ...]
    label: str = ""
    unit: str = ""
    logarithmic: bool = False


def parse_axis(text: str, methods: Sequence[Method]) -> SweepAxis:
    """Return the axis that ``NAME=VALUES`` describes for these methods; raise ParameterError if it is not valid."""
    name, equals, values = text.partition("=")
    name = name.strip()
    if not equals or not name or not values.strip():
        raise ParameterError(f"axis must be NAME=VALUES with VALUES {FORMS}; got {text!r}")
    if name == "method":
        found = tuple(part.strip() for part in values.split(","))
        return SweepAxis(name, "method", _require_distinct(text, found), "Method")
    role, parameter = find_axis(name, methods)
    found, logarithmic = _parse_values(text, values.strip(), parameter)
    return SweepAxis(name, role, _require_distinct(text, found), parameter.label, parameter.unit, logarithmic)


def find_axis(name: str, methods: Sequence[Method]) -> tuple[Role, Parameter]:
    """Return role and declaration of an axis name: a parameter, an option, a quantity of the input, or a place."""
    for method in methods:
        for parameter in method.parameters.declared():
            if parameter.name == name:
                return "parameter", parameter
    for method in methods:
        for option in method.problem_type.options:
            if option.name == name:
                return "option", option
    for parameter in INPUT_AXES:
        if parameter.name == name:
            return "input", parameter
    for place in PLACE_AXES:
        if place.name == name:
            return place.name, place  # type: ignore[return-value]
    raise ParameterError(f"unknown axis {name!r}; known axes: {', '.join(axis_names(methods))}")


def axis_label(name: str, methods: Sequence[Method]) -> str:
    """Return the label of an axis with its unit, "Strip width, columns"; the name itself if it is no axis."""
    if name == "method":
        return "Method"
    try:
        parameter = find_axis(name, methods)[1]
    except ParameterError:
        return name
    return f"{parameter.label}, {parameter.unit}" if parameter.unit else parameter.label


def input_axes(problem: ProblemType) -> tuple[Parameter, ...]:
    """Return the quantities of the input of a problem that can be an axis."""
    letters = [taken for taken in problem.inputs if taken.kind.type is Letters]
    several = any(taken.maximum != taken.minimum for taken in problem.inputs)
    length, count, divergence = INPUT_AXES
    there = {
        length.name: bool(letters) or any(taken.kind.generate for taken in problem.inputs),
        count.name: several,
        divergence.name: sum(taken.minimum for taken in letters) > 1 or (several and bool(letters)),
    }
    return tuple(parameter for parameter in INPUT_AXES if there[parameter.name])


def axis_names(methods: Sequence[Method]) -> list[str]:
    """Return all axis names that are possible for these methods, parameters first."""
    groups: list[Iterable[Parameter]] = [method.parameters.declared() for method in methods]
    groups += [method.problem_type.options for method in methods]
    groups += [input_axes(method.problem_type) for method in methods[:1]]
    found = [parameter.name for group in (*groups, PLACE_AXES) for parameter in group]
    return list(dict.fromkeys([*found, "method"]))


def _parse_values(axis: str, text: str, parameter: Parameter) -> tuple[tuple[Any, ...], bool]:
    if ":" not in text:
        values = tuple(_parse_value(parameter, part.strip()) for part in text.split(","))
        return values, _suits_logarithmic_scale(values)
    if parameter.kind not in ("int", "float"):
        raise ParameterError(
            f"axis {axis!r}: give {parameter.name} a list of values, {parameter.describe_values()}, no range"
        )
    parts = [part.strip() for part in text.split(":")]
    if len(parts) not in (2, 3):
        raise ParameterError(f"axis {axis!r}: a range must be {FORMS}")
    start, stop = (_parse_number(axis, part) for part in parts[:2])
    if start > stop:
        raise ParameterError(f"axis {axis!r}: the range starts at {parts[0]} and ends before it, at {parts[1]}")
    step = parts[2] if len(parts) == 3 else f"{parameter.step:g}"
    numbers = _by_factor(axis, start, stop, step[1:]) if step.startswith("*") else _by_step(axis, start, stop, step)
    return tuple(dict.fromkeys(_round_to_allowed(axis, parameter, numbers, (start, stop)))), step.startswith("*")


def _parse_value(parameter: Parameter, text: str) -> Any:
    """Return a value of a list; lengths of several inputs are joined by x."""
    if parameter.name == "length" and "x" in text:
        return tuple(parameter.parse(part) for part in text.split("x"))
    return parameter.parse(text)


def _by_factor(axis: str, start: float, stop: float, text: str) -> list[float]:
    factor = _parse_number(axis, text)
    if factor <= 1 or start <= 0:
        raise ParameterError(f"axis {axis!r}: a range by a factor needs a factor above 1 and a start above 0")
    count = int(math.log(stop / start) / math.log(factor) + 1e-9) + 1
    _check_count(axis, count)
    return [start * factor**power for power in range(count)]


def _by_step(axis: str, start: float, stop: float, text: str) -> list[float]:
    step = _parse_number(axis, text)
    if step <= 0:
        raise ParameterError(f"axis {axis!r}: the step must be above 0")
    count = int((stop - start) / step + 1e-9) + 1
    _check_count(axis, count)
    return [start + number * step for number in range(count)]


def _round_to_allowed(
    axis: str, parameter: Parameter, numbers: Sequence[float], ends: tuple[float, float]
) -> Iterator[float]:
    """Yield the numbers of a range as valid values of a parameter; integers are rounded to its steps."""
    low, high = math.floor(ends[0]), math.ceil(ends[1])
    wanted = parameter.describe_values().removeprefix("auto or ")
    for number in numbers:
        value = _round_to_step(parameter, number)
        if not low <= value <= high or not _is_valid(parameter, value):
            name, by = parameter.name, f" (by {parameter.step:g}, the step of {parameter.name})"
            raise ParameterError(
                f"axis {axis!r} means {name} = {_list_numbers(numbers)}{by if axis.count(':') == 1 else ''}, "
                f"but {name} must be {wanted}; got {number:.12g}"
            )
        yield value


def _round_to_step(parameter: Parameter, number: float) -> int | float:
    """Return the nearest value on the steps of a parameter, inside its range or not."""
    if parameter.kind == "float":
        return float(f"{number:.12g}")
    low = parameter.minimum or 0
    return int(low + round((number - low) / parameter.step) * parameter.step)


def _is_valid(parameter: Parameter, value: int | float) -> bool:
    try:
        parameter.validate(value)
    except ParameterError:
        return False
    return True


def _list_numbers(numbers: Sequence[float]) -> str:
    """Return a list such as '8, 16, 24, 32'; a long list is shortened before its last number."""
    texts = [f"{number:.12g}" for number in numbers]
    return ", ".join(texts if len(texts) <= MOST_LISTED else [*texts[: MOST_LISTED - 1], "...", texts[-1]])


def _parse_number(axis: str, text: str) -> float:
    try:
        number = parse_real(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"axis {axis!r}: {text!r} is not a number; a range must be {FORMS}")
    return number


def _check_count(axis: str, count: int) -> None:
    if count > MOST_VALUES:
        raise ParameterError(f"axis {axis!r} has {count:,} values; give at most {MOST_VALUES:,}")


def _require_distinct(axis: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(values)) < len(values):
        raise ParameterError(f"axis {axis!r} has a value twice; give every value once")
    return values


def _suits_logarithmic_scale(values: tuple[Any, ...]) -> bool:
    """Return whether a list suits a logarithmic scale: three or more numbers over at least a factor of eight."""
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(numbers) < max(3, len(values)) or min(numbers) <= 0:
        return False
    return max(numbers) / min(numbers) >= 8
