"""Special rows and columns of CheckpointedAlignment on the GPU: their storage, and the borders of tiles.

They stay on the device where they fit (checkpoint_memory). Otherwise their places there are used in turn, and each
band (the special row below it, and its cells of the special columns) goes to the disk as soon as all strips are past
it. So do the bands of a long run, so that it can be continued: below a special row it needs only that row and the
best cell so far. Copies are queued behind the launch that completes a band, and so before any launch that uses its
places again; a thread of the store writes them from pinned memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cupy
import numpy as np

from antidiag.kernels import memory
from antidiag.kernels.errors import DiskFull
from antidiag.kernels.monitor import CheckpointStore
from antidiag.kernels.pairwise.checkpointed.cuda_sizes import BEST_FIELDS, BUFFERS, CheckpointLayout
from antidiag.kernels.pairwise.encoding import NEGATIVE, EndCell, choose_end
from antidiag.kernels.pairwise.model import SkippedBlocks
from antidiag.kernels.pairwise.pruning.bounds import PruningBounds
from antidiag.kernels.pairwise.strips import cuda_pruning, cuda_sweep
from antidiag.kernels.pairwise.strips.cuda_bands import StripBand, copy_lanes, wait_for_events
from antidiag.kernels.pairwise.strips.cuda_job import LANES, PairJob, copy_rows
from antidiag.kernels.pairwise.strips.cuda_sizes import SweepSlice
from antidiag.kernels.pairwise.strips.cuda_sources import CHECKPOINTS, SCORE
from antidiag.kernels.recovery.checkpoint_files import Checkpoint
from antidiag.kernels.recovery.checkpoint_store import CheckpointWriter as DiskStore

THREADS = 1024
MARK_BYTE = 0xDF
MARK = int(np.full(4, MARK_BYTE, np.uint8).view(np.int32)[0])
"""A number of such bytes, less than all scores, from which costs can be subtracted."""
NOTHING = EndCell(2 * NEGATIVE, 0, 0)
"""Worse than every end."""


@dataclass
class DeviceCheckpoints:
    """Special rows and columns of one run; the first ``finished_bands`` bands are from an interrupted one.

    ``rows`` int32 (slots, width, v): H and G from column 0 on; ``columns`` int32 (segments, m or height, v): H and K
    from row 1 on; v is 2, or 3 where gap costs have two pieces. Where they go to the disk, row 0 and column 0 are not
    among them.
    """

    job: PairJob
    layout: CheckpointLayout
    store: CheckpointStore | None
    rows: cupy.ndarray
    columns: cupy.ndarray
    finished_bands: int = 0
    best: EndCell = NOTHING
    before_ms: float = 0.0
    last_band_columns: np.ndarray | None = None
    host_bytes: int = 0
    device: int = field(default_factory=lambda: cupy.cuda.Device().id)

    @property
    def first_row(self) -> int:
        """The row below which this run computes."""
        return self.finished_bands * self.layout.tile

    @cached_property
    def left_border(self) -> cupy.ndarray:
        """Column 0 of the matrix from row 1 on."""
        return (
            self.job.run.upload_together(self._border_cells(self.job.encoded.left_scores(1, self.layout.rows + 1)))[0]
            if self.layout.on_disk
            else self.columns[0]
        )

    def run_sweep(
        self, bounds: PruningBounds | None = None
    ) -> tuple[EndCell, SkippedBlocks | None, int | None, tuple[str, ...]]:
        """Run phase 1; return the best cell of the whole matrix, skipped blocks, the cells computed, and notes.

        A run that continues does not know what was skipped before.
        """
        self._restore_bands()
        job = self._make_remaining_job() if self.finished_bands else self.job
        saving = _BandWriter(self, job)
        pruning = cuda_pruning.prepare_pruning(job, bounds)
        best = cuda_sweep.sweep_scores(job, self._kernel_checkpoints(), saving.save_finished_bands, pruning)
        saving.finish()
        on_host = [*saving.buffers, *([] if self.last_band_columns is None else [self.last_band_columns])]
        self.host_bytes = sum(array.nbytes for array in on_host)
        job.run.add_time("phase 1", self.before_ms)
        end = cuda_sweep.choose_best_end(self.job.encoded, choose_end([self.best, best]))
        skipped, work = pruning.read_skipped() if pruning and not self.finished_bands else (None, None)
        return end, skipped, work, pruning.notes if pruning else ()

    def border_addresses(self, tiles: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[cupy.ndarray]]:
        """Return the addresses of the borders of tiles on the current device, and the arrays that hold them.

        Addresses are those of H and G above each tile (TILE), from the corner on, and of H and K on its left; the
        arrays must stay alive while they are used.
        """
        layout = self.layout
        bands, segments = tiles["row"].astype(np.int64) // layout.tile, tiles["column"].astype(np.int64) // layout.tile
        is_peer = cupy.cuda.Device().id != self.device
        if not layout.on_disk and not is_peer:
            cell = layout.cell_bytes
            above = self.rows.data.ptr + cell * (bands * layout.width + segments * layout.tile)
            return above, self.columns.data.ptr + cell * (segments * layout.rows + bands * layout.tile), []
        bring_borders = self._copy_borders if is_peer else self._load_borders
        places = np.stack([bands, segments, tiles["m"], tiles["n"]], axis=1).tolist()
        borders = [bring_borders(*place) for place in places]
        above, left = np.array([[array.data.ptr for array in pair] for pair in borders], np.uint64).T
        return above, left, [array for pair in borders for array in pair]

    def _end_of_border(self, column: int, columns: int) -> int:
        """Return the column behind the whole strips above a tile."""
        return min(column + -(-columns // self.job.s) * self.job.s + 1, self.layout.width)

    def _copy_borders(self, band: int, segment: int, rows: int, columns: int) -> tuple[cupy.ndarray, ...]:
        """Queue copies of the borders of a tile from the first GPU to the current one."""
        row, column = band * self.layout.tile, segment * self.layout.tile
        top = self.rows[band, column : self._end_of_border(column, columns)]
        left = self.columns[segment, row : row + rows]
        copies = tuple(self.job.run.allocate_array(source.shape, np.int32) for source in (top, left))
        for copied, source in zip(copies, (top, left), strict=True):
            copied.data.copy_from_device_async(source.data, source.nbytes, cupy.cuda.get_current_stream())
        return copies

    def _load_borders(self, band: int, segment: int, rows: int, columns: int) -> tuple[cupy.ndarray, ...]:
        """Load the borders of a tile from the disk."""
        tile = self.layout.tile
        row, column = band * tile, segment * tile
        end = self._end_of_border(column, columns)
        top = self._host_row(band)[column:end] if band else self._border_cells(self.job.encoded.top_scores(column, end))
        if segment == 0:
            return self.job.run.upload_together(top)[0], self.left_border[row:]
        last = self.last_band_columns if band == self.layout.band_count - 1 else None
        left = self._read_band(band)["columns"] if last is None else last
        return self.job.run.upload_together(top, left[segment - 1, :rows])

    def greatest_in_rows(self, bands: int, last_column: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the greatest H up to a column of special rows 1 .. ``bands`` on the device, and its column."""
        return self._find_greatest(self.rows, bands, self.layout.width, last_column)

    def greatest_in_columns(self, segments: int, last_row: int) -> np.ndarray:
        """Return the row of the greatest H up to a row of special columns 1 .. ``segments`` on the device."""
        # The kernel passes over the first cell of a line, which is column 0 of a row and row 1 of a column.
        return self._find_greatest(self.columns, segments, self.layout.rows, last_row - 1)[1] + 1

    def _find_greatest(self, lines: cupy.ndarray, count: int, pairs: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the greatest H of lines 1 .. ``count``, of ``pairs`` cells each, in cells 1 .. ``last``; its cell."""
        if not count:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        kernel = self.job.compile_kernel(
            SCORE, "greatest_in_rows", KEYED=cuda_sweep.uses_keys(self.job), CHECKPOINTS=True
        )
        found = self.job.run.allocate_array(count, np.int64)
        kernel((count,), (THREADS,), (lines, np.int64(pairs), np.int32(last), found))
        both = self.job.run.download_array(found)
        return both >> 32, both & 0xFFFFFFFF

    def _make_remaining_job(self) -> PairJob:
        """Return the job for the rows that an interrupted run did not finish."""
        first, job = self.first_row, self.job
        letters, others, table = job.sequences
        return replace(
            job,
            encoded=replace(job.encoded, rows=job.encoded.rows[first:]),
            sequences=(letters[first:], others, table),
            borders=(self._device_row(self.finished_bands), self.left_border[first:]),
            first_row=first,
        )

    def _restore_bands(self) -> None:
        """Restore the bands that an interrupted run finished, and its best cell."""
        job, tile = self.job, self.layout.tile
        for part in self.store.parts(job.run.monitor.check) if self.store else ():
            if not self.layout.on_disk:
                row = self.first_row
                with job.run.time_phase("transfer"):
                    self.rows[self.finished_bands + 1].set(np.asarray(part.arrays["row"]))
                    for column, values in enumerate(part.arrays["columns"], start=1):
                        self.columns[column, row : row + tile].set(np.asarray(values))
            self.finished_bands += 1
            self.before_ms = part.facts["ms"]
            self.best = self._saved_best(part)

    def _saved_best(self, part: Checkpoint) -> EndCell:
        """Return the best cell that was known when a part was saved."""
        if not self.job.lanes_keep_best:
            return NOTHING
        score, row, column = part.facts["best"]
        since = replace(self.job, first_row=part.facts["first_row"])
        found = cuda_sweep.find_best_cell(since, part.arrays["best"], part.facts["keyed"])
        return choose_end([EndCell(score, row, column), found])

    def _kernel_checkpoints(self) -> tuple:
        """Return the kernel argument: where the sweep stores what lies below the first row that it computes."""
        layout = self.layout
        if layout.on_disk:
            rows, columns, slots = self.rows[:, 1:], self.columns, layout.slot_count
        else:
            rows, columns = self.rows[self.finished_bands + 1 :, 1:], self.columns[1:, self.first_row :]
            slots = max(layout.slot_count - 1 - self.finished_bands, 1)
        return CHECKPOINTS(
            rows=rows, columns=columns, tile=layout.tile, width=layout.width, slots=slots, height=layout.height
        )

    def _border_cells(self, scores: np.ndarray) -> np.ndarray:
        """Return H, and gap states of the same value, of some border cells; int32 (cells, values)."""
        return np.repeat(scores[:, None], self.layout.values, axis=1)

    def _device_row(self, band: int) -> cupy.ndarray:
        """Return the special row above a band, on the device."""
        return self.job.run.upload_together(self._host_row(band))[0] if self.layout.on_disk else self.rows[band]

    def _host_row(self, band: int) -> np.ndarray:
        return self._read_band(band - 1)["row"]

    def _read_band(self, number: int) -> Mapping[str, np.ndarray]:
        assert self.store is not None
        return self.store.saved(number).arrays


class _BandWriter:
    """Copies finished bands to the host and hands them to the store."""

    def __init__(self, checkpoints: DeviceCheckpoints, job: PairJob) -> None:
        self.checkpoints, self.job, self.began = checkpoints, job, time.perf_counter()
        self.next_band = checkpoints.finished_bands
        self.buffers: list[np.ndarray] = []
        self.written: list[Future[None] | None] = [None] * BUFFERS

    def save_finished_bands(self, part: SweepSlice, state: cupy.ndarray, bands: list[StripBand]) -> None:
        """Start to save the bands that a launch completes, if they are saved at all."""
        checkpoints, layout = self.checkpoints, self.checkpoints.layout
        if checkpoints.store is None:
            return
        through_all = part.end - part.shift_of(self.job.strip_count - 1) - self.job.row_spread + 1
        complete = checkpoints.finished_bands + max(min(through_all, self.job.encoded.rows.size - 1), 0) // layout.tile
        while self.next_band < complete and (layout.on_disk or checkpoints.store.is_save_due):
            self._save_band(state, bands)

    def finish(self) -> None:
        """Wait until all bands are written, and download the last one, which no special row ends."""
        checkpoints, layout = self.checkpoints, self.checkpoints.layout
        if not layout.on_disk:
            return
        for future in self.written:
            self._wait_for_band(future)
        rows = layout.rows - (layout.band_count - 1) * layout.tile
        checkpoints.last_band_columns = np.empty((layout.segment_count - 1, rows, layout.values), np.int32)
        self._copy_columns(checkpoints.last_band_columns, layout.band_count - 1)
        cupy.cuda.get_current_stream().synchronize()

    def _save_band(self, state: cupy.ndarray, bands: list[StripBand]) -> None:
        """Queue the copies of the next band behind the launches so far, and its writing behind the copies."""
        checkpoints, layout, band = self.checkpoints, self.checkpoints.layout, self.next_band
        assert checkpoints.store is not None
        turn = band % BUFFERS
        self._wait_for_band(self.written[turn])
        arrays = self._pinned_buffer(turn)
        kept = checkpoints.rows[self._slot_of(band) if layout.on_disk else band + 1]
        row = (band + 1) * layout.tile
        arrays["row"][:1] = checkpoints.job.encoded.left_scores(row, row + 1)[:, None]
        copy_rows(arrays["row"][1:], kept[1:], layout.cell_bytes * (layout.width - 1), 1)
        self._copy_columns(arrays["columns"], band)
        copied = [copy_lanes(arrays["best"], state, band) for band in bands]
        self._mark_again(band)
        copied.append(cupy.cuda.get_current_stream().record())
        best = checkpoints.best
        facts = {
            "first_row": self.job.first_row,
            "best": [best.score, *best.cell],
            "keyed": cuda_sweep.uses_keys(self.job),
            "ms": checkpoints.before_ms + (time.perf_counter() - self.began) * 1e3,
        }
        fraction = (band + 1) / layout.band_count
        self.written[turn] = checkpoints.store.save(facts, arrays, fraction, lambda: wait_for_events(copied))
        self.next_band += 1

    def _mark_again(self, band: int) -> None:
        """Queue marks for the slots of a band, which the sweep uses again."""
        checkpoints, layout, slot = self.checkpoints, self.checkpoints.layout, self._slot_of(band)
        if not layout.on_disk:
            return
        checkpoints.rows[slot].fill(MARK)
        checkpoints.columns[:, slot * layout.tile : (slot + 1) * layout.tile].fill(MARK)

    def _copy_columns(self, target: np.ndarray, band: int) -> None:
        """Queue the copies of the special columns inside a band."""
        checkpoints, layout = self.checkpoints, self.checkpoints.layout
        if layout.on_disk:
            inside = checkpoints.columns[:, self._slot_of(band) * layout.tile :]
        else:
            inside = checkpoints.columns[1:, band * layout.tile :]
        if target.size:
            copy_rows(target, inside, layout.cell_bytes * target.shape[1], target.shape[0])

    def _slot_of(self, band: int) -> int:
        """Return the slot of a band on the device; slots are used in turn from the first row of the sweep on."""
        return (band - self.checkpoints.finished_bands) % self.checkpoints.layout.slot_count

    def _pinned_buffer(self, turn: int) -> dict[str, np.ndarray]:
        """Return the pinned memory of a band."""
        layout, strips = self.checkpoints.layout, self.job.strip_count
        shapes = {
            "row": (layout.width, layout.values),
            "columns": (layout.segment_count - 1, layout.tile, layout.values),
            "best": (strips, BEST_FIELDS, LANES),
        }
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        while len(self.buffers) <= turn:
            memory_of_band = cupy.cuda.alloc_pinned_memory(4 * sum(sizes))
            self.buffers.append(np.frombuffer(memory_of_band, np.int32, sum(sizes)))
        pieces = np.split(self.buffers[turn], np.cumsum(sizes)[:-1])
        return {name: piece.reshape(shape) for (name, shape), piece in zip(shapes.items(), pieces, strict=True)}

    def _wait_for_band(self, future: Future[None] | None) -> None:
        """Wait until a band is written; raise DiskFull where it had to be written, and was not."""
        store = self.checkpoints.store
        if future is None or store is None:
            return
        store.wait(self.job.run.monitor.check, future)
        if store.failure and self.checkpoints.layout.on_disk:
            raise DiskFull(
                f"special rows and columns cannot be written to the disk: {store.failure}; free disk space, raise "
                "checkpoint_memory so that more stays on the GPU, or choose a larger tile"
            )


@contextmanager
def open_checkpoints(job: PairJob, layout: CheckpointLayout) -> Iterator[DeviceCheckpoints]:
    """Allocate special rows and columns, with the borders of the matrix set, and a store where one is needed."""
    if layout.on_disk:
        rows = _allocate_marked(job, (layout.slot_count, layout.width, layout.values))
        columns = _allocate_marked(job, (layout.segment_count - 1, layout.height, layout.values))
        with _open_store(job) as store:
            yield DeviceCheckpoints(job, layout, store, rows, columns)
        return
    rows = _allocate_marked(job, (layout.band_count, layout.width, layout.values))
    columns = _allocate_marked(job, (layout.segment_count, layout.rows, layout.values))
    kernel = job.compile_kernel(SCORE, "keep_borders", KEYED=cuda_sweep.uses_keys(job), CHECKPOINTS=True)
    numbers: tuple[Any, ...] = np.int32(layout.rows), np.int32(layout.columns)
    costs = np.int32(job.encoded.open + job.encoded.extend), np.int32(job.encoded.extend), np.int32(layout.tile)
    second = map(np.int32, job.second_costs().values())
    arguments = rows, np.int32(layout.band_count), np.int64(layout.width), columns, *numbers, *costs, *second
    kernel((-(-(max(layout.rows, layout.columns) + 1) // THREADS),), (THREADS,), arguments)
    yield DeviceCheckpoints(job, layout, job.run.monitor.store, rows, columns)


def _allocate_marked(job: PairJob, shape: tuple[int, ...]) -> cupy.ndarray:
    """Allocate an int32 array of marks, which stand for what pruning does not compute (pruned_sweep.cuh)."""
    return job.run.allocate_filled(shape, np.int32, MARK_BYTE)


@contextmanager
def _open_store(job: PairJob) -> Iterator[CheckpointStore]:
    """Open the store of the run, or a temporary one where it has none."""
    if job.run.monitor.store is not None:
        yield job.run.monitor.store
        return
    try:
        memory.disk_folder().mkdir(parents=True, exist_ok=True)
        folder = TemporaryDirectory(dir=memory.disk_folder())
    except OSError as error:
        raise DiskFull(f"{memory.disk_folder()}: cannot store checkpoints here ({error.strerror})") from error
    with folder as name:
        store = DiskStore(Path(name), lambda: None)
        try:
            yield store
        finally:
            store.close()
