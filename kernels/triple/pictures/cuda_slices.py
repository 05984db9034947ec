"""Slices of the cube on a GPU (slices.cu). Only what is seen is transferred, or all cells where they are few."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.cuda.structs import DeviceStruct
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.triple.encoding import EncodedTriple
from antidiag.kernels.triple.model import Cell
from antidiag.kernels.triple.serial.cpu import make_gaps

CUBE = DeviceStruct(
    "Cube",
    """
    const unsigned char *is, *js, *ks;           // letters, each with the front letter, of ni, nj, nk
    const int *table, *openings;                 // scores, letters x letters; what a move pays after another, 8 x 8
    int letters, ni, nj, nk;
""",
)
WANTED = DeviceStruct(
    "Wanted",
    """
    int *across_i, *across_j, *across_k;         // H of planes, (nj, nk), (ni, nk), (ni, nj), or none
    int* all;                                    // all cells (ni, nj, nk), or none
    int i, j, k;                                 // where the planes are
""",
)
SOURCES = (CUBE, WANTED, Path(__file__).with_name("slices.cu"))
BLOCK = (32, 8)
LAUNCHES_PER_CHECK = 64
"""Launches between two checks for cancellation."""


def compute_slices(
    encoded: EncodedTriple, cells: Cell, place: Cell, axes: frozenset[int], monitor: Monitor, device: int
) -> Mapping[int, np.ndarray]:
    """Return H of planes through ``place`` across ``axes``, int32, of a cube of so many cells along each side.

    Raises Cancelled, MemoryRefused, BackendUnavailable.
    """
    with devices.use_device(device):
        run = DeviceRun(monitor)
        planes = {axis: run.allocate_array(_drop_axis(cells, axis), np.int32) for axis in axes}
        _fill_planes(encoded, cells, place, planes, None, run)
        return {axis: run.download_array(plane) for axis, plane in planes.items()}


def compute_cube(encoded: EncodedTriple, monitor: Monitor, device: int) -> np.ndarray:
    """Return H' of all cells, int32, as in `compute_slices.Values`; raises what `compute_slices` raises."""
    with devices.use_device(device):
        run = DeviceRun(monitor)
        shape = (*encoded.cells, 8) if encoded.has_affine_gaps else encoded.cells
        found = run.allocate_filled(shape, np.int32, 0x80)
        _fill_planes(encoded, encoded.cells, (0, 0, 0), {}, found, run)
        return run.download_array(found)


def _fill_planes(
    encoded: EncodedTriple,
    cells: Cell,
    place: Cell,
    planes: Mapping[int, cupy.ndarray],
    everything: cupy.ndarray | None,
    run: DeviceRun,
) -> None:
    """Compute one plane i + j + k = d per launch; ``everything`` takes H'."""
    ni, nj, nk = cells
    kernel = run.compile_kernel(SOURCES, "cube_plane", AFFINE=int(encoded.has_affine_gaps))
    cube, wanted = _cube_arguments(encoded, cells, run), _wanted_arguments(place, planes, everything)
    shift = np.int32(2 * encoded.extend if everything is None else 0)
    state = run.allocate_array((4, nj, nk, 8 if encoded.has_affine_gaps else 1), np.int32)
    count = ni + nj + nk - 2
    with run.begin_phase("slices") as phase:
        for d in range(count):
            first_j, first_k = max(d - (ni - 1) - (nk - 1), 0), max(d - (ni - 1) - (nj - 1), 0)
            size = min(nk - 1, d) - first_k + 1, min(nj - 1, d) - first_j + 1
            grid = tuple(-(-length // side) for length, side in zip(size, BLOCK, strict=True))
            kernel(grid, BLOCK, (*cube, *wanted, state, shift, np.int32(d), np.int32(first_j), np.int32(first_k)))
            if d % LAUNCHES_PER_CHECK == LAUNCHES_PER_CHECK - 1 or d == count - 1:
                phase.note_launch(d + 1, count)


def _cube_arguments(encoded: EncodedTriple, cells: Cell, run: DeviceRun) -> tuple:
    i_letters, j_letters, k_letters, table, openings = run.upload_together(
        *encoded.codes, encoded.table, make_gaps(encoded).openings
    )
    ni, nj, nk = cells
    letters = {"is": i_letters, "js": j_letters, "ks": k_letters, "letters": encoded.letter_count}
    return CUBE(**letters, table=table, openings=openings, ni=ni, nj=nj, nk=nk)


def _wanted_arguments(place: Cell, planes: Mapping[int, cupy.ndarray], everything: cupy.ndarray | None) -> tuple:
    across_i, across_j, across_k = (planes.get(axis) for axis in range(3))
    i, j, k = place
    return WANTED(across_i=across_i, across_j=across_j, across_k=across_k, all=everything, i=i, j=j, k=k)


def _drop_axis(cells: Cell, axis: int) -> tuple[int, int]:
    """Return the cells along the two sides of a plane across ``axis``."""
    rest = [size for side, size in enumerate(cells) if side != axis]
    return rest[0], rest[1]
