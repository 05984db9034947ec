"""Digests of problems and answers: equal data, equal digest, in every process."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from antidiag.kernels.serialization import first_class_name

LETTERS = 16
"""Hexadecimal digits of a digest: 64 bits."""

TOLD = frozenset({"source", "note", "description"})
"""Fields that tell where data came from and change no answer."""


def digest(value: Any) -> str:
    """A digest of frozen data: dataclasses, enums, arrays, bytes, texts, numbers, tuples, mappings, None.

    Fields of a dataclass that do not count in comparisons, and those that only tell where data came from, are
    left out. TypeError names a type that cannot be digested.
    """
    found = hashlib.sha256()
    _feed(found, value)
    return found.hexdigest()[:LETTERS]


def _feed(found: Any, value: Any) -> None:
    if isinstance(value, Enum):
        _feed(found, value.value)
    elif value is None or isinstance(value, (bool, int, float, complex, str, np.generic)):
        plain = value.item() if isinstance(value, np.generic) else value
        _add(found, type(plain).__name__, repr(plain).encode())
    elif isinstance(value, (bytes, bytearray, memoryview)):
        _add(found, "bytes", bytes(value))
    elif isinstance(value, np.ndarray):
        _add(
            found, f"array {value.dtype.str} {value.shape}", np.ascontiguousarray(value).reshape(-1).view(np.uint8).data
        )
    elif is_dataclass(value) and not isinstance(value, type):
        kept = [field.name for field in fields(value) if field.compare and field.name not in TOLD]
        _add(found, f"dataclass {first_class_name(type(value))} {len(kept)}", b"")
        for name in kept:
            _feed(found, name)
            _feed(found, getattr(value, name))
    elif isinstance(value, Mapping):
        _add(found, f"mapping {len(value)}", b"")
        for key in sorted(value, key=repr):
            _feed(found, key)
            _feed(found, value[key])
    elif isinstance(value, (set, frozenset)):
        _add(found, "set", "".join(sorted(digest(item) for item in value)).encode())
    elif isinstance(value, (tuple, list)):
        _add(found, f"tuple {len(value)}", b"")
        for item in value:
            _feed(found, item)
    else:
        raise TypeError(f"{type(value).__name__} has no digest; make it a frozen dataclass")


def _add(found: Any, kind: str, data: bytes | memoryview) -> None:
    found.update(f"{kind} {len(data)}\n".encode())
    found.update(data)
