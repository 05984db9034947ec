"""Blocked Floyd-Warshall by panels: the first rows are computed while others still arrive, and the last ones leave
while others are computed.

With A[s] for the rows of panel s, A[s, k] for their columns that are vertices of panel k, and products over (min, +):

    forward,  s = 0, 1 ..:  A[s] = A[s] + A[s, k] A[k]  for k = 0 .. s - 1
                            A[s, s] = A[s, s]*, block by block
                            A[s] = A[s, s] A[s]
    backward, s = .. 1, 0:  A[s] = A[s] + A[s, k > s] A[k > s]

Forward, a panel lets in the vertices of the panels before it, and needs no panel behind it: it starts when it has
arrived. Backward, the rows behind it are distances already, so that one product makes it distances too, and it leaves.
Half of the work is backward. Launches of small blocks, each of which waits for the one before, are over the squares
A[s, s] alone.

A product changes all columns of a panel, so that its left factors lie in a matrix of their own: weights come there
first, a product puts the columns there that are the next one's factors, and a panel is copied there before it goes
backward. Before the product with its own square, of which it is the right factor, it is copied there too.

Streams: ``chain`` has what everything waits for, a panel's vertices and the last product before these; ``sides``, which
panels have in turn, the products before that; ``leaving`` makes codes of 16 bits. Every panel has events for what is
done.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from kernels.cpu.phases import time_ms
from kernels.cuda import transfers
from kernels.cuda.run import Run
from kernels.graphs.cuda_carrying import Carrier
from kernels.graphs.cuda_moving import MOVING
from kernels.graphs.problem import PathsProblem
from kernels.graphs.sizes import NARROW, PANEL
from kernels.memory import host_bytes_free
from kernels.semiring import cuda as algebra
from kernels.semiring.cuda import PAD_BLOCKS, THREADS, TILE_FILES

FLOYD = (*TILE_FILES, Path(__file__).with_name("floyd.cu"))

AHEAD = 2
"""Panels that are queued beyond the one that is waited for."""
SIDES = 2
"""Panels that have products at a time: one alone does not fill a large device, more hold up the chain."""


def fits(problem: PathsProblem) -> bool:
    """Whether the host has pinned memory for all distances, which is too little to be foretold."""
    side = algebra.whole(problem.n, algebra.tile(problem.dtype))
    return host_bytes_free() // transfers.SHARE >= side * side * problem.dtype.itemsize


def distances(problem: PathsProblem, over: PathsProblem, run: Run, narrow: bool) -> np.ndarray:
    """The distances of a problem ``over`` weights as they are computed with, in the problem's type, shape (n, n)."""
    return Panels(problem, over, run, narrow).distances()


