"""Sizes of words, strips and blocks of the bit-parallel methods; imports no compiled code."""

from __future__ import annotations

CPU_WORD, CPU_LANES = 64, 8
"""Cells of a word, and words of a vector."""
CPU_STRIP = CPU_WORD * CPU_LANES
"""Columns of a strip on the CPU."""
CPU_BLOCK = 512
"""Rows of a block on the CPU at most."""
CPU_SKEW = CPU_LANES - 1
"""Steps that the last lane is behind the first one."""
CPU_BLOCK_WORDS = (CPU_BLOCK + CPU_SKEW) * CPU_LANES
"""Words of one kind of directions of a block."""
GPU_WORD, GPU_LANES = 32, 32
"""Cells of a word, and lanes of a warp."""


def boundary_words(m: int) -> int:
    """Return the words of a boundary column of ``m`` rows, with those that a block writes beyond its end."""
    return -(-m // CPU_WORD) + 1


def tile_blocks(m: int, n: int, tile: int) -> int:
    """Return the blocks of a tile of a matrix of this size."""
    return -(-min(tile, m) // CPU_BLOCK) * -(-min(tile, n + CPU_STRIP) // CPU_STRIP)
