"""Copies of large arrays between host and device, in chunks that go through pinned memory.

The driver copies pageable memory on one thread, at a tenth of the speed of the bus. Here threads fill pinned buffers,
or empty them, and one more thread gives the copies to the driver: the memory of the host and the bus work at the same
time. NumPy releases the GIL while it copies. CuPy's pinned memory pool keeps the buffers for the next transfer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread

import cupy
import numpy as np

from antidiag.kernels.cpu import workers

CHUNK_BYTES = 4 << 20
"""Bytes of a pinned buffer."""
MOST_THREADS = 12
"""Threads that fill or empty buffers."""
BUFFERS_A_THREAD = 3
COPIES_AHEAD = 4
"""Copies that the driver has at a time: enough for the bus to be always busy."""
SMALL_BYTES = 4 << 20
"""Arrays up to this size are copied by the driver alone, which takes no longer."""
PAGE_BYTES = 4096

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
        Called on several threads, once for every chunk of rows.
    check : callable
        Called on this thread every 50 ms; what it raises ends the transfer.
    """
    stream = cupy.cuda.get_current_stream()
    if target.nbytes <= SMALL_BYTES:
        rows = np.empty(target.shape, target.dtype)
        fill_rows(0, int(target.shape[0]), rows)
        target.set(rows, stream=stream)
        stream.synchronize()
    else:
        _Upload(target, fill_rows, stream).run(check)


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
    stream = cupy.cuda.get_current_stream()
    wait_for_touching()
    if source.nbytes <= SMALL_BYTES:
        take_rows(0, int(source.shape[0]), source.get(stream=stream))
    else:
        _Download(source, take_rows, stream).run(check)


def touch_in_background(array: np.ndarray) -> None:
    """Have the system provide the memory of a new, large C-contiguous array while the device computes what will be
    stored there; whoever stores it waits (`wait_for_touching`)."""
    if array.nbytes > SMALL_BYTES:
        _touching.append(Thread(target=_touch_pages, args=(array,)))
        _touching[-1].start()


def wait_for_touching() -> None:
    """Wait until all arrays of `touch_in_background` have their memory: what touches them sets bytes to 0."""
    while _touching:
        _touching.pop().join()


