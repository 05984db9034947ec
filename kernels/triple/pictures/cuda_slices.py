"""Slices of the cube on a GPU (slices.cu). Only what is seen travels; all cells where they are few."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import cupy
import numpy as np

from antidiag.kernels.cuda import devices
from antidiag.kernels.cuda.run import Run
from antidiag.kernels.cuda.structs import Struct
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.triple.encoding import Encoded
from antidiag.kernels.triple.model import Cell
from antidiag.kernels.triple.serial.cpu import gaps_of

CUBE = Struct("Cube", """
    const unsigned char *is, *js, *ks;           // letters, each with the front letter, of ni, nj, nk
    const int *table, *openings;                 // scores, letters x letters; what a move pays after another, 8 x 8
    int letters, ni, nj, nk;
""")  # fmt: skip
WANTED = Struct("Wanted", """
    int *across_i, *across_j, *across_k;         // H of planes, (nj, nk), (ni, nk), (ni, nj), or none
    int* all;                                    // all cells (ni, nj, nk), or none
    int i, j, k;                                 // where the planes are
""")  # fmt: skip
SOURCES = (CUBE, WANTED, Path(__file__).with_name("slices.cu"))
BLOCK = (32, 8)
TOLD = 64
"""Launches between two looks at the wish to cancel."""


def slices(
    encoded: Encoded, cells: Cell, place: Cell, axes: frozenset[int], monitor: Monitor, device: int
) -> Mapping[int, np.ndarray]:
    """H of planes through ``place`` across ``axes``, int32, of a cube of so many cells along each side.

    Raises Cancelled, MemoryRefused, BackendUnavailable.
    """
    with devices.use(device):
        run = Run(monitor)
        planes = {axis: run.empty(_without(cells, axis), np.int32) for axis in axes}
        _fill(encoded, cells, place, planes, None, run)
        return {axis: run.down(plane) for axis, plane in planes.items()}


def keep(encoded: Encoded, monitor: Monitor, device: int) -> np.ndarray:
    """H' of all cells, int32, as ``slices.Values`` has them; raises as above."""
    with devices.use(device):
        run = Run(monitor)
        shape = (*encoded.cells, 8) if encoded.affine else encoded.cells
        found = run.filled(shape, np.int32, 0x80)
        _fill(encoded, encoded.cells, (0, 0, 0), {}, found, run)
        return run.down(found)


def _fill(
    encoded: Encoded,
    cells: Cell,
    place: Cell,
    planes: Mapping[int, cupy.ndarray],
    everything: cupy.ndarray | None,
    run: Run,
) -> None:
    """A plane i + j + k = d a launch; ``everything`` is of H'."""
    ni, nj, nk = cells
    kernel = run.kernel(SOURCES, "cube_plane", AFFINE=int(encoded.affine))
    cube, wanted = _cube(encoded, cells, run), _wanted(place, planes, everything)
    shift = np.int32(2 * encoded.extend if everything is None else 0)
    state = run.empty((4, nj, nk, 8 if encoded.affine else 1), np.int32)
    count = ni + nj + nk - 2
    with run.phase("slices") as phase:
        for d in range(count):
            first_j, first_k = max(d - (ni - 1) - (nk - 1), 0), max(d - (ni - 1) - (nj - 1), 0)
            size = min(nk - 1, d) - first_k + 1, min(nj - 1, d) - first_j + 1
            grid = tuple(-(-length // side) for length, side in zip(size, BLOCK, strict=True))
            kernel(grid, BLOCK, (*cube, *wanted, state, shift, np.int32(d), np.int32(first_j), np.int32(first_k)))
            if d % TOLD == TOLD - 1 or d == count - 1:
                phase.launched(d + 1, count)


def _cube(encoded: Encoded, cells: Cell, run: Run) -> tuple:
    i_letters, j_letters, k_letters, table, openings = run.upload(
        *encoded.codes, encoded.table, gaps_of(encoded).openings
    )
    ni, nj, nk = cells
    return CUBE(
        **{"is": i_letters}, js=j_letters, ks=k_letters, table=table, openings=openings, letters=encoded.letters,
        ni=ni, nj=nj, nk=nk,
    )  # fmt: skip


def _wanted(place: Cell, planes: Mapping[int, cupy.ndarray], everything: cupy.ndarray | None) -> tuple:
    across_i, across_j, across_k = (planes.get(axis) for axis in range(3))
    i, j, k = place
    return WANTED(across_i=across_i, across_j=across_j, across_k=across_k, all=everything, i=i, j=j, k=k)


def _without(cells: Cell, axis: int) -> tuple[int, int]:
    """Cells along the two sides of a plane across ``axis``."""
    rest = [size for side, size in enumerate(cells) if side != axis]
    return rest[0], rest[1]
