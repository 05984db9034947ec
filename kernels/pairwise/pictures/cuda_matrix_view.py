"""Pictures of a matrix on the GPU: StripedScore's sweep, reduced to pixels on the device (image.cu)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.kernel_compiler import SourcePart
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.cuda.structs import DeviceConstants, DeviceStruct
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures.matrix_region import MatrixRegion
from antidiag.kernels.pairwise.strips import cuda_sweep
from antidiag.kernels.pairwise.strips.cuda_job import LANES, PairJob
from antidiag.kernels.pairwise.strips.cuda_sources import VALUES, LaneRegisters

STEP = 512
"""Distance of kept columns, or a divisor of it."""
WIDEST = STEP // LANES
"""Most columns a lane: three values of each are in registers."""
STRIPS_AT_LEAST = 256
"""Strips are narrowed until there are at least this many."""
THREADS = 4 * LANES
ONE_PIECE_REGISTERS, TWO_PIECE_REGISTERS = LaneRegisters(3, 5, 0), LaneRegisters(4, 6, 0)
"""What a lane keeps, for gap costs of one piece and of two."""

BAND = DeviceStruct(
    "Band",
    """
    int last_row;                    // rows of the sweep are counted from 1
    int pixel_row, place;            // row of pixels, and index of the last row among kept rows; -1: none
    int unused;
""",
)
PICTURE = DeviceStruct(
    "Picture",
    """
    const Band* bands;
    const int* pixel_columns;        // the column of pixels of every column from 0 on, or -1
    const int* column_places;        // for every strip, the index of its last column among kept columns, or -1
    int *image, *rows, *columns;     // pixels; H and G of rows, of n + 1 columns; H and K of columns, of `height` rows
    int band_count, width, height;
""",
)


def _list_parts(registers: LaneRegisters) -> tuple[SourcePart, ...]:
    constants = DeviceConstants.from_values(IMAGE_A_COLUMN=registers.a_column, IMAGE_A_LANE=registers.a_lane)
    return *VALUES, constants, BAND, PICTURE, Path(__file__).with_name("image.cu")


IMAGE, TWO_PIECE_IMAGE = _list_parts(ONE_PIECE_REGISTERS), _list_parts(TWO_PIECE_REGISTERS)


def sweep_region(part: MatrixRegion, monitor: Monitor, device: int) -> None:
    """Fill the image, kept rows and kept columns of a region.

    Raises Cancelled, MemoryRefused, BackendUnavailable.
    """
    with devices.use_device(device):
        _sweep_on_device(part, DeviceRun(monitor))


def _sweep_on_device(part: MatrixRegion, run: DeviceRun) -> None:
    pair, m, n = part.pair, part.pair.rows.size, part.pair.columns.size
    per_lane = _columns_per_lane(n, part.column_numbers)
    job = PairJob(
        encoded=pair,
        s=per_lane * LANES,
        batch=LANES,
        threads=THREADS,
        run=run,
        sequences=run.upload_together(pair.rows, pair.columns, pair.table),
        borders=_upload_borders(part, per_lane, run),
    )
    places = np.full(job.strip_count, -1, np.int32)
    places[part.column_numbers // job.s - 1] = np.arange(part.column_numbers.size)
    ending = part.bands[part.bands[:, 0] > 0]
    bands = np.zeros(len(ending), BAND.dtype)
    bands["last_row"], bands["pixel_row"], bands["place"] = ending.T
    image, values = run.upload_array(part.image), pair.value_count
    columns = run.allocate_array((part.column_numbers.size, values, m + 1), np.int32)
    rows = run.allocate_array((len(part.rows), values, n + 1), np.int32)
    pixels = run.upload_array(part.column_pixels.astype(np.int32))
    picture = PICTURE(
        bands=run.upload_array(bands.view(np.int32)),
        pixel_columns=pixels,
        column_places=run.upload_array(places),
        image=image,
        rows=rows,
        columns=columns,
        band_count=len(bands),
        width=max(image.shape[1], 1),
        height=m + 1,
    )
    parts, registers = (IMAGE, ONE_PIECE_REGISTERS) if values == 2 else (TWO_PIECE_IMAGE, TWO_PIECE_REGISTERS)
    compile_kernel = partial(job.compile_kernel, parts, "matrix_image")
    state = run.allocate_array((job.strip_count, registers.count_registers(per_lane), LANES), np.int32)
    cuda_sweep.run_sweep(
        job,
        compile_kernel,
        state,
        cuda_sweep.allocate_boundaries(job, whole=False),
        crossing_bytes=8 * job.piece_count,
        extra_arguments=picture,
        phase="matrix",
    )
    part.image[...] = run.download_array(image)
    found = run.download_array(rows)
    for place in ending[ending[:, 2] >= 0, 2]:
        part.rows[place, :, 1:] = found[place, :, 1:]
    for column, values in zip(part.columns, run.download_array(columns), strict=True):
        column[:, 1 : m + 1] = values[:, 1:]


def _columns_per_lane(n: int, kept: np.ndarray) -> int:
    """Return the columns of a lane: enough strips, and every kept column is the last one of a strip."""
    per_lane = WIDEST
    while per_lane > 1 and (n < STRIPS_AT_LEAST * per_lane * LANES or (kept % (per_lane * LANES)).any()):
        per_lane //= 2
    return per_lane


def _upload_borders(
    part: MatrixRegion, per_lane: int, run: DeviceRun
) -> tuple[cupy.ndarray | None, cupy.ndarray | None]:
    """Upload the borders of a region, in pairs: H and G above it, to the end of the last strip, and H and K on its
    left.

    Those above begin at column 0, those on the left at row 1.
    """
    top, left = part.top, part.left
    if top is not None:
        beyond = -part.pair.columns.size % (per_lane * LANES)
        top = run.upload_array(np.pad(top, ((0, 0), (0, beyond)), "edge").T)
    return top, None if left is None else run.upload_array(left[:, 1 : part.pair.rows.size + 1].T)
