"""Device memory that is memory of this process, fenced so that an access beyond an array is an error."""

from __future__ import annotations

import bisect
import ctypes
import itertools
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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


@dataclass(eq=False)
class MemoryBlock:
    """A piece of a segment of the device's memory; ``before`` and ``after`` are its neighbours in the segment."""

    size: int
    before: MemoryBlock | None = None
    after: MemoryBlock | None = None
    is_free: bool = False

    @property
    def is_segment(self) -> bool:
        """Whether it is a whole segment, which the pool can give back to the device."""
        return self.before is None and self.after is None

    def split(self, size: int) -> MemoryBlock:
        """Cut the block to ``size`` bytes; return the rest, which follows it."""
        rest = MemoryBlock(self.size - size, self, self.after)
        if self.after:
            self.after.before = rest
        self.size, self.after = size, rest
        return rest

    def join_following(self) -> None:
        """Add the following block to this one."""
        assert self.after
        self.size, self.after = self.size + self.after.size, self.after.after
        if self.after:
            self.after.before = self


class MemoryPool:
    """Hands out memory as CuPy's pool does: the smallest free block that is large enough, split where it is larger.

    What is freed is kept, and joined with free neighbours in its segment. So ``total_bytes`` shows what a real pool
    would take from a card, with the gaps that are too small for what is asked for.
    """

    def __init__(self) -> None:
        self._used = self._total = self._limit = 0
        self._free: list[tuple[int, int, MemoryBlock]] = []
        self._numbers = itertools.count()
        self.most_total = 0
        _pools.add(self)

    def malloc(self, size: int) -> MemoryPointer:
        return MemoryPointer(_Memory(size, self) if size else None, 0, size)

    def take(self, size: int) -> MemoryBlock:
        """Account for an array; its block."""
        units = -(-size // UNIT) * UNIT
        place = bisect.bisect_left(self._free, (units,))
        if place < len(self._free):
            block = self._free.pop(place)[2]
            block.is_free = False
            if block.size > units:
                self._keep(block.split(units))
        else:
            block = self._take_segment(units, size)
        self._used += block.size
        return block

    def _take_segment(self, units: int, size: int) -> MemoryBlock:
        if not self._has_place(units):
            self.free_all_blocks()
        if not self._has_place(units):
            raise OutOfMemoryError(f"out of memory allocating {size:,} bytes (allocated so far: {self._used:,} bytes)")
        self._total += units
        self.most_total = max(self.most_total, self._total)
        return MemoryBlock(units)

    def _has_place(self, units: int) -> bool:
        return bytes_taken() + units <= TOTAL_BYTES and not (self._limit and self._total + units > self._limit)

    def _keep(self, block: MemoryBlock) -> None:
        block.is_free = True
        bisect.insort(self._free, (block.size, next(self._numbers), block))

    def _forget(self, block: MemoryBlock) -> None:
        place = bisect.bisect_left(self._free, (block.size,))
        while self._free[place][2] is not block:
            place += 1
        del self._free[place]
        block.is_free = False

    def give_back(self, block: MemoryBlock) -> None:
        self._used -= block.size
        if block.after and block.after.is_free:
            self._forget(block.after)
            block.join_following()
        if block.before and block.before.is_free:
            block = block.before
            self._forget(block)
            block.join_following()
        self._keep(block)

    def used_bytes(self) -> int:
        return self._used

    def free_bytes(self) -> int:
        return self._total - self._used

    def total_bytes(self) -> int:
        return self._total

    def free_all_blocks(self, stream: Any = None) -> None:
        self._total -= sum(size for size, _, block in self._free if block.is_segment)
        self._free = [entry for entry in self._free if not entry[2].is_segment]

    def n_free_blocks(self) -> int:
        return len(self._free)

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
        block = pool.take(size)
        self.size = size
        self.ptr = library().emulator_allocate(size)
        if not self.ptr:
            raise OutOfMemoryError(f"the host has no {size:,} bytes for the emulated device")
        self.bytes = (ctypes.c_ubyte * size).from_address(self.ptr)
        weakref.finalize(self, _give_back, self.ptr, size, block, pool).atexit = False


def _give_back(pointer: int, size: int, block: MemoryBlock, pool: MemoryPool) -> None:
    pool.give_back(block)
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
