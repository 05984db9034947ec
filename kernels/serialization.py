"""Serialization of frozen dataclasses to JSON values and arrays, and digests that identify them.

A dataclass is written as its stored name and its fields, an array as whatever ``put`` returns for it. The stored name
comes from `stored` and stays the same when the class is moved or renamed. Reading creates classes with a stored name
only, whatever the file says. The modules of these classes must have been imported; the registry imports all families.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, field, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.typed_fields import make_checked

ADDED_LATER = "added later"
"""Mark of a field that earlier versions lack (`added_field`)."""
LABELS = frozenset({"name", "description", "source", "note"})
"""Fields that name data and their origin; they do not count in digests."""

FORMER_NAMES = Path(__file__).with_name("former_names.json")
"""JSON file that maps the names in the oldest files to the stored names of today. Nothing is ever added or changed."""

Upgrade = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""A function that turns the fields of any earlier form of a stored type into the fields of today."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TYPES: dict[str, type] = {}
_NAMES: dict[type, str] = {}
_UPGRADES: dict[str, Upgrade] = {}
_Kind = TypeVar("_Kind", bound=type)


def stored(name: str, upgrade: Upgrade | None = None) -> Callable[[_Kind], _Kind]:
    """Declare the name under which files store a dataclass or an enumeration.

    Parameters
    ----------
    name
        Lower-case words with hyphens. It must never change or be given to another class: users have files with it.
    upgrade
        Called with the decoded fields of every value that is read; returns the fields that the class has today.
        It must return fields that are already of today's form unchanged.

    The decorator is placed above ``@dataclass``. Raises ValueError if another class has the name, TypeError if the
    class is neither a dataclass nor an enumeration.
    """

    def declare(kind: _Kind) -> _Kind:
        if not _NAME.fullmatch(name):
            raise ValueError(f"@stored({name!r}): a name is lower-case words and digits with hyphens between them")
        if "__dataclass_fields__" not in vars(kind) and not issubclass(kind, Enum):
            raise TypeError(f"@stored({name!r}): {kind.__name__} is no dataclass or enumeration; it stands above those")
        other = _TYPES.get(name, kind)
        if (other.__module__, other.__qualname__) != (kind.__module__, kind.__qualname__):  # a reloaded one may come
            raise ValueError(f"@stored({name!r}): {other.__module__}:{other.__qualname__} has this name already")
        _TYPES[name], _NAMES[kind] = kind, name
        if upgrade is not None:
            _UPGRADES[name] = upgrade
        return kind

    return declare


def is_stored(kind: type) -> bool:
    """Return whether files may hold values of this type."""
    return kind in _NAMES


def stored_types() -> Mapping[str, type]:
    """Return the types that files may hold by their stored names, as far as their modules were imported."""
    return MappingProxyType(_TYPES)


def stored_name(kind: type) -> str:
    """Return the stored name of a type; raise InputError if it has none."""
    if kind not in _NAMES:
        raise InputError(
            f"a {kind.__name__} cannot be written to a file because it has no stored name; "
            f'write @stored("...") above the class in {kind.__module__}'
        )
    return _NAMES[kind]


@cache
def original_name(kind: type) -> str:
    """Return the first stored name of a type, which digests use so that they never change."""
    name = stored_name(kind)
    return next((former for former, now in _former_names().items() if now == name), name)


def original_class_name(kind: type) -> str:
    """Return the class name in the first stored name of a type; for a type without one its own name."""
    return original_name(kind).rpartition(":")[2] if is_stored(kind) else kind.__name__


def stored_type(name: str) -> type:
    """Return the type with this stored or former name; raise InputError for an unknown name."""
    found = _TYPES.get(_former_names().get(name, name))
    if found is None:
        raise InputError(f"the file names {name}, which this version of the program does not know")
    return found


@cache
def _former_names() -> Mapping[str, str]:
    return json.loads(FORMER_NAMES.read_text(encoding="utf-8"))


def added_field(default: Any, compare: bool = True) -> Any:
    """Return a dataclass field that earlier versions lack.

    It is written only where it differs from its default, so that files and digests of these versions still hold.
    Without ``compare`` it counts neither in comparisons nor in digests.
    """
    return field(default=default, compare=compare, metadata={ADDED_LATER: True})


def is_written(value: Any, member: Field[Any]) -> bool:
    """Return whether a field counts in files and digests: not where it was added later and has its default."""
    if ADDED_LATER not in member.metadata:
        return True
    current = getattr(value, member.name)
    return type(current) is not type(member.default) or bool(current != member.default)


def use_default_form(value: Any) -> Any:
    """Return None: no value has a special form (default of ``own`` in `encode` and `decode`)."""
    return None


def encode(value: Any, put: Callable[[np.ndarray], Any], own: Callable[[Any], Any] = use_default_form) -> Any:
    """Return a value as JSON data.

    Parameters
    ----------
    value
        Frozen dataclasses with a stored name, enumerations, arrays, bytes, numbers, texts, mappings and tuples.
        If a value has a method ``stored_form``, its result is written instead.
    put
        Stores an array and returns the JSON value by which ``get`` of `decode` finds it.
    own
        Returns a special form of a value, or None for the usual form.

    Raises InputError for a value of another type, or of a dataclass without a stored name.
    """
    if (written := own(value)) is not None:
        return written
    if (stored_form := getattr(value, "stored_form", None)) is not None:
        return encode(stored_form(), put, own)
    if isinstance(value, Enum):
        return {"enum": stored_name(type(value)), "value": value.value}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bytes):
        return {"bytes": put(np.frombuffer(value, np.uint8))}
    if isinstance(value, np.ndarray):
        return {"array": put(value)}
    if isinstance(value, Mapping):
        return {"mapping": {name: encode(part, put, own) for name, part in value.items()}}
    if isinstance(value, (tuple, list, frozenset)):
        return {"tuple": [encode(part, put, own) for part in value]}
    if is_dataclass(value):
        parts = {
            field.name: encode(getattr(value, field.name), put, own)
            for field in fields(value)
            if field.init and is_written(value, field)
        }
        return {"class": stored_name(type(value)), "fields": parts}
    raise InputError(f"a {type(value).__name__} cannot be written to a file of the engine")


def decode(tree: Any, get: Callable[[Any], np.ndarray], own: Callable[[Any], Any] = use_default_form) -> Any:
    """Return the value that `encode` wrote.

    ``get`` returns the array of a place, and ``own`` reads the special forms that the ``own`` of `encode` wrote. Fields
    of an earlier form are upgraded by the function that `stored` registered. Raises InputError for unknown types,
    TypeError for a value that its field does not allow.
    """
    if not isinstance(tree, dict):
        return tree
    if (read := own(tree)) is not None:
        return read
    match tree:
        case {"enum": str(name), "value": member}:
            return stored_type(name)(member)
        case {"bytes": place}:
            return get(place).tobytes()
        case {"array": place}:
            array = get(place)
            # A writeable array is used as it is; others, such as memory-mapped ones, are copied.
            array = np.asarray(array) if array.flags.writeable else np.array(array)
            array.setflags(write=False)
            return array
        case {"mapping": dict(parts)}:
            return MappingProxyType({name: decode(part, get, own) for name, part in parts.items()})
        case {"tuple": list(parts)}:
            return tuple(decode(part, get, own) for part in parts)
        case {"class": str(name), "fields": dict(parts)}:
            kind, values = stored_type(name), {field: decode(part, get, own) for field, part in parts.items()}
            upgrade = _UPGRADES.get(stored_name(kind))
            return make_checked(kind, upgrade(values) if upgrade else values)
    raise InputError("the file holds a value that this version of the program does not know")


def digest_value(value: Any) -> str:
    """Return 32 hexadecimal digits, equal for values that are equal apart from their labels (LABELS)."""
    found = hashlib.blake2b(digest_size=16)
    _feed_digest(value, found.update)
    return found.hexdigest()


def _feed_digest(value: Any, add: Callable[[Any], None]) -> None:
    """Feed every part of a value, each after its type and size, so that no two values give the same bytes."""
    if isinstance(value, np.ndarray):
        add(f"array {value.dtype.str} {value.shape}\n".encode())
        add(np.ascontiguousarray(value).data.cast("B") if value.size else b"")
    elif isinstance(value, bytes):
        add(f"bytes {len(value)}\n".encode())
        add(value)
    elif isinstance(value, Mapping):
        add(f"mapping {len(value)}\n".encode())
        for name in sorted(value):
            _feed_digest(name, add)
            _feed_digest(value[name], add)
    elif isinstance(value, Sequence) and not isinstance(value, str):  # tuples, lists, and sets of sequences
        add(f"tuple {len(value)}\n".encode())
        for part in value:
            _feed_digest(part, add)
    elif is_dataclass(value) and not isinstance(value, type):
        named = [
            field for field in fields(value) if field.compare and field.name not in LABELS and is_written(value, field)
        ]
        add(f"{original_name(type(value))} {len(named)}\n".encode())
        for field in named:
            _feed_digest(getattr(value, field.name), add)
    else:
        plain = value.item() if isinstance(value, np.generic) else value
        plain = int(plain) if isinstance(plain, float) and plain.is_integer() else plain
        text = repr(plain.value if isinstance(plain, Enum) else plain)
        add(f"{original_class_name(type(plain))} {len(text)} {text}\n".encode())
