"""6-mers that all pairs share, counted on the GPU; see words.cu."""

from __future__ import annotations

import time
from pathlib import Path

import cupy
import numpy as np

from kernels.cuda.compile import module
from kernels.monitor import Monitor
from kernels.trees.tiling import Slices
from kernels.trees.words import Words

HERE = Path(__file__).parent
WORDS = (HERE / "pairs.cuh", HERE / "words.cu")
THREADS = 256
MOST_IN_A_BYTE = 255
FIRST_SLICE = 1 << 28
"""Words of the first launch."""
MOST_COUNTS = 1 << 26
"""Counts that a launch brings back at most."""


def common_words(words: Words, monitor: Monitor, times_ms: dict[str, float]) -> np.ndarray:
    """6-mers that each sequence shares with those after it, int32 (n, n); below the diagonal 0."""
    compiled, times_ms["compilation"] = module(WORDS, {})
    kernel, taxa = compiled.get_function("common_words"), words.totals.size
    before = time.perf_counter()
    arrays = tuple(cupy.asarray(array) for array in (words.words, words.counts, words.starts))
    blocks = 4 * cupy.cuda.Device().attributes["MultiProcessorCount"]
    in_bytes = words.counts.max(initial=0) <= MOST_IN_A_BYTE
    tables = np.uint64(0) if in_bytes else cupy.empty(blocks * words.bins, np.int32)
    shared = -(-words.bins // 4) * 4 if in_bytes else 0
    times_ms["transfer"] += (time.perf_counter() - before) * 1e3
    before = time.perf_counter()
    common = np.zeros((taxa, taxa), np.int32)
    costs = words.starts[-1] - words.starts[1:] + 1
    most_rows = max(1, MOST_COUNTS // taxa)
    slices = Slices(monitor, int(costs.sum()), FIRST_SLICE)
    for part in slices.of(costs):
        for first in range(part.start, part.stop, most_rows):
            last = min(first + most_rows, part.stop)
            found = cupy.empty((last - first, taxa), np.int32)
            kernel((min(blocks, last - first),), (THREADS,),
                   (*arrays, np.int32(taxa), np.int32(words.bins), np.int32(first), np.int32(last), tables, found),
                   shared_mem=shared)  # fmt: skip
            common[first:last] = np.triu(found.get(), first + 1)
    times_ms["words"] = (time.perf_counter() - before) * 1e3
    return common
