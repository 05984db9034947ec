"""An answer of some megabytes on its way to the host.

New memory of the host takes longer to be found than such an answer to be computed and copied. So threads have it found
while the device computes; then they take what comes in pinned memory, as the driver does with one alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import cupy
import numpy as np

from antidiag.kernels.cpu import carried, native_threads, workers
from antidiag.kernels.cpu.carried import SPAN
from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.cpu.taking import TAKING, Taken
from antidiag.kernels.cuda import transfers, whole_transfers
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.memory import host_bytes_free

LEAST, MOST = 1 << 20, 64 << 20
"""Bytes of an answer that goes this way: a smaller one takes no time, a larger one would keep threads waiting."""
THREADS = 12
"""More are not there sooner."""
CHUNK, COPIED = 128 << 10, 16
"""Bytes that a thread takes at a time, and how many times as many are copied: threads share what comes last."""


class Leaving:
    """An answer whose numbers come into ``numbers``; they are there when the block of `leaving` has ended."""

    def __init__(self, run: Run, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.numbers, self._run = np.empty(shape, dtype), run

    def fetch(self, array: cupy.ndarray) -> None:
        """Bring all numbers of an array of this shape and type; what was queued before is waited for, and not timed."""
        self._run.down(array, self.numbers)


class _Threads(Leaving):
    """One that threads take."""

    def __init__(self, run: Run, shape: tuple[int, ...], dtype: np.dtype, buffer: whole_transfers.Buffer) -> None:
        super().__init__(run, shape, dtype)
        self.stop, self.fetched = workers.stop_word(), False
        self._buffer, chunk = buffer, CHUNK // dtype.itemsize
        flat, copied = self.numbers.reshape(-1), COPIED * chunk
        self._spans = [(first, min(first + copied, flat.size)) for first in range(0, flat.size, copied)]
        self.given = Taken(
            buffer.view(dtype, flat.size), flat, chunk, COPIED, carried.words(2),
            touched=carried.words(-(-flat.nbytes // SPAN)),
            down=carried.words(len(self._spans)), stop=self.stop,
        )  # fmt: skip

    def compile(self) -> None:
        """What threads do, before they wait."""
        native_threads.prepare(TAKING, self.given)
        carried.come(carried.words(1), 0, 1)

    def fetch(self, array: cupy.ndarray) -> None:
        self._run.monitor.check()
        stream, events = cupy.cuda.get_current_stream(), []
        there = transfers.recorded(stream)
        for first, last in self._spans:
            at, size = first * array.itemsize, (last - first) * array.itemsize
            (array.data + at).copy_to_host_async(self._buffer.address + at, size, stream)
            events.append(transfers.recorded(stream))
        self._buffer.event.record(stream)
        self._run.settle()
        there.synchronize()
        with self._run.timed("transfer"):
            for number, event in enumerate(events):
                event.synchronize()
                carried.come(self.given.down, number, 1)
        self.fetched = True


@contextmanager
def leaving(run: Run, shape: tuple[int, ...], dtype: np.dtype) -> Iterator[Leaving]:
    """An answer of this shape and type, which the block computes and then fetches; it is there when the block ends."""
    size = int(np.prod(shape)) * dtype.itemsize
    if not LEAST <= size <= min(MOST, host_bytes_free() // transfers.SHARE):
        yield Leaving(run, shape, dtype)
        return
    with whole_transfers.lent(size) as buffer:
        answer = _Threads(run, shape, dtype, buffer)
        run.spend("compilation", time_ms(answer.compile))
        with native_threads.beside(TAKING, answer.given, max(1, min(workers.cores(), THREADS)), answer.stop):
            yield answer
            if not answer.fetched:
                answer.stop[0] = 1
