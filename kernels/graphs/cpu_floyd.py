"""Floyd-Warshall on the CPU, compiled: row by row as published, and in blocks.

In blocks (64 x 64, one after another in memory), the k-th step of blocks does three things:

1. the block (k, k) is closed: all ways inside it, by the plain recurrence;
2. every other block of row k becomes the least of itself and (closed block) x (itself), every block of column k
   likewise from the right;
3. every other block (i, j) becomes the least of itself and (i, k) x (k, j): a product over (min, +).

Nearly all work is in the products of step 3, which are independent of each other.
"""

from __future__ import annotations

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.semiring.cpu_blocks import SQUARE, block_product
from antidiag.kernels.semiring.sizes import BLOCK


@compiled
def serial_steps(d, row, start, end, stop):
    """Steps ``start`` to ``end`` of FLOYDWARSHALL on d, shape (n, n); ``row``, shape (n,), is scratch.

    Stops early, between two rows, when ``stop`` is set.
    """
    for k in range(start, end):
        row[:] = d[k]
        for i in range(d.shape[0]):
            if stop[0] != 0:
                return
            relax_row(d[i], row, d[i, k])


@called
def relax_row(target, row, first):
    """The least of ``target`` and ``first + row``, number by number, into ``target``."""
    for j in range(target.shape[0]):
        way = first + row[j]
        target[j] = way if way < target[j] else target[j]


@compiled
def close_block(d, at, row):
    """All ways inside the block at ``at``, in place; ``row``, 64 numbers, is scratch."""
    for k in range(BLOCK):
        row[:] = d[at + k * BLOCK : at + (k + 1) * BLOCK]
        for i in range(at, at + SQUARE, BLOCK):
            relax_row(d[i : i + BLOCK], row, d[i + k])


@compiled
def relax_cross(d, blocks, k, worker, workers, scratch, stop):
    """Row k and column k of the blocks, every ``workers``-th block of them; ``scratch`` holds one block."""
    closed = (k * blocks + k) * SQUARE
    for task in range(worker, 2 * blocks, workers):
        other = task // 2
        if other == k or stop[0] != 0:
            continue
        at = (k * blocks + other if task % 2 == 0 else other * blocks + k) * SQUARE
        scratch[:] = d[at : at + SQUARE]
        if task % 2 == 0:
            block_product(0, d, scratch, d, (closed, 0, at), (BLOCK, BLOCK, BLOCK))
        else:
            block_product(0, scratch, d, d, (0, closed, at), (BLOCK, BLOCK, BLOCK))


@compiled
def relax_rest(d, blocks, k, first, last, stop, done, worker):
    """Rows ``first`` to ``last`` of the blocks that lie neither in row k nor in column k."""
    for i in range(first, last):
        if i == k:
            continue
        for j in range(blocks):
            if stop[0] != 0:
                return
            if j != k:
                places = (i * blocks + k) * SQUARE, (k * blocks + j) * SQUARE, (i * blocks + j) * SQUARE
                block_product(0, d, d, d, places, (BLOCK, BLOCK, BLOCK))
                done[worker] += 1


@compiled
def plain_product(a, b, c, stop):
    """Add the (min, +) product of a and b to c, row by row, as one reads it; for the serial methods."""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            if stop[0] != 0:
                return
            relax_row(c[i], b[k], a[i, k])
