"""Pictures of a matrix on the GPU: the sweep of StripedScore, looked at (image.cu). Only what is seen travels."""

from __future__ import annotations

from pathlib import Path

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.cuda.structs import Constants, Struct
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures.part import Part
from antidiag.kernels.pairwise.strips import cuda_sweep
from antidiag.kernels.pairwise.strips.cuda_job import LANES, Job
from antidiag.kernels.pairwise.strips.cuda_sources import VALUES, Registers

STEP = 512
"""Columns that are kept are so many apart, or a multiple of it."""
WIDEST = STEP // LANES
"""Most columns a lane: three values of each are in registers."""
STRIPS_AT_LEAST = 256
"""Strips are made narrower until there are so many."""
THREADS = 4 * LANES
REGISTERS = Registers(3, 5, 0)

BAND = Struct("Band", """
    int last_row;                    // rows are counted from the first one of the sweep, which is 1
    int pixel_row, place;            // of its pixels, and of its last row among those kept; -1: of none
    int unused;
""")  # fmt: skip
PICTURE = Struct("Picture", """
    const Band* bands;
    const int* pixel_columns;        // the column of pixels of every column from 0 on, or -1
    const int* column_places;        // for every strip, the place of its last column among those kept, or -1
    int *image, *rows, *columns;     // pixels; H and G of rows, of n + 1 columns; H and K of columns, of `height` rows
    int band_count, width, height;
""")  # fmt: skip
IMAGE = (
    *VALUES,
    Constants.of(IMAGE_A_COLUMN=REGISTERS.a_column, IMAGE_A_LANE=REGISTERS.a_lane),
    BAND,
    PICTURE,
    Path(__file__).with_name("image.cu"),
)


def sweep(part: Part, monitor: Monitor, device: int) -> None:
    """Fill the image, rows and columns of a part of a matrix; raises Cancelled, MemoryRefused, BackendUnavailable."""
    with devices.use(device):
        _sweep(part, Run(monitor))


def _sweep(part: Part, run: Run) -> None:
    pair, m, n = part.pair, part.pair.rows.size, part.pair.columns.size
    per_lane = _columns_a_lane(n, part.column_numbers)
    job = Job(
        encoded=pair, s=per_lane * LANES, batch=LANES, threads=THREADS, run=run,
        sequences=run.upload(pair.rows, pair.columns, pair.table), borders=_borders(part, per_lane, run),
    )  # fmt: skip
    places = np.full(job.strips, -1, np.int32)
    places[part.column_numbers // job.s - 1] = np.arange(part.column_numbers.size)
    ending = part.bands[part.bands[:, 0] > 0]
    bands = np.zeros(len(ending), BAND.dtype)
    bands["last_row"], bands["pixel_row"], bands["place"] = ending.T
    image, columns = run.up(part.image), run.empty((part.column_numbers.size, 2, m + 1), np.int32)
    rows = run.empty((len(part.rows), 2, n + 1), np.int32)
    pixels = run.up(part.pixels.astype(np.int32))
    picture = PICTURE(
        bands=run.up(bands.view(np.int32)), pixel_columns=pixels, column_places=run.up(places),
        image=image, rows=rows, columns=columns, band_count=len(bands), width=max(image.shape[1], 1), height=m + 1,
    )  # fmt: skip
    kernel = job.kernel(IMAGE, "matrix_image")
    state = run.empty((job.strips, REGISTERS.count(per_lane), LANES), np.int32)
    cuda_sweep.sweep(
        job, kernel, state, cuda_sweep.boundary_ring(job, whole=False), crossing_bytes=8, extra=picture, phase="matrix"
    )
    part.image[...] = run.down(image)
    found = run.down(rows)
    for place in ending[ending[:, 2] >= 0, 2]:
        part.rows[place, :, 1:] = found[place, :, 1:]
    for column, values in zip(part.columns, run.down(columns), strict=True):
        column[:, 1 : m + 1] = values[:, 1:]


def _columns_a_lane(n: int, kept: np.ndarray) -> int:
    """As many as leave enough strips, and let every column that is kept be the last one of a strip."""
    per_lane = WIDEST
    while per_lane > 1 and (n < STRIPS_AT_LEAST * per_lane * LANES or (kept % (per_lane * LANES)).any()):
        per_lane //= 2
    return per_lane


def _borders(part: Part, per_lane: int, run: Run) -> tuple[cupy.ndarray | None, cupy.ndarray | None]:
    """H and G above the part from column 0 on, to the end of the last strip, and H and K left of it from row 1 on, in
    pairs."""
    top, left = part.top, part.left
    if top is not None:
        beyond = -part.pair.columns.size % (per_lane * LANES)
        top = run.up(np.pad(top, ((0, 0), (0, beyond)), "edge").T)
    return top, None if left is None else run.up(left[:, 1 : part.pair.rows.size + 1].T)
