"""Phase 2 of CheckpointedAlignment on the GPU: tiles between special rows and columns, many at a time.

A tile is swept again with local start states. Its borders hold true values, so every choice, ties included, is that of
the whole matrix, and which tiles are swept together changes nothing. Where the path crosses the special rows is not
known before the tiles below are done, so it is guessed: at the greatest H of each special row, which on a good
alignment is on the path or close to it, and along the diagonal. One thread then follows the path through the tiles that
were swept; where it leaves them, the next guess begins, and of that only tiles that are missing are swept. A bad guess
costs time, and at least one tile is gained.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import cupy
import numpy as np

from antidiag.kernels.pairwise.checkpointed import cuda_sizes as sizes
from antidiag.kernels.pairwise.checkpointed.cuda_checkpoints import Checkpoints
from antidiag.kernels.pairwise.model import LEFT, UP
from antidiag.kernels.pairwise.strips import cuda_sweep
from antidiag.kernels.pairwise.strips.cuda_job import Job
from antidiag.kernels.pairwise.strips.cuda_sources import IN_H, STATES, SUB_PATH, TILE
from antidiag.kernels.pairwise.strips.cuda_sweep import Best

LEAST_GAIN = 16
"""A local path is expected to gain, on the average, one part in so many of what matches alone would gain."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of the path, as what its part up to there ends (IN_H, IN_K, IN_G), and whether it began there."""

    row: int
    column: int
    end_in: int = IN_H
    began: bool = False


@dataclass(frozen=True, slots=True)
class Swept:
    """Tiles that were swept, records of TILE in the order in which a path backwards meets them, here and on the device,
    and their arrays."""

    tiles: np.ndarray
    on_device: cupy.ndarray | None = None
    arrays: tuple[cupy.ndarray, ...] = ()


def follow(job: Job, checkpoints: Checkpoints, best: Best) -> tuple[np.ndarray, np.ndarray]:
    """Phase 2: sub-paths from the last to the first, and the operations along the border that remain."""
    part = replace(job, s=sizes.tile_strip_width(job.s), threads=sizes.TILE_THREADS, packed=False, quiet=True)
    found: list[np.ndarray] = []
    place, swept = Place(*best.end), Swept(np.empty(0, TILE.dtype))
    while place.row and place.column and not place.began:
        job.run.monitor.update(sum(best.end) - place.row - place.column, sum(best.end), "phase 2")
        guesses = [_by_diagonal(checkpoints, place)]
        if not checkpoints.layout.on_disk:
            guesses.append(_by_score(job, checkpoints, best, place))
            if not found:  # a short alignment need not be looked for in many tiles
                guesses[0][guesses[1] == 0] = 0
        crossed = {tile for crossings in guesses for tile in _crossed(checkpoints, place, crossings)}
        swept = _sweep(job, part, checkpoints, swept, sorted(crossed, reverse=True), None if found else best.end)
        paths, place = _link(part, checkpoints.layout.tile, place, swept)
        found.append(paths)
    job.run.monitor.update(sum(best.end), sum(best.end), "phase 2")
    rest = 0 if job.encoded.local else place.row + place.column
    return np.concatenate(found), np.full(rest, UP if place.row else LEFT, np.uint8)


def _by_score(job: Job, checkpoints: Checkpoints, best: Best, place: Place) -> np.ndarray:
    """Guessed columns at special rows 0, 1, ... above a place: where H is greatest; 0 above the start of the path."""
    tile = checkpoints.layout.tile
    bands = (place.row - 1) // tile
    crossings = np.zeros(bands + 1, np.int64)
    if not bands:
        return crossings
    score, column = checkpoints.greatest(bands, place.column)
    crossings[1:] = np.minimum.accumulate(column[::-1])[::-1]
    if job.encoded.local:
        rows = best.end[0] - tile * np.arange(1, bands + 1)
        gained = (best.score - score) * LEAST_GAIN >= rows * int(job.encoded.table.max())
        crossings[1:][: bands - int(np.argmin(np.append(gained[::-1], False)))] = 0
    return crossings


