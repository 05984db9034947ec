"""Boxes on the CPU: what a thread computes in one go, its three faces, and how they are laid out in memory.

A box is a chunk, or a subchunk of it. Its axes are named o, l and t: *lines* are computed one after another along o,
16 lanes of a vector lie along l, and a line is walked along t, lane l being l steps late. SLOPED has o, l, t = i, j,
k, so that the cells of a vector lie on one sloped plane i + j + k; LAYERED has o, l, t = k, i, j, so that they lie
on one antidiagonal of a layer. Nothing else differs but how the work is cut: a window is a range of sloped planes,
or of layers.

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

from kernels.jit import called, inlined
from kernels.simd import transpose
from kernels.triple import cpu_affine, cpu_linear
from kernels.triple.cpu_sizes import KEPT, KEPT_AFFINE

BLOCK = 128
"""Sloped planes that are computed of one strip before the next."""


class Box(NamedTuple):
    """First cell along o, l and t in the cube, and the number of lines, of strips, and of cells along t."""

    o: int
    l: int  # noqa: E741 - the name of an axis
    t: int
    lines: int
    strips: int
    cells: int


@inlined
def column_place(n, strip, o, t):
    """Where in ``values`` the cell (o, t) left of a strip is."""
    return n.columns + strip * n.column_strip + (o + 1) * n.column + n.steps + n.lanes - t


@called
def skew(scores, tables, n, letters, box):
    """Lay out the scores of lanes with t - l for a box; ``letters`` are the codes along l."""
    offsets = np.empty(n.lanes, np.int64)
    for strip in range(box.strips):
        for lane in range(n.lanes):
            offsets[lane] = tables.lt + letters[box.l + strip * n.lanes + lane] * tables.lt_row + n.lanes - lane + box.t
        for t in range(0, box.cells + n.lanes, n.lanes):
            at = tables.skewed + (strip * (n.steps + 2 * n.lanes) + t) * n.lanes
            transpose(scores, offsets, t, scores, at)


@called
def window(values, starts, moves, order, costs, scores, tables, n, letters, box, lines, planes):
    """Compute the lines ``lines`` of a box, of each the cells on sloped planes ``planes``.

    ``order`` True, or moves: lines are computed whole, one after another. ``letters`` are the codes along o. ``costs``
    None: linear gaps. ``starts`` None: no local starts; ``moves`` None: no moves.
    """
    steps = box.cells + n.lanes - 1
    if order is not None or moves is not None:
        for o in range(lines[0], lines[1]):
            for strip in range(box.strips):
                _line(values, starts, moves, order, costs, scores, tables, n, letters, box, o, strip, 0, steps)
        return
    together = 2 if starts is None and moves is None and costs is None else 1
    # A few planes of one strip at a time stay in the innermost cache.
    for block in range(planes[0], planes[1], BLOCK):
        for strip in range(box.strips):
            for o in range(lines[0], lines[1], together):
                before = o + n.lanes * strip
                first = _steps_before(n, block - before, box.cells)
                last = _steps_before(n, min(block + BLOCK, planes[1]) - before, box.cells)
                if first < last and together == 2 and o + 1 < lines[1]:
                    _two_lines(values, scores, tables, n, letters, box, o, strip, first, last)
                elif first < last:
                    _line(values, starts, moves, order, costs, scores, tables, n, letters, box, o, strip, first, last)


@inlined
def _steps_before(n, plane, cells):
    """Steps of a line before a plane, counted from the line's first. The last are not parted: ``keep_last`` reads
    what they left before the next line overwrites it; and all that they need is there."""
    return 0 if plane <= 0 else plane if plane < cells else cells + n.lanes - 1


@inlined
def _places(n, o, strip, vectors):
    """Where a line finds what is at t = -1, on its left, and what it kept (cpu_linear.begin)."""
    plane = n.plane + (o + 1) * n.plane_row + 1 + n.lanes * strip
    return plane, column_place(n, strip, o, 0), n.kept + (o * n.strips + strip) * n.lanes * vectors


@inlined
def _two_lines(values, scores, tables, n, letters, box, o, strip, first, last):
    places, below = _places(n, o, strip, KEPT), _places(n, o + 1, strip, KEPT)
    above = places[0] - n.plane_row, places[1] - n.column
    at = _score_places(tables, n, int(letters[box.o + o]), box, strip)
    second = _score_places(tables, n, int(letters[box.o + o + 1]), box, strip)
    rows, east = n.rows + strip * (n.steps + n.lanes) * n.lanes, places[1] + n.column_strip
    ends = n.ends, box.cells - 1
    cpu_linear.two_lines(values, scores, at, second, rows, places, above, below, east, ends, first, last)
    if last == box.cells + n.lanes - 1:
        for lane in range(n.lanes):
            values[n.plane_out + (o + 1) * n.plane_row + 1 + n.lanes * strip + lane] = values[
                n.ends + lane * (n.lanes + 1)
            ]
        keep_last(values, n, o + 1, strip, rows, box.cells)


@inlined
def _line(values, starts, moves, order, costs, scores, tables, n, letters, box, o, strip, first, last):
    """Steps of a line by the kernel that the arguments ask for."""
    places = _places(n, o, strip, KEPT if costs is None else KEPT_AFFINE)
    above = places[0] - n.plane_row, places[1] - n.column
    at = _score_places(tables, n, int(letters[box.o + o]), box, strip)
    rows, east = n.rows + strip * (n.steps + n.lanes) * n.lanes, places[1] + n.column_strip
    move_at = (o * n.strips + strip) * (n.steps + n.lanes) * n.lanes
    parts, ends = (n.row_part, n.plane_part, n.column_part), (n.ends, box.cells - 1)
    fixed = scores, at, rows, places, above, east
    if costs is None:
        if moves is not None:
            cpu_linear.line_with_moves(values, moves, order, *fixed, last, move_at)
        elif starts is None:
            cpu_linear.line(values, *fixed, first, last)
        else:
            cpu_linear.line_with_starts(values, starts, order, *fixed, first, last)
    elif moves is not None:
        cpu_affine.line_with_moves(values, moves, order, costs, *fixed, parts, last, move_at)
    elif starts is None:
        cpu_affine.line(values, costs, *fixed, parts, ends, first, last)
    else:
        cpu_affine.line_with_starts(values, starts, order, costs, *fixed, parts, ends, first, last)
    if last == box.cells + n.lanes - 1 and moves is None:
        keep_last(values, n, o, strip, rows, box.cells)
        if starts is not None:
            keep_last(starts, n, o, strip, rows, box.cells)


@inlined
def _score_places(tables, n, letter, box, strip):
    """Where a line finds its scores (cpu_linear.line)."""
    return (
        tables.ol + letter * tables.ol_row + box.l + n.lanes * strip,
        tables.ot + letter * tables.ot_row - box.t,
        tables.skewed + strip * (n.steps + 2 * n.lanes) * n.lanes,
    )


@inlined
def keep_last(memory, n, o, strip, rows, cells):
    """Put the cells at the last t of a line into the plane that goes out."""
    to = n.plane_out + (o + 1) * n.plane_row + 1 + n.lanes * strip
    if n.parts == 1:
        for lane in range(n.lanes):
            memory[to + lane] = memory[rows + (cells - 1 + lane) * n.lanes + lane]
    else:
        for part in range(4):
            for lane in range(n.lanes):
                memory[to + part * n.plane_part + lane] = memory[n.ends + (4 * lane + part) * n.lanes + lane]
