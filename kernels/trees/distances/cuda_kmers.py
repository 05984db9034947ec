"""6-mers that all pairs share, counted on the GPU; see kmers.cu."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.cpu.workers import stop_word
from antidiag.kernels.cuda import blocks
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.trees.distances.cpu_counts import filled
from antidiag.kernels.trees.distances.cpu_kmers import Sizes, distances_of_counts, sizes_of
from antidiag.kernels.trees.distances.cuda_sources import WORDS
from antidiag.kernels.trees.distances.kmers import Kmers, sixmers
from antidiag.kernels.trees.distances.problem import SixmerProblem
from antidiag.kernels.trees.distances.sizes import MOST_IN_A_BYTE
from antidiag.kernels.trees.distances.tiling import Slices

THREADS = 256
FIRST_SLICE = 1 << 28
"""Words of the first launch."""
MOST_COUNTS = 1 << 26
"""Counts that a launch brings back at most."""


def distances(problem: SixmerProblem, run: Run) -> np.ndarray:
    """`kmers.distances_of_kmers` of all pairs, float64 (n, n)."""
    kernel = run.kernel(WORDS, "common_words")
    run.spend("compilation", time_ms(_compile))
    with run.timed("words"):
        kmers = sixmers(problem.sequences, problem.protein, run.monitor.check)
        sizes, common = sizes_of(kmers), _common_words(kmers, kernel, run)
        return filled(
            lambda first, last, values, stop: distances_of_counts(sizes, common, first, last, values, stop),
            len(common), run.monitor.check,
        )  # fmt: skip


def _compile() -> None:
    """Once on nothing, so that nothing is compiled while the clock runs."""
    none = np.zeros(0)
    distances_of_counts(Sizes(none, none, 0.0), np.zeros((0, 0), np.int32), 0, 0, np.zeros((0, 0)), stop_word())


def _common_words(kmers: Kmers, kernel: Any, run: Run) -> np.ndarray:
    """6-mers that each sequence shares with those after it, int32 (n, n); below the diagonal anything."""
    taxa, grid = kmers.totals.size, 4 * blocks.multiprocessors()
    in_bytes = kmers.counts.max(initial=0) <= MOST_IN_A_BYTE
    shared = -(-kmers.bins // 4) * 4 if in_bytes else 0
    with run.timed("transfer"):
        arrays = tuple(cupy.asarray(array) for array in (kmers.kmers, kmers.counts, kmers.starts))
        tables = np.uint64(0) if in_bytes else run.empty(grid * kmers.bins, np.int32)
    common = np.empty((taxa, taxa), np.int32)
    costs = kmers.starts[-1] - kmers.starts[1:] + 1
    most_rows = max(1, MOST_COUNTS // taxa)
    slices = Slices(run.monitor, run.steps, int(costs.sum()), FIRST_SLICE)
    for part in slices.of(costs):
        for first in range(part.start, part.stop, most_rows):
            last = min(first + most_rows, part.stop)
            found = run.empty((last - first, taxa), np.int32)
            sizes = (np.int32(size) for size in (taxa, kmers.bins, first, last))
            arguments = *arrays, *sizes, tables, found
            kernel((min(grid, last - first),), (THREADS,), arguments, shared_mem=shared)
            found.get(out=common[first:last])
    return common
