"""Frozen data of the engine as plain values and arrays, so that one rule writes every problem; and what identifies it.

A dataclass is its name and its fields, an array is what ``put`` made of it. The name is the one that ``stored`` gives
the class: it stays when the class is moved or renamed. Reading makes nothing but classes that are declared so, whatever
a file says, and knows those whose modules were imported: who reads imports the registry, which has all families.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.typed_fields import made

LABELS = frozenset({"name", "description", "source", "note"})
"""Fields that say what data is called and where it came from, not what it is."""

FORMER_NAMES = Path(__file__).with_name("former_names.json")
"""What files called the stored types before these had names of their own, and the names that they have now. It is
history: nothing is ever added or changed."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TYPES: dict[str, type] = {}
_NAMES: dict[type, str] = {}
_Kind = TypeVar("_Kind", bound=type)


def stored(name: str) -> Callable[[_Kind], _Kind]:
    """Declare a dataclass or an enumeration that goes to files, which know it by this name from then on.

    It stands above ``@dataclass``. The name is lower-case words with hyphens, and must never change nor be given to
    another class, for users have files with it. ValueError where another class has it; TypeError for no such class.
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
        return kind

    return declare


def is_stored(kind: type) -> bool:
    """Whether files may hold values of this type."""
    return kind in _NAMES


def stored_types() -> Mapping[str, type]:
    """The types that files may hold, by their names, as far as their modules were imported."""
    return MappingProxyType(_TYPES)


def name_of(kind: type) -> str:
    """The name of a type in files; InputError, which says what to do, where it has none."""
    if kind not in _NAMES:
        raise InputError(
            f"a {kind.__name__} cannot be written to a file, for it has no name there; "
            f'write @stored("...") above the class in {kind.__module__}'
        )
    return _NAMES[kind]


@cache
def first_name(kind: type) -> str:
    """The name that files had for a type at first, which digests go on with: they stay equal for ever."""
    name = name_of(kind)
    return next((former for former, now in _former_names().items() if now == name), name)


def first_class_name(kind: type) -> str:
    """The name that the class had at first; of a class that files do not know, its name."""
    return first_name(kind).rpartition(":")[2] if is_stored(kind) else kind.__name__


def type_of(name: str) -> type:
    """The type that files know by this name, or once knew; InputError where there is none."""
    found = _TYPES.get(_former_names().get(name, name))
    if found is None:
        raise InputError(f"the file names {name}, which this version of the program does not know")
    return found


@cache
def _former_names() -> Mapping[str, str]:
    return json.loads(FORMER_NAMES.read_text(encoding="utf-8"))


def nothing(value: Any) -> Any:
    """No value is written, or read, in a way of its own."""
    return None


def encode(value: Any, put: Callable[[np.ndarray], Any], own: Callable[[Any], Any] = nothing) -> Any:
    """``value`` as what JSON can hold; ``put(array)`` keeps an array and says how it is found again.

    ``own(part)`` writes some parts in a way of its own, and returns None for all others. Of a value that has a method
    ``stored_form`` what that returns is written. InputError for a value of a
    kind that no problem may hold, or that has no name in files.
    """
    if (written := own(value)) is not None:
        return written
    if (stored_form := getattr(value, "stored_form", None)) is not None:
        return encode(stored_form(), put, own)
    if isinstance(value, Enum):
        return {"enum": name_of(type(value)), "value": value.value}
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
        parts = {field.name: encode(getattr(value, field.name), put, own) for field in fields(value) if field.init}
        return {"class": name_of(type(value)), "fields": parts}
    raise InputError(f"a {type(value).__name__} cannot be written to a file of the engine")


def decode(tree: Any, get: Callable[[Any], np.ndarray], own: Callable[[Any], Any] = nothing) -> Any:
    """The value that ``encode`` wrote; ``get`` finds an array again, and ``own`` reads what the writer's own wrote.

    InputError for what the engine does not know, TypeError for a value that no field of its class can have.
    """
    if not isinstance(tree, dict):
        return tree
    if (read := own(tree)) is not None:
        return read
    match tree:
        case {"enum": name, "value": member}:
            return type_of(name)(member)
        case {"bytes": place}:
            return get(place).tobytes()
        case {"array": place}:
            array = get(place)
            # One that can be written to is taken over; others, such as those of a file that is mapped, are copied.
            array = np.asarray(array) if array.flags.writeable else np.array(array)
            array.setflags(write=False)
            return array
        case {"mapping": parts}:
            return MappingProxyType({name: decode(part, get, own) for name, part in parts.items()})
        case {"tuple": parts}:
            return tuple(decode(part, get, own) for part in parts)
        case {"class": name, "fields": parts}:
            return made(type_of(name), {field: decode(part, get, own) for field, part in parts.items()})
    raise InputError("the file holds something that this program does not know")


def digest(value: Any) -> str:
    """32 hexadecimal digits that two values share where they are equal but for their labels."""
    found = hashlib.blake2b(digest_size=16)
    _feed(value, found.update)
    return found.hexdigest()


def _feed(value: Any, add: Callable[[Any], None]) -> None:
    """Every part of a value, each after its kind and size, so that no two values read alike."""
    if isinstance(value, np.ndarray):
        add(f"array {value.dtype.str} {value.shape}\n".encode())
        add(np.ascontiguousarray(value).data.cast("B") if value.size else b"")
    elif isinstance(value, bytes):
        add(f"bytes {len(value)}\n".encode())
        add(value)
    elif isinstance(value, Mapping):
        add(f"mapping {len(value)}\n".encode())
        for name in sorted(value):
            _feed(name, add)
            _feed(value[name], add)
    elif isinstance(value, (tuple, list)):
        add(f"tuple {len(value)}\n".encode())
        for part in value:
            _feed(part, add)
    elif is_dataclass(value) and not isinstance(value, type):
        named = [field for field in fields(value) if field.compare and field.name not in LABELS]
        add(f"{first_name(type(value))} {len(named)}\n".encode())
        for field in named:
            _feed(getattr(value, field.name), add)
    else:
        plain = value.item() if isinstance(value, np.generic) else value
        plain = int(plain) if isinstance(plain, float) and plain.is_integer() else plain
        text = repr(plain.value if isinstance(plain, Enum) else plain)
        add(f"{first_class_name(type(plain))} {len(text)} {text}\n".encode())
