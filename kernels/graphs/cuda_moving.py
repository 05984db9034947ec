"""Weights on their way to the device, and what is found on its way back, in the smallest type that holds them.

The host has weights in float64, 8 bytes each, and the bus moves some 50 GB a second. Whole numbers within 16 bits
travel as such, whatever the type of the distances; so do distances that happen to be such, which the device finds out.
Threads of the host make one of the other on the way (`kernels.cuda.transfers`).
"""

from __future__ import annotations

from pathlib import Path

import cupy
import numpy as np

from antidiag.kernels.cuda import transfers, whole_transfers
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.graphs.cpu_moving import lessen_chunks, lessened, widen_chunks, widened
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.graphs.sizes import NARROW, NONE
from antidiag.kernels.semiring import MIN_PLUS
from antidiag.kernels.semiring import cuda as algebra
from antidiag.kernels.semiring.cuda import PAD_BLOCKS, THREADS, TILE_FILES

MOVING = (*TILE_FILES, Path(__file__).with_name("moving.cu"))


class Weights:
    """The weights of a problem, brought to the device, and laid out in whole tiles there: once, unless ``kept``."""

    def __init__(self, problem: PathsProblem, run: Run, narrow: bool) -> None:
        self.n, self._weights, self._run, self._narrow = problem.n, problem.graph.weights, run, narrow
        self._dtype, self._kept = problem.dtype, problem.predecessors
        self._most = np.float64(NONE if narrow else MIN_PLUS.zero(problem.dtype))
        self._codes = run.empty((self.n, self.n), NARROW if narrow else problem.dtype)

    def bring(self) -> None:
        """Copy all of them."""
        with self._run.timed("transfer"):
            if whole_transfers.suits(self._codes):
                flat, most = self._weights.reshape(-1), self._most
                whole_transfers.up(
                    self._codes, lambda *given: lessen_chunks(flat, most, *given), self._run.monitor.check
                )
            else:
                transfers.up(self._codes, self._rows, self._run.monitor.check)
            cupy.cuda.get_current_stream().synchronize()

    def laid_out(self, side: int) -> cupy.ndarray:
        """Them for so many vertices, of which the last may not be there."""
        if side == self.n and not self._narrow and not self._kept:
            matrix = self._codes
            del self._codes
            return matrix
        matrix = self._run.empty((side, side), self._dtype)
        lay_out = self._run.kernel(MOVING, "lay_out", NARROW=int(self._narrow), **algebra.defines(self._dtype))
        lay_out((PAD_BLOCKS,), (THREADS,), (self._codes, np.int32(self.n), matrix, np.int32(side)))
        if not self._kept:
            del self._codes
        return matrix

    def _rows(self, first: int, last: int, out: np.ndarray) -> None:
        lessened(self._weights[first:last].reshape(-1), self._most, out.reshape(-1))


class Found:
    """A matrix of which n x n numbers are brought to the host, into ``numbers``, which has its type.

    From ``limit`` on a number stands for infinity; where it ``settles``, infinity itself may have become less.
    """

    def __init__(self, run: Run, n: int, dtype: np.dtype, limit: float, narrow: bool, settles: bool = False) -> None:
        self.n, self.numbers = n, np.empty((n, n), dtype)
        self._run, self._limit, self._infinite = run, dtype.type(limit), dtype.type(MIN_PLUS.zero(dtype))
        self._narrow, self._settles, self._constants = narrow, settles, algebra.defines(dtype)

    @classmethod
    def distances(cls, problem: PathsProblem, run: Run, narrow: bool) -> Found:
        settles = problem.precision == "int32" and problem.graph.lightest < 0
        return cls(run, problem.n, problem.dtype, problem.limit, narrow, settles)

    def fetch(self, matrix: cupy.ndarray) -> np.ndarray:
        """The numbers of a matrix, perhaps in whole tiles; what was queued before is waited for, and not timed."""
        if self._settles:
            settle = self._run.kernel(MOVING, "settle", NARROW=0, **self._constants)
            settle((PAD_BLOCKS,), (THREADS,), (matrix, np.int64(matrix.size), self._limit))
        codes = self._taken_out(matrix) if self._narrow else None
        cupy.cuda.get_current_stream().synchronize()
        check = self._run.monitor.check
        with self._run.timed("transfer"):
            if codes is None:
                transfers.down(matrix[: self.n], self._copied, check)
            elif whole_transfers.suits(codes):
                flat, none, infinite = self.numbers.reshape(-1), np.int16(NONE), self._infinite
                widen = lambda numbers, *given: widen_chunks(numbers, none, infinite, flat, *given)  # noqa: E731
                whole_transfers.down(codes, widen, check)
            else:
                transfers.down(codes, self._widened, check)
        return self.numbers

    def _taken_out(self, matrix: cupy.ndarray) -> cupy.ndarray | None:
        """The numbers in 16 bits, or None where one does not fit."""
        codes, outside = self._run.empty((self.n, self.n), NARROW), self._run.filled(1, np.int32)
        take_out = self._run.kernel(MOVING, "take_out", NARROW=1, **self._constants)
        sizes = np.int32(matrix.shape[1]), np.int32(self.n)
        take_out((PAD_BLOCKS,), (THREADS,), (matrix, codes, *sizes, self._limit, outside))
        return None if int(outside.get()[0]) else codes

    def _widened(self, first: int, last: int, codes: np.ndarray) -> None:
        widened(codes.reshape(-1), np.int16(NONE), self._infinite, self.numbers[first:last].reshape(-1))

    def _copied(self, first: int, last: int, rows: np.ndarray) -> None:
        np.copyto(self.numbers[first:last], rows[:, : self.n])
