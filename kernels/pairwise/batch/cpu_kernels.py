"""Small pairs of a batch, one after another in compiled code: scores, and paths by a byte of decisions a cell.

Rows belong to the shorter sequence. H, E (vertical) and F (horizontal) are those of `kernels.pairwise`, E and F with
opening and extension of a gap added, so that a gap opens where E equals the H above, and F the H on the left. Gap costs
are a tuple of one piece or two, for which Numba compiles a version each; E2 and F2 belong to the second piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit

NEGATIVE = -(2**30)
IS_DIAGONAL, IS_E, OPENS_E, OPENS_F, IS_ZERO = 1, 2, 4, 8, 16
IS_E2, IS_F, OPENS_E2, OPENS_F2 = 32, 64, 128, 256
"""Decisions of a cell, bits of a byte; with two pieces of gap costs, of 16 bits."""
IN_E, IN_F, IN_E2, IN_F2 = 1, 2, 3, 4
"""States of the walk back inside a gap."""


class PairArrays(NamedTuple):
    """Pairs as compiled code takes them: letters, first letters and lengths of rows and columns, int64."""

    codes: np.ndarray
    row_begins: np.ndarray
    column_begins: np.ndarray
    rows: np.ndarray
    columns: np.ndarray


class PairScoring(NamedTuple):
    """Scores and settings.

    ``table`` is int32 [row letter, column letter]. ``pieces`` are one or two costs of a gap, each of its first letter
    and of each further one. ``settings`` int64 are whether the mode is local, and whether the top, left, bottom and
    right borders are free.
    """

    table: np.ndarray
    pieces: tuple[tuple[int, int], ...]
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
def border_score(length, pieces, is_free):
    """Return H of a cell of row 0 or column 0 after so many letters."""
    if length == 0 or is_free:
        return 0
    first, second = pieces[0], pieces[-1]
    return -min(first[0] + first[1] * (length - 1), second[0] + second[1] * (length - 1))


@inner_njit
def fill_table(rows, columns, scoring, H, E, decisions, with_paths):
    """Compute a table row by row; return score, row and column of the best end by the tie rule.

    ``H`` int32 (columns + 1,) and ``E`` int32 (pieces, columns + 1) are work space; ``decisions`` (rows * columns,) are
    written with paths.
    """
    table, pieces, settings = scoring
    m, n = rows.size, columns.size
    opening, extension = np.int32(pieces[0][0]), np.int32(pieces[0][1])
    opening2, extension2 = np.int32(pieces[-1][0]), np.int32(pieces[-1][1])
    local, free_top, free_left = settings[0] != 0, settings[1] != 0, settings[2] != 0
    free_bottom, free_right = settings[3] != 0, settings[4] != 0
    for j in range(n + 1):
        H[j] = border_score(j, pieces, local or free_top)
        E[:, j] = NEGATIVE
    score, row, column = np.int32(0 if local else NEGATIVE), 0, 0
    if free_right:
        score, row, column = H[n], 0, n
    for i in range(m):
        diagonal, F, F2 = H[0], np.int32(NEGATIVE), np.int32(NEGATIVE)
        left = np.int32(border_score(i + 1, pieces, local or free_left))
        H[0] = left
        scores = table[rows[i]]
        for j in range(n):
            up = H[j + 1]
            vertical = max(E[0, j + 1] - extension, up)
            F = max(F - extension, left)
            aligned = diagonal + scores[columns[j]]
            value = max(aligned, max(vertical, F) - opening)
            if len(pieces) == 2:
                vertical2 = max(E[-1, j + 1] - extension2, up)
                F2 = max(F2 - extension2, left)
                value = max(value, max(vertical2, F2) - opening2)
                E[-1, j + 1] = vertical2
            if local:
                value = max(value, np.int32(0))
            if with_paths:
                found = (
                    (value == aligned) * IS_DIAGONAL
                    | (value == vertical - opening) * IS_E
                    | (vertical == up) * OPENS_E
                    | (left == F) * OPENS_F
                    | (value == 0) * IS_ZERO
                )
                if len(pieces) == 2:
                    found |= (
                        (value == vertical2 - opening2) * IS_E2
                        | (value == F - opening) * IS_F
                        | (vertical2 == up) * OPENS_E2
                        | (left == F2) * OPENS_F2
                    )
                decisions[i * n + j] = found
            if local and value > score:
                score, row, column = value, i + 1, j + 1
            diagonal, left = up, value
            H[j + 1] = value
            E[0, j + 1] = vertical
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
def gap_state(found, pieces):
    """Return the gap in which a path reaches a cell: E before F, and the first piece before the second."""
    if found & IS_E:
        return IN_E
    if len(pieces) == 1:
        return IN_F
    if found & IS_E2:
        return IN_E2
    return IN_F if found & IS_F else IN_F2


@inner_njit
def opening_of(state):
    """Return the decision by which the gap of a state opens in a cell; 0 outside gaps."""
    if state == IN_E:
        return OPENS_E
    if state == IN_F:
        return OPENS_F
    return OPENS_E2 * (state == IN_E2) + OPENS_F2 * (state == IN_F2)


@inner_njit
def walk_back(decisions, n, row, column, scoring, operations, room_end):
    """Write the operations of the path to a cell, the last one before ``room_end``; return its start and the number."""
    _, pieces, settings = scoring
    local, free_top, free_left = settings[0] != 0, settings[1] != 0, settings[2] != 0
    i, j, state, count = row, column, 0, 0
    while i > 0 and j > 0:
        found = decisions[(i - 1) * n + j - 1]
        if state == 0:
            if local and found & IS_ZERO:
                break
            if not found & IS_DIAGONAL:
                state = gap_state(found, pieces)
        count += 1
        taken = state if state < IN_E2 else state - 2
        operations[room_end - count] = taken
        if found & opening_of(state):
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
            i, j, count = walk_back(decisions, n, row, column, scoring, operations, room_ends[number])
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
