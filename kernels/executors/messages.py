"""Messages between the caller and its workers: values of the program as bytes, without pickle.

Layout: the length of a JSON head (8 bytes, little-endian), the head, and the bytes of all arrays one after the other.
Whoever reads a message creates values of the program's own stored types only, whatever the message says.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from antidiag.kernels import serialization
from antidiag.kernels.errors import InputError

LENGTH_BYTES = 8


def pack_message(value: Any) -> bytes:
    """Return a value as bytes: numbers, texts, bytes, arrays, mappings, tuples, and dataclasses with a stored name.

    Raises InputError for a value of another type.
    """
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray) -> int:
        if array.dtype.hasobject:
            raise InputError("an array of Python objects cannot be sent to a worker")
        arrays.append(np.ascontiguousarray(array))
        return len(arrays) - 1

    tree = serialization.encode(value, put)
    places = [(array.dtype.str, array.shape) for array in arrays]
    head = json.dumps({"tree": tree, "arrays": places}).encode()
    return b"".join((len(head).to_bytes(LENGTH_BYTES, "little"), head, *(array.data for array in arrays)))


def unpack_message(message: bytes | memoryview) -> Any:
    """Return the value of a message; lists come back as tuples. Raise InputError for bytes that are no message."""
    view = memoryview(message)
    try:
        begin = LENGTH_BYTES + int.from_bytes(view[:LENGTH_BYTES], "little")
        head = json.loads(bytes(view[LENGTH_BYTES:begin]))
        arrays = []
        for kind, shape in head["arrays"]:
            dtype, count = np.dtype(kind), math.prod(shape)
            arrays.append(np.frombuffer(view, dtype, count, begin).reshape(shape) if count else np.empty(shape, dtype))
            begin += count * dtype.itemsize
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("this is no message of the program; install the same version on all machines") from error
    return serialization.decode(head["tree"], lambda number: arrays[number])
