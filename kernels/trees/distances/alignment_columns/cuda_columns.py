"""Column counts of all pairs of rows of an alignment on the GPU; see columns.cu."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.trees.distances.alignment_columns.column_distances import PairColumnCounts, classify_letters
from antidiag.kernels.trees.distances.cuda_sources import COLUMNS
from antidiag.kernels.trees.distances.pair_tiles import LaunchSlices

THREADS = 256
FIRST_SLICE = 1 << 30
"""Columns of pairs of the first launch."""
MOST_COUNTS = 1 << 24
"""Pairs of a launch at most."""


def count_pair_columns(alignment: AlignedSequences, run: DeviceRun) -> PairColumnCounts:
    """Count the columns of every row with those after it, int32 (n, n) each; below the diagonal 0."""
    kernel = run.compile_kernel(COLUMNS, "compare_rows")
    rows, width = alignment.letters.shape
    padded = np.zeros((rows, -(-width // 4) * 4), np.uint8)
    padded[:, :width] = classify_letters(alignment)
    letters = run.upload_array(padded.view(np.uint32))
    found = np.zeros((3, rows, rows), np.int32)
    costs = np.arange(rows - 1, -1, -1) * width + 1
    most_rows = max(1, MOST_COUNTS // rows)
    with run.time_phase("columns"):
        for part in LaunchSlices(run, int(costs.sum()), FIRST_SLICE, "columns").split_items(costs):
            for first in range(part.start, part.stop, most_rows):
                last = min(first + most_rows, part.stop)
                counts = [run.allocate_array((last - first, rows), np.int32) for _ in range(3)]
                sizes = (np.int32(size) for size in (letters.shape[1], rows, first, last))
                grid = min(8 * block_limits.multiprocessor_count(), last - first)
                kernel((grid,), (THREADS,), (letters, *sizes, *counts))
                for kept, of_device in zip(found, counts, strict=True):
                    kept[first:last] = np.triu(run.download_array(of_device), first + 1)
    return PairColumnCounts(*found)
