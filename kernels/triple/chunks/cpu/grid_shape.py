"""Where the boxes of a grid are, and where their faces are read and written, for Python and for compiled functions."""

from __future__ import annotations

from typing import NamedTuple

from antidiag.kernels.cpu.jit import inner_njit
from antidiag.kernels.triple.chunks.cpu.boxes import BoxExtent
from antidiag.kernels.triple.chunks.cpu.faces import FacePlaces, StartCodes
from antidiag.kernels.triple.chunks.cpu.layouts import BoxLayout
from antidiag.kernels.triple.grid import LAYER_SHIFT, MOVE_SHIFT, PLACE_BITS, ChunkGrid, ChunkKind
from antidiag.kernels.triple.model import Cell


class GridShape(NamedTuple):
    """Cells along i, j and k, cut into ``rows`` x ``columns`` chunks of ``boxes`` boxes, and the flags of `ChunkKind`
    that matter.

    ``carried``: the local starts of the box below go on into the next one, instead of beginning anew.
    """

    cells: Cell
    s: int
    h: int
    rows: int
    columns: int
    boxes: int
    layered: bool
    keeps: bool
    subchunks: bool
    carried: bool


def make_grid_shape(grid: ChunkGrid, kind: ChunkKind) -> GridShape:
    """Return the shape of a grid for a kind of method."""
    carried = kind.has_subchunks and not kind.starts_per_subchunk
    sides = grid.cells, grid.s, grid.h, grid.rows, grid.columns, grid.boxes
    return GridShape(*sides, kind.layered, kind.keeps_faces, kind.has_subchunks, carried)


@inner_njit
def to_box_axes(shape, i, j, k):
    """Reorder what belongs to i, j and k as o, l and t."""
    return (k, i, j) if shape.layered else (i, j, k)


@inner_njit
def locate_box(shape: GridShape, n: BoxLayout, row: int, column: int, box: int, layers: int) -> BoxExtent:
    """Return a box in its axes; only its first ``layers`` where there are more."""
    s, h = shape.s, shape.h
    i, j, k = row * s, column * s, box * h
    o, l, t = to_box_axes(shape, i, j, k)  # noqa: E741 - the name of an axis
    i_size, j_size, k_size = min(s, shape.cells[0] - i), min(s, shape.cells[1] - j), min(h, shape.cells[2] - k, layers)
    lines, width, cells = to_box_axes(shape, i_size, j_size, k_size)
    return BoxExtent(o, l, t, lines, -(-width // n.lanes), cells)


@inner_njit
def number_faces(
    shape: GridShape, row: int, column: int, box: int, worker: int
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Return which faces upwards in i, j and k a box takes in, and which it hands on.

    Kept faces have numbers of their own, and those of the border come first. Others are overwritten: there is one per
    column of the grid and one per row. Without subchunks what comes from below layer 0 is the border of the cube, which
    differs in the first chunk, and what is handed on has a place per thread.
    """
    under = (row * shape.columns + column) * (shape.boxes + 1) + box
    below = (under, under + 1) if shape.subchunks else (int(row + column == 0), 2 + worker)
    if not shape.keeps:
        return (column, column), (row, row), below
    south = (row * shape.columns + column) * shape.boxes + box
    east = (row * (shape.columns + 1) + column) * shape.boxes + box
    return (south, south + shape.columns * shape.boxes), (east, east + shape.boxes), below


@inner_njit
def locate_faces(shape: GridShape, n: BoxLayout, row: int, column: int, box: int, worker: int) -> FacePlaces:
    """Return where the faces of a box are taken in and handed on."""
    i, j, k = number_faces(shape, row, column, box, worker)
    o, l, t = to_box_axes(shape, i, j, k)  # noqa: E741
    rows, columns, plane = n.parts * n.row_part, n.parts * n.column_strip, n.parts * n.plane_part
    return FacePlaces(o[0] * rows, l[0] * columns, t[0] * plane, o[1] * rows, l[1] * columns, t[1] * plane)


@inner_njit
def start_codes(shape: GridShape, box: int) -> StartCodes:
    """Return how local starts are counted in a box."""
    o, l, t = to_box_axes(shape, 1 << PLACE_BITS, 1, 1 << LAYER_SHIFT)  # noqa: E741
    move_o, move_l, move_t = to_box_axes(shape, 4 << MOVE_SHIFT, 2 << MOVE_SHIFT, 1 << MOVE_SHIFT)
    return StartCodes((box * shape.h) << LAYER_SHIFT, o, l, t, move_o, move_l, move_t)
