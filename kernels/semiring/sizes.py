"""Sizes of blocked matrices, without importing a backend."""

from __future__ import annotations

BLOCK = 64
"""Rows and columns of a block: a multiple of every register tile; three blocks fit the caches of a core."""


def round_to_blocks(length: int, block: int = BLOCK) -> int:
    """Round ``length`` up to whole blocks, at least one."""
    return max(1, -(-length // block)) * block


def device_tile(item: int) -> int:
    """Return the rows and columns of a GPU's tile for numbers of ``item`` bytes."""
    return BLOCK * 8 // item
