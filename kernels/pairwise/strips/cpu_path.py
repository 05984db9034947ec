"""Phase 3 on the CPU: every strip or chunk on the path is recomputed in part and traced.

Parts are independent, so threads take them in any order. Only the rows between the start and the end of a part
keep directions, half a byte a cell (a byte with two-piece gap costs), in slices of SLICE_ROWS rows.

A part begins either at its start, from its start state alone; or, as published, at the top of the strip or chunk that
holds the start, from the true values that phase 1 kept. The path is the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, LoggedCells
from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.cpu.simd import LANES
from antidiag.kernels.pairwise.encoding import NEGATIVE
from antidiag.kernels.pairwise.kernel_records import NEVER_BETTER
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP
from antidiag.kernels.pairwise.strips.cpu_direction_kernels import compute_direction_tile
from antidiag.kernels.pairwise.strips.cpu_sizes import SLICE_ROWS, column_length, slice_bytes, tile_width
from antidiag.kernels.pairwise.strips.cpu_strips import StripRun
from antidiag.kernels.pairwise.strips.cpu_tile_kernels import (
    NO_ENDS,
    StripBorders,
    StripProblem,
    call_compute_score_tile,
)
from antidiag.kernels.pairwise.strips.start_states import (
    FROM_DIAGONAL,
    FROM_E,
    FROM_E2,
    FROM_F,
    FROM_F2,
    KIND_K,
    KIND_K2,
    KIND_NEW,
    KIND_TOP_G,
    KIND_TOP_G2,
    ON_LEFT,
    OPENS_E,
    OPENS_E2,
    OPENS_E_BY_TWO,
    OPENS_F,
    OPENS_F2,
    OPENS_F_BY_TWO,
    REACHED,
    REACHED_BY_TWO,
    STOP,
    SubPath,
)

NOWHERE = -1
"""A row that no traceback reaches."""
FROM_H = -1
"""State of a traceback that is in H, not in a gap."""


OPERATION, OF_SECOND_PIECE = 3, 4
"""Bits of what a traceback writes: the operation, and whether it is of a gap of the second piece."""


class PartDirections(NamedTuple):
    """Directions of a part of the path: uint8 (slices, bytes of a slice), as `compute_direction_tile` writes them.

    ``slice_rows`` are the rows of a slice, ``columns`` those of a lane.
    """

    codes: np.ndarray
    slice_rows: int
    columns: int


def first_row_above(strips: StripRun, part: SubPath, true_values: bool) -> int:
    """Return the row above the first one that is recomputed for a part."""
    return max(part.top_row, 0) // strips.h * strips.h if true_values else part.top_row


def compute_paths(strips: StripRun, parts: list[SubPath], true_values: bool, phase: CpuPhase) -> list[np.ndarray]:
    """Return the operations of every part.

    ``true_values``: begin as published, which needs all boundaries; else at the start of each part. Raises Cancelled.
    """
    pieces: list[np.ndarray] = [np.empty(0, np.uint8)] * len(parts)

    def compute(worker: int, index: int) -> None:
        pieces[index] = _compute_operations(strips, parts[index], true_values)

    def cells_of_part(index: int) -> LoggedCells:
        part = parts[index]
        rows = max(first_row_above(strips, part, true_values), 0), part.end_row
        return LoggedCells(rows, (part.strip * strips.s, part.end_column), part.strip)

    phase.share_tasks(range(len(parts)), compute, cells_of_part)
    return pieces


def _compute_operations(strips: StripRun, part: SubPath, true_values: bool) -> np.ndarray:
    """Compute the directions of one part, and return the operations traced through them."""
    above = first_row_above(strips, part, true_values)
    top, problem = max(part.top_row, above), strips.strip_problem(part.strip, above)
    if true_values:
        edge, left = _start_from_values(strips, part, problem, above, top)
    else:
        edge, left = _start_from_state(strips, part)
        problem = problem._replace(costs=problem.costs._replace(floor=np.int32(NEGATIVE)))
    rows, width = part.end_row - top, tile_width(np.diff(strips.column_range(part.strip))[0])
    slice_rows = min(max(rows, 1), SLICE_ROWS)
    slice_size = slice_bytes(slice_rows, width, strips.pair.value_count)
    codes = np.empty((-(-rows // slice_rows), slice_size), np.uint8)
    for index, row in enumerate(range(0, rows, slice_rows)):
        if strips.run.stop[0]:
            return np.empty(0, np.uint8)
        count = min(slice_rows, rows - row)
        compute_direction_tile(problem, edge, left, top - above + row, count, codes[index], strips.second)
    operations = np.empty(max(rows, 0) + width, np.uint8)
    start_row = NOWHERE if part.enters_from_left else part.start_row
    column = part.end_column - part.strip * strips.s
    directions = PartDirections(codes, slice_rows, width // LANES)
    two_pieces = True if strips.second else None
    length = trace_operations(directions, top, start_row, part.end_row, column, part.end_kind, operations, two_pieces)
    return operations[:length][::-1] & OPERATION


def _start_from_state(strips: StripRun, part: SubPath) -> tuple[np.ndarray, np.ndarray]:
    """Return edge and left column from which only the start state of the part continues.

    Everything else is minus infinity, and the floor must be, too. Along the path every value is the true one less a
    constant, and every other value is at most that, so that each choice of the traceback is the true one.
    """
    start, end = strips.column_range(part.strip)
    count = strips.pair.value_count
    edge = np.full((count, tile_width(end - start)), NEGATIVE, np.int32)
    left = np.full((count, column_length(part.end_row - part.top_row)), NEGATIVE, np.int32)
    if part.kind in (KIND_K, KIND_K2):
        left[ON_LEFT.index(part.kind), 1] = 0
        if part.start_row == 0:  # the gap along row 0, which each piece of the gap costs continues
            left[1:, 1] = [-start * extend for _, extend in strips.pair.gap_pieces]
    else:
        left[0, 0] = 0
    if part.kind == KIND_NEW:
        edge[:] = 0
    return edge, left


def _start_from_values(
    strips: StripRun, part: SubPath, problem: StripProblem, above: int, top: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the true borders at row ``top``, computed from row ``above``, and the boundary column below it."""
    edge = strips.top_edge(part.strip, above // strips.h)[: strips.pair.value_count].copy()
    left = strips.left_column(part.strip)[:, above : column_length(part.end_row)].copy()
    unread = np.empty((strips.pair.value_count, column_length(top - above)), np.int32)
    best = np.full(4, NEVER_BETTER, np.int32)
    for row in range(0, top - above, SLICE_ROWS):
        count = min(SLICE_ROWS, top - above - row)
        if not strips.run.stop[0]:
            borders = StripBorders(edge, left, unread)
            call_compute_score_tile(problem, borders, row, count, best, None, NO_ENDS, strips.second)
    return edge, left


@inline_njit
def direction_of(directions, row, column, two_pieces):
    """Return the direction bits of a cell; row and column count from 1 inside the part."""
    codes, slice_rows, columns = directions
    row, column = row - 1, column - 1
    lane, c = column // columns, column % columns
    t = row % slice_rows + lane
    if two_pieces is not None:
        return np.int64(codes[row // slice_rows, (t * columns + c) * LANES + lane])
    byte = np.int64(codes[row // slice_rows, (t * columns + c) // 2 * LANES + lane])
    return byte >> 4 if c % 2 else byte & 15


@cached_njit
def trace_operations(directions, top, start_row, row, column, end_kind, operations, two_pieces=None):
    """Write the operations from the end cell back to the start of a part, and return their number.

    ``row`` counts from the matrix's row 0, ``column`` from the strip's left boundary, where the walk ends; or else it
    ends in ``start_row``, or where a local path starts. ``end_kind``: the kind with which the next part begins. Row 0
    leads to the left. ``two_pieces``: True where directions are those of two-piece gap costs, else None; operations of
    gaps of the second piece are then marked by OF_SECOND_PIECE.
    """
    length = 0
    opens_below, opens_beside, reached = OPENS_E, OPENS_F, REACHED
    if two_pieces is not None:
        opens_below, opens_beside, reached = OPENS_E_BY_TWO, OPENS_F_BY_TWO, REACHED_BY_TWO
    state, gap, opens = FROM_H, FROM_F, opens_beside
    if end_kind == KIND_TOP_G:
        gap, opens = FROM_E, opens_below
    in_gap = row > 0 and end_kind in (KIND_K, KIND_TOP_G)
    if two_pieces is not None:
        if end_kind == KIND_K2:
            gap, opens, in_gap = FROM_F2, OPENS_F2, row > 0
        if end_kind == KIND_TOP_G2:
            gap, opens, in_gap = FROM_E2, OPENS_E2, row > 0
    if in_gap and not direction_of(directions, row - top, column, two_pieces) & opens:
        state = gap
    while column > 0 and not (state == FROM_H and row == start_row):
        if row == 0:
            state = FROM_F
        elif state == FROM_H:
            state = direction_of(directions, row - top, column, two_pieces) & reached
            if state == STOP:
                break
        if state == FROM_DIAGONAL:
            operations[length] = DIAGONAL
            row, column, state = row - 1, column - 1, FROM_H
        elif state in (FROM_E, FROM_E2):
            operations[length] = UP
            if two_pieces is not None and state == FROM_E2:
                operations[length] = UP | OF_SECOND_PIECE
            row -= 1
            opens = opens_below if state == FROM_E else OPENS_E2
            if row == top or direction_of(directions, row - top, column, two_pieces) & opens:
                state = FROM_H
        else:
            operations[length] = LEFT
            if two_pieces is not None and state == FROM_F2:
                operations[length] = LEFT | OF_SECOND_PIECE
            column -= 1
            opens = OPENS_F2 if state == FROM_F2 else opens_beside
            if column > 0 and row > 0 and direction_of(directions, row - top, column, two_pieces) & opens:
                state = FROM_H
        length += 1
    return length
