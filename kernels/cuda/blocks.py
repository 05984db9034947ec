"""What fits the current device: limits of a block, and blocks that run at a time. Imports CuPy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import cupy


def attributes() -> Mapping[str, int]:
    """All attributes of the current device, by the names of the CUDA runtime."""
    return _attributes(cupy.cuda.Device().id)


def multiprocessors() -> int:
    return attributes()["MultiProcessorCount"]


def most_shared() -> int:
    """Bytes of shared memory that a block may ask for."""
    return attributes()["MaxSharedMemoryPerBlockOptin"]


def resident(kernel: Any, threads: int, shared: int) -> int:
    """Blocks of so many threads and bytes of shared memory that the device holds at a time, one at least."""
    of_one = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, threads, shared)
    return max(1, of_one) * multiprocessors()


@cache
def _attributes(device: int) -> Mapping[str, int]:
    """CuPy asks the driver for each of a hundred whenever it is asked for one."""
    return cupy.cuda.Device(device).attributes
