"""Letters of an alignment of many rows, counted column by column, compiled."""

from __future__ import annotations

from kernels.cpu.jit import compiled


@compiled
def weigh(letters, weights, found):
    """Add the weights of the rows (float64) of ``letters`` (uint8, rows x columns) to ``found`` (float64, 256 x
    columns), which has a row for each letter."""
    for row in range(letters.shape[0]):
        for column in range(letters.shape[1]):
            found[letters[row, column], column] += weights[row]
