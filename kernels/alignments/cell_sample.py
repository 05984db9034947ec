"""A sample of the cells of an alignment of very many columns, for pictures in which a pixel is many columns.

Without it each pixel reads one cell from a page of memory of its own; the sampled cells of one line of pixels lie side
by side and are read in a fifth of the time.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.alignments.blocked_cells import BlockedCells
from antidiag.kernels.alignments.cpu_blocks import BLOCK_MASK, BLOCK_SHIFT, BLOCK_WIDTH
from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.monitor import Monitor

SAMPLE_STEP = 32
SAMPLES_PER_BLOCK = BLOCK_WIDTH // SAMPLE_STEP
"""Sampled cells of a block."""
MIN_SHARE = 0.75
"""The share of current blocks that a sample must have to be kept."""
BATCH_ROWS = 64
"""Rows between two checks for cancelling."""


class CellSample:
    """Every SAMPLE_STEP-th cell of each block: ``cells`` is uint8 (rows, blocks * SAMPLES_PER_BLOCK)."""

    def __init__(self, tiles: BlockedCells, monitor: Monitor) -> None:
        # The written blocks stay in use, or others that come later may have their numbers.
        self._table, self._store, self._written = tiles.table, tiles.store, tiles.written
        rows, count = self._table.shape
        self.cells = np.zeros((rows, count * SAMPLES_PER_BLOCK), np.uint8)
        _, array, blocks = tiles.storage
        for start in range(0, rows, BATCH_ROWS):
            monitor.check()
            part = slice(start, start + BATCH_ROWS)
            _sample_cells(self._table[part], array, blocks, self._store.columns, self.cells[part])

    def kept(self, tiles: BlockedCells) -> np.ndarray:
        """Return which blocks of these cells the sample has, bool (rows, blocks)."""
        table, found = tiles.table, np.zeros(tiles.table.shape, bool)
        if tiles.store.array is not self._store.array:
            return found
        rows, count = map(min, zip(table.shape, self._table.shape, strict=True))
        np.equal(table[:rows, :count], self._table[:rows, :count], out=found[:rows, :count])
        return found if tiles.store is self._store else found & (table >= 0)


def update_sample(sample: CellSample | None, letters: np.ndarray | BlockedCells, monitor: Monitor) -> CellSample:
    """Return a sample of these letters: the old one where it has most of their blocks, else another."""
    tiles = letters if isinstance(letters, BlockedCells) else BlockedCells.of(letters)
    if sample is not None and sample.kept(tiles).mean() >= MIN_SHARE:
        return sample
    return CellSample(tiles, monitor)


@cached_njit
def _sample_cells(table, array, blocks, columns, cells):
    for row in range(table.shape[0]):
        for at in range(cells.shape[1]):
            stored = at * SAMPLE_STEP
            entry = table[row, stored >> BLOCK_SHIFT]
            if entry < 0:
                cells[row, at] = blocks[~entry, stored & BLOCK_MASK]
            elif stored < columns:
                cells[row, at] = array[entry, stored]
