"""Blocked Floyd-Warshall by panels: the first rows are computed while others still arrive, and the last ones leave
while others are computed.

With A[s] for the rows of panel s, A[s, k] for their columns that are vertices of panel k, and products over (min, +):

    forward,  s = 0, 1 ..:  A[s] = A[s] + A[s, k] A[k]  for k = 0 .. s - 1, then the vertices of s, block by block
    backward, s = .. 1, 0:  A[s] = A[s] + A[s, k > s] A[k > s]

Forward, a panel lets in the vertices of the panels before it, and needs no panel behind it: it starts when it has
arrived. Backward, the rows behind it are distances already, so that one product makes it distances too, and it leaves.
Half of the work is backward. The first panels, `EAGER` of them, while little has arrived, let in each other's vertices
at once: together they are as one panel for all that follow.

A product changes all columns of a panel, so that its left factors lie in a matrix of their own: weights come there
first, a product puts the columns there that are the next one's factors, and a panel is copied there before it goes
backward.

Streams: ``chain`` has what everything waits for, a panel's vertices and the last product before these; ``side`` the
products before that; ``leaving`` makes codes of 16 bits. Every panel has events for what is done.
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

EAGER = 2
"""Panels that are as one for those behind them."""
FINE = True
FIRST = 0
SIDES = 1
AHEAD = 2
"""Panels that are queued beyond the one that is waited for."""


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
        self._side = algebra.whole(problem.n, self._size)
        self.blocks = self._side // self._size
        height = PANEL // self._size
        self.cuts = sorted({0, FIRST // self._size, *range(height, self.blocks, height), self.blocks})
        self.count = len(self.cuts) - 1
        self.eager = min(EAGER, self.count)
        self._numbers = np.empty((self.n, self.n), problem.dtype)
        self._carrier = Carrier(over.graph.weights, self._numbers, problem.limit, self._side, self._size, narrow)
        self._limit, self._narrow = problem.dtype.type(problem.limit), narrow
        self._compile(algebra.defines(problem.dtype))
        shape = self._side, self._side
        self._d, self._left = run.empty(shape, problem.dtype), run.empty(shape, problem.dtype)
        self._codes = run.empty(shape, NARROW) if narrow else self._left
        self._outside = run.filled(self.count, np.int32)
        self._done = 0

    def _compile(self, constants: dict[str, int]) -> None:
        kernel = self._run.kernel
        self._apply = kernel(FLOYD, "floyd_apply", **constants)
        self._close, self._cross, self._rest = (
            kernel(FLOYD, f"floyd_{name}", **algebra.defines(self._numbers.dtype, small=FINE))
            for name in ("close", "cross", "rest")
        )
        if self._narrow:
            self._spread, self._gather = (
                kernel(MOVING, name, NARROW=1, **constants) for name in ("spread", "gathered")
            )
        self._run.spend("compilation", time_ms(self._carrier.compile))

    def distances(self) -> np.ndarray:
        """What of the transfers was not beside the computation is the time of the transfers."""
        times_ms, order = self._run.times_ms, range(self.count - 1, -1, -1)
        with self._carrier.carrying([self._rows(panel) for panel in order]), self._streams():
            with self._run.timed("transfer"):
                self._arrive(0)
                self._main.wait_event(self._arrived[0])
            began, known_ms = time.perf_counter(), sum(times_ms.values())
            with self._run.phase("distances", ahead=AHEAD) as phase:
                for panel in range(self.count):
                    if panel:
                        self._arrive(panel)
                    self._forward(panel)
                    phase.launched(*self._told(self._closed[panel], self._let_in_forward(panel)))
                for panel in order:
                    self._backward(panel)
                    if behind := self.blocks - self.cuts[max(panel + 1, self.eager)]:
                        phase.launched(*self._told(self._final[panel], behind * self._height(panel)))
                    if panel + AHEAD < self.count:
                        self._leave(panel + AHEAD)
                for panel in order[-AHEAD:]:
                    self._leave(panel)
        self._run.spend("transfer", (time.perf_counter() - began) * 1e3 - (sum(times_ms.values()) - known_ms))
        return self._numbers

    @contextmanager
    def _streams(self) -> Iterator[None]:
        """Streams of the run, and events of its panels. Whatever happens, the current stream is behind all of them."""
        self._main = cupy.cuda.get_current_stream()
        self._arrivals, self._departures, *self._sides = (cupy.cuda.Stream(non_blocking=True) for _ in range(2 + SIDES))
        self._chain, self._leaving = (cupy.cuda.Stream(non_blocking=True, priority=-1) for _ in range(2))
        streams = self._arrivals, self._departures, *self._sides, self._chain, self._leaving
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

    def _rows(self, panel: int) -> tuple[int, int]:
        return self.cuts[panel] * self._size, self.cuts[panel + 1] * self._size

    def _arrive(self, panel: int) -> None:
        """Weights of a panel to the device, as soon as the host has them ready."""
        self._run.monitor.check()
        target = self._codes if self._narrow else self._left
        self._carrier.bring(target, *self._rows(panel), self._arrivals)
        self._arrived.append(_recorded(self._arrivals))

    def _forward(self, panel: int) -> None:
        """Let in all vertices up to those of the panel: in its rows, or in all rows up to its own."""
        side, chain = self._sides[panel % SIDES], self._chain
        side.wait_event(self._arrived[panel])
        with side:
            self._lay_out(panel)
        factors = self._factors(panel)
        for number, (first, last) in enumerate(factors):
            following = factors[number + 1] if number + 1 < len(factors) else (0, 0)
            if number + 1 < len(factors):
                side.wait_event(self._closed[self.cuts.index(last) - 1])
                with side:
                    self._product(panel, first, last, following)
            else:
                chain.wait_event(_recorded(side))
                with chain:
                    self._product(panel, first, last, following)
        if not factors:
            chain.wait_event(_recorded(side))
        with chain:
            self._let_in(panel)
        self._closed.append(_recorded(chain))

    def _factors(self, panel: int) -> list[tuple[int, int]]:
        """Blocks whose vertices are let in before the panel's own, by one product each."""
        if panel <= self.eager:
            return [(0, self.cuts[panel])] if panel else []
        return [(0, self.cuts[self.eager]), *((self.cuts[k], self.cuts[k + 1]) for k in range(self.eager, panel))]

    def _let_in_forward(self, panel: int) -> int:
        """Blocks that are let into blocks of rows, on the way forward."""
        start, end = self.cuts[panel], self.cuts[panel + 1]
        return end**2 - start**2 if panel < self.eager else (end - start) * end

    def _height(self, panel: int) -> int:
        return self.cuts[panel + 1] - self.cuts[panel]

    def _let_in(self, panel: int) -> None:
        """The vertices of a panel, a small block at a time: each waits for the one before."""
        size = algebra.tile(self._numbers.dtype, small=FINE)
        start, end = (row // size for row in self._rows(panel))
        first, blocks = 0 if panel < self.eager else start, self._side // size
        for block in range(start, end):
            this = self._d, np.int32(self._side), np.int32(block)
            self._close((1,), (THREADS,), this)
            self._cross((blocks + end - first,), (THREADS,), (*this, np.int32(first)))
            self._rest((blocks, end - first), (THREADS,), (*this, np.int32(first), np.int32(0)))

    def _backward(self, panel: int) -> None:
        """Let in all vertices behind those that the panel has: its rows are distances then, and leave."""
        side, chain, after = self._sides[panel % SIDES], self._chain, max(panel + 1, self.eager)
        if after == self.count:
            self._finish(panel, self._closed[-1])
            return
        side.wait_event(self._closed[max(panel, self.eager - 1)])
        with side:
            self._keep(panel)
        # All panels behind are distances, or but for the next one, which is waited for on the chain.
        known = after if panel + 1 < self.eager else after + 1
        if known < self.count:
            side.wait_event(self._final[known])
            with side:
                self._product(panel, self.cuts[known], self.blocks)
        last = side
        if known > after:
            last = chain
            chain.wait_event(_recorded(side))
            with chain:  # where the next panel has become distances
                self._product(panel, self.cuts[after], self.cuts[known])
        self._finish(panel, _recorded(last))

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

    def _keep(self, panel: int) -> None:
        self._copy(self._d, self._left, panel)

    def _product(self, panel: int, first: int, last: int, following: tuple[int, int] = (0, 0)) -> None:
        """Let the vertices of these blocks into a panel; columns that are the ``following`` factors are kept."""
        start, end = self.cuts[panel], self.cuts[panel + 1]
        numbers = self._side, start, first, (last - first) * self._size, *following
        self._apply((self.blocks, end - start), (THREADS,), (self._d, self._left, *map(np.int32, numbers)))

    def _copy(self, source: cupy.ndarray, target: cupy.ndarray, panel: int) -> None:
        nbytes = self._numbers_of(panel) * source.itemsize
        start = self._rows(panel)[0] * self._side * source.itemsize
        (target.data + start).copy_from_device_async(source.data + start, nbytes, cupy.cuda.get_current_stream())

    def _part(self, matrix: cupy.ndarray, panel: int) -> np.uint64:
        """Where a panel begins."""
        return np.uint64(matrix.data.ptr + self._rows(panel)[0] * self._side * matrix.itemsize)

    def _numbers_of(self, panel: int) -> int:
        first, last = self._rows(panel)
        return (last - first) * self._side

    def _told(self, event: cupy.cuda.Event, let_in: int) -> tuple[int, int]:
        """What is told when an event is over, after which so many more blocks have been let into blocks of rows."""
        self._main.wait_event(event)
        self._done += let_in
        return self.n * self._done // self.blocks**2, self.n


def _recorded(stream: cupy.cuda.Stream) -> cupy.cuda.Event:
    return stream.record(cupy.cuda.Event(disable_timing=True))
