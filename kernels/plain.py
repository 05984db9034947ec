"""Frozen data of the engine as plain values and arrays, so that one rule writes every problem; and what identifies it.

A dataclass is its name and its fields, an array is what ``put`` made of it. Reading makes nothing but dataclasses and
enumerations of the kernels, whatever a file says.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any

import numpy as np

from kernels.errors import InputError

LABELS = frozenset({"name", "description", "source", "note"})
"""Fields that say what data is called and where it came from, not what it is."""


def nothing(value: Any) -> Any:
    """No value is written, or read, in a way of its own."""
    return None


def encode(value: Any, put: Callable[[np.ndarray], Any], own: Callable[[Any], Any] = nothing) -> Any:
    """``value`` as what JSON can hold; ``put(array)`` keeps an array and says how it is found again.

    ``own(part)`` writes some parts in a way of its own, and returns None for all others. InputError for a value of a
    kind that no problem may hold.
    """
    if (written := own(value)) is not None:
        return written
    if isinstance(value, Enum):
        return {"enum": _name(type(value)), "value": value.value}
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
        return {"class": _name(type(value)), "fields": parts}
    raise InputError(f"a {type(value).__name__} cannot be written to a file of the engine")


def decode(tree: Any, get: Callable[[Any], np.ndarray], own: Callable[[Any], Any] = nothing) -> Any:
    """The value that ``encode`` wrote; ``get`` finds an array again, and ``own`` reads what the writer's own wrote.

    InputError for what the engine does not know.
    """
    if not isinstance(tree, dict):
        return tree
    if (read := own(tree)) is not None:
        return read
    match tree:
        case {"enum": name, "value": member}:
            return kernel_class(name)(member)
        case {"bytes": place}:
            return get(place).tobytes()
        case {"array": place}:
            array = np.array(get(place))
            array.setflags(write=False)
            return array
        case {"mapping": parts}:
            return MappingProxyType({name: decode(part, get, own) for name, part in parts.items()})
        case {"tuple": parts}:
            return tuple(decode(part, get, own) for part in parts)
        case {"class": name, "fields": parts}:
            return kernel_class(name)(**{field: decode(part, get, own) for field, part in parts.items()})
    raise InputError("the file holds something that this program does not know")


def kernel_class(name: str) -> type:
    """A dataclass or an enumeration of the kernels by the name that `encode` wrote; InputError for anything else."""
    module, _, qualified = name.partition(":")
    if not module.startswith("kernels."):
        raise InputError(f"the file names {name}, which is no part of the engine")
    try:
        found = getattr(importlib.import_module(module), qualified)
    except (ImportError, AttributeError):
        raise InputError(f"the file names {name}, which this version of the engine does not have") from None
    if not isinstance(found, type) or not (is_dataclass(found) or issubclass(found, Enum)):
        raise InputError(f"the file names {name}, which is no data of the engine")
    return found


def digest(value: Any) -> str:
    """32 hexadecimal digits that two values share where they are equal but for their labels."""
    found = hashlib.blake2b(digest_size=16)
    _feed(value, found.update)
    return found.hexdigest()


def _feed(value: Any, add: Callable[[Any], None]) -> None:
    """Every part of a value, each after its kind and size, so that no two values read alike."""
    if isinstance(value, np.ndarray):
        add(f"array {value.dtype.str} {value.shape}\n".encode())
        add(np.ascontiguousarray(value).data.cast("B"))
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
        add(f"{_name(type(value))} {len(named)}\n".encode())
        for field in named:
            _feed(getattr(value, field.name), add)
    else:
        plain = value.item() if isinstance(value, np.generic) else value
        plain = int(plain) if isinstance(plain, float) and plain.is_integer() else plain
        text = repr(plain.value if isinstance(plain, Enum) else plain)
        add(f"{type(plain).__name__} {len(text)} {text}\n".encode())


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"
