"""Blocked Floyd-Warshall by panels: the first rows are computed while others still arrive, and the last ones leave
while others are computed.

With A[s] for the rows of panel s, A[s, k] for their columns that are vertices of panel k, and products over (min, +):

    forward,  s = 0, 1 ..:  A[s] = A[s] + A[s, k] A[k]  for k = 0 .. s - 1
                            A[s, s] = A[s, s]*, block by block
                            A[s] = A[s, s] A[s]
    backward, k = .. 1, 0:  A[s] = A[s] + A[s, k] A[k]  for s = k - 1 .. 0

Forward, a panel lets in the vertices of the panels before it, and needs no panel behind it: it starts when it has
arrived. Backward, the last panel is distances already; a panel that is lets its vertices into those before it, the next
one first, and leaves. Half of the work is backward.

The squares A[s, s] are what all else waits for, and little work: forward, what the next square needs of a panel, which
is as much, is computed before the panel's other columns.

A product changes all columns of a panel, so that its left factors lie in a matrix of their own: weights come there
first, a product puts the columns there that are the next one's factors, and a panel is copied there before it goes
backward. Before the product with its own square, of which it is the right factor, it is copied there too.

Streams: ``chain`` has the squares and what they wait for, ``beside`` the other columns of the same panels, ``sides``,
which panels have in turn, the products before and behind these; ``leaving`` makes codes of 16 bits. Every panel has
events for what is done.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.cuda import transfers
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.graphs.cuda_carrying import Carrier, Sent
from antidiag.kernels.graphs.cuda_moving import MOVING
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.graphs.sizes import NARROW, PANEL
from antidiag.kernels.memory import host_bytes_free
from antidiag.kernels.semiring import cuda as algebra
from antidiag.kernels.semiring.cuda import PAD_BLOCKS, THREADS, TILE_FILES

FLOYD = (*TILE_FILES, Path(__file__).with_name("floyd.cu"))
PANELS = (*FLOYD, Path(__file__).with_name("panels.cu"))

AHEAD = 2
"""Panels that are queued beyond the one that is waited for."""
SIDES = 2
"""Panels that have products at a time: one alone does not fill a large device, more hold up the chain."""
PRIORITIES = (-2, -2, -1)
"""Of the streams that others wait for; the least comes first."""


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
        self.blocks, self._wide = self.side // self._size, self._size // algebra.tile(problem.dtype, small=True)
        self.cuts = [*range(0, self.blocks, PANEL // self._size), self.blocks]
        self.count, self._done = len(self.cuts) - 1, 0
        self._events: dict[tuple[str, int], cupy.cuda.Event] = {}
        self._sent: dict[int, Sent] = {}
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
                    self._after("arrived", 0, self._main)
                began, known_ms = time.perf_counter(), sum(times_ms.values())
                with self._run.phase("distances", ahead=AHEAD) as phase:
                    for panel in range(self.count):
                        if panel:
                            self._arrive(panel)
                        self._lay(panel)
                        self._close(panel)
                        if panel:
                            self._let_in(panel - 1)
                            self._turn(panel - 1)
                            phase.launched(*self._told(panel - 1, "closed", self.cuts[panel]))
                    self._let_in(order[0])
                    self._events["final", order[0]] = self._events["closed", order[0]]
                    phase.launched(*self._told(order[0], "closed", self.blocks))
                    for panel in order:
                        self._finish(panel)
                        self._backward(panel)
                        if panel:
                            phase.launched(*self._told(panel - 1, "final", self.blocks - self.cuts[panel]))
                        if panel + AHEAD < self.count:
                            self._leave(panel + AHEAD)
                    for panel in order[-AHEAD:]:
                        self._leave(panel)
        self._run.spend("transfer", (time.perf_counter() - began) * 1e3 - (sum(times_ms.values()) - known_ms))
        return self._numbers

    def _compile(self, constants: dict[str, int]) -> None:
        kernel, small = self._run.kernel, algebra.defines(self._dtype, small=True)
        self._apply, self._along, self._keep = (
            kernel(PANELS, f"floyd_{name}", **constants) for name in ("apply", "along", "keep")
        )
        self._small_apply, self._small_along, self._square = (
            kernel(PANELS, f"floyd_{name}", **small) for name in ("apply", "along", "square")
        )
        if self._narrow:
            self._spread, self._gather = (
                kernel(MOVING, name, NARROW=1, **constants) for name in ("spread", "gathered")
            )

    def _take(self) -> None:
        """Memory of the device: distances, left factors, what travels where that is neither, and whether it fits; what
        the blocks of a square tell each other."""
        shape, run = (self.side, self.side), self._run
        self._d, self._left = run.empty(shape, self._dtype), run.empty(shape, self._dtype)
        self._codes = run.empty(shape, NARROW) if self._narrow else self._left
        self._outside = run.filled(self.count, np.int32)
        most = self._wide * max(after - first for first, after in pairwise(self.cuts))
        self._words = run.filled((self.count, 1 + most * most + most), np.uint64)

    @contextmanager
    def _streams(self) -> Iterator[None]:
        """Streams of the run. Whatever happens, the current stream is behind all of them."""
        self._main = cupy.cuda.get_current_stream()
        streams = _lent_streams()
        self._chain, self._leaving, self._beside, self._arrivals, self._departures, *self._sides = streams
        begun = transfers.recorded(self._main)
        try:
            for stream in streams:
                stream.wait_event(begun)
            yield
        finally:
            for stream in streams:
                self._main.wait_event(transfers.recorded(stream))
        _idle[cupy.cuda.Device().id].append(streams)  # streams on which a run failed are not used again

    def _mark(self, name: str, panel: int, stream: cupy.cuda.Stream) -> None:
        """What was queued on a stream so far is called so."""
        self._events[name, panel] = transfers.recorded(stream)

    def _after(self, name: str, panel: int, *streams: cupy.cuda.Stream) -> None:
        """What is queued on the streams from now on waits for what is called so."""
        for stream in streams:
            stream.wait_event(self._events[name, panel])

    def _rows(self, panel: int) -> tuple[int, int]:
        return self.cuts[panel] * self._size, self.cuts[panel + 1] * self._size

    def _arrive(self, panel: int) -> None:
        """Weights of a panel to the device, as soon as the host has them ready."""
        self._run.monitor.check()
        target = self._codes if self._narrow else self._left
        self._carrier.bring(target, *self._rows(panel), self._arrivals)
        self._mark("arrived", panel, self._arrivals)

    def _lay(self, panel: int) -> None:
        """The rows of a panel, and into them all vertices of panels before it but those of the last."""
        side = self._sides[panel % SIDES]
        self._after("arrived", panel, side)
        with side:
            self._lay_out(panel)
            for before in range(panel - 1):
                self._after("closed", before, side)
                self._product(panel, before, keeps=before + 1)
        self._mark("laid", panel, side)

    def _close(self, panel: int) -> None:
        """Into the square of a panel the vertices of the one before, of which the columns that cross the square are
        computed for that, and its own."""
        chain, before, (first, height) = self._chain, panel - 1, self._blocks_of(panel, small=True)
        with chain:
            if panel:
                (pivot, depth), rows = self._blocks_of(before, small=True), self._rows(before)
                if before:
                    self._after("kept", before, chain)
                length = rows[1] - rows[0]
                self._launch(self._small_along, (height, depth), self._left, pivot, 0, first, length)
                self._mark("crossing", panel, chain)
            self._after("laid", panel, chain)
            if panel:
                numbers = first, 0, first, pivot, length, 0, 0
                self._launch(self._small_apply, (height, height), self._left, *numbers)
                self._mark("crossed", panel, chain)
            self._launch(self._square, (height * height,), self._words[panel], first, height)
        self._mark("squared", panel, chain)

    def _let_in(self, panel: int) -> None:
        """The vertices of a panel, whose square is closed, into its other columns, and then into the next panel; what
        crosses the next square, and that square, have them already."""
        beside, following, (first, height) = self._beside, panel + 1, self._blocks_of(panel)
        more = following < self.count
        done = self.cuts[following + more] - first
        self._after("squared", panel, beside)
        with beside:
            if others := self.blocks - done:
                self._launch(self._along, (others, height), self._left, first, first, done, height * self._size)
            if more:
                self._after("crossing", following, beside)
            self._mark("closed", panel, beside)
            if more:
                self._after("laid", following, beside)
                self._product(following, panel, but=following)
                self._after("crossed", following, beside)
                self._keep_rows(following)
                self._mark("kept", following, beside)

    def _turn(self, panel: int) -> None:
        """The rows of a panel become left factors of the way backward."""
        self._after("closed", panel, self._leaving)
        with self._leaving:
            self._copy(self._d, self._left, panel)
        self._mark("turned", panel, self._leaving)

    def _backward(self, panel: int) -> None:
        """The vertices of a panel, whose rows are distances, into all panels before it; then those of the next one are
        distances too."""
        for before in range(panel - 1, -1, -1):
            stream = self._chain if before == panel - 1 else self._sides[before % SIDES]
            self._after("final", panel, stream)
            self._after("turned", before, stream)
            with stream:
                self._product(before, panel)
            self._mark("turned", before, stream)
        if panel:
            self._events["final", panel - 1] = self._events["turned", panel - 1]

    def _finish(self, panel: int) -> None:
        """The rows of a panel are distances, and are sent; where codes travel, as codes, and whether all are such."""
        leaving, departures = self._leaving, self._departures
        if self._narrow:
            self._after("final", panel, leaving)
            numbers, codes, count = self._part(self._d, panel), self._part(self._codes, panel), self._numbers_of(panel)
            outside = self._outside[panel : panel + 1]
            with leaving:
                self._gather((PAD_BLOCKS,), (THREADS,), (numbers, codes, np.int64(count), self._limit, outside))
            self._mark("coded", panel, leaving)
            self._after("coded", panel, departures)
            outside.data.copy_to_host_async(self._carrier.flags[panel:].ctypes.data, outside.nbytes, departures)
        else:
            self._after("final", panel, departures)
        self._sent[panel] = self._carrier.send(self._codes if self._narrow else self._d, *self._rows(panel), departures)

    def _leave(self, panel: int) -> None:
        """The distances of a panel, which were sent, to the threads; as they are, where not all of them have codes."""
        self._run.monitor.check()
        sent = self._sent.pop(panel)
        if self._narrow:
            _, first = sent.pieces[0]
            first.synchronize()
            if self._carrier.flags[panel]:
                sent = self._carrier.send(self._d, *self._rows(panel), self._departures)
        self._carrier.deliver(sent)

    def _lay_out(self, panel: int) -> None:
        """Weights that have arrived, and as left factors."""
        if self._narrow:
            parts = (self._part(matrix, panel) for matrix in (self._codes, self._d, self._left))
            self._spread((PAD_BLOCKS,), (THREADS,), (*parts, np.int64(self._numbers_of(panel))))
        else:
            self._copy(self._left, self._d, panel)

    def _product(self, panel: int, factor: int, keeps: int | None = None, but: int | None = None) -> None:
        """Let the vertices of one panel into another, ``but`` for the columns of one; those of one are kept as factors
        of the next product."""
        (first, height), (pivot, depth) = self._blocks_of(panel), self._blocks_of(factor)
        start, skip = (0, 0) if but is None else self._blocks_of(but)
        kept = (0, 0) if keeps is None else (self.cuts[keeps], self.cuts[keeps + 1])
        numbers = first, start, skip, pivot, depth * self._size, *kept
        self._launch(self._apply, (self.blocks - skip, height), self._left, *numbers)

    def _keep_rows(self, panel: int) -> None:
        """The columns of a panel beside its square, as they are before these become products with it."""
        first, height = self._blocks_of(panel)
        self._launch(self._keep, (self.blocks - height, height), self._left, first, first, height)

    def _launch(self, kernel: Any, grid: tuple[int, ...], other: cupy.ndarray, *numbers: int) -> None:
        """A kernel over the distances and another array, on the current stream."""
        kernel(grid, (THREADS,), (self._d, other, *map(np.int32, (self.side, *numbers))))

    def _copy(self, source: cupy.ndarray, target: cupy.ndarray, panel: int) -> None:
        nbytes = self._numbers_of(panel) * source.itemsize
        start = self._rows(panel)[0] * self.side * source.itemsize
        (target.data + start).copy_from_device_async(source.data + start, nbytes, cupy.cuda.get_current_stream())

    def _part(self, matrix: cupy.ndarray, panel: int) -> np.uint64:
        """Where a panel begins."""
        return np.uint64(matrix.data.ptr + self._rows(panel)[0] * self.side * matrix.itemsize)

    def _blocks_of(self, panel: int, small: bool = False) -> tuple[int, int]:
        """The first block of a panel, and how many there are."""
        times = self._wide if small else 1
        return self.cuts[panel] * times, (self.cuts[panel + 1] - self.cuts[panel]) * times

    def _numbers_of(self, panel: int) -> int:
        first, last = self._rows(panel)
        return (last - first) * self.side

    def _told(self, panel: int, name: str, let_in: int) -> tuple[int, int]:
        """What is told after what is called so, when so many more blocks have been let into those of a panel."""
        self._after(name, panel, self._main)
        self._done += let_in * (self.cuts[panel + 1] - self.cuts[panel])
        return self.n * self._done // self.blocks**2, self.n


_idle: dict[int, list[list[cupy.cuda.Stream]]] = {}
"""Streams of each device that no run is on; to make those of a run takes 0.1 ms."""


def _lent_streams() -> list[cupy.cuda.Stream]:
    """Those of a run, of the current device: the first come before the others; the caller puts them back."""
    try:
        return _idle.setdefault(cupy.cuda.Device().id, []).pop()
    except IndexError:
        priorities = (*PRIORITIES, *[0] * (2 + SIDES))
        return [cupy.cuda.Stream(non_blocking=True, priority=priority) for priority in priorities]
