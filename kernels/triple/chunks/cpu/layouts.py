"""Memory of the CPU backend: layouts of what a thread keeps, of the faces between boxes, and of the scores.

Both the footprint and the run read these numbers.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from antidiag.kernels.triple.grid import ChunkGrid, ChunkKind

LANES, INT16_LANES = 16, 32
"""Lanes of a vector of 32-bit numbers, and of one of 16-bit numbers."""
KEPT_VECTORS, KEPT_VECTORS_AFFINE = 4, 8
"""Vectors that a line keeps between two windows."""


class BoxLayout(NamedTuple):
    """Offsets and distances of a thread's memory, in numbers. ``*_part`` is the distance between parts."""

    lanes: int
    lines: int
    strips: int
    steps: int
    parts: int
    rows: int
    row_part: int
    columns: int
    column: int
    column_strip: int
    column_part: int
    plane: int
    plane_out: int
    plane_row: int
    plane_part: int
    kept: int
    ends: int
    size: int


class ScoreTables(NamedTuple):
    """Offsets into a thread's ``scores``.

    They are of [letter of o][l], [letter of o][t backwards], [letter of l][t], and of the last one laid out for the
    lanes, [strip][t + l][lane].
    """

    ol: int
    ol_row: int
    ot: int
    ot_row: int
    lt: int
    lt_row: int
    skewed: int


def make_layout(lines: int, width: int, steps: int, affine: bool, lanes: int = LANES) -> BoxLayout:
    """Return the layout for boxes of up to so many lines, cells along l, and cells along t."""
    strips, parts, kept = -(-width // lanes), 4 if affine else 1, KEPT_VECTORS_AFFINE if affine else KEPT_VECTORS
    row_part, column = strips * (steps + lanes) * lanes, steps + 2 * lanes
    column_strip = (lines + 1) * column
    plane_row = strips * lanes + 1
    sizes = (
        parts * row_part,
        parts * (strips + 1) * column_strip,
        parts * ((lines + 1) * plane_row + lanes),
        parts * ((lines + 1) * plane_row + lanes),
        lines * strips * kept * lanes,
        parts * lanes * lanes,
    )
    rows, columns, plane, plane_out, states, ends, size = accumulate((0, *sizes))
    counts = lanes, lines, strips, steps, parts
    offsets = rows, row_part, columns, column, column_strip, sizes[1] // parts
    planes = plane, plane_out, plane_row, sizes[2] // parts
    return BoxLayout(*counts, *offsets, *planes, states, ends, size)


def allocate_aligned(count: int, value: int | np.ndarray, numbers: np.dtype) -> np.ndarray:
    """Allocate numbers with these values, the first at the start of a cache line, so that no vector straddles two."""
    line = 64 // numbers.itemsize
    room = np.empty(count + line, numbers)
    first = -room.ctypes.data // room.itemsize % line
    found = room[first : first + count]
    found[:] = value
    return found


class FaceSizes(NamedTuple):
    """Numbers of the faces of a box that go up in o, l and t, all parts."""

    rows: int
    columns: int
    plane: int


def face_sizes(n: BoxLayout) -> FaceSizes:
    """Return the sizes of the faces of a box."""
    return FaceSizes(n.parts * n.row_part, n.parts * n.column_strip, n.parts * n.plane_part)


def place_scores(letters: int, along_l: int, along_t: int, n: BoxLayout) -> tuple[ScoreTables, int]:
    """Return where a thread's scores are, and how many numbers there are; ``along_*`` are cells of the cube."""
    lanes = n.lanes
    ol_row = along_l + n.strips * lanes + lanes
    t_row = along_t + 4 * lanes
    starts = accumulate((n.strips * (n.steps + 2 * lanes) * lanes, letters * ol_row, letters * t_row, letters * t_row))
    ol, ot, lt, size = starts
    return ScoreTables(ol, ol_row, ot + lanes + along_t - 1, t_row, lt, t_row, 0), size


def make_box_layout(grid: ChunkGrid, layered: bool, affine: bool, narrow: bool) -> BoxLayout:
    """Return the layout for the boxes of a grid; ``narrow``: numbers have 16 bits."""
    lines, width, steps = (grid.h, grid.s, grid.s) if layered else (grid.s, grid.s, grid.h)
    return make_layout(lines, width, steps, affine, INT16_LANES if narrow else LANES)


def place_grid_scores(grid: ChunkGrid, letters: int, n: BoxLayout, layered: bool) -> tuple[ScoreTables, int]:
    """Return where a thread's scores are, in the axes of a method."""
    i, j, k = grid.cells
    return place_scores(letters, i, j, n) if layered else place_scores(letters, j, k, n)


def count_faces(grid: ChunkGrid, kind: ChunkKind, workers: int) -> tuple[int, int, int]:
    """Count the faces upwards in i, j and k that memory is allocated for."""
    below = grid.chunks * (grid.boxes + 1) if kind.has_subchunks else 2 + min(workers, grid.chunks)
    if not kind.keeps_faces:
        return grid.columns, grid.rows, below
    return (grid.rows + 1) * grid.columns * grid.boxes, grid.rows * (grid.columns + 1) * grid.boxes, below


def count_moves(n: BoxLayout) -> tuple[int, type]:
    """Return the number of moves of a box that is computed again, and their type."""
    return n.lines * n.strips * (n.steps + n.lanes) * n.lanes, (np.uint8 if n.parts == 1 else np.int32)


def longest_walk(n: BoxLayout) -> int:
    """Return the most moves of a path inside a box."""
    return n.lines + n.strips * n.lanes + n.steps + 1
