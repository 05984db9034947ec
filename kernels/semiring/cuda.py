"""Matrix products over a semiring on the GPU, in whole tiles, by launches of a fraction of a second."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits, textures
from antidiag.kernels.cuda.run import ELEMENT_NUMBERS, DeviceRun, LaunchPhase
from antidiag.kernels.cuda.structs import DeviceConstants
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring import ELEMENT_FILE, MIN_PLUS, Semiring

HERE = Path(__file__).parent
SIDE = 16
THREADS = SIDE * SIDE
"""Threads of a block: SIDE x SIDE."""

TILE_FILES = (ELEMENT_FILE, DeviceConstants.from_values(SIDE=SIDE, THREADS=THREADS), HERE / "tile.cuh")
"""The parts that all products share, with the kernels that pad and crop matrices."""
PRODUCT = (*TILE_FILES, HERE / "product.cu")
INDEXED_PRODUCT = (*TILE_FILES, HERE / "indexed_product.cu")

LAUNCH_CELLS = 1 << 33
"""Steps on numbers of 4 bytes per multiprocessor in one launch: about 0.1 s."""

PAD_BLOCKS = 1024
"""Blocks of a launch that copies a matrix."""
MEMBERS = 65_535
"""Most members of a batch in a launch: the limit of a grid in z and y."""

PACK_WORDS = 4
"""32-bit words of a texel, which is a pack of 16 bytes."""


def sums_per_side(type: np.dtype | type, indexed: bool = False, small: bool = False) -> int:
    """Return the side of the square of sums that a thread holds in registers; it is halved for ``small`` matrices."""
    return 4 if indexed or small or np.dtype(type).itemsize == 8 else 8


def tile_side(type: np.dtype | type, indexed: bool = False, small: bool = False) -> int:
    """Return the rows and columns of a tile."""
    return SIDE * sums_per_side(type, indexed, small)


def compile_constants(
    type: np.dtype | type,
    semiring: Semiring = MIN_PLUS,
    texture: bool = False,
    indexed: bool = False,
    small: bool = False,
) -> dict[str, int]:
    """Return the compile-time constants of the tile."""
    return {
        "ELEMENT": ELEMENT_NUMBERS[np.dtype(type).name],
        "SEMIRING": semiring.number,
        "TEXTURE": int(texture),
        "PER": sums_per_side(type, indexed, small),
    }


def round_to_tiles(length: int, size: int) -> int:
    """Round ``length`` up to whole tiles of ``size``, at least one."""
    return max(1, -(-length // size)) * size


def launch_cells(type: np.dtype | type) -> int:
    """Return the steps of one launch on the current device: fewer for numbers of 8 bytes."""
    attributes = block_limits.device_attributes()
    slower = {"int64": 4, "float64": 2 * attributes["SingleToDoublePrecisionPerfRatio"]}.get(np.dtype(type).name, 1)
    return LAUNCH_CELLS * attributes["MultiProcessorCount"] // slower


def pad_matrix(run: DeviceRun, matrix: cupy.ndarray, size: int, constants: dict[str, int]) -> cupy.ndarray:
    """Pad a matrix or a batch on the device to whole tiles with the semiring's zero; return it as it is where it
    fits."""
    rows, columns = (int(length) for length in matrix.shape[-2:])
    if (rows, columns) == (round_to_tiles(rows, size), round_to_tiles(columns, size)):
        return matrix
    target = run.allocate_array(
        (*matrix.shape[:-2], round_to_tiles(rows, size), round_to_tiles(columns, size)), matrix.dtype
    )
    sizes = tuple(map(np.int32, (*matrix.shape[-2:], *target.shape[-2:])))
    kernel = run.compile_kernel(TILE_FILES, "pad", **constants)
    for source, part in _split_batch(matrix, target):
        kernel((PAD_BLOCKS, _batch_size(source)), (THREADS,), (source, *sizes[:2], part, *sizes[2:]))
    return target


def crop_matrix(
    run: DeviceRun, matrix: cupy.ndarray, rows: int, columns: int, constants: dict[str, int]
) -> cupy.ndarray:
    """Return the first rows and columns of a matrix or a batch on the device, contiguous; itself where these are
    all."""
    if matrix.shape[-2:] == (rows, columns):
        return matrix
    target = run.allocate_array((*matrix.shape[:-2], rows, columns), matrix.dtype)
    height, width = (np.int32(length) for length in matrix.shape[-2:])
    kernel = run.compile_kernel(TILE_FILES, "crop", **constants)
    for source, part in _split_batch(matrix, target):
        sizes = np.int32(rows), np.int32(columns), height
        kernel((PAD_BLOCKS, _batch_size(source)), (THREADS,), (source, width, part, *sizes))
    return target


def _batch_size(matrix: cupy.ndarray) -> int:
    """Return the number of matrices."""
    return int(matrix.shape[0]) if matrix.ndim == 3 else 1


def _split_batch(*matrices: cupy.ndarray) -> Iterator[tuple[cupy.ndarray, ...]]:
    """Yield matrices, or as many members of batches at a time as a launch may have."""
    if matrices[0].ndim == 2:
        yield matrices
        return
    for first in range(0, _batch_size(matrices[0]), MEMBERS):
        yield tuple(matrix[first : first + MEMBERS] for matrix in matrices)


def launch_product(
    run: DeviceRun,
    phase: LaunchPhase,
    a: cupy.ndarray,
    b: cupy.ndarray,
    c: cupy.ndarray,
    constants: dict[str, int],
    from_zero: bool = False,
    progress: tuple[int, int] | None = None,
) -> None:
    """Launch the product of two matrices or batches, in whole tiles, and add it to a third one.

    A batch is one launch if that lasts a fraction of a second. ``progress`` is how many of how many rows are finished
    before, where this is one of several products. With the constant TEXTURE, factors are bound as textures until their
    launches have ended.
    """
    kernel, size = run.compile_kernel(PRODUCT, "product", **constants), SIDE * constants["PER"]
    rows, depth, columns = int(a.shape[-2]), int(a.shape[-1]), int(b.shape[-1])
    batch, cells = _batch_size(a), launch_cells(a.dtype)
    members = max(1, min(MEMBERS, batch, cells // (rows * depth * columns)))
    band = rows // size if members > 1 else max(1, min(rows // size, cells // (size * depth * columns)))
    sizes = *map(np.int32, (depth, columns)), *map(np.int64, (rows * depth, depth * columns, rows * columns))
    finished, total = progress or (0, batch * rows)
    for member in range(0, batch, members):
        together = min(members, batch - member)
        for first in range(0, rows // size, band):
            count = min(band, rows // size - first)
            starts = (member * rows + first * size) * depth, member * depth * columns
            if constants["TEXTURE"]:
                left, right = (
                    textures.bind_texture(one.ravel()[at:], PACK_WORDS) for one, at in zip((a, b), starts, strict=True)
                )
            else:
                left, right = (
                    np.uint64(one.data.ptr + at * one.itemsize) for one, at in zip((a, b), starts, strict=True)
                )
            into = np.uint64(c.data.ptr + (member * rows + first * size) * columns * c.itemsize)
            grid = columns // size, count, together
            kernel(grid, (THREADS,), (left, right, into, *sizes, np.int32(from_zero)))
            done = member * rows + together * (first + count) * size
            phase.note_launch(finished + done, total)
            if constants["TEXTURE"]:
                cupy.cuda.get_current_stream().synchronize()


def multiply_matrices(
    a: np.ndarray, b: np.ndarray, semiring: Semiring = MIN_PLUS, texture: bool = False, run: DeviceRun | None = None
) -> np.ndarray:
    """Return the products of two batches of matrices, shapes (..., m, d) and (..., d, n), or of two matrices."""
    run = run or DeviceRun(Monitor())
    batch, rows, columns = a.shape[:-2], a.shape[-2], b.shape[-1]
    if not math.prod((*batch, rows, columns)):
        return np.empty((*batch, rows, columns), a.dtype)
    small = max(rows, columns) <= tile_side(a.dtype, small=True)
    constants, size = compile_constants(a.dtype, semiring, texture, small=small), tile_side(a.dtype, small=small)
    members = math.prod(batch)
    left, right = (
        pad_matrix(run, run.upload_array(matrix.reshape(members, *matrix.shape[-2:])), size, constants)
        for matrix in (a, b)
    )
    found = run.allocate_array((left.shape[0], left.shape[1], right.shape[2]), a.dtype)
    product = run.allocate_answer((members, rows, columns), a.dtype)
    run.compile_kernel(PRODUCT, "product", **constants)  # compiled before the clock of the phase begins
    with run.begin_phase("product") as phase:
        launch_product(run, phase, left, right, found, constants, from_zero=True)
    del left, right
    return run.download_array(crop_matrix(run, found, rows, columns, constants), product).reshape(*batch, rows, columns)


def launch_indexed_product(
    run: DeviceRun, phase: LaunchPhase, a: cupy.ndarray, b: cupy.ndarray
) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Launch the (min, +) product of matrices in whole tiles; return it and the smallest k of each minimum (int32)."""
    kernel = run.compile_kernel(INDEXED_PRODUCT, "indexed_product", **compile_constants(a.dtype, indexed=True))
    size = tile_side(a.dtype, indexed=True)
    rows, depth, columns = int(a.shape[0]), int(a.shape[1]), int(b.shape[1])
    c, indices = run.allocate_array((rows, columns), a.dtype), run.allocate_array((rows, columns), np.int32)
    band = max(1, launch_cells(a.dtype) // (2 * size * depth * columns))
    for first in range(0, rows // size, band):
        count = min(band, rows // size - first)
        pointers = [
            np.uint64(array.data.ptr + first * size * wide * array.itemsize)
            for array, wide in ((a, depth), (c, columns), (indices, columns))
        ]
        kernel(
            (columns // size, count),
            (THREADS,),
            (pointers[0], b, pointers[1], pointers[2], np.int32(depth), np.int32(columns)),
        )
        phase.note_launch((first + count) * size, rows)
    return c, indices
