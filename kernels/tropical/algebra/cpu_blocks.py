"""Matrices cut into blocks of 64 x 64 numbers, and the compiled loops that multiply them.

A blocked matrix is one flat array and three distances: ``steps = (down, right, row)`` says how far it is to the block
below, to the block at the right, and to the next row inside a block. Two layouts differ in nothing else:

- ``tiles``: a block is contiguous, as a block in shared memory is; it costs a copy at the start and at the end;
- ``rows``: the matrix stays row by row and blocks are read in place through the caches, as through texture memory.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from kernels.jit import compiled
from kernels.tropical.algebra.cpu_tile import (
    ROWS,
    VECTOR_BYTES,
    VECTORS,
    indexed_tile,
    max_plus_tile,
    min_plus_tile,
    plus_times_tile,
)
from kernels.tropical.algebra.layout import BLOCK, padded

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


@compiled
def block_product(semiring, a, a_at, a_row, b, b_at, b_row, c, c_at, c_row):
    """Add the product of two blocks to a third; ``semiring`` is its number."""
    width = VECTORS * VECTOR_BYTES // c.itemsize
    for i in range(0, BLOCK, ROWS):
        left, place = a_at + i * a_row, c_at + i * c_row
        for j in range(0, BLOCK, width):
            if semiring == 0:
                min_plus_tile(a, left, a_row, b, b_at + j, b_row, c, place + j, c_row, BLOCK)
            elif semiring == 1:
                max_plus_tile(a, left, a_row, b, b_at + j, b_row, c, place + j, c_row, BLOCK)
            else:
                plus_times_tile(a, left, a_row, b, b_at + j, b_row, c, place + j, c_row, BLOCK)


@compiled
def multiply(semiring, a, a_steps, b, b_steps, c, c_steps, blocks, worker, workers, stop, done):
    """Every ``workers``-th block of c, from the ``worker``-th on; ``blocks`` are rows, depth and columns.

    ``done[worker]`` counts the finished products of blocks; a word in ``stop`` ends the work.
    """
    rows, depth, columns = blocks
    for task in range(worker, rows * columns, workers):
        i, j = task // columns, task % columns
        for k in range(depth):
            if stop[0] != 0:
                return
            block_product(
                semiring,
                a, i * a_steps[0] + k * a_steps[1], a_steps[2],
                b, k * b_steps[0] + j * b_steps[1], b_steps[2],
                c, i * c_steps[0] + j * c_steps[1], c_steps[2],
            )  # fmt: skip
            done[worker] += 1


@compiled
def multiply_indexed(a, a_steps, b, b_steps, c, indices, c_steps, blocks, worker, workers, stop, done):
    """As `multiply`, over (min, +), with the k of every number in ``indices``, which is laid out as c is."""
    rows, depth, columns = blocks
    width = VECTORS * VECTOR_BYTES // c.itemsize
    for task in range(worker, rows * columns, workers):
        i, j = task // columns, task % columns
        for k in range(depth):
            if stop[0] != 0:
                return
            a_at, b_at = i * a_steps[0] + k * a_steps[1], k * b_steps[0] + j * b_steps[1]
            c_at = i * c_steps[0] + j * c_steps[1]
            for y in range(0, BLOCK, ROWS):
                for x in range(0, BLOCK, width):
                    indexed_tile(
                        a, a_at + y * a_steps[2], a_steps[2], b, b_at + x, b_steps[2],
                        c, indices, c_at + y * c_steps[2] + x, c_steps[2], k * BLOCK, BLOCK,
                    )  # fmt: skip
            done[worker] += 1
