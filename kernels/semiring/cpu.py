"""Matrix products over a semiring on the CPU: blocks for caches, tiles for registers, threads for cores."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.semiring import MIN_PLUS, Semiring, cpu_blocks
from antidiag.kernels.semiring.cpu_blocks import BlockedMatrix, Layout
from antidiag.kernels.semiring.sizes import BLOCK

SLICE_CELLS = 1 << 24
"""Sums of a slice of a product, which is one event of the log per thread: about 1 ms on two cores."""

Span = tuple[int, int]
Report = Callable[[int, int], None]
"""``report(done, total)`` gets how much of a product is computed."""
Log = Callable[[Span, Span, int, int], None]
"""``log(rows, columns, worker, begun_ns)`` gets the rows and columns of a product whose blocks a worker has
computed."""


def _ignore(*arguments: object) -> None:
    """Report and log nothing."""


def multiply_matrices(
    a: np.ndarray, b: np.ndarray, semiring: Semiring = MIN_PLUS, threads: int = 1, layout: Layout = "tiles"
) -> np.ndarray:
    """Return the product of two matrices, or of two batches of matrices.

    Parameters
    ----------
    a, b : np.ndarray
        Shapes (..., m, d) and (..., d, n) with the same leading axes; both float32, float64 or int32. Infinity is
        `kernels.semiring.INFINITE` in int32.
    semiring : Semiring
        The addition and the multiplication.
    threads : int
        Threads that share the blocks.
    layout : "tiles" or "rows"
        Whether blocks are copied to contiguous memory first; the product is the same.

    Returns
    -------
    np.ndarray
        Shape (..., m, n), of the same type; the zero of the semiring where d is 0.
    """
    batch = a.shape[:-2]
    c = np.empty((*batch, a.shape[-2], b.shape[-1]), a.dtype)
    for place in np.ndindex(*batch):
        c[place] = _multiply_pair(a[place], b[place], semiring, threads, layout)
    return c


def _multiply_pair(a: np.ndarray, b: np.ndarray, semiring: Semiring, threads: int, layout: Layout) -> np.ndarray:
    zero = semiring.zero_element(a.dtype)
    left, right = (cpu_blocks.block_matrix(matrix, zero, layout) for matrix in (a, b))
    c = cpu_blocks.filled_blocks(a.shape[0], b.shape[1], zero, a.dtype, layout)
    add_product(left, right, c, semiring, threads)
    return cpu_blocks.unblock_matrix(c)


def add_product(
    a: BlockedMatrix,
    b: BlockedMatrix,
    c: BlockedMatrix,
    semiring: Semiring,
    threads: int,
    report: Report = _ignore,
    log: Log = _ignore,
) -> None:
    """Add the product of two blocked matrices to a third one, which is neither of them."""

    def compute(rows: Span, worker: int, stop: np.ndarray, done: np.ndarray) -> None:
        parts = cpu_blocks.slice_block_rows(a, *rows), b, cpu_blocks.slice_block_rows(c, *rows)
        cpu_blocks.add_products(semiring.number, *parts, worker, threads, stop, done)

    _share_slices(compute, a, b, threads, report, log)


def add_indexed_product(
    a: BlockedMatrix,
    b: BlockedMatrix,
    c: BlockedMatrix,
    indices: np.ndarray,
    threads: int,
    report: Report = _ignore,
    log: Log = _ignore,
) -> None:
    """Add a (min, +) product to c; ``indices`` (int32, laid out as c) gets the smallest k of every minimum."""

    def compute(rows: Span, worker: int, stop: np.ndarray, done: np.ndarray) -> None:
        parts = cpu_blocks.slice_block_rows(a, *rows), b, cpu_blocks.slice_block_rows(c, *rows)
        cpu_blocks.add_indexed_products(*parts, indices[rows[0] * c.steps[0] :], worker, threads, stop, done)

    _share_slices(compute, a, b, threads, report, log)


def _share_slices(
    compute: Callable[[Span, int, np.ndarray, np.ndarray], None],
    a: BlockedMatrix,
    b: BlockedMatrix,
    threads: int,
    report: Report,
    log: Log,
) -> None:
    """Call ``compute(rows, first block, stop, done)`` on threads, for slices of a product of some rows of blocks each.

    A worker computes every ``threads``-th block of a slice, from its first block on, so that all get equal shares.
    """
    (rows, depth), columns = a.blocks, b.blocks[1]
    height = max(1, SLICE_CELLS // (BLOCK**3 * depth * columns))
    stop, done = workers.make_stop_word(), np.zeros((threads, threads), np.int64)

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

    workers.share_work(work, threads, stop, lambda: report(int(done.sum()), rows * depth * columns))
