"""Large arrays in memory that was used before: where the system is slow to give new pages, as virtual machines are, an
array of ten megabytes takes longer to come than to be filled.
"""

from __future__ import annotations

import ctypes
import math
import weakref

import numpy as np

LEAST, LARGEST, MOST = 1 << 20, 1 << 24, 3 << 25
"""Bytes of an array from which on, and up to which, its memory is kept for another, and bytes that are kept at most: a
larger one, which a thread makes, would take the place of all others."""
SLACK = 1.5
"""Times the memory that is asked for, which one that is kept may have: what is left over lies idle."""
_kept: dict[int, np.ndarray] = {}
"""Memory that nobody looks at, uint8, by its address, what was used last at the end. No lock: arrays go at any moment,
also while one is asked for, and each step is one of the interpreter's own, as to copy a dictionary is."""


def empty(shape: tuple[int, ...] | int, dtype: type[np.generic] = np.uint8) -> np.ndarray:
    """As `numpy.empty`; once no array looks at a large one's memory any longer, another has it."""
    size = math.prod(shape if isinstance(shape, tuple) else (shape,)) * np.dtype(dtype).itemsize
    if not LEAST <= size <= LARGEST:
        return np.empty(shape, dtype)
    memory = _taken(size)
    if memory is None:
        memory = np.empty(-(-size // LEAST) * LEAST, np.uint8)
    # What is made of this array keeps its owner, not the memory alone, so that the owner goes with the last of them.
    owner = (ctypes.c_ubyte * memory.size).from_buffer(memory.data)
    weakref.finalize(owner, _keep, memory).atexit = False
    return np.asarray(owner)[:size].view(dtype).reshape(shape)


def copied(array: np.ndarray) -> np.ndarray:
    """A copy of an array, as `empty`."""
    found = empty(array.shape, array.dtype.type)
    found[...] = array
    return found


def reserve(size: int, times: int = 1) -> None:
    """Have so many bytes ready, so many times, on any thread: nobody is to wait for the first pages either."""
    together = [empty(min(size, LARGEST)) for _ in range(times)]
    for array in together:
        array[:] = 0


def _taken(size: int) -> np.ndarray | None:
    """The smallest memory that is kept and fits; None where none does."""
    fitting = [
        (memory.size, address) for address, memory in _kept.copy().items() if size <= memory.size <= SLACK * size
    ]
    for _, address in sorted(fitting):
        if (memory := _kept.pop(address, None)) is not None:  # another thread may have been faster
            return memory
    return None


def _keep(memory: np.ndarray) -> None:
    """Keep memory, and let go of what was used longest ago where that is too much."""
    _kept[memory.ctypes.data] = memory
    held = _kept.copy()
    total = sum(memory.size for memory in held.values())
    for address, oldest in held.items():
        if total <= MOST:
            return
        total -= oldest.size
        _kept.pop(address, None)
