"""Compiled blocks of k x k cells: scores by four divisions of labour (Hanif 2014, section 4.2.3), and waves of cells.

Simple, Row, Column and Mix fill the matrices D (scores), V and H (extension costs of gaps opposite the row and the
column) of algorithm 4.1. A thread of the thesis is one turn of the outer loops here: what it computes once stands
outside of its inner loop, all else is computed for every cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.profiles.column_scores.scoring import (
    FIRST_END,
    GLOBAL,
    LOCAL,
    SECOND_END,
    EncodedProfiles,
)
from antidiag.kernels.profiles.whole_table.cpu_cells import (
    NEVER,
    compute_cell,
    finish_score,
    score_columns,
    table_borders,
    unpack_factors,
    update_best,
)


class ScoreMatrices(NamedTuple):
    """D, V and H of algorithm 4.1; int32 (m, n)."""

    scores: np.ndarray
    vertical: np.ndarray
    horizontal: np.ndarray


class ProfileBlockBorders(NamedTuple):
    """Borders that blocks hand to each other, as through global memory.

    ``h_rows`` and ``e_rows`` (int32, (blocks down + 1) x (n + 1)) are last rows of blocks, ``h_columns`` and
    ``f_columns`` ((blocks across + 1) x (m + 1)) last columns, all flat. ``best`` (int64, blocks x 3) is the best cell
    of each block.
    """

    h_rows: np.ndarray
    e_rows: np.ndarray
    h_columns: np.ndarray
    f_columns: np.ndarray
    best: np.ndarray
    mode: int


@inline_njit
def _cut_block(pair, matrices, top, left, k):
    """Cut a block out of all arrays: factors of cells and of both gaps, gap costs, and its parts of D, V and H.

    Its rows and columns count from 0: an index that could be negative costs a branch per access. Gap costs are written
    out where they are used: in a function that calls `score_columns` their products are not vectorised, and scores take
    three times as long.
    """
    rows, columns, row_bias, column_bias, kind, shift, factor, origin, table = unpack_factors(pair)
    m, n = pair.row_extend.size, pair.column_extend.size
    bottom, right = min(top + k, m), min(left + k, n)
    own_rows, own_row_bias = rows[top:bottom], row_bias[top:bottom]
    own_columns, own_column_bias = columns[left:right], column_bias[left:right]
    finish = kind, shift, factor, origin, table
    return (
        (own_rows, own_columns, own_row_bias, own_column_bias, *finish),
        (own_rows, columns[n:], own_row_bias, column_bias[n:], *finish),
        (rows[m:], own_columns, row_bias[m:], own_column_bias, *finish),
        pair.row_extend[top:bottom],
        pair.column_extend[left:right],
        pair.by_column,
        pair.offset,
        matrices.scores[top:bottom, left:right],
        matrices.vertical[top:bottom, left:right],
        matrices.horizontal[top:bottom, left:right],
    )


@cached_njit
def fill_simple_block(pair, matrices, top, left, k):
    """Simple k: as if a thread computed one cell and its three numbers."""
    cells, gaps_down, gaps_across, down, across, by_column, offset, scores, verticals, horizontals = _cut_block(
        pair, matrices, top, left, k
    )
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            verticals[i, j] = -score_columns(gaps_down, i, 0) if by_column else down[i]
            horizontals[i, j] = -score_columns(gaps_across, 0, j) if by_column else across[j]
            scores[i, j] = score_columns(cells, i, j) + offset


@cached_njit
def fill_row_block(pair, matrices, top, left, k):
    """Row k: as if a thread computed a row of the block, with V once."""
    cells, gaps_down, gaps_across, down, across, by_column, offset, scores, verticals, horizontals = _cut_block(
        pair, matrices, top, left, k
    )
    for i in range(scores.shape[0]):
        vertical = -score_columns(gaps_down, i, 0) if by_column else down[i]
        for j in range(scores.shape[1]):
            verticals[i, j] = vertical
            horizontals[i, j] = -score_columns(gaps_across, 0, j) if by_column else across[j]
            scores[i, j] = score_columns(cells, i, j) + offset


@cached_njit
def fill_column_block(pair, matrices, top, left, k):
    """Column k: as if a thread computed a column of the block, with H once."""
    cells, gaps_down, gaps_across, down, across, by_column, offset, scores, verticals, horizontals = _cut_block(
        pair, matrices, top, left, k
    )
    for j in range(scores.shape[1]):
        horizontal = -score_columns(gaps_across, 0, j) if by_column else across[j]
        for i in range(scores.shape[0]):
            verticals[i, j] = -score_columns(gaps_down, i, 0) if by_column else down[i]
            horizontals[i, j] = horizontal
            scores[i, j] = score_columns(cells, i, j) + offset


@cached_njit
def fill_mix_block(pair, matrices, top, left, k):
    """Mix k: thread t computes row t from the diagonal on, with V once, and column t below it, with H once."""
    cells, gaps_down, gaps_across, down, across, by_column, offset, scores, verticals, horizontals = _cut_block(
        pair, matrices, top, left, k
    )
    height, width = scores.shape
    for t in range(max(height, width)):
        if t < height:
            vertical = -score_columns(gaps_down, t, 0) if by_column else down[t]
            for j in range(t, width):
                verticals[t, j] = vertical
                horizontals[t, j] = -score_columns(gaps_across, 0, j) if by_column else across[j]
                scores[t, j] = score_columns(cells, t, j) + offset
        if t < width:
            horizontal = -score_columns(gaps_across, 0, t) if by_column else across[t]
            for i in range(t + 1, height):
                verticals[i, t] = -score_columns(gaps_down, i, 0) if by_column else down[i]
                horizontals[i, t] = horizontal
                scores[i, t] = score_columns(cells, i, t) + offset


@inline_njit
def unpack_finish(pair):
    """Unpack how products become scores."""
    return pair.kind, pair.shift, pair.factor, pair.origin, pair.offset, pair.table


@cached_njit
def finish_rows(pair, products, first, last, scores, stop):
    """Turn products (float32, flat) of rows ``first`` to ``last`` - 1 into scores (int32, flat, m x n)."""
    kind, shift, factor, origin, offset, table = unpack_finish(pair)
    row_bias, column_bias = pair.row_bias, pair.column_bias
    n = column_bias.size - 1
    for i in range(first, last):
        if stop[0] != 0:
            return
        bias = row_bias[i]
        for j in range(n):
            value = np.int32(products[(i - first) * n + j])
            scores[i * n + j] = finish_score(kind, shift, factor, origin, table, value, bias + column_bias[j]) + offset


@cached_njit
def finish_vertical(pair, down, first, last, left, right, vertical):
    """Turn products of rows with the blank column into V.

    ``vertical`` int32, flat, m x n; rows ``first`` to ``last`` - 1, columns ``left`` to ``right`` - 1. ``down``
    float32, flat, repeats the products for each column.
    """
    kind, shift, factor, origin, _, table = unpack_finish(pair)
    row_bias, column_bias = pair.row_bias, pair.column_bias
    n, width = column_bias.size - 1, right - left
    for i in range(first, last):
        bias = row_bias[i] + column_bias[n]
        for j in range(left, right):
            value = np.int32(down[(i - first) * width + j - left])
            vertical[i * n + j] = -finish_score(kind, shift, factor, origin, table, value, bias)


@cached_njit
def finish_horizontal(pair, across, first, last, m, horizontal):
    """Turn products of the blank column with all columns into H.

    ``horizontal`` int32, flat, m x n; rows ``first`` to ``last`` - 1. ``across`` float32, flat, repeats the products
    for each row.
    """
    kind, shift, factor, origin, _, table = unpack_finish(pair)
    row_bias, column_bias = pair.row_bias, pair.column_bias
    n = column_bias.size - 1
    for i in range(first, last):
        for j in range(n):
            value, bias = np.int32(across[(i - first) * n + j]), row_bias[m] + column_bias[j]
            horizontal[i * n + j] = -finish_score(kind, shift, factor, origin, table, value, bias)


@inner_njit
def blas_axpy(alpha, x, y):
    """Add alpha x to y, like BLAS."""
    for at in range(x.size):
        y[at] += alpha * x[at]


@inner_njit
def blas_nrm2(x):
    """Return the Euclidean norm, like BLAS."""
    total = 0.0
    for at in range(x.size):
        total += x[at] * x[at]
    return np.sqrt(total)


@cached_njit
def score_by_differences(pair, first, last, scores, rows, columns, stop, done):
    """Score rows ``first`` to ``last`` - 1 cell by cell by the norm of a difference (AXPY, NRM2).

    ``rows`` and ``columns`` are the factors in float64, one column per row. A product follows from a difference: p q =
    (p p + q q - |p - q|^2) / 2. The square of a norm is a whole number below 2^53, which float64 restores exactly.
    """
    kind, shift, factor, origin, offset, table = unpack_finish(pair)
    row_bias, column_bias = pair.row_bias, pair.column_bias
    n = column_bias.size - 1
    difference = np.empty(pair.rows.shape[1])
    for i in range(first, last):
        if stop[0] != 0:
            return i
        for j in range(n):
            difference[:] = rows[i]
            blas_axpy(-1.0, columns[j], difference)
            norm = blas_nrm2(difference)
            bias = row_bias[i] + column_bias[j]
            value = np.int32((np.int64(bias) - np.int64(np.rint(norm * norm))) // 2)
            scores[i * n + j] = finish_score(kind, shift, factor, origin, table, value, bias) + offset
        done[0] = i + 1
    return last


@cached_njit
def compute_wave_block(pair, walls, directions, top, left, k):
    """Compute all cells of a block by antidiagonals, with their scores (SMwavefront k).

    The block has its own H, E and F, as in shared memory; borders come from and go to ``walls``.
    """
    m, n = pair.row_extend.size, pair.column_extend.size
    height, width = min(k, m - top), min(k, n - left)
    row, column = top // k, left // k
    local, offset, parts = walls.mode == LOCAL, pair.offset, unpack_factors(pair)
    row_open = pair.row_open
    row_extend = pair.row_extend
    column_open = pair.column_open
    column_extend = pair.column_extend
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
            h[at], e[at], f[at], direction = compute_cell(
                h[at - side - 1] + score_columns(parts, a, b) + offset,
                h[at - side],
                e[at - side],
                h[at - 1],
                f[at - 1],
                row_open[a],
                row_extend[a],
                column_open[b],
                column_extend[b],
                local,
            )
            directions[a * n + b] = direction
    for i in range(height):
        walls.h_columns[(column + 1) * (m + 1) + top + i + 1] = h[(i + 1) * side + width]
        walls.f_columns[(column + 1) * (m + 1) + top + i + 1] = f[(i + 1) * side + width]
        for j in range(width):
            a, b = top + i + 1, left + j + 1
            ends = (a == m and walls.mode & SECOND_END != 0) or (b == n and walls.mode & FIRST_END != 0)
            if local or ends or (a == m and b == n):
                update_best(best, h[(i + 1) * side + j + 1], a, b)
    for j in range(width):
        walls.h_rows[(row + 1) * (n + 1) + left + j + 1] = h[height * side + j + 1]
        walls.e_rows[(row + 1) * (n + 1) + left + j + 1] = e[height * side + j + 1]


def allocate_block_borders(encoded: EncodedProfiles, k: int) -> ProfileBlockBorders:
    """Allocate the borders of all blocks, and set those of the table."""
    m, n, mode = encoded.m, encoded.n, encoded.mode
    first_row, first_column = table_borders(encoded)
    down, across = -(-m // k), -(-n // k)
    h_rows, e_rows = (np.full((down + 1, n + 1), NEVER, np.int32) for _ in range(2))
    h_columns, f_columns = (np.full((across + 1, m + 1), NEVER, np.int32) for _ in range(2))
    h_rows[0], h_columns[0] = first_row, first_column
    h_rows[1:, 0] = first_column[np.minimum(np.arange(1, down + 1) * k, m)]
    best: np.ndarray = np.zeros((down * across, 3), np.int64)
    best[:, 0] = NEVER
    return ProfileBlockBorders(h_rows.ravel(), e_rows.ravel(), h_columns.ravel(), f_columns.ravel(), best, mode)


def best_block_end(best: np.ndarray, encoded: EncodedProfiles) -> tuple[int, int, int]:
    """Return score and end of the best path; of equal ones the smallest row, then column."""
    mode, (first_row, first_column) = encoded.mode, table_borders(encoded)
    candidates = [tuple(one) for one in best.tolist()]
    if mode == GLOBAL:
        candidates = candidates[-1:]
    if mode == LOCAL:
        candidates.append((0, 0, 0))
    if mode & FIRST_END:
        candidates.append((int(first_row[-1]), 0, encoded.n))
    if mode & SECOND_END:
        candidates.append((int(first_column[-1]), encoded.m, 0))
    return max(candidates, key=lambda one: (one[0], -one[1], -one[2]))
