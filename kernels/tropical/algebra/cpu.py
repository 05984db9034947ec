"""Matrix products over a semiring on the CPU: blocks for the caches, tiles for the registers, threads for the cores."""

from __future__ import annotations

import numpy as np

from kernels import workers
from kernels.monitor import Monitor
from kernels.tropical.algebra import MIN_PLUS, Semiring, cpu_blocks
from kernels.tropical.algebra.cpu_blocks import Blocked, Layout


def product(
    a: np.ndarray, b: np.ndarray, semiring: Semiring = MIN_PLUS, threads: int = 1, layout: Layout = "tiles"
) -> np.ndarray:
    """The product of two matrices, or of two batches of them.

    Parameters
    ----------
    a, b : np.ndarray
        Shapes (..., m, d) and (..., d, n) with the same leading axes; float32, float64 or int32, both alike. An
        infinite int32 is `algebra.INFINITE`, an infinite float is NumPy's.
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
    multiply(left, right, c, semiring, threads, Monitor())
    return cpu_blocks.to_matrix(c)


def multiply(
    a: Blocked, b: Blocked, c: Blocked, semiring: Semiring, threads: int, monitor: Monitor,
    progress: tuple[int, int] = (0, 1), phase: str = "",
) -> None:  # fmt: skip
    """Add the product of two blocked matrices to a third, which must be neither of them.

    ``progress`` says which of how many equal products this is, for the monitor.
    """
    blocks = (a.blocks[0], a.blocks[1], b.blocks[1])

    def work(worker: int) -> None:
        cpu_blocks.multiply(semiring.number, a.data, a.steps, b.data, b.steps, c.data, c.steps, blocks, worker,
                            threads, stop, done)  # fmt: skip

    stop, done = workers.stop_word(), np.zeros(threads, np.int64)
    _shared(work, threads, stop, done, blocks, monitor, progress, phase)


def multiply_indexed(
    a: Blocked, b: Blocked, c: Blocked, indices: np.ndarray, threads: int, monitor: Monitor, phase: str = ""
) -> None:
    """As `multiply`, over (min, +): ``indices`` (int32, laid out as c) takes the smallest k of every least sum."""
    blocks = (a.blocks[0], a.blocks[1], b.blocks[1])

    def work(worker: int) -> None:
        cpu_blocks.multiply_indexed(a.data, a.steps, b.data, b.steps, c.data, indices, c.steps, blocks, worker,
                                    threads, stop, done)  # fmt: skip

    stop, done = workers.stop_word(), np.zeros(threads, np.int64)
    _shared(work, threads, stop, done, blocks, monitor, (0, 1), phase)


def indexed_product(a: np.ndarray, b: np.ndarray, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The (min, +) product of two matrices and, for every number, the smallest k that reaches it (int32; -1: none)."""
    zero = MIN_PLUS.zero(a.dtype)
    left, right = (cpu_blocks.from_matrix(matrix, zero) for matrix in (a, b))
    c = cpu_blocks.empty(a.shape[0], b.shape[1], zero, a.dtype)
    indices = np.full(c.data.size, -1, np.int32)
    multiply_indexed(left, right, c, indices, threads, Monitor())
    return cpu_blocks.to_matrix(c), cpu_blocks.to_matrix(c, indices)


def _shared(work, threads, stop, done, blocks, monitor: Monitor, progress: tuple[int, int], phase: str) -> None:
    each = blocks[0] * blocks[1] * blocks[2]
    finished, total = progress

    def poll() -> None:
        monitor.update(finished * each + int(done.sum()), total * each, phase)

    workers.share(work, threads, stop, poll)
