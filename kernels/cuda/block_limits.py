"""Limits of the current device: multiprocessors, shared memory, and blocks that run at a time. Imports CuPy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import cupy


def device_attributes() -> Mapping[str, int]:
    """Return all attributes of the current device, by the names of the CUDA runtime."""
    return _cached_attributes(cupy.cuda.Device().id)


def multiprocessor_count() -> int:
    """Return the number of multiprocessors."""
    return device_attributes()["MultiProcessorCount"]


def max_shared_bytes() -> int:
    """Return the bytes of shared memory that a block may ask for."""
    return device_attributes()["MaxSharedMemoryPerBlockOptin"]


def resident_blocks(kernel: Any, threads: int, shared: int) -> int:
    """Return how many blocks of so many threads and bytes of shared memory the device holds at a time, at least one."""
    per_multiprocessor = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, threads, shared)
    return max(1, per_multiprocessor) * multiprocessor_count()


def kernel_occupancy(kernel: Any, threads: int, shared: int = 0) -> dict[str, float]:
    """Return what a multiprocessor holds at a time of a kernel's blocks, as CUDA's occupancy calculator counts it.

    Names are those of the calculator: active threads, warps and thread blocks, and the occupancy in percent.
    """
    attributes = device_attributes()
    blocks = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, threads, shared)
    return {
        "active threads": blocks * threads,
        "active warps": blocks * threads / attributes["WarpSize"],
        "active thread blocks": blocks,
        "occupancy, %": 100 * blocks * threads / attributes["MaxThreadsPerMultiProcessor"],
    }


@cache
def _cached_attributes(device: int) -> Mapping[str, int]:
    """Cached, because CuPy asks the driver for all of about a hundred attributes at every call."""
    return cupy.cuda.Device(device).attributes