class Panels:
    """One run. Panel s is the blocks from ``cuts[s]`` to ``cuts[s + 1]``."""

    def __init__(self, problem: PathsProblem, over: PathsProblem, run: Run, narrow: bool) -> None:
        self.n, self._run, self._size = problem.n, run, algebra.tile(problem.dtype)
        self.side, self._dtype = algebra.whole(problem.n, self._size), problem.dtype
        self.blocks = self.side // self._size
        self.cuts = [*range(0, self.blocks, PANEL // self._size), self.blocks]
        self.count, self._done = len(self.cuts) - 1, 0
        self._limit, self._narrow = problem.dtype.type(problem.limit), narrow
        self._numbers = np.empty((self.n, self.n), problem.dtype)
        self._carrier = Carrier(over.graph.weights, self._numbers, problem.limit, self.side, self._size, narrow)

    def distances(self) -> np.ndarray:
        """What of the transfers was not beside the computation is the time of the transfers."""
        self._run.monitor.check()
        self._run.spend("compilation", time_ms(self._carrier.compile))
        times_ms, order = self._run.times_ms, range(self.count - 1, -1, -1)
        with self._carrier.carrying([self._rows(panel) for panel in order]):
            self._compile(algebra.defines(self._dtype))
            self._take()
            with self._streams():
                with self._run.timed("transfer"):
                    self._arrive(0)
                    self._main.wait_event(self._arrived[0])
                began, known_ms = time.perf_counter(), sum(times_ms.values())
                with self._run.phase("distances", ahead=AHEAD) as phase:
                    for panel in range(self.count):
                        if panel:
                            self._arrive(panel)
                        self._forward(panel)
                        phase.launched(*self._told(panel, self._closed[panel], self.cuts[panel + 1]))
                    for panel in order:
                        self._backward(panel)
                        if behind := self.blocks - self.cuts[panel + 1]:
                            phase.launched(*self._told(panel, self._final[panel], behind))
                        if panel + AHEAD < self.count:
                            self._leave(panel + AHEAD)
                    for panel in order[-AHEAD:]:
                        self._leave(panel)
        self._run.spend("transfer", (time.perf_counter() - began) * 1e3 - (sum(times_ms.values()) - known_ms))
        return self._numbers

    def _compile(self, constants: dict[str, int]) -> None:
        kernel, small = self._run.kernel, algebra.defines(self._dtype, small=True)
        self._apply, self._along = (kernel(FLOYD, f"floyd_{name}", **constants) for name in ("apply", "along"))
        self._close, self._cross, self._rest = (
            kernel(FLOYD, f"floyd_{name}", **small) for name in ("close", "cross", "rest")
        )
        if self._narrow:
            self._spread, self._gather = (
                kernel(MOVING, name, NARROW=1, **constants) for name in ("spread", "gathered")
            )

    def _take(self) -> None:
        """Memory of the device: distances, left factors, what travels where that is neither, and whether it fits."""
        shape, run = (self.side, self.side), self._run
        self._d, self._left = run.empty(shape, self._dtype), run.empty(shape, self._dtype)
        self._codes = run.empty(shape, NARROW) if self._narrow else self._left
        self._outside = run.filled(self.count, np.int32)

    @contextmanager
    def _streams(self) -> Iterator[None]:
        """Streams of the run, and events of its panels. Whatever happens, the current stream is behind all of them."""
        self._main = cupy.cuda.get_current_stream()
        streams = _lent_streams()
        self._chain, self._leaving, self._arrivals, self._departures, *self._sides = streams
        self._arrived: list[Any] = []
        self._closed: list[Any] = []
        self._final: dict[int, Any] = {}
        self._ready: dict[int, Any] = {}
        begun = _recorded(self._main)
        try:
            for stream in streams:
                stream.wait_event(begun)
            yield
        finally:
            for stream in streams:
                self._main.wait_event(_recorded(stream))
        _idle[cupy.cuda.Device().id].append(streams)  # streams on which a run failed are not used again

    def _rows(self, panel: int) -> tuple[int, int]:
        return self.cuts[panel] * self._size, self.cuts[panel + 1] * self._size

    def _arrive(self, panel: int) -> None:
        """Weights of a panel to the device, as soon as the host has them ready."""
        self._run.monitor.check()
        target = self._codes if self._narrow else self._left
        self._carrier.bring(target, *self._rows(panel), self._arrivals)
        self._arrived.append(_recorded(self._arrivals))

    def _forward(self, panel: int) -> None:
        """Let in all vertices up to those of the panel."""
        side, chain = self._sides[panel % SIDES], self._chain
        side.wait_event(self._arrived[panel])
        with side:
            self._lay_out(panel)
            for before in range(panel - 1):
                side.wait_event(self._closed[before])
                self._product(panel, before, before + 1, keeps=True)
        chain.wait_event(_recorded(side))
        with chain:
            if panel:  # the one before has been let in on this stream
                self._product(panel, panel - 1, panel)
            self._let_in(panel)
        self._closed.append(_recorded(chain))

    def _let_in(self, panel: int) -> None:
        """The vertices of a panel into its rows: into its own square a small block at a time, each of which waits for
        the one before, then into all other columns at once."""
        size = algebra.tile(self._dtype, small=True)
        first, last = (row // size for row in self._rows(panel))
        count = last - first
        for block in range(first, last):
            this = self._d, np.int32(self.side), np.int32(block)
            self._close((1,), (THREADS,), this)
            if count > 1:
                self._cross((2 * count,), (THREADS,), (*this, np.int32(first)))
                self._rest((count, count), (THREADS,), (*this, np.int32(first), np.int32(0)))
        self._widen(panel)

    def _widen(self, panel: int) -> None:
        """Let the vertices of a panel, whose own square is closed, into its other columns."""
        start, end = self.cuts[panel], self.cuts[panel + 1]
        if others := self.blocks - (end - start):
            if panel:  # no product has changed the weights of the first one
                self._copy(self._d, self._left, panel)
            arguments = self._d, self._left, np.int32(self.side), np.int32(start)
            self._along((others, end - start), (THREADS,), arguments)

    def _backward(self, panel: int) -> None:
        """Let in all vertices behind those that the panel has: its rows are distances then, and leave."""
        side, chain, after = self._sides[panel % SIDES], self._chain, panel + 1
        if after == self.count:
            self._finish(panel, self._closed[panel])
            return
        side.wait_event(self._closed[panel])
        with side:
            self._copy(self._d, self._left, panel)
            if after + 1 < self.count:
                side.wait_event(self._final[after + 1])
                self._product(panel, after + 1, self.count)
        chain.wait_event(_recorded(side))
        with chain:  # the next panel has become distances on this stream
            self._product(panel, after, after + 1)
        self._finish(panel, _recorded(chain))

    def _finish(self, panel: int, final: cupy.cuda.Event) -> None:
        """Behind ``final``, the rows of a panel are distances."""
        self._final[panel] = self._ready[panel] = final
        if self._narrow:
            self._leaving.wait_event(final)
            numbers, codes, count = self._part(self._d, panel), self._part(self._codes, panel), self._numbers_of(panel)
            with self._leaving:
                arguments = numbers, codes, np.int64(count), self._limit, self._outside[panel : panel + 1]
                self._gather((PAD_BLOCKS,), (THREADS,), arguments)
            self._ready[panel] = _recorded(self._leaving)

    def _leave(self, panel: int) -> None:
        """The distances of a panel to the host, in 16 bits where all of them allow it."""
        self._run.monitor.check()
        self._ready[panel].synchronize()
        source = self._d
        if self._narrow:
            with self._departures:
                source = self._d if int(self._outside[panel].get()) else self._codes
        self._carrier.deliver(source, *self._rows(panel), self._departures)

    def _lay_out(self, panel: int) -> None:
        """Weights that have arrived, and as left factors."""
        if self._narrow:
            parts = (self._part(matrix, panel) for matrix in (self._codes, self._d, self._left))
            self._spread((PAD_BLOCKS,), (THREADS,), (*parts, np.int64(self._numbers_of(panel))))
        else:
            self._copy(self._left, self._d, panel)

    def _product(self, panel: int, first: int, last: int, keeps: bool = False) -> None:
        """Let the vertices of these panels into one; where it ``keeps``, factors of the ``last`` one are kept."""
        start, end, pivot, until = (self.cuts[one] for one in (panel, panel + 1, first, last))
        kept = (until, self.cuts[last + 1]) if keeps else (0, 0)
        numbers = self.side, start, pivot, (until - pivot) * self._size, *kept
        self._apply((self.blocks, end - start), (THREADS,), (self._d, self._left, *map(np.int32, numbers)))

    def _copy(self, source: cupy.ndarray, target: cupy.ndarray, panel: int) -> None:
        nbytes = self._numbers_of(panel) * source.itemsize
        start = self._rows(panel)[0] * self.side * source.itemsize
        (target.data + start).copy_from_device_async(source.data + start, nbytes, cupy.cuda.get_current_stream())

    def _part(self, matrix: cupy.ndarray, panel: int) -> np.uint64:
        """Where a panel begins."""
        return np.uint64(matrix.data.ptr + self._rows(panel)[0] * self.side * matrix.itemsize)

    def _numbers_of(self, panel: int) -> int:
        first, last = self._rows(panel)
        return (last - first) * self.side

    def _told(self, panel: int, event: cupy.cuda.Event, let_in: int) -> tuple[int, int]:
        """What is told when an event is over, after which so many more blocks have been let into those of a panel."""
        self._main.wait_event(event)
        self._done += let_in * (self.cuts[panel + 1] - self.cuts[panel])
        return self.n * self._done // self.blocks**2, self.n


def _recorded(stream: cupy.cuda.Stream) -> cupy.cuda.Event:
    return stream.record(cupy.cuda.Event(disable_timing=True))


_idle: dict[int, list[list[cupy.cuda.Stream]]] = {}
"""Streams of each device that no run is on; to make those of a run takes 0.1 ms."""


def _lent_streams() -> list[cupy.cuda.Stream]:
    """Two that come before others, and two and SIDES more, of the current device; the caller puts them back."""
    try:
        return _idle.setdefault(cupy.cuda.Device().id, []).pop()
    except IndexError:
        return [cupy.cuda.Stream(non_blocking=True, priority=-1 if at < 2 else 0) for at in range(4 + SIDES)]
