"""Matrix products over a semiring on the CPU: blocks for caches, tiles for registers, threads for cores."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, LoggedCells
from antidiag.kernels.semiring import Semiring, cpu_blocks
from antidiag.kernels.semiring.cpu_blocks import BlockedMatrix, Layout
from antidiag.kernels.semiring.sizes import BLOCK

SLICE_CELLS = 1 << 24
"""Sums of a slice of a product, which is one event of the log per thread: about 1 ms on two cores."""

Span = tuple[int, int]


def multiply_matrices(
    a: np.ndarray,
    b: np.ndarray,
    semiring: Semiring,
    phase: CpuPhase,
    layout: Layout = "tiles",
    plus: np.ndarray | None = None,
    strip: int = 0,
) -> np.ndarray:
    """Return the product of two matrices, plus another matrix; the threads of a phase share its blocks.

    Parameters
    ----------
    a, b : np.ndarray
        Shapes (m, d) and (d, n); both float32, float64 or int32. Infinity is `kernels.semiring.INFINITE` in int32.
    semiring : Semiring
        The addition and the multiplication.
    phase : CpuPhase
        Its progress is counted in sums, m d n of a product.
    layout : "tiles" or "rows"
        Whether blocks are copied to contiguous memory first; the product is the same.
    plus : np.ndarray, optional
        Shape (m, n), of the same type.
    strip : int
        The number of the product in the step log.

    Returns
    -------
    np.ndarray
        Shape (m, n), of the same type; the zero of the semiring where d is 0.
    """
    zero = semiring.zero_element(a.dtype)
    left, right = (cpu_blocks.block_matrix(matrix, zero, layout) for matrix in (a, b))
    if plus is None:
        c = cpu_blocks.filled_blocks(a.shape[0], b.shape[1], zero, a.dtype, layout)
    else:
        c = cpu_blocks.block_matrix(plus, zero, layout)
    add_product(left, right, c, semiring, phase, strip)
    return cpu_blocks.unblock_matrix(c)


def add_product(
    a: BlockedMatrix, b: BlockedMatrix, c: BlockedMatrix, semiring: Semiring, phase: CpuPhase, strip: int = 0
) -> None:
    """Add the product of two blocked matrices to a third one, which is neither of them; see `multiply_matrices`."""

    def compute(rows: Span, first: int, done: np.ndarray) -> None:
        parts = cpu_blocks.slice_block_rows(a, *rows), b, cpu_blocks.slice_block_rows(c, *rows)
        cpu_blocks.add_products(semiring.number, *parts, first, phase.run.threads, phase.run.stop, done)

    _share_slices(compute, a, b, phase, strip)


def add_indexed_product(
    a: BlockedMatrix, b: BlockedMatrix, c: BlockedMatrix, indices: np.ndarray, phase: CpuPhase
) -> None:
    """Add a (min, +) product to c; ``indices`` (int32, laid out as c) gets the smallest k of every minimum."""

    def compute(rows: Span, first: int, done: np.ndarray) -> None:
        parts = cpu_blocks.slice_block_rows(a, *rows), b, cpu_blocks.slice_block_rows(c, *rows)
        below = indices[rows[0] * c.steps[0] :]
        cpu_blocks.add_indexed_products(*parts, below, first, phase.run.threads, phase.run.stop, done)

    _share_slices(compute, a, b, phase, 0)


def _share_slices(
    compute: Callable[[Span, int, np.ndarray], None], a: BlockedMatrix, b: BlockedMatrix, phase: CpuPhase, strip: int
) -> None:
    """Call ``compute(rows, first block, done)`` on threads, for slices of a product of some rows of blocks each.

    A worker computes one block of a slice in so many as there are threads, from its first block on, so that all get
    equal shares.
    """
    (rows, depth), columns, threads = a.blocks, b.blocks[1], phase.run.threads
    height = max(1, SLICE_CELLS // (BLOCK**3 * depth * columns))

    def work(worker: int) -> None:
        for top in range(0, rows, height):
            bottom = min(top + height, rows)
            first = (worker - top * columns) % threads
            if first >= (bottom - top) * columns:
                continue
            begun_ns = time.perf_counter_ns()
            compute((top, bottom), first, phase.done[worker : worker + 1])
            if phase.run.stop[0]:
                return
            cells = LoggedCells((top * BLOCK, min(bottom * BLOCK, a.shape[0])), (0, b.shape[1]), strip)
            phase.log(cells, worker, begun_ns)

    phase.share(work)
