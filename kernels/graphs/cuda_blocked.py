"""Floyd-Warshall in blocks, in two halves of the rows, so that weights and distances travel while others are computed.

Blocks of vertices are let in one after another, as in `floyd.cu`. A row of blocks needs the rows of the vertices that
are let in, and no other. So the first half of the rows lets in its own vertices while the second half is still on its
way; one product over (min, +) lets them into the second half. That lets in its own, and is done: it travels to the host
while a product, some rows at a time, lets its vertices into the first half. A product takes rows that are closed
already, where a step takes them as they were at that step: all are lengths of ways, and in the end the least. Sums are
as many as in one step after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cupy
import numpy as np

from kernels.cuda import transfers
from kernels.cuda.beside import Beside
from kernels.cuda.run import Phase, Run
from kernels.graphs.cuda_moving import Check, Found, Weights
from kernels.graphs.sizes import STRETCHES
from kernels.semiring import cuda as algebra
from kernels.semiring.cuda import THREADS, TILE_FILES

FLOYD = (*TILE_FILES, Path(__file__).with_name("floyd.cu"))


def distances(run: Run, weights: Weights, found: Found) -> cupy.ndarray:
    """The distances, in whole tiles on the device, and in ``found`` on the host."""
    dtype, n = found.numbers.dtype, weights.n
    size = algebra.tile(dtype)
    all_rows = algebra.whole(n, size)
    half = all_rows // (2 * size) * size
    blocked = Blocked(run, weights.room(all_rows), size, algebra.defines(dtype))
    matrix = blocked.matrix
    if not half:
        weights.lay_all_out(matrix)
        with run.phase("distances") as phase:
            blocked.steps(phase, 0, all_rows)
        found.all(matrix)
        return matrix
    with run.timed("transfer"):
        weights.bring(0, half, run.monitor.check)
        cupy.cuda.get_current_stream().synchronize()
    weights.lay_out(matrix, 0, half)
    with Beside() as beside:
        arriving = beside.do(lambda: _brought(weights, half, n, beside.check))
        touched = beside.do(lambda: transfers.touch(found.numbers))
        with run.phase("distances") as phase:
            blocked.steps(phase, 0, half)
        with run.timed("transfer"):
            cupy.cuda.get_current_stream().wait_event(arriving.result())
        weights.lay_out(matrix, half, all_rows)
        weights.laid_out()
        with run.phase("distances") as phase:
            for first, last in _stretches(half, all_rows, size):
                blocked.let_in(phase, first, last, 0, half)
            blocked.steps(phase, half, all_rows)
            parts = [_leaving(found, matrix, half, all_rows, beside)]
            for first, last in _stretches(0, half, size):
                blocked.let_in(phase, first, last, half, all_rows)
                parts.append(_leaving(found, matrix, first, last, beside))
        with run.timed("transfer"):
            touched.result()
            for part in parts:
                part.result()
    return matrix


def _brought(weights: Weights, first: int, last: int, check: Check) -> cupy.cuda.Event:
    """Bring rows of weights; the event after which they are there."""
    weights.bring(first, last, check)
    return cupy.cuda.get_current_stream().record()


def _leaving(found: Found, matrix: cupy.ndarray, first: int, last: int, beside: Beside) -> Future[None]:
    """Rows of distances that go to the host as soon as they are there."""
    part = found.take_out(matrix, first, last)
    return beside.do(partial(found.fetch, part, beside.check), cupy.cuda.get_current_stream().record())


def _stretches(first: int, last: int, size: int) -> Iterator[tuple[int, int]]:
    """Rows in a few parts of whole tiles."""
    height = -(-(last - first) // (STRETCHES * size)) * size
    return ((top, min(top + height, last)) for top in range(first, last, height or 1))


@dataclass
class Blocked:
    """The matrix in whole tiles, and the kernels that let vertices in; ``done`` counts tiles times tiles let in."""

    run: Run
    matrix: cupy.ndarray
    size: int
    constants: dict[str, int]
    done: int = 0

    @property
    def blocks(self) -> int:
        return int(self.matrix.shape[0]) // self.size

    def steps(self, phase: Phase, top: int, bottom: int) -> None:
        """Rows ``top`` to ``bottom`` let in the vertices of these rows, a block at a time.

        The next step's blocks on the diagonal and across are made on a stream beside that of all others.
        """
        first, last, blocks = top // self.size, bottom // self.size, self.blocks
        close, cross, ahead, rest = (
            self.run.kernel(FLOYD, f"floyd_{name}", **self.constants) for name in ("close", "cross", "ahead", "rest")
        )
        main, early = cupy.cuda.get_current_stream(), cupy.cuda.Stream(non_blocking=True, priority=-1)
        of, across = (self.matrix, np.int32(self.matrix.shape[1])), (blocks + last - first,)

        def opened(k: int) -> None:
            close((1,), (THREADS,), (*of, np.int32(k)))
            cross(across, (THREADS,), (*of, np.int32(k), np.int32(first)))

        rested = main.record()
        try:
            for k in range(first, last):
                with early:
                    early.wait_event(rested)
                    if k == first:
                        opened(k)
                    crossed = early.record()
                    if k + 1 < last:
                        ahead(across, (THREADS,), (*of, np.int32(k), np.int32(first)))
                        opened(k + 1)
                main.wait_event(crossed)
                done_ahead = np.int32(k + 1 if k + 1 < last else -1)
                rest((blocks, last - first), (THREADS,), (*of, np.int32(k), np.int32(first), done_ahead))
                rested = main.record()
                self.done += last - first
                phase.launched(self.done, blocks**2)
        finally:  # also where the run is cancelled: what takes its memory next is on the main stream
            main.wait_event(early.record())

    def let_in(self, phase: Phase, top: int, bottom: int, low: int, high: int) -> None:
        """Rows ``top`` to ``bottom`` let in the vertices ``low`` to ``high``, whose own rows have done so."""
        if low >= high:
            return
        factor, rows = cupy.ascontiguousarray(self.matrix[top:bottom, low:high]), self.matrix[top:bottom]
        several = (bottom - top) // self.size * ((high - low) // self.size)
        share = Share(phase, self.done, several, self.blocks**2)
        algebra.multiply(self.run, share, factor, self.matrix[low:high], rows, self.constants)
        self.done += several


@dataclass(frozen=True)
class Share:
    """A part of a phase, which tells of itself as if it were all."""

    phase: Phase
    before: int
    several: int
    total: int

    def launched(self, done: int, total: int) -> None:
        self.phase.launched(self.before + self.several * done // total, self.total)
