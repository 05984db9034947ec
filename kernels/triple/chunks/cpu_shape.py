"""Where the boxes of a grid are, and where their faces come in and go out, for Python and for compiled functions."""

from __future__ import annotations

from typing import NamedTuple

from antidiag.kernels.cpu.jit import shared
from antidiag.kernels.triple.chunks.cpu_boxes import Box
from antidiag.kernels.triple.chunks.cpu_faces import Codes, Places
from antidiag.kernels.triple.chunks.cpu_sizes import Layout
from antidiag.kernels.triple.grid import LAYER_AT, MOVE_AT, PLACE_BITS, Grid, Kind
from antidiag.kernels.triple.model import Cell


class Shape(NamedTuple):
    """Cells along i, j and k, cut into ``rows`` x ``columns`` chunks of ``boxes`` boxes, and what of ``Kind`` matters.

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


def shape_of(grid: Grid, kind: Kind) -> Shape:
    carried = kind.subchunks and not kind.local
    return Shape(
        grid.cells, grid.s, grid.h, grid.rows, grid.columns, grid.boxes, kind.layered, kind.keeps, kind.subchunks,
        carried,
    )  # fmt: skip


@shared
def along(shape, i, j, k):
    """What belongs to i, j and k as it belongs to o, l and t."""
    return (k, i, j) if shape.layered else (i, j, k)


@shared
def box_of(shape: Shape, n: Layout, row: int, column: int, box: int, layers: int) -> Box:
    """A box in its axes; only the first ``layers`` of it where there are more."""
    s, h = shape.s, shape.h
    i, j, k = row * s, column * s, box * h
    o, l, t = along(shape, i, j, k)  # noqa: E741 - the name of an axis
    i_size, j_size, k_size = min(s, shape.cells[0] - i), min(s, shape.cells[1] - j), min(h, shape.cells[2] - k, layers)
    lines, width, cells = along(shape, i_size, j_size, k_size)
    return Box(o, l, t, lines, -(-width // n.lanes), cells)


@shared
def face_numbers(
    shape: Shape, row: int, column: int, box: int, worker: int
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Which faces upwards in i, j and k come into a box, and which go out of it.

    Kept faces have numbers of their own, and those of the border come first. Others are overwritten: there is one a
    column of the grid and one a row. Without subchunks what comes from below layer 0 is the border of the cube,
    which differs in the first chunk, and what goes out has a place a thread.
    """
    under = (row * shape.columns + column) * (shape.boxes + 1) + box
    below = (under, under + 1) if shape.subchunks else (int(row + column == 0), 2 + worker)
    if not shape.keeps:
        return (column, column), (row, row), below
    south = (row * shape.columns + column) * shape.boxes + box
    east = (row * (shape.columns + 1) + column) * shape.boxes + box
    return (south, south + shape.columns * shape.boxes), (east, east + shape.boxes), below


@shared
def places_of(shape: Shape, n: Layout, row: int, column: int, box: int, worker: int) -> Places:
    """Where the faces of a box come in and go out."""
    i, j, k = face_numbers(shape, row, column, box, worker)
    o, l, t = along(shape, i, j, k)  # noqa: E741
    rows, columns, plane = n.parts * n.row_part, n.parts * n.column_strip, n.parts * n.plane_part
    return Places(o[0] * rows, l[0] * columns, t[0] * plane, o[1] * rows, l[1] * columns, t[1] * plane)


@shared
def codes_of(shape: Shape, box: int) -> Codes:
    """How local starts are counted in a box."""
    o, l, t = along(shape, 1 << PLACE_BITS, 1, 1 << LAYER_AT)  # noqa: E741
    move_o, move_l, move_t = along(shape, 4 << MOVE_AT, 2 << MOVE_AT, 1 << MOVE_AT)
    return Codes((box * shape.h) << LAYER_AT, o, l, t, move_o, move_l, move_t)
