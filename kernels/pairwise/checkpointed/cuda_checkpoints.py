"""Special rows and columns of CheckpointedAlignment on the GPU: their places, their way to the disk, tiles' borders.

They stay on the device where there is room (checkpoint_memory). Otherwise their places there are used in turn, and each
band goes to the disk as soon as all strips are past it: the special row below it, and its cells of the special columns.
So do the bands of a long run, so that it can be continued; all that it needs to go on below a special row is that row
and the best cell found so far. Copies are queued behind the launch that completes a band, so they are ordered before
any launch that uses its places again; a thread of the store writes them from pinned memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cupy
import numpy as np

from antidiag.kernels import memory
from antidiag.kernels.errors import DiskFull
from antidiag.kernels.monitor import Store
from antidiag.kernels.pairwise.checkpointed.cuda_sizes import BEST_FIELDS, BUFFERS, PAIR_BYTES, Layout
from antidiag.kernels.pairwise.strips import cuda_sweep
from antidiag.kernels.pairwise.strips.cuda_job import LANES, Job, copy_rows
from antidiag.kernels.pairwise.strips.cuda_sizes import Slice
from antidiag.kernels.pairwise.strips.cuda_sources import CHECKPOINTS, SCORE
from antidiag.kernels.pairwise.strips.cuda_sweep import Best
from antidiag.kernels.recovery.checkpoint_files import Part
from antidiag.kernels.recovery.store import Store as DiskStore

THREADS = 1024
NOTHING = Best(0, (0, 0))


@dataclass
class Checkpoints:
    """Special rows and columns of one run, the first ``done`` bands of them from an interrupted one.

    ``rows`` int32 (slots, width, 2): H and G from column 0 on; ``columns`` int32 (segments, m or height, 2): H and K
    from row 1 on. Where they go to the disk, row 0 and column 0 are not among them.
    """

    job: Job
    layout: Layout
    store: Store | None
    rows: cupy.ndarray
    columns: cupy.ndarray
    done: int = 0
    best: Best = NOTHING
    before_ms: float = 0.0
    tail: np.ndarray | None = None
    host_bytes: int = 0

    @property
    def first_row(self) -> int:
        """The row below which this run computes."""
        return self.done * self.layout.tile

    @cached_property
    def border(self) -> cupy.ndarray:
        """Column 0 of the matrix from row 1 on."""
        return (
            self.job.run.upload(_pairs(self.job, 1, self.layout.rows + 1))[0]
            if self.layout.on_disk
            else self.columns[0]
        )

    def sweep(self) -> Best:
        """Phase 1; the best cell of the whole matrix."""
        self._take_over()
        job = self._rest() if self.done else self.job
        saving = _Saving(self, job)
        best = cuda_sweep.score(job, self._places(), saving.launched)
        saving.finish()
        on_host = [*saving.buffers, *([] if self.tail is None else [self.tail])]
        self.host_bytes = sum(array.nbytes for array in on_host)
        job.run.spend("phase 1", self.before_ms)
        return _better(self.best, best) if job.encoded.local else best

    def border_addresses(
        self, bands: np.ndarray, segments: np.ndarray, rows: np.ndarray, columns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, list[cupy.ndarray]]:
        """Of tiles, where H and G above are, from the corner on, and H and K on the left; arrays to keep until then.

        The tiles have so many rows and columns.
        """
        layout = self.layout
        if not layout.on_disk:
            above = self.rows.data.ptr + PAIR_BYTES * (bands * layout.width + segments * layout.tile)
            return above, self.columns.data.ptr + PAIR_BYTES * (segments * layout.rows + bands * layout.tile), []
        borders = [self._borders(*tile) for tile in np.stack([bands, segments, rows, columns], axis=1).tolist()]
        above, left = np.array([[array.data.ptr for array in pair] for pair in borders], np.uint64).T
        return above, left, [array for pair in borders for array in pair]

    def _borders(self, band: int, segment: int, rows: int, columns: int) -> tuple[cupy.ndarray, ...]:
        """The borders of a tile, from the disk."""
        tile = self.layout.tile
        row, column = band * tile, segment * tile
        end = min(column + -(-columns // self.job.s) * self.job.s, self.layout.width - 1)
        top = self._host_row(band)[column : end + 1] if band else _pairs(self.job, column, end + 1)
        if segment == 0:
            return self.job.run.upload(top)[0], self.border[row:]
        last = self.tail if band == self.layout.bands - 1 else None
        left = self._part(band)["columns"] if last is None else last
        return self.job.run.upload(top, left[segment - 1, :rows])

    def greatest(self, bands: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """The greatest H up to column ``last`` of special rows 1 .. ``bands``, which are on the device; its column."""
        kernel = self.job.kernel(SCORE, "greatest_in_rows", KEYED=cuda_sweep.keyed(self.job), CHECKPOINTS=True)
        found = self.job.run.empty(bands, np.int64)
        kernel((bands,), (THREADS,), (self.rows, np.int64(self.layout.width), np.int32(last), found))
        both = found.get()
        return both >> 32, both & 0xFFFFFFFF

    def _rest(self) -> Job:
        """The rows that an interrupted run left to do."""
        first, job = self.first_row, self.job
        letters, others, table = job.sequences
        return replace(
            job,
            encoded=replace(job.encoded, rows=job.encoded.rows[first:]),
            sequences=(letters[first:], others, table),
            borders=(self._row(self.done), self.border[first:]),
            first_row=first,
        )

    def _take_over(self) -> None:
        """What an interrupted run finished: its bands, but the last where all are there, and its best cell."""
        job, tile = self.job, self.layout.tile
        for part in self.store.parts(job.run.monitor.check) if self.store else ():
            if not self.layout.on_disk:
                row = self.first_row
                self.rows[self.done + 1].set(np.asarray(part.arrays["row"]))
                for column, values in enumerate(part.arrays["columns"], start=1):
                    self.columns[column, row : row + tile].set(np.asarray(values))
            self.done += 1
            self.before_ms = part.facts["ms"]
            self.best = self._best_in(part)

    def _best_in(self, part: Part) -> Best:
        """The best cell that was found until a part was saved."""
        score, row, column = part.facts["best"]
        since = replace(self.job, first_row=part.facts["first_row"])
        found = cuda_sweep.best_of(since, part.arrays["best"], part.facts["keyed"])
        return _better(Best(score, (row, column)), found)

    def _places(self) -> tuple:
        """Where the sweep leaves what lies below the first row that it computes."""
        layout = self.layout
        if layout.on_disk:
            rows, columns, slots = self.rows[:, 1:], self.columns, layout.slots
        else:
            rows, columns = self.rows[self.done + 1 :, 1:], self.columns[1:, self.first_row :]
            slots = max(layout.slots - 1 - self.done, 1)
        return CHECKPOINTS(
            rows=rows, columns=columns, tile=layout.tile, width=layout.width, slots=slots, height=layout.height
        )

    def _row(self, band: int) -> cupy.ndarray:
        """The special row above a band, on the device."""
        return self.job.run.upload(self._host_row(band))[0] if self.layout.on_disk else self.rows[band]

    def _host_row(self, band: int) -> np.ndarray:
        return self._part(band - 1)["row"]

    def _part(self, number: int) -> Mapping[str, np.ndarray]:
        assert self.store is not None
        return self.store.saved(number).arrays


class _Saving:
    """Copies bands to the host as they are completed, and hands them to the store."""

    def __init__(self, checkpoints: Checkpoints, job: Job) -> None:
        self.checkpoints, self.job, self.began = checkpoints, job, time.perf_counter()
        self.next_band = checkpoints.done
        self.buffers: list[np.ndarray] = []
        self.written: list[Future[None] | None] = [None] * BUFFERS

    def launched(self, part: Slice, state: cupy.ndarray) -> None:
        """After a launch: bands that it completes begin their way to the disk, if they are to go there at all."""
        checkpoints, layout = self.checkpoints, self.checkpoints.layout
        if checkpoints.store is None:
            return
        through_all = part.end - (self.job.strips - 1) * part.skew - self.job.spread + 1
        complete = checkpoints.done + max(min(through_all, self.job.encoded.rows.size - 1), 0) // layout.tile
        while self.next_band < complete and (layout.on_disk or checkpoints.store.due):
            self._save(state)

    def finish(self) -> None:
        """After the sweep: on the disk is what has to be there, and the last band, which no row ends, in memory."""
        checkpoints, layout = self.checkpoints, self.checkpoints.layout
        if not layout.on_disk:
            return
        for future in self.written:
            self._wait(future)
        rows = layout.rows - (layout.bands - 1) * layout.tile
        checkpoints.tail = np.empty((layout.segments - 1, rows, 2), np.int32)
        self._copy_columns(checkpoints.tail, layout.bands - 1)
        cupy.cuda.get_current_stream().synchronize()

    def _save(self, state: cupy.ndarray) -> None:
        """Queue the copies of the next band behind the launches so far, and have it written when they are done."""
        checkpoints, layout, band = self.checkpoints, self.checkpoints.layout, self.next_band
        assert checkpoints.store is not None
        turn = band % BUFFERS
        self._wait(self.written[turn])
        arrays = self._buffer(turn)
        kept = checkpoints.rows[self._slot(band) if layout.on_disk else band + 1]
        border = _pairs(self.job, (band + 1) * layout.tile, (band + 1) * layout.tile + 1)
        arrays["row"][:1] = border
        copy_rows(arrays["row"][1:], kept[1:], PAIR_BYTES * (layout.width - 1), 1)
        self._copy_columns(arrays["columns"], band)
        copy_rows(arrays["best"], state, arrays["best"][0].nbytes, self.job.strips)
        copied = cupy.cuda.Event()
        copied.record()
        best = checkpoints.best
        facts = {
            "first_row": self.job.first_row,
            "best": [best.score, *best.end],
            "keyed": cuda_sweep.keyed(self.job),
            "ms": checkpoints.before_ms + (time.perf_counter() - self.began) * 1e3,
        }
        fraction = (band + 1) / layout.bands
        self.written[turn] = checkpoints.store.save(facts, arrays, fraction, copied.synchronize)
        self.next_band += 1

    def _copy_columns(self, target: np.ndarray, band: int) -> None:
        """The special columns inside a band."""
        checkpoints, layout = self.checkpoints, self.checkpoints.layout
        if layout.on_disk:
            inside = checkpoints.columns[:, self._slot(band) * layout.tile :]
        else:
            inside = checkpoints.columns[1:, band * layout.tile :]
        if target.size:
            copy_rows(target, inside, PAIR_BYTES * target.shape[1], target.shape[0])

    def _slot(self, band: int) -> int:
        """Where a band is on the device, whose places are used in turn from the first row of the sweep on."""
        return (band - self.checkpoints.done) % self.checkpoints.layout.slots

    def _buffer(self, turn: int) -> dict[str, np.ndarray]:
        """Pinned memory for a band."""
        layout, strips = self.checkpoints.layout, self.job.strips
        shapes = {
            "row": (layout.width, 2),
            "columns": (layout.segments - 1, layout.tile, 2),
            "best": (strips, BEST_FIELDS, LANES),
        }
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        while len(self.buffers) <= turn:
            memory_of_band = cupy.cuda.alloc_pinned_memory(4 * sum(sizes))
            self.buffers.append(np.frombuffer(memory_of_band, np.int32, sum(sizes)))
        pieces = np.split(self.buffers[turn], np.cumsum(sizes)[:-1])
        return {name: piece.reshape(shape) for (name, shape), piece in zip(shapes.items(), pieces, strict=True)}

    def _wait(self, future: Future[None] | None) -> None:
        """Until a band is written; DiskFull where it had to be, and was not."""
        store = self.checkpoints.store
        if future is None or store is None:
            return
        store.wait(self.job.run.monitor.check, future)
        if store.failure and self.checkpoints.layout.on_disk:
            raise DiskFull(
                f"special rows and columns cannot be kept on the disk: {store.failure}; free some room there, raise "
                "checkpoint_memory so that more stays on the GPU, or choose a larger tile"
            )


@contextmanager
def checkpoints(job: Job, layout: Layout) -> Iterator[Checkpoints]:
    """Special rows and columns for a run, with the borders of the matrix in place, and a store where one is needed."""
    if layout.on_disk:
        rows = job.run.empty((layout.slots, layout.width, 2), np.int32)
        columns = job.run.empty((layout.segments - 1, layout.height, 2), np.int32)
        with _store(job) as store:
            yield Checkpoints(job, layout, store, rows, columns)
        return
    rows = job.run.empty((layout.bands, layout.width, 2), np.int32)
    columns = job.run.empty((layout.segments, layout.rows, 2), np.int32)
    kernel = job.kernel(SCORE, "keep_borders", KEYED=cuda_sweep.keyed(job), CHECKPOINTS=True)
    numbers: tuple[Any, ...] = np.int32(layout.rows), np.int32(layout.columns)
    costs = np.int32(job.encoded.open + job.encoded.extend), np.int32(job.encoded.extend), np.int32(layout.tile)
    arguments = rows, np.int32(layout.bands), np.int64(layout.width), columns, *numbers, *costs
    kernel((-(-(max(layout.rows, layout.columns) + 1) // THREADS),), (THREADS,), arguments)
    yield Checkpoints(job, layout, job.run.monitor.store, rows, columns)


@contextmanager
def _store(job: Job) -> Iterator[Store]:
    """The store of the run, or one that lasts as long as it where it has none."""
    if job.run.monitor.store is not None:
        yield job.run.monitor.store
        return
    try:
        memory.disk_folder().mkdir(parents=True, exist_ok=True)
        folder = TemporaryDirectory(dir=memory.disk_folder())
    except OSError as error:
        raise DiskFull(f"{memory.disk_folder()}: checkpoints cannot be kept here ({error.strerror})") from error
    with folder as name:
        store = DiskStore(Path(name), lambda: None)
        try:
            yield store
        finally:
            store.close()


def _pairs(job: Job, start: int, stop: int) -> np.ndarray:
    """Cells of the border of the matrix: H, and a gap state of the same value; int32 (stop - start, 2)."""
    return np.repeat(job.encoded.border(start, stop)[:, None], 2, axis=1)


def _better(one: Best, other: Best) -> Best:
    """The greater score; of equal ones the first cell, by row, then by column."""
    return min(one, other, key=lambda best: (-best.score, best.end))
