"""Boxes on the CPU: what a thread computes in one go, its three faces, and how they are laid out in memory.

A box is a chunk, or a subchunk of it. Its axes are named o, l and t: *lines* are computed one after another along o,
16 lanes of a vector lie along l, and a line is walked along t, lane l being l steps late. SLOPED has o, l, t = i, j, k, so
that the cells of a vector lie on one sloped plane i + j + k; LAYERED has o, l, t = k, i, j, so that they lie on one
antidiagonal of a layer. Nothing else differs but how the work is cut: a window is a range of sloped planes, or of layers.

``values``, int32 and flat, belongs to a thread and holds, for every part (a value of a cell that crosses a face: one, or
four with affine gaps):

    rows      [strip][t + l][lane]     the last line that was computed there; at first the cells at o = -1
    columns   [strip][o + 1][C - t]    the cells left of each strip, backwards; those right of the last one at the end
    plane     [o + 1][l + 1]           the cells at t = -1; another one takes those of the last t

so that a box takes its faces in, and hands them on, by copying whole runs. ``starts`` has the local starts likewise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernels.jit import compiled, inlined
from kernels.simd import transpose
from kernels.triple import cpu_affine, cpu_linear
from kernels.triple.cpu_sizes import KEPT, KEPT_AFFINE, LANES

class Box(NamedTuple):
    """First cell along o, l and t in the cube, and the number of lines and of cells along t."""

    o: int
    l: int  # noqa: E741 - the name of an axis
    t: int
    lines: int
    cells: int


@inlined
def column_place(n, strip, o, t):
    """Where in ``values`` the cell (o, t) left of a strip is."""
    return n.columns + strip * n.column_strip + (o + 1) * n.column + n.steps + LANES - t


@compiled
def skew(scores, tables, n, letters, box):
    """Lay out the scores of lanes with t - l for a box; ``letters`` are the codes along l from the box's first on."""
    offsets = np.empty(LANES, np.int64)
    for strip in range(n.strips):
        for lane in range(LANES):
            offsets[lane] = tables.lt + letters[strip * LANES + lane] * tables.lt_row + LANES - lane + box.t
        for t in range(0, box.cells + LANES, LANES):
            at = tables.skewed + (strip * (n.steps + 2 * LANES) + t) * LANES
            transpose(scores, offsets, t, scores, at)


@compiled
def window(values, starts, moves, order, costs, scores, tables, n, letters, box, lines, planes):
    """Compute the lines ``lines`` of a box, of each the cells on sloped planes ``planes`` (None: all).

    ``letters`` are the codes along o from the box's first on. ``costs`` None: linear gaps. ``starts`` None: no local
    starts; ``moves`` None: no moves.
    """
    steps = box.cells + LANES - 1
    for o in range(lines[0], lines[1]):
        letter = int(letters[o])
        for strip in range(n.strips):
            first, last = 0, steps
            if planes is not None:
                first = min(max(planes[0] - o - LANES * strip, 0), steps)
                last = min(max(planes[1] - o - LANES * strip, 0), steps)
            if first >= last:
                continue
            plane = n.plane + (o + 1) * n.plane_row + 1 + LANES * strip
            west = column_place(n, strip, o, 0)
            kept = n.kept + (o * n.strips + strip) * LANES * (KEPT if costs is None else KEPT_AFFINE)
            places, above = (plane, west, kept), (plane - n.plane_row, west - n.column)
            rows, east = n.rows + strip * (n.steps + LANES) * LANES, west + n.column_strip
            at = (
                tables.ol + letter * tables.ol_row + box.l + LANES * strip,
                tables.ot + letter * tables.ot_row - box.t,
                tables.skewed + strip * (n.steps + 2 * LANES) * LANES,
            )
            move_at = (o * n.strips + strip) * (n.steps + LANES) * LANES
            if costs is None:
                if moves is not None:
                    cpu_linear.line_with_moves(values, moves, order, scores, at, rows, places, above, east, steps, move_at)
                elif starts is None:
                    cpu_linear.line(values, scores, at, rows, places, above, east, first, last)
                else:
                    cpu_linear.line_with_starts(
                        values, starts, order, scores, at, rows, places, above, east, first, last
                    )
            else:
                parts, ends = (n.row_part, n.plane_part, n.column_part), (n.ends, box.cells - 1)
                if moves is not None:
                    cpu_affine.line_with_moves(
                        values, moves, order, costs, scores, at, rows, places, above, east, parts, steps, move_at
                    )
                elif starts is None:
                    cpu_affine.line(
                        values, costs, scores, at, rows, places, above, east, parts, ends, first, last
                    )
                else:
                    cpu_affine.line_with_starts(
                        values, starts, order, costs, scores, at, rows, places, above, east, parts, ends, first, last
                    )
            if last == steps and moves is None:
                keep_last(values, n, o, strip, rows, box.cells)
                if starts is not None:
                    keep_last(starts, n, o, strip, rows, box.cells)


@inlined
def keep_last(memory, n, o, strip, rows, cells):
    """Put the cells at the last t of a line into the plane that goes out."""
    to = n.plane_out + (o + 1) * n.plane_row + 1 + LANES * strip
    if n.parts == 1:
        for lane in range(LANES):
            memory[to + lane] = memory[rows + (cells - 1 + lane) * LANES + lane]
    else:
        for part in range(4):
            for lane in range(LANES):
                memory[to + part * n.plane_part + lane] = memory[n.ends + (4 * lane + part) * LANES + lane]


