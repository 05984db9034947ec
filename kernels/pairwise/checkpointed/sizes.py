"""Sizes of CheckpointedAlignment: the distance of special rows and columns, work, bytes. Imports no compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from antidiag.kernels.cuda import devices
from antidiag.kernels.memory import Footprint, host_bytes_free
from antidiag.kernels.pairwise.checkpointed import cuda_sizes as on_device
from antidiag.kernels.pairwise.checkpointed import spill
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.parameters import MIB, CheckpointedParameters, whole_strips
from antidiag.kernels.pairwise.strips import cpu_sizes, cuda_sizes
from antidiag.kernels.pairwise.strips.cpu_sizes import LANES, WIDTH_STEP, column_length, tile_width
from antidiag.kernels.parameters import typed

Parameters = Mapping[str, Any]

TILES = 32
"""Tiles along the columns of a matrix where the user does not choose, and along those of a large tile."""
LEAST_TILE = 512
"""Smaller tiles cost more for each tile than they save in cells."""
SMALL_CELLS = 2**21
"""A tile of at most so many cells is walked through at once; a larger one is cut into tiles first."""
DIRECTION_COST = 3
"""Time of a cell whose direction is kept, on one thread, beside that of a cell of phase 1 on one thread."""
TILE_STRIP = 512
"""Width of the strips inside a large tile."""


def kept_shapes(m: int, n: int, s: int, tile: int) -> list[spill.Shape]:
    """Shapes of the special columns (H and K), one each, then of all special rows (H and G, strip by strip)."""
    columns = [(2, column_length(m))] * ((n - 1) // tile)
    return [*columns, (-(-n // s), (m - 1) // tile, 2, s)]


def kept_bytes(problem: PairProblem, parameters: Parameters, backend: str) -> int:
    """Bytes on disk of all that phase 1 finishes, so that a run can be continued; 0 where it is there anyway."""
    chosen = typed(CheckpointedParameters, parameters)
    s, tile = chosen.s, chosen.whole_tile
    if backend == "cuda":
        spread = cuda_sizes.spread(cuda_sizes.packed(problem, parameters))
        places = on_device.layout(problem.rows, problem.columns, s, chosen.T, tile, chosen.checkpoint_bytes, spread)
        return 0 if places.on_disk else places.disk_bytes
    return sum(map(spill.int32_bytes, kept_shapes(problem.rows, problem.columns, s, tile)))


def tile_of_tile(columns: int) -> int:
    """Distance of special rows and columns inside a large tile, in strips of TILE_STRIP columns."""
    return whole_strips(max(LEAST_TILE, columns // TILES + TILE_STRIP // 2), TILE_STRIP)


def tile_bytes(rows: int, columns: int, workers: int) -> int:
    """Bytes that phase 2 needs for a tile of at most so many rows and columns."""
    width = tile_width(columns)
    borders = 16 * column_length(rows) + 12 * width + 2 * rows
    directions = (min(rows * columns, SMALL_CELLS) + WIDTH_STEP * rows + LANES * width) // 2
    walked = borders + directions + rows + width
    if rows * columns <= SMALL_CELLS:
        return walked
    tile = tile_of_tile(columns)
    kept = 16 * column_length(rows) * min(-(-columns // LEAST_TILE), TILES) + 8 * TILE_STRIP * (rows // LEAST_TILE)
    passing = 8 * column_length(rows) * (workers + 1) + 80 * -(-columns // TILE_STRIP)
    swept = borders + kept + passing + tile_bytes(min(rows, tile), min(columns, tile), workers)
    return max(walked, swept)


def automatic(problem: PairProblem, backend: str, multiprocessors: int | None) -> Parameters:
    """All parameters. Strips as wide as suits both phases; 32 tiles along the columns, none smaller than 512.

    The memory is then linear: 16 m n / tile, or 512 bytes for each row. A quarter of the free main memory, or half of
    that of the GPU with least, may be taken for it; the rest is on disk.
    """
    if backend == "cuda":
        return {**on_device.automatic(problem, multiprocessors or 1), "checkpoint_memory": _device_memory()}
    path_rows = DIRECTION_COST * cpu_sizes.cores() * problem.rows
    chosen = cpu_sizes.fastest_score(problem, path_rows)
    tile = whole_strips(max(LEAST_TILE, problem.columns // TILES), chosen["s"])
    return {**chosen, "tile": tile, "checkpoint_memory": host_bytes_free() // 4 // MIB}


def _device_memory() -> int:
    """MiB of special rows and columns that stay on a GPU."""
    free = [devices.memory_free(found.index) for found in devices.discover()[0]]
    return min(free, default=2**40) // 2 // MIB


def recomputed(problem: PairProblem, parameters: Parameters) -> int:
    """Cells of the tiles on the path, and of the tiles on it inside of those that are too large to be walked through.

    At most (the path decides), but for tiles that a GPU sweeps on a guess. A path of tiles enters each of their rows
    and columns once: a tile takes at most its rows times the width of one, or its columns times the height of one.
    """
    m, n, tile = problem.rows, problem.columns, typed(CheckpointedParameters, parameters).whole_tile
    cells = 0
    while True:
        height, width = min(tile, m), min(tile, n)
        cells += min(m * width + n * height, problem.cells)
        if height * width <= SMALL_CELLS:
            return cells
        tile = tile_of_tile(width)


def work(problem: PairProblem, parameters: Parameters) -> int:
    """Cells computed: each once, and those of tiles on the path again."""
    return problem.cells + recomputed(problem, parameters)


def footprint(problem: PairProblem, parameters: Parameters, backend: str) -> Footprint:
    """Bytes in memory and on disk; checkpoints stay in memory up to ``checkpoint_memory`` MiB."""
    chosen = typed(CheckpointedParameters, parameters)
    m, n, tile, limit = problem.rows, problem.columns, chosen.whole_tile, chosen.checkpoint_bytes
    if backend == "cuda":
        return on_device.footprint(problem, parameters, tile, limit)
    shapes = kept_shapes(m, n, chosen.s, tile)
    sizes = [spill.int32_bytes(shape) for shape in shapes]
    stay = spill.in_memory(shapes, limit)
    inside = sum(size for size, stays in zip(sizes, stay, strict=True) if stays)
    return Footprint(
        host={
            **cpu_sizes.common(problem, chosen, every_boundary=False),
            "special rows and columns": inside,
            "a tile computed again": tile_bytes(min(m, tile), min(n, tile), chosen.threads),
            "path": 3 * (m + n),
        },
        disk={"special rows and columns": sum(sizes) - inside} if inside < sum(sizes) else {},
    )
