"""Arrays of some tens of megabytes between host and device, as other numbers on the host: in one pinned buffer as large
as they are, which threads fill or empty in a single compiled call each, while one more queues what is ready.

What threads do by themselves in Python takes longer than such an array on the bus; so they do nothing in it but begin.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

import cupy
import numpy as np

from antidiag.kernels.cpu import carried, workers
from antidiag.kernels.cuda import transfers
from antidiag.kernels.memory import host_bytes_free

MOST = 64 << 20
"""Bytes of the largest array that goes this way; one buffer of a device is kept."""
LEAST = 4 << 20
"""Bytes below which threads are not worth their start."""
CHUNK = 2 << 20
"""Bytes that are copied at a time."""
THREADS = 12
"""More do not make the memory of a host faster."""

Work = Callable[[np.ndarray, int, int, int, np.ndarray, np.ndarray], None]
"""``work(numbers, chunk, worker, workers, words, stop)``, compiled: fills or empties ``numbers``, flat and of the type
on the device, every ``workers``-th chunk of so many; says by ``words[WORD * number]`` that a chunk is filled, or waits
for it to be there."""


def suits(array: cupy.ndarray) -> bool:
    """Whether an array goes this way."""
    fits = host_bytes_free() // transfers.SHARE >= array.nbytes
    return bool(LEAST <= array.nbytes <= MOST and array.flags.c_contiguous and fits)


def up(target: cupy.ndarray, work: Work, check: Callable[[], None]) -> None:
    """Have ``work`` fill an array on the device; what is queued on the current stream afterwards finds it there."""
    stream = cupy.cuda.get_current_stream()

    def issue(buffer: Buffer, words: np.ndarray, stop: np.ndarray) -> None:
        for number, (at, size) in enumerate(_spans(target.nbytes)):
            if not carried.there(words, number, stop):
                break
            (target.data + at).copy_from_host_async(buffer.address + at, size, stream)
        buffer.event.record(stream)

    _share(target, work, issue, check)


def down(source: cupy.ndarray, work: Work, check: Callable[[], None]) -> None:
    """Have ``work`` empty a copy of an array on the device, behind what was queued on the current stream."""
    stream = cupy.cuda.get_current_stream()
    spans = _spans(source.nbytes)
    events = [cupy.cuda.Event(disable_timing=True) for _ in spans]

    def issue(buffer: Buffer, words: np.ndarray, stop: np.ndarray) -> None:
        for event, (at, size) in zip(events, spans, strict=True):
            (source.data + at).copy_to_host_async(buffer.address + at, size, stream)
            event.record(stream)
        buffer.event.record(stream)
        for number, event in enumerate(events):
            event.synchronize()
            carried.come(words, number, 1)

    _share(source, work, issue, check)


def _spans(nbytes: int) -> list[tuple[int, int]]:
    return [(at, min(CHUNK, nbytes - at)) for at in range(0, nbytes, CHUNK)]


def _share(
    on_device: cupy.ndarray,
    work: Work,
    issue: Callable[[Buffer, np.ndarray, np.ndarray], None],
    check: Callable[[], None],
) -> None:
    device, stop = cupy.cuda.Device().id, workers.stop_word()
    threads = max(1, min(workers.cores(), THREADS))
    words = carried.words(len(_spans(on_device.nbytes)))
    with lent(on_device.nbytes) as buffer:
        numbers = buffer.numbers(on_device)

        def either(worker: int) -> None:
            if worker:
                work(numbers, CHUNK // on_device.itemsize, worker - 1, threads, words, stop)
                return
            with cupy.cuda.Device(device):
                issue(buffer, words, stop)

        workers.share(either, 1 + threads, stop, check)


@contextmanager
def lent(size: int) -> Iterator[Buffer]:
    """Pinned memory of so many bytes or more for the current device; its event is recorded behind the last copy."""
    device = cupy.cuda.Device().id
    buffer = _borrowed(device, size)
    try:
        yield buffer
    finally:
        with _lending:
            _idle[device] = buffer


class Buffer:
    """Pinned memory, the event after which its last copy is over, and streams for whoever has it."""

    def __init__(self, size: int) -> None:
        self.size, self._memory = size, cupy.cuda.alloc_pinned_memory(size)
        self._bytes = np.frombuffer(self._memory, np.uint8, size)
        self.address, self.event = self._bytes.ctypes.data, cupy.cuda.Event(disable_timing=True)

    @cached_property
    def streams(self) -> tuple[cupy.cuda.Stream, cupy.cuda.Stream]:
        """Two streams beside the current one, kept like the memory."""
        arrivals, departures = (cupy.cuda.Stream(non_blocking=True) for _ in range(2))
        return arrivals, departures

    def numbers(self, on_device: cupy.ndarray) -> np.ndarray:
        return self.view(on_device.dtype, on_device.size)

    def view(self, dtype: np.dtype, count: int, at: int = 0) -> np.ndarray:
        """So many numbers from a byte on."""
        return self._bytes[at : at + count * dtype.itemsize].view(dtype)


_idle: dict[int, Buffer] = {}
"""The buffer of each device that no run has."""
_lending = threading.Lock()


def _borrowed(device: int, size: int) -> Buffer:
    """A buffer of the current device, of so many bytes or more, that no copy uses any more."""
    with _lending:
        found = _idle.pop(device, None)
    if found is not None:
        found.event.synchronize()
    if found is not None and found.size >= size:
        return found
    del found
    try:
        return Buffer(size)
    except (cupy.cuda.runtime.CUDARuntimeError, MemoryError) as error:
        raise transfers.refused(device, size, error) from None
