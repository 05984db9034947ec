"""Phase 2 of CheckpointedAlignment on the GPU: tiles between special rows and columns, many at a time, on all GPUs.

A tile is swept again with local start states. Its borders hold true values, so every choice, ties included, is that of
the whole matrix, and which tiles are swept together changes nothing. Where the path crosses special rows and columns is
not known before the tiles below are done, so it is guessed (path_guesses.py), and a tile is swept only as far as the
guessed path needs it. The planned tiles are dealt out to the GPUs in the order in which the path meets them. One thread
of each GPU follows the path through its tiles; a GPU that the path has left takes the next ones. Where the path leaves
all tiles that were swept, a new guess begins there. A bad guess costs time, but every guess gains at least one tile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits, devices
from antidiag.kernels.pairwise.checkpointed.cuda_checkpoints import DeviceCheckpoints
from antidiag.kernels.pairwise.checkpointed.path_guesses import PathPoint, plan_tiles
from antidiag.kernels.pairwise.checkpointed.tile_sweeper import TileSweeper
from antidiag.kernels.pairwise.encoding import EndCell
from antidiag.kernels.pairwise.strips.cuda_job import PairJob
from antidiag.kernels.pairwise.strips.cuda_sources import TILE


def trace_tiles(job: PairJob, checkpoints: DeviceCheckpoints, best: EndCell) -> tuple[np.ndarray, np.ndarray]:
    """Run phase 2; return the sub-paths from the last to the first, and the operations along the matrix border."""
    found: list[np.ndarray] = []
    place, planned = PathPoint(*best.cell), np.empty(0, TILE.dtype)
    with _open_sweepers(job, checkpoints) as sweepers:
        while place.row and place.column and not place.is_start:
            job.run.monitor.update(sum(best.cell) - place.row - place.column, sum(best.cell), "phase 2")
            holder = next((sweeper for sweeper in sweepers if sweeper.has_swept(place)), None)
            if holder:
                paths, place = holder.follow_path(place)
                found.append(paths)
            else:
                planned = plan_tiles(job, checkpoints, best, place)
                _make_room(sweepers, planned, place)
                planned = _deal_tiles(
                    sorted(sweepers, key=TileSweeper.count_bytes), _leave_out_swept(planned, sweepers)
                )
            for sweeper in sweepers:
                sweeper.forget_passed(place)
            planned = _deal_tiles([sweeper for sweeper in sweepers if not sweeper.count_bytes()], planned)
        for sweeper in sweepers:
            sweeper.finish_sweeps()
    job.run.monitor.update(sum(best.cell), sum(best.cell), "phase 2")
    rest = np.empty(0, np.uint8) if place.is_start else job.encoded.border_path((place.row, place.column))[1]
    return np.concatenate(found), rest


@contextmanager
def _open_sweepers(job: PairJob, checkpoints: DeviceCheckpoints) -> Iterator[list[TileSweeper]]:
    """Return what sweeps tiles on the current GPU and on each peer; at the end nothing runs on the peers."""
    sweepers = [TileSweeper(job, checkpoints, cupy.cuda.get_current_stream(), job.sequences, 0)]
    encoded, workers = job.encoded, block_limits.multiprocessor_count()
    with ExitStack() as opened:
        for index in job.peers:
            with cupy.cuda.Device(index), opened.enter_context(devices.use_peer(index)) as stream:
                sequences = job.run.upload_together(encoded.rows, encoded.columns, encoded.table)
                sweepers.append(TileSweeper(job, checkpoints, stream, sequences, workers))
                workers += block_limits.multiprocessor_count()
                opened.callback(sweepers[-1].drop_arrays)
                del sequences
        yield sweepers


def _make_room(sweepers: list[TileSweeper], planned: np.ndarray, place: PathPoint) -> None:
    """Have all tiles forgotten where none of the planned ones would fit beside them."""
    for sweeper in sweepers:
        sweeper.forget_passed(place)
    if not any(sweeper.count_fitting(planned) for sweeper in sweepers):
        for sweeper in sweepers:
            sweeper.forget_tiles()


def _leave_out_swept(planned: np.ndarray, sweepers: list[TileSweeper]) -> np.ndarray:
    """Return the planned tiles that were not swept as far as they are needed."""
    swept = np.concatenate([sweeper.swept.tiles for sweeper in sweepers])
    sizes_of = {(row, column): (m, n) for row, column, m, n in swept[["row", "column", "m", "n"]].tolist()}
    missing = []
    for row, column, m, n in planned[["row", "column", "m", "n"]].tolist():
        height, width = sizes_of.get((row, column), (0, 0))
        missing.append(height < m or width < n)
    return planned[missing]


def _deal_tiles(sweepers: list[TileSweeper], planned: np.ndarray) -> np.ndarray:
    """Have the next planned tiles swept by those GPUs that have room; return the tiles that remain.

    A short plan is shared evenly.
    """
    for index, sweeper in enumerate(sweepers):
        count = sweeper.count_fitting(planned, parts=len(sweepers) - index)
        if count:
            sweeper.sweep_tiles(planned[:count])
            planned = planned[count:]
    return planned
