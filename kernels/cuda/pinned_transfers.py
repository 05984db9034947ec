"""Copies of large arrays between host and device, in chunks that go through pinned memory.

The driver copies pageable memory on one thread, at a tenth of the speed of the bus. Here a few pinned buffers go
around: all processors fill or empty one of them (`antidiag.kernels.cpu.parallel_copy`) while the bus is busy with
another. CuPy's pinned memory pool keeps the buffers for the next transfer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

import cupy
import numpy as np

from antidiag.kernels.cpu.parallel_copy import touch_pages

CHUNK_BYTES = 8 << 20
"""Bytes of a pinned buffer."""
BUFFERS = 3
SMALL_BYTES = 4 << 20
"""Arrays up to this size are copied by the driver alone, which takes no longer."""

_touching: list[Thread] = []

FillRows = Callable[[int, int, np.ndarray], None]
"""``fill_rows(first, last, out)`` writes the rows ``first`` to ``last`` (exclusive) of an array into ``out``."""
TakeRows = Callable[[int, int, np.ndarray], None]
"""``take_rows(first, last, rows)`` stores rows that have arrived; ``rows`` is overwritten after it returns."""


def upload_rows(target: cupy.ndarray, fill_rows: FillRows, check: Callable[[], None]) -> None:
    """Fill an array on the device with rows that the host computes, and wait until they are there.

    Parameters
    ----------
    target : cupy.ndarray
        A C-contiguous array on the current device.
    fill_rows : FillRows
        Called once for every chunk of rows, in order. It should use all processors.
    check : callable
        Called before every chunk; what it raises ends the transfer.
    """
    stream = cupy.cuda.get_current_stream()
    if target.nbytes <= SMALL_BYTES:
        rows = np.empty(target.shape, target.dtype)
        fill_rows(0, int(target.shape[0]), rows)
        target.set(rows, stream=stream)
        stream.synchronize()
        return
    with _open_transfer(target, stream) as transfer:
        for chunk in transfer.chunks:
            check()
            chunk.buffer.event.synchronize()
            fill_rows(chunk.first, chunk.last, transfer.rows(chunk))
            transfer.copy(chunk, to_device=True)


def download_rows(source: cupy.ndarray, take_rows: TakeRows, check: Callable[[], None]) -> None:
    """Give all rows of an array on the device to the host, behind the work that is queued on the current stream.

    Parameters
    ----------
    source : cupy.ndarray
        A C-contiguous array on the current device.
    take_rows : TakeRows
        Called once for every chunk of rows, in order. It should use all processors.
    check : callable
        Called before every chunk; what it raises ends the transfer.
    """
    stream = cupy.cuda.get_current_stream()
    wait_for_touching()
    if source.nbytes <= SMALL_BYTES:
        take_rows(0, int(source.shape[0]), source.get(stream=stream))
        return
    with _open_transfer(source, stream) as transfer:
        for chunk in transfer.chunks[:BUFFERS]:
            transfer.copy(chunk, to_device=False)
        for number, chunk in enumerate(transfer.chunks, BUFFERS):
            check()
            chunk.buffer.event.synchronize()
            take_rows(chunk.first, chunk.last, transfer.rows(chunk))
            for later in transfer.chunks[number : number + 1]:
                transfer.copy(later, to_device=False)


def touch_in_background(array: np.ndarray) -> None:
    """Have the system provide the memory of a new, large C-contiguous array while the device computes what will be
    stored there; whoever stores it waits (`wait_for_touching`)."""
    if array.nbytes > SMALL_BYTES:
        _touching.append(Thread(target=touch_pages, args=(array,)))
        _touching[-1].start()


def wait_for_touching() -> None:
    """Wait until all arrays of `touch_in_background` have their memory: what touches them sets bytes to 0."""
    while _touching:
        _touching.pop().join()


@dataclass(frozen=True, slots=True, eq=False)
class _Buffer:
    """Pinned memory for one chunk, and the event behind its last copy."""

    content: np.ndarray
    event: cupy.cuda.Event


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Rows ``first`` to ``last`` (exclusive) of the array on the device, in a buffer."""

    buffer: _Buffer
    first: int
    last: int


class _Transfer:
    """The chunks of an array on the device; chunk i uses buffer i modulo their number."""

    def __init__(self, on_device: cupy.ndarray, stream: cupy.cuda.Stream) -> None:
        if not on_device.flags.c_contiguous:
            raise ValueError("only a C-contiguous array on the device is copied row by row")
        rows = int(on_device.shape[0])
        self.on_device, self.stream = on_device, stream
        self.row_bytes = int(on_device.nbytes) // rows
        height = max(1, CHUNK_BYTES // self.row_bytes)
        self.buffers = [
            _Buffer(content, cupy.cuda.Event(disable_timing=True))
            for content in _allocate_staging(min(BUFFERS, -(-rows // height)), height * self.row_bytes)
        ]
        self.chunks = [
            _Chunk(self.buffers[number % len(self.buffers)], first, min(first + height, rows))
            for number, first in enumerate(range(0, rows, height))
        ]

    def rows(self, chunk: _Chunk) -> np.ndarray:
        """Return the buffer of a chunk as rows of the array."""
        shape = chunk.last - chunk.first, *self.on_device.shape[1:]
        return chunk.buffer.content[: shape[0] * self.row_bytes].view(self.on_device.dtype).reshape(shape)

    def copy(self, chunk: _Chunk, to_device: bool) -> None:
        """Queue the copy of a chunk on the stream, and its event behind it."""
        pointer = self.on_device.data + chunk.first * self.row_bytes
        copy = pointer.copy_from_host_async if to_device else pointer.copy_to_host_async
        copy(chunk.buffer.content.ctypes.data, (chunk.last - chunk.first) * self.row_bytes, self.stream)
        chunk.buffer.event.record(self.stream)


@contextmanager
def _open_transfer(on_device: cupy.ndarray, stream: cupy.cuda.Stream) -> Iterator[_Transfer]:
    """Make the buffers of a transfer, and wait at its end for their last copies: the pool lends the memory again."""
    transfer = _Transfer(on_device, stream)
    try:
        yield transfer
    finally:
        for buffer in transfer.buffers:
            buffer.event.synchronize()


def _allocate_staging(count: int, nbytes: int) -> list[np.ndarray]:
    """Pinned buffers, or ordinary memory where the system does not let this program lock more pages."""
    try:
        memory = cupy.cuda.alloc_pinned_memory(count * nbytes)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        if "MemoryAllocation" not in str(error):
            raise
        memory = bytearray(count * nbytes)
    return list(np.frombuffer(memory, np.uint8, count * nbytes).reshape(count, nbytes))
