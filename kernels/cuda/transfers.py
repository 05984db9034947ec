"""Large arrays between host and device: by several threads, through pinned buffers that are kept from run to run.

The driver copies pageable memory by one thread, at some GB a second. Here threads bring some rows at a time into a
buffer, in the type that the device wants, while one more gives full ones to the current stream; back, threads
empty the buffers that have arrived. So the host's memory and the bus are busy together.

One thread alone queues copies, and the others wait in queues: with eight of them, what each did by itself in Python
took longer than 64 MiB on the bus. Buffers belong to a device, as do the events that say when they may be filled again.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import cupy
import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.memory import host_bytes_free

CHUNK = 4 << 20
"""Bytes of a buffer."""
MOST_THREADS = 16
"""More do not make the memory of a host faster."""
MOST_KEPT = 2 * MOST_THREADS
"""Buffers of a device that are kept from run to run: two for every thread."""
SHARE = 8
"""Buffers take at most one part in so many of the host's free memory, which is too little to be foretold."""
DIRECT = 1 << 20
"""Bytes up to which one thread alone makes rows as soon as several."""
PLAIN = 16 << 20
"""Bytes up to which the driver's own copy of an array as it is takes no longer: 1.1 ms of 16 MiB, on an H200."""
STAGED = 64 << 10
"""Bytes that the driver takes at once from wherever they are."""
NEW = 16 << 20
"""Bytes of new memory from which on it is worth a thread to have it found beforehand."""
SEVERAL = 2
"""Chunks at least that are worth a thread."""
PAGE = 4 << 10
"""Bytes of the smallest page of a host's memory."""
PAGES = 4 << 20
"""Bytes of new memory of the host that a thread takes at a time: enough pages that NumPy lets other threads work."""
TOUCHING = 4
"""Threads that do so beside a device at work: more of them keep the thread waiting that queues its launches."""
LOOK_S = 0.05
"""How often the wish to cancel is heard while nothing else happens."""

Fill = Callable[[int, int, np.ndarray], None]
"""``fill(first, last, out)`` writes the rows ``first`` to ``last`` of an array, half-open, into ``out``."""
Take = Callable[[int, int, np.ndarray], None]
"""``take(first, last, rows)`` puts rows that have arrived where they belong; they are there until it returns."""
Work = Callable[[np.ndarray], None]
"""What a thread does until it is done, or until the word that it is given is set."""
Item = TypeVar("Item")


def nothing() -> None:
    """Nobody wishes to cancel."""


def recorded(stream: cupy.cuda.Stream) -> cupy.cuda.Event:
    """An event behind what was queued on a stream so far."""
    return stream.record(cupy.cuda.Event(disable_timing=True))


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
    chunks = _Chunks(target)
    turns = iter(chunks.spans)

    def work(stop: np.ndarray) -> None:
        for first, last in turns:
            if (buffer := _next(chunks.free, stop)) is None:
                return
            fill(first, last, buffer.rows(target, first, last))
            chunks.full.put((first, last, buffer))

    def issue(stop: np.ndarray) -> None:
        under_way: deque[_Buffer] = deque()
        for _ in chunks.spans:
            if (filled := _next(chunks.full, stop)) is None:
                return
            first, last, buffer = filled
            chunks.place(first).copy_from_host_async(buffer.address, chunks.nbytes(first, last), chunks.stream)
            buffer.event.record(chunks.stream)
            under_way.append(buffer)
            while under_way and (under_way[0].event.done or 2 * len(under_way) > chunks.buffers):
                under_way[0].event.synchronize()
                chunks.free.put(under_way.popleft())

    chunks.share(work, issue, check)


def down(source: cupy.ndarray, take: Take, check: Callable[[], None] = nothing) -> None:
    """Give all rows of an array on the device, which lie close together, to ``take``, on several threads.

    It waits for what was queued on the current stream before.
    """
    if source.nbytes <= DIRECT:
        take(0, int(source.shape[0]), source.get())
        return
    chunks = _Chunks(source)
    turns = iter(chunks.spans)

    def work(stop: np.ndarray) -> None:
        for _ in turns:
            if (arriving := _next(chunks.full, stop)) is None:
                return
            first, last, buffer = arriving
            buffer.event.synchronize()
            take(first, last, buffer.rows(source, first, last))
            chunks.free.put(buffer)

    def issue(stop: np.ndarray) -> None:
        for first, last in chunks.spans:
            if (buffer := _next(chunks.free, stop)) is None:
                return
            chunks.place(first).copy_to_host_async(buffer.address, chunks.nbytes(first, last), chunks.stream)
            buffer.event.record(chunks.stream)
            chunks.full.put((first, last, buffer))

    chunks.share(work, issue, check)


def touch(array: np.ndarray) -> None:
    """Have the system find memory for an array that nothing was written to, by several threads: that takes longer than
    to write to it. What lies in it changes."""
    flat, threads = array.reshape(-1).view(np.uint8), max(1, min(workers.cores() - 1, TOUCHING))

    def write(first: int) -> None:
        flat[first : first + PAGES : PAGE] = 0

    workers.each(write, range(0, flat.size, PAGES), threads)


