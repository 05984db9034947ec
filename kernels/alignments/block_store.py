"""The blocks of cells that edits of one alignment wrote, in one array."""

from __future__ import annotations

import threading

import numpy as np

from antidiag.kernels.alignments.cpu_blocks import BLOCK_WIDTH

BLANK = -1
"""The entry of a table for a block of gaps: ``~0``, for block 0 of every store is one."""


class WrittenBlocks:
    """Blocks that one edit wrote. They are free again when no version of the alignment has this object any longer."""

    def __init__(self, store: BlockStore, numbers: np.ndarray) -> None:
        self.numbers = numbers
        self.nbytes = numbers.size * store.block_bytes
        self._store = store
        self._frozen: np.ndarray | None = None

    def __del__(self) -> None:
        self._store.free_numbers.append(self.numbers)

    def frozen(self) -> np.ndarray:
        """Return the blocks as an array of their own, uint8 (blocks, bytes), read-only and always the same one.

        Sessions write large arrays once and know them by their identity.
        """
        if self._frozen is None:
            self._frozen = self._store.blocks[self.numbers]
            self._frozen.setflags(write=False)
        return self._frozen


class BlockStore:
    """What all versions of an alignment share: the ``array`` that it came with, and the blocks that edits wrote.

    ``columns`` is the width of the array in cells; ``packed`` says that a cell is a bit. ``blocks``, uint8 (n, bytes),
    is replaced by a larger array when it is full; the blocks that are in use keep their numbers.
    """

    def __init__(self, array: np.ndarray, columns: int, packed: bool) -> None:
        self.array, self.columns, self.packed = array, columns, packed
        self.cells = np.ascontiguousarray(array).view()
        self.cells.setflags(write=False)
        self.block_bytes = BLOCK_WIDTH // 8 if packed else BLOCK_WIDTH
        self.blocks = np.full((1, self.block_bytes), 0 if packed else ord("-"), np.uint8)
        self.free_numbers: list[np.ndarray] = []
        self.lock = threading.Lock()
        self._used = 1

    def allocate(self, count: int) -> WrittenBlocks:
        """Return so many blocks, which the caller fills before it releases ``lock``."""
        pieces, lacking = [np.empty(0, np.int64)], count
        while lacking and self.free_numbers:
            piece = self.free_numbers.pop()
            if piece.size > lacking:
                self.free_numbers.append(piece[lacking:])
            pieces.append(piece[:lacking])
            lacking -= pieces[-1].size
        if self._used + lacking > len(self.blocks):
            larger = np.empty((max(2 * len(self.blocks), self._used + lacking), self.block_bytes), np.uint8)
            larger[: self._used] = self.blocks[: self._used]
            self.blocks = larger
        pieces.append(np.arange(self._used, self._used + lacking))
        self._used += lacking
        return WrittenBlocks(self, np.concatenate(pieces))

    def add(self, filled: np.ndarray) -> WrittenBlocks:
        """Return blocks with these bytes, uint8 (blocks, bytes); a read-only array is what `frozen` gives then."""
        with self.lock:
            written = self.allocate(len(filled))
            self.blocks[written.numbers] = filled
        if not filled.flags.writeable:
            written._frozen = filled
        return written
