"""Pictures of the table on the GPU: strips as `profile-wavefront` has them, then the tiles to be seen (image.cu)."""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.compile import allow_shared
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import cuda_wavefront
from antidiag.kernels.profiles.cpu_strips import Kept, Whole
from antidiag.kernels.profiles.cuda_pairs import HERE, THREADS, TILE, Pairs
from antidiag.kernels.profiles.many import Many
from antidiag.kernels.profiles.scoring import Encoded
from antidiag.kernels.profiles.sizes import GPU_BATCH, GPU_STRIP

IMAGE = (*TILE, HERE / "image.cu")
VALUES = 4 * GPU_STRIP * GPU_BATCH
"""Bytes of H of a tile, in shared memory."""
TILES = 2**17
"""Of a launch: some tens of milliseconds."""


@dataclass(frozen=True)
class View:
    """Pixels of the table's rows and columns, int32 (m + 1 and n + 1), -1 outside of the window; and the pixels, int32,
    which are raised to the greatest H of theirs."""

    rows: np.ndarray
    columns: np.ndarray
    pixels: np.ndarray


def scan(made: Encoded, whole: Whole, kept: Kept, view: View, monitor: Monitor, device: int) -> None:
    """Fill a picture of the whole table, and the borders of the tiles that the CPU cuts. Raises Cancelled,
    MemoryRefused, BackendUnavailable."""
    with devices.use(device):
        run = Run(monitor)
        pairs = Pairs.of(run, Many.of([made]))
        _strips(run, pairs, (0, len(pairs.items)), (0, made.m))
        _pixels(run, pairs, view, (0, len(pairs.items)), (0, made.m))
        _bring_borders(run, pairs, whole, kept)


def window(made: Encoded, whole: Whole, kept: Kept, view: View, monitor: Monitor, device: int) -> None:
    """The same of a window, from the nearest borders."""
    seen_rows, seen_columns = (np.flatnonzero(one[1:] >= 0) for one in (view.rows, view.columns))
    if not (seen_rows.size and seen_columns.size):
        return
    m, _, s, batch, _ = whole.cuts
    at, number = int(seen_rows[0]) // batch, int(seen_columns[0]) // s
    top, first = at * batch, number * s // GPU_STRIP
    until = min(-(-(int(seen_rows[-1]) + 1) // GPU_BATCH) * GPU_BATCH, m)
    last = int(seen_columns[-1]) // GPU_STRIP + 1
    with devices.use(device):
        run = Run(monitor)
        pairs = Pairs.of(run, Many.of([made]))
        _give_borders(pairs, whole, kept, (number, first, last), (at, top, until))
        _strips(run, pairs, (first, last), (top, until))
        _pixels(run, pairs, view, (first, last), (top, until))


def _strips(run: Run, pairs: Pairs, items: tuple[int, int], rows: tuple[int, int]) -> None:
    with run.phase("matrix") as phase:
        for first, until in cuda_wavefront.slices(rows[1] - rows[0], GPU_STRIP * (items[1] - items[0])):
            pairs.strips(items, (rows[0] + first, rows[0] + until))
            phase.launched(until, rows[1] - rows[0])


def _pixels(run: Run, pairs: Pairs, view: View, items: tuple[int, int], rows: tuple[int, int]) -> None:
    kernel, across = pairs.kernel(IMAGE, "image"), items[1] - items[0]
    allow_shared(kernel, VALUES)
    down, columns, pixels = (run.up(one) for one in (view.rows, view.columns, view.pixels))
    first, last, step = rows[0] // GPU_BATCH, -(-rows[1] // GPU_BATCH), max(TILES // across, 1)
    with run.phase("picture") as phase:
        for batch in range(first, last, step):
            count = min(step, last - batch)
            kernel((across * count,), (THREADS,), (
                pairs.on_device, *pairs.finish, *map(np.int32, (items[0], batch, across, rows[1])), down, columns,
                np.int32(view.pixels.shape[1]), pixels,
            ), shared_mem=VALUES)  # fmt: skip
            phase.launched(batch + count - first, last - first)
    view.pixels[...] = run.down(pixels)


def _rooms(pairs: Pairs) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Borders between strips, int32 (strips - 1, m, 2): H and G; rows between batches (strips, batches - 1, columns,
    2): H and E."""
    m, strips = int(pairs.made.m[0]), len(pairs.items)
    borders, kept = pairs.arrays[6], pairs.arrays[7]
    batches = (m - 1) // GPU_BATCH
    return (
        borders[: 8 * (strips - 1) * m].view(np.int32).reshape(strips - 1, m, 2),
        kept[: 8 * GPU_STRIP * strips * batches].view(np.int32).reshape(strips, batches, GPU_STRIP, 2),
    )


def _bring_borders(run: Run, pairs: Pairs, whole: Whole, kept: Kept) -> None:
    """From the device to the borders of wider strips and batches. What gaps cost that cost nothing to open is not
    handed on there: it follows from H."""
    borders, rows = _rooms(pairs)
    _, _, s, batch, _ = whole.cuts
    wider, higher, sums = s // GPU_STRIP, batch // GPU_BATCH, np.cumsum(whole.column_extend, dtype=np.int64)
    for number in range(1, kept.rows.shape[0]):
        h, g = run.down(borders[number * wider - 1]).T
        kept.columns[number, 0, 0], kept.columns[number, 0, 1:] = whole.first_row[number * s], h
        kept.columns[number, 1, 1:] = kept.columns[0, 1, 1:] if whole.linear else g - sums[number * s - 1]
    for number in range(len(rows) if kept.rows.shape[1] else 0):
        own = run.down(rows[number])[higher - 1 :: higher][: kept.rows.shape[1]]
        strip, place = divmod(number * GPU_STRIP, s)
        width = min(GPU_STRIP, kept.rows.shape[3] - place)
        kept.rows[strip, :, 0, place : place + width] = own[:, :width, 0]
        kept.rows[strip, :, 1, place : place + width] = kept.columns[0, 1, 0] if whole.linear else own[:, :width, 1]


def _give_borders(
    pairs: Pairs, whole: Whole, kept: Kept, strips: tuple[int, int, int], batches: tuple[int, int, int]
) -> None:
    """The border on the left of a window, and the row above it."""
    borders, rows = _rooms(pairs)
    (number, first, last), (at, top, until) = strips, batches
    _, _, s, _, _ = whole.cuts
    if number > 0:
        begin = max(top - 1, 0)
        own = np.empty((until - begin, 2), np.int32)
        own[:, 0] = kept.columns[number, 0, begin + 1 : until + 1]
        gaps = kept.columns[number, 1, begin + 1 : until + 1].astype(np.int64)
        own[:, 1] = 0 if whole.linear else gaps + int(whole.column_extend[: number * s].sum(dtype=np.int64))
        borders[first - 1, begin:until].set(own)
    if top > 0:
        for strip in range(first, last):
            wider, place = divmod(strip * GPU_STRIP, s)
            own = np.zeros((GPU_STRIP, 2), np.int32)
            found = kept.rows[wider, at - 1, :, place : place + GPU_STRIP].T
            own[: len(found)] = found
            rows[strip, top // GPU_BATCH - 1].set(own)
            if strip + 1 < len(rows):  # the corner of the next strip
                borders[strip, top - 1].set(own[-1])
