"""What boxes take from their neighbours and hand on: runs of rows, of columns, and of planes (layouts: `cpu_boxes`).

A face that goes up in o is laid out as ``rows``, one that goes up in l as one strip of ``columns``, one that goes up
in t as a ``plane``. A local start is a number: 16384 x 8 x (layer + 1), 16384 x the move that leaves the cell there
(0 with linear gaps), 128 x (row + 1) + column + 1, both counted from the first row and column of the chunk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.simd import copy_elements
from antidiag.kernels.triple.chunks.cpu.boxes import column_offset, compute_window


class FaceSpan(NamedTuple):
    """Half-open ranges of what is copied: t of rows; o and t of columns; o of a plane. o begins at -1."""

    rows: tuple[int, int]
    columns: tuple[int, int, int, int]
    plane: tuple[int, int]


class FacePlaces(NamedTuple):
    """Where the faces of a box are, as offsets: those taken in and those handed on, in o, l and t."""

    rows_in: int
    columns_in: int
    plane_in: int
    rows_out: int
    columns_out: int
    plane_out: int


class FaceArrays(NamedTuple):
    """The arrays of the faces in o, l and t, flat: of values, and of their local starts or None."""

    values: tuple[np.ndarray, np.ndarray, np.ndarray]
    starts: tuple[np.ndarray, np.ndarray, np.ndarray] | None


class StartCodes(NamedTuple):
    """How local starts of a box are counted.

    They are the start of the cell (-1, -1, -1), what a step along o, l and t adds, and what the bits of a move in o, l
    and t add.
    """

    base: int
    o: int
    l: int  # noqa: E741 - the name of an axis
    t: int
    move_o: int
    move_l: int
    move_t: int


class BoxLink(NamedTuple):
    """How a box is linked to its neighbours: where its faces are, and how its local starts are counted.

    ``carried``: the local starts of the box below go on into this one, instead of beginning anew.
    """

    places: FacePlaces
    codes: StartCodes
    carried: bool


@inline_njit
def _take_rows(memory, n, cells, face, at, span):
    """Copy cells at o = -1 into rows, lane 15 of them also into the columns, and the last of them into the plane."""
    first, last = span
    length = (last - first) * n.lanes
    for part in range(n.parts):
        for strip in range(n.strips):
            place = part * n.row_part + (strip * (n.steps + n.lanes) + first) * n.lanes
            copy_elements(memory, n.rows + place, face, at + place, length)
            row = n.rows + part * n.row_part + strip * (n.steps + n.lanes) * n.lanes
            column = part * n.column_part + column_offset(n, strip + 1, -1, 0)
            for t in range(max(first, n.lanes - 2), last):
                memory[column - (t - n.lanes + 1)] = memory[row + t * n.lanes + n.lanes - 1]
            if first < last == cells + n.lanes - 1:
                to = n.plane_out + plane_part_offset(n, part) + 1 + n.lanes * strip
                for lane in range(n.lanes):
                    memory[to + lane] = memory[row + (cells - 1 + lane) * n.lanes + lane]


@inline_njit
def plane_part_offset(n, part):
    """Return where the plane keeps what rows keep in a part: of moves 4, 5, 6, 7 it needs 5 and 7."""
    return n.plane_part * (3 if part == 3 else 2 if part == 1 else 0)


@inline_njit
def _take_columns(memory, n, cells, face, at, span):
    """Copy cells at l = -1 into the first columns, and the last of them into the plane."""
    first_o, last_o, first, last = span
    for part in range(n.parts):
        for o in range(first_o, last_o):
            place = (o + 1) * n.column + n.steps + n.lanes - (last - 1)
            to = part * n.column_part + n.columns + place
            copy_elements(memory, to, face, at + part * n.column_strip + place, last - first)
            if last == cells:
                memory[n.plane_out + part * n.plane_part + (o + 1) * n.plane_row] = memory[to]


@inline_njit
def _take_plane(memory, n, face, at, span):
    """Copy cells at t = -1 into the plane, those at l = -1 also into the first columns."""
    first, last = span
    for part in range(n.parts):
        place = part * n.plane_part + (first + 1) * n.plane_row
        copy_elements(memory, n.plane + place, face, at + place, (last - first) * n.plane_row)
        for o in range(first, last):
            left = memory[n.plane + part * n.plane_part + (o + 1) * n.plane_row]
            memory[part * n.column_part + column_offset(n, 0, o, -1)] = left


@inline_njit
def _encode_move(codes, o, l, t):  # noqa: E741 - the name of an axis
    """Return what a move adds to a local start."""
    return o * codes.move_o + l * codes.move_l + t * codes.move_t


@inline_njit
def _fill_row_starts(starts, n, codes, span):
    """Set the local starts of the cells at o = -1: they are themselves the starts."""
    for part in range(n.parts):
        moves = 0 if n.parts == 1 else _encode_move(codes, 1, part // 2, part % 2)
        for strip in range(n.strips):
            for t in range(span[0], span[1]):
                place = n.rows + part * n.row_part + (strip * (n.steps + n.lanes) + t) * n.lanes
                code = codes.base + moves + (n.lanes * strip + 1) * codes.l + (t + 1) * codes.t
                for lane in range(n.lanes):
                    starts[place + lane] = code + lane * (codes.l - codes.t)
            # Of the columns left of the other strips, parts 2 and 3 are read at o = -1: moves 6 and 7, as here.
            place = part * n.column_part + column_offset(n, strip + 1, -1, 0)
            code = codes.base + moves + n.lanes * (strip + 1) * codes.l
            for t in range(max(span[0] - n.lanes + 1, -1), span[1] - n.lanes + 1):
                starts[place - t] = code + (t + 1) * codes.t


@inline_njit
def _fill_column_starts(starts, n, codes, span):
    """Set the local starts of the cells at l = -1."""
    for part in range(n.parts):
        moves = 0 if n.parts == 1 else _encode_move(codes, part // 2, 1, part % 2)
        for o in range(span[0], span[1]):
            place = part * n.column_part + column_offset(n, 0, o, 0)
            code = codes.base + moves + (o + 1) * codes.o
            for t in range(span[2], span[3]):
                starts[place - t] = code + (t + 1) * codes.t


@inline_njit
def _fill_plane_starts(starts, n, codes, span, edges):
    """Set the local starts of the cells at t = -1; ``edges``: only of those at o = -1 or l = -1."""
    for part in range(n.parts):
        moves = 0 if n.parts == 1 else _encode_move(codes, part // 2, part % 2, 1)
        for o in range(span[0], span[1]):
            place = n.plane + part * n.plane_part + (o + 1) * n.plane_row
            code = codes.base + moves + (o + 1) * codes.o
            for l in range(1 if edges and o >= 0 else n.plane_row):  # noqa: E741
                starts[place + l] = code + l * codes.l
            starts[part * n.column_part + column_offset(n, 0, o, -1)] = code


@inline_njit
def _hand_on_faces(memory, n, faces, at, span):
    """Hand on what is ready of the last line, of the last columns, and of the plane."""
    for part in range(n.parts):
        first, last = span.rows
        for strip in range(n.strips):
            place = part * n.row_part + (strip * (n.steps + n.lanes) + first) * n.lanes
            copy_elements(faces[0], at.rows_out + place, memory, n.rows + place, (last - first) * n.lanes)
        first_o, last_o, first, last = span.columns
        for o in range(first_o, last_o):
            place = (o + 1) * n.column + n.steps + n.lanes - (last - 1)
            source = part * n.column_part + n.columns + n.strips * n.column_strip + place
            copy_elements(faces[1], at.columns_out + part * n.column_strip + place, memory, source, last - first)
        first, last = span.plane
        place = part * n.plane_part + (first + 1) * n.plane_row
        copy_elements(faces[2], at.plane_out + place, memory, n.plane_out + place, (last - first) * n.plane_row)


@inner_njit
def advance_box(memory, starts, moves, order, costs, letters, box, cut, faces, link):
    """Take in what a window of a box needs, compute the window, and hand on what is ready.

    ``cut`` is the window (`cpu_windows.Window`), ``link`` the `BoxLink` of the box. Other arguments as of
    `cpu_boxes.window`.
    """
    n, values, taken, at = memory.layout, memory.values, cut.taken, link.places
    _take_rows(values, n, box.cells, faces.values[0], at.rows_in, taken.rows)
    _take_columns(values, n, box.cells, faces.values[1], at.columns_in, taken.columns)
    _take_plane(values, n, faces.values[2], at.plane_in, taken.plane)
    if starts is not None:
        if link.carried and order is not None:
            _take_rows(starts, n, box.cells, faces.starts[0], at.rows_in, taken.rows)
        else:
            _fill_row_starts(starts, n, link.codes, taken.rows)
        _fill_column_starts(starts, n, link.codes, taken.columns)
        edges = link.carried and order is None
        if edges:
            _take_plane(starts, n, faces.starts[2], at.plane_in, taken.plane)
        _fill_plane_starts(starts, n, link.codes, taken.plane, edges)
    compute_window(memory, starts, moves, order, costs, letters, box, cut)
    _hand_on_faces(values, n, faces.values, at, cut.given)
    if starts is not None:
        _hand_on_faces(starts, n, faces.starts, at, cut.given)


@cached_njit
def walk_back(moves, n, weights, cell, found):
    """Walk back from a cell of a box until the path leaves it; linear gaps.

    Write the moves, backwards, to ``found``, and return their number and the cell outside. ``weights`` are the bits of
    a move that step along o, l and t.
    """
    o, l, t = cell  # noqa: E741
    count = 0
    while o >= 0 and l >= 0 and t >= 0:
        strip, lane = l // n.lanes, l % n.lanes
        move = moves[((o * n.strips + strip) * (n.steps + n.lanes) + t + lane) * n.lanes + lane]
        found[count] = move
        count += 1
        o, l, t = _step_back(o, l, t, move, weights)  # noqa: E741
    return count, o, l, t, 0


@cached_njit
def walk_back_affine(moves, n, weights, cell, after, found):
    """Walk back as `walk_back` does, with affine gaps; ``after`` is the move that leaves the cell.

    The last number returned is the move that leaves the cell outside, which is the last one found.
    """
    o, l, t = cell  # noqa: E741
    count, leaving = 0, after
    while o >= 0 and l >= 0 and t >= 0:
        strip, lane = l // n.lanes, l % n.lanes
        word = moves[((o * n.strips + strip) * (n.steps + n.lanes) + t + lane) * n.lanes + lane]
        slot = (
            4 * int((leaving & weights[0]) > 0) + 2 * int((leaving & weights[1]) > 0) + int((leaving & weights[2]) > 0)
        )
        leaving = (word >> (3 * slot)) & 7
        found[count] = leaving
        count += 1
        o, l, t = _step_back(o, l, t, leaving, weights)  # noqa: E741
    return count, o, l, t, leaving


@inline_njit
def _step_back(o, l, t, move, weights):  # noqa: E741 - the name of an axis
    """Return the cell before a move."""
    return o - int((move & weights[0]) > 0), l - int((move & weights[1]) > 0), t - int((move & weights[2]) > 0)
