"""Columns of many rows, or many columns, compiled: letters that are counted, and frequencies that are rounded."""

from __future__ import annotations

import numpy as np

from kernels.cpu.jit import compiled


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
