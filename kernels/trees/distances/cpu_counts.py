"""Distances from what was counted of all pairs, compiled: as many rows at a time as threads take in turns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.cpu.workers import cores, share, stop_word

ROWS = 16
"""Rows of the matrix that are computed at a time: what is written below the diagonal then fills lines of the cache."""


@compiled
def shares_of_rows(counts, lengths, order, least, first, last, values, stop):
    """1 - count / the shorter length, at least ``least``, for rows ``first``..``last`` of the counts.

    ``counts`` int32 has each pair above the diagonal; row and column i are of the sequence ``order[i]`` int64, of
    ``lengths[i]`` int64 letters, 1 at least. ``values`` float64 (n, n) are filled on both sides of the diagonal.
    """
    for row in range(first, last):
        if stop[0]:
            return
        one, length = order[row], lengths[row]
        values[one, one] = 0.0
        for column in range(row + 1, order.size):
            other = order[column]
            distance = max(1 - counts[row, column] / min(length, lengths[column]), least)
            values[one, other] = distance
            values[other, one] = distance


def filled(fill: Callable[..., None], count: int, check: Callable[[], None]) -> np.ndarray:
    """A matrix, float64 (count, count), of which ``fill(first, last, values, stop)`` fills rows; on all cores.

    ``check()`` is called meanwhile, and what it raises ends it.
    """
    values, firsts, stop = np.empty((count, count)), iter(range(0, count, ROWS)), stop_word()

    def work(worker: int) -> None:
        for first in firsts:
            if stop[0]:
                return
            fill(first, min(first + ROWS, count), values, stop)

    share(work, min(cores(), max(count // ROWS, 1)), stop, check)
    return values


def shares(
    counts: np.ndarray, lengths: np.ndarray, order: np.ndarray, check: Callable[[], None], least: float = -np.inf
) -> np.ndarray:
    """`shares_of_rows` of all."""
    return filled(
        lambda first, last, values, stop: shares_of_rows(counts, lengths, order, least, first, last, values, stop),
        lengths.size, check,
    )  # fmt: skip


def compile_shares() -> None:
    """Once on nothing, so that nothing is compiled while the clock runs."""
    none = np.zeros(0, np.int64)
    shares_of_rows(np.zeros((0, 0), np.int32), none, none, 0.0, 0, 0, np.zeros((0, 0)), stop_word())
