"""Distances from counts of all pairs, compiled: threads take some rows at a time in turns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.cpu.workers import map_on_threads

ROWS = 16
"""Rows of the matrix that are computed at a time, so that writes below the diagonal fill cache lines."""


@cached_njit
def distances_of_rows(counts, lengths, order, least, first, last, values):
    """Write 1 - count / the shorter length, at least ``least``, for rows ``first``..``last`` of the counts.

    ``counts`` int32 has each pair above the diagonal; row and column i belong to the sequence ``order[i]`` int64, of
    ``lengths[i]`` int64 letters, 1 at least. ``values`` float64 (n, n) are filled on both sides of the diagonal.
    """
    for row in range(first, last):
        one, length = order[row], lengths[row]
        values[one, one] = 0.0
        for column in range(row + 1, order.size):
            other = order[column]
            distance = max(1 - counts[row, column] / min(length, lengths[column]), least)
            values[one, other] = distance
            values[other, one] = distance


def fill_matrix(fill: Callable[[int, int, np.ndarray], None], count: int, check: Callable[[], None]) -> np.ndarray:
    """Return a matrix, float64 (count, count), whose rows ``fill(first, last, values)`` fills, on all cores.

    ``check()`` is called meanwhile, and ends it by an exception.
    """
    values = np.empty((count, count))
    map_on_threads(lambda first: fill(first, min(first + ROWS, count), values), range(0, count, ROWS), poll=check)
    return values


def distances_of_counts(
    counts: np.ndarray, lengths: np.ndarray, order: np.ndarray, check: Callable[[], None], least: float = -np.inf
) -> np.ndarray:
    """Return the distances of all counts; see `distances_of_rows`."""
    return fill_matrix(partial(distances_of_rows, counts, lengths, order, least), lengths.size, check)


def compile_distances() -> None:
    """Compile the distances before the clock runs."""
    none = np.zeros(0, np.int64)
    distances_of_rows(np.zeros((0, 0), np.int32), none, none, 0.0, 0, 0, np.zeros((0, 0)))
