"""What the sweep with pruning (pruned_sweep.cuh) needs on the device, and which blocks it skipped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.pairwise.encoding import EncodedPair
from antidiag.kernels.pairwise.model import SkippedBlocks
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes
from antidiag.kernels.pairwise.pruning.bounds import PruningBounds
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_job import LANES, PairJob
from antidiag.kernels.pairwise.strips.cuda_sizes import SweepSlice
from antidiag.kernels.pairwise.strips.cuda_sources import LAUNCH_FIELDS, PRUNING

MOST_OPENING = 2**16 - 1
NO_STRIP = 2**31 - 1, -1
"""First and last strip before any is known."""
NOWHERE = *NO_STRIP, 2**31 - 1, *NO_STRIP
"""The fields of a launch in ``ranges`` (RANGE_FIELDS) before anything is known."""
UNUSED_STATE = 0xC0
"""Byte of registers that no lane has left: as a best score it is less than any."""


@dataclass(frozen=True, eq=False)
class GpuPruning:
    """What pruning needs on each GPU of a sweep: PRUNING has the names; ``cells`` are the boundary cells there."""

    cells: cupy.ndarray
    row_gains: cupy.ndarray
    column_gains: cupy.ndarray
    ranges: cupy.ndarray
    extents: cupy.ndarray


@dataclass(frozen=True, eq=False)
class DevicePruning:
    """Bounds of one sweep, and what all GPUs that share it write on the first one.

    ``job`` is the sweep on as many GPUs as pay, whose bands take groups in turn. ``arrays`` are fields of PRUNING.
    ``begun`` int32 (slices, 2) are the first and last strip whose row 0, or column 0, is of interest and begins in a
    slice. The first ``left_rows`` rows of column 0 are of interest.
    """

    job: PairJob
    bounds: PruningBounds
    slices: list[SweepSlice]
    arrays: dict[str, cupy.ndarray]
    begun: np.ndarray
    left_rows: int
    block_rows: int

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user: whether some of the chosen GPUs are not used."""
        used, chosen = len({cupy.cuda.Device().id, *self.job.peers}), 1 + len(devices.peer_indices())
        if used == chosen:
            return ()
        return (f"Pruning leaves work for {used} of the {chosen} GPUs; with more of them, phase 1 would take as long.",)

    def prepare_gpu(self, cells: cupy.ndarray) -> GpuPruning:
        """Copy the bounds to the current GPU, whose boundary cells these are."""
        job, bounds = self.job, self.bounds
        lanes = np.minimum(np.arange(job.strip_count * LANES + 1) * job.columns_per_lane, job.encoded.columns.size)
        row_gains, column_gains, ranges = job.run.upload_together(
            bounds.row_gains[::LANES].astype(np.int32),
            bounds.column_gains[lanes].astype(np.int32),
            np.tile(np.array(NOWHERE, np.int32), len(self.slices) + 3),
        )
        extents = job.run.allocate_filled((2, job.strip_count), np.uint64)
        return GpuPruning(cells, row_gains, column_gains, ranges, extents)

    def launch_arguments(self, gpus: list[GpuPruning], number: int) -> Callable[[int], tuple]:
        """Return a function from the number of a slice to the kernel arguments (PRUNING) on one of the GPUs."""
        own, following = gpus[number], gpus[(number + 1) % len(gpus)]
        encoded = self.job.encoded
        scoring = encoded.table, encoded.open, encoded.extend
        fixed = PRUNING(
            **self.arrays,
            row_gains=own.row_gains,
            column_gains=own.column_gains,
            extents=own.extents,
            ranges=own.ranges,
            next_cells=following.cells,
            next_extents=following.extents,
            left_ranges=gpus[number - 1].ranges,
            least=self.bounds.least,
            row_cost=self.bounds.row_cost,
            column_cost=self.bounds.column_cost,
            near=cuda_sizes.warp_range(*scoring, self.job.s),
            far=cuda_sizes.border_range(*scoring, self.job.s),
            left_rows=self.left_rows,
            strips=self.job.strip_count,
            blocks=self.arrays["computed"].shape[1],
            block_rows=self.block_rows,
            group=self.slices[0].group,
            cards=len(gpus),
            card=number,
            launch=0,
            first_begun=0,
            last_begun=0,
        )[: -len(LAUNCH_FIELDS)]
        return lambda index: (*fixed, np.int32(index + 1), *self.begun[index])

    def read_skipped(self) -> tuple[SkippedBlocks | None, int]:
        """Return the blocks that were skipped, and the number of cells that were computed."""
        run, (m, n) = self.job.run, (self.job.encoded.rows.size, self.job.encoded.columns.size)
        columns = np.minimum(np.arange(self.job.strip_count + 1, dtype=np.int64) * self.job.s, n)
        share = run.download_array(self.arrays["steps"]) / self.slices[0].steps
        cells = min(round(float(np.diff(columns) @ share) * m), m * n)
        is_skipped = run.download_array(self.arrays["computed"]) == 0
        if not is_skipped.any():
            return None, m * n
        rows = np.minimum(np.arange(is_skipped.shape[1] + 1, dtype=np.int64) * self.block_rows, m)
        return SkippedBlocks(rows, columns, np.packbits(is_skipped, axis=1), m * n - cells), cells


