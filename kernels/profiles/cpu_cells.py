"""Cells of the forward table one by one, compiled: scores of columns, the recurrence, and the way back.

``made`` is `scoring.Encoded`. ``rows`` and ``columns`` are its factors with a column after the other: int16
(columns + 1, symbols), blanks last. The table of directions is flat uint8, m x n:

    bits 0, 1    where H comes from: 0 the diagonal, 1 E, 2 F, 3 nowhere (a local alignment begins)
    bit 2        E opens here: the gap ends with this column       bit 3: F opens here
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.profiles.scoring import GLOBAL, LINEAR, LOCAL, LOG_BITS, ROOT, SEMI_GLOBAL, Encoded

NEVER = -(2**30)
FROM_E, FROM_F, NOWHERE, E_OPENS, F_OPENS = 1, 2, 3, 4, 8
POLL = 64
"""Rows between two looks at whether the user cancelled."""
_HALF = np.float32(0.5)


class Finish(NamedTuple):
    """What is made of the product of two columns: see `Encoded`."""

    kind: int
    shift: int
    factor: int
    origin: int
    offset: int
    table: np.ndarray


class Columns(NamedTuple):
    """Both factors of the products and their squares, and what is made of the products."""

    rows: np.ndarray
    columns: np.ndarray
    row_bias: np.ndarray
    column_bias: np.ndarray
    finish: Finish


class Costs(NamedTuple):
    """Costs of gaps; int32, one for a column of each profile, and whether they are scores with a blank column."""

    row_open: np.ndarray
    row_extend: np.ndarray
    column_open: np.ndarray
    column_extend: np.ndarray
    by_column: bool


class Rows(NamedTuple):
    """What goes from a row of the table to the next: H and E, int32 (n + 1), and the best cell, int64 (score, i, j)."""

    h: np.ndarray
    e: np.ndarray
    best: np.ndarray
    mode: int


def finish_of(made: Encoded) -> Finish:
    return Finish(made.kind, made.shift, made.factor, made.origin, made.offset, made.table)


def columns_of(made: Encoded) -> Columns:
    """The factors, a column after the other."""
    rows, columns = (np.ascontiguousarray(one.T) for one in (made.rows, made.columns))
    return Columns(rows, columns, made.row_bias, made.column_bias, finish_of(made))


def costs_of(made: Encoded) -> Costs:
    return Costs(made.row_open, made.row_extend, made.column_open, made.column_extend, made.by_column)


def first_row(made: Encoded) -> Rows:
    """Row 0 of the table."""
    h: np.ndarray = np.zeros(made.n + 1, np.int32)
    if made.mode == GLOBAL:
        h[1:] = -border(made.column_open, made.column_extend)
    best = np.array([NEVER if made.mode != LOCAL else 0, 0, 0], np.int64)
    if made.mode == SEMI_GLOBAL:
        best[:] = 0, 0, made.n
    return Rows(h, np.full(made.n + 1, NEVER, np.int32), best, made.mode)


def border(opens: np.ndarray, extends: np.ndarray) -> np.ndarray:
    """What the gap costs that reaches from the corner of the table to each of its first cells; int64."""
    costs = np.cumsum(extends, dtype=np.int64)
    return costs + int(opens[0])


@inlined
def product(left, right, i, j):
    """The product of column i of one factor and column j of the other; both int16 (columns, symbols)."""
    total = 0
    for x in range(left.shape[1]):
        total += left[i, x] * right[j, x]
    return np.int32(total)


@inlined
def finished(kind, shift, factor, origin, table, value, bias):
    """The score of a product (int32, at most 2^24) and the sum of the squares of both factors."""
    if kind == LINEAR:
        return np.int32((value + ((np.int32(1) << shift) >> 1)) >> shift)
    if kind == ROOT:
        # The root of a whole number is never halfway, but in float32 it may be rounded to there, always from below.
        return np.int32(-np.ceil(np.sqrt(np.float32(bias - 2 * value)) - _HALF))
    bits = np.float32(max(value, 1)).view(np.int32)
    power, at, rest = (bits >> 23) - 127, (bits >> 15) & 255, bits & 0x7FFF
    low = table[at]
    logarithm = (power << LOG_BITS) + low + (((table[at + 1] - low) * rest) >> 15)
    return np.int32(((logarithm - origin) * factor + ((1 << LOG_BITS) >> 1)) >> LOG_BITS)


@compiled
def finish_one(kind, shift, factor, origin, table, value, bias):
    """`finished` by itself, so that it can be tried."""
    return finished(kind, shift, factor, origin, table, np.int32(value), np.int32(bias))


@inlined
def score(parts, i, j):
    """The score of column i of the first and j of the second profile, without the offset; ``parts`` are `parts_of`."""
    rows, columns, row_bias, column_bias, kind, shift, factor, origin, table = parts
    value = product(rows, columns, i, j)
    return finished(kind, shift, factor, origin, table, value, row_bias[i] + column_bias[j])


@inlined
def parts_of(pair):
    """What scores are made of, out of its records: to take an array out of one counts a reference, which all threads
    share, so that it is done once before the loops."""
    kind, shift, factor, origin, _, table = pair.finish
    return pair.rows, pair.columns, pair.row_bias, pair.column_bias, kind, shift, factor, origin, table


@inlined
def cell(diagonal, up_h, up_e, left_h, left_f, row_open, row_extend, column_open, column_extend, local):
    """H, E, F and the direction of a cell; ``diagonal`` has the score."""
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


@inlined
def keep_best(best, h, i, j):
    """The first cell of the best score."""
    if h > best[0]:
        best[0], best[1], best[2] = h, i, j


@inlined
def end_row(state, i, m, last):
    """What a finished row ``i`` (from 1) means for the end of a path; ``last`` is H of its last cell."""
    n = state.h.size - 1
    if state.mode == SEMI_GLOBAL:
        if i < m:
            keep_best(state.best, last, i, n)
        else:
            for j in range(n + 1):
                keep_best(state.best, state.h[j], i, j)
    elif state.mode == GLOBAL and i == m:
        state.best[0], state.best[1], state.best[2] = last, i, n


@compiled
def maximise(scores, vertical, horizontal, strides, costs, state, directions, first, last, m, stop, done):
    """Rows ``first`` to ``last`` - 1 of the table from scores that were made beforehand: the part that depends on data.

    ``scores`` int32, flat, m x n, with the offset. Costs of extending gaps are ``vertical[i * strides[0] + j *
    strides[1]]`` and ``horizontal[i * strides[2] + j * strides[3]]``: matrices, or vectors where a stride is 0.
    Returns the row where it was told to stop, or ``last``.
    """
    h, e, n, local = state.h, state.e, state.h.size - 1, state.mode == LOCAL
    row_open, column_open, best = costs.row_open, costs.column_open, state.best
    for i in range(first, last):
        if i % POLL == 0 and stop[0] != 0:
            return i
        diagonal, f = h[0], NEVER
        left = 0
        if state.mode == GLOBAL:
            left = (diagonal if i > 0 else -row_open[0]) - vertical[i * strides[0]]
        h[0] = left
        for j in range(n):
            up = h[j + 1]
            left, e[j + 1], f, direction = cell(
                diagonal + scores[i * n + j], up, e[j + 1], left, f, row_open[i],
                vertical[i * strides[0] + j * strides[1]], column_open[j],
                horizontal[i * strides[2] + j * strides[3]], local,
            )  # fmt: skip
            diagonal, h[j + 1] = up, left
            directions[i * n + j] = direction
            if local:
                keep_best(best, left, i + 1, j + 1)
        end_row(state, i + 1, m, left)
        done[0] = i + 1
    return last


@compiled
def serial(pair, costs, state, directions, first, last, m, stop, done):
    """Rows ``first`` to ``last`` - 1 as algorithms 2.3 and 2.4 have them: the scores of every cell where it is."""
    h, e, n, local = state.h, state.e, state.h.size - 1, state.mode == LOCAL
    row_open, column_open, best, offset = costs.row_open, costs.column_open, state.best, pair.finish.offset
    down, across, by_column, parts = costs.row_extend, costs.column_extend, costs.by_column, parts_of(pair)
    for i in range(first, last):
        if i % POLL == 0 and stop[0] != 0:
            return i
        diagonal, f = h[0], NEVER
        left = 0
        if state.mode == GLOBAL:
            left = (diagonal if i > 0 else -row_open[0]) - down[i]
        h[0] = left
        for j in range(n):
            up = h[j + 1]
            if by_column:
                row_extend, column_extend = -score(parts, i, n), -score(parts, m, j)
            else:
                row_extend, column_extend = down[i], across[j]
            left, e[j + 1], f, direction = cell(
                diagonal + score(parts, i, j) + offset, up, e[j + 1], left, f, row_open[i], row_extend, column_open[j],
                column_extend, local,
            )  # fmt: skip
            diagonal, h[j + 1] = up, left
            directions[i * n + j] = direction
            if local:
                keep_best(best, left, i + 1, j + 1)
        end_row(state, i + 1, m, left)
        done[0] = i + 1
    return last


@compiled
def walk(directions, n, i, j, mode, operations):
    """The path that ends in cell (i, j), its last operation first, into ``operations`` (uint8); how many, and the cell
    where it starts."""
    state, count = 0, 0
    while True:
        if (mode == GLOBAL and i == 0 and j == 0) or (mode != GLOBAL and state == 0 and (i == 0 or j == 0)):
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
