"""Columns of many rows, or many columns, compiled: letters are counted, frequencies and mean scores rounded."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import compiled


@compiled
def weigh(letters, weights, found):
    """Add the weights of the rows (float64) of ``letters`` (uint8, rows x columns) to ``found`` (float64, 256 x
    columns), which has a row for each letter."""
    for row in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            found[letters[row, column], column] += weights[row]


TILE = 64
"""Columns whose frequencies are rounded at a time: symbol by symbol, as they lie in memory."""


@compiled
def rounded(frequencies, units, found):
    """Frequencies (float64, symbols x columns) as whole numbers of 1 / ``units``, int16, as `whole` defines them."""
    symbols, columns = frequencies.shape
    lost, left, before = np.empty((symbols, TILE), np.int32), np.empty(TILE, np.int32), np.empty(TILE, np.int32)
    for first in range(0, columns, TILE):
        count = min(TILE, columns - first)
        left[:] = units
        for symbol in range(symbols):
            for column in range(count):
                exact = np.rint(frequencies[symbol, first + column] * units * 1e6) / 1e6
                least = np.floor(exact)
                found[symbol, first + column] = np.int16(least)
                left[column] -= np.int32(least)
                lost[symbol, column] = np.int32(np.rint((exact - least) * 1e6)) * symbols - symbol
        for symbol in range(symbols):
            before[:] = 0
            for other in range(symbols):
                for column in range(count):
                    before[column] += np.int32(lost[other, column] > lost[symbol, column])
            for column in range(count):
                found[symbol, first + column] += np.int16(before[column] < left[column])


@compiled
def means(values, shares, found):
    """Sums of ``values`` (float64, symbols x symbols) times ``shares`` (int16, symbols x columns), rounded, int16."""
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
                found[symbol, first + column] = np.int16(np.rint(sums[column]))


@compiled
def shifted(opens, extends, sizes, behind, found):
    """Costs of gaps opposite the columns (int32) of profiles, one behind another, so many each, as a GPU takes them,
    int32 (all, 2): C - open of each column, where a gap over those before it costs C, and -C; of the column itself too
    where ``behind``, else once more behind the last column, where nothing opens."""
    at, to = 0, 0
    for size in sizes:
        total = np.int64(0)
        for column in range(size + 1):
            if column < size or not behind:
                opening, after = (opens[at + column], extends[at + column]) if column < size else (0, 0)
                found[to, 0], found[to, 1] = total - opening, -(total + after if behind else total)
                total += after
                to += 1
        at += size


@compiled
def apart(numbers, starts, sizes, found):
    """Columns (int16, symbols x all) that begin at ``starts``, so many each, one profile behind another."""
    at = 0
    for profile in range(len(starts)):
        start, size = starts[profile], sizes[profile]
        for symbol in range(numbers.shape[0]):
            found[at : at + size] = numbers[symbol, start : start + size]
            at += size
