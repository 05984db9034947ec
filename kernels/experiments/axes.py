"""Axes of a sweep: what varies, over which values, and how a person writes that.

``s=32:1024:*2`` is 32, 64, ... 1024; ``s=32:256:32`` counts by 32; ``s=32:256`` by the step of the parameter;
``h=64,128,256`` is a list, in which ``auto`` may stand; ``length=5103x7168,10206x14336`` gives every
input its own length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method, ProblemType
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.text import real

Role = Literal["parameter", "option", "input", "method", "backend", "device"]
"""What an axis changes: a parameter, an option of the problem, the input, who computes, or where."""

MOST_VALUES = 10_000
MOST_TOLD = 6
"""Values of a range that a message lists."""

INPUTS = (
    Parameter("length", "int", "Length", "Letters (or size) of every input: generated so long, or cut to its front.",
              default=1000, minimum=1),
    Parameter("count", "int", "Number of inputs", "How many inputs are generated, or taken from the front.",
              default=2, minimum=1),
    Parameter("divergence", "float", "Divergence", "Share of the letters in which generated sequences differ from "
              "their common ancestor.", default=0.1, minimum=0, maximum=1),
)  # fmt: skip
"""Axes over the input, declared as parameters are."""

PLACES = (
    Parameter("backend", "choice", "Backend", "Where to run.", default="auto", choices=("auto", "cpu", "cuda")),
    Parameter("device", "int", "Device", "Number of the GPU.", default=0, minimum=0),
)

FORMS = "START:STOP:*FACTOR, START:STOP:STEP, START:STOP, or a list A,B,C"


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: ``values`` in order; None among them is the automatic value.

    ``logarithmic`` says that the values grow by a factor, so that a plot should have a logarithmic scale.
    """

    name: str
    role: Role
    values: tuple[Any, ...]
    label: str = ""
    unit: str = ""
    logarithmic: bool = False


def parse(text: str, methods: Sequence[Method]) -> Axis:
    """The axis that ``NAME=VALUES`` describes for these methods; ParameterError says what is wrong with it."""
    name, equals, values = text.partition("=")
    name = name.strip()
    if not equals or not name or not values.strip():
        raise ParameterError(f"axis {text!r} is not NAME=VALUES; VALUES is {FORMS}")
    if name == "method":
        found = tuple(part.strip() for part in values.split(","))
        return Axis(name, "method", _different(text, found), "Method")
    role, parameter = declared(name, methods)
    found, logarithmic = _values(text, values.strip(), parameter)
    return Axis(name, role, _different(text, found), parameter.label, parameter.unit, logarithmic)


def declared(name: str, methods: Sequence[Method]) -> tuple[Role, Parameter]:
    """The role of a name and its declaration: a parameter of a method, an option of its problem, an input, a place."""
    for method in methods:
        for parameter in method.parameters:
            if parameter.name == name:
                return "parameter", parameter
    for method in methods:
        for option in method.problem.options:
            if option.name == name:
                return "option", option
    for parameter in INPUTS:
        if parameter.name == name:
            return "input", parameter
    for place in PLACES:
        if place.name == name:
            return place.name, place  # type: ignore[return-value]
    raise ParameterError(f"there is no axis {name!r}; there are: {', '.join(names(methods))}")


def of_input(problem: ProblemType) -> tuple[Parameter, ...]:
    """What can vary of the input of a problem."""
    letters = [taken for taken in problem.inputs if taken.kind.type is Letters]
    several = any(taken.maximum != taken.minimum for taken in problem.inputs)
    length, count, divergence = INPUTS
    there = {
        length.name: bool(letters) or any(taken.kind.generate for taken in problem.inputs),
        count.name: several,
        divergence.name: sum(taken.minimum for taken in letters) > 1 or (several and bool(letters)),
    }
    return tuple(parameter for parameter in INPUTS if there[parameter.name])


def names(methods: Sequence[Method]) -> list[str]:
    """Every name that an axis may have for these methods, parameters first."""
    groups: list[Iterable[Parameter]] = [method.parameters for method in methods]
    groups += [method.problem.options for method in methods]
    groups += [of_input(method.problem) for method in methods[:1]]
    found = [parameter.name for group in (*groups, PLACES) for parameter in group]
    return list(dict.fromkeys([*found, "method"]))


