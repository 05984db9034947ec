"""Sizes of CheckpointedAlignment: spacing of special rows and columns, work, bytes. Imports no compiled code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from antidiag.kernels.cuda import devices
from antidiag.kernels.memory import Footprint, host_bytes_free
from antidiag.kernels.pairwise.checkpointed import cuda_sizes as on_device
from antidiag.kernels.pairwise.checkpointed import spilled_arrays
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.pairwise.parameters import MIB, CheckpointedParameters, round_to_strips
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes
from antidiag.kernels.pairwise.strips import cpu_sizes, cuda_sizes
from antidiag.kernels.pairwise.strips.cpu_sizes import LANES, WIDTH_STEP, column_length, tile_width

TILES = 32
"""Tiles along the columns of a matrix where the user does not choose, and along those of a large tile."""
LEAST_TILE = 512
"""Smallest tile: smaller ones cost more each than they save in cells."""
SMALL_CELLS = 2**21
"""A tile of at most this many cells is traced at once; a larger one is cut into tiles first."""
DIRECTION_COST = 3
"""Time of a cell whose direction is kept, relative to a cell of phase 1, on one thread."""
TILE_STRIP = 512
"""Width of the strips inside a large tile."""


def checkpoint_shapes(m: int, n: int, s: int, tile: int, values: int) -> list[spilled_arrays.Shape]:
    """Return the shapes of the special columns (H and K), one each, then of all special rows (H and G, by strip).

    A cell has ``values`` numbers: H, and a gap state for each piece of the gap costs.
    """
    columns = [(values, column_length(m))] * ((n - 1) // tile)
    return [*columns, (-(-n // s), (m - 1) // tile, values, s)]


def resumable_bytes(problem: PairProblem, parameters: CheckpointedParameters, backend: str) -> int:
    """Return the disk bytes of all that phase 1 finishes, for runs that continue; 0 where it is on disk anyway."""
    s, tile = parameters.s, parameters.rounded_tile
    if backend == "cuda":
        spread = cuda_sizes.row_spread(cuda_sizes.packs_two_cells(problem, parameters))
        places = on_device.plan_layout(
            problem.rows,
            problem.columns,
            s,
            parameters.T,
            tile,
            parameters.checkpoint_bytes,
            spread,
            problem.value_count,
            cuda_sizes.choose_slack(parameters),
        )
        return 0 if places.on_disk else places.disk_bytes * len(problem.variants)
    shapes = checkpoint_shapes(problem.rows, problem.columns, s, tile, problem.value_count)
    return sum(map(spilled_arrays.int32_bytes, shapes)) * len(problem.variants)


def inner_tile_size(columns: int) -> int:
    """Return the spacing of special rows and columns inside a large tile, in strips of TILE_STRIP columns."""
    return round_to_strips(max(LEAST_TILE, columns // TILES + TILE_STRIP // 2), TILE_STRIP)


def tile_bytes(rows: int, columns: int, workers: int, values: int = 2) -> int:
    """Return the bytes that phase 2 needs for a tile of at most so many rows and columns."""
    width = tile_width(columns)
    borders = 8 * values * column_length(rows) + 6 * values * width + 2 * rows
    directions = (min(rows * columns, SMALL_CELLS) + WIDTH_STEP * rows + LANES * width) * (values - 1) // 2
    walked = borders + directions + rows + width
    if rows * columns <= SMALL_CELLS:
        return walked
    tile = inner_tile_size(columns)
    column = 4 * values * column_length(rows)
    kept = 2 * column * min(-(-columns // LEAST_TILE), TILES) + 4 * values * TILE_STRIP * (rows // LEAST_TILE)
    passing = column * (workers + 1) + 80 * -(-columns // TILE_STRIP)
    swept = borders + kept + passing + tile_bytes(min(rows, tile), min(columns, tile), workers, values)
    return max(walked, swept)


def choose_parameters(
    problem: PairProblem, backend: str, multiprocessors: int | None, given: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """Choose all parameters: strips that suit both phases, and 32 tiles along the columns, none below 512.

    Memory is then linear: 16 m n / tile, or 512 bytes for each row. It may take a quarter of the free main memory, or
    half of that of the GPU with least; the rest goes to the disk.
    """
    share = pruning_sizes.share_for_choice(problem, given or {}, backend)
    pruning = pruning_sizes.choose_pruning(problem, backend)
    if backend == "cuda":
        return {
            **pruning,
            **on_device.choose_parameters(problem, multiprocessors or 1, share),
            "checkpoint_memory": _device_checkpoint_memory(),
        }
    path_rows = DIRECTION_COST * cpu_sizes.count_processors() * problem.rows
    chosen = cpu_sizes.choose_fastest_score(problem, path_rows, share)
    tile = round_to_strips(max(LEAST_TILE, problem.columns // TILES), chosen["s"])
    return {**pruning, **chosen, "tile": tile, "checkpoint_memory": host_bytes_free() // 4 // MIB}


def _device_checkpoint_memory() -> int:
    """Return the MiB of special rows and columns that stay on a GPU."""
    free = [devices.free_memory_bytes(found.index) for found in devices.discover_devices()[0]]
    return min(free, default=2**40) // 2 // MIB


def count_recomputed(problem: PairProblem, parameters: CheckpointedParameters) -> int:
    """Return the most cells that are computed again: those of tiles on the path, and of tiles inside large ones.

    The path decides how many there are; tiles that a GPU sweeps on a wrong guess are not counted. A path enters each
    row and column of tiles once: a tile takes at most its rows times the width of one, or its columns times the height
    of one.
    """
    m, n, tile = problem.rows, problem.columns, parameters.rounded_tile
    cells = 0
    while True:
        height, width = min(tile, m), min(tile, n)
        cells += min(m * width + n * height, problem.matrix_cells)
        if height * width <= SMALL_CELLS:
            return cells * len(problem.variants)
        tile = inner_tile_size(width)


def count_work(problem: PairProblem, parameters: CheckpointedParameters) -> int:
    """Return the cells computed: each once, and those of tiles on the path again."""
    return count_cells(problem, parameters) + count_recomputed(problem, parameters)


def count_cells(problem: PairProblem, parameters: CheckpointedParameters) -> int:
    """Return the cells of phase 1, without those that are expected to be skipped."""
    return pruning_sizes.count_cells(problem, parameters, cpu_sizes.block_rows(problem, parameters))


def count_completed_work(problem: PairProblem, parameters: CheckpointedParameters, answer: PairAnswer) -> int:
    """Return the cells of a run whose answer is known, as `count_work` does."""
    return answer.count_computed(problem) + count_recomputed(problem, parameters)


def gpu_share(problem: PairProblem, parameters: CheckpointedParameters, multiprocessors: Sequence[int]) -> float:
    """Return the part of the work that each of several GPUs has: phase 1 may use some of them, tiles use all."""
    swept, again = count_cells(problem, parameters), count_recomputed(problem, parameters)
    used = cuda_sizes.count_used_gpus(problem, parameters, multiprocessors)
    return (swept / used + again / len(multiprocessors)) / (swept + again)


def estimate_memory(problem: PairProblem, parameters: CheckpointedParameters, backend: str) -> Footprint:
    """Return the bytes in memory and on disk; checkpoints stay in memory up to ``checkpoint_memory`` MiB."""
    m, n, tile, limit = problem.rows, problem.columns, parameters.rounded_tile, parameters.checkpoint_bytes
    if backend == "cuda":
        return on_device.estimate_memory(problem, parameters, tile, limit)
    shapes = checkpoint_shapes(m, n, parameters.s, tile, problem.value_count)
    sizes = [spilled_arrays.int32_bytes(shape) for shape in shapes]
    stay = spilled_arrays.fits_in_memory(shapes, limit)
    inside = sum(size for size, stays in zip(sizes, stay, strict=True) if stays)
    return Footprint(
        host={
            **cpu_sizes.strip_bytes(problem, parameters, every_boundary=False),
            **pruning_sizes.footprint(problem, parameters, cpu_sizes.block_rows(problem, parameters)),
            "special rows and columns": inside,
            "a tile computed again": tile_bytes(min(m, tile), min(n, tile), parameters.threads, problem.value_count),
            "path": 3 * (m + n),
        },
        disk={"special rows and columns": sum(sizes) - inside} if inside < sum(sizes) else {},
    )
