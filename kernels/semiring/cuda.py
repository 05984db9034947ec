"""Matrix products over a semiring on the GPU: padding to whole tiles, launches of a fraction of a second."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks, textures
from antidiag.kernels.cuda.run import ELEMENTS, Phase, Run
from antidiag.kernels.cuda.structs import Constants
from antidiag.kernels.cuda.transfers import touched
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring import ELEMENT_FILE, MIN_PLUS, Semiring

HERE = Path(__file__).parent
SIDE = 16
THREADS = SIDE * SIDE
"""Threads of a block, SIDE x SIDE of them."""

TILE_FILES = (ELEMENT_FILE, Constants.of(SIDE=SIDE, THREADS=THREADS), HERE / "tile.cuh")
"""What all products share, kernels that pad and crop matrices among it."""
PRODUCT = (*TILE_FILES, HERE / "product.cu")
INDEXED_PRODUCT = (*TILE_FILES, HERE / "indexed_product.cu")

LAUNCH_CELLS = 1 << 33
"""Sums in 4 bytes that a multiprocessor adds to in one launch: about 0.1 s."""

PAD_BLOCKS = 1024
MEMBERS = 65_535
"""Most members of a batch in a launch: the last sides of a grid are no larger."""

PACK_WORDS = 4
"""Words of a texel: a pack of 16 bytes."""


def per_thread(type: np.dtype | type, indexed: bool = False, small: bool = False) -> int:
    """Rows and columns of a thread's sums: as many as its registers hold, half of them for ``small`` matrices."""
    return 4 if indexed or small or np.dtype(type).itemsize == 8 else 8


def tile(type: np.dtype | type, indexed: bool = False, small: bool = False) -> int:
    """Rows and columns of a tile."""
    return SIDE * per_thread(type, indexed, small)


def defines(
    type: np.dtype | type, semiring: Semiring = MIN_PLUS, texture: bool = False, indexed: bool = False,
    small: bool = False,
) -> dict[str, int]:  # fmt: skip
    """Compile-time constants of the tile."""
    return {
        "ELEMENT": ELEMENTS[np.dtype(type).name],
        "SEMIRING": semiring.number,
        "TEXTURE": int(texture),
        "PER": per_thread(type, indexed, small),
    }


