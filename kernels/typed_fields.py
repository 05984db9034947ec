"""Type checks of dataclass fields that are read from files."""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

LONGEST_INTEGER_BITS = 1000
"""Longest integer in bits; longer ones overflow when divided as floats."""
_Made = TypeVar("_Made")


def make_checked(kind: type[_Made], values: Mapping[str, Any]) -> _Made:
    """Return ``kind(**values)``; raise TypeError that names an unknown field or one whose value has another type."""
    hints = _field_types(kind)  # type: ignore[arg-type] # classes can be hashed
    for name, value in values.items():
        if not matches_type(value, hints.get(name, Any)):
            raise TypeError(f"{name} of a {kind.__name__} cannot be a {type(value).__name__}")
    return kind(**values)


def matches_type(value: Any, hint: Any) -> bool:
    """Return whether a value and its contents match a declared type; an int matches float, a bool matches bool only."""
    if hint is Any or isinstance(hint, (TypeVar, str)):
        return True
    if hint is None or hint is types.NoneType:
        return value is None
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(matches_type(value, part) for part in parts)
    if origin is Literal:
        return any(value == part and type(value) is type(part) for part in parts)
    if hint in (int, float):
        numbers = (int, np.integer) if hint is int else (int, float, np.number)
        if isinstance(value, bool) or not isinstance(value, numbers):
            return False
        return not isinstance(value, int) or value.bit_length() < LONGEST_INTEGER_BITS
    return (
        _matches_collection(value, origin, parts) if origin else not isinstance(hint, type) or isinstance(value, hint)
    )


def _matches_collection(value: Any, origin: Any, parts: tuple[Any, ...]) -> bool:
    """Return whether a collection matches a generic type; files store every collection but mappings as a tuple."""
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(parts) == 2 and parts[1] is ...:
            return all(matches_type(one, parts[0]) for one in value)
        return len(value) == len(parts) and all(map(matches_type, value, parts))
    if not isinstance(origin, type):
        return True
    if issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            matches_type(key, parts[0]) and matches_type(one, parts[1]) for key, one in value.items()
        )
    if issubclass(origin, Collection):
        return isinstance(value, Collection) and not isinstance(value, (str, bytes))
    return isinstance(value, origin)


@cache
def _field_types(kind: Any) -> Mapping[str, Any]:
    """Return the types of all fields; an empty mapping if one of them cannot be resolved at run time."""
    try:
        return get_type_hints(kind)
    except NameError:
        return {}
