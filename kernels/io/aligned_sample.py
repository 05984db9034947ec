"""One cell in `STEP` of an alignment of very many columns, side by side, for pictures in which a pixel is many of them.

Such a pixel looks at one cell, which is a line of memory by itself, mostly in a page of its own; of a sample the cells
of one line of pixels are read one after another, in a fifth of the time.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import compiled
from antidiag.kernels.io.cpu_tiles import WIDTH, byte_at
from antidiag.kernels.io.tiles import Tiles
from antidiag.kernels.monitor import Monitor

STEP = 32
OF_TILE = WIDTH // STEP
"""Cells of a tile in the sample."""
FEW = 0.75
"""Share of tiles of which a sample must still be one."""
ROWS = 64
"""Rows that are looked at between two looks at the wish to stop."""


class Sample:
    """``cells`` are every STEP-th cell of each tile, uint8 (rows, tiles * OF_TILE)."""

    def __init__(self, tiles: Tiles, monitor: Monitor) -> None:
        # The arrays stay, or a tile that comes later may have the address of one that was looked at.
        self._table, self._arrays = tiles.table, tiles.arrays
        rows, count = self._table.shape
        self.cells = np.zeros((rows, count * OF_TILE), np.uint8)
        for start in range(0, rows, ROWS):
            monitor.check()
            _take(self._table[start : start + ROWS], tiles.base, self.cells[start : start + ROWS])

    def kept(self, table: np.ndarray) -> np.ndarray:
        """Where a table has the tiles that were looked at, bool of its shape."""
        rows, tiles = map(min, zip(table.shape, self._table.shape, strict=True))
        found = np.zeros(table.shape, bool)
        np.equal(table[:rows, :tiles], self._table[:rows, :tiles], out=found[:rows, :tiles])
        return found


def renewed(sample: Sample | None, letters: np.ndarray | Tiles, monitor: Monitor) -> Sample:
    """A sample of these letters: the one that is there, where it is one of most of their tiles, else another."""
    tiles = letters if isinstance(letters, Tiles) else Tiles.of(letters)
    if sample is not None and sample.kept(tiles.table).mean() >= FEW:
        return sample
    return Sample(tiles, monitor)


@compiled
def _take(table, base, cells):
    for row in range(table.shape[0]):
        for at in range(cells.shape[1]):
            tile, inside = at // OF_TILE, at % OF_TILE * STEP
            # The tile in which the letters of a file end has no more bytes than they.
            if tile * WIDTH + inside < base or tile * WIDTH >= base:
                cells[row, at] = byte_at(table[row, tile], inside)
