"""What the sweep with pruning (pruned_sweep.cuh) needs on the device, and which blocks it skipped."""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from antidiag.kernels.pairwise.encoding import EncodedPair
from antidiag.kernels.pairwise.model import SkippedBlocks
from antidiag.kernels.pairwise.pruning.bounds import PruningBounds
from antidiag.kernels.pairwise.strips import cuda_sizes
from antidiag.kernels.pairwise.strips.cuda_job import LANES, PairJob
from antidiag.kernels.pairwise.strips.cuda_sizes import SweepSlice
from antidiag.kernels.pairwise.strips.cuda_sources import PRUNING

MOST_LAUNCHES = 2**16 - 2
"""Boundary cells hold the number of a launch in 16 bits, of which all ones are unused."""
MOST_OPENING = 2**16 - 1
NOWHERE = 2**31 - 1, -1, 2**31 - 1
"""First and last strip, and where a launch stops, before any is known."""
UNUSED_STATE = 0xC0
"""Byte of registers that no lane has left: as a best score it is less than any."""


@dataclass(frozen=True, eq=False)
class DevicePruning:
    """Bounds on the device for one sweep; ``alive_at_top`` are the strips whose row 0 is of interest, ascending."""

    job: PairJob
    bounds: PruningBounds
    slices: list[SweepSlice]
    arrays: dict[str, cupy.ndarray]
    alive_at_top: np.ndarray
    left_rows: int
    block_rows: int

    def launch_arguments(self, part: SweepSlice) -> tuple:
        """Return the kernel arguments (PRUNING) of a launch."""
        begins = self.alive_at_top[np.searchsorted(self.alive_at_top, -(-part.start // part.skew)) :]
        begins = begins[: np.searchsorted(begins, part.end_strip)]
        first, last = (int(begins[0]), int(begins[-1])) if begins.size else NOWHERE[:2]
        if part.first_strip == 0 and part.start < self.left_rows:
            first, last = 0, max(last, 0)
        encoded = self.job.encoded
        scoring = encoded.table, encoded.open, encoded.extend
        return PRUNING(
            **self.arrays,
            least=self.bounds.least,
            row_cost=self.bounds.row_cost,
            column_cost=self.bounds.column_cost,
            near=cuda_sizes.warp_range(*scoring, self.job.s),
            far=cuda_sizes.border_range(*scoring, self.job.s),
            left_rows=self.left_rows,
            strips=self.job.strip_count,
            blocks=self.arrays["computed"].shape[1],
            block_rows=self.block_rows,
            launch=part.start // (part.end - part.start) + 1,
            first_begun=first,
            last_begun=last,
        )

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
    """Copy the bounds of a pair to the device; return None where the sweep computes all cells.

    That is where few are expected to be skipped, gap costs have two pieces or a large opening, or the GPU is too old.
    """
    if bounds is None or job.encoded.second is not None or job.encoded.open > MOST_OPENING or not _can_reduce():
        return None
    rows, columns = job.encoded.rows.size, job.encoded.columns.size
    slices = cuda_sizes.make_slices(rows, columns, job.s, job.batch, spread=job.row_spread)
    length, skew = slices[0].end - slices[0].start, slices[0].skew
    numbers = [part.start // length for part in slices]
    if skew > length or numbers != list(range(len(slices))) or len(slices) > MOST_LAUNCHES:
        return None
    strips = job.strip_count
    lanes = np.minimum(np.arange(strips * LANES + 1) * job.columns_per_lane, columns)
    block_rows, blocks = cuda_sizes.pruning_blocks(rows, strips)
    row_gains, column_gains, ranges = job.run.upload_together(
        bounds.row_gains[::LANES].astype(np.int32),
        bounds.column_gains[lanes].astype(np.int32),
        np.tile(np.array(NOWHERE, np.int32), len(slices) + 2),
    )
    arrays = {
        "row_gains": row_gains,
        "column_gains": column_gains,
        "ranges": ranges,
        "extents": job.run.allocate_filled((2, strips), np.uint64),
        "lives": job.run.allocate_filled(strips, np.int32),
        "steps": job.run.allocate_filled(strips, np.int32),
        "computed": job.run.allocate_filled((strips, blocks), np.uint8),
    }
    return DevicePruning(job, bounds, slices, arrays, *_find_borders_of_interest(job, bounds), block_rows)


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
