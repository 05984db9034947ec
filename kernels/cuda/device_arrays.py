"""Arrays on the current device, in the memory pool that `devices` keeps for the next run."""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import devices

ALIGNMENT = 16
"""Bytes to whose multiples arrays are aligned that are transferred together."""


def allocate_array(shape: int | tuple[int, ...], dtype: Any) -> cupy.ndarray:
    """Allocate an array without setting its values."""
    count = math.prod(shape) if isinstance(shape, tuple) else shape
    return cupy.ndarray(shape, dtype, devices.allocate_memory(count * np.dtype(dtype).itemsize))


def upload_arrays(*arrays: np.ndarray) -> tuple[cupy.ndarray, ...]:
    """Copy several arrays to the device in one transfer, and wait for it."""
    ends = np.cumsum([-(-array.nbytes // ALIGNMENT) * ALIGNMENT for array in arrays]).tolist()
    starts = [0, *ends[:-1]]
    together, on_device = np.empty(ends[-1], np.uint8), allocate_array(ends[-1], np.uint8)
    for start, array in zip(starts, arrays, strict=True):
        together[start : start + array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    on_device.set(together)
    cupy.cuda.get_current_stream().synchronize()
    return tuple(
        cupy.ndarray(array.shape, array.dtype, on_device.data + start)
        for start, array in zip(starts, arrays, strict=True)
    )
