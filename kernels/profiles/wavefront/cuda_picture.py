"""Pictures of the table on the GPU: strips as in ProfileWavefront, then the visible tiles (image.cu)."""

from __future__ import annotations

from dataclasses import dataclass

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.kernel_compiler import allow_shared_bytes
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.pair_batch import ProfilePairBatch
from antidiag.kernels.profiles.column_scores.scoring import EncodedProfiles
from antidiag.kernels.profiles.device import FOLDER
from antidiag.kernels.profiles.sizes import GPU_BATCH, GPU_STRIP
from antidiag.kernels.profiles.wavefront import cuda_wavefront
from antidiag.kernels.profiles.wavefront.cpu_strips import KeptStripBorders, ProfileStripProblem
from antidiag.kernels.profiles.wavefront.cuda_pairs import THREADS, TILE, DeviceProfilePairs

IMAGE = (*TILE, FOLDER / "image.cu")
VALUES = 4 * GPU_STRIP * GPU_BATCH
"""Bytes of H of a tile, in shared memory."""
TILES = 2**17
"""Tiles of a launch, which takes some tens of milliseconds."""


@dataclass(frozen=True)
class PictureWindow:
    """Pixels of the table's rows and columns, int32 (m + 1 and n + 1), -1 outside of the window, and the image.

    The int32 image rises to the greatest H of each pixel.
    """

    rows: np.ndarray
    columns: np.ndarray
    pixels: np.ndarray


def scan_table(
    encoded: EncodedProfiles,
    strip_problem: ProfileStripProblem,
    cpu_borders: KeptStripBorders,
    view: PictureWindow,
    monitor: Monitor,
    device: int,
) -> None:
    """Draw the whole table and store the borders of the CPU's tiles.

    Raises Cancelled, MemoryRefused or BackendUnavailable.
    """
    with devices.use_device(device):
        run = DeviceRun(monitor)
        pairs = DeviceProfilePairs(run, ProfilePairBatch.join_pairs([encoded]))
        _compute_strips(run, pairs, (0, len(pairs.items)), (0, encoded.m))
        _draw_pixels(run, pairs, view, (0, len(pairs.items)), (0, encoded.m))
        _download_borders(run, pairs, strip_problem, cpu_borders)


