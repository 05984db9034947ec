"""Arrays that may be larger than memory: kept there up to a limit, and beyond it in a temporary file.

The file has no name where the system allows that, and is gone with the last array in it, however a run ends. Its room
is reserved before the run begins, so that a full disk is an error then and never a crash in the middle.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Sequence
from typing import IO

import numpy as np

from antidiag.kernels.errors import DiskFull
from antidiag.kernels.memory import bytes_text, disk_folder

Shape = tuple[int, ...]


def int32_bytes(shape: Shape) -> int:
    """Bytes of an int32 array."""
    return 4 * math.prod(shape)


def in_memory(shapes: Sequence[Shape], limit: int) -> list[bool]:
    """Which int32 arrays stay in memory: each one that still fits into ``limit`` bytes, in order."""
    chosen, used = [], 0
    for shape in shapes:
        chosen.append(used + int32_bytes(shape) <= limit)
        used += int32_bytes(shape) if chosen[-1] else 0
    return chosen


def allocate(shapes: Sequence[Shape], limit: int) -> list[np.ndarray]:
    """int32 arrays, in memory up to ``limit`` bytes, the others on disk; DiskFull where the disk cannot take them."""
    stay = in_memory(shapes, limit)
    spilled = sum(int32_bytes(shape) for shape, stays in zip(shapes, stay, strict=True) if not stays)
    if not spilled:
        return [np.empty(shape, np.int32) for shape in shapes]
    arrays, offset = [], 0
    with _reserved(spilled) as file:
        for shape, stays in zip(shapes, stay, strict=True):
            if stays or not math.prod(shape):
                arrays.append(np.empty(shape, np.int32))
            else:
                arrays.append(np.asarray(np.memmap(file, np.int32, "r+", offset, shape)))
                offset += int32_bytes(shape)
    return arrays


def _reserved(count: int) -> IO[bytes]:
    """A temporary file of ``count`` bytes that the disk has promised."""
    try:
        disk_folder().mkdir(parents=True, exist_ok=True)
        file = tempfile.TemporaryFile(dir=disk_folder())  # noqa: SIM115 - the caller closes it
    except OSError as error:
        raise _full(count, error) from error
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, count)
        else:
            file.truncate(count)
    except OSError as error:
        file.close()
        raise _full(count, error) from error
    return file


def _full(count: int, error: OSError) -> DiskFull:
    return DiskFull(
        f"{disk_folder()}: cannot keep {bytes_text(count)} of checkpoints here ({error.strerror or error}); free some "
        "room on this disk, raise checkpoint_memory so that more stays in memory, or choose a larger tile"
    )
