"""Weights on their way to the device, and what is found on its way back, in the smallest type that holds them.

The host has weights in float64, 8 bytes each, and the bus moves some 50 GB a second. Whole numbers within 16 bits
travel as such, whatever the type of the distances; so do distances that happen to be such, which the device finds out.
Threads of the host make one of the other on the way (`kernels.cuda.transfers`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import cupy
import numpy as np

from kernels.cuda import transfers
from kernels.cuda.run import Run
from kernels.graphs import cpu_moving
from kernels.graphs.problem import PathsProblem
from kernels.graphs.sizes import NARROW, NONE
from kernels.semiring import MIN_PLUS
from kernels.semiring import cuda as algebra
from kernels.semiring.cuda import PAD_BLOCKS, THREADS, TILE_FILES

MOST_PARTS = 8
Check = Callable[[], None]
"""Raises where the user wants to stop."""
MOVING = (*TILE_FILES, Path(__file__).with_name("moving.cu"))


class Weights:
    """The weights of a problem, brought to the device some rows at a time, and laid out in whole tiles there.

    They are laid out once, unless they are to be ``kept``.
    """

    def __init__(self, problem: PathsProblem, run: Run, narrow: bool) -> None:
        self.n, self._weights, self._run, self._narrow = problem.n, problem.graph.weights, run, narrow
        self._dtype, self._kept = problem.dtype, problem.predecessors
        self._most = np.float64(NONE if narrow else MIN_PLUS.zero(problem.dtype))
        self._codes = run.empty((self.n, self.n), NARROW if narrow else problem.dtype)

    def bring(self, first: int, last: int, check: Check = transfers.nothing) -> None:
        """Queue the copy of rows ``first`` to ``last``, half-open."""
        if first >= last:
            return

        def fill(start: int, end: int, out: np.ndarray) -> None:
            rows = self._weights[first + start : first + end]
            cpu_moving.lessened(rows.reshape(-1), self._most, out.reshape(-1))

        transfers.up(self._codes[first:last], fill, check)

    def room(self, side: int) -> cupy.ndarray:
        """Room for weights of so many vertices, some of which may not be there."""
        if side == self.n and not self._narrow and not self._kept:
            return self._codes
        return self._run.empty((side, side), self._dtype)

    def lay_out(self, matrix: cupy.ndarray, first: int, last: int) -> None:
        """Fill the rows ``first`` to ``last`` of such a room with weights that were brought."""
        if matrix is self._codes or first >= last:
            return
        lay_out = self._run.kernel(MOVING, "lay_out", NARROW=int(self._narrow), **algebra.defines(self._dtype))
        sizes = np.int32(matrix.shape[1]), np.int32(first), np.int32(last)
        lay_out((PAD_BLOCKS,), (THREADS,), (self._codes, np.int32(self.n), matrix, *sizes))

    def laid_out(self) -> None:
        """No more is laid out of what was brought, unless it is kept."""
        if not self._kept:
            del self._codes

    def all(self, side: int) -> cupy.ndarray:
        """All weights, in room for so many vertices."""
        matrix = self.room(side)
        self.lay_all_out(matrix)
        return matrix

    def lay_all_out(self, matrix: cupy.ndarray) -> None:
        """Bring all weights, and fill such a room with them."""
        with self._run.timed("transfer"):
            self.bring(0, self.n, self._run.monitor.check)
            cupy.cuda.get_current_stream().synchronize()
        self.lay_out(matrix, 0, int(matrix.shape[0]))
        self.laid_out()

    def again(self, side: int) -> cupy.ndarray:
        """The same out of what was kept."""
        matrix = self.room(side)
        self.lay_out(matrix, 0, side)
        return matrix


class Found:
    """A matrix of which n x n numbers are brought to the host, in its type, a part of its rows at a time.

    ``take_out`` is queued behind what computes a part, and ``fetch``, perhaps on another thread and stream, gets it
    into ``numbers``. From ``limit`` on a number stands for infinity; where it ``settles``, infinity itself may have
    become less.
    """

    def __init__(self, run: Run, n: int, dtype: np.dtype, limit: float, narrow: bool, settles: bool = False) -> None:
        self.n, self.numbers = n, np.empty((n, n), dtype)
        self._run, self._limit, self._infinite = run, dtype.type(limit), dtype.type(MIN_PLUS.zero(dtype))
        self._narrow, self._settles, self._constants = narrow, settles, algebra.defines(dtype)
        self._parts: list[tuple[int, int, cupy.ndarray]] = []

    @classmethod
    def distances(cls, problem: PathsProblem, run: Run, narrow: bool) -> Found:
        settles = problem.precision == "int32" and problem.graph.lightest < 0
        return cls(run, problem.n, problem.dtype, problem.limit, narrow, settles)

    def take_out(self, matrix: cupy.ndarray, first: int, last: int) -> int:
        """Queue what makes the rows ``first`` to ``last`` of a matrix ready to travel; the number of this part."""
        part, last = len(self._parts), min(last, self.n)
        self._parts.append((first, last, matrix))
        if self._settles and first < last:
            rows = matrix[first:last]
            settle = self._run.kernel(MOVING, "settle", NARROW=0, **self._constants)
            settle((PAD_BLOCKS,), (THREADS,), (rows, np.int64(rows.size), self._limit))
        if self._narrow and first < last:
            sizes = np.int32(matrix.shape[1]), np.int32(self.n), np.int32(first), np.int32(last)
            take_out = self._run.kernel(MOVING, "take_out", NARROW=1, **self._constants)
            outside = self._outside[part:]
            take_out((PAD_BLOCKS,), (THREADS,), (matrix, self._codes, *sizes, self._limit, outside))
        return part

    def fetch(self, part: int, check: Check = transfers.nothing) -> None:
        """Get the rows of a part, behind what was queued on the current stream."""
        first, last, matrix = self._parts[part]
        if first >= last:
            return
        if self._narrow and not int(self._outside[part : part + 1].get()[0]):
            transfers.down(self._codes[first:last], lambda *rows: self._widened(first, *rows), check)
        else:
            transfers.down(matrix[first:last], lambda *rows: self._copied(first, *rows), check)

    def all(self, matrix: cupy.ndarray) -> np.ndarray:
        """All numbers of a matrix."""
        self.take_out(matrix, 0, self.n)
        cupy.cuda.get_current_stream().synchronize()
        with self._run.timed("transfer"):
            self.fetch(0, self._run.monitor.check)
        return self.numbers

    @cached_property
    def _codes(self) -> cupy.ndarray:
        return self._run.empty((self.n, self.n), NARROW)

    @cached_property
    def _outside(self) -> cupy.ndarray:
        """Of each part, whether it has a number that does not fit."""
        return self._run.filled(MOST_PARTS, np.int32)

    def _widened(self, top: int, first: int, last: int, codes: np.ndarray) -> None:
        target = self.numbers[top + first : top + last]
        cpu_moving.widened(codes.reshape(-1), np.int16(NONE), self._infinite, target.reshape(-1))

    def _copied(self, top: int, first: int, last: int, rows: np.ndarray) -> None:
        np.copyto(self.numbers[top + first : top + last], rows[:, : self.n])
