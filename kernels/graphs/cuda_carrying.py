"""Weights to a device and distances back while it computes: threads of the host bring and take rows in pinned memory
(cpu_carrying.py), and the caller's thread has the bus move what is ready, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import cupy
import numpy as np

from antidiag.kernels.cpu import carried, native_threads, workers
from antidiag.kernels.cuda import transfers, whole_transfers
from antidiag.kernels.graphs import cpu_carrying
from antidiag.kernels.graphs.cpu_carrying import CODES, RAW, Carried
from antidiag.kernels.graphs.sizes import NARROW, NONE
from antidiag.kernels.semiring import MIN_PLUS

THREADS = 12
"""More do not make the memory of a host faster."""
CHUNK = 16
"""Rows that a thread brings or takes at a time."""


class Sent(NamedTuple):
    """Copies to the host that are queued: RAW or CODES, and of every piece its number and the event behind it."""

    how: int
    pieces: list[tuple[int, cupy.cuda.Event]]


class Carrier:
    """Rows of weights (float64, (n, n)) on their way to a device, and of distances on their way to ``numbers``.

    On the device and on the bus a matrix has ``side`` numbers to a row, and as many rows, a whole number of pieces;
    from ``limit`` on a distance is infinite. Where weights are ``narrow``, they travel in 16 bits.
    """

    def __init__(
        self, weights: np.ndarray, numbers: np.ndarray, limit: float, side: int, piece: int, narrow: bool
    ) -> None:
        self._weights, self._numbers, self._side, self.piece = weights, numbers, side, piece
        dtype = numbers.dtype
        self.travels, self._infinite = NARROW if narrow else dtype, dtype.type(MIN_PLUS.zero(dtype))
        self._most = np.float64(NONE if narrow else self._infinite)
        self._none, self._limit = self.travels.type(NONE if narrow else 0), dtype.type(limit)
        self._threads = max(1, min(workers.cores(), THREADS))
        self._up, self._down = carried.words(side // CHUNK), carried.words(side // piece)
        self._stop = workers.stop_word()

    def compile(self) -> None:
        """Have compiled what threads do, before they wait for each other."""
        word, nothing = carried.words(1), np.empty((0, 0))
        nothing.setflags(write=self._weights.flags.writeable)
        raw, numbers = np.zeros(1, self._numbers.dtype), np.empty((0, 0), self._numbers.dtype)
        given = self._carried(nothing, raw, numbers, np.empty(0, np.int64), word[:0], word)
        native_threads.prepare(cpu_carrying.CARRYING, given)
        carried.all_there(word, 0, 0, self._stop)
        carried.come(word, 0, RAW)

    def _carried(
        self, weights: np.ndarray, raw: np.ndarray, numbers: np.ndarray, turns: np.ndarray, touched: np.ndarray,
        taken: np.ndarray,
    ) -> Carried:  # fmt: skip
        return Carried(
            weights, self._most, raw.view(self.travels), raw, numbers, self._limit, self._none, self._infinite,
            self._side, self.piece, CHUNK, turns, carried.words(3), self._up, touched, self._down, taken, self._stop,
        )  # fmt: skip

    @contextmanager
    def carrying(self, panels: list[tuple[int, int]]) -> Iterator[None]:
        """While the block runs, threads bring all weights and take what is delivered; ``panels``: the rows of the
        distances, as they will come; each has a flag, in pinned memory. When the block ends, the current stream is
        behind all copies."""
        count, n, numbers = self._side**2, len(self._weights), self._numbers
        turns = np.concatenate([np.arange(first, min(last, n), CHUNK) for first, last in panels]).astype(np.int64)
        touched, taken = carried.words(-(-numbers.nbytes // carried.SPAN)), carried.words(turns.size)
        size, flag = count * numbers.itemsize, np.dtype(np.int32)
        with whole_transfers.lent(size + len(panels) * flag.itemsize) as buffer:
            raw, self.flags = buffer.view(numbers.dtype, count), buffer.view(flag, len(panels), size)
            self._address = buffer.address
            given = self._carried(self._weights, raw, numbers, turns, touched, taken)
            try:
                with native_threads.beside(cpu_carrying.CARRYING, given, self._threads, self._stop):
                    yield
            finally:
                buffer.event.record(cupy.cuda.get_current_stream())

    def bring(self, target: cupy.ndarray, first: int, last: int, stream: cupy.cuda.Stream) -> None:
        """Queue copies of rows, a whole number of pieces, to an array on the device, as soon as they are there."""
        for row in range(first, last, self.piece):
            until = min(row + self.piece, last)
            if not carried.all_there(self._up, row // CHUNK, until // CHUNK, self._stop):
                return  # a thread has failed, and raises when all have ended
            size = (until - row) * self._side * self.travels.itemsize
            self._place(target, row).copy_from_host_async(self._at(row), size, stream)

    def send(self, source: cupy.ndarray, first: int, last: int, stream: cupy.cuda.Stream) -> Sent:
        """Queue copies of rows of distances, or of their codes."""
        pieces = []
        for row in range(first, min(last, len(self._weights)), self.piece):
            until = min(row + self.piece, last)
            size = (until - row) * self._side * source.itemsize
            self._place(source, row).copy_to_host_async(self._at(row), size, stream)
            pieces.append((row // self.piece, transfers.recorded(stream)))
        return Sent(RAW if source.dtype == self._numbers.dtype else CODES, pieces)

    def deliver(self, sent: Sent) -> None:
        """Give what was sent to the threads, a piece as soon as it is there."""
        for piece, event in sent.pieces:
            event.synchronize()
            carried.come(self._down, piece, sent.how)

    def _place(self, array: cupy.ndarray, row: int) -> Any:
        return array.data + row * self._side * array.itemsize

    def _at(self, row: int) -> int:
        """Where in pinned memory a piece begins."""
        return self._address + row * self._side * self._numbers.itemsize
