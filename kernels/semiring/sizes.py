"""Sizes of blocked matrices, for those who plan without computing."""

from __future__ import annotations

BLOCK = 64
"""Rows and columns of a block: whole register tiles of every element type; three blocks fit the caches of a core."""


def padded(length: int, block: int = BLOCK) -> int:
    """``length`` in whole blocks; one at least."""
    return max(1, -(-length // block)) * block


def device_tile(item: int) -> int:
    """Rows and columns of a tile of a GPU: of numbers of 4 bytes it has twice as many."""
    return BLOCK * 8 // item
