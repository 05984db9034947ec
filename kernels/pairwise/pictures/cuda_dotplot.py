"""The dot plot on a GPU (dotplot.cu): the word index, and matches counted by pixel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures.cpu_dotplot import (
    BASE,
    COMPLEMENTS,
    FEW,
    SPREAD,
    UNKNOWN,
    MatchCounts,
    PixelRange,
    WordBuckets,
    WordHashing,
    hash_parameters,
)
from antidiag.kernels.pairwise.pictures.dotplot_sizes import bucket_count

LOOKED = DeviceStruct(
    "Looked",
    """
    const unsigned char *codes, *queries;        // letters of the index and of the queries
    const int *starts, *places;                  // words of bucket b are places[starts[b]..starts[b + 1])
    int k, unused;                               // letters of a word; bits of a hash that its bucket does not use
""",
)
PIXELS = DeviceStruct("Pixels", "\n    long long low, high, start, size, number;    // cpu_dotplot.Pixels\n")
HALF = 1 << 32
DOTPLOT = (
    DeviceConstants.from_values(
        BASE_LOW=BASE % HALF,
        BASE_HIGH=BASE // HALF,
        SPREAD_LOW=SPREAD % HALF,
        SPREAD_HIGH=SPREAD // HALF,
        UNKNOWN=UNKNOWN,
        COMPLEMENTS=COMPLEMENTS,
        FEW=FEW,
    ),
    LOOKED,
    PIXELS,
    Path(__file__).with_name("dotplot.cu"),
)
THREADS = 256
LOOKUPS = 2**28
"""Most places that the queries of a launch compare together."""
MOST_QUERIES = 2**22


def build_index(
    codes: np.ndarray, k: int, step: int, most_words: int, monitor: Monitor, device: int
) -> tuple[WordBuckets, WordHashing]:
    """Index the words at every ``step``-th place by bucket, as `dotplot` does on the CPU; at most ``room`` words.

    Raises Cancelled, MemoryRefused, BackendUnavailable.
    """
    buckets = bucket_count(most_words)
    hashed = hash_parameters(k, buckets)
    with devices.use_device(device):
        run = DeviceRun(monitor)
        count = max((codes.size - k) // step + 1, 0)
        kernel = run.compile_kernel(DOTPLOT, "place_buckets")
        found = run.allocate_filled(count + 1, np.int32, 0x7F)[:count]
        letters = run.upload_array(codes)
        with run.begin_phase("words") as phase:
            if count:
                numbers = map(np.int32, (k, hashed.unused, step, count, buckets))
                kernel((-(-count // THREADS),), (THREADS,), (letters, *numbers, found))
            phase.note_launch(1, 2)
            order = cupy.argsort(found, kind="stable")  # places of a bucket grow
            borders = cupy.searchsorted(found[order], cupy.arange(buckets + 1, dtype=np.int32))
            phase.note_launch(2, 2)
        starts = np.empty(buckets + 2, np.int32)
        starts[:-1] = run.download_array(borders)
        starts[-1] = starts[-2]
        places = run.download_array((order[: int(starts[-1])] * step).astype(np.int32))
        return WordBuckets(codes, starts, places), hashed


def count_matches(
    index: WordBuckets,
    hashed: WordHashing,
    queries: np.ndarray,
    both_strands: bool,
    counted: MatchCounts,
    monitor: Monitor,
    device: int,
) -> int:
    """Add the matches of a window to ``counted.images``; return of how many words only a sample was compared.

    Raises Cancelled, MemoryRefused, BackendUnavailable.
    """
    with devices.use_device(device):
        run = DeviceRun(monitor)
        kernel = run.compile_kernel(DOTPLOT, "count_matches")
        images, thinned = run.allocate_filled(counted.images.shape, np.uint32), run.allocate_filled(1, np.uint64)
        looked = LOOKED(
            codes=run.upload_array(index.codes),
            queries=run.upload_array(queries),
            starts=run.upload_array(index.starts),
            places=run.upload_array(index.places),
            k=hashed.k,
            unused=hashed.unused,
        )
        pixels = *_pixel_arguments(counted.across), *_pixel_arguments(counted.down)
        low, high = counted.across.low, counted.across.high
        size = min(max(LOOKUPS // counted.most_places, THREADS), MOST_QUERIES)
        with run.begin_phase("matches") as phase:
            for first in range(low, high, size):
                last = min(first + size, high)
                numbers = map(np.int32, (first, last, both_strands))
                arguments = *looked, *pixels, np.int64(counted.most_places), images, thinned, *numbers
                kernel((-(-(last - first) // THREADS),), (THREADS,), arguments)
                phase.note_launch(last - low, high - low)
        counted.images[...] = run.download_array(images)
        return int(run.download_array(thinned)[0])


def _pixel_arguments(pixels: PixelRange) -> tuple[Any, ...]:
    return PIXELS(**{name: int(value) for name, value in pixels._asdict().items()})
