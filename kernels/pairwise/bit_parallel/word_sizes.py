"""Sizes of words, strips and blocks of the bit-parallel methods; imports no compiled code."""

from __future__ import annotations

import numpy as np

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
FIRST_BAND = 128
"""p of the first band: narrower ones take hardly less time, since strips are 512 columns wide."""
GPU_WORD, GPU_LANES = 32, 32
"""Cells of a word, and lanes of a warp."""
LANE_DELAY = 2
"""Rows that a lane is behind the one before it: what it takes from there was computed and sent a step earlier."""
STATE_FIELDS = 6
"""Words of a lane between launches, beside plus and minus: the last rise and fall, those of the lane before, and those
collected for the next strip."""


def boundary_words(m: int) -> int:
    """Return the words of a boundary column of ``m`` rows, with those that a block writes beyond its end."""
    return -(-m // CPU_WORD) + 1


def tile_blocks(m: int, n: int, tile: int) -> int:
    """Return the blocks of a tile of a matrix of this size."""
    return -(-min(tile, m) // CPU_BLOCK) * -(-min(tile, n + CPU_STRIP) // CPU_STRIP)


def band_rows(m: int, n: int, half_width: int, delta: int) -> np.ndarray:
    """Return the first and the last row of each strip in a band; int64 (strips, 2).

    The band reaches from the diagonal -half_width to delta + half_width. Strips beyond it have no rows.
    """
    strips = -(-n // CPU_STRIP)
    ends = np.arange(1, strips + 1) * CPU_STRIP - (strips * CPU_STRIP - n)
    starts = np.maximum(ends - CPU_STRIP, 0)
    first = np.maximum(starts - half_width - delta, 0) // CPU_WORD * CPU_WORD
    last = np.minimum(-(-(ends + half_width) // CPU_WORD) * CPU_WORD, m)
    first[first >= m] = m
    last[first >= m] = m
    return np.stack([first, last], axis=1)


def band_cells(bands: np.ndarray, n: int) -> int:
    """Return the cells of a band: its rows in each strip, of which the first one may be narrower."""
    rows = bands[:, 1] - bands[:, 0]
    return int((rows * CPU_STRIP).sum()) - int(rows[0]) * (len(bands) * CPU_STRIP - n)