def _values(axis: str, text: str, parameter: Parameter) -> tuple[tuple[Any, ...], bool]:
    if ":" not in text:
        values = tuple(_value(parameter, part.strip()) for part in text.split(","))
        return values, _grows_by_a_factor(values)
    if parameter.kind not in ("int", "float"):
        raise ParameterError(f"axis {axis!r}: {parameter.name} takes no range; list values: {parameter.expected()}")
    parts = [part.strip() for part in text.split(":")]
    if len(parts) not in (2, 3):
        raise ParameterError(f"axis {axis!r}: a range is {FORMS}")
    start, stop = (_number(axis, part) for part in parts[:2])
    if start > stop:
        raise ParameterError(f"axis {axis!r}: the range starts at {parts[0]}, after its end {parts[1]}")
    step = parts[2] if len(parts) == 3 else f"{parameter.step:g}"
    numbers = _by_factor(axis, start, stop, step[1:]) if step.startswith("*") else _by_step(axis, start, stop, step)
    return tuple(dict.fromkeys(_allowed(axis, parameter, numbers, (start, stop)))), step.startswith("*")


def _value(parameter: Parameter, text: str) -> Any:
    """A value of a list; lengths may be joined by x, one for each input."""
    if parameter.name == "length" and "x" in text:
        return tuple(parameter.parse(part) for part in text.split("x"))
    return parameter.parse(text)


def _by_factor(axis: str, start: float, stop: float, text: str) -> list[float]:
    factor = _number(axis, text)
    if factor <= 1 or start <= 0:
        raise ParameterError(f"axis {axis!r}: a range by a factor needs a factor above 1 and a start above 0")
    count = int(math.log(stop / start) / math.log(factor) + 1e-9) + 1
    _check_count(axis, count)
    return [start * factor**power for power in range(count)]


def _by_step(axis: str, start: float, stop: float, text: str) -> list[float]:
    step = _number(axis, text)
    if step <= 0:
        raise ParameterError(f"axis {axis!r}: the step must be above 0")
    count = int((stop - start) / step + 1e-9) + 1
    _check_count(axis, count)
    return [start + number * step for number in range(count)]


def _allowed(axis: str, parameter: Parameter, numbers: Sequence[float], ends: tuple[float, float]) -> Iterator[float]:
    """The numbers of a range as the parameter takes them: whole numbers are rounded to its steps, inside the range."""
    low, high = math.floor(ends[0]), math.ceil(ends[1])
    wanted = parameter.expected().removesuffix(", or auto")
    for number in numbers:
        value = _rounded(parameter, number)
        if not low <= value <= high or not _is_valid(parameter, value):
            name, by = parameter.name, f" (by {parameter.step:g}, the step of {parameter.name})"
            raise ParameterError(
                f"axis {axis!r} means {name} = {_shortened(numbers)}{by if axis.count(':') == 1 else ''}, "
                f"but {name}={number:.12g} is not {wanted}"
            )
        yield value


def _rounded(parameter: Parameter, number: float) -> int | float:
    """The value nearest to a number among those that the steps of a parameter lead to, in its range or not."""
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


def _shortened(numbers: Sequence[float]) -> str:
    """'8, 16, 24, 32': the numbers of a range, of many the first ones and the last."""
    texts = [f"{number:.12g}" for number in numbers]
    return ", ".join(texts if len(texts) <= MOST_TOLD else [*texts[: MOST_TOLD - 1], "...", texts[-1]])


def _number(axis: str, text: str) -> float:
    try:
        number = real(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"axis {axis!r}: {text!r} is not a number; a range is {FORMS}")
    return number


def _check_count(axis: str, count: int) -> None:
    if count > MOST_VALUES:
        raise ParameterError(f"axis {axis!r} has {count:,} values; at most {MOST_VALUES:,} are possible")


def _different(axis: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(values)) < len(values):
        raise ParameterError(f"axis {axis!r} names a value twice; give every value once")
    return values


def _grows_by_a_factor(values: tuple[Any, ...]) -> bool:
    """Whether a logarithmic scale suits a list of numbers: three or more over at least a factor of eight."""
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(numbers) < max(3, len(values)) or min(numbers) <= 0:
        return False
    return max(numbers) / min(numbers) >= 8
