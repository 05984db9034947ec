"""6-mers that all pairs share, counted on the GPU; see kmers.cu."""

from __future__ import annotations

import cupy
import numpy as np

from kernels.cuda import blocks
from kernels.cuda.run import Run
from kernels.trees.distances.cuda_sources import WORDS
from kernels.trees.distances.kmers import Kmers
from kernels.trees.distances.sizes import MOST_IN_A_BYTE
from kernels.trees.distances.tiling import Slices

THREADS = 256
FIRST_SLICE = 1 << 28
"""Words of the first launch."""
MOST_COUNTS = 1 << 26
"""Counts that a launch brings back at most."""


def common_words(kmers: Kmers, run: Run) -> np.ndarray:
    """6-mers that each sequence shares with those after it, int32 (n, n); below the diagonal 0."""
    kernel, taxa = run.kernel(WORDS, "common_words"), kmers.totals.size
    grid = 4 * blocks.multiprocessors()
    in_bytes = kmers.counts.max(initial=0) <= MOST_IN_A_BYTE
    shared = -(-kmers.bins // 4) * 4 if in_bytes else 0
    with run.timed("transfer"):
        arrays = tuple(cupy.asarray(array) for array in (kmers.kmers, kmers.counts, kmers.starts))
        tables = np.uint64(0) if in_bytes else run.empty(grid * kmers.bins, np.int32)
    common = np.zeros((taxa, taxa), np.int32)
    costs = kmers.starts[-1] - kmers.starts[1:] + 1
    most_rows = max(1, MOST_COUNTS // taxa)
    slices = Slices(run.monitor, run.steps, int(costs.sum()), FIRST_SLICE)
    with run.timed("words"):
        for part in slices.of(costs):
            for first in range(part.start, part.stop, most_rows):
                last = min(first + most_rows, part.stop)
                found = run.empty((last - first, taxa), np.int32)
                sizes = (np.int32(size) for size in (taxa, kmers.bins, first, last))
                arguments = *arrays, *sizes, tables, found
                kernel((min(grid, last - first),), (THREADS,), arguments, shared_mem=shared)
                common[first:last] = np.triu(found.get(), first + 1)
    return common
