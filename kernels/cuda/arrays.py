"""Arrays on the current device, in memory that `devices` keeps for the next run when they are freed."""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import devices, transfers

ALIGNMENT = 16
"""Bytes to whose multiples arrays are aligned that are transferred together."""


def empty(shape: int | tuple[int, ...], dtype: Any) -> cupy.ndarray:
    """An array of whatever its memory holds."""
    count = math.prod(shape) if isinstance(shape, tuple) else shape
    return cupy.ndarray(shape, dtype, devices.take(count * np.dtype(dtype).itemsize))


def upload(*arrays: np.ndarray) -> tuple[cupy.ndarray, ...]:
    """Copies on the device, by one transfer, which has ended."""
    ends = np.cumsum([-(-array.nbytes // ALIGNMENT) * ALIGNMENT for array in arrays]).tolist()
    starts = [0, *ends[:-1]]
    on_device, stream = empty(ends[-1], np.uint8), cupy.cuda.get_current_stream()
    with transfers.staging(ends[-1]) as together:
        for start, array in zip(starts, arrays, strict=True):
            together[start : start + array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        on_device.data.copy_from_host_async(together.ctypes.data, together.nbytes, stream)
    stream.synchronize()
    return tuple(
        cupy.ndarray(array.shape, array.dtype, on_device.data + start)
        for start, array in zip(starts, arrays, strict=True)
    )
