"""Tiles of CheckpointedAlignment on one GPU: they are swept again, and the path is followed through them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import cupy
import numpy as np

from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.pairwise.checkpointed import cuda_sizes as sizes
from antidiag.kernels.pairwise.checkpointed.cuda_checkpoints import DeviceCheckpoints
from antidiag.kernels.pairwise.checkpointed.path_guesses import PathPoint
from antidiag.kernels.pairwise.strips import cuda_sweep
from antidiag.kernels.pairwise.strips.cuda_job import LANES, PairJob
from antidiag.kernels.pairwise.strips.cuda_sources import STATES, SUB_PATH, TILE
from antidiag.kernels.pairwise.strips.cuda_sweep import SweepBuffers

LAUNCHES_AHEAD = 64
"""Launches that are queued on a GPU, more than its tiles need: while it works, the others get theirs."""


@dataclass(frozen=True, slots=True)
class SweptTiles:
    """Tiles that were swept: records of TILE in the order in which a traceback meets them, and their arrays.

    ``on_device`` holds the same records as ``tiles``.
    """

    tiles: np.ndarray
    on_device: cupy.ndarray | None = None
    arrays: tuple[cupy.ndarray, ...] = ()


NO_TILES = SweptTiles(np.empty(0, TILE.dtype))


class TileSweeper:
    """Sweeps tiles on the GPU that is current when it is made, at most ``layout.tiles_bytes`` of them at a time.

    ``sequences`` are those of the job on this GPU, ``first_worker`` the number of its first multiprocessor in the log.
    """

    def __init__(
        self,
        job: PairJob,
        checkpoints: DeviceCheckpoints,
        stream: cupy.cuda.Stream,
        sequences: tuple[cupy.ndarray, ...],
        first_worker: int,
    ) -> None:
        self.swept = NO_TILES
        self._job, self._checkpoints, self._stream = job, checkpoints, stream
        self._device, self._first_worker = cupy.cuda.Device(), first_worker
        self._run = DeviceRun(job.run.monitor, job.run.steps, began_ns=job.run.began_ns, launches_ahead=LAUNCHES_AHEAD)
        self._part = replace(
            job,
            s=sizes.tile_strip_width(job.s),
            threads=sizes.TILE_THREADS,
            packed=False,
            quiet=True,
            run=self._run,
            sequences=sequences,
            peers=(),
        )
        self._logs: list[tuple[PairJob, np.ndarray, cupy.ndarray]] = []
        self._times: list[tuple[np.ndarray, np.ndarray, int]] = []

    @contextmanager
    def _on_own_gpu(self) -> Iterator[None]:
        with self._device, self._stream:
            yield

    def count_bytes(self) -> int:
        """Return the bytes of all tiles that are kept."""
        return int(self._measure_tiles(self.swept.tiles).sum())

    def _measure_tiles(self, tiles: np.ndarray) -> np.ndarray:
        """Return the bytes of each of some tiles."""
        if not len(tiles):
            return np.empty(0, np.int64)
        m, n = tiles["m"].astype(np.int64), tiles["n"].astype(np.int64)
        return sizes.tile_bytes(m, n, self._job.s, self._job.batch, self._job.value_count)

    def count_fitting(self, planned: np.ndarray, parts: int = 1) -> int:
        """Return how many of the first planned tiles fit beside those that are kept, at most one of equal parts."""
        ends = np.cumsum(self._measure_tiles(planned))
        if not ends.size:
            return 0
        room = self._checkpoints.layout.tiles_bytes - self.count_bytes()
        most = min(int(np.searchsorted(ends, room, side="right")), sizes.MOST_TILES)
        return min(most, int(np.searchsorted(ends, ends[-1] / parts)) + 1)

    def has_swept(self, place: PathPoint) -> bool:
        """Return whether the path to a point comes out of a tile that was swept here."""
        tiles = self.swept.tiles
        in_rows = (tiles["row"] < place.row) & (place.row <= tiles["row"] + tiles["m"])
        in_columns = (tiles["column"] < place.column) & (place.column <= tiles["column"] + tiles["n"])
        return bool((in_rows & in_columns).any())

    def forget_passed(self, place: PathPoint) -> None:
        """Forget all tiles if the path to a point can be in none of them."""
        tiles = self.swept.tiles
        if ((tiles["row"] >= place.row) | (tiles["column"] >= place.column)).all():
            self.forget_tiles()

    def forget_tiles(self) -> None:
        """Forget all tiles, whose memory is used again behind what was launched so far."""
        self._read_logs()
        self.swept = NO_TILES

    def sweep_tiles(self, planned: np.ndarray) -> None:
        """Launch the sweep of tiles of which row, column, m and n are set, and keep them beside those swept before."""
        with self._on_own_gpu():
            tiles = planned.copy()
            tiles["top"], tiles["left"], borders = self._checkpoints.border_addresses(tiles)
            height, width = int(tiles["m"].max()), int(tiles["n"].max())
            encoded = self._job.encoded.slice_pair((0, height), (0, width))
            part = replace(self._part, encoded=encoded, tiles=len(tiles))
            kept, registers = _allocate_buffers(part, tiles)
            every = np.concatenate([self.swept.tiles, tiles])
            every = every[np.lexsort((every["column"], every["row"]))[::-1]]
            on_device, every_on_device = self._run.upload_together(tiles.view(np.uint8), every.view(np.uint8))
            log = cuda_sweep.sweep_tiles(part, kept, registers, on_device)
            del borders  # safe: their next user is queued behind the sweep
        if self._run.steps.keeps_events:
            self._logs.append((part, tiles, log))
        arrays = *self.swept.arrays, kept.boundary_states, registers
        self.swept = SweptTiles(every, every_on_device, arrays)

    def follow_path(self, place: PathPoint) -> tuple[np.ndarray, PathPoint]:
        """Return the sub-paths of the path to a point, as far as tiles were swept here, and where it continues."""
        with self._on_own_gpu():
            part, tiles = self._part, self.swept.tiles
            kernel = part.compile_kernel(STATES, "link_tiles", CHUNKS=0, TILE=True)
            most = int((-(-tiles["n"] // part.s)).sum())
            # The point where the path continues is stored behind the sub-paths, so that one copy transfers both.
            paths = self._run.allocate_array((most + 1, SUB_PATH.word_count), np.int32)
            numbers = len(tiles), self._checkpoints.layout.tile, place.row, place.column, place.end_state
            with self._run.begin_phase("phase 2", quiet=True) as phase:
                kernel((1,), (1,), (self.swept.on_device, *map(np.int32, numbers), paths, paths[most:]))
                phase.note_launch()
            found = self._run.download_array(paths)
        self._read_logs()
        parts, row, column, end_in, began = found[most, :5].tolist()
        return found[:parts].copy().view(SUB_PATH.dtype)[:, 0], PathPoint(row, column, end_in, bool(began))

    def finish_sweeps(self) -> None:
        """Wait for what was launched here, and give times and the log to the job's run."""
        with self._on_own_gpu():
            self._run.finish_pending()
        self.forget_tiles()
        for name in ("compilation", "transfer"):
            self._job.run.add_time(name, self._run.times_ms[name])
        if self._times:
            self._job.run.run_while_waiting(self._log_tiles)

    def drop_arrays(self) -> None:
        """Drop all arrays of this GPU."""
        self.swept, self._logs = NO_TILES, []
        self._part = replace(self._part, sequences=())
        self._run.discard_pending()

    def _read_logs(self) -> None:
        """Read when the tiles that were launched so far were swept."""
        with self._on_own_gpu():
            for part, tiles, log in self._logs:
                self._times.append((tiles, cuda_sweep.read_tile_times(part, log), time.perf_counter_ns()))
        self._logs = []

    def _log_tiles(self) -> None:
        """Log an event of phase 2 for every tile, from the first of its strips to the last."""
        # The log was read after the last tile had ended, how long after is not known: the least is next to the truth.
        clock_offset = min(read_ns - int(times["end"].max()) for _, times, read_ns in self._times)
        for tiles, times, _ in self._times:
            done = times["end"] > 0
            logged = np.zeros(len(tiles), times.dtype)
            logged["start"] = np.where(done, times["start"], np.iinfo(np.int64).max).min(axis=(0, 2))
            logged["end"], logged["worker"] = times["end"].max(axis=(0, 2)), times["worker"][:, :, 0].max(axis=0)
            bands = tiles["row"] // self._checkpoints.layout.tile
            found = self._job.run.convert_events(2, logged, bands, int(times["end"].max()) + clock_offset)
            found["worker"] += self._first_worker
            for name, first, size in (("row", "row", "m"), ("column", "column", "n")):
                found[f"{name}_start"], found[f"{name}_end"] = tiles[first], tiles[first] + tiles[size]
            self._job.run.steps.add_array(found)