def whole(length: int, size: int) -> int:
    """``length`` in whole tiles of ``size``; one at least."""
    return max(1, -(-length // size)) * size


def launch_cells(type: np.dtype | type) -> int:
    """Sums of one launch on the current device: fewer in 8 bytes, and few where it is slow in double precision."""
    attributes = blocks.attributes()
    slower = {"int64": 4, "float64": 2 * attributes["SingleToDoublePrecisionPerfRatio"]}.get(np.dtype(type).name, 1)
    return LAUNCH_CELLS * attributes["MultiProcessorCount"] // slower


def padded(run: Run, matrix: cupy.ndarray, size: int, constants: dict[str, int]) -> cupy.ndarray:
    """A matrix on the device, or a batch of them, in whole tiles, padded with the semiring's zero; itself where it is
    so already."""
    rows, columns = (int(length) for length in matrix.shape[-2:])
    if (rows, columns) == (whole(rows, size), whole(columns, size)):
        return matrix
    target = cupy.empty((*matrix.shape[:-2], whole(rows, size), whole(columns, size)), matrix.dtype)
    sizes = tuple(map(np.int32, (*matrix.shape[-2:], *target.shape[-2:])))
    kernel = run.kernel(TILE_FILES, "pad", **constants)
    for source, part in _members(matrix, target):
        kernel((PAD_BLOCKS, _batch(source)), (THREADS,), (source, *sizes[:2], part, *sizes[2:]))
    return target


def cropped(run: Run, matrix: cupy.ndarray, rows: int, columns: int, constants: dict[str, int]) -> cupy.ndarray:
    """The first ``rows`` and ``columns`` of a matrix on the device, or of each of a batch, close together; itself where
    these are all."""
    if matrix.shape[-2:] == (rows, columns):
        return matrix
    target = cupy.empty((*matrix.shape[:-2], rows, columns), matrix.dtype)
    height, width = (np.int32(length) for length in matrix.shape[-2:])
    kernel = run.kernel(TILE_FILES, "crop", **constants)
    for source, part in _members(matrix, target):
        sizes = np.int32(rows), np.int32(columns), height
        kernel((PAD_BLOCKS, _batch(source)), (THREADS,), (source, width, part, *sizes))
    return target


def _batch(matrix: cupy.ndarray) -> int:
    """How many matrices these are."""
    return int(matrix.shape[0]) if matrix.ndim == 3 else 1


def _members(*matrices: cupy.ndarray) -> Iterator[tuple[cupy.ndarray, ...]]:
    """Matrices, or as many of their batches at a time as a launch may have."""
    if matrices[0].ndim == 2:
        yield matrices
        return
    for first in range(0, _batch(matrices[0]), MEMBERS):
        yield tuple(matrix[first : first + MEMBERS] for matrix in matrices)


def multiply(
    run: Run, phase: Phase, a: cupy.ndarray, b: cupy.ndarray, c: cupy.ndarray, constants: dict[str, int],
    from_zero: bool = False, progress: tuple[int, int] = (0, 1),
) -> None:  # fmt: skip
    """Add the product of two matrices, or of batches of them, to a third; all in whole tiles.

    A batch is one launch, as long as that lasts a fraction of a second. ``progress`` says which of how many equal
    products this is. With the constant TEXTURE, factors are bound as texture objects for their launches, and unbound
    when these have ended.
    """
    kernel, size = run.kernel(PRODUCT, "product", **constants), SIDE * constants["PER"]
    rows, depth, columns = int(a.shape[-2]), int(a.shape[-1]), int(b.shape[-1])
    batch, cells = _batch(a), launch_cells(a.dtype)
    members = max(1, min(MEMBERS, batch, cells // (rows * depth * columns)))
    band = rows // size if members > 1 else max(1, min(rows // size, cells // (size * depth * columns)))
    sizes = *map(np.int32, (depth, columns)), *map(np.int64, (rows * depth, depth * columns, rows * columns))
    finished, total = progress
    for member in range(0, batch, members):
        together = min(members, batch - member)
        for first in range(0, rows // size, band):
            count = min(band, rows // size - first)
            starts = (member * rows + first * size) * depth, member * depth * columns
            if constants["TEXTURE"]:
                left, right = (
                    textures.bind(one.ravel()[at:], PACK_WORDS) for one, at in zip((a, b), starts, strict=True)
                )
            else:
                left, right = (
                    np.uint64(one.data.ptr + at * one.itemsize) for one, at in zip((a, b), starts, strict=True)
                )
            into = np.uint64(c.data.ptr + (member * rows + first * size) * columns * c.itemsize)
            grid = columns // size, count, together
            kernel(grid, (THREADS,), (left, right, into, *sizes, np.int32(from_zero)))
            done = member * rows + together * (first + count) * size
            phase.launched(finished * batch * rows + done, total * batch * rows)
            if constants["TEXTURE"]:
                cupy.cuda.get_current_stream().synchronize()


def product(
    a: np.ndarray, b: np.ndarray, semiring: Semiring = MIN_PLUS, texture: bool = False, run: Run | None = None
) -> np.ndarray:
    """The product of two matrices or two batches, shapes (..., m, d) and (..., d, n), as `cpu.product` has it."""
    run = run or Run(Monitor())
    batch, rows, columns = a.shape[:-2], a.shape[-2], b.shape[-1]
    if not math.prod((*batch, rows, columns)):
        return np.empty((*batch, rows, columns), a.dtype)
    small = max(rows, columns) <= tile(a.dtype, small=True)
    constants, size = defines(a.dtype, semiring, texture, small=small), tile(a.dtype, small=small)
    members = math.prod(batch)
    left, right = (
        padded(run, run.up(matrix.reshape(members, *matrix.shape[-2:])), size, constants) for matrix in (a, b)
    )
    found = cupy.empty((left.shape[0], left.shape[1], right.shape[2]), a.dtype)
    on_host = np.empty((members, rows, columns), a.dtype)
    run.kernel(PRODUCT, "product", **constants)  # compiled before the clock of the phase begins
    with touched(on_host), run.phase("product") as phase:
        multiply(run, phase, left, right, found, constants, from_zero=True)
    del left, right
    return run.down(cropped(run, found, rows, columns, constants), on_host).reshape(*batch, rows, columns)


def multiply_indexed(run: Run, phase: Phase, a: cupy.ndarray, b: cupy.ndarray) -> tuple[cupy.ndarray, cupy.ndarray]:
    """The (min, +) product of matrices in whole tiles, and the smallest k of each sum (int32, -1 for none)."""
    kernel = run.kernel(INDEXED_PRODUCT, "indexed_product", **defines(a.dtype, indexed=True))
    size = tile(a.dtype, indexed=True)
    rows, depth, columns = int(a.shape[0]), int(a.shape[1]), int(b.shape[1])
    c, indices = cupy.empty((rows, columns), a.dtype), cupy.empty((rows, columns), np.int32)
    band = max(1, launch_cells(a.dtype) // (2 * size * depth * columns))
    for first in range(0, rows // size, band):
        count = min(band, rows // size - first)
        pointers = [
            np.uint64(array.data.ptr + first * size * wide * array.itemsize)
            for array, wide in ((a, depth), (c, columns), (indices, columns))
        ]
        kernel((columns // size, count), (THREADS,), (pointers[0], b, pointers[1], pointers[2], np.int32(depth),
                                                      np.int32(columns)))  # fmt: skip
        phase.launched((first + count) * size, rows)
    return c, indices


def indexed_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The (min, +) product of two matrices and the smallest k of every number, as `cpu.indexed_product` has it."""
    run, constants, size = Run(Monitor()), defines(a.dtype, indexed=True), tile(a.dtype, indexed=True)
    left, right = (padded(run, run.up(matrix), size, constants) for matrix in (a, b))
    with run.phase("product") as phase:
        values, indices = multiply_indexed(run, phase, left, right)
    return run.down(values)[: len(a), : b.shape[1]], run.down(indices)[: len(a), : b.shape[1]]
