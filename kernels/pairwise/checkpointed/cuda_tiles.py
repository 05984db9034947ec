"""Phase 2 of CheckpointedAlignment on the GPU: tiles between special rows and columns, many at a time.

A tile is swept again with local start states. Its borders hold true values, so every choice, ties included, is that of
the whole matrix, and which tiles are swept together changes nothing. Where the path crosses the special rows is not
known before the tiles below are done, so it is guessed: at the greatest H of each special row, which on a good
alignment is on the path or close to it, and along the diagonal. One thread then follows the path through the tiles that
were swept; where it leaves them, the next guess begins, and only missing tiles are swept. A bad guess costs time, but
every round gains at least one tile.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import cupy
import numpy as np

from antidiag.kernels.pairwise.checkpointed import cuda_sizes as sizes
from antidiag.kernels.pairwise.checkpointed.cuda_checkpoints import DeviceCheckpoints
from antidiag.kernels.pairwise.encoding import EndCell
from antidiag.kernels.pairwise.strips import cuda_sweep
from antidiag.kernels.pairwise.strips.cuda_job import PairJob
from antidiag.kernels.pairwise.strips.cuda_sources import IN_H, STATES, SUB_PATH, TILE

LEAST_GAIN = 16
"""A local path is expected to gain, on average, at least 1/LEAST_GAIN of what matches alone would gain."""


@dataclass(frozen=True, slots=True)
class PathPoint:
    """A cell of the path, the state in which the path leaves it (IN_H, IN_K, IN_G), and whether it starts here."""

    row: int
    column: int
    end_state: int = IN_H
    is_start: bool = False


@dataclass(frozen=True, slots=True)
class SweptTiles:
    """Tiles that were swept: records of TILE in the order in which a traceback meets them, and their arrays.

    ``on_device`` holds the same records as ``tiles``.
    """

    tiles: np.ndarray
    on_device: cupy.ndarray | None = None
    arrays: tuple[cupy.ndarray, ...] = ()


def trace_tiles(job: PairJob, checkpoints: DeviceCheckpoints, best: EndCell) -> tuple[np.ndarray, np.ndarray]:
    """Run phase 2; return the sub-paths from the last to the first, and the operations along the matrix border."""
    part = replace(job, s=sizes.tile_strip_width(job.s), threads=sizes.TILE_THREADS, packed=False, quiet=True)
    found: list[np.ndarray] = []
    place, swept = PathPoint(*best.cell), SweptTiles(np.empty(0, TILE.dtype))
    while place.row and place.column and not place.is_start:
        job.run.monitor.update(sum(best.cell) - place.row - place.column, sum(best.cell), "phase 2")
        guesses = [_guess_by_diagonal(checkpoints, place)]
        if not checkpoints.layout.on_disk:
            guesses.append(_guess_by_score(job, checkpoints, best, place))
            if not found:  # so that a short alignment does not cost many tiles
                guesses[0][guesses[1] == 0] = 0
        crossed = {tile for crossings in guesses for tile in _list_crossed_tiles(checkpoints, place, crossings)}
        swept = _sweep_missing_tiles(
            job, part, checkpoints, swept, sorted(crossed, reverse=True), None if found else best.cell
        )
        paths, place = _link_tiles(part, checkpoints.layout.tile, place, swept)
        found.append(paths)
    job.run.monitor.update(sum(best.cell), sum(best.cell), "phase 2")
    rest = np.empty(0, np.uint8) if place.is_start else job.encoded.border_path((place.row, place.column))[1]
    return np.concatenate(found), rest


def _guess_by_score(job: PairJob, checkpoints: DeviceCheckpoints, best: EndCell, place: PathPoint) -> np.ndarray:
    """Guess the columns at special rows 0, 1, ... above a point: where H is greatest; 0 above the path's start."""
    tile = checkpoints.layout.tile
    bands = (place.row - 1) // tile
    crossings = np.zeros(bands + 1, np.int64)
    if not bands:
        return crossings
    score, column = checkpoints.greatest_in_rows(bands, place.column)
    crossings[1:] = np.minimum.accumulate(column[::-1])[::-1]
    if job.encoded.is_local:
        rows = best.row - tile * np.arange(1, bands + 1)
        gained = (best.score - score) * LEAST_GAIN >= rows * int(job.encoded.table.max())
        crossings[1:][: bands - int(np.argmin(np.append(gained[::-1], False)))] = 0
    return crossings


