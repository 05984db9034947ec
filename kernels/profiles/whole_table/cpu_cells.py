"""Compiled single cells of the forward table: scores of columns, the recurrence, and the traceback.

``pair`` is an `EncodedProfiles` after `turn_factors`: its factors are int16 (columns + 1, symbols), blanks last.
The table of directions is flat uint8, m x n:

    bits 0, 1    where H comes from: 0 diagonal, 1 E, 2 F, 3 nowhere (a local alignment begins)
    bit 2        E opens here: the gap ends with this column       bit 3: F opens here
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.profiles.column_scores.scoring import (
    FIRST_END,
    FIRST_START,
    LINEAR,
    LOCAL,
    LOG_BITS,
    ROOT,
    SECOND_END,
    SECOND_START,
    EncodedProfiles,
)

NEVER = -(2**30)
FROM_E, FROM_F, NOWHERE, E_OPENS, F_OPENS = 1, 2, 3, 4, 8
POLL = 64
"""Rows between two checks for Cancel."""
_HALF = np.float32(0.5)


class TableRows(NamedTuple):
    """What one row of the table hands to the next: H and E, int32 (n + 1), and the best cell, int64 (score, i, j)."""

    h: np.ndarray
    e: np.ndarray
    best: np.ndarray
    mode: int


def turn_factors(encoded: EncodedProfiles) -> EncodedProfiles:
    """Return the problem with one profile column per row of its factors: int16 (columns, symbols)."""
    rows, columns = (np.ascontiguousarray(one.T) for one in (encoded.rows, encoded.columns))
    return encoded._replace(rows=rows, columns=columns)


def make_first_row(encoded: EncodedProfiles) -> TableRows:
    """Return row 0 of the table."""
    h, _ = table_borders(encoded)
    best = np.array([NEVER if encoded.mode != LOCAL else 0, 0, 0], np.int64)
    if encoded.mode & FIRST_END:
        best[:] = h[-1], 0, encoded.n
    return TableRows(h, np.full(encoded.n + 1, NEVER, np.int32), best, encoded.mode)


def table_borders(encoded: EncodedProfiles) -> tuple[np.ndarray, np.ndarray]:
    """Return H of the first row and of the first column, int32 (n + 1 and m + 1): 0 where they are free."""
    mode = encoded.mode
    first_row = border_scores(not mode & SECOND_START, encoded.column_open, encoded.column_extend)
    return first_row, border_scores(not mode & FIRST_START, encoded.row_open, encoded.row_extend)


def border_scores(costs_gap: bool, opens: np.ndarray, extends: np.ndarray) -> np.ndarray:
    """Return H of the border cells along one side of the table, int32, from the corner on: 0, or what a gap costs."""
    scores: np.ndarray = np.zeros(len(extends) + 1, np.int32)
    if costs_gap:
        scores[1:] = -(np.cumsum(extends, dtype=np.int64) + int(opens[0]))
    return scores


@inline_njit
def multiply_columns(left, right, i, j):
    """Multiply column i of one factor and column j of the other; both int16 (columns, symbols)."""
    total = 0
    for x in range(left.shape[1]):
        total += left[i, x] * right[j, x]
    return np.int32(total)


@inline_njit
def finish_score(kind, shift, factor, origin, table, value, bias):
    """Return the score of a product (int32, at most 2^24); ``bias`` is the sum of both squares."""
    if kind == LINEAR:
        return np.int32((value + ((np.int32(1) << shift) >> 1)) >> shift)
    if kind == ROOT:
        # The root of a whole number is never halfway; float32 may round it to there, always from below.
        return np.int32(-np.ceil(np.sqrt(np.float32(bias - 2 * value)) - _HALF))
    bits = np.float32(max(value, 1)).view(np.int32)
    power, at, rest = (bits >> 23) - 127, (bits >> 15) & 255, bits & 0x7FFF
    low = table[at]
    logarithm = (power << LOG_BITS) + low + (((table[at + 1] - low) * rest) >> 15)
    return np.int32(((logarithm - origin) * factor + ((1 << LOG_BITS) >> 1)) >> LOG_BITS)


@inline_njit
def score_columns(factors, i, j):
    """Return the score of column i of the first and j of the second profile, without the offset."""
    rows, columns, row_bias, column_bias, kind, shift, factor, origin, table = factors
    value = multiply_columns(rows, columns, i, j)
    return finish_score(kind, shift, factor, origin, table, value, row_bias[i] + column_bias[j])


@inline_njit
def unpack_factors(pair):
    """Unpack the records of scores once before loops: each access counts a reference that all threads share."""
    return (
        pair.rows,
        pair.columns,
        pair.row_bias,
        pair.column_bias,
        pair.kind,
        pair.shift,
        pair.factor,
        pair.origin,
        pair.table,
    )


@inline_njit
def compute_cell(diagonal, up_h, up_e, left_h, left_f, row_open, row_extend, column_open, column_extend, local):
    """Return H, E, F and the direction of a cell; ``diagonal`` includes the score."""
    direction = 0
    opened, e = up_h - row_open, up_e
    if opened >= e:
        e, direction = opened, E_OPENS
    e -= row_extend
    opened, f = left_h - column_open, left_f
    if opened >= f:
        f, direction = opened, direction | F_OPENS
    f -= column_extend
    h = diagonal
    if e > h:
        h, direction = e, (direction & 12) | FROM_E
    if f > h:
        h, direction = f, (direction & 12) | FROM_F
    if local and h <= 0:
        h, direction = 0, direction | NOWHERE
    return h, e, f, direction


@inline_njit
def costs_left_gap(mode):
    """Return whether a gap along the first column of the table costs something, so that no path begins there."""
    return mode & FIRST_START == 0


@inline_njit
def update_best(best, h, i, j):
    """Keep the first cell of the best score."""
    if h > best[0]:
        best[0], best[1], best[2] = h, i, j


@inline_njit
def finish_row(state, i, m, last):
    """Update the end of the best path by a finished row ``i`` (from 1); ``last`` is H of its last cell."""
    n = state.h.size - 1
    if i == m and state.mode & SECOND_END != 0:
        for j in range(n + 1):
            update_best(state.best, state.h[j], i, j)
    elif state.mode & FIRST_END != 0 or (i == m and state.mode != LOCAL):
        update_best(state.best, last, i, n)


@cached_njit
def maximise_rows(scores, vertical, horizontal, strides, pair, state, directions, first, last, m, stop, done):
    """Compute rows ``first`` to ``last`` - 1 of the table from finished scores.

    ``scores`` int32, flat, m x n, with the offset. Extension costs are ``vertical[i * strides[0] + j * strides[1]]``
    and ``horizontal[i * strides[2] + j * strides[3]]``: matrices, or vectors where a stride is 0. Returns ``last``, or
    the row where it stopped.
    """
    h, e, n, local = state.h, state.e, state.h.size - 1, state.mode == LOCAL
    row_open, column_open, best = pair.row_open, pair.column_open, state.best
    for i in range(first, last):
        if i % POLL == 0 and stop[0] != 0:
            return i
        diagonal, f = h[0], NEVER
        left = 0
        if costs_left_gap(state.mode):
            left = (diagonal if i > 0 else -row_open[0]) - vertical[i * strides[0]]
        h[0] = left
        for j in range(n):
            up = h[j + 1]
            left, e[j + 1], f, direction = compute_cell(
                diagonal + scores[i * n + j],
                up,
                e[j + 1],
                left,
                f,
                row_open[i],
                vertical[i * strides[0] + j * strides[1]],
                column_open[j],
                horizontal[i * strides[2] + j * strides[3]],
                local,
            )
            diagonal, h[j + 1] = up, left
            directions[i * n + j] = direction
            if local:
                update_best(best, left, i + 1, j + 1)
        finish_row(state, i + 1, m, left)
        done[0] = i + 1
    return last


@cached_njit
def compute_rows_serially(pair, state, directions, first, last, m, stop, done):
    """Compute rows ``first`` to ``last`` - 1 with scores cell by cell (Hanif 2014, algorithms 2.3 and 2.4)."""
    h, e, n, local = state.h, state.e, state.h.size - 1, state.mode == LOCAL
    row_open, column_open, best, offset = pair.row_open, pair.column_open, state.best, pair.offset
    down, across, by_column, parts = pair.row_extend, pair.column_extend, pair.by_column, unpack_factors(pair)
    for i in range(first, last):
        if i % POLL == 0 and stop[0] != 0:
            return i
        diagonal, f = h[0], NEVER
        left = 0
        if costs_left_gap(state.mode):
            left = (diagonal if i > 0 else -row_open[0]) - down[i]
        h[0] = left
        for j in range(n):
            up = h[j + 1]
            if by_column:
                row_extend, column_extend = -score_columns(parts, i, n), -score_columns(parts, m, j)
            else:
                row_extend, column_extend = down[i], across[j]
            left, e[j + 1], f, direction = compute_cell(
                diagonal + score_columns(parts, i, j) + offset,
                up,
                e[j + 1],
                left,
                f,
                row_open[i],
                row_extend,
                column_open[j],
                column_extend,
                local,
            )
            diagonal, h[j + 1] = up, left
            directions[i * n + j] = direction
            if local:
                update_best(best, left, i + 1, j + 1)
        finish_row(state, i + 1, m, left)
        done[0] = i + 1
    return last


@inline_njit
def path_begins(mode, i, j, state):
    """Return whether a path begins in a cell of a border of the table; ``state`` is 0 outside of gaps."""
    if i == 0 and j == 0:
        return True
    return state == 0 and ((i == 0 and mode & SECOND_START != 0) or (j == 0 and mode & FIRST_START != 0))


@cached_njit
def trace_path(directions, n, i, j, mode, operations):
    """Trace the path that ends in cell (i, j) into ``operations`` (uint8), last operation first.

    Returns their number and the cell where the path starts.
    """
    state, count = 0, 0
    while True:
        if path_begins(mode, i, j, state):
            return count, i, j
        if i == 0 or j == 0:
            operation = FROM_F if i == 0 else FROM_E
        else:
            direction = directions[(i - 1) * n + j - 1]
            if state == 0:
                state = direction & 3
                if state == NOWHERE:
                    return count, i, j
            operation = state
            if (state == FROM_E and direction & E_OPENS) or (state == FROM_F and direction & F_OPENS):
                state = 0
        operations[count] = operation
        count += 1
        if operation != FROM_F:
            i -= 1
        if operation != FROM_E:
            j -= 1
