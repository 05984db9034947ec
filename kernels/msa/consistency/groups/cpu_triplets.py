"""Compiled alignment of three groups of aligned sequences by maximum expected accuracy.

A column of the alignment takes a column of one, two or three groups: seven moves, 4 for the first group plus 2 for the
second plus 1 for the third, as for three sequences (`kernels.triple`). It scores its pairs of columns,

    H[i, j, k] = max over moves of  H[before the move] + the scores of its pairs,

and gaps cost nothing. Of equal alignments, read from the end, the first move of MOVES wins. Every sqrt(l)-th plane of i
is kept; from the end on, the planes between two of them are computed again for the traceback, so memory is that of 2
sqrt(l) planes.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.simd import load_acquire

MOVES = (7, 6, 5, 3, 4, 2, 1)
NOWHERE = -(1 << 60)
"""Less than any sum of scores, and far from overflow."""


@inner_njit
def plane_spacing(rows):
    """Return how many planes lie between two kept ones, of so many planes."""
    return max(np.int64(np.sqrt(rows)), 1)


@cached_njit
def align_three_groups(first_second, first_third, second_third, stop):
    """Return the moves of the best alignment (uint8) and its score; no moves if ``stop`` is set.

    ``first_second`` int64 (l, m), ``first_third`` (l, n) and ``second_third`` (m, n) score pairs of columns.
    """
    rows, m, n = first_second.shape[0], first_second.shape[1], first_third.shape[1]
    apart = plane_spacing(rows)
    kept = np.empty((rows // apart + 1, m + 1, n + 1), np.int64)
    block = np.empty((apart + 1, m + 1, n + 1), np.int64)
    nothing = np.zeros(n, np.int64), np.full(n + 1, np.int64(NOWHERE))
    moves, at, best = np.empty(rows + m + n, np.uint8), rows + m + n, np.int64(-1)
    for i in range(rows + 1):
        if load_acquire(stop, 0) != 0:
            return moves[:0].copy(), best
        before = kept[(i - 1) // apart] if (i - 1) % apart == 0 else block[(i - 1) % 2]
        here = kept[i // apart] if i % apart == 0 else block[i % 2]
        _compute_plane(i, before, here, first_second, first_third, second_third, nothing)
        if i == rows:
            best = here[m, n]
    i, j, k = rows, m, n
    for number in range(rows // apart, -1, -1):
        first = number * apart
        block[0] = kept[number]
        for later in range(1, min(apart, rows - first) + 1):
            if load_acquire(stop, 0) != 0:
                return moves[:0].copy(), best
            _compute_plane(
                first + later, block[later - 1], block[later], first_second, first_third, second_third, nothing
            )
        while i > first or (first == 0 and j + k > 0):
            move = _find_move(
                i, j, k, block[i - first - (i > 0)], block[i - first], first_second, first_third, second_third
            )
            at -= 1
            moves[at] = move
            i, j, k = i - (move >> 2), j - (move >> 1 & 1), k - (move & 1)
    return moves[at:].copy(), best


@inner_njit
def _compute_plane(i, before, here, first_second, first_third, second_third, nothing):
    """Compute plane i of H from plane i - 1, which is not read for i = 0."""
    no_scores, nowhere = nothing
    across = first_third[i - 1] if i > 0 else no_scores
    for j in range(here.shape[0]):
        behind = before[j] if i > 0 else nowhere
        above = here[j - 1] if j > 0 else nowhere
        corner = before[j - 1] if i > 0 and j > 0 else nowhere
        down = second_third[j - 1] if j > 0 else no_scores
        pair = first_second[i - 1, j - 1] if i > 0 and j > 0 else np.int64(0)
        row = here[j]
        row[0] = max(max(behind[0], above[0]), corner[0] + pair)
        if i == 0 and j == 0:
            row[0] = 0
        _compute_plane_row(row, behind, above, corner, across, down, pair)


@inner_njit
def _compute_plane_row(row, behind, above, corner, across, down, pair):
    """Compute a row of a plane: first by all moves from other rows, then by the move along the row."""
    for k in range(1, row.size):
        alone = max(max(behind[k], above[k]), corner[k] + pair)
        two = max(behind[k - 1] + across[k - 1], above[k - 1] + down[k - 1])
        row[k] = max(alone, max(two, corner[k - 1] + (pair + across[k - 1] + down[k - 1])))
    for k in range(1, row.size):
        row[k] = max(row[k], row[k - 1])


@inner_njit
def _find_move(i, j, k, before, here, first_second, first_third, second_third):
    """Return the move that gives a cell its value."""
    value = here[j, k]
    pair = first_second[i - 1, j - 1] if i > 0 and j > 0 else np.int64(0)
    across = first_third[i - 1, k - 1] if i > 0 and k > 0 else np.int64(0)
    down = second_third[j - 1, k - 1] if j > 0 and k > 0 else np.int64(0)
    for move in MOVES:
        a, b, c = move >> 2, move >> 1 & 1, move & 1
        if i < a or j < b or k < c:
            continue
        scored = pair * (a * b) + across * (a * c) + down * (b * c)
        if value == (before if a else here)[j - b, k - c] + scored:
            return move
    return 0
