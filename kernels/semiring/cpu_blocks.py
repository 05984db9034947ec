"""Matrices in blocks of 64 x 64 numbers, and the compiled loops that multiply them.

A blocked matrix is one flat array with three strides: ``steps = (down, right, row)`` are the distances to the block
below, to the block on the right, and to the next row of a block. There are two layouts:

- ``tiles``: each block is contiguous, as in shared memory, after a copy at the start and at the end;
- ``slice_block_rows``: the matrix is row-major and blocks are read through the caches, as through texture memory.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.semiring.cpu_tile import (
    ROWS,
    VECTOR_BYTES,
    VECTORS,
    indexed_tile,
    max_plus_tile,
    min_plus_tile,
    plus_times_tile,
)
from antidiag.kernels.semiring.sizes import BLOCK, round_to_blocks

Layout = Literal["tiles", "rows"]
SQUARE = BLOCK * BLOCK


class BlockedMatrix(NamedTuple):
    """A matrix of ``shape`` numbers in ``blocks`` (rows, columns) of blocks, padded at its edges."""

    data: np.ndarray
    steps: tuple[int, int, int]
    blocks: tuple[int, int]
    shape: tuple[int, int]


def filled_blocks(
    rows: int, columns: int, fill: float, type: np.dtype | type, layout: Layout = "tiles"
) -> BlockedMatrix:
    """Return a blocked matrix filled with one number."""
    down, across = round_to_blocks(rows) // BLOCK, round_to_blocks(columns) // BLOCK
    data = np.full(down * across * SQUARE, fill, type)
    steps = (across * SQUARE, SQUARE, BLOCK) if layout == "tiles" else (across * SQUARE, BLOCK, across * BLOCK)
    return BlockedMatrix(data, steps, (down, across), (rows, columns))


def block_matrix(matrix: np.ndarray, fill: float, layout: Layout = "tiles") -> BlockedMatrix:
    """Return a copy of a matrix in blocks, padded with ``fill``."""
    blocked = filled_blocks(matrix.shape[0], matrix.shape[1], fill, matrix.dtype, layout)
    _copy_in(np.ascontiguousarray(matrix), blocked.data, blocked.steps)
    return blocked


def slice_block_rows(blocked: BlockedMatrix, first: int, last: int) -> BlockedMatrix:
    """Return some rows of blocks of a matrix as a view."""
    height = min(last * BLOCK, blocked.shape[0]) - first * BLOCK
    return BlockedMatrix(
        blocked.data[first * blocked.steps[0] :],
        blocked.steps,
        (last - first, blocked.blocks[1]),
        (height, blocked.shape[1]),
    )


def unblock_matrix(blocked: BlockedMatrix, data: np.ndarray | None = None) -> np.ndarray:
    """Return the row-major matrix without padding; of ``data`` instead, an array of the same layout."""
    source = blocked.data if data is None else data
    matrix = np.empty(blocked.shape, source.dtype)
    _copy_out(source, blocked.steps, matrix)
    return matrix


@cached_njit
def _copy_in(matrix, data, steps):
    down, right, row = steps
    for i in range(matrix.shape[0]):
        start = i // BLOCK * down + i % BLOCK * row
        for j in range(0, matrix.shape[1], BLOCK):
            width = min(BLOCK, matrix.shape[1] - j)
            data[start + j // BLOCK * right : start + j // BLOCK * right + width] = matrix[i, j : j + width]


@cached_njit
def _copy_out(data, steps, matrix):
    down, right, row = steps
    for i in range(matrix.shape[0]):
        start = i // BLOCK * down + i % BLOCK * row
        for j in range(0, matrix.shape[1], BLOCK):
            width = min(BLOCK, matrix.shape[1] - j)
            matrix[i, j : j + width] = data[start + j // BLOCK * right : start + j // BLOCK * right + width]


@inner_njit
def add_block_product(semiring, a, b, c, places, strides):
    """Add the product of two blocks to a third one; ``semiring`` is a number.

    ``places`` are the starts of the blocks in a, b and c, ``strides`` the distances between their rows.
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


@inline_njit
def _count_block_cells(a, b, i, k, j):
    """Return the sums of the product of block (i, k) of a and block (k, j) of b, without their padding."""
    height, depth = min(BLOCK, a.shape[0] - i * BLOCK), min(BLOCK, a.shape[1] - k * BLOCK)
    return height * depth * min(BLOCK, b.shape[1] - j * BLOCK)


@inline_njit
def _block_start(matrix, row, column):
    """Return the start of a block."""
    return row * matrix.steps[0] + column * matrix.steps[1]


@cached_njit
def add_products(semiring, a, b, c, first, step, stop, done):
    """Add the product of a and b to the blocks ``first``, ``first + step``, ... of c.

    ``done`` (int64, shape (1,)) counts finished sums; ``stop`` ends the work when it is not 0.
    """
    (rows, depth), columns = a.blocks, b.blocks[1]
    left, right, target, strides = a.data, b.data, c.data, (a.steps[2], b.steps[2], c.steps[2])
    for task in range(first, rows * columns, step):
        i, j = task // columns, task % columns
        for k in range(depth):
            if stop[0] != 0:
                return
            add_block_product(
                semiring,
                left,
                right,
                target,
                (_block_start(a, i, k), _block_start(b, k, j), _block_start(c, i, j)),
                strides,
            )
            done[0] += _count_block_cells(a, b, i, k, j)


@cached_njit
def add_indexed_products(a, b, c, indices, first, step, stop, done):
    """Add a (min, +) product as `add_products` does, and write the k of every minimum to ``indices``, laid out as c."""
    (rows, depth), columns = a.blocks, b.blocks[1]
    left, right, target, strides = a.data, b.data, c.data, (a.steps[2], b.steps[2], c.steps[2])
    width = VECTORS * VECTOR_BYTES // target.itemsize
    for task in range(first, rows * columns, step):
        i, j = task // columns, task % columns
        for k in range(depth):
            if stop[0] != 0:
                return
            a_at, b_at, c_at = _block_start(a, i, k), _block_start(b, k, j), _block_start(c, i, j)
            for y in range(0, BLOCK, ROWS):
                for x in range(0, BLOCK, width):
                    places = a_at + y * strides[0], b_at + x, c_at + y * strides[2] + x
                    indexed_tile(left, right, target, indices, places, strides, k * BLOCK, BLOCK)
            done[0] += _count_block_cells(a, b, i, k, j)
