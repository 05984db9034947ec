"""One product of two large matrices over a semiring, made while factors still arrive and rows of it leave.

Factors arrive in panels: some columns of the first, and as many rows of the second. What a panel adds to the product is
computed as soon as it is there, so that the first ones have few columns and the device soon begins. Of the last panel
some rows of the product are computed at a time; they leave while the next ones are, so that it has many columns.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu import carried, native_threads, workers
from antidiag.kernels.cpu.carried import SPAN
from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.cuda import blocks, transfers, whole_transfers
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.cuda.transfers import recorded
from antidiag.kernels.memory import host_bytes_free
from antidiag.kernels.semiring import Semiring
from antidiag.kernels.semiring import cuda as algebra
from antidiag.kernels.semiring.cpu_carrying import CARRYING, LEFT, RIGHT, Carried

THREADS = 15
"""More do not make the memory of a host faster."""
LEAST = 4 << 20
"""Bytes of the smaller of all factors and the product below which nothing of it is worth the threads."""
PART = 1 << 20
"""Bytes that a thread brings or takes at a time."""
FIRST, MOST = 256, 1024
"""Columns of a panel at the beginning, and of the last ones; in between they become twice as many."""
BLOCKS = 2
"""Blocks that a multiprocessor has at a time (product.cu)."""
KEPT = 8
"""Plans of products of so many sizes are kept, as they are made in Python, part by part."""
AHEAD = 2
"""Pieces of the product that are queued beyond the one that is waited for."""
COPY = 4 << 20
"""Bytes of the product that are copied at a time, so that threads soon have the last ones."""


def suits(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether a product is made in this way: of two matrices, large, and the host has pinned memory for both, which is
    too little to be foretold."""
    if left.ndim != 2:
        return False
    sides = _sides(left, right)
    least = min(left.nbytes + right.nbytes, sides[0] * sides[2] * left.itemsize)
    return least >= LEAST and host_bytes_free() // transfers.SHARE >= _pinned(*sides) * left.itemsize


def product(left: np.ndarray, right: np.ndarray, semiring: Semiring, run: Run) -> np.ndarray:
    """The product of two matrices, shapes (m, d) and (d, n), as `kernels.semiring.cpu.product` has it."""
    return Overlapped(left, right, semiring, run).product()


def _sides(left: np.ndarray, right: np.ndarray) -> tuple[int, int, int]:
    """Rows of the first, its columns, and columns of the second matrix, in whole tiles."""
    size = algebra.tile(left.dtype)
    return tuple(algebra.whole(length, size) for length in (*left.shape, right.shape[1]))  # type: ignore[return-value]


def _pinned(rows: int, depth: int, columns: int) -> int:
    """Numbers in pinned memory: of the factors, and behind them of the product, which begins when they are there."""
    return max((rows + columns) * depth, rows * columns)


def cuts(depth: int, size: int) -> list[int]:
    """The first column of each panel, and the one after the last; whole tiles of ``size``."""
    widths, wide, left = [], max(FIRST, size), depth
    while left:
        widths.append(min(wide, left))
        left -= widths[-1]
        wide = min(2 * wide, max(MOST, size))
    return [0, *accumulate(sorted(widths))]  # what was left over is no last panel, behind which all rows would wait


