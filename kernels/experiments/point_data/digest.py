"""Digests of problems, answers and sweeps: equal data have equal digests in every process and version."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from antidiag.kernels.sequences.sequence_set import SequenceSet
from antidiag.kernels.serialization import is_written, original_class_name

DIGITS = 16
"""Hexadecimal digits of a digest: 64 bits."""

ORIGIN_FIELDS = frozenset({"source", "note", "description"})
"""Fields that state the origin of data; they do not count."""


def digest_value(value: Any) -> str:
    """Return 16 hexadecimal digits that identify frozen data.

    Data are dataclasses, enums, arrays, bytes, texts, numbers, tuples, mappings and None. Fields with ``compare=False``
    and fields that state the origin of data do not count. A class may fix its name in digests by ``digest_name``.
    Raises TypeError for other types.
    """
    found = hashlib.sha256()
    _feed_value(found, value)
    return found.hexdigest()[:DIGITS]


def _feed_value(found: Any, value: Any) -> None:
    if isinstance(value, Enum):
        _feed_value(found, value.value)
    elif value is None or isinstance(value, (bool, int, float, complex, str, np.generic)):
        plain = value.item() if isinstance(value, np.generic) else value
        _add(found, type(plain).__name__, repr(plain).encode())
    elif isinstance(value, (bytes, bytearray, memoryview)):
        _add(found, "bytes", bytes(value))
    elif isinstance(value, np.ndarray):
        _add(
            found, f"array {value.dtype.str} {value.shape}", np.ascontiguousarray(value).reshape(-1).view(np.uint8).data
        )
    elif isinstance(value, (tuple, list, SequenceSet)):
        _add(found, f"tuple {len(value)}", b"")
        for item in value:
            _feed_value(found, item)
    elif is_dataclass(value) and not isinstance(value, type):
        kept = [
            field.name
            for field in fields(value)
            if field.compare and field.name not in ORIGIN_FIELDS and is_written(value, field)
        ]
        _add(found, f"dataclass {_class_name(type(value))} {len(kept)}", b"")
        for name in kept:
            _feed_value(found, name)
            _feed_value(found, getattr(value, name))
    elif isinstance(value, Mapping):
        _add(found, f"mapping {len(value)}", b"")
        for key in sorted(value, key=repr):
            _feed_value(found, key)
            _feed_value(found, value[key])
    elif isinstance(value, (set, frozenset)):
        _add(found, "set", "".join(sorted(digest_value(item) for item in value)).encode())
    else:
        raise TypeError(f"{type(value).__name__} has no digest; make it a frozen dataclass")


def _class_name(kind: type) -> str:
    return getattr(kind, "digest_name", None) or original_class_name(kind)


def _add(found: Any, kind: str, data: bytes | memoryview) -> None:
    found.update(f"{kind} {len(data)}\n".encode())
    found.update(data)