def _allocate_buffers(part: PairJob, tiles: np.ndarray) -> tuple[SweepBuffers, cupy.ndarray]:
    """Allocate the buffers of a sweep of tiles, and the registers at its end; set where those of each tile begin."""
    run, registers = part.run, part.registers.states.count_registers(part.columns_per_lane)
    m, strips = tiles["m"].astype(np.int64), -(-tiles["n"].astype(np.int64) // part.s)
    capacity = sizes.ring_rows(m, part.encoded.columns.size * len(tiles), part.batch)
    cells = strips * capacity * part.piece_count
    rows = -(-int(cells.sum()) // part.strip_count)
    buffers = SweepBuffers(
        chunks=0,
        true_values=False,
        boundary=run.allocate_filled((part.strip_count, rows), np.uint64, byte=0xFF),
        boundary_states=run.allocate_array((int((strips * m).sum()), part.value_count), np.int32),
        chunk_values=run.allocate_array(0, np.int32),
        chunk_states=run.allocate_array(0, np.int32),
        height=part.encoded.rows.size + 1,
        width=part.strip_count * part.s,
    )
    state = run.allocate_array((int(strips.sum()), registers, LANES), np.int32)
    for name, array, counts in (
        ("boundary", buffers.boundary, cells),
        ("states", buffers.boundary_states, strips * m * part.value_count),
        ("registers", state, strips * registers * LANES),
    ):
        tiles[name] = array.data.ptr + (np.cumsum(counts) - counts) * array.itemsize
    tiles["capacity"] = capacity
    return buffers, state