class Overlapped:
    """One run."""

    def __init__(self, left: np.ndarray, right: np.ndarray, semiring: Semiring, run: Run) -> None:
        self._run, self._dtype, self._size = run, left.dtype.newbyteorder("="), algebra.tile(left.dtype)
        self._factors = tuple(_read_only(np.ascontiguousarray(one, self._dtype)) for one in (left, right))
        self._rows, self._depth, self._columns = _sides(left, right)
        self._found = np.empty((len(left), right.shape[1]), self._dtype)
        self._constants, self._zero = algebra.defines(left.dtype, semiring), self._dtype.type(semiring.zero(left.dtype))
        self._panels = list(pairwise(cuts(self._depth, self._size)))
        self._stop, self._done, self._delivered = workers.stop_word(), 0, 0

    def product(self) -> np.ndarray:
        """What of the transfers was not beside the computation is the time of the transfers."""
        run, size = self._run, _pinned(self._rows, self._depth, self._columns)
        run.monitor.check()
        kernel = run.kernel(algebra.PRODUCT, "product", **self._constants)
        height = self._piece(blocks.multiprocessors())
        pieces = list(pairwise([*range(0, self._rows, height), self._rows]))
        with whole_transfers.lent(size * self._dtype.itemsize) as buffer:
            pinned = buffer.view(self._dtype, size)
            given, ends = self._carried(pinned, pieces)
            run.spend("compilation", time_ms(lambda: self._compile(given)))
            began, known_ms = time.perf_counter(), sum(run.times_ms.values())
            threads = max(1, min(workers.cores(), THREADS))
            with self._streams(buffer), native_threads.beside(CARRYING, given, threads, self._stop):
                self._multiply(kernel, given, ends, pieces)
        run.spend("transfer", (time.perf_counter() - began) * 1e3 - (sum(run.times_ms.values()) - known_ms))
        return self._found

    def _compile(self, given: Carried) -> None:
        """What threads do, before they wait for each other."""
        native_threads.prepare(CARRYING, given)
        carried.all_there(given.up, 0, 0, self._stop)
        carried.come(carried.words(1), 0, 1)

    def _piece(self, multiprocessors: int) -> int:
        """Rows of the product that fill the device once."""
        across = self._columns // self._size
        return max(1, BLOCKS * multiprocessors // across) * self._size

    def _carried(self, pinned: np.ndarray, pieces: list[tuple[int, int]]) -> tuple[Carried, list[int]]:
        """What threads are given, and for each panel the number of jobs after which it is there."""
        sides, item = (self._rows, self._depth, self._columns), self._dtype.itemsize
        jobs, ends = _brought(*sides, self._size, item)
        takes, copies = _taken(len(self._found), self._columns, tuple(pieces), item)
        left, right = self._factors
        given = Carried(
            left, right, self._zero, pinned, self._found, jobs, takes, self._columns,
            tickets=carried.words(3), up=carried.words(len(jobs)),
            touched=carried.words(-(-self._found.nbytes // SPAN)), down=carried.words(copies), stop=self._stop,
        )  # fmt: skip
        return given, ends

    @contextmanager
    def _streams(self, buffer: whole_transfers.Buffer) -> Iterator[None]:
        """Whatever happens, the current stream is behind both others, and the buffer is used until then."""
        self._main = cupy.cuda.get_current_stream()
        self._arrivals, self._departures = buffer.streams
        try:
            self._arrivals.wait_event(recorded(self._main))
            yield
        finally:
            for stream in (self._arrivals, self._departures):
                self._main.wait_event(recorded(stream))
            buffer.event.record(self._main)

    def _multiply(self, kernel: Any, given: Carried, ends: list[int], pieces: list[tuple[int, int]]) -> None:
        address = given.pinned.ctypes.data
        factors = [self._run.empty((side, self._depth), self._dtype) for side in (self._rows, self._columns)]
        found = self._run.empty((self._rows, self._columns), self._dtype)
        sent: list[list[cupy.cuda.Event]] = []
        with self._run.timed("transfer"):
            first = self._arrive(given, address, factors, 0, ends)
            if first is not None:
                first.synchronize()
        with self._run.phase("product", ahead=AHEAD) as phase:
            for number, panel in enumerate(self._panels):
                arrived = self._arrive(given, address, factors, number, ends) if number else first
                if arrived is None:
                    return  # a thread has failed, and raises when all have ended
                self._main.wait_event(arrived)
                last = number + 1 == len(self._panels)
                for row, until in pieces if last else self._bands(*panel):
                    self._launch(kernel, factors, found, panel, row, until)
                    if last:
                        sent.append(self._send(found, address, row, until))
                    phase.launched(self._share(panel, row, until), len(self._found))
                    if len(sent) > AHEAD:
                        self._deliver(given, sent.pop(0))
            for copies in sent:
                self._deliver(given, copies)

    def _arrive(
        self, given: Carried, address: int, factors: list[cupy.ndarray], number: int, ends: list[int]
    ) -> cupy.cuda.Event | None:
        """Queue copies of a panel as soon as the host has it ready; the event behind them."""
        self._run.monitor.check()
        start, end = self._panels[number]
        if not carried.all_there(given.up, ends[number - 1] if number else 0, ends[number], self._stop):
            return None
        for factor, (array, side) in enumerate(zip(factors, (self._rows, self._columns), strict=True)):
            at, size = start * side * self._dtype.itemsize, (end - start) * side * self._dtype.itemsize
            place = address + _place(factor, start, self._rows, self._depth, self._columns) * self._dtype.itemsize
            (array.data + at).copy_from_host_async(place, size, self._arrivals)
        return recorded(self._arrivals)

    def _bands(self, start: int, end: int) -> list[tuple[int, int]]:
        """Rows of launches of a fraction of a second."""
        most = algebra.launch_cells(self._dtype) // ((end - start) * self._columns * self._size)
        return list(pairwise([*range(0, self._rows, max(1, most) * self._size), self._rows]))

    def _launch(
        self, kernel: Any, factors: list[cupy.ndarray], found: cupy.ndarray, panel: tuple[int, int], row: int,
        until: int,
    ) -> None:  # fmt: skip
        """What a panel adds to rows of the product."""
        (start, end), item = panel, self._dtype.itemsize
        left = factors[LEFT].data.ptr + (start * self._rows + row * (end - start)) * item
        right, into = (
            factors[RIGHT].data.ptr + start * self._columns * item,
            found.data.ptr + row * self._columns * item,
        )
        grid = self._columns // self._size, (until - row) // self._size, 1
        sizes = np.int32(end - start), np.int32(self._columns), np.int64(0), np.int64(0), np.int64(0)
        kernel(grid, (algebra.THREADS,), (*map(np.uint64, (left, right, into)), *sizes, np.int32(start == 0)))

    def _send(self, found: cupy.ndarray, address: int, row: int, until: int) -> list[cupy.cuda.Event]:
        """Queue copies of rows of the product behind what computes them; the factors in pinned memory have gone."""
        self._departures.wait_event(recorded(self._main))
        events = []
        for first, last in _parts(row, until, self._columns * self._dtype.itemsize, COPY):
            at, size = (count * self._columns * self._dtype.itemsize for count in (first, last - first))
            (found.data + at).copy_to_host_async(address + at, size, self._departures)
            events.append(recorded(self._departures))
        return events

    def _deliver(self, given: Carried, copies: list[cupy.cuda.Event]) -> None:
        """Give rows to the threads when they have come."""
        for event in copies:
            event.synchronize()
            carried.come(given.down, self._delivered, 1)
            self._delivered += 1

    def _share(self, panel: tuple[int, int], row: int, until: int) -> int:
        """Rows of the product that as much work makes as there will have been with these rows of a panel."""
        self._done += (until - row) * (panel[1] - panel[0])
        return len(self._found) * self._done // (self._rows * self._depth)


@lru_cache(KEPT)
def _brought(rows: int, depth: int, columns: int, size: int, item: int) -> tuple[np.ndarray, list[int]]:
    """Jobs of threads that bring factors (Carried.jobs), and for each panel how many there are until it is there."""
    jobs: list[tuple[int, ...]] = []
    ends = []
    for start, end in pairwise(cuts(depth, size)):
        for factor, first, last, span in ((LEFT, 0, rows, (start, end)), (RIGHT, start, end, (0, columns))):
            at, wide = _place(factor, start, rows, depth, columns), span[1] - span[0]
            jobs += [(factor, row, until, *span, at + (row - first) * wide)
                     for row, until in _parts(first, last, wide * item)]  # fmt: skip
        ends.append(len(jobs))
    return np.array(jobs, np.int64), ends


@lru_cache(KEPT)
def _taken(wanted: int, columns: int, pieces: tuple[tuple[int, int], ...], item: int) -> tuple[np.ndarray, int]:
    """Jobs of threads that take the ``wanted`` rows of the product (Carried.takes), and the number of copies."""
    copies = [copy for piece in pieces for copy in _parts(*piece, columns * item, COPY)]
    takes = [(row, until, copy) for copy, (first, last) in enumerate(copies)
             for row, until in _parts(first, min(last, wanted), columns * item)]  # fmt: skip
    return np.array(takes, np.int64).reshape(-1, 3), len(copies)


def _place(factor: int, start: int, rows: int, depth: int, columns: int) -> int:
    """Where the part of a factor that begins with this column, or row, lies among its panels."""
    return start * rows if factor == LEFT else depth * rows + start * columns


def _parts(first: int, last: int, row_bytes: int, nbytes: int = PART) -> list[tuple[int, int]]:
    """Rows of so many bytes or, of long ones, a row; those that a thread takes at a time."""
    height = max(1, nbytes // row_bytes)
    return [(row, min(row + height, last)) for row in range(first, last, height)]


def _read_only(array: np.ndarray) -> np.ndarray:
    """An array that compiled code sees as one that it does not write to, so that it is compiled once."""
    seen = array.view()
    seen.setflags(write=False)
    return seen