def _touch_pages(array: np.ndarray) -> None:
    nbytes = array.reshape(-1).view(np.uint8)
    threads = min(workers.count_processors(), MOST_THREADS)
    bounds = np.linspace(0, nbytes.size, threads + 1).astype(np.int64).tolist()

    def touch(number: int) -> None:
        nbytes[bounds[number] : bounds[number + 1] : PAGE_BYTES] = 0

    workers.share_work(touch, threads, workers.make_stop_word(), lambda: None)


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
    """Worker threads, and one thread (number 0) that gives copies to the driver; buffers go around between them."""

    def __init__(self, on_device: cupy.ndarray, stream: cupy.cuda.Stream) -> None:
        if not on_device.flags.c_contiguous:
            raise ValueError("only a C-contiguous array on the device is copied row by row")
        rows = int(on_device.shape[0])
        self.on_device, self.stream = on_device, stream
        self.row_bytes = int(on_device.nbytes) // rows
        height = max(1, CHUNK_BYTES // self.row_bytes)
        self.spans = [(first, min(first + height, rows)) for first in range(0, rows, height)]
        self.workers = max(1, min(workers.count_processors(), MOST_THREADS, len(self.spans)))
        self.device = cupy.cuda.Device().id
        self.free, self.filled = SimpleQueue[_Buffer | None](), SimpleQueue[_Chunk | None]()
        count = min(max(self.workers * BUFFERS_A_THREAD, COPIES_AHEAD + 2), len(self.spans))
        self.buffers = [
            _Buffer(content, cupy.cuda.Event(disable_timing=True))
            for content in _allocate_staging(count, height * self.row_bytes)
        ]

    def run(self, check: Callable[[], None]) -> None:
        """Copy everything; ``check`` may end it by an exception."""
        for buffer in self.buffers:
            self.free.put(buffer)

        def work(number: int) -> None:
            with self.wake_on_error():
                if number:
                    self.serve()
                else:
                    with cupy.cuda.Device(self.device):
                        self.issue()

        def check_and_wake() -> None:
            with self.wake_on_error():
                check()

        try:
            workers.share_work(work, self.workers + 1, workers.make_stop_word(), check_and_wake)
        finally:
            for buffer in self.buffers:
                buffer.event.synchronize()  # the pool may lend the memory to another thread from here on

    @contextmanager
    def wake_on_error(self) -> Iterator[None]:
        """End the threads that wait for a buffer where one of them fails."""
        try:
            yield
        except BaseException:
            for _ in range(self.workers + 1):
                self.free.put(None)
                self.filled.put(None)
            raise

    def issue(self) -> None:
        """Give the copies to the driver, on one thread."""
        raise NotImplementedError

    def serve(self) -> None:
        """Fill or empty buffers, on the other threads."""
        raise NotImplementedError

    def rows(self, chunk: _Chunk) -> np.ndarray:
        """Return a buffer as rows of the array."""
        shape = chunk.last - chunk.first, *self.on_device.shape[1:]
        return chunk.buffer.content[: shape[0] * self.row_bytes].view(self.on_device.dtype).reshape(shape)

    def bytes_of(self, chunk: _Chunk) -> tuple[cupy.cuda.MemoryPointer, int, int]:
        """Return where the rows are on the device and on the host, and their number of bytes."""
        size = (chunk.last - chunk.first) * self.row_bytes
        return self.on_device.data + chunk.first * self.row_bytes, chunk.buffer.content.ctypes.data, size


class _Upload(_Transfer):
    def __init__(self, target: cupy.ndarray, fill_rows: FillRows, stream: cupy.cuda.Stream) -> None:
        super().__init__(target, stream)
        self.fill_rows, self.pending_spans = fill_rows, iter(self.spans)

    def serve(self) -> None:
        for first, last in self.pending_spans:
            if (buffer := self.free.get()) is None:
                return
            chunk = _Chunk(buffer, first, last)
            self.fill_rows(first, last, self.rows(chunk))
            self.filled.put(chunk)

    def issue(self) -> None:
        under_way = deque[_Chunk]()
        for _ in self.spans:
            if (chunk := self.filled.get()) is None:
                return
            pointer, address, size = self.bytes_of(chunk)
            pointer.copy_from_host_async(address, size, self.stream)
            chunk.buffer.event.record(self.stream)
            under_way.append(chunk)
            if len(under_way) > COPIES_AHEAD:
                first = under_way.popleft()
                first.buffer.event.synchronize()
                self.free.put(first.buffer)


class _Download(_Transfer):
    def __init__(self, source: cupy.ndarray, take_rows: TakeRows, stream: cupy.cuda.Stream) -> None:
        super().__init__(source, stream)
        self.take_rows = take_rows

    def serve(self) -> None:
        while (chunk := self.filled.get()) is not None:
            self.take_rows(chunk.first, chunk.last, self.rows(chunk))
            self.free.put(chunk.buffer)

    def issue(self) -> None:
        under_way = deque[_Chunk]()
        for first, last in self.spans:
            if (buffer := self.free.get()) is None:
                return
            under_way.append(_Chunk(buffer, first, last))
            pointer, address, size = self.bytes_of(under_way[-1])
            pointer.copy_to_host_async(address, size, self.stream)
            buffer.event.record(self.stream)
            if len(under_way) > COPIES_AHEAD:
                self.deliver(under_way.popleft())
        while under_way:
            self.deliver(under_way.popleft())
        for _ in range(self.workers):
            self.filled.put(None)

    def deliver(self, chunk: _Chunk) -> None:
        """Wait for a chunk, and give it to a worker."""
        chunk.buffer.event.synchronize()
        self.filled.put(chunk)


def _allocate_staging(count: int, nbytes: int) -> list[np.ndarray]:
    """Pinned buffers, or ordinary memory where the system does not let this program lock more pages."""
    try:
        memory = cupy.cuda.alloc_pinned_memory(count * nbytes)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        if "MemoryAllocation" not in str(error):
            raise
        memory = bytearray(count * nbytes)
    return list(np.frombuffer(memory, np.uint8, count * nbytes).reshape(count, nbytes))
