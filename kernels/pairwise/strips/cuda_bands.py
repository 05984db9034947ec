"""Bands of strips over several GPUs: each computes a band, one slice behind the GPU of the band on its left.

The right boundary of a band's last strip is copied to the next GPU between two slices, so that no kernel waits for
another GPU, or knows of one. Sequences and boundaries lie on the GPU of their band; the registers of the lanes between
two slices, the log, and special rows and columns lie on the first GPU, where the others write them through peer memory.

With pruning only strips around the path are at work, of a single band mostly. So a band then has groups of strips that
are dealt to the bands in turn (DealtStrips in pruned_sweep.cuh, whose cards are bands). Groups, not bands, are a slice
behind each other, and their kernels store what the next group needs on its GPU. A slice begins when neighbouring bands
ended the one before. A GPU that is much faster than another has several bands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import block_limits, devices
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_job import LANES, PairJob, block_warps, copy_rows
from antidiag.kernels.pairwise.strips.cuda_pruning import DevicePruning, GpuPruning
from antidiag.kernels.pairwise.strips.cuda_sizes import SweepSlice
from antidiag.kernels.pairwise.strips.cuda_sources import BOUNDARY, SLICE

SLICES_BEHIND = 2
"""A slice overwrites what was copied for the band on the right this many slices before."""


@dataclass(eq=False)
class StripBand:
    """The strips ``first_strip`` to ``end_strip`` (exclusive) of a sweep, or the groups of them dealt to one GPU.

    ``boundary`` uint64 (strips, capacity) are their right boundaries, below that of the strip on the left where there
    is a band; ``problem`` and ``tickets`` are arguments of the kernel. ``done`` and ``copied`` are the events behind
    each slice, and behind the copy of the left boundary before it. Bands with pruning have ``neighbours`` in place of
    ``left`` and ``right``, and ``last_arguments`` of the kernel for each slice. ``strip_ranges`` are first and end of
    the strips that the GPU computes.
    """

    device: int
    stream: cupy.cuda.Stream
    first_strip: int
    end_strip: int
    kernel: Any
    problem: tuple
    boundary: cupy.ndarray
    tickets: cupy.ndarray
    shared_bytes: int
    piece_count: int
    warps: int
    most_blocks: int
    left: StripBand | None = None
    right: StripBand | None = None
    neighbours: tuple[StripBand, ...] = ()
    last_arguments: Callable[[int], tuple] = lambda number: ()
    strip_ranges: list[tuple[int, int]] = field(default_factory=list)
    done: list[cupy.cuda.Event] = field(default_factory=list)
    copied: list[cupy.cuda.Event] = field(default_factory=list)

    def launch(self, number: int, part: SweepSlice, batch: int, between: tuple, others: tuple) -> None:
        """Queue a slice: its strips of this band, behind the same slice of the band on the left.

        ``between`` are the arguments of the kernel before its tickets, ``others`` those behind its slice.
        """
        first, end = max(part.first_strip, self.first_strip), min(part.end_strip, self.end_strip)
        with devices.translate_errors(self.device), cupy.cuda.Device(self.device), self.stream:
            self._wait_for_bands(number)
            if first < end:
                slice_ = SLICE(
                    first_strip=first,
                    end_strip=end,
                    steps=part.steps,
                    skew=part.skew,
                    batch=batch,
                    start=part.start,
                    end=part.end,
                )
                blocks = min(-(-(end - first) // self.warps), self.most_blocks)
                arguments = *self.problem, *self._boundary_arguments, *between, self.tickets[number:], *slice_, *others
                grid, threads = (blocks, self.tickets.shape[1]), (self.warps * LANES,)
                arguments += self.last_arguments(number)
                self.kernel(grid, threads, arguments, shared_mem=self.warps * self.shared_bytes)
            if self.left or self.right or self.neighbours:
                self.done.append(self.record_event())

    def wait_for_slice(self, other: StripBand, number: int) -> None:
        """Queue what follows behind a slice of another band."""
        if other is not self:
            self.stream.wait_event(other.done[number])

    def _wait_for_bands(self, number: int) -> None:
        """Queue the copy of the left boundary, and the waits for what the slice reads and overwrites."""
        for other in self.neighbours if number else ():
            self.wait_for_slice(other, number - 1)
        if self.left:
            self.stream.wait_event(self.left.done[number])
            incoming, outgoing = self.boundary[0], self.left.boundary[-1]
            incoming.data.copy_from_device_async(outgoing.data, incoming.nbytes, self.stream)
            self.copied.append(self.record_event())
        if self.right and number >= SLICES_BEHIND:
            self.stream.wait_event(self.right.copied[number - SLICES_BEHIND])

    def record_event(self) -> cupy.cuda.Event:
        """Return an event behind what is queued on the GPU of the band."""
        event = cupy.cuda.Event(disable_timing=True)
        event.record(self.stream)
        return event

    @property
    def _boundary_arguments(self) -> tuple:
        """The boundaries as an argument of the kernel, which counts strips from the first one of the matrix on."""
        capacity, row_bytes = int(self.boundary.shape[1]) // self.piece_count, self.boundary.strides[0]
        strips_before = self.first_strip - (self.left is not None)
        address = self.boundary.data.ptr - strips_before * row_bytes
        return BOUNDARY(cells=np.uint64(address), capacity=capacity)


@contextmanager
def open_bands(
    job: PairJob,
    compile_kernel: Callable[[], Any],
    slices: list[SweepSlice],
    shared_bytes: int,
    boundary: cupy.ndarray | None = None,
) -> Iterator[list[StripBand]]:
    """Distribute the strips of a job over the current GPU and its peers; at the end nothing is running there.

    With a ``boundary`` for all strips, they are one band on the current GPU.
    """
    if boundary is not None:
        own = cupy.cuda.get_current_stream()
        yield [_make_band(job, own, (0, len(boundary)), compile_kernel(), boundary, len(slices), shared_bytes)]
        return
    indices, cuts = band_gpus(job), place_bands(job)
    rows, columns = job.encoded.rows.size, job.encoded.columns.size
    capacity = cuda_sizes.boundary_rows(rows, columns, job.s, job.batch, False, job.row_spread, job.band_count)
    with ExitStack() as opened:
        bands: list[StripBand] = []
        for index, first, end in zip(indices, cuts[:-1], cuts[1:], strict=True):
            left = bands[-1] if bands else None
            with _enter_gpu(opened, index, bool(left)) as stream:
                shape = end - first + bool(left), capacity * job.piece_count
                own_boundary = job.run.allocate_filled(shape, np.uint64, byte=0xFF)
                kernel = compile_kernel()
                bands.append(_make_band(job, stream, (first, end), kernel, own_boundary, len(slices), shared_bytes))
            if left:
                bands[-1].left, left.right = left, bands[-1]
        yield bands


@contextmanager
def open_dealt_bands(
    job: PairJob, compile_kernel: Callable[[], Any], pruning: DevicePruning, shared_bytes: int
) -> Iterator[list[StripBand]]:
    """Deal the strips of a job with pruning to the current GPU and its peers; at the end nothing is running there."""
    slices, strips = pruning.slices, job.strip_count
    group, count = slices[0].group, job.band_count
    rows, columns = job.encoded.rows.size, job.encoded.columns.size
    capacity = cuda_sizes.dealt_boundary_rows(rows, columns, job.s, job.batch, job.row_spread, count)
    shape = -(-strips // (group * count)) * (group + 1), capacity
    with ExitStack() as opened:
        bands: list[StripBand] = []
        parts: list[GpuPruning] = []
        for index in band_gpus(job):
            with _enter_gpu(opened, index, bool(bands)) as stream:
                boundary = job.run.allocate_filled(shape, np.uint64, byte=0xFF)
                kernel = compile_kernel()
                bands.append(_make_band(job, stream, (0, strips), kernel, boundary, len(slices), shared_bytes))
                bands[-1].most_blocks = min(bands[-1].most_blocks, block_limits.multiprocessor_count())
                parts.append(pruning.prepare_gpu(boundary))
        for number, band in enumerate(bands):
            band.last_arguments = pruning.launch_arguments(parts, number)
            band.strip_ranges = [
                (first, min(first + group, strips)) for first in range(number * group, strips, count * group)
            ]
            around = {(number - 1) % count, (number + 1) % count} - {number}
            band.neighbours = tuple(bands[other] for other in sorted(around))
            with devices.translate_errors(band.device), cupy.cuda.Device(band.device):
                band.stream.synchronize()  # the neighbours store cells where these were filled
        yield bands


@contextmanager
def _enter_gpu(opened: ExitStack, index: int, is_peer: bool) -> Iterator[cupy.cuda.Stream]:
    """Make a GPU of a job current; return its stream. A peer is given back when ``opened`` is closed."""
    own = cupy.cuda.get_current_stream()
    peer = opened.enter_context(devices.use_peer(index)) if is_peer else own
    with devices.translate_errors(index), cupy.cuda.Device(index), peer as stream:
        yield stream


def band_gpus(job: PairJob) -> tuple[int, ...]:
    """Return the GPU of each band of a job; the first one is the current GPU."""
    return cupy.cuda.Device().id, *job.peers[: job.band_count - 1]


def place_bands(job: PairJob) -> list[int]:
    """Return where the bands of a job without pruning begin, and the end of the last one."""
    return cut_bands(job.strip_count, [devices.find_device(index).multiprocessors for index in band_gpus(job)])


def find_owners(job: PairJob, group: int) -> np.ndarray:
    """Return the GPU of each strip; ``group`` of them are dealt at a time."""
    strips = np.arange(job.strip_count)
    if group < job.strip_count:
        bands = strips // group % job.band_count
    else:
        bands = np.searchsorted(place_bands(job), strips, "right") - 1
    return np.array(band_gpus(job))[bands]


def copy_lanes(target: np.ndarray, state: cupy.ndarray, band: StripBand) -> cupy.cuda.Event:
    """Queue a copy of what lanes keep to the host, behind the slices of a band and for its strips; return its end.

    ``target`` int32 (strips, fields, lanes) gets the first fields. Other bands may store theirs at the same time.
    """
    with cupy.cuda.Device(band.device), band.stream:
        for first, end in band.strip_ranges:
            copy_rows(target[first:end], state[first:end], target[0].nbytes, end - first)
        return band.record_event()


def wait_for_events(events: Sequence[cupy.cuda.Event]) -> None:
    """Wait until all events have passed."""
    for event in events:
        event.synchronize()


def cut_bands(strips: int, weights: Sequence[int]) -> list[int]:
    """Return where bands of strips begin, and the end of the last one, by the weights of their GPUs; none is empty."""
    shares, count = np.cumsum([0, *weights]) / sum(weights), len(weights)
    return [
        min(max(round(share * strips), place), strips - count + place) for place, share in enumerate(shares.tolist())
    ]


def _make_band(
    job: PairJob,
    stream: cupy.cuda.Stream,
    strips: tuple[int, int],
    kernel: Any,
    boundary: cupy.ndarray,
    slices: int,
    shared_bytes: int,
) -> StripBand:
    """Make a band on the current GPU; its sequences are copied there where it is a peer."""
    warps, most_blocks = block_warps(kernel, job.threads, shared_bytes)
    encoded, sequences = job.encoded, job.sequences
    if cupy.cuda.Device().id in job.peers:
        sequences = job.run.upload_together(encoded.rows, encoded.columns, encoded.table)
    return StripBand(
        device=cupy.cuda.Device().id,
        stream=stream,
        first_strip=strips[0],
        end_strip=strips[1],
        kernel=kernel,
        problem=job.strip_arguments(sequences),
        boundary=boundary,
        tickets=job.run.allocate_filled((slices, job.tiles), np.uint32),
        shared_bytes=shared_bytes,
        piece_count=job.piece_count,
        warps=warps,
        most_blocks=most_blocks,
        strip_ranges=[strips],
    )
