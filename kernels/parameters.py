"""Parameters: values that the user may set. Forms, command-line flags and sweeps are derived from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.text import parse_integer, parse_real, quote_text, suggest_names

Kind = Literal["int", "float", "choice", "bool", "text"]
BOTH_BACKENDS, CPU_ONLY, GPU_ONLY = ("cpu", "cuda"), ("cpu",), ("cuda",)
WHOLE_LIMIT = 2**63
"""Absolute values of integers must be below this, so that arrays can hold them."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """Declaration of a value that the user may set.

    If ``default`` is None, the program chooses a value for the problem and the device (shown as "automatic").
    ``minimum`` and ``maximum`` are inclusive; integers are ``minimum + k * step``. ``choices`` belongs to kind
    "choice". ``backends`` are the backends that use the parameter. ``overrides`` are options that have no effect if
    this one has a value. Integers between the steps are valid too where ``between_steps`` says when ("with
    mapping=cells"); the method refuses them otherwise (see ``Method.fit_parameters``). ``proteins_only``: it has no
    effect on nucleotides, for which it is neither offered nor reported; ``nucleotides_only`` likewise.
    ``aliases`` are pairs of another name, in lower case, and the choice that it stands for.
    """

    name: str
    kind: Kind
    label: str
    help: str
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    step: float = 1
    unit: str = ""
    choices: tuple[str, ...] = ()
    backends: tuple[str, ...] = BOTH_BACKENDS
    overrides: tuple[str, ...] = ()
    between_steps: str = ""
    proteins_only: bool = False
    nucleotides_only: bool = False
    aliases: tuple[tuple[str, str], ...] = ()

    @property
    def finest_step(self) -> float:
        """The step between all valid values."""
        return 1 if self.between_steps else self.step

    def parse(self, text: str) -> Any:
        """Return the value of a text from the command line; raise ParameterError if it is not valid."""
        if self.default is None and text.strip().lower() in ("auto", "automatic"):
            return None
        try:
            match self.kind:
                case "int":
                    return self.validate(parse_integer(text))
                case "float":
                    return self.validate(parse_real(text))
                case "bool":
                    return _BOOLEANS[text.strip().lower()]
                case _:
                    return self.validate(text)
        except (ValueError, KeyError):
            raise self._range_error(quote_text(text)) from None

    def validate(self, value: Any) -> Any:
        """Return ``value`` if it is valid; else raise ParameterError with the name and the range."""
        if value is None and self.default is None:
            return None
        if self.aliases and isinstance(value, str):
            names = {choice.lower(): choice for choice in self.choices} | dict(self.aliases)
            value = names.get(value.lower(), value)
        if self.choices and isinstance(value, int) and str(value) in self.choices:
            value = str(value)
        if not self._is_valid(value):
            raise self._range_error(repr(value))
        return value

    def describe_values(self) -> str:
        """Return the valid values in words: 'auto or a multiple of 32 between 32 and 1024'."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "bool":
            return "yes or no"
        if self.kind == "text":
            return "text"
        automatic = "auto or " if self.default is None else ""
        return automatic + self._number_noun() + self._range_text() + self._between_text()

    def _range_error(self, quoted_value: str) -> ParameterError:
        unit = f" ({self.unit})" if self.unit else ""
        meant = suggest_names(quoted_value.strip("'\""), self.choices)
        hint = f"; {meant}" if meant else ""
        return ParameterError(f"{self.name} must be {self.describe_values()}{unit}; got {quoted_value}{hint}")

    def _number_noun(self) -> str:
        if self.kind == "float":
            return "a number"
        if self.step == 1:
            return "a whole number"
        if (self.minimum or 0) % self.step == 0:
            return f"a multiple of {self.step}"
        return f"a whole number in steps of {self.step}"

    def _between_text(self) -> str:
        return f", or any whole number {self.between_steps}" if self.between_steps else ""

    def _range_text(self) -> str:
        if self.minimum is None:
            return "" if self.maximum is None else f" of at most {self.maximum}"
        return f" of at least {self.minimum}" if self.maximum is None else f" between {self.minimum} and {self.maximum}"

    def _is_valid(self, value: Any) -> bool:
        if self.kind == "choice":
            return value in self.choices
        if self.kind == "bool":
            return isinstance(value, bool)
        if self.kind == "text":
            return isinstance(value, str)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        if not (abs(value) < WHOLE_LIMIT if isinstance(value, int) else math.isfinite(value)):
            return False
        if self.kind == "int" and (int(value) != value or (value - (self.minimum or 0)) % self.finest_step):
            return False
        low = self.minimum is None or value >= self.minimum
        return low and (self.maximum is None or value <= self.maximum)


_BOOLEANS = dict.fromkeys(("yes", "true", "1", "on"), True) | dict.fromkeys(("no", "false", "0", "off"), False)


def resolve_values(
    parameters: Iterable[Parameter], given_values: Mapping[str, Any], automatic: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """Return a read-only value for every parameter: the given value, else the automatic value, else the default.

    Raises ParameterError for unknown names and values out of range.
    """
    declared = {parameter.name: parameter for parameter in parameters}
    for name in given_values:
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise ParameterError(f"unknown parameter {name!r}; known parameters: {known}")
    chosen = dict(automatic or {})
    values = {}
    for name, parameter in declared.items():
        value = parameter.validate(given_values[name]) if name in given_values else parameter.default
        values[name] = chosen.get(name) if value is None else value
    return MappingProxyType(values)


def parameter(
    label: str,
    help: str,
    *,
    default: Any = None,
    minimum: float | None = None,
    maximum: float | None = None,
    step: float = 1,
    unit: str = "",
    backends: tuple[str, ...] = BOTH_BACKENDS,
    between_steps: str = "",
) -> Any:
    """Return a field of a `MethodParameters` with its declaration (see `Parameter`).

    Name and kind come from the field: ``width: int``, ``precision: Literal["32", "16"]``. A field without a default
    gets a value that ``Method.choose_parameters`` chooses.
    """
    declared = {
        "label": label,
        "help": help,
        "default": default,
        "minimum": minimum,
        "maximum": maximum,
        "step": step,
        "unit": unit,
        "backends": backends,
        "between_steps": between_steps,
    }
    return field(default=MISSING if default is None else default, metadata=declared)


def thread_count(help: str, backends: tuple[str, ...] = CPU_ONLY) -> Any:
    """Return the field of the number of threads."""
    return parameter("Threads", help, minimum=1, maximum=1024, unit="threads", backends=backends)


@dataclass(frozen=True, kw_only=True)
class MethodParameters:
    """Values that change the cost of a run and never its answer; the parameters of a method that has none.

    A subclass is a frozen dataclass whose fields are made by `parameter`.
    """

    @classmethod
    @cache
    def declared(cls) -> tuple[Parameter, ...]:
        """Return the declarations of all parameters, in the order of the fields."""
        types = get_type_hints(cls)
        return tuple(_declare(one.name, types[one.name], one.metadata) for one in fields(cls))

    @classmethod
    @cache
    def names(cls) -> frozenset[str]:
        """Return the names of all parameters."""
        return frozenset(one.name for one in fields(cls))

    @classmethod
    def resolve(cls, chosen: Mapping[str, Any], automatic: Mapping[str, Any]) -> Self:
        """Return the chosen values, else the automatic ones, else the defaults.

        Raises ParameterError for unknown names and values out of range.
        """
        return cls(**resolve_values(cls.declared(), chosen, automatic))

    @classmethod
    def restore(cls, stored: Mapping[str, Any]) -> Self:
        """Return stored values; one that an earlier version did not store has its default, or None if it has none."""
        return cls(**{one.name: stored.get(one.name, one.default) for one in cls.declared()})

    @classmethod
    def select_used(cls, values: Mapping[str, Any], backend: str) -> dict[str, Any]:
        """Return the values of the parameters that a backend uses."""
        used = {one.name for one in cls.declared() if backend in one.backends}
        return {name: value for name, value in values.items() if name in used}

    @classmethod
    def json_values(cls, values: Mapping[str, Any], backend: str) -> dict[str, Any]:
        """Return the values that a backend uses for JSON: choices between numbers are numbers."""
        numeric = {one.name for one in cls.declared() if one.choices and all(map(str.isdigit, one.choices))}
        used = cls.select_used(values, backend)
        return {name: int(value) if name in numeric and value is not None else value for name, value in used.items()}

    def as_mapping(self) -> Mapping[str, Any]:
        """Return the values by name, read-only."""
        return MappingProxyType({one.name: getattr(self, one.name) for one in fields(self)})

    @property
    def worker_threads(self) -> int:
        """Threads of the CPU: 1 for a method without a parameter ``threads``."""
        return getattr(self, "threads", 1)

    def timed_threads(self, backend: str) -> int:
        """Return the threads that share the work of a run: a GPU counts as one, whatever threads its host has."""
        return self.worker_threads if backend == "cpu" else 1


_KINDS: Mapping[Any, Kind] = {int: "int", float: "float", bool: "bool", str: "text"}


def _declare(name: str, type: Any, declared: Mapping[str, Any]) -> Parameter:
    """Return the declaration of a field; a Literal is a choice."""
    if get_origin(type) is Literal:
        return Parameter(name, "choice", **declared, choices=get_args(type))
    return Parameter(name, _KINDS[type], **declared)
