"""Blocks of k x k cells, compiled: scores by four divisions of labour (003, section 4.2.3), and whole cells by waves.

Simple, Row, Column and Mix fill the matrices D (scores), V and H (what a gap opposite the row's, the column's column
costs to extend) of algorithm 4.1. What one thread of the thesis does is one turn of the outer loops here: what it
computes once and keeps is outside of its inner loop, and all else is computed for every cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.profiles.cpu_cells import NEVER, cell, finished, keep_best, parts_of, score
from antidiag.kernels.profiles.scoring import GLOBAL, LOCAL, SEMI_GLOBAL

SIMPLE, ROW, COLUMN, MIX = 0, 1, 2, 3


class Matrices(NamedTuple):
    """D, V and H of algorithm 4.1; int32 (m, n)."""

    scores: np.ndarray
    vertical: np.ndarray
    horizontal: np.ndarray


class Walls(NamedTuple):
    """What goes from block to block, as through global memory.

    ``h_rows`` and ``e_rows`` (int32, (blocks down + 1) x (n + 1)) are the last rows of blocks, ``h_columns`` and
    ``f_columns`` ((blocks across + 1) x (m + 1)) their last columns, all flat. ``best`` (int64, blocks x 3) has the
    best cell of every block.
    """

    h_rows: np.ndarray
    e_rows: np.ndarray
    h_columns: np.ndarray
    f_columns: np.ndarray
    best: np.ndarray
    mode: int


@inlined
def _cut(pair, costs, matrices, top, left, k):
    """A block with numbers of its own for its rows and columns, from 0: what its cells score, what a gap opposite its
    rows and opposite its columns scores (all `score`'s parts), its costs of gaps, and its parts of D, V and H.

    From 0, because an index that could be negative counts from the end in Python, which costs a choice an access. What
    a gap costs is written out where it is used: as a function that calls `score` the compiler makes no vectors of its
    products, and the scores take three times as long.
    """
    rows, columns, row_bias, column_bias, kind, shift, factor, origin, table = parts_of(pair)
    m, n = costs.row_extend.size, costs.column_extend.size
    bottom, right = min(top + k, m), min(left + k, n)
    own_rows, own_row_bias = rows[top:bottom], row_bias[top:bottom]
    own_columns, own_column_bias = columns[left:right], column_bias[left:right]
    finish = kind, shift, factor, origin, table
    return (
        (own_rows, own_columns, own_row_bias, own_column_bias, *finish),
        (own_rows, columns[n:], own_row_bias, column_bias[n:], *finish),
        (rows[m:], own_columns, row_bias[m:], own_column_bias, *finish),
        costs.row_extend[top:bottom], costs.column_extend[left:right], costs.by_column, pair.finish.offset,
        matrices.scores[top:bottom, left:right], matrices.vertical[top:bottom, left:right],
        matrices.horizontal[top:bottom, left:right],
    )  # fmt: skip


@compiled
def simple_block(pair, costs, matrices, top, left, k):
    """Simple k: as if a thread computed a cell, and all three numbers of it."""
    cells, gaps_down, gaps_across, down, across, by_column, offset, scores, verticals, horizontals = _cut(
        pair, costs, matrices, top, left, k
    )
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            verticals[i, j] = -score(gaps_down, i, 0) if by_column else down[i]
            horizontals[i, j] = -score(gaps_across, 0, j) if by_column else across[j]
            scores[i, j] = score(cells, i, j) + offset


@compiled
def row_block(pair, costs, matrices, top, left, k):
    """Row k: as if a thread computed a row of the block, and V once for all of it."""
    cells, gaps_down, gaps_across, down, across, by_column, offset, scores, verticals, horizontals = _cut(
        pair, costs, matrices, top, left, k
    )
    for i in range(scores.shape[0]):
        vertical = -score(gaps_down, i, 0) if by_column else down[i]
        for j in range(scores.shape[1]):
            verticals[i, j] = vertical
            horizontals[i, j] = -score(gaps_across, 0, j) if by_column else across[j]
            scores[i, j] = score(cells, i, j) + offset


@compiled
def column_block(pair, costs, matrices, top, left, k):
    """Column k: as if a thread computed a column of the block, and H once for all of it."""
    cells, gaps_down, gaps_across, down, across, by_column, offset, scores, verticals, horizontals = _cut(
        pair, costs, matrices, top, left, k
    )
    for j in range(scores.shape[1]):
        horizontal = -score(gaps_across, 0, j) if by_column else across[j]
        for i in range(scores.shape[0]):
            verticals[i, j] = -score(gaps_down, i, 0) if by_column else down[i]
            horizontals[i, j] = horizontal
            scores[i, j] = score(cells, i, j) + offset


@compiled
def mix_block(pair, costs, matrices, top, left, k):
    """Mix k: thread t computes row t from the diagonal on, with V once, and column t below it, with H once."""
    cells, gaps_down, gaps_across, down, across, by_column, offset, scores, verticals, horizontals = _cut(
        pair, costs, matrices, top, left, k
    )
    height, width = scores.shape
    for t in range(max(height, width)):
        if t < height:
            vertical = -score(gaps_down, t, 0) if by_column else down[t]
            for j in range(t, width):
                verticals[t, j] = vertical
                horizontals[t, j] = -score(gaps_across, 0, j) if by_column else across[j]
                scores[t, j] = score(cells, t, j) + offset
        if t < width:
            horizontal = -score(gaps_across, 0, t) if by_column else across[t]
            for i in range(t + 1, height):
                verticals[i, t] = -score(gaps_down, i, 0) if by_column else down[i]
                horizontals[i, t] = horizontal
                scores[i, t] = score(cells, i, t) + offset


@compiled
def finish_rows(pair, products, first, last, scores, stop):
    """Scores (int32, flat, m x n) of rows ``first`` to ``last`` - 1 from their products (float32, flat, those rows)."""
    kind, shift, factor, origin, offset, table = pair.finish
    row_bias, column_bias = pair.row_bias, pair.column_bias
    n = column_bias.size - 1
    for i in range(first, last):
        if stop[0] != 0:
            return
        bias = row_bias[i]
        for j in range(n):
            value = np.int32(products[(i - first) * n + j])
            scores[i * n + j] = finished(kind, shift, factor, origin, table, value, bias + column_bias[j]) + offset


@compiled
def finish_vertical(pair, down, first, last, left, right, vertical):
    """V (int32, flat, m x n) of rows ``first`` to ``last`` - 1 and columns ``left`` to ``right`` - 1 from the products
    ``down`` of these rows with the blank column, as often (float32, flat)."""
    kind, shift, factor, origin, _, table = pair.finish
    row_bias, column_bias = pair.row_bias, pair.column_bias
    n, width = column_bias.size - 1, right - left
    for i in range(first, last):
        bias = row_bias[i] + column_bias[n]
        for j in range(left, right):
            value = np.int32(down[(i - first) * width + j - left])
            vertical[i * n + j] = -finished(kind, shift, factor, origin, table, value, bias)


@compiled
def finish_horizontal(pair, across, first, last, m, horizontal):
    """H (int32, flat, m x n) of rows ``first`` to ``last`` - 1 from the products ``across`` of the blank column of the
    first profile with all columns (float32, flat, those rows)."""
    kind, shift, factor, origin, _, table = pair.finish
    row_bias, column_bias = pair.row_bias, pair.column_bias
    n = column_bias.size - 1
    for i in range(first, last):
        for j in range(n):
            value, bias = np.int32(across[(i - first) * n + j]), row_bias[m] + column_bias[j]
            horizontal[i * n + j] = -finished(kind, shift, factor, origin, table, value, bias)


@compiled
def axpy(alpha, x, y):
    """y + alpha x into y, as BLAS has it."""
    for at in range(x.size):
        y[at] += alpha * x[at]


@compiled
def nrm2(x):
    """The Euclidean norm, as BLAS has it."""
    total = 0.0
    for at in range(x.size):
        total += x[at] * x[at]
    return np.sqrt(total)


@compiled
def differences(pair, first, last, scores, rows, columns, stop, done):
    """Scores of rows ``first`` to ``last`` - 1, cell by cell: the difference of two columns goes to memory (AXPY), its
    norm comes back (NRM2). ``rows`` and ``columns`` are the factors in float64, a column a row.

    Any product follows from a difference: p q = (p p + q q - |p - q|^2) / 2. A norm is the root of a whole number below
    2^53, and float64 finds that number again.
    """
    kind, shift, factor, origin, offset, table = pair.finish
    row_bias, column_bias = pair.row_bias, pair.column_bias
    n = column_bias.size - 1
    difference = np.empty(pair.rows.shape[1])
    for i in range(first, last):
        if stop[0] != 0:
            return i
        for j in range(n):
            difference[:] = rows[i]
            axpy(-1.0, columns[j], difference)
            norm = nrm2(difference)
            bias = row_bias[i] + column_bias[j]
            value = np.int32((np.int64(bias) - np.int64(np.rint(norm * norm))) // 2)
            scores[i * n + j] = finished(kind, shift, factor, origin, table, value, bias) + offset
        done[0] = i + 1
    return last


@compiled
def wave_block(pair, costs, walls, directions, top, left, k):
    """All cells of a block, an antidiagonal of cells after another, with their scores (SMwavefront k).

    The block has H, E and F of its own, as in shared memory; borders come from and go to ``walls``.
    """
    m, n = costs.row_extend.size, costs.column_extend.size
    height, width = min(k, m - top), min(k, n - left)
    row, column = top // k, left // k
    local, offset, parts = walls.mode == LOCAL, pair.finish.offset, parts_of(pair)
    row_open, row_extend, column_open, column_extend = (
        costs.row_open, costs.row_extend, costs.column_open, costs.column_extend,
    )  # fmt: skip
    side = k + 1
    h, e, f = np.empty(side * side, np.int32), np.empty(side * side, np.int32), np.empty(side * side, np.int32)
    for j in range(width + 1):
        h[j] = walls.h_rows[row * (n + 1) + left + j]
        e[j] = walls.e_rows[row * (n + 1) + left + j]
    for i in range(1, height + 1):
        h[i * side] = walls.h_columns[column * (m + 1) + top + i]
        f[i * side] = walls.f_columns[column * (m + 1) + top + i]
    best = walls.best[row * (-(-n // k)) + column]
    for wave in range(height + width - 1):
        for i in range(max(0, wave - width + 1), min(height, wave + 1)):
            j = wave - i
            at = (i + 1) * side + j + 1
            a, b = top + i, left + j
            h[at], e[at], f[at], direction = cell(
                h[at - side - 1] + score(parts, a, b) + offset, h[at - side], e[at - side], h[at - 1], f[at - 1],
                row_open[a], row_extend[a], column_open[b], column_extend[b], local,
            )  # fmt: skip
            directions[a * n + b] = direction
    for i in range(height):
        walls.h_columns[(column + 1) * (m + 1) + top + i + 1] = h[(i + 1) * side + width]
        walls.f_columns[(column + 1) * (m + 1) + top + i + 1] = f[(i + 1) * side + width]
        for j in range(width):
            a, b = top + i + 1, left + j + 1
            if local or (walls.mode == SEMI_GLOBAL and (a == m or b == n)) or (a == m and b == n):
                keep_best(best, h[(i + 1) * side + j + 1], a, b)
    for j in range(width):
        walls.h_rows[(row + 1) * (n + 1) + left + j + 1] = h[height * side + j + 1]
        walls.e_rows[(row + 1) * (n + 1) + left + j + 1] = e[height * side + j + 1]


def walls_of(m: int, n: int, k: int, first_row: np.ndarray, first_column: np.ndarray, mode: int) -> Walls:
    """Room for the borders of all blocks, with those of the table set."""
    down, across = -(-m // k), -(-n // k)
    h_rows, e_rows = (np.full((down + 1, n + 1), NEVER, np.int32) for _ in range(2))
    h_columns, f_columns = (np.full((across + 1, m + 1), NEVER, np.int32) for _ in range(2))
    h_rows[0], h_columns[0] = first_row, first_column
    h_rows[1:, 0] = first_column[np.minimum(np.arange(1, down + 1) * k, m)]
    best: np.ndarray = np.zeros((down * across, 3), np.int64)
    best[:, 0] = NEVER
    return Walls(h_rows.ravel(), e_rows.ravel(), h_columns.ravel(), f_columns.ravel(), best, mode)


def best_of(walls: Walls, m: int, n: int) -> tuple[int, int, int]:
    """Score and end of the best path: the smallest row, then column, of equal ones."""
    candidates = [tuple(one) for one in walls.best.tolist()]
    if walls.mode == LOCAL:
        candidates.append((0, 0, 0))
    if walls.mode == SEMI_GLOBAL:
        candidates += [(0, 0, n), (0, m, 0)]
    if walls.mode == GLOBAL:
        candidates = candidates[-1:]
    return max(candidates, key=lambda one: (one[0], -one[1], -one[2]))
