"""Parameter: a value the user may set, declared once; forms, flags and sweeps are derived from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.text import real, shown, whole

Kind = Literal["int", "float", "choice", "bool", "text"]
WHOLE_LIMIT = 2**63
"""Whole numbers stay below it in size: no array holds others."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value that the user may set.

    ``default`` is None where the program chooses a value for the problem and device at hand
    (shown as "automatic"). ``minimum`` and ``maximum`` are inclusive; whole
    numbers are ``minimum + k * step``. ``choices`` belongs to kind "choice". ``backends`` names the backends
    that use the parameter. ``instead_of`` names options that a value of this one puts out of force.
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
    backends: tuple[str, ...] = ("cpu", "cuda")
    instead_of: tuple[str, ...] = ()

    def parse(self, text: str) -> Any:
        """Value of a command-line string; ParameterError when it is not one."""
        if self.default is None and text.strip().lower() in ("auto", "automatic"):
            return None
        try:
            match self.kind:
                case "int":
                    return self.validate(whole(text))
                case "float":
                    return self.validate(real(text))
                case "bool":
                    return _BOOLEANS[text.strip().lower()]
                case _:
                    return self.validate(text)
        except (ValueError, KeyError):
            raise ParameterError(f"{self.name}={shown(text)} is not {self.expected()}") from None

    def validate(self, value: Any) -> Any:
        """``value`` itself, or a ParameterError that names the parameter and its range."""
        if value is None and self.default is None:
            return None
        if not self._accepts(value):
            raise ParameterError(f"{self.name}={value!r} is not {self.expected()}")
        return value

    def expected(self) -> str:
        """What a valid value looks like, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "bool":
            return "yes or no"
        if self.kind == "text":
            return "text"
        noun = "a whole number" if self.kind == "int" else "a number"
        span = {
            (True, True): f" from {self.minimum} to {self.maximum}",
            (True, False): f" of at least {self.minimum}",
            (False, True): f" of at most {self.maximum}",
        }.get((self.minimum is not None, self.maximum is not None), "")
        steps = f", a multiple of {self.step}" if self.kind == "int" and self.step != 1 else ""
        automatic = ", or auto" if self.default is None else ""
        return noun + span + steps + automatic

    def _accepts(self, value: Any) -> bool:
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
        if self.kind == "int" and (int(value) != value or (value - (self.minimum or 0)) % self.step):
            return False
        low = self.minimum is None or value >= self.minimum
        return low and (self.maximum is None or value <= self.maximum)


_BOOLEANS = {"yes": True, "true": True, "1": True, "on": True,
             "no": False, "false": False, "0": False, "off": False}  # fmt: skip


def resolve(
    parameters: Iterable[Parameter], given: Mapping[str, Any], automatic: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """A read-only value for every parameter: given, else automatic, else the default.

    Unknown names and values out of range raise ParameterError.
    """
    declared = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise ParameterError(f"unknown parameter {name!r}; this method has: {known}")
    chosen = dict(automatic or {})
    values = {}
    for name, parameter in declared.items():
        value = parameter.validate(given.get(name, parameter.default))
        values[name] = chosen.get(name) if value is None else value
    return MappingProxyType(values)


Record = TypeVar("Record")


def typed(record: type[Record], values: Mapping[str, Any]) -> Record:
    """The values of resolved parameters as the fields of a frozen dataclass, in which a method reads them.

    A field that the method does not have as a parameter keeps its default; KeyError where it has none. Parameters
    that the dataclass has no field for are left out.
    """
    declared = fields(record)  # type: ignore[arg-type] # every record is a dataclass
    needed = [one.name for one in declared if one.default is MISSING and one.name not in values]
    if needed:
        raise KeyError(f"{record.__name__} needs {', '.join(needed)}, and these parameters have {', '.join(values)}")
    return record(**{one.name: values[one.name] for one in declared if one.name in values})
