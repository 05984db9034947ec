"""Compiled loops of Floyd-Warshall on the CPU: row by row as published, and in blocks.

With blocks of 64 x 64 numbers, contiguous in memory, step k of the blocks has three parts:

1. block (k, k) is closed: all paths inside it, by the plain recurrence;
2. every other block of row k becomes the minimum of itself and (closed block) x (itself), every block of column k
   the minimum of itself and (itself) x (closed block);
3. every other block (i, j) becomes the minimum of itself and (i, k) x (k, j): a product over (min, +).

Nearly all work is in the products of step 3, which are independent of each other.
"""

from __future__ import annotations

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.semiring.cpu_blocks import SQUARE, add_block_product
from antidiag.kernels.semiring.sizes import BLOCK


@cached_njit
def run_serial_steps(d, row, start, end, stop):
    """Run steps ``start`` to ``end`` of FLOYDWARSHALL on d, shape (n, n); ``row``, shape (n,), is scratch.

    Stops early, between two rows, when ``stop`` is set.
    """
    for k in range(start, end):
        row[:] = d[k]
        for i in range(d.shape[0]):
            if stop[0] != 0:
                return
            relax_row(d[i], row, d[i, k])


@inner_njit
def relax_row(target, row, first):
    """Set ``target`` to the minimum of itself and ``first + row``."""
    for j in range(target.shape[0]):
        length = first + row[j]
        target[j] = length if length < target[j] else target[j]


@cached_njit
def close_block(d, at, row):
    """Close the block at ``at``: all paths inside it, in place; ``row``, 64 numbers, is scratch."""
    for k in range(BLOCK):
        row[:] = d[at + k * BLOCK : at + (k + 1) * BLOCK]
        for i in range(at, at + SQUARE, BLOCK):
            relax_row(d[i : i + BLOCK], row, d[i + k])


@cached_njit
def relax_cross(d, blocks, k, worker, workers, scratch, stop):
    """Relax every ``workers``-th block of row k and column k; ``scratch`` holds one block."""
    closed = (k * blocks + k) * SQUARE
    for task in range(worker, 2 * blocks, workers):
        other = task // 2
        if other == k or stop[0] != 0:
            continue
        at = (k * blocks + other if task % 2 == 0 else other * blocks + k) * SQUARE
        scratch[:] = d[at : at + SQUARE]
        if task % 2 == 0:
            add_block_product(0, d, scratch, d, (closed, 0, at), (BLOCK, BLOCK, BLOCK))
        else:
            add_block_product(0, scratch, d, d, (0, closed, at), (BLOCK, BLOCK, BLOCK))


@cached_njit
def relax_rest(d, blocks, k, first, last, stop):
    """Relax the blocks of rows ``first`` to ``last`` that lie neither in row k nor in column k."""
    for i in range(first, last):
        if i == k:
            continue
        for j in range(blocks):
            if stop[0] != 0:
                return
            if j != k:
                places = (i * blocks + k) * SQUARE, (k * blocks + j) * SQUARE, (i * blocks + j) * SQUARE
                add_block_product(0, d, d, d, places, (BLOCK, BLOCK, BLOCK))


@cached_njit
def multiply_serially(a, b, c, stop):
    """Add the (min, +) product of a and b to c, row by row, for the serial methods."""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            if stop[0] != 0:
                return
            relax_row(c[i], b[k], a[i, k])