def draw_window(
    encoded: EncodedProfiles,
    strip_problem: ProfileStripProblem,
    cpu_borders: KeptStripBorders,
    view: PictureWindow,
    monitor: Monitor,
    device: int,
) -> None:
    """Draw a window of the table from the nearest borders."""
    seen_rows, seen_columns = (np.flatnonzero(one[1:] >= 0) for one in (view.rows, view.columns))
    if not (seen_rows.size and seen_columns.size):
        return
    m, _, s, batch, _ = strip_problem.cuts
    at, number = int(seen_rows[0]) // batch, int(seen_columns[0]) // s
    top, first = at * batch, number * s // GPU_STRIP
    until = min(-(-(int(seen_rows[-1]) + 1) // GPU_BATCH) * GPU_BATCH, m)
    last = int(seen_columns[-1]) // GPU_STRIP + 1
    with devices.use_device(device):
        run = DeviceRun(monitor)
        pairs = DeviceProfilePairs(run, ProfilePairBatch.join_pairs([encoded]))
        _upload_borders(pairs, strip_problem, cpu_borders, (number, first, last), (at, top, until))
        _compute_strips(run, pairs, (first, last), (top, until))
        _draw_pixels(run, pairs, view, (first, last), (top, until))


def _compute_strips(run: DeviceRun, pairs: DeviceProfilePairs, items: tuple[int, int], rows: tuple[int, int]) -> None:
    """Compute the strips of some rows."""
    with run.begin_phase("matrix") as phase:
        for first, until in cuda_wavefront.slice_rows(rows[1] - rows[0], GPU_STRIP * (items[1] - items[0])):
            pairs.launch_strips(items, (rows[0] + first, rows[0] + until))
            phase.note_launch(until, rows[1] - rows[0])


def _draw_pixels(
    run: DeviceRun, pairs: DeviceProfilePairs, view: PictureWindow, items: tuple[int, int], rows: tuple[int, int]
) -> None:
    """Draw the pixels of some tiles."""
    kernel, across = pairs.compile_kernel(IMAGE, "image"), items[1] - items[0]
    allow_shared_bytes(kernel, VALUES)
    down, columns, pixels = (run.upload_array(one) for one in (view.rows, view.columns, view.pixels))
    first, last, step = rows[0] // GPU_BATCH, -(-rows[1] // GPU_BATCH), max(TILES // across, 1)
    with run.begin_phase("picture") as phase:
        for batch in range(first, last, step):
            count = min(step, last - batch)
            kernel(
                (across * count,),
                (THREADS,),
                (
                    pairs.on_device,
                    *pairs.finish,
                    *map(np.int32, (items[0], batch, across, rows[1])),
                    down,
                    columns,
                    np.int32(view.pixels.shape[1]),
                    pixels,
                ),
                shared_mem=VALUES,
            )
            phase.note_launch(batch + count - first, last - first)
    view.pixels[...] = run.download_array(pixels)


def _border_arrays(pairs: DeviceProfilePairs) -> tuple[cupy.ndarray, cupy.ndarray]:
    """Return borders between strips, int32 (strips - 1, m, 2): H and G; and rows between batches.

    The rows are int32 (strips, batches - 1, columns, 2): H and E.
    """
    m, strips = int(pairs.made.m[0]), len(pairs.items)
    borders, kept = pairs.room["borders"], pairs.room["kept"]
    batches = (m - 1) // GPU_BATCH
    return (
        borders[: 8 * (strips - 1) * m].view(np.int32).reshape(strips - 1, m, 2),
        kept[: 8 * GPU_STRIP * strips * batches].view(np.int32).reshape(strips, batches, GPU_STRIP, 2),
    )


def _download_borders(
    run: DeviceRun, pairs: DeviceProfilePairs, strip_problem: ProfileStripProblem, cpu_borders: KeptStripBorders
) -> None:
    """Copy borders from the device to those of the wider strips and batches of the CPU.

    If gaps cost nothing to open, gap scores are not stored there: they follow from H.
    """
    borders, rows = _border_arrays(pairs)
    _, _, s, batch, _ = strip_problem.cuts
    wider = s // GPU_STRIP
    higher = batch // GPU_BATCH
    sums = np.cumsum(strip_problem.encoded.column_extend, dtype=np.int64)
    for number in range(1, cpu_borders.rows.shape[0]):
        h, g = run.download_array(borders[number * wider - 1]).T
        cpu_borders.columns[number, 0, 0], cpu_borders.columns[number, 0, 1:] = strip_problem.first_row[number * s], h
        cpu_borders.columns[number, 1, 1:] = (
            cpu_borders.columns[0, 1, 1:] if strip_problem.has_linear_gaps else g - sums[number * s - 1]
        )
    for number in range(len(rows) if cpu_borders.rows.shape[1] else 0):
        own = run.download_array(rows[number])[higher - 1 :: higher][: cpu_borders.rows.shape[1]]
        strip, place = divmod(number * GPU_STRIP, s)
        width = min(GPU_STRIP, cpu_borders.rows.shape[3] - place)
        cpu_borders.rows[strip, :, 0, place : place + width] = own[:, :width, 0]
        cpu_borders.rows[strip, :, 1, place : place + width] = (
            cpu_borders.columns[0, 1, 0] if strip_problem.has_linear_gaps else own[:, :width, 1]
        )


def _upload_borders(
    pairs: DeviceProfilePairs,
    strip_problem: ProfileStripProblem,
    cpu_borders: KeptStripBorders,
    strips: tuple[int, int, int],
    batches: tuple[int, int, int],
) -> None:
    """Copy the border on the left of a window, and the row above it, to the device."""
    borders, rows = _border_arrays(pairs)
    (number, first, last), (at, top, until) = strips, batches
    _, _, s, _, _ = strip_problem.cuts
    if number > 0:
        begin = max(top - 1, 0)
        own = np.empty((until - begin, 2), np.int32)
        own[:, 0] = cpu_borders.columns[number, 0, begin + 1 : until + 1]
        gaps = cpu_borders.columns[number, 1, begin + 1 : until + 1].astype(np.int64)
        own[:, 1] = (
            0
            if strip_problem.has_linear_gaps
            else gaps + int(strip_problem.encoded.column_extend[: number * s].sum(dtype=np.int64))
        )
        borders[first - 1, begin:until].set(own)
    if top > 0:
        for strip in range(first, last):
            wider, place = divmod(strip * GPU_STRIP, s)
            own = np.zeros((GPU_STRIP, 2), np.int32)
            found = cpu_borders.rows[wider, at - 1, :, place : place + GPU_STRIP].T
            own[: len(found)] = found
            rows[strip, top // GPU_BATCH - 1].set(own)
            if strip + 1 < len(rows):  # the corner of the next strip
                borders[strip, top - 1].set(own[-1])
