"""Copies of large arrays between host and device, in chunks that go through pinned memory.

The driver copies pageable memory on one thread. Here several threads each own two pinned buffers: while one buffer is
on the bus, the thread fills or empties the other, so that the memory of the host and the bus work at the same time.
NumPy releases the GIL while it copies. CuPy's pinned memory pool keeps the buffers for the next transfer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu import workers

CHUNK_BYTES = 4 << 20
"""Bytes of a pinned buffer."""
MOST_THREADS = 8
"""Threads that copy; each takes two buffers."""
SMALL_BYTES = 4 << 20
"""Arrays up to this size are copied by the driver alone, which takes no longer."""

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
        Called on several threads, once for every chunk of rows.
    check : callable
        Called on this thread every 50 ms; what it raises ends the transfer.
    """

    def upload(buffer: _Buffer, first: int, last: int) -> None:
        buffer.event.synchronize()
        fill_rows(first, last, buffer.rows(target, first, last))
        buffer.send(target, first, last)

    def upload_chunks(spans: list[tuple[int, int]], buffers: list[_Buffer], stop: np.ndarray) -> None:
        for number, (first, last) in enumerate(spans):
            if stop[0]:
                return
            upload(buffers[number % 2], first, last)

    if target.nbytes <= SMALL_BYTES:
        rows = np.empty(target.shape, target.dtype)
        fill_rows(0, int(target.shape[0]), rows)
        target.set(rows)
        cupy.cuda.get_current_stream().synchronize()
    else:
        _share_chunks(target, upload_chunks, check)


def download_rows(source: cupy.ndarray, take_rows: TakeRows, check: Callable[[], None]) -> None:
    """Give all rows of an array on the device to the host, behind the work that is queued on the current stream.

    Parameters
    ----------
    source : cupy.ndarray
        A C-contiguous array on the current device.
    take_rows : TakeRows
        Called on several threads, once for every chunk of rows.
    check : callable
        Called on this thread every 50 ms; what it raises ends the transfer.
    """

    def deliver(buffer: _Buffer, first: int, last: int) -> None:
        buffer.event.synchronize()
        take_rows(first, last, buffer.rows(source, first, last))

    def download_chunks(spans: list[tuple[int, int]], buffers: list[_Buffer], stop: np.ndarray) -> None:
        for number, span in enumerate(spans):
            if stop[0]:
                return
            buffers[number % 2].fetch(source, *span)
            if number:
                deliver(buffers[(number - 1) % 2], *spans[number - 1])
        deliver(buffers[(len(spans) - 1) % 2], *spans[-1])

    if source.nbytes <= SMALL_BYTES:
        take_rows(0, int(source.shape[0]), source.get())
    else:
        _share_chunks(source, download_chunks, check)


def _share_chunks(
    on_device: cupy.ndarray,
    copy_chunks: Callable[[list[tuple[int, int]], list[_Buffer], np.ndarray], None],
    check: Callable[[], None],
) -> None:
    """Divide the rows of an array into chunks, and have threads copy every so many-th of them."""
    if not on_device.flags.c_contiguous:
        raise ValueError("only a C-contiguous array on the device is copied row by row")
    rows = int(on_device.shape[0])
    height = max(1, CHUNK_BYTES * rows // on_device.nbytes)
    spans = [(first, min(first + height, rows)) for first in range(0, rows, height)]
    threads = max(1, min(workers.count_processors(), MOST_THREADS, len(spans) // 2))
    device, stream, stop = cupy.cuda.Device().id, cupy.cuda.get_current_stream(), workers.make_stop_word()

    def copy(worker: int) -> None:
        with cupy.cuda.Device(device):
            buffers = [_Buffer(height * on_device.nbytes // rows, stream) for _ in range(2)]
            try:
                copy_chunks(spans[worker::threads], buffers, stop)
            finally:
                for buffer in buffers:
                    buffer.event.synchronize()  # the pool may lend the memory to another thread from here on

    workers.share_work(copy, threads, stop, check)


class _Buffer:
    """Pinned memory for one chunk, and the event behind its last copy on a stream."""

    def __init__(self, nbytes: int, stream: cupy.cuda.Stream) -> None:
        self._memory, self._stream = _allocate_staging(nbytes), stream
        self._bytes = np.frombuffer(self._memory, np.uint8, nbytes)
        self.event = cupy.cuda.Event(disable_timing=True)

    def rows(self, on_device: cupy.ndarray, first: int, last: int) -> np.ndarray:
        """The buffer as rows of an array."""
        nbytes = (last - first) * _row_bytes(on_device)
        return self._bytes[:nbytes].view(on_device.dtype).reshape(last - first, *on_device.shape[1:])

    def send(self, target: cupy.ndarray, first: int, last: int) -> None:
        """Queue a copy of the buffer to these rows of an array."""
        size = _row_bytes(target)
        pointer = target.data + first * size
        pointer.copy_from_host_async(self._bytes.ctypes.data, (last - first) * size, self._stream)
        self.event.record(self._stream)

    def fetch(self, source: cupy.ndarray, first: int, last: int) -> None:
        """Queue a copy of these rows of an array to the buffer."""
        size = _row_bytes(source)
        pointer = source.data + first * size
        pointer.copy_to_host_async(self._bytes.ctypes.data, (last - first) * size, self._stream)
        self.event.record(self._stream)


def _row_bytes(on_device: cupy.ndarray) -> int:
    return int(on_device.nbytes) // int(on_device.shape[0])


def _allocate_staging(nbytes: int) -> Any:
    """Pinned memory, or ordinary memory where the system does not let this program lock more pages."""
    try:
        return cupy.cuda.alloc_pinned_memory(nbytes)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        if "MemoryAllocation" not in str(error):
            raise
        return bytearray(nbytes)
