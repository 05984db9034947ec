"""Device memory that is memory of this process, fenced so that an access beyond an array is an error."""

from __future__ import annotations

import bisect
import ctypes
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from tests.emulator import build

UNIT = 512
"""Bytes: CuPy takes memory in pieces of so many."""
TOTAL_BYTES = 8 * 2**30


class OutOfMemoryError(MemoryError):
    """As CuPy's."""


@cache
def library() -> ctypes.CDLL:
    """The emulator's runtime; libraries of kernels find its functions because it is loaded for all."""
    loaded = ctypes.CDLL(str(build.runtime()), mode=ctypes.RTLD_GLOBAL)
    loaded.emulator_allocate.restype = ctypes.c_void_p
    loaded.emulator_allocate.argtypes = [ctypes.c_size_t]
    loaded.emulator_free.argtypes = [ctypes.c_void_p]
    return loaded


_pools: weakref.WeakSet[MemoryPool] = weakref.WeakSet()


def bytes_taken() -> int:
    """Bytes of the device that are in use, or kept by a pool."""
    return sum(pool.total_bytes() for pool in _pools)


class MemoryPool:
    """Counts bytes as CuPy's pool does: whole units, and what is freed is kept for reuse."""

    def __init__(self) -> None:
        self._used = 0
        self._kept: list[int] = []
        self._limit = 0
        _pools.add(self)

    def malloc(self, size: int) -> MemoryPointer:
        return MemoryPointer(_Memory(size, self) if size else None, 0, size)

    def take(self, size: int) -> int:
        """Account for an array; the bytes of its block."""
        units = -(-size // UNIT) * UNIT
        place = bisect.bisect_left(self._kept, units)
        if place < len(self._kept):
            rest = self._kept.pop(place) - units
            if rest:
                bisect.insort(self._kept, rest)
        elif bytes_taken() + units > TOTAL_BYTES or (self._limit and self.total_bytes() + units > self._limit):
            raise OutOfMemoryError(f"out of memory allocating {size:,} bytes (allocated so far: {self._used:,} bytes)")
        self._used += units
        return units

    def give_back(self, units: int) -> None:
        self._used -= units
        bisect.insort(self._kept, units)

    def used_bytes(self) -> int:
        return self._used

    def free_bytes(self) -> int:
        return sum(self._kept)

    def total_bytes(self) -> int:
        return self._used + self.free_bytes()

    def free_all_blocks(self, stream: Any = None) -> None:
        self._kept.clear()

    def n_free_blocks(self) -> int:
        return len(self._kept)

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        self._limit = size or int((fraction or 0) * TOTAL_BYTES)

    def get_limit(self) -> int:
        return self._limit


class PinnedMemoryPool:
    """Host memory needs no care here."""

    def free_all_blocks(self) -> None:
        pass

    def n_free_blocks(self) -> int:
        return 0


class _Memory:
    """The bytes of an array, given back when nothing refers to them any more."""

    def __init__(self, size: int, pool: MemoryPool) -> None:
        units = pool.take(size)
        self.size = size
        self.ptr = library().emulator_allocate(size)
        if not self.ptr:
            raise OutOfMemoryError(f"the host has no {size:,} bytes for the emulated device")
        self.bytes = (ctypes.c_ubyte * size).from_address(self.ptr)
        weakref.finalize(self, _give_back, self.ptr, size, units, pool).atexit = False


def _give_back(pointer: int, size: int, units: int, pool: MemoryPool) -> None:
    pool.give_back(units)
    if not library().emulator_free(pointer):
        damaged.append(f"a kernel wrote just before or behind an array of {size:,} bytes")


damaged: list[str] = []
"""Arrays beside which something was written; the next launch, or the end of the emulation, reports them."""


class MemoryPointer:
    """An address on the device, as CuPy's: ``ptr``, and copies from and to it."""

    def __init__(self, mem: _Memory | None, offset: int, size: int) -> None:
        self.mem, self.size = mem, size
        self.ptr = mem.ptr + offset if mem else 0
        self._offset = offset

    @property
    def host(self) -> np.ndarray:
        """The bytes, for the emulator itself."""
        if self.mem is None:
            return np.empty(0, np.uint8)
        return np.frombuffer(self.mem.bytes, np.uint8)[self._offset :]

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self._offset + offset, self.size - offset)

    def __int__(self) -> int:
        return self.ptr

    def memset(self, value: int, size: int) -> None:
        if size > self.size:
            raise ValueError(f"memset of {size} bytes, and {self.size} are there")
        self.host[:size] = value

    def memset_async(self, value: int, size: int, stream: Any = None) -> None:
        self.memset(value, size)

    def copy_from_host(self, source: ctypes.c_void_p, size: int) -> None:
        ctypes.memmove(self.ptr, source, size)

    def copy_from_host_async(self, source: ctypes.c_void_p, size: int, stream: Any = None) -> None:
        self.copy_from_host(source, size)

    def copy_to_host(self, target: ctypes.c_void_p, size: int) -> None:
        ctypes.memmove(target, self.ptr, size)

    def copy_to_host_async(self, target: ctypes.c_void_p, size: int, stream: Any = None) -> None:
        self.copy_to_host(target, size)

    def copy_from_device(self, source: MemoryPointer, size: int) -> None:
        self.host[:size] = source.host[:size]

    def copy_from_device_async(self, source: MemoryPointer, size: int, stream: Any = None) -> None:
        self.copy_from_device(source, size)

    def copy_from(self, source: Any, size: int) -> None:
        self.copy_from_device(source, size) if isinstance(source, MemoryPointer) else self.copy_from_host(source, size)


pool = MemoryPool()
pinned_pool = PinnedMemoryPool()


def get_default_memory_pool() -> MemoryPool:
    return pool


def get_default_pinned_memory_pool() -> PinnedMemoryPool:
    return pinned_pool


_thread = threading.local()


def alloc(size: int) -> MemoryPointer:
    """What every array is in."""
    return getattr(_thread, "allocator", pool.malloc)(size)


@contextmanager
def using_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> Iterator[None]:
    """Arrays of this thread are in other memory."""
    before = getattr(_thread, "allocator", pool.malloc)
    _thread.allocator = allocator or pool.malloc
    try:
        yield
    finally:
        _thread.allocator = before


def alloc_pinned_memory(size: int) -> Any:
    """Host memory with the buffer protocol."""
    return bytearray(size)
