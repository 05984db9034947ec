"""Arrays that may exceed memory: kept there up to a limit, and beyond it in a temporary file.

The file has no name where the system allows that, and disappears with the last array in it, however a run ends. Its
space is reserved before the run begins, so that a full disk is an error then and not a crash later.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Sequence
from typing import IO

import numpy as np

from antidiag.kernels.errors import DiskFull
from antidiag.kernels.memory import disk_folder, format_bytes

Shape = tuple[int, ...]


def int32_bytes(shape: Shape) -> int:
    """Return the bytes of an int32 array."""
    return 4 * math.prod(shape)


def fits_in_memory(shapes: Sequence[Shape], limit: int) -> list[bool]:
    """Return which int32 arrays stay in memory: each one that still fits into ``limit`` bytes, in order."""
    chosen, used = [], 0
    for shape in shapes:
        chosen.append(used + int32_bytes(shape) <= limit)
        used += int32_bytes(shape) if chosen[-1] else 0
    return chosen


def allocate_arrays(shapes: Sequence[Shape], limit: int) -> list[np.ndarray]:
    """Return int32 arrays, in memory up to ``limit`` bytes, the others on disk; raise DiskFull if they do not fit."""
    stay = fits_in_memory(shapes, limit)
    spilled = sum(int32_bytes(shape) for shape, stays in zip(shapes, stay, strict=True) if not stays)
    if not spilled:
        return [np.empty(shape, np.int32) for shape in shapes]
    arrays, offset = [], 0
    with _reserve_file(spilled) as file:
        for shape, stays in zip(shapes, stay, strict=True):
            if stays or not math.prod(shape):
                arrays.append(np.empty(shape, np.int32))
            else:
                arrays.append(np.asarray(np.memmap(file, np.int32, "r+", offset, shape)))
                offset += int32_bytes(shape)
    return arrays


def _reserve_file(count: int) -> IO[bytes]:
    """Open a temporary file whose ``count`` bytes are allocated on the disk."""
    try:
        disk_folder().mkdir(parents=True, exist_ok=True)
        file = tempfile.TemporaryFile(dir=disk_folder())  # noqa: SIM115 - the caller closes it
    except OSError as error:
        raise _disk_full_error(count, error) from error
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, count)
        else:
            file.truncate(count)
    except OSError as error:
        file.close()
        raise _disk_full_error(count, error) from error
    return file


def _disk_full_error(count: int, error: OSError) -> DiskFull:
    return DiskFull(
        f"{disk_folder()}: cannot store {format_bytes(count)} of checkpoints here ({error.strerror or error}); free "
        "disk space, raise checkpoint_memory so that more stays in memory, or choose a larger tile"
    )
