"""Compiled counts of letters, rounded frequencies and mean scores, for many rows or columns."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit


@cached_njit
def add_letter_weights(letters, weights, target):
    """Add the weight of each row (float64) to the counts of its letters.

    ``letters`` uint8 (rows, columns); ``found`` float64 (256, columns).
    """
    for row in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            target[letters[row, column], column] += weights[row]


TILE = 64
"""Columns that are rounded at a time, symbol by symbol as they lie in memory."""


@cached_njit
def round_columns(frequencies, units, target):
    """Round frequencies (float64, symbols x columns) to whole numbers of 1 / ``units``, int16."""
    symbols, columns = frequencies.shape
    lost, left, before = np.empty((symbols, TILE), np.int32), np.empty(TILE, np.int32), np.empty(TILE, np.int32)
    for first in range(0, columns, TILE):
        count = min(TILE, columns - first)
        left[:] = units
        for symbol in range(symbols):
            for column in range(count):
                exact = np.rint(frequencies[symbol, first + column] * units * 1e6) / 1e6
                least = np.floor(exact)
                target[symbol, first + column] = np.int16(least)
                left[column] -= np.int32(least)
                lost[symbol, column] = np.int32(np.rint((exact - least) * 1e6)) * symbols - symbol
        for symbol in range(symbols):
            before[:] = 0
            for other in range(symbols):
                for column in range(count):
                    before[column] += np.int32(lost[other, column] > lost[symbol, column])
            for column in range(count):
                target[symbol, first + column] += np.int16(before[column] < left[column])


@cached_njit
def mean_scores(values, shares, target):
    """Multiply ``values`` (float64, symbols x symbols) by ``shares`` (int16, symbols x columns) and round, int16."""
    symbols, columns = shares.shape
    sums, own = np.empty(TILE), np.zeros((symbols, TILE))
    for first in range(0, columns, TILE):
        count = min(TILE, columns - first)
        own[:, :count] = shares[:, first : first + count]
        for symbol in range(symbols):
            sums[:] = 0
            for other in range(symbols):
                value = values[symbol, other]
                for column in range(TILE):
                    sums[column] += value * own[other, column]
            for column in range(count):
                target[symbol, first + column] = np.int16(np.rint(sums[column]))


@cached_njit
def shift_gap_costs(opens, extends, sizes, behind, target):
    """Compute shifted gap costs of profiles in the order of a GPU, int32 (all, 2).

    For a gap over the columns before that costs C: C - open of the column, and -C; if ``behind``, C includes the column
    itself, else one more pair follows the last column.
    """
    at, to = 0, 0
    for size in sizes:
        total = np.int64(0)
        for column in range(size + 1):
            if column < size or not behind:
                opening, after = (opens[at + column], extends[at + column]) if column < size else (0, 0)
                target[to, 0], target[to, 1] = total - opening, -(total + after if behind else total)
                total += after
                to += 1
        at += size
