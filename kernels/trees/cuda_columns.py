"""Columns of all pairs of rows of an alignment on the GPU; see columns.cu."""

from __future__ import annotations

import time
from pathlib import Path

import cupy
import numpy as np

from kernels.cuda.compile import module
from kernels.monitor import Monitor
from kernels.trees.aligned import AlignedSequences, Columns, classed
from kernels.trees.tiling import Slices

COLUMNS = (Path(__file__).parent / "columns.cu",)
THREADS = 256
FIRST_SLICE = 1 << 30
"""Columns of pairs of the first launch."""
MOST_COUNTS = 1 << 24
"""Pairs of a launch at most."""


def columns_of_pairs(alignment: AlignedSequences, monitor: Monitor, times_ms: dict[str, float]) -> Columns:
    """The columns of every row with those after it, int32 (n, n) each; below the diagonal 0."""
    compiled, times_ms["compilation"] = module(COLUMNS, {})
    kernel = compiled.get_function("compare_rows")
    before = time.perf_counter()
    rows, width = alignment.letters.shape
    padded = np.zeros((rows, -(-width // 4) * 4), np.uint8)
    padded[:, :width] = classed(alignment)
    letters = cupy.asarray(padded.view(np.uint32))
    times_ms["transfer"] += (time.perf_counter() - before) * 1e3
    before = time.perf_counter()
    blocks = 8 * cupy.cuda.Device().attributes["MultiProcessorCount"]
    found = np.zeros((3, rows, rows), np.int32)
    costs = np.arange(rows - 1, -1, -1) * width + 1
    most_rows = max(1, MOST_COUNTS // rows)
    for part in Slices(monitor, int(costs.sum()), FIRST_SLICE, "columns").of(costs):
        for first in range(part.start, part.stop, most_rows):
            last = min(first + most_rows, part.stop)
            counts = [cupy.empty((last - first, rows), np.int32) for _ in range(3)]
            kernel(
                (min(blocks, last - first),),
                (THREADS,),
                (letters, np.int32(letters.shape[1]), np.int32(rows), np.int32(first), np.int32(last), *counts),
            )
            for kept, of_device in zip(found, counts, strict=True):
                kept[first:last] = np.triu(of_device.get(), first + 1)
    times_ms["columns"] = (time.perf_counter() - before) * 1e3
    return Columns(*found)
