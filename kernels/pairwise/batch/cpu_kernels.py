"""Small pairs of a batch, one after another in compiled code: scores, and paths by a byte of decisions a cell.

Rows belong to the shorter sequence. H, E (vertical) and F (horizontal) are those of `kernels.pairwise`, E and F with
opening and extension of a gap added, so that a gap opens where E equals the H above, and F the H on the left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit

NEGATIVE = -(2**30)
IS_DIAGONAL, IS_E, OPENS_E, OPENS_F, IS_ZERO = 1, 2, 4, 8, 16
"""Decisions of a cell, bits of a byte."""


class PairArrays(NamedTuple):
    """Pairs as compiled code takes them: letters, first letters and lengths of rows and columns, int64."""

    codes: np.ndarray
    row_begins: np.ndarray
    column_begins: np.ndarray
    rows: np.ndarray
    columns: np.ndarray


class PairScoring(NamedTuple):
    """Scores and settings.

    ``table`` is int32 [row letter, column letter]. ``settings`` int64 are the cost of a gap's first letter and of each
    further one, whether the mode is local, and whether the top, left, bottom and right borders are free.
    """

    table: np.ndarray
    settings: np.ndarray


class PairResults(NamedTuple):
    """The results of pairs: scores (pairs,) int32, starts and ends (pairs, 2) int32, and operations, uint8.

    The operations of a pair are the ``counts`` (pairs,) int64 before its place in ``room_ends`` (pairs,) int64.
    """

    scores: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    counts: np.ndarray
    room_ends: np.ndarray
    operations: np.ndarray


@inner_njit
def left_border(i, settings):
    """Return H of row i of column 0."""
    return 0 if i == 0 or settings[2] or settings[4] else -(settings[0] - settings[1]) - settings[1] * i


@inner_njit
def top_border(j, settings):
    """Return H of column j of row 0."""
    return 0 if j == 0 or settings[2] or settings[3] else -(settings[0] - settings[1]) - settings[1] * j


@inner_njit
def fill_table(rows, columns, scoring, H, E, decisions, with_paths):
    """Compute a table row by row; return score, row and column of the best end by the tie rule.

    ``H`` and ``E`` int32 (columns + 1,) are work space; ``decisions`` uint8 (rows * columns,) are written with paths.
    """
    table, settings = scoring
    m, n = rows.size, columns.size
    opening, extension = np.int32(settings[0]), np.int32(settings[1])
    local, free_bottom, free_right = settings[2] != 0, settings[5] != 0, settings[6] != 0
    for j in range(n + 1):
        H[j] = top_border(j, settings)
        E[j] = NEGATIVE
    score, row, column = np.int32(0 if local else NEGATIVE), 0, 0
    if free_right:
        score, row, column = H[n], 0, n
    for i in range(m):
        diagonal, F = H[0], np.int32(NEGATIVE)
        left = np.int32(left_border(i + 1, settings))
        H[0] = left
        scores = table[rows[i]]
        for j in range(n):
            up = H[j + 1]
            vertical = max(E[j + 1] - extension, up)
            F = max(F - extension, left)
            aligned = diagonal + scores[columns[j]]
            value = max(aligned, max(vertical, F) - opening)
            if local:
                value = max(value, np.int32(0))
            if with_paths:
                decisions[i * n + j] = (
                    (value == aligned) * IS_DIAGONAL
                    | (value == vertical - opening) * IS_E
                    | (vertical == up) * OPENS_E
                    | (left == F) * OPENS_F
                    | (value == 0) * IS_ZERO
                )
            if local and value > score:
                score, row, column = value, i + 1, j + 1
            diagonal, left = up, value
            H[j + 1] = value
            E[j + 1] = vertical
        if free_right and i < m - 1 and left > score:
            score, row, column = left, i + 1, n
    if not local:
        if free_bottom:
            for j in range(n + 1):
                if H[j] > score:
                    score, row, column = H[j], m, j
        elif H[n] > score:
            score, row, column = H[n], m, n
    return score, row, column


@inner_njit
def walk_back(decisions, n, row, column, settings, operations, room_end):
    """Write the operations of the path to a cell, the last one before ``room_end``; return its start and the number."""
    local, free_top, free_left = settings[2] != 0, settings[3] != 0, settings[4] != 0
    i, j, state, count = row, column, 0, 0
    while i > 0 and j > 0:
        found = decisions[(i - 1) * n + j - 1]
        if state == 0:
            if local and found & IS_ZERO:
                break
            if not found & IS_DIAGONAL:
                state = 1 if found & IS_E else 2
        count += 1
        operations[room_end - count] = state
        taken = state
        if (state == 1 and found & OPENS_E) or (state == 2 and found & OPENS_F):
            state = 0
        i -= taken != 2
        j -= taken != 1
    if not local:
        if i > 0 and not free_left:
            for _ in range(i):
                count += 1
                operations[room_end - count] = 1
            i = 0
        elif j > 0 and not free_top:
            for _ in range(j):
                count += 1
                operations[room_end - count] = 2
            j = 0
    return i, j, count


@cached_njit
def compute_pairs(pairs, numbers, scoring, H, E, decisions, with_paths, results, done, stop):
    """Compute some pairs; ``done`` int64 (1,) counts their cells, ``stop`` ends it early."""
    codes, row_begins, column_begins, rows, columns = pairs
    scores, starts, ends, counts, room_ends, operations = results
    for number in numbers:
        if stop[0]:
            return
        m, n = rows[number], columns[number]
        own = codes[row_begins[number] : row_begins[number] + m]
        other = codes[column_begins[number] : column_begins[number] + n]
        score, row, column = fill_table(own, other, scoring, H, E, decisions, with_paths)
        scores[number] = score
        if with_paths:
            ends[number, 0], ends[number, 1] = row, column
            i, j, count = walk_back(decisions, n, row, column, scoring.settings, operations, room_ends[number])
            starts[number, 0], starts[number, 1], counts[number] = i, j, count
        done[0] += m * n


@cached_njit
def gather_operations(numbers, counts, room_ends, operations, is_swapped, offsets, together):
    """Copy the operations of some pairs together, those of the k-th from ``offsets[k]`` on.

    Both gaps are exchanged where the rows are the second sequence.
    """
    for k in range(numbers.size):
        number = numbers[k]
        begin = room_ends[number] - counts[number]
        for at in range(counts[number]):
            operation = operations[begin + at]
            together[offsets[k] + at] = 3 - operation if is_swapped[number] and operation else operation
