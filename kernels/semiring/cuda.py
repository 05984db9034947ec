"""Matrix products over a semiring on the GPU: padding to whole tiles, launches of a fraction of a second."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cupy
import numpy as np

from kernels.cuda import blocks
from kernels.cuda.run import ELEMENTS, Phase, Run
from kernels.cuda.structs import Constants
from kernels.monitor import Monitor
from kernels.semiring import ELEMENT_FILE, MIN_PLUS, Semiring

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


def per_thread(type: np.dtype | type, indexed: bool = False) -> int:
    """Rows and columns of a thread's sums: as many as its registers hold."""
    return 4 if indexed or np.dtype(type).itemsize == 8 else 8


def tile(type: np.dtype | type, indexed: bool = False) -> int:
    """Rows and columns of a tile."""
    return SIDE * per_thread(type, indexed)


def defines(
    type: np.dtype | type, semiring: Semiring = MIN_PLUS, texture: bool = False, indexed: bool = False
) -> dict[str, int]:
    """Compile-time constants of the tile."""
    return {
        "ELEMENT": ELEMENTS[np.dtype(type).name],
        "SEMIRING": semiring.number,
        "TEXTURE": int(texture),
        "PER": per_thread(type, indexed),
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
    """A matrix on the device in whole tiles, padded with the semiring's zero; itself where it is so already."""
    rows, columns = (int(length) for length in matrix.shape)
    if matrix.shape == (whole(rows, size), whole(columns, size)):
        return matrix
    target = cupy.empty((whole(rows, size), whole(columns, size)), matrix.dtype)
    kernel = run.kernel(TILE_FILES, "pad", **constants)
    kernel((PAD_BLOCKS,), (THREADS,), (matrix, np.int32(rows), np.int32(columns), target,
                                       np.int32(target.shape[0]), np.int32(target.shape[1])))  # fmt: skip
    return target


def cropped(run: Run, matrix: cupy.ndarray, rows: int, columns: int, constants: dict[str, int]) -> cupy.ndarray:
    """The first ``rows`` and ``columns`` of a matrix on the device, close together; itself where these are all."""
    if matrix.shape == (rows, columns):
        return matrix
    target = cupy.empty((rows, columns), matrix.dtype)
    kernel = run.kernel(TILE_FILES, "crop", **constants)
    kernel((PAD_BLOCKS,), (THREADS,), (matrix, np.int32(matrix.shape[1]), target, np.int32(rows), np.int32(columns)))
    return target


def multiply(
    run: Run, phase: Phase, a: cupy.ndarray, b: cupy.ndarray, c: cupy.ndarray, constants: dict[str, int],
    from_zero: bool = False, progress: tuple[int, int] = (0, 1),
) -> None:  # fmt: skip
    """Add the product of two matrices, or of batches of them, to a third; all in whole tiles.

    ``progress`` says which of how many equal products this is.
    """
    kernel = run.kernel(PRODUCT, "product", **constants)
    size = SIDE * constants["PER"]
    rows, depth, columns = int(a.shape[-2]), int(a.shape[-1]), int(b.shape[-1])
    batch = int(a.shape[0]) if a.ndim == 3 else 1
    band = max(1, min(rows // size, launch_cells(a.dtype) // (batch * size * depth * columns)))
    finished, total = progress
    for first in range(0, rows // size, band):
        count = min(band, rows // size - first)
        arguments = (
            a.data.ptr + first * size * depth * a.itemsize, b, c.data.ptr + first * size * columns * c.itemsize,
        )  # fmt: skip
        sizes = np.int32(depth), np.int32(columns), *(np.int64(rows_ * wide) for rows_, wide in (
            (rows, depth), (depth, columns), (rows, columns)))  # fmt: skip
        kernel((columns // size, count, batch), (THREADS,), (*map(_pointer, arguments), *sizes, np.int32(from_zero)))
        phase.launched(finished * rows + (first + count) * size, total * rows)


def _pointer(argument: Any) -> Any:
    return np.uint64(argument) if isinstance(argument, int) else argument


def product(
    a: np.ndarray, b: np.ndarray, semiring: Semiring = MIN_PLUS, texture: bool = False, monitor: Monitor | None = None
) -> np.ndarray:
    """The product of two matrices or two batches, shapes (..., m, d) and (..., d, n), as `cpu.product` has it."""
    run, constants = Run(monitor or Monitor()), defines(a.dtype, semiring, texture)
    size, batch = tile(a.dtype), a.shape[:-2]
    c = np.empty((*batch, a.shape[-2], b.shape[-1]), a.dtype)
    with run.phase("product") as phase:
        for place in np.ndindex(*batch):
            left, right = (padded(run, run.up(matrix[place]), size, constants) for matrix in (a, b))
            found = cupy.empty((left.shape[0], right.shape[1]), a.dtype)
            multiply(run, phase, left, right, found, constants, from_zero=True)
            if c[place].size:
                c[place] = run.down(cropped(run, found, c.shape[-2], c.shape[-1], constants))
    return c


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
