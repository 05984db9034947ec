"""Memory for letters of which nobody knows yet how many there are."""

from __future__ import annotations

import contextlib
import mmap

import numpy as np

GROWTH = 1.5
LARGE = 1 << 26
"""Bytes from which memory is asked for page by page: where the system is slow to give new pages one by one, as virtual
machines are, that took longer than reading the file."""
AHEAD = 1 << 24
POPULATE_WRITE = 23
"""MADV_POPULATE_WRITE of Linux 5.14: pages at once; elsewhere they come one by one."""


class Room:
    """Room for ``size`` bytes, and more where needed."""

    def __init__(self, size: int) -> None:
        self._mapped: mmap.mmap | None = None
        self._there = 0
        if size < LARGE:
            self._bytes = np.empty(size, np.uint8)
        else:
            self._mapped = mmap.mmap(-1, size)
            self._bytes = np.frombuffer(self._mapped, np.uint8)

    def upto(self, size: int) -> np.ndarray:
        """Room for at least so many bytes, uint8; what is there stays."""
        if size > self._bytes.size:
            larger = Room(int(GROWTH * size))
            larger._bytes[: self._bytes.size] = self._bytes
            self._mapped, self._there, self._bytes = larger._mapped, larger._there, larger._bytes
        while self._mapped is not None and self._there < min(size, self._bytes.size):
            part = min(AHEAD, self._bytes.size - self._there)
            with contextlib.suppress(OSError, AttributeError):
                self._mapped.madvise(POPULATE_WRITE, self._there, part)
            self._there += part
        return self._bytes

    def cut(self, size: int) -> np.ndarray:
        """The first bytes; what is left is given back where that costs nothing."""
        if self._mapped is None:
            found = self._bytes
            self._bytes = np.empty(0, np.uint8)
            found.resize(size, refcheck=False)
            return found
        return self._bytes[:size]
