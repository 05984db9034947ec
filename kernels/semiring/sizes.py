"""Sizes of blocked matrices, for those who plan without computing."""

from __future__ import annotations

BLOCK = 64
"""Rows and columns of a block: whole register tiles of every element type; three blocks fit the caches of a core."""


def padded(length: int) -> int:
    """``length`` in whole blocks; one at least."""
    return max(1, -(-length // BLOCK)) * BLOCK
