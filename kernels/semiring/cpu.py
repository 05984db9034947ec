"""Matrix products over a semiring on the CPU: blocks for the caches, tiles for the registers, threads for the cores."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.semiring import MIN_PLUS, Semiring, cpu_blocks
from antidiag.kernels.semiring.cpu_blocks import Blocked, Layout
from antidiag.kernels.semiring.sizes import BLOCK

SLICE_CELLS = 1 << 24
"""Sums in a slice of a product, which is one event for each thread: about a thousandth of a second on two cores."""

Span = tuple[int, int]
Report = Callable[[int, int], None]
"""``report(done, total)``: how much of a product has been computed."""
Log = Callable[[Span, Span, int, int], None]
"""``log(rows, columns, worker, begun_ns)``: a worker has now computed its share of the blocks in these rows and
columns of a product."""


def _untold(*arguments: object) -> None:
    """Neither report nor log."""


def product(
    a: np.ndarray, b: np.ndarray, semiring: Semiring = MIN_PLUS, threads: int = 1, layout: Layout = "tiles"
) -> np.ndarray:
    """The product of two matrices, or of two batches of them.

    Parameters
    ----------
    a, b : np.ndarray
        Shapes (..., m, d) and (..., d, n) with the same leading axes; float32, float64 or int32, both alike. An
        infinite int32 is `kernels.semiring.INFINITE`, an infinite float is NumPy's.
    semiring : Semiring
        What addition and multiplication mean.
    threads : int
        Threads that share the blocks.
    layout : "tiles" or "rows"
        Whether blocks are copied together first; the product is the same.

    Returns
    -------
    np.ndarray
        Shape (..., m, n), of the same type; the semiring's zero where d is 0.
    """
    batch = a.shape[:-2]
    c = np.empty((*batch, a.shape[-2], b.shape[-1]), a.dtype)
    for place in np.ndindex(*batch):
        c[place] = _one(a[place], b[place], semiring, threads, layout)
    return c


def _one(a: np.ndarray, b: np.ndarray, semiring: Semiring, threads: int, layout: Layout) -> np.ndarray:
    zero = semiring.zero(a.dtype)
    left, right = (cpu_blocks.from_matrix(matrix, zero, layout) for matrix in (a, b))
    c = cpu_blocks.empty(a.shape[0], b.shape[1], zero, a.dtype, layout)
    multiply(left, right, c, semiring, threads)
    return cpu_blocks.to_matrix(c)


def multiply(
    a: Blocked, b: Blocked, c: Blocked, semiring: Semiring, threads: int, report: Report = _untold, log: Log = _untold
) -> None:
    """Add the product of two blocked matrices to a third, which must be neither of them."""

    def compute(rows: Span, worker: int, stop: np.ndarray, done: np.ndarray) -> None:
        parts = cpu_blocks.rows(a, *rows), b, cpu_blocks.rows(c, *rows)
        cpu_blocks.multiply(semiring.number, *parts, worker, threads, stop, done)

    _shared(compute, a, b, threads, report, log)


def multiply_indexed(
    a: Blocked, b: Blocked, c: Blocked, indices: np.ndarray, threads: int, report: Report = _untold, log: Log = _untold
) -> None:
    """As `multiply`, over (min, +): ``indices`` (int32, laid out as c) takes the smallest k of every least sum."""

    def compute(rows: Span, worker: int, stop: np.ndarray, done: np.ndarray) -> None:
        parts = cpu_blocks.rows(a, *rows), b, cpu_blocks.rows(c, *rows)
        cpu_blocks.multiply_indexed(*parts, indices[rows[0] * c.steps[0] :], worker, threads, stop, done)

    _shared(compute, a, b, threads, report, log)


def indexed_product(a: np.ndarray, b: np.ndarray, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The (min, +) product of two matrices and, for every number, the smallest k that reaches it (int32; -1: none)."""
    zero = MIN_PLUS.zero(a.dtype)
    left, right = (cpu_blocks.from_matrix(matrix, zero) for matrix in (a, b))
    c = cpu_blocks.empty(a.shape[0], b.shape[1], zero, a.dtype)
    indices = np.full(c.data.size, -1, np.int32)
    multiply_indexed(left, right, c, indices, threads)
    return cpu_blocks.to_matrix(c), cpu_blocks.to_matrix(c, indices)


def _shared(
    compute: Callable[[Span, int, np.ndarray, np.ndarray], None],
    a: Blocked, b: Blocked, threads: int, report: Report, log: Log,
) -> None:  # fmt: skip
    """``compute(rows, first task, stop, done)`` for slices of a product, some rows of blocks each.

    Every ``threads``-th block of a slice is a worker's, from the first task on; over all slices they take turns.
    """
    (rows, depth), columns = a.blocks, b.blocks[1]
    height = max(1, SLICE_CELLS // (BLOCK**3 * depth * columns))
    stop, done = workers.stop_word(), np.zeros((threads, threads), np.int64)

    def work(worker: int) -> None:
        for first in range(0, rows, height):
            last = min(first + height, rows)
            start = (worker - first * columns) % threads
            if start >= (last - first) * columns:
                continue
            begun_ns = time.perf_counter_ns()
            compute((first, last), start, stop, done[worker])
            if stop[0]:
                return
            log((first * BLOCK, min(last * BLOCK, a.shape[0])), (0, b.shape[1]), worker, begun_ns)

    workers.share(work, threads, stop, lambda: report(int(done.sum()), rows * depth * columns))