def prepare_pruning(job: PairJob, bounds: PruningBounds | None) -> DevicePruning | None:
    """Copy the bounds of the whole pair to the device; return None where the sweep computes all cells.

    That is where few are expected to be skipped, gap costs have two pieces or a large opening, or the GPU is too old.
    """
    if bounds is None or job.encoded.second is not None or job.encoded.open > MOST_OPENING or not _can_reduce():
        return None
    rows, columns, strips = job.encoded.rows.size, job.encoded.columns.size, job.strip_count
    gpus = cupy.cuda.Device().id, *job.peers
    multiprocessors = [devices.find_device(index).multiprocessors for index in gpus]
    share = pruning_sizes.estimate_share(bounds) if job.peers else 1.0
    turn, group = cuda_sizes.deal_strips(rows, columns, job.s, job.packed, share, multiprocessors)
    peers = tuple(gpus[place] for place in turn[1:])
    job, bounds = replace(job, peers=peers), bounds.restrict(job.first_row, 0, bounds.least)
    slices = cuda_sizes.make_slices(
        rows, columns, job.s, job.batch, spread=job.row_spread, slack=cuda_sizes.PRUNED_SLACK, group=group
    )
    length = slices[0].end - slices[0].start
    numbers = [part.start // length for part in slices]
    if slices[0].skew > length or numbers != list(range(len(slices))) or len(slices) > cuda_sizes.MOST_LAUNCHES:
        return None
    block_rows, blocks = cuda_sizes.pruning_blocks(rows, strips)
    arrays = {
        "lives": job.run.allocate_filled(strips, np.int32),
        "steps": job.run.allocate_filled(strips, np.int32),
        "computed": job.run.allocate_filled((strips, blocks), np.uint8),
    }
    alive_at_top, left_rows = _find_borders_of_interest(job, bounds)
    begun = _find_begun_strips(slices, alive_at_top, left_rows)
    return DevicePruning(job, bounds, slices, arrays, begun, left_rows, block_rows)


def _find_begun_strips(slices: list[SweepSlice], alive_at_top: np.ndarray, left_rows: int) -> np.ndarray:
    """Return `DevicePruning.begun`; ``alive_at_top`` are the strips whose row 0 is of interest, ascending."""
    begins = np.searchsorted(slices[0].shift_of(alive_at_top), [[part.start, part.end] for part in slices])
    begun = np.array([(alive_at_top[a], alive_at_top[b - 1]) if a < b else NO_STRIP for a, b in begins], np.int32)
    beside = np.array([part.first_strip == 0 and part.start < left_rows for part in slices])
    begun[beside, 0], begun[beside, 1] = 0, np.maximum(begun[beside, 1], 0)
    return begun


def _can_reduce() -> bool:
    """Return whether the GPU finds the greatest number of a warp in one instruction (compute capability 8)."""
    return int(cupy.cuda.Device().compute_capability) >= 80


def _find_borders_of_interest(job: PairJob, bounds: PruningBounds) -> tuple[np.ndarray, int]:
    """Return the strips whose row 0, and the number of rows whose column 0, may lie on a best alignment.

    All, where the borders are those of a run that continues and have other values.
    """
    pair: EncodedPair = job.encoded
    m, n, strips = pair.rows.size, pair.columns.size, job.strip_count
    if job.first_row:
        return np.arange(strips), m
    starts = np.arange(strips, dtype=np.int64) * job.s
    ends = np.minimum(starts + job.s, n)
    by_rows = int(bounds.row_gains[0]) - bounds.column_cost * np.maximum(n - ends - m, 0)
    by_columns = bounds.column_gains[starts] - bounds.row_cost * np.maximum(m - (n - starts), 0)
    top = pair.top_scores(0, n, job.s) + np.minimum(by_rows, by_columns)
    rows = np.arange(0, m + 1, LANES, dtype=np.int64)
    by_rows = bounds.row_gains[rows] - bounds.column_cost * np.maximum(n - (m - rows), 0)
    by_columns = int(bounds.column_gains[0]) - bounds.row_cost * np.maximum(m - np.minimum(rows + LANES, m) - n, 0)
    left = pair.left_scores(0, m + 1, LANES) + np.minimum(by_rows, by_columns)
    reached = np.flatnonzero(left >= bounds.least)
    left_rows = int(rows[reached[-1]]) + LANES + job.row_spread if reached.size else 0
    return np.flatnonzero(top >= bounds.least), left_rows
