"""Scoring and Traceback (Li et al. 2014, table 1): the recurrence on one core, one row of cells along k at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit

VALUES_PER_CHECK = 20_000_000
"""Values of cells between two checks for cancellation: about a tenth of a second."""


class TripleScores(NamedTuple):
    """Scores of a problem.

    ``table`` of two letters, ``codes_i`` and ``codes_j`` of the first two sequences, and ``profile`` (int32): scores of
    every letter with the third sequence.
    """

    table: np.ndarray
    codes_i: np.ndarray
    codes_j: np.ndarray
    profile: np.ndarray


class TripleGaps(NamedTuple):
    """Affine gaps: the moves in the ``order`` of the tie rule; ``openings[m, n]`` is what move n pays after m."""

    order: np.ndarray
    openings: np.ndarray


@cached_njit
def rows(H, moves, scores, i, first, last):
    """Compute rows (i, j) of H' for first <= j < last. ``H`` int32, shape (2, cells along j + 1, cells along k + 1).

    H[i % 2, j + 1, k + 1] is the cell (i, j, k); row and column 0 are the border. ``moves`` None, or uint8 of all
    cells.
    """
    new, old = H[i % 2], H[1 - i % 2]
    table, codes_i, codes_j, profile = scores
    ik = profile[codes_i[i]]
    for j in range(first, last):
        here, left, above, corner = new[j + 1], new[j], old[j + 1], old[j]
        jk, ij = profile[codes_j[j]], table[codes_i[i], codes_j[j]]
        before = here[0]
        for k in range(ik.size):
            if moves is None:
                best = max(corner[k] + ik[k] + jk[k], corner[k + 1]) + ij
                best = max(max(best, above[k] + ik[k]), max(left[k] + jk[k], above[k + 1]))
                best = max(max(best, left[k + 1]), before)
            else:
                best, move = corner[k] + ik[k] + jk[k] + ij, 7
                best, move = _take_better(best, move, corner[k + 1] + ij, 6)
                best, move = _take_better(best, move, above[k] + ik[k], 5)
                best, move = _take_better(best, move, left[k] + jk[k], 3)
                best, move = _take_better(best, move, above[k + 1], 4)
                best, move = _take_better(best, move, left[k + 1], 2)
                best, move = _take_better(best, move, before, 1)
                moves[i, j, k] = move
            here[k + 1] = before = best


@inner_njit
def _take_better(best, move, value, other):
    return (value, other) if value > best else (best, move)


@cached_njit
def affine_rows(V, moves, gaps, scores, i, first, last):
    """Compute rows with affine gaps: V[.., m] is the best value of a cell whose last move is m, shape (2, .., .., 8).

    ``moves`` int32: for each successor's move, the move before it. Other arguments as of `rows`.
    """
    new, old = V[i % 2], V[1 - i % 2]
    table, codes_i, codes_j, profile = scores
    ik = profile[codes_i[i]]
    for j in range(first, last):
        jk, ij = profile[codes_j[j]], table[codes_i[i], codes_j[j]]
        for k in range(ik.size):
            here = new[j + 1, k + 1]
            here[7] = old[j, k, 7] + ij + ik[k] + jk[k]
            here[6], here[5], here[3] = old[j, k + 1, 6] + ij, old[j + 1, k, 5] + ik[k], new[j, k, 3] + jk[k]
            here[4], here[2], here[1] = old[j + 1, k + 1, 4], new[j, k + 1, 2], new[j + 1, k, 1]
            _leave_values(here, moves, gaps, i, j, k)


@inner_njit
def _leave_values(here, moves, gaps, i, j, k):
    """Turn the values of a cell by its last move into what each successor's move takes from it."""
    order, openings = gaps
    values = (here[7], here[6], here[5], here[3], here[4], here[2], here[1])
    word = 0
    for after in range(1, 8):
        best, found = values[0] - openings[7, after], 7
        for x in range(1, 7):
            value = values[x] - openings[order[x], after]
            if value > best:
                best, found = value, order[x]
        here[after] = best
        word |= found << (3 * after)
    if moves is not None:
        moves[i, j, k] = word


@cached_njit
def walk_back(moves, affine, found):
    """Walk back from the last cell; return the number of moves in ``found``, the one into the first cell included."""
    i, j, k = moves.shape[0] - 1, moves.shape[1] - 1, moves.shape[2] - 1
    count, move = 0, 7
    while i >= 0 and j >= 0 and k >= 0:
        move = (moves[i, j, k] >> (3 * move)) & 7 if affine else int(moves[i, j, k])
        found[count] = move
        count += 1
        i, j, k = i - (move >> 2), j - (move >> 1 & 1), k - (move & 1)
    return count
