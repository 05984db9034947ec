"""Dataclasses from files: a value that is not of the type which its field declares is refused at once."""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

MOST_BITS = 1000
"""Bits of a whole number: one of more has no quotient that is a float."""
_Made = TypeVar("_Made")


def made(kind: type[_Made], values: Mapping[str, Any]) -> _Made:
    """``kind(**values)``; TypeError that names the field whose value is of another type, or that it does not have."""
    hints = _hints(kind)  # type: ignore[arg-type] # classes can be hashed
    for name, value in values.items():
        if not fits(value, hints.get(name, Any)):
            raise TypeError(f"{name} of a {kind.__name__} cannot be a {type(value).__name__}")
    return kind(**values)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type, with all that it holds; a whole number is a number, true is none."""
    if hint is Any or isinstance(hint, (TypeVar, str)):
        return True
    if hint is None or hint is types.NoneType:
        return value is None
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return any(value == part and type(value) is type(part) for part in parts)
    if hint in (int, float):
        numbers = (int, np.integer) if hint is int else (int, float, np.number)
        if isinstance(value, bool) or not isinstance(value, numbers):
            return False
        return not isinstance(value, int) or value.bit_length() < MOST_BITS
    return _holds(value, origin, parts) if origin else not isinstance(hint, type) or isinstance(value, hint)


def _holds(value: Any, origin: Any, parts: tuple[Any, ...]) -> bool:
    """The same of what holds others; files have a tuple for every collection but mappings."""
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(parts) == 2 and parts[1] is ...:
            return all(fits(one, parts[0]) for one in value)
        return len(value) == len(parts) and all(map(fits, value, parts))
    if not isinstance(origin, type):
        return True
    if issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            fits(key, parts[0]) and fits(one, parts[1]) for key, one in value.items()
        )
    if issubclass(origin, Collection):
        return isinstance(value, Collection) and not isinstance(value, (str, bytes))
    return isinstance(value, origin)


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    """The types of all fields; nothing where one of them is not known before a run."""
    try:
        return get_type_hints(kind)
    except NameError:
        return {}
