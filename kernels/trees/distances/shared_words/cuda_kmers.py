"""Shared 6-mers of all pairs, counted on the GPU; see kmers.cu."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cuda import block_limits
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.trees.distances.cpu_count_distances import fill_matrix
from antidiag.kernels.trees.distances.cuda_sources import WORDS
from antidiag.kernels.trees.distances.pair_tiles import LaunchSlices
from antidiag.kernels.trees.distances.problem import SixmerProblem
from antidiag.kernels.trees.distances.shared_words.cpu_kmers import KmerTotals, distances_of_counts, kmer_totals
from antidiag.kernels.trees.distances.shared_words.kmers import KmerCounts, count_sixmers
from antidiag.kernels.trees.distances.sizes import MOST_IN_A_BYTE

THREADS = 256
FIRST_SLICE = 1 << 28
"""Words of the first launch."""
MOST_COUNTS = 1 << 26
"""Counts that a launch downloads at most."""


def sixmer_distances(problem: SixmerProblem, run: DeviceRun) -> np.ndarray:
    """Return MAFFT's distances of all pairs, float64 (n, n); see `cpu_kmers.kmer_distance`."""
    kernel = run.compile_kernel(WORDS, "common_words")
    run.compile_host_code(_compile_distances)
    with run.time_phase("words"):
        kmers = count_sixmers(problem.sequences, problem.is_protein, run.monitor.check)
        sizes, common = kmer_totals(kmers), _common_words(kmers, kernel, run)
        return fill_matrix(partial(distances_of_counts, sizes, common), len(common), run.monitor.check)


def _compile_distances() -> None:
    """Compile the distances before the clock runs."""
    none = np.zeros(0)
    distances_of_counts(KmerTotals(none, none, 0.0), np.zeros((0, 0), np.int32), 0, 0, np.zeros((0, 0)))


def _common_words(kmers: KmerCounts, kernel: Any, run: DeviceRun) -> np.ndarray:
    """Count 6-mers that each sequence shares with those after it, int32 (n, n); below the diagonal anything."""
    taxa, grid = kmers.totals.size, 4 * block_limits.multiprocessor_count()
    in_bytes = kmers.counts.max(initial=0) <= MOST_IN_A_BYTE
    shared = -(-kmers.bins // 4) * 4 if in_bytes else 0
    arrays = tuple(map(run.upload_array, (kmers.kmers, kmers.counts, kmers.starts)))
    tables = np.uint64(0) if in_bytes else run.allocate_array(grid * kmers.bins, np.int32)
    common = np.empty((taxa, taxa), np.int32)
    costs = kmers.starts[-1] - kmers.starts[1:] + 1
    most_rows = max(1, MOST_COUNTS // taxa)
    slices = LaunchSlices(run, int(costs.sum()), FIRST_SLICE)
    for part in slices.split_items(costs):
        for first in range(part.start, part.stop, most_rows):
            last = min(first + most_rows, part.stop)
            found = run.allocate_array((last - first, taxa), np.int32)
            sizes = (np.int32(size) for size in (taxa, kmers.bins, first, last))
            arguments = *arrays, *sizes, tables, found
            kernel((min(grid, last - first),), (THREADS,), arguments, shared_mem=shared)
            run.download_array(found, into=common[first:last])
    return common