def _by_diagonal(checkpoints: Checkpoints, place: Place) -> np.ndarray:
    """Guessed columns at special rows 0, 1, ... above a place: on its diagonal; 0 where that leaves the matrix."""
    rows = checkpoints.layout.tile * np.arange((place.row - 1) // checkpoints.layout.tile + 1)
    return np.maximum(place.column - (place.row - rows), 0)


def _crossed(checkpoints: Checkpoints, place: Place, crossings: np.ndarray) -> list[tuple[int, int]]:
    """Band and segment of the tiles on the guessed path, from a place on, as many as are swept together.

    Where the path is expected to begin, or where its column at the next special row is not known, it may also go
    along the diagonal.
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


def _sweep(
    job: Job,
    part: Job,
    checkpoints: Checkpoints,
    swept: Swept,
    crossed: list[tuple[int, int]],
    end: tuple[int, int] | None,
) -> Swept:
    """Sweep those tiles that were not, the first of them up to the cell ``end`` only; all that are kept.

    As many are kept as are swept together at most: of earlier ones all or none.
    """
    layout = checkpoints.layout
    known = set(zip(swept.tiles["row"].tolist(), swept.tiles["column"].tolist(), strict=True))
    missing = [tile for tile in crossed if (tile[0] * layout.tile, tile[1] * layout.tile) not in known]
    missing = missing[: layout.tiles_together]
    if len(missing) + len(swept.tiles) > layout.tiles_together:
        swept = Swept(np.empty(0, TILE.dtype))
    band, segment = np.array(missing).T
    tiles = np.zeros(len(missing), TILE.dtype)
    tiles["row"], tiles["column"] = band * layout.tile, segment * layout.tile
    tiles["m"] = np.minimum(layout.tile, layout.rows - tiles["row"])
    tiles["n"] = np.minimum(layout.tile, layout.columns - tiles["column"])
    if end:
        tiles["m"][0], tiles["n"][0] = end[0] - tiles["row"][0], end[1] - tiles["column"][0]
    tiles["top"], tiles["left"], borders = checkpoints.border_addresses(band, segment, tiles["m"], tiles["n"])
    height, width = int(tiles["m"].max()), int(tiles["n"].max())
    part = replace(part, encoded=job.encoded.part((0, height), (0, width)), tiles=len(tiles))
    kept, registers = cuda_sweep.room(part)
    order = part.strips * np.arange(len(tiles))
    tiles["states"] = kept.boundary_states.data.ptr + order * kept.boundary_states[0].nbytes
    tiles["registers"] = registers.data.ptr + order * registers[0].nbytes
    tiles["height"] = height
    every = np.concatenate([swept.tiles, tiles])
    every = every[np.lexsort((every["column"], every["row"]))[::-1]]
    on_device, every_on_device = part.run.upload(tiles.view(np.uint8), every.view(np.uint8))
    log = cuda_sweep.tile_states(part, kept, registers, on_device)
    del borders  # whoever has their memory next is queued behind the sweep
    if job.run.steps.keeps:
        times, ended_ns = cuda_sweep.tile_times(part, log), time.perf_counter_ns()
        job.run.meanwhile(lambda: _log(job, tiles, band, times, ended_ns))
    return Swept(every, every_on_device, (*swept.arrays, kept.boundary_states, registers))


def _link(part: Job, size: int, place: Place, swept: Swept) -> tuple[np.ndarray, Place]:
    """The sub-paths of the path that ends at a place, as far as tiles were swept, and where it goes on."""
    kernel = part.kernel(STATES, "link_tiles", CHUNKS=0, TILE=True)
    most = int((-(-swept.tiles["n"] // part.s)).sum())
    # The place where the path goes on is behind the sub-paths: one copy brings both.
    paths = part.run.empty((most + 1, SUB_PATH.words), np.int32)
    numbers = len(swept.tiles), size, place.row, place.column, place.end_in
    with part.run.phase("phase 2", quiet=True) as phase:
        kernel((1,), (1,), (swept.on_device, *map(np.int32, numbers), paths, paths[most:]))
        phase.launched()
    found = paths.get()
    parts, row, column, end_in, began = found[most, :5].tolist()
    return found[:parts].copy().view(SUB_PATH.dtype)[:, 0], Place(row, column, end_in, bool(began))


def _log(job: Job, tiles: np.ndarray, band: np.ndarray, times: np.ndarray, ended_ns: int) -> None:
    """Step log of phase 2: an event for every tile, from the first of its strips to the last."""
    done = times["end"] > 0
    logged = np.zeros(len(tiles), times.dtype)
    logged["start"] = np.where(done, times["start"], np.iinfo(np.int64).max).min(axis=(0, 2))
    logged["end"], logged["worker"] = times["end"].max(axis=(0, 2)), times["worker"][-1, :, 0]
    found = job.run.logged(2, logged, band, ended_ns)
    for name, first, size in (("row", "row", "m"), ("column", "column", "n")):
        found[f"{name}_start"], found[f"{name}_end"] = tiles[first], tiles[first] + tiles[size]
    job.run.steps.extend(found)
