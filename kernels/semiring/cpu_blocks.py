"""Matrices cut into blocks of 64 x 64 numbers, and the compiled loops that multiply them.

A blocked matrix is one flat array and three distances: ``steps = (down, right, row)`` says how far it is to the block
below, to the block at the right, and to the next row inside a block. Two layouts differ in nothing else:

- ``tiles``: a block is contiguous, as a block in shared memory is; it costs a copy at the start and at the end;
- ``rows``: the matrix stays row by row and blocks are read in place through the caches, as through texture memory.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled, inlined
from antidiag.kernels.semiring.cpu_tile import (
    ROWS,
    VECTOR_BYTES,
    VECTORS,
    indexed_tile,
    max_plus_tile,
    min_plus_tile,
    plus_times_tile,
)
from antidiag.kernels.semiring.sizes import BLOCK, padded

Layout = Literal["tiles", "rows"]
SQUARE = BLOCK * BLOCK


class Blocked(NamedTuple):
    """A matrix of ``shape`` numbers in ``blocks`` (rows, columns) of blocks; what is beyond its edge is padding."""

    data: np.ndarray
    steps: tuple[int, int, int]
    blocks: tuple[int, int]
    shape: tuple[int, int]


def empty(rows: int, columns: int, fill: float, type: np.dtype | type, layout: Layout = "tiles") -> Blocked:
    """A blocked matrix full of one number."""
    down, across = padded(rows) // BLOCK, padded(columns) // BLOCK
    data = np.full(down * across * SQUARE, fill, type)
    steps = (across * SQUARE, SQUARE, BLOCK) if layout == "tiles" else (across * SQUARE, BLOCK, across * BLOCK)
    return Blocked(data, steps, (down, across), (rows, columns))


def from_matrix(matrix: np.ndarray, fill: float, layout: Layout = "tiles") -> Blocked:
    """A copy of ``matrix`` in blocks, padded with ``fill``."""
    blocked = empty(matrix.shape[0], matrix.shape[1], fill, matrix.dtype, layout)
    _copy_in(np.ascontiguousarray(matrix), blocked.data, blocked.steps)
    return blocked


def rows(blocked: Blocked, first: int, last: int) -> Blocked:
    """Some rows of blocks of a matrix, without a copy."""
    height = min(last * BLOCK, blocked.shape[0]) - first * BLOCK
    return Blocked(
        blocked.data[first * blocked.steps[0] :],
        blocked.steps,
        (last - first, blocked.blocks[1]),
        (height, blocked.shape[1]),
    )


def to_matrix(blocked: Blocked, data: np.ndarray | None = None) -> np.ndarray:
    """The matrix row by row, without its padding; of ``data`` instead, where another array is laid out alike."""
    source = blocked.data if data is None else data
    matrix = np.empty(blocked.shape, source.dtype)
    _copy_out(source, blocked.steps, matrix)
    return matrix


@compiled
def _copy_in(matrix, data, steps):
    down, right, row = steps
    for i in range(matrix.shape[0]):
        start = i // BLOCK * down + i % BLOCK * row
        for j in range(0, matrix.shape[1], BLOCK):
            width = min(BLOCK, matrix.shape[1] - j)
            data[start + j // BLOCK * right : start + j // BLOCK * right + width] = matrix[i, j : j + width]


@compiled
def _copy_out(data, steps, matrix):
    down, right, row = steps
    for i in range(matrix.shape[0]):
        start = i // BLOCK * down + i % BLOCK * row
        for j in range(0, matrix.shape[1], BLOCK):
            width = min(BLOCK, matrix.shape[1] - j)
            matrix[i, j : j + width] = data[start + j // BLOCK * right : start + j // BLOCK * right + width]


@called
def block_product(semiring, a, b, c, places, strides):
    """Add the product of two blocks to a third; ``semiring`` is its number.

    ``places`` are where the blocks begin in a, b and c, ``strides`` the distances between their rows.
    """
    width = VECTORS * VECTOR_BYTES // c.itemsize
    for i in range(0, BLOCK, ROWS):
        left, right, target = places[0] + i * strides[0], places[1], places[2] + i * strides[2]
        for j in range(0, BLOCK, width):
            tile = left, right + j, target + j
            if semiring == 0:
                min_plus_tile(a, b, c, tile, strides, BLOCK)
            elif semiring == 1:
                max_plus_tile(a, b, c, tile, strides, BLOCK)
            else:
                plus_times_tile(a, b, c, tile, strides, BLOCK)


@inlined
def _block(matrix, row, column):
    """Where a block of a Blocked begins."""
    return row * matrix.steps[0] + column * matrix.steps[1]


@compiled
def multiply(semiring, a, b, c, worker, workers, stop, done):
    """Add the product of a and b to every ``workers``-th block of c, from the ``worker``-th on; all are Blocked.

    ``done[worker]`` counts the finished products of blocks; a word in ``stop`` ends the work.
    """
    (rows, depth), columns = a.blocks, b.blocks[1]
    left, right, target, strides = a.data, b.data, c.data, (a.steps[2], b.steps[2], c.steps[2])
    for task in range(worker, rows * columns, workers):
        i, j = task // columns, task % columns
        for k in range(depth):
            if stop[0] != 0:
                return
            block_product(semiring, left, right, target, (_block(a, i, k), _block(b, k, j), _block(c, i, j)), strides)
            done[worker] += 1


@compiled
def multiply_indexed(a, b, c, indices, worker, workers, stop, done):
    """As `multiply`, over (min, +), with the k of every number in ``indices``, which is laid out as c is."""
    (rows, depth), columns = a.blocks, b.blocks[1]
    left, right, target, strides = a.data, b.data, c.data, (a.steps[2], b.steps[2], c.steps[2])
    width = VECTORS * VECTOR_BYTES // target.itemsize
    for task in range(worker, rows * columns, workers):
        i, j = task // columns, task % columns
        for k in range(depth):
            if stop[0] != 0:
                return
            a_at, b_at, c_at = _block(a, i, k), _block(b, k, j), _block(c, i, j)
            for y in range(0, BLOCK, ROWS):
                for x in range(0, BLOCK, width):
                    places = a_at + y * strides[0], b_at + x, c_at + y * strides[2] + x
                    indexed_tile(left, right, target, indices, places, strides, k * BLOCK, BLOCK)
            done[worker] += 1