def _guess_by_diagonal(checkpoints: DeviceCheckpoints, place: PathPoint) -> np.ndarray:
    """Guess the columns at special rows 0, 1, ... above a point: on its diagonal; 0 where that leaves the matrix."""
    rows = checkpoints.layout.tile * np.arange((place.row - 1) // checkpoints.layout.tile + 1)
    return np.maximum(place.column - (place.row - rows), 0)


def _list_crossed_tiles(
    checkpoints: DeviceCheckpoints, place: PathPoint, crossings: np.ndarray
) -> list[tuple[int, int]]:
    """Return band and segment of the tiles on the guessed path, from a point on, as many as are swept together.

    Where the path is expected to begin, or where its column at the next special row is not known, it may also go along
    the diagonal.
    """
    layout, right = checkpoints.layout, place.column
    found: list[tuple[int, int]] = []
    for band in range(len(crossings) - 1, -1, -1):
        left = int(crossings[band])
        last = (right - 1) // layout.tile
        first = min(max(left or right - layout.tile, 0) // layout.tile, last)
        found += [(band, segment) for segment in range(last, first - 1, -1)]
        if not left or len(found) >= layout.tiles_together:
            break
        right = left
    return found[: layout.tiles_together]


def _sweep_missing_tiles(
    job: PairJob,
    part: PairJob,
    checkpoints: DeviceCheckpoints,
    swept: SweptTiles,
    crossed: list[tuple[int, int]],
    end: tuple[int, int] | None,
) -> SweptTiles:
    """Sweep the tiles that were not swept yet, the first of them up to the cell ``end`` only; return all that are kept.

    As many are kept as are swept together at most; of earlier ones all or none.
    """
    layout = checkpoints.layout
    known = set(zip(swept.tiles["row"].tolist(), swept.tiles["column"].tolist(), strict=True))
    missing = [tile for tile in crossed if (tile[0] * layout.tile, tile[1] * layout.tile) not in known]
    missing = missing[: layout.tiles_together]
    if len(missing) + len(swept.tiles) > layout.tiles_together:
        swept = SweptTiles(np.empty(0, TILE.dtype))
    band, segment = np.array(missing).T
    tiles = np.zeros(len(missing), TILE.dtype)
    tiles["row"], tiles["column"] = band * layout.tile, segment * layout.tile
    tiles["m"] = np.minimum(layout.tile, layout.rows - tiles["row"])
    tiles["n"] = np.minimum(layout.tile, layout.columns - tiles["column"])
    if end:
        tiles["m"][0], tiles["n"][0] = end[0] - tiles["row"][0], end[1] - tiles["column"][0]
    tiles["top"], tiles["left"], borders = checkpoints.border_addresses(band, segment, tiles["m"], tiles["n"])
    height, width = int(tiles["m"].max()), int(tiles["n"].max())
    part = replace(part, encoded=job.encoded.slice_pair((0, height), (0, width)), tiles=len(tiles))
    kept, registers = cuda_sweep.allocate_buffers(part)
    order = part.strip_count * np.arange(len(tiles))
    tiles["states"] = kept.boundary_states.data.ptr + order * kept.boundary_states[0].nbytes
    tiles["registers"] = registers.data.ptr + order * registers[0].nbytes
    tiles["height"] = height
    every = np.concatenate([swept.tiles, tiles])
    every = every[np.lexsort((every["column"], every["row"]))[::-1]]
    on_device, every_on_device = part.run.upload_together(tiles.view(np.uint8), every.view(np.uint8))
    log = cuda_sweep.sweep_tiles(part, kept, registers, on_device)
    del borders  # safe: their next user is queued behind the sweep
    if job.run.steps.keeps_events:
        times, ended_ns = cuda_sweep.read_tile_times(part, log), time.perf_counter_ns()
        job.run.run_while_waiting(lambda: _log_tiles(job, tiles, band, times, ended_ns))
    return SweptTiles(every, every_on_device, (*swept.arrays, kept.boundary_states, registers))


def _link_tiles(part: PairJob, size: int, place: PathPoint, swept: SweptTiles) -> tuple[np.ndarray, PathPoint]:
    """Return the sub-paths of the path that ends at a point, as far as tiles were swept, and where it continues."""
    kernel = part.compile_kernel(STATES, "link_tiles", CHUNKS=0, TILE=True)
    most = int((-(-swept.tiles["n"] // part.s)).sum())
    # The point where the path continues is stored behind the sub-paths, so that one copy transfers both.
    paths = part.run.allocate_array((most + 1, SUB_PATH.word_count), np.int32)
    numbers = len(swept.tiles), size, place.row, place.column, place.end_state
    with part.run.begin_phase("phase 2", quiet=True) as phase:
        kernel((1,), (1,), (swept.on_device, *map(np.int32, numbers), paths, paths[most:]))
        phase.note_launch()
    found = part.run.download_array(paths)
    parts, row, column, end_in, began = found[most, :5].tolist()
    return found[:parts].copy().view(SUB_PATH.dtype)[:, 0], PathPoint(row, column, end_in, bool(began))


def _log_tiles(job: PairJob, tiles: np.ndarray, band: np.ndarray, times: np.ndarray, ended_ns: int) -> None:
    """Log an event of phase 2 for every tile, from the first of its strips to the last."""
    done = times["end"] > 0
    logged = np.zeros(len(tiles), times.dtype)
    logged["start"] = np.where(done, times["start"], np.iinfo(np.int64).max).min(axis=(0, 2))
    logged["end"], logged["worker"] = times["end"].max(axis=(0, 2)), times["worker"][-1, :, 0]
    found = job.run.convert_events(2, logged, band, ended_ns)
    for name, first, size in (("row", "row", "m"), ("column", "column", "n")):
        found[f"{name}_start"], found[f"{name}_end"] = tiles[first], tiles[first] + tiles[size]
    job.run.steps.add_array(found)