@contextmanager
def touched(array: np.ndarray) -> Iterator[None]:
    """While the block runs, the system finds memory for an array that is filled behind it."""
    if array.nbytes < NEW:
        yield
        return
    thread = threading.Thread(target=touch, args=(array,), name="antidiag-touch")
    thread.start()
    try:
        yield
    finally:
        thread.join()


class _Chunks:
    """Rows of an array on the device that go through one buffer at a time, and the two queues that buffers are in."""

    def __init__(self, on_device: cupy.ndarray) -> None:
        if not on_device.flags.c_contiguous:
            raise ValueError("rows that do not lie close together are copied by nobody")
        rows = int(on_device.shape[0])
        self.row_bytes, self._data = on_device.nbytes // rows, on_device.data
        if self.row_bytes > CHUNK:
            raise ValueError(f"a row of {self.row_bytes:,} bytes is more than a buffer of {CHUNK:,}")
        height = CHUNK // self.row_bytes
        self.spans = [(first, min(first + height, rows)) for first in range(0, rows, height)]
        self._threads = max(1, min(workers.cores(), MOST_THREADS, len(self.spans) // SEVERAL))
        self.buffers = 0
        self.stream, self._device = cupy.cuda.get_current_stream(), cupy.cuda.Device().id
        self.free: SimpleQueue[_Buffer] = SimpleQueue()
        self.full: SimpleQueue[tuple[int, int, _Buffer]] = SimpleQueue()

    def place(self, row: int) -> Any:
        """Where a row begins."""
        return self._data + row * self.row_bytes

    def nbytes(self, first: int, last: int) -> int:
        return (last - first) * self.row_bytes

    def share(self, work: Work, issue: Work, check: Callable[[], None]) -> None:
        """``work`` on threads, and ``issue`` on one more, until all have returned."""
        buffers, stop = _borrowed(self._device, min(2 * self._threads, len(self.spans))), workers.stop_word()
        self.buffers = len(buffers)

        def either(worker: int) -> None:
            with cupy.cuda.Device(self._device):
                (work if worker else issue)(stop)

        for buffer in buffers:
            self.free.put(buffer)
        try:
            workers.share(either, 1 + self._threads, stop, check)
        finally:
            _give_back(self._device, buffers)


class _Buffer:
    """Pinned memory, and the event after which its last copy is over."""

    def __init__(self) -> None:
        self._memory = cupy.cuda.alloc_pinned_memory(CHUNK)
        self._bytes = np.frombuffer(self._memory, np.uint8, CHUNK)
        self.address, self.event = self._bytes.ctypes.data, cupy.cuda.Event(disable_timing=True)

    def part(self, nbytes: int) -> np.ndarray:
        """The first so many bytes."""
        return self._bytes[:nbytes]

    def rows(self, on_device: cupy.ndarray, first: int, last: int) -> np.ndarray:
        """Room for these rows of an array."""
        room = on_device.nbytes // int(on_device.shape[0]) * (last - first)
        return self.part(room).view(on_device.dtype).reshape(last - first, *on_device.shape[1:])


_idle: dict[int, list[_Buffer]] = {}
"""Buffers of each device that no run has."""
_lending = threading.Lock()


def _borrowed(device: int, count: int) -> list[_Buffer]:
    """Buffers of the current device that no copy uses any more; the caller puts them back. So many, or as many as the
    host has room for; MemoryRefused where it has none for one."""
    with _lending:
        idle = _idle.setdefault(device, [])
        found, idle[:] = idle[:count], idle[count:]
    for buffer in found:
        buffer.event.synchronize()
    room = max(host_bytes_free() // SHARE // CHUNK, 1) if len(found) < count else 0
    while len(found) < min(count, room):
        try:
            found.append(_Buffer())
        except (cupy.cuda.runtime.CUDARuntimeError, MemoryError) as error:
            refusal = refused(device, CHUNK, error)
            if not found or not isinstance(refusal, MemoryRefused):
                raise refusal from None
            break
    return found


def _give_back(device: int, buffers: list[_Buffer]) -> None:
    with _lending:
        idle = _idle.setdefault(device, [])
        idle.extend(buffers)
        del idle[MOST_KEPT:]


@contextmanager
def staging(nbytes: int) -> Iterator[np.ndarray]:
    """So many bytes of the host, from which the block queues copies on the current stream; pinned, where that is
    faster and there are some."""
    device, found = cupy.cuda.Device().id, list[_Buffer]()
    if STAGED < nbytes <= CHUNK:
        with suppress(MemoryRefused):
            found = _borrowed(device, 1)
    try:
        yield found[0].part(nbytes) if found else np.empty(nbytes, np.uint8)
    finally:
        for buffer in found:
            buffer.event.record()
        _give_back(device, found)


def refused(device: int, size: int, error: Exception) -> Exception:
    """What to raise where so many bytes of pinned memory could not be had; ``error`` itself where that is not why."""
    if "MemoryAllocation" not in str(error) and not isinstance(error, MemoryError):
        return error
    return MemoryRefused(
        f"GPU {device} gets no memory of the host that it can copy from ({size:,} bytes of locked pages): "
        "end other programs, raise the limit of locked memory, or choose --backend cpu"
    )


def _next(queue: SimpleQueue[Item], stop: np.ndarray) -> Item | None:
    """What comes out of a queue; None once ``stop`` is set."""
    while not stop[0]:
        with suppress(Empty):
            return queue.get(timeout=LOOK_S)
    return None
