"""Words of k letters that two sequences share, on a GPU (dotplot.cu): their index, and matches by pixel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.cuda.structs import Constants, Struct
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures.cpu_dotplot import (
    BASE,
    COMPLEMENTS,
    FEW,
    SPREAD,
    UNKNOWN,
    Counted,
    Index,
    Pixels,
    Words,
    words,
)
from antidiag.kernels.pairwise.pictures.dotplot_sizes import buckets_for

LOOKED = Struct("Looked", """
    const unsigned char *codes, *queries;        // letters of the index and of the queries
    const int *starts, *places;                  // words of bucket b are places[starts[b]..starts[b + 1])
    int k, unused;                               // letters of a word; bits of a hash that its bucket does not use
""")  # fmt: skip
PIXELS = Struct("Pixels", "\n    long long low, high, start, size, number;    // cpu_dotplot.Pixels\n")
HALF = 1 << 32
DOTPLOT = (
    Constants.of(
        BASE_LOW=BASE % HALF, BASE_HIGH=BASE // HALF, SPREAD_LOW=SPREAD % HALF, SPREAD_HIGH=SPREAD // HALF,
        UNKNOWN=UNKNOWN, COMPLEMENTS=COMPLEMENTS, FEW=FEW,
    ),
    LOOKED,
    PIXELS,
    Path(__file__).with_name("dotplot.cu"),
)  # fmt: skip
THREADS = 256
LOOKUPS = 2**28
"""Places that the queries of a launch may look at together."""
MOST_QUERIES = 2**22


def index(codes: np.ndarray, k: int, step: int, room: int, monitor: Monitor, device: int) -> tuple[Index, Words]:
    """The words at every ``step``-th place by bucket, as ``dotplot`` has them; at most ``room`` words.

    Raises Cancelled, MemoryRefused, BackendUnavailable.
    """
    buckets = buckets_for(room)
    hashed = words(k, buckets)
    with devices.use(device):
        run = Run(monitor)
        count = max((codes.size - k) // step + 1, 0)
        kernel = run.kernel(DOTPLOT, "place_buckets")
        found = run.filled(count + 1, np.int32, 0x7F)[:count]
        letters = run.up(codes)
        with run.phase("words") as phase:
            if count:
                kernel((-(-count // THREADS),), (THREADS,), (
                    letters, np.int32(k), np.int32(hashed.unused), np.int32(step), np.int32(count), np.int32(buckets),
                    found,
                ))  # fmt: skip
            phase.launched(1, 2)
            order = cupy.argsort(found, kind="stable")  # places of a bucket grow
            borders = cupy.searchsorted(found[order], cupy.arange(buckets + 1, dtype=np.int32))
            phase.launched(2, 2)
        starts = np.empty(buckets + 2, np.int32)
        starts[:-1] = run.down(borders)
        starts[-1] = starts[-2]
        places = run.down((order[: int(starts[-1])] * step).astype(np.int32))
        return Index(codes, starts, places), hashed


def count(
    index: Index, hashed: Words, queries: np.ndarray, both: bool, counted: Counted, monitor: Monitor, device: int
) -> int:
    """Add the matches of a window to ``counted.images``; of how many words not all places were looked at.

    Raises Cancelled, MemoryRefused, BackendUnavailable.
    """
    with devices.use(device):
        run = Run(monitor)
        kernel = run.kernel(DOTPLOT, "count_matches")
        images, thinned = run.filled(counted.images.shape, np.uint32), run.filled(1, np.uint64)
        looked = LOOKED(
            codes=run.up(index.codes), queries=run.up(queries), starts=run.up(index.starts),
            places=run.up(index.places), k=hashed.k, unused=hashed.unused,
        )  # fmt: skip
        low, high = counted.across.low, counted.across.high
        size = min(max(LOOKUPS // counted.most, THREADS), MOST_QUERIES)
        with run.phase("matches") as phase:
            for first in range(low, high, size):
                last = min(first + size, high)
                kernel((-(-(last - first) // THREADS),), (THREADS,), (
                    *looked, *_pixels(counted.across), *_pixels(counted.down), np.int64(counted.most), images, thinned,
                    np.int32(first), np.int32(last), np.int32(both),
                ))  # fmt: skip
                phase.launched(last - low, high - low)
        counted.images[...] = run.down(images)
        return int(run.down(thinned)[0])


def _pixels(pixels: Pixels) -> tuple[Any, ...]:
    return PIXELS(**{name: int(value) for name, value in pixels._asdict().items()})
