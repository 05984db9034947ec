"""Boxes on the CPU: what a thread computes in one go, its three faces, and their layout in memory.

A box is a chunk, or a subchunk of it. Its axes are named o, l and t: *lines* are computed one after another along o,
16 lanes of a vector lie along l, and a line is walked along t, lane l being l steps late. SLOPED has o, l, t = i, j,
k, so that the cells of a vector lie on one sloped plane i + j + k; LAYERED has o, l, t = k, i, j, so that they lie
on one antidiagonal of a layer. They also differ in their windows: ranges of sloped planes, or of layers.

``values``, int32 and flat, belongs to a thread and holds, for every part (a value of a cell that crosses a face:
one, or four with affine gaps):

    rows      [strip][t + l][lane]     the last line that was computed there; at first the cells at o = -1
    columns   [strip][o + 1][C - t]    the cells left of each strip, backwards; those right of the last one at the end
    plane     [o + 1][l + 1]           the cells at t = -1; another one takes those of the last t

so that a box takes its faces in, and hands them on, by copying whole runs. ``starts`` has the local starts likewise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.cpu.lane_moves import transpose_block
from antidiag.kernels.triple.chunks.cpu import affine_lines, linear_lines
from antidiag.kernels.triple.chunks.cpu.affine_lines import PartDistances
from antidiag.kernels.triple.chunks.cpu.layouts import KEPT_VECTORS, KEPT_VECTORS_AFFINE, BoxLayout, ScoreTables
from antidiag.kernels.triple.chunks.cpu.linear_lines import LineOffsets

PLANES_PER_BLOCK = 128
"""Sloped planes that are computed of one strip before the next."""


class BoxExtent(NamedTuple):
    """First cell along o, l and t in the cube, and the number of lines, of strips, and of cells along t."""

    o: int
    l: int  # noqa: E741 - the name of an axis
    t: int
    lines: int
    strips: int
    cells: int


class ThreadMemory(NamedTuple):
    """A thread's values and scores, flat, int32 or int16, and their layout.

    Optional arrays (local starts, moves) are separate arguments, None where they are not needed: Numba drops branches
    by the types of arguments alone.
    """

    values: np.ndarray
    scores: np.ndarray
    layout: BoxLayout
    tables: ScoreTables


class LineSteps(NamedTuple):
    """Steps ``first`` .. ``last`` - 1 of a line of a strip."""

    o: int
    strip: int
    first: int
    last: int


@inline_njit
def column_offset(n, strip, o, t):
    """Return where in ``values`` the cell (o, t) left of a strip is."""
    return n.columns + strip * n.column_strip + (o + 1) * n.column + n.steps + n.lanes - t


@inner_njit
def skew_scores(memory, letters, box):
    """Lay out the scores of lanes with t - l for a box; ``letters`` are the codes along l."""
    scores, tables, n = memory.scores, memory.tables, memory.layout
    offsets = np.empty(n.lanes, np.int64)
    for strip in range(box.strips):
        for lane in range(n.lanes):
            offsets[lane] = tables.lt + letters[box.l + strip * n.lanes + lane] * tables.lt_row + n.lanes - lane + box.t
        for t in range(0, box.cells + n.lanes, n.lanes):
            at = tables.skewed + (strip * (n.steps + 2 * n.lanes) + t) * n.lanes
            transpose_block(scores, offsets, t, scores, at)


@inner_njit
def compute_window(memory, starts, moves, order, costs, letters, box, cut):
    """Compute the lines of a window of a box (`cpu_windows.Window`), of each the cells on its sloped planes.

    ``order`` True, or moves: lines are computed whole, one after another. ``letters`` are the codes along o. ``costs``
    None: linear gaps. ``starts`` None: no local starts; ``moves`` None: no moves.
    """
    n, lines, planes = memory.layout, cut.lines, cut.planes
    if order is not None or moves is not None:
        whole = box.cells + n.lanes - 1
        for o in range(lines[0], lines[1]):
            for strip in range(box.strips):
                _compute_line(memory, starts, moves, order, costs, letters, box, LineSteps(o, strip, 0, whole))
        return
    together = 2 if starts is None and moves is None and costs is None else 1
    # A few planes of one strip at a time stay in the innermost cache.
    for block in range(planes[0], planes[1], PLANES_PER_BLOCK):
        for strip in range(box.strips):
            for o in range(lines[0], lines[1], together):
                before = o + n.lanes * strip
                first = _count_steps_before(n, block - before, box.cells)
                last = _count_steps_before(n, min(block + PLANES_PER_BLOCK, planes[1]) - before, box.cells)
                steps = LineSteps(o, strip, first, last)
                if first < last and together == 2 and o + 1 < lines[1]:
                    _compute_two_lines(memory, letters, box, steps)
                elif first < last:
                    _compute_line(memory, starts, moves, order, costs, letters, box, steps)


@inline_njit
def _count_steps_before(n, plane, cells):
    """Count the steps of a line before a plane.

    The last steps are not split: ``store_last_plane`` reads their values before the next line overwrites them.
    """
    return 0 if plane <= 0 else plane if plane < cells else cells + n.lanes - 1


@inline_njit
def _locate_line(memory, letter, box, o, strip, vectors):
    """Return where a line, whose letter has this code, finds its data; ``vectors`` are kept between windows."""
    n, tables = memory.layout, memory.tables
    plane = n.plane + (o + 1) * n.plane_row + 1 + n.lanes * strip
    west, kept = column_offset(n, strip, o, 0), n.kept + (o * n.strips + strip) * n.lanes * vectors
    rows = n.rows + strip * (n.steps + n.lanes) * n.lanes
    ol = tables.ol + letter * tables.ol_row + box.l + n.lanes * strip
    ot = tables.ot + letter * tables.ot_row - box.t
    lt = tables.skewed + strip * (n.steps + 2 * n.lanes) * n.lanes
    return LineOffsets(plane, west, kept, plane - n.plane_row, west - n.column, rows, west + n.column_strip, ol, ot, lt)


@inline_njit
def _compute_two_lines(memory, letters, box, steps):
    """Compute the steps of two lines together."""
    values, n, o, strip = memory.values, memory.layout, steps.o, steps.strip
    at = _locate_line(memory, int(letters[box.o + o]), box, o, strip, KEPT_VECTORS)
    below = _locate_line(memory, int(letters[box.o + o + 1]), box, o + 1, strip, KEPT_VECTORS)
    linear_lines.compute_two_lines(values, memory.scores, at, below, (n.ends, box.cells - 1), steps.first, steps.last)
    if steps.last == box.cells + n.lanes - 1:
        to = n.plane_out + (o + 1) * n.plane_row + 1 + n.lanes * strip
        for lane in range(n.lanes):
            values[to + lane] = values[n.ends + lane * (n.lanes + 1)]
        store_last_plane(values, n, o + 1, strip, at.rows, box.cells)


@inline_njit
def _compute_line(memory, starts, moves, order, costs, letters, box, steps):
    """Compute the steps of a line by the kernel that the arguments ask for."""
    values, scores, n, o, strip = memory.values, memory.scores, memory.layout, steps.o, steps.strip
    first, last = steps.first, steps.last
    at = _locate_line(
        memory, int(letters[box.o + o]), box, o, strip, KEPT_VECTORS if costs is None else KEPT_VECTORS_AFFINE
    )
    move_at = (o * n.strips + strip) * (n.steps + n.lanes) * n.lanes
    parts, ends = PartDistances(n.row_part, n.plane_part, n.column_part), (n.ends, box.cells - 1)
    if costs is None:
        if moves is not None:
            linear_lines.compute_line_with_moves(values, moves, order, scores, at, last, move_at)
        elif starts is None:
            linear_lines.compute_line(values, scores, at, first, last)
        else:
            linear_lines.compute_line_with_starts(values, starts, order, scores, at, first, last)
    elif moves is not None:
        affine_lines.compute_line_with_moves(values, moves, order, costs, scores, at, parts, last, move_at)
    elif starts is None:
        affine_lines.compute_line(values, costs, scores, at, parts, ends, first, last)
    else:
        affine_lines.compute_line_with_starts(values, starts, order, costs, scores, at, parts, ends, first, last)
    if last == box.cells + n.lanes - 1 and moves is None:
        store_last_plane(values, n, o, strip, at.rows, box.cells)
        if starts is not None:
            store_last_plane(starts, n, o, strip, at.rows, box.cells)


@inline_njit
def store_last_plane(memory, n, o, strip, rows, cells):
    """Copy the cells at the last t of a line into the plane that is handed on."""
    to = n.plane_out + (o + 1) * n.plane_row + 1 + n.lanes * strip
    if n.parts == 1:
        for lane in range(n.lanes):
            memory[to + lane] = memory[rows + (cells - 1 + lane) * n.lanes + lane]
    else:
        for part in range(4):
            for lane in range(n.lanes):
                memory[to + part * n.plane_part + lane] = memory[n.ends + (4 * lane + part) * n.lanes + lane]
