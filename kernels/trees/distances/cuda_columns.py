"""Columns of all pairs of rows of an alignment on the GPU; see columns.cu."""

from __future__ import annotations

import cupy
import numpy as np

from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.trees.distances.columns import Columns, classed
from antidiag.kernels.trees.distances.cuda_sources import COLUMNS
from antidiag.kernels.trees.distances.tiling import Slices

THREADS = 256
FIRST_SLICE = 1 << 30
"""Columns of pairs of the first launch."""
MOST_COUNTS = 1 << 24
"""Pairs of a launch at most."""


def columns_of_pairs(alignment: AlignedSequences, run: Run) -> Columns:
    """The columns of every row with those after it, int32 (n, n) each; below the diagonal 0."""
    kernel = run.kernel(COLUMNS, "compare_rows")
    with run.timed("transfer"):
        rows, width = alignment.letters.shape
        padded = np.zeros((rows, -(-width // 4) * 4), np.uint8)
        padded[:, :width] = classed(alignment)
        letters = cupy.asarray(padded.view(np.uint32))
    found = np.zeros((3, rows, rows), np.int32)
    costs = np.arange(rows - 1, -1, -1) * width + 1
    most_rows = max(1, MOST_COUNTS // rows)
    with run.timed("columns"):
        for part in Slices(run.monitor, run.steps, int(costs.sum()), FIRST_SLICE, "columns").of(costs):
            for first in range(part.start, part.stop, most_rows):
                last = min(first + most_rows, part.stop)
                counts = [run.empty((last - first, rows), np.int32) for _ in range(3)]
                sizes = (np.int32(size) for size in (letters.shape[1], rows, first, last))
                grid = min(8 * blocks.multiprocessors(), last - first)
                kernel((grid,), (THREADS,), (letters, *sizes, *counts))
                for kept, of_device in zip(found, counts, strict=True):
                    kept[first:last] = np.triu(of_device.get(), first + 1)
    return Columns(*found)
