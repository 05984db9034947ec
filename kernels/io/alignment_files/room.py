"""Memory for letters of which nobody knows yet how many there are."""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading
from queue import SimpleQueue

import numpy as np

GROWTH = 1.5
LARGE = 1 << 26
"""Bytes from which a thread asks for memory before it is needed: where the system is slow to give new pages one by one,
as virtual machines are, that took longer than reading the file."""
STEP, AHEAD = 1 << 24, 1 << 28
"""Bytes that are asked for at once, and how far ahead of what is needed."""
POPULATE_WRITE = 23
"""MADV_POPULATE_WRITE of Linux 5.14: pages at once; elsewhere they come one by one."""
OWN = {} if sys.platform == "win32" else {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS}
"""Pages that no other program is to see cost half of those that one might."""


class Room:
    """Room for ``size`` bytes, and more where needed."""

    def __init__(self, size: int) -> None:
        self._take(size)

    def _take(self, size: int) -> None:
        self._large = size >= LARGE
        self._bytes = np.frombuffer(mmap.mmap(-1, size, **OWN), np.uint8) if self._large else np.empty(size, np.uint8)
        self._told: SimpleQueue[int] = SimpleQueue()
        self._asking: threading.Thread | None = None
        self._there = self._asked = 0

    def upto(self, size: int) -> np.ndarray:
        """Room for at least so many bytes, uint8; what is there stays."""
        if size > self._bytes.size:
            before = self._bytes
            self._take(int(GROWTH * size))
            self._bytes[: before.size] = before
        if self._large and self._asked < min(size + AHEAD // 2, self._bytes.size):
            first, self._asked = self._asked, min(size + AHEAD, self._bytes.size)
            given = self._bytes, first, self._asked, self._told, self._asking
            self._asking = threading.Thread(target=_ask, args=given, name="antidiag pages", daemon=True)
            self._asking.start()
        while self._large and self._there < size:
            self._there = max(self._there, self._told.get())
        return self._bytes

    def cut(self, size: int) -> np.ndarray:
        """The first bytes; what is left is given back where that costs nothing."""
        if not self._large:
            found = self._bytes
            self._bytes = np.empty(0, np.uint8)
            found.resize(size, refcheck=False)
            return found
        return self._bytes[:size]


def _ask(array: np.ndarray, first: int, last: int, told: SimpleQueue[int], before: threading.Thread | None) -> None:
    """Ask the system for the pages of a part of an array, whose bytes stay, and tell up to where they are there, after
    the thread that asks for the part ``before``: beside the reading, as `mmap.madvise`, which keeps the interpreter's
    lock, could not."""
    if before is not None:
        before.join()
    for at in range(first, last, STEP):
        length = min(STEP, last - at)
        if _madvise is None or _madvise(array.ctypes.data + at, length, POPULATE_WRITE):
            break  # they come one by one
        told.put(at + length)
    told.put(last)


_madvise = ctypes.CDLL(None).madvise if sys.platform == "linux" else None
if _madvise is not None:
    _madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
