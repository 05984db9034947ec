"""Arrays that begin where a cache line does, so that no vector of theirs lies in two."""

from __future__ import annotations

from typing import Any

import numpy as np

CACHE_LINE = 64


def allocate_aligned(count: int, kind: Any) -> np.ndarray:
    """Return an array of ``count`` numbers of a type, not yet set, that begins with a cache line."""
    size = np.dtype(kind).itemsize
    room = np.empty(count + CACHE_LINE // size, kind)
    first = -room.ctypes.data % CACHE_LINE // size
    return room[first : first + count]
