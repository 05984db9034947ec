"""Large arrays between host and device: by several threads, through pinned buffers that are kept from run to run.

The driver copies pageable memory by one thread, at some GB a second. Here every thread takes a buffer, brings some
rows into it in the type that the device wants, gives it to the current stream, and takes the next buffer while that one
is on its way; back, the threads empty the buffers. So the host's memory and the bus are busy together.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from kernels.cpu import workers

CHUNK, LEAST = 4 << 20, 256 << 10
"""Most and fewest bytes of a buffer that are copied at a time."""
MOST_THREADS = 16
"""More do not make the memory of a host faster."""
DIRECT = 1 << 20
"""Bytes up to which the driver's own copy takes no longer."""

Fill = Callable[[int, int, np.ndarray], None]
"""``fill(first, last, out)`` writes the rows ``first`` to ``last`` of an array, half-open, into ``out``."""


def nothing() -> None:
    """Nobody wishes to cancel."""


def up(target: cupy.ndarray, fill: Fill, check: Callable[[], None] = nothing) -> None:
    """Queue copies to all rows of an array on the device, which lie close together; rows come from ``fill``.

    ``fill`` is called on several threads. ``check`` raises where the user wants to stop. What is queued on the current
    stream afterwards finds the rows there.
    """
    if target.nbytes <= DIRECT:
        together = np.empty(target.shape, target.dtype)
        fill(0, int(target.shape[0]), together)
        target.set(together)
        return
    stream = cupy.cuda.get_current_stream()

    def bring(first: int, last: int, buffer: _Buffer) -> None:
        rows = buffer.rows(target, first, last)
        fill(first, last, rows)
        _place(target, first).copy_from_host_async(buffer.address, rows.nbytes, stream)
        buffer.event.record(stream)

    _in_chunks(target, bring, check)


def down(source: cupy.ndarray, target: np.ndarray, check: Callable[[], None] = nothing) -> None:
    """Copy an array on the device, whose rows lie close together, into one of its shape and type on the host.

    It waits for what was queued before. All threads touch new memory of the host: that takes longer than to fill it.
    """
    if source.nbytes <= DIRECT:
        source.get(out=target)
        return
    stream = cupy.cuda.get_current_stream()

    def bring(first: int, last: int, buffer: _Buffer) -> None:
        rows = buffer.rows(source, first, last)
        _place(source, first).copy_to_host_async(buffer.address, rows.nbytes, stream)
        buffer.event.record(stream)
        buffer.event.synchronize()
        target[first:last] = rows

    _in_chunks(source, bring, check)


def _in_chunks(on_device: cupy.ndarray, bring: Callable[[int, int, _Buffer], None], check: Callable[[], None]) -> None:
    """``bring(first, last, buffer)`` for all rows of an array, some at a time, on threads."""
    rows, device = int(on_device.shape[0]), cupy.cuda.Device().id
    if not on_device.size:
        return
    row_bytes = on_device.nbytes // rows
    if row_bytes > CHUNK:
        raise ValueError(f"a row of {row_bytes:,} bytes is more than a buffer of {CHUNK:,}")
    threads = min(workers.cores(), MOST_THREADS)
    height = max(1, min(CHUNK, max(LEAST, on_device.nbytes // (2 * threads))) // row_bytes)
    stop, firsts = workers.stop_word(), iter(range(0, rows, height))

    def work(worker: int) -> None:
        with cupy.cuda.Device(device):
            for first in firsts:  # a range gives each number to one thread
                if stop[0]:
                    return
                buffer = _buffers.take()
                try:
                    bring(first, min(first + height, rows), buffer)
                finally:
                    _buffers.give_back(buffer)

    workers.share(work, min(threads, -(-rows // height)), stop, check)


def _place(array: cupy.ndarray, row: int) -> Any:
    """Where a row begins."""
    return array.data + row * (array.nbytes // int(array.shape[0]))


class _Buffer:
    """Pinned memory, and the event after which its last copy is over."""

    def __init__(self) -> None:
        self._memory = cupy.cuda.alloc_pinned_memory(CHUNK)
        self._bytes = np.frombuffer(self._memory, np.uint8, CHUNK)
        self.address, self.event = self._bytes.ctypes.data, cupy.cuda.Event(disable_timing=True)

    def rows(self, on_device: cupy.ndarray, first: int, last: int) -> np.ndarray:
        """Room for these rows of an array."""
        shape = last - first, *on_device.shape[1:]
        room = on_device.nbytes // int(on_device.shape[0]) * (last - first)
        return self._bytes[:room].view(on_device.dtype).reshape(shape)


class _Buffers:
    """Two for every thread, made when they are first needed, and shared by all runs."""

    def __init__(self) -> None:
        self._idle: deque[_Buffer] = deque()
        self._made, self._changed = 0, threading.Condition()

    def take(self) -> _Buffer:
        """A buffer that no copy uses any more; waits for one where all are in use."""
        with self._changed:
            may_make = self._made < 2 * min(workers.cores(), MOST_THREADS)
            if may_make and not (self._idle and self._idle[0].event.done):
                self._made += 1
            else:
                while not self._idle:
                    self._changed.wait()
                may_make = False
                buffer = self._idle.popleft()
        if may_make:
            return self._new()
        buffer.event.synchronize()
        return buffer

    def give_back(self, buffer: _Buffer) -> None:
        with self._changed:
            self._idle.append(buffer)
            self._changed.notify()

    def _new(self) -> _Buffer:
        try:
            return _Buffer()
        except BaseException:
            with self._changed:
                self._made -= 1
            raise


_buffers = _Buffers()
